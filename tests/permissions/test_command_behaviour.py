"""What is called read-only, run for real: in a sandbox, among files that must stay as they are."""

import json
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ankrcode.permissions.programs.git import hardened
from permissions.verdicts import HOME, labelled
from torture import IS_TORTURE

BWRAP = shutil.which("bwrap")
REPOSITORY = Path(__file__).parents[2]
DRIVER = Path(__file__).parent / "behaviour.py"
SAMPLE = 2_000 if IS_TORTURE else 150
READ = 50
# They look at the whole machine, wait for what comes, or draw a screen again and again.
SLOW = ("find /", "du -sh /", "tail -f", "tail -F", "watch", "top", "htop", "sleep", "dmesg -w")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A small project with a name for most of what the corpus speaks of."""
    folder = tmp_path / "proj"
    for name in ("src", "tests", "docs", "scripts", "build", ".github/workflows"):
        (folder / name).mkdir(parents=True)
    for name in (
        *("README.md", "a.txt", "b.txt", "data.csv", "data.json", "package.json", "f", "list.txt"),
        *("src/app.py", "src/a.py", "src/main.c", "tests/a.py", "docs/a.md", "scripts/x.sh"),
        *("names.txt", "app.log", "pyproject.toml", "Cargo.toml", "Makefile", "notes.txt"),
    ):
        (folder / name).write_text('{"a": 1}\n' * 3, encoding="utf-8")
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.com", "-C", str(folder)]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"], ["tag", "v1.0"]):
        subprocess.run([*git, *words], check=True, capture_output=True)
    return folder


def changed_by(lines: list[str], workspace: Path, mode: str = "") -> dict[str, list[str]]:
    """Lines after which a file was not as before; only the workspace can be written at all.

    With a mode a model calls them in the real loop, and those that ran at all are named too.
    """
    if BWRAP is None:  # no other sandbox is strict enough for this
        return {}
    done = subprocess.run(
        [
            *(BWRAP, "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"),
            *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"),
            *("--ro-bind", str(REPOSITORY), str(REPOSITORY)),  # it may itself lie below /tmp
            *("--bind", str(workspace), str(workspace), "--chdir", str(workspace)),
            *("--tmpfs", "/home", "--dir", HOME, "--setenv", "HOME", HOME),
            *(sys.executable, "-P", str(DRIVER), *([mode] if mode else [])),
        ],
        input=json.dumps(lines),
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, list[str]] = json.loads(done.stdout)
    return found


@pytest.mark.torture
def test_lines_that_only_read_leave_every_file_as_it_was(workspace: Path) -> None:
    chance = random.Random(None if IS_TORTURE else 3)
    quick = [line for line in labelled("read_only") if not any(one in line for one in SLOW)]
    lines = chance.sample(quick, min(SAMPLE, len(quick)))
    assert changed_by([hardened(line) for line in lines], workspace) == {}


def test_a_line_that_writes_would_be_noticed(workspace: Path) -> None:
    lines = ["cat a.txt", "echo x >> a.txt", "ls", "touch new", "chmod +x f", "mv b.txt c.txt"]
    found = changed_by(lines, workspace)
    assert set(found) in ({"echo x >> a.txt", "touch new", "chmod +x f", "mv b.txt c.txt"}, set())
    assert bool(found) is (BWRAP is not None)


def test_what_only_reads_runs_unasked_where_least_is_allowed(workspace: Path) -> None:
    lines = [line for line in labelled("read_only") if not any(one in line for one in SLOW)]
    lines = random.Random(7).sample(lines, READ)
    found = changed_by(lines, workspace, "plan")
    assert [line for line, changed in found.items() if changed] == []
    assert BWRAP is None or [line for line in lines if line not in found] == []


@pytest.mark.torture
@pytest.mark.parametrize("mode", ["default", "plan", "dontAsk"])
def test_a_line_that_nobody_allowed_does_nothing(mode: str, workspace: Path) -> None:
    lines = sampled("needs_approval") + sampled("blocked")
    assert changed_by(lines, workspace, mode) == {}


@pytest.mark.torture
@pytest.mark.parametrize("mode", ["bypass", "auto", "acceptEdits"])
def test_a_catastrophe_does_nothing_in_the_modes_that_allow_most(
    mode: str, workspace: Path
) -> None:
    """Not those that could multiply should they run, nor those about the corpus' own folder."""
    lines = [line for line in sampled("blocked") if not set("()&") & set(line)]
    lines = [line for line in lines if "work" not in line and "proj" not in line]
    assert changed_by(lines, workspace, mode) == {}


def sampled(label: str) -> list[str]:
    chance = random.Random(None if IS_TORTURE else 5)
    lines = labelled(label)
    return chance.sample(lines, min(SAMPLE, len(lines)))
