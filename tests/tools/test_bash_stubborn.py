"""Commands that stay, wait, hide or go deaf: each is ended in time, and no process is left."""

import pytest

from tools.places import Place, place
from workspace.running import bearing, settled, threads

__all__ = ["place"]  # a fixture

LIMIT_MS = 300


# ── they do not end ───────────────────────────────────────────────────────────────────────────
STAYS = {
    "a sleep": "echo a; SLEEP",
    "a sleep in a subshell": "(echo a; SLEEP)",
    "a sleep in a pipeline": "(echo a; SLEEP) | cat",
    "a sleep in a substitution": "echo a; x=$(SLEEP)",
    "a sleep that replaced the shell": "echo a; exec SLEEP",
    "a loop": "echo a; while :; do :; done",
    "a loop of builtins": "echo a; until false; do printf ''; done",
    "a loop of programs": "echo a; while :; do /bin/true; done",
    "a recursion of shells": "echo a; f() { bash -c 'SLEEP'; }; f",
    "waiting": "echo a; SLEEP & wait",
    "waiting for a job in the foreground": "set -m; echo a; SLEEP & fg >/dev/null",
    "reading a named pipe": "echo a; mkfifo p; cat p",
    "writing to a named pipe": "echo a; mkfifo p; echo x >p",
    "reading what never comes": "echo a; cat <(SLEEP)",
    "writing to who never reads": "echo a; yes > >(SLEEP)",
    "reading from a coprocess": "coproc SLEEP; echo a; read x <&${COPROC[0]}",
    "a lock": "exec 9>lock; flock 9; echo a; flock lock true",
    "halted by itself": "echo a; kill -STOP $$",
    "halted as a group": "echo a; kill -STOP 0",
    "halted children": "echo a; SLEEP & kill -STOP $!; wait",
    "deaf to TERM": "trap '' TERM; echo a; while :; do SLEEP; done",
    "deaf to everything": "trap '' HUP INT QUIT TERM TSTP CONT USR1; echo a; while :; do :; done",
    "answers TERM and stays": "trap 'echo no' TERM; echo a; while :; do sleep 0.01; done",
    "answers TERM with a child": "trap 'setsid SLEEP &' TERM; echo a; while :; do sleep 0.01; done",
    "stays in its EXIT trap": "trap 'while :; do :; done' EXIT; echo a; SLEEP",
    "another session": "echo a; setsid -w SLEEP",
    "another session that is deaf": "echo a; setsid -w sh -c 'trap \"\" TERM; SLEEP; SLEEP'",
    "closed its output": "echo a; exec >&- 2>&-; SLEEP",
    "sent its output away": "echo a; exec >/dev/null 2>&1; SLEEP",
    "closed everything": "echo a; exec <&- >&- 2>&-; SLEEP",
    "closed what we listen to": 'echo a; for f in {3..255}; do eval "exec $f>&-"; done; SLEEP',
    "prints for ever": "echo a; yes",
    "prints errors for ever": "echo a; yes >&2",
    "prints nothing for ever": "echo a; cat /dev/zero >/dev/null",
    "prints zeros for ever": "echo a; cat /dev/zero",
    "a forest": "echo a; for i in {1..30}; do SLEEP & setsid SLEEP & done; wait",
    "a chain": "f() { (( $1 )) && f $(($1 - 1)) || SLEEP; }; echo a; (f 30)",
    "children that are reborn": "echo a; while :; do (setsid SLEEP &); sleep 0.01; done",
    "Python deaf to signals": (
        "echo a; PYTHON -c 'import signal; signal.signal(15, signal.SIG_IGN); signal.pause()'"
    ),
    "Python that blocks signals": (
        "echo a; PYTHON -c 'import signal, time; "
        "signal.pthread_sigmask(0, range(1, 65)); time.sleep(1000)'"
    ),
}


@pytest.mark.parametrize("command", STAYS.values(), ids=STAYS)
async def test_who_stays_is_ended_in_time_with_all_that_it_started(
    place: Place, command: str
) -> None:
    before = threads()
    result = await place.bench.run(command=place.prepared(command), timeout=LIMIT_MS)
    assert result.duration_ms < LIMIT_MS + 500 + 4_000, "the grace, and a bound for a busy machine"
    assert result.text.startswith("a")
    assert result.value.timed_out
    assert result.error is not None
    assert result.error.code == "TIMEOUT"
    assert bearing(place.mark) == []
    await settled(threads, before + 2)  # the loop's own; who sees the guardian off ends soon


# ── the same in the background ────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("what", list(STAYS)[::8])
async def test_who_stays_in_the_background_ends_with_its_owner(place: Place, what: str) -> None:
    command = place.prepared(STAYS[what])
    started = await place.bench.run(command=command, run_in_background=True)
    task = place.bench.kit.agent.tasks.get(started.value.task_id)
    while not task.work.output.total:
        assert not task.work.wait(0.005)
    place.bench.kit.close()
    assert task.work.is_done
    assert bearing(place.mark) == []


@pytest.mark.parametrize("what", ["a loop", "deaf to TERM", "another session", "halted by itself"])
async def test_who_is_moved_to_the_background_goes_on_until_its_owner_ends(
    place: Place, what: str
) -> None:
    command = place.prepared(STAYS[what])
    moved = await place.bench.run(command=command, timeout=LIMIT_MS, on_timeout="background")
    assert moved.ok
    assert moved.value.output == "a\n"
    assert moved.value.exit_code is None
    assert bearing(place.mark) != []
    place.bench.kit.close()
    assert bearing(place.mark) == []
