"""Streams for tests of the wire formats: how they are built, split, cut and read."""

import random
from binascii import crc32
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import msgspec

from ankrcode.protocol.message import Usage
from ankrcode.protocol.stream import (
    AnyStreamEvent,
    CallBroken,
    CallClosed,
    CallGrew,
    CallOpened,
    Failed,
    Failure,
    Stopped,
    TextGrew,
    ThinkingClosed,
    ThinkingGrew,
    Used,
)
from ankrcode.providers.wire import Reader, Target
from ankrcode.providers.wires import wire_named

Split = Callable[[bytes], Iterable[bytes]]


def target(*quirks: str, provider: str = "vendor", model: str = "model-1", **more: Any) -> Target:
    return Target(provider=provider, model=model, quirks=frozenset(quirks), **more)


# ── building ────────────────────────────────────────────────────────────────────────────────────
def json(value: Any) -> bytes:
    return msgspec.json.encode(value)


def sse(*events: Any, done: bool = False) -> bytes:
    """Events as Chat Completions and Gemini send them: only data."""
    lines = [b"data: " + (one if isinstance(one, bytes) else json(one)) + b"\n\n" for one in events]
    return b"".join(lines) + (b"data: [DONE]\n\n" if done else b"")


def named_sse(*events: dict[str, Any]) -> bytes:
    """Events as Anthropic and Responses send them: each with its name."""
    return b"".join(
        b"event: " + one["type"].encode() + b"\ndata: " + json(one) + b"\n\n" for one in events
    )


def ndjson(*events: Any) -> bytes:
    return b"".join(json(one) + b"\n" for one in events)


def frame(headers: dict[str, str], payload: bytes) -> bytes:
    """One frame of AWS's event stream."""
    packed = b"".join(_header(name, value) for name, value in headers.items())
    return framed(packed, payload)


def framed(packed: bytes, payload: bytes) -> bytes:
    """A frame around headers that are packed already."""
    total = 12 + len(packed) + len(payload) + 4
    prelude = total.to_bytes(4, "big") + len(packed).to_bytes(4, "big")
    prelude += crc32(prelude).to_bytes(4, "big")
    message = prelude + packed + payload
    return message + crc32(message).to_bytes(4, "big")


def _header(name: str, value: str) -> bytes:
    data = value.encode()
    return bytes([len(name)]) + name.encode() + b"\x07" + len(data).to_bytes(2, "big") + data


def event_frame(name: str, payload: Any) -> bytes:
    headers = {
        ":event-type": name,
        ":content-type": "application/json",
        ":message-type": "event",
    }
    return frame(headers, json(payload))


# ── splitting ───────────────────────────────────────────────────────────────────────────────────
def whole(data: bytes) -> Iterator[bytes]:
    yield data


def by_byte(data: bytes) -> Iterator[bytes]:
    for at in range(len(data)):
        yield data[at : at + 1]


def by_line(data: bytes) -> Iterator[bytes]:
    yield from data.splitlines(keepends=True)


def at_random(seed: int) -> Split:
    def split(data: bytes) -> Iterator[bytes]:
        rng = random.Random(seed)
        at = 0
        while at < len(data):
            size = rng.choice((1, 2, 3, 5, 17, 64, 200, 1000))
            yield data[at : at + size]
            at += size

    return split


SPLITS: dict[str, Split] = {
    "whole": whole,
    "byte": by_byte,
    "line": by_line,
    "random": at_random(1),
    "random again": at_random(2),
}


# ── reading ─────────────────────────────────────────────────────────────────────────────────────
def drained(
    reader: Reader, data: bytes, split: Split = whole, *, cut: bool = False
) -> list[AnyStreamEvent]:
    events: list[AnyStreamEvent] = []
    for piece in split(data):
        events += reader.feed(piece)
    return [*events, *reader.end(cut=cut)]


def read(
    wire: str, data: bytes, split: Split = whole, *quirks: str, cut: bool = False
) -> list[AnyStreamEvent]:
    return drained(wire_named(wire).reader(target(*quirks)), data, split, cut=cut)


def read_body(wire: str, body: Any, *quirks: str) -> list[AnyStreamEvent]:
    data = body if isinstance(body, bytes) else json(body)
    return wire_named(wire).read_whole(data, target(*quirks))


class Outcome(msgspec.Struct, frozen=True):
    """What an answer came to, however it was split."""

    text: str = ""
    thinking: str = ""
    calls: tuple[tuple[str, str, Any], ...] = ()  # id, name, arguments
    broken: tuple[str, ...] = ()  # names
    thoughts: tuple[tuple[str, str], ...] = ()  # signature, opaque
    stop: str = ""
    raw: str = ""
    failure: str = ""
    usage: Usage | None = None


def outcome(events: Sequence[AnyStreamEvent]) -> Outcome:
    """Also checks what holds for every answer."""
    check(events)
    last = events[-1]
    usages = [one.usage for one in events if isinstance(one, Used)]
    return Outcome(
        text="".join(one.text for one in events if isinstance(one, TextGrew)),
        thinking="".join(one.text for one in events if isinstance(one, ThinkingGrew)),
        calls=tuple(
            (one.id, one.name, one.arguments) for one in events if isinstance(one, CallClosed)
        ),
        broken=tuple(one.name for one in events if isinstance(one, CallBroken)),
        thoughts=tuple(
            (one.signature, one.opaque) for one in events if isinstance(one, ThinkingClosed)
        ),
        stop=last.reason.value if isinstance(last, Stopped) else "",
        raw=last.raw if isinstance(last, Stopped) else "",
        failure=last.failure.kind.value if isinstance(last, Failed) else "",
        usage=usages[-1] if usages else None,
    )


def check(events: Sequence[AnyStreamEvent]) -> None:
    """One end, at the end; every call opened once, ended once, and whole when it is said to be."""
    ends = [at for at, one in enumerate(events) if isinstance(one, Stopped | Failed)]
    assert ends == [len(events) - 1], "one end, and nothing after it"
    texts: dict[int, str] = {}
    ended: set[int] = set()
    for event in events:
        match event:
            case CallOpened():
                assert event.index == len(texts), "calls are counted in the order they open"
                texts[event.index] = ""
            case CallGrew():
                assert event.index not in ended, "a call that ended does not grow"
                assert event.text
                texts[event.index] += event.text
            case CallClosed() | CallBroken():
                assert event.index in texts, "only what was opened can end"
                assert event.index not in ended, "a call ends once"
                ended.add(event.index)
                if isinstance(event, CallClosed):
                    _check_closed(event, texts[event.index].strip())
            case TextGrew() | ThinkingGrew():
                assert event.text
            case _:
                pass
    assert ended == set(texts), "no call stays open"


def _check_closed(event: CallClosed, said: str) -> None:
    assert event.name
    assert event.id
    given = msgspec.json.decode(said) if said not in ("", "null") else {}
    assert event.arguments == given, "what the stream said, all of it"


def failure_in(events: Sequence[AnyStreamEvent]) -> Failure:
    last = events[-1]
    assert isinstance(last, Failed)
    return last.failure


def without_ids(events: Sequence[AnyStreamEvent]) -> list[AnyStreamEvent]:
    """Answers without an id give their calls others each time."""
    return [
        msgspec.structs.replace(one, id="")
        if isinstance(one, CallOpened | CallClosed | CallBroken)
        else one
        for one in events
    ]


def kinds(events: Sequence[AnyStreamEvent]) -> list[str]:
    """The order of things, without repetitions."""
    names = [type(one).__name__ for one in events]
    return [name for at, name in enumerate(names) if at == 0 or names[at - 1] != name]
