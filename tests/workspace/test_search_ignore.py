"""Ignore files against git itself, on made-up trees; ripgrep is the judge in test_search_oracle."""

import os
import subprocess
from pathlib import Path
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ankrcode.workspace.search.ignore import Rules, ignore_folder, ignored_on_the_way, repository_of
from ankrcode.workspace.search.walk import Filters, files_below
from torture import IS_TORTURE, examples
from workspace.trees import FOLDERS, IGNORES, NAMES

EVERYTHING = Filters(include_hidden=True)


def git(folder: Path, *arguments: str) -> bytes:
    """git without the machine's own settings, so that nothing else is ignored."""
    quiet = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null", "HOME": "/nowhere"}
    done = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        env={**os.environ, **quiet},
        capture_output=True,
        check=True,
    )
    return done.stdout


@pytest.mark.torture
@pytest.mark.parametrize("seed", range(300 if IS_TORTURE else 40))
def test_what_is_looked_at_is_what_git_does_not_ignore(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    folders = [tmp_path, *(tmp_path / name for name in FOLDERS)]
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
        for name in random.sample(NAMES, 8):
            (folder / name).touch()
    for folder in random.sample(folders, 3):
        lines = "\n".join(random.sample(IGNORES, random.randrange(1, 7)))
        (folder / ".gitignore").write_text(lines, encoding="utf-8")
    git(tmp_path, "init", "--quiet")
    (tmp_path / ".git" / "info" / "exclude").write_text(random.choice(IGNORES), encoding="utf-8")
    listed = git(tmp_path, "ls-files", "--others", "--exclude-standard", "-z").split(b"\0")[:-1]
    found = {os.fsencode(path) for path in files_below(str(tmp_path), EVERYTHING)}
    assert found == set(listed)


pieces = st.sampled_from(["a", "b", "*", "?", "**", "/", "!", "[ab]", "[!a]", "\\*", ".", " ", "#"])
paths = st.lists(st.sampled_from(["a", "b", "ab", ".a", "*"]), min_size=1, max_size=4).map("/".join)


@pytest.mark.torture
@examples(in_ci=60, in_torture=3_000)
@given(
    lines=st.lists(st.lists(pieces, min_size=1, max_size=6).map("".join), min_size=1, max_size=3)
)
def test_single_lines_mean_what_git_says(
    lines: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    assume(not any(line.strip() == "!" for line in lines))  # to ripgrep it lets in everything
    folder = tmp_path_factory.mktemp("lines")
    names = ["a", "b", "ab", ".a", "*", "c/a", "c/b", "c/d/a", "c/d/ab", "a b", "#x", "!x"]
    for name in names:
        (folder / "deep" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "deep" / name).touch()
    git(folder, "init", "--quiet")
    (folder / ".gitignore").write_text("\n".join(lines), encoding="utf-8")
    listed = git(folder, "ls-files", "--others", "--exclude-standard", "-z").split(b"\0")[:-1]
    found = {os.fsencode(path) for path in files_below(str(folder), EVERYTHING)}
    assert found == set(listed), lines


@pytest.mark.parametrize(
    ("line", "ignored", "kept"),
    [
        ("*.log", "a/b.log", "a/b.txt"),
        ("/top", "top", "a/top"),
        ("a/b", "a/b", "x/a/b"),
        ("**/b", "x/y/b", "x/bb"),
        ("a/**", "a/x/y", "a"),
        ("a/**/b", "a/b", "a/c"),
        ("name ", "name", "name "),
        ("name\\ ", "name ", "name"),
        ("\\#x", "#x", "x"),
        ("\\!x", "!x", "x"),
        ("[a-c]x", "bx", "dx"),
    ],
)
def test_each_kind_of_line(line: str, ignored: str, kept: str) -> None:
    rules = Rules(line)
    assert rules.is_ignored(ignored, is_folder=False) is True
    assert rules.is_ignored(kept, is_folder=False) is None


def test_the_last_line_that_fits_counts() -> None:
    rules = Rules("*.log\n!keep.log\n# nothing\n\n")
    assert rules.is_ignored("a.log", is_folder=False) is True
    assert rules.is_ignored("keep.log", is_folder=False) is False
    assert Rules("!keep.log\n*.log").is_ignored("keep.log", is_folder=False) is True


def test_a_line_with_a_final_slash_speaks_of_folders_only() -> None:
    assert Rules("build/").is_ignored("build", is_folder=True) is True
    assert Rules("build/").is_ignored("build", is_folder=False) is None


def test_a_line_that_cannot_be_read_is_passed_over() -> None:
    rules = Rules("[a\n*.log\n{x\n")
    assert rules.is_ignored("a.log", is_folder=False) is True
    assert rules.is_ignored("[a", is_folder=False) is None


def test_a_repository_inside_another_has_rules_of_its_own(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("*.log\n", encoding="utf-8")
    (tmp_path / "inner" / ".git").mkdir(parents=True)
    for name in ("a.log", "inner/b.log"):
        (tmp_path / name).touch()
    assert "inner/b.log" in set(files_below(str(tmp_path), EVERYTHING))
    assert "a.log" not in set(files_below(str(tmp_path), EVERYTHING))


def test_outside_a_repository_folders_above_have_no_say(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("*\n", encoding="utf-8")
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "a.py").touch()
    assert list(files_below(str(tmp_path / "project"), Filters())) == ["a.py"]
    (tmp_path / ".git").mkdir()
    assert list(files_below(str(tmp_path / "project"), Filters())) == []
    assert repository_of(str(tmp_path / "project")) == str(tmp_path)


def test_the_first_ignored_folder_on_a_way_is_named(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("build/\n", encoding="utf-8")
    (tmp_path / "src" / "build" / "deep").mkdir(parents=True)
    way = ("src", "build", "deep")
    assert ignored_on_the_way(str(tmp_path), way) == str(tmp_path / "src" / "build")
    assert ignored_on_the_way(str(tmp_path), ("src",)) is None
    assert ignore_folder(str(tmp_path)).is_ignored(f"{tmp_path}/x", is_folder=True) is None
