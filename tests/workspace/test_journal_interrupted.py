"""A command whose process was killed: what it changed is found by the next one, and undone."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import pytest

from ankrcode.workspace.framing import framed, unframed
from ankrcode.workspace.journal.journal import Who
from ankrcode.workspace.journal.manifest import scan
from ankrcode.workspace.journal.snapshot import FOLDER, Snapshot, is_owned, left_behind, read_back
from torture import IS_TORTURE
from workspace.desk import SHELL, Desk, commit_all, died, furnish, seen, written

INTERRUPTED = """
import subprocess
desk.journal.before(SHELL, Who(tool="Bash", title={command!r}))
subprocess.run(["bash", "-c", {command!r}], cwd=desk.work)
"""


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    furnish(made.work)
    yield made
    made.journal.close()


def killed_after(desk: Desk, command: str) -> None:
    died(INTERRUPTED.format(command=command), desk.work.parent)


COMMANDS = [
    "echo new > a.txt",
    "rm -r d",
    "mv a.txt b.txt; mkdir -p x/y; echo deep > x/y/z",
    "chmod 600 a.txt; ln -sfn d l; rmdir empty",
    "rm -rf d; echo file > d",
    "for i in $(seq 60); do echo $i > n$i; done",
]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("is_git", [False, True], ids=["plain", "git"])
def test_what_a_killed_command_changed_is_taken_back(
    desk: Desk, command: str, *, is_git: bool
) -> None:
    if is_git:
        commit_all(desk.work)
    before = seen(desk)
    killed_after(desk, command)
    after = seen(desk)
    assert after != before
    (listed,) = desk.journal.entries()
    assert listed.entry.title == command
    assert "interrupted" in listed.entry.partial
    desk.undo()
    assert seen(desk) == before
    desk.undo(redone=True)
    assert seen(desk) == after


def test_a_killed_command_that_changed_nothing_is_not_listed(desk: Desk) -> None:
    killed_after(desk, "true")
    for _ in range(2):  # also when its snapshot is gone
        assert desk.journal.entries() == []
        assert left_behind(desk.state) == []


def test_it_is_noted_once_and_what_the_person_does_then_is_theirs(desk: Desk) -> None:
    killed_after(desk, "echo theirs > a.txt")
    desk.journal.entries()
    written(desk.work / "mine.txt", b"mine")
    (listed,) = desk.journal.entries()
    assert [Path(change.path).name for change in listed.entry.changes] == ["a.txt"]
    desk.undo()
    assert (desk.work / "mine.txt").read_bytes() == b"mine"
    assert (desk.work / "a.txt").read_bytes() == b"abc\n"


def test_the_next_command_does_not_take_the_changes_for_its_own(desk: Desk) -> None:
    killed_after(desk, "echo one > first")
    entry = desk.shell("echo two > second")
    assert entry is not None
    assert [Path(change.path).name for change in entry.changes] == ["second"]
    first, second = desk.journal.entries()
    assert [Path(change.path).name for change in first.entry.changes] == ["first"]
    assert second.entry.id == entry.id


def test_what_another_process_changed_meanwhile_stays_its_own(desk: Desk) -> None:
    script = INTERRUPTED.format(command="echo one > first")
    died(script + '\ndesk.write("second", b"two")', desk.work.parent)
    entries = desk.journal.entries()
    names = [[Path(change.path).name for change in one.entry.changes] for one in entries]
    assert sorted(names) == [["first"], ["second"]]


def test_only_what_changed_after_the_last_of_several_commands_is_found(desk: Desk) -> None:
    script = 'desk.shell("echo 1 > one; mkdir made; echo 2 > made/two; rm -r d")\n'
    died(script + INTERRUPTED.format(command="echo 3 > made/three; rm one"), desk.work.parent)
    first, second = desk.journal.entries()
    assert {Path(one.path).name for one in first.entry.changes} >= {"one", "made", "two", "d"}
    assert {Path(one.path).name for one in second.entry.changes} == {"three", "one"}
    before = seen(desk)
    desk.undo()
    assert (desk.work / "one").read_bytes() == b"1\n"
    assert not (desk.work / "made" / "three").exists()
    desk.undo(redone=True)
    assert seen(desk) == before


def test_names_that_are_no_text_are_found_again(desk: Desk) -> None:
    odd = os.fsencode(desk.work) + b"/\xff\xfe"
    Path(os.fsdecode(odd)).write_bytes(b"odd")
    killed_after(desk, "rm -- $'\\xff\\xfe'; echo more > $'\\xf0'")
    desk.undo()
    assert Path(os.fsdecode(odd)).read_bytes() == b"odd"
    assert not Path(os.fsdecode(os.fsencode(desk.work) + b"/\xf0")).exists()


def test_a_command_of_a_living_process_is_left_alone(desk: Desk) -> None:
    pending = desk.journal.before(SHELL, Who(tool="Bash"))
    written(desk.work / "half", b"1")
    other = desk.opened()
    assert other.entries() == []
    assert pending is not None
    entry = desk.journal.after(pending)
    assert entry is not None
    assert len(other.entries()) == 1
    other.close()


def test_an_orderly_end_leaves_no_snapshot(desk: Desk) -> None:
    desk.shell("echo x > x")
    (one,) = (desk.state / FOLDER).iterdir()
    assert is_owned(desk.state, one.name)
    desk.journal.close()
    assert list((desk.state / FOLDER).iterdir()) == []


def test_a_file_that_was_not_kept_is_said_to_be_lost(desk: Desk) -> None:
    script = "desk.journal.tree._caps = Caps(file_bytes=2)\n"
    died(script + INTERRUPTED.format(command="echo longer > a.txt"), desk.work.parent)
    (listed,) = desk.journal.entries()
    assert "1 of the changed files cannot be brought back" in listed.entry.partial


# ── the snapshot itself ───────────────────────────────────────────────────────────────────────
def test_a_snapshot_is_read_back_as_of_each_moment(tmp_path: Path) -> None:
    work, state = tmp_path / "work", tmp_path / "state"
    work.mkdir()
    furnish(work)
    snapshot = Snapshot(state)
    moments = []
    manifest = scan(str(work), lambda *_: None)
    for name in ("one", "two", "three"):
        moments.append((snapshot.note(manifest), manifest))
        written(work / name / "file", name.encode())
        fresh = scan(str(work), lambda *_: None)
        same = {
            folder: manifest[folder] for folder in fresh if manifest.get(folder) == fresh[folder]
        }
        manifest = {**fresh, **same}
    for end, expected in moments:
        assert read_back(state, snapshot.name, end) == expected
    sizes = [end for end, _ in moments]
    assert sizes[2] - sizes[1] < sizes[0], "only what changed is written again"
    assert snapshot.note(moments[-1][1]) == sizes[-1]
    snapshot.close()


def test_a_folder_that_went_is_gone_from_the_snapshot(tmp_path: Path) -> None:
    snapshot = Snapshot(tmp_path)
    key = next(iter(scan(str(tmp_path.parent), lambda *_: None).values()))
    snapshot.note({"/a": key, "/b": {}})
    end = snapshot.note({"/a": key})
    assert read_back(tmp_path, snapshot.name, end) == {"/a": key}
    snapshot.close()


@pytest.mark.parametrize("damage", [b"", b"0" * 40, b"\n"], ids=["empty", "changed", "blank"])
def test_a_damaged_snapshot_is_none(tmp_path: Path, damage: bytes) -> None:
    snapshot = Snapshot(tmp_path)
    end = snapshot.note({"/a": {}})
    (tmp_path / FOLDER / snapshot.name).write_bytes(damage)
    assert read_back(tmp_path, snapshot.name, end) is None
    assert read_back(tmp_path, "none", end) is None


def test_a_record_of_any_length_is_read(tmp_path: Path) -> None:
    content = b'"' + b"x" * (65 * 1024 * 1024) + b'"'
    assert unframed(framed(content)[:-1]) == content


# ── the real thing ────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("number", range(20 if IS_TORTURE else 2))
def test_a_killed_program_is_undone_by_the_next(tmp_path: Path, number: int) -> None:
    work, state = tmp_path / "work", tmp_path / "state"
    work.mkdir()
    furnish(work)
    before = {path: path.read_bytes() for path in work.rglob("*") if path.is_file()}
    environment = {**os.environ, "XDG_STATE_HOME": str(state)}
    ours = [sys.executable, "-P", "-m", "ankrcode"]
    command = f"rm d/one; echo {number} > a.txt; : > made; sleep 60"
    process = subprocess.Popen(
        [*ours, "exec", "Bash", f"command={command}", "--permission-mode", "bypass"],
        cwd=work,
        env=environment,
        stdout=subprocess.DEVNULL,
    )
    deadline = monotonic() + 20
    while not (work / "made").exists() and monotonic() < deadline:
        os.sched_yield()
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    listing = subprocess.run(
        [*ours, "changes"], cwd=work, env=environment, capture_output=True, text=True, check=True
    )
    assert "interrupted" in listing.stdout
    subprocess.run([*ours, "undo"], cwd=work, env=environment, check=True, capture_output=True)
    assert {path: path.read_bytes() for path in work.rglob("*") if path.is_file()} == before
