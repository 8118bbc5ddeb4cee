"""What OpenAI's Responses are asked: items, encrypted thought, nothing stored."""

from typing import Any

import msgspec
import pytest

from ankrcode.protocol.stream import CallClosed
from ankrcode.providers.wires import quirks, wire_named
from ankrcode.providers.wires.opaque import reasoning_item, redacted_block
from providers.wire_requests import (
    IMAGE,
    NOW,
    PDF,
    READ,
    SCHEMA,
    TALK,
    attached,
    body_of,
    encoded,
    model,
    request,
    result,
    system,
    thought,
    use,
    user,
)
from providers.wire_samples import CALL_ITEM, done, finished
from providers.wire_streams import drained, named_sse, target

WIRE = "openai-responses"
ITEM = reasoning_item(
    {"id": "rs_1", "summary": [{"type": "summary_text", "text": "Hm"}], "encrypted_content": "ZW5j"}
)


def items(*messages: Any, quirk: str = "") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = body_of(WIRE, request(*messages), quirk)["input"]
    return found


def test_a_whole_conversation() -> None:
    body = body_of(WIRE, request(*TALK, tools=(READ,), max_output_tokens=100, temperature=0.5))
    assert body == {
        "model": "model-1",
        "stream": True,
        "store": False,
        "max_output_tokens": 100,
        "temperature": 0.5,
        "tools": [
            {
                "type": "function",
                "name": "Read",
                "description": "Reads a file.",
                "parameters": SCHEMA,
                "strict": False,
            }
        ],
        "instructions": "Be brief.",
        "input": [
            {
                "type": "message",
                "role": "user",
                "content": [{"type": "input_text", "text": "Read a."}],
            },
            {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "output_text", "text": "Reading."}],
            },
            {
                "type": "function_call",
                "call_id": "call_1",
                "name": "Read",
                "arguments": '{"path":"a"}',
            },
            {"type": "function_call_output", "call_id": "call_1", "output": "done"},
            {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "output_text", "text": "It says done."}],
            },
            {
                "type": "message",
                "role": "user",
                "content": [{"type": "input_text", "text": "Thanks."}],
            },
        ],
    }


def test_paths() -> None:
    assert encoded(WIRE, request(user("x"))).path == "responses"
    azure = encoded(WIRE, request(user("x")), quirks.AZURE_DEPLOYMENTS)
    assert azure.path.startswith("responses?api-version=")
    to = target(quirks.AZURE_DEPLOYMENTS, base_url="https://x?api-version=preview")
    assert encoded(WIRE, request(user("x")), to=to).path == "responses"


def test_parts_keep_their_order() -> None:
    talk = [user("x"), model(thought("Hm", opaque=ITEM), "One", use("a"), "Two", use("b"))]
    assert [one["type"] for one in items(*talk)[1:]] == [
        *("reasoning", "message", "function_call", "message", "function_call"),
    ]


def test_encrypted_thought_goes_back_word_for_word() -> None:
    found = items(user("x"), model(thought("Hm", opaque=ITEM), "Ah"))
    assert found[1] == {
        "type": "reasoning",
        "summary": [{"type": "summary_text", "text": "Hm"}],
        "encrypted_content": "ZW5j",
    }


@pytest.mark.parametrize("opaque", ["", redacted_block("x"), "garbage"])
def test_thought_of_others_is_left_out(opaque: str) -> None:
    found = items(user("x"), model(thought("Hm", "c2ln", opaque), "Ah"))
    assert [one["type"] for one in found] == ["message", "message"]


def test_thought_that_nothing_follows_is_left_out() -> None:
    """The vendor refuses it; an answer may have broken off there."""
    found = items(user("x"), model("Ah", thought("Hm", opaque=ITEM)))
    assert [one["type"] for one in found] == ["message", "message"]


def test_encrypted_thought_is_not_sent_to_who_does_not_know_it() -> None:
    talk = [user("x"), model(thought("Hm", opaque=ITEM), "Ah")]
    assert len(items(*talk, quirk=quirks.NO_ENCRYPTED_THOUGHT)) == 2


def test_results_stand_before_words_and_hold_images() -> None:
    talk = [user("x"), model(use()), user("See?", result(text="Seen", attachments=(IMAGE, PDF)))]
    output, words = items(*talk)[2:]
    assert output["output"] == [
        {"type": "input_text", "text": "Seen"},
        {"type": "input_image", "image_url": "data:image/png;base64,aW1n"},
        {
            "type": "input_file",
            "filename": "plan.pdf",
            "file_data": "data:application/pdf;base64,cGRm",
        },
    ]
    assert words["content"] == [{"type": "input_text", "text": "See?"}]


def test_a_failed_result_without_words() -> None:
    found = items(user("x"), model(use()), user(result(text="", is_error=True)))
    assert found[-1]["output"] == "failed"


def test_what_cannot_be_seen_is_told_in_words() -> None:
    (message,) = items(user(attached(IMAGE)), quirk=quirks.NO_IMAGES)
    assert message["content"][0]["type"] == "input_text"
    (message,) = items(user(attached(PDF)), quirk=quirks.NO_FILES)
    assert "plan.pdf" in message["content"][0]["text"]


def test_a_system_message_among_the_others_is_the_developers() -> None:
    assert items(user("x"), system("Note."))[1]["role"] == "developer"


# ── thinking ────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "name", ["gpt-5", "gpt-5.4-mini", "o3", "o4-mini", "openai/gpt-5", "codex-x"]
)
def test_models_that_think_are_asked_for_it_encrypted(name: str) -> None:
    body = body_of(WIRE, request(user("x"), temperature=0.5), to=target(model=name))
    assert body["include"] == ["reasoning.encrypted_content"]
    assert "temperature" not in body
    assert "reasoning" not in body


@pytest.mark.parametrize("name", ["gpt-4o", "gpt-4.1-mini", "model-1"])
def test_models_that_do_not_think_are_not(name: str) -> None:
    body = body_of(WIRE, request(user("x"), temperature=0.5), to=target(model=name))
    assert "include" not in body
    assert body["temperature"] == 0.5


@pytest.mark.parametrize(
    ("options", "reasoning"),
    [
        ({"effort": "high"}, {"effort": "high", "summary": "auto"}),
        ({"max_thinking_tokens": 2_000}, {"effort": "low", "summary": "auto"}),
        ({"max_thinking_tokens": 0}, {"effort": "minimal"}),
    ],
)
def test_how_hard_to_think(options: dict[str, Any], reasoning: dict[str, str]) -> None:
    assert body_of(WIRE, request(user("x"), **options))["reasoning"] == reasoning


def test_nothing_about_thought_where_it_is_not_known() -> None:
    body = body_of(WIRE, request(user("x"), effort="high"), quirks.NO_EFFORT)
    assert not {"reasoning", "include"} & body.keys()
    body = body_of(WIRE, request(user("x"), effort="high"), quirks.NO_ENCRYPTED_THOUGHT)
    assert "include" not in body
    assert "reasoning" in body


# ── options ─────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("choice", "told"),
    [
        ("auto", None),
        ("none", "none"),
        ("required", "required"),
        ("Read", {"type": "function", "name": "Read"}),
    ],
)
def test_which_tool_to_call(choice: str, told: Any) -> None:
    body = body_of(WIRE, request(user("x"), tools=(READ,), tool_choice=choice))
    assert body.get("tool_choice") == told


def test_an_answer_by_schema() -> None:
    form = body_of(WIRE, request(user("x"), schema=SCHEMA))["text"]["format"]
    assert (form["type"], form["name"], form["strict"]) == ("json_schema", "answer", True)
    assert form["schema"]["required"] == ["path", "limit"]
    loose = {"type": "object", "additionalProperties": True}
    form = body_of(WIRE, request(user("x"), schema=loose))["text"]["format"]
    assert form["strict"] is False


def test_strict_tools_and_what_their_nulls_mean() -> None:
    wire, to = wire_named(WIRE), target(quirks.STRICT_TOOLS)
    body = msgspec.json.decode(wire.encode(request(user("x"), tools=(READ, NOW)), to).body)
    assert [one["strict"] for one in body["tools"]] == [True, True]
    item = done(0, **CALL_ITEM, arguments='{"path":"a","limit":null}')
    events = drained(wire.reader(to), named_sse(item, finished()))
    (closed,) = [one for one in events if isinstance(one, CallClosed)]
    assert closed.arguments == {"path": "a"}


def test_no_word_about_storing_where_that_is_an_error() -> None:
    assert "store" not in body_of(WIRE, request(user("x")), quirks.NO_STORE)


def test_whole_answers() -> None:
    assert body_of(WIRE, request(user("x"), stream=False))["stream"] is False
