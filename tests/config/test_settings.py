"""The settings as typed data, their schema, and what importing them costs."""

import json
import subprocess
import sys
from typing import Any

import jsonschema_rs
import msgspec
import pytest

from ankrcode.config.keys import all_keys
from ankrcode.config.settings import Settings, settings_schema
from ankrcode.protocol.permission import Mode
from config.machine import nested


def test_the_defaults_are_careful() -> None:
    settings = Settings()
    assert settings.permissions.mode is Mode.DEFAULT
    assert settings.log.level == "off"
    assert settings.log.max_bytes == 1_000_000
    assert settings.log.files == 3
    assert settings.language == "en"
    assert settings.results.cut == "both"
    assert settings.results.folder == ""


def test_settings_cannot_be_changed_once_they_are_made() -> None:
    settings = Settings()
    with pytest.raises(AttributeError):
        settings.language = "hi"  # type: ignore[misc]


def test_the_schema_refers_to_nothing_outside_itself() -> None:
    assert "$ref" not in json.dumps(settings_schema())
    assert "$defs" not in settings_schema()


def test_the_schema_names_every_key_with_its_description() -> None:
    for name, key in all_keys().items():
        part: Any = settings_schema()
        for step in name.split("."):
            part = part["properties"][step]
        assert part["description"] == key.description
        assert part["default"] == msgspec.to_builtins(key.default)


def test_the_schema_accepts_the_defaults_and_an_editors_own_line() -> None:
    validator = jsonschema_rs.validator_for(settings_schema())
    document = {"$schema": "https://example.org/s.json", **msgspec.to_builtins(Settings())}
    validator.validate(document)
    validator.validate({})


@pytest.mark.parametrize(
    "document",
    [
        {"langauge": "en"},
        {"language": "en\n"},
        {"limits": {"result_chars": 5}},
        {"limits": {"unknown": 5}},
        {"limits": 5},
        {"permissions": {"mode": "root"}},
        {"results": {"folder": "relative"}},
        {"log": {"files": 0}},
    ],
)
def test_schema_and_loader_refuse_the_same_documents(document: dict[str, Any]) -> None:
    assert not jsonschema_rs.validator_for(settings_schema()).is_valid(document)
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(document, Settings)


@pytest.mark.parametrize("mode", list(Mode))
def test_every_mode_is_in_the_schema(mode: Mode) -> None:
    validator = jsonschema_rs.validator_for(settings_schema())
    assert validator.is_valid(nested("permissions.mode", str(mode)))


STARTUP = """
import sys
import msgspec  # its own imports are not ours to answer for
before = set(sys.modules)
import ankrcode.config.settings
import ankrcode.config.loaded
from pathlib import Path
ankrcode.config.loaded.load_settings(Path("/nowhere"), environ={"HOME": "/nowhere"})
print("\\n".join(set(sys.modules) - before))
"""


def test_reading_the_settings_loads_nothing_slow() -> None:
    done = subprocess.run(
        [sys.executable, "-c", STARTUP], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    slow = {"logging", "difflib", "asyncio", "socket", "tempfile", "argparse", "json"}
    assert not loaded & slow
    assert not {name for name in loaded if "secret" in name or name.endswith((".log", ".edit"))}
