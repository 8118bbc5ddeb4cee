"""`ankrcode config`, as a person or a script uses it."""

import argparse
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ankrcode.config.edit import set_value
from ankrcode.config.keys import all_keys
from ankrcode.config.settings import settings_schema
from ankrcode.errors import SettingsError
from ankrcode.frontends.cli import config
from config.machine import Machine

Run = Callable[..., tuple[str, str]]


@pytest.fixture
def run(machine: Machine, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command; what it wrote to stdout and to stderr."""

    def run(*arguments: str, **environ: str) -> tuple[str, str]:
        parser = argparse.ArgumentParser()
        parser.add_argument("--set", action="append")
        config.add_arguments(parser)
        options = parser.parse_args(arguments)
        options.cwd, options.debug = str(machine.root), False
        code = config.run(
            options, environ={**machine.environ, **environ}, managed=machine.managed_file
        )
        assert code == 0
        written = capsys.readouterr()
        return written.out, written.err

    return run


# --- get


def test_get_prints_the_bare_value(machine: Machine, run: Run) -> None:
    machine.user({"limits": {"result_chars": 5000}})
    assert run("get", "limits.result_chars") == ("5000\n", "")
    assert run("get", "language") == ("en\n", "")
    assert run("get", "permissions.mode") == ("default\n", "")
    assert run("get", "results.folder") == ("\n", "")


def test_get_with_json_tells_the_origin_too(machine: Machine, run: Run) -> None:
    machine.user({"language": "hi"})
    out, _ = run("get", "language", "--json")
    assert json.loads(out) == {
        "key": "language",
        "value": "hi",
        "origin": {"layer": "user", "place": str(machine.user_file)},
        "description": "The language of messages for people",
    }


def test_get_sees_environment_and_command_line(run: Run) -> None:
    assert run("get", "language", ANKRCODE_LANGUAGE="hi") == ("hi\n", "")
    assert run("--set", "language=mr", "get", "language", ANKRCODE_LANGUAGE="hi") == ("mr\n", "")


def test_get_of_an_unknown_key_suggests_the_right_one(run: Run) -> None:
    with pytest.raises(SettingsError) as caught:
        run("get", "limits.result_char")
    assert str(caught.value) == (
        "ankrcode config: there is no setting 'limits.result_char'. "
        "Did you mean 'limits.result_chars'?"
    )


def test_warnings_about_a_project_go_to_stderr(machine: Machine, run: Run) -> None:
    machine.project({"permissions": {"mode": "bypass"}})
    out, err = run("get", "permissions.mode")
    assert out == "default\n"
    assert err.startswith(f"ankrcode: warning: {machine.project_file}: 'permissions.mode' cannot")


# --- set and unset


def test_set_writes_to_the_users_file_by_default(machine: Machine, run: Run) -> None:
    out, err = run("set", "limits.result_chars", "5000")
    assert out == f"limits.result_chars = 5000 in {machine.user_file}\n"
    assert err == ""
    assert run("get", "limits.result_chars")[0] == "5000\n"


@pytest.mark.parametrize("layer", ["user", "project", "local"])
def test_set_writes_to_the_layer_that_is_named(machine: Machine, run: Run, layer: str) -> None:
    run("set", f"--{layer}", "language", "hi")
    file: Path = getattr(machine, f"{layer}_file")
    assert json.loads(file.read_text(encoding="utf-8")) == {"language": "hi"}
    assert machine.load().origin("language").layer == layer


def test_set_for_a_project_refuses_what_only_a_person_may_set(machine: Machine, run: Run) -> None:
    with pytest.raises(SettingsError, match="cannot be set by a project"):
        run("set", "--project", "permissions.mode", "bypass")
    assert not machine.project_file.exists()


def test_set_of_a_wrong_value_says_what_fits(machine: Machine, run: Run) -> None:
    with pytest.raises(SettingsError, match='one of both, end, start, not "middle"'):
        run("set", "results.cut", "middle")
    assert not machine.user_file.exists()


def test_set_takes_a_negative_number_for_a_value(run: Run) -> None:
    with pytest.raises(SettingsError, match="a whole number from 1 to 256, not -5"):
        run("set", "limits.concurrent_calls", "-5")


def test_set_says_when_another_layer_counts_more(machine: Machine, run: Run) -> None:
    machine.project({"language": "mr"})
    out, err = run("set", "language", "hi")
    assert out.startswith("language = hi in ")
    assert err == (
        f"language is mr nevertheless: it is also set by project {machine.project_file}, "
        "which counts more.\n"
    )


def test_set_says_when_the_machine_has_fixed_the_value(machine: Machine, run: Run) -> None:
    machine.managed({"permissions": {"mode": "plan"}})
    _, err = run("set", "permissions.mode", "bypass")
    assert f"also set by managed {machine.managed_file}" in err


def test_set_works_although_another_value_of_the_file_is_wrong(machine: Machine, run: Run) -> None:
    machine.user({"colour": "blue"})
    out, err = run("set", "language", "hi")
    assert out.startswith("language = hi")
    assert "no setting 'colour'" in err


def test_unset_removes_a_value(machine: Machine, run: Run) -> None:
    set_value(machine.user_file, "language", "hi")
    assert run("unset", "language")[0] == f"language is no longer set in {machine.user_file}\n"
    assert run("unset", "language")[0] == f"language was not set in {machine.user_file}\n"
    assert run("get", "language")[0] == "en\n"


def test_unset_can_mend_a_file_that_holds_an_unknown_key(machine: Machine, run: Run) -> None:
    machine.user({"colour": "blue", "language": "hi"})
    run("unset", "colour")
    assert run("get", "language")[0] == "hi\n"


def test_unset_of_a_project(machine: Machine, run: Run) -> None:
    machine.project({"language": "hi"})
    run("unset", "--project", "language")
    assert run("get", "language")[0] == "en\n"


def test_unset_of_an_unknown_key_that_is_not_there_is_told(run: Run) -> None:
    with pytest.raises(SettingsError, match="no setting 'langauge'"):
        run("unset", "langauge")


# --- list


def test_list_shows_every_key_value_and_origin_in_columns(machine: Machine, run: Run) -> None:
    machine.user({"language": "hi"})
    out, _ = run("list", ANKRCODE_LOG__LEVEL="info")
    lines = out.splitlines()
    assert [line.split()[0] for line in lines] == list(all_keys())
    assert lines[0].split() == ["language", "hi", "user", str(machine.user_file)]
    assert any(
        line.split() == ["log.level", "info", "environment", "ANKRCODE_LOG__LEVEL"]
        for line in lines
    )
    column = lines[0].index("user ")
    assert all(line[column - 2 : column] == "  " and line[column] != " " for line in lines)


def test_list_with_json_is_complete(machine: Machine, run: Run) -> None:
    machine.managed({"log": {"files": 5}})
    entries = {entry["key"]: entry for entry in json.loads(run("list", "--json")[0])}
    assert set(entries) == set(all_keys())
    assert entries["log.files"]["value"] == 5
    assert entries["log.files"]["origin"] == {
        "layer": "managed",
        "place": str(machine.managed_file),
    }
    assert entries["language"]["origin"] == {"layer": "default", "place": ""}
    assert all(entry["description"] for entry in entries.values())


def test_list_with_a_broken_users_file_is_an_error(machine: Machine, run: Run) -> None:
    machine.user("{")
    with pytest.raises(SettingsError, match="line 1, column 2"):
        run("list")


# --- path and schema


def test_path_shows_every_file_and_whether_it_exists(machine: Machine, run: Run) -> None:
    machine.user({})
    out, _ = run("path")
    assert [line.split() for line in out.splitlines()] == [
        ["user", str(machine.user_file), "(exists)"],
        ["project", str(machine.project_file), "(missing)"],
        ["local", str(machine.local_file), "(missing)"],
        ["managed", str(machine.managed_file), "(missing)"],
    ]


@pytest.mark.parametrize("layer", ["user", "project", "local", "managed"])
def test_path_of_one_layer_is_fit_for_a_script(machine: Machine, run: Run, layer: str) -> None:
    assert run("path", f"--{layer}") == (f"{getattr(machine, f'{layer}_file')}\n", "")


def test_path_works_although_the_settings_are_broken(machine: Machine, run: Run) -> None:
    machine.user("{")
    assert run("path", "--user")[0] == f"{machine.user_file}\n"


def test_path_honours_xdg(run: Run) -> None:
    assert run("path", "--user", XDG_CONFIG_HOME="/c")[0] == "/c/ankrcode/settings.json\n"


def test_schema_prints_the_schema(run: Run) -> None:
    assert json.loads(run("schema")[0]) == settings_schema()


# --- wrong use


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["frobnicate"],
        ["get"],
        ["set", "language"],
        ["set", "--user", "--project", "language", "hi"],
        ["set", "--managed", "language", "hi"],
        ["path", "extra"],
    ],
)
def test_wrong_use_ends_with_the_code_for_usage(run: Run, arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        run(*arguments)
    assert caught.value.code == 2
