"""What a sentence may ask about the workspace, and how far it looks."""

from pathlib import Path

import pytest

from ankrcode.frontends.place import WorkspacePlace
from ankrcode.workspace.roots import Workspace


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "work"
    (root / "src" / "deep").mkdir(parents=True)
    for name in ("README.md", "src/app.py", "src/deep/App.PY", "src/deep/util.py"):
        (root / name).write_text("", encoding="utf-8")
    (tmp_path / "outside.py").write_text("", encoding="utf-8")
    return root


@pytest.fixture
def place(root: Path) -> WorkspacePlace:
    return WorkspacePlace(Workspace((root,), root))


def test_files_and_folders_of_the_workspace_are_known(place: WorkspacePlace) -> None:
    assert place.is_file("README.md")
    assert place.is_file("src/app.py")
    assert place.is_folder("src")
    assert place.is_folder("src/")
    assert place.is_folder(".")
    assert not place.is_file("src")
    assert not place.is_folder("README.md")
    assert not place.is_file("nope.py")


@pytest.mark.parametrize(
    "path", ["../outside.py", "/etc/passwd", "~/.bashrc", "", "\0", "a\0b", "x" * 5_000]
)
def test_what_lies_outside_or_is_no_path_is_not_looked_at(path: str, place: WorkspacePlace) -> None:
    assert not place.is_file(path)
    assert not place.is_folder(path) or path == ""


def test_a_link_that_leads_outside_is_outside(root: Path, place: WorkspacePlace) -> None:
    (root / "link.py").symlink_to(root.parent / "outside.py")
    assert not place.is_file("link.py")


def test_a_bare_name_is_found_with_or_without_its_ending(place: WorkspacePlace) -> None:
    assert place.named("util") == ("src/deep/util.py",)
    assert place.named("util.py") == ("src/deep/util.py",)
    assert place.named("app") == ("src/app.py", "src/deep/App.PY")
    assert place.named("readme.md") == ("README.md",)
    assert place.named("nothing") == ()


def test_folders_that_are_made_again_are_passed_over(root: Path, place: WorkspacePlace) -> None:
    for folder in ("node_modules", "__pycache__", ".git", ".venv", "build"):
        (root / folder).mkdir()
        (root / folder / "hidden.py").write_text("", encoding="utf-8")
    assert place.named("hidden") == ()


def test_only_a_few_are_named_however_many_there_are(root: Path, place: WorkspacePlace) -> None:
    for number in range(30):
        (root / f"d{number}").mkdir()
        (root / f"d{number}" / "same.py").write_text("", encoding="utf-8")
    assert len(place.named("same")) == 5


def test_a_pattern_is_what_it_matches_here(place: WorkspacePlace) -> None:
    assert place.matching("*.md") == ("README.md",)
    assert place.matching("src/*.py") == ("src/app.py",)
    assert place.matching("**/*.py") == ("src/app.py", "src/deep/util.py")
    assert place.matching("*.nope") == ()


@pytest.mark.parametrize("glob", ["/etc/*", "../*", "src/../../*", "", "**" * 3, "[", "a\0*"])
def test_a_pattern_that_leads_away_or_is_none_matches_nothing(
    glob: str, place: WorkspacePlace
) -> None:
    assert all(not one.startswith("..") for one in place.matching(glob))
    if glob.startswith(("/", "..")) or glob in ("", "src/../../*"):
        assert place.matching(glob) == ()


def test_too_many_matches_are_none(root: Path, place: WorkspacePlace) -> None:
    (root / "many").mkdir()
    for number in range(1_001):
        (root / "many" / f"{number}.txt").touch()
    assert place.matching("many/*.txt") == ()
    (root / "many" / "0.txt").unlink()
    assert len(place.matching("many/*.txt")) == 1_000


# ── how tests are run ─────────────────────────────────────────────────────────────────────────
@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> WorkspacePlace:
    """An empty folder, on a machine whose python is called so."""
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "python").write_text("#!/bin/sh\n", encoding="utf-8")
    (programs / "python").chmod(0o755)
    monkeypatch.setenv("PATH", str(programs))
    (tmp_path / "bare").mkdir()
    return WorkspacePlace(Workspace((tmp_path / "bare",), tmp_path / "bare"))


@pytest.mark.parametrize(
    ("files", "command"),
    [
        ({}, ""),
        ({"pyproject.toml": ""}, ""),
        ({"setup.py": ""}, ""),
        ({"tests/test_a.py": ""}, ""),
        ({"package.json": "{}"}, "npm test"),
        ({"Cargo.toml": ""}, "cargo test"),
        ({"go.mod": ""}, "go test ./..."),
        ({"pom.xml": ""}, "mvn -q test"),
        ({"Makefile": "test:\n\techo\n"}, "make test"),
        ({"Makefile": "tests:\n\techo\nretest:\n"}, ""),
        ({"Makefile": "test:\n", "pyproject.toml": ""}, ""),
        ({"package.json": "{}", "pyproject.toml": ""}, ""),
    ],
)
def test_how_tests_are_run_is_told_by_the_files(
    files: dict[str, str], command: str, bare: WorkspacePlace, tmp_path: Path
) -> None:
    for name, text in files.items():
        path = tmp_path / "bare" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert bare.test_command() == command


def test_a_projects_own_python_comes_first(bare: WorkspacePlace, tmp_path: Path) -> None:
    folder = tmp_path / "bare"
    (folder / "pyproject.toml").touch()
    (folder / ".venv" / "bin").mkdir(parents=True)
    (folder / ".venv" / "bin" / "python").symlink_to("/bin/sh")
    assert bare.test_command() == ".venv/bin/python -m pytest -q"


def test_make_gets_what_the_projects_own_python_lacks(bare: WorkspacePlace, tmp_path: Path) -> None:
    folder = tmp_path / "bare"
    (folder / "pyproject.toml").touch()
    (folder / "Makefile").write_text("test: .venv/.dev\n\tpytest\n", encoding="utf-8")
    (folder / ".venv" / "bin").mkdir(parents=True)
    (folder / ".venv" / "bin" / "python").symlink_to("/bin/sh")
    assert bare.test_command() == "make test"
    (folder / ".venv/lib/python3.11/site-packages/pytest").mkdir(parents=True)
    assert bare.test_command() == ".venv/bin/python -m pytest -q"


def test_where_python_is_called_otherwise_it_is_called_so(
    bare: WorkspacePlace, tmp_path: Path
) -> None:
    (tmp_path / "bare" / "setup.py").touch()
    (tmp_path / "bin" / "python").rename(tmp_path / "bin" / "python3")
    assert bare.test_command() == "python3 -m pytest -q"
    (tmp_path / "bin" / "python3").unlink()
    assert bare.test_command() == "", "then the usual way says best what is missing"
