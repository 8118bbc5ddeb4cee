"""Where an agent works: the root that is found, and what counts as inside."""

import os
from pathlib import Path

import pytest

from ankrcode.errors import ToolError, UsageError
from ankrcode.workspace.roots import Workspace, find_cwd, find_root, is_inside


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A git checkout, seen from one of its folders."""
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    (tmp_path / "repo" / "src" / "deep").mkdir(parents=True)
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "repo" / "src" / "deep")
    return tmp_path / "repo"


# ── which root ────────────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S3-014", "S3-015")
def test_the_root_is_what_was_asked_for_then_the_variable_then_gits_then_here(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = checkout.parent / "other"
    variable = {"AGENT_WORKSPACE_ROOT": str(checkout / "src")}
    assert find_root(str(other), variable) == other
    assert find_root(None, variable) == checkout / "src"
    assert find_root(None, {"AGENT_WORKSPACE_ROOT": ""}) == checkout
    assert find_root(None, {}) == checkout
    monkeypatch.chdir(other)
    assert find_root(None, {}) == other


def test_a_worktree_whose_git_is_a_file_is_a_root_too(checkout: Path) -> None:
    (checkout / "src" / ".git").write_text("gitdir: elsewhere\n", encoding="utf-8")
    assert find_root(None, {}) == checkout / "src"


def test_the_root_is_a_real_place(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link = checkout.parent / "link"
    link.symlink_to(checkout)
    assert find_root(str(link), {}) == checkout
    monkeypatch.chdir(checkout.parent)
    assert find_root("repo/src/..", {}) == checkout


@pytest.mark.parametrize("what", ["missing", "file"])
def test_a_root_that_is_no_directory_is_refused(what: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match=r"is not a directory.*--cwd"):
        find_root(str(tmp_path / what), {})
    with pytest.raises(UsageError, match="AGENT_WORKSPACE_ROOT"):
        find_root(None, {"AGENT_WORKSPACE_ROOT": str(tmp_path / what)})


def test_a_current_directory_that_was_removed_is_said_plainly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(UsageError, match="no longer exists"):
        find_root(None, {})
    assert find_root(str(tmp_path), {}) == tmp_path


def test_the_current_directory_is_here_if_here_is_inside_the_root(checkout: Path) -> None:
    assert find_cwd(checkout) == checkout / "src" / "deep"
    assert find_cwd(checkout.parent / "other") == checkout.parent / "other"


# ── what is inside ────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("path", "folder", "inside"),
    [
        ("/srv", "/srv", True),
        ("/srv/a", "/srv", True),
        ("/srv-2", "/srv", False),
        ("/srv-2/a", "/srv", False),
        ("/sr", "/srv", False),
        ("/", "/srv", False),
        ("/anything", "/", True),
        ("/", "/", True),
    ],
)
def test_inside_is_told_by_whole_components(path: str, folder: str, inside: bool) -> None:
    assert is_inside(path, folder) is inside


@pytest.mark.requirement("S3-014")
def test_a_path_is_resolved_to_its_real_place(tmp_path: Path) -> None:
    root = tmp_path / "place"
    (root / "sub").mkdir(parents=True)
    (tmp_path / "place-2").mkdir()
    (root / "out").symlink_to(tmp_path / "place-2")
    (root / "in").symlink_to("sub")
    workspace = Workspace([root])
    places = {
        "a.txt": root / "a.txt",
        "sub/../a.txt": root / "a.txt",
        "./in/b": root / "sub" / "b",
        str(root): root,
        "..": tmp_path,
        "../place-2/x": tmp_path / "place-2" / "x",
        "out/x": tmp_path / "place-2" / "x",
        "sub/../../place/a": root / "a",
    }
    for path, place in places.items():
        assert workspace.resolve(path) == str(place), path
        assert workspace.contains(workspace.resolve(path)) == place.is_relative_to(root), path


def test_a_tilde_means_home(tmp_path: Path, own_home: Path) -> None:
    workspace = Workspace([tmp_path])
    assert workspace.resolve("~/notes") == os.path.realpath(own_home / "notes")


def test_further_directories_are_roots_too_and_the_first_is_primary(tmp_path: Path) -> None:
    for name in ("one", "two", "three"):
        (tmp_path / name).mkdir()
    workspace = Workspace([tmp_path / "one", tmp_path / "two"], tmp_path / "two")
    assert workspace.root == str(tmp_path / "one")
    assert workspace.extra_directories == (str(tmp_path / "two"),)
    assert workspace.resolve("a") == str(tmp_path / "two" / "a")
    inside = [workspace.contains(str(tmp_path / name / "a")) for name in ("one", "two", "three")]
    assert inside == [True, True, False]


def test_a_workspace_needs_a_root() -> None:
    with pytest.raises(ValueError, match="at least one root"):
        Workspace([])


@pytest.mark.parametrize("path", ["", " \n", "a\0", "\ud800", "a" * 4_097])
def test_text_that_cannot_be_a_path_is_refused_before_the_system_sees_it(
    path: str, tmp_path: Path
) -> None:
    with pytest.raises(ToolError) as caught:
        Workspace([tmp_path]).resolve(path)
    assert caught.value.code == "INVALID_PATH"
    assert len(caught.value.details["path"]) <= 200
