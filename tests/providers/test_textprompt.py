"""A conversation in plain words: nothing is lost, nothing can break out of its fence, and a model
behind a router is asked in words too."""

import re
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.protocol.message import (
    AttachmentPart,
    Message,
    Part,
    TextPart,
    ThinkingPart,
    ToolResultPart,
    ToolUsePart,
)
from ankrcode.protocol.result import Attachment
from ankrcode.protocol.stream import (
    AnyStreamEvent,
    CallBroken,
    CallClosed,
    Failed,
    FailureKind,
    StopReason,
    Switched,
    Waited,
)
from ankrcode.providers.candidate import Candidate
from ankrcode.providers.catalogue import ModelFacts
from ankrcode.providers.gathered import Gathered
from ankrcode.providers.health import Health
from ankrcode.providers.retry import RetryPolicy
from ankrcode.providers.router import Router
from ankrcode.providers.text.calls import TextCalls
from ankrcode.providers.text.prompt import TextConversation, lesson
from ankrcode.providers.text.tools import TextToolsModel
from ankrcode.providers.wire import ModelRequest, Options, ToolSpec
from ankrcode.testing import ScriptedModel, Turn
from torture import examples

READ = ToolSpec(name="Read", description="Reads.", input_schema={"type": "object"})
CALL = '```tool\n{"name": "Read", "arguments": {"file_path": "a"}}\n```\n'

NASTY = st.lists(
    st.sampled_from(
        ["```", "````", "`", "\n", "tool", "result", "text ", "{", "}", '"', "~~~", "अ"]
    ),
    max_size=15,
).map("".join)
ARGUMENTS = st.dictionaries(st.text(max_size=5), NASTY | st.integers(), max_size=3)
PARTS: st.SearchStrategy[Part] = st.one_of(
    st.builds(TextPart, text=NASTY),
    st.builds(ThinkingPart, text=NASTY),
    st.builds(ToolUsePart, id=st.sampled_from("abc"), name=st.just("Read"), arguments=ARGUMENTS),
    st.builds(
        ToolResultPart, tool_use_id=st.sampled_from("abcx"), text=NASTY, is_error=st.booleans()
    ),
)
MESSAGES = st.lists(
    st.builds(
        Message,
        role=st.sampled_from(["user", "assistant"]),
        parts=st.lists(PARTS, max_size=4).map(tuple),
    ),
    max_size=6,
)


def translated(*messages: Message, tools: Sequence[ToolSpec] = (READ,)) -> ModelRequest:
    return TextConversation().translated(ModelRequest(messages=messages, tools=tools))


# ── any conversation ──────────────────────────────────────────────────────────────────────────
@pytest.mark.torture
@examples(100, 5_000)
@given(MESSAGES)
def test_whatever_was_said_only_words_are_left(messages: list[Message]) -> None:
    request = translated(*messages)
    assert request.tools == ()
    lesson_message, *rest = request.messages
    assert lesson_message.role == "system"
    assert [message.role for message in rest] == [message.role for message in messages]
    for message in rest:
        assert not [one for one in message.parts if isinstance(one, ToolUsePart | ToolResultPart)]
    for old, new in zip(messages, rest, strict=True):
        assert len(old.parts) == len(new.parts)
        plain = [one for one in old.parts if isinstance(one, TextPart | ThinkingPart)]
        assert [one for one in new.parts if one in plain] or not plain


@pytest.mark.torture
@examples(100, 5_000)
@given(MESSAGES)
def test_a_call_of_the_past_reads_as_the_same_call(messages: list[Message]) -> None:
    """What the model sees of its own calls is what it should write."""
    for old, new in zip(messages, translated(*messages).messages[1:], strict=True):
        for before, after in zip(old.parts, new.parts, strict=True):
            if isinstance(before, ToolUsePart):
                assert isinstance(after, TextPart)
                calls = TextCalls([READ])
                events = calls.feed(after.text) + calls.end()
                [closed] = [event for event in events if isinstance(event, CallClosed)]
                assert (closed.name, closed.arguments) == (before.name, before.arguments)


@pytest.mark.torture
@examples(200, 10_000)
@given(NASTY)
def test_no_text_of_a_result_can_end_its_fence(text: str) -> None:
    result = Message(role="user", parts=(ToolResultPart(tool_use_id="x", text=text),))
    [part] = translated(result).messages[1].parts
    assert isinstance(part, TextPart)
    first, *within, last = part.text.split("\n")
    fence = first.partition("result")[0]
    assert set(fence) == {"`"}
    assert last == fence
    assert "\n".join(within) == text
    assert not [line for line in within if re.fullmatch(rf"\s*`{{{len(fence)},}}\s*", line)]


def test_pictures_in_results_stay_pictures() -> None:
    picture = Attachment(type="image", mime="image/png", data="AA==")
    part = ToolResultPart(tool_use_id="x", text="seen", attachments=(picture, picture))
    [_, message] = translated(Message(role="user", parts=(part,))).messages
    assert [type(one) for one in message.parts] == [TextPart, AttachmentPart, AttachmentPart]


def test_other_tools_are_taught_anew_and_the_same_ones_are_not() -> None:
    conversation, message = TextConversation(), Message(role="user", parts=(TextPart(text="x"),))
    other = msgspec.structs.replace(READ, name="Other")

    def taught(*tools: ToolSpec) -> Message:
        return conversation.translated(ModelRequest(messages=[message], tools=tools)).messages[0]

    first = taught(READ)
    assert taught(READ) is first
    assert taught(READ, other) is not first
    assert "## Other" in str(taught(READ, other).parts)


def test_the_lesson_is_the_same_text_every_time() -> None:
    assert lesson([READ]) == lesson([msgspec.structs.replace(READ)])


def test_options_that_are_not_about_tools_stay() -> None:
    options = Options(temperature=0.5, max_output_tokens=9, schema={"type": "object"}, effort="low")
    message = Message(role="user", parts=(TextPart(text="x"),))
    request = ModelRequest(messages=[message], tools=[READ], options=options)
    left = TextConversation().translated(request).options
    assert msgspec.structs.replace(left, stop=()) == options


# ── behind a router ───────────────────────────────────────────────────────────────────────────
QUICK = RetryPolicy(retries=2, max_wait_s=0.01, max_total_wait_s=0.05, first_wait_s=0.001)


async def routed(*turns: Any) -> tuple[ScriptedModel, list[AnyStreamEvent]]:
    scripted = ScriptedModel(turns, name="scripted/one")
    candidate = Candidate(model=TextToolsModel(scripted), facts=ModelFacts())
    router = Router([candidate], policy=QUICK, health=Health())
    request = ModelRequest(
        messages=[Message(role="user", parts=(TextPart(text="x"),))], tools=[READ]
    )
    return scripted, [event async for event in router.stream(request)]


def gathered(events: list[AnyStreamEvent]) -> Gathered:
    answer = Gathered()
    for event in events:
        answer.feed(event)
    return answer


async def test_an_answer_that_broke_before_a_call_is_asked_for_again() -> None:
    half = Turn(text='Well.\n\n```tool\n{"name": "Read", "arg', fail=FailureKind.CUT)
    scripted, events = await routed(half, CALL)
    assert len(scripted.requests) == 2
    assert any(isinstance(event, Waited) for event in events)
    assert [event.name for event in events if isinstance(event, CallBroken)] == ["Read"]
    answer = gathered(events)
    assert [call.name for call in answer.calls] == ["Read"]
    assert (answer.text, answer.stop) == ("", StopReason.TOOL_USE)


async def test_an_answer_that_broke_after_a_call_is_not_asked_for_again() -> None:
    """The call may be running: it must not be made twice."""
    scripted, events = await routed(Turn(text=f"{CALL}And then", fail=FailureKind.CUT), CALL)
    assert len(scripted.requests) == 1
    assert isinstance(events[-1], Failed)
    assert [call.name for call in gathered(events).calls] == ["Read"]


async def test_a_model_without_tools_can_stand_in_for_one_that_has_them() -> None:
    down = ScriptedModel([Turn(fail=FailureKind.QUOTA)], name="scripted/first")
    small = ScriptedModel([CALL], name="scripted/small")
    candidates = [
        Candidate(model=down, facts=ModelFacts(tools=True)),
        Candidate(model=TextToolsModel(small), facts=ModelFacts(tools=True)),
    ]
    router = Router(candidates, policy=QUICK, health=Health())
    message = Message(role="user", parts=(TextPart(text="x"),))
    events = [
        event async for event in router.stream(ModelRequest(messages=[message], tools=[READ]))
    ]
    assert any(isinstance(event, Switched) for event in events)
    assert [call.name for call in gathered(events).calls] == ["Read"]
    assert down.requests[0].tools == [READ]
    assert small.requests[0].tools == ()
