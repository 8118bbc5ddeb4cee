"""The way to a folder: taken once, never through a link, with few folders open at a time."""

import os
from pathlib import Path

import pytest

from ankrcode.errors import ToolError
from ankrcode.workspace.journal.way import _MOST_OPEN, Way
from people import ordinary_person
from workspace.crashes import system
from workspace.deep import chain, make

DEPTH = 100


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    make(tmp_path, "t", chain(DEPTH, "d"))
    return tmp_path / "t"


def below(tree: Path, depth: int) -> str:
    return str(tree.joinpath(*("d",) * depth))


def identity(handle: int) -> tuple[int, int]:
    facts = os.fstat(handle)
    return facts.st_dev, facts.st_ino


def place(path: str) -> tuple[int, int]:
    facts = Path(path).stat()
    return facts.st_dev, facts.st_ino


@pytest.mark.parametrize(
    "depths",
    [(0,), (3, 3), (0, DEPTH, 0), (DEPTH, DEPTH - 1, 20, DEPTH, 1), (5, 4, 3, 2, 1, 0)],
)
def test_every_order_of_folders_leads_to_the_right_ones(
    depths: tuple[int, ...], tree: Path
) -> None:
    with Way() as way:
        for depth in depths:
            path = below(tree, depth)
            assert identity(way.to(path)) == place(path)
            assert identity(way.to(path + "/")) == place(path)


def test_folders_whose_names_begin_alike_are_told_apart(tmp_path: Path) -> None:
    for name in ("a", "ab", "a-b", "a/b", "a/bc"):
        (tmp_path / name).mkdir()
    with Way() as way:
        for name in ("a", "ab", "a/b", "a-b", "a/bc", "a", "a/b"):
            assert identity(way.to(f"{tmp_path}/{name}")) == place(f"{tmp_path}/{name}")
        assert identity(way.to("/")) == place("/")


def test_few_folders_are_open_however_deep_it_goes(tree: Path) -> None:
    with Way() as way:
        way.to(below(tree, DEPTH))
        assert sum(level.handle >= 0 for level in way._levels) == _MOST_OPEN
        way.to(str(tree))
        assert sum(level.handle >= 0 for level in way._levels) <= _MOST_OPEN
    assert not way._levels


def test_each_step_is_taken_once(tree: Path) -> None:
    with system() as fake, Way() as way:
        for depth in (*range(DEPTH), *reversed(range(DEPTH))):
            way.to(below(tree, depth))
        above = len(tree.parts)
        assert fake.names.count("open") <= above + 2 * DEPTH
    assert fake.names.count("close") == fake.names.count("open")


def test_a_link_on_the_way_is_refused(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tree)
    with Way() as way:
        for path in (tmp_path / "link", tmp_path / "link" / "d"):
            with pytest.raises(ToolError, match="link"):
                way.to(str(path))
        assert identity(way.to(str(tree))) == place(str(tree))


def test_a_folder_that_becomes_a_link_is_refused_from_then_on(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "other" / "d").mkdir(parents=True)
    with Way() as way:
        way.to(below(tree, 1))
        way.to(str(tmp_path))
        tree.rename(tmp_path / "aside")
        tree.symlink_to(tmp_path / "other")
        with pytest.raises(ToolError, match="link"):
            way.to(below(tree, 1))


def test_the_top_may_be_reached_through_a_link(tree: Path, tmp_path: Path) -> None:
    """A workspace whose place is a link by now is still the workspace; below it nothing is."""
    (tmp_path / "link").symlink_to(tree)
    (tree / "inner").symlink_to(tmp_path)
    top = str(tmp_path / "link")
    with Way(top, str(tmp_path / "x")) as way:
        assert identity(way.to(f"{top}/d/d")) == place(below(tree, 2))
        with pytest.raises(ToolError, match="link"):
            way.to(f"{top}/inner/t")
        assert identity(way.to(str(tmp_path))) == place(str(tmp_path))


def test_what_was_moved_meanwhile_is_not_walked_up_from(tree: Path, tmp_path: Path) -> None:
    """Going up from there would lead elsewhere: all is walked anew, as it stands now."""
    with Way() as way:
        way.to(below(tree, DEPTH))
        (tmp_path / "elsewhere").mkdir()
        Path(below(tree, 50)).rename(tmp_path / "elsewhere" / "d")
        assert identity(way.to(below(tree, 49))) == place(below(tree, 49))
        assert identity(way.to(below(tree, 3))) == place(below(tree, 3))
        with pytest.raises(FileNotFoundError):
            way.to(below(tree, 60))


def test_what_is_missing_is_made_if_that_is_wanted(tree: Path) -> None:
    path = f"{tree}/d/new/deep/er"
    with Way() as way:
        with pytest.raises(FileNotFoundError):
            way.to(path)
        assert identity(way.to(path, makes=True)) == place(path)
        (tree / "file").touch()
        with pytest.raises(NotADirectoryError):
            way.to(f"{tree}/file", makes=True)
        assert identity(way.to(str(tree))) == place(str(tree))


def test_a_folder_that_is_closed_can_be_left_again(tmp_path: Path) -> None:
    base = tmp_path / "person"
    (base / "shut" / "in").mkdir(parents=True)
    (base / "open").mkdir()
    with ordinary_person(base):
        (base / "shut").chmod(0o000)
        with Way() as way:
            way.to(f"{base}/shut")
            with pytest.raises(PermissionError):
                way.to(f"{base}/shut/in")
            assert identity(way.to(f"{base}/open")) == place(f"{base}/open")
        (base / "shut").chmod(0o100)
        with Way() as way:
            assert identity(way.to(f"{base}/shut/in")) == place(f"{base}/shut/in")
        (base / "shut").chmod(0o700)


def test_after_its_end_it_can_be_used_again(tree: Path) -> None:
    way = Way()
    for _ in range(2):
        with way:
            assert identity(way.to(below(tree, 2))) == place(below(tree, 2))
    way.close()
    way.close()


def test_a_name_in_its_folder(tree: Path) -> None:
    with Way() as way:
        assert way.place(below(tree, 3)).name == "d"
        assert way.place("/").name == ""
        assert identity(way.place("/tmp").folder) == place("/")
