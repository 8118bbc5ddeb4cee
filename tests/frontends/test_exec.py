"""`ankrcode exec TOOL`: one call through the whole pipeline, and its exit code."""

import json
import os
import shlex
import stat
from pathlib import Path

import pexpect
import pytest

from frontends.command import COMMAND, PATIENCE_S, Done, ankrcode, answers, environment

# Composed, so that no scanner takes this file for a leak.
TOKEN = "gh" + "p_" + "a1B2c3D4e5" * 4


@pytest.fixture
def work(tmp_path: Path) -> Path:
    work = tmp_path / "work"
    work.mkdir()
    (work / "a.txt").write_text("one\ntwo\nthree\n", encoding="utf-8")
    (tmp_path / "outside.txt").write_text("outside\n", encoding="utf-8")
    return work


def read(work: Path, *arguments: str) -> Done:
    return ankrcode("exec", "Read", *arguments, cwd=work)


# ── parameters ────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "arguments",
    [
        ["--params", '{"file_path": "a.txt", "limit": 1}'],
        ["file_path=a.txt", "limit=1"],
        ["--json", "file_path=a.txt", "limit=1"],
        ["file_path=a.txt", "--json", "limit=1"],
        ["file_path=a.txt", "limit=1", "--json"],
    ],
    ids=["json", "pairs", "option-first", "option-between", "option-last"],
)
@pytest.mark.requirement("S0-010")
def test_parameters_come_as_json_or_as_pairs_in_any_order(arguments: list[str], work: Path) -> None:
    done = read(work, *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    text = json.loads(done.stdout)["text"] if "--json" in arguments else done.stdout[:-1]
    assert text == "     1\tone"


def test_parameters_come_from_standard_input(work: Path) -> None:
    given = '{"file_path": "a.txt", "offset": 3}'
    done = ankrcode("exec", "Read", "--params", "-", cwd=work, given=given)
    assert done.stdout == "     3\tthree\n"


@pytest.mark.parametrize(
    ("name", "pair"), [("5", "file_path=5"), ("true", "file_path=true"), ("a=b", "file_path=a=b")]
)
def test_a_pair_is_text_where_the_schema_wants_text(name: str, pair: str, work: Path) -> None:
    (work / name).write_text("found\n", encoding="utf-8")
    assert read(work, pair).stdout == "     1\tfound\n"


def test_a_pair_is_a_number_or_a_truth_where_the_schema_wants_that(work: Path) -> None:
    (work / ".hidden").touch()
    done = ankrcode("exec", "List", "include_hidden=true", "limit=2", "--json", cwd=work)
    (answer,) = answers(done)
    assert [entry["name"] for entry in answer["value"]["entries"]] == [".hidden", "a.txt"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["Read", "a.txt"], "'a.txt' is not KEY=VALUE"),
        (["Read", "file_path=a.txt", "--params", "{}"], "not both"),
        ([], "either a TOOL or --batch"),
        (["Read", "--batch"], "either a TOOL or --batch"),
        (["List", "--dialect", "klingon"], "no dialect 'klingon'"),
        (["List", "--permission-mode", "yolo"], "invalid choice"),
        (["List", "--session", "../etc"], "not the id of a session"),
        (["List", "--set", 'plugins=["missing"]'], "no plugin 'missing'"),
    ],
    ids=["pair", "both", "neither", "two", "dialect", "mode", "session", "plugin"],
)
def test_wrong_use_has_exit_code_two(arguments: list[str], said: str, work: Path) -> None:
    done = ankrcode("exec", *arguments, cwd=work)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


# ── results ───────────────────────────────────────────────────────────────────────────────────
def test_the_whole_result_can_be_had_as_json(work: Path) -> None:
    (answer,) = answers(read(work, "file_path=a.txt", "--json"))
    keys = ["id", "ok", "title", "value", "text", "metadata", "attachments", "error"]
    assert list(answer) == keys
    assert answer["ok"] is True
    assert answer["id"]
    assert answer["title"] == f"Read {work}/a.txt"
    assert answer["value"]["content"] == "one\ntwo\nthree\n"
    assert answer["metadata"]["duration_ms"] > 0
    assert (answer["attachments"], answer["error"]) == ([], None)


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [
        (["Read", "file_path=missing"], 1, "FILE_NOT_FOUND"),
        (["Read", "file_path=../outside.txt"], 4, "PERMISSION_DENIED"),
        (["Read"], 1, "INVALID_INPUT"),
        (["Read", "--params", "{broken"], 1, "INVALID_INPUT"),
        (["Read", "--params", "[1]"], 1, "INVALID_INPUT"),
        (["Raed", "file_path=a.txt"], 1, "UNKNOWN_TOOL"),
    ],
    ids=["missing", "denied", "incomplete", "broken", "list", "unknown"],
)
@pytest.mark.requirement("S0-111")
def test_a_failure_is_told_in_the_exit_code_on_stderr_and_in_json(
    arguments: list[str], code: int, error: str, work: Path
) -> None:
    done = ankrcode("exec", *arguments, cwd=work)
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.startswith("ankrcode: ")
    as_json = ankrcode("exec", *arguments, "--json", cwd=work)
    assert (as_json.returncode, as_json.stderr) == (code, "")
    (answer,) = answers(as_json)
    assert (answer["ok"], answer["error"]["code"]) == (False, error)
    assert list(answer["error"]) == ["code", "kind", "message", "suggestion", "details"]
    assert answer["error"]["message"] in done.stderr


def test_an_unknown_tool_is_answered_with_the_nearest(work: Path) -> None:
    done = ankrcode("exec", "raed", "file_path=a.txt", cwd=work)
    assert done.stderr == "ankrcode: Unknown tool: raed. Did you mean Read?\n"


def test_the_mode_decides_what_needs_no_question(work: Path) -> None:
    outside = "file_path=../outside.txt"
    for mode in ("default", "plan", "dontAsk", "acceptEdits"):
        assert read(work, outside, "--permission-mode", mode).returncode == 4, mode
    assert read(work, outside, "--permission-mode", "bypass").returncode == 0
    by_setting = read(work, outside, "--set", "permissions.mode=bypass")
    assert by_setting.stdout == "     1\toutside\n"


@pytest.mark.requirement("S2-046", "S2-064")
def test_another_dialect_has_its_own_names_and_replies(work: Path) -> None:
    def run(*arguments: str) -> Done:
        return ankrcode("exec", "read_file", *arguments, "--dialect", "workspace", cwd=work)

    done = run("path=a.txt")
    assert done.returncode == 0
    (reply,) = answers(done)
    assert reply["ok"] is True
    assert reply["value"]["content"] == "one\ntwo\nthree\n"
    for path, error in {"missing": "FILE_NOT_FOUND", "../outside.txt": "INVALID_PATH"}.items():
        failed = run(f"path={path}")
        assert failed.returncode == 1
        assert answers(failed)[0]["error"]["code"] == error


READERS = {
    "claude": ("Read", "file_path={}"),
    "ankrcode": ("Read", "file_path={}"),
    "ally": ("read", 'file_paths=["{}"]'),
    "plain": ("read", "path={}"),
}


@pytest.mark.parametrize("dialect", READERS)
def test_the_exit_code_is_the_same_in_every_dialect(
    dialect: str, work: Path, tmp_path: Path
) -> None:
    tool, given = READERS[dialect]
    places = {"a.txt": 0, "missing": 1, f"{tmp_path}/outside.txt": 4}
    for place, code in places.items():
        done = ankrcode("exec", tool, given.format(place), "--dialect", dialect, cwd=work)
        assert (place, done.returncode) == (place, code)


# ── where ─────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S3-014", "S3-015")
def test_the_workspace_is_that_of_cwd_then_the_variable_then_git(
    work: Path, tmp_path: Path
) -> None:
    (tmp_path / ".git").mkdir()
    (work / "sub").mkdir()
    # The root is git's, so a file above the current directory is inside.
    assert read(work / "sub", "file_path=../../outside.txt").returncode == 0
    # A relative path starts here, also under a root from the environment.
    at_work = {"AGENT_WORKSPACE_ROOT": str(work)}
    done = ankrcode("exec", "Read", "file_path=../a.txt", cwd=work / "sub", env=at_work)
    assert done.stdout.startswith("     1\tone\n")
    denied = ankrcode("exec", "Read", f"file_path={tmp_path}/outside.txt", cwd=work, env=at_work)
    assert denied.returncode == 4
    # Seen from outside that root, a relative path starts at the root.
    done = ankrcode("exec", "Read", "file_path=a.txt", cwd=tmp_path, env=at_work)
    assert done.stdout.startswith("     1\tone\n")
    # What was asked for counts more than the variable.
    done = ankrcode("exec", "List", "--cwd", work / "sub", cwd=tmp_path, env=at_work)
    assert done.stdout == f"{work}/sub is empty.\n"


# ── a terminal ────────────────────────────────────────────────────────────────────────────────
HOSTILE = "\x1b]0;owned\x07\x1b[31mred\x9b2J\u202eleft\n"


@pytest.mark.parametrize("arguments", [[], ["--json"]], ids=["text", "json"])
def test_escape_codes_in_a_file_are_shown_by_a_terminal_not_obeyed(
    arguments: list[str], work: Path
) -> None:
    (work / "evil.txt").write_text(HOSTILE, encoding="utf-8")
    command = [*COMMAND, "exec", "Read", "file_path=evil.txt", *arguments]
    seen, code = pexpect.run(
        shlex.join(command),
        withexitstatus=True,
        cwd=str(work),
        env=environment({"TERM": "xterm"}),
        timeout=PATIENCE_S,
        encoding="utf-8",
    )
    assert code == 0
    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(seen)
    assert "\\u001b[31mred" in seen
    assert "\\u202eleft" in seen


def test_a_pipe_gets_the_bytes_as_they_are(work: Path) -> None:
    (work / "evil.txt").write_text(HOSTILE, encoding="utf-8")
    assert read(work, "file_path=evil.txt").stdout == f"     1\t{HOSTILE}"


def test_a_name_that_is_not_utf8_is_found_and_shown_escaped(work: Path) -> None:
    (work / os.fsdecode(b"caf\xe9")).touch()
    (answer,) = answers(ankrcode("exec", "List", "--json", cwd=work))
    assert answer["value"]["entries"][-1]["name"] == "caf\udce9"
    assert r"'caf\udce9'" in ankrcode("exec", "List", cwd=work).stdout


# ── the log ───────────────────────────────────────────────────────────────────────────────────
def test_a_debug_run_writes_a_private_log_without_secrets(work: Path, own_home: Path) -> None:
    (work / "a.txt").write_text(f"token={TOKEN}\nmine is canary-4711\n", encoding="utf-8")
    key = {"SOME_API_KEY": "canary-4711"}
    done = ankrcode("exec", "Read", "file_path=a.txt", "--debug", cwd=work, env=key)
    log = own_home / ".local" / "state" / "ankrcode" / "ankrcode.log"
    assert done.stderr == f"The log is in {log}\n"
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    written = log.read_text(encoding="utf-8")
    started, ended = written.splitlines()
    assert "ToolCallStarted(tool='Read', arguments={'file_path': 'a.txt'}" in started
    assert "ToolCallEnded(tool='Read', success=True" in ended
    assert TOKEN not in written
    assert "canary-4711" not in written
    assert TOKEN not in done.stdout
    assert "token=[redacted:github-token:" in done.stdout


def test_a_failure_is_logged_as_a_warning(work: Path, own_home: Path) -> None:
    read(work, "file_path=missing", "--set", "log.level=warning")
    log = own_home / ".local" / "state" / "ankrcode" / "ankrcode.log"
    (line,) = log.read_text(encoding="utf-8").splitlines()
    assert " WARNING " in line
    assert "FILE_NOT_FOUND" in line


def test_without_being_asked_nothing_is_written_at_home(work: Path, own_home: Path) -> None:
    assert read(work, "file_path=a.txt").returncode == 0
    assert list(own_home.iterdir()) == []


def test_a_broken_project_file_is_a_warning_and_the_work_goes_on(work: Path) -> None:
    (work / ".ankrcode").mkdir()
    (work / ".ankrcode" / "settings.json").write_text("{nope", encoding="utf-8")
    done = read(work, "file_path=a.txt", "--cwd", ".")
    assert done.returncode == 0
    assert done.stderr.startswith("ankrcode: warning: ")
