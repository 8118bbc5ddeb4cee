"""What an agent has read, so that it never writes over a version nobody looked at."""

import os
import stat
from collections import OrderedDict
from contextlib import suppress
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ankrcode.errors import ErrorCode, ToolError
from ankrcode.workspace.diffs import diff
from ankrcode.workspace.digests import known_digest, remember_digest
from ankrcode.workspace.files import iso_time
from ankrcode.workspace.text import decode

MAX_REMEMBERED = 10_000
# Contents kept so that a change from outside can be shown, not only told.
MAX_KEPT_BYTES = 16 * 1024 * 1024
MAX_KEPT_FILE_BYTES = 1024 * 1024
MAX_SHOWN_CHANGES = 40
MAX_WINDOWS = 100  # of one file; whoever reads more single parts of it reads some again


class FileVersion(Struct, frozen=True, kw_only=True):
    """One version of one file: size, time and content, for times alone miss same-tick writes.

    The digest is of all bytes; of a huge file read in part, only of the part (`digest_of_part`).
    """

    size: int
    mtime_ns: int
    digest: str


Window = tuple[int, int]  # the first line that was shown, from 1, and how many


class ReadRecord(Struct, frozen=True, kw_only=True):
    version: FileVersion
    offset: int | None = None  # first line shown, 1-based; None = the whole file was shown
    limit: int | None = None
    further: tuple[Window, ...] = ()  # shown by earlier reads of the same version
    read_at: float = 0.0  # seconds since 1970; 0: nobody looked at the clock

    @property
    def is_whole(self) -> bool:
        return self.offset is None

    @property
    def windows(self) -> tuple[Window, ...]:
        """What was shown; nothing where that is the whole file."""
        return () if self.offset is None else ((self.offset, self.limit or 0), *self.further)

    def after(self, earlier: "ReadRecord") -> "ReadRecord":
        """Both reads of one version together: who has seen two parts knows both."""
        if self.offset is None or earlier.is_whole:
            return replace(self, offset=None, limit=None, further=())
        joined: list[Window] = []
        for first, count in sorted(self.windows + earlier.windows):
            if joined and first <= sum(joined[-1]):
                joined[-1] = (joined[-1][0], max(sum(joined[-1]), first + count) - joined[-1][0])
            else:
                joined.append((first, count))
        newest = next(one for one in reversed(joined) if one[0] <= self.offset)
        further = tuple(one for one in joined if one != newest)[:MAX_WINDOWS]
        return replace(self, offset=newest[0], limit=newest[1], further=further)


class ReadState:
    """The files one agent has read, newest last; the oldest are forgotten first."""

    def __init__(self) -> None:
        self._records: OrderedDict[str, ReadRecord] = OrderedDict()
        self._contents: OrderedDict[str, bytes] = OrderedDict()  # by digest
        self._kept_bytes = 0

    def record(self, path: str, record: ReadRecord) -> None:
        known = self._records.get(path)
        if known is not None and known.version.digest == record.version.digest:
            record = record.after(known)
        self._records[path] = record
        self._records.move_to_end(path)
        if len(self._records) > MAX_REMEMBERED:
            self._records.popitem(last=False)

    def get(self, path: str) -> ReadRecord | None:
        return self._records.get(path)

    def newest(self, count: int) -> list[str]:
        """The files that were read last, the latest first."""
        return list(reversed(self._records))[:count]

    def forget(self, path: str) -> None:
        """A file is gone; if it was a folder, so is all that was in it."""
        for one in self._at_and_below(path):
            del self._records[one]

    def move(self, source: str, destination: str) -> None:
        """A file or folder has another name; what was read of it still counts."""
        self.forget(destination)
        for one in self._at_and_below(source):
            self._records[destination + one[len(source) :]] = self._records.pop(one)

    def _at_and_below(self, path: str) -> list[str]:
        return [one for one in self._records if one == path or one.startswith(path + "/")]

    def keep(self, version: FileVersion, content: bytes) -> None:
        """Keep what was read, so that a change from outside can be shown; this alone is no read."""
        if len(content) > MAX_KEPT_FILE_BYTES or version.digest in self._contents:
            return
        self._contents[version.digest] = content
        self._kept_bytes += len(content)
        while self._kept_bytes > MAX_KEPT_BYTES:
            _, oldest = self._contents.popitem(last=False)
            self._kept_bytes -= len(oldest)

    def content_of(self, digest: str) -> bytes:
        """The content with this digest; `KeyError` if it is not kept."""
        return self._contents[digest]

    def kept(self, path: str) -> bytes | None:
        """The content that was read, if it is still kept."""
        record = self._records.get(path)
        return self._contents.get(record.version.digest) if record else None

    def check_current(self, path: str) -> ReadRecord:
        """The record of a file that was read and has not changed since; else say what is wrong."""
        record = self._records.get(path)
        if record is None:
            raise ToolError.of("not_read", path=path).coded(ErrorCode.NOT_READ, path=path)
        if version_like(record.version, path) != record.version:
            raise self.changed(path)
        return record

    def changed(self, path: str) -> ToolError:
        """The error for a file that someone else changed after it was read."""
        record = self._records.get(path)
        return changed_since_read(path, self.kept(path), record.read_at if record else 0.0)

    def check_whole(self, path: str) -> ReadRecord:
        """The same for who replaces the whole file: all of it must have been seen."""
        record = self.check_current(path)
        if not record.is_whole:
            first, last = record.offset or 1, (record.offset or 1) + (record.limit or 1) - 1
            error = ToolError.of("partly_read", path=path, first=first, last=last)
            raise error.coded(ErrorCode.NOT_READ, path=path, first=first, last=last)
        return record


def changed_since_read(path: str, before: bytes | None = None, read_at: float = 0.0) -> ToolError:
    """Someone else wrote since; with the content that was read, the error shows what changed."""
    error = ToolError.of("changed_since_read", path=path)
    error.coded(ErrorCode.CHANGED_SINCE_READ, path=path)
    if read_at:
        error.details["read_at"] = iso_time(read_at)
    with suppress(OSError):  # gone
        error.details["modified_at"] = iso_time(os.lstat(path).st_mtime)
    changes = _changes(path, before) if before is not None else ""
    if changes:
        error.details["diff"] = changes
        error.suggestion += f"\n{changes}"
    return error


def _changes(path: str, before: bytes) -> str:
    try:
        with open(os.open(path, _READ), "rb") as stream:  # noqa: PTH123
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                return ""
            now = stream.read(MAX_KEPT_FILE_BYTES)
        old, new = decode(before, path).content, decode(now, path).content
    except (OSError, ToolError):
        return ""  # gone, or not text: then there is nothing to show
    return diff(old, new, path, max_lines=MAX_SHOWN_CHANGES)


# O_NONBLOCK: in place of the file there may be a pipe by now, and nobody writes to it.
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC


def version_of(path: str) -> FileVersion | None:
    """The version on disk now; None where there is no such file."""
    return _version(path, _READ, None)


def version_like(known: FileVersion, path: str) -> FileVersion | None:
    """The version on disk now, by the digest of the same bytes as the known one's."""
    part = part_of(known.digest)
    if part is None:
        return version_of(path)
    start, length = part
    try:
        with open(os.open(path, _READ), "rb") as stream:  # noqa: PTH123
            status = os.fstat(stream.fileno())
            if not stat.S_ISREG(status.st_mode):
                return None
            stream.seek(start)
            digest = digest_of_part(start, length, digest_of(stream.read(length)))
    except OSError:
        return None
    return FileVersion(size=status.st_size, mtime_ns=status.st_mtime_ns, digest=digest)


def digest_of_part(start: int, length: int, digest: str) -> str:
    return f"{start}+{length}:{digest}"


def part_of(digest: str) -> tuple[int, int] | None:
    """Start and length of the bytes a digest is of; None: it is of all of them."""
    part, _, _ = digest.rpartition(":")
    if not part:
        return None
    start, _, length = part.partition("+")
    return int(start), int(length)


def version_at(name: str, folder: int) -> FileVersion | None:
    """The same for a name in an open folder; a link is no file."""
    return _version(name, _READ | os.O_NOFOLLOW, folder)


def _version(path: str, flags: int, folder: int | None) -> FileVersion | None:
    from hashlib import file_digest  # slow to load: paid by the first read

    try:
        with open(os.open(path, flags, dir_fd=folder), "rb") as stream:  # noqa: PTH123
            status = os.fstat(stream.fileno())
            if not stat.S_ISREG(status.st_mode):
                return None
            digest = known_digest(status)
            if digest is None:
                digest = file_digest(stream, digest_of_nothing).hexdigest()
                remember_digest(status, digest)
    except OSError:
        return None
    return FileVersion(size=status.st_size, mtime_ns=status.st_mtime_ns, digest=digest)


def version_of_bytes(status: os.stat_result, content: bytes) -> FileVersion:
    """The version that was read whole; `status` was taken from the open file before."""
    digest = digest_of(content)
    remember_digest(status, digest)
    return FileVersion(size=status.st_size, mtime_ns=status.st_mtime_ns, digest=digest)


def digest_of(content: bytes) -> str:
    digest = digest_of_nothing()
    digest.update(content)
    return str(digest.hexdigest())


def digest_of_nothing() -> Any:
    from hashlib import sha256

    return sha256(usedforsecurity=False)  # with hardware for it, the fastest there is
