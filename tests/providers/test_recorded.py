"""What a model said is kept in a file and comes again, event by event."""

import asyncio
import stat
import time
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest

from ankrcode.errors import ProviderError
from ankrcode.protocol.message import Message, TextPart, ToolUsePart, Usage
from ankrcode.protocol.stream import AnyStreamEvent, Failed, FailureKind, TextGrew
from ankrcode.providers.recorded import RecordedModel, RecordingModel, digest_of
from ankrcode.providers.wire import Model, ModelRequest, Options, ToolSpec
from ankrcode.testing import ScriptedCall, ScriptedModel, Turn

READ = ToolSpec(name="Read", description="reads", input_schema={"type": "object"})
TURNS = (
    Turn(
        thinking="hm",
        signature="s",
        text="नमस्ते",
        calls=(ScriptedCall(name="Read", arguments={"file_path": "/a"}, id="c1"),),
        usage=Usage(input_tokens=9, cached_tokens=4),
        chunk=3,
    ),
    Turn(text="done"),
    Turn(text="half", fail=FailureKind.OVERLOADED),
)


def asking(text: str, **options: object) -> ModelRequest:
    messages = [Message(role="user", parts=(TextPart(text=text),))]
    return ModelRequest(messages=messages, tools=[READ], options=Options(**options))  # type: ignore[arg-type]


async def events_of(model: Model, request: ModelRequest) -> list[AnyStreamEvent]:
    return [event async for event in model.stream(request)]


async def recorded(path: Path, *texts: str) -> list[list[AnyStreamEvent]]:
    model = RecordingModel(ScriptedModel(TURNS, name="scripted/x", context_tokens=5_000), path)
    try:
        return [await events_of(model, asking(text)) for text in texts]
    finally:
        await model.close()


def test_a_digest_stays_the_same_and_takes_any_text() -> None:
    """Recordings that exist are found again."""
    request = asking("नमस्ते", temperature=0.5)
    plain = {"messages": list(request.messages), "tools": list(request.tools)}
    kept = msgspec.json.encode([plain, request.options], order="sorted")
    assert digest_of(request) == sha256(kept).hexdigest()[:32]
    stray = {digest_of(asking(text)) for text in ("caf\udce9", "caf\udce8", "caf")}
    assert len(stray) == 3


async def test_a_replay_says_what_was_said(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    said = await recorded(path, "one", "two", "three")
    model = RecordedModel.from_file(path, strict=True)
    again = [await events_of(model, asking(text)) for text in ("one", "two", "three")]
    assert again == said
    assert isinstance(again[2][-1], Failed)
    assert model.unused == []
    assert model.guessed == 0


async def test_requests_may_come_in_another_order(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    said = await recorded(path, "one", "two")
    model = RecordedModel.from_file(path, strict=True)
    assert await events_of(model, asking("two")) == said[1]
    assert await events_of(model, asking("one")) == said[0]


async def test_another_request_gets_the_next_answer_and_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    said = await recorded(path, "one", "two")
    model = RecordedModel.from_file(path)
    assert await events_of(model, asking("another")) == said[0]
    assert model.guessed == 1
    assert await events_of(model, asking("two")) == said[1]
    assert model.guessed == 1


async def test_a_strict_replay_answers_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    await recorded(path, "one")
    model = RecordedModel.from_file(path, strict=True)
    [event] = await events_of(model, asking("another"))
    assert isinstance(event, Failed)
    assert event.failure.kind is FailureKind.PROTOCOL
    assert len(model.unused) == 1


async def test_past_its_end_a_recording_says_so(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    await recorded(path, "one")
    model = RecordedModel.from_file(path)
    await events_of(model, asking("one"))
    [event] = await events_of(model, asking("one"))
    assert isinstance(event, Failed)
    assert "no answer" in event.failure.message


async def test_a_recording_holds_no_word_of_the_request(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    await recorded(path, "my secret plan")
    assert b"secret plan" not in path.read_bytes()
    assert b"reads" not in path.read_bytes()


async def test_only_its_owner_may_read_it(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    await recorded(path, "one")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


async def test_a_recording_grows_and_never_forgets(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    await recorded(path, "one")
    await recorded(path, "two")
    assert len(RecordedModel.from_file(path).unused) == 2


async def test_the_size_of_the_model_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    await recorded(path, "one")
    model = RecordedModel.from_file(path)
    assert (model.name, model.context_tokens) == (f"recorded/{path}", 5_000)


async def test_an_answer_that_was_given_up_is_replayed_as_a_cut(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    model = RecordingModel(ScriptedModel([Turn(text="abcdef", chunk=1)]), path)
    stream = model.stream(asking("one"))
    assert await anext(stream) == TextGrew(text="a")
    await stream.aclose()  # type: ignore[attr-defined]
    events = await events_of(RecordedModel.from_file(path), asking("one"))
    assert events[0] == TextGrew(text="a")
    assert isinstance(events[-1], Failed)
    assert events[-1].failure.kind is FailureKind.CUT


async def test_a_replay_takes_its_time_when_asked_to(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    slow = RecordingModel(ScriptedModel([Turn(text="ab", chunk=1, delay_s=0.03)]), path)
    await events_of(slow, asking("one"))
    began = time.monotonic()
    await events_of(RecordedModel.from_file(path, speed=1.0), asking("one"))
    assert time.monotonic() - began >= 0.03


async def test_answers_that_run_beside_each_other_stay_apart(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    turns = [Turn(text=str(n), chunk=1, pause_s=0.001, when=f"q{n};") for n in range(5)]
    model = RecordingModel(ScriptedModel(turns), path)
    requests = [asking(f"q{n};") for n in range(5)]
    said = await asyncio.gather(*(events_of(model, request) for request in requests))
    replay = RecordedModel.from_file(path, strict=True)
    assert [await events_of(replay, request) for request in requests] == said


def test_the_digest_depends_on_all_that_is_asked() -> None:
    call = ToolUsePart(id="c", name="Read", arguments={"a": 1, "b": 2})
    turned = ToolUsePart(id="c", name="Read", arguments={"b": 2, "a": 1})
    one, two = (
        ModelRequest(messages=(Message(role="assistant", parts=(part,)),))
        for part in (call, turned)
    )
    assert digest_of(one) == digest_of(two)
    requests = [one, asking("x"), asking("y"), asking("x", temperature=1.0)]
    requests.append(ModelRequest(messages=requests[1].messages))
    assert len({digest_of(request) for request in requests}) == len(requests)


@pytest.mark.parametrize(
    "content",
    [b"{", b'{"line": "event", "at": 0, "event": {"type": "text", "text": "x"}}', b'{"line": "?"}'],
)
def test_a_file_that_is_no_recording_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "bad.jsonl").write_bytes(content)
    with pytest.raises(ProviderError, match=r"bad\.jsonl"):
        RecordedModel.from_file(tmp_path / "bad.jsonl")


def test_a_recording_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ProviderError, match="nowhere"):
        RecordedModel.from_file(tmp_path / "nowhere")


async def test_a_link_in_place_of_the_file_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("mine")
    (tmp_path / "r.jsonl").symlink_to(tmp_path / "precious")
    with pytest.raises(ProviderError, match="cannot be written"):
        await recorded(tmp_path / "r.jsonl", "one")
    assert (tmp_path / "precious").read_text() == "mine"
