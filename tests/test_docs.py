"""The documents are true: every snippet runs, every shown output is what really comes.

`ANKRCODE_UPDATE_SNAPSHOTS=1` rewrites the help texts in docs/command-line.md.
"""

import io
import os
import re
import shlex
import subprocess
import sys
import types
from contextlib import redirect_stdout
from pathlib import Path
from typing import NamedTuple

import pytest

import ankrcode
from ankrcode import Mode, Permission, ToolContext, ToolResult
from ankrcode.frontends.cli.main import COMMANDS
from ankrcode.tooling.dialect import CONVERTERS
from ankrcode.tooling.vendors import FORMS
from frontends.command import ankrcode as ankrcode_command
from frontends.warm import warm
from shown import fits

DOCS = Path(__file__).parent.parent / "docs"
PAGES = ["../README.md", *sorted(path.name for path in DOCS.glob("*.md"))]
UPDATE = bool(os.environ.get("ANKRCODE_UPDATE_SNAPSHOTS"))  # before a fixture removes it
BIN = Path(sys.executable).parent


class Block(NamedTuple):
    language: str
    text: str
    line: int


def blocks_of(page: str) -> list[Block]:
    text = (DOCS / page).read_text(encoding="utf-8")
    found = re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [Block(one[1], one[2], text.count("\n", 0, one.start(2)) + 1) for one in found]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The small project that the documents speak of."""
    (tmp_path / "notes").mkdir()
    (tmp_path / "hello.py").write_text('def hello():\n    return "नमस्ते"\n', encoding="utf-8")
    (tmp_path / "notes" / "todo.md").write_text("- rest\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{BIN}:{os.environ['PATH']}")
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


# ── snippets ──────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("page", PAGES)
@pytest.mark.requirement("S1-069", "S1-070", "S3-046", "S3-059")
def test_the_python_of_a_page_runs_and_prints_what_is_shown(
    page: str, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = types.ModuleType("documented")  # one for the page: later snippets build on earlier
    monkeypatch.setitem(sys.modules, "documented", module)
    blocks = blocks_of(page)
    for block, following in zip(blocks, [*blocks[1:], Block("", "…", 0)], strict=False):
        if block.language != "python":
            continue
        printed = io.StringIO()
        code = compile("\n" * (block.line - 1) + block.text, str(DOCS / page), "exec")
        with redirect_stdout(printed):
            exec(code, vars(module))
        shown = following.text if following.language == "text" else "…"
        assert fits(shown, printed.getvalue()), f"{page}:{block.line}\n{printed.getvalue()}"


def commands_of(page: str) -> list[tuple[str, str]]:
    """Each command that a page shows, with the output it shows."""
    found: list[tuple[str, str]] = []
    for block in blocks_of(page):
        if block.language == "console":
            assert block.text.startswith("$ "), f"{page}:{block.line}"
            for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
                command, _, output = part.partition("\n")
                found.append((command, output))
    return found


def printed_by(command: str, project: Path) -> str:
    """What a terminal would show; only what needs a shell gets one."""
    name, *words = shlex.split(command)
    if name == "ankrcode" and not set(command) & set("|&;<>$`*?~#(){}[]!\\"):
        done = warm().run(words, project, os.environ, b"", 30, in_one=True)
    else:
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=project,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=30,
            check=False,
        )
    return done.stdout.decode()


@pytest.mark.parametrize("page", PAGES)
def test_the_commands_of_a_page_print_what_is_shown(page: str, project: Path) -> None:
    for command, shown in commands_of(page):
        if command.startswith("make run ARGS="):  # the same, set-up left out
            command = "ankrcode " + command.removeprefix("make run ARGS=").strip("'")  # noqa: PLW2901
            shown = shown or "…"  # noqa: PLW2901
        elif command == "make test":
            continue
        assert "ankrcode " in command
        real = printed_by(command, project)
        assert fits(shown, real), f"{page}: $ {command}\n{real}"


def test_there_is_something_to_run_on_the_pages_for_users() -> None:
    assert len([block for page in PAGES for block in blocks_of(page)]) > 40
    assert len([one for page in PAGES for one in commands_of(page)]) > 15
    for page in ("quickstart.md", "python-api.md", "writing-tools.md", "dialects.md"):
        assert any(block.language == "python" for block in blocks_of(page)), page


def headings_of(page: Path) -> set[str]:
    """As they are named in addresses."""
    found = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", one.lower()).strip().replace(" ", "-") for one in found}


def test_every_link_between_pages_leads_somewhere() -> None:
    languages = [f"languages/{path.name}" for path in (DOCS / "languages").glob("*.md")]
    for page in (*PAGES, *languages, "../CHANGELOG.md", "../CONTRIBUTING.md"):
        text = (DOCS / page).read_text(encoding="utf-8")
        for target, heading in re.findall(r"\]\(([^)#:]*)(?:#([^)]*))?\)", text):
            place = (DOCS / page).parent / target if target else DOCS / page
            assert place.exists(), f"{page}: {target}"
            assert not heading or heading in headings_of(place), f"{page}: {target}#{heading}"


def test_the_readme_leads_to_every_page() -> None:
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    pages = [path.relative_to(DOCS.parent).as_posix() for path in DOCS.rglob("*.md")]
    assert not [page for page in pages if f"({page})" not in readme]


def test_the_guide_for_the_code_names_files_that_are_there() -> None:
    root = DOCS.parent
    guide = (root / "AGENTS.md").read_text(encoding="utf-8")
    there = {path.name for path in (root / "src").rglob("*") if path.is_file()}
    there |= {path.name for path in (root / "tests").glob("*.py")}
    named = set(re.findall(r"(?<![\w*])\w+\.(?:py|pyi|json|txt)\b", guide))
    assert len(named) > 100
    assert named - there == {"X.py"}


# ── generated help ────────────────────────────────────────────────────────────────────────────
HELP = re.compile(r"<!-- help: ankrcode([a-z -]*?) -->\n.*?<!-- end -->", re.DOTALL)


def test_the_help_texts_are_those_of_the_program(project: Path) -> None:
    page = DOCS / "command-line.md"
    text = page.read_text(encoding="utf-8")

    def fresh(found: re.Match[str]) -> str:
        done = ankrcode_command(*found[1].split(), "--help", cwd=project)
        assert done.returncode == 0
        return f"<!-- help: ankrcode{found[1]} -->\n```text\n{done.stdout}```\n<!-- end -->"

    renewed = HELP.sub(fresh, text)
    if UPDATE:
        page.write_text(renewed, encoding="utf-8")
    assert text == renewed or UPDATE, "run it again with ANKRCODE_UPDATE_SNAPSHOTS=1"
    documented = {found[1].strip().partition(" ")[0] for found in HELP.finditer(text)}
    assert documented == {"", "-p", *COMMANDS}


# ── nothing is left out ───────────────────────────────────────────────────────────────────────
def words_of(page: str) -> set[str]:
    return set(re.findall(r"[\w-]+", (DOCS / page).read_text(encoding="utf-8")))


@pytest.mark.requirement("S3-059", "S3-047")
def test_the_api_page_names_everything_public_and_every_mode() -> None:
    words = words_of("python-api.md")
    assert not [name for name in vars(ankrcode)["__all__"] if name not in words]
    assert not [mode for mode in Mode if mode.value not in words]
    assert not [one for one in Permission if one.name not in words]
    assert not [field for field in ToolResult.__struct_fields__ if field not in words]
    assert not [form for form in FORMS if form not in words]


@pytest.mark.requirement("S3-046", "S3-059")
def test_the_guide_for_authors_names_all_that_a_tool_is_given() -> None:
    words = words_of("writing-tools.md")
    given = [name for name in (*dir(ToolContext), "call_id") if not name.startswith("_")]
    assert not [name for name in given if name not in words]


def test_the_dialects_page_names_every_converter() -> None:
    assert not [name for name in CONVERTERS if name not in words_of("dialects.md")]


def test_no_page_shows_a_path_of_this_machine() -> None:
    for page in PAGES:
        text = (DOCS / page).read_text(encoding="utf-8")
        assert not re.search(r"/(home|root|Users|work|tmp)/", text), page
