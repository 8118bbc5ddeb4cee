"""Undo: all of it or nothing, whoever interferes – a person, a link, a crash, a pruned content."""

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from unittest import mock

import pytest

from ankrcode.errors import ToolError
from ankrcode.protocol.acts import Acts, file, tree
from ankrcode.workspace.journal import restoring
from ankrcode.workspace.journal.entries import Entry
from ankrcode.workspace.journal.journal import FILE
from ankrcode.workspace.journal.preview import diff_of
from ankrcode.workspace.journal.states import Caps
from ankrcode.workspace.journal.undo import chosen, planned, shown_path
from ankrcode.workspace.writing.writes import FileWriter
from people import ordinary_person
from swapper import Swapper
from torture import IS_TORTURE
from workspace.crashes import Crash, system
from workspace.desk import SHELL, Desk, died, furnish, picture, replaced, written


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    yield made
    made.journal.close()


def noted(entry: Entry | None) -> Entry:
    assert entry is not None
    return entry


# ── nothing is half done ──────────────────────────────────────────────────────────────────────
MESSES = {
    "overwrites": "for f in a.txt d/one d/two; do echo other > $f; done",
    "deletes": "rm -r d empty l a.txt",
    "swaps kinds": "rm -r d a.txt; echo x > d; mkdir a.txt; touch a.txt/in; rm l; mkdir l",
    "renames": "mv d e; mv a.txt d; ln -s e a.txt",
    "closes folders": "echo x > d/sub/deep; chmod 500 d/sub; chmod 555 d; chmod 0 a.txt",
    "a link where a folder was": "mv d e; ln -s e d; rm e/one",
    "a deep tree": f"mkdir -p {'n/' * 40}; rm -r d; mv n d",
}


@pytest.mark.parametrize("mess", MESSES.values(), ids=MESSES.keys())
def test_an_undo_that_dies_anywhere_is_completed_by_the_next(mess: str, tmp_path: Path) -> None:
    """Before its first system call that changes something, its second, … and all of them."""
    step = 1 if IS_TORTURE else 17
    for stop_at in range(1, 2_000, step):
        folder = tmp_path / str(stop_at)
        folder.mkdir()
        desk = Desk(folder)
        furnish(desk.work)
        before = desk.look()
        desk.shell(mess)
        has_died = undone_until(desk, stop_at)
        FileWriter(folder / "intents").recover()
        if has_died:
            desk.undo()
        assert desk.look() == before, stop_at
        assert [one.is_undone for one in desk.journal.entries()] == [True]
        desk.journal.close()
        if not has_died:
            return
    raise AssertionError("it never came to its end")


def undone_until(desk: Desk, stop_at: int) -> bool:
    with ExitStack() as patches:
        fake = patches.enter_context(system(stop_at=stop_at))
        patches.enter_context(mock.patch.object(restoring, "os", fake))
        with suppress(Crash):
            desk.undo()
    return fake.has_stopped


def test_a_killed_undo_is_completed_by_another_process(desk: Desk) -> None:
    furnish(desk.work)
    before = desk.look()
    desk.shell("rm -r d; echo x > d; rm a.txt")
    script = """
from ankrcode.workspace.journal import restoring
import signal
restoring.Restoring._put = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
desk.undo()
"""
    died(script, desk.work.parent)
    assert desk.look() != before
    desk.undo()
    assert desk.look() == before


def test_after_an_undo_that_was_cut_short_the_persons_work_is_still_theirs(desk: Desk) -> None:
    furnish(desk.work)
    desk.shell("echo x > a.txt; echo x > d/one; echo x > d/two")
    script = """
from ankrcode.workspace.journal import restoring
import signal
restoring._rename = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
desk.undo()
"""
    died(script, desk.work.parent)
    (desk.work / "d" / "two").write_bytes(b"mine")
    with pytest.raises(ToolError, match="changed since"):
        desk.undo()
    assert (desk.work / "d" / "two").read_bytes() == b"mine"


def test_whoever_changes_a_file_at_the_last_moment_does_not_lose_that(desk: Desk) -> None:
    desk.write("a", b"one")
    entry = noted(desk.write("a", b"two"))
    plan = planned(desk.journal, [entry])
    (desk.work / "a").write_bytes(b"mine, just now")
    with pytest.raises(ToolError, match="changed since"):
        restoring.Restoring(desk.journal).restored(plan.steps)
    assert desk.look() == {"a": ("file", 0o644, b"mine, just now")}


# ── links ─────────────────────────────────────────────────────────────────────────────────────
def test_no_byte_goes_through_a_link_that_is_swapped_in(desk: Desk, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    for name in ("f", "gone", "new"):
        (outside / name).write_bytes(b"precious")
    folder = desk.work / "d"
    (folder / "deep").mkdir(parents=True)
    (folder / "f").write_bytes(b"one")
    (folder / "gone").write_bytes(b"one")
    desk.shell("echo two > d/f; rm d/gone; echo x > d/new")
    ends = {"done": 0, "refused": 0}
    with Swapper(folder, outside) as swapper:
        for number in range(5_000 if IS_TORTURE else 200):
            try:
                desk.undo(redone=bool(number % 2))
                ends["done"] += 1
            except ToolError:
                ends["refused"] += 1
    assert swapper.swaps > 0
    assert {path.name: path.read_bytes() for path in outside.iterdir()} == dict.fromkeys(
        ("f", "gone", "new"), b"precious"
    )
    assert ends["done"] > 0


def test_a_link_that_leads_away_is_removed_and_not_what_it_leads_to(
    desk: Desk, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    written(outside / "keep", b"precious")
    desk.shell(f"ln -s {outside} away")
    desk.undo()
    assert desk.look() == {}
    assert picture(outside) == {"keep": ("file", 0o644, b"precious")}


# ── folders ───────────────────────────────────────────────────────────────────────────────────
def test_nothing_is_taken_back_where_a_folder_holds_something_else(desk: Desk) -> None:
    desk.write("a/b/c.txt", b"mine")
    written(desk.work / "a" / "theirs.txt", b"theirs")
    before = desk.look()
    with pytest.raises(ToolError, match="holds something else"):
        desk.undo()
    assert desk.look() == before, "not even what could have gone"
    desk.undo(force=True)
    assert desk.look().keys() == {"a", "a/theirs.txt"}


def test_a_cache_that_a_program_left_keeps_the_folder_without_a_question(desk: Desk) -> None:
    desk.write("package/module.py", b"x = 1")
    written(desk.work / "package" / "__pycache__" / "module.pyc", b"compiled")
    desk.undo()
    assert desk.look().keys() == {
        "package",
        "package/__pycache__",
        "package/__pycache__/module.pyc",
    }


def test_a_folder_in_the_way_of_a_file_is_not_emptied(desk: Desk) -> None:
    written(desk.work / "a", b"file")
    written(desk.work / "b", b"other")
    desk.shell("rm a; mkdir a; touch a/ours; echo x > b")
    written(desk.work / "a" / "theirs", b"theirs")
    with pytest.raises(ToolError, match="cannot become a file"):
        desk.undo()
    desk.undo(force=True)
    assert (desk.work / "a" / "theirs").read_bytes() == b"theirs"
    assert (desk.work / "b").read_bytes() == b"other", "by force, the rest is restored"


def test_a_folder_that_the_person_removed_is_made_again_by_force(desk: Desk) -> None:
    written(desk.work / "a" / "b" / "f", b"one")
    desk.write("a/b/f", b"two")
    shutil.rmtree(desk.work / "a")
    with pytest.raises(ToolError):
        desk.undo()
    assert desk.look() == {}
    desk.undo(force=True)
    assert desk.look()["a/b/f"][2] == b"one"


def test_modes_that_close_a_folder_do_not_stop_its_owner(tmp_path: Path) -> None:
    with_person = tmp_path / "person"
    with_person.mkdir()
    desk = Desk(with_person)
    furnish(desk.work)
    with ordinary_person(with_person):
        (desk.work / "d" / "sub").chmod(0o500)
        before = desk.look()
        desk.shell("chmod 700 d/sub; echo x > d/sub/deep; rm -r d")
        desk.undo()
        assert desk.look() == before
    desk.journal.close()


@pytest.mark.parametrize("mode", [0o500, 0o300])
def test_a_folder_that_a_command_closed_is_emptied_by_its_owner(mode: int, tmp_path: Path) -> None:
    base = tmp_path / "person"
    base.mkdir()
    desk = Desk(base)
    written(desk.work / "a", b"one")
    before = desk.look()

    def close() -> None:
        (desk.work / "d").mkdir()
        (desk.work / "a").rename(desk.work / "d" / "a")
        (desk.work / "b").touch()
        (desk.work / "d").chmod(mode)

    with ordinary_person(base):
        desk.call(SHELL, close)
        if mode == 0o500:
            desk.undo()
            assert desk.look() == before
        else:  # nobody could look into it: what it holds may be theirs
            with pytest.raises(ToolError, match="holds something else"):
                desk.undo()
            assert (desk.work / "b").exists()
        if (desk.work / "d").exists():
            (desk.work / "d").chmod(0o700)
    desk.journal.close()


# ── files that are special in some way ────────────────────────────────────────────────────────
def test_a_file_with_several_names_keeps_them(desk: Desk, tmp_path: Path) -> None:
    written(desk.work / "a", b"one")
    os.link(desk.work / "a", tmp_path / "elsewhere")
    desk.shell("echo two > a")
    assert (tmp_path / "elsewhere").read_bytes() == b"two\n"
    desk.undo()
    assert (tmp_path / "elsewhere").read_bytes() == b"one"
    assert (desk.work / "a").stat().st_nlink == 2


def test_owner_and_labels_stay_with_a_file(desk: Desk) -> None:
    path = desk.work / "a"
    written(path, b"one")
    os.setxattr(path, "user.label", b"blue")
    if os.geteuid() == 0:
        os.chown(path, 12_345, 54_321)
    owner = path.stat().st_uid, path.stat().st_gid
    desk.shell("echo two > a")
    desk.undo()
    assert (path.stat().st_uid, path.stat().st_gid) == owner
    assert os.getxattr(path, "user.label") == b"blue"


@pytest.mark.parametrize("mode", [0o000, 0o400, 0o777, 0o4755, 0o2750, 0o1777])
def test_every_mode_comes_back(mode: int, desk: Desk) -> None:
    written(desk.work / "a", b"one", mode)
    before = desk.look()
    desk.shell("rm -f a")
    desk.undo()
    assert desk.look() == before


def test_a_pipe_that_a_command_made_is_removed(desk: Desk) -> None:
    desk.shell("mkfifo pipe; touch beside")
    desk.undo()
    assert list(desk.work.iterdir()) == []


def test_a_pipe_that_is_gone_stays_gone_and_that_is_told(desk: Desk) -> None:
    os.mkfifo(desk.work / "pipe")
    written(desk.work / "a", b"a")
    entry = noted(desk.shell("rm pipe a"))
    assert "cannot be brought back" in entry.partial
    with pytest.raises(ToolError, match="not kept"):
        desk.undo()
    desk.undo(force=True)
    assert desk.look().keys() == {"a"}


# ── choosing ──────────────────────────────────────────────────────────────────────────────────
def test_what_was_taken_back_at_once_comes_again_at_once(desk: Desk) -> None:
    desk.write("a", b"1", turn_id="t1")
    desk.write("b", b"2", turn_id="t2")
    desk.write("c", b"3", turn_id="t2")
    after = desk.look()
    desk.undo(turn="t2")
    desk.undo()
    assert desk.look() == {}
    desk.undo(redone=True)
    assert desk.look().keys() == {"a"}
    desk.undo(redone=True)
    assert desk.look() == after


def test_redo_makes_again_what_was_taken_back_last_whatever_its_age(desk: Desk) -> None:
    first = noted(desk.write("a", b"1"))
    desk.write("b", b"2")
    desk.undo()
    desk.undo(which=first.id)
    desk.undo(redone=True)
    assert desk.look().keys() == {"a"}


def test_a_redo_over_the_persons_work_is_a_conflict(desk: Desk) -> None:
    desk.write("a", b"1")
    desk.undo()
    written(desk.work / "a", b"mine")
    with pytest.raises(ToolError, match="changed since"):
        desk.undo(redone=True)
    assert (desk.work / "a").read_bytes() == b"mine"


def test_an_undo_can_be_undone_by_redo_and_the_redo_by_undo(desk: Desk) -> None:
    desk.write("a", b"1")
    desk.write("a", b"2")
    for _ in range(3):
        desk.undo()
        assert (desk.work / "a").read_bytes() == b"1"
        desk.undo(redone=True)
        assert (desk.work / "a").read_bytes() == b"2"


def test_a_session_and_a_turn_of_it(desk: Desk) -> None:
    for session in ("s1", "s2"):
        for turn in ("t1", "t2"):
            desk.write(f"{session}{turn}", b"x", session_id=session, turn_id=f"{session}-{turn}")
    desk.undo(session="s1")
    assert desk.look().keys() == {"s1t1", "s2t1", "s2t2"}, "the newest of that session"
    desk.undo(session="s2", turn="s2-t1")
    assert desk.look().keys() == {"s1t1", "s2t2"}
    assert chosen(desk.journal.entries(), turn="s2-t9") == []


def test_back_to_a_change_of_a_session_leaves_the_others_alone(desk: Desk) -> None:
    first = noted(desk.write("a", b"1", session_id="s1"))
    desk.write("b", b"2", session_id="s2")
    desk.write("c", b"3", session_id="s1")
    desk.undo(to=first.id, session="s1")
    assert desk.look().keys() == {"a", "b"}


def test_a_call_is_known_by_the_id_that_the_model_gave_it(desk: Desk) -> None:
    desk.write("a", b"1", call_id="toolu_1")
    desk.write("b", b"2", call_id="toolu_2")
    desk.undo(which="toolu_1")
    assert desk.look().keys() == {"b"}


def test_nothing_to_undo_is_no_error(desk: Desk) -> None:
    assert chosen(desk.journal.entries()) == []
    plan = planned(desk.journal, [])
    assert (plan.steps, plan.conflicts) == ((), ())


# ── between ───────────────────────────────────────────────────────────────────────────────────
def test_the_persons_edit_between_two_calls_stops_undoing_both(desk: Desk) -> None:
    desk.write("a", b"0")
    desk.write("a", b"1", turn_id="t")
    (desk.work / "a").write_bytes(b"1 and mine")
    desk.write("a", b"2", turn_id="t")
    with pytest.raises(ToolError, match="in between"):
        desk.undo(turn="t")
    desk.undo()
    assert (desk.work / "a").read_bytes() == b"1 and mine"
    with pytest.raises(ToolError, match="changed since"):
        desk.undo()


def test_all_conflicts_are_listed(desk: Desk) -> None:
    paths = [desk.work / name for name in "abcd"]
    acts = Acts(writes=tuple(file(str(path)) for path in paths))
    entry = noted(desk.call(acts, lambda: [path.write_bytes(b"x") for path in paths]))
    for path in paths[1:3]:
        path.write_bytes(b"mine")
    plan = planned(desk.journal, [entry])
    assert [Path(one.path).name for one in plan.conflicts] == ["b", "c"]
    with pytest.raises(ToolError) as caught:
        desk.undo()
    assert caught.value.details["paths"] == [str(path) for path in paths[1:3]]


def test_by_force_only_what_was_in_conflict_is_kept_as_theirs(desk: Desk) -> None:
    furnish(desk.work)
    desk.shell("echo x > a.txt; echo x > d/one")
    (desk.work / "a.txt").write_bytes(b"mine")
    desk.undo(force=True)
    newest = desk.journal.entries()[-1].entry
    assert [Path(change.path).name for change in newest.changes] == ["a.txt"]
    desk.undo()
    assert (desk.work / "a.txt").read_bytes() == b"mine"


# ── bounds ────────────────────────────────────────────────────────────────────────────────────
def test_after_pruning_the_rest_can_be_undone_and_redone(tmp_path: Path) -> None:
    desk = Desk(tmp_path, Caps(total_calls=3, wait_s=60.0))
    for number in range(6):
        desk.write("a", str(number).encode(), turn_id=f"t{number}")
    desk.undo(turn="t5")
    assert desk.journal.prune() == 3
    assert [one.is_undone for one in desk.journal.entries()] == [False, False, True]
    desk.undo(redone=True)
    assert (desk.work / "a").read_bytes() == b"5"
    for _ in range(3):
        desk.undo()
    assert (desk.work / "a").read_bytes() == b"2"
    assert chosen(desk.journal.entries()) == []
    desk.journal.close()


def test_a_content_that_is_gone_stops_the_undo_before_it_begins(desk: Desk) -> None:
    furnish(desk.work)
    desk.shell("echo x > a.txt; rm -r d")
    before = desk.look()
    digests = list(desk.journal.blobs.sizes())
    desk.journal.blobs.keep_only(set(digests[:1]))
    with pytest.raises(ToolError, match="not kept"):
        desk.undo()
    assert desk.look() == before


def test_a_damaged_store_is_put_aside_and_the_next_change_is_kept(desk: Desk) -> None:
    desk.write("a", b"1")
    desk.journal.close()
    for path in (desk.state / "blobs").iterdir():
        path.write_bytes(b"this is no database" * 100)
    desk.journal = desk.opened()
    desk.write("a", b"2")
    desk.undo()
    assert (desk.work / "a").read_bytes() == b"1"


def test_every_way_to_tear_the_record_leaves_the_rest(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    died('desk.write("a", b"1"); desk.write("b", b"2"); desk.write("c", b"3")', tmp_path)
    path = desk.state / FILE
    whole = path.read_bytes()
    desk.work.joinpath("a").unlink()  # so that only what is recorded of it tells of it
    for cut in range(0, len(whole), 1 if IS_TORTURE else 17):
        path.write_bytes(whole[:cut])
        names = [Path(one.entry.changes[0].path).name for one in desk.journal.entries()]
        assert names == sorted(names)
        assert len(names) <= 3
        path.write_bytes(whole[:cut] + b"\xff" + whole[cut + 1 :])
        assert len(desk.journal.entries()) >= 2
    desk.journal.close()


def test_large_contents_lie_beside_the_others_and_go_with_them(tmp_path: Path) -> None:
    desk = Desk(tmp_path, Caps(total_calls=1, wait_s=60.0))
    content = os.urandom(600_000)
    desk.write("big", content)
    desk.write("big", b"small")
    assert (desk.state / "blobs").joinpath(next(iter(big_ones(desk)))).stat().st_mode & 0o077 == 0
    desk.undo()
    assert (desk.work / "big").read_bytes() == content
    desk.undo(redone=True)
    desk.write("other", b"x")
    desk.journal.prune()
    assert big_ones(desk) == []
    desk.journal.close()


def big_ones(desk: Desk) -> list[str]:
    return [digest for digest, size in desk.journal.blobs.sizes().items() if size > 500_000]


# ── what a person sees ────────────────────────────────────────────────────────────────────────
def test_a_preview_shows_text_modes_links_and_what_is_no_text(desk: Desk) -> None:
    furnish(desk.work)
    written(desk.work / "bin", b"\x00\x01")
    entry = noted(
        desk.shell("echo new >> a.txt; chmod 700 d/one; ln -sfn d l; echo x >> bin; rm d/two")
    )
    shown = "\n".join(diff_of(change, desk.journal.blobs) for change in entry.changes)
    for part in (
        f"changed {desk.work}/a.txt",
        "+new",
        "mode 644 → 700",
        "-→ a.txt",
        "+→ d",
        "no text",
        f"deleted {desk.work}/d/two",
    ):
        assert part in shown


def test_names_that_are_no_text_are_shown_in_a_way_that_can_be_read() -> None:
    assert shown_path("/a/ü\n") == "/a/ü\n"
    assert shown_path("\0" + b"/a/\xff".hex()) == "/a/\\xff"


def test_a_tree_that_is_replaced_by_a_tool_is_taken_back(desk: Desk) -> None:
    furnish(desk.work)
    before = desk.look()
    target = desk.work / "d"

    def change() -> None:
        shutil.rmtree(target)
        written(target / "sub" / "other", b"x")
        replaced(desk.work / "a.txt", b"y")

    writes = (tree(str(target)), file(str(desk.work / "a.txt")))
    desk.call(Acts(writes=writes), change)
    desk.undo()
    assert desk.look() == before
