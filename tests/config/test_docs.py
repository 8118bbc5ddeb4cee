"""What docs/settings.md promises is true."""

import json
import re
from pathlib import Path

import msgspec
import pytest

from ankrcode.config.keys import Key, all_keys
from ankrcode.config.origin import Layer
from config.machine import Machine

PAGE = Path(__file__).parents[2] / "docs" / "settings.md"


@pytest.fixture(scope="module")
def page() -> str:
    return PAGE.read_text(encoding="utf-8")


def row(key: Key) -> str:
    default = msgspec.json.encode(key.default).decode()
    project = "yes" if key.is_for_projects else "trusted" if key.needs_trust else "no"
    return f"| `{key.name}` | {key.expected} | `{default}` | {project} | {key.description} |"


def test_the_table_of_keys_is_the_one_in_the_code(page: str) -> None:
    table = page.partition("<!-- keys")[2].partition("<!-- end of keys -->")[0]
    rows = [line for line in table.splitlines() if line.startswith("| `")]
    assert rows == [row(key) for key in all_keys().values()]


def test_the_layers_are_named_in_their_order(page: str) -> None:
    table = page.partition("| Layer |")[2].partition("\n\n")[0]
    assert re.findall(r"^\| ([a-z ]+) \|", table, re.MULTILINE) == [str(layer) for layer in Layer]


def test_the_example_file_can_be_loaded(page: str, machine: Machine) -> None:
    (example,) = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    machine.user(example)
    loaded = machine.load()
    assert loaded.settings.language == json.loads(example)["language"]
    assert loaded.value("limits.result_chars") == 20_000


def test_every_variable_of_the_page_names_a_setting(page: str) -> None:
    variables = set(re.findall(r"\bANKRCODE_[A-Z_]+\b", page)) - {"ANKRCODE_"}
    assert variables
    assert variables <= {key.variable for key in all_keys().values()}


def test_every_key_set_on_the_page_exists(page: str) -> None:
    set_by_command = re.findall(r"config set (?:--\w+ )?([a-z_.]+) ", page)
    set_by_option = re.findall(r"--set ([a-z_]+\.[a-z_]+)=", page)
    assert set_by_command
    assert set_by_option
    assert {*set_by_command, *set_by_option} <= set(all_keys())
