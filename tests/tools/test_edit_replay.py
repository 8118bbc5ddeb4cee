"""Changes of many texts made again by Edit: as they are, and as models get them slightly wrong."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ankrcode import Toolkit
from ankrcode.protocol.result import ToolResult
from workspace.histories import Pair, Replacement, lines_of, made_up, real, replacements

Damage = Callable[[Replacement], Replacement | None]


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> list[Pair]:
    return list(made_up(2)) + real(30, tmp_path_factory.mktemp("spare"))


async def edited(folder: Path, text: str, edits: list[Replacement]) -> tuple[ToolResult, str]:
    file = folder / "f.txt"
    file.write_bytes(text.encode())
    kit = Toolkit(cwd=folder, mode="bypass")
    read = await kit.call("Read", file_path="f.txt", limit=0)
    assert read.ok, read.text
    arguments: dict[str, Any] = {
        "edits": [{"old_string": one.old, "new_string": one.new} for one in edits]
    }
    result = await kit.call("Edit", file_path="f.txt", **arguments)
    return result, file.read_bytes().decode()


@pytest.mark.parametrize("context", [0, 1, 2, 3])
async def test_the_edits_between_two_texts_give_the_second(
    context: int, pairs: list[Pair], tmp_path: Path
) -> None:
    for pair in pairs:
        edits = [one for one in replacements(pair, context) if one.old != one.new]
        result, after = await edited(tmp_path, pair.before, edits)
        assert result.ok, (pair.name, result.text)
        assert after == pair.after, pair.name
        assert set(result.metadata["strategies"]) == {"exact"}
        assert result.metadata["replaced"] == len(edits)


# ── what models get wrong ─────────────────────────────────────────────────────────────────────
def each_line(text: str, change: Callable[[str], str]) -> str:
    return "".join(change(line) for line in lines_of(text))


def without_cr(one: Replacement) -> Replacement | None:
    if "\r" not in one.old:
        return None
    return one._replace(old=one.old.replace("\r", ""), new=one.new.replace("\r", ""))


def numbered(one: Replacement) -> Replacement | None:
    """Copied from what Read shows, numbers and all."""
    if not one.old or "\r" in one.old:
        return None

    def with_numbers(text: str) -> str:
        lines = enumerate(lines_of(text), one.first)
        return "".join(f"{number:>6}\t{line}" for number, line in lines)

    return one._replace(old=with_numbers(one.old), new=with_numbers(one.new))


def old_numbered(one: Replacement) -> Replacement | None:
    done = numbered(one)
    return done and done._replace(new=one.new)


def indent_common_to(one: Replacement) -> int:
    lines = [line for line in lines_of(one.old) + lines_of(one.new) if line.strip()]
    return min((len(line) - len(line.lstrip(" ")) for line in lines), default=0)


def dedented(one: Replacement) -> Replacement | None:
    size = indent_common_to(one)
    if not size:
        return None
    old, new = (
        each_line(text, lambda line: line[size:] if line.strip() else line)
        for text in (one.old, one.new)
    )
    return one._replace(old=old, new=new)


def indented(one: Replacement) -> Replacement | None:
    if not one.old.strip():
        return None
    old, new = (
        each_line(text, lambda line: f"        {line}" if line.strip() else line)
        for text in (one.old, one.new)
    )
    return one._replace(old=old, new=new)


def tabs_as_blanks(one: Replacement) -> Replacement | None:
    if not any(line.startswith("\t") for line in lines_of(one.old)):
        return None
    return one._replace(old=one.old.replace("\t", "    "), new=one.new.replace("\t", "    "))


def more_trailing_blanks(one: Replacement) -> Replacement | None:
    """On the lines to find only; what is to be written is written as it is."""
    if not one.old.strip() or one.old.count("\n") < 2:
        return None
    return one._replace(old=each_line(one.old, lambda line: line.replace("\n", "  \n")))


def without_last_newline(one: Replacement) -> Replacement | None:
    if not (one.old.endswith("\n") and one.new.endswith("\n")) or len(one.new) < 2:
        return None
    return one._replace(old=one.old[:-1], new=one.new[:-1])


DAMAGES: dict[str, Damage] = {
    "without-cr": without_cr,
    "numbered": numbered,
    "old-numbered": old_numbered,
    "dedented": dedented,
    "indented": indented,
    "tabs-as-blanks": tabs_as_blanks,
    "more-trailing-blanks": more_trailing_blanks,
    "without-last-newline": without_last_newline,
}


def is_even(pair: Pair) -> bool:
    """All line endings alike, no trailing blanks: then nothing that was left out is lost."""
    ends = {line[len(line.rstrip("\r\n")) :] for line in lines_of(pair.before + pair.after)}
    bare = [line.rstrip("\r\n") for line in lines_of(pair.before + pair.after)]
    return len(ends - {""}) == 1 and all(line == line.rstrip() for line in bare)


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
async def test_a_damaged_edit_does_what_was_meant_or_nothing(
    damage: Damage, pairs: list[Pair], tmp_path: Path
) -> None:
    tried = made = 0
    for pair in filter(is_even, pairs):
        edits = [one for one in replacements(pair, 2) if one.old != one.new]
        wrong = [damage(one) or one for one in edits]
        if wrong == edits:
            continue
        result, after = await edited(tmp_path, pair.before, wrong)
        tried += 1
        if result.ok:
            assert after == pair.after, (pair.name, wrong, result.metadata)
            made += 1
        else:
            assert result.error is not None
            assert result.error.code in {"TEXT_NOT_FOUND", "TEXT_NOT_UNIQUE"}
            assert after == pair.before
    assert tried > 5
    assert made >= 0.8 * tried, "and most of the time, it is what was meant"
