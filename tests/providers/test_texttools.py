"""Models without tool calls get them by text: taught, found, and switched on when needed."""

import msgspec
import pytest

from ankrcode.protocol.message import (
    AttachmentPart,
    Message,
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
    CallOpened,
    Failed,
    Failure,
    FailureKind,
    Stopped,
    StopReason,
    Switched,
    TextGrew,
    Waited,
)
from ankrcode.providers.gathered import Gathered
from ankrcode.providers.text.calls import TextCalls
from ankrcode.providers.text.prompt import RESULT, TextConversation, lesson
from ankrcode.providers.text.tools import TextToolsModel, refuses_tools
from ankrcode.providers.wire import Model, ModelRequest, Options, ToolSpec
from ankrcode.testing import ScriptedCall, ScriptedModel, Turn

SCHEMA = {
    "type": "object",
    "properties": {
        "file_path": {"type": "string", "description": "The file,\n  as a path"},
        "limit": {"type": "integer"},
        "mode": {"enum": ["fast", "slow"]},
        "lines": {"type": "array", "items": {"type": "integer"}},
        "edits": {"type": "array", "items": {"$ref": "#/$defs/Edit"}},
        "either": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "several": {"type": ["string", "null"]},
        "any": True,
    },
    "required": ["file_path"],
    "$defs": {"Edit": {"type": "object", "properties": {"old": {"type": "string"}}}},
}
READ = ToolSpec(name="Read", description="Reads a file.\n\nLong words follow.", input_schema=SCHEMA)
BASH = ToolSpec(name="Bash", description="Runs.", input_schema={"type": "object"})
CALL = '```tool\n{"name": "Read", "arguments": {"file_path": "a"}}\n```\n'
NO_TOOLS = Failure(
    kind=FailureKind.BAD_REQUEST,
    message="registry.ollama.ai/library/gemma:2b does not support tools",
    status=400,
)


def user(text: str) -> Message:
    return Message(role="user", parts=(TextPart(text=text),))


def asking(*messages: Message, choice: str = "auto", tools: bool = True) -> ModelRequest:
    options = Options(tool_choice=choice, stop=("END",))
    offered = (READ, BASH) if tools else ()
    return ModelRequest(messages=messages or (user("hi"),), tools=offered, options=options)


async def answer_of(model: Model, request: ModelRequest | None = None) -> Gathered:
    answer = Gathered()
    async for event in model.stream(request or asking()):
        answer.feed(event)
    return answer


async def events_of(model: Model, request: ModelRequest | None = None) -> list[AnyStreamEvent]:
    return [event async for event in model.stream(request or asking())]


def text_of(message: Message) -> str:
    return "".join(part.text for part in message.parts if isinstance(part, TextPart))


# ── what the model is told ────────────────────────────────────────────────────────────────────
async def test_tools_are_taught_in_a_system_message_after_the_others() -> None:
    scripted = ScriptedModel(["hello"])
    system = Message(role="system", parts=(TextPart(text="Be kind."),))
    await answer_of(TextToolsModel(scripted), asking(system, user("hi")))
    [request] = scripted.requests
    assert request.tools == ()
    assert [message.role for message in request.messages] == ["system", "system", "user"]
    assert request.messages[0] is system
    assert text_of(request.messages[1]) == lesson((READ, BASH))
    assert request.options.stop == ("END", RESULT)


def test_the_lesson_says_each_parameter_in_one_line() -> None:
    told = lesson([READ, BASH])
    assert "## Read\nReads a file.\n" in told
    assert "Long words" not in told
    assert "- file_path (string, required): The file, as a path\n" in told
    assert "- limit (integer)\n" in told
    assert "- mode (one of fast, slow)\n" in told
    assert "- lines (list of integer)\n" in told
    assert "- edits (list of object with old: string)\n" in told
    assert "- either (string or null)\n" in told
    assert "- several (string or null)\n" in told
    assert "- any (anything)\n" in told
    assert told.rstrip().endswith("## Bash\nRuns.")


def test_the_lesson_itself_calls_nothing_that_there_is() -> None:
    calls = TextCalls([READ, BASH])
    events = [*calls.feed(lesson([READ, BASH])), *calls.end()]
    names = [event.name for event in events if isinstance(event, CallClosed)]
    assert names == ["NAME"]


def test_a_long_description_is_cut_between_words() -> None:
    long = ToolSpec(name="X", description="word " * 500, input_schema={"type": "object"})
    [line] = [line for line in lesson([long]).splitlines() if line.startswith("word")]
    assert len(line) <= 400
    assert line.endswith("word…")


@pytest.mark.parametrize(
    ("choice", "said"),
    [("required", "use one of the tools"), ("Bash", "the tool Bash"), ("none", "use no tool")],
)
async def test_a_choice_of_tool_is_asked_for_in_words(choice: str, said: str) -> None:
    scripted = ScriptedModel(["x"])
    await answer_of(TextToolsModel(scripted), asking(choice=choice))
    assert said in text_of(scripted.requests[0].messages[-1])
    assert scripted.requests[0].options.tool_choice == "auto"


async def test_no_more_stops_are_asked_for_than_vendors_take() -> None:
    scripted = ScriptedModel(["x"])
    request = msgspec.structs.replace(asking(), options=Options(stop=("a", "b", "c", "d")))
    await answer_of(TextToolsModel(scripted), request)
    assert scripted.requests[0].options.stop == ("a", "b", "c", "d")


# ── the conversation in words ─────────────────────────────────────────────────────────────────
HISTORY = (
    user("read it"),
    Message(
        role="assistant",
        parts=(
            ThinkingPart(text="hm"),
            TextPart(text="Yes."),
            ToolUsePart(id="c1", name="Read", arguments={"file_path": "a"}),
            ToolUsePart(id="c2", name="Bash", arguments={}),
        ),
    ),
    Message(
        role="user",
        parts=(
            ToolResultPart(tool_use_id="c1", text="one\n```py\ntwo\n```"),
            ToolResultPart(
                tool_use_id="c2",
                text="no",
                is_error=True,
                attachments=(Attachment(type="image", mime="image/png", data="AA=="),),
            ),
        ),
    ),
)


async def test_calls_and_results_of_the_past_stand_in_fences() -> None:
    scripted = ScriptedModel(["done"])
    await answer_of(TextToolsModel(scripted), asking(*HISTORY))
    _, first, second, third = scripted.requests[0].messages
    assert first is HISTORY[0]
    assert second.parts[:2] == HISTORY[1].parts[:2]
    assert second.parts[2] == TextPart(
        text='```tool\n{"name":"Read","arguments":{"file_path":"a"}}\n```'
    )
    assert third.parts[0] == TextPart(text="````result of Read\none\n```py\ntwo\n```\n````")
    assert third.parts[1] == TextPart(text="```result of Bash (failed)\nno\n```")
    assert isinstance(third.parts[2], AttachmentPart)


async def test_what_was_translated_once_stays_the_same_object() -> None:
    scripted = ScriptedModel(["a", "b"])
    model = TextToolsModel(scripted)
    await answer_of(model, asking(*HISTORY))
    await answer_of(model, asking(*HISTORY, user("more")))
    first, second = scripted.requests
    assert all(one is two for one, two in zip(first.messages, second.messages, strict=False))


def test_a_result_without_its_call_is_still_a_result() -> None:
    lost = Message(role="user", parts=(ToolResultPart(tool_use_id="gone", text="x"),))
    request = TextConversation().translated(asking(lost, tools=False))
    assert text_of(request.messages[0]) == "```result of the tool\nx\n```"


async def test_without_tools_nothing_is_taught_and_nothing_is_found() -> None:
    scripted = ScriptedModel([CALL])
    answer = await answer_of(TextToolsModel(scripted), asking(tools=False))
    assert answer.text == CALL
    assert len(scripted.requests[0].messages) == 1
    assert scripted.requests[0].options.stop == ("END",)


async def test_where_no_tool_may_be_used_none_is_found() -> None:
    answer = await answer_of(TextToolsModel(ScriptedModel([CALL])), asking(choice="none"))
    assert answer.calls == ()
    assert answer.text == CALL


# ── what the model says ───────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("chunk", [0, 1, 7])
async def test_a_call_in_the_text_is_a_call(chunk: int) -> None:
    model = TextToolsModel(ScriptedModel([Turn(text=f"I read.\n\n{CALL}", chunk=chunk)]))
    answer = await answer_of(model)
    assert answer.text == "I read.\n\n"
    assert [(one.name, one.arguments) for one in answer.calls] == [("Read", {"file_path": "a"})]
    assert answer.stop is StopReason.TOOL_USE
    assert answer.raw_stop == "end"


@pytest.mark.parametrize(
    ("stop", "told"),
    [
        (StopReason.END, StopReason.TOOL_USE),
        (StopReason.STOP_SEQUENCE, StopReason.TOOL_USE),
        (StopReason.LENGTH, StopReason.LENGTH),
        (StopReason.REFUSAL, StopReason.REFUSAL),
    ],
)
async def test_an_end_after_a_call_waits_for_its_result(stop: StopReason, told: StopReason) -> None:
    model = TextToolsModel(ScriptedModel([Turn(text=CALL, stop=stop)]))
    assert (await answer_of(model)).stop is told


async def test_plain_text_ends_as_it_did() -> None:
    assert (await answer_of(TextToolsModel(ScriptedModel(["hello"])))).stop is StopReason.END


async def test_a_call_that_was_cut_short_is_broken() -> None:
    half = '```tool\n{"name": "Bash", "arguments": {"command": "rm'
    for turn in (Turn(text=half, stop=StopReason.LENGTH), Turn(text=half, fail=FailureKind.CUT)):
        events = await events_of(TextToolsModel(ScriptedModel([turn])))
        assert not any(isinstance(event, CallClosed) for event in events)
        assert isinstance(events[-2], CallBroken)
        assert isinstance(events[-1], Stopped | Failed)


async def test_an_answer_that_begins_anew_is_searched_anew() -> None:
    again = Waited(seconds=0, attempt=1, failure=NO_TOOLS)
    other = Switched(provider="p", model="m")
    for event in (again, other):
        turn = Turn(text='```tool\n{"name": "Re', events=(event, TextGrew(text=CALL)))
        answer = await answer_of(TextToolsModel(ScriptedModel([turn])))
        assert [one.name for one in answer.calls] == ["Read"]
        assert answer.broken == []


async def test_it_is_the_model_that_it_wraps() -> None:
    model = TextToolsModel(ScriptedModel([], name="scripted/x", context_tokens=7))
    assert (model.name, model.context_tokens) == ("scripted/x", 7)
    await model.close()


async def test_closing_the_stream_closes_the_models_own() -> None:
    closed = []

    class Watched(ScriptedModel):
        async def stream(self, request: ModelRequest):  # type: ignore[no-untyped-def]
            try:
                async for event in super().stream(request):
                    yield event
            finally:
                closed.append(True)

    for always in (True, False):
        stream = TextToolsModel(Watched([Turn(text="abcdef", chunk=1)]), always=always).stream(
            asking()
        )
        await anext(stream)
        await stream.aclose()  # type: ignore[attr-defined]
    assert closed == [True, True]


# ── switched on when it shows ─────────────────────────────────────────────────────────────────
async def test_a_server_that_refuses_tools_is_asked_again_without() -> None:
    scripted = ScriptedModel([Turn(fail=NO_TOOLS), CALL, CALL])
    model = TextToolsModel(scripted, always=False)
    answer = await answer_of(model)
    assert answer.failure is None
    assert [one.name for one in answer.calls] == ["Read"]
    assert [bool(request.tools) for request in scripted.requests] == [True, False]
    await answer_of(model)
    assert not scripted.requests[2].tools


async def test_other_failures_are_told_as_they_are() -> None:
    failure = Failure(kind=FailureKind.BAD_REQUEST, message="bad temperature", status=400)
    scripted = ScriptedModel([Turn(fail=failure)])
    model = TextToolsModel(scripted, always=False)
    assert (await answer_of(model)).failure == failure
    assert not model.is_on


async def test_a_refusal_without_tools_in_the_request_is_not_tried_again() -> None:
    scripted = ScriptedModel([Turn(fail=NO_TOOLS), "never"])
    answer = await answer_of(TextToolsModel(scripted, always=False), asking(tools=False))
    assert answer.failure == NO_TOOLS
    assert len(scripted.requests) == 1


@pytest.mark.parametrize(
    "message",
    [
        "gemma:2b does not support tools",
        "This model doesn't support tool use",
        'No endpoints found that support tool use. Try disabling "Read".',
        "`tool calling` is not supported with this model",
        "tools are not supported in streaming mode",
        "Function calling is not enabled for this model",
        '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
        "tools param requires --jinja flag",
        "model 'x' not supporting functions",
    ],
)
def test_the_ways_in_which_servers_say_so_are_known(message: str) -> None:
    assert refuses_tools(Failure(kind=FailureKind.BAD_REQUEST, message=message))
    assert not refuses_tools(Failure(kind=FailureKind.RATE_LIMIT, message=message))


@pytest.mark.parametrize(
    "message",
    [
        "temperature is not supported",
        "image input not supported",
        "too many tools",
        "bad tool schema",
    ],
)
def test_other_complaints_are_not_mistaken_for_it(message: str) -> None:
    assert not refuses_tools(Failure(kind=FailureKind.BAD_REQUEST, message=message))


async def test_a_printed_call_counts_at_once_and_twice_changes_the_way() -> None:
    printed = '{"name": "Read", "parameters": {"file_path": "a"}}'
    scripted = ScriptedModel([printed, printed, "ok"])
    model = TextToolsModel(scripted, always=False)
    for _ in range(2):
        assert [one.name for one in (await answer_of(model)).calls] == ["Read"]
    await answer_of(model)
    assert [bool(request.tools) for request in scripted.requests] == [True, True, False]


async def test_calls_of_its_own_stay_as_they_are_beside_printed_ones() -> None:
    turn = Turn(text=CALL, calls=(ScriptedCall(name="Bash", id="own"),))
    events = await events_of(TextToolsModel(ScriptedModel([turn]), always=False))
    closed = [event for event in events if isinstance(event, CallClosed)]
    assert [event.name for event in closed] == ["Read", "Bash"]
    assert closed[1].id == "own"
    assert len({event.index for event in closed}) == 2


async def test_a_model_with_good_tools_is_left_alone() -> None:
    turns = [Turn(text="hm", calls=(ScriptedCall(name="Bash"),)) for _ in range(3)]
    scripted = ScriptedModel(turns)
    model = TextToolsModel(scripted, always=False)
    for _ in range(3):
        events = await events_of(model)
        assert [type(event) for event in events][1] is CallOpened
    assert not model.is_on
    assert all(request.tools for request in scripted.requests)
