"""Blocks, names and macros among the lines of a conversation with a model."""

import json
from pathlib import Path

import pytest

from ankrcode.frontends.line import Line
from ankrcode.frontends.place import WorkspacePlace
from ankrcode.frontends.script_line import ScriptLine
from ankrcode.rocketlang.api import compile  # noqa: A004 - that is what it is called
from ankrcode.rocketlang.blocks import Macro
from ankrcode.rocketlang.memory import Memory
from ankrcode.rocketlang.variables import typed
from ankrcode.workspace.roots import Workspace
from frontends.command import Done, ankrcode
from frontends.rocket_bench import small_project


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return small_project(tmp_path / "work")


@pytest.fixture
def script(project: Path) -> ScriptLine:
    return ScriptLine(WorkspacePlace(Workspace((project,), project)), Memory())


# ── what is held together ─────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "head",
    [
        "agar app.py hai",
        "if app.py exists",
        "agar pass",
        "if tests pass",
        "3 baar:",
        "repeat 3 times:",
        "for f in *.py",
        "for f in python files dhoondo",
        "for each f in $files:",
        "macro deploy:",
    ],
)
def test_a_block_is_held_together_until_its_end(head: str, script: ScriptLine) -> None:
    assert script.is_open(head)
    assert script.is_open(f"{head}\n  app.py padho")
    assert script.is_open(f"{head}\n  think hard about app.py")
    assert not script.is_open(f"{head}\n  app.py padho\nend")


@pytest.mark.parametrize(
    "task",
    [
        "for each file in src explain it",
        "for every test please:",
        "for each bug in the list, fix it",
        "for the next task",
        "for every file in the repo",
        "for each module in src:",
        "if the tests fail, fix them",
        "if anything fails",
        "while you are at it, add docs",
        "repeat the build until it works",
        "define a function that adds",
        "app.py padho",
        "",
    ],
)
def test_a_task_that_begins_like_a_block_is_not_held_back(task: str, script: ScriptLine) -> None:
    assert not script.is_open(task)


# ── what runs without a model ─────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "text",
    [
        "agar app.py hai\n  app.py padho\nend",
        "for f in *.py\n  $f padho\nend",
        "2 baar:\n  README.md padho\nend",
        "macro look\n  app.py padho\nend",
        'name = "app.py"',
        "files = python files dhoondo",
    ],
)
def test_a_script_that_is_read_in_full_needs_no_model(text: str, script: ScriptLine) -> None:
    assert script.program(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "agar app.py hai\n  explain app.py\nend",  # a task inside a block
        "for f in *.py\n  make $f nicer\nend",
        "agar app.py hai to app.py padho",  # on one line it may be meant for the model
        "for g in $unset\n  $g padho\nend",
        "agar app.py hai\n  app.py padho",  # it never ended
        "app.py padho\nREADME.md padho",  # no block: two lines of a longer text
        "error = undefined is not a function",
        "look karo",  # no such macro
        "think about app.py",
    ],
)
def test_whatever_is_not_certain_is_the_models(text: str, script: ScriptLine) -> None:
    assert script.program(text) is None


def test_a_macro_is_known_once_it_was_defined(script: ScriptLine) -> None:
    assert script.program("look karo") is None
    defined = script.program("macro look\n  app.py padho\nend")
    assert defined is not None
    [macro] = defined.script.statements
    assert isinstance(macro, Macro)
    script.memory.macros[macro.name] = macro
    assert script.program("look karo") is not None


def test_a_sentence_is_judged_with_what_is_remembered(script: ScriptLine) -> None:
    assert script.program("$name padho") is None  # nobody said that it is plain
    script.memory.variables["name"] = typed("app.py")
    program = script.program("$name padho", is_plain=True)
    assert program is not None
    assert [one.tool for one in compile(program)] == ["Read"]
    assert compile(program)[0].args["file_path"] == "app.py"
    assert script.program("think about $name", is_plain=True) is None


# ── in a conversation ─────────────────────────────────────────────────────────────────────────
class Listener:
    def __init__(self) -> None:
        self.heard: list[str] = []

    async def answer(self, text: str) -> int:
        self.heard.append(text)
        return 0


def test_lines_of_a_block_come_as_one_and_tasks_one_by_one(script: ScriptLine) -> None:
    listener = Listener()
    lines = ["for each file in src explain it", "agar app.py hai", " app.py padho", "end", "thanks"]
    Line(listener, is_open=script.is_open).run(iter(lines))
    assert listener.heard == [
        "for each file in src explain it",
        "agar app.py hai\n app.py padho\nend",
        "thanks",
    ]


def spoken(project: Path, *lines: str, settings: tuple[str, ...] = ()) -> Done:
    turns = project.parent / "script.json"
    turns.write_text(json.dumps(["The model."] * 9), encoding="utf-8")
    model = ["--model", f"scripted/{turns}", *settings]
    return ankrcode(*model, cwd=project, given="\n".join([*lines, ""]))


def test_with_a_model_blocks_names_and_macros_work_as_without_one(project: Path) -> None:
    done = spoken(
        project,
        *("agar README.md hai", "  README.md padho", "end"),
        *("name = app.py", "$name padho"),
        *("macro look", "  app.py padho", "end", "look karo", "/look"),
        *("agar missing.py hai", "  old.log hatao", "end"),
    )
    assert done.stdout.count("A small project.") == 1
    assert done.stdout.count("NAME") == 3
    assert "The model." not in done.stdout
    assert (project / "old.log").exists()
    assert done.returncode == 0


def test_a_block_with_a_task_in_it_reaches_the_model_whole(project: Path) -> None:
    done = spoken(project, "agar README.md hai", "  old.log hatao", "  explain why", "end")
    assert done.stdout == "The model.\n"
    assert (project / "old.log").exists()


def test_with_rocketlang_off_every_line_of_a_block_is_the_models(project: Path) -> None:
    off = ("--set", "rocketlang.mode=off")
    done = spoken(project, "agar README.md hai", "  README.md padho", "end", settings=off)
    assert done.stdout == "The model.\n" * 3
