"""ripgrep's part, played in Python: searches, and writes what `rg` would write.

It runs as a process of its own (`python -m ankrcode.workspace.search REQUEST`), because
nothing can stop Python's `re` in a thread: a pattern that never ends is ended with its process.
What is passed over is named on the error stream, in ripgrep's form; for a binary file the reason
is the one word BINARY, as ripgrep itself says nothing there.
"""

import codecs
import os
import signal
import sys
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any, BinaryIO, Literal

import msgspec
from msgspec import Struct

from ankrcode.workspace.search.regex import translate
from ankrcode.workspace.search.walk import Filters, Note, files_below

BINARY = "binary"
FILE_TIME_LIMIT_S = 3.0  # one file may not hold up all others
MAX_FILE_BYTES = 32 * 1024 * 1024
_UTF16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


class Request(Struct, frozen=True, kw_only=True):
    """What to do. Where is said beside it: a path may hold bytes that no JSON can."""

    mode: Literal["list", "files_with_matches", "count", "content", "columns"]
    filters: Filters = Filters()
    pattern: str = ""
    ignore_case: bool = False
    multiline: bool = False
    before: int = 0
    after: int = 0


class _TooSlow(Exception):
    """A signal inside the worker: this file takes too long."""


def main() -> int:
    request = msgspec.json.decode(sys.argv[1], type=Request)
    file = sys.argv[2] if len(sys.argv) > 2 else ""  # noqa: PLR2004 - one file alone
    answer(request, os.getcwd(), file, sys.stdout.buffer, sys.stderr.buffer)  # noqa: PTH109
    return 0


def answer(request: Request, folder: str, file: str, findings: BinaryIO, notes: BinaryIO) -> None:
    """Search one file of a folder, or all below it."""

    def note(what: str, path: str) -> None:
        notes.write(b"rg: %s: %s\n" % (_name(path).replace(b"\n", b"?"), what.encode()))

    signal.signal(signal.SIGALRM, _ring)
    paths = iter([file]) if file else files_below(folder, request.filters, note)
    if request.mode == "list":
        findings.writelines(_name(path) + b"\0" for path in paths)
    else:
        search = _Search(request, folder, findings, note, is_explicit=bool(file))
        for path in paths:
            search.look_at(path)
            findings.flush()
    findings.flush()


class _Search:
    def __init__(
        self, request: Request, folder: str, findings: BinaryIO, note: Note, *, is_explicit: bool
    ) -> None:
        self._request = request
        self._folder = folder.rstrip("/")
        self._write = findings.write
        self._note = note
        self._is_explicit = is_explicit
        pattern = translate(
            request.pattern, ignore_case=request.ignore_case, multiline=request.multiline
        )
        self._regex, self._crosses = pattern.regex, pattern.crosses_lines
        self._is_first = True

    def look_at(self, path: str) -> None:
        try:
            content = _read(f"{self._folder}/{path}")
        except OSError:
            return self._note("unreadable", path)
        if content is None:
            return self._note("large", path)
        zero = content.find(b"\0")
        if zero >= 0 and not self._is_explicit:
            return self._note(BINARY, path)
        text = content.replace(b"\0", b"\n").decode("utf-8", "surrogateescape")
        try:
            signal.setitimer(signal.ITIMER_REAL, FILE_TIME_LIMIT_S)
            spans = list(self._spans(text))
        except _TooSlow:
            return self._note("slow", path)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        if spans:
            self._tell(path, text, spans, zero)
        return None

    def _spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Where matches begin and end: the first of each line, or all that may cross lines."""
        at, end, last = 0, len(text) - text.endswith("\n"), -1
        is_whole = self._request.mode == "count" and self._request.multiline
        found_any = False
        while text and at <= end and (found := self._regex.search(text, at)):
            start, stop = found.span()
            if start > end or (is_whole and found_any and start == len(text)):
                return  # ripgrep, too, counts no further empty match after the last character
            if is_whole and start == stop == last:  # nor one right behind another match
                at = stop + 1
                continue
            yield start, stop
            found_any = True
            if self._request.mode == "files_with_matches":
                return
            if self._crosses:
                at, last = (stop, stop) if stop > start else (stop + 1, last)
            else:
                at = text.find("\n", start) + 1
                if not at:
                    return

    def _tell(self, path: str, text: str, spans: list[tuple[int, int]], zero: int) -> None:
        name = _name(path)
        if self._request.mode == "files_with_matches":
            self._write(name + b"\0")
        elif self._request.mode == "count":
            self._write(b"%s\0%d\n" % (name, len(spans)))
        elif self._request.mode == "columns":
            self._write(_columns(text, spans))
        elif zero >= 0:
            where = b'binary file matches (found "\\0" byte around offset %d)\n' % zero
            self._write(name + b": " + where)
        else:
            self._write((b"" if self._is_first else b"\n") + name + b"\0")
            self._write(self._lines(text, spans).encode("utf-8", "surrogateescape"))
            self._is_first = False

    def _lines(self, text: str, spans: list[tuple[int, int]]) -> str:
        lines = text.split("\n")
        if not lines[-1]:
            lines.pop()
        matched = _matched_lines(lines, spans)
        before, after = self._request.before, self._request.after
        near = {
            number
            for line in matched
            for number in range(max(0, line - before), min(len(lines), line + after + 1))
        }
        shown = []
        for number in sorted(near):
            sign = "\0" if number in matched else "-"
            shown.append(f"{number + 1}{sign}{lines[number]}\n")
        return "".join(shown)


def _columns(text: str, spans: list[tuple[int, int]]) -> bytes:
    """Number and column (in bytes, from 1) of the first match of each line."""
    said, number, at = b"", 1, 0
    for start, _ in spans:
        number += text.count("\n", at, start)
        line = text[text.rfind("\n", 0, start) + 1 : start]
        said += b"%d\0%d\0\n" % (number, len(line.encode("utf-8", "surrogateescape")) + 1)
        at = start
    return said


def _matched_lines(lines: list[str], spans: list[tuple[int, int]]) -> set[int]:
    starts, at = [], 0
    for line in lines:
        starts.append(at)
        at += len(line) + 1
    matched: set[int] = set()
    for start, stop in spans:
        first = bisect_right(starts, start) - 1
        last = bisect_right(starts, max(start, stop - 1)) - 1
        matched.update(range(first, last + 1))
    return matched


def _read(path: str) -> bytes | None:
    """The bytes as UTF-8 without byte order mark; None for more than is sensible here."""
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:  # noqa: PTH123
        content = file.read(MAX_FILE_BYTES + 1)
    if len(content) > MAX_FILE_BYTES:
        return None
    encoding = _UTF16.get(content[:2])
    if encoding:
        return content[2:].decode(encoding, "replace").encode("utf-8", "replace")
    return content.removeprefix(codecs.BOM_UTF8)


def _name(path: str) -> bytes:
    return b"./" + os.fsencode(path)


def _ring(*_: Any) -> None:
    raise _TooSlow
