"""The command line as a whole: version, help, mistakes, and streams that are not there."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ankrcode import __version__
from frontends.command import COMMAND, ankrcode, environment


@pytest.mark.parametrize("option", ["--version", "-V"])
def test_the_version_is_printed(option: str, tmp_path: Path) -> None:
    done = ankrcode(option, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"ankrcode {__version__}\n", "")
    assert ankrcode("--cwd", ".", option, cwd=tmp_path).stdout == done.stdout


def test_the_installed_script_is_the_same_command(tmp_path: Path) -> None:
    script = Path(sys.executable).with_name("ankrcode")
    said = subprocess.run([script, "tools", "list"], capture_output=True, check=True, cwd=tmp_path)
    assert said.stdout.decode() == ankrcode("tools", "list", cwd=tmp_path).stdout


def test_without_a_command_the_help_lists_them_all(tmp_path: Path) -> None:
    done = ankrcode(cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout == ankrcode("--help", cwd=tmp_path).stdout
    for command in ("exec", "tools", "config", "doctor"):
        assert f"\n  {command} " in done.stdout


@pytest.mark.parametrize("command", ["exec", "tools", "config", "doctor"])
def test_each_command_has_help_of_its_own(command: str, tmp_path: Path) -> None:
    done = ankrcode(command, "--help", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.startswith(f"usage: ankrcode {command}")
    assert "--cwd DIR" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nope"], "choose from"),
        (["--nope"], "--nope"),
        (["tools"], "ACTION"),
        (["tools", "nope"], "nope"),
        (["exec", "--nope"], "--nope"),
        (["doctor", "extra"], "extra"),
        (["--cwd", "missing", "tools", "show", "Read"], "missing is not a directory"),
        (["exec", "List", "--cwd", "missing"], "missing is not a directory"),
        (["doctor", "--cwd", "missing"], "missing is not a directory"),
        (["--set", "nonsense=1", "exec", "List"], "nonsense"),
    ],
    ids=" ".join,
)
def test_wrong_use_is_told_on_standard_error_with_exit_code_two(
    arguments: list[str], said: str, tmp_path: Path
) -> None:
    done = ankrcode(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert said in done.stderr


def test_a_missing_root_in_the_environment_is_wrong_use_too(tmp_path: Path) -> None:
    done = ankrcode("exec", "List", cwd=tmp_path, env={"AGENT_WORKSPACE_ROOT": "/no/such"})
    assert done.returncode == 2
    assert "AGENT_WORKSPACE_ROOT" in done.stderr


def test_a_current_directory_that_was_removed_is_told_plainly(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    line = 'rmdir "$PWD"; exec "$@"'
    done = subprocess.run(
        ["sh", "-c", line, "sh", *COMMAND, "exec", "List"],
        cwd=gone,
        env=environment(),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("ankrcode: The current directory no longer exists.")


@pytest.mark.parametrize("place", ["before", "after"])
def test_common_options_may_stand_before_and_after_the_command(place: str, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "here.txt").touch()
    common, command = ["--cwd", "work"], ["exec", "List"]
    arguments = [*common, *command] if place == "before" else [*command, *common]
    assert "here.txt" in ankrcode(*arguments, cwd=tmp_path).stdout


@pytest.mark.parametrize(
    "command",
    [
        "models list",
        "models call",
        "permissions rules list",
        "sandbox run true",
    ],
)
def test_an_option_of_every_command_may_stand_behind_an_action_too(
    command: str, tmp_path: Path
) -> None:
    done = ankrcode(*command.split(), "--set", "no.such=1", cwd=tmp_path, given='{"prompt": "x"}')
    assert done.returncode == 2
    assert "no setting 'no.such'" in done.stderr


def test_settings_before_and_behind_an_action_all_count(tmp_path: Path) -> None:
    first, second = "limits.result_chars=20001", "read.max_tokens=20002"
    done = ankrcode("--set", first, "config", "list", "--set", second, cwd=tmp_path)
    for one in (first, second):
        key, value = one.split("=")
        assert re.search(rf"{key} +{value} ", done.stdout)


def test_the_last_one_of_a_setting_counts_wherever_it_stands(tmp_path: Path) -> None:
    key = "limits.result_chars"
    done = ankrcode(
        "config", "--set", f"{key}=20001", "get", key, "--set", f"{key}=20002", cwd=tmp_path
    )
    assert done.stdout == "20002\n"


# ── streams ───────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("command", ["--help", "tools schema", "exec List", "exec --batch"])
def test_a_reader_that_has_gone_leaves_no_traceback(command: str, tmp_path: Path) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    done = subprocess.run(
        [*COMMAND, *command.split()],
        cwd=tmp_path,
        env=environment(),
        input=b'{"id": 1, "tool": "List"}\n' * 100,
        stdout=write_end,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(write_end)
    assert done.stderr == b""
    assert done.returncode in (0, 1)  # argparse passes over it when its output is not buffered


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("command", ["exec List", "exec --batch", "tools list"])
def test_closed_streams_leave_no_traceback(closed: str, command: str, tmp_path: Path) -> None:
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {command} {closed}', "sh", *COMMAND],
        cwd=tmp_path,
        env=environment(),
        input=b"",
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_an_encoding_that_is_too_narrow_shows_escapes(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("नमस्ते\n", encoding="utf-8")
    narrow = {"PYTHONIOENCODING": "ascii"}
    done = ankrcode("exec", "Read", "file_path=a.txt", cwd=tmp_path, env=narrow)
    assert done.returncode == 0
    assert done.stdout.startswith("     1\t\\u0928")
