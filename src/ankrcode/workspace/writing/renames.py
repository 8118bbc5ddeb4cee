"""Giving things other names, without ever replacing something by accident."""

import errno
import os
from collections.abc import Callable
from functools import cache
from typing import Any

from ankrcode.workspace.writing.folders import Place

_NO_REPLACE = 1
# The system, or this file system, does not know the flag.
_UNKNOWN = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP)


def rename_over(old: Place, new: Place) -> None:
    """Rename in one step, over whatever stands there."""
    os.rename(old.name, new.name, src_dir_fd=old.folder, dst_dir_fd=new.folder)


def rename_new(old: Place, new: Place) -> None:
    """Rename in one step; `FileExistsError` if the new name is taken, be it by a broken link."""
    problem = _renameat2()(old.folder, os.fsencode(old.name), new.folder, os.fsencode(new.name))
    if not problem:
        return
    if problem not in _UNKNOWN:
        raise OSError(problem, os.strerror(problem), old.name, None, new.name)
    # The best that can be done where the system cannot: a moment remains.
    if _is_taken(new):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), new.name)
    rename_over(old, new)


def rename_entry(old: Place, new: Place, *, overwrites: bool) -> None:
    """Rename a file, link or folder; two names of one file are told from one name in two cases."""
    if _is_taken(new) and os.path.samestat(old.status(), new.status()):
        if new.name not in os.listdir(new.folder):  # another case, which the system ignores
            rename_over(old, new)
        elif overwrites:
            os.unlink(old.name, dir_fd=old.folder)  # renaming over another hard link does nothing
        else:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), new.name)
    elif overwrites:
        rename_over(old, new)
    else:
        rename_new(old, new)


def is_across(problem: OSError) -> bool:
    """The new name is on another file system: it has to be copied."""
    return problem.errno == errno.EXDEV


def _is_taken(place: Place) -> bool:
    try:
        place.status()
    except FileNotFoundError:
        return False
    return True


@cache
def _renameat2() -> Callable[[int, bytes, int, bytes], int]:
    """Linux's call, which Python does not offer: 0 or the error's number."""
    import ctypes  # only a new file or a move pays for it

    call: Any = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)

    def renamed(folder: int, name: bytes, new_folder: int, new_name: bytes) -> int:
        if call is None:
            return errno.ENOSYS
        return ctypes.get_errno() if call(folder, name, new_folder, new_name, _NO_REPLACE) else 0

    return renamed
