"""A scripted model says exactly what its script tells it to, faults included."""

import asyncio
import time
from pathlib import Path

import msgspec
import pytest

from ankrcode.errors import ProviderError
from ankrcode.protocol.message import Message, TextPart, ToolResultPart, Usage
from ankrcode.protocol.stream import (
    AnyStreamEvent,
    CallBroken,
    CallClosed,
    CallGrew,
    CallOpened,
    Failed,
    Failure,
    FailureKind,
    Stopped,
    StopReason,
    TextGrew,
    ThinkingClosed,
    ThinkingGrew,
    Used,
)
from ankrcode.providers.gathered import Gathered
from ankrcode.providers.wire import Model, ModelRequest
from ankrcode.testing import ScriptedCall, ScriptedModel, Turn


def asking(text: str = "hello") -> ModelRequest:
    return ModelRequest(messages=[Message(role="user", parts=(TextPart(text=text),))])


async def events_of(model: Model, request: ModelRequest | None = None) -> list[AnyStreamEvent]:
    return [event async for event in model.stream(request or asking())]


async def answer_of(model: Model, request: ModelRequest | None = None) -> Gathered:
    answer = Gathered()
    async for event in model.stream(request or asking()):
        answer.feed(event)
    return answer


READ = ScriptedCall(name="Read", arguments={"file_path": "/a"})


# ── turns ─────────────────────────────────────────────────────────────────────────────────────
async def test_turns_are_said_one_after_the_other() -> None:
    model = ScriptedModel(["one", Turn(text="two")])
    assert [(await answer_of(model)).text for _ in range(2)] == ["one", "two"]
    assert model.turns == []


async def test_a_turn_thinks_speaks_and_calls_in_this_order() -> None:
    turn = Turn(thinking="hm", signature="s", text="so", calls=(READ,), usage=Usage(input_tokens=3))
    assert await events_of(ScriptedModel([turn])) == [
        ThinkingGrew(text="hm"),
        ThinkingClosed(signature="s"),
        TextGrew(text="so"),
        CallOpened(index=0, id="call_1", name="Read"),
        CallGrew(index=0, text='{"file_path":"/a"}'),
        CallClosed(index=0, id="call_1", name="Read", arguments={"file_path": "/a"}),
        Used(usage=Usage(input_tokens=3)),
        Stopped(reason=StopReason.TOOL_USE, raw="tool_use"),
    ]


async def test_pieces_have_the_size_that_was_asked_for() -> None:
    events = await events_of(ScriptedModel([Turn(text="abcde", calls=(READ,), chunk=2)]))
    assert [event.text for event in events if isinstance(event, TextGrew)] == ["ab", "cd", "e"]
    grown = [event.text for event in events if isinstance(event, CallGrew)]
    assert "".join(grown) == '{"file_path":"/a"}'
    assert {len(piece) for piece in grown} == {2}


async def test_each_call_of_a_conversation_has_its_own_id() -> None:
    model = ScriptedModel([Turn(calls=(READ, READ)), Turn(calls=(READ,))])
    ids = [call.id for _ in range(2) for call in (await answer_of(model)).calls]
    assert ids == ["call_1", "call_2", "call_3"]


async def test_an_id_that_the_script_gives_is_kept() -> None:
    call = ScriptedCall(name="Read", id="toolu_9")
    assert (await answer_of(ScriptedModel([Turn(calls=(call,))]))).calls[0].id == "toolu_9"


async def test_the_script_may_say_why_it_stopped() -> None:
    turn = Turn(text="and then", stop=StopReason.LENGTH)
    assert (await answer_of(ScriptedModel([turn]))).stop is StopReason.LENGTH


async def test_events_of_any_kind_can_be_played() -> None:
    turn = Turn(events=(TextGrew(text="raw"), ThinkingClosed(opaque="x")))
    assert (await events_of(ScriptedModel([turn])))[:2] == list(turn.events)


async def test_past_its_end_a_script_fails_and_says_so() -> None:
    model = ScriptedModel(["only one"])
    await answer_of(model)
    failure = (await answer_of(model)).failure
    assert failure is not None
    assert failure.kind is FailureKind.PROTOCOL
    assert "request 2" in failure.message


# ── requests ──────────────────────────────────────────────────────────────────────────────────
async def test_requests_are_kept_as_they_were() -> None:
    model = ScriptedModel(["a", "b"])
    messages = [Message(role="user", parts=(TextPart(text="first"),))]
    await answer_of(model, ModelRequest(messages=messages))
    messages.append(Message(role="user", parts=(TextPart(text="second"),)))
    await answer_of(model, ModelRequest(messages=messages))
    assert [len(request.messages) for request in model.requests] == [1, 2]


async def test_a_turn_may_be_a_function_of_the_request() -> None:
    def echo(request: ModelRequest) -> str:
        part = request.messages[-1].parts[0]
        assert isinstance(part, TextPart)
        return part.text.upper()

    model = ScriptedModel([echo, lambda _: Turn(calls=(READ,))])
    assert (await answer_of(model, asking("hey"))).text == "HEY"
    assert (await answer_of(model)).calls


async def test_what_a_function_finds_wrong_reaches_the_test() -> None:
    def checks(request: ModelRequest) -> str:
        assert request.tools, "no tools were offered"
        return ""

    with pytest.raises(AssertionError, match="no tools"):
        await answer_of(ScriptedModel([checks]))


async def test_a_turn_can_wait_for_the_request_it_answers() -> None:
    model = ScriptedModel([Turn(text="for b", when="bee"), Turn(text="for a", when="aye"), "any"])
    assert (await answer_of(model, asking("the aye"))).text == "for a"
    assert (await answer_of(model, asking("neither"))).text == "any"
    assert (await answer_of(model, asking("a bee"))).text == "for b"


async def test_the_text_of_a_tools_result_counts_for_when() -> None:
    result = ToolResultPart(tool_use_id="c", text="3 tests failed")
    request = ModelRequest(messages=[Message(role="user", parts=(result,))])
    model = ScriptedModel(["other", Turn(text="mend", when="failed")])
    model.turns.pop(0)
    assert (await answer_of(model, request)).text == "mend"


# ── faults ────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("kind", list(FailureKind))
async def test_it_fails_in_every_way_there_is(kind: FailureKind) -> None:
    events = await events_of(ScriptedModel([Turn(text="half", fail=kind)]))
    assert events[0] == TextGrew(text="half")
    assert isinstance(events[-1], Failed)
    assert events[-1].failure.kind is kind


async def test_a_failure_can_be_given_whole() -> None:
    failure = Failure(kind=FailureKind.RATE_LIMIT, message="slow", status=429, retry_after_s=2.5)
    assert (await answer_of(ScriptedModel([Turn(fail=failure)]))).failure == failure


WHOLE = Turn(thinking="hm", text="abcd", calls=(READ, READ), chunk=3)


@pytest.mark.parametrize("count", range(30))
async def test_a_cut_after_any_event_never_makes_half_a_call_look_whole(count: int) -> None:
    whole = await events_of(ScriptedModel([WHOLE]))
    cut = await events_of(ScriptedModel([msgspec.structs.replace(WHOLE, cut_after=count)]))
    if count >= len(whole):
        assert cut == whole
        return
    assert cut[:count] == whole[:count]
    assert isinstance(cut[-1], Failed)
    assert cut[-1].failure.kind is FailureKind.CUT
    opened = sum(isinstance(event, CallOpened) for event in cut)
    ended = sum(isinstance(event, CallClosed | CallBroken) for event in cut)
    assert opened == ended


async def test_arguments_that_are_no_object_leave_the_call_broken() -> None:
    call = ScriptedCall(name="Read", arguments='{"file_path": "/a')
    answer = await answer_of(ScriptedModel([Turn(calls=(call,))]))
    assert answer.calls == ()
    assert answer.broken[0].text == '{"file_path": "/a'


async def test_it_dawdles_as_long_as_it_should() -> None:
    turn = Turn(text="abcd", chunk=1, delay_s=0.02, pause_s=0.01)
    began = time.monotonic()
    await events_of(ScriptedModel([turn]))
    assert time.monotonic() - began >= 0.02 + 4 * 0.01


async def test_a_slow_turn_can_be_cancelled() -> None:
    model = ScriptedModel([Turn(text="never", delay_s=3600), "next"])
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(answer_of(model), timeout=0.05)
    assert (await answer_of(model)).text == "next"


# ── files ─────────────────────────────────────────────────────────────────────────────────────
async def test_a_script_file_is_an_array_of_turns(tmp_path: Path) -> None:
    file = tmp_path / "script.json"
    file.write_text(
        '["hello", {"text": "I read", "calls": [{"name": "Read", "arguments": {"limit": 3}}]},'
        ' {"fail": "rate_limit"}, {"fail": {"kind": "server", "message": "oops", "status": 500}}]'
    )
    model = ScriptedModel.from_file(file)
    assert model.name == f"scripted/{file}"
    assert (await answer_of(model)).text == "hello"
    assert (await answer_of(model)).calls[0].arguments == {"limit": 3}
    failures = [(await answer_of(model)).failure for _ in range(2)]
    assert [one.kind.value for one in failures if one] == ["rate_limit", "server"]
    assert failures[1] is not None
    assert failures[1].status == 500


async def test_a_script_file_may_have_a_turn_on_each_line(tmp_path: Path) -> None:
    file = tmp_path / "script.jsonl"
    file.write_text('{"text": "नमस्ते", "usage": {"input_tokens": 4}}\n\n"bye"\n', encoding="utf-8")
    model = ScriptedModel.from_file(str(file))
    first = await answer_of(model)
    assert (first.text, first.usage) == ("नमस्ते", Usage(input_tokens=4))
    assert (await answer_of(model)).text == "bye"


async def test_a_file_can_play_events_too(tmp_path: Path) -> None:
    file = tmp_path / "script.jsonl"
    file.write_text('{"events": [{"type": "text", "text": "x"}], "cut_after": 1}')
    answer = await answer_of(ScriptedModel.from_file(file))
    assert answer.text == "x"
    assert answer.failure is not None


@pytest.mark.parametrize(
    "content", ["{", '[{"txt": "x"}]', '{"text": 3}', '[{"fail": "no such kind"}]', "[1]"]
)
def test_a_script_that_cannot_be_read_is_named(tmp_path: Path, content: str) -> None:
    file = tmp_path / "script.json"
    file.write_text(content)
    with pytest.raises(ProviderError, match=r"script\.json"):
        ScriptedModel.from_file(file)


def test_a_script_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ProviderError, match="nowhere"):
        ScriptedModel.from_file(tmp_path / "nowhere")


def test_a_script_of_bytes_that_are_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b'["\xff\xfe"]')
    with pytest.raises(ProviderError, match="x cannot be used"):
        ScriptedModel.from_file(tmp_path / "x")


async def test_it_is_a_model_like_any_other() -> None:
    model: Model = ScriptedModel([], name="scripted/tiny", context_tokens=4_096)
    assert (model.name, model.context_tokens) == ("scripted/tiny", 4_096)
    await model.close()
