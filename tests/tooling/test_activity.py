"""The stream of events: observers look on, and can harm nothing."""

import asyncio
import threading
import time

import pytest

from ankrcode import Event, Permission, ToolContext, Toolkit, UsageError, tool
from ankrcode.protocol.event import (
    Noticed,
    ToolCallEnded,
    ToolCallStarted,
    ToolOutputChunk,
    ToolProgressed,
)
from ankrcode.testing import Bench
from ankrcode.tooling import supervise
from ankrcode.tooling.activity import ActivityStream


def chunk(text: str) -> ToolOutputChunk:
    return ToolOutputChunk(tool="t", text=text)


@pytest.mark.requirement("S1-021")
def test_one_type_is_heard_until_unsubscribed() -> None:
    stream = ActivityStream()
    heard: list[Event] = []
    unsubscribe = stream.subscribe("tool_output_chunk", heard.append)
    stream.publish(chunk("a"))
    stream.publish(Noticed(key="cancelled"))
    stream.flush()
    unsubscribe()
    stream.publish(chunk("b"))
    stream.flush()
    assert heard == [chunk("a")]
    assert not stream.is_watched


@pytest.mark.requirement("S1-022")
def test_every_type_is_heard_in_order() -> None:
    stream: ActivityStream = ActivityStream()
    heard: list[Event] = []
    stream.subscribe("*", heard.append)
    sent = [chunk(str(n)) for n in range(1_000)]
    for event in sent:
        stream.publish(event)
    assert stream.flush()
    assert heard == sent


def test_an_unknown_type_is_refused_and_the_known_ones_are_named() -> None:
    with pytest.raises(UsageError, match="tool_call_start"):
        ActivityStream().subscribe("tool_start", print)


def test_a_raising_observer_goes_on_hearing_and_the_others_too() -> None:
    stream: ActivityStream = ActivityStream()
    heard: list[Event] = []

    def raising(event: Event) -> None:
        heard.append(event)
        raise RuntimeError("boom")

    stream.subscribe("*", raising)
    stream.subscribe("*", heard.append)
    stream.publish(chunk("a"))
    stream.publish(chunk("b"))
    assert stream.flush()
    assert len(heard) == 4


async def test_an_observer_that_blocks_delays_no_call() -> None:
    @tool(permission=Permission.READ)
    async def quick() -> str:
        """Answer at once."""
        return "done"

    bench, release = Bench(quick), threading.Event()
    bench.kit.on("*", lambda _: release.wait(30))
    async with asyncio.timeout(5):
        for _ in range(10):
            assert (await bench.run()).text == "done"
    release.set()


def test_what_nobody_reads_is_bounded_and_the_newest_is_kept() -> None:
    stream, release = ActivityStream(), threading.Event()
    heard: list[str] = []

    def slow(event: Event) -> None:
        release.wait(30)
        heard.append(event.text)  # type: ignore[attr-defined]

    stream.subscribe("*", slow)
    for number in range(50_000):
        stream.publish(chunk(str(number)))
    assert stream.dropped >= 39_000
    release.set()
    assert stream.flush(30)
    assert heard[-1] == "49999"
    assert len(heard) <= 10_001


async def test_events_can_be_read_in_the_callers_own_loop() -> None:
    @tool(permission=Permission.READ)
    async def speak(ctx: ToolContext) -> str:
        """Say two things."""
        ctx.output("one\n")
        ctx.output("two\n")
        return "done"

    kit = Toolkit([speak])
    heard: list[str] = []

    async def listen() -> None:
        async for event in kit.events("tool_output_chunk", "tool_call_end"):
            heard.append(event.type)
            if event.type == "tool_call_end":
                return

    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        group.create_task(listen())
        await asyncio.sleep(0)  # it listens from now on
        await kit.call("speak")
    assert heard == ["tool_output_chunk", "tool_output_chunk", "tool_call_end"]


@pytest.mark.requirement("S1-018", "S1-048", "S3-011", "S4-033")
async def test_a_tool_streams_output_progress_and_metadata_while_it_works() -> None:
    @tool(permission=Permission.READ)
    async def work(ctx: ToolContext) -> str:
        """Work in steps."""
        ctx.metadata(title="Starting...")
        ctx.output("Processing\n")
        ctx.progress("half", 0.5)
        return "done"

    bench = Bench(work)
    result = await bench.run()
    assert bench.event_types == [
        "tool_call_start",
        "tool_metadata",
        "tool_output_chunk",
        "tool_progress",
        "tool_call_end",
    ]
    assert bench.output == "Processing\n"
    assert bench.events[1].metadata == {"title": "Starting..."}  # type: ignore[attr-defined]
    assert bench.events[3].fraction == 0.5  # type: ignore[attr-defined]
    assert {event.call_id for event in bench.events} == {result.call_id}
    assert all(abs(event.at - time.time()) < 60 for event in bench.events)


@pytest.mark.requirement("S1-049")
async def test_a_call_that_takes_long_says_so_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervise, "PROGRESS_AFTER_S", 0.02)
    heard = asyncio.Event()

    @tool(permission=Permission.READ)
    async def silent() -> str:
        """Say nothing until somebody has heard of it."""
        await heard.wait()
        return "done"

    bench, loop = Bench(silent), asyncio.get_running_loop()
    bench.kit.on("tool_progress", lambda _: loop.call_soon_threadsafe(heard.set))
    async with asyncio.timeout(5):
        await bench.run()
    progress = [event for event in bench.events if isinstance(event, ToolProgressed)]
    assert "silent has been running" in progress[0].text


async def test_only_what_somebody_watches_for_is_made() -> None:
    stream = ActivityStream()
    assert not stream.wants(ToolCallStarted)
    stop = stream.subscribe("tool_call_end", lambda event: None)
    assert stream.wants(ToolCallEnded)
    assert not stream.wants(ToolCallStarted)
    reader = stream.reader("tool_call_start")
    assert stream.wants(ToolCallStarted)
    reader.close()
    assert not stream.wants(ToolCallStarted)
    everything = stream.subscribe("*", lambda event: None)
    assert stream.wants(ToolCallStarted)
    everything()
    stop()
    assert not stream.wants(ToolCallEnded)
    assert not stream.is_watched
