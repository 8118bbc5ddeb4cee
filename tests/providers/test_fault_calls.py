"""The fault matrix, second part: what is odd but whole, and what happens around calls.

A call is told once, with all of its arguments, or not at all; after it nothing is asked again.
"""

import asyncio
import time

import pytest

from ankrcode.protocol.stream import CallBroken, FailureKind, Stopped, StopReason, TextGrew
from ankrcode.providers.health import Health
from ankrcode.providers.resolve import model_for
from providers.asking import KEYS, asked, question, quick
from providers.server import (
    CLOSE,
    HANG,
    LAST,
    RESET,
    Play,
    Step,
    answer,
    chunk,
    head,
    serving,
    streamed,
)
from providers.streams import (
    ANTHROPIC_ANSWER,
    ANTHROPIC_BEGIN,
    ANTHROPIC_CALL,
    ANTHROPIC_ERROR,
    ANTHROPIC_TEXT,
    ANTHROPIC_WITH_CALL,
    ARGUMENTS,
    CHAT_ANSWER,
    CHAT_CALL,
    CHAT_CALLS_STOP,
    CHAT_DONE,
    CHAT_ERROR,
    CHAT_LENGTH,
    CHAT_SECOND_CALL,
    CHAT_STOP,
    CHAT_TEXT,
    CHAT_USAGE,
    CHAT_WHOLE,
    CHAT_WITH_CALL,
)
from providers.test_faults import GOOD, LASTING, MODEL, PASSING, begun, error

CLAUDE = "anthropic/test-model"


# ── it is odd, but whole ────────────────────────────────────────────────────────────────────────
def slowly(events: list[bytes], pause: float = 0.0005) -> Play:
    """A byte at a time."""
    data = b"".join(events)
    steps: list[Step] = [head()]
    for at in range(len(data)):
        steps += [chunk(data[at : at + 1])]
        if at % 50 == 0:
            steps.append(pause)
    return [*steps, LAST]


WHOLE: dict[str, Play] = {
    "as it should be": GOOD,
    "all in one chunk": streamed(b"".join(CHAT_ANSWER)),
    "a byte at a time": slowly(CHAT_ANSWER),
    "the end twice": streamed(*CHAT_ANSWER, *CHAT_DONE),
    "the stop twice": streamed(*CHAT_TEXT, *CHAT_STOP, *CHAT_STOP, *CHAT_DONE),
    "the whole answer twice": streamed(*CHAT_ANSWER, *CHAT_ANSWER),
    "no end after the stop": streamed(*CHAT_TEXT, *CHAT_STOP, *CHAT_USAGE),
    "noise after the end": streamed(*CHAT_ANSWER, b"data: {nonsense\n\n"),
    "no usage": streamed(*CHAT_TEXT, *CHAT_STOP, *CHAT_DONE),
    "comments between": streamed(b": hi\n\n", CHAT_TEXT[0], b": hi\n\n", *CHAT_ANSWER[1:]),
    "CRLF": streamed(*(event.replace(b"\n", b"\r\n") for event in CHAT_ANSWER)),
    "a byte order mark": streamed(b"\xef\xbb\xbf" + CHAT_ANSWER[0], *CHAT_ANSWER[1:]),
    "no length and no chunks": [
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + b"".join(CHAT_ANSWER),
        CLOSE,
    ],
    "HTTP/1.0": [
        b"HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + b"".join(CHAT_ANSWER),
        CLOSE,
    ],
    "a length": [answer(b"".join(CHAT_ANSWER), content_type="text/event-stream")],
    "no content type": [answer(b"".join(CHAT_ANSWER), content_type="")],
    "an unknown content type": [answer(b"".join(CHAT_ANSWER), content_type="x/y")],
    "labelled as JSON": [answer(b"".join(CHAT_ANSWER))],
    "in one piece, unasked": [answer(CHAT_WHOLE)],
    "in one piece, without a content type": [answer(CHAT_WHOLE, content_type="")],
    "blank lines first": [answer(b"\n\n  \n" + CHAT_WHOLE)],
    "information first": [b"HTTP/1.1 100 Continue\r\n\r\n", *GOOD],
    "trailers": [head(), *map(chunk, CHAT_ANSWER), b"0\r\nX-Checksum: 1\r\n\r\n"],
    "reset after the end": [*begun(*CHAT_ANSWER), 0.02, RESET],
    "never closed after the end": [*begun(*CHAT_ANSWER), HANG],
}


@pytest.mark.parametrize("play", WHOLE.values(), ids=WHOLE)
async def test_what_is_whole_is_read_at_the_first_try(play: Play) -> None:
    async with serving(play) as server:
        outcome = await asked(MODEL, server.url)
    assert outcome.end == Stopped(reason=StopReason.END, raw="stop")
    assert outcome.text == "Hello, world"
    assert len(server.heard) == 1
    assert outcome.waits == []


# ── calls ───────────────────────────────────────────────────────────────────────────────────────
AFTER_A_CALL: dict[str, Play] = {
    "closed": [CLOSE],
    "reset": [0.02, RESET],
    "silence": [HANG],
    "an error in the stream": [*map(chunk, CHAT_ERROR), LAST],
    "malformed JSON": [chunk(b"data: {nonsense\n\n"), LAST],
    "a wrong chunk": [0.05, b"zz\r\n", CLOSE],
    "closed inside an event": [chunk(b'data: {"choi'), CLOSE],
    "no end": [LAST],
}


@pytest.mark.parametrize("play", AFTER_A_CALL.values(), ids=AFTER_A_CALL)
async def test_after_a_whole_call_nothing_is_asked_again(play: Play) -> None:
    """The first call was closed by the beginning of a second one: it may be running."""
    first = begun(*CHAT_TEXT, *CHAT_CALL, *CHAT_SECOND_CALL)
    async with serving([*first, *play], GOOD) as server:
        outcome = await asked(MODEL, server.url)
    assert len(server.heard) == 1
    assert outcome.failure.kind is FailureKind.CUT
    assert [call.arguments for call in outcome.calls] == [ARGUMENTS]
    broken = [event for event in outcome.events if isinstance(event, CallBroken)]
    assert [call.name for call in broken] == ["Read"]


@pytest.mark.parametrize("play", AFTER_A_CALL.values(), ids=AFTER_A_CALL)
async def test_the_same_holds_where_a_block_closes_the_call(play: Play) -> None:
    first = begun(*ANTHROPIC_BEGIN, *ANTHROPIC_TEXT, *ANTHROPIC_CALL)
    rest = [ANTHROPIC_ERROR[0] if step == chunk(CHAT_ERROR[0]) else step for step in play]
    rest = [chunk(step) if step is ANTHROPIC_ERROR[0] else step for step in rest]
    async with serving([*first, *rest], streamed(*ANTHROPIC_ANSWER)) as server:
        outcome = await asked(CLAUDE, server.url)
    assert len(server.heard) == 1
    assert outcome.failure.kind is FailureKind.CUT
    assert [call.arguments for call in outcome.calls] == [ARGUMENTS]


@pytest.mark.parametrize("end", [CLOSE, RESET])
@pytest.mark.parametrize(
    ("name", "events"),
    [(MODEL, CHAT_WITH_CALL), (CLAUDE, ANTHROPIC_WITH_CALL)],
    ids=["chat", "anthropic"],
)
async def test_cut_after_every_event_a_call_is_whole_or_broken(
    name: str, events: list[bytes], end: str
) -> None:
    for count in range(len(events)):
        async with serving([*begun(*events[:count]), 0.005, end]) as server:
            outcome = await asked(name, server.url, quick(retries=0))
        is_stopped = isinstance(outcome.end, Stopped)
        for call in outcome.calls:
            assert call.arguments == ARGUMENTS
        if not is_stopped:
            expected = FailureKind.CUT
            assert outcome.failure.kind is expected, count
        else:  # the vendor had said why it ends
            assert count >= len(events) - 2, count


@pytest.mark.parametrize(
    ("name", "events"),
    [(MODEL, CHAT_WITH_CALL), (CLAUDE, ANTHROPIC_WITH_CALL)],
    ids=["chat", "anthropic"],
)
async def test_cut_at_any_byte_nothing_is_made_up(name: str, events: list[bytes]) -> None:
    """The whole answer as it is on the wire, cut in its head, its chunks and its events."""
    raw = b"".join(step for step in streamed(*events) if isinstance(step, bytes))
    for place in range(3, len(raw) - len(LAST), 23):
        async with serving([raw[:place], CLOSE]) as server:
            outcome = await asked(name, server.url, quick(retries=0))
        assert [call.arguments for call in outcome.calls] in ([], [ARGUMENTS]), place
        assert "Hello, world".startswith(outcome.text), place
        if not isinstance(outcome.end, Stopped):
            assert outcome.failure.kind in (FailureKind.CUT, FailureKind.NETWORK), place


async def test_a_call_cut_by_the_limit_is_never_whole() -> None:
    async with serving(streamed(*CHAT_CALL[:2], *CHAT_LENGTH, *CHAT_DONE)) as server:
        outcome = await asked(MODEL, server.url)
    assert outcome.calls == []
    assert outcome.end == Stopped(reason=StopReason.LENGTH, raw="length")
    assert any(isinstance(event, CallBroken) for event in outcome.events)


async def test_a_call_whose_arguments_are_not_json_is_broken() -> None:
    bad = CHAT_CALL[2].replace(b'b\\"}', b"b")
    async with serving(streamed(*CHAT_CALL[:2], bad, *CHAT_CALLS_STOP, *CHAT_DONE)) as server:
        outcome = await asked(MODEL, server.url)
    assert outcome.calls == []
    assert any(isinstance(event, CallBroken) for event in outcome.events)


async def test_a_call_is_told_once_even_if_the_end_comes_twice() -> None:
    events = [*CHAT_CALL, *CHAT_CALLS_STOP, *CHAT_CALLS_STOP, *CHAT_USAGE, *CHAT_DONE, *CHAT_DONE]
    async with serving(streamed(*events)) as server:
        outcome = await asked(MODEL, server.url)
    assert [call.arguments for call in outcome.calls] == [ARGUMENTS]
    assert outcome.end == Stopped(reason=StopReason.TOOL_USE, raw="tool_calls")


# ── letting go ──────────────────────────────────────────────────────────────────────────────────
async def test_who_stops_listening_closes_the_connection() -> None:
    async with serving([*begun(*CHAT_TEXT), HANG]) as server:
        model = model_for(MODEL, quick(), KEYS, base_url=server.url, health=Health())
        events = model.stream(question())
        assert await anext(events) == TextGrew(text="Hello")
        await events.aclose()  # type: ignore[attr-defined]
        await asyncio.wait_for(server.gone.wait(), 20)
        await model.close()


async def test_a_wait_can_be_interrupted() -> None:
    patient = quick(max_wait_s=60.0, max_total_wait_s=60.0)
    async with serving(error(429, "Slow", Retry_After="50")) as server:
        model = model_for(MODEL, patient, KEYS, base_url=server.url, health=Health())

        async def listen() -> None:
            async for _ in model.stream(question()):
                waiting.set()

        waiting = asyncio.Event()
        task = asyncio.create_task(listen())
        await asyncio.wait_for(waiting.wait(), 20)
        began = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert time.monotonic() - began < 10  # not the 50 seconds
        await model.close()


def test_the_matrix_is_as_large_as_promised() -> None:
    assert len(PASSING) + len(LASTING) + len(WHOLE) + 2 * len(AFTER_A_CALL) >= 100
