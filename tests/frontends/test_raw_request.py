"""A raw request may be written in our own form or as people know it from vendors."""

import contextlib
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.errors import UsageError
from ankrcode.frontends.cli.raw_request import request_of
from ankrcode.protocol.message import (
    AttachmentPart,
    Message,
    TextPart,
    ThinkingPart,
    ToolResultPart,
    ToolUsePart,
)
from ankrcode.providers.wire import Options, ToolSpec
from torture import examples


def messages_of(*messages: Any, **more: Any) -> tuple[Message, ...]:
    return tuple(request_of({"messages": list(messages), **more}).messages)


def test_a_prompt_is_enough() -> None:
    request = request_of({"prompt": "नमस्ते"})
    assert request.messages == (Message(role="user", parts=(TextPart(text="नमस्ते"),)),)
    assert request.tools == []
    assert request.options == Options()


OWN = [
    Message(role="system", parts=(TextPart(text="Be kind."),)),
    Message(role="user", parts=(TextPart(text="read"),)),
    Message(
        role="assistant",
        parts=(
            ThinkingPart(text="hm", signature="s"),
            ToolUsePart(id="c", name="Read", arguments={"file_path": "a"}),
        ),
    ),
    Message(role="user", parts=(ToolResultPart(tool_use_id="c", text="ok", is_error=True),)),
]


def test_our_own_form_comes_through_unchanged() -> None:
    assert list(messages_of(*msgspec.to_builtins(OWN))) == OWN


def test_a_system_text_may_stand_apart() -> None:
    first, second = messages_of({"role": "user", "content": "hi"}, system="Be brief.")
    assert (first.role, first.parts) == ("system", (TextPart(text="Be brief."),))
    assert second.role == "user"


def test_content_may_be_a_string_or_a_list() -> None:
    blocks = [{"type": "text", "text": "a"}, "b", {"type": "input_text", "text": "c"}]
    plain, listed = messages_of(
        {"role": "user", "content": "x"}, {"role": "user", "content": blocks}
    )
    assert plain.parts == (TextPart(text="x"),)
    assert [part.text for part in listed.parts if isinstance(part, TextPart)] == ["a", "b", "c"]


def test_chat_completions_is_understood() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "Read", "arguments": '{"a": 1}'}}
    developer, assistant, tool = messages_of(
        {"role": "developer", "content": "rules"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "done"},
    )
    assert developer.role == "system"
    assert assistant.parts == (ToolUsePart(id="c1", name="Read", arguments={"a": 1}),)
    assert tool == Message(role="user", parts=(ToolResultPart(tool_use_id="c1", text="done"),))


def test_anthropics_blocks_are_understood() -> None:
    assistant, user = messages_of(
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "s"},
                {"type": "redacted_thinking", "data": "x"},
                {"type": "tool_use", "id": "c", "name": "Read", "input": {"a": 1}},
            ],
        },
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "c",
                    "is_error": True,
                    "content": [{"type": "text", "text": "no"}, PICTURE],
                },
                PICTURE,
                {"type": "document", "source": {"media_type": "application/pdf", "data": "BB=="}},
            ],
        },
    )
    assert assistant.parts == (
        ThinkingPart(text="hm", signature="s"),
        ThinkingPart(text="", opaque="x"),
        ToolUsePart(id="c", name="Read", arguments={"a": 1}),
    )
    result, picture, document = user.parts
    assert isinstance(result, ToolResultPart)
    assert (result.text, result.is_error, result.attachments[0].mime) == ("no", True, "image/png")
    assert isinstance(picture, AttachmentPart)
    assert (picture.attachment.type, picture.attachment.data) == ("image", "AA==")
    assert isinstance(document, AttachmentPart)
    assert document.attachment.mime == "application/pdf"


PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}


@pytest.mark.parametrize(
    "url", ["data:image/png;base64,AA==", {"url": "data:image/png;base64,AA=="}]
)
def test_a_picture_by_data_address_is_understood(url: Any) -> None:
    [message] = messages_of({"role": "user", "content": [{"type": "image_url", "image_url": url}]})
    [part] = message.parts
    assert isinstance(part, AttachmentPart)
    assert (part.attachment.mime, part.attachment.data) == ("image/png", "AA==")


SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}
READ = ToolSpec(name="Read", description="reads", input_schema=SCHEMA)


@pytest.mark.parametrize(
    "tool",
    [
        {"name": "Read", "description": "reads", "input_schema": SCHEMA},
        {"type": "function", "name": "Read", "description": "reads", "parameters": SCHEMA},
        {
            "type": "function",
            "function": {"name": "Read", "description": "reads", "parameters": SCHEMA},
        },
        {"name": "Read", "description": "reads", "inputSchema": SCHEMA},
    ],
    ids=["ours", "responses", "chat", "mcp"],
)
def test_a_tool_may_be_written_in_any_known_form(tool: dict[str, Any]) -> None:
    assert request_of({"prompt": "x", "tools": [tool]}).tools == [READ]


def test_a_tool_without_a_schema_takes_nothing() -> None:
    [tool] = request_of({"prompt": "x", "tools": [{"name": "Now"}]}).tools
    assert tool.input_schema == {"type": "object", "properties": {}}


@pytest.mark.parametrize(
    ("given_options", "options"),
    [
        ({"max_tokens": 5}, Options(max_output_tokens=5)),
        (
            {"max_completion_tokens": 5, "temperature": 0},
            Options(max_output_tokens=5, temperature=0.0),
        ),
        ({"stop": "END"}, Options(stop=("END",))),
        ({"stop_sequences": ["a", "b"]}, Options(stop=("a", "b"))),
        ({"reasoning_effort": "high"}, Options(effort="high")),
        ({"tool_choice": "any"}, Options(tool_choice="required")),
        ({"tool_choice": {"type": "any"}}, Options(tool_choice="required")),
        ({"tool_choice": {"type": "auto"}}, Options(tool_choice="auto")),
        ({"tool_choice": {"type": "tool", "name": "Read"}}, Options(tool_choice="Read")),
        (
            {"tool_choice": {"type": "function", "function": {"name": "Read"}}},
            Options(tool_choice="Read"),
        ),
        ({"seed": 7}, Options(extra={"seed": 7})),
        ({"extra": {"a": 1}, "seed": 7}, Options(extra={"a": 1, "seed": 7})),
        ({"schema": SCHEMA, "cache": False}, Options(schema=SCHEMA, cache=False)),
    ],
)
def test_options_go_by_their_usual_names(given_options: dict[str, Any], options: Options) -> None:
    assert request_of({"prompt": "x", "options": given_options}).options == options


def test_streaming_can_be_switched_off() -> None:
    assert not request_of({"prompt": "x", "stream": False}).options.stream
    assert request_of({"prompt": "x", "stream": True}).options.stream


@pytest.mark.parametrize(
    "wrong",
    [
        *(None, 3, [], "text", {}, {"messages": []}, {"messages": "x"}, {"messages": [3]}),
        {"messages": [{"content": "no role"}]},
        {"messages": [{"role": "king", "content": "x"}]},
        {"messages": [{"role": "user", "content": [{"type": "song"}]}]},
        {"messages": [{"role": "user", "parts": [{"type": "text"}]}]},
        {"messages": [{"role": "tool", "content": "x"}]},
        {
            "messages": [
                {
                    "role": "assistant",
                    "tool_calls": [{"id": "c", "function": {"name": "x", "arguments": "{"}}],
                }
            ]
        },
        {
            "messages": [
                {"role": "user", "content": [{"type": "image_url", "image_url": "https://x/y.png"}]}
            ]
        },
        {"messages": [{"role": "user", "content": [{"type": "text", "text": 3}]}]},
        {"prompt": {"role": "user"}},
        {"prompt": "x", "tools": [{}]},
        {"prompt": "x", "tools": [{"name": 3}]},
        {"prompt": "x", "tools": ["Read"]},
        {"prompt": "x", "options": {"temperature": "hot"}},
        {"prompt": "x", "options": {"effort": "huge"}},
        {"prompt": "x", "options": 3},
        {"prompt": "x", "options": {"tool_choice": 3}},
    ],
)
def test_what_is_no_request_is_refused_with_a_reason(wrong: Any) -> None:
    with pytest.raises(UsageError, match="models call"):
        request_of(wrong)


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["role", "content", "type", "text", "tools", "messages", "name", "options", "parts"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@pytest.mark.torture
@examples(60, 5_000)
@given(
    st.dictionaries(st.sampled_from(["messages", "prompt", "tools", "options", "system"]), ANYTHING)
)
def test_whatever_comes_is_a_request_or_a_usage_error(data: dict[str, Any]) -> None:
    with contextlib.suppress(UsageError):
        assert request_of(data).messages
