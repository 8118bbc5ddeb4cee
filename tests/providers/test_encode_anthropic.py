"""What Anthropic is sent: blocks, breakpoints, thought in its own form."""

from typing import Any

import pytest

from ankrcode.providers.wires import quirks
from ankrcode.providers.wires.closed_schema import closed_schema
from ankrcode.providers.wires.opaque import redacted_block, thought_signature
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
from providers.wire_streams import target

WIRE = "anthropic"
EPHEMERAL = {"type": "ephemeral"}


def blocks(*messages: Any, **options: Any) -> list[dict[str, Any]]:
    """The content of the last message, without breakpoints."""
    told = body_of(WIRE, request(*messages, **{"cache": False, **options}))
    content: list[dict[str, Any]] = told["messages"][-1]["content"]
    return content


def test_a_whole_conversation() -> None:
    body = body_of(WIRE, request(*TALK, tools=(READ,), cache=False, max_output_tokens=100))
    assert body == {
        "model": "model-1",
        "stream": True,
        "max_tokens": 100,
        "tools": [{"name": "Read", "description": "Reads a file.", "input_schema": SCHEMA}],
        "system": [{"type": "text", "text": "Be brief."}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "Read a."}]},
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "Reading."},
                    {"type": "tool_use", "id": "call_1", "name": "Read", "input": {"path": "a"}},
                ],
            },
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "call_1", "content": "done"}],
            },
            {"role": "assistant", "content": [{"type": "text", "text": "It says done."}]},
            {"role": "user", "content": [{"type": "text", "text": "Thanks."}]},
        ],
    }


def test_path_and_headers() -> None:
    told = encoded(WIRE, request(user("x")))
    assert told.path == "v1/messages"
    assert told.headers["anthropic-version"] == "2023-06-01"


def test_the_same_at_vertex() -> None:
    to = target(quirks.VERTEX, model="claude-x@20260101")
    told = encoded(WIRE, request(user("x")), to=to)
    assert told.path == "publishers/anthropic/models/claude-x@20260101:streamRawPredict"
    body = body_of(WIRE, request(user("x")), to=to)
    assert body["anthropic_version"] == "vertex-2023-10-16"
    assert "model" not in body
    whole = encoded(WIRE, request(user("x"), stream=False), to=to)
    assert whole.path.endswith(":rawPredict")


def test_the_same_at_bedrock() -> None:
    to = target(quirks.BEDROCK_INVOKE, model="anthropic.claude-x-v1:0")
    told = encoded(WIRE, request(user("x")), to=to)
    assert told.path == "model/anthropic.claude-x-v1%3A0/invoke-with-response-stream"
    body = body_of(WIRE, request(user("x")), to=to)
    assert body["anthropic_version"] == "bedrock-2023-05-31"
    assert "model" not in body
    assert "stream" not in body


# ── breakpoints ─────────────────────────────────────────────────────────────────────────────────
def marked_places(body: dict[str, Any]) -> list[str]:
    places = [f"tool {one['name']}" for one in body.get("tools", []) if "cache_control" in one]
    places += ["system" for one in body.get("system", []) if "cache_control" in one]
    for at, message in enumerate(body["messages"]):
        places += [f"message {at}" for one in message["content"] if "cache_control" in one]
    return places


def test_four_breakpoints_at_most() -> None:
    body = body_of(WIRE, request(*TALK, tools=(NOW, READ)))
    assert marked_places(body) == ["tool Read", "system", "message 2", "message 4"]
    assert body["system"][-1]["cache_control"] == EPHEMERAL


def test_breakpoints_stand_on_the_last_block() -> None:
    body = body_of(WIRE, request(user("a", attached(IMAGE), "b")))
    assert ["cache_control" in one for one in body["messages"][0]["content"]] == [
        False,
        False,
        True,
    ]


def test_breakpoints_change_nothing_else() -> None:
    marked = encoded(WIRE, request(*TALK, tools=(READ,))).body
    plain = encoded(WIRE, request(*TALK, tools=(READ,), cache=False)).body
    assert marked.replace(b',"cache_control":{"type":"ephemeral"}', b"") == plain


@pytest.mark.parametrize("asked", [{"cache": False}, {}])
def test_no_breakpoints_where_they_are_not_known_or_not_wanted(asked: dict[str, bool]) -> None:
    its = () if asked else (quirks.NO_CACHE_CONTROL,)
    assert marked_places(body_of(WIRE, request(*TALK, tools=(READ,), **asked), *its)) == []


# ── messages ────────────────────────────────────────────────────────────────────────────────────
def test_neighbours_of_one_role_are_one_turn() -> None:
    talk = [
        user("x"),
        model(use("a"), use("b", "Now")),
        user(result("a")),
        user(result("b")),
        user("Go on."),
    ]
    body = body_of(WIRE, request(*talk, cache=False))
    assert [one["role"] for one in body["messages"]] == ["user", "assistant", "user"]
    assert [one["type"] for one in body["messages"][2]["content"]] == [
        *("tool_result", "tool_result", "text"),
    ]


def test_results_stand_first() -> None:
    told = blocks(user("x"), model(use()), user("Careful!", result()))
    assert [one["type"] for one in told] == ["tool_result", "text"]


def test_a_failed_result() -> None:
    assert blocks(user(result(text="No such file", is_error=True)))[0] == {
        "type": "tool_result",
        "tool_use_id": "call_1",
        "is_error": True,
        "content": "No such file",
    }
    assert blocks(user(result(text="", is_error=True)))[0]["content"]


def test_a_failed_result_is_told_in_text_alone() -> None:
    """The vendor refuses anything else beside an error."""
    (told,) = blocks(user(result(text="No", is_error=True, attachments=(IMAGE,))))
    assert [one["type"] for one in told["content"]] == ["text", "text"]
    assert "cat.png" in told["content"][1]["text"]


def test_an_empty_result_has_no_content() -> None:
    assert "content" not in blocks(user(result(text="")))[0]


def test_a_result_with_an_image_and_a_document() -> None:
    (told,) = blocks(user(result(text="Seen", attachments=(IMAGE, PDF))))
    assert told["content"] == [
        {"type": "text", "text": "Seen"},
        {
            "type": "image",
            "source": {"type": "base64", "media_type": "image/png", "data": "aW1n"},
        },
        {
            "type": "document",
            "source": {"type": "base64", "media_type": "application/pdf", "data": "cGRm"},
            "title": "plan.pdf",
        },
    ]


def test_system_messages_are_blocks_of_their_own() -> None:
    body = body_of(WIRE, request(system("a"), system("b"), user("x"), cache=False))
    assert [one["text"] for one in body["system"]] == ["a", "b"]


def test_a_system_message_among_the_others_is_told_by_the_user() -> None:
    body = body_of(WIRE, request(user("x"), model("y"), system("Note."), cache=False))
    assert body["messages"][-1] == {"role": "user", "content": [{"type": "text", "text": "Note."}]}


def test_ids_of_other_vendors_are_made_fit() -> None:
    body = body_of(WIRE, request(user("x"), model(use("functions.Read:0")), cache=False))
    assert body["messages"][1]["content"][0]["id"].startswith("functions_Read_0")


# ── thought ─────────────────────────────────────────────────────────────────────────────────────
def test_signed_thought_goes_back_word_for_word() -> None:
    told = blocks(user("x"), model(thought("Hm", "c2ln"), "Ah"))
    assert told[0] == {"type": "thinking", "thinking": "Hm", "signature": "c2ln"}


def test_a_signature_without_a_thought_goes_back() -> None:
    told = blocks(user("x"), model(thought("", "c2ln"), "Ah"))
    assert told[0] == {"type": "thinking", "thinking": "", "signature": "c2ln"}


def test_thought_that_nothing_follows_is_left_out() -> None:
    """The vendor refuses it; an answer may have broken off there."""
    assert blocks(user("x"), model("Ah", thought("Hm", "c2ln"))) == [{"type": "text", "text": "Ah"}]
    body = body_of(WIRE, request(user("x"), model(thought("Hm", "c2ln")), user("y"), cache=False))
    assert [one["role"] for one in body["messages"]] == ["user"]


def test_hidden_thought_goes_back_word_for_word() -> None:
    told = blocks(user("x"), model(thought("", opaque=redacted_block("RW5j")), "Ah"))
    assert told[0] == {"type": "redacted_thinking", "data": "RW5j"}


@pytest.mark.parametrize("part", [thought("Hm"), thought("", opaque=thought_signature("x"))])
def test_thought_of_others_is_left_out(part: Any) -> None:
    assert [one["type"] for one in blocks(user("x"), model(part, "Ah"))] == ["text"]


@pytest.mark.parametrize(
    ("options", "thinking"),
    [
        ({}, None),
        ({"effort": "low"}, {"type": "enabled", "budget_tokens": 4096}),
        ({"max_thinking_tokens": 2000}, {"type": "enabled", "budget_tokens": 2000}),
        ({"max_thinking_tokens": 5}, {"type": "enabled", "budget_tokens": 1024}),
        ({"max_thinking_tokens": 0}, {"type": "disabled"}),
        ({"effort": "high"}, {"type": "enabled", "budget_tokens": 18976}),
        ({"effort": "high", "max_output_tokens": 1500}, None),
    ],
)
def test_how_much_to_think(options: dict[str, Any], thinking: Any) -> None:
    told = request(user("x"), **{"max_output_tokens": 20_000, **options})
    assert body_of(WIRE, told).get("thinking") == thinking


def test_models_that_judge_for_themselves_how_much_to_think() -> None:
    body = body_of(WIRE, request(user("x"), effort="medium"), quirks.ADAPTIVE_THINKING)
    assert body["thinking"] == {"type": "adaptive"}
    assert body["output_config"] == {"effort": "medium"}


def test_an_effort_beside_a_budget() -> None:
    body = body_of(WIRE, request(user("x"), effort="minimal"), quirks.OUTPUT_EFFORT)
    assert body["output_config"] == {"effort": "low"}
    assert body["thinking"]["type"] == "enabled"


def test_a_turn_that_began_without_thought_goes_on_without_it() -> None:
    """The vendor refuses it: such a turn may come from another vendor's model."""
    talk = [user("x"), model(use()), user(result())]
    assert body_of(WIRE, request(*talk, effort="low"))["thinking"] == {"type": "disabled"}
    signed = [user("x"), model(thought("Hm", "c2ln"), use()), user(result())]
    assert body_of(WIRE, request(*signed, effort="low"))["thinking"]["type"] == "enabled"
    over = [*talk, model("Done."), user("More")]
    assert body_of(WIRE, request(*over, effort="low"))["thinking"]["type"] == "enabled"


def test_thought_excludes_a_temperature_and_a_forced_call() -> None:
    options: dict[str, Any] = {"temperature": 0.5, "top_p": 0.9, "tool_choice": "required"}
    body = body_of(WIRE, request(user("x"), tools=(READ,), effort="low", **options))
    assert not {"temperature", "top_p", "tool_choice"} & body.keys()
    body = body_of(WIRE, request(user("x"), tools=(READ,), **options))
    assert (body["temperature"], body["top_p"]) == (0.5, 0.9)
    assert body["tool_choice"] == {"type": "any"}


def test_models_without_a_temperature() -> None:
    body = body_of(WIRE, request(user("x"), temperature=0.5), quirks.NO_TEMPERATURE)
    assert "temperature" not in body


# ── options ─────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("choice", "told"),
    [
        ("auto", None),
        ("none", {"type": "none"}),
        ("required", {"type": "any"}),
        ("Read", {"type": "tool", "name": "Read"}),
    ],
)
def test_which_tool_to_call(choice: str, told: Any) -> None:
    body = body_of(WIRE, request(user("x"), tools=(READ,), tool_choice=choice))
    assert body.get("tool_choice") == told
    assert "tool_choice" not in body_of(WIRE, request(user("x"), tool_choice=choice))


def test_stop_and_whole_answers() -> None:
    body = body_of(WIRE, request(user("x"), stop=("END",), stream=False))
    assert body["stop_sequences"] == ["END"]
    assert "stream" not in body


def test_the_limit_is_the_models_own_where_none_is_asked_for() -> None:
    assert body_of(WIRE, request(user("x")), to=target(max_output_tokens=64))["max_tokens"] == 64
    assert body_of(WIRE, request(user("x")))["max_tokens"] == 8192


def test_a_schema_that_the_vendor_would_refuse_is_asked_for_in_words() -> None:
    anything = {"type": "object", "additionalProperties": True}
    body = body_of(WIRE, request(user("x"), schema=anything), quirks.OUTPUT_FORMAT)
    assert "output_config" not in body
    assert "additionalProperties" in body["system"][-1]["text"]


def test_an_answer_by_schema() -> None:
    told = request(user("x"), schema=SCHEMA)
    body = body_of(WIRE, told, quirks.OUTPUT_FORMAT)
    assert body["output_config"] == {
        "format": {"type": "json_schema", "schema": closed_schema(SCHEMA)}
    }
    assert "minimum" not in str(body["output_config"])  # the vendor refuses limits of numbers
    assert "system" not in body
    body = body_of(WIRE, told)
    assert "output_config" not in body
    assert '"path"' in body["system"][-1]["text"]
