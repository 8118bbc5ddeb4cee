"""Blocks written in one way of indenting, found in a file that has another one."""

# ruff: noqa: E501 - tables are easier to read in one piece

from itertools import pairwise
from typing import NamedTuple

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ankrcode.workspace.editing.loose_lines import Lines
from ankrcode.workspace.editing.matching import Found, Lost, find
from torture import examples


class Way(NamedTuple):
    """How someone indents: with what, and how deep the block as a whole stands."""

    unit: str
    base: int

    def line(self, level: int, name: str) -> str:
        return f"{self.unit * (self.base + level)}{name}\n" if name else "\n"


Block = list[tuple[int, str]]  # level and text of each line; no text is a blank line

UNITS = ("\t", "  ", "    ", "   ", "        ")
WAYS = [Way(unit, base) for unit in UNITS for base in range(3)]


def written(way: Way, block: Block) -> str:
    return "".join(way.line(level, name) for level, name in block)


@st.composite
def blocks(draw: st.DrawFn, least: int = 1) -> Block:
    """As code is: one level deeper at most from one line to the next, starting at the left."""
    block: Block = [(0, "line 0")]
    for number in range(1, draw(st.integers(least, 6))):
        before = max((one[0] for one in block[-1:]), default=0)
        level = draw(st.integers(0, before + 1))
        block.append((level, draw(st.sampled_from(["", f"line {number}", f"line {number}"]))))
        if not block[-1][1]:
            block[-1] = (before, "")
    return block


@st.composite
def changes(draw: st.DrawFn, block: Block) -> Block:
    """The block with some lines replaced, added or taken away, none left of the block."""
    after: Block = []
    for number, (level, name) in enumerate(block):
        match draw(st.sampled_from(["keep", "keep", "rename", "more", "drop"])):
            case "keep":
                after.append((level, name))
            case "rename":
                after.append((level, f"renamed {number}"))
            case "more":
                after.append((level, name))
                after.append((draw(st.integers(0, level + 1)), f"more {number}"))
    return after


def changed(text: str, old: str, new: str) -> str | None:
    found = find(Lines(text), old, new, every=False, ranked=True)
    if isinstance(found, Lost):
        return None
    for change in reversed(found.changes):
        text = text[: change.start] + change.text + text[change.end :]
    return text


AROUND = "before the block\n", "after the block\n"


@pytest.mark.torture
@examples(in_ci=300, in_torture=5_000)
@given(data=st.data(), file=st.sampled_from(WAYS), mine=st.sampled_from(WAYS))
def test_where_two_levels_show_the_way_every_line_is_indented_as_the_file_does(
    data: st.DataObject, file: Way, mine: Way
) -> None:
    block = data.draw(blocks(least=2))
    assume(len({level for level, name in block if name}) > 1)
    after = data.draw(changes(block))
    assume(after and after != block)
    old, new = written(mine, block), written(mine, after)
    text = AROUND[0] + written(file, block) + AROUND[1]
    assume(old not in text)
    result = changed(text, old, new)
    assert result == AROUND[0] + written(file, after) + AROUND[1]


@pytest.mark.torture
@examples(in_ci=300, in_torture=5_000)
@given(data=st.data(), file=st.sampled_from(WAYS), mine=st.sampled_from(WAYS))
def test_with_one_level_to_go_by_deeper_lines_stay_deeper(
    data: st.DataObject, file: Way, mine: Way
) -> None:
    block: Block = [(0, "line 0"), (0, "line 1")]
    after = data.draw(changes(block))
    assume(after and after != block)
    old, new = written(mine, block), written(mine, after)
    text = AROUND[0] + written(file, block) + AROUND[1]
    assume(old not in text)
    result = changed(text, old, new)
    if result is None:
        return  # nothing tells how deep one level is: refusing is right
    assert result.startswith(AROUND[0])
    assert result.endswith(AROUND[1])
    lines = result[len(AROUND[0]) : -len(AROUND[1])].splitlines()
    assert [line.strip() for line in lines] == [name for _, name in after]
    widths = [len(line) - len(line.lstrip()) for line in lines]
    for (level, _), width in zip(after, widths, strict=True):
        if level == 0:
            assert width == len(file.unit) * file.base, "the level that is known is exact"
        else:
            assert width > len(file.unit) * file.base


@pytest.mark.torture
@examples(in_ci=200, in_torture=3_000)
@given(data=st.data(), file=st.sampled_from(WAYS), mine=st.sampled_from(WAYS))
def test_a_block_that_is_shaped_otherwise_is_never_taken_for_this_one(
    data: st.DataObject, file: Way, mine: Way
) -> None:
    """The same lines, but one of them at another level: another program."""
    block = data.draw(blocks(least=2))
    number = data.draw(st.integers(1, len(block) - 1))
    level, name = block[number]
    assume(name and len({one for one, text in block if text}) > 1)
    other = list(block)
    other[number] = (level + data.draw(st.sampled_from([1, 2])), name)
    relative = [one for one, text in block if text]
    moved = [one for one, text in other if text]
    old, new = written(mine, other), written(mine, [(0, "gone")])
    text = AROUND[0] + written(file, block) + AROUND[1]
    assume(old not in text)
    result = changed(text, old, new)
    if result is not None:
        # Only a block of one level deeper throughout, or of wider steps, reads the same.
        assert directions(relative) == directions(moved)


def directions(levels: list[int]) -> list[int]:
    """Deeper, the same or back, from each line to the next."""
    return [(after > before) - (after < before) for before, after in pairwise(levels)]


@pytest.mark.parametrize(
    ("text", "old", "new", "after"),
    [
        ("\tif a:\n\t\tb\n", "if a:\n  b\n", "if a:\n  b\n  if c:\n    d\n", "\tif a:\n\t\tb\n\t\tif c:\n\t\t\td\n"),
        ("      if a:\n         b\n", "if a:\n\tb\n", "if a:\n\tb\nelse:\n\tc\n", "      if a:\n         b\n      else:\n         c\n"),
        ("  <ul>\n    <li>\n  </ul>\n", "<ul>\n\t<li>\n</ul>\n", "<ul>\n\t<li>\n\t<li>\n</ul>\n", "  <ul>\n    <li>\n    <li>\n  </ul>\n"),
        ("\tx(\n\t    a)\n", "    x(\n        a)\n", "    x(\n        b)\n", "\tx(\n\t    b)\n"),
    ],
    ids=["two-to-tabs", "tabs-to-three", "markup", "tab-then-aligned"],
)  # fmt: skip
def test_ways_of_indenting_that_people_mix(text: str, old: str, new: str, after: str) -> None:
    assert changed(text, old, new) == after


def test_the_name_of_the_way_is_told() -> None:
    found = find(Lines("\ta\n\t\tb\n"), "  a\n    b\n", "  a\n", every=False, ranked=True)
    assert isinstance(found, Found)
    assert found.strategy == "indentation"


@pytest.mark.parametrize(
    ("text", "new", "after"),
    [
        ("a:\n\tb\n", "    b \\\n      && c\n", "a:\n\tb \\\n\t  && c\n"),
        ("a:\n\tb\n", "    b \\\n           && c\n", None),
        ("a:\n\tb\n", "    b\n        c\n          d\n", "a:\n\tb\n\t\tc\n\t\t  d\n"),
        ("a:\n\tb\nz:\n\tx \\\n\t     && y\n", "    b \\\n        && c\n", None),
    ],
    ids=["less-than-a-step", "more-than-a-step", "behind-a-sure-level", "a-file-that-aligns"],
)  # fmt: skip
def test_blanks_that_may_align_a_line_are_never_made_into_tabs(
    text: str, new: str, after: str | None
) -> None:
    """What is written with blanks alone does not say where the tabs of such a line end."""
    assert changed(text, "    b\n", new) == after
