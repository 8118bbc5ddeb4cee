"""`ankrcode` with a model: lines are tasks, plain commands run without it, questions are asked."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pexpect
import pytest

from ankrcode import ToolCall, Toolkit
from ankrcode.dialects import load as load_dialect
from ankrcode.frontends.agent_line import LinePrinter
from ankrcode.frontends.asking import Terminal, chosen
from ankrcode.frontends.cli.main import is_talk
from ankrcode.frontends.line import Line
from ankrcode.frontends.line import _lines as lines_of
from ankrcode.frontends.todo_list import todo_list
from ankrcode.protocol.event import TextArrived, ToolCallEnded, ToolCallStarted, ToolProgressed
from ankrcode.protocol.question import Option, Question
from ankrcode.protocol.result import ToolResult
from ankrcode.tools.todo_write import TodoWriteOutput
from ankrcode.words import say
from frontends.command import COMMAND, ankrcode, environment
from frontends.rocket_bench import small_project

PATIENCE_S = 20
OPTIONS = [{"label": one, "description": f"the {one} one"} for one in ("A", "B")]
ASKED = {"question": "Which?", "header": "Way", "options": OPTIONS, "multiSelect": False}
PROMPT = "› "
Start = Callable[..., "pexpect.spawn[str]"]
TURNS: list[dict[str, Any]] = [
    {"text": "Let me look. ", "calls": [call := {"name": "Read", "arguments": {}}]},
    {"text": "It says NAME."},
]
call["arguments"] = {"file_path": "app.py"}


class Nobody:
    async def answer(self, text: str) -> int:
        return len(text)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return small_project(tmp_path / "work")


def scripted(project: Path, *turns: dict[str, Any]) -> list[str]:
    """A model that says this, whatever it is asked."""
    script = project.parent / "script.json"
    script.write_text(json.dumps(turns), encoding="utf-8")
    return ["--model", f"scripted/{script}"]


def calling(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"calls": [{"name": tool, "arguments": arguments}]}


@pytest.fixture
def start(project: Path) -> Iterator[Start]:
    """`ankrcode` on a terminal of its own."""
    started: list[pexpect.spawn[str]] = []

    def spawn(*turns: dict[str, Any]) -> "pexpect.spawn[str]":
        child = pexpect.spawn(
            COMMAND[0],
            [*COMMAND[1:], *scripted(project, *turns)],
            cwd=str(project),
            env={**environment(), "TERM": "dumb"},
            encoding="utf-8",
            timeout=PATIENCE_S,
            dimensions=(40, 200),
        )
        started.append(child)
        child.expect_exact(PROMPT)
        return child

    yield spawn
    for child in started:
        child.close(force=True)


# ── from a pipe ───────────────────────────────────────────────────────────────────────────────
def test_answers_go_to_stdout_and_what_was_done_for_them_to_stderr(project: Path) -> None:
    done = ankrcode(*scripted(project, *TURNS), cwd=project, given="what does the program hold?\n")
    assert done.stdout == "Let me look. \nIt says NAME.\n"
    assert done.stderr.startswith("· Read ")
    assert done.returncode == 0


def test_a_plain_command_runs_without_the_model(project: Path) -> None:
    lines = 'README.md padho\napp.py mein "foo" ko "bar" se badlo\nplease think about it\n'
    done = ankrcode(*scripted(project, {"text": "Thought."}), cwd=project, given=lines)
    assert "A small project." in done.stdout
    assert done.stdout.endswith("Thought.\n")
    assert (project / "app.py").read_text(encoding="utf-8") == 'NAME = "bar"\n'


def test_with_rocketlang_off_every_line_is_the_models(project: Path) -> None:
    model = scripted(project, {"text": "The model."})
    off = ["--set", "rocketlang.mode=off"]
    done = ankrcode(*model, *off, cwd=project, given="README.md padho\n")
    assert done.stdout == "The model.\n"


def test_with_nobody_to_ask_a_change_is_refused(project: Path) -> None:
    turns = (calling("Bash", command="touch new.txt"), {"text": "I could not."})
    done = ankrcode(*scripted(project, *turns), cwd=project, given="make a new file for me\n")
    assert not (project / "new.txt").exists()
    assert "✗ $ touch new.txt: " in done.stderr
    assert done.returncode == 4


def test_what_went_wrong_is_said_in_a_line(project: Path) -> None:
    turns = (calling("Read", file_path="nowhere.txt"), {"text": "It is not there."})
    done = ankrcode(*scripted(project, *turns), cwd=project, given="look into the other file\n")
    [failed] = [line for line in done.stderr.splitlines() if line.startswith("✗")]
    assert "nowhere.txt" in failed
    assert "There is no file" in failed


def test_the_first_task_may_stand_on_the_command_line(project: Path) -> None:
    model = scripted(project, {"text": "One."}, {"text": "Two."})
    done = ankrcode("think of a number please", *model, cwd=project, given="and of another one\n")
    assert done.stdout == "One.\nTwo.\n"


def test_lines_are_one_conversation_that_can_be_gone_on_with(project: Path) -> None:
    ankrcode(*scripted(project, *TURNS), cwd=project, given="what does the program hold?\n")
    assert len(ankrcode("sessions", "list", "--json", cwd=project).stdout.splitlines()) == 1
    model = scripted(project, {"text": "Again."})
    done = ankrcode(*model, "--continue", cwd=project, given="and what else is there?\n")
    assert done.stdout == "Again.\n"
    assert len(ankrcode("sessions", "list", "--json", cwd=project).stdout.splitlines()) == 1


def test_a_failure_of_the_model_ends_the_task_and_not_the_conversation(project: Path) -> None:
    failing = {"fail": {"kind": "auth", "message": "The key is wrong."}}
    model = scripted(project, failing, {"text": "Better."})
    done = ankrcode(*model, cwd=project, given="try it once please\ntry it again please\n")
    assert done.stdout == "Better.\n"
    assert "The key is wrong." in done.stderr
    assert done.returncode == 3


def test_a_model_that_was_named_and_is_not_there_is_an_error(project: Path) -> None:
    done = ankrcode("--model", "groq/x", cwd=project, given="hi\n", env={"GROQ_API_KEY": ""})
    assert done.returncode == 3
    assert "GROQ_API_KEY" in done.stderr


@pytest.mark.parametrize(
    "option", [["--output-format", "json"], ["--input-format", "stream-json"], ["--image", "a.png"]]
)
def test_what_belongs_to_a_single_task_is_refused(option: list[str], project: Path) -> None:
    done = ankrcode(*scripted(project), *option, cwd=project, given="hi there, model\n")
    assert done.returncode == 2
    assert f"{option[0]} goes with -p" in done.stderr


def test_a_task_for_the_model_is_never_taken_for_a_command(project: Path) -> None:
    done = ankrcode(*scripted(project, {"text": "Well."}), cwd=project, given="explain app.py\n")
    assert done.stdout == "Well.\n"


def test_help_is_shown_whatever_stands_before_it(project: Path) -> None:
    done = ankrcode("--model", "x/y", "--help", cwd=project)
    assert done.returncode == 0
    assert "commands:" in done.stdout


# ── on a terminal ─────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(("answer", "runs"), [("haan", True), ("no", False)])
def test_an_approval_is_one_plain_question(
    answer: str, runs: bool, start: Start, project: Path
) -> None:
    child = start(calling("Bash", command="touch new.txt"), {"text": "So be it."})
    child.sendline("make a new file for me")
    child.expect_exact("Run this? touch new.txt")
    child.expect_exact("[yes/no]")
    child.sendline(answer)
    child.expect_exact("So be it.")
    child.expect_exact(PROMPT)
    child.sendeof()
    child.expect(pexpect.EOF)
    assert (project / "new.txt").exists() is runs


def test_a_question_of_the_model_is_answered_by_number(start: Start) -> None:
    question = {
        "question": "Which way?",
        "header": "Way",
        "options": [{"label": "Left", "description": "longer"}, {"label": "Right"}],
        "multiSelect": False,
    }
    child = start(calling("AskUserQuestion", questions=[question]), {"text": "Thank you."})
    child.sendline("find the way for me please")
    child.expect_exact("Which way?")
    child.expect_exact("1. Left - longer")
    child.sendline("2")
    child.expect_exact("Thank you.")
    child.expect_exact(PROMPT)


def test_commands_with_a_slash_are_about_the_conversation(start: Start) -> None:
    child = start({"text": "One."}, {"text": "A summary."})
    child.sendline("say one thing to me")
    child.expect_exact("One.")
    for command, answer in [
        ("/context", " tokens ("),
        ("/compact", "goes on from a summary"),
        ("/clear", "Begun anew"),
        ("/what", "/compact"),
    ]:
        child.expect_exact(PROMPT)
        child.sendline(command)
        child.expect_exact(answer)
    child.expect_exact(PROMPT)
    child.sendline("/exit")
    child.expect(pexpect.EOF)


def test_an_interrupt_ends_the_task_and_not_the_conversation(start: Start) -> None:
    child = start({"text": "Slowly on", "chunk": 6, "pause_s": 60}, {"text": "Quick."})
    child.sendline("take your time with it")
    child.expect_exact("Slowly")
    child.sendintr()
    child.expect_exact("^C\r\nankrcode: The task was cancelled.")
    child.expect_exact(PROMPT)
    child.sendline("now be quick about it")
    child.expect_exact("Quick.")
    child.expect_exact(PROMPT)


def test_a_question_begins_on_a_line_of_its_own(start: Start, project: Path) -> None:
    write = calling("Write", file_path="new.py", content="x = 1")
    child = start({"text": "Now I write it."} | write, {"text": "So be it."})
    child.sendline("make a module of it")
    child.expect_exact("Now I write it.\r\nRun this? Write ")
    child.expect_exact("[yes/no]")
    child.sendline("no")
    child.expect_exact("✗ Write new.py: User denied permission.\r\nSo be it.\r\n")
    child.expect_exact(PROMPT)
    assert child.before == ""  # they know that it was not allowed
    asked = calling("AskUserQuestion", questions=[ASKED])
    child = start({"text": "One thing first."} | asked, {"text": "As you like."})
    child.sendline("which way would you go?")
    child.expect_exact("One thing first.\r\nWhich?\r\n")


@pytest.mark.parametrize("columns", [30, 60, 200])
def test_the_greeting_is_broken_between_words(
    columns: int, project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    greeting = say("line_model", model="scripted")
    lines_of(Line(Nobody()), greeting, [])
    shown = capsys.readouterr().out
    assert all(len(line) < columns for line in shown.splitlines())
    assert " ".join(shown.split()) == f"{say('line_welcome')} {greeting}"


@pytest.mark.parametrize(("quiet", "said"), [(False, "… Wait a little\n"), (True, "")])
def test_what_takes_its_time_is_said_once(
    quiet: bool, said: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    printer = LinePrinter(kit := Toolkit(cwd=project), is_attended=False)
    mine: dict[str, Any] = {"call_id": "1", "agent_id": kit.agent.agent_id, "tool": "Bash"}
    given = {"command": "sleep 9", "description": "Wait a little"}
    printer.show(TextArrived(agent_id=kit.agent.agent_id, text="I wait."))
    printer.show(ToolCallStarted(**mine, arguments=given, quiet=quiet))
    for seconds in range(3):
        printer.show(ToolProgressed(**mine, text=f"Bash has been running for {seconds} s"))
    printer.show(ToolCallEnded(**mine, success=True, result=ToolResult(title="$ sleep 9", text="")))
    shown = capsys.readouterr()
    assert shown.err == f"{said}· $ sleep 9\n"
    assert shown.out == "I wait.\n"


def test_files_of_the_workspace_are_named_as_one_speaks_of_them(project: Path) -> None:
    inside, missing = calling("Read", file_path="app.py"), calling("Read", file_path="ap.py")
    done = ankrcode(
        *scripted(project, inside, missing, {"text": "Done."}),
        cwd=project,
        given="read what there is to read\n",
    )
    first, second = done.stderr.splitlines()
    assert first == "· Read app.py"
    assert second.startswith("✗ Read ap.py: There is no file at ap.py.")


# ── the parts ─────────────────────────────────────────────────────────────────────────────────
WAYS = Question(
    id="q", question="Which?", options=(Option(label="A"), Option(label="B"), Option(label="C"))
)


@pytest.mark.parametrize(
    ("said", "several", "expected"),
    [
        ("2", False, ("B",)),
        ("1 3", True, ("A", "C")),
        ("1, 3,1", True, ("A", "C")),
        ("1 3", False, ("1 3",)),
        ("4", False, None),
        ("1, 4", True, None),
        ("1 4", False, ("1 4",)),
        ("5", False, ("5",)),
        ("9" * 5_000, False, ("9" * 5_000,)),
        ("²", False, ("²",)),
        ("0", False, ("0",)),
        ("  my own way ", False, ("my own way",)),
        ("", True, ("",)),
    ],
)
def test_numbers_are_options_and_words_are_words(
    said: str, several: bool, expected: tuple[str, ...] | None
) -> None:
    question = Question(id="q", question="Which?", options=WAYS.options, multi_select=several)
    assert chosen(question, said) == expected


async def test_a_question_is_shown_with_its_options(capsys: pytest.CaptureFixture[str]) -> None:
    asked: list[str] = []
    terminal = Terminal(lambda question: asked.append(question) or "3")  # type: ignore[func-returns-value]
    assert (await terminal.answer(WAYS)).chosen == ("C",)
    printed = capsys.readouterr().out.splitlines()
    assert printed == ["Which?", "  1. A", "  2. B", "  3. C", "  4. Other (custom input)"]
    assert asked == ["Number, or your own words: "]


class Typist:
    """Types these lines, one after the other; then nobody is there any more."""

    def __init__(self, *lines: str) -> None:
        self.lines = list(lines)
        self.asked: list[str] = []

    def __call__(self, question: str) -> str:
        self.asked.append(question)
        if not self.lines:
            raise EOFError
        return self.lines.pop(0)


def asking(header: str = "Way", **more: Any) -> dict[str, Any]:
    options = [{"label": "Left", "description": "longer"}, {"label": "Right", "description": ""}]
    return {"question": "Which way?", "header": header, "options": options, **more}


@pytest.mark.requirement("S0-073", "S0-178")
@pytest.mark.parametrize("dialect", ["", "ankrcode"])
async def test_other_asks_for_the_answer_itself(
    dialect: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    typist = Typist("3", "  straight on, नमस्ते  ")
    kit = Toolkit(cwd=tmp_path, ask=Terminal(typist).answer)
    call = ToolCall(name="AskUserQuestion", arguments={"questions": [asking()]})
    if dialect:
        reply = await kit.call_in(load_dialect(dialect), call)
        assert reply["success"] is True
        said = reply["output"]
    else:
        said = (await kit.call_raw(call)).text
    assert json.loads(said) == {"Way": ["straight on, नमस्ते"]}
    assert "  3. Other (custom input)" in capsys.readouterr().out.splitlines()
    assert typist.asked == ["Number, or your own words: ", "Enter your answer: "]


@pytest.mark.requirement("S0-178")
async def test_other_among_several_is_the_answer_too(tmp_path: Path) -> None:
    typist = Typist("1 3", "both, and a third")
    kit = Toolkit(cwd=tmp_path, ask=Terminal(typist).answer)
    result = await kit.call("AskUserQuestion", questions=[asking(multiSelect=True)])
    assert json.loads(result.text) == {"Way": ["both, and a third"]}


async def test_each_question_is_asked_in_its_turn(tmp_path: Path) -> None:
    typist = Typist("3", "mine", "2")
    kit = Toolkit(cwd=tmp_path, ask=Terminal(typist).answer)
    result = await kit.call("AskUserQuestion", questions=[asking(), asking("Again")])
    assert json.loads(result.text) == {"Way": ["mine"], "Again": ["Right"]}


@pytest.mark.parametrize("lines", [(), ("3",)])
async def test_who_leaves_has_not_answered(lines: tuple[str, ...], tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path, ask=Terminal(Typist(*lines)).answer)
    result = await kit.call("AskUserQuestion", questions=[asking()])
    assert not result.ok
    assert "The person did not answer." in result.text
    assert "Decide for yourself" in result.text
    assert "|" not in result.text


@pytest.mark.requirement("S0-178")
def test_other_is_typed_at_the_terminal(start: Start) -> None:
    child = start(calling("AskUserQuestion", questions=[asking()]), {"text": "Thank you."})
    child.sendline("find the way for me please")
    child.expect_exact("3. Other (custom input)")
    child.sendline("3")
    child.expect_exact("Enter your answer:")
    child.sendline("over the hill")
    child.expect_exact("Thank you.")
    child.expect_exact(PROMPT)


# ── the task list ─────────────────────────────────────────────────────────────────────────────
TODOS = [
    {"content": "Read it", "status": "completed", "activeForm": "Reading it"},
    {"content": "Mend it", "status": "in_progress", "activeForm": "Mending it"},
    {"content": "Test it", "status": "pending", "activeForm": "Testing it"},
]


@pytest.mark.requirement("S0-068")
def test_the_task_list_is_shown_when_it_changes(project: Path) -> None:
    turns = [calling("TodoWrite", todos=TODOS), {"text": "Begun."}]
    done = ankrcode(*scripted(project, *turns), cwd=project, given="mend it for me please\n")
    assert done.stdout == "Begun.\n"
    lines = done.stderr.splitlines()
    at = lines.index("📋 Tasks:")
    assert lines[at + 1 : at + 4] == ["  ✅ Read it", "  🔄 Mending it", "  ⬜ Test it"]


@pytest.mark.parametrize(
    ("tool", "value", "success"),
    [
        ("Read", TodoWriteOutput(todos=[]), True),
        ("TodoWrite", TodoWriteOutput(todos=[]), True),
        ("TodoWrite", None, True),
        ("TodoWrite", {"todos": TODOS}, False),
    ],
)
def test_there_is_not_always_a_list_to_show(tool: str, value: Any, success: bool) -> None:
    result = ToolResult(value=value)
    event = ToolCallEnded(at=0.0, tool=tool, success=success, result=result)
    assert todo_list(event) == []


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], True),
        (["--model", "x/y"], True),
        (["--continue"], True),
        (["fix the tests"], True),
        (["exec"], False),
        (["--cwd", "x", "tools"], False),
        (["--version"], False),
        (["-h"], False),
        (["exce"], False),
    ],
)
def test_what_begins_a_conversation(arguments: list[str], expected: bool) -> None:
    assert is_talk(arguments) is expected


def test_a_line_that_no_model_could_read_is_bounded_as_a_task_is(project: Path) -> None:
    """Both of its ends are kept, and the conversation goes on."""
    answer = {"text": "Long.", "when": "characters are left out here"}
    given = f"begin {'x' * 1_000_000} end\nand now?\n"
    done = ankrcode(*scripted(project, answer, {"text": "Still here."}), cwd=project, given=given)
    assert (done.returncode, done.stdout) == (0, "Long.\nStill here.\n"), done.stderr


def test_a_base_url_without_a_model_is_not_passed_over(project: Path) -> None:
    nowhere = ("--base-url", "http://127.0.0.1:9/v1")
    keys = {"ANKRCODE_MODEL": "", "ANTHROPIC_API_KEY": "", "OPENAI_API_KEY": ""}
    done = ankrcode(*nowhere, cwd=project, given="what is this?\n", env=keys)
    assert (done.returncode, done.stdout) == (3, "")
    assert "--model NAME" in done.stderr
