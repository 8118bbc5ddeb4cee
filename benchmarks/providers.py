"""The way to a model: what a first request imports, what its wires cost, what request n costs.

Each figure is a ratio measured in one run. The vendors' own SDKs are timed where they are
installed (extra `bench`).

    python -P benchmarks/providers.py [FOLDER of recorded answers]
"""

import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from math import inf
from pathlib import Path
from typing import Any

import msgspec

from ankrcode.protocol.message import Message, TextPart, ToolResultPart, ToolUsePart
from ankrcode.providers.wire import ModelRequest, Target, ToolSpec
from ankrcode.providers.wires import WIRES, wire_named

ROUNDS = 15
FLOOR = "import json, subprocess, sys; from http.client import HTTPConnection"
FIRST = "import asyncio, ankrcode.providers.resolve, ankrcode.providers.wires.{module}"
IMPORT_BAR = 2.0
PARSE_BAR = 5.0


def main() -> None:
    imports()
    parsing(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
    encoding()


# ── what a first request imports ────────────────────────────────────────────────────────────────
def imports() -> None:
    """Everything that a first request needs, against the smallest agent loop one can write."""
    codes = {"floor": FLOOR} | {
        name: FIRST.format(module=module) for name, (module, _) in WIRES.items()
    }
    times: dict[str, list[float]] = {name: [] for name in codes}
    for _ in range(ROUNDS):  # interleaved, so that a busy moment hits all of them
        for name, code in codes.items():
            times[name].append(_cpu_of(code))
    floor = min(times["floor"])
    print(f"imports: the floor takes {floor:.1f} ms of CPU, Python included")
    for name, taken in times.items():
        if name != "floor":
            ratio = min(taken) / floor
            print(f"  {name:<18} {min(taken):6.1f} ms  {ratio:.2f} × the floor (bar {IMPORT_BAR})")


def _cpu_of(code: str) -> float:
    environ = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-P", "-c", code], env=environ, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


# ── reading a stream ────────────────────────────────────────────────────────────────────────────
Parse = Callable[[bytes], int]  # a streamed answer → how many events the vendor's SDK made of it


def parsing(recordings: Path | None) -> None:
    """Streams of our own, and recorded ones where a folder of them is given."""
    streams = {
        "anthropic": [_anthropic_stream()],
        "openai-chat": [_chat_stream()],
        "openai-responses": [_responses_stream()],
    }
    for name, own in streams.items():
        recorded = _recorded(recordings, name) if recordings else []
        for label, bodies in (("made", own), ("recorded", recorded)):
            if bodies:
                _compare(name, label, bodies)


def _compare(name: str, label: str, bodies: list[bytes]) -> None:
    size = sum(map(len, bodies))
    try:
        parse = _SDKS[name]()
    except ImportError:
        parse = None
    ours, theirs = inf, inf
    for _ in range(ROUNDS):  # in turns, so that a busy moment hits both
        ours = min(ours, _timed(lambda: [_read(name, body) for body in bodies]))
        if parse is not None:
            theirs = min(theirs, _timed(lambda: [parse(body) for body in bodies]))
    if parse is None:
        print(f"parsing {name}, {label}: {ours * 1000:.1f} ms for {size:,} bytes; no SDK here")
        return
    print(
        f"parsing {name:<16} {label:<8} {size:>9,} bytes: {ours * 1000:6.1f} ms, its SDK"
        f" {theirs * 1000:6.1f} ms, {theirs / ours:.1f} × (bar {PARSE_BAR})"
    )


def _read(name: str, stream: bytes) -> int:
    reader = wire_named(name).reader(Target(provider=name, model="m"))
    pieces = (stream[at : at + 1_400] for at in range(0, len(stream), 1_400))
    events = sum(len(reader.feed(piece)) for piece in pieces)
    assert reader.is_done or reader.end()
    return events


def _recorded(folder: Path, name: str) -> list[bytes]:
    """Streamed answers from files of recorded exchanges: id, features, request, response."""
    found = []
    for file in folder.glob(f"{name}*.json"):
        for exchange in msgspec.json.decode(file.read_bytes()):
            response = exchange["response"]
            if "stream" in exchange["features"] and response["body_encoding"] != "base64":
                found.append(response["body"].encode())
    return found


def _anthropic_stream() -> bytes:
    begin = [
        (
            '{"type":"message_start","message":{"id":"m","type":"message","role":"assistant",'
            '"model":"m","content":[],"stop_reason":null,"stop_sequence":null,'
            '"usage":{"input_tokens":9,"output_tokens":1}}}'
        ),
        '{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}',
    ]
    delta = '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"word "}}'
    end = [
        '{"type":"content_block_stop","index":0}',
        (
            '{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},'
            '"usage":{"output_tokens":2000}}'
        ),
        '{"type":"message_stop"}',
    ]
    return _named([*begin, *([delta] * 2_000), *end])


def _chat_stream() -> bytes:
    frame = (
        'data: {{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":'
        '[{{"index":0,"delta":{delta},"finish_reason":{finish}}}]}}\n\n'
    )
    word = frame.format(delta='{"content":"word "}', finish="null")
    end = frame.format(delta="{}", finish='"stop"')
    return (word * 2_000 + end + "data: [DONE]\n\n").encode()


def _responses_stream() -> bytes:
    word = (
        '{"type":"response.output_text.delta","item_id":"i","output_index":0,"content_index":0,'
        '"sequence_number":1,"logprobs":[],"delta":"word "}'
    )
    end = (
        '{"type":"response.completed","sequence_number":2,"response":{"id":"r","object":'
        '"response","created_at":1,"model":"m","status":"completed","output":[],'
        '"parallel_tool_calls":true,"tool_choice":"auto","tools":[]}}'
    )
    return _named([*([word] * 2_000), end])


def _named(events: list[str]) -> bytes:
    return "".join(
        f"event: {event[9:].partition(chr(34))[0]}\ndata: {event}\n\n" for event in events
    ).encode()


class _Wire:
    """A transport for an SDK's own HTTP client that answers with whatever stream it holds."""

    def __init__(self) -> None:
        self._httpx: Any = import_module("httpx2")
        self.stream = b""
        self.client = self._httpx.Client(transport=self._httpx.MockTransport(self._answer))

    def _answer(self, _request: Any) -> Any:
        headers = {"content-type": "text/event-stream"}
        return self._httpx.Response(200, headers=headers, content=self.stream)


def _anthropic_sdk() -> Parse:
    sdk: Any = import_module("anthropic")
    wire = _Wire()
    client = sdk.Anthropic(api_key="none", http_client=wire.client)

    def parse(stream: bytes) -> int:
        wire.stream = stream
        messages = [{"role": "user", "content": "x"}]
        asked = client.messages.create(model="m", max_tokens=9, messages=messages, stream=True)
        return sum(1 for _ in asked)

    return parse


def _chat_sdk() -> Parse:
    sdk: Any = import_module("openai")
    wire = _Wire()
    client = sdk.OpenAI(api_key="none", http_client=wire.client)

    def parse(stream: bytes) -> int:
        wire.stream = stream
        messages = [{"role": "user", "content": "x"}]
        asked = client.chat.completions.create(model="m", messages=messages, stream=True)
        return sum(1 for _ in asked)

    return parse


def _responses_sdk() -> Parse:
    sdk: Any = import_module("openai")
    wire = _Wire()
    client = sdk.OpenAI(api_key="none", http_client=wire.client)

    def parse(stream: bytes) -> int:
        wire.stream = stream
        return sum(1 for _ in client.responses.create(model="m", input="x", stream=True))

    return parse


_SDKS = {
    "anthropic": _anthropic_sdk,
    "openai-chat": _chat_sdk,
    "openai-responses": _responses_sdk,
}


# ── encoding request n ──────────────────────────────────────────────────────────────────────────
def encoding() -> None:
    """A conversation that grows by a call and its result, encoded anew for each request."""
    for name in WIRES:
        wire = wire_named(name)
        target = Target(provider=name, model="m")
        messages = [Message(role="user", parts=(TextPart(text="Begin. " * 200),))]
        taken = []
        for turn in range(200):
            request = ModelRequest(messages=tuple(messages), tools=_TOOLS)
            taken.append(_timed(partial(wire.encode, request, target)))
            messages += _exchange(turn)
        second, last = statistics.median(taken[1:11]), statistics.median(taken[-10:])
        print(
            f"encoding {name:<18} request 1: {taken[0] * 1e6:5.0f} µs, 2-11: {second * 1e6:5.0f}"
            f" µs, 191-200: {last * 1e6:5.0f} µs, {last / taken[0]:.2f} × the first"
        )


_TOOLS = tuple(
    ToolSpec(
        name=f"tool_{number}",
        description="It does one thing. " * 20,
        input_schema={"type": "object", "properties": {"path": {"type": "string"}}},
    )
    for number in range(20)
)


def _exchange(turn: int) -> list[Message]:
    call = ToolUsePart(id=f"call_{turn}", name="tool_1", arguments={"path": f"/file/{turn}"})
    result = ToolResultPart(tool_use_id=f"call_{turn}", text=f"Line of output {turn}.\n" * 40)
    return [Message(role="assistant", parts=(call,)), Message(role="user", parts=(result,))]


def _timed(run: Callable[[], object]) -> float:
    """Processor time: others on the machine do not count."""
    start = time.process_time()
    run()
    return time.process_time() - start


if __name__ == "__main__":
    main()
