"""However `ankrcode -p` ends – signal, broken pipe, kill -9 – the session is whole and goes on."""

import asyncio
import fcntl
import json
import os
import random
import signal
import subprocess
import sys
import termios
from pathlib import Path
from shutil import which
from time import monotonic, sleep
from typing import Any

import pytest

from ankrcode.agent.agent import Agent
from ankrcode.agent.answer import Answer
from ankrcode.frontends.cli.told import Told
from ankrcode.frontends.cli.working import Working
from ankrcode.protocol.event import Event
from ankrcode.testing import ScriptedModel
from frontends.command import COMMAND, PATIENCE_S, ankrcode, environment
from frontends.headless import (
    ChatServer,
    Turn,
    ask,
    call,
    called,
    calls,
    ended,
    lines_of,
    records_in,
    said,
    scripted,
    session_file,
    started,
)
from torture import IS_TORTURE

_MOUNT = ["bwrap", "--dev-bind", "/", "/", "--size", "65536", "--tmpfs", "/mnt", "true"]
CAN_MOUNT = (
    which("bwrap") is not None
    and subprocess.run(_MOUNT, capture_output=True, check=False).returncode == 0
)
NEARLY_FULL = 48 * 1024  # of the 64 KiB that a pipe holds
KILLS = 200 if IS_TORTURE else 6


@pytest.fixture
def work(tmp_path: Path) -> Path:
    work = tmp_path / "work"
    work.mkdir()
    (work / "a.txt").write_text("one\n", encoding="utf-8")
    return work


def open_calls(records: list[dict[str, Any]]) -> set[str]:
    begun = {one["call"]["id"] for one in records if one["type"] == "call_begun"}
    return begun - {one["call_id"] for one in records if one["type"] == "call_ended"}


def until(path: Path) -> None:
    deadline = monotonic() + PATIENCE_S
    while not path.exists() and monotonic() < deadline:
        sleep(0.005)
    assert path.exists()


# ── signals ───────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_a_command_runs_ends_both_in_order(work: Path, number: int) -> None:
    command = "touch begun; sleep 60; touch late"
    model = scripted(work, calls(call("Bash", command=command)), "Never said.")
    rights = ("--permission-mode", "bypass", "--session", "s", "--output-format", "json")
    process = started(work, "go", "--model", model, *rights)
    until(work / "begun")
    process.send_signal(number)
    code, out, _ = ended(process)
    result = json.loads(out)
    assert (code, result["subtype"], result["is_error"]) == (130, "error_cancelled", True)
    assert not (work / "late").exists()
    records = records_in(session_file("s"))
    assert open_calls(records) == set(), "every call has its result"
    assert records[-1]["type"] == "turn_ended"


@pytest.mark.parametrize("form", ["json", "stream-json"])
def test_a_signal_before_the_work_has_begun_ends_with_a_result(work: Path, form: str) -> None:
    """A hook of the session's start takes its time; nobody waits for it."""
    begun = work / "begun"
    hook = {"type": "command", "command": f"touch {begun}; sleep 30"}
    home = work.parent / "home" / "ankrcode"
    home.mkdir(parents=True)
    settings = {"hooks": {"SessionStart": [{"hooks": [hook]}]}}
    (home / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    env = {"XDG_CONFIG_HOME": str(home.parent)}
    model = scripted(work, "never said")
    process = started(work, "hi", "--model", model, "--output-format", form, env=env)
    until(begun)
    process.send_signal(signal.SIGTERM)
    code, out, _ = ended(process)
    assert code == 130
    lines = [json.loads(line) for line in out.splitlines()]
    assert [one["type"] for one in lines] == ["system", "result"][form == "json" :]
    assert lines[-1]["subtype"] == "error_cancelled"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("form", ["text", "json", "stream-json"])
def test_a_signal_while_a_task_is_still_piped_in_ends_with_a_result(
    work: Path, number: int, form: str
) -> None:
    process = started(
        work, "--model", scripted(work, "x"), "--output-format", form, stdin=subprocess.PIPE
    )
    assert process.stdin is not None
    flood = b"the beginning of a task\n" * 20_000
    process.stdin.write(flood)  # more than a pipe holds: it is being read when this returns
    process.send_signal(number)
    code, out, err = ended(process)
    assert (code, err) == (130, "")
    lines = [json.loads(line) for line in out.splitlines()]
    expected = {"text": [], "json": ["result"], "stream-json": ["system", "result"]}
    assert [one["type"] for one in lines] == expected[form]
    assert all(one["subtype"] in ("init", "error_cancelled") for one in lines)


def test_what_nohup_started_outlives_its_terminal(work: Path) -> None:
    with ChatServer(said("Done.")) as chat:
        chat.may_answer.clear()
        command = ["nohup", *COMMAND, "-p", "hi", *chat.options]
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        process = subprocess.Popen(command, cwd=work, env=environment(), **pipes)  # type: ignore[call-overload]
        assert chat.has_asked.wait(PATIENCE_S)
        process.send_signal(signal.SIGHUP)
        chat.may_answer.set()
        assert ended(process)[:2] == (0, "Done.\n")


def test_a_second_signal_ends_it_also_where_nobody_reads_what_it_prints(work: Path) -> None:
    model = scripted(work, "x" * 1_000_000)
    process = started(work, "hi", "--model", model, "--output-format", "stream-json")
    assert process.stdout is not None
    deadline = monotonic() + PATIENCE_S
    while waiting_in(process.stdout.fileno()) < NEARLY_FULL and monotonic() < deadline:
        sleep(0.005)
    while process.poll() is None and monotonic() < deadline:
        process.terminate()  # the first asks it to end, when somebody has read
        sleep(0.01)
    code = process.poll()
    process.kill()
    process.communicate()
    assert code == -signal.SIGTERM


def waiting_in(handle: int) -> int:
    """Bytes that can be read."""
    return int.from_bytes(fcntl.ioctl(handle, termios.FIONREAD, bytes(4)), sys.byteorder)


class Kept:
    """Keeps what was said last."""

    wants_events = False

    def show(self, event: Event) -> None:
        pass

    def end(self, answer: Answer) -> None:
        self.answer = answer


async def test_a_task_that_ended_before_its_first_step_names_its_session(work: Path) -> None:
    printer = Kept()
    async with Agent(ScriptedModel(["Never said."]), cwd=work) as agent:
        doing = asyncio.ensure_future(Working(agent, printer).only(Told(text="go")))
        await asyncio.sleep(0)  # it is made, and has not begun
        agent.cancel()
        assert await doing == 130
        assert printer.answer.subtype == "error_cancelled"
        assert printer.answer.session_id == agent.kit.agent.session_id != ""


def test_a_signal_while_the_model_thinks_ends_at_once(work: Path) -> None:
    with ChatServer() as chat:
        chat.may_answer.clear()
        process = started(work, "hi", *chat.options, "--session", "s")
        assert chat.has_asked.wait(PATIENCE_S)
        begun = monotonic()
        process.send_signal(signal.SIGINT)
        code, out, err = ended(process)
        assert monotonic() - begun < 5
    assert (code, out) == (130, "")
    assert "ankrcode:" in err
    assert records_in(session_file("s"))[-1]["type"] == "turn_ended"


def test_what_was_interrupted_goes_on(work: Path) -> None:
    model = scripted(work, calls(call("Bash", command="touch begun; sleep 60")), "x")
    process = started(work, "go", "--model", model, "--permission-mode", "bypass")
    until(work / "begun")
    process.send_signal(signal.SIGTERM)
    ended(process)
    with ChatServer(said("Going on.")) as chat:
        done = ask(work, "and now?", "--continue", *chat.options)
    assert done.stdout == "Going on.\n", done.stderr
    messages = chat.requests[0]["messages"]
    asked = [one["id"] for m in messages for one in m.get("tool_calls") or ()]
    answered = [m["tool_call_id"] for m in messages if m["role"] == "tool"]
    assert asked == answered
    assert len(asked) == 1


# ── a reader that goes away ───────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("form", ["text", "json", "stream-json"])
def test_a_broken_pipe_is_silent_and_the_session_is_whole(work: Path, form: str) -> None:
    turns: list[Turn] = [calls(call("Read", file_path="a.txt")), {"text": "x" * 200_000}]
    model = scripted(work, *turns)
    reading, writing = os.pipe()
    os.close(reading)
    arguments = ("--output-format", form, "--session", "s", "--model", model)
    process = started(work, "go", *arguments, stdout=writing)
    os.close(writing)
    code, _, err = ended(process)
    assert code in (0, 1)
    assert err == ""
    assert open_calls(records_in(session_file("s"))) == set()
    again = ask(work, "go on", "--resume", "s", turns=["Yes."])
    assert again.stdout == "Yes.\n", again.stderr


# ── kill -9 ───────────────────────────────────────────────────────────────────────────────────
def long_task(count: int) -> list[Turn]:
    """Reads, writes and commands; file n says n, whole or not at all."""
    turns: list[Turn] = []
    for number in range(count):
        content = f"{number:04}" * 2_000
        turns += [
            calls(
                call("Write", file_path=f"f{number}.txt", content=content), text=f"Step {number}."
            ),
            calls(call("Bash", command=f"printf %s {number} > g{number}.txt")),
            calls(call("Read", file_path="a.txt", offset=1, limit=number + 1)),
        ]
    return [*turns, "All done."]


@pytest.mark.parametrize("number", range(KILLS))
def test_killed_at_any_moment_it_can_be_gone_on_with(work: Path, number: int) -> None:
    chance = random.Random(number)
    model = scripted(work, *long_task(12))
    rights = ("--permission-mode", "bypass", "--session", "s")
    process = started(work, "do it all", "--model", model, *rights)
    sleep(chance.uniform(0.1, 0.6))
    process.send_signal(signal.SIGKILL)
    process.wait(PATIENCE_S)
    process.communicate()
    for path in work.glob("f*.txt"):
        content = path.read_text(encoding="utf-8")
        assert content == f"{int(path.stem[1:]):04}" * 2_000, "a file is old or new, never mixed"
    log = session_file("s")
    if not log.exists():
        return  # it died before it began
    going = ["--resume", "s"] if log.stat().st_size else ["--session", "s2"]
    with ChatServer(called("Read", {"file_path": "a.txt"}, "new"), said("Went on.")) as chat:
        done = ask(work, "go on", *going, *chat.options, "--permission-mode", "bypass")
    assert (done.stdout, done.returncode) == ("Went on.\n", 0), done.stderr
    check_conversation(chat.requests[0]["messages"])
    records = records_in(session_file(going[1]))
    assert open_calls(records) == set()
    done_calls = [one["call_id"] for one in records if one["type"] == "call_ended"]
    assert len(done_calls) == len(set(done_calls)), "one result each"


def check_conversation(messages: list[dict[str, Any]]) -> None:
    """As a provider demands it: each call is answered once, right after it was made."""
    waiting: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            assert message["tool_call_id"] == waiting.pop(0)
            continue
        assert not waiting, "calls without results"
        waiting = [one["id"] for one in message.get("tool_calls") or ()]
    assert not waiting


def test_what_a_killed_run_changed_can_be_undone(work: Path) -> None:
    (work / "do").write_text("#!/bin/sh\necho two > a.txt\ntouch begun\nsleep 60\n", "utf-8")
    (work / "do").chmod(0o755)
    model = scripted(work, calls(call("Bash", command="./do")), "x")
    process = started(work, "go", "--model", model, "--permission-mode", "bypass")
    until(work / "begun")
    process.send_signal(signal.SIGKILL)
    process.wait(PATIENCE_S)
    process.communicate()
    assert ankrcode("undo", cwd=work).returncode == 0
    assert (work / "a.txt").read_text(encoding="utf-8") == "one\n"
    assert not (work / "begun").exists()


def test_two_runs_on_one_session_are_told_apart(work: Path) -> None:
    with ChatServer() as chat:
        chat.may_answer.clear()
        first = started(work, "hi", *chat.options, "--session", "s")
        assert chat.has_asked.wait(PATIENCE_S)
        second = ask(work, "hi", "--session", "s", "--output-format", "json", turns=["x"])
        assert second.returncode == 2
        assert lines_of(second)[0]["subtype"] == "error_during_execution"
        assert "--fork" in second.stderr
        first.send_signal(signal.SIGTERM)
        ended(first)


def test_nothing_is_left_running(work: Path) -> None:
    command = "sleep 61 & echo $! > pid; touch begun; sleep 61"
    model = scripted(work, calls(call("Bash", command=command)), "x")
    process = started(work, "go", "--model", model, "--permission-mode", "bypass")
    until(work / "begun")
    process.send_signal(signal.SIGTERM)
    ended(process)
    pid = int((work / "pid").read_text(encoding="utf-8"))
    deadline = monotonic() + PATIENCE_S
    while Path(f"/proc/{pid}").exists() and monotonic() < deadline:
        sleep(0.01)
    found = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, check=False)
    assert found.stdout.strip() in (b"", b"Z")


@pytest.mark.skipif(not CAN_MOUNT, reason="bubblewrap may not mount here")
@pytest.mark.parametrize("form", ["json", "stream-json"])
def test_a_full_disk_ends_the_task_with_a_clear_result(work: Path, form: str) -> None:
    (work / "big.txt").write_text("a line of text\n" * 1_500, encoding="utf-8")
    turns = [calls(call("Read", file_path="big.txt", offset=n)) for n in range(1, 11)]
    state = Path(os.environ["HOME"]) / ".local" / "state"
    state.mkdir(parents=True)
    small = ["bwrap", "--dev-bind", "/", "/", "--size", "131072", "--tmpfs", str(state)]
    model = scripted(work, *turns, "Done.")
    done = subprocess.run(
        [*small, *COMMAND, "-p", "go", "--model", model, "--output-format", form],
        cwd=work,
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    result = json.loads(done.stdout.splitlines()[-1])
    assert (done.returncode, result["subtype"]) == (2, "error_during_execution"), done.stderr
    assert "No space left" in result["error"]
    assert result["session_id"].startswith("session_")
