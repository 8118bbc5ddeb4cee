"""`ankrcode` by itself: on a terminal, from a pipe, and with another one who answers."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import pytest

from ankrcode.frontends.line import Line
from ankrcode.frontends.talk import is_open
from frontends.command import COMMAND, ankrcode, environment
from frontends.rocket_bench import small_project

PATIENCE_S = 20
PROMPT = "› "
Start = Callable[..., "pexpect.spawn[str]"]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return small_project(tmp_path / "work")


@pytest.fixture
def start(project: Path) -> Iterator[Start]:
    """`ankrcode` on a terminal of its own."""
    started: list[pexpect.spawn[str]] = []

    def spawn(*arguments: str) -> "pexpect.spawn[str]":
        child = pexpect.spawn(
            COMMAND[0],
            [*COMMAND[1:], *arguments],
            cwd=str(project),
            env={**environment(), "TERM": "dumb"},
            encoding="utf-8",
            timeout=PATIENCE_S,
            dimensions=(40, 200),
        )
        started.append(child)
        return child

    yield spawn
    for child in started:
        child.close(force=True)


def ended(child: "pexpect.spawn[str]") -> int | None:
    child.expect(pexpect.EOF)
    child.close()
    status: int | None = child.exitstatus
    return status


# ── on a terminal ─────────────────────────────────────────────────────────────────────────────
def test_it_greets_says_once_what_a_model_would_add_and_works(start: Start, project: Path) -> None:
    child = start()
    child.expect_exact("No model is configured")
    child.expect_exact(PROMPT)
    child.sendline("README.md padho")
    child.expect_exact("A small project.")
    child.expect_exact(PROMPT)
    child.sendline('app.py mein "foo" ko "bar" se badlo')
    child.expect_exact("Replaced 1 occurrence(s)")
    child.expect_exact(PROMPT)
    assert "No model" not in str(child.before)
    child.sendeof()
    assert ended(child) == 0
    assert (project / "app.py").read_text(encoding="utf-8") == 'NAME = "bar"\n'


@pytest.mark.parametrize(("answer", "runs"), [("haan", True), ("ஆம்", True), ("hmm", False)])
def test_what_was_nearly_understood_is_asked_with_one_question(
    answer: str, runs: bool, start: Start, project: Path
) -> None:
    child = start()
    child.expect_exact(PROMPT)
    child.sendline("old.log hatoa")
    child.expect_exact("[haan/nahi]")
    child.sendline(answer)
    child.expect_exact(PROMPT)
    child.sendline("exit")
    assert ended(child) == (0 if runs else 4)
    assert (project / "old.log").exists() is not runs


def test_an_approval_is_asked_in_the_language_that_was_spoken(start: Start, project: Path) -> None:
    child = start()
    child.expect_exact(PROMPT)
    child.sendline("../outside.txt banao")
    child.expect_exact("Yeh chalaun?")
    child.expect_exact("[haan/nahi]")
    child.sendline("nahi")
    child.expect_exact(PROMPT)
    child.sendline("exit")
    ended(child)
    assert not (project.parent / "outside.txt").exists()


@pytest.mark.parametrize(("answer", "runs"), [("avunu", True), ("beda", False)])
def test_an_approval_is_one_plain_question(
    answer: str, runs: bool, start: Start, project: Path
) -> None:
    child = start()
    child.expect_exact(PROMPT)
    child.sendline("$ echo x > ../outside.txt")
    child.expect_exact("Run this? echo x > ../outside.txt")
    child.expect_exact("outside.txt")
    child.expect_exact("[yes/no]")
    child.sendline(answer)
    child.expect_exact(PROMPT)
    child.sendline("quit")
    ended(child)
    assert (project.parent / "outside.txt").exists() is runs


def test_an_interrupt_drops_a_block_that_was_begun(start: Start, project: Path) -> None:
    child = start()
    child.expect_exact(PROMPT)
    child.sendline("agar app.py hai")
    child.expect_exact("… ")
    child.sendline("old.log hatao")
    child.expect_exact("… ")
    child.sendintr()
    child.expect_exact(PROMPT)
    child.sendline("README.md padho")
    child.expect_exact("A small project.")
    child.expect_exact(PROMPT)
    child.sendeof()
    ended(child)
    assert (project / "old.log").exists()


def test_one_sentence_on_a_terminal_is_asked_about_too(start: Start, project: Path) -> None:
    child = start("rl", "old.log hatoa")
    child.expect_exact("[haan/nahi]")
    child.sendline("हाँ")
    assert ended(child) == 0
    assert not (project / "old.log").exists()


def test_a_block_goes_on_until_its_end(start: Start) -> None:
    child = start()
    child.expect_exact(PROMPT)
    for line in ("2 baar:", '  "hello there" bolo'):
        child.sendline(line)
        child.expect_exact("… ")
    child.sendline("khatam")
    child.expect("hello there\r\nhello there\r\n")
    child.expect_exact(PROMPT)
    child.sendeof()
    assert ended(child) == 0


def test_ctrl_c_drops_the_line_and_stops_what_runs(start: Start) -> None:
    child = start()
    child.expect_exact(PROMPT)
    child.send("old.log ha")
    child.expect_exact("old.log ha")
    child.sendintr()
    child.expect_exact(PROMPT)
    child.sendline("$ echo begun > begun.txt; sleep 60; echo never")
    while not (Path(str(child.cwd)) / "begun.txt").exists():
        assert child.isalive()
    child.sendintr()
    child.expect_exact(PROMPT)
    child.sendline('"still here" bolo')
    child.expect("still here\r\n")
    child.sendline("exit")
    ended(child)


def test_what_was_typed_is_remembered_for_its_owner_alone(start: Start, own_home: Path) -> None:
    child = start()
    child.expect_exact(PROMPT)
    child.sendline("README.md padho")
    child.expect_exact(PROMPT)
    child.sendeof()
    ended(child)
    history = own_home / ".local" / "state" / "ankrcode" / "history"
    assert "README.md padho" in history.read_text(encoding="utf-8")
    assert history.stat().st_mode & 0o077 == 0


# ── from a pipe ───────────────────────────────────────────────────────────────────────────────
def test_lines_of_a_pipe_are_answered_one_by_one(project: Path) -> None:
    lines = 'README.md padho\n\n# a comment\n3 baar:\n  "hi" bolo\nend\nold.log hatao\n'
    done = ankrcode(cwd=project, given=lines)
    assert (done.returncode, done.stderr) == (0, "")
    assert "A small project." in done.stdout
    assert done.stdout.count("hi\n") == 3
    assert not (project / "old.log").exists()


def test_values_outcomes_macros_and_pronouns_live_on_from_line_to_line(project: Path) -> None:
    lines = [
        *('x = "hello"', '"{x} there" bolo'),
        *("$ exit 3", 'agar fail to "seen" bolo'),
        *("macro clean", " old.log hatao", "end", "clean karo"),
        *("app.py padho", "use hatao"),
    ]
    done = ankrcode(cwd=project, given="\n".join(lines))
    assert "hello there\nseen\n" in done.stdout.replace("\n\n", "\n")
    assert not (project / "old.log").exists()
    assert not (project / "app.py").exists()


def test_a_pronoun_before_anything_was_said_names_nothing(project: Path) -> None:
    done = ankrcode(cwd=project, given="use hatao\nise theek karo\nagar pass to old.log hatao\n")
    assert done.returncode == 2
    assert (project / "old.log").exists()


def test_a_line_that_fails_does_not_stop_the_next_but_tells_in_the_end(project: Path) -> None:
    done = ankrcode(cwd=project, given="nope.py padho\nold.log hatoa\nREADME.md padho\n")
    assert done.returncode == 4
    assert "A small project." in done.stdout
    assert (project / "old.log").exists()


def test_a_block_that_is_never_closed_is_told_at_the_end(project: Path) -> None:
    done = ankrcode(cwd=project, given="agar pass\n old.log hatao\n")
    assert done.returncode == 2
    assert "khatam" in done.stderr
    assert (project / "old.log").exists()


def test_bytes_that_are_no_text_are_no_command(project: Path) -> None:
    done = ankrcode(cwd=project, given=b"\xff\xfe\x00 hatao\nREADME.md padho\n")
    assert done.returncode == 2
    assert "A small project." in done.stdout


def test_switched_off_nobody_is_there_to_answer(project: Path) -> None:
    done = ankrcode("--set", "rocketlang.mode=off", cwd=project, given="old.log hatao\n")
    assert done.returncode == 2
    assert "rocketlang.mode" in done.stderr
    assert (project / "old.log").exists()
    off = ankrcode("--set", "rocketlang.mode=off", "rl", "old.log hatao", cwd=project)
    assert off.returncode == 0, "who asks for it by name gets it"


# ── with somebody else who answers ────────────────────────────────────────────────────────────
class Echo:
    """Answers with what was said; `bad` fails."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    async def answer(self, text: str) -> int:
        self.heard.append(text)
        return 3 if text == "bad" else 0


def test_whoever_answers_gets_every_line() -> None:
    echo = Echo()
    code = Line(echo).run(iter(["one", "", "  ", "bad", "agar pass", "exit", "never"]))
    assert echo.heard == ["one", "bad", "agar pass"]
    assert code == 3


def test_an_open_block_reaches_them_whole_if_they_ask_for_that() -> None:
    echo = Echo()
    Line(echo, is_open=is_open).run(iter(["agar pass", " a.py padho", "end", "3 baar:", "x"]))
    assert echo.heard == ["agar pass\n a.py padho\nend", "3 baar:\nx"]


class Impatient(Echo):
    async def answer(self, text: str) -> int:
        await super().answer(text)
        if text == "wait":
            raise KeyboardInterrupt
        return 0


def test_an_interrupted_answer_does_not_end_the_conversation() -> None:
    impatient = Impatient()
    assert Line(impatient).run(iter(["wait", "next"])) == 130
    assert impatient.heard == ["wait", "next"]
