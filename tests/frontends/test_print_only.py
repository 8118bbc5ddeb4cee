"""`rocketlang.mode = "only"`: no model is asked, and what needs one is told so truly."""

from pathlib import Path

import pytest

from frontends.command import Done, ankrcode
from frontends.headless import NO_KEYS, ask, lines_of

ONLY = ("--set", "rocketlang.mode=only")
KEY = {**NO_KEYS, "ANTHROPIC_API_KEY": "sk-ant-test-0000000000"}


@pytest.fixture
def work(tmp_path: Path) -> Path:
    work = tmp_path / "work"
    work.mkdir()
    (work / "a.txt").write_text("one\n", encoding="utf-8")
    return work


def check_told(done: Done) -> None:
    assert done.returncode == 3
    assert 'rocketlang.mode = "only"' in done.stderr
    assert "API_KEY" not in done.stderr  # no key would help
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    "task", ["why does the login fail", "is it well written?", "explain a.txt"]
)
@pytest.mark.parametrize("env", [NO_KEYS, KEY])
def test_what_needs_a_model_is_said_to_be_kept_from_one_by_the_setting(
    work: Path, task: str, env: dict[str, str]
) -> None:
    done = ask(work, task, *ONLY, env=env)
    check_told(done)
    assert done.stdout == ""


def test_a_model_that_is_named_is_not_asked_either(work: Path) -> None:
    check_told(ask(work, "is it well written?", *ONLY, turns=["Never said."]))


def test_the_result_is_that_of_a_missing_model(work: Path) -> None:
    done = ask(work, "is it well written?", *ONLY, "--output-format", "json")
    (result,) = lines_of(done)
    assert (result["subtype"], result["is_error"]) == ("error_provider", True)
    assert 'rocketlang.mode = "only"' in result["error"]


def test_tasks_that_come_as_lines_need_a_model(work: Path) -> None:
    check_told(ask(work, *ONLY, "--input-format", "stream-json", "--output-format", "json"))


def test_a_plain_command_runs(work: Path) -> None:
    done = ask(work, "a.txt padho", *ONLY, env=KEY)
    assert (done.returncode, done.stdout) == (0, "     1\tone\n")


@pytest.mark.parametrize("task", ["read", "frobnicate everything"])
def test_a_command_that_is_wrong_is_still_told_as_such(work: Path, task: str) -> None:
    done = ask(work, task, *ONLY)
    assert done.returncode == 2
    assert "rocketlang.mode" not in done.stderr


def test_line_by_line_the_same_is_said(work: Path) -> None:
    done = ankrcode(*ONLY, cwd=work, given="why does the login fail\n", env=KEY)
    check_told(done)


@pytest.mark.parametrize("form", ["text", "json", "stream-json"])
def test_a_change_that_is_only_guessed_is_refused_with_a_word(work: Path, form: str) -> None:
    done = ask(work, "a.txt hatoa", *ONLY, "--output-format", form)
    assert done.returncode == 4
    assert (work / "a.txt").exists()
    told = done.stderr if form == "text" else lines_of(done)[-1]["error"]
    assert "a.txt hatao" in told, "the sentence that would do it"


@pytest.mark.parametrize(
    ("task", "code", "why"),
    [("read gone.txt", 1, "There is no file"), ("delete /etc/hostname", 4, "nobody is there")],
)
def test_the_result_says_what_went_wrong(work: Path, task: str, code: int, why: str) -> None:
    done = ask(work, task, *ONLY, "--output-format", "json")
    (result,) = lines_of(done)
    assert done.returncode == code
    assert why in result["error"]
    told = ask(work, task, *ONLY)
    assert (told.returncode, told.stdout) == (code, "")
    assert told.stderr.count(why) == 1


def test_what_a_script_deals_with_itself_is_no_failure(work: Path) -> None:
    script = 'gone.txt padho\nagar pass to "there" bolo warna "so be it" bolo'
    done = ask(work, script, *ONLY, "--output-format", "json")
    (result,) = lines_of(done)
    assert (result["subtype"], result["result"]) == ("success", "so be it")
    assert "error" not in result
    assert "There is no file" in done.stderr


def test_a_script_that_comes_to_an_agents_work_ends_so(work: Path) -> None:
    """Its first line is a command, so that it begins."""
    done = ask(work, "read a.txt\nexplain a.txt", *ONLY, "--output-format", "json")
    (result,) = lines_of(done)
    assert (done.returncode, result["subtype"]) == (3, "error_provider")
