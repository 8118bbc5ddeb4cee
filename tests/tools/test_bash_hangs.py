"""What hangs, floods or will not go away returns in time, with its output, and leaves nothing."""

import resource
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

import pytest

from ankrcode import Toolkit
from ankrcode.testing import Bench
from ankrcode.tools.bash import Bash
from torture import IS_TORTURE
from workspace.running import alive, descriptors, long_sleep, settle

LIMIT_MS = 1_000
GRACE_MS = 500 + 4_000  # until it is killed, and a bound for a busy machine
MANY = 1_000_000_000 if IS_TORTURE else 30_000_000


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(Bash, tmp_path, mode="bypass")
    before = descriptors()
    yield bench
    assert bench.kit.agent.processes.running == ()
    bench.kit.close()
    settle(descriptors, before)


# What it does: (command, what it has printed by then, does it end by itself)
HANGS = {
    "reads from nobody": ("echo a; cat", "a", True),
    "asks a question": ("echo a; read -p 'Sure? ' x; echo \"[$x]\"", "a\n[]", True),
    "serves": ("{python} -m http.server 0 -d {own} & echo a", "a", True),
    "serves and is waited for": ("echo a; {python} -m http.server 0 -d {own}", "a", False),
    "sleeps": ("echo a; {sleep}", "a", False),
    "says yes for ever": ("yes", "y\ny\ny", False),
    "ignores TERM": ("trap '' TERM; echo a; while :; do {sleep}; done", "a", False),
    "keeps the output open": ("setsid {sleep} & echo a", "a", True),
    "keeps it open in a session of its own": ("(setsid sh -c '{sleep} &' &); echo a", "a", True),
    "halts itself": ("echo a; kill -STOP $$", "a", False),
    "fills its own pipe": ("yes | {sleep}", "", False),
    "waits for a lock": ("exec 9>lock; echo a; flock 9; (flock 8) 8>lock", "a", False),
    "waits for a child that never ends": ("echo a; {sleep} & wait", "a", False),
    "speaks no UTF-8": ("printf 'a\\n\\xff\\xfe'; {sleep}", "a\n\ufffd\ufffd", False),
}


@pytest.mark.parametrize("what", HANGS)
async def test_it_returns_in_time_with_what_was_printed_and_nothing_is_left(
    bench: Bench, what: str
) -> None:
    command, expected, ends_itself = HANGS[what]
    sleep = long_sleep()
    own = bench.kit.agent.workspace.root  # nobody else's server is meant
    command = command.format(sleep=sleep, python=sys.executable, own=own)
    result = await bench.run(command=command, timeout=LIMIT_MS)
    assert result.duration_ms < LIMIT_MS + GRACE_MS
    assert result.text.startswith(expected)
    assert result.ok == ends_itself
    if not ends_itself:
        assert result.error is not None
        assert result.error.code == "TIMEOUT"
    assert not alive(sleep)
    assert not alive(f"http.server 0 -d {own}")


class Memory:
    """How much resident memory grows at most while this lasts."""

    def __enter__(self) -> "Memory":
        self._end = threading.Event()
        self._least = self._most = self._now()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def _now(self) -> int:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * resource.getpagesize()

    def _watch(self) -> None:
        while not self._end.wait(0.005):
            self._most = max(self._most, self._now())

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end.set()
        self._thread.join()

    @property
    def grown_mb(self) -> float:
        return (self._most - self._least) / 1e6


FLOODS = {
    "one line": f"head -c {MANY} /dev/zero | tr '\\0' x",
    "short lines": f"yes | head -c {MANY}",
    "noise": f"head -c {MANY} /dev/urandom",
}


@pytest.mark.torture
@pytest.mark.parametrize("what", FLOODS)
async def test_a_flood_is_saved_whole_in_little_memory(bench: Bench, what: str) -> None:
    await bench.run(command="seq 100000")  # what is made once is made
    with Memory() as memory:
        result = await bench.run(command=FLOODS[what], timeout=600_000)
    assert memory.grown_mb < 64
    assert result.ok
    assert len(result.text) <= 30_000
    assert result.metadata["output_bytes"] == MANY
    path = Path(result.metadata["saved_to"])
    # In enough noise something looks like a secret now and then.
    assert abs(path.stat().st_size - MANY) <= (MANY // 100_000 if what == "noise" else 0)
    path.unlink()


@pytest.mark.torture
async def test_a_flood_in_the_background_is_bounded_too(tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path, mode="bypass")
    with Memory() as memory:
        started = await kit.call("Bash", command=FLOODS["short lines"], run_in_background=True)
        ended = await kit.call("TaskOutput", task_id=started.value.task_id, timeout=600_000)
    assert memory.grown_mb < 64
    assert ended.value.task.is_completed
    assert ended.value.task.next_offset == MANY
    assert ended.text.startswith(f"Task {started.value.task_id}: completed")
    kit.close()


async def test_a_watcher_gets_a_flood_in_sips(bench: Bench) -> None:
    result = await bench.run(command=f"yes | head -c {MANY}", timeout=600_000)
    assert result.ok
    assert len(bench.output) < 2_000_000
    assert "bytes not shown here" in bench.output
    Path(result.metadata["saved_to"]).unlink()


async def test_a_fork_storm_is_ended_as_a_whole(bench: Bench) -> None:
    sleep = long_sleep()
    command = f"for i in $(seq 100); do (setsid {sleep} &); {sleep} & done; wait"
    result = await bench.run(command=command, timeout=LIMIT_MS)
    assert result.error is not None
    assert result.duration_ms < LIMIT_MS + GRACE_MS
    assert not alive(sleep)
