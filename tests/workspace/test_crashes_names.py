"""Dying while names are moved or removed: nothing is mixed up, lost or left over."""

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

from ankrcode.errors import ToolError
from ankrcode.workspace.writing.writes import FileWriter
from workspace.crashes import EVERY_ERROR, dies, system

CONTENT = b"content of a file\n" * 30
Tree = dict[str, bytes | None]


def tree_of(folder: Path) -> Tree:
    """Every path below with its content; a link as its target, a folder as None."""
    found: Tree = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = b"-> " + os.fsencode(path.readlink())
        else:
            found[name] = None if path.is_dir() else path.read_bytes()
    return found


def notes_of(place: Path) -> list[str]:
    return [one.name for one in (place / "notes").iterdir()] if (place / "notes").exists() else []


def ignored(_path: str) -> None: ...


@contextmanager
def told_with_advice() -> Iterator[list[str]]:
    """If the work fails, then with one of our own errors, which says what to do."""
    told: list[str] = []
    try:
        yield told
    except ToolError as problem:
        told.append(problem.suggestion)
    assert all(told)


class Scene:
    """A workspace and what lies outside it, made anew for each death."""

    def __init__(self, place: Path) -> None:
        self.place, self.work, self.outside = place, place / "work", place / "outside"

    @property
    def writer(self) -> FileWriter:
        return FileWriter(self.place / "notes")

    def prepare(self) -> Tree:
        for folder in (self.work, self.outside):
            shutil.rmtree(folder, ignore_errors=True)
        (self.work / "full" / "deep").mkdir(parents=True)
        self.outside.mkdir()
        (self.outside / "precious").write_bytes(b"precious")
        (self.work / "full" / "a").write_bytes(CONTENT)
        (self.work / "full" / "deep" / "b").write_bytes(CONTENT * 2)
        (self.work / "full" / "deep" / "link").symlink_to(self.outside)
        (self.work / "file").write_bytes(CONTENT * 3)
        (self.work / "taken").write_bytes(b"taken")
        (self.work / "link").symlink_to("file")
        (self.work / "empty").mkdir()
        return tree_of(self.work)

    def check_outside(self) -> None:
        assert tree_of(self.outside) == {"precious": b"precious"}


# ── removing ──────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("name", ["full", "file", "link", "empty"])
def test_dying_while_something_is_deleted_leaves_whole_files_and_the_rest_can_be_deleted(
    name: str, tmp_path: Path
) -> None:
    scene = Scene(tmp_path)
    path = str(scene.work / name)
    for stop_at in count(1):
        before = scene.prepare()
        has_died = dies(lambda: scene.writer.remove(path, ignored, recursive=True), stop_at)
        after = tree_of(scene.work)
        assert after.items() <= before.items()
        gone = before.keys() - after.keys()
        assert all(one == name or one.startswith(f"{name}/") for one in gone)
        scene.check_outside()
        if not has_died:
            assert not os.path.lexists(path)
            break
        if os.path.lexists(path):
            scene.writer.remove(path, ignored, recursive=True)
        assert not os.path.lexists(path)
    assert stop_at > 5


@pytest.mark.parametrize("error", EVERY_ERROR, ids=errno.errorcode.get)
def test_an_error_while_a_tree_is_deleted_has_a_code_and_spares_all_else(
    error: int, tmp_path: Path
) -> None:
    scene = Scene(tmp_path)
    for fail_at in count(1):
        before = scene.prepare()
        heard: list[str] = []
        with system(fail_at=fail_at, error=error) as fake, told_with_advice():
            scene.writer.remove(str(scene.work / "full"), heard.append, recursive=True)
        after = tree_of(scene.work)
        gone = {str(scene.work / one) for one in before.keys() - after.keys()}
        assert gone == set(heard) or len(gone - set(heard)) <= 1
        scene.check_outside()
        if fake.count < fail_at:
            return


# ── moving ────────────────────────────────────────────────────────────────────────────────────
MOVES = {  # from, to, over something
    "file": ("file", "new name", False),
    "file into new folders": ("file", "x/y/z/file", False),
    "link": ("link", "other link", False),
    "link into new folders": ("link", "x/link", False),
    "folder": ("full", "moved", False),
    "folder into new folders": ("full", "x/y/moved", False),
    "over a file": ("file", "taken", True),
    "over an empty folder": ("full", "empty", True),
    "out of a folder": ("full/deep/b", "b", False),
}


def moved(before: Tree, source: str, destination: str) -> Tree:
    """The tree as it should be afterwards."""
    after = {
        name: content
        for name, content in before.items()
        if name not in (destination, source) and not name.startswith(f"{source}/")
    }
    for name, content in before.items():
        if name == source or name.startswith(f"{source}/"):
            after[destination + name[len(source) :]] = content
    for parent in Path(destination).parents:
        if str(parent) != ".":
            after[str(parent)] = None
    return after


@pytest.mark.parametrize("is_split", [False, True], ids=["one file system", "two file systems"])
@pytest.mark.parametrize("name", MOVES)
def test_dying_while_something_is_moved_leaves_it_whole_at_one_place_at_least(
    name: str, is_split: bool, tmp_path: Path
) -> None:
    source, destination, overwrites = MOVES[name]
    scene = Scene(tmp_path)

    def move() -> None:
        scene.writer.move(
            str(scene.work / source), str(scene.work / destination), overwrites=overwrites
        )

    outcomes = []
    for stop_at in count(1):
        before = scene.prepare()
        expected = moved(before, source, destination)
        has_died = dies(move, stop_at, 100, is_split=is_split)
        scene.writer.recover()
        after = tree_of(scene.work)
        scene.check_outside()
        assert not notes_of(tmp_path)
        assert not any(one.endswith(".ankrcode") for one in after)
        is_moved = expected.items() <= after.items()
        # Copied over to the other place, the old one may be left, whole or in part.
        rest = after.keys() - expected.keys() if is_moved else set()
        assert after == before or is_moved
        assert all(one == source or one.startswith(f"{source}/") for one in rest)
        outcomes.append(is_moved)
        if not has_died:
            assert after == expected
            break
    assert outcomes == sorted(outcomes)
    assert outcomes[0] is False


@pytest.mark.parametrize("error", EVERY_ERROR, ids=errno.errorcode.get)
@pytest.mark.parametrize("name", MOVES)
def test_an_error_while_something_is_moved_changes_nothing_or_is_told_after_the_move(
    name: str, error: int, tmp_path: Path
) -> None:
    source, destination, overwrites = MOVES[name]
    scene = Scene(tmp_path)
    for fail_at in count(1):
        before = scene.prepare()
        with system(fail_at=fail_at, error=error) as fake, told_with_advice() as told:
            scene.writer.move(
                str(scene.work / source), str(scene.work / destination), overwrites=overwrites
            )
        scene.writer.recover()
        after = tree_of(scene.work)
        assert after == (before if told else moved(before, source, destination))
        assert not notes_of(tmp_path)
        if fake.count < fail_at:
            return


# ── many at once ──────────────────────────────────────────────────────────────────────────────
def test_the_notes_of_many_dead_processes_are_tidied_up_by_one_living(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    scene.prepare()
    before = tree_of(scene.work)
    acts: list[Callable[[], object]] = [
        lambda n=n: scene.writer.write(  # type: ignore[misc]
            str(scene.work / f"made{n}" / "f"), CONTENT, expected=None, makes_folders=True
        )
        for n in range(10)
    ]
    assert all(dies(act, 14 + number) for number, act in enumerate(acts))
    assert notes_of(tmp_path)
    scene.writer.recover()
    assert not notes_of(tmp_path)
    after = tree_of(scene.work)
    assert before.items() <= after.items()
    assert all(content in (None, CONTENT) for name, content in after.items() if name not in before)
    assert not any(one.endswith(".ankrcode") for one in after)


def test_two_that_tidy_up_at_once_do_it_once(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    for stop_at in range(1, 40):
        scene.prepare()
        path = str(scene.work / "x" / "f")
        dies(
            lambda path=path: scene.writer.write(  # type: ignore[misc]
                path, CONTENT, expected=None, makes_folders=True
            ),
            stop_at,
        )
        first, second = scene.writer, scene.writer
        for note, intent in first._intents.left_behind():
            assert intent is None or intent.made
            second.recover()  # this note is held by the first: it is left alone
            note.close()
        second.recover()
        assert not notes_of(tmp_path)
        assert tree_of(scene.work).get("x/f", CONTENT) == CONTENT
