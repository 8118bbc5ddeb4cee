"""`ankrcode doctor`: what is there and what is missing, without a secret or a hostile program."""

import json
import os
import platform
import stat
from pathlib import Path
from typing import Any

import pytest

from ankrcode import __version__
from ankrcode.frontends.cli.doctor import key_variables
from frontends.command import Done, ankrcode

CANARY = "secret-canary"


def doctor(cwd: Path, *arguments: str, **env: str) -> Done:
    done = ankrcode("doctor", *arguments, cwd=cwd, env=env)
    assert (done.returncode, done.stderr) == (0, "")
    return done


def findings(cwd: Path, **env: str) -> dict[str, dict[str, Any]]:
    return {one["what"]: one for one in json.loads(doctor(cwd, "--json", **env).stdout)}


def make_program(path: Path, script: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def trusted(folder: Path) -> None:
    folder.mkdir()
    assert ankrcode("trust", "add", cwd=folder).returncode == 0


def test_nothing_is_started_in_a_folder_that_is_not_trusted(tmp_path: Path) -> None:
    for name in ("git", "rg", "bwrap"):
        make_program(tmp_path / "bin" / name, f"touch {tmp_path}/was-run; echo 1")
    (tmp_path / "work").mkdir()
    found = findings(tmp_path / "work", PATH=f"{tmp_path}/bin:{os.environ['PATH']}")
    assert found["git"]["found"] == f"{tmp_path}/bin/git"
    assert found["git"]["ok"]
    assert not (tmp_path / "was-run").exists()


def test_it_looks_at_everything_that_matters(tmp_path: Path) -> None:
    found = findings(tmp_path)
    expected = ["ankrcode", "python", "workspace", "trust", "rg", "git"]
    assert list(found) == [*expected, "sandbox", "auto", "terminal", "model", "keys"]
    assert found["ankrcode"]["found"] == __version__
    assert platform.python_version() in found["python"]["found"]
    assert found["workspace"]["found"] == str(tmp_path)
    assert all(one["advice"] for one in found.values() if not one["ok"])


def test_the_text_has_a_marked_line_for_each_finding(tmp_path: Path) -> None:
    lines = doctor(tmp_path).stdout.splitlines()
    found = findings(tmp_path)
    assert [line.split()[1] for line in lines] == list(found)
    assert [line[:2] for line in lines] == ["ok" if one["ok"] else "--" for one in found.values()]


@pytest.mark.parametrize("arguments", [(), ("--json",)], ids=["text", "json"])
def test_a_key_is_named_but_its_value_is_never_printed(
    arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in list(os.environ):
        if name in key_variables():
            monkeypatch.delenv(name)
    count = len(key_variables())
    assert count > 25
    assert f"none ({count} others not set)" in doctor(tmp_path, *arguments).stdout
    done = doctor(tmp_path, *arguments, ANTHROPIC_API_KEY=CANARY, GROQ_API_KEY=CANARY)
    assert f"ANTHROPIC_API_KEY, GROQ_API_KEY ({count - 2} others not set)" in done.stdout
    assert CANARY not in done.stdout


def test_it_says_which_model_would_be_asked(tmp_path: Path) -> None:
    unset = dict.fromkeys(key_variables(), "")
    model = findings(tmp_path, **unset)["model"]
    assert not model["ok"]
    assert "No model is configured" in model["found"]
    model = findings(tmp_path, **unset, ANKRCODE_MODEL="groq/some-model")["model"]
    assert not model["ok"]
    assert model["found"] == "groq/some-model (GROQ_API_KEY is not set)"
    model = findings(tmp_path, **{**unset, "GROQ_API_KEY": CANARY})["model"]
    assert model["ok"]
    assert model["found"].startswith("groq/")
    assert model["found"].endswith("(GROQ_API_KEY is set)")


def test_a_model_on_this_machine_needs_no_key(tmp_path: Path) -> None:
    model = findings(tmp_path, ANKRCODE_MODEL="ollama/llama3.2")["model"]
    assert (model["ok"], model["found"]) == (True, "ollama/llama3.2 (none is needed)")
    model = findings(tmp_path, ANKRCODE_MODEL="scripted/turns.json")["model"]
    assert (model["ok"], model["found"]) == (True, "scripted/turns.json")


def test_a_program_is_found_and_asked_for_its_version(tmp_path: Path) -> None:
    make_program(tmp_path / "bin" / "git", "echo git version 99.1")
    trusted(tmp_path / "work")
    found = findings(tmp_path / "work", PATH=f"{tmp_path}/bin:{os.environ['PATH']}")["git"]
    assert (found["ok"], found["found"]) == (True, f"git version 99.1 ({tmp_path}/bin/git)")


@pytest.mark.parametrize("path", ["{work}/bin", ".", "bin"])
def test_a_hostile_program_in_the_workspace_is_not_run(path: str, tmp_path: Path) -> None:
    for place in (tmp_path / "bin" / "git", tmp_path / "git", tmp_path / "rg"):
        make_program(place, f"touch {tmp_path}/was-run; echo git version 1")
    found = findings(tmp_path, PATH=f"{path.format(work=tmp_path)}:{os.environ['PATH']}")["git"]
    assert not found["ok"]
    assert "lies in the workspace" in found["found"]
    assert not (tmp_path / "was-run").exists()


@pytest.mark.parametrize("script", ["exit 3", "kill -9 $$"])
def test_a_program_that_fails_counts_as_missing(script: str, tmp_path: Path) -> None:
    make_program(tmp_path / "bin" / "git", script)
    trusted(tmp_path / "work")
    found = findings(tmp_path / "work", PATH=f"{tmp_path}/bin:{os.environ['PATH']}")["git"]
    assert not found["ok"]
    assert f"{tmp_path}/bin/git" in found["found"]


def test_what_a_program_says_cannot_disturb_the_terminal(tmp_path: Path) -> None:
    make_program(tmp_path / "bin" / "git", r"printf '\377\033[31mred\nmore'")
    trusted(tmp_path / "work")
    done = doctor(tmp_path / "work", PATH=f"{tmp_path}/bin:{os.environ['PATH']}")
    assert r"'\ufffd\x1b[31mred'" in done.stdout
    assert "\x1b" not in done.stdout
