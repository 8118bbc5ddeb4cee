"""An answer goes back on its own wire as its vendor wants it, and on any other as far as it can."""

from typing import Any

import msgspec
import pytest

from ankrcode.protocol.message import Message
from ankrcode.providers.gathered import Gathered
from ankrcode.providers.wires import WIRES, quirks
from providers.wire_requests import READ, body_of, encoded, request, result, user
from providers.wire_samples import (
    ANTHROPIC,
    BEDROCK,
    CHAT,
    CHAT_THOUGHT,
    GEMINI,
    GEMINI_SIGNED_TEXT,
    OLLAMA,
    RESPONSES,
    SAMPLES,
    Sample,
)
from providers.wire_streams import read, whole

CALLING = [one for one in SAMPLES if one.expected.calls]
EVERY = pytest.mark.parametrize("wire", WIRES)
FROM_EVERY = pytest.mark.parametrize("sample", CALLING, ids=lambda one: one.name)


def answer(sample: Sample) -> Message:
    gathered = Gathered()
    for event in read(sample.wire, sample.data, whole, *sample.quirks):
        gathered.feed(event)
    return gathered.message


def next_body(sample: Sample, wire: str = "", *its: str) -> dict[str, Any]:
    said = answer(sample)
    results = [result(call_id, "done") for call_id, _, _ in sample.expected.calls]
    told = request(user("x"), said, user(*results), tools=(READ,), cache=False)
    return body_of(wire or sample.wire, told, *its)


def test_anthropic_gets_its_blocks_back() -> None:
    blocks = next_body(ANTHROPIC)["messages"][1]["content"]
    assert [one["type"] for one in blocks] == [
        *("thinking", "redacted_thinking", "text", "tool_use", "tool_use"),
    ]
    assert blocks[0]["signature"] == "c2lnbmVk"
    assert blocks[0]["thinking"] == "I must look. 🙂"
    assert blocks[1]["data"] == "aGlkZGVu"
    assert blocks[3]["input"] == {"file_path": "a.py", "limit": 5}


def test_chat_gets_its_calls_back() -> None:
    message = next_body(CHAT)["messages"][1]
    assert message["content"] == "Let me look: ✓"
    assert [one["function"]["name"] for one in message["tool_calls"]] == ["Read", "Grep"]
    assert msgspec.json.decode(message["tool_calls"][1]["function"]["arguments"]) == {
        "pattern": "}{"
    }


def test_chat_gets_its_thought_back_where_it_is_wanted() -> None:
    said = answer(CHAT_THOUGHT)
    body = body_of("openai-chat", request(user("x"), said, user("y")), quirks.REASONING_BACK)
    assert body["messages"][1]["reasoning_content"] == "Hmm, yes."


def test_responses_get_their_encrypted_thought_back_before_the_call() -> None:
    items = next_body(RESPONSES)["input"]
    assert [one["type"] for one in items] == [
        *("message", "reasoning", "message", "function_call", "function_call_output"),
    ]
    assert items[1]["encrypted_content"] == "ZW5j"
    assert items[3]["call_id"] == items[4]["call_id"] == "call_1"


def test_gemini_gets_its_signatures_back() -> None:
    parts = next_body(GEMINI)["contents"][1]["parts"]
    assert [next(iter(one)) for one in parts] == ["text", "functionCall", "functionCall"]
    assert parts[1]["thoughtSignature"] == "c2ln"
    said = answer(GEMINI_SIGNED_TEXT)
    contents = body_of("gemini", request(user("x"), said, user("y")))["contents"]
    assert contents[1]["parts"] == [
        {"text": "Done."},
        {"text": "", "thoughtSignature": "bGFzdA=="},
    ]


def test_bedrock_gets_its_signed_thought_back() -> None:
    blocks = next_body(BEDROCK)["messages"][1]["content"]
    thought = blocks[0]["reasoningContent"]["reasoningText"]
    assert thought == {"text": "Let me see", "signature": "c2ln"}
    assert [next(iter(one)) for one in blocks[1:]] == ["text", "toolUse", "toolUse"]


def test_ollama_gets_its_calls_back_in_order() -> None:
    messages = next_body(OLLAMA)["messages"]
    assert messages[1]["thinking"] == "Well then"
    assert [one["tool_name"] for one in messages[2:]] == ["Read", "Now"]


@FROM_EVERY
@EVERY
def test_an_answer_can_go_on_with_any_other_vendor(sample: Sample, wire: str) -> None:
    """Calls and results stay paired; what only its own vendor understands stays behind."""
    text = msgspec.json.encode(next_body(sample, wire)).decode()
    for _, name, _ in sample.expected.calls:
        assert f'"{name}"' in text
    assert text.count("done") >= len(sample.expected.calls)
    if wire != sample.wire:
        secrets = [one for pair in sample.expected.thoughts for one in pair if one]
        signed_alike = {sample.wire, wire} == {"anthropic", "bedrock"}
        assert signed_alike or not [one for one in secrets if one in text]


@FROM_EVERY
def test_what_goes_back_is_the_same_every_time(sample: Sample) -> None:
    assert next_body(sample) == next_body(sample)
    told = request(user("x"), answer(sample), user("y"))
    assert encoded(sample.wire, told, *sample.quirks).body
