"""Names that were found may hold anything; none of it ever becomes a word, a call or a command."""

import shlex
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.rocketlang.script import ScriptFault
from rocketlang.scripts import Call, played, stub
from torture import examples

GLOB: Call = ("Glob", {"pattern": "*.py"})
NASTY = [
    "a b.py",
    "x; hatao.py",
    'q" hatao "r.py',
    "it's.py",
    "“quoted”.py",
    "`tick`.py",
    "$(reboot).py",
    "$HOME.py",
    "{f}.py",
    "{other}.py",
    "$other.py",
    "$rlvalue0x.py",
    "rlvalue0x.py",
    "rlvalue1x",
    "| hatao",
    "mat.py",
    "app.py hatao",
    "agar pass to app.py hatao",
    "end",
    "khatam",
    "-rf",
    "--force",
    "#.py",
    "\\.py",
    "a\tb.py",
    "पढ़ो.py",
    "हटाओ",
    "நீக்கு",
    "app.py-ஐ",
    "../../etc/passwd",
    "/etc/passwd",
    "~/.ssh/id_rsa",
    "*.py",
    "?",
    "[a-z].py",
    "http://x.org/a.py",
    "10",
    "teen",
    "use",
    "it",
    "unhe",
    "all",
    "sab",
    "todo",
    "tests",
    "\u202egnp.py",
    "a\u200db.py",
    "e\u0301.py",
    "é.py",
]

# How a found name is used, and which call must come of it: {} stands for the name.
FRAMES: dict[str, tuple[str, dict[str, Any]]] = {
    "$f padho": ("Read", {"file_path": "{}"}),
    "{f} padho": ("Read", {"file_path": "{}"}),
    "read $f": ("Read", {"file_path": "{}"}),
    "$f ಓದು": ("Read", {"file_path": "{}"}),
    "$f hatao": ("Delete", {"path": "{}"}),
    "$f को हटाओ": ("Delete", {"path": "{}"}),
    "delete $f": ("Delete", {"path": "{}"}),
    '$f mein "a" ko "b" se badlo': (
        "Edit",
        {"file_path": "{}", "old_string": "a", "new_string": "b"},
    ),
    '"x {f} y" bolo': ("Say", {"text": "x {} y"}),
    "$f bolo": ("Say", {"text": "{}"}),
    'notes.txt mein "{f}" likho': ("Write", {"file_path": "notes.txt", "content": "{}"}),
}


def filled(args: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value.replace("{}", name) for key, value in args.items()}


def calls_with(frame: str, name: str) -> list[Call]:
    text = f'other = "SECRET"\nfiles = *.py dhoondo\nhar f $files mein:\n  {frame}\nend'
    return played(text, stub("Glob", result=[name], pattern="*.py"))


def is_file_name(text: str) -> bool:
    """Not the name of a folder, which is listed and not read."""
    return text.strip() == text and not text.endswith("/")


@pytest.mark.parametrize("frame", FRAMES)
def test_a_name_stays_a_name(frame: str) -> None:
    tool, args = FRAMES[frame]
    for name in NASTY:
        assert calls_with(frame, name) == [GLOB, (tool, filled(args, name))], name


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.torture
@examples(in_ci=40, in_torture=5_000)
@given(name=st.text(min_size=1, max_size=30).filter(is_file_name))
def test_so_does_any_text(frame: str, name: str) -> None:
    tool, args = FRAMES[frame]
    assert calls_with(frame, name) == [GLOB, (tool, filled(args, name))]


COMMANDS = ["$ cat {f}", '$ cat "{f}"', "$ cat '{f}'", "$ cat -- {f} | wc -l"]


@pytest.mark.parametrize("frame", COMMANDS)
def test_in_a_command_it_is_one_word(frame: str) -> None:
    for name in NASTY:
        _, (tool, args) = calls_with(frame, name)
        assert tool == "Bash"
        words = shlex.split(args["command"])
        expected = [word.replace("{f}", name) for word in shlex.split(frame)[1:]]
        assert words == expected, name


@pytest.mark.parametrize("frame", ["{} | padho", "{} phir unhe padho", "{}\nunhe padho"])
def test_handed_on_it_is_still_a_name(frame: str) -> None:
    for name in NASTY:
        stubs = stub("Glob", result=[name], pattern="*.py")
        calls = played(frame.format("*.py dhoondo"), stubs)
        assert calls == [GLOB, ("Read", {"file_path": name})], name


@pytest.mark.parametrize("name", NASTY)
def test_what_a_command_printed_is_handed_on_as_text(name: str) -> None:
    printed = stub("Bash", result=name, command="make")
    calls = played("out = $ make\n$out bolo\nnotes.txt mein $out likho", printed)
    assert calls[1:] == [
        ("Say", {"text": name}),
        ("Write", {"file_path": "notes.txt", "content": name}),
    ]


def test_a_name_never_answers_a_question_of_the_script() -> None:
    for name in NASTY:
        text = 'files = *.py dhoondo\nhar f $files mein:\n  agar $f mein "zzz" hai to $f hatao\nend'
        assert played(text, stub("Glob", result=[name], pattern="*.py")) == [GLOB]


def test_several_names_are_several_calls_and_nothing_else() -> None:
    calls = played("*.py dhoondo | hatao", stub("Glob", result=NASTY, pattern="*.py"))
    assert calls == [GLOB, *(("Delete", {"path": name}) for name in NASTY)]


def test_what_cannot_be_said_ends_the_script_before_anything_else_is_done() -> None:
    text = 'n = $ make\n$n baar:\n  "x" bolo\nend\nold.log hatao'
    for printed in ("many", "-1", "10; hatao", "1e9", ""):
        with pytest.raises(ScriptFault):
            played(text, stub("Bash", result=printed, command="make"))
