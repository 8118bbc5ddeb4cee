"""Start-up pays only for what is used: what a fresh process may load."""

import subprocess
import sys
from pathlib import Path

import pytest

IMPORT = "import ankrcode"
COMMAND = "from ankrcode.__main__ import main; sys.argv = ['ankrcode', *{arguments}]; main()"

OF_VERSION = {"ankrcode", "ankrcode.version"}
OF_MAIN = {
    "ankrcode.__main__",
    "ankrcode.errors",
    "ankrcode.frontends",
    "ankrcode.frontends.cli",
    "ankrcode.frontends.cli.main",
    "ankrcode.lean",
    "ankrcode.frontends.cli.parser",
    "ankrcode.words",
}
OF_SCHEMA = {
    "ankrcode.dialects",
    "ankrcode.dialects.claude",
    "ankrcode.frontends.cli.tools",
    "ankrcode.protocol",
    "ankrcode.protocol.call",
    "ankrcode.protocol.definition",
    "ankrcode.protocol.modifier",
    "ankrcode.protocol.permission",
    "ankrcode.protocol.result",
    "ankrcode.tooling",
    "ankrcode.tooling.describe",
    "ankrcode.tooling.dialect",
    "ankrcode.tooling.vendors",
    "ankrcode.tools",
    "ankrcode.workspace",
    "ankrcode.workspace.path_text",
    "ankrcode.workspace.roots",
}
SLOW = {
    *("asyncio", "difflib", "hashlib", "importlib.metadata", "json", "jsonschema_rs", "logging"),
    *("pydantic", "ssl", "subprocess", "tempfile", "threading", "unittest", "urllib.request"),
}


def modules_after(code: str) -> set[str]:
    """What is loaded after this code, beyond what Python itself and its site load."""
    lines = [
        "import sys",
        "before = set(sys.modules)",
        code,
        "sys.stderr.write('\\n'.join(set(sys.modules) - before))",
    ]
    done = subprocess.run(
        [sys.executable, "-P", "-c", "\n".join(lines)],
        capture_output=True,
        encoding="utf-8",
        timeout=30,
        check=True,
    )
    return set(done.stderr.split("\n"))


def own(modules: set[str]) -> set[str]:
    return {name for name in modules if name.partition(".")[0] == "ankrcode"}


def test_importing_the_package_loads_nothing_but_the_version() -> None:
    loaded = modules_after(IMPORT)
    assert own(loaded) == OF_VERSION
    assert not loaded & (SLOW | {"msgspec", "argparse", "typing_extensions"})


def test_the_version_is_printed_with_nothing_loaded() -> None:
    loaded = modules_after(COMMAND.format(arguments=["--version"]))
    assert own(loaded) == OF_VERSION | {"ankrcode.__main__"}
    assert not loaded & (SLOW | {"msgspec", "argparse"})


@pytest.mark.parametrize(
    "arguments",
    [["tools", "schema"], ["tools", "schema", "--format", "gemini"], ["tools", "list"]],
    ids=" ".join,
)
def test_definitions_are_printed_without_loading_a_tool(arguments: list[str]) -> None:
    loaded = modules_after(COMMAND.format(arguments=arguments))
    assert own(loaded) <= OF_VERSION | OF_MAIN | OF_SCHEMA
    assert not loaded & SLOW
    assert not [name for name in loaded if name.startswith("ankrcode.tools.")]


def test_the_help_needs_no_more_than_the_parser() -> None:
    line = COMMAND.format(arguments=["--help"])
    loaded = modules_after(f"import contextlib\nwith contextlib.suppress(SystemExit): {line}")
    assert own(loaded) <= OF_VERSION | OF_MAIN
    assert not loaded & (SLOW | {"msgspec"})


def test_a_toolkit_loads_only_the_tools_that_are_called() -> None:
    code = "from ankrcode import Toolkit; Toolkit(cwd='/').call_sync('List')"
    loaded = modules_after(code)
    assert "ankrcode.tools.list" in loaded
    assert "ankrcode.tools.read" not in loaded
    assert not loaded & {"pydantic", "jsonschema_rs", "logging.handlers", "importlib.metadata"}


# What a conversation needs only when something is changed, run, asked or found.
NOT_FOR_A_READ = {
    *("bz2", "ctypes", "difflib", "json", "lzma", "random", "secrets"),
    *("shutil", "sqlite3", "tempfile", "logging.handlers", "importlib.metadata"),
    *("pydantic", "jsonschema_rs", "rapidfuzz", "tree_sitter", "PIL"),
    *("ankrcode.agent", "ankrcode.providers", "ankrcode.rocketlang", "ankrcode.sandbox"),
    "ankrcode.permissions.shell",
    "ankrcode.permissions.programs",
    "ankrcode.sessions.index",
    "ankrcode.tooling.hooks.commands",
    "ankrcode.tooling.leader",
    "ankrcode.workspace.documents.images",
    "ankrcode.workspace.documents.notebooks",
    "ankrcode.workspace.documents.pdfs",
    "ankrcode.workspace.documents.rich_views",
    "ankrcode.workspace.editing",
    "ankrcode.workspace.journal.journal",
    "ankrcode.workspace.journal.tree",
    "ankrcode.workspace.patches",
    "ankrcode.workspace.processes.attendant",
    "ankrcode.workspace.processes.processes",
    "ankrcode.workspace.search",
}
MOST_OWN_MODULES = 135


def recorded(call: str) -> str:
    """A process that records its session and can undo, and makes one call."""
    return "\n".join(
        [
            "from ankrcode import Toolkit",
            "kit = Toolkit(cwd='.', records=True, mode='acceptEdits')",
            f"assert kit.call_sync({call}).ok",
            "kit.close()",
        ]
    )


def test_a_first_read_loads_nothing_that_only_changes_need(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text("one\n", encoding="utf-8")
    loaded = modules_after(recorded("'Read', file_path='a.txt'"))
    assert {"ankrcode.tools.read", "ankrcode.sessions.log"} <= loaded
    assert not loaded & NOT_FOR_A_READ
    assert len(own(loaded)) <= MOST_OWN_MODULES


def test_a_first_write_loads_its_journal_and_no_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    loaded = modules_after(recorded("'Write', file_path='a.txt', content='one'"))
    assert {"ankrcode.tools.write", "ankrcode.workspace.journal.journal"} <= loaded
    assert not loaded & {"ankrcode.workspace.processes.processes", "ankrcode.sandbox"}


def test_the_guard_itself_sees_what_is_loaded() -> None:
    assert {"asyncio", "ankrcode.app"} <= modules_after("from ankrcode import Toolkit")
