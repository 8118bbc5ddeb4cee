"""Which names are protected, whatever stands there now."""

import os
from pathlib import Path

import pytest

from ankrcode.sandbox.protected import NAMES, Protected, protected_in
from sandbox.site import make_repository


@pytest.fixture
def work(tmp_path: Path) -> Path:
    work = tmp_path / "work"
    work.mkdir()
    return work


def seen(*roots: Path, homes: tuple[Path, ...] = ()) -> Protected:
    return protected_in(map(str, roots), map(str, homes))[0]


def below(work: Path, paths: tuple[str, ...]) -> set[str]:
    return {os.path.relpath(path, work) for path in paths}


def test_an_empty_folder_has_only_missing_names(work: Path) -> None:
    found = seen(work)
    assert found.fixed == ()
    assert {".git", ".ankrcode", ".claude", ".mcp.json", ".vscode", ".idea"} <= below(
        work, found.missing
    )
    assert {".bashrc", ".zshrc", ".profile", ".gitconfig"} <= below(work, found.unheld)


def test_every_name_is_accounted_for_once(work: Path) -> None:
    make_repository(work)
    (work / ".claude").mkdir()
    (work / ".mcp.json").touch()
    (work / ".zshrc").symlink_to("elsewhere")
    for homes in ((), (work,)):
        names = [os.path.relpath(path, work) for path in seen(work, homes=homes).names]
        assert len(names) == len(set(names))
        assert set(NAMES) <= set(names)


def test_at_home_a_missing_start_up_file_gets_a_placeholder_that_is_a_file(work: Path) -> None:
    found = seen(work, homes=(work,))
    assert {".bashrc", ".zshrc", ".gitconfig"} <= below(work, found.missing_files)
    assert ".mcp.json" in below(work, found.missing)


def test_in_a_repository_hooks_settings_and_modules_are_protected_but_not_the_rest(
    work: Path,
) -> None:
    make_repository(work)
    found = seen(work)
    assert below(work, found.fixed) == {".git/hooks", ".git/config", ".git/info"}
    assert {".git/modules", ".git/config.worktree", ".git/commondir"} <= below(work, found.unheld)
    assert below(work, found.pinned) == {".git"}
    writable = {".git/index", ".git/objects", ".git/refs", ".git/HEAD"}
    assert not writable & below(work, found.names)


def test_hooks_that_live_elsewhere_are_protected_too(work: Path) -> None:
    make_repository(work)
    (work / ".githooks").mkdir()
    config = work / ".git" / "config"
    config.write_text('[core]\n\thooksPath = ".githooks"\n', encoding="utf-8")
    assert ".githooks" in below(work, seen(work).fixed)


@pytest.mark.parametrize("place", ["../outside", "missing", ".", "link", "/etc"])
def test_a_hooks_path_that_leads_elsewhere_protects_nothing_there(place: str, work: Path) -> None:
    make_repository(work)
    (work / "link").symlink_to("/etc")
    (work.parent / "outside").mkdir()
    (work / ".git" / "config").write_text(f"[core]\nhookspath = {place}\n", encoding="utf-8")
    assert below(work, seen(work).fixed) == {".git/hooks", ".git/config", ".git/info"}


def test_a_link_is_watched_and_what_it_leads_to_inside_is_fixed(work: Path) -> None:
    (work / "dotclaude").mkdir()
    (work / ".claude").symlink_to("dotclaude")
    (work / ".vscode").symlink_to("/etc")
    (work / ".idea").symlink_to(".")
    found = seen(work)
    assert {".claude", ".vscode", ".idea"} <= below(work, found.watched)
    assert below(work, found.fixed) == {"dotclaude"}


def linked_tree(work: Path, back: str) -> Path:
    """A `.git` that is a file, as a further work tree has it."""
    common = work.parent / "main" / ".git"
    own = common / "worktrees" / "work"
    own.mkdir(parents=True)
    for name in ("hooks", "info"):
        (common / name).mkdir()
    (common / "config").touch()
    (own / "commondir").write_text("../..\n", encoding="utf-8")
    (own / "gitdir").write_text(f"{back}\n", encoding="utf-8")
    (work / ".git").write_text(f"gitdir: {own}\n", encoding="utf-8")
    return common


def test_a_git_that_is_a_file_protects_the_repository_it_leads_to(work: Path) -> None:
    common = linked_tree(work, f"{work}/.git")
    found = seen(work)
    own = common / "worktrees" / "work"
    assert set(found.fixed) == {
        *(f"{work}/.git", f"{own}/commondir", f"{own}/gitdir"),
        *(f"{common}/hooks", f"{common}/info", f"{common}/config"),
    }
    assert found.writable == (str(own), str(common))
    assert set(found.pinned) == {str(own), str(common)}


@pytest.mark.parametrize("back", ["", "/somewhere/else/.git", "../../../../other/.git"])
def test_a_repository_that_does_not_know_this_tree_is_not_opened(back: str, work: Path) -> None:
    linked_tree(work, back)
    found = seen(work)
    assert found.writable == ()
    assert found.fixed == (f"{work}/.git",)


@pytest.mark.parametrize(
    "text", ["", "gitdir:", "gitdir: /", "gitdir: ../..", "\0\xff", "x" * 70_000]
)
def test_a_hostile_git_file_opens_nothing(text: str, work: Path) -> None:
    (work / ".git").write_text(text, encoding="utf-8")
    found = seen(work)
    assert found.writable == ()
    assert found.fixed == (f"{work}/.git",)


def test_a_submodule_knows_its_tree_by_its_settings(work: Path) -> None:
    own = work.parent / "above" / ".git" / "modules" / "work"
    own.mkdir(parents=True)
    (own / "config").write_text(f"[core]\n\tworktree = {work}\n", encoding="utf-8")
    (work / ".git").write_text(f"gitdir: {own}\n", encoding="utf-8")
    found = seen(work)
    assert found.writable == (str(own),)
    assert f"{own}/config" in found.fixed


def test_several_roots_are_all_looked_at(work: Path, tmp_path: Path) -> None:
    second = tmp_path / "second"
    second.mkdir()
    found = seen(work, second)
    assert {f"{work}/.claude", f"{second}/.claude"} <= set(found.missing)
