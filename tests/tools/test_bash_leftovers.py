"""Commands that end and leave somebody behind, or wait for somebody who is not there."""

import time

import pytest

from tools.places import Place, place
from workspace.running import bearing, long_sleep

__all__ = ["place"]  # a fixture


# ── they end by themselves, but leave somebody behind ─────────────────────────────────────────
LEAVES = {
    "nohup": "nohup SLEEP & echo a",
    "nohup without output": "nohup SLEEP >/dev/null 2>&1 & echo a",
    "disown": "SLEEP & disown; echo a",
    "disown of everything": "set -m; SLEEP & SLEEP & disown -a; echo a",
    "setsid": "setsid SLEEP & echo a",
    "setsid that forks": "setsid -f SLEEP; echo a",
    "two forks": "( ( SLEEP & ) & ); echo a",
    "two forks and a session": "( setsid bash -c 'SLEEP & SLEEP' & ); echo a",
    "deaf to HUP": "(trap '' HUP; SLEEP) & echo a",
    "deaf to all that can be ignored": (
        "(trap '' HUP INT QUIT TERM TSTP TTIN TTOU USR1 USR2 PIPE; SLEEP; SLEEP; SLEEP) & echo a"
    ),
    "a coprocess": "coproc SLEEP; echo a",
    "a coprocess with a name": "coproc friend { cat; SLEEP; }; echo a",
    "a process that is written to": "echo a | tee >(SLEEP)",
    "a process that is read from": "exec 7< <(SLEEP); echo a",
    "a pipe that is never read": "SLEEP | SLEEP & echo a",
    "an endless loop": "(while :; do :; done) & echo a",
    "a loop of sleeps": "(while :; do sleep 0.01; done) & echo a",
    "halted": "SLEEP & kill -STOP $!; echo a",
    "a group of its own": "set -m; (SLEEP) & echo a",
    "low priority": "nice -n 19 SLEEP & echo a",
    "another name": "(exec -a innocent SLEEP) & echo a",
    "another directory": "(cd / && SLEEP) & echo a",
    "without environment": "env -i /bin/SLEEP & echo a",
    "closed descriptors": "SLEEP <&- >&- 2>&- & echo a",
    "ended by exec": "SLEEP & exec echo a",
    "ended by a signal": "echo a; SLEEP & kill -TERM $$",
    "killed": "echo a; SLEEP & kill -KILL $$",
    "ended by an error": "set -e; echo a; SLEEP & false; echo never",
    "ended by a missing variable": "set -u; echo a; SLEEP & echo $never",
    "a child of xargs": "echo x | xargs -P 4 -I{} sh -c 'SLEEP &'; echo a",
    "an interactive shell": "bash -i -c 'SLEEP & echo a' 2>/dev/null",
    "a login shell": "bash -l -c 'SLEEP & echo a' 2>/dev/null",
    "a server": "PYTHON -m http.server --bind 127.0.0.1 0 >/dev/null 2>&1 & echo a",
    "a zombie's parent": (
        "PYTHON -c 'import os, time; os.fork() or os._exit(0); time.sleep(1000)' & echo a"
    ),
    "a thread's child": (
        "PYTHON -c 'import subprocess, threading; "
        'threading.Thread(target=subprocess.run, args=(["sleep", "1000"],)).start()\' & echo a'
    ),
}


@pytest.mark.parametrize("command", LEAVES.values(), ids=LEAVES)
async def test_what_it_leaves_behind_holds_nobody_up_and_ends(place: Place, command: str) -> None:
    started = time.monotonic()
    result = await place.bench.run(command=place.prepared(command), timeout=20_000)
    assert time.monotonic() - started < 5
    assert result.text.startswith("a")
    assert not result.value.timed_out
    assert bearing(place.mark) == []


async def test_it_says_what_it_stopped(place: Place) -> None:
    sleep = long_sleep()
    result = await place.bench.run(command=f"{sleep} & echo a")
    assert result.ok
    assert sleep in result.text
    assert result.metadata["left_behind"] == (sleep,)


async def test_a_child_that_ends_at_once_is_not_held_against_it(place: Place) -> None:
    for _ in range(5):
        result = await place.bench.run(command="(echo late) & echo a")
        assert result.ok
        assert sorted(result.text.split()) == ["a", "late"]
        assert "left_behind" not in result.metadata


async def test_what_is_printed_just_after_the_end_is_heard(place: Place) -> None:
    result = await place.bench.run(command="(sleep 0.03; echo late) & echo a")
    assert result.text.startswith("a\nlate")


# ── they wait for somebody who is not there, and get the end of the file ──────────────────────
NOBODY_ANSWERS = {
    "cat": ("cat; echo $?", "0"),
    "read": ("read x; echo $?", "1"),
    "read with a question": ("read -p 'Sure? ' x; echo [$x]", "[]"),
    "a password": ("read -s -p 'Password: ' x; echo [$x]", "[]"),
    "select": ("select x in a b; do break; done 2>/dev/null; echo over", "over"),
    "the terminal": ("read x </dev/tty; echo $?", "/dev/tty: No such device"),
    "printing on the terminal": ("echo x >/dev/tty; echo $?", "/dev/tty: No such device"),
    "settings of the terminal": ("stty -a; echo $?", "'standard input': Inappropriate"),
    "size of the terminal": ("tty; echo $?", "not a tty"),
    "is it a terminal": ("for f in 0 1 2; do [ -t $f ] || echo no $f; done", "no 0\nno 1\nno 2"),
    "a password in Python": (
        "PYTHON -W ignore -c 'import getpass; getpass.getpass()' 2>&1 | tail -n 1",
        "EOFError",
    ),
    "a question in Python": ("PYTHON -c 'input()' 2>&1 | tail -n 1", "EOFError"),
    "a Python prompt": ("PYTHON; echo $?", "0"),
    "a Python prompt by force": ("PYTHON -q -i 2>&1; echo; echo over $?", ">>> \n"),
    "a shell": ("bash; echo $?", "0"),
    "an interactive shell": ("bash --norc -i 2>/dev/null; echo over", "over"),
    "sort": ("sort; wc -c", "0"),
    "a pager": ("echo x | more; echo x | ${PAGER}", "x\nx"),
    "rm asks": ("touch f; chmod 0 f; rm -i f 2>/dev/null; ls f", "f"),
    "a here document that never ends": ("cat <<END\nhello", "bash: line 2: warning"),
}


@pytest.mark.parametrize(("command", "expected"), NOBODY_ANSWERS.values(), ids=NOBODY_ANSWERS)
async def test_who_waits_for_an_answer_gets_the_end_of_the_file(
    place: Place, command: str, expected: str
) -> None:
    started = time.monotonic()
    result = await place.bench.run(command=place.prepared(command), timeout=20_000)
    assert time.monotonic() - started < 5
    assert expected in result.text
    assert not result.value.timed_out
