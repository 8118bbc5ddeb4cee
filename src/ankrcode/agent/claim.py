"""Whose a worktree is: a file beside it on which its owner holds a lock.

The lock goes with the process, however that ends. Whoever can take it knows that the owner is
gone; the number of a process would not tell, for by now it may be another's.
"""

import fcntl
import os
import time
from contextlib import suppress

import msgspec

SUFFIX = ".owner"  # no name of a worktree holds a dot
_OPEN = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC
_MAX_BYTES = 64 * 1024


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """What a worktree began as."""

    repository: bytes  # git's own folder of it
    commit: str  # where its branch began; empty where nothing was committed
    start: str = ""  # how it stood when it was ready; empty if it never was


class Claim:
    """Held as long as somebody may work there."""

    def __init__(self, path: str, handle: int, origin: Origin) -> None:
        self._path = path
        self._handle = handle
        self.origin = origin

    @classmethod
    def new(cls, place: str, origin: Origin) -> "Claim":
        """Before anything is made. Raises `OSError`."""
        path = place + SUFFIX
        handle = os.open(path, _OPEN | os.O_CREAT, 0o600)
        claim = cls(path, handle, origin)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.ftruncate(handle, 0)
            claim._write()
        except OSError:
            os.close(handle)
            raise
        return claim

    @classmethod
    def left(cls, place: str) -> "Claim | None":
        """Of an owner that is gone; none where nothing can be read. Raises `BlockingIOError` where
        the owner lives."""
        path = place + SUFFIX
        try:
            handle = os.open(path, _OPEN)
        except OSError:
            return None
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            is_same = os.path.samestat(os.stat(path), os.fstat(handle))  # noqa: PTH116
            origin = msgspec.json.decode(os.pread(handle, _MAX_BYTES, 0), type=Origin)
        except BlockingIOError:
            os.close(handle)
            raise
        except (OSError, msgspec.MsgspecError):
            is_same = False
        if is_same:
            return cls(path, handle, origin)
        os.close(handle)
        return None

    @property
    def age_s(self) -> float:
        """Since it was last written."""
        return time.time() - os.fstat(self._handle).st_mtime

    def ready(self, start: str) -> None:
        self.origin = msgspec.structs.replace(self.origin, start=start)
        self._write()

    def _write(self) -> None:
        """In one piece, and it only grows: a process that is killed leaves no half of it."""
        os.pwrite(self._handle, msgspec.json.encode(self.origin), 0)

    def drop(self) -> None:
        """Nobody has to look after that worktree any more."""
        if self._handle >= 0:
            with suppress(OSError):
                os.unlink(self._path)  # noqa: PTH108
        self.release()

    def release(self) -> None:
        """Somebody else may look after it."""
        if self._handle >= 0:
            os.close(self._handle)
        self._handle = -1
