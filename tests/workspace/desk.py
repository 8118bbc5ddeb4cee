"""A workspace with a journal, for tests: calls are plain functions, the person a command."""

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from ankrcode.protocol.acts import EVERYTHING, Acts, file
from ankrcode.workspace.journal.blobs import Blobs
from ankrcode.workspace.journal.entries import Entry
from ankrcode.workspace.journal.journal import Journal, Who
from ankrcode.workspace.journal.states import Caps
from ankrcode.workspace.journal.tree import Tree
from ankrcode.workspace.journal.undo import carry_out, chosen, planned
from ankrcode.workspace.writing.writes import FileWriter

SHELL = Acts(reads=(EVERYTHING,), writes=(EVERYTHING,), runs=("it",))


class Desk:
    """A workspace with a journal, and calls that are plain functions."""

    def __init__(self, folder: Path, caps: Caps | None = None) -> None:
        self.work = folder / "work"
        self.work.mkdir(exist_ok=True)
        self.state = folder / "state"
        self.caps = caps or Caps(wait_s=60.0)
        self.clock = 0
        self.journal = self.opened()

    def opened(self) -> Journal:
        """As another process would open it."""
        blobs = Blobs(self.state / "blobs")
        return Journal(
            self.state,
            Tree((str(self.work),), "/nonexistent-home", blobs, self.caps),
            caps=self.caps,
            files=FileWriter(self.work.parent / "intents"),
            now=self.tick,
            new_id=lambda kind: f"{kind}{self.tick():06.0f}-{os.getpid()}",
        )

    def tick(self) -> float:
        self.clock += 1
        return float(self.clock)

    def call(self, acts: Acts, work: Callable[[], object], **who: str) -> Entry | None:
        pending = self.journal.before(acts, Who(tool="Test", **who))
        work()
        return self.journal.after(pending) if pending else None

    def write(self, name: str, content: bytes, **who: str) -> Entry | None:
        path = self.work / name
        return self.call(Acts(writes=(file(str(path)),)), lambda: written(path, content), **who)

    def shell(self, command: str, **who: str) -> Entry | None:
        def run() -> None:
            subprocess.run(["bash", "-c", command], cwd=self.work, check=False, capture_output=True)

        return self.call(SHELL, run, **who)

    def undo(self, *, redone: bool = False, force: bool = False, **which: str) -> list[str]:
        entries = chosen(self.journal.entries(), redone=redone, **which)
        plan = planned(self.journal, entries, redone=redone)
        return carry_out(self.journal, plan, self.tick(), force=force)

    def look(self) -> dict[str, tuple[object, ...]]:
        return picture(self.work)


def written(path: Path, content: bytes, mode: int | None = None) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    if mode is not None:
        path.chmod(mode)


def replaced(path: Path, content: bytes) -> None:
    path.unlink()
    path.write_bytes(content)


def picture(folder: Path) -> dict[str, tuple[object, ...]]:
    """All that undo must restore: kinds, bytes, modes, targets."""
    found: dict[str, tuple[object, ...]] = {}
    for path in sorted(folder.rglob("*")):
        facts = path.lstat()
        name = str(path.relative_to(folder))
        if stat.S_ISLNK(facts.st_mode):
            found[name] = ("link", str(path.readlink()))
        elif stat.S_ISDIR(facts.st_mode):
            found[name] = ("folder", stat.S_IMODE(facts.st_mode))
        else:
            found[name] = ("file", stat.S_IMODE(facts.st_mode), path.read_bytes())
    return found


def furnish(work: Path) -> None:
    (work / "a.txt").write_bytes(b"abc\n")
    (work / "d" / "sub").mkdir(parents=True)
    (work / "d" / "one").write_bytes(b"1")
    (work / "d" / "two").write_bytes(b"2")
    (work / "d" / "sub" / "deep").write_bytes(b"deep")
    (work / "empty").mkdir()
    (work / "l").symlink_to("a.txt")


def seen(desk: Desk) -> dict[str, tuple[object, ...]]:
    return {name: facts for name, facts in desk.look().items() if not name.startswith(".git")}


def commit_all(work: Path) -> None:
    for command in (
        ["init", "-q"],
        ["add", "-A"],
        ["-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qm", "all"],
    ):
        subprocess.run(["git", *command], cwd=work, check=True)
    old = 1_600_000_000
    for path in work.rglob("*"):
        if ".git" not in path.parts and path.is_file() and not path.is_symlink():
            os.utime(path, (old, old))
    subprocess.run(["git", "update-index", "-q", "--refresh"], cwd=work, check=True)


def died(script: str, folder: Path) -> None:
    """Run this in a process that is killed when it is through; `desk` is what it works with."""
    head = "import os, signal, sys\nfrom pathlib import Path\nfrom workspace.desk import *\n"
    end = "\nos.kill(os.getpid(), signal.SIGKILL)"
    text = f"{head}desk = Desk(Path(sys.argv[1]))\n{script}{end}"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", text, folder], env=environment, check=False)
    assert done.returncode == -9
