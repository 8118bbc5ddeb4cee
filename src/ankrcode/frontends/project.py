"""What the files of a project tell about it, in a few lines. No model, no program, no network."""

import os
import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from shlex import quote
from typing import Any

import msgspec

_LOOKED_AT = 20_000  # names
_MAX_READ_CHARS = 200_000
_MAX_SHOWN = 12
_MAX_LINE_CHARS = 500
_MOST_LANGUAGES = 5
_SKIPPED = frozenset(
    {
        *("node_modules", "bower_components", "venv", "__pycache__", "dist", "build", "target"),
        *("vendor", "coverage", "site-packages"),
    }
)
_LANGUAGES = {
    **dict.fromkeys((".py", ".pyi"), "Python"),
    **dict.fromkeys((".js", ".mjs", ".cjs", ".jsx"), "JavaScript"),
    **dict.fromkeys((".ts", ".tsx", ".mts"), "TypeScript"),
    **dict.fromkeys((".c", ".h"), "C"),
    **dict.fromkeys((".cc", ".cpp", ".cxx", ".hpp"), "C++"),
    **dict.fromkeys((".sh", ".bash"), "Shell"),
    **dict.fromkeys((".kt", ".kts"), "Kotlin"),
    **dict.fromkeys((".ex", ".exs"), "Elixir"),
    ".go": "Go",
    ".rs": "Rust",
    ".java": "Java",
    ".rb": "Ruby",
    ".php": "PHP",
    ".cs": "C#",
    ".swift": "Swift",
    ".scala": "Scala",
    ".sql": "SQL",
    ".rl": "RocketLang",
}
_PYTHON_TOOLS = {
    "pytest": "python -m pytest",
    "ruff": "ruff check . && ruff format .",
    "mypy": "mypy",
    "black": "black .",
    "tox": "tox",
    "nox": "nox",
}
_FIXED = {
    "Cargo.toml": ("cargo build", "cargo test", "cargo clippy"),
    "go.mod": ("go build ./...", "go test ./...", "go vet ./..."),
    "pom.xml": ("mvn package", "mvn test"),
    "build.gradle": ("gradle build", "gradle test"),
    "build.gradle.kts": ("gradle build", "gradle test"),
    "mix.exs": ("mix compile", "mix test"),
    "Gemfile": ("bundle install", "bundle exec rake"),
}
_OTHERS = ("AGENTS.md", "CLAUDE.md", ".ankrcode/context.md")
_ASKED = (
    "What is this project for, and what must never break?",
    "Which conventions are not visible in the code?",
)
_MODULE = re.compile(r"^module[ \t]+([^\s/][^\s]*)", re.MULTILINE)  # of Go
_TARGET = re.compile(r"^([A-Za-z][\w.-]*)\s*:(?!=)", re.MULTILINE)


def described(root: str | Path) -> str:
    """The same files always give the same text."""
    project = Path(root)
    parts = [
        f"# {named(project)}",
        _about(project),
        _section("Languages", _languages(project)),
        _section("Commands", [f"`{one}`" for one in _commands(project)]),
        _section("Layout", _layout(project)),
        _section("See also", [f"@{one}" for one in _OTHERS if (project / one).is_file()]),
        _section("To be completed", list(_ASKED)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _section(title: str, lines: list[str]) -> str:
    return f"## {title}\n\n" + "\n".join(f"- {line}" for line in lines) if lines else ""


def named(project: Path) -> str:
    """As the project calls itself, else as its folder is called."""
    module = _MODULE.findall(_text(project / "go.mod"))
    crate = _table(_toml(project / "Cargo.toml"), "package").get("name")
    for name in (*_said(project, "name"), crate, *module[:1]):
        if line := _one_line(name):
            return line
    return _one_line(project.resolve().name) or "/"


def _said(project: Path, what: str) -> tuple[Any, Any]:
    """What the files of packages say about themselves."""
    own = _table(_toml(project / "pyproject.toml"), "project")
    return _json(project / "package.json").get(what), own.get(what)


def _one_line(value: Any) -> str:
    """Nothing that a file says may look like a heading or a list of ours."""
    return " ".join(value.split())[:_MAX_LINE_CHARS] if isinstance(value, str) else ""


def _about(project: Path) -> str:
    """The first paragraph of the README that is one: no heading, badge, list or picture."""
    for name in ("README.md", "README.rst", "README.txt", "README"):
        for paragraph in re.split(r"\n\s*\n", _text(project / name)):
            line = " ".join(paragraph.split())
            if line and line[0] not in "#=-*<![`|>." and not line.startswith(("http", "..")):
                return line[:_MAX_LINE_CHARS]
    return next(filter(None, map(_one_line, _said(project, "description"))), "")


# ── languages and layout ──────────────────────────────────────────────────────────────────────
def _files(project: Path) -> Iterator[str]:
    for folder, names, files in os.walk(project):
        names[:] = sorted(one for one in names if one[0] != "." and one not in _SKIPPED)
        yield from (os.path.join(os.path.relpath(folder, project), one) for one in sorted(files))  # noqa: PTH118


def _languages(project: Path) -> list[str]:
    endings = (os.path.splitext(path)[1].lower() for path in islice(_files(project), _LOOKED_AT))  # noqa: PTH122
    counts = Counter(_LANGUAGES[one] for one in endings if one in _LANGUAGES)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [f"{name} ({_counted(count)})" for name, count in ordered[:_MOST_LANGUAGES]]


def _counted(count: int) -> str:
    return f"{count} file{'s' if count > 1 else ''}"


def _layout(project: Path) -> list[str]:
    counts: Counter[str] = Counter()
    for path in islice(_files(project), _LOOKED_AT):
        first, slash, _ = path.removeprefix("./").partition("/")
        if slash and _is_shown(first):
            counts[first] += 1
    shown = [f"`{name}/` – {_counted(counts[name])}" for name in sorted(counts)[:_MAX_SHOWN]]
    more = len(counts) - _MAX_SHOWN
    return [*shown, f"and {more} more folders"] if more > 0 else shown


# ── commands ──────────────────────────────────────────────────────────────────────────────────
def _commands(project: Path) -> list[str]:
    found = [*_of_make(project), *_of_npm(project), *_of_python(project)]
    for sign, commands in _FIXED.items():
        if (project / sign).is_file():
            found += commands
    return list(dict.fromkeys(found))[:_MAX_SHOWN]


def _of_make(project: Path) -> list[str]:
    makefile = next((one for one in ("GNUmakefile", "Makefile") if (project / one).is_file()), "")
    targets = _TARGET.findall(_text(project / makefile)) if makefile else []
    return [f"make {one}" for one in dict.fromkeys(targets) if not one.startswith(".")]


def _of_npm(project: Path) -> list[str]:
    scripts = _json(project / "package.json").get("scripts")
    runner = "npm run"
    for lock, program in (("pnpm-lock.yaml", "pnpm"), ("yarn.lock", "yarn"), ("bun.lock", "bun")):
        if (project / lock).is_file():
            runner = f"{program} run"
    names = filter(_is_shown, scripts) if isinstance(scripts, dict) else ()
    return [f"{runner} {quote(name)}" for name in names]


def _is_shown(name: str) -> bool:
    """What stands between backticks on one line."""
    return name.isprintable() and "`" not in name


def _of_python(project: Path) -> list[str]:
    tools = _toml(project / "pyproject.toml").get("tool", {})
    names = {name for name in _PYTHON_TOOLS if isinstance(tools, dict) and name in tools}
    for sign, name in (("pytest.ini", "pytest"), ("tox.ini", "tox"), ("noxfile.py", "nox")):
        if (project / sign).is_file():
            names.add(name)
    if (project / "tests").is_dir() and _text(project / "pyproject.toml"):
        names.add("pytest")
    locks = (("uv.lock", "uv run "), ("poetry.lock", "poetry run "))
    runner = next((program for lock, program in locks if (project / lock).is_file()), "")
    found = [_PYTHON_TOOLS[name] for name in _PYTHON_TOOLS if name in names]
    return [" && ".join(f"{runner}{part}" for part in one.split(" && ")) for one in found]


# ── reading ───────────────────────────────────────────────────────────────────────────────────
def _text(path: Path) -> str:
    try:
        if not path.is_file():
            return ""
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(_MAX_READ_CHARS)
    except OSError:
        return ""


def _json(path: Path) -> dict[str, Any]:
    try:
        found = msgspec.json.decode(_text(path))
    except (msgspec.DecodeError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _table(found: dict[str, Any], name: str) -> dict[str, Any]:
    inner = found.get(name)
    return inner if isinstance(inner, dict) else {}


def _toml(path: Path) -> dict[str, Any]:
    import tomllib  # slow to load

    try:
        return tomllib.loads(_text(path))
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}
