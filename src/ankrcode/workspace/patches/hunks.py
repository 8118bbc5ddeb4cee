"""Hunks: the lines to find, to take away and to add; the same in both forms of a patch."""

import re
from typing import Literal

from msgspec import Struct

from ankrcode.errors import ErrorCode, ToolError

Mark = Literal[" ", "+", "-"]
NO_NEWLINE = "\\ No newline"
END_OF_FILE = "*** End of File"
_RANGE = re.compile(r"-(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))?(?: @@|$)")
_MARKS: dict[str, Mark] = {" ": " ", "+": "+", "-": "-"}


class Line(Struct, frozen=True):
    mark: Mark
    text: str


class Hunk(Struct, frozen=True, kw_only=True):
    number: int
    lines: list[Line]
    contexts: list[str] = []  # lines that come somewhere before, from the @@ headers
    at: int | None = None  # where a unified diff says it begins: index of a line
    at_end: bool = False  # its last line is the file's last
    new_without_end: bool = False  # the file shall end without a line end
    tail: int = 0  # empty lines after it: blank lines of the file, or of the patch only

    @property
    def old(self) -> list[str]:
        return [line.text for line in self.lines if line.mark != "+"]

    @property
    def looks_last(self) -> bool:
        """Has it lines of context before, but none after? Then it ended the file."""
        return self.lines[0].mark == " " and self.lines[-1].mark != " "


class FilePatch(Struct, frozen=True, kw_only=True):
    kind: Literal["add", "update", "delete"]
    path: str
    move_to: str | None = None
    hunks: list[Hunk] = []
    content: str = ""  # of an added file
    is_unified: bool = False
    notes: list[str] = []


def malformed(number: int, why: str) -> ToolError:
    error = ToolError.of("patch_malformed", line=number, why=why)
    return error.coded(ErrorCode.INVALID_INPUT, line=number)


class Scanner:
    """Lines one by one, with their numbers."""

    def __init__(self, lines: list[str], start: int = 0, end: int | None = None) -> None:
        self._lines = lines
        self._at = start
        self._end = len(lines) if end is None else end

    @property
    def number(self) -> int:
        """Of the next line, from 1."""
        return self._at + 1

    def peek(self, ahead: int = 0) -> str | None:
        place = self._at + ahead
        return self._lines[place] if place < self._end else None

    def skip(self) -> None:
        self._at += 1

    def next_text(self) -> str | None:
        """The next line that is not blank."""
        return next((one for one in self._lines[self._at : self._end] if one.strip()), None)


class _Counts:
    """How many lines a unified header promised; counts are hints, for models miscount."""

    def __init__(self, old: int, new: int) -> None:
        self.old, self.new = old, new

    @property
    def are_done(self) -> bool:
        return self.old <= 0 and self.new <= 0

    def see(self, mark: Mark) -> None:
        self.old -= mark != "+"
        self.new -= mark != "-"


class _Header:
    """The @@ lines of one hunk, of which there may be several or none."""

    def __init__(self, scanner: Scanner) -> None:
        self.contexts: list[str] = []
        self.at: int | None = None
        self.counts: _Counts | None = None
        self.is_there = False
        while (line := scanner.peek()) is not None and line.startswith("@@"):
            self.is_there = True
            ranges = _RANGE.match(line[2:].strip())
            if ranges:
                old = int(ranges[2] or 1)
                self.at = int(ranges[1]) - (old > 0)
                self.counts = _Counts(old, int(ranges[4] or 1))
            elif context := _context(line):
                self.contexts.append(context)
            scanner.skip()


def read_hunk(scanner: Scanner, *, number: int) -> Hunk | None:
    """The next hunk; None where a header, a marker or the end comes first."""
    while (line := scanner.peek()) is not None and _is_filler(line, scanner):
        scanner.skip()
    header = _Header(scanner)
    body = _Body(scanner, header.counts)
    body.read()
    if not body.lines and not body.at_end:
        if header.is_there:
            raise malformed(scanner.number, "a hunk has no lines")
        return None
    return Hunk(
        number=number,
        lines=body.lines,
        contexts=header.contexts,
        at=header.at,
        at_end=body.at_end,
        new_without_end=body.new_without_end,
        tail=body.tail,
    )


def _is_filler(line: str, scanner: Scanner) -> bool:
    """An empty line before a hunk; one of blanks may be context, unless a header follows."""
    if not line.strip("\r"):
        return True
    return not line.strip() and (scanner.next_text() or "@@").startswith("@@")


def _context(header: str) -> str:
    """What an @@ line names; `@@ ... @@` names nothing."""
    text = header[2:].strip().removesuffix("@@").strip()
    return "" if text.strip(".…") == "" else text


class _Body:
    """The marked lines of one hunk."""

    def __init__(self, scanner: Scanner, counts: _Counts | None) -> None:
        self._scanner = scanner
        self._counts = counts
        self.lines: list[Line] = []
        self.tail = 0
        self.at_end = False
        self.new_without_end = False

    def read(self) -> None:
        while (line := self._scanner.peek()) is not None and not self._is_over(line):
            if line.startswith(NO_NEWLINE):
                self._mark_end()
            elif line.rstrip() == END_OF_FILE:
                self._scanner.skip()
                self.at_end = True
                break
            elif not line.strip("\r"):
                self._add(Line(" ", line), is_bare=True)
            elif line[0] in _MARKS:
                self._add(Line(_MARKS[line[0]], line[1:]))
            else:
                raise malformed(
                    self._scanner.number,
                    f"'{line[:80]}' begins with none of ' ', '+', '-', '@@', '***'",
                )
            self._scanner.skip()
        del self.lines[len(self.lines) - self.tail :]

    def _add(self, line: Line, *, is_bare: bool = False) -> None:
        self.lines.append(line)
        self.tail = self.tail + 1 if is_bare else 0
        if self._counts:
            self._counts.see(line.mark)

    def _mark_end(self) -> None:
        if self.lines and self.lines[-1].mark != "-":
            self.new_without_end = True

    def _is_over(self, line: str) -> bool:
        """Where lines are counted, blank ones belong to the hunk only if more of it follows."""
        if self._counts is None and not line.strip("\r"):
            return False
        ahead = 0
        while line is not None and not line.strip("\r"):
            ahead += 1
            following = self._scanner.peek(ahead)
            if following is None:
                return True
            line = following
        if line.startswith(("@@", "***", "diff --git ", "Index: ", "```")):
            return bool(ahead) or line.rstrip() != END_OF_FILE
        if self._counts is None:
            return False
        if line.startswith("--- ") and (self._scanner.peek(ahead + 1) or "").startswith("+++ "):
            return (self._scanner.peek(ahead + 2) or "").startswith("@@")
        is_body = line[0] in _MARKS or line.startswith(NO_NEWLINE)
        return self._counts.are_done and (not is_body or line.rstrip() == "--")
