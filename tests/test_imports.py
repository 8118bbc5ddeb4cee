"""Start-up pays only for what is used: what a fresh process may load."""

import subprocess
import sys

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
    loaded = modules_after(COMMAND.format(arguments=[]))
    assert own(loaded) <= OF_VERSION | OF_MAIN
    assert not loaded & (SLOW | {"msgspec"})


def test_a_toolkit_loads_only_the_tools_that_are_called() -> None:
    code = "from ankrcode import Toolkit; Toolkit(cwd='/').call_sync('List')"
    loaded = modules_after(code)
    assert "ankrcode.tools.list" in loaded
    assert "ankrcode.tools.read" not in loaded
    assert not loaded & {"pydantic", "jsonschema_rs", "logging.handlers", "importlib.metadata"}


def test_the_guard_itself_sees_what_is_loaded() -> None:
    assert {"asyncio", "ankrcode.app"} <= modules_after("from ankrcode import Toolkit")
