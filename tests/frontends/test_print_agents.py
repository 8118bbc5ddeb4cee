"""`ankrcode -p` with further agents: however it ends, they end with it, and nothing is left."""

import json
import os
import shutil
import signal
import subprocess
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

from agent.test_worktree import git, template
from frontends.command import PATIENCE_S, ankrcode
from frontends.headless import (
    Turn,
    ask,
    call,
    calls,
    ended,
    lines_of,
    records_in,
    scripted,
    session_file,
    started,
)
from frontends.test_print_end import open_calls

__all__ = ["template"]

WORKTREES = ".local/state/ankrcode/worktrees"
RIGHTS = ("--allowed-tools", "Bash,Task,Write", "--session", "s", "--output-format", "json")


@pytest.fixture
def work(tmp_path: Path, template: Path) -> Path:
    work = Path(shutil.copytree(template, tmp_path / "work"))
    (work / ".gitignore").write_text("begun\n", encoding="utf-8")
    return work


def order(**more: Any) -> dict[str, Any]:
    return call("Task", description="d", prompt="the part", subagent_type="general", **more)


def at_work(work: Path, *, first: str = "true", **more: Any) -> "subprocess.Popen[bytes]":
    """One whose agent runs a command in a worktree, for long."""
    hangs = calls(call("Bash", command=f"{first}; touch begun; {asleep(work)}"), when="the part")
    turns: list[Turn] = [calls(order(isolation="worktree", **more)), hangs]
    if more:
        turns.append(calls(call("Bash", command="sleep 60"), when="Background"))
    process = started(work, "go", "--model", scripted(work, *turns), *RIGHTS)
    give_up = monotonic() + PATIENCE_S
    while not any((Path(os.environ["HOME"]) / WORKTREES).glob("*/begun")):
        if process.poll() is not None or monotonic() > give_up:
            process.kill()
            raise AssertionError(process.communicate())
        sleep(0.01)
    return process


def asleep(work: Path) -> str:
    """A command that can be told from all others."""
    return f"sleep 60.{work.stat().st_ino}"


def running(command: str) -> list[int]:
    found = []
    for one in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if command.encode() in one.read_bytes().replace(b"\0", b" "):
                found.append(int(one.parent.name))
    return found


def end(command: str) -> None:
    """What outlived its AnkrCode, whose place is only looked at when nobody stands in it."""
    give_up = monotonic() + PATIENCE_S
    while (left := running(command)) and monotonic() < give_up:
        for number in left:
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
        sleep(0.01)


def in_worktrees(work: Path) -> list[str]:
    return git(work, "worktree", "list").splitlines()[1:]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("where", [{}, {"run_in_background": True}])
def test_a_signal_reaches_an_agent_and_the_command_it_runs(
    where: dict[str, Any], number: int, work: Path
) -> None:
    process = at_work(work, **where)
    assert len(in_worktrees(work)) == 1
    process.send_signal(number)
    code, out, _ = ended(process)
    assert (code, json.loads(out)["subtype"]) == (130, "error_cancelled")
    assert running(asleep(work)) == []
    assert in_worktrees(work) == []
    assert git(work, "branch") == "* main"
    records = records_in(session_file("s"))
    assert open_calls(records) == set()
    assert "turn_ended" in [one["type"] for one in records[-6:]]


def test_who_answers_does_not_wait_for_one_in_the_background(work: Path) -> None:
    hangs = calls(call("Bash", command="sleep 60"), when="the part")
    ordered = calls(order(isolation="worktree", run_in_background=True))
    turns: list[Turn] = [ordered, hangs, {"when": "Background", "text": "It works on it."}]
    done = ask(work, "go", *RIGHTS, turns=turns)
    assert (done.returncode, json.loads(done.stdout)["result"]) == (0, "It works on it.")
    assert in_worktrees(work) == []


@pytest.mark.parametrize("form", ["text", "stream-json"])
def test_after_kill_9_the_next_one_says_where_the_changes_are(form: str, work: Path) -> None:
    process = at_work(work, first="cp a.txt new.txt")
    process.kill()
    process.communicate()
    end(asleep(work))
    (left,) = in_worktrees(work)
    place = Path(left.split()[0])
    turns: list[Turn] = [calls(order()), "seen", "done"]
    form_of = ("--output-format", form)
    done = ask(work, "go", "--allowed-tools", "Task", *form_of, turns=turns)
    assert done.returncode == 0, done.stderr
    if form == "text":
        told = done.stderr
    else:
        (told,) = [one["message"] for one in lines_of(done) if one.get("subtype") == "notice"]
    assert f"its changes are in {place}, on the branch ankrcode/agent_" in told
    assert (place / "new.txt").read_text(encoding="utf-8") == "committed\n"


def test_exec_says_in_data_that_it_takes_a_model(work: Path) -> None:
    arguments = {"description": "d", "prompt": "p", "subagent_type": "explore"}
    done = ankrcode("exec", "Task", "--params", json.dumps(arguments), "--json", cwd=work)
    result = json.loads(done.stdout)
    assert result["metadata"]["error"] == "LLM_ASSIST_REQUIRED"
    assert (result["metadata"]["subagent_type"], result["metadata"]["prompt"]) == ("explore", "p")
    assert done.returncode != 0


def test_work_that_an_agent_was_not_allowed_is_no_success(work: Path) -> None:
    write = call("Write", file_path="new.txt", content="x")
    turns: list[Turn] = [calls(order()), calls(write), "It was refused.", "So be it."]
    done = ask(work, "go", "--output-format", "json", turns=turns)
    result = json.loads(done.stdout)
    assert (done.returncode, result["subtype"]) == (4, "error_denied")
    assert [one["tool_name"] for one in result["permission_denials"]] == ["Task"]


def test_what_the_parent_then_did_itself_is_one(work: Path) -> None:
    write = call("Write", file_path="new.txt", content="x")
    own = call("Bash", command="cp a.txt new.txt")
    turns: list[Turn] = [calls(order()), calls(write), "It was refused.", calls(own), "Done."]
    rights = ("--allowed-tools", "Bash", "--output-format", "json")
    done = ask(work, "go", *rights, turns=turns)
    assert (done.returncode, json.loads(done.stdout)["subtype"]) == (0, "success")
