"""A file that is to be changed: as it stands, as it was read, and as it will be known after."""

import os
from collections.abc import Iterable

from msgspec import Struct

from ankrcode.errors import ErrorCode, ToolError
from ankrcode.protocol.modifier import FileRead
from ankrcode.words import say
from ankrcode.workspace.diffs import Change
from ankrcode.workspace.editing.drafts import Draft
from ankrcode.workspace.files import check_is_ordinary, file_error, read_whole
from ankrcode.workspace.reads import FileVersion, ReadState, Window, digest_of, version_of_bytes
from ankrcode.workspace.text import NEW_FILE, Text, decode

MAX_BYTES = 32 * 1024 * 1024  # the text is held in memory a few times over


class Original(Struct, frozen=True):
    """A file as it stands, and which of its lines were shown (none told: all of them)."""

    path: str
    text: Text
    version: FileVersion | None  # None: there is no such file yet
    content: bytes = b""
    windows: tuple[Window, ...] = ()

    @property
    def is_new(self) -> bool:
        return self.version is None

    def encoded(self, draft: Draft) -> bytes:
        """What to write: the changed text in the encoding of the file."""
        text = self.text
        if text.encoding == "utf-8" and len(self.content) == len(text.mark) + len(draft.before):
            return draft.encoded(self.content, text.mark)  # plain ASCII: no need to encode it all
        return text.encode(draft.text, self.path)

    def check_digest(self, reads: ReadState, wanted: str) -> None:
        """Is it truly what was read? For who found nothing in it: size and time may lie."""
        if self.version is not None and digest_of(self.content) != self.version.digest:
            raise _stale(self.path, reads, wanted)

    def check_shown(self, changes: Iterable[Change]) -> None:
        """A partial read covers only the lines it showed."""
        if self.windows:
            self.windows_after(changes)

    def windows_after(self, changes: Iterable[Change]) -> tuple[Window, ...]:
        """The lines that are known once the changes are made."""
        before = self.text.content
        windows = sorted(self.windows)
        extents = [_extent(before, *window) for window in windows]
        grown = [0] * len(windows)
        for change in changes if windows else ():
            holders = (
                i
                for i, (start, end) in enumerate(extents)
                if start <= change.start <= change.end <= end
            )
            index = next(holders, None)
            if index is None:
                raise self._unread(change)
            grown[index] += change.text.count("\n") - before.count("\n", change.start, change.end)
        return tuple(
            (first + sum(grown[:index]), max(0, count + grown[index]))
            for index, (first, count) in enumerate(windows)
        )

    def read_after(
        self, changes: Iterable[Change], version: FileVersion, path: str = ""
    ) -> FileRead:
        """What was read before counts on, with the changes that were made."""
        windows = self.windows_after(changes)
        offset, limit = windows[0] if windows else (None, None)
        return FileRead(
            path=path or self.path,
            size=version.size,
            mtime_ns=version.mtime_ns,
            digest=version.digest,
            offset=offset,
            limit=limit,
            further=windows[1:],
        )

    def _unread(self, change: Change) -> ToolError:
        before = self.text.content
        first = before.count("\n", 0, change.start) + 1
        last = before.count("\n", 0, max(change.start, change.end - 1)) + 1
        shown = ", ".join(
            f"{start} to {start + count - 1}" for start, count in sorted(self.windows)
        )
        error = ToolError.of(
            "edit_unread_lines",
            path=self.path,
            shown=shown,
            first=first,
            last=last,
            count=last - first + 1,
        )
        return error.coded(ErrorCode.NOT_READ, path=self.path, first=first, last=last)


def _extent(text: str, offset: int, limit: int) -> tuple[int, int]:
    """From the line end before the first line shown to the end of the last one."""
    place = 0
    for _ in range(offset - 1):
        place = text.find("\n", place) + 1 or len(text)
    start = max(0, place - 1)
    for _ in range(limit):
        place = text.find("\n", place) + 1 or len(text)
    return (start, place) if limit else (0, -1)


def looks_unchanged(path: str, reads: ReadState) -> bool:
    """Was it read, and are size and time the same? Content is compared when it is loaded."""
    record = reads.get(path)
    try:
        status = os.stat(path)  # noqa: PTH116
    except OSError:
        return False
    if record is None:
        return False
    return (status.st_size, status.st_mtime_ns) == (record.version.size, record.version.mtime_ns)


def load(path: str, reads: ReadState, *, wanted: str = "", may_be_new: bool = False) -> Original:
    """A file that was read and has not changed since; else say what is wrong."""
    record = reads.get(path)
    if record is None:
        return _unread(path, may_be_new=may_be_new)
    content, status = read_bounded(path)
    version = record.version
    if (status.st_size, status.st_mtime_ns) != (version.size, version.mtime_ns):
        version = version_of_bytes(status, content)
    # Otherwise the content is compared when it is written, or when nothing fits.
    if version.digest != record.version.digest:
        raise _stale(path, reads, wanted)
    text = decode(content, path)
    return Original(path, text, version, content, record.windows)


def _stale(path: str, reads: ReadState, wanted: str) -> ToolError:
    """Changed since it was read, with what changed; and whether the wanted text was lost by it."""
    was = reads.kept(path)
    error = reads.changed(path)
    if was is not None and wanted and wanted in decode(was, path).content:
        error.message = f"{error.message} {say('edit_was_there')}"
        error.details["was_there"] = True
    return error


def read_bounded(path: str) -> tuple[bytes, os.stat_result]:
    try:
        return read_whole(path, MAX_BYTES)
    except ToolError as problem:
        if problem.code is not ErrorCode.TOO_LARGE:
            raise
        size = problem.details["size"]
        error = ToolError.of("edit_too_large", path=path, size=size, limit=MAX_BYTES)
        raise error.coded(ErrorCode.TOO_LARGE, path=path, size=size) from None


def _unread(path: str, *, may_be_new: bool) -> Original:
    """Without a read only what holds nothing can be changed: a new file or an empty one."""
    try:
        status = os.stat(path)  # noqa: PTH116
    except FileNotFoundError as problem:
        if may_be_new:
            return Original(path, NEW_FILE, None)
        raise file_error(path, problem) from None
    except OSError as problem:
        raise file_error(path, problem) from None
    check_is_ordinary(path, status)
    if may_be_new and not status.st_size:
        content, status = read_bounded(path)
        if not content:
            return Original(path, NEW_FILE, version_of_bytes(status, content))
    raise ToolError.of("not_read", path=path).coded(ErrorCode.NOT_READ, path=path)
