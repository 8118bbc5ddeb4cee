"""Where a hunk belongs in a text, and what it changes there. Pure; nothing is read or written.

Lines are sought as they are, then without trailing blanks, then without any at either end, then
with plain punctuation: each in the whole rest of the file before the next. Lines of context stay
as the file has them.
"""

from collections.abc import Callable, Iterator
from itertools import product

from msgspec import Struct
from msgspec.structs import replace

from ankrcode.workspace.diffs import Change
from ankrcode.workspace.editing.loose_lines import BLANKS, stripped, without_trailing
from ankrcode.workspace.patches.hunks import Hunk, Line
from ankrcode.workspace.patches.refusals import ambiguous, no_header, no_match
from ankrcode.workspace.text import newline_of

_MAX_FUZZ = 2
_EXACT = 1  # passes up to this one are no looser than line endings
_LOOSE = ("", "", "trailing blanks", "blanks at both ends", "Unicode look-alikes")


def _without_cr(line: str) -> str:
    return line.removesuffix("\r")


def _trimmed(line: str) -> str:
    return line.strip(BLANKS)


_PASSES: tuple[Callable[[str], str], ...] = (
    str,
    _without_cr,
    without_trailing,
    _trimmed,
    stripped,
)


class Applied(Struct, frozen=True):
    changes: list[Change]
    notes: list[str]


def apply_hunks(text: str, hunks: list[Hunk], path: str, *, is_unified: bool = False) -> Applied:
    """All hunks, in order, each after the one before; a `ToolError` names the one that fails."""
    # Whoever spells out carriage returns means every line end as it is.
    is_aware = any(line.text.endswith("\r") for hunk in hunks for line in hunk.lines)
    target = _Target(text, path, is_unified=is_unified, is_aware=is_aware)
    changes: list[Change] = []
    notes: list[str] = []
    for hunk in hunks:
        place = target.place_of(hunk)
        changes += target.changes_at(place)
        if place.note:
            notes.append(f"{path}: hunk {hunk.number} {place.note}")
    return Applied(changes, notes)


class _Place(Struct, frozen=True):
    hunk: Hunk
    lines: list[Line]  # of the hunk, perhaps without outer context
    first: int
    level: int = 0  # of the pass that found it
    note: str = ""


class _Trial(Struct, frozen=True):
    """One way to look for a hunk."""

    old: list[str]
    level: int
    start: int
    dropped: int  # lines of context left out at its beginning


class _Target:
    """The text as lines, and how far the hunks have got."""

    def __init__(self, text: str, path: str, *, is_unified: bool, is_aware: bool) -> None:
        self._text = text
        self._path = path
        self._is_unified = is_unified
        self._is_aware = is_aware
        self._lines = text.split("\n")
        if not self._lines[-1]:
            self._lines.pop()
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._starts[-1] = min(self._starts[-1], len(text))
        self._normal: dict[int, list[str]] = {0: self._lines}
        self._next = 0  # hunks come in order
        self._free = 0  # behind the last line that a hunk changed
        self._slack = 0  # blank lines before that of which nobody knows whether a hunk had them
        self._drift = 0  # how far the last hunk was from where it said

    # ── finding ───────────────────────────────────────────────────────────────────────────
    def place_of(self, hunk: Hunk) -> _Place:
        start = self._next
        for context in hunk.contexts:
            start = self._after_context(hunk, context, start)
        if not hunk.old:
            return self._insertion(hunk, start)
        place = self._sure(hunk, start)
        self._next = place.first + len(_old(place.lines))
        self._free = place.first + _changed_until(place.lines)
        self._slack = self._blank_from(self._next, hunk.tail)
        self._next += self._slack
        if hunk.at is not None:
            self._drift = place.first - hunk.at
        return place

    def _sure(self, hunk: Hunk, start: int) -> _Place:
        """Its place, if that does not depend on what empty lines in the patch mean."""
        starts = [start] if hunk.contexts or not self._slack else [start, start - self._slack]
        places = [self._found(hunk, one) for one in starts]
        passes = min((place.level + 1 for place in places if place), default=len(_PASSES))
        if hunk.tail and hunk.at is None:
            longer = [*hunk.lines, *[Line(" ", "")] * hunk.tail]
            found = self._found(replace(hunk, lines=longer), start, passes)
            places.append(found and replace(found, lines=hunk.lines))
        best = {place.first: place for place in places if place and place.level < passes}
        if len(best) > 1:
            raise ambiguous(self._path, hunk, sorted(best))
        if not best and not hunk.contexts and self._free < start:
            # It may begin in the lines of context that ended the hunk before.
            best = {place.first: place for place in [self._found(hunk, self._free)] if place}
        if not best:
            raise no_match(self._text, self._path, hunk, start)
        return next(iter(best.values()))

    def _blank_from(self, index: int, most: int) -> int:
        """How many of the lines from here on are blank, up to a number."""
        following = self._normalised(len(_PASSES) - 1)[index : index + most]
        return next((count for count, line in enumerate(following) if line), len(following))

    def _after_context(self, hunk: Hunk, context: str, start: int) -> int:
        for level in range(len(_PASSES)):
            for first in self._matches([context], level, start):
                return first + 1
        wanted = stripped(context)
        for index in range(start, len(self._lines)):
            if self._normalised(len(_PASSES) - 1)[index].startswith(wanted):
                return index + 1
        raise no_header(self._path, hunk, context, start)

    def _insertion(self, hunk: Hunk, start: int) -> _Place:
        """Lines to add without any to find: after the context, where it says, or at the end."""
        if hunk.contexts and not hunk.at_end:
            first = start
        elif hunk.at is not None:
            first = min(max(hunk.at + self._drift, self._next), len(self._lines))
        else:
            first = len(self._lines)
        self._next = self._free = first
        self._slack = 0
        return _Place(hunk, hunk.lines, first)

    def _found(self, hunk: Hunk, start: int, passes: int = len(_PASSES)) -> _Place | None:
        starts = (start, start - 1) if hunk.contexts else (start,)  # the header may be repeated
        for fuzz in range(_MAX_FUZZ + 1 if self._is_unified else 1):
            for lines, dropped in _variants(hunk, fuzz):
                for level, begin in product(range(passes), starts):
                    trial = _Trial(_old(lines), level, begin, dropped)
                    first = self._chosen(hunk, trial)
                    if first is not None:
                        note = self._note(hunk, first, trial, fuzz)
                        return _Place(hunk, lines, first, level, note)
        return None

    def _chosen(self, hunk: Hunk, trial: "_Trial") -> int | None:
        """Of the places that match: the end, the nearest to the line numbers, else the first."""
        if hunk.at_end:
            last = len(self._lines) - len(trial.old)
            if last >= trial.start and last in self._matches(trial.old, trial.level, last):
                return last
        found = self._matches(trial.old, trial.level, trial.start)
        if hunk.at is None:
            first = next(found, None)
            another = next(found, None) if self._is_unified and not hunk.contexts else None
            if first is not None and another is not None:  # a diff has no rule for the first
                raise ambiguous(self._path, hunk, [first, another])
            return first
        expected = hunk.at + trial.dropped + self._drift
        places = list(found)
        last = len(self._lines) - len(trial.old)
        if hunk.looks_last and last in places and (self._drift or expected not in places):
            return last
        # Of two that are equally near the later one, as patch and git do.
        nearest = min(places, key=lambda place: (abs(place - expected), -place), default=None)
        is_loose = len(trial.old) < len(hunk.old) or trial.level > _EXACT
        if nearest != expected and len(places) > 1 and is_loose:
            raise ambiguous(self._path, hunk, places)  # a loose match must be the only one
        return nearest

    def _matches(self, wanted: list[str], level: int, start: int) -> Iterator[int]:
        lines, aim = self._normalised(level), [_PASSES[level](line) for line in wanted]
        anchor = max(range(len(aim)), key=lambda index: len(aim[index]))
        at = max(start, 0) + anchor - 1
        while True:
            try:
                at = lines.index(aim[anchor], at + 1)
            except ValueError:
                return
            first = at - anchor
            if lines[first : first + len(aim)] == aim:
                yield first

    def _normalised(self, level: int) -> list[str]:
        if level not in self._normal:
            self._normal[level] = [_PASSES[level](line) for line in self._lines]
        return self._normal[level]

    # ── saying ────────────────────────────────────────────────────────────────────────────
    def _note(self, hunk: Hunk, first: int, trial: "_Trial", fuzz: int) -> str:
        notes: list[str] = []
        if _LOOSE[trial.level]:
            notes.append(f"matched without regard to {_LOOSE[trial.level]}")
        if fuzz:
            notes.append(f"matched without {fuzz} outer line(s) of its context")
        expected = hunk.at + trial.dropped if hunk.at is not None else first
        if first != expected:
            notes.append(f"was found at line {first + 1} instead of {expected + 1}")
        return ", ".join(notes)

    # ── changing ──────────────────────────────────────────────────────────────────────────
    def changes_at(self, place: _Place) -> Iterator[Change]:
        """The smallest changes: runs of lines taken away and added."""
        at, added, taken = place.first, list[str](), 0
        for line in [*place.lines, Line(" ", "")]:
            if line.mark == "+":
                added.append(line.text)
            elif line.mark == "-":
                taken += 1
            else:
                if added or taken:
                    yield self._change(place.hunk, at, taken, added)
                at, added, taken = at + taken + 1, [], 0

    def _change(self, hunk: Hunk, at: int, taken: int, added: list[str]) -> Change:
        start, end = self._starts[at], self._starts[at + taken]
        newline = "\n" if self._is_aware else self._newline(at, taken)
        text = "".join(line + newline for line in added)
        is_last = at + taken == len(self._lines)
        if is_last and added and hunk.new_without_end:
            text = text.removesuffix(newline)
        if at == len(self._lines) and self._text and not self._text.endswith("\n"):
            text = newline + text  # the line before had no end, and now needs one
        return Change(start, end, text)

    def _newline(self, at: int, taken: int) -> str:
        """The line ending of the lines taken away, else of the line before or after."""
        for index in [*range(at, at + taken), at - 1, at]:
            if 0 <= index < len(self._lines) and self._has_end(index):
                return "\r\n" if self._lines[index].endswith("\r") else "\n"
        return "\r\n" if newline_of(self._text) == "\r\n" else "\n"

    def _has_end(self, index: int) -> bool:
        return index + 1 < len(self._lines) or self._text.endswith("\n")


def _old(lines: list[Line]) -> list[str]:
    return [line.text for line in lines if line.mark != "+"]


def _changed_until(lines: list[Line]) -> int:
    """How many lines of the file a hunk needs up to its last change; all, if it has none."""
    last = max((index for index, line in enumerate(lines) if line.mark != " "), default=len(lines))
    return len(_old(lines[: last + 1]))


def _variants(hunk: Hunk, fuzz: int) -> Iterator[tuple[list[Line], int]]:
    """The hunk without `fuzz` outer lines of context in all; and how many went at the start."""
    lines = hunk.lines
    if not fuzz:
        yield lines, 0
        while lines and lines[-1] == Line(" ", ""):  # a blank line before the next header
            lines = lines[:-1]
            if _old(lines):
                yield lines, 0
        return
    lead = next((i for i, line in enumerate(lines) if line.mark != " "), len(lines))
    tail = next((i for i, line in enumerate(reversed(lines)) if line.mark != " "), len(lines))
    for head in range(fuzz + 1):
        end = fuzz - head
        if head <= lead and end <= tail and head + end < len(lines):
            kept = lines[head : len(lines) - end]
            if _old(kept):
                yield kept, head
