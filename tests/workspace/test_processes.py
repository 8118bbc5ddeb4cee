"""Processes: real ones, started, read, watched and ended."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ankrcode import ToolError
from ankrcode.workspace.processes.confinement import Launch, NoConfinement
from ankrcode.workspace.processes.environment import Environment
from ankrcode.workspace.processes.processes import Outcome, Process, Processes
from ankrcode.workspace.processes.saved import Saved
from workspace.running import (
    alive,
    descriptors,
    long_sleep,
    printed,
    processes_in,
    settled,
    threads,
)


@pytest.fixture
def owner(tmp_path: Path) -> Iterator[Processes]:
    owner = processes_in(tmp_path)
    yield owner
    owner.close()


async def ran(folder: Path, command: str, timeout_s: float = 20) -> tuple[Process, Outcome]:
    owner = processes_in(folder)
    process = owner.shell(command, cwd=str(folder), timeout_s=timeout_s)
    return process, await process.finished()


async def until_started(process: Process) -> None:
    await process.started()


def telling(queue: "asyncio.Queue[str]") -> Callable[[str], None]:
    """Hears in a thread, tells in this loop."""
    loop = asyncio.get_running_loop()

    def told(text: str) -> None:
        loop.call_soon_threadsafe(queue.put_nowait, text)

    return told


# ── the ordinary case ─────────────────────────────────────────────────────────────────────────
async def test_output_and_errors_come_in_the_order_in_which_they_were_printed(
    tmp_path: Path,
) -> None:
    process, outcome = await ran(tmp_path, "echo 1; echo 2 >&2; echo 3; echo 4 >&2; exit 5")
    assert printed(process) == "1\n2\n3\n4\n"
    assert (outcome.exit_code, outcome.signal, outcome.ended_by) == (5, 0, "exit")


async def test_errors_are_kept_apart_where_that_is_asked(owner: Processes, tmp_path: Path) -> None:
    process = owner.start(
        ["sh", "-c", "echo out; echo err >&2"], cwd=str(tmp_path), splits=True, timeout_s=20
    )
    await process.finished()
    assert process.output.extract().head == b"out\n"
    assert process.errors.extract().head == b"err\n"


async def test_there_is_no_input_no_terminal_and_a_session_of_its_own(tmp_path: Path) -> None:
    process, outcome = await ran(tmp_path, "cat; readlink /proc/self/fd/0; exec 9</dev/tty")
    assert printed(process).startswith("/dev/null\n")
    assert "/dev/tty" in printed(process)  # it says that there is none
    assert outcome.exit_code != 0
    process, _ = await ran(tmp_path, "ps -o sid= -p $$; echo $$")
    session, own = printed(process).split()
    assert session == own != str(os.getsid(0))


@pytest.mark.parametrize(
    ("command", "code", "number"),
    [("kill -9 $$", 137, 9), ("kill -TERM $$", 143, 15), ("kill -SEGV $$", 139, 11)],
)
async def test_a_signal_is_told_as_shells_tell_it(
    tmp_path: Path, command: str, code: int, number: int
) -> None:
    _, outcome = await ran(tmp_path, command)
    assert (outcome.exit_code, outcome.signal) == (code, number)


async def test_what_it_prints_is_told_while_it_runs(owner: Processes, tmp_path: Path) -> None:
    heard: asyncio.Queue[str] = asyncio.Queue()
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    process = owner.shell(
        "echo first; read x <fifo; echo second",
        cwd=str(tmp_path),
        timeout_s=20,
        told=telling(heard),
    )
    assert await heard.get() == "first\n"
    assert not process.is_done
    fifo.write_text("go\n", encoding="utf-8")
    assert await heard.get() == "second\n"
    assert (await process.finished()).exit_code == 0


async def test_a_program_gets_exactly_the_variables_it_is_given(
    owner: Processes, tmp_path: Path
) -> None:
    process = owner.start(["/usr/bin/env"], cwd=str(tmp_path), env={"ONE": "1"}, timeout_s=20)
    await process.finished()
    assert printed(process) == "ONE=1\n"


async def test_it_needs_no_event_loop_and_outlives_one(owner: Processes, tmp_path: Path) -> None:
    process = owner.shell("read x; echo $x", cwd=str(tmp_path), takes_input=True)
    await asyncio.to_thread(asyncio.run, until_started(process))  # another loop, closed again
    assert process.send(b"hello\n") == 6
    assert process.wait(20)
    assert printed(process) == "hello\n"


# ── where it ended ────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "command",
    [
        "cd below",
        "cd below; exit 3",
        "cd below; false",
        "set -eu; cd below; false; echo never",
        "cd below && (cd / && pwd)",
        "cd below; f() { return 2; }; f",
        "pwd() { echo /fake; }; cd below",
        "cd below; exec 3>out; exec 3>&-",
    ],
)
async def test_it_tells_in_which_directory_it_ended(tmp_path: Path, command: str) -> None:
    (tmp_path / "below").mkdir()
    _, outcome = await ran(tmp_path, command)
    assert outcome.cwd == str(tmp_path / "below")


@pytest.mark.parametrize("command", ["kill -9 $$", "exec true", "trap - EXIT; exit", "rmdir $PWD"])
async def test_where_it_cannot_tell_nothing_is_made_up(
    owner: Processes, tmp_path: Path, command: str
) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    process = owner.shell(command, cwd=str(folder), timeout_s=20)
    assert (await process.finished()).cwd == ""


async def test_a_directory_may_have_any_name(tmp_path: Path) -> None:
    name = "a 'b'\n\"c\" $d हिन्दी"
    (tmp_path / name).mkdir()
    _, outcome = await ran(tmp_path, "cd a*")
    assert outcome.cwd == str(tmp_path / name)


async def test_the_command_is_not_disturbed_by_how_it_is_run(tmp_path: Path) -> None:
    process, _ = await ran(tmp_path, 'echo $# "$0" "$1" $-\nfalse\necho $? $LINENO')
    assert printed(process) == "0 bash  hBc\n1 3\n"


async def test_a_fault_in_the_command_shows_the_command_and_nothing_of_ours(
    tmp_path: Path,
) -> None:
    process, outcome = await ran(tmp_path, "echo one\nif )")
    assert outcome.exit_code == 2
    assert printed(process).startswith("one\n")
    assert "if )" in printed(process)
    assert "ankrcode" not in printed(process)
    assert "trap" not in printed(process)


# ── time ──────────────────────────────────────────────────────────────────────────────────────
async def test_a_process_that_ignores_the_polite_signal_is_killed(tmp_path: Path) -> None:
    started = time.monotonic()
    process, outcome = await ran(
        tmp_path, "trap '' TERM; echo ready; while :; do :; done", timeout_s=0.3
    )
    assert (outcome.ended_by, outcome.signal) == ("timeout", signal.SIGKILL)
    assert printed(process) == "ready\n"
    assert time.monotonic() - started < 0.3 + 0.5 + 4, "the grace, and a bound for a busy machine"


async def test_a_process_that_listens_may_tidy_up(tmp_path: Path) -> None:
    process, outcome = await ran(
        tmp_path, "trap 'echo bye; exit 7' TERM; echo ready; while :; do :; done", timeout_s=0.3
    )
    assert printed(process) == "ready\nbye\n"
    assert (outcome.ended_by, outcome.exit_code) == ("timeout", 7)


async def test_a_halted_process_is_ended_too(tmp_path: Path) -> None:
    _, outcome = await ran(tmp_path, "kill -STOP $$", timeout_s=0.2)
    assert outcome.ended_by == "timeout"
    assert outcome.duration_s < 1.2


async def test_it_can_be_stopped_from_outside(owner: Processes, tmp_path: Path) -> None:
    sleep = long_sleep()
    process = owner.shell(sleep, cwd=str(tmp_path))
    await process.started()
    process.stop()
    outcome = await process.finished()
    assert outcome.ended_by == "stop"
    assert not alive(sleep)
    process.stop()  # once more does no harm


async def test_without_its_deadline_it_goes_on(owner: Processes, tmp_path: Path) -> None:
    process = owner.shell("read x; echo $x", cwd=str(tmp_path), timeout_s=30, takes_input=True)
    process.detach()
    process.send(b"still here\n")
    assert (await process.finished()).ended_by == "exit"
    assert printed(process) == "still here\n"


# ── input ─────────────────────────────────────────────────────────────────────────────────────
async def test_it_reads_what_it_is_sent_until_the_end(owner: Processes, tmp_path: Path) -> None:
    process = owner.shell("cat", cwd=str(tmp_path), takes_input=True)
    assert process.send("नमस्ते\n".encode()) == 19
    process.end_input()
    assert (await process.finished()).exit_code == 0
    assert printed(process) == "नमस्ते\n"
    with pytest.raises(BrokenPipeError):
        process.send(b"more")


async def test_one_that_waits_for_input_is_noticed(owner: Processes, tmp_path: Path) -> None:
    heard: asyncio.Queue[str] = asyncio.Queue()
    process = owner.shell(
        "echo name?; read x; echo $x",
        cwd=str(tmp_path),
        takes_input=True,
        told=telling(heard),
    )
    assert await heard.get() == "name?\n"
    until = time.monotonic() + 10
    while not process.is_waiting_for_input:
        assert time.monotonic() < until
    process.send(b"x\n")
    await process.finished()
    assert not process.is_waiting_for_input


async def test_what_does_not_fit_into_the_pipe_is_not_lost_unnoticed(
    owner: Processes, tmp_path: Path
) -> None:
    process = owner.shell(long_sleep(), cwd=str(tmp_path), takes_input=True)
    await process.started()
    sent = process.send(bytes(1024 * 1024))
    assert 0 < sent < 1024 * 1024
    assert process.send(b"more") == 0
    process.stop(at_once=True)
    await process.finished()


# ── what can go wrong ─────────────────────────────────────────────────────────────────────────
async def test_a_program_that_does_not_exist_is_an_error_and_leaves_nothing(
    owner: Processes,
    tmp_path: Path,
) -> None:
    before = descriptors()
    process = owner.start(["/no/such/program"], cwd=str(tmp_path))
    with pytest.raises(FileNotFoundError):
        await process.started()
    with pytest.raises(FileNotFoundError):
        await process.finished()
    assert process.outcome is None
    await settled(descriptors, before)


async def test_without_bash_there_is_a_clear_error(tmp_path: Path) -> None:
    nowhere = Processes(Saved(""), environment=Environment({"PATH": str(tmp_path)}))
    with pytest.raises(ToolError, match="bash was not found on the PATH"):
        nowhere.shell("true", cwd=str(tmp_path))


async def test_two_hundred_processes_leave_no_descriptor_and_no_thread(
    owner: Processes, tmp_path: Path
) -> None:
    open_before, threads_before = descriptors(), threads()
    for _ in range(10):
        batch = [owner.shell("echo x", cwd=str(tmp_path)) for _ in range(20)]
        for process in batch:
            assert (await process.finished()).exit_code == 0
    await settled(descriptors, open_before)
    await settled(threads, threads_before)
    assert owner.running == ()


# ── the wall ──────────────────────────────────────────────────────────────────────────────────
class Wall(NoConfinement):
    """Notes what it is asked, and in which thread it restricts."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, tuple[str, ...]]] = []
        self.threads: list[int] = []
        self.released = 0

    def confine(self, launch: Launch, profile: str, roots: tuple[str, ...]) -> Launch:
        def restrict() -> None:
            self.threads.append(threading.get_ident())
            self.spawner = Path(f"/proc/self/task/{threading.get_native_id()}")

        def release() -> list[str]:
            self.released += 1
            return ["it tried something"]

        self.asked.append((profile, roots))
        return Launch(
            argv=("env", "WALL=stands", *launch.argv),
            env=launch.env,
            cwd=launch.cwd,
            pass_fds=launch.pass_fds,
            restrict=restrict,
            release=release,
        )


async def test_every_process_is_started_behind_the_wall_from_a_thread_that_then_ends(
    tmp_path: Path,
) -> None:
    wall = Wall()
    behind = Processes(Saved(""), confinement=wall)
    process = behind.shell(
        "cd /; echo $WALL", cwd=str(tmp_path), profile="read-only", roots=("/a", "/b")
    )
    outcome = await process.finished()
    assert printed(process) == "stands\n"
    assert outcome.cwd == "/"
    assert outcome.violations == ("it tried something",)
    assert wall.asked == [("read-only", ("/a", "/b"))]
    assert wall.released == 1
    until = time.monotonic() + 15
    while wall.spawner.exists():
        assert time.monotonic() < until, "it never ended"


async def test_the_wall_is_released_also_when_the_start_fails(tmp_path: Path) -> None:
    wall = Wall()
    behind = Processes(Saved(""), confinement=wall)
    process = behind.start(["true"], cwd="/no/such/folder")
    with pytest.raises(FileNotFoundError):
        await process.finished()
    assert wall.released == 1


# ── without a thread ──────────────────────────────────────────────────────────────────────────
QUICK = {
    "over at once": ("echo a; cd /", "a\n"),
    "over before it is asked": ("exit 0", ""),
    "leaves somebody with the pipe": ("{sleep} & echo a", "a\n"),
    "leaves somebody without it": ("setsid {sleep} >/dev/null 2>&1 & echo a", "a\n"),
    "prints more than a pipe holds": ("head -c 300000 /dev/zero | tr '\\0' a", "a" * 300_000),
    "lasts a little": ("echo a; sleep 0.05; echo b", "a\nb\n"),
}


@pytest.mark.parametrize("what", QUICK)
async def test_one_that_is_awaited_in_this_loop_ends_like_any_other(
    owner: Processes, tmp_path: Path, what: str
) -> None:
    sleep, open_before, threads_before = long_sleep(), descriptors(), threads()
    command, expected = QUICK[what]
    for is_awaited in (True, False):
        heard: asyncio.Queue[str] = asyncio.Queue()
        process = owner.shell(
            command.format(sleep=sleep),
            cwd=str(tmp_path),
            timeout_s=20,
            told=telling(heard),
            is_awaited=is_awaited,
        )
        outcome = await process.finished()
        assert (outcome.exit_code, outcome.ended_by) == (0, "exit")
        whole = process.output.extract(most=1_000_000)
        assert (whole.head + whole.tail).decode() == expected
        assert bool(outcome.left_behind) == what.startswith("leaves")
        assert outcome.cwd == ("/" if "cd /" in command else str(tmp_path))
        await asyncio.sleep(0)  # what was told arrives
        assert heard.empty() == (not expected)
        assert not alive(sleep)
    await settled(descriptors, open_before)
    await settled(threads, threads_before)


async def test_one_that_is_awaited_can_be_stopped_before_it_has_a_thread(
    owner: Processes, tmp_path: Path
) -> None:
    sleep, before = long_sleep(), descriptors()
    process = owner.shell(sleep, cwd=str(tmp_path), is_awaited=True)
    process.stop(at_once=True)
    assert (await process.finished()).ended_by == "stop"
    assert not alive(sleep)
    await settled(descriptors, before)  # after the moment it would have waited


# ── descriptors ───────────────────────────────────────────────────────────────────────────
GROWN = """
import os, resource, threading
resource.setrlimit(resource.RLIMIT_NOFILE, (MOST, MOST))
import ankrcode.workspace.processes.spawn

def size():
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("FDSize"))

before = size()
threading.Thread(target=lambda: os.dup2(1, 199)).start()  # where a first command has its record
print(len(os.listdir("/proc/self/fd")) < 10, before, size() == before)
"""


@pytest.mark.parametrize(("most", "size"), [(4_096, 1_024), (256, 256)], ids=["enough", "few"])
def test_their_table_has_grown_before_there_are_threads(most: int, size: int) -> None:
    """Who makes it grow later waits for every processor, 15 ms before a first command."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", GROWN.replace("MOST", str(most))],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.stdout.split(), done.stderr) == (["True", str(size), "True"], "")
