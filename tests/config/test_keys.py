"""Names of settings, and what fits them."""

from typing import Any

import msgspec
import pytest

from ankrcode.config.keys import all_keys, find_key, near_key, sections
from ankrcode.config.settings import Settings
from ankrcode.errors import SettingsError
from ankrcode.protocol.permission import Mode


def test_every_leaf_of_the_settings_is_a_key() -> None:
    assert set(all_keys()) == {
        "language",
        "permissions.mode",
        "permissions.allow",
        "permissions.ask",
        "permissions.deny",
        "permissions.denial_ends_turn",
        "limits.call_timeout_s",
        "limits.concurrent_calls",
        "limits.result_chars",
        "plugins",
        "results.cut",
        "edit.match",
        "results.folder",
        "shell.profile",
        "shell.env_pass",
        "shell.saved_bytes",
        "shell.saved_folder_bytes",
        "sandbox.wall",
        "sandbox.required",
        "sandbox.always",
        "sandbox.network",
        "sandbox.caches",
        "sandbox.memory_mb",
        "sandbox.code_memory_mb",
        "sandbox.cpu_s",
        "sandbox.processes",
        "sandbox.file_mb",
        "undo.enabled",
        "undo.file_bytes",
        "undo.total_bytes",
        "undo.total_calls",
        "undo.wait_ms",
        "sessions.max_age_days",
        "sessions.max_bytes",
        "read.max_tokens",
        "glob.limit",
        "rocketlang.mode",
        "log.level",
        "log.max_bytes",
        "log.files",
        "hooks",
        "hooks_enabled",
        "model",
        "models.fallback",
        "models.prefer_free",
        "models.offline",
        "models.small",
        "models.medium",
        "models.large",
        "models.retries",
        "models.max_wait_s",
        "models.max_total_wait_s",
        "models.connect_timeout_s",
        "models.first_byte_timeout_s",
        "models.idle_timeout_s",
        "models.ca_file",
        "models.keyring",
        "providers",
        "budget.usd",
        "budget.tokens",
        "budget.turns",
        "budget.seconds",
        "subagents.depth",
        "subagents.running",
        "subagents.total",
        "questions.answers_file",
    }
    named = {name.partition(".")[0] for name in all_keys() if "." in name}
    assert sections() == named


def test_every_key_says_what_it_means_and_what_fits() -> None:
    for key in all_keys().values():
        assert key.description
        assert key.expected
        assert key.fit(key.default, "test") == key.default


def test_the_defaults_of_the_keys_are_those_of_the_settings() -> None:
    settings = msgspec.to_builtins(Settings())
    for name, key in all_keys().items():
        value = settings
        for part in name.split("."):
            value = value[part]
        assert msgspec.to_builtins(key.default) == value


def test_a_project_may_set_only_what_gives_it_no_rights() -> None:
    allowed = {name for name, key in all_keys().items() if key.is_for_projects}
    assert allowed == {
        "language",
        "permissions.ask",
        "permissions.deny",
        "limits.call_timeout_s",
        "limits.concurrent_calls",
        "limits.result_chars",
        "results.cut",
        "read.max_tokens",
        "edit.match",
        "glob.limit",
    }


def test_a_key_knows_its_variable() -> None:
    assert all_keys()["limits.result_chars"].variable == "ANKRCODE_LIMITS__RESULT_CHARS"
    assert all_keys()["language"].variable == "ANKRCODE_LANGUAGE"


@pytest.mark.parametrize(
    ("name", "value", "expected", "got"),
    [
        ("limits.result_chars", "many", "a whole number from 200 to 1,000,000", '"many"'),
        ("limits.result_chars", 5, "a whole number from 200 to 1,000,000", "5"),
        ("limits.result_chars", 300.5, "a whole number from 200 to 1,000,000", "300.5"),
        ("limits.result_chars", True, "a whole number from 200 to 1,000,000", "true"),
        ("limits.result_chars", None, "a whole number from 200 to 1,000,000", "null"),
        ("limits.result_chars", 10**40, "a whole number from 200", "1" + "0" * 40),
        ("limits.call_timeout_s", 0, "a number above 0, at most 86,400", "0"),
        ("limits.call_timeout_s", [1], "a number above 0, at most 86,400", "a list"),
        ("results.cut", "middle", "one of both, end, start", '"middle"'),
        ("results.cut", {"a": 1}, "one of both, end, start", "an object"),
        ("permissions.mode", "root", "one of acceptEdits, auto, bypass, default", '"root"'),
        ("language", "english!", "text such as en, hi", '"english!"'),
        ("language", "en\n", "text such as en, hi", '"en\\n"'),
        ("results.folder", "relative", "text such as /data/results", '"relative"'),
        ("results.folder", "/a\0b", "text such as /data/results", '"/a\\x00b"'),
        ("results.folder", "/\udcff", "text such as /data/results", '"/\\udcff"'),
    ],
)
def test_a_wrong_value_is_told_with_what_was_expected_and_what_came(
    name: str, value: Any, expected: str, got: str
) -> None:
    with pytest.raises(SettingsError) as caught:
        all_keys()[name].fit(value, "settings.json")
    assert caught.value.key == "setting_wrong"
    message = caught.value.message
    assert message.startswith(f"settings.json: '{name}' must be {expected}")
    assert message.endswith(f", not {got}.")


def test_a_long_wrong_value_is_shown_in_part() -> None:
    with pytest.raises(SettingsError) as caught:
        all_keys()["language"].fit("x" * 100_000, "here")
    assert len(caught.value.message) < 300


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("limits.result_chars", "5000", 5000),
        ("limits.call_timeout_s", "2.5", 2.5),
        ("limits.call_timeout_s", "3", 3.0),
        ("language", "hi", "hi"),
        ("language", '"hi"', "hi"),
        ("permissions.mode", "plan", Mode.PLAN),
        ("permissions.mode", '"plan"', Mode.PLAN),
        ("results.folder", "/data/12", "/data/12"),
        ("results.folder", "", ""),
        ("results.folder", '""', ""),
        ("log.level", "debug", "debug"),
    ],
)
def test_text_is_read_as_json_where_that_fits_else_as_it_stands(
    name: str, text: str, value: Any
) -> None:
    assert all_keys()[name].parse(text, "--set") == value


@pytest.mark.parametrize("text", ["many", "", "[" * 100_000, "1e999", "\udcff", "NaN"])
def test_text_that_fits_in_no_way_is_wrong(text: str) -> None:
    with pytest.raises(SettingsError, match="must be a whole number"):
        all_keys()["limits.result_chars"].parse(text, "--set")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("limits.result_char", "limits.result_chars"),
        ("limit.result_chars", "limits.result_chars"),
        ("limits.resultchars", "limits.result_chars"),
        ("Limits.Result_Chars", "limits.result_chars"),
        ("result_chars", "limits.result_chars"),
        ("langauge", "language"),
        ("mode", "permissions.mode"),
        ("permission.mode", "permissions.mode"),
        ("log.levle", "log.level"),
    ],
)
def test_a_mistyped_key_is_answered_with_the_one_that_was_meant(typed: str, meant: str) -> None:
    with pytest.raises(SettingsError) as caught:
        find_key(typed, "settings.json")
    assert caught.value.suggestion == f"Did you mean '{meant}'?"


def test_a_key_like_no_other_is_answered_with_where_to_look() -> None:
    with pytest.raises(SettingsError) as caught:
        find_key("colour.of.the.sky", "settings.json")
    assert caught.value.key == "setting_unknown"
    assert "ankrcode config list" in caught.value.suggestion


def test_a_section_is_not_a_value() -> None:
    with pytest.raises(SettingsError, match="'limits' is a group of settings"):
        find_key("limits", "settings.json")


def test_an_endless_key_is_cut_before_it_is_shown_or_compared() -> None:
    with pytest.raises(SettingsError) as caught:
        find_key("a" * 1_000_000, "settings.json")
    assert len(str(caught.value)) < 300
    assert near_key("b" * 1_000_000) == ""


def test_control_characters_of_a_key_are_shown_not_sent() -> None:
    with pytest.raises(SettingsError) as caught:
        find_key("\x1b[2Jx", "settings.json")
    assert "\x1b" not in str(caught.value)
    assert "\\x1b" in str(caught.value)
