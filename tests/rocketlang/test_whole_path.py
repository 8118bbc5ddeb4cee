"""The door that scripts use sees every sentence as the reader does: nothing more, nothing else."""

from typing import Any

import pytest

from ankrcode.frontends.cli.rl_check import checked
from ankrcode.rocketlang import control
from ankrcode.rocketlang.effects import changes
from ankrcode.rocketlang.pieces import pieces
from ankrcode.rocketlang.reading import Planned
from ankrcode.rocketlang.sentence import read_sentence
from rocketlang.sentences import compared, corpus

RUN = [row for name in ("examples", "regular", "hard", "everyday") for row in corpus(name)]
REFUSED = corpus("refused")
SLIPS = corpus("slips")


def text_of(row: dict[str, Any]) -> str:
    return str(row["text"])


def in_lots(rows: list[dict[str, Any]], size: int = 40) -> list[list[dict[str, Any]]]:
    return [rows[start : start + size] for start in range(0, len(rows), size)]


def first_of(rows: list[dict[str, Any]]) -> str:
    return text_of(rows[0])


@pytest.mark.requirement("S0-149")
@pytest.mark.parametrize("rows", in_lots(RUN), ids=first_of)
def test_commands_come_through_unchanged(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        answer = checked(row["text"])
        assert answer["error"] is None, row["text"]
        assert compared(answer["calls"]) == compared(row["calls"]), row["text"]


@pytest.mark.parametrize("rows", in_lots(REFUSED), ids=first_of)
def test_what_must_not_run_does_not_run(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        answer = checked(row["text"])
        assert answer["calls"] == [], row["text"]
        assert answer["error"]["message"], row["text"]


def is_for_scripts(text: str) -> bool:
    """Has it a word that means something inside of a script: if, else?"""
    found = pieces(text)
    return any(control.at(found, at, role) for at in range(len(found)) for role in ("IF", "ELSE"))


FRAMES = [
    "agar a.py hai to {}",
    "agar a.py hai to a.py padho warna {}",
    "3 baar: {}",
    "a.py padho; {}",
    "a.py padho phir {}",
    "{}; a.py padho",
    "x = {}",
    '"x" bolo\n{}\n"y" bolo',
    "macro m\n{}\nend",
]


@pytest.mark.parametrize(("number", "frame"), list(enumerate(FRAMES)), ids=FRAMES)
def test_no_block_and_no_row_makes_it_run(number: int, frame: str) -> None:
    for row in REFUSED[number % 4 :: 4]:
        if is_for_scripts(row["text"]):
            continue
        answer = checked(frame.format(row["text"]))
        calls = [Planned(tool=one["tool"], args=one["args"]) for one in answer["calls"]]
        assert not any(map(changes, calls)) or answer["confirm"], row["text"]


@pytest.mark.parametrize("row", SLIPS, ids=text_of)
def test_a_slip_is_told_as_one(row: dict[str, Any]) -> None:
    answer, reading = checked(row["text"]), read_sentence(row["text"])
    assert [one["tool"] for one in answer["calls"]] == [row["tool"]]
    assert answer["confirm"] is reading.confirm
    inside = checked(f"2 baar:\n {row['text']}\nend")
    assert inside["confirm"] is reading.confirm


# ── pronouns after what was done ──────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "text",
    [
        "a.md ko b.md mein copy karo phir use hatao",
        "a.py aur b.py padho phir use hatao",
        "tests chalao phir use hatao",
        "copy a.md to b.md then delete it",
    ],
)
def test_where_a_pronoun_may_name_several_things_nothing_runs(text: str) -> None:
    answer = checked(text)
    assert answer["calls"] == []
    assert answer["error"]["code"] == "missing_argument"


@pytest.mark.parametrize(
    ("text", "tool", "name", "path"),
    [
        ("a.md ko docs/ mein le jao phir use padho", "Read", "file_path", "docs/a.md"),
        ("a.py padho phir use hatao", "Delete", "path", "a.py"),
        ("read a.py then delete it", "Delete", "path", "a.py"),
    ],
)
def test_a_pronoun_names_the_one_thing_that_was_worked_on(
    text: str, tool: str, name: str, path: str
) -> None:
    last = checked(text)["calls"][-1]
    assert (last["tool"], last["args"][name]) == (tool, path)
