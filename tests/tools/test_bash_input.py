"""What Bash is given: odd commands, wrong arguments, and a machine that is not as it should be."""

import asyncio
import os
import time
from pathlib import Path
from typing import Any

import pytest

from ankrcode import Toolkit
from ankrcode.testing import Bench
from ankrcode.tools.bash import Bash
from ankrcode.workspace.processes.processes import MAX_COMMAND_BYTES
from workspace.running import alive, descriptors, long_sleep, printed, processes_in, settled


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(Bash, tmp_path, mode="bypass")


# ── odd commands, run to the letter ───────────────────────────────────────────────────────────
ODD = {
    "begins with a dash": ("-x", "bash: line 1: -x: command not found"),
    "looks like an option": ("--version", "bash: line 1: --version: command not found"),
    "begins with blanks": ("   echo a", "a"),
    "ends with blanks": ("echo a   \n\n", "a"),
    "begins with a line break": ("\n\necho a", "a"),
    "holds tabs": ("echo\ta\t\tb", "a b"),
    "holds quotes of both kinds": ("""echo "it's" '"so"'""", """it's "so\""""),
    "holds a dollar that means nothing": ("echo '$1' \"\\$2\" $", "$1 $2 $"),
    "holds what Python would format": ("echo '{record} {mark} %s {}'", "{record} {mark} %s {}"),
    "holds an exclamation mark": ('echo "a!b" !', "a!b !"),
    "holds backslashes": ("printf '%s' 'a\\b\\\\c'", "a\\b\\\\c"),
    "is in another script": ("echo नमस्ते; echo '漢字'", "नमस्ते\n漢字"),
    "is only a comment": ("# nothing", "(no output)"),
    "is only a colon": (":", "(no output)"),
    "is a here document": ("cat <<-'X'\n\ta $x\n\tX\necho b", "a $x\nb"),
    "is a here string": ("cat <<<'a b'", "a b"),
    "defines and calls": ("f() { echo \"[$*]\"; }; f 1 '2 3'", "[1 2 3]"),
    "uses an array": ("x=(a 'b c'); echo ${#x[@]} \"${x[1]}\"", "2 b c"),
    "counts": ("echo $((6 * 7)) $((16#ff))", "42 255"),
    "expands braces": ("echo {1..3}{a,b}", "1a 1b 2a 2b 3a 3b"),
    "has its own arguments": ("set -- a b; echo $# $2", "2 b"),
    "looks at its arguments": ('echo "[$*]" $#', "[] 0"),
    "sources what is printed": (". <(echo 'echo a')", "a"),
    "uses many descriptors": ("exec 50>x 51<x; echo a >&50; cat <&51", "a"),
    "uses a descriptor of its choice": ("exec {fd}>x; echo a >&$fd; cat x; [ $fd -ge 10 ]", "a"),
    "waits for nobody": ("wait; jobs; echo $!", "(no output)"),
    "is long and has many lines": (
        "\n".join(f"x{n}={n}" for n in range(300)) + "\necho $x299",
        "299",
    ),
    "nests": ("echo $(echo $(echo $(echo deep)))", "deep"),
    "reads its own text": ('echo "$BASH_EXECUTION_STRING" | wc -l | grep -c .', "1"),
}


@pytest.mark.parametrize(("command", "expected"), ODD.values(), ids=ODD)
async def test_a_command_is_run_as_it_is_written(bench: Bench, command: str, expected: str) -> None:
    assert (await bench.run(command=command)).text.startswith(expected)


# ── how long ──────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("filler", ["x", "é", "漢"])
async def test_the_longest_command_runs_and_a_longer_one_is_refused(
    bench: Bench, tmp_path: Path, filler: str
) -> None:
    begin = "echo a # "
    room = MAX_COMMAND_BYTES - len(begin)
    longest = begin + filler * (room // len(filler.encode()))
    longest += "x" * (MAX_COMMAND_BYTES - len(longest.encode()))
    owner = processes_in(tmp_path)
    process = owner.shell(longest, cwd=str(tmp_path))
    assert process.wait(20)
    assert printed(process) == "a\n"
    refused = await bench.run(command=longest + "x")
    assert refused.error is not None
    assert refused.error.code == "TOO_LARGE"
    assert f"{MAX_COMMAND_BYTES + 1:,} bytes" in refused.text
    assert refused.error.suggestion


# ── wrong arguments ───────────────────────────────────────────────────────────────────────────
WRONG: dict[str, dict[str, Any]] = {
    "no time at all": {"timeout": 0},
    "less than no time": {"timeout": -1},
    "too much time": {"timeout": 600_001},
    "half a millisecond": {"timeout": 0.5},
    "a time in words": {"timeout": "1000"},
    "an endless time": {"timeout": None},
    "a command of several": {"command": ["ls", "-l"]},
    "a number": {"command": 7},
    "a directory that is a number": {"cwd": 7},
    "maybe in the background": {"run_in_background": "maybe"},
    "another end": {"on_timeout": "explode"},
    "input that is text": {"stdin": "yes"},
    "an unknown argument": {"shell": "zsh"},
    "an inner argument": {"_simulated_sed_edit": {"file_path": "f", "new_content": "x"}},
    "an inner argument in another hand": {"simulatedSedEdit": {}},
}


@pytest.mark.parametrize("more", WRONG.values(), ids=WRONG)
async def test_what_cannot_be_meant_is_refused_before_anything_runs(
    bench: Bench, tmp_path: Path, more: dict[str, Any]
) -> None:
    result = await bench.run(**{"command": "touch made", **more})
    assert result.error is not None
    assert result.error.code == "INVALID_INPUT"
    assert next(iter(more)) in result.text
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("more", [{"timeout": 1}, {"timeout": 600_000}, {"timeout": 2_000.0}])
async def test_what_is_just_right_is_taken(bench: Bench, more: dict[str, Any]) -> None:
    result = await bench.run(command=":", **more)
    assert result.error is None or result.error.code == "TIMEOUT"


@pytest.mark.parametrize("command", ["echo \ud800", "echo \udfff x", "\udc80"])
async def test_half_a_character_is_an_error_like_any_other(bench: Bench, command: str) -> None:
    result = await bench.run(command=command)
    result.text.encode()
    assert result.error is not None


# ── the machine ───────────────────────────────────────────────────────────────────────────────
async def test_without_bash_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for more in ({}, {"run_in_background": True}):
        bench = Bench(Bash, tmp_path, mode="bypass")
        result = await bench.run(command="echo a", **more)
        assert result.error is not None
        assert "bash" in result.text
        assert bench.kit.agent.tasks.all() == []


async def test_without_a_path_bash_is_found_where_it_always_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PATH")
    result = await Bench(Bash, tmp_path, mode="bypass").run(command="echo a")
    assert result.text == "a"


async def test_variables_that_are_too_long_are_an_error_that_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HUGE", "x" * 200_000)
    result = await Bench(Bash, tmp_path, mode="bypass").run(command="echo a")
    assert result.error is not None
    assert "Argument list too long" in result.text


async def test_where_no_descriptor_is_left_it_fails_and_works_again_afterwards(
    bench: Bench,
) -> None:
    import resource

    assert (await bench.run(command="echo a")).text == "a"
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    os.close(free := os.dup(0))  # the lowest number that is free
    resource.setrlimit(resource.RLIMIT_NOFILE, (free + 1, hard))
    try:
        result = await bench.run(command="echo a")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert result.error is not None
    assert "Too many open files" in result.text
    assert (await bench.run(command="echo a")).text == "a"


# ── given up ──────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "command",
    ["SLEEP", "SLEEP & SLEEP", "setsid -w SLEEP", "trap '' TERM; while :; do SLEEP; done", "yes"],
)
async def test_who_gives_up_leaves_nothing_running(tmp_path: Path, command: str) -> None:
    kit, sleep = Toolkit(cwd=tmp_path, mode="bypass"), long_sleep()
    call = asyncio.create_task(
        kit.call("Bash", command=f"touch begun; {command.replace('SLEEP', sleep)}")
    )
    while not (tmp_path / "begun").exists():
        await asyncio.sleep(0)
    started = time.monotonic()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert time.monotonic() - started < 10
    until = time.monotonic() + 10
    while alive(sleep) or kit.agent.processes.running:
        await asyncio.sleep(0)
        assert time.monotonic() < until


async def test_the_next_command_runs_after_one_was_given_up(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path, mode="bypass")
    for _ in range(5):
        call = asyncio.create_task(kit.call("Bash", command=f"touch begun; {long_sleep()}"))
        while not (tmp_path / "begun").exists():
            await asyncio.sleep(0)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        (tmp_path / "begun").unlink()
        assert (await kit.call("Bash", command="echo next")).text == "next"


@pytest.mark.parametrize("moment", [0, 0.001, 0.005, 0.02, 0.1])
async def test_it_may_be_given_up_at_any_moment(tmp_path: Path, moment: float) -> None:
    kit, sleep, before = Toolkit(cwd=tmp_path, mode="bypass"), long_sleep(), descriptors()
    calls = [asyncio.create_task(kit.call("Bash", command=sleep)) for _ in range(3)]
    await asyncio.sleep(moment)
    for call in calls:
        call.cancel()
    await asyncio.gather(*calls, return_exceptions=True)
    kit.close()
    assert not alive(sleep)
    await settled(descriptors, before)


async def test_two_hundred_in_a_row_leave_no_descriptor(bench: Bench) -> None:
    await bench.run(command="true")
    before = descriptors()
    for number in range(200):
        assert (await bench.run(command=f"echo {number}")).text == str(number)
    await settled(descriptors, before)


async def test_many_that_read_run_at_once(bench: Bench, tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"f{number}").write_text(f"{number}\n", encoding="utf-8")
    results = await asyncio.gather(*(bench.run(command=f"cat f{n}") for n in range(20)))
    assert [result.text for result in results] == [str(n) for n in range(20)]


def test_it_works_without_a_loop_and_from_a_thread(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path, mode="bypass")
    assert kit.call_sync("Bash", command="echo a").text == "a"
    assert os.getpid() != int(kit.call_sync("Bash", command="echo $$").text)
    kit.close()
