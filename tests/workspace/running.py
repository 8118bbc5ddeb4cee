"""What runs on this machine, as the tests see it."""

import asyncio
import itertools
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from ankrcode.workspace.processes.processes import Process, Processes
from ankrcode.workspace.processes.saved import Saved

_numbers = itertools.count(1)
SETTLED_S = 10  # whoever attended to a process may be about to close its end


def long_sleep() -> str:
    """A command that lasts a day and can be told from all others."""
    return f"sleep 86400.{os.getpid()}{next(_numbers):04}"


def alive(text: str) -> list[str]:
    """The command lines with this text among all processes that have not ended."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                line = (
                    (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                )
                state = (folder / "stat").read_bytes().rpartition(b") ")[2][:1]
            except OSError:
                continue
            if text in line and state not in b"ZX":
                found.append(line)
    return found


def processes_in(folder: Path) -> Processes:
    """An owner: whoever calls this keeps it, or its processes end with it."""
    return Processes(Saved(str(folder / "results" / "session")))


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def threads() -> int:
    return len(list(Path("/proc/self/task").iterdir()))


def settle(count: Callable[[], int], most: int) -> None:
    """Wait until there are no more than so many."""
    until = time.monotonic() + SETTLED_S
    while (now := count()) > most:
        assert time.monotonic() < until, f"{now} are left, of {most}"
        time.sleep(0.005)


async def settled(count: Callable[[], int], most: int) -> None:
    """The same while the loop goes on."""
    until = time.monotonic() + SETTLED_S
    while (now := count()) > most:
        assert time.monotonic() < until, f"{now} are left, of {most}"
        await asyncio.sleep(0.005)


def command_lines_of_children() -> list[str]:
    listed = subprocess.run(
        ["ps", "--ppid", str(os.getpid()), "-o", "args="],
        capture_output=True,
        text=True,
        check=True,
        timeout=20,
    )
    return listed.stdout.splitlines()


def printed(process: Process) -> str:
    """All that a process printed, if it is not much."""
    extract = process.output.extract()
    assert extract.skipped == 0
    return (extract.head + extract.tail).decode()


def bearing(mark: str) -> list[str]:
    """The command lines of all processes in whose environment this stands."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and folder.name != str(os.getpid()):
            try:
                variables = (folder / "environ").read_bytes()
                line = (folder / "cmdline").read_bytes()
            except OSError:
                continue
            if mark.encode() in variables:
                found.append(line.replace(b"\0", b" ").decode(errors="replace"))
    return found
