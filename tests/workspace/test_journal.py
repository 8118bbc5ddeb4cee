"""The journal: what each call changed, and undo that restores exactly or reports the conflict."""

import os
import random
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import pytest

from ankrcode.errors import ToolError
from ankrcode.protocol.acts import Acts, file, tree
from ankrcode.workspace.journal.journal import FILE, Who
from ankrcode.workspace.journal.states import Caps
from ankrcode.workspace.roots import is_trackable
from torture import IS_TORTURE
from workspace.desk import SHELL, Desk, commit_all, died, furnish, replaced, seen, written


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made_desk = Desk(tmp_path)
    yield made_desk
    made_desk.journal.close()


# ── tools that say what they write ────────────────────────────────────────────────────────────
def test_a_new_file_is_taken_back_and_made_again(desk: Desk) -> None:
    desk.write("a.txt", b"one")
    after = desk.look()
    assert desk.undo() == [str(desk.work / "a.txt")]
    assert desk.look() == {}
    desk.undo(redone=True)
    assert desk.look() == after


def test_bytes_and_mode_come_back(desk: Desk) -> None:
    path = desk.work / "run.sh"
    path.write_bytes(b"\xff\x00one\r\n")
    path.chmod(0o751)
    before = desk.look()
    desk.call(Acts(writes=(file(str(path)),)), lambda: written(path, b"two", 0o600))
    desk.undo()
    assert desk.look() == before


def test_folders_made_for_a_file_go_with_it(desk: Desk) -> None:
    desk.write("a/b/c.txt", b"deep")
    desk.undo()
    assert desk.look() == {}
    desk.undo(redone=True)
    assert desk.look()["a/b/c.txt"][2] == b"deep"


def test_a_folder_that_holds_something_else_by_now_stays_and_is_told(desk: Desk) -> None:
    desk.write("a/b.txt", b"mine")
    (desk.work / "a" / "theirs.txt").write_bytes(b"theirs")
    with pytest.raises(ToolError):
        desk.undo()
    assert (desk.work / "a" / "theirs.txt").read_bytes() == b"theirs"


def test_a_deleted_tree_comes_back_whole(desk: Desk) -> None:
    top = desk.work / "top"
    (top / "in" / "empty").mkdir(parents=True)
    (top / "in" / "f").write_bytes(b"f")
    (top / "link").symlink_to("in/f")
    (top / "dangling").symlink_to("/no/where")
    (top / "in").chmod(0o710)
    before = desk.look()
    desk.call(Acts(writes=(tree(str(top)),)), lambda: shutil.rmtree(top))
    assert desk.look() == {}
    desk.undo()
    assert desk.look() == before


def test_a_move_is_taken_back(desk: Desk) -> None:
    (desk.work / "old").mkdir()
    (desk.work / "old" / "f").write_bytes(b"x")
    before = desk.look()
    acts = Acts(writes=(tree(str(desk.work / "old")), tree(str(desk.work / "new"))))
    desk.call(acts, lambda: (desk.work / "old").rename(desk.work / "new"))
    desk.undo()
    assert desk.look() == before


def test_a_call_that_changed_nothing_leaves_no_entry(desk: Desk) -> None:
    path = desk.work / "a"
    path.write_bytes(b"same")
    assert desk.call(Acts(writes=(file(str(path)),)), lambda: path.write_bytes(b"same")) is None
    assert desk.shell("true") is None
    assert desk.journal.entries() == []


def test_a_call_that_writes_no_file_costs_nothing(desk: Desk) -> None:
    assert desk.journal.before(Acts(reads=(file("/x"),)), Who(tool="Read")) is None
    assert not desk.state.exists()


def test_a_link_is_restored_as_a_link_and_never_followed(desk: Desk, tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_bytes(b"precious")
    link = desk.work / "link"
    link.symlink_to(outside)
    before = desk.look()
    desk.call(Acts(writes=(file(str(link)),)), lambda: replaced(link, b"a file now"))
    desk.undo()
    assert desk.look() == before
    assert outside.read_bytes() == b"precious"


def test_a_folder_swapped_for_a_link_is_not_written_through(desk: Desk, tmp_path: Path) -> None:
    (desk.work / "d").mkdir()
    desk.write("d/f", b"one")
    desk.write("d/f", b"two")
    shutil.move(desk.work / "d", tmp_path / "elsewhere")
    (desk.work / "d").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ToolError):
        desk.undo()
    assert (tmp_path / "elsewhere" / "f").read_bytes() == b"two"


def test_names_that_are_no_text_are_restored_too(desk: Desk) -> None:
    path = os.fsencode(desk.work) + b"/\xff\xfe.bin"
    Path(os.fsdecode(path)).write_bytes(b"odd")
    desk.shell("rm -f ./*")
    assert desk.look() == {}
    desk.undo()
    assert [os.fsencode(one.name) for one in desk.work.iterdir()] == [b"\xff\xfe.bin"]


# ── conflicts ─────────────────────────────────────────────────────────────────────────────────
def test_what_the_person_changed_since_is_never_overwritten_unasked(desk: Desk) -> None:
    desk.write("a", b"one")
    desk.write("a", b"two")
    (desk.work / "a").write_bytes(b"mine")
    with pytest.raises(ToolError, match="changed since"):
        desk.undo()
    assert (desk.work / "a").read_bytes() == b"mine"


def test_even_by_force_their_work_can_be_brought_back(desk: Desk) -> None:
    desk.write("a", b"one")
    desk.write("a", b"two")
    (desk.work / "a").write_bytes(b"mine")
    desk.undo(force=True)
    assert (desk.work / "a").read_bytes() == b"one"
    desk.undo()  # the forced overwriting is the newest change
    assert (desk.work / "a").read_bytes() == b"mine"


def test_a_conflict_stops_all_of_a_call(desk: Desk) -> None:
    paths = [desk.work / name for name in "abc"]
    acts = Acts(writes=tuple(file(str(path)) for path in paths))
    desk.call(acts, lambda: [path.write_bytes(b"x") for path in paths])
    (desk.work / "b").write_bytes(b"mine")
    with pytest.raises(ToolError):
        desk.undo()
    assert [path.read_bytes() for path in paths] == [b"x", b"mine", b"x"]


def test_someone_who_undid_it_already_is_no_conflict(desk: Desk) -> None:
    desk.write("a", b"one")
    (desk.work / "a").unlink()
    assert desk.undo() == []
    assert desk.journal.entries()[0].is_undone


def test_an_older_call_can_be_taken_back_alone_if_nothing_touched_the_same(desk: Desk) -> None:
    first = desk.write("a", b"1")
    desk.write("b", b"2")
    assert first is not None
    desk.undo(which=first.id)
    assert desk.look().keys() == {"b"}


def test_an_older_call_under_a_newer_one_is_a_conflict(desk: Desk) -> None:
    first = desk.write("a", b"1")
    desk.write("a", b"2")
    assert first is not None
    with pytest.raises(ToolError):
        desk.undo(which=first.id)
    assert desk.look()["a"][2] == b"2"


# ── choosing ──────────────────────────────────────────────────────────────────────────────────
def test_a_whole_turn_is_taken_back_at_once(desk: Desk) -> None:
    desk.write("a", b"0", turn_id="t1")
    before = desk.look()
    desk.write("a", b"1", turn_id="t2")
    desk.shell("echo x > b; mkdir c", turn_id="t2")
    desk.write("a", b"2", turn_id="t2")
    desk.undo(turn="t2")
    assert desk.look() == before
    desk.undo(redone=True, turn="t2")
    assert desk.look()["a"][2] == b"2"
    assert "c" in desk.look()


def test_one_agents_changes_are_taken_back_alone(desk: Desk) -> None:
    desk.write("a", b"1", agent_id="main")
    desk.write("b", b"2", agent_id="helper")
    desk.undo(agent="helper")
    assert desk.look().keys() == {"a"}


def test_back_to_a_change_takes_back_all_after_it(desk: Desk) -> None:
    first = desk.write("a", b"1")
    kept = desk.look()
    for number in range(3):
        desk.write("a", str(number).encode() * 9)
        desk.write(f"new{number}", b"x")
    assert first is not None
    desk.undo(to=first.id)
    assert desk.look() == kept


def test_undo_again_and_again_goes_back_step_by_step_and_redo_forward(desk: Desk) -> None:
    pictures = [desk.look()]
    for number in range(4):
        desk.write("a", str(number).encode())
        pictures.append(desk.look())
    for number in range(3, -1, -1):
        desk.undo()
        assert desk.look() == pictures[number]
    for number in range(1, 5):
        desk.undo(redone=True)
        assert desk.look() == pictures[number]


@pytest.mark.parametrize("which", ["nothing", "change"])
def test_an_id_that_fits_none_or_several_is_refused(which: str, desk: Desk) -> None:
    desk.write("a", b"1")
    desk.write("a", b"2")
    with pytest.raises(ToolError):
        desk.undo(which=which)


# ── commands ──────────────────────────────────────────────────────────────────────────────────
COMMANDS = {
    "creates": "echo new > new.txt",
    "overwrites": "echo other > a.txt",
    "appends": "echo more >> a.txt",
    "edits in place": "sed -i s/a/b/ a.txt",
    "deletes": "rm a.txt",
    "deletes a tree": "rm -rf d",
    "renames": "mv a.txt z.txt",
    "renames a folder": "mv d e",
    "makes folders": "mkdir -p x/y/z",
    "removes an empty folder": "rmdir empty",
    "changes a mode": "chmod 700 a.txt; chmod 500 d",
    "makes a link": "ln -s a.txt l2",
    "changes a link": "ln -sfn d l",
    "swaps a file for a folder": "rm a.txt; mkdir a.txt; touch a.txt/in",
    "swaps a folder for a file": "rm -r d; echo x > d",
    "does many things": "for i in 1 2 3; do echo $i > f$i; done; rm d/one; mv d/two d/three",
    "keeps size and time": "cp -p a.txt k; printf 'XYZ\\n' > a.txt; touch -r k a.txt; rm k",
    "makes a hard link": "ln a.txt hard",
    "odd names": "touch $'new\\nline' ' blank ' -- -dash",
}


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS.keys())
@pytest.mark.parametrize("with_git", [False, True], ids=["plain", "git"])
def test_what_a_command_did_is_taken_back_and_made_again(
    command: str, with_git: bool, desk: Desk
) -> None:
    furnish(desk.work)
    if with_git:
        commit_all(desk.work)
        (desk.work / "d" / "one").write_bytes(b"dirty")
        (desk.work / "untracked").write_bytes(b"untracked")
    before = seen(desk)
    entry = desk.shell(command)
    after = seen(desk)
    assert before != after
    assert entry is not None
    assert entry.partial == ""
    desk.undo()
    assert seen(desk) == before
    desk.undo(redone=True)
    assert seen(desk) == after


def test_clean_tracked_files_are_not_copied_beforehand(desk: Desk) -> None:
    for number in range(20):
        (desk.work / f"f{number}").write_bytes(os.urandom(100))
    commit_all(desk.work)
    (desk.work / "f0").write_bytes(b"dirty")
    before = seen(desk)
    pending = desk.journal.before(SHELL, Who(tool="Bash"))
    assert pending is not None
    assert len(desk.journal.blobs.sizes()) == 1
    subprocess.run("rm f*", shell=True, cwd=desk.work, check=True)
    desk.journal.after(pending)
    desk.undo()
    assert seen(desk) == before


@pytest.mark.parametrize("version", ["2", "4"])
def test_every_form_of_the_git_index_is_read(version: str, desk: Desk) -> None:
    for name in ("a/b/c", "long" * 40, "with blank", "नाम"):
        written(desk.work / name, name.encode())
    commit_all(desk.work)
    subprocess.run(["git", "update-index", "--index-version", version], cwd=desk.work, check=True)
    before = seen(desk)
    desk.shell("rm -rf a long* with* ना*")
    assert len(desk.journal.blobs.sizes()) == 4  # fetched afterwards
    desk.undo()
    assert seen(desk) == before


def test_a_file_behind_a_filter_is_kept_by_ourselves(desk: Desk) -> None:
    (desk.work / ".gitattributes").write_text("*.txt text eol=crlf\n", encoding="utf-8")
    (desk.work / "a.txt").write_bytes(b"one\r\ntwo\r\n")
    commit_all(desk.work)
    before = seen(desk)
    desk.shell("rm a.txt")
    desk.undo()
    assert seen(desk) == before


def test_switching_branches_is_taken_back_in_the_work_tree(desk: Desk) -> None:
    furnish(desk.work)
    commit_all(desk.work)
    subprocess.run(["git", "checkout", "-qb", "other"], cwd=desk.work, check=True)
    (desk.work / "a.txt").write_bytes(b"other\n")
    commit_all(desk.work)
    before = seen(desk)
    desk.shell("git checkout -q master 2>/dev/null || git checkout -q main")
    assert seen(desk) != before
    desk.undo()
    assert seen(desk) == before


def test_folders_that_commands_make_again_are_left_out(desk: Desk) -> None:
    (desk.work / "node_modules").mkdir()
    entry = desk.shell("touch node_modules/x; mkdir __pycache__; touch __pycache__/y; touch z")
    assert entry is not None
    assert [Path(change.path).name for change in entry.changes] == ["z"]


def test_edits_of_the_person_between_commands_are_theirs(desk: Desk) -> None:
    furnish(desk.work)
    desk.shell("echo 1 > one")
    (desk.work / "a.txt").write_bytes(b"mine")
    (desk.work / "mine.txt").write_bytes(b"mine too")
    before = desk.look()
    entry = desk.shell("echo 2 > two")
    assert entry is not None
    assert [Path(change.path).name for change in entry.changes] == ["two"]
    desk.undo()
    assert desk.look() == before


def test_a_large_file_is_left_out_and_that_is_said_beforehand(tmp_path: Path) -> None:
    desk = Desk(tmp_path, Caps(file_bytes=100, wait_s=60.0))
    (desk.work / "big").write_bytes(b"x" * 200)
    (desk.work / "small").write_bytes(b"x" * 50)
    pending = desk.journal.before(SHELL, Who(tool="Bash"))
    assert pending is not None
    assert "1 files are too large" in pending.partial
    for path in desk.work.iterdir():
        path.write_bytes(b"changed")
    entry = desk.journal.after(pending)
    assert entry is not None
    assert "cannot be brought back" in entry.partial
    with pytest.raises(ToolError, match="not kept"):
        desk.undo()
    assert (desk.work / "small").read_bytes() == b"changed"
    desk.undo(force=True)  # what can be, without the rest
    assert (desk.work / "small").read_bytes() == b"x" * 50
    assert (desk.work / "big").read_bytes() == b"changed"


@pytest.mark.parametrize(
    ("root", "home", "expected"),
    [
        ("/", "/h/me", False),
        ("/h/me", "/h/me", False),
        ("/h", "/h/me", False),
        ("/h/me/x", "/h/me", True),
        ("/h/meme", "/h/me", True),
    ],
)
def test_a_home_and_the_whole_machine_are_never_tracked(
    root: str, home: str, expected: bool
) -> None:
    assert is_trackable(root, home) is expected


def test_what_is_kept_is_known_to_the_next_process(desk: Desk) -> None:
    for number in range(10):
        (desk.work / f"f{number}").write_bytes(b"x" * number)
    desk.shell("touch new")
    desk.journal.close()
    desk.caps = Caps(wait_s=0.0)
    desk.journal = desk.opened()
    before = desk.look()
    entry = desk.shell("rm f*")
    assert entry is not None
    assert entry.partial == "", "nothing had to be kept"
    desk.undo()
    assert desk.look() == before


def test_a_command_does_not_wait_long_and_what_is_not_kept_yet_is_said(tmp_path: Path) -> None:
    desk = Desk(tmp_path, Caps(wait_s=0.0))
    for number in range(50):
        (desk.work / f"f{number}").write_bytes(os.urandom(10))
    pending = desk.journal.before(SHELL, Who(tool="Bash"))
    assert pending is not None
    assert "50 files are not kept yet" in pending.partial
    deadline = monotonic() + 30
    while desk.journal.tree.is_keeping and monotonic() < deadline:
        os.sched_yield()
    before = desk.look()
    (desk.work / "f7").write_bytes(b"changed")
    desk.journal.after(pending)
    desk.undo()
    assert desk.look() == before, "kept while the command had not touched it"


# ── a process that dies ───────────────────────────────────────────────────────────────────────
def test_what_a_dead_process_had_begun_can_be_taken_back(desk: Desk) -> None:
    path = desk.work / "a"
    path.write_bytes(b"old")
    script = """
path = desk.work / "a"
desk.journal.before(Acts(writes=(file(str(path)),)), Who(tool="Write"))
path.write_bytes(b"half")
"""
    died(script, desk.work.parent)
    (listed,) = desk.journal.entries()
    assert "interrupted" in listed.entry.partial
    desk.undo()
    assert path.read_bytes() == b"old"
    desk.undo(redone=True)
    assert path.read_bytes() == b"half"


def test_a_command_whose_process_died_is_told_of_and_never_hides_what_can_be_undone(
    desk: Desk,
) -> None:
    desk.write("a", b"1")
    script = """
desk.journal.before(SHELL, Who(tool="Bash", title="make"))
(desk.work / "b").write_bytes(b"half")
"""
    died(script, desk.work.parent)
    next((desk.state / "before").iterdir()).write_bytes(b"damaged")
    listed = desk.journal.entries()
    assert [one.entry.title for one in listed] == ["", "make"]
    assert "cannot be undone" in listed[-1].entry.partial
    desk.undo()
    assert desk.look().keys() == {"b"}


def test_what_is_still_under_way_is_not_listed(desk: Desk) -> None:
    path = desk.work / "a"
    pending = desk.journal.before(Acts(writes=(file(str(path)),)), Who(tool="Write"))
    path.write_bytes(b"half")
    assert desk.opened().entries() == []
    assert pending is not None
    desk.journal.after(pending)
    assert len(desk.opened().entries()) == 1


def test_a_torn_journal_keeps_the_rest(desk: Desk) -> None:
    died('desk.write("a", b"1"); desk.write("b", b"2")', desk.work.parent)
    path = desk.state / FILE
    path.write_bytes(path.read_bytes()[:-7])
    desk.write("c", b"3")
    assert [len(listed.entry.changes) for listed in desk.journal.entries()] == [1, 1, 1]
    desk.undo()
    assert "c" not in desk.look()


# ── bounds ────────────────────────────────────────────────────────────────────────────────────
def test_the_oldest_are_forgotten_when_there_are_too_many(tmp_path: Path) -> None:
    desk = Desk(tmp_path, Caps(total_calls=5))
    for number in range(20):
        desk.write("a", str(number).encode())
    desk.journal.prune()
    assert len(desk.journal.entries()) == 5
    assert len(desk.journal.blobs.sizes()) == 6
    for _ in range(5):
        desk.undo()
    assert (desk.work / "a").read_bytes() == b"14"


def test_the_journal_stays_within_its_bytes(tmp_path: Path) -> None:
    desk = Desk(tmp_path, Caps(total_bytes=200_000))
    for _ in range(100):
        desk.write("a", os.urandom(10_000))
    desk.journal.prune()
    assert desk.journal.blobs.size() <= 200_000
    before = (desk.work / "a").read_bytes()
    desk.undo()
    assert (desk.work / "a").read_bytes() != before


def test_the_journal_is_private(desk: Desk) -> None:
    desk.write("a", b"secret")
    for path in desk.state.rglob("*"):
        assert path.stat().st_mode & 0o077 == 0, path


# ── at random ─────────────────────────────────────────────────────────────────────────────────
class Hand:
    """Does something to a folder, by chance."""

    def __init__(self, seed: int, work: Path) -> None:
        self.random = random.Random(seed)
        self.work = work

    def name(self) -> str:
        return self.random.choice(["a", "b", "c", "d/a", "d/b", "d/e/f", "g"])

    def command(self) -> str:
        one, two = self.name(), self.name()
        return self.random.choice(
            [
                f"mkdir -p $(dirname {one}); echo {self.random.random()} > {one}",
                f"rm -rf {one}",
                f"mv {one} {two}",
                f"chmod {self.random.choice(['600', '755', '640'])} {one}",
                f"ln -sfn {two} {one}",
                f"mkdir -p {one}",
                f"cp -r {one} {two}",
                f"echo more >> {one}",
                f"rmdir {one}",
            ]
        )

    def person(self) -> None:
        subprocess.run(
            ["bash", "-c", self.command()], cwd=self.work, check=False, capture_output=True
        )


def test_undo_restores_exactly_or_reports_the_conflict(tmp_path: Path) -> None:
    for seed in range(500 if IS_TORTURE else 25):
        folder = tmp_path / str(seed)
        folder.mkdir()
        desk = Desk(folder)
        hand = Hand(seed, desk.work)
        if seed % 3 == 0:
            furnish(desk.work)
            commit_all(desk.work)
        steps: list[tuple[str, dict[str, tuple[object, ...]], dict[str, tuple[object, ...]]]] = []
        for _ in range(hand.random.randint(2, 8)):
            if hand.random.random() < 0.25:
                hand.person()
            before = seen(desk)
            entry = desk.shell(hand.command())
            if entry is not None:
                steps.append((entry.id, before, seen(desk)))
        while steps:
            entry_id, before, after = steps.pop()
            now = seen(desk)
            if hand.random.random() < 0.2:
                hand.person()
                now = seen(desk)
            try:
                desk.undo(which=entry_id)
            except ToolError:
                assert seen(desk) == now, (seed, entry_id)
                assert now != after, (seed, entry_id)
                break
            if now == after:
                assert seen(desk) == before, (seed, entry_id)
        desk.journal.close()
