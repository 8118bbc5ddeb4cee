"""Placeholders: something to mount over where a protected name does not exist yet.

Each is a socket that nobody listens to: git does not see it, nobody can read or fill it, opening it
fails at once, and making and removing it costs next to nothing. Only where programs would stumble
over one it is an empty file. The odd mode marks it as ours; a shared lock on the folder says that
those in it are in use, so that several processes can share them, the last of them takes them away,
and what a crash left goes with the next.
"""

import fcntl
import os
import stat
import threading
from collections.abc import Iterable
from contextlib import suppress

from ankrcode.sandbox.protected import STUB_FILE, STUB_SOCKET, STUBS

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW_FILE = os.O_RDONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_lock = threading.Lock()


class _Folder:
    """The placeholders of one folder, as far as this process uses them."""

    def __init__(self, path: str) -> None:
        self.handle = os.open(path, _FOLDER)
        self.names: set[str] = set()
        self.users = 0
        with suppress(BlockingIOError):  # somebody locks it for another reason: then without
            fcntl.flock(self.handle, fcntl.LOCK_SH | fcntl.LOCK_NB)

    def make(self, name: str, mode: int) -> bool:
        """One more placeholder, or one that is there already."""
        try:
            if stat.S_ISREG(mode):
                os.close(os.open(name, _NEW_FILE, stat.S_IMODE(mode), dir_fd=self.handle))
            else:
                os.mknod(name, mode, dir_fd=self.handle)
        except FileExistsError:
            pass
        except OSError:  # nobody can make it, or this kind of disk has no sockets
            return False
        if not self._is_ours(name):
            return False
        self.names.add(name)
        return True

    def close(self) -> None:
        """Take them away, unless another process uses them."""
        with suppress(BlockingIOError):
            fcntl.flock(self.handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            for name in self.names:
                if self._is_ours(name):
                    with suppress(OSError):
                        os.unlink(name, dir_fd=self.handle)
        os.close(self.handle)

    def _is_ours(self, name: str) -> bool:
        try:
            status = os.stat(name, dir_fd=self.handle, follow_symlinks=False)
        except OSError:
            return False
        return status.st_mode in STUBS and not status.st_size


_folders: dict[str, _Folder] = {}


def hold(missing: Iterable[str], files: Iterable[str] = ()) -> tuple[str, ...]:
    """Make a placeholder at each path; those that could be made. `release` them afterwards."""
    with _lock:
        held = [path for path in missing if _hold(path, STUB_SOCKET)]
        return (*held, *(path for path in files if _hold(path, STUB_FILE)))


def release(paths: Iterable[str]) -> None:
    """They are needed no longer: to be called once for what `hold` gave."""
    with _lock:
        for path in paths:
            _leave(os.path.dirname(path))  # noqa: PTH120


def _hold(path: str, mode: int) -> bool:
    place, name = os.path.split(path)
    folder = _folders.get(place)
    if folder is None:
        try:
            folder = _folders[place] = _Folder(place)
        except OSError:
            return False
    folder.users += 1
    if folder.make(name, mode):
        return True
    _leave(place)
    return False


def _leave(place: str) -> None:
    folder = _folders[place]
    folder.users -= 1
    if not folder.users:
        _folders.pop(place).close()
