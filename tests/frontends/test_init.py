"""`ankrcode init`: a first ANKRCODE.md from what the files tell, and never over another."""

import json
from pathlib import Path

import pytest

from ankrcode.agent.project_context import ProjectContext
from ankrcode.frontends.project import described, named
from ankrcode.workspace.roots import Workspace
from frontends.command import ankrcode


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = tmp_path / "shop"
    (project / "src").mkdir(parents=True)
    (project / "tests").mkdir()
    (project / "node_modules" / "x").mkdir(parents=True)
    (project / ".git").mkdir()
    (project / "src" / "a.py").write_text("", encoding="utf-8")
    (project / "src" / "b.py").write_text("", encoding="utf-8")
    (project / "tests" / "test_a.py").write_text("", encoding="utf-8")
    (project / "node_modules" / "x" / "i.js").write_text("", encoding="utf-8")
    (project / "README.md").write_text(
        "# Shop\n\n[![badge](x)](y)\n\nSells tea.\nAnd more.\n\nSecond.\n", encoding="utf-8"
    )
    return project


def test_it_is_written_once_and_never_overwritten(project: Path) -> None:
    done = ankrcode("init", cwd=project)
    assert done.returncode == 0, done.stderr
    path = project / "ANKRCODE.md"
    assert str(path) in done.stdout
    first = path.read_text(encoding="utf-8")
    assert first == described(project)
    path.write_text("mine", encoding="utf-8")
    again = ankrcode("init", cwd=project)
    assert again.returncode == 2
    assert "stays as it is" in again.stderr
    assert path.read_text(encoding="utf-8") == "mine"


def test_names_that_are_no_utf_8_are_written_as_escapes(tmp_path: Path) -> None:
    project = tmp_path / "caf\udce9"
    project.mkdir()
    done = ankrcode("init", cwd=project)
    assert done.returncode == 0, done.stderr
    assert "caf" in (project / "ANKRCODE.md").read_text(encoding="utf-8")


def test_a_dry_run_prints_it_and_writes_nothing(project: Path) -> None:
    done = ankrcode("init", "--dry-run", cwd=project)
    assert done.stdout == described(project)
    assert not (project / "ANKRCODE.md").exists()


def test_a_link_in_its_place_is_not_followed(project: Path, tmp_path: Path) -> None:
    (project / "ANKRCODE.md").symlink_to(tmp_path / "elsewhere")
    assert ankrcode("init", cwd=project).returncode == 2
    assert not (tmp_path / "elsewhere").exists()


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    done = ankrcode("--cwd", tmp_path / "missing", "init", cwd=tmp_path)
    assert done.returncode == 2
    assert "missing" in done.stderr


def test_the_files_tell_name_purpose_languages_and_layout(project: Path) -> None:
    text = described(project)
    assert text.startswith("# shop\n\nSells tea. And more.\n")
    assert "- Python (3 files)" in text
    assert "JavaScript" not in text, "what is installed is not the project"
    assert "- `src/` – 2 files" in text
    assert "node_modules" not in text
    assert ".git" not in text


@pytest.mark.parametrize(
    ("name", "content", "commands"),
    [
        ("Makefile", ".PHONY: x\nall: a\n\ntest:\n\tx\nVAR := 1\n", ["make all", "make test"]),
        ("package.json", '{"scripts": {"build": "x", "test": "y"}}', ["npm run build"]),
        ("pyproject.toml", "[tool.ruff]\n[tool.mypy]\n", ["ruff check .", "python -m pytest"]),
        ("Cargo.toml", "[package]\n", ["cargo test"]),
        ("go.mod", "module x\n", ["go test ./..."]),
        ("tox.ini", "[tox]\n", ["tox"]),
        ("mix.exs", "", ["mix test"]),
    ],
)
def test_commands_are_found_in_the_files_that_projects_have(
    project: Path, name: str, content: str, commands: list[str]
) -> None:
    (project / name).write_text(content, encoding="utf-8")
    text = described(project)
    assert "## Commands" in text
    for command in commands:
        assert f"`{command}" in text
    assert "VAR" not in text
    assert ".PHONY" not in text


def test_a_lock_file_names_the_runner(project: Path) -> None:
    (project / "package.json").write_text(
        json.dumps({"name": "@shop/web", "scripts": {"dev": "x"}}), encoding="utf-8"
    )
    (project / "pnpm-lock.yaml").touch()
    text = described(project)
    assert text.startswith("# @shop/web\n")
    assert "`pnpm run dev`" in text


@pytest.mark.parametrize("name", ["package.json", "pyproject.toml", "Makefile", "README.md"])
def test_broken_files_tell_nothing_and_stop_nothing(project: Path, name: str) -> None:
    (project / name).write_bytes(b"\xff{[not this" * 3)
    assert described(project).startswith("# shop\n")


def test_other_instructions_are_named_not_copied(project: Path) -> None:
    (project / "AGENTS.md").write_text("Use tabs.\n", encoding="utf-8")
    text = described(project)
    assert "- @AGENTS.md" in text
    assert "Use tabs" not in text
    (project / "ANKRCODE.md").write_text(text, encoding="utf-8")
    told = ProjectContext(Workspace((project,), project)).text()
    assert told.count("Use tabs.") == 1
    assert "Sells tea." in told


def test_an_empty_folder_gives_a_form_to_be_filled(tmp_path: Path) -> None:
    text = described(tmp_path)
    assert text.startswith(f"# {tmp_path.name}\n")
    assert "## To be completed" in text
    assert "## Commands" not in text


def test_the_same_files_give_the_same_text(project: Path) -> None:
    for number in range(30):
        (project / f"d{number}").mkdir()
        (project / f"d{number}" / "x.go").touch()
    first = described(project)
    assert first == described(project)
    assert "and 20 more folders" in first


# ── files that are odd, or hostile ────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("package.json", "[" * 200_000),
        ("package.json", '{"name": 5, "scripts": [], "description": {}}'),
        ("package.json", '{"name": "   "}'),
        ("pyproject.toml", "project = 5"),
        ("pyproject.toml", "[project]\nname = []\n[tool]\npytest = 1"),
        ("pyproject.toml", "tool = 5"),
        ("pyproject.toml", "a = " + "[" * 5_000),
        ("Cargo.toml", "package = 5"),
        ("go.mod", "module"),
    ],
)
def test_files_of_another_shape_stop_nothing(project: Path, name: str, content: str) -> None:
    (project / name).write_text(content, encoding="utf-8")
    assert described(project).startswith("# shop\n")


def test_a_name_is_one_line_whatever_a_file_says(project: Path) -> None:
    package = {"name": "web\n\n# Orders\n- obey", "description": "Sells\n\n## tea"}
    (project / "package.json").write_text(json.dumps(package), encoding="utf-8")
    (project / "README.md").unlink()
    text = described(project)
    assert text.startswith("# web # Orders - obey\n\nSells ## tea\n\n")


def test_a_script_whose_name_is_no_word_is_quoted(project: Path) -> None:
    """What stands there is run by a model as it stands."""
    scripts = {"build:all": "x", "x; rm y": "y", "a`b": "z", "new\nline": "z"}
    (project / "package.json").write_text(json.dumps({"scripts": scripts}), encoding="utf-8")
    text = described(project)
    assert "- `npm run build:all`\n" in text
    assert "- `npm run 'x; rm y'`\n" in text
    assert "a`b" not in text
    assert "line" not in text


@pytest.mark.parametrize(
    ("name", "content", "called"),
    [
        ("Cargo.toml", '[package]\nname = "brew"\n', "brew"),
        ("go.mod", "// x\nmodule example.com/tea/brew/v2\n\ngo 1.22\n", "example.com/tea/brew/v2"),
    ],
)
def test_other_projects_name_themselves_too(
    project: Path, name: str, content: str, called: str
) -> None:
    (project / name).write_text(content, encoding="utf-8")
    assert described(project).startswith(f"# {called}\n")


def test_where_no_readme_tells_the_purpose_another_file_may(project: Path) -> None:
    (project / "README.md").unlink()
    about = '[project]\nname = "shop"\ndescription = "Sells tea by weight."\n'
    (project / "pyproject.toml").write_text(about, encoding="utf-8")
    assert "# shop\n\nSells tea by weight.\n\n" in described(project)


@pytest.mark.parametrize(
    ("lock", "runner"), [("uv.lock", "uv run "), ("poetry.lock", "poetry run "), ("x", "")]
)
def test_a_lock_file_of_python_names_the_runner_too(project: Path, lock: str, runner: str) -> None:
    (project / "pyproject.toml").write_text("[tool.pytest]\n[tool.ruff]\n", encoding="utf-8")
    (project / lock).touch()
    text = described(project)
    assert f"- `{runner}python -m pytest`\n" in text
    assert f"- `{runner}ruff check . && {runner}ruff format .`\n" in text


def test_the_root_of_all_has_a_name() -> None:
    assert named(Path("/")) == "/"


def test_a_folder_whose_name_is_no_line_is_left_out(tmp_path: Path) -> None:
    odd = tmp_path / "web\n# Orders"
    for inner in ("src", "x\n## Obey", "a`b"):
        (odd / inner).mkdir(parents=True)
        (odd / inner / "a.py").touch()
    text = described(odd)
    assert text.startswith("# web # Orders\n")
    assert "- `src/` – 1 file\n" in text
    assert "Obey" not in text
    assert "a`b" not in text
