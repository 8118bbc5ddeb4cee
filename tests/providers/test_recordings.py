"""Real answers recorded by others, where they lie beside the project: text, thought, calls, stop
and usage as the vendors' own software understood them, in every split and cut at every event."""

import random
from base64 import b64decode
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ankrcode.protocol.stream import (
    AnyStreamEvent,
    CallClosed,
    Failed,
    FailureKind,
    Stopped,
    TextGrew,
    ThinkingGrew,
    Used,
)
from ankrcode.providers.wires import wire_named
from providers.wire_streams import SPLITS, check, drained, target, whole

FOLDER = Path(__file__).parents[3] / "shared" / "data" / "provider_recordings"
HERE = FOLDER.is_dir()
needs_recordings = pytest.mark.skipif(
    not HERE, reason=f"the recordings do not lie beside the project ({FOLDER.name})"
)


class Request(msgspec.Struct):
    path: str


class Response(msgspec.Struct):
    status: int
    headers: dict[str, str]
    body: str
    body_encoding: str

    @property
    def data(self) -> bytes:
        return b64decode(self.body) if self.body_encoding == "base64" else self.body.encode()

    @property
    def is_stream(self) -> bool:
        return "eventstream" in self.headers["content-type"].replace("-", "")


class Recording(msgspec.Struct):
    id: str
    provider: str
    request: Request
    response: Response


def _recordings() -> dict[str, Recording]:
    found: dict[str, Recording] = {}
    for file in sorted(FOLDER.glob("*.pypi.json")):
        for one in msgspec.json.decode(file.read_bytes(), type=list[Recording]):
            found[one.id] = one
    return found


RECORDINGS = _recordings()
EXPECTED: dict[str, Any] = (
    msgspec.json.decode((FOLDER / "expected.json").read_bytes())["expected"] if HERE else {}
)
GOOD = [one.id for one in RECORDINGS.values() if one.response.status == 200]
STREAMS = [name for name in GOOD if RECORDINGS[name].response.is_stream]
BAD = [name for name in RECORDINGS if name not in GOOD]


def events_of(name: str, split: str = "whole") -> list[AnyStreamEvent]:
    recording = RECORDINGS[name]
    wire = wire_named(recording.provider)
    data = recording.response.data
    if not recording.response.is_stream:
        return wire.read_whole(data, target())
    return drained(wire.reader(target()), data, SPLITS[split])


def summary(events: list[AnyStreamEvent]) -> dict[str, Any]:
    usage = [one.usage for one in events if isinstance(one, Used)][-1]
    last = events[-1]
    assert isinstance(last, Stopped)
    thoughts = [one for one in events if isinstance(one, ThinkingGrew) and not one.is_summary]
    return {
        "text": "".join(one.text for one in events if isinstance(one, TextGrew)),
        "thinking_chars": sum(len(one.text) for one in thoughts),
        "tools": [[one.name, one.arguments] for one in events if isinstance(one, CallClosed)],
        "stop": last.raw,
        "usage": {
            "in": usage.input_tokens,
            "out": usage.output_tokens,
            "cached": usage.cached_tokens,
        },
    }


@needs_recordings
def test_all_of_them_are_here() -> None:
    assert len(RECORDINGS) == len(EXPECTED) == 64
    assert len(STREAMS) == 34
    assert len(BAD) == 1


@needs_recordings
@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("name", GOOD)
def test_they_come_to_what_the_vendors_own_software_made_of_them(name: str, split: str) -> None:
    events = events_of(name, split)
    check(events)
    assert summary(events) == EXPECTED[name]


@needs_recordings
@pytest.mark.parametrize("name", STREAMS)
def test_the_events_do_not_depend_on_the_split(name: str) -> None:
    assert events_of(name, "byte") == events_of(name) == events_of(name, "random")


@needs_recordings
@pytest.mark.parametrize("name", BAD)
def test_errors_are_understood(name: str) -> None:
    recording = RECORDINGS[name]
    wire = wire_named(recording.provider)
    status, data = recording.response.status, recording.response.data
    failure = wire.failure(status, recording.response.headers, data, target())
    assert failure.status == EXPECTED[name]["error"]
    assert failure.kind is FailureKind.AUTH
    assert failure.message


@needs_recordings
@pytest.mark.parametrize("name", STREAMS)
def test_cut_at_every_event_nothing_half_looks_whole(name: str) -> None:
    recording = RECORDINGS[name]
    data, tools = recording.response.data, EXPECTED[name]["tools"]
    borders = [at + 2 for at in range(len(data) - 2) if data[at : at + 2] == b"\n\n"]
    for border in borders:
        _check_cut(recording, data[:border], tools)


@needs_recordings
@pytest.mark.parametrize("name", STREAMS)
def test_cut_at_any_byte_nothing_half_looks_whole(name: str) -> None:
    recording = RECORDINGS[name]
    data, tools = recording.response.data, EXPECTED[name]["tools"]
    rng = random.Random(name)
    for _ in range(40):
        _check_cut(recording, data[: rng.randrange(len(data) - 1)], tools)


def _check_cut(recording: Recording, data: bytes, tools: list[Any]) -> None:
    reader = wire_named(recording.provider).reader(target())
    events = drained(reader, data, whole, cut=True)
    check(events)
    found = [[one.name, one.arguments] for one in events if isinstance(one, CallClosed)]
    assert found == tools[: len(found)]
    last = events[-1]
    if isinstance(last, Failed):
        assert last.failure.kind is FailureKind.CUT
    else:  # the vendor marked the end, and only blanks are missing
        assert recording.response.data[len(data) :].strip(b"\ndata: [DONE]") == b""
