"""Where an edit belongs: the exact text, or else the one place that can be meant.

When the exact text is absent, strategies are tried from the strictest to the loosest. The first
that finds anything decides: it must find one place only (or all of them for `every`), so a loose
match never wins over an ambiguous strict one. Pure functions; nothing is read or written.
"""

import re
from collections.abc import Iterator

from msgspec import Struct

from ankrcode.workspace.diffs import Change
from ankrcode.workspace.editing.indent import shift_between, style_of
from ankrcode.workspace.editing.loose_lines import (
    MAX_SEARCHED_CHARS,
    Lines,
    Normalise,
    Span,
    as_is,
    bare,
    folded,
    occurrences,
    split,
    stripped,
    without_trailing,
)
from ankrcode.workspace.editing.merge import Adapt, as_written, keeping_look, merged
from ankrcode.workspace.editing.near import has_clear_margin

EXACT = "exact"
ENDINGS = "line endings"
TRAILING = "trailing blanks"
NUMBERS = "line-number prefixes"
LOOK = "Unicode look-alikes"
INDENT = "indentation"
SIMILAR = "similarity"

_LEAST_SIMILAR_LINES = 3
_NUMBERED = re.compile(r" *(\d+)(?:\t|→)")
_MAX_LINES_NAMED = 20


class Found(Struct, frozen=True):
    """The places, what to write there, and how they were found."""

    changes: list[Change]
    strategy: str


class Lost(Struct, frozen=True):
    """No place that can be meant: `count` is 0, or how many there are."""

    count: int
    lines: list[int] = []
    strategy: str = EXACT


def find(lines: Lines, old: str, new: str, *, every: bool, ranked: bool) -> Found | Lost:
    """Where `old` stands in a text, and what replaces it there."""
    text = lines.text
    exact = _exact(text, old, new, every=every)
    if exact is not None:
        return exact
    if ranked and "\r" in text and "\n" not in text and "\n" in old:
        return _with_old_endings(text, old, new, every=every)
    if not ranked or not old.strip() or len(text) > MAX_SEARCHED_CHARS:
        return Lost(0)
    for candidates in _strategies(lines, old, new, every=every):
        if candidates.spans:
            return _decided(lines, candidates, every=every)
    return Lost(0)


def _exact(text: str, old: str, new: str, *, every: bool) -> Found | Lost | None:
    first = text.find(old)
    if first < 0:
        return None
    if every:
        starts = [first]
        while (first := text.find(old, first + len(old))) >= 0:
            starts.append(first)
    else:
        if text.find(old, first + 1) >= 0:
            return _ambiguous(Lines(text), occurrences(text, old), EXACT)
        starts = [first]
    is_aware = "\r" in old or "\r" in new  # whoever writes line ends out means them
    changes: list[Change] = []
    for start in starts:
        end = start + len(old)
        written = new if is_aware else with_ending(new, text, start, end)
        changes.append(Change(start, end, written))
    return Found(changes, EXACT)


def _with_old_endings(text: str, old: str, new: str, *, every: bool) -> Found | Lost:
    """In a file of lone carriage returns: all lines are one to everybody else."""
    old, new = (part.replace("\r\n", "\n").replace("\n", "\r") for part in (old, new))
    found = _exact(text, old, new, every=every)
    return Found(found.changes, ENDINGS) if isinstance(found, Found) else found or Lost(0)


def with_ending(new: str, text: str, start: int, end: int) -> str:
    """The text with the line endings of the place it goes to."""
    if "\n" not in new:
        return new
    newline = newline_at(text, start, end)
    return new.replace("\r\n", "\n").replace("\n", newline) if newline != "\n" else new


def newline_at(text: str, start: int, end: int) -> str:
    """The line ending of a place: its own, else that of the line it is in or of the one before."""
    inside = text[start:end]
    count, crlf = inside.count("\n"), inside.count("\r\n")
    if count:
        return "\r\n" if crlf > count - crlf else "\n"
    at = text.find("\n", end)
    if at < 0:
        at = text.rfind("\n", 0, start)
    if at < 0 and "\r" in text:
        return "\r"
    return "\r\n" if at > 0 and text[at - 1] == "\r" else "\n"


# ── strategies ────────────────────────────────────────────────────────────────────────────────
class _Candidates(Struct, frozen=True):
    spans: list[Span]
    strategy: str
    old: str
    new: str
    keeps_look: bool = False
    indents: bool = False


def _strategies(lines: Lines, old: str, new: str, *, every: bool) -> Iterator[_Candidates]:
    """From the strictest to the loosest, each with the places it finds."""
    wanted = split(old)
    yield _Candidates(lines.find(wanted, as_is), ENDINGS, old, new)
    yield _Candidates(lines.find(wanted, without_trailing), TRAILING, old, new)
    unnumbered = _without_numbers(old, new)
    if unnumbered is not None:
        for found in _strategies(lines, *unnumbered, every=every):
            whole = [span for span in found.spans if _is_whole(lines, span)]
            strategy = NUMBERS if found.strategy == ENDINGS else f"{NUMBERS}, {found.strategy}"
            yield _Candidates(
                whole, strategy, *unnumbered, keeps_look=found.keeps_look, indents=found.indents
            )
    yield _Candidates(lines.find(wanted, folded), LOOK, old, new, keeps_look=True)
    yield _Candidates(_whole_lines(lines, wanted, stripped), INDENT, old, new, indents=True)
    if not every:
        yield _Candidates(_similar(lines, wanted), SIMILAR, old, new, indents=True)


def _is_whole(lines: Lines, span: Span) -> bool:
    return lines.is_line_start(span[0]) and lines.is_line_end(span[1])


def _without_numbers(old: str, new: str) -> tuple[str, str] | None:
    """Both texts without the numbers that Read shows, if every line of `old` has the next one."""
    lines = old.split("\n")
    body = lines[:-1] if not lines[-1].strip() and len(lines) > 1 else lines
    marks = [_NUMBERED.match(line) for line in body]
    numbers = [int(mark[1]) for mark in marks if mark]
    if len(numbers) < len(body) or numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        return None
    plain = "\n".join([_NUMBERED.sub("", line, count=1) for line in body] + lines[len(body) :])
    if not plain.strip():
        return None
    return plain, "\n".join(_unnumbered(line) for line in new.split("\n"))


def _unnumbered(line: str) -> str:
    mark = _NUMBERED.match(line)
    return line[mark.end() :] if mark else line


def _whole_lines(lines: Lines, wanted: list[str], normalise: Normalise) -> list[Span]:
    """Places of whole lines; an empty first or last line stands for a line end only."""
    lead = int(len(wanted) > 1 and not wanted[0])
    tail = int(len(wanted) > 1 + lead and not wanted[-1])
    core = wanted[lead : len(wanted) - tail]
    spans: list[Span] = []
    for first in lines.windows(core, normalise):
        last = first + len(core) - 1
        if lead and not first:
            continue
        start = lines.end_of(first - 1) if lead else lines.starts[first]
        has_next = last + 1 < len(lines.starts)
        end = lines.starts[last + 1] if tail and has_next else lines.end_of(last)
        spans.append((start, end))
    return spans


def _similar(lines: Lines, wanted: list[str]) -> list[Span]:
    """The same words and operators in each line, and no other block nearly as close."""
    core = [line for line in wanted if line.strip()]
    if len(core) < _LEAST_SIMILAR_LINES:
        return []
    spans = _whole_lines(lines, wanted, bare)
    if len(spans) == 1:
        first = lines.number_at(spans[0][0]) - 1
        if not has_clear_margin(lines, wanted, first):
            return []
    return spans


# ── deciding ──────────────────────────────────────────────────────────────────────────────────
def _decided(lines: Lines, found: _Candidates, *, every: bool) -> Found | Lost:
    spans = _without_overlap(found.spans) if every else found.spans
    if len(spans) > 1 and not every:
        return _ambiguous(lines, (start for start, _ in spans), found.strategy)
    changes: list[Change] = []
    for start, end in spans:
        text = _replacement(lines, found, start, end)
        if text is None:
            return Lost(0)
        changes.append(Change(start, end, text))
    return Found(changes, found.strategy)


def _replacement(lines: Lines, found: _Candidates, start: int, end: int) -> str | None:
    raw = lines.text[start:end]
    newline = newline_at(lines.text, start, end)
    adapt: Adapt | None = keeping_look if found.keeps_look else as_written
    if found.indents:
        adapt = _reindenting(lines, raw, found)
    return merged(raw, found.old, found.new, newline, adapt) if adapt else None


def _reindenting(lines: Lines, raw: str, found: _Candidates) -> Adapt | None:
    have, old, new = split(raw), split(found.old), split(found.new)
    size = min(len(have), len(old))  # the file's last line may lack its end
    shift = shift_between(old[:size], have[:size], new, style_of(lines.content))
    if shift is None:
        return None
    known = shift
    return lambda line, _old, _have: known.line(line)


def _without_overlap(spans: list[Span]) -> list[Span]:
    kept: list[Span] = []
    for span in spans:
        if not kept or span[0] >= kept[-1][1]:
            kept.append(span)
    return kept


def _ambiguous(lines: Lines, places: Iterator[int], strategy: str) -> Lost:
    numbers: list[int] = []
    count = 0
    for place in places:
        count += 1
        if len(numbers) < _MAX_LINES_NAMED:
            numbers.append(lines.number_at(place))
    return Lost(count, numbers, strategy)
