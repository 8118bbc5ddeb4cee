"""`--resume` by id, beginning or title, and the line that says what is gone on with."""

import os
import select
import subprocess
from pathlib import Path

import pytest

from ankrcode.frontends.cli.which_session import _ago
from frontends.command import COMMAND, PATIENCE_S, ankrcode, environment
from frontends.headless import ask, lines_of, scripted, session_file


@pytest.fixture
def work(tmp_path: Path) -> Path:
    work = tmp_path / "work"
    work.mkdir()
    return work


def recorded(work: Path, name: str, task: str, title: str = "") -> None:
    assert ask(work, task, "--session", name, turns=["Yes."]).returncode == 0
    if title:
        assert ankrcode("sessions", "rename", name, title, cwd=work).returncode == 0


def resumed(work: Path, said: str) -> str:
    done = ask(work, "and?", "--resume", said, "--output-format", "json", turns=["Go on."])
    assert done.returncode == 0, done.stderr
    return str(lines_of(done)[0]["session_id"])


# ── which one is meant ────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "said",
    [
        "login-1",
        "log",
        "Mend the Login",
        "mend the login",
        " MEND THE LOGIN ",
        "mend the l",
        "Mend…",
    ],
)
def test_a_session_is_meant_by_its_id_its_title_or_how_they_begin(work: Path, said: str) -> None:
    recorded(work, "login-1", "please look at it", "Mend the Login")
    recorded(work, "other-1", "write a poem")
    assert resumed(work, said) == "login-1"


def test_a_session_without_a_name_has_the_first_words_of_its_task_as_title(work: Path) -> None:
    recorded(work, "one", "Make the failing test pass, and then look at every other file of it")
    recorded(work, "two", "write a poem")
    assert resumed(work, "make the failing") == "one"
    listed = ankrcode("sessions", "list", cwd=work).stdout
    title = next(line for line in listed.splitlines() if line.startswith("one")).split("  ")[3]
    assert title.endswith("…")
    assert resumed(work, title) == "one"


def test_a_title_in_any_script_is_found(work: Path) -> None:
    recorded(work, "one", "x", "लॉगिन ठीक करो")
    recorded(work, "two", "y", "ÄRGER im Büro")
    assert resumed(work, "लॉगिन") == "one"
    assert resumed(work, "ärger IM") == "two"


def test_a_whole_title_counts_before_a_beginning(work: Path) -> None:
    recorded(work, "one", "x", "Login")
    recorded(work, "two", "y", "Login again")
    assert resumed(work, "login") == "one"


def test_a_whole_id_counts_before_all_else(work: Path) -> None:
    recorded(work, "login", "x", "Poem")
    recorded(work, "login-2", "y", "login")
    assert resumed(work, "login") == "login"


@pytest.mark.parametrize(("said", "form"), [("Log", "text"), ("mine-", "json"), ("same", "text")])
def test_several_that_may_be_meant_are_named(work: Path, said: str, form: str) -> None:
    recorded(work, "mine-1", "x", "Login one")
    recorded(work, "mine-2", "y", "Login two")
    recorded(work, "poem-1", "z", "same")
    recorded(work, "poem-2", "z", "Same")
    before = session_file("mine-1").read_bytes()
    done = ask(work, "and?", "--resume", said, "--output-format", form, turns=["Never."])
    assert done.returncode == 2
    named = ("poem-1", "poem-2") if said == "same" else ("mine-1 (Login one)", "mine-2 (Login two)")
    for one in named:
        assert one in done.stderr
    assert session_file("mine-1").read_bytes() == before


def test_of_very_many_only_some_are_named(work: Path) -> None:
    recorded(work, "mine-0", "x")
    log = session_file("mine-0").read_bytes()
    for number in range(1, 9):
        session_file(f"mine-{number}").write_bytes(log)
    done = ask(work, "and?", "--resume", "mine", turns=["Never."])
    assert done.returncode == 2
    assert "9 sessions" in done.stderr
    assert done.stderr.count("mine-") == 5


@pytest.mark.parametrize("said", ["no such title", "nothing", "../x", "%", "[", "*", "\\"])
def test_what_no_session_is_called_is_said(work: Path, said: str) -> None:
    recorded(work, "mine", "write a poem")
    done = ask(work, "and?", "--resume", said, turns=["Never."])
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


def test_an_empty_beginning_is_not_everything(work: Path) -> None:
    recorded(work, "mine", "write a poem")
    session_file("other").write_bytes(b"")  # it has no title at all
    for said in ("", "  ", "…"):
        assert ask(work, "and?", "--resume", said, turns=["Never."]).returncode == 2


def test_exec_goes_on_by_title_too(work: Path) -> None:
    recorded(work, "mine", "write a poem", "The Poem")
    done = ankrcode("exec", "List", "path=.", "--resume", "the poem", cwd=work)
    assert done.returncode == 0, done.stderr


# ── what is said of it ────────────────────────────────────────────────────────────────────────
def on_terminal(work: Path, *arguments: str) -> tuple[str, str]:
    """What stood on standard output, and on a terminal that is standard error."""
    ours, theirs = os.openpty()
    model = scripted(work, "Go on.")
    process = subprocess.Popen(
        [*COMMAND, "-p", "and?", *arguments, "--model", model],
        cwd=work,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=theirs,
    )
    os.close(theirs)
    out, _ = process.communicate(timeout=PATIENCE_S)
    said = b""
    while select.select([ours], [], [], 1.0)[0]:
        try:
            said += os.read(ours, 4096)
        except OSError:  # nobody writes any more
            break
    os.close(ours)
    assert process.returncode == 0, said
    return out.decode(), said.decode()


@pytest.mark.parametrize("how", [("--continue",), ("--resume", "the")])
def test_a_person_is_told_what_is_gone_on_with(work: Path, how: tuple[str, ...]) -> None:
    recorded(work, "mine", "write a poem", "The\nPoem")
    out, said = on_terminal(work, *how)
    assert out == "Go on.\n"
    assert said == "ankrcode: Going on with “The Poem”, a moment ago.\r\n"


def test_codes_in_a_title_are_shown_and_not_obeyed(work: Path) -> None:
    recorded(work, "mine", "write a poem about\x1b[31m tea")
    _, said = on_terminal(work, "--continue")
    assert "\x1b" not in said
    assert "write a poem about" in said


def test_a_session_of_which_nothing_is_known_is_named_by_its_id(work: Path) -> None:
    recorded(work, "mine", "write a poem")
    session_file("mine").write_bytes(b"")
    _, said = on_terminal(work, "--resume", "mine")
    assert said == "ankrcode: Going on with “mine”, a moment ago.\r\n"


def test_a_secret_in_a_title_is_not_shown(work: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    recorded(work, "mine", f"use {token} for it")
    _, said = on_terminal(work, "--continue")
    assert token not in said
    assert "Going on with “use " in said


@pytest.mark.parametrize("form", ["json", "stream-json"])
def test_programs_are_told_nothing_beside_their_lines(work: Path, form: str) -> None:
    recorded(work, "mine", "write a poem", "The Poem")
    _, said = on_terminal(work, "--continue", "--output-format", form)
    assert said == ""


def test_scripts_are_told_nothing(work: Path) -> None:
    recorded(work, "mine", "write a poem", "The Poem")
    assert ask(work, "and?", "--continue", turns=["Go on."]).stderr == ""


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (-5, "a moment ago"),
        (0, "a moment ago"),
        (59.9, "a moment ago"),
        (60, "1 min ago"),
        (3_599, "59 min ago"),
        (3_600, "1 h ago"),
        (86_399, "23 h ago"),
        (86_400 * 400, "400 d ago"),
    ],
)
def test_how_long_ago_is_said_roughly(seconds: float, said: str) -> None:
    assert _ago(seconds) == said
