"""The whole script is looked at before its first call."""

import pytest

from ankrcode.rocketlang.api import parse
from ankrcode.rocketlang.memory import Memory
from ankrcode.rocketlang.script import ScriptFault
from rocketlang.scripts import played

GOOD = '"begun" bolo\n'


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("frobnicate the gizmo", "unknown_command", 2),
        ("app.py mat hatao", "negated", 2),
        ("do not delete app.py", "negated", 2),
        ("hatao", "missing_argument", 2),
        ("agar pass to kuch to karo yaar", "unknown_command", 2),
        ("agar fail to app.py mat hatao", "negated", 2),
        ("agar pass\n $x padho\nend", "unknown_object", 3),
        ("har f $x mein:\n $f padho\nend", "unknown_object", 2),
        ("$x baar:\n push karo\nend", "unknown_object", 2),
        ("agar $x khaali to push karo", "unknown_object", 2),
        ("y = $x", "unknown_object", 2),
        ("1001 baar:\n push karo\nend", "unknown_object", 2),
        ("macro a\n a\nend", "unknown_command", 3),
        ("macro a\n b\nend\nmacro b\n a\nend", "unknown_command", 6),
        ("macro never\n app.py mat hatao\nend", "negated", 3),
        ("3 baar:\n app.py mat hatao\nend", "negated", 3),
        ("src mein python files dhoondo | frobnicate", "unknown_command", 2),
        ("x = frobnicate the gizmo", "unknown_command", 2),
        ("if pass then push else do not delete app.py", "negated", 2),
        ("agar pass\n push karo", "missing_end", 2),
    ],
)
def test_one_fault_anywhere_keeps_all_of_it_from_running(text: str, code: str, line: int) -> None:
    with pytest.raises(ScriptFault) as caught:
        played(GOOD + text)
    assert caught.value.line == line
    assert caught.value.fault.code == code


@pytest.mark.parametrize(
    "text",
    [
        "files = src mein python files dhoondo\nhar f $files mein:\n $f padho\nend",
        "files = src mein python files dhoondo\nhar f $files mein:\n $f bolo\nend",
        "x = app.py padho\n$x bolo",
        "app.py padho | bolo",
        "*.log dhoondo | hatao",
        "git diff dikhao | notes.txt mein likho",
        "*.log dhoondo\nunhe hatao",
        '"{it}" bolo',
    ],
)
def test_what_is_not_known_yet_may_become_anything_that_fits(text: str) -> None:
    assert parse(text).checked


def test_each_command_is_listed_with_what_it_would_do() -> None:
    program = parse("# a\napp.py padho\n$ ls\nagar pass to old.log hatao")
    assert [(one.line, one.text) for one in program.checked] == [
        (2, "app.py padho"),
        (3, "$ ls"),
        (4, "old.log hatao"),
    ]
    assert [one.reading.changes for one in program.checked] == [False, True, True]
    assert (program.changes, program.confirm, program.is_full) == (True, False, True)
    assert program.lang == "hi"


def test_what_is_not_known_yet_is_told_as_such() -> None:
    assert parse("*.log dhoondo | hatao").checked[1].reading.explain == "… hataunga"
    told = parse('x = "a b"\n$x bolo').explain
    assert "a b" in told
    assert "rlvalue" not in told


def test_one_word_nearly_spelled_makes_the_whole_program_ask() -> None:
    program = parse('"a" bolo\nold.log hatoa')
    assert program.confirm
    assert not program.is_full


def test_a_name_set_in_one_branch_is_known_afterwards() -> None:
    assert parse('agar a.py hai to x = "a"\n"{x}" bolo\n$x bolo').checked


@pytest.mark.parametrize("condition", ["pass", "fail", "tests pass", "pass nahi"])
def test_how_a_call_went_can_only_be_asked_after_one(condition: str) -> None:
    with pytest.raises(ScriptFault) as caught:
        parse(f"agar {condition} to push karo")
    assert caught.value.fault.code == "bad_condition"
    for before in ("tests chalao", "$ make", "x = app.py padho"):
        assert parse(f"{before}\nagar {condition} to push karo").checked
    assert parse(f"macro m\n agar {condition} to push karo\nend").checked
    assert parse(f"agar {condition} to push karo", memory=Memory(ok=True)).checked


def test_a_name_alone_is_a_name_like_any_other() -> None:
    (call,) = parse("$file padho").checked[0].reading.calls
    assert call.args == {"file_path": "$file"}
