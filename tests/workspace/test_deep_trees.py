"""Whole trees, however deep and whatever is in them: deleted, moved, taken back, made again."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.errors import ToolError
from ankrcode.protocol.acts import Acts, tree
from ankrcode.workspace.journal import restoring
from ankrcode.workspace.journal.entries import Entry
from ankrcode.workspace.journal.journal import Who
from ankrcode.workspace.writing.writes import FileWriter
from people import ordinary_person
from torture import IS_TORTURE, examples
from workspace.crashes import system
from workspace.deep import Seen, Thing, chain, make, seen
from workspace.desk import Desk, died

FILE = Thing(kind="file", mode=0o640, content=b"the end\n")
END = Thing(inner={"file": FILE, "link": Thing(kind="link", target="../nowhere"), "empty": Thing()})
NAME = "a-longer-name"
DEPTH = 320  # with this name the path is longer than the system takes (4,096)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    yield made
    made.journal.close()
    remove_deep(made.work / "t")


def remove_deep(path: Path) -> None:
    """pytest cannot tidy up what is deeper than a path may be long."""
    if os.path.lexists(path):
        FileWriter().remove(str(path), lambda _: None, recursive=True)


def deleted(desk: Desk, path: Path) -> Entry | None:
    acts = Acts(writes=(tree(str(path)),))
    return desk.call(acts, lambda: FileWriter().remove(str(path), lambda _: None, recursive=True))


# ── deeper than a path may be ─────────────────────────────────────────────────────────────────
def test_a_tree_deeper_than_any_path_is_deleted_and_comes_back_whole(desk: Desk) -> None:
    make(desk.work, "t", chain(DEPTH, NAME, END))
    before = seen(desk.work)
    entry = deleted(desk, desk.work / "t")
    assert entry is not None
    assert not entry.partial
    assert len(entry.changes) == len(before) == DEPTH + 4
    assert max(len(change.path) for change in entry.changes) > 4_096
    assert seen(desk.work) == {}
    for again in (False, True):
        assert len(desk.undo()) == len(before)
        assert seen(desk.work) == before
        if not again:
            desk.undo(redone=True)
            assert seen(desk.work) == {}


def test_a_move_of_such_a_tree_is_taken_back(desk: Desk) -> None:
    make(desk.work, "t", chain(DEPTH, NAME, END))
    before = seen(desk.work)
    old, new = desk.work / "t", desk.work / "u"
    desk.call(Acts(writes=(tree(str(old)), tree(str(new)))), lambda: old.rename(new))
    assert list(desk.work.iterdir()) == [new]
    desk.undo()
    assert seen(desk.work) == before
    desk.undo(redone=True)
    assert set(seen(desk.work)) == {"/u" + path[2:] for path in before}
    remove_deep(new)


@pytest.mark.parametrize(
    "command",
    [
        "rm -r t",
        "mv t t2",
        "find t -name file -delete",
        "find t -name file -exec sh -c 'cd \"$(dirname \"$1\")\" 2>&-' _ {} ';' ; rm -r t",
    ],
    ids=["removed", "renamed", "the innermost file", "looked at, then removed"],
)
@pytest.mark.parametrize("is_first", [True, False], ids=["first look", "by notices"])
def test_what_a_command_does_to_it_is_seen_to_the_end(
    command: str, is_first: bool, desk: Desk
) -> None:
    make(desk.work, "t", chain(DEPTH, NAME, END))
    if not is_first:
        desk.shell("touch first")
    before = seen(desk.work)
    entry = desk.shell(command)
    assert entry is not None
    assert not entry.partial
    assert seen(desk.work) != before
    desk.undo()
    assert seen(desk.work) == before
    remove_deep(desk.work / "t2")


def test_a_change_at_the_very_end_of_it_is_noticed_by_the_next_command(desk: Desk) -> None:
    """By notice alone: the second command looks only where something happened."""
    make(desk.work, "t", chain(DEPTH, NAME, END))
    desk.shell("touch first")
    before = seen(desk.work)
    script = f"for i in $(seq {DEPTH}); do cd {NAME} || exit; done; echo x > file; mkdir new"
    entry = desk.shell(f"cd t; {script}")
    assert entry is not None
    assert [change.word for change in entry.changes] == ["changed", "created"]
    desk.undo()
    assert seen(desk.work) == before


# ── each step is taken once ───────────────────────────────────────────────────────────────────
def opens(folder: Path, thing: Thing, depth: int) -> list[int]:
    """How many folders are opened to delete a tree, to undo that, and to do it again."""
    place = folder / str(depth)
    place.mkdir()
    desk = Desk(place)
    make(desk.work, "t", thing)
    counts: list[int] = []
    for work in (
        lambda: deleted(desk, desk.work / "t"),
        desk.undo,
        lambda: desk.undo(redone=True),
    ):
        with system() as fake, mock.patch.object(restoring, "os", fake):
            work()
        counts.append(fake.names.count("open"))
    desk.journal.close()
    return counts


@pytest.mark.parametrize("depth", [100, 300])
def test_the_work_grows_with_the_number_of_names_and_not_with_their_depth(
    depth: int, tmp_path: Path
) -> None:
    assert all(count < 5 * depth + 100 for count in opens(tmp_path, chain(depth, "d"), depth))


def test_two_deep_arms_cost_no_more_than_one(tmp_path: Path) -> None:
    """Names are taken in the order of the tree, not by their length: no going to and fro."""
    arms = Thing(inner={name: chain(100, "d") for name in "ab"})
    assert all(count < 5 * 200 + 100 for count in opens(tmp_path, arms, 200))


# ── whatever is in it ─────────────────────────────────────────────────────────────────────────
NAMES = st.one_of(
    st.binary(min_size=1, max_size=12)
    .filter(lambda name: not set(name) & set(b"/\0") and name not in (b".", b".."))
    .map(os.fsdecode),
    st.sampled_from(["a", "a-", "a b", "-rf", "*", "नमस्ते", "\n", "x" * 200, ".git", "cafe\u0301"]),
)
FILES = st.builds(
    Thing,
    kind=st.just("file"),
    mode=st.sampled_from([0o644, 0o600, 0o755, 0o444, 0o000, 0o4755]),
    content=st.binary(max_size=40),
)
LINKS = st.builds(
    Thing, kind=st.just("link"), target=st.sampled_from(["/", "..", "nowhere", "\udcff", "a/b"])
)
FOLDER_MODES = st.sampled_from([0o755, 0o700, 0o777, 0o1777, 0o2755, 0o500])
LEAVES = st.one_of(FILES, LINKS)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.builds(
        Thing, mode=FOLDER_MODES, inner=st.dictionaries(NAMES, inner, max_size=5)
    ),
    max_leaves=14,
)
DEEP = st.builds(chain, st.sampled_from([0, 1, 5, 40, 70]), st.just("d"), TREES)


@pytest.mark.torture
@examples(in_ci=40, in_torture=3_000)
@given(thing=DEEP)
def test_any_tree_comes_back_byte_for_byte(thing: Thing) -> None:
    with tempfile.TemporaryDirectory() as folder:
        desk = Desk(Path(folder))
        make(desk.work, "t", thing)
        before = seen(desk.work)
        deleted(desk, desk.work / "t")
        assert seen(desk.work) == {}
        desk.undo()
        assert seen(desk.work) == before
        desk.undo(redone=True)
        assert seen(desk.work) == {}
        desk.journal.close()


@pytest.mark.torture
@examples(in_ci=25, in_torture=2_000)
@given(thing=DEEP, stop_after=st.integers(0, 30))
def test_a_delete_that_stops_anywhere_is_taken_back(thing: Thing, stop_after: int) -> None:
    """The person cancels after so many names: what is gone by then comes back."""

    class Stopped(Exception): ...

    gone: list[str] = []

    def told(path: str) -> None:
        gone.append(path)
        if len(gone) > stop_after:
            raise Stopped

    with tempfile.TemporaryDirectory() as folder:
        desk = Desk(Path(folder))
        make(desk.work, "t", thing)
        before = seen(desk.work)
        path = str(desk.work / "t")
        pending = desk.journal.before(Acts(writes=(tree(path),)), Who(tool="Delete"))
        assert pending is not None
        try:
            FileWriter().remove(path, told, recursive=True)
        except Stopped:
            assert len(gone) == stop_after + 1
        entry = desk.journal.after(pending)
        assert entry is not None
        assert len(entry.changes) == len(gone)
        desk.undo()
        assert seen(desk.work) == before
        desk.journal.close()


def test_a_look_that_nobody_waits_for_ends_at_the_next_name(desk: Desk) -> None:
    make(desk.work, "t", chain(300, "d"))

    class Stopped(Exception): ...

    looked = 0

    def check() -> None:
        nonlocal looked
        looked += 1
        if looked == 5:
            raise Stopped

    with pytest.raises(Stopped):
        desk.journal.before(Acts(writes=(tree(str(desk.work / "t")),)), Who(tool="x"), check)
    assert looked == 5
    assert desk.journal.records() == []


def test_what_cannot_be_brought_back_is_told_and_the_rest_comes_by_force(desk: Desk) -> None:
    pipe, file = Thing(kind="pipe"), Thing(kind="file", content=b"kept")
    make(desk.work, "t", chain(50, "d", Thing(inner={"pipe": pipe, "file": file})))
    before = seen(desk.work)
    deleted(desk, desk.work / "t")
    with pytest.raises(ToolError, match="pipe"):
        desk.undo()
    assert seen(desk.work) == {}
    desk.undo(force=True)
    assert seen(desk.work) == {path: one for path, one in before.items() if one != ("pipe",)}


@pytest.mark.parametrize("mode", [0o000, 0o100, 0o300, 0o500, 0o600])
@pytest.mark.parametrize("depth", [1, 50])
def test_a_closed_folder_stops_the_delete_and_what_went_comes_back(
    mode: int, depth: int, tmp_path: Path
) -> None:
    base = tmp_path / "person"
    base.mkdir()
    desk = Desk(base)
    shut = Thing(inner={"kept": Thing(kind="file", content=b"kept")})
    inner = {"shut": shut, "gone": Thing(kind="file", content=b"gone"), "z": Thing()}
    make(desk.work, "t", chain(depth, "d", Thing(inner=inner)))
    closed = desk.work.joinpath("t", *("d",) * depth, "shut")
    with ordinary_person(base):
        closed.chmod(mode)
        with pytest.raises(ToolError):
            FileWriter().remove(str(desk.work / "t"), lambda _: None, recursive=True)
        closed.chmod(0o700)
        make_again(closed.parent, inner)
        closed.chmod(mode)
        pending = desk.journal.before(
            Acts(writes=(tree(str(desk.work / "t")),)), Who(tool="Delete")
        )
        assert pending is not None
        with pytest.raises(ToolError):
            FileWriter().remove(str(desk.work / "t"), lambda _: None, recursive=True)
        entry = desk.journal.after(pending)
        if entry is not None:
            desk.undo()
        names = {one.name for one in closed.parent.iterdir()}
        closed.chmod(0o700)
        kept = (closed / "kept").read_bytes()
    assert names == {"shut", "gone", "z"}
    assert kept == b"kept"
    desk.journal.close()


def make_again(folder: Path, inner: dict[str, Thing]) -> None:
    for name, thing in inner.items():
        if not (folder / name).exists():
            make(folder, name, thing)


# ── killed in the middle ──────────────────────────────────────────────────────────────────────
KILLED = """
from ankrcode.protocol.acts import Acts, tree
from ankrcode.workspace.journal.journal import Who
from ankrcode.workspace.writing.writes import FileWriter
import itertools
path = str(desk.work / "t")
count = itertools.count(1)
def told(_):
    if next(count) == {stop}:
        os.kill(os.getpid(), signal.SIGKILL)
pending = desk.journal.before(Acts(writes=(tree(path),)), Who(tool="Delete"))
FileWriter().remove(path, told, recursive=True)
"""


@pytest.mark.parametrize("stop", [*range(1, 66)] if IS_TORTURE else [1, 30, 60])
def test_a_delete_that_is_killed_is_found_and_taken_back(stop: int, desk: Desk) -> None:
    make(desk.work, "t", chain(60, NAME * 8, END))
    before = seen(desk.work)
    died(KILLED.format(stop=stop), desk.work.parent)
    assert len(before) - len(seen(desk.work)) == stop
    assert len(desk.undo()) == stop
    assert seen(desk.work) == before


KILLED_COMMAND = """
from ankrcode.workspace.journal.journal import Who
desk.journal.before(SHELL, Who(tool="Bash"))
subprocess.run(["rm", "-r", "t"], cwd=desk.work, check=True)
"""


def test_a_command_whose_process_is_killed_is_taken_back_however_deep_it_went(desk: Desk) -> None:
    make(desk.work, "t", chain(DEPTH, NAME, END))
    before = seen(desk.work)
    died(KILLED_COMMAND, desk.work.parent)
    assert seen(desk.work) == {}
    assert [one.is_found for one in desk.journal.entries()] == [True]
    desk.undo()
    assert seen(desk.work) == before


KILLED_UNDO = """
from ankrcode.workspace.journal import restoring
import itertools
count = itertools.count(1)
real = restoring.Restoring.{step}
def stopping(*args):
    if next(count) == {stop}:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(*args)
restoring.Restoring.{step} = stopping
desk.undo()
"""


@pytest.mark.parametrize(
    ("step", "stop"), [("_make_folder", 2), ("_make_folder", 50), ("_put", 1), ("_folder_at", 20)]
)
def test_an_undo_of_it_that_is_killed_is_completed(step: str, stop: int, desk: Desk) -> None:
    make(desk.work, "t", chain(60, NAME * 8, END))
    before: Seen = seen(desk.work)
    deleted(desk, desk.work / "t")
    died(KILLED_UNDO.format(step=step, stop=stop), desk.work.parent)
    assert seen(desk.work) != before
    desk.undo()
    assert seen(desk.work) == before
    shutil.rmtree(desk.work / "t")
