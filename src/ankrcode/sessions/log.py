"""The log file of one session: appended to by one process, readable by any, never rewritten."""

import errno
import fcntl
import os
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from threading import Lock

from msgspec import Struct
from msgspec.structs import replace

from ankrcode.errors import SessionError
from ankrcode.sessions.records import AnyRecord, decoded, encoded
from ankrcode.workspace.framing import HEAD, framed, split, unframed

_FLAGS = os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_TAIL = 256 * 1024
_LOCK_WAITS_S = (0.01, 0.02, 0.05, 0.1)
_CHECKPOINT = b'{"type":"checkpoint"'
_NO_SYNC_OF_FOLDERS = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP)
_TURN = b'{"type":"turn_started"'


class Damage(Struct, frozen=True):
    """Bytes of a log that are no record any more; they stay where they are."""

    offset: int
    size: int


class LogContent(Struct, frozen=True, kw_only=True):
    records: list[tuple[int, AnyRecord]]  # each with the place where it begins
    damage: list[Damage]
    unknown: int = 0  # intact records of a later version


class SessionLog:
    """Open for writing: locked, so that two processes never write one session."""

    def __init__(self, path: str, *, is_new: bool = False, made_in: Iterable[str] = ()) -> None:
        """`made_in`: where folders were made for it, whose names are not on disk yet either."""
        self.path = path
        extra = os.O_CREAT | os.O_EXCL if is_new else 0
        try:
            self._handle = os.open(path, _FLAGS | extra, 0o600)
        except OSError as problem:
            raise _failed(path, problem) from None
        try:
            _lock(self._handle)
            facts = os.fstat(self._handle)
            if not facts.st_nlink:  # deleted while it was being opened
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
            self._size = self._synced = facts.st_size
            self._is_torn = self._ends_torn()
        except OSError as problem:
            os.close(self._handle)
            raise _failed(path, problem) from None
        self._is_broken = False
        self._names_in = [*made_in, str(Path(path).parent)] if is_new else []
        self._closing = Lock()  # a handle is not closed while its bytes go to disk

    @property
    def size(self) -> int:
        """Where the next record will begin."""
        return self._size + self._is_torn

    def append(self, records: Iterable[AnyRecord]) -> None:
        """All of them in one piece, in the system's hands when this returns."""
        self.append_lines([framed(encoded(record)) for record in records])

    def append_lines(self, lines: Iterable[bytes]) -> None:
        data = b"".join(lines)
        if self._is_torn:
            data = b"\n" + data  # what was torn stays a line of its own
        try:
            done = os.write(self._handle, data) if data else 0
            while done < len(data):
                done += os.write(self._handle, memoryview(data)[done:])
        except OSError as problem:
            if self._handle < 0:
                raise SessionError.of("session_over", session=Path(self.path).stem) from None
            self._take_back()
            raise _failed(self.path, problem) from None
        self._size += len(data)
        self._is_torn = False

    def sync(self) -> None:
        """On disk, also if the power fails. Blocks, in any thread; nothing to do is free."""
        with self._closing:
            size = self._size  # more may be appended meanwhile: that is not on disk then
            if self._synced >= size and not self._is_broken:
                return
            try:
                # The system tells of a failure once and then forgets it: we do not.
                if self._is_broken:
                    raise OSError(errno.EIO, os.strerror(errno.EIO))
                _to_disk(self._handle)
                while self._names_in:
                    sync_folder(self._names_in[-1])
                    self._names_in.pop()
            except OSError as problem:
                self._is_broken = True
                raise _failed(self.path, problem) from None
            self._synced = size

    def close(self) -> None:
        with self._closing:
            if self._handle >= 0:
                os.close(self._handle)
                self._handle = -1

    def _take_back(self) -> None:
        """Half a record was written, for example to a full disk: the log ends where it did."""
        try:
            os.ftruncate(self._handle, self._size)
        except OSError:
            with suppress(OSError):
                self._size = os.fstat(self._handle).st_size
            self._is_torn = True

    def _ends_torn(self) -> bool:
        return self._size > 0 and os.pread(self._handle, 1, self._size - 1) != b"\n"


# ── reading ───────────────────────────────────────────────────────────────────────────────────
def read_log(path: str) -> LogContent:
    """Every intact record, whatever lies between them."""
    return read_from(path, 0)


def read_from(path: str, offset: int) -> LogContent:
    """The records from one place on."""
    return parsed(read_bytes(path, offset), offset)


def read_first(path: str) -> AnyRecord | None:
    """The first record, if it is intact and no longer than any first one should be."""
    content = parsed(read_bytes(path, 0, _TAIL).partition(b"\n")[0], 0)
    return content.records[0][1] if content.records else None


def read_tail(path: str) -> LogContent:
    """The records from the newest checkpoint on; all of them where there is none."""
    return _from_the_end(path, _CHECKPOINT, 1)


def read_turns(path: str, count: int) -> LogContent:
    """The newest turns, without reading those before."""
    return _from_the_end(path, _TURN, count)


def _from_the_end(path: str, beginning: bytes, count: int) -> LogContent:
    """From where the last but `count` intact record of one kind begins.

    Damage is told of all that was read: of a whole `_TAIL` at least.
    """
    size, block = _size_of(path), _TAIL
    while block < size:
        data = read_bytes(path, size - block)
        if (found := _last(data, beginning, count)) is not None:
            start = data.find(b"\n") + 1  # of the line before, only the end was read
            return _parsed_behind(data[start:], max(0, found - start), size - block + start)
        block *= 4
    data = read_bytes(path, 0)
    return _parsed_behind(data, _last(data, beginning, count) or 0, 0)


def _parsed_behind(data: bytes, found: int, offset: int) -> LogContent:
    before = [
        Damage(offset + place, len(line))
        for place, line in split(data[:found])
        if unframed(line) is None
    ]
    content = parsed(data[found:], offset + found)
    return replace(content, damage=before + content.damage)


def _last(data: bytes, beginning: bytes, count: int) -> int | None:
    end = len(data)
    while (at := data.rfind(beginning, 0, end)) >= HEAD:
        start = at - HEAD
        line_end = data.find(b"\n", at)
        is_line = start == 0 or data[start - 1 : start] == b"\n"
        if is_line and line_end >= 0 and unframed(data[start:line_end]) is not None:
            count -= 1
            if not count:
                return start
        end = at
    return None


def parsed(data: bytes, offset: int) -> LogContent:
    records: list[tuple[int, AnyRecord]] = []
    damage: list[Damage] = []
    unknown = 0
    for place, line in split(data):
        content = unframed(line)
        if content is None:
            damage.append(Damage(offset + place, len(line)))
        elif (record := decoded(content)) is not None:
            records.append((offset + place, record))
        else:
            unknown += 1
    return LogContent(records=records, damage=damage, unknown=unknown)


def _size_of(path: str) -> int:
    try:
        return Path(path).lstat().st_size
    except OSError as problem:
        raise _failed(path, problem) from None


def read_bytes(path: str, offset: int, limit: int = -1) -> bytes:
    try:
        handle = os.open(path, _READ)
        try:
            os.lseek(handle, offset, os.SEEK_SET)
            with open(handle, "rb", closefd=False) as file:
                return file.read(limit)
        finally:
            os.close(handle)
    except OSError as problem:
        raise _failed(path, problem) from None


def _to_disk(handle: int) -> None:
    """The bytes and the size; that is a fifth less to do than with all the times of the file."""
    if hasattr(os, "fdatasync"):
        os.fdatasync(handle)
    else:  # macOS
        os.fsync(handle)


def sync_folder(folder: str) -> None:
    """A new name is on disk only when its folder is; some network folders cannot say."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    except OSError as problem:
        if problem.errno not in _NO_SYNC_OF_FOLDERS:
            raise
    finally:
        os.close(handle)


def _lock(handle: int) -> None:
    """A child of a process that was killed may hold it until its program begins: a moment."""
    for wait_s in (*_LOCK_WAITS_S, None):
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if wait_s is None:
                raise
            time.sleep(wait_s)
        else:
            return


def _failed(path: str, problem: OSError) -> SessionError:
    if isinstance(problem, BlockingIOError):
        return SessionError.of("session_busy", path=path, id=Path(path).stem)
    if problem.errno == errno.ENOENT:
        return SessionError.of("session_missing", path=path)
    return SessionError.of("session_unwritable", path=path, why=problem.strerror or str(problem))
