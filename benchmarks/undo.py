"""What undo costs: ratios and differences measured in one run.

make bench            everything
python benchmarks/undo.py --quick      smaller trees and fewer rounds
"""

import asyncio
import gc
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from ankrcode import Toolkit
from ankrcode.config.settings import Settings, UndoSettings
from ankrcode.testing import YES
from ankrcode.workspace.journal.blobs import Blobs
from ankrcode.workspace.journal.manifest import differences, scan
from ankrcode.workspace.journal.states import Caps, Capture

IS_QUICK = "--quick" in sys.argv
MANY = 5_000 if IS_QUICK else 50_000
FEW = 500
ROUNDS = 15 if IS_QUICK else 40
EDITS = 1_000 if IS_QUICK else 10_000
CHANGING = "./change"  # nobody can tell from this line what it will change


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = f"{folder}/state"
        await edits(made(folder, "edits"))
        await trees(Path(folder))
        for count, is_git, bar in ((FEW, False, 15), (MANY, True, 120), (MANY, False, 300)):
            name = f"{count}{'git' if is_git else ''}"
            await commands(
                furnished(folder, name, count, is_git=is_git), count, is_git=is_git, bar=bar
            )
        approaches(Path(folder, f"{MANY}git"), Path(folder, "copies"))
        await bounded(made(folder, "bounded"), Path(folder, "state"))


def made(*parts: str) -> Path:
    folder = Path(*parts)
    folder.mkdir()
    return folder


def furnished(base: str, name: str, count: int, *, is_git: bool) -> Path:
    """A tree like that of a project: twenty files a folder, two kilobytes a file."""
    folder, chance = made(base, name), random.Random(7)
    for number in range(count):
        inner = folder / f"d{number // 400}" / f"e{number // 20 % 20}"
        inner.mkdir(parents=True, exist_ok=True)
        line = f"value_{number} = {chance.random()}\n"
        (inner / f"f{number}.py").write_text(line * 70, encoding="utf-8")
    script = folder / "change"
    script.write_text("#!/bin/sh\necho $$ > changed\n", encoding="utf-8")
    script.chmod(0o755)
    if is_git:
        git = ["git", "-C", str(folder), "-c", "user.name=b", "-c", "user.email=b@example.com"]
        subprocess.run([*git, "init", "-q"], check=True)
        subprocess.run([*git, "add", "-A"], check=True)
        subprocess.run([*git, "commit", "-qm", "all"], check=True)
        time.sleep(0.05)  # the index must be newer than the files
        subprocess.run([*git, "update-index", "-q", "--refresh", "--force-write-index"], check=True)
    return folder


def kit_in(folder: Path, *, undo: bool) -> Toolkit:
    async def yes(_: object) -> object:
        return YES

    settings = Settings(undo=UndoSettings(enabled=undo))
    return Toolkit(cwd=folder, mode="bypass", settings=settings, approve=yes)  # type: ignore[arg-type]


async def timed(work: Callable[[], Awaitable[object]]) -> float:
    """In milliseconds."""
    start = time.perf_counter()
    await work()
    return (time.perf_counter() - start) * 1000


async def in_turn(rounds: int, *works: Callable[[], Awaitable[object]]) -> list[float]:
    """The median of each, all of them measured in the same run, one after the other."""
    times: list[list[float]] = [[] for _ in works]
    gc.disable()
    for _ in range(rounds):
        for work, found in zip(works, times, strict=True):
            found.append(await timed(work))
    gc.enable()
    return [statistics.median(found) for found in times]


# ── an edit ───────────────────────────────────────────────────────────────────────────────────
async def edits(folder: Path) -> None:
    kits = [kit_in(folder, undo=undo) for undo in (False, True)]

    def edit(kit: Toolkit, name: str) -> Callable[[], Awaitable[object]]:
        words = ["one", "two"]

        async def once() -> None:
            words.reverse()
            change = {"old_string": f"word {words[0]}", "new_string": f"word {words[1]}"}
            result = await kit.call("Edit", {"file_path": str(folder / name), **change})
            assert result.ok, result.text

        return once

    works = []
    for number, kit in enumerate(kits):
        path = folder / f"{number}.py"
        path.write_text("word two\n" + "value = 1\n" * 500, encoding="utf-8")
        await kit.call("Read", file_path=str(path))
        works.append(edit(kit, path.name))
    plain, kept = await in_turn(ROUNDS * 5, *works)
    print(f"Edit without a journal   {plain:8.2f} ms")
    print(f"Edit with it             {kept:8.2f} ms   with / without: {kept / plain:.2f} (bar 1.7)")
    reading = [lambda kit=kit: kit.call("Bash", command="ls") for kit in kits]
    plain, kept = await in_turn(ROUNDS, *reading)
    print(f"Bash that only reads     {kept - plain:+8.2f} ms   (bar 0; of {plain:.2f} ms)")
    for kit in kits:
        kit.close()


# ── a tree ────────────────────────────────────────────────────────────────────────────────────
async def trees(base: Path) -> None:
    """So many folders inside each other, and as many beside each other."""
    count = 500 if IS_QUICK else 2_000
    times: dict[str, list[float]] = {}
    for name, make in (("flat", beside_each_other), ("deep", inside_each_other)):
        folder = made(str(base), name)
        kit = kit_in(folder, undo=True)
        make(folder / "t", count)
        steps: list[tuple[str, dict[str, object]]] = [
            ("Delete", {"path": "t", "recursive": True}),
            ("Undo", {}),
            ("Redo", {}),
            ("Undo", {}),
            ("Move", {"source": "t", "destination": "u"}),
            ("Undo", {}),
            ("Bash", {"command": "rm -r t"}),
            ("Undo", {}),
        ]
        for number, (tool, arguments) in enumerate(steps):
            label = f"{number} {tool}"
            start = time.perf_counter()
            result = await kit.call(tool, arguments)
            times.setdefault(label, []).append((time.perf_counter() - start) * 1000)
            assert result.ok, result.text
        await kit.call("Delete", path="t", recursive=True)
        kit.close()
    print(f"{count:,} folders            flat      deep   deep / flat")
    for label, (flat, deep) in times.items():
        print(f"  {label[2:]:16} {flat:8.0f} {deep:9.0f} ms {deep / flat:10.1f}")


def beside_each_other(top: Path, count: int) -> None:
    for number in range(count - 1):
        (top / str(number)).mkdir(parents=True)


def inside_each_other(top: Path, count: int) -> None:
    """By handle: together they are longer than a path may be."""
    top.mkdir()
    handle = os.open(top, os.O_RDONLY)
    for _ in range(count - 1):
        os.mkdir("inner", dir_fd=handle)
        inner = os.open("inner", os.O_RDONLY | os.O_DIRECTORY, dir_fd=handle)
        os.close(handle)
        handle = inner
    os.close(handle)


# ── a command ─────────────────────────────────────────────────────────────────────────────────
async def commands(folder: Path, count: int, *, is_git: bool, bar: int) -> None:
    plain_kit, kit = kit_in(folder, undo=False), kit_in(folder, undo=True)
    result = await plain_kit.call("Bash", command=CHANGING)
    assert result.ok, result.text
    cold = await timed(lambda: kit.call("Bash", command=CHANGING))
    start = time.perf_counter()
    while kit.journal.tree.is_keeping:  # noqa: ASYNC110 - it is a thread that keeps
        await asyncio.sleep(0.02)
    kept_s = time.perf_counter() - start
    plain, warm = await in_turn(
        ROUNDS,
        lambda: plain_kit.call("Bash", command=CHANGING),
        lambda: kit.call("Bash", command=CHANGING),
    )
    kit.close()
    again = kit_in(folder, undo=True)
    second = await timed(lambda: again.call("Bash", command=CHANGING))
    again.close()
    plain_kit.close()
    what = f"{count:,} files{', git' if is_git else ''}"
    print(f"{what:24} {warm - plain:+8.1f} ms   (bar {bar}; of {plain:.1f} ms)")
    print(f"  first call ever {cold:.0f} ms, all kept {kept_s:.1f} s later; ", end="")
    print(f"first of another process {second:.0f} ms")


# ── other ways ────────────────────────────────────────────────────────────────────────────────
def approaches(folder: Path, copies: Path) -> None:
    """How long each way takes before a command, in the same tree."""
    print(f"before a command, {MANY:,} files:")

    def full_scan() -> None:
        first = scan(str(folder), lambda *_: None)
        second = scan(str(folder), lambda *_: None)
        assert not list(differences(first, second))

    def stash() -> None:
        subprocess.run(["git", "-C", folder, "stash", "create"], check=True, capture_output=True)

    def add_all() -> None:
        environment = {**os.environ, "GIT_INDEX_FILE": str(copies.with_name("shadow-index"))}
        command = ["git", "-C", str(folder), "add", "-A"]
        subprocess.run(command, check=True, env=environment, capture_output=True)

    def copy_all() -> None:
        shutil.copytree(folder, copies, symlinks=True, ignore=shutil.ignore_patterns(".git"))

    def save_all() -> None:
        capture = Capture(Blobs(copies.with_name("saved")), Caps(call_entries=1_000_000))
        assert len(list(capture.below(str(folder)))) >= MANY

    for name, work in (
        ("scan before and after", full_scan),
        ("git stash create", stash),
        ("git add to an own index", add_all),
        ("save every content", save_all),
        ("copy everything", copy_all),
    ):
        start = time.perf_counter()
        work()
        print(f"  {name:24} {(time.perf_counter() - start) * 1000:8.0f} ms")


# ── room ──────────────────────────────────────────────────────────────────────────────────────
async def bounded(folder: Path, state: Path) -> None:
    cap = 2_000_000
    shutil.rmtree(state)
    kit = Toolkit(cwd=folder, mode="bypass", settings=Settings(undo=UndoSettings(total_bytes=cap)))
    largest = 0
    for number in range(EDITS):
        content = os.urandom(600).hex()
        result = await kit.call("Write", file_path=str(folder / f"f{number % 50}"), content=content)
        if not result.ok:
            await kit.call("Read", file_path=str(folder / f"f{number % 50}"))
        if number % 100 == 0:
            largest = max(largest, used(state / "ankrcode" / "journal"))
    kit.close()
    print(f"{EDITS:,} writes: at most {largest / 1e6:.2f} MB kept (cap {cap / 1e6:.0f} MB)")


def used(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


if __name__ == "__main__":
    asyncio.run(main())
