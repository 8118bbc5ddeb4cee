"""An ordinary file that is being read: in blocks, up to a bound, hashed on the way."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ankrcode.errors import ErrorCode, ToolError
from ankrcode.workspace.files import check_is_ordinary, file_error, modified_time, not_regular
from ankrcode.workspace.reads import FileVersion, digest_of, digest_of_nothing, digest_of_part

BLOCK_BYTES = 1024 * 1024
# A file that claims to be empty may be one of the system's (/proc, /sys), made up as it is read.
MADE_UP_BYTES = 1024 * 1024
HOLE_BYTES = 64 * 1024 * 1024  # in smaller files holes are not looked for


class OpenedFile:
    """Reads no further than the size the file had when it was opened: a log may grow for ever."""

    def __init__(
        self, path: str, handle: int, status: os.stat_result, check: Callable[[], None]
    ) -> None:
        self.path = path
        self.handle = handle
        self.status = status
        self._check = check
        self._left = status.st_size or MADE_UP_BYTES
        self._digest = digest_of_nothing()
        self._is_hashed = False  # all of it
        self.head = self._next()  # the first block: for most files, all of it

    @property
    def size(self) -> int:
        return self.status.st_size or len(self.head)

    @property
    def is_short(self) -> bool:
        """Is all of it in the first block?"""
        return self.status.st_size == len(self.head)

    @property
    def modified(self) -> str:
        return modified_time(self.status)

    def blocks(self, *, hashed: bool) -> Iterator[bytes]:
        """All blocks from the start; hashing a huge file would cost more than reading it."""
        os.lseek(self.handle, len(self.head), os.SEEK_SET)
        self._left = max(0, (self.status.st_size or MADE_UP_BYTES) - len(self.head))
        self._digest = digest_of_nothing()
        block = self.head
        while block:
            if hashed:
                self._digest.update(block)
            yield block
            block = self._next()
        self._is_hashed = hashed

    def _next(self) -> bytes:
        self._check()
        try:
            block = self._hole() or os.read(self.handle, min(BLOCK_BYTES, self._left))
        except BlockingIOError:
            raise not_regular(self.path, "stream that waits for someone to write") from None
        except OSError as problem:
            raise file_error(self.path, problem) from None
        self._left -= len(block)
        return block

    def _hole(self) -> bytes:
        """A block of zeros where the file has a hole: reading gigabytes of those takes its time."""
        if self._left <= HOLE_BYTES:
            return b""
        at = os.lseek(self.handle, 0, os.SEEK_CUR)
        try:
            data = os.lseek(self.handle, at, os.SEEK_DATA)
        except OSError:  # there is no data behind this place, or no such question
            data = at + self._left if self.status.st_blocks * 512 < self.status.st_size else at
        is_hole = data - at >= BLOCK_BYTES
        os.lseek(self.handle, at + is_hole * BLOCK_BYTES, os.SEEK_SET)
        return bytes(BLOCK_BYTES) if is_hole else b""

    def whole(self, max_bytes: int) -> bytes:
        """All bytes of a file that is not too large for that."""
        if self.status.st_size > max_bytes:
            size = self.status.st_size
            error = ToolError.of("file_too_large.whole", path=self.path, size=size, limit=max_bytes)
            raise error.coded(ErrorCode.TOO_LARGE, path=self.path, size=size)
        return b"".join(self.blocks(hashed=True))

    def version(self, start: int = 0, part: bytes = b"") -> FileVersion:
        """By the digest of all bytes if they were read and hashed, else of the part shown."""
        size, mtime_ns = self.status.st_size, self.status.st_mtime_ns
        if self._is_hashed:
            return FileVersion(size=size, mtime_ns=mtime_ns, digest=self._digest.hexdigest())
        digest = digest_of_part(start, len(part), digest_of(part))
        return FileVersion(size=size, mtime_ns=mtime_ns, digest=digest)


@contextmanager
def opened(path: str, check: Callable[[], None]) -> Iterator[OpenedFile]:
    """Open an ordinary file; `check` is called now and then and may raise."""
    try:
        # O_NONBLOCK: opening a pipe that nobody writes must not hang before we can look at it.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as problem:
        raise file_error(path, problem) from None
    try:
        status = os.fstat(handle)
        check_is_ordinary(path, status)
        yield OpenedFile(path, handle, status, check)
    finally:
        os.close(handle)
