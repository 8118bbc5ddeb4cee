"""Which lines are meant, and when nobody can say."""

import pytest

from ankrcode.rocketlang.basket import Basket, Item
from ankrcode.rocketlang.frames.lines import Lines, lines_of
from rocketlang.sentences import refused


def noun(value: str) -> Item:
    return Item(kind="noun", text=value.lower(), value=value)


def number(text: str, role: str = "", kind: str = "number", start: int = 0) -> Item:
    return Item(kind=kind, text=text, role=role, start=start)


def lines(*items: Item) -> Lines | None:
    return lines_of(Basket(items=list(items)))


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ([noun("LINE"), number("10", "BY"), number("20", "TILL")], Lines(offset=10, limit=11)),
        ([noun("LINE"), number("10-20", kind="range")], Lines(offset=10, limit=11)),
        ([noun("LINE"), number("10..20", kind="range")], Lines(offset=10, limit=11)),
        ([noun("LINE"), number("7")], Lines(offset=7, limit=1)),
        ([number("7"), noun("LINE")], Lines(limit=7)),
        ([number("7"), noun("NUMBER"), noun("LINE")], Lines(offset=7, limit=1)),
        ([number("3", kind="ordinal"), noun("LINE")], Lines(offset=3, limit=1)),
        ([number("40", "FROM"), noun("LINE")], Lines(offset=40)),
        ([number("40", "AFTER"), noun("LINE")], Lines(offset=41)),
        ([number("40", "TILL"), noun("LINE")], Lines(limit=40)),
        ([noun("FIRST"), number("5"), noun("LINE")], Lines(limit=5)),
        ([noun("FIRST"), noun("LINE")], Lines(limit=1)),
        ([noun("LAST"), number("5"), noun("LINE")], Lines(last=5)),
        ([noun("LAST"), noun("LINE")], Lines(last=1)),
        ([noun("FIRST"), number("5")], Lines(limit=5)),
        ([noun("LINE"), number("20"), number("10")], Lines()),
        ([noun("LINE"), number("0"), number("5")], Lines()),
    ],
)
def test_lines_are_read_from_numbers_and_nouns(items: list[Item], expected: Lines) -> None:
    assert lines(*items) == expected


@pytest.mark.parametrize(
    "items",
    [
        [],
        [number("5")],
        [noun("FIRST")],
        [noun("FIRST"), noun("LAST"), number("5"), noun("LINE")],
        [noun("LINE"), number("1"), number("2"), number("3")],
        [noun("LINE"), number("1"), number("2-3", kind="range")],
    ],
)
def test_where_no_lines_can_be_told_there_are_none(items: list[Item]) -> None:
    assert lines(*items) is None


def test_what_is_read_is_explained_and_what_is_not_stays() -> None:
    held = Basket(items=[noun("LINE"), number("5")])
    lines_of(held)
    assert held.left() == []
    held = Basket(items=[noun("LINE"), number("1"), number("2"), number("3")])
    lines_of(held)
    assert len(held.left()) == 4


@pytest.mark.parametrize(
    "text",
    [
        "app.py ki line 5 10-20 dikhao",
        "app.py ki line 1 2 3 dikhao",
        "app.py ki pehli paanch aur aakhri paanch lines dikhao",
        "app.py ki line 5 hatao",
        "app.py 10-20 dikhao",
    ],
)
def test_lines_nobody_can_tell_are_not_guessed(text: str) -> None:
    assert refused(text)
