"""The shell's promises, as ratios measured in one run.

make bench            everything
python benchmarks/shell.py --quick      a tenth of the output and fewer rounds
"""

import asyncio
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from ankrcode import Toolkit
from ankrcode.config.settings import SandboxSettings, Settings
from ankrcode.sandbox.choose import Sandbox
from ankrcode.sandbox.here import run_here
from ankrcode.workspace.processes.processes import Launch

IS_QUICK = "--quick" in sys.argv
ROUNDS = 50 if IS_QUICK else 300
OUTPUT_BYTES = 100_000_000 if IS_QUICK else 1_000_000_000
TASKS = 100
PLAIN = ["bash", "-c", "true"]
WRITING = ": > note"  # a command that only reads would get no wall


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = f"{folder}/state"
        workspace = made(folder, "work")
        await cost_of_true(workspace)
        await cost_of_walls(workspace)
        await flood(workspace)
        await background(workspace, Path(folder, "state"))


def made(*parts: str) -> Path:
    folder = Path(*parts)
    folder.mkdir()
    return folder


def kit_in(folder: Path, **sandbox: object) -> Toolkit:
    settings = Settings(sandbox=SandboxSettings(**sandbox))  # type: ignore[arg-type]
    return Toolkit(cwd=folder, mode="bypass", settings=settings)


# ── how long the smallest command takes ───────────────────────────────────────────────────────
async def cost_of_true(folder: Path) -> None:
    kit = kit_in(folder)
    plain, ours = await side_by_side(lambda: run(PLAIN), lambda: kit.call("Bash", command="true"))
    print(f"subprocess.run           {plain:8.2f} ms")
    print(f"Bash                     {ours:8.2f} ms   ours / plain: {ours / plain:.2f} (bar 2)")
    kit.close()


async def cost_of_walls(folder: Path) -> None:
    for wall, bar in (("bubblewrap", 1.3), ("landlock", 1.5)):
        settings = SandboxSettings(wall=wall, always=True)  # type: ignore[arg-type]
        sandbox = Sandbox(settings)
        if sandbox.name != wall:
            print(f"{wall}: it does not work here: {sandbox.why_none()}")
        elif wall == "bubblewrap":
            await against_its_line(sandbox, folder, bar)
        else:
            await against_no_wall(sandbox, folder, bar)


async def walled_kit(folder: Path, wall: str) -> Toolkit:
    kit = kit_in(folder, wall=wall, always=True)
    state = (await kit.call("Bash", command=WRITING)).metadata
    assert (state["sandbox"], state["profile"]) == (wall, "workspace-write")
    return kit


def confined(sandbox: Sandbox, folder: Path) -> Launch:
    launch = Launch(argv=("bash", "-c", WRITING), env=dict(os.environ), cwd=str(folder))
    return sandbox.confine(launch, "workspace-write", (str(folder),))


async def against_its_line(sandbox: Sandbox, folder: Path, bar: float) -> None:
    """A call behind bubblewrap, against the same line started without us."""
    kit = await walled_kit(folder, sandbox.name)
    launch = confined(sandbox, folder)
    theirs, ours = await side_by_side(
        lambda: bare(launch), lambda: kit.call("Bash", command=WRITING)
    )
    print(f"{sandbox.name:<24} {ours:8.2f} ms   ours / bare line: {ours / theirs:.2f} (bar {bar})")
    kit.close()
    if launch.release:
        launch.release()


async def against_no_wall(sandbox: Sandbox, folder: Path, bar: float) -> None:
    """Landlock needs no line of its own: a call with it against one without, and a process too."""
    kit, open_kit = await walled_kit(folder, sandbox.name), kit_in(folder)

    def walled() -> None:
        assert run_here(confined(sandbox, folder)) == (0, [])

    plain, alone, without, ours = await side_by_side(
        lambda: run(["bash", "-c", WRITING], folder),
        walled,
        lambda: open_kit.call("Bash", command=WRITING),
        lambda: kit.call("Bash", command=WRITING),
    )
    print(f"{sandbox.name:<24} {ours:8.2f} ms   ours / no wall: {ours / without:.2f} (bar {bar})")
    print(
        f"the wall alone           {alone:8.2f} ms   ours / plain: {alone / plain:.2f} (bar {bar})"
    )
    for one in (kit, open_kit):
        one.close()


def bare(launch: Launch) -> None:
    """The same line, started without us: nothing is looked at, made or taken away for it."""
    for handle in launch.pass_fds:
        os.lseek(handle, 0, os.SEEK_SET)
    subprocess.run(
        launch.argv, env=launch.env, cwd=launch.cwd, pass_fds=launch.pass_fds, check=True
    )


def run(argv: list[str], folder: Path | None = None) -> None:
    subprocess.run(argv, cwd=folder, check=True)


async def side_by_side(*works: Callable[[], Awaitable[object] | None]) -> list[float]:
    """Medians in ms, taken in turns: whatever disturbs one disturbs the other."""
    times: list[list[float]] = [[] for _ in works]
    for number in range(ROUNDS + 5):
        for own, work in zip(times, works, strict=True):
            start = time.perf_counter()
            if (waiting := work()) is not None:
                await waiting
            if number >= 5:
                own.append(time.perf_counter() - start)
    return [statistics.median(own) * 1e3 for own in times]


# ── much output ───────────────────────────────────────────────────────────────────────────────
async def flood(folder: Path) -> None:
    command = f"head -c {OUTPUT_BYTES} /dev/zero | tr '\\0' x"
    kit = kit_in(folder)
    direct, ours, grown = [], [], 0.0
    for _ in range(3):
        direct.append(seconds_to_file(command, folder / "direct"))
        with Watched() as memory:
            start = time.perf_counter()
            result = await kit.call("Bash", command=command, timeout=600_000)
            ours.append(time.perf_counter() - start)
        check_and_remove(result.metadata["saved_to"])
        grown = max(grown, memory.grown_mb)
    size, ratio = OUTPUT_BYTES / 1e9, min(ours) / min(direct)
    print(f"{size:g} GB to a file           {min(direct):8.2f} s")
    print(
        f"{size:g} GB through Bash        {min(ours):8.2f} s    ours / file: {ratio:.2f} (bar 1.3)"
    )
    print(f"                         memory +{grown:.1f} MB (bar 64)")
    kit.close()


def seconds_to_file(command: str, target: Path) -> float:
    start = time.perf_counter()
    subprocess.run(["bash", "-c", f"{command} > {target}"], check=True)
    took = time.perf_counter() - start
    target.unlink()
    return took


def check_and_remove(path: str) -> None:
    assert Path(path).stat().st_size == OUTPUT_BYTES
    Path(path).unlink()


class Watched:
    """The highest resident memory while it lasts, sampled."""

    def __enter__(self) -> "Watched":
        self._before = self._most = resident_mb()
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._sample)
        self._thread.start()
        return self

    def _sample(self) -> None:
        while not self._end.wait(0.01):
            self._most = max(self._most, resident_mb())

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()

    @property
    def grown_mb(self) -> float:
        return self._most - self._before


def resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / 1e6


# ── many tasks ────────────────────────────────────────────────────────────────────────────────
async def background(folder: Path, state: Path) -> None:
    kit = kit_in(folder)
    await kit.call("Bash", command="true")
    before = left_over(state)
    start = time.perf_counter()
    for first in range(0, TASKS, 50):  # at most 64 run at once
        begun = await asyncio.gather(*(begin(kit, number) for number in range(first, first + 50)))
        polls = (kit.call("TaskOutput", task_id=one, block=False) for one in begun)
        assert all(result.ok for result in await asyncio.gather(*polls))
        kills = (kit.call("KillShell", shell_id=one) for one in begun)
        assert all(result.ok for result in await asyncio.gather(*kills))
    took = time.perf_counter() - start
    kit.close()
    after = left_over(state)
    names = ("processes", "descriptors", "files", "threads")
    grown = ", ".join(f"{after[n] - before[n]} {name}" for n, name in enumerate(names))
    print(f"{TASKS} background tasks     {took:8.2f} s    left behind: {grown} (bar 0)")


async def begin(kit: Toolkit, number: int) -> str:
    command = f"echo {number}; setsid sleep 1000 & sleep 1000"
    result = await kit.call("Bash", command=command, run_in_background=True)
    return str(result.value.task_id)


def left_over(state: Path) -> tuple[int, int, int, int]:
    own = str(os.getpid())
    listed = subprocess.run(["ps", "-eo", "ppid,args"], capture_output=True, text=True, check=True)
    lines = [line.split(maxsplit=1) for line in listed.stdout.splitlines()]
    processes = sum(line[0] == own or "sleep 1000" in line[-1] for line in lines)
    files = sum(path.is_file() for path in state.rglob("*"))
    return (
        processes,
        len(list(Path("/proc/self/fd").iterdir())),
        files,
        len(list(Path("/proc/self/task").iterdir())),
    )


if __name__ == "__main__":
    asyncio.run(main())
