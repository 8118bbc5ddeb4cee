"""`ankrcode sandbox run` on a real terminal: as if the program had been started without it."""

import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import pytest

from frontends.command import COMMAND, environment
from on_disk import folders  # noqa: F401
from sandbox.walls import PRESENT

pytestmark = pytest.mark.parametrize("wall", PRESENT)
PATIENCE_S = 20
Start = Callable[..., "pexpect.spawn[str]"]


@pytest.fixture
def start(wall: str, tmp_path: Path) -> Iterator[Start]:
    """Start a program behind the wall, on a terminal of its own."""
    started: list[pexpect.spawn[str]] = []

    def spawn(*command: str, options: tuple[str, ...] = ()) -> "pexpect.spawn[str]":
        words = [*COMMAND[1:], "--set", f"sandbox.wall={wall}", "sandbox", "run", *options, "--"]
        child = pexpect.spawn(
            COMMAND[0],
            [*words, *command],
            cwd=str(tmp_path),
            env=environment(),
            encoding="utf-8",
            timeout=PATIENCE_S,
            dimensions=(31, 97),
        )
        started.append(child)
        return child

    yield spawn
    for child in started:
        child.close(force=True)


def ended(child: "pexpect.spawn[str]") -> tuple[str, int | None]:
    child.expect(pexpect.EOF)
    child.close()
    return str(child.before), child.exitstatus


def everything_that_runs() -> str:
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True)
    return listed.stdout


WAITING = "echo ready; while :; do sleep 0.05; done"


def test_all_three_streams_are_the_terminal(start: Start) -> None:
    text, code = ended(start("sh", "-c", "test -t 0 && test -t 1 && test -t 2 && stty size"))
    assert (text, code) == ("31 97\r\n", 0)


def test_it_is_the_terminal_of_the_program_too(start: Start) -> None:
    text, code = ended(start("sh", "-c", "echo to-the-person > /dev/tty"))
    assert (text, code) == ("to-the-person\r\n", 0)


def test_what_is_typed_reaches_the_program_and_so_does_the_end(start: Start) -> None:
    child = start("cat")
    child.sendline("नमस्ते")
    child.expect("नमस्ते\r\nनमस्ते\r\n")
    child.sendeof()
    assert ended(child)[1] == 0


def test_an_answer_can_be_hidden_while_it_is_typed(start: Start) -> None:
    child = start("bash", "-c", "read -rsp 'word: ' word; echo; echo ${#word}")
    child.expect("word: ")
    child.sendline("hunter2")
    text, code = ended(child)
    assert (text.split(), code) == (["7"], 0)


@pytest.mark.parametrize(
    ("trap", "code"), [("exit 5", 5), ("trap - INT; kill -INT $$", 130), ("echo on; exit 0", 0)]
)
def test_the_program_decides_what_an_interrupt_means(trap: str, code: int, start: Start) -> None:
    child = start("sh", "-c", f"trap '{trap}' INT; {WAITING}")
    child.expect("ready")
    child.sendintr()
    assert ended(child)[1] == code


def test_a_program_that_does_not_care_is_ended_by_it(start: Start) -> None:
    child = start("sh", "-c", f"{WAITING}")
    child.expect("ready")
    child.sendintr()
    assert ended(child)[1] == 130


def test_a_program_may_ignore_it(start: Start) -> None:
    child = start("bash", "-c", "trap '' INT; echo ready; read -r line; echo got $line")
    child.expect("ready")
    child.sendintr()
    child.sendline("more")
    child.expect("got more")
    assert ended(child)[1] == 0


def test_the_program_hears_when_the_window_changes(start: Start) -> None:
    child = start("bash", "-c", f"trap 'stty size; exit' WINCH; {WAITING}")
    child.expect("ready")
    child.setwinsize(43, 121)
    child.expect("43 121")
    assert ended(child)[1] == 0


def test_a_shell_can_be_used_with_its_jobs(start: Start) -> None:
    child = start("bash", "--norc", "--noprofile", "-i")
    child.expect("# |\\$ ")
    child.sendline("bind 'set enable-bracketed-paste off'; PS1='> '")
    child.expect("\r> ")
    child.sendline("sleep 30 & jobs | grep -c sleep; kill %1; wait; echo $((6 * 7))")
    child.expect("\n1\r")
    child.expect("\n42\r")
    child.sendline("exit 3")
    text, code = ended(child)
    assert code == 3
    assert "job control" not in text


def test_it_can_be_halted_and_taken_up_again(wall: str, tmp_path: Path) -> None:
    shell = pexpect.spawn(
        "bash",
        ["--norc", "--noprofile", "-i"],
        cwd=str(tmp_path),
        env={**environment(), "TERM": "dumb", "PS1": "> "},
        encoding="utf-8",
        timeout=PATIENCE_S,
    )
    shell.expect("> ")
    shell.sendline(shlex.join([*COMMAND, "--set", f"sandbox.wall={wall}", "sandbox", "run", "cat"]))
    shell.sendline("one")
    shell.expect("one\r\none\r\n")
    shell.send("\x1a")
    shell.expect("Stopped")
    shell.sendline("fg")
    shell.sendline("two")
    shell.expect("two\r\ntwo\r\n")
    shell.sendeof()
    shell.expect("> ")
    shell.sendline("exit 0")
    assert ended(shell)[1] == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_who_ends_us_ends_the_program_and_nothing_is_left(
    number: signal.Signals, start: Start, tmp_path: Path
) -> None:
    nap = f"{9_870_000 + os.getpid()}.5"
    child = start("bash", "-c", f"echo ready; exec sleep {nap}")
    child.expect("ready")
    os.kill(child.pid, number)
    assert ended(child)[1] == 128 + number
    assert list(tmp_path.iterdir()) == []
    assert f"sleep {nap}" not in everything_that_runs()


def test_who_ends_us_twice_ends_also_one_that_will_not_hear(start: Start) -> None:
    child = start("bash", "-c", f"trap 'echo heard' TERM; {WAITING}")
    child.expect("ready")
    os.kill(child.pid, signal.SIGTERM)
    if child.expect(["heard", pexpect.EOF]) == 0:
        os.kill(child.pid, signal.SIGTERM)
        child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus in (128 + signal.SIGTERM, 128 + signal.SIGKILL)


def test_it_cannot_type_for_the_person(start: Start) -> None:
    script = (
        "import fcntl, sys\n"
        "for number in (0x5412, 0x541C):\n"
        "    try: fcntl.ioctl(0, number, b'x')\n"
        "    except OSError as e: print('refused')\n"
        "    else: print('ESCAPED')\n"
    )
    text, _ = ended(start(sys.executable, "-c", script))
    assert text.split() == ["refused", "refused"]


@pytest.mark.parametrize("target", ["0", "-$(ps -o pgid= -p $$ | tr -d ' ')", "$PPID"])
def test_it_cannot_end_those_who_share_its_terminal(target: str, start: Start) -> None:
    """We are of the same group: a signal to all of them would be one to us."""
    child = start("bash", "-c", f"kill -KILL -- {target}; sleep 0.1; exit 4")
    ended(child)
    assert child.signalstatus is None, "whoever started it was ended"


def test_what_it_leaves_behind_is_gone(start: Start) -> None:
    nap = f"{9_860_000 + os.getpid()}.5"
    ended(start("bash", "-c", f"setsid sleep {nap} & disown; sleep 0.1"))
    until = time.monotonic() + 15
    while f"sleep {nap}" in everything_that_runs():
        assert time.monotonic() < until


@pytest.mark.parametrize("code", [0, 77, 255])
def test_the_exit_code_is_handed_on(code: int, start: Start) -> None:
    assert ended(start("sh", "-c", f"exit {code}")) == ("", code)


@pytest.mark.parametrize("name", ["TERM", "SEGV"])
def test_an_end_by_a_signal_is_told_as_a_shell_does(name: str, start: Start) -> None:
    number = signal.Signals[f"SIG{name}"]
    assert ended(start("sh", "-c", f"kill -{name} $$"))[1] == 128 + number


def test_open_has_the_terminal_as_well(start: Start) -> None:
    child = start("sh", "-c", f"trap 'exit 6' INT; {WAITING}", options=("--profile", "open"))
    child.expect("ready")
    child.sendintr()
    assert ended(child)[1] == 6
