"""A text as lines that can be compared loosely, and the way back to exact places in it."""

import re
import string
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import accumulate, islice

Normalise = Callable[[str], str]
Span = tuple[int, int]

# What a keyboard has for what a typesetter, a word processor or a model writes instead.
_LOOK_ALIKES = {
    "'": "\u2018\u2019\u201a\u201b\u2032\u02bc\uff07",
    '"': "\u201c\u201d\u201e\u201f\u2033\uff02",
    "-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d",
    " ": "\u00a0\u1680\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B))),
    "": "\u00ad\u200b\u2060\ufeff",
    "...": "\u2026",
}
_FOLDED = {ord(odd): plain for plain, odds in _LOOK_ALIKES.items() for odd in odds}
_FULL_WIDTH = {
    wide: chr(wide - 0xFEE0) for wide in range(0xFF01, 0xFF5F) if not chr(wide - 0xFEE0).isalnum()
}
_FOLDS = {**_FULL_WIDTH, **_FOLDED}
BLANKS = " \t\r\f\v"
MAX_SEARCHED_CHARS = 12_000_000  # a loose search holds a text several times over
MAX_PLACES = 100_000  # where a text occurs more often, the rest is left alone and unseen


def as_is(line: str) -> str:
    return line


def without_trailing(line: str) -> str:
    return line.rstrip(BLANKS)


def folded(line: str) -> str:
    """Without trailing blanks, plain punctuation and spaces, composed letters."""
    if line.isascii():
        return line.rstrip(BLANKS)
    return unicodedata.normalize("NFC", line.translate(_FOLDS)).rstrip(BLANKS)


def stripped(line: str) -> str:
    return folded(line).strip(BLANKS)


def bare(line: str) -> str:
    """The words and operators in order; any kind of quote, any blanks, no comma at an end."""
    quoted = folded(line).translate(_ONE_QUOTE)
    return _LAST_COMMA.sub("", _BLANKS_BESIDE.sub(r"\1", " ".join(quoted.split(None))))


_ONE_QUOTE = {ord("'"): '"', ord("`"): '"'}
_PUNCTUATION = re.escape(string.punctuation.replace("_", ""))
_BLANKS_BESIDE = re.compile(f" ?([{_PUNCTUATION}]) ?")
_LAST_COMMA = re.compile(r"[,;](?=[\])}]|$)")


def split(text: str) -> list[str]:
    """The lines of a text, without endings; one more than there are line ends."""
    return [line.removesuffix("\r") for line in text.split("\n")]


def indent_of(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


class Lines:
    """A text as lines, with the place of each; worked out only when asked for."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._normalised: dict[Normalise, list[str]] = {}

    @cached_property
    def content(self) -> list[str]:
        return split(self.text)

    @cached_property
    def starts(self) -> list[int]:
        sizes = (len(line) + 1 for line in self.text.split("\n"))
        return list(accumulate(sizes, initial=0))[:-1]

    def normalised(self, normalise: Normalise) -> list[str]:
        if normalise is as_is:
            return self.content
        if normalise not in self._normalised:
            self._normalised[normalise] = [normalise(line) for line in self.content]
        return self._normalised[normalise]

    def number_at(self, place: int) -> int:
        """The number, from 1, of the line that holds this place."""
        return bisect_right(self.starts, place)

    def end_of(self, index: int) -> int:
        """Where a line's content ends."""
        return self.starts[index] + len(self.content[index])

    def is_line_start(self, place: int) -> bool:
        return not place or self.text[place - 1] == "\n"

    def is_line_end(self, place: int) -> bool:
        return place == self.end_of(self.number_at(place) - 1) or self.is_line_start(place)

    # ── loose search ──────────────────────────────────────────────────────────────────────
    def find(self, old: list[str], normalise: Normalise) -> list[Span]:
        """Every place that equals these lines once both are normalised; may begin inside a line."""
        norm = self.normalised(normalise)
        hay = "\n".join(norm)
        if norm[-1]:
            hay += "\n"  # a last line without an end equals one that has it
        starts = list(accumulate((len(line) + 1 for line in norm), initial=0))
        spans: set[Span] = set()
        for needle, ends_line in _needles(old, normalise):
            for place in islice(occurrences(hay, needle), MAX_PLACES):
                end = place + len(needle)
                if ends_line and end < len(hay) and hay[end] != "\n":
                    continue
                first = self._raw_place(starts, norm, place, normalise, is_end=False)
                last = self._raw_place(starts, norm, end, normalise, is_end=True)
                if first is not None and last is not None:
                    spans.add((first, self._line_end(last) if ends_line else last))
        return sorted(spans)

    def _line_end(self, place: int) -> int:
        return self.end_of(self.number_at(place) - 1)

    def _raw_place(
        self, starts: list[int], norm: list[str], place: int, normalise: Normalise, *, is_end: bool
    ) -> int | None:
        """From a place in the normalised text to the place in the text."""
        index = bisect_right(starts, place) - 1
        if index >= len(norm):  # behind the line end that was lent to the last line
            return len(self.text)
        column = place - starts[index]
        raw = raw_column(self.content[index], normalise, column, is_end=is_end)
        return None if raw is None else self.starts[index] + raw

    def windows(self, core: list[str], normalise: Normalise) -> list[int]:
        """The index of every line where these whole lines begin, once normalised."""
        norm, wanted = self.normalised(normalise), [normalise(line) for line in core]
        anchor = max(range(len(wanted)), key=lambda index: len(wanted[index]))
        if not wanted[anchor]:
            return []
        found: list[int] = []
        at = -1
        while True:
            try:
                at = norm.index(wanted[anchor], at + 1)
            except ValueError:
                return found
            start = at - anchor
            if start >= 0 and norm[start : start + len(wanted)] == wanted:
                found.append(start)


def _needles(old: list[str], normalise: Normalise) -> list[tuple[str, bool]]:
    """What to look for, and whether it must end a line: blanks at the very end of `old` stand
    before more text, or are trailing blanks that the file does not have."""
    *head, last = old
    before = "".join(f"{normalise(line)}\n" for line in head)
    kept, dropped = before + _kept(normalise)(last), before + normalise(last)
    found = [(kept, False)] if kept == dropped else [(kept, False), (dropped, True)]
    return [(needle, ends) for needle, ends in found if needle.strip()]


def raw_column(raw: str, normalise: Normalise, column: int, *, is_end: bool) -> int | None:
    """The column of a line that normalises to `column`; None where none does exactly."""
    if normalise in (as_is, without_trailing) or raw.isascii():
        return column
    wanted = normalise(raw)[:column]
    keep = _kept(normalise)
    least = _least(raw, keep, len(wanted))
    while keep(raw[:least]) != wanted:  # a letter whose marks follow as characters of their own
        least += 1
        if least > len(raw) or len(keep(raw[:least])) > len(wanted):
            return None
    if is_end:
        return least
    while least < len(raw) and keep(raw[: least + 1]) == wanted:
        least += 1  # invisible characters before the first visible one stay outside
    return least


def _kept(normalise: Normalise) -> Normalise:
    """The same normalisation for a line's beginning, whose blanks are not trailing ones."""
    return lambda part: normalise(f"{part}|")[:-1]


def _least(raw: str, keep: Normalise, length: int) -> int:
    low, high = 0, len(raw)
    while low < high:
        middle = (low + high) // 2
        if len(keep(raw[:middle])) < length:
            low = middle + 1
        else:
            high = middle
    return low


def occurrences(text: str, part: str) -> Iterator[int]:
    """Every place of `part`, overlapping ones too."""
    place = text.find(part)
    while place >= 0:
        yield place
        place = text.find(part, place + 1)
