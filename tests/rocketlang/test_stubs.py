"""Prepared answers: which stub answers which call."""

import msgspec
import pytest

from ankrcode.rocketlang.stubs import Stub
from rocketlang.scripts import bash, played, said, stub, suite

ASKED = 'tests chalao\nagar pass to "yes" bolo warna "no" bolo'


def test_a_call_without_a_stub_goes_well_and_brings_nothing() -> None:
    assert played(ASKED)[1:] == [said("yes")]
    assert played('r = tests chalao\nagar $r khaali to "none" bolo')[1:] == [said("none")]


@pytest.mark.parametrize("command", ["python -m pytest -q", "python  -m 'pytest' -q"])
def test_commands_are_compared_by_their_words(command: str) -> None:
    assert played(ASKED, stub("Bash", ok=False, command=command))[1:] == [said("no")]


def test_a_stub_for_something_else_answers_nothing() -> None:
    other = stub("Bash", ok=False, command="python -m pytest")
    assert played(ASKED, other, stub("Read", ok=False))[1:] == [said("yes")]


def test_a_stub_may_leave_out_arguments() -> None:
    assert played(ASKED, stub("Bash", ok=False))[1:] == [said("no")]


def test_the_exact_stub_comes_before_the_vague_one() -> None:
    vague, exact = stub("Bash", ok=False), suite(ok=True)
    assert played(ASKED, vague, exact)[1:] == [said("yes")]


def test_several_stubs_for_one_call_are_answered_in_order_and_the_last_stays() -> None:
    text = '4 baar:\n tests chalao\n agar pass to "yes" bolo warna "no" bolo\nend'
    calls = played(text, suite(ok=False), suite(ok=True), suite(ok=False))
    outcomes = [call for call in calls if call != bash("python -m pytest -q")]
    assert outcomes == [said("no"), said("yes"), said("no"), said("no")]


def test_stubs_come_as_json() -> None:
    line = b'{"call": {"tool": "Read", "args": {"file_path": "a"}}, "ok": false, "result": null}'
    assert msgspec.json.decode(line, type=Stub) == stub("Read", ok=False, file_path="a")
    assert msgspec.json.decode(b'{"call": {"tool": "Undo"}}', type=Stub) == stub("Undo")


@pytest.mark.parametrize(
    "result",
    [
        ["a.py", "b.py"],
        "a.py\nb.py",
        {"paths": ["a.py", "b.py"]},
        {"files": [{"path": "a.py"}, {"path": "b.py"}]},
        [{"file_path": "a.py"}, {"file_path": "b.py"}],
    ],
)
def test_what_was_found_may_be_told_in_many_shapes(result: object) -> None:
    calls = played("*.py dhoondo | padho", stub("Glob", result=result, pattern="*.py"))
    assert [args["file_path"] for tool, args in calls if tool == "Read"] == ["a.py", "b.py"]
