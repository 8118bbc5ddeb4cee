"""What a session costs, as ratios measured in one run.

make bench            everything
python benchmarks/sessions.py --quick      fewer rounds, a shorter session
"""

import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from ankrcode.protocol.call import ToolCall
from ankrcode.protocol.message import Message, TextPart
from ankrcode.protocol.result import ToolResult
from ankrcode.sessions.conversation import messages
from ankrcode.sessions.index import SessionIndex
from ankrcode.sessions.log import read_bytes, read_log, read_turns
from ankrcode.sessions.recorder import SessionRecorder
from ankrcode.sessions.records import AnyRecord, Compacted, Named, encoded
from ankrcode.sessions.store import SessionStore
from ankrcode.workspace.framing import framed

IS_QUICK = "--quick" in sys.argv
ROUNDS = 50 if IS_QUICK else 400
TURNS = 1_000 if IS_QUICK else 10_000
REQUEST_S = 0.02  # a very fast model
SAID = Message(role="user", parts=(TextPart(text="Please mend the test. " * 5),))
ANSWER = Message(role="assistant", parts=(TextPart(text="Done: it was the clock. " * 10),))


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = SessionStore(Path(folder, "sessions"))
        await cost_of_a_turn(store, Path(folder))
        await overlap(store)
        long_session(store)


def recorder_of(store: SessionStore, name: str) -> SessionRecorder:
    opened = store.create(name, 1.0, cwd="/work", roots=("/work",))
    return SessionRecorder(opened.log, opened.state, now=time.time)


def note_turn(recorder: SessionRecorder, number: int) -> None:
    """A question, two calls with their results, an answer: about four kilobytes."""
    recorder.turn_started(f"turn_{number}", SAID)
    for which in "ab":
        call_id = f"call_{number}{which}"
        call = ToolCall(name="Read", arguments={"file_path": f"src/{number}.py"}, id=call_id)
        recorder.begun(call, turn_id=f"turn_{number}")
        recorder.ended(ToolResult(call_id=call_id, text="line of code\n" * 100))


# ── a turn ────────────────────────────────────────────────────────────────────────────────────
async def cost_of_a_turn(store: SessionStore, folder: Path) -> None:
    """Against one write and one fsync of the very same bytes."""
    recorder = recorder_of(store, "turns")
    start = recorder.log.size
    note_turn(recorder, 0)
    await recorder.turn_ended("turn_0", ANSWER)
    data = read_bytes(recorder.log.path, start)
    handle = os.open(folder / "bare", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    async def bare() -> None:
        os.write(handle, data)
        os.fsync(handle)

    async def ours() -> None:
        note_turn(recorder, 1)
        await recorder.turn_ended("turn_1", ANSWER)

    plain, recorded = await side_by_side(bare, ours)
    print(f"write + fsync, {len(data):5} bytes {plain:8.3f} ms")
    ratio = recorded / plain
    print(f"a turn in the log          {recorded:8.3f} ms   ours / bare: {ratio:.2f} (bar 1.5)")
    os.close(handle)
    recorder.close()


async def overlap(store: SessionStore) -> None:
    """The disk works while the model does: a request is not later for it."""
    recorder = recorder_of(store, "overlap")

    async def alone() -> None:
        await asyncio.sleep(REQUEST_S)

    async def beside() -> None:
        note_turn(recorder, 0)
        recorder.sync_soon()
        await asyncio.sleep(REQUEST_S)
        await recorder.synced()

    plain, ours = await side_by_side(alone, beside, ROUNDS // 4)
    print(f"a request of {REQUEST_S * 1000:.0f} ms        {plain:8.3f} ms")
    print(f"with a turn put on disk    {ours:8.3f} ms   added: {ours - plain:.3f} ms")
    recorder.close()


async def side_by_side(
    one: Callable[[], Awaitable[None]], other: Callable[[], Awaitable[None]], rounds: int = ROUNDS
) -> tuple[float, float]:
    """In ms, measured by turns, so that a busy machine is busy for both.

    A quarter of the times is shorter: the rest tells more about what others do with the disk.
    """
    times: tuple[list[float], list[float]] = ([], [])
    pairs = [(one, times[0]), (other, times[1])]
    for _ in range(rounds):
        pairs.reverse()  # neither always comes after the other
        for work, found in pairs:
            start = time.perf_counter()
            await work()
            found.append((time.perf_counter() - start) * 1000)
    first, second = (statistics.quantiles(found, n=4)[0] for found in times)
    return first, second


# ── a long session ────────────────────────────────────────────────────────────────────────────
def long_session(store: SessionStore) -> None:
    recorder = recorder_of(store, "long")
    for number in range(TURNS):
        note_turn(recorder, number)
        if number == TURNS - TURNS // 20:  # as every long conversation is, now and then
            recorder.note(Compacted(messages=(SAID,), at=time.time()))
    recorder.close()
    path = store.path_of("long")
    size = Path(path).stat().st_size
    print(f"a session of {TURNS} turns, {size / 1e6:.1f} MB")
    print(f"  resume, with messages    {best(lambda: resumed(store)):8.1f} ms   (bar 300)")
    for count in (10, 100, 1_000):
        shown = best(lambda count=count: read_turns(path, count))  # type: ignore[misc]
        print(f"  show the last {count:5}      {shown:8.1f} ms")
    print(f"  read all of it           {best(lambda: read_log(path)):8.1f} ms")
    index = SessionIndex(store)
    print(f"  index it                 {timed(index.sessions):8.1f} ms")
    add(store, Named(title="found"))
    print(f"  list after one more      {timed(index.sessions):8.1f} ms")
    print(f"  search                   {best(lambda: index.search('clock')):8.1f} ms")


def resumed(store: SessionStore) -> None:
    opened = store.resume("long", 1.0)
    assert messages(opened.log.path, opened.state)
    opened.log.close()


def add(store: SessionStore, record: AnyRecord) -> None:
    with Path(store.path_of("long")).open("ab") as file:
        file.write(framed(encoded(record)))


def best(work: Callable[[], object]) -> float:
    return min(timed(work) for _ in range(5))


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000


if __name__ == "__main__":
    asyncio.run(main())
