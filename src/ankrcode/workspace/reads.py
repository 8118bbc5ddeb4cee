"""What an agent has read, so that it never writes over a version nobody looked at."""

import hashlib
import os
import stat
from collections import OrderedDict

from msgspec import Struct

from ankrcode.errors import ErrorCode, ToolError

MAX_REMEMBERED = 10_000


class FileVersion(Struct, frozen=True, kw_only=True):
    """One version of one file: size, time and content, for times alone miss same-tick writes."""

    size: int
    mtime_ns: int
    digest: str


class ReadRecord(Struct, frozen=True, kw_only=True):
    version: FileVersion
    offset: int | None = None  # first line shown, 1-based; None = the whole file was shown
    limit: int | None = None

    @property
    def is_whole(self) -> bool:
        return self.offset is None


class ReadState:
    """The files one agent has read, newest last; the oldest are forgotten first."""

    def __init__(self) -> None:
        self._records: OrderedDict[str, ReadRecord] = OrderedDict()

    def record(self, path: str, record: ReadRecord) -> None:
        self._records[path] = record
        self._records.move_to_end(path)
        if len(self._records) > MAX_REMEMBERED:
            self._records.popitem(last=False)

    def get(self, path: str) -> ReadRecord | None:
        return self._records.get(path)

    def forget(self, path: str) -> None:
        self._records.pop(path, None)

    def check_current(self, path: str) -> ReadRecord:
        """The record of a file that was read and has not changed since; else say what is wrong."""
        record = self._records.get(path)
        if record is None:
            raise ToolError.of("not_read", path=path).coded(ErrorCode.NOT_READ, path=path)
        if version_of(path) != record.version:
            raise ToolError.of("changed_since_read", path=path).coded(
                ErrorCode.CHANGED_SINCE_READ, path=path
            )
        return record


def version_of(path: str) -> FileVersion | None:
    """The version on disk now; None where there is no such file."""
    try:
        # O_NONBLOCK: in place of the file there may be a pipe by now, and nobody writes to it.
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as stream:  # noqa: PTH123
            status = os.fstat(stream.fileno())
            if not stat.S_ISREG(status.st_mode):
                return None
            digest = hashlib.file_digest(stream, digest_of_nothing).hexdigest()
    except OSError:
        return None
    return FileVersion(size=status.st_size, mtime_ns=status.st_mtime_ns, digest=digest)


def version_of_bytes(status: os.stat_result, content: bytes) -> FileVersion:
    digest = digest_of_nothing()
    digest.update(content)
    return FileVersion(size=status.st_size, mtime_ns=status.st_mtime_ns, digest=digest.hexdigest())


def digest_of_nothing() -> hashlib.blake2b:
    return hashlib.blake2b(digest_size=16)
