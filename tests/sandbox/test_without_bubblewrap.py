"""On a machine that lacks one wall or all: the next one stands, or it is said that none does.

Such a machine is made here with bubblewrap itself, where it works: nothing but a view of this one.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ankrcode.sandbox import bubblewrap, landlock
from frontends.command import environment
from sandbox.walls import PRESENT

# Nothing stands for the program: it cannot be found, or it cannot be run.
WITHOUT = ("--ro-bind", "/dev/null", "/usr/bin/bwrap")
# A program that is there, but fails, as where users may not have namespaces of their own.
BROKEN = ("--ro-bind", "/bin/false", "/usr/bin/bwrap")


def elsewhere(
    change: tuple[str, ...], cwd: Path, *words: str
) -> "subprocess.CompletedProcess[str]":
    line = ["/usr/bin/bwrap", "--bind", "/", "/", "--dev", "/dev", "--proc", "/proc", *change, "--"]
    return subprocess.run(
        [*line, sys.executable, "-P", "-m", "ankrcode", *words],
        cwd=cwd,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture(autouse=True)
def needs_both() -> None:
    if "bubblewrap" not in PRESENT or "landlock" not in PRESENT:
        assert bubblewrap.why_not() or not landlock.abi()
        pytest.xfail("this machine is one of those itself")


@pytest.mark.parametrize("change", [WITHOUT, BROKEN], ids=["missing", "broken"])
def test_where_bubblewrap_does_not_work_landlock_stands(
    change: tuple[str, ...], tmp_path: Path
) -> None:
    done = elsewhere(change, tmp_path, "sandbox", "status", "--json")
    state: dict[str, Any] = json.loads(done.stdout)
    assert (done.returncode, state["wall"]) == (0, "landlock")
    assert state["walls"]["bubblewrap"], "why the other does not work"
    assert state["covers"]["attributes outside"].startswith("no")


def test_and_it_holds(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    script = "echo 1 > inside; echo 1 > ../outside; echo 1 > .zshrc"
    done = elsewhere(WITHOUT, tmp_path / "work", "sandbox", "run", "--", "sh", "-c", script)
    assert (tmp_path / "work" / "inside").exists()
    assert not (tmp_path / "outside").exists()
    assert not (tmp_path / "work" / ".zshrc").exists()
    assert "is protected" in done.stderr


def test_asked_for_and_missing_it_is_not_replaced_by_another(tmp_path: Path) -> None:
    words = ("--set", "sandbox.wall=bubblewrap", "sandbox", "run", "--", "touch", "x")
    done = elsewhere(WITHOUT, tmp_path, *words)
    assert done.returncode == 1
    assert "bwrap is not installed" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_program_of_that_name_in_the_workspace_is_not_taken(tmp_path: Path) -> None:
    """Nor one on the PATH: only the system's own counts."""
    fake = tmp_path / "bwrap"
    fake.write_text(f"#!/bin/sh\ntouch {tmp_path}/was-run\n", encoding="utf-8")
    fake.chmod(0o755)
    line = [
        "/usr/bin/bwrap",
        "--bind",
        "/",
        "/",
        "--dev",
        "/dev",
        "--proc",
        "/proc",
        *WITHOUT,
        "--",
    ]
    env = environment({"PATH": f"{tmp_path}:/usr/bin:/bin"})
    words = [sys.executable, "-P", "-m", "ankrcode", "sandbox", "status", "--json"]
    done = subprocess.run(
        [*line, *words], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )
    assert json.loads(done.stdout)["wall"] == "landlock"
    assert not (tmp_path / "was-run").exists()
