"""How a command ended: what is an error, what is an answer, and what is said about it."""

import os
import signal
import stat
import subprocess
from pathlib import Path

import pytest

from ankrcode.testing import Bench
from ankrcode.tools.bash import Bash


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    (tmp_path / "one").write_text("1\n", encoding="utf-8")
    (tmp_path / "two").write_text("2\n", encoding="utf-8")
    (tmp_path / "no_program").write_text("\x7fELF is not what this is", encoding="utf-8")
    (tmp_path / "no_program").chmod(0o755)
    (tmp_path / "not_executable").write_text("#!/bin/sh\n", encoding="utf-8")
    (tmp_path / "no_interpreter").write_text("#!/nowhere/sh\n", encoding="utf-8")
    (tmp_path / "no_interpreter").chmod(0o755)
    return Bench(Bash, tmp_path, mode="bypass")


COMMANDS = [
    "true",
    "exit 0",
    "exit 1",
    "exit 2",
    "exit 42",
    "exit 255",
    "exit 256",
    "exit -1",
    "exit nonsense",
    "false",
    "! true",
    "! false",
    "false || true",
    "true && false",
    "false; true",
    "false | true",
    "true | false",
    "set -o pipefail; false | true",
    "set -o pipefail; (exit 3) | (exit 4) | true",
    "(exit 7)",
    "{ exit 7; }",
    "bash -c 'exit 9'",
    "exec false",
    "exec nosuchprogram",
    "nosuchprogram",
    "./nowhere",
    "./no_interpreter",
    "./not_executable",
    "./no_program",
    "/",
    ". ./nowhere",
    "if",
    "echo 'unclosed",
    "$(exit 5)",
    "x=$(exit 5)",
    "export x=$(exit 5)",
    "timeout 0.05 sleep 5",
    "kill -TERM $$",
    "kill -HUP $$",
    "kill -KILL $$",
    "kill -SEGV $$",
    "kill -USR1 $$",
    "bash -c 'kill -KILL $$'",
    "sleep 5 & kill $!; wait $!",
    "trap 'exit 6' TERM; kill -TERM $$",
    "trap 'exit 6' EXIT; true",
    "set -e; false; true",
    "set -u; echo $nothing",
    "return 3",
    "readonly x=1; x=2",
    "((0))",
    "let 1",
    "false & true",
    "false & wait $!",
]


def code_in_bash(command: str, folder: Path) -> int:
    ran = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=20,
        check=False,
    )
    return ran.returncode if ran.returncode >= 0 else 128 - ran.returncode


@pytest.mark.parametrize("command", COMMANDS)
async def test_the_code_is_that_of_the_shell(bench: Bench, tmp_path: Path, command: str) -> None:
    code = code_in_bash(command, tmp_path)
    result = await bench.run(command=command)
    assert result.value.exit_code == result.metadata["exit_code"] == code
    assert result.ok == (code == 0)
    if result.error is not None:
        assert result.error.code == "EXECUTION_ERROR"
        assert result.error.details["exit_code"] == code
        assert f"Exit code: {code}" in result.text


SIGNALS = [signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV, signal.SIGHUP, signal.SIGUSR2]


@pytest.mark.parametrize("number", SIGNALS)
async def test_a_signal_that_ended_the_shell_is_named(bench: Bench, number: signal.Signals) -> None:
    result = await bench.run(command=f"echo before; kill -{number.value} $$; echo after")
    assert result.text.startswith("before\n")
    assert result.text.endswith(f"Exit code: {128 + number} It was ended by {number.name}.")
    assert result.error is not None
    assert result.error.details == {"exit_code": 128 + number, "signal": number}


@pytest.mark.parametrize(
    "number", [signal.SIGRTMIN + 3, signal.SIGRTMAX, signal.SIGSYS, signal.SIGXCPU]
)
async def test_so_is_one_that_hardly_anybody_knows(bench: Bench, number: int) -> None:
    result = await bench.run(command=f"kill -{int(number)} $$")
    assert result.value.exit_code == 128 + number
    assert result.error is not None
    assert result.error.code == "EXECUTION_ERROR"


ANSWERS = {
    "grep": "grep absent one",
    "grep in a pipeline": "cat one two | grep absent",
    "grep in a list": "cd . && grep absent one",
    "grep with a wrapper": "env LC_ALL=C timeout 5 grep absent one",
    "grep, timed": "time grep absent one",
    "grep in a subshell": "(grep absent one)",
    "grep, its output sent away": "grep absent one >/dev/null 2>&1",
    "diff": "diff one two",
    "diff, briefly": "diff -q one two",
    "diff of processes": "diff <(cat one) <(cat two)",
    "cmp": "cmp one two",
    "test": "test -f absent",
    "brackets": "[ -f absent ]",
    "double brackets": "[[ -f absent ]]",
    "brackets with not": "[ ! -f one ]",
    "git diff": "git diff --no-index --quiet one two",
}


@pytest.mark.parametrize("command", ANSWERS.values(), ids=ANSWERS)
async def test_no_is_an_answer(bench: Bench, command: str) -> None:
    result = await bench.run(command=command)
    assert result.ok
    assert result.value.exit_code == 1
    assert result.value.no_match
    assert result.text.endswith("(exit code 1: no match or a difference, not a failure)")


FAILURES = {
    "grep without a file": ("grep absent nowhere", 2),
    "grep with a bad pattern": ("grep '\\(' one", 2),
    "diff without a file": ("diff one nowhere", 2),
    "test with nonsense": ("test 1 -eq x", 2),
    "a directory that is not there": ("cd nowhere && grep absent one", 1),
    "a file that is not there": ("grep absent <nowhere", 1),
    "a file that cannot be written": ("grep absent one >/nowhere/out", 1),
    "grep turned round": ("! grep 1 one", 1),
    "a failure after it": ("grep absent one; false", 1),
    "a failure before it": ("false && grep absent one", 1),
    "a pipeline that fails elsewhere": ("set -o pipefail; false | grep absent one", 1),
    "a function by that name": ("grep() { return 1; }; grep absent one", 1),
    "a Python program": ("python3 -c 'raise SystemExit(1)'", 1),
}


@pytest.mark.parametrize(("command", "code"), FAILURES.values(), ids=FAILURES)
async def test_a_failure_is_none(bench: Bench, command: str, code: int) -> None:
    result = await bench.run(command=command)
    assert result.value.exit_code == code
    assert not result.ok
    assert not result.value.no_match


# ── the whole result ──────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("echo a", "a"),
        ("printf a", "a"),
        ("printf 'a\\n\\n\\n'", "a"),
        ("printf '\\n\\na'", "\n\na"),
        ("printf '  a  '", "  a  "),
        (":", "(no output)"),
        ("printf '\\n'", "(no output)"),
        ("exit 3", "Exit code: 3"),
        ("echo a; exit 3", "a\n\nExit code: 3"),
        ("echo a >&2; exit 3", "a\n\nExit code: 3"),
    ],
)
async def test_the_text_is_the_output_and_then_what_there_is_to_say(
    bench: Bench, command: str, text: str
) -> None:
    assert (await bench.run(command=command)).text == text


async def test_the_metadata_tells_code_time_size_and_place(bench: Bench, tmp_path: Path) -> None:
    result = await bench.run(command="echo नमस्ते; exit 4")
    metadata = dict(result.metadata)
    assert 0 < metadata.pop("duration_ms") <= result.duration_ms
    wanted = {"exit_code": 4, "output_bytes": 19, "cwd": str(tmp_path)}
    assert {name: metadata[name] for name in wanted} == wanted
    assert "sandbox" in metadata


async def test_a_program_that_only_its_owner_may_run_says_so(bench: Bench, tmp_path: Path) -> None:
    program = tmp_path / "mine"
    program.write_text("#!/bin/sh\necho ran\n", encoding="utf-8")
    program.chmod(stat.S_IRUSR | stat.S_IWUSR)
    refused = await bench.run(command="./mine")
    assert "Permission denied" in refused.text
    assert refused.value.exit_code == 126
    program.chmod(0o700)
    assert (await bench.run(command="./mine")).text == "ran"


async def test_an_open_descriptor_of_ours_is_not_the_commands(bench: Bench, tmp_path: Path) -> None:
    secret = os.open(tmp_path / "one", os.O_RDONLY)
    os.set_inheritable(secret, True)
    try:
        result = await bench.run(command="ls -l /proc/self/fd")
        assert str(tmp_path / "one") not in result.text
    finally:
        os.close(secret)
