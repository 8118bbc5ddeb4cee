"""State folders as machines have them: read-only, in memory, without locks, with a failing disk.

The real program runs; the system's answers are made by mounts (bubblewrap) and by faults put into
its calls (strace). Where a machine has neither, the same faults are tried inside the process, in
test_faults.py.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from shutil import which

import pytest

from ankrcode.sessions.log import read_log, sync_folder
from ankrcode.sessions.records import StateKept

OURS = [sys.executable, "-P", "-m", "ankrcode"]
READ = ["exec", "Read", "file_path=a.txt"]
WRITE = ["exec", "Write", "file_path=b.txt", "content=x", "--permission-mode", "acceptEdits"]
OPAQUE = ["exec", "Bash", "command=./script", "--permission-mode", "bypass"]


def can(*command: str) -> bool:
    """Does it work here? Containers may forbid it."""
    if which(command[0]) is None:
        return False
    return subprocess.run([*command, "true"], capture_output=True, check=False).returncode == 0


MOUNTS = can("bwrap", "--dev-bind", "/", "/")
FAULTS = can("strace", "-qq", "-o", os.devnull, "-e", "inject=flock:error=ENOLCK")
needs_mounts = pytest.mark.skipif(not MOUNTS, reason="bubblewrap may not mount here")
needs_faults = pytest.mark.skipif(not FAULTS, reason="strace may not trace here")


class Machine:
    def __init__(self, folder: Path) -> None:
        self.work, self.state = folder / "work", folder / "state"
        self.work.mkdir()
        self.state.mkdir()
        (self.work / "a.txt").write_text("one\n", encoding="utf-8")
        script = self.work / "script"
        script.write_text("#!/bin/sh\necho changed > a.txt\n", encoding="utf-8")
        script.chmod(0o755)

    def run(self, arguments: list[str], before: list[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*before, *OURS, *arguments],
            cwd=self.work,
            env={**os.environ, "XDG_STATE_HOME": str(self.state)},
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )

    def mounted(self, arguments: list[str], *how: str) -> subprocess.CompletedProcess[str]:
        return self.run(arguments, ["bwrap", "--dev-bind", "/", "/", *how])

    def faulty(self, arguments: list[str], fault: str) -> subprocess.CompletedProcess[str]:
        strace = ["strace", "-f", "-qq", "-o", os.devnull, "-e", f"inject={fault}"]
        return self.run(arguments, strace)

    @property
    def is_untouched(self) -> bool:
        names = {path.name for path in self.work.iterdir()}
        content = (self.work / "a.txt").read_text(encoding="utf-8")
        return names == {"a.txt", "script"} and content == "one\n"


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


# ── read-only ─────────────────────────────────────────────────────────────────────────────────
@needs_mounts
def test_on_a_read_only_folder_reading_works_and_nothing_else_is_begun(machine: Machine) -> None:
    at = str(machine.state)
    how = ("--ro-bind", at, at)
    assert machine.mounted(READ, *how).stdout.strip().endswith("one")
    for arguments in (WRITE, OPAQUE):
        done = machine.mounted(arguments, *how)
        assert done.returncode == 1
        assert "Read-only file system. Nothing was changed." in done.stderr
        assert "undo.enabled=false" in done.stderr
    assert machine.is_untouched
    without = machine.mounted([*WRITE, "--set", "undo.enabled=false"], *how)
    assert without.returncode == 0, without.stderr


@needs_mounts
def test_on_a_read_only_folder_recording_is_refused_and_listing_works(machine: Machine) -> None:
    assert machine.run([*READ, "--session", "old"], []).returncode == 0
    at = str(machine.state)
    how = ("--ro-bind", at, at)
    for session in ("old", "new"):
        done = machine.mounted([*READ, "--session", session], *how)
        assert done.returncode == 2
        assert "Read-only file system" in done.stderr
    listed = machine.mounted(["sessions", "list"], *how)
    assert listed.returncode == 0, listed.stderr
    assert "old" in listed.stdout
    assert machine.mounted(["sessions", "show", "old"], *how).returncode == 0
    assert "0 changes" in machine.mounted(["changes"], *how).stdout


# ── in memory, elsewhere, nowhere ─────────────────────────────────────────────────────────────
@needs_mounts
def test_a_folder_in_memory_is_as_good_as_any(machine: Machine) -> None:
    done = machine.mounted([*READ, "--session", "s"], "--tmpfs", str(machine.state))
    assert done.returncode == 0, done.stderr


def test_a_missing_folder_is_made_for_its_owner_alone(machine: Machine) -> None:
    machine.state.rmdir()
    assert machine.run([*READ, "--session", "s"], []).returncode == 0
    assert machine.state.stat().st_mode & 0o777 == 0o700


def test_a_folder_that_is_a_link_leads_where_it_says(machine: Machine, tmp_path: Path) -> None:
    machine.state.rmdir()
    (tmp_path / "elsewhere").mkdir()
    machine.state.symlink_to(tmp_path / "elsewhere")
    assert machine.run([*READ, "--session", "s"], []).returncode == 0
    assert (tmp_path / "elsewhere" / "ankrcode" / "sessions" / "s.jsonl").is_file()


def test_a_link_that_leads_nowhere_is_told(machine: Machine) -> None:
    machine.state.rmdir()
    machine.state.symlink_to("nowhere")
    done = machine.run([*READ, "--session", "s"], [])
    assert done.returncode == 2
    assert str(machine.state) in done.stderr


# ── faults ────────────────────────────────────────────────────────────────────────────────────
@needs_faults
def test_without_locks_nothing_is_recorded_and_nothing_changed(machine: Machine) -> None:
    refused = machine.faulty([*READ, "--session", "s"], "flock:error=ENOLCK")
    assert refused.returncode == 2
    assert "No locks available" in refused.stderr
    for arguments in (WRITE, OPAQUE):
        done = machine.faulty(arguments, "flock:error=ENOLCK")
        assert done.returncode == 1
        assert "No locks available. Nothing was changed." in done.stderr
    assert machine.is_untouched
    assert machine.faulty(READ, "flock:error=ENOLCK").returncode == 0


@needs_faults
@pytest.mark.parametrize("error", ["EIO", "ENOSPC", "EDQUOT"])
def test_a_turn_that_did_not_reach_the_disk_is_no_success(machine: Machine, error: str) -> None:
    done = machine.faulty([*READ, "--session", "s"], f"fdatasync:error={error}")
    assert done.returncode == 2
    assert "What was recorded before is intact." in done.stderr
    again = machine.run([*READ, "--session", "s"], [])
    assert again.returncode == 0, again.stderr


@needs_faults
def test_a_network_folder_that_cannot_sync_a_name_is_used(tmp_path: Path) -> None:
    """Only the folder's own sync: some network file systems know none."""
    code = f"from ankrcode.sessions.log import sync_folder; sync_folder({str(tmp_path)!r})"
    python = [sys.executable, "-P", "-c", code]
    strace = ["strace", "-f", "-qq", "-o", os.devnull, "-e"]
    known = subprocess.run([*strace, "inject=fsync:error=EINVAL", *python], check=False)
    assert known.returncode == 0
    broken = subprocess.run(
        [*strace, "inject=fsync:error=EIO", *python], check=False, capture_output=True, text=True
    )
    assert "Input/output error" in broken.stderr


def test_a_folder_is_synced_for_real(tmp_path: Path) -> None:
    sync_folder(str(tmp_path))
    with pytest.raises(FileNotFoundError):
        sync_folder(str(tmp_path / "missing"))


# ── the mode ──────────────────────────────────────────────────────────────────────────────────
def test_a_mode_that_changes_is_in_the_log_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ankrcode import Toolkit

    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    kit = Toolkit(cwd=tmp_path, session_id="s", records=True)
    path = tmp_path / "state" / "ankrcode" / "sessions" / "s.jsonl"
    for mode in ("plan", "acceptEdits", "acceptEdits", "default"):
        kit.mode = mode
    kit.close()
    kept = [one for _, one in read_log(str(path)).records if isinstance(one, StateKept)]
    assert [one.values["mode"] for one in kept] == ["plan", "acceptEdits", "default"]
    json.loads(path.read_bytes().splitlines()[-1][9:])  # and a person can read it


def test_a_mode_changes_also_where_it_cannot_be_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ankrcode import Toolkit

    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    kit = Toolkit(cwd=tmp_path, session_id="s", records=True)
    assert kit.session is not None
    kit.session.recorder.close()
    kit.mode = "plan"
    assert kit.mode == "plan"
    refused = kit.call_sync("List")
    assert not refused.ok, "what cannot be noted does not run"
    kit.close()
