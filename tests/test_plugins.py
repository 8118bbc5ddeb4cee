"""Tools from other packages: known by name, loaded only when asked for."""

import sys
from pathlib import Path

import pytest

from ankrcode.app import Toolkit
from ankrcode.errors import UsageError
from ankrcode.plugins import load_plugins, plugin_names

GOOD = """
from ankrcode import tool

@tool
def greet(name: str) -> str:
    "Greet someone."
    return f"नमस्ते {name}"

@tool
def part(name: str) -> str:
    "Say goodbye."
    return f"Bye {name}"

both = [greet, part]
"""
POINTS = """
[ankrcode.tools]
greeting = good_plugin:greet
manners = good_plugin:both
broken = broken_plugin:tool
quitting = quitting_plugin:tool
missing = good_plugin:nowhere
junk = good_plugin:__name__

[console_scripts]
unrelated = good_plugin:main
"""


@pytest.fixture(autouse=True)
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package as pip would leave it: modules, and a dist-info folder with entry points."""
    site = tmp_path / "site-packages"
    info = site / "good_plugin-1.0.dist-info"
    info.mkdir(parents=True)
    files = {
        info / "METADATA": "Metadata-Version: 2.1\nName: good-plugin\nVersion: 1.0\n",
        info / "entry_points.txt": POINTS,
        site / "good_plugin.py": GOOD,
        site / "broken_plugin.py": "raise RuntimeError('no licence found')",
        site / "quitting_plugin.py": "raise SystemExit(3)",
    }
    for file, text in files.items():
        file.write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(site))
    for module in ("good_plugin", "broken_plugin", "quitting_plugin"):
        monkeypatch.delitem(sys.modules, module, raising=False)


def test_installed_plugins_are_known_without_being_loaded() -> None:
    assert {"greeting", "manners", "broken"} <= set(plugin_names())
    assert "unrelated" not in plugin_names()
    assert "good_plugin" not in sys.modules


async def test_a_plugin_that_is_named_brings_its_tool(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path, mode="bypass", plugins=["greeting"])
    assert (await kit.call("greet", name="Asha")).text == "नमस्ते Asha"
    assert "part" not in kit.registry


def test_a_plugin_may_bring_several_tools(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path, plugins=["manners"])
    assert kit.registry.names[-2:] == ["greet", "part"]


def test_a_plugin_that_is_not_named_is_never_loaded(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path)
    assert "greet" not in kit.registry
    assert load_plugins([]) == []
    assert {"good_plugin", "broken_plugin"}.isdisjoint(sys.modules)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("broken", r"plugin broken could not be loaded: RuntimeError\('no licence found'\)"),
        ("quitting", r"plugin quitting could not be loaded: SystemExit\(3\)"),
        ("missing", "plugin missing could not be loaded: AttributeError"),
        ("greting", r"no plugin 'greting'. Installed: .*greeting"),
    ],
)
def test_a_plugin_that_cannot_be_loaded_is_named_with_the_reason(name: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        load_plugins([name])


def test_a_plugin_that_brings_no_tool_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'good_plugin' is not a tool"):
        Toolkit(cwd=tmp_path, plugins=["junk"])


def test_two_plugins_with_a_tool_of_one_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="tool named greet already"):
        Toolkit(cwd=tmp_path, plugins=["greeting", "manners"])
