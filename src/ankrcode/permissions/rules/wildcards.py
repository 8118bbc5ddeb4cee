"""Patterns with stars, in time that grows no faster than pattern times text."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

Item = TypeVar("Item")

STAR = None  # in a pattern: any number of items, none included


def fits(
    pattern: Sequence[Any], items: Sequence[Item], is_one: Callable[[Any, Item], bool]
) -> bool:
    """Does the whole sequence fit? Every part of the pattern but `STAR` stands for one item."""
    at, place, star, resume = 0, 0, -1, 0
    while place < len(items):
        if at < len(pattern) and pattern[at] is not STAR and is_one(pattern[at], items[place]):
            at, place = at + 1, place + 1
        elif at < len(pattern) and pattern[at] is STAR:
            star, resume = at, place
            at += 1
        elif star >= 0:  # let the last star take one more
            resume += 1
            at, place = star + 1, resume
        else:
            return False
    return all(one is STAR for one in pattern[at:])


def glob_fits(pattern: str, text: str) -> bool:
    """`*` stands for anything; everything else for itself."""
    head, *rest = pattern.split("*")
    if not rest:
        return text == head
    *middle, tail = rest
    if not text.startswith(head) or len(text) < len(head) + len(tail) or not text.endswith(tail):
        return False
    place, end = len(head), len(text) - len(tail)
    for piece in middle:
        found = text.find(piece, place, end)
        if found < 0:
            return False
        place = found + len(piece)
    return True
