"""Open files by handle: whole reads and writes, and what a file keeps when it is replaced."""

import errno
import os
import stat

_PIECE = 1 << 20
_BELONGS_TO_CONTENT = "security.capability"  # the system itself drops it when content changes
_MUST_BE_KEPT = ("user.", "system.posix_acl_")


def write_all(handle: int, content: bytes) -> None:
    """All of it, though the system may take less at a time."""
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(handle, rest) :]


def read_all(handle: int) -> bytes:
    """From the current place to the end."""
    pieces: list[bytes] = []
    while piece := os.read(handle, _PIECE):
        pieces.append(piece)
    return b"".join(pieces)


def overwrite(handle: int, content: bytes) -> None:
    """Other content in the same file, durably. Not atomic: a copy must lie elsewhere."""
    os.lseek(handle, 0, os.SEEK_SET)
    write_all(handle, content)
    os.ftruncate(handle, len(content))
    os.fsync(handle)


def keep_facts(before: int, after: int) -> None:
    """Give one open file the owner, access list, attributes and mode of another.

    What may not be given raises `PermissionError`: then the file is better written in place.
    """
    old, new = os.fstat(before), os.fstat(after)
    if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
        os.fchown(after, old.st_uid, old.st_gid)
    keep_attributes(before, after)
    os.fchmod(after, stat.S_IMODE(old.st_mode))  # last: the others clear set-user-id bits


def keep_attributes(before: int, after: int) -> None:
    """Extended attributes, access lists among them; also what the folder's default gave is gone."""
    if not hasattr(os, "listxattr"):  # not every system has them
        return
    old = _attributes(before)
    for name in _attributes(after).keys() - old.keys():
        if name.startswith(_MUST_BE_KEPT):
            os.removexattr(after, name)
    for name, value in old.items():
        try:
            os.setxattr(after, name, value)
        except OSError:
            if name.startswith(_MUST_BE_KEPT):
                raise PermissionError(errno.EPERM, os.strerror(errno.EPERM), name) from None


def _attributes(handle: int) -> dict[str, bytes]:
    try:
        names = os.listxattr(handle)
    except OSError as problem:
        if problem.errno in (errno.ENOTSUP, errno.EPERM, errno.ENOSYS):
            return {}  # this file system has none
        raise
    return {name: os.getxattr(handle, name) for name in names if name != _BELONGS_TO_CONTENT}
