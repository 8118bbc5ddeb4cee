"""`ankrcode -p` on rough ground: strange bytes, streams that are gone, a home nobody can write."""

import json
import os
import subprocess
from pathlib import Path
from typing import IO, Any

import pytest

from frontends.command import COMMAND, PATIENCE_S, ankrcode, environment
from frontends.headless import (
    NO_KEYS,
    ChatServer,
    ask,
    call,
    called,
    calls,
    lines_of,
    said,
    scripted,
)
from people import powerless_root

FORMS = ["text", "json", "stream-json"]
STRAY = "caf\udce9"  # a byte that is no UTF-8, as Python keeps it


@pytest.fixture
def work(tmp_path: Path) -> Path:
    work = tmp_path / "work"
    work.mkdir()
    (work / "a.txt").write_text("one\n", encoding="utf-8")
    return work


def run_with(
    work: Path, *arguments: str, env: dict[str, str] | None = None, **streams: Any
) -> subprocess.CompletedProcess[bytes]:
    """With streams of the test's own."""
    pipes: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE}
    done = subprocess.run(
        [*COMMAND, "-p", *arguments],
        cwd=work,
        env=environment(env),
        timeout=PATIENCE_S,
        check=False,
        **{**pipes, "stderr": subprocess.PIPE, **streams},
    )
    assert b"Traceback" not in (done.stderr or b""), done.stderr
    return done


def opened(path: str, flags: int) -> IO[bytes]:
    return os.fdopen(os.open(path, flags), "rb" if flags == os.O_RDONLY else "wb")


# ── bytes that are no UTF-8 ───────────────────────────────────────────────────────────────────
def test_a_task_and_prompts_may_have_bytes_that_are_no_text(work: Path) -> None:
    with ChatServer(said("Seen.")) as chat:
        done = run_with(work, STRAY, "--append-system-prompt", STRAY, *chat.options)
    assert (done.stdout, done.returncode) == (b"Seen.\n", 0)
    first, last = chat.requests[0]["messages"]
    assert first["content"].rstrip().endswith(r"caf\xe9")
    assert last["content"] == r"caf\xe9"


def test_where_the_locale_knows_no_letters_a_task_is_still_utf_8(work: Path) -> None:
    narrow = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    with ChatServer(said("Seen.")) as chat:
        done = run_with(work, "नमस्ते", *chat.options, env=narrow)
    assert (done.stdout, done.returncode) == (b"Seen.\n", 0)
    assert chat.requests[0]["messages"][-1]["content"] == "नमस्ते"


def test_in_a_folder_whose_name_is_no_utf_8_files_are_found_and_named(work: Path) -> None:
    folder = work / STRAY
    folder.mkdir()
    (folder / f"{STRAY}.txt").write_text("two\n", encoding="utf-8")
    answers = [called("Glob", {"pattern": "*"}), called("Bash", {"command": "ls; cat caf*"})]
    form = ("--output-format", "stream-json")
    with ChatServer(*answers, said("Seen.")) as chat:
        done = run_with(folder, "look", *chat.options, *form)
        again = run_with(folder, "again", "--continue", *chat.options, *form)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert lines[0]["cwd"] == str(folder), "as escapes that survive the way out and back"
    assert (lines[-1]["result"], done.returncode) == ("Seen.", 0)
    assert r"caf\xe9" in chat.requests[0]["messages"][0]["content"], "where it works"
    assert chat.requests[1]["messages"][-1]["content"].endswith(r"caf\xe9/caf\xe9.txt")
    assert again.returncode == 0, again.stderr
    assert len(chat.requests[-1]["messages"]) > 6, "and the session goes on"


# ── streams ───────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("arguments", [["hi"], ["--input-format", "stream-json", "hi"]])
def test_input_that_cannot_be_read_is_none(work: Path, arguments: list[str]) -> None:
    """nohup gives such an input to what is started on a terminal."""
    with opened(os.devnull, os.O_WRONLY) as unreadable:
        done = run_with(work, *arguments, "--model", scripted(work, "Hello."), stdin=unreadable)
    assert (done.stdout, done.stderr, done.returncode) == (b"Hello.\n", b"", 0)


def test_input_that_cannot_be_read_begins_no_conversation(work: Path) -> None:
    with opened(os.devnull, os.O_WRONLY) as unreadable:
        done = subprocess.run(
            COMMAND,
            cwd=work,
            env=environment(),
            stdin=unreadable,
            capture_output=True,
            timeout=PATIENCE_S,
            check=False,
        )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"usage: ankrcode" in done.stdout


def test_output_that_cannot_be_written_is_said(work: Path) -> None:
    form = ("--output-format", "json")
    with opened(os.devnull, os.O_RDONLY) as unwritable:
        done = run_with(work, "hi", "--model", scripted(work, "x"), *form, stdout=unwritable)
    assert done.returncode == 1
    assert done.stderr == b"ankrcode: The answer could not be written: Bad file descriptor.\n"


@pytest.mark.parametrize(
    ("turns", "code"),
    [(None, 3), ([calls(call("Read", file_path="a.txt"))] * 2, 5)],
)
def test_nobody_who_reads_errors_changes_no_exit_code(
    work: Path, turns: list[Any] | None, code: int
) -> None:
    model = scripted(work, *turns) if turns else "scripted/missing.json"
    with opened("/dev/full", os.O_WRONLY) as full:
        done = run_with(work, "hi", "--max-turns", "1", "--model", model, stderr=full)
    assert done.returncode == code
    form = ("--output-format", "stream-json")
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as gone:
        done = run_with(work, "hi", "--max-turns", "1", "--model", model, *form, stderr=gone)
    assert done.returncode == code
    assert json.loads(done.stdout.splitlines()[-1])["is_error"] is True


@pytest.mark.parametrize(
    "data",
    [
        "\ufeffa note\r\n".encode(),
        "a note\r\n".encode("utf-16"),
        b"\xfe\xff" + "a note".encode("utf-16-be"),
    ],
)
def test_what_is_piped_in_may_begin_with_a_mark(work: Path, data: bytes) -> None:
    with ChatServer(said("Seen.")) as chat:
        ask(work, "explain", *chat.options, given=data)
    told = chat.requests[0]["messages"][-1]["content"]
    assert "<stdin>\na note" in told


PLUGIN = """
import sys
from ankrcode import Permission, tool

@tool(permission=Permission.READ)
def chatter() -> str:
    "Prints."
    print("as it likes")
    sys.stdout.write("and likes")
    return "quiet"
"""


@pytest.mark.parametrize("form", FORMS)
def test_what_a_tool_of_others_prints_goes_to_standard_error(
    work: Path, tmp_path: Path, form: str
) -> None:
    (tmp_path / "chatter.py").write_text(PLUGIN, encoding="utf-8")
    facts = tmp_path / "chatter-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Name: chatter\nVersion: 1.0\n", encoding="utf-8")
    points = "[ankrcode.tools]\nchatter = chatter:chatter\n"
    (facts / "entry_points.txt").write_text(points, encoding="utf-8")
    model = scripted(work, calls(call("chatter")), "Hello.")
    chosen = ("--model", model, "--output-format", form, "--set", 'plugins=["chatter"]')
    done = run_with(work, "go", *chosen, env={"PYTHONPATH": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    assert done.stderr == b"as it likes\nand likes"
    if form == "text":
        assert done.stdout == b"Hello.\n"
    else:
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        assert lines[-1]["result"] == "Hello."


# ── places ────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("form", FORMS)
def test_a_current_folder_that_is_gone_is_said_in_every_form(work: Path, form: str) -> None:
    """Also where the first line of a stream would name it."""
    model = scripted(work, "Hello.")
    words = [*COMMAND, "-p", "hi", "--model", model, "--output-format", form]
    gone = work / "gone"
    gone.mkdir()
    done = subprocess.run(
        ["sh", "-c", 'rmdir ../gone && exec "$@"', "sh", *words],
        cwd=gone,
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith(b"ankrcode: The current directory no longer exists.")
    lines = [json.loads(line)["type"] for line in done.stdout.splitlines()]
    assert lines == {"text": [], "json": ["result"], "stream-json": ["system", "result"]}[form]


@pytest.mark.parametrize("is_named", [True, False])
def test_a_folder_that_is_closed_to_this_person_is_said(work: Path, *, is_named: bool) -> None:
    closed = work / "closed"
    closed.mkdir()
    model = scripted(work, "Hello.")
    words = [*COMMAND, "-p", "hi", "--model", model, "--output-format", "json"]
    words += ["--cwd", str(closed)] if is_named else []
    with powerless_root():
        done = subprocess.run(
            ["sh", "-c", 'chmod 0 "$0" && exec "$@"', str(closed), *words],
            cwd=work if is_named else closed,
            env=environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PATIENCE_S,
            check=False,
        )
    closed.chmod(0o700)
    assert done.returncode == 2
    assert done.stderr.startswith(f"ankrcode: The workspace {closed} may not be entered.".encode())
    assert json.loads(done.stdout)["subtype"] == "error_during_execution"


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_home_that_cannot_be_written_is_said_with_the_way_around_it(
    work: Path, form: str
) -> None:
    env = {"HOME": "/proc"}  # nobody can make a folder there, whoever they are
    done = ask(work, "hi", "--output-format", form, turns=["Hello."], env=env)
    assert done.returncode == 2
    assert "/proc" in done.stderr
    assert "--no-session" in done.stderr
    assert all("--no-session" in one["error"] for one in lines_of(done)) or form == "text"
    done = ask(work, "hi", "--no-session", turns=["Hello."], env=env)
    assert (done.stdout, done.stderr, done.returncode) == ("Hello.\n", "", 0)


def test_a_further_folder_may_begin_with_a_tilde(work: Path, own_home: Path) -> None:
    """A shell leaves it as it is in --add-dir=~/x."""
    (own_home / "notes").mkdir()
    (own_home / "notes" / "n.txt").write_text("two\n", encoding="utf-8")
    turns = [calls(call("Read", file_path=str(own_home / "notes" / "n.txt"))), "Read."]
    done = ask(work, "read", "--add-dir=~/notes", turns=turns)
    assert (done.stdout, done.returncode) == ("Read.\n", 0), done.stderr


# ── words on the command line ─────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("words", "task"),
    [
        (["--", "-hi there"], "-hi there"),
        (["--", "--model", "x"], "--model x"),
        (["fix", "--", "-v", "--", "-q"], "fix -v -- -q"),
        (["--"], None),
    ],
)
def test_behind_two_dashes_all_is_the_task(work: Path, words: list[str], task: str | None) -> None:
    with ChatServer(said("Seen.")) as chat:
        done = ask(work, *chat.options, *words)
    if task is None:
        assert (done.returncode, chat.requests) == (2, [])
    else:
        assert done.stdout == "Seen.\n", done.stderr
        assert chat.requests[0]["messages"][-1]["content"] == task


@pytest.mark.parametrize(
    ("option", "near"),
    [
        ("--max-turn=3", "--max-turn: did you mean --max-turns?"),
        ("--alowed-tools", "did you mean --allowed-tools?"),
        ("--dangerously-skip-permissions", "did you mean --permission-mode bypass?"),
        ("--max-budget-usd", "did you mean --max-cost?"),
        ("--xyz", ""),
    ],
)
def test_an_unknown_option_is_named_with_the_one_that_was_meant(
    work: Path, option: str, near: str
) -> None:
    done = ask(work, "hi", option)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"unrecognized arguments: {option}" in done.stderr
    assert near in done.stderr
    assert ("did you mean" in done.stderr) is bool(near)


def test_other_commands_name_the_option_that_was_meant_too(work: Path) -> None:
    done = ankrcode("doctor", "--jsn", cwd=work)
    assert done.returncode == 2
    assert "did you mean --json?" in done.stderr


# ── rules ─────────────────────────────────────────────────────────────────────────────────────
WRITES = [calls(call("Write", file_path="n.txt", content="hi")), "Done."]


def test_rules_may_stand_on_lines_of_their_own(work: Path) -> None:
    done = ask(work, "write", "--allowed-tools", "Read\n\tWrite(n.txt)\n", turns=WRITES)
    assert (done.stdout, done.stderr, done.returncode) == ("Done.\n", "", 0)


@pytest.mark.parametrize(
    ("option", "rule", "near"),
    [
        ("--disallowed-tools", "write", "Write"),
        ("--disallowed-tools", "Wrote(n.txt)", "Write"),
        ("--allowed-tools", "bash(make:*)", "Bash"),
    ],
)
def test_a_rule_for_a_tool_that_is_nearly_one_is_warned_of(
    work: Path, option: str, rule: str, near: str
) -> None:
    done = ask(work, "write", "--permission-mode", "bypass", option, rule, turns=WRITES)
    assert f"warning: {option}: there is no tool as in '{rule}'" in done.stderr
    assert f"did you mean {near}?" in done.stderr
    assert done.stdout == "Done.\n"


def test_rules_for_tools_of_others_are_not_warned_of(work: Path) -> None:
    rules = "WebFetch,MultiEdit,LS,NotebookRead,Agent,BashOutput,KillBash,mcp__x__y,Bash(make:*)"
    done = ask(work, "hi", "--allowed-tools", rules, "--disallowed-tools", "*", turns=["Hello."])
    assert (done.stdout, done.stderr) == ("Hello.\n", "")


def test_a_rule_that_is_none_is_told_with_the_option_it_stood_at(work: Path) -> None:
    for option in ("--allowed-tools", "--disallowed-tools"):
        done = ask(work, "hi", option, "Bash;Edit", turns=["Hello."])
        assert done.returncode == 2
        assert done.stderr.startswith(f"ankrcode: {option}: 'Bash;Edit' is not a rule")


# ── schemas, models ───────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ("deep.json", "--json-schema"),
        ("/dev/zero", "/dev/zero has more than"),
        ("", "give a JSON Schema, or a file that holds one"),
        ("~nobody-of-that-name/x.json", "No such file"),
    ],
)
def test_a_schema_that_cannot_be_one_is_refused_in_a_moment(
    work: Path, schema: str, why: str
) -> None:
    (work / "deep.json").write_text("[" * 100_000, encoding="utf-8")
    done = ask(work, "hi", "--json-schema", schema, "--output-format", "json", turns=["{}"])
    (result,) = lines_of(done)
    assert (done.returncode, result["subtype"]) == (2, "error_during_execution")
    assert why in result["error"]


def test_offline_without_a_model_no_key_is_asked_for(work: Path) -> None:
    for offline in (["--offline"], ["--set", "models.offline=true"]):
        done = ask(work, "why is the sky blue?", *offline, env=NO_KEYS)
        assert (done.returncode, done.stdout) == (3, "")
        assert done.stderr.count("\n") == 1
        assert "on this machine" in done.stderr
        assert "ollama/" in done.stderr
        assert "work without" in done.stderr
        assert "KEY" not in done.stderr
