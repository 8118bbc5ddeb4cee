"""Killed anywhere between the first word to git and the last: in the end nothing is left."""

import asyncio
import os
import random
import subprocess
import sys
import time
from pathlib import Path

from agent.test_leftovers import check_clean, ours, swept
from agent.test_worktree import git, repository, template
from ankrcode.agent.leftovers import _folders_of_processes
from torture import IS_TORTURE

__all__ = ["repository", "template"]

KILLS = 100 if IS_TORTURE else 5
LONGEST_S = 0.4  # three times made and removed take about as long
SETTLES_S = 5.0  # a bound: a git that outlived its owner ends by itself

BUSY = """
import asyncio, sys
from ankrcode import Toolkit
from ankrcode.agent.worktree import Worktree

async def main(folder, name):
    kit = Toolkit(cwd=folder)
    print("begins", flush=True)
    for number in range(3):
        worktree = await Worktree.make(folder, f"{name}_{number}", kit.agent.processes)
        await worktree.tidy()

asyncio.run(main(*sys.argv[1:]))
"""


def killed_after(seconds: float, folder: Path, name: str) -> None:
    argv = [sys.executable, "-P", "-c", BUSY, str(folder), name]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begins\n"
        time.sleep(seconds)
        process.kill()


async def test_wherever_it_is_killed_the_next_one_leaves_nothing_of_it(
    repository: Path, own_home: Path
) -> None:
    (repository / "a.txt").write_text("not committed\n", encoding="utf-8")
    (repository / "new.txt").write_text("new\n", encoding="utf-8")
    moments = random.Random(8)
    for number in range(KILLS):
        killed_after(moments.uniform(0, LONGEST_S), repository, f"agent_{number}")
    give_up = time.monotonic() + SETTLES_S
    while str(repository) in _folders_of_processes() and time.monotonic() < give_up:
        await asyncio.sleep(0.02)
    for note in ours(own_home).glob("*.owner"):
        os.utime(note, (1, 1))  # as if it were long ago
    for _ in range(1 + KILLS // 20):  # so many at once, and no more
        assert await swept(repository) == []
    check_clean(repository, own_home)
    assert git(repository, "status", "--short").splitlines() == ["M a.txt", "?? new.txt"]
