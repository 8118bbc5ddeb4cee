"""Move and Delete against `mv` and `rm`: the same tree afterwards, whatever lay there before."""

import asyncio
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode import Toolkit
from ankrcode.protocol.result import ToolResult
from people import ordinary_person
from torture import examples

Tree = dict[str, str]


def tree_of(folder: Path) -> Tree:
    """Every path below: what kind it is, what it holds or where it leads, and its mode."""
    found: Tree = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = f"link to {path.readlink()}"
        elif path.is_dir():
            found[name] = f"folder {path.stat().st_mode:o}"
        elif path.is_fifo():
            found[name] = "pipe"
        else:
            found[name] = f"file {path.stat().st_mode:o} {path.read_bytes()!r}"
    return found


def made(folder: Path) -> Path:
    """A workspace with something of every kind in it."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "d" / "sub").mkdir(parents=True)
    (folder / "e").mkdir()
    (folder / "d" / "a").write_bytes(b"d/a")
    (folder / "d" / "sub" / "b").write_bytes(b"d/sub/b")
    (folder / "a").write_bytes(b"a")
    (folder / "b").write_bytes(b"b")
    (folder / "b").chmod(0o755)
    (folder / "to-a").symlink_to("a")
    (folder / "to-d").symlink_to("d")
    (folder / "to-nothing").symlink_to("nothing")
    (folder / "loop").symlink_to("loop")
    os.mkfifo(folder / "pipe")
    return folder


async def call(folder: Path, tool: str, **arguments: Any) -> ToolResult:
    return await Toolkit(cwd=folder, mode="bypass").call(tool, arguments)


def code_of(result: ToolResult) -> str:
    assert result.error is not None, result.text
    assert result.error.suggestion
    return str(result.error.code)


SOURCES = ["a", "d", "d/sub", "to-a", "to-d", "to-nothing", "loop", "pipe"]
PLACES = [
    *("a", "./b", "d", "e", "to-a", "to-d", "to-nothing", "loop", "new", "d/new"),
    *("e/", "d/sub/", "to-d/x", "x/y/new", "to-nothing/x"),
]


def make_parents(path: Path) -> None:
    """Which `mv` would not make, not even where a link leads to nothing."""
    path.parent.resolve().mkdir(parents=True, exist_ok=True)


# ── moving ────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("destination", PLACES)
@pytest.mark.parametrize("source", SOURCES)
def test_a_move_gives_the_tree_that_mv_gives_or_changes_nothing(
    source: str, destination: str, tmp_path: Path
) -> None:
    ours, theirs = made(tmp_path / "ours"), made(tmp_path / "theirs")
    before = tree_of(ours)
    result = asyncio.run(call(ours, "Move", source=source, destination=destination))
    if result.error is not None:
        assert result.error.suggestion
        assert tree_of(ours) == before
        return
    make_parents(theirs / destination)
    mv = subprocess.run(["mv", "-n", "--", source, destination], cwd=theirs, check=False)
    assert mv.returncode == 0
    assert tree_of(ours) == tree_of(theirs)


@pytest.mark.parametrize("destination", ["a", "b", "d/a", "to-a", "to-nothing", "e", "d", "loop"])
@pytest.mark.parametrize("source", ["a", "b", "d/sub", "e", "to-a", "to-nothing"])
def test_a_move_over_something_gives_the_tree_that_mv_gives_or_changes_nothing(
    source: str, destination: str, tmp_path: Path
) -> None:
    ours, theirs = made(tmp_path / "ours"), made(tmp_path / "theirs")
    before = tree_of(ours)
    arguments = {"source": source, "destination": destination, "overwrite": True}
    result = asyncio.run(call(ours, "Move", **arguments))
    mv = subprocess.run(["mv", "-f", "--", source, destination], cwd=theirs, check=False)
    if result.error is not None:
        assert tree_of(ours) == before
        return
    assert mv.returncode == 0
    assert tree_of(ours) == tree_of(theirs)


STEP = st.tuples(st.sampled_from(SOURCES), st.sampled_from(PLACES), st.booleans())


@pytest.mark.torture
@examples(in_ci=25, in_torture=2_000)
@given(steps=st.lists(STEP, min_size=1, max_size=6))
def test_any_sequence_of_moves_is_that_of_mv(
    tmp_path: Path, steps: list[tuple[str, str, bool]]
) -> None:
    ours, theirs = made(tmp_path / "ours"), made(tmp_path / "theirs")
    for source, destination, overwrite in steps:
        arguments = {"source": source, "destination": destination, "overwrite": overwrite}
        before = tree_of(ours)
        result = asyncio.run(call(ours, "Move", **arguments))
        if result.error is not None:
            assert tree_of(ours) == before
            continue
        make_parents(theirs / destination)
        how = "-f" if overwrite else "-n"
        subprocess.run(["mv", how, "--", source, destination], cwd=theirs, check=True)
        assert tree_of(ours) == tree_of(theirs), arguments


@pytest.mark.parametrize(
    ("source", "destination", "code"),
    [
        ("nothing", "new", "FILE_NOT_FOUND"),
        ("a/below", "new", "NOT_A_DIRECTORY"),
        ("a", "b", "INVALID_PATH"),
        ("a", "a", "INVALID_PATH"),
        ("a", "./d/../a", "INVALID_PATH"),
        ("d", "d/sub/d", "INVALID_PATH"),
        ("d", "d", "INVALID_PATH"),
        ("d", "to-d", "INVALID_PATH"),
        (".", "new", "BLOCKED"),
        ("..", "new", "BLOCKED"),
        ("/", "new", "BLOCKED"),
        ("a", "b/below", "NOT_A_DIRECTORY"),
        ("a", "x" * 300, "INVALID_PATH"),
        ("a", "a\0b", "INVALID_PATH"),
        ("", "new", "INVALID_INPUT"),
        ("a", "", "INVALID_INPUT"),
        ("loop/x", "new", "INVALID_PATH"),
        ("a", "loop/x", "INVALID_PATH"),
    ],
    ids=lambda value: str(value)[:12],
)
async def test_a_move_that_makes_no_sense_says_why(
    source: str, destination: str, code: str, tmp_path: Path
) -> None:
    folder = made(tmp_path / "work")
    before = tree_of(folder)
    result = await call(folder, "Move", source=source, destination=destination)
    assert code_of(result) == code
    assert tree_of(folder) == before


async def test_a_move_keeps_what_belongs_to_the_file(tmp_path: Path) -> None:
    folder = made(tmp_path / "work")
    os.utime(folder / "b", ns=(1_000_000_001, 2_000_000_002))
    os.link(folder / "b", folder / "other")
    before = (folder / "b").stat()
    await call(folder, "Move", source="b", destination="x/moved")
    after = (folder / "x" / "moved").stat()
    for fact in ("st_ino", "st_mode", "st_uid", "st_gid", "st_mtime_ns", "st_nlink", "st_size"):
        assert getattr(after, fact) == getattr(before, fact)
    assert (folder / "other").samefile(folder / "x" / "moved")


@pytest.mark.parametrize("where", ["source", "destination"])
async def test_a_folder_that_may_not_be_changed_is_said_and_nothing_moves(
    where: str, tmp_path: Path
) -> None:
    for name in ("source", "destination"):
        (tmp_path / name).mkdir()
    (tmp_path / "source" / "f").write_bytes(b"f")
    with ordinary_person(tmp_path):
        (tmp_path / where).chmod(0o555)
        result = await call(tmp_path, "Move", source="source/f", destination="destination/g/f")
        (tmp_path / where).chmod(0o755)
    assert code_of(result) == "PERMISSION_DENIED"
    assert (tmp_path / "source" / "f").read_bytes() == b"f"
    assert list((tmp_path / "destination").iterdir()) == []


# ── deleting ──────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("recursive", [False, True])
@pytest.mark.parametrize(
    "path", [*SOURCES, "e", "./a", "d/sub/b", "to-d/a", "to-d/sub", "d/", "to-a/"]
)
def test_a_delete_gives_the_tree_that_rm_gives_or_changes_nothing(
    path: str, recursive: bool, tmp_path: Path
) -> None:
    ours, theirs = made(tmp_path / "ours"), made(tmp_path / "theirs")
    before = tree_of(ours)
    result = asyncio.run(call(ours, "Delete", path=path, recursive=recursive))
    if result.error is not None:
        assert not recursive
        assert code_of(result) == "IS_A_DIRECTORY"
        assert tree_of(ours) == before
        return
    subprocess.run(["rm", "-rf", "--", path.rstrip("/")], cwd=theirs, check=True)
    assert tree_of(ours) == tree_of(theirs)
    gone = before.keys() - tree_of(ours).keys()
    assert isinstance(result.metadata["total"], int)
    assert result.metadata["total"] == len(gone)
    for one in gone:
        assert str(ours / one) in result.text


NAME = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="/\0"), min_size=1
).filter(lambda name: name not in (".", "..") and len(name.encode()) < 60)


@pytest.mark.torture
@examples(in_ci=25, in_torture=2_000)
@given(parts=st.lists(st.lists(NAME, min_size=1, max_size=5), max_size=10))
def test_any_tree_is_deleted_whole_and_nothing_beside_it(
    tmp_path: Path, parts: list[list[str]]
) -> None:
    folder = made(tmp_path / "work")
    before = tree_of(folder)
    (folder / "tree").mkdir()
    for number, names in enumerate(parts):
        path = (folder / "tree").joinpath(*names)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if number % 3:
                path.touch(exist_ok=False)
            else:
                path.symlink_to(folder / "a")
        except OSError:
            continue  # something else stands there
    result = asyncio.run(call(folder, "Delete", path="tree", recursive=True))
    assert result.ok, result.text
    assert tree_of(folder) == before


@pytest.mark.parametrize(
    ("path", "code"),
    [
        (".", "BLOCKED"),
        ("./", "BLOCKED"),
        ("..", "BLOCKED"),
        ("/", "BLOCKED"),
        ("~", "BLOCKED"),
        ("d/..", "BLOCKED"),
        ("d/sub/../..", "BLOCKED"),
        ("to-d/..", "BLOCKED"),
        ("nothing", "FILE_NOT_FOUND"),
        ("a/below", "NOT_A_DIRECTORY"),
        ("loop/x", "INVALID_PATH"),
        ("", "INVALID_INPUT"),
        ("a\0", "INVALID_PATH"),
        ("x" * 300, "INVALID_PATH"),
    ],
    ids=lambda value: str(value)[:12],
)
async def test_what_must_stay_or_is_not_there_is_refused_even_in_bypass_mode(
    path: str, code: str, tmp_path: Path
) -> None:
    folder = made(tmp_path / "work")
    before = tree_of(tmp_path)
    assert code_of(await call(folder, "Delete", path=path, recursive=True)) == code
    assert tree_of(tmp_path) == before


async def test_a_closed_folder_below_ends_the_delete_and_says_what_is_gone(tmp_path: Path) -> None:
    (tmp_path / "d" / "shut").mkdir(parents=True)
    (tmp_path / "d" / "shut" / "kept").write_bytes(b"kept")
    (tmp_path / "d" / "gone").write_bytes(b"gone")
    with ordinary_person(tmp_path):
        (tmp_path / "d" / "shut").chmod(0o555)
        result = await call(tmp_path, "Delete", path="d", recursive=True)
        (tmp_path / "d" / "shut").chmod(0o755)
    assert code_of(result) == "PERMISSION_DENIED"
    assert result.error is not None
    assert (tmp_path / "d" / "shut" / "kept").read_bytes() == b"kept"
    assert result.error.details["total"] == (not (tmp_path / "d" / "gone").exists())


async def test_a_file_that_was_deleted_and_made_again_must_be_read_again(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path, mode="bypass")
    (tmp_path / "f").write_bytes(b"old\n")
    await kit.call("Read", file_path="f")
    assert (await kit.call("Delete", path="f")).ok
    (tmp_path / "f").write_bytes(b"old\n")
    result = await kit.call("Write", file_path="f", content="new\n")
    assert code_of(result) == "NOT_READ"


async def test_what_was_read_may_be_written_at_its_new_place_but_not_at_the_old(
    tmp_path: Path,
) -> None:
    kit = Toolkit(cwd=tmp_path, mode="bypass")
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "f").write_bytes(b"old\n")
    await kit.call("Read", file_path="d/f")
    assert (await kit.call("Move", source="d", destination="e")).ok
    assert (await kit.call("Write", file_path="e/f", content="new\n")).ok
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "f").write_bytes(b"someone's\n")
    assert code_of(await kit.call("Write", file_path="d/f", content="new\n")) == "NOT_READ"
