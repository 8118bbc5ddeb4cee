"""What the model is told: from a file beside the tool, with a few variables."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from uuid import uuid4

import pytest

from ankrcode.app import Toolkit
from ankrcode.tooling.definition import first_sentence
from ankrcode.tooling.describe import filled, variables_of
from ankrcode.tooling.registry import Registry
from ankrcode.workspace.roots import Workspace

SOURCE = """
from ankrcode.tooling.schema import NoInput
from ankrcode.tooling.tool import Tool

class Beside(Tool[NoInput]):
    name = "Beside"

class Outspoken(Tool[NoInput]):
    name = "Outspoken"
    description = "I speak for myself."
"""


class Author:
    """Writes a tool's module, and texts beside it, into a folder."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self._monkeypatch = monkeypatch

    def write(self, ending: str, text: str) -> None:
        (self.folder / f"mytool{ending}").write_text(text, encoding="utf-8")

    def module(self) -> ModuleType:
        self.write(".py", SOURCE)
        name = f"mytool_{uuid4().hex}"
        spec = importlib.util.spec_from_file_location(name, self.folder / "mytool.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        self._monkeypatch.setitem(sys.modules, name, module)
        spec.loader.exec_module(module)
        return module

    def told(self, tool: str = "Beside") -> str:
        return Registry([getattr(self.module(), tool)]).definition(tool).description


@pytest.fixture
def author(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Author:
    return Author(tmp_path, monkeypatch)


@pytest.mark.requirement("S3-030")
@pytest.mark.parametrize("ending", [".md", ".txt"])
def test_the_text_beside_the_tool_is_its_description(author: Author, ending: str) -> None:
    author.write(ending, "\nफ़ाइल पढ़ो.\n\n- carefully\n")
    assert author.told() == "फ़ाइल पढ़ो.\n\n- carefully"


def test_markdown_goes_before_plain_text(author: Author) -> None:
    author.write(".txt", "plain")
    author.write(".md", "marked")
    assert author.told() == "marked"


def test_a_tool_that_describes_itself_needs_no_file(author: Author) -> None:
    author.write(".md", "from the file")
    assert author.told("Outspoken") == "I speak for myself."


def test_without_any_text_the_description_is_empty(author: Author) -> None:
    assert author.told() == ""


@pytest.mark.requirement("S3-031", "S3-032")
def test_a_model_is_told_where_it_is(author: Author, tmp_path: Path) -> None:
    author.write(".md", "In ${workspace}, at ${directory} = ${cwd}.")
    kit = Toolkit(cwd=tmp_path, registry=Registry([author.module().Beside]))
    assert kit.definitions()[0]["description"] == f"In {tmp_path}, at {tmp_path} = {tmp_path}."


@pytest.mark.requirement("S3-031")
def test_the_workspace_is_the_one_named_by_the_environment(
    author: Author, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "inner").mkdir()
    monkeypatch.setenv("AGENT_WORKSPACE_ROOT", str(tmp_path))
    monkeypatch.chdir(tmp_path / "inner")
    author.write(".md", "${workspace}|${cwd}")
    kit = Toolkit(registry=Registry([author.module().Beside]))
    assert kit.definitions()[0]["description"] == f"{tmp_path}|{tmp_path / 'inner'}"


def test_workspace_and_directory_differ_where_they_should(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    variables = variables_of(Workspace([tmp_path], tmp_path / "sub"))
    assert filled("${workspace} ${directory}", variables) == f"{tmp_path} {tmp_path / 'sub'}"


@pytest.mark.parametrize(
    "text",
    ["${HOME}", "$workspace", "${ cwd }", "${cwd", "$${}", "{cwd}", "${Workspace}", "100 %s"],
)
def test_everything_else_stays_as_it_is(text: str) -> None:
    assert filled(text, {"workspace": "/w", "directory": "/d", "cwd": "/c"}) == text


def test_a_folder_named_like_a_variable_is_not_filled_again() -> None:
    assert filled("${workspace}/${cwd}", {"workspace": "/a/${cwd}", "cwd": "/b"}) == "/a/${cwd}//b"


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        ("Read a file. Then more.", "Read a file."),
        ("Read a file.\nMore.", "Read a file."),
        ("No full stop", "No full stop"),
        ("Version 1.5 is read. Yes.", "Version 1.5 is read."),
        ("", ""),
    ],
)
def test_the_first_sentence_is_the_summary(text: str, summary: str) -> None:
    assert first_sentence(text) == summary
