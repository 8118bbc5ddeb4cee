"""Path patterns of rules: those of gitignore, with four places to count from.

    //abs/x   from the root of the file system        /x     from the root of the project
    ~/x       from the person's home                  ./x, x from the current directory

A name without a slash fits at any depth; what fits a folder fits everything in it.
"""

import os
import re
import unicodedata
from functools import lru_cache

from msgspec import Struct

from ankrcode.permissions.rules.wildcards import STAR, fits

# Patterns are text here: each is compiled by its first use, not by every start.
_CLASS = r"\[(?P<not>[!^]?)(?P<set>\]?(?:[^\]\\/]|\\.)*)\]"
_RANGE = r"(?s)(.)-(.)|(.)"

# What one character may be: these, or (with True) any but these.
OneChar = tuple[bool, frozenset[str], tuple[tuple[str, str], ...]]
Name = tuple[OneChar | None, ...]


class Anchors(Struct, frozen=True):
    """Where the patterns of one rule count from."""

    root: str
    cwd: str
    home: str


class BadPattern(ValueError):
    """The text says why."""


class PathPattern:
    """Fits absolute paths."""

    def __init__(self, text: str, anchors: Anchors, *, ignore_case: bool = False) -> None:
        self._ignores_case = ignore_case
        base, rest = _anchored(text, anchors)
        self._base = tuple(self._parts(base))
        self._names = tuple(
            STAR if name == "**" else _name(name) for name in _split(self._folded(rest))
        )

    def fits(self, path: str) -> bool:
        parts = self._parts(path)
        depth = len(self._base)
        if tuple(parts[:depth]) != self._base:
            return False
        # What fits a folder fits everything in it: a star at the end.
        return fits((*self._names, STAR), parts[depth:], _is_name)

    def _parts(self, path: str) -> list[str]:
        return [part for part in self._folded(path).split("/") if part]

    def _folded(self, text: str) -> str:
        text = text if text.isascii() else unicodedata.normalize("NFC", text)
        return text.casefold() if self._ignores_case else text


@lru_cache(maxsize=2_048)
def path_pattern(text: str, anchors: Anchors, *, ignore_case: bool) -> PathPattern:
    return PathPattern(text, anchors, ignore_case=ignore_case)


def _anchored(pattern: str, anchors: Anchors) -> tuple[str, str]:
    """Where it counts from, and the rest; a rest that begins with a slash stands right there."""
    if pattern.startswith("!"):
        raise BadPattern("a rule cannot take back what another one says (!)")
    if pattern.startswith("//"):
        return "/", "/" + pattern.lstrip("/")
    if pattern == "~" or pattern.startswith("~/"):
        return anchors.home, "/" + pattern[2:]
    if re.match(r"~\w", pattern):
        raise BadPattern("~NAME is not known; write the whole path after //")
    if pattern.startswith("/"):
        return anchors.root, pattern
    base = anchors.cwd
    is_right_there = False
    while pattern.startswith(("./", "../")) or pattern in (".", ".."):
        step, _, pattern = pattern.partition("/")
        base = os.path.dirname(base) if step == ".." else base  # noqa: PTH120
        is_right_there = True
    return base, "/" + pattern if is_right_there else pattern


def _split(rest: str) -> list[str]:
    names = [name for name in rest.split("/") if name not in ("", ".")]
    if ".." in names:
        raise BadPattern("a pattern cannot go up (..) after it went down")
    if "/" not in rest.rstrip("/"):  # one name, at any depth
        return ["**", *names]
    return names


def _name(text: str) -> Name:
    name: list[OneChar | None] = []
    place = 0
    while place < len(text):
        char = text[place]
        found = re.compile(_CLASS).match(text, place) if char == "[" else None
        place = found.end() if found else place + 1
        if char == "\\":
            if place == len(text):
                raise BadPattern("the pattern ends with a backslash")
            name.append(_these(text[place]))
            place += 1
        elif found:
            name.append(_class(found))
        elif char == "?":
            name.append((True, frozenset(), ()))
        else:
            name.append(STAR if char == "*" else _these(char))
    return tuple(name)


def _these(chars: str) -> OneChar:
    return False, frozenset(chars), ()


def _class(found: re.Match[str]) -> OneChar:
    singles, ranges = [], []
    for one in re.finditer(_RANGE, found["set"].replace("\\", "")):
        if one[3] is None:
            ranges.append((one[1], one[2]))
        else:
            singles.append(one[3])
    return bool(found["not"]), frozenset(singles), tuple(ranges)


def _is_name(pattern: Name, name: str) -> bool:
    return fits(pattern, name, _is_char)


def _is_char(pattern: OneChar, char: str) -> bool:
    any_but, singles, ranges = pattern
    is_among = char in singles or any(first <= char <= last for first, last in ranges)
    return is_among is not any_but
