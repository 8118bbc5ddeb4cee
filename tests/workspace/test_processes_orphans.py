"""Nothing outlives its owner, however it tries to get away, and whatever happens to the owner."""

import gc
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from workspace.running import alive, long_sleep, printed, processes_in

ESCAPES = {
    "in the background": "{sleep} &",
    "without hang-up": "nohup {sleep} >/dev/null 2>&1 &",
    "holding the output": "{sleep} & disown",
    "in a session of its own": "setsid {sleep} >/dev/null 2>&1 </dev/null &",
    "twice removed": "(setsid sh -c '{sleep} & exit' >/dev/null 2>&1 &)",
    "without environment": "env -i setsid {sleep} >/dev/null 2>&1 &",
    "with job control": "set -m; {sleep} >/dev/null 2>&1 & disown",
    "by a daemon's book": "{python} -c '{daemon}' {sleep}",
    "deaf to signals": "setsid sh -c 'trap \"\" TERM HUP INT; {sleep}; {sleep}' >/dev/null 2>&1 &",
}
DAEMON = "; ".join(
    (
        "import os, sys",
        "os.fork() and os._exit(0)",
        "os.setsid()",
        "os.fork() and os._exit(0)",
        'os.chdir("/")',
        "os.closerange(0, 300)",
        "os.environ.clear()",
        'os.execv("/bin/sleep", sys.argv[1:])',
    )
)


def escape(how: str, sleep: str) -> str:
    return ESCAPES[how].format(sleep=sleep, python=sys.executable, daemon=DAEMON)


@pytest.mark.parametrize("how", ESCAPES)
async def test_what_a_command_leaves_running_is_stopped_when_it_ends(
    tmp_path: Path, how: str
) -> None:
    sleep = long_sleep()
    owner = processes_in(tmp_path)
    process = owner.shell(
        f"{escape(how, sleep)}\nwhile ! pgrep -f '{sleep}$' >/dev/null; do :; done; echo done",
        cwd=str(tmp_path),
        timeout_s=20,
    )
    started = time.monotonic()
    outcome = await process.finished()
    assert outcome.exit_code == 0
    assert printed(process).endswith("done\n")
    assert not alive(sleep)
    assert any(sleep in name for name in outcome.left_behind)
    assert time.monotonic() - started < 10


@pytest.mark.parametrize("how", ESCAPES)
async def test_what_a_command_has_started_is_stopped_with_it(tmp_path: Path, how: str) -> None:
    sleep, own = long_sleep(), long_sleep()
    owner = processes_in(tmp_path)
    process = owner.shell(
        f"{escape(how, sleep)}\nwhile ! pgrep -f '{sleep}$' >/dev/null; do :; done; echo up; {own}",
        cwd=str(tmp_path),
        takes_input=True,
    )
    while not printed(process).startswith("up"):
        assert not process.wait(0.01)
    process.stop()
    outcome = await process.finished()
    assert outcome.ended_by == "stop"
    assert outcome.duration_s < 20
    assert not alive(sleep)
    assert not alive(own)


async def test_others_are_left_alone(tmp_path: Path) -> None:
    sleep = long_sleep()
    bystander = subprocess.Popen(sleep.split(), start_new_session=True)  # noqa: ASYNC220
    try:
        owner = processes_in(tmp_path)
        process = owner.shell("setsid true & true", cwd=str(tmp_path))
        await process.finished()
        assert alive(sleep)
    finally:
        bystander.kill()
        bystander.wait()


async def test_closing_stops_everything(tmp_path: Path) -> None:
    owner = processes_in(tmp_path)
    sleeps = [long_sleep() for _ in range(5)]
    started = [owner.shell(f"setsid {sleep} & {sleep}", cwd=str(tmp_path)) for sleep in sleeps]
    for process in started:
        await process.started()
    owner.close()
    assert all(process.is_done for process in started)
    assert not [sleep for sleep in sleeps if alive(sleep)]
    assert owner.running == ()
    again = owner.shell("echo again", cwd=str(tmp_path))  # closing is not for ever
    await again.finished()
    assert printed(again) == "again\n"


async def test_an_owner_who_is_forgotten_leaves_nothing(tmp_path: Path) -> None:
    sleep = long_sleep()
    process = processes_in(tmp_path).shell(sleep, cwd=str(tmp_path))
    await process.started()
    gc.collect()
    assert process.wait(20)
    assert not alive(sleep)


OWNER = """
import asyncio, sys
from ankrcode import Toolkit

async def main():
    kit = Toolkit(cwd=sys.argv[1], mode="bypass")
    command = (sys.argv[5] or f"setsid {sys.argv[2]} &") + chr(10) + sys.argv[2]
    await kit.call("Bash", command=command, run_in_background=True)
    await kit.call("Bash", command=f"while ! pgrep -f '{sys.argv[2]}$' >/dev/null; do :; done")
    await kit.call("Bash", command=sys.argv[4]) if sys.argv[4] else None
    print("ready", flush=True)
    if sys.argv[3] == "crash":
        raise SystemError("on purpose")
    if sys.argv[3] == "wait":
        await asyncio.sleep(1000)

asyncio.run(main())
"""


def program_of(
    folder: Path, sleep: str, end: str, meanwhile: str = "", daemon: str = ""
) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-P", "-c", OWNER, str(folder), sleep, end, meanwhile, daemon],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


@pytest.mark.parametrize("end", ["end", "crash"])
def test_the_end_of_the_program_is_the_end_of_its_tasks(tmp_path: Path, end: str) -> None:
    sleep = long_sleep()
    with program_of(tmp_path, sleep, end) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
        program.wait(20)
    assert not alive(sleep)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_even_a_killed_program_leaves_nothing_running(
    tmp_path: Path, number: signal.Signals
) -> None:
    sleep = long_sleep()
    with program_of(tmp_path, sleep, "wait", "sleep 1") as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
        assert alive(sleep)
        os.kill(program.pid, number)
        program.wait(20)
    until = time.monotonic() + 15
    while alive(sleep):
        assert time.monotonic() < until


def test_a_task_is_watched_over_from_its_first_moment(tmp_path: Path) -> None:
    sleep = long_sleep()
    with program_of(tmp_path, sleep, "wait") as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
        program.kill()
        program.wait(20)
    until = time.monotonic() + 15
    while alive(sleep):
        assert time.monotonic() < until


@pytest.mark.parametrize("how", ["without environment", "by a daemon's book", "deaf to signals"])
def test_a_daemon_does_not_outlive_a_killed_program(tmp_path: Path, how: str) -> None:
    sleep = long_sleep()
    with program_of(tmp_path, sleep, "wait", "", escape(how, sleep)) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
        assert alive(sleep)
        program.kill()
        program.wait(20)
    until = time.monotonic() + 15
    while alive(sleep):
        assert time.monotonic() < until


WATCHED = """
import asyncio, sys
from pathlib import Path

sys.path.insert(0, sys.argv[2])
from workspace.running import command_lines_of_children, processes_in

def watchers():
    return [line for line in command_lines_of_children() if "declare -A ours" in line]

async def main():
    owner = processes_in(Path(sys.argv[1]))
    process = owner.shell("sleep 2", cwd=sys.argv[1])
    while not watchers():
        assert not process.wait(0.01), "it began to watch too late"
    await process.finished()
    assert watchers() == []

asyncio.run(main())
"""


def test_nobody_watches_over_us_when_nothing_runs(tmp_path: Path) -> None:
    """In a process of its own: what other tests left running is watched in this one."""
    tests = str(Path(__file__).parents[1])
    command = [sys.executable, "-P", "-c", WATCHED, str(tmp_path), tests]
    done = subprocess.run(command, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
