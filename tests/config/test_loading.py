"""Layers: who wins, whose mistakes are fatal, and where a value came from."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from ankrcode.config.keys import all_keys
from ankrcode.config.limits import MAX_SETTINGS_BYTES
from ankrcode.config.origin import Layer, Origin
from ankrcode.config.settings import Settings
from ankrcode.errors import SettingsError
from ankrcode.protocol.permission import Mode
from config.machine import Machine, nested
from people import ordinary_person

CHARS = "limits.result_chars"


def chars(count: int) -> dict[str, Any]:
    return nested(CHARS, count)


def test_without_any_file_everything_has_its_default(machine: Machine) -> None:
    loaded = machine.load()
    assert loaded.settings == Settings()
    assert loaded.warnings == ()
    assert loaded.origin(CHARS) == Origin(Layer.DEFAULT)


def test_each_layer_wins_over_the_weaker_ones(machine: Machine) -> None:
    files = {
        Layer.USER: machine.user_file,
        Layer.PROJECT: machine.project_file,
        Layer.LOCAL: machine.local_file,
    }
    for value, (layer, file) in enumerate(files.items(), 1001):
        machine.write(file, chars(value))
        loaded = machine.load()
        assert loaded.settings.limits.result_chars == value
        assert loaded.origin(CHARS) == Origin(layer, str(file))
    environ = {"ANKRCODE_LIMITS__RESULT_CHARS": "1004"}
    loaded = machine.load(environ=environ)
    assert loaded.value(CHARS) == 1004
    assert loaded.origin(CHARS) == Origin(Layer.ENVIRONMENT, "ANKRCODE_LIMITS__RESULT_CHARS")
    loaded = machine.load(f"{CHARS}=1005", environ=environ)
    assert loaded.value(CHARS) == 1005
    assert loaded.origin(CHARS) == Origin(Layer.COMMAND_LINE, "--set")
    machine.managed(chars(1006))
    loaded = machine.load(f"{CHARS}=1005", environ=environ)
    assert loaded.value(CHARS) == 1006
    assert loaded.origin(CHARS) == Origin(Layer.MANAGED, str(machine.managed_file))


def test_layers_are_merged_value_by_value_not_file_by_file(machine: Machine) -> None:
    machine.user({"limits": {"result_chars": 5000, "concurrent_calls": 4}, "language": "hi"})
    machine.project(chars(6000))
    limits = machine.load().settings.limits
    assert (limits.result_chars, limits.concurrent_calls) == (6000, 4)
    assert machine.load().settings.language == "hi"


def test_the_last_assignment_on_the_command_line_counts(machine: Machine) -> None:
    assert machine.load(f"{CHARS}=500", f"{CHARS}=600").value(CHARS) == 600


def test_a_value_asked_for_but_fixed_by_the_machine_is_told(machine: Machine) -> None:
    machine.managed({"permissions": {"mode": "plan"}})
    loaded = machine.load("permissions.mode=bypass")
    assert loaded.settings.permissions.mode is Mode.PLAN
    (warning,) = loaded.warnings
    assert warning.key == "setting_managed"
    assert str(machine.managed_file) in warning.message


def test_every_setting_is_listed_with_value_origin_and_description(machine: Machine) -> None:
    machine.user({"log": {"level": "info"}})
    listed = {key.name: (value, origin.layer) for key, value, origin in machine.load().entries()}
    assert list(listed) == list(all_keys())
    assert listed["log.level"] == ("info", Layer.USER)
    assert listed["log.files"] == (3, Layer.DEFAULT)


def test_asking_for_the_origin_of_no_setting_is_an_error(machine: Machine) -> None:
    with pytest.raises(SettingsError, match=r"no setting 'limits\.result'"):
        machine.load().origin("limits.result")


# --- what a workspace may not do


@pytest.mark.parametrize("layer", ["project", "local"])
@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("permissions.mode", "bypass"),
        ("permissions.mode", "plan"),
        ("log.level", "debug"),
        ("log.max_bytes", 1_000_000_000),
        ("log.files", 99),
        ("results.folder", "/etc"),
    ],
)
def test_a_workspace_cannot_widen_its_rights(
    machine: Machine, layer: str, key: str, value: Any
) -> None:
    file = getattr(machine, layer)({**nested(key, value), "language": "hi"})
    loaded = machine.load()
    assert loaded.value(key) == all_keys()[key].default
    assert loaded.settings.language == "hi"
    (warning,) = loaded.warnings
    assert warning.key == "setting_not_here"
    assert warning.message == f"{file}: '{key}' cannot be set by a project."


@pytest.mark.parametrize(
    ("content", "key"),
    [
        (b"\xff\xfe\x00", "settings_misplaced"),
        (b"{", "settings_misplaced"),
        (b"[1, 2]", "settings_unreadable"),
        (b"[" * 100_000, "settings_unreadable"),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "settings_unreadable"),
        (b" " * (MAX_SETTINGS_BYTES + 1), "file_too_large"),
        (b'{"limits": 5}', "setting_is_section"),
        (b'{"limits": {"result_chars": "x"}}', "setting_wrong"),
        (b'{"limits.result_chars": 500}', "setting_not_nested"),
        (b'{"nonsense": {"deep": {"deeper": 1}}}', "setting_unknown"),
    ],
)
def test_a_broken_workspace_file_is_a_warning_and_ignored(
    machine: Machine, content: bytes, key: str
) -> None:
    machine.user(chars(777))
    machine.project(content)
    machine.local({"language": "hi"})
    loaded = machine.load()
    assert [warning.key for warning in loaded.warnings] == [key]
    assert loaded.settings.limits.result_chars == 777
    assert loaded.settings.language == "hi"


def test_one_wrong_value_of_a_workspace_does_not_spoil_the_others(machine: Machine) -> None:
    machine.project({"limits": {"result_chars": 1, "concurrent_calls": 2}})
    loaded = machine.load()
    assert loaded.settings.limits.concurrent_calls == 2
    assert loaded.settings.limits.result_chars == Settings().limits.result_chars
    assert len(loaded.warnings) == 1


def test_many_wrong_keys_give_few_warnings_and_hide_no_value(machine: Machine) -> None:
    wrong = {f"limits_{number}": number for number in range(40_000)}
    flat = {f"limits.{number}": number for number in range(1_000)}
    machine.project({**wrong, **flat, "language": "hi"})
    loaded = machine.load()
    assert len(loaded.warnings) <= 20
    assert loaded.settings.language == "hi"


def test_a_pipe_in_place_of_a_workspace_file_does_not_block(machine: Machine) -> None:
    machine.project_file.parent.mkdir()
    os.mkfifo(machine.project_file)
    (warning,) = machine.load().warnings
    assert warning.key == "not_regular"


def test_a_link_to_an_endless_device_is_refused(machine: Machine) -> None:
    machine.project_file.parent.mkdir()
    machine.project_file.symlink_to("/dev/zero")
    (warning,) = machine.load().warnings
    assert warning.key == "not_regular"


def test_a_link_that_leads_to_itself_is_a_warning(machine: Machine) -> None:
    machine.project_file.parent.mkdir()
    machine.project_file.symlink_to(machine.project_file)
    (warning,) = machine.load().warnings
    assert str(machine.project_file) in warning.message


def test_a_file_named_like_the_settings_folder_means_no_settings(machine: Machine) -> None:
    (machine.root / ".ankrcode").write_text("not a folder", encoding="utf-8")
    assert machine.load().warnings == ()


# --- mistakes of the person and the machine


@pytest.mark.parametrize("layer", ["user", "managed"])
def test_a_mistake_in_a_trusted_file_stops_the_start(machine: Machine, layer: str) -> None:
    file = getattr(machine, layer)({"limits": {"result_char": 500}})
    with pytest.raises(SettingsError) as caught:
        machine.load()
    assert caught.value.message == f"{file}: there is no setting 'limits.result_char'."
    assert caught.value.suggestion == "Did you mean 'limits.result_chars'?"


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ('{\n  "language": en\n}', "line 2, column 15"),
        ('{"language": "en",}', "line 1, column 19"),
        ('{"language": "en"', "line 1, column 18"),
        ('{"language": "en"\n\n', "line 1, column 18"),
        ('{"language": "en"} x', "line 1, column 2"),
        ('{"भाषा": en}', "line 1, column 10"),
        ('{"language": "\\ud800abcdef"}', "line 1, column"),
        (b'{\n"language": "\xff"}', "line 2, column 14"),
        ("// comment\n{}", "line 1, column 1"),
        ("{'language': 'en'}", "line 1, column 2"),
        ("{\0}", "line 1, column 2"),
        ('{"language": NaN}', "line 1, column 14"),
    ],
)
def test_a_syntax_error_is_told_with_line_and_column(
    machine: Machine, content: str | bytes, place: str
) -> None:
    file = machine.user(content)
    with pytest.raises(SettingsError) as caught:
        machine.load()
    assert caught.value.message.startswith(f"{file}, {place}")


@pytest.mark.parametrize(
    ("content", "got"), [("[]", "a list"), ('"x"', '"x"'), ("5", "5"), ("null", "null")]
)
def test_a_file_must_hold_one_object(machine: Machine, content: str, got: str) -> None:
    machine.user(content)
    with pytest.raises(SettingsError, match=f"must hold one JSON object, not {got}"):
        machine.load()


@pytest.mark.parametrize("content", ["", " \n\t", "{}", b"\xef\xbb\xbf", b"\xef\xbb\xbf{}"])
def test_an_empty_file_says_nothing(machine: Machine, content: str | bytes) -> None:
    machine.user(content)
    assert machine.load().settings == Settings()


def test_a_byte_order_mark_is_tolerated(machine: Machine) -> None:
    machine.user(b"\xef\xbb\xbf" + json.dumps(chars(4321)).encode())
    assert machine.load().value(CHARS) == 4321


def test_a_schema_line_for_editors_is_tolerated(machine: Machine) -> None:
    machine.user({"$schema": "./schema.json", "language": "hi"})
    assert machine.load().settings.language == "hi"


def test_dotted_names_in_a_file_are_answered_with_how_to_write_them(machine: Machine) -> None:
    machine.user({"limits.result_chars": 500})
    with pytest.raises(SettingsError) as caught:
        machine.load()
    assert '{"group": {"name": value}}' in caught.value.suggestion


def test_a_file_that_may_not_be_read_is_an_error(machine: Machine) -> None:
    machine.user({}).chmod(0)
    denied = pytest.raises(SettingsError, match="Permission denied")
    with ordinary_person(owns=machine.user_file.parent), denied:
        machine.load()


def test_a_folder_in_place_of_the_file_is_an_error(machine: Machine) -> None:
    machine.user_file.mkdir(parents=True)
    with pytest.raises(SettingsError, match="is a directory"):
        machine.load()


def test_a_file_that_is_too_large_is_refused_unread(machine: Machine) -> None:
    machine.user(b" " * (MAX_SETTINGS_BYTES + 1))
    with pytest.raises(SettingsError) as caught:
        machine.load()
    assert caught.value.key == "file_too_large"


def test_a_file_of_exactly_the_limit_is_read(machine: Machine) -> None:
    machine.user(b"{}".ljust(MAX_SETTINGS_BYTES))
    assert machine.load().settings == Settings()


def test_the_users_file_may_be_a_link(machine: Machine, tmp_path: Path) -> None:
    target = machine.write(tmp_path / "dotfiles" / "settings.json", chars(888))
    machine.user_file.parent.mkdir(parents=True)
    machine.user_file.symlink_to(target)
    assert machine.load().value(CHARS) == 888


# --- the environment


@pytest.mark.parametrize(
    ("variable", "text", "key", "value"),
    [
        ("ANKRCODE_LIMITS__RESULT_CHARS", "5000", CHARS, 5000),
        ("ANKRCODE_LIMITS__CALL_TIMEOUT_S", "1.5", "limits.call_timeout_s", 1.5),
        ("ANKRCODE_LANGUAGE", "hi", "language", "hi"),
        ("ANKRCODE_PERMISSIONS__MODE", "acceptEdits", "permissions.mode", Mode.ACCEPT_EDITS),
        ("ANKRCODE_LOG__LEVEL", "debug", "log.level", "debug"),
        ("ANKRCODE_RESULTS__FOLDER", "~/results", "results.folder", "~/results"),
    ],
)
def test_a_variable_sets_its_key(
    machine: Machine, variable: str, text: str, key: str, value: Any
) -> None:
    loaded = machine.load(environ={variable: text})
    assert loaded.value(key) == value
    assert loaded.origin(key) == Origin(Layer.ENVIRONMENT, variable)


def test_an_empty_variable_is_as_good_as_none(machine: Machine) -> None:
    machine.user({"language": "hi"})
    assert machine.load(environ={"ANKRCODE_LANGUAGE": ""}).settings.language == "hi"


def test_a_wrong_value_in_a_variable_names_the_variable(machine: Machine) -> None:
    with pytest.raises(SettingsError, match=r"^ANKRCODE_LOG__FILES: 'log.files' must be"):
        machine.load(environ={"ANKRCODE_LOG__FILES": "many"})


def test_bytes_in_a_variable_that_are_no_text_are_refused(machine: Machine) -> None:
    with pytest.raises(SettingsError) as caught:
        machine.load(environ={"ANKRCODE_RESULTS__FOLDER": "/\udcff"})
    assert "\\udcff" in caught.value.message
    caught.value.message.encode()


def test_a_mistyped_variable_of_a_section_stops_the_start(machine: Machine) -> None:
    with pytest.raises(SettingsError) as caught:
        machine.load(environ={"ANKRCODE_PERMISSIONS__MOD": "plan"})
    assert caught.value.suggestion == "Did you mean 'permissions.mode'?"


@pytest.mark.parametrize(
    ("variable", "meant"),
    [
        ("ANKRCODE_LANGAUGE", "ANKRCODE_LANGUAGE"),
        ("ANKRCODE_LIMITS_RESULT_CHARS", "ANKRCODE_LIMITS__RESULT_CHARS"),
        ("ANKRCODE_PERMISSIONS_MODE", "ANKRCODE_PERMISSIONS__MODE"),
    ],
)
def test_a_variable_that_nearly_names_a_setting_is_a_warning(
    machine: Machine, variable: str, meant: str
) -> None:
    (warning,) = machine.load(environ={variable: "1"}).warnings
    assert str(warning) == f"{variable} is no setting and is ignored. Did you mean {meant}?"


@pytest.mark.parametrize("variable", ["ANKRCODE_SESSION_ID", "ANKRCODE", "ANKRCODE_", "OTHER__X"])
def test_variables_of_others_are_left_alone(machine: Machine, variable: str) -> None:
    assert machine.load(environ={variable: "1"}).warnings == ()


def test_a_variable_named_like_a_section_is_no_value(machine: Machine) -> None:
    with pytest.raises(SettingsError, match="group of settings"):
        machine.load(environ={"ANKRCODE_LIMITS": "5"})


def test_the_environment_cannot_move_the_managed_file(machine: Machine, tmp_path: Path) -> None:
    machine.managed({"permissions": {"mode": "plan"}})
    other = machine.write(tmp_path / "other.json", {"permissions": {"mode": "bypass"}})
    environ = {"ANKRCODE_MANAGED": str(other), "ANKRCODE_MANAGED_FILE": str(other)}
    assert machine.load(environ=environ).settings.permissions.mode is Mode.PLAN


# --- the command line


def test_a_value_on_the_command_line_may_hold_an_equals_sign(machine: Machine) -> None:
    assert machine.load("results.folder=/a=b").settings.results.folder == "/a=b"


@pytest.mark.parametrize(
    ("assignment", "message"),
    [
        ("language", "--set language: there is no '='."),
        ("langauge=hi", "--set: there is no setting 'langauge'."),
        ("limits=5", "--set: 'limits' is a group of settings, not a value."),
        ("=5", "--set: there is no setting ''."),
        ("log.files=x", "--set: 'log.files' must be a whole number from 1 to 99, not \"x\"."),
    ],
)
def test_a_wrong_assignment_is_told(machine: Machine, assignment: str, message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        machine.load(assignment)
    assert caught.value.message == message
