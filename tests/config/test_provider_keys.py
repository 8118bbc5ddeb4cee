"""One setting of one provider by its dotted name, as our messages call it."""

import json
from typing import Any

import msgspec
import pytest

from ankrcode.config.edit import set_value, unset_value
from ankrcode.config.keys import find_key
from ankrcode.config.models import ProviderSettings
from ankrcode.config.origin import Layer
from ankrcode.config.provider_keys import provider_key
from ankrcode.errors import SettingsError
from config.machine import Machine

URL = "providers.groq.base_url"


@pytest.mark.parametrize("field", ProviderSettings.__struct_fields__)
def test_every_field_of_a_provider_has_a_name(field: str) -> None:
    key = find_key(f"providers.groq.{field}", "here")
    assert key.default == getattr(ProviderSettings(), field)
    assert key.description == f"{field} of the provider groq"
    assert key.expected
    assert not key.is_for_projects
    assert not key.needs_trust


@pytest.mark.parametrize(
    "name",
    ["providers.groq", "providers.groq.nothing", "providers..base_url", "providers.a.b.base_url"],
)
def test_other_names_are_none(name: str) -> None:
    assert provider_key(name) is None
    with pytest.raises(SettingsError, match="there is no setting"):
        find_key(name, "here")


def test_it_is_written_and_taken_out_alone(machine: Machine) -> None:
    machine.user({"providers": {"groq": {"key_env": "K"}, "work": {"model": "m"}}})
    set_value(machine.user_file, URL, "http://127.0.0.1:1")
    set_value(machine.user_file, "providers.groq.key_command", '["pass", "show"]')
    loaded = machine.load()
    assert loaded.settings.providers == {
        "groq": ProviderSettings(
            key_env="K", base_url="http://127.0.0.1:1", key_command=["pass", "show"]
        ),
        "work": ProviderSettings(model="m"),
    }
    assert loaded.value(URL) == "http://127.0.0.1:1"
    assert loaded.origin(URL).layer is Layer.USER
    assert unset_value(machine.user_file, URL)
    written = json.loads(machine.user_file.read_text(encoding="utf-8"))
    assert written["providers"]["groq"] == {"key_env": "K", "key_command": ["pass", "show"]}


def test_a_provider_that_nobody_named_has_its_defaults(machine: Machine) -> None:
    loaded = machine.load()
    assert loaded.value("providers.new.text_tools") is False
    assert loaded.origin("providers.new.text_tools").layer is Layer.DEFAULT


def test_variables_and_options_change_one_field_and_leave_the_others(machine: Machine) -> None:
    machine.user({"providers": {"groq": {"key_env": "K", "base_url": "http://a"}}})
    environ = {"ANKRCODE_PROVIDERS__GROQ__BASE_URL": "http://b"}
    assert machine.load(environ=environ).settings.providers["groq"] == ProviderSettings(
        key_env="K", base_url="http://b"
    )
    loaded = machine.load(f"{URL}=http://c", "providers.new.model=m", environ=environ)
    assert loaded.settings.providers == {
        "groq": ProviderSettings(key_env="K", base_url="http://c"),
        "new": ProviderSettings(model="m"),
    }
    assert loaded.origin(URL).layer is Layer.COMMAND_LINE


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ([f"{URL}=http://a", "providers={}"], {}),
        (["providers={}", f"{URL}=http://a"], {"groq": {"base_url": "http://a"}}),
    ],
)
def test_a_whole_table_counts_before_weaker_parts_of_it(
    said: list[str], expected: dict[str, Any], machine: Machine
) -> None:
    machine.user({"providers": {"groq": {"base_url": "http://own"}}})
    assert msgspec.to_builtins(machine.load(*said).settings.providers) == expected


def test_what_is_managed_is_not_changed_by_a_part(machine: Machine) -> None:
    machine.managed({"providers": {"groq": {"base_url": "http://managed"}}})
    machine.user({"providers": {"groq": {"base_url": "http://own"}}})
    environ = {"ANKRCODE_PROVIDERS__GROQ__BASE_URL": "http://environment"}
    loaded = machine.load(f"{URL}=http://option", environ=environ)
    assert loaded.settings.providers["groq"].base_url == "http://managed"
    assert loaded.origin(URL).layer is Layer.MANAGED


@pytest.mark.parametrize("is_dotted", [False, True])
def test_a_project_sets_none_of_it(is_dotted: bool, machine: Machine) -> None:
    own = {URL: "http://evil"} if is_dotted else {"providers": {"groq": {"base_url": "http://e"}}}
    machine.project(own)
    loaded = machine.load()
    assert loaded.settings.providers == {}
    assert loaded.warnings
    with pytest.raises(SettingsError, match="cannot be set by a project"):
        set_value(machine.project_file, URL, "http://evil", root=machine.root)


def test_what_does_not_fit_is_named(machine: Machine) -> None:
    with pytest.raises(SettingsError, match=r"'providers' does not fit: .*key_comand"):
        machine.load('providers={"groq": {"key_comand": ["x"]}}')
    with pytest.raises(SettingsError, match="context_tokens' must be a whole number"):
        machine.load("providers.groq.context_tokens=many")


def test_values_are_written_without_what_was_not_said(machine: Machine) -> None:
    set_value(machine.user_file, "providers", '{"groq": {"model": "m"}}')
    written = json.loads(machine.user_file.read_text(encoding="utf-8"))
    assert written == {"providers": {"groq": {"model": "m"}}}
