"""The journal in odd places: strange files, moved roots, lost notices, full disks, company."""

import errno
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from ankrcode.errors import ToolError
from ankrcode.protocol.acts import Acts, file, state
from ankrcode.workspace.journal import watch
from ankrcode.workspace.journal.blobs import FILE as STORE
from ankrcode.workspace.journal.blobs import Blobs
from ankrcode.workspace.journal.journal import FILE, Who
from ankrcode.workspace.journal.manifest import SKIPPED, Key, names_of
from ankrcode.workspace.journal.states import Caps, Capture
from ankrcode.workspace.journal.tree import Tree
from people import ordinary_person
from torture import IS_TORTURE
from workspace.desk import SHELL, Desk, died, furnish, written


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    yield made
    made.journal.close()


def undone(desk: Desk, command: str) -> None:
    """The command changes something, all of it is seen, and undo brings exactly that back."""
    before = desk.look()
    entry = desk.shell(command)
    assert entry is not None, command
    assert desk.look() != before
    desk.undo()
    assert desk.look() == before, command


# ── notices of the system ─────────────────────────────────────────────────────────────────────
def test_a_folder_made_anew_under_the_same_name_is_watched_too(desk: Desk) -> None:
    """The new one may even have the number of the old one."""
    written(desk.work / "d" / "sub" / "f", b"0")
    for number in range(5):
        desk.shell(f"rm -r d; mkdir -p d/sub; echo {number} > d/sub/f")
        undone(desk, "echo x > d/sub/f")
        undone(desk, "touch d/sub/new")


@pytest.mark.parametrize(
    "command",
    [
        "mv d e; echo x > e/sub/f",
        "mv d e; mkdir d; mv e d/inner; echo x > d/inner/sub/f",
        "mkdir -p x/y/z; echo 1 > x/y/z/f; mv x q; echo 2 > q/y/z/f",
        "for i in 1 2 3 4 5 6 7 8 9; do mkdir -p n$i/m; echo $i > n$i/m/f; done",
        "cp -r d copy; rm -r d; mv copy d; echo x > d/sub/f",
        "mv d/sub/f d/sub/g; mv d/sub/g d/sub/f; echo x >> d/sub/f",
    ],
)
def test_commands_that_move_folders_about_are_followed(command: str, desk: Desk) -> None:
    written(desk.work / "d" / "sub" / "f", b"0")
    desk.shell("touch first")  # from here on the notices count
    undone(desk, command)
    undone(desk, command)


def test_more_notices_than_the_system_queues(desk: Desk) -> None:
    desk.shell("touch first")
    limit = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text(encoding="ascii"))
    path = desk.work / "f"
    pending = desk.journal.before(SHELL, Who(tool="Bash"))
    assert pending is not None
    for number in range(limit // 2 + 100):  # two kinds in turn, so that none are joined
        path.touch()
        path.chmod(0o600 + number % 2)
    written(desk.work / "deep" / "g", b"g")
    entry = desk.journal.after(pending)
    assert entry is not None
    assert {Path(change.path).name for change in entry.changes} == {"f", "deep", "g"}
    undone(desk, "echo x > deep/g")


@pytest.mark.parametrize("most", [0, 1, 3])
def test_where_folders_cannot_be_watched_all_is_looked_at(
    most: int, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "most_folders", lambda: most)
    furnish(desk.work)
    for command in ("echo x > a.txt", "rm -r d", "mkdir n; touch n/f"):
        undone(desk, command)


def test_without_notices_at_all(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    furnish(desk.work)
    for command in ("echo x > a.txt", "rm -r d", "mkdir n; touch n/f"):
        undone(desk, command)


def test_half_of_the_systems_watches_are_left_to_others() -> None:
    limit = int(Path("/proc/sys/fs/inotify/max_user_watches").read_text(encoding="ascii"))
    assert 0 < watch.most_folders() <= limit // 2


def test_a_change_through_another_name_outside_is_seen(desk: Desk, tmp_path: Path) -> None:
    written(desk.work / "d" / "a", b"one")
    os.link(desk.work / "d" / "a", tmp_path / "outside")
    desk.shell("touch first")
    undone(desk, "echo two > ../outside")


# ── places ────────────────────────────────────────────────────────────────────────────────────
def test_another_folder_in_the_place_of_the_root_is_looked_at_anew(
    desk: Desk, tmp_path: Path
) -> None:
    written(desk.work / "a", b"one")
    desk.shell("touch first")
    desk.work.rename(tmp_path / "moved")
    written(desk.work / "b", b"another workspace")
    undone(desk, "echo x > b; touch c")


def test_an_undo_in_a_place_that_was_replaced_finds_the_conflict(
    desk: Desk, tmp_path: Path
) -> None:
    desk.write("a", b"one")
    desk.write("a", b"two")
    desk.work.rename(tmp_path / "moved")
    written(desk.work / "a", b"another workspace")
    with pytest.raises(ToolError, match="changed since"):
        desk.undo()
    assert (desk.work / "a").read_bytes() == b"another workspace"


def test_a_workspace_that_is_gone_is_no_crash(desk: Desk) -> None:
    desk.write("a", b"one")
    shutil.rmtree(desk.work)
    pending = desk.journal.before(SHELL, Who(tool="Bash"))
    assert pending is not None
    assert desk.journal.after(pending) is None


def test_our_own_state_inside_the_workspace_is_left_out(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.journal.close()
    desk.state = desk.work / "state"
    blobs = Blobs(desk.state / "blobs")
    roots = (str(desk.work),)
    desk.journal = desk.opened()
    desk.journal.tree = Tree(roots, "/nonexistent", blobs, desk.caps, own=str(desk.state))
    desk.journal.blobs = blobs
    entry = desk.shell("touch a")
    entry = desk.shell("touch b")
    assert entry is not None
    assert [Path(change.path).name for change in entry.changes] == ["b"]
    desk.journal.close()


@pytest.mark.parametrize(
    ("beside", "name"),
    [
        ("Cargo.toml", "target"),
        ("pom.xml", "target"),
        ("build.gradle", "build"),
        ("", "node_modules"),
        ("", ".venv"),
        ("", "__pycache__"),
    ],
)
def test_what_is_made_again_is_left_out(beside: str, name: str, tmp_path: Path) -> None:
    (tmp_path / name).mkdir()
    if beside:
        written(tmp_path / beside, b"")
    assert name not in names_of(str(tmp_path))


@pytest.mark.parametrize("name", ["target", "build", "dist", "out", "lib", "vendor", "bin"])
def test_a_name_alone_does_not_make_it_a_product(name: str, tmp_path: Path) -> None:
    (tmp_path / name).mkdir()
    assert name in names_of(str(tmp_path))
    assert name not in SKIPPED


# ── files ─────────────────────────────────────────────────────────────────────────────────────
NAMES = [
    *("new\nline", "tab\t", " blank ", "-rf", "*", "'", '"', "\\", "$HOME", "`x`", "a;b", "..."),
    *("नमस्ते", "e\u0301", "é", "\u202e", "\x1b[31m", "A", "a", "n" * 255),
]


def test_names_of_every_kind_come_back(desk: Desk) -> None:
    for name in NAMES:
        written(desk.work / name, name.encode())
        written(desk.work / "d" / name, name.encode())
    for raw in (b"\xff", b"\x80\n", b"ok\xc3"):
        Path(os.fsdecode(os.fsencode(desk.work) + b"/" + raw)).write_bytes(raw)
    undone(desk, "find . -mindepth 1 -delete")
    undone(desk, 'for f in ./*; do [ -f "$f" ] && echo x > "$f"; done; true')


def test_links_with_targets_that_are_no_text_come_back(desk: Desk) -> None:
    target = os.fsdecode(b"/no/\xff\xfe")
    (desk.work / "l").symlink_to(target)
    desk.shell("rm l")
    desk.undo()
    assert str((desk.work / "l").readlink()) == target


def test_a_huge_sparse_file_is_left_out_at_once(desk: Desk) -> None:
    with (desk.work / "huge").open("wb") as huge:
        huge.truncate(1 << 40)
    written(desk.work / "a", b"a")
    entry = desk.shell("echo x > a")
    assert entry is not None
    assert [Path(change.path).name for change in entry.changes] == ["a"]
    desk.undo()
    assert desk.work.joinpath("a").read_bytes() == b"a"


def test_a_file_that_was_not_kept_and_changed_is_told_although_its_size_stayed(
    tmp_path: Path,
) -> None:
    desk = Desk(tmp_path, Caps(file_bytes=100, wait_s=60.0))
    written(desk.work / "big", b"x" * 200)
    entry = desk.shell("printf 'y%.0s' {1..200} > big")
    assert entry is not None
    assert "1 of the changed files cannot be brought back" in entry.partial
    with pytest.raises(ToolError, match="not kept"):
        desk.undo()
    desk.journal.close()


def test_what_cannot_be_read_is_said_and_the_rest_is_kept(tmp_path: Path) -> None:
    base = tmp_path / "base"
    base.mkdir()
    desk = Desk(base)
    furnish(desk.work)
    written(desk.work / "closed", b"secret", 0o000)
    (desk.work / "d" / "sub").chmod(0o000)
    with ordinary_person(base):
        pending = desk.journal.before(SHELL, Who(tool="Bash"))
        assert pending is not None
        assert "1 files are too large, too many or not readable" in pending.partial
        (desk.work / "a.txt").write_bytes(b"changed")
        desk.journal.after(pending)
        desk.undo()
        assert (desk.work / "a.txt").read_bytes() == b"abc\n"
        (desk.work / "d" / "sub").chmod(0o700)
    desk.journal.close()


def test_special_files_are_looked_at_and_never_opened(desk: Desk) -> None:
    os.mkfifo(desk.work / "pipe")
    undone_names = desk.shell("touch a; chmod 600 pipe")
    assert undone_names is not None
    assert {Path(change.path).name for change in undone_names.changes} == {"a", "pipe"}


def test_a_file_that_changes_while_it_is_kept_is_not_taken_for_what_it_was(desk: Desk) -> None:
    """The person types on while the journal looks: never a content that was not there."""
    path = desk.work / "a"
    written(path, b"0" * 1_000)
    is_over = threading.Event()

    def type_on() -> None:
        number = 0
        while not is_over.is_set():
            number += 1
            path.write_bytes(str(number % 10).encode() * 1_000)

    typist = threading.Thread(target=type_on)
    typist.start()
    try:
        for _ in range(50 if IS_TORTURE else 15):
            entry = desk.shell("touch b; rm b; touch c")
            for change in entry.changes if entry else ():
                if change.before.digest:
                    content = desk.journal.blobs.get(change.before.digest)
                    assert len(set(content)) <= 1, "one moment, not two"
    finally:
        is_over.set()
        typist.join()


# ── bounds ────────────────────────────────────────────────────────────────────────────────────
def test_what_commands_may_change_takes_half_of_the_room_at_most(tmp_path: Path) -> None:
    desk = Desk(tmp_path, Caps(total_bytes=400_000, wait_s=60.0))
    for number in range(60):
        written(desk.work / f"f{number}", os.urandom(10_000))
    pending = desk.journal.before(SHELL, Who(tool="Bash"))
    assert pending is not None
    assert "too many" in pending.partial
    desk.journal.after(pending)
    assert desk.journal.size() <= 400_000
    for _ in range(60):
        desk.write("a", os.urandom(10_000))
    assert desk.journal.blobs.size() <= 500_000
    desk.undo()
    desk.journal.close()


def test_ten_thousand_edits_stay_within_the_caps(tmp_path: Path) -> None:
    caps = Caps(total_bytes=500_000, total_calls=100, wait_s=60.0)
    desk = Desk(tmp_path, caps)
    largest = 0
    for number in range(10_000 if IS_TORTURE else 600):
        desk.write(f"f{number % 7}", os.urandom(2_000))
        if number % 20 == 0:
            largest = max(largest, used(desk.state))
    assert largest <= caps.total_bytes * 1.5
    assert len(desk.journal.entries()) <= caps.total_calls + 200
    for _ in range(20):
        desk.undo()
    desk.journal.close()


def test_a_process_for_each_call_stays_within_the_caps_too(tmp_path: Path) -> None:
    desk = Desk(tmp_path, Caps(total_calls=20, wait_s=60.0))
    for number in range(400):
        desk.journal.close()
        desk.journal = desk.opened()
        desk.write("a", str(number).encode())
    assert len(desk.journal.entries()) < 300
    desk.journal.close()


def used(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def test_files_that_are_gone_take_no_room_for_ever(tmp_path: Path) -> None:
    desk = Desk(tmp_path, Caps(total_calls=1, wait_s=60.0))
    for number in range(30):
        written(desk.work / f"f{number}", os.urandom(1_000))
    desk.shell("rm f*")
    desk.shell("touch a")
    desk.journal.prune()
    assert len(desk.journal.blobs.sizes()) <= 1
    desk.journal.close()


# ── several processes ─────────────────────────────────────────────────────────────────────────
def test_pruning_spares_what_another_process_has_under_way(tmp_path: Path) -> None:
    desk = Desk(tmp_path, Caps(total_calls=1, wait_s=60.0))
    path = desk.work / "slow"
    written(path, b"before")
    other = desk.opened()
    pending = other.before(Acts(writes=(file(str(path)),)), Who(tool="Write"))
    assert pending is not None
    for number in range(5):
        desk.write("a", str(number).encode())
    desk.journal.prune()
    path.write_bytes(b"after")
    other.after(pending)
    desk.undo()
    assert path.read_bytes() == b"before"
    other.close()
    desk.journal.close()


def test_pruning_spares_what_a_running_command_of_another_process_removed(tmp_path: Path) -> None:
    desk = Desk(tmp_path, Caps(total_calls=1, wait_s=60.0))
    furnish(desk.work)
    other = desk.opened()
    waiting = other.before(SHELL, Who(tool="Bash"))
    assert waiting is not None
    shutil.rmtree(desk.work / "d")  # by the command, which goes on
    for number in range(5):
        desk.write("z", str(number).encode())
    desk.journal.prune()
    entry = other.after(waiting)
    assert entry is not None
    assert entry.partial == ""
    other.close()
    desk.journal.close()


def test_many_processes_write_one_journal_and_none_loses_a_change(tmp_path: Path) -> None:
    count, each = 4, 10
    script = f"""
for number in range({each}):
    desk.write(sys.argv[1].rpartition("/")[2] + f"{{os.getpid()}}-{{number}}", b"x" * number)
    if number % 4 == 0:
        desk.journal.prune()
"""
    desk = Desk(tmp_path)
    threads = [threading.Thread(target=died, args=(script, tmp_path)) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(desk.journal.entries()) == count * each
    while desk.look():
        desk.undo()
    desk.journal.close()


def test_two_processes_undo_the_same_thing_and_it_is_undone_once(desk: Desk) -> None:
    desk.write("a", b"1")
    desk.write("a", b"2")
    newest = desk.journal.entries()[-1].entry.id
    desk.undo(which=newest)
    with pytest.raises(ToolError):
        desk.undo(which=newest)
    assert (desk.work / "a").read_bytes() == b"1"


# ── where the journal cannot be written ───────────────────────────────────────────────────────
@pytest.mark.parametrize("acts", [SHELL, Acts(writes=("file:/tmp/never",))], ids=["shell", "file"])
def test_a_state_folder_that_cannot_be_written_refuses_the_call(acts: Acts, tmp_path: Path) -> None:
    base = tmp_path / "base"
    base.mkdir()
    desk = Desk(base)
    written(desk.work / "a", b"a")
    desk.state.mkdir(mode=0o500)
    with ordinary_person(base), pytest.raises(ToolError) as caught:
        desk.journal.before(acts, Who(tool="Bash"))
    assert "undo.enabled=false" in str(caught.value)


def test_a_full_disk_refuses_the_call_and_what_was_kept_stays(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.write("a", b"1")

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr("ankrcode.workspace.journal.journal.write_all", full)
        with pytest.raises(ToolError, match="No space left"):
            desk.journal.before(Acts(writes=(file(str(desk.work / "a")),)), Who(tool="Write"))
    desk.write("a", b"2")
    desk.undo()
    desk.undo()
    assert desk.look() == {}


def test_a_file_in_the_place_of_the_state_folder_refuses_the_call(desk: Desk) -> None:
    written(desk.state, b"not a folder")
    with pytest.raises(ToolError, match="cannot be written"):
        desk.journal.before(SHELL, Who(tool="Bash"))


def test_a_link_in_the_place_of_the_record_is_not_followed(desk: Desk, tmp_path: Path) -> None:
    written(tmp_path / "precious", b"precious")
    written(desk.work / "a", b"something to keep")
    for name in (f"blobs/{STORE}", FILE):
        written(desk.state / "x", b"")
        (desk.state / name).parent.mkdir(exist_ok=True)
        (desk.state / name).symlink_to(tmp_path / "precious")
        with pytest.raises(ToolError, match="cannot be written"):
            desk.journal.before(SHELL, Who(tool="Bash"))
        (desk.state / name).unlink()
    assert (tmp_path / "precious").read_bytes() == b"precious"


def test_a_read_only_state_can_still_be_looked_at(tmp_path: Path) -> None:
    base = tmp_path / "base"
    base.mkdir()
    desk = Desk(base)
    desk.write("a", b"one")
    desk.write("a", b"two")
    desk.journal.close()
    for path in (desk.state, desk.state / "blobs"):
        path.chmod(0o555)
    for path in (desk.state / FILE, desk.state / "blobs" / STORE):
        path.chmod(0o444)
    with ordinary_person(base):
        journal = desk.opened()
        change = journal.entries()[-1].entry.changes[0]
        assert journal.blobs.get(change.before.digest) == b"one"
        assert journal.blobs.size() > 0
        desk.journal = journal
        with pytest.raises(ToolError, match="cannot be written"):
            desk.undo()
        assert (desk.work / "a").read_bytes() == b"two"
        journal.close()


# ── what costs nothing ────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "acts",
    [
        Acts(),
        Acts(reads=("everything",)),
        Acts(reads=("file:/a",), runs=("ls",)),
        Acts(writes=(state("cwd"),)),
        Acts(writes=("net:example.com",), connects=("example.com",)),
    ],
)
def test_calls_that_write_no_file_leave_no_trace(acts: Acts, desk: Desk) -> None:
    assert desk.journal.before(acts, Who(tool="X")) is None
    assert not desk.state.exists()


def test_a_second_look_reads_no_content_again(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(30):
        written(desk.work / f"f{number}", b"x" * number)
    desk.shell("touch first")
    looked: list[object] = []
    real_look = Capture.of

    def counting(self: Capture, place: object) -> object:
        looked.append(place)
        return real_look(self, place)  # type: ignore[arg-type]

    monkeypatch.setattr(Capture, "of", counting)
    desk.shell("echo x > f3")
    assert len(looked) == 1, "only what the command changed, once, afterwards"


def test_a_key_tells_versions_apart_that_have_the_same_size_and_time(tmp_path: Path) -> None:
    path = tmp_path / "a"
    written(path, b"one")
    first: Key = names_of(str(tmp_path))["a"]
    facts = path.stat()
    path.write_bytes(b"two")
    os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    second: Key = names_of(str(tmp_path))["a"]
    assert (first.size, first.mtime_ns, first.inode) == (
        second.size,
        second.mtime_ns,
        second.inode,
    )
    assert first != second


def test_the_store_survives_a_process_that_is_killed_while_it_keeps(tmp_path: Path) -> None:
    for number in range(200):
        written(tmp_path / "work" / f"f{number}", os.urandom(500))
    script = """
import threading, time
threading.Timer(0.02, lambda: os.kill(os.getpid(), 9)).start()
desk.journal.before(SHELL, Who(tool="Bash"))
"""
    for _ in range(5):
        died(script, tmp_path)
    desk = Desk(tmp_path)
    before = desk.look()
    entry = desk.shell("rm f*")
    assert entry is not None
    assert entry.partial == ""
    desk.undo()
    assert desk.look() == before
    check = subprocess.run(
        [sys.executable, "-c", _CHECK, desk.state / "blobs" / STORE],
        check=True,
        capture_output=True,
        text=True,
    )
    assert check.stdout.strip() == "ok"
    desk.journal.close()


_CHECK = """
import sqlite3, sys
print(sqlite3.connect(sys.argv[1]).execute("PRAGMA integrity_check").fetchone()[0])
"""
