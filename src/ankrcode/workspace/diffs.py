"""Changes of a text, and what a person or a model is shown of them: a small unified diff.

A `Draft` knows which parts of the original it still holds, so the diff comes from the places that
were touched; the untouched rest of a large file is never compared.
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise

from msgspec import Struct

CONTEXT_LINES = 3
MAX_LINES = 200
MAX_LINE_CHARS = 500
_MAX_COMPARED = 1_000_000  # lines before × lines after that are worth a minimal comparison


class Change(Struct, frozen=True):
    """A place in the text before, and what stands there afterwards."""

    start: int
    end: int
    text: str


def diff(
    before: str,
    after: str,
    path: str,
    *,
    max_lines: int = MAX_LINES,
    max_chars: int = MAX_LINE_CHARS,
) -> str:
    """A unified diff of any two texts: at most so many lines of so many characters."""
    changes = change_between(before, after)
    return unified(before, changes, path, max_lines=max_lines, max_chars=max_chars)


def unified(
    before: str,
    changes: list[Change],
    path: str,
    *,
    max_lines: int = MAX_LINES,
    max_chars: int = MAX_LINE_CHARS,
) -> str:
    """The diff of known changes, in order; empty where nothing changed."""
    shown: list[str] = []
    for hunk in _hunks(before, _blocks(before, changes), max_lines):
        lines = hunk.lines(max_chars)
        room = max_lines - len(shown)
        shown += lines[:room]
        if len(lines) > room:
            more = sum(1 for change in changes if change.start >= hunk.blocks[-1].end)
            places = f", and {more} more changes" if more else ""
            shown.append(f"… {len(lines) - room} more lines of this diff{places}")
            break
    return "\n".join([f"--- {path}", f"+++ {path}", *shown]) if shown else ""


def is_cut(shown: str) -> bool:
    """Does a diff say that there is more of it?"""
    return "\n… " in shown


def change_between(before: str, after: str) -> list[Change]:
    """The one place that holds every difference; nothing where there is none."""
    if before == after:
        return []
    start = _common(before, after)
    end = _common(before[start:], after[start:], from_end=True)
    return [Change(start, len(before) - end, after[start : len(after) - end])]


def _common(one: str, other: str, *, from_end: bool = False) -> int:
    """How many characters both begin (or end) with; by halving, so that C compares them."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if from_end:
            mine = one[len(one) - middle : len(one) - low]
            same = mine == other[len(other) - middle : len(other) - low]
        else:
            same = one[low:middle] == other[low:middle]
        low, high = (middle, high) if same else (low, middle - 1)
    return low


# ── from places to whole lines ────────────────────────────────────────────────────────────────
class _Block(Struct):
    """Whole lines that give way to others; lines keep their endings."""

    start: int
    end: int
    old: list[str]
    new: list[str]

    def join(self, following: "_Block") -> None:
        self.end = following.end
        self.old += following.old
        self.new += following.new


def _blocks(before: str, changes: Iterable[Change]) -> Iterator[_Block]:
    """Each change as whole lines, split into the smallest blocks that are worth the time."""
    for start, end, text in _whole_lines(before, changes):
        old, new = _lines(before[start:end]), _lines(text)
        at = start
        for tag, i1, i2, j1, j2 in _opcodes(old, new):
            size = sum(map(len, old[i1:i2]))
            if tag != "equal":
                yield _Block(at, at + size, old[i1:i2], new[j1:j2])
            at += size


def _whole_lines(before: str, changes: Iterable[Change]) -> Iterator[tuple[int, int, str]]:
    """Changes widened to whole lines; those that share a line become one."""
    start, end, text = -1, -1, ""
    for change in changes:
        if start >= 0 and change.start < _line_end(before, end, text):
            text += before[end : change.start] + change.text
            end = change.end
            continue
        if start >= 0:
            yield _widened(before, start, end, text)
        start = before.rfind("\n", 0, change.start) + 1
        text = before[start : change.start] + change.text
        end = change.end
    if start >= 0:
        yield _widened(before, start, end, text)


def _widened(before: str, start: int, end: int, text: str) -> tuple[int, int, str]:
    last = _line_end(before, end, text)
    return start, last, text + before[end:last]


def _line_end(before: str, end: int, text: str) -> int:
    """Where the line ends in which a change ends; at once if both sides end with a line."""
    if (not end or before[end - 1] == "\n") and (not text or text[-1] == "\n"):
        return end
    return before.find("\n", end) + 1 or len(before)


def _lines(text: str) -> list[str]:
    """With their endings; only \\n ends a line."""
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _opcodes(old: list[str], new: list[str]) -> list[tuple[str, int, int, int, int]]:
    from difflib import SequenceMatcher  # slow to import, and not every call shows a diff

    if len(old) * len(new) <= _MAX_COMPARED:
        return list(SequenceMatcher(None, old, new, autojunk=False).get_opcodes())
    head = tail = 0
    shorter = min(len(old), len(new))
    while head < shorter and old[head] == new[head]:
        head += 1
    while tail < shorter - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    ends = (len(old) - tail, len(new) - tail)
    return [("equal", 0, head, 0, head), ("replace", head, ends[0], head, ends[1])]


# ── hunks ─────────────────────────────────────────────────────────────────────────────────────
class _Hunk(Struct):
    before: str
    blocks: list[_Block]
    first: int  # number of the first block's first line, before and after
    first_after: int
    size: int = 0  # lines taken away and added

    def lines(self, max_chars: int) -> list[str]:
        above = _above(self.before, self.blocks[0].start)
        body = [(" ", line) for line in above]
        for block, following in pairwise([*self.blocks, None]):
            assert block is not None
            body += [("-", line) for line in block.old]
            body += [("+", line) for line in block.new]
            kept = (
                _lines(self.before[block.end : following.start])
                if following
                else _below(self.before, block.end)
            )
            body += [(" ", line) for line in kept]
        old = sum(1 for mark, _ in body if mark != "+")
        new = sum(1 for mark, _ in body if mark != "-")
        first, after = self.first - len(above), self.first_after - len(above)
        return [f"@@ -{_range(first, old)} +{_range(after, new)} @@", *_rendered(body, max_chars)]


def _range(first: int, count: int) -> str:
    if count == 1:
        return str(first)
    return f"{first if count else first - 1},{count}"


def _hunks(before: str, blocks: Iterator[_Block], max_lines: int) -> Iterator[_Hunk]:
    """Blocks that are near each other share a hunk; one that is too long to show ends it all."""
    hunk: _Hunk | None = None
    line, at, grown = 1, 0, 0
    for block in blocks:
        gap = before.count("\n", at, block.start)
        line += gap
        if hunk is not None and at == block.start:
            hunk.blocks[-1].join(block)
        elif hunk is not None and gap <= 2 * CONTEXT_LINES:
            hunk.blocks.append(block)
        else:
            if hunk is not None:
                yield hunk
            hunk = _Hunk(before, [block], line, line + grown)
        hunk.size += len(block.old) + len(block.new)
        if hunk.size > max_lines:
            break
        line += len(block.old)
        at = block.end
        grown += len(block.new) - len(block.old)
    if hunk is not None:
        yield hunk


def _above(text: str, end: int) -> list[str]:
    start = end
    for _ in range(CONTEXT_LINES):
        if start:
            start = text.rfind("\n", 0, start - 1) + 1
    return _lines(text[start:end])


def _below(text: str, start: int) -> list[str]:
    end = start
    for _ in range(CONTEXT_LINES):
        end = text.find("\n", end) + 1 or len(text)
    return _lines(text[start:end])


def _rendered(body: list[tuple[str, str]], max_chars: int) -> Iterator[str]:
    """Line endings are shown only where they are not all the same."""
    endings = {line.endswith("\r\n") for _, line in body if line.endswith("\n")}
    around = _first_difference(body)
    for mark, line in body:
        content = line.removesuffix("\n")
        if len(endings) == 1 and line.endswith("\r\n"):
            content = content[:-1]
        shown = content.replace("\r", "␍")
        yield mark + shortened(shown, max_chars, around if mark != " " else 0)
        if not line.endswith("\n"):
            yield "\\ No newline at end of file"


def _first_difference(body: list[tuple[str, str]]) -> int:
    """Where a long changed line is worth looking at."""
    old = next((line for mark, line in body if mark == "-"), "")
    new = next((line for mark, line in body if mark == "+"), "")
    return _common(old, new) if old and new else 0


def shortened(line: str, limit: int = MAX_LINE_CHARS, around: int = 0) -> str:
    """A line of bounded length, cut so that the place `around` stays visible."""
    if len(line) <= limit:
        return line
    start = max(0, min(around - limit // 2, len(line) - limit))
    end = start + limit
    before, after = ("…" if start else ""), ("…" if end < len(line) else "")
    return f"{before}{line[start:end]}{after} [{len(line)} characters]"
