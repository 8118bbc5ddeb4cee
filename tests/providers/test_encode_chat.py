"""What vendors of Chat Completions are sent, and what each quirk changes in it."""

from typing import Any

import msgspec
import pytest

from ankrcode.protocol.stream import CallClosed
from ankrcode.providers.wires import quirks, wire_named
from ankrcode.providers.wires.opaque import reasoning_details
from providers.wire_requests import (
    FILE,
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
from providers.wire_samples import call_delta, chunk
from providers.wire_streams import drained, sse, target

WIRE = "openai-chat"
IMAGE_PART = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aW1n"}}


def told(*messages: Any, quirk: str | tuple[str, ...] = (), **options: Any) -> list[dict[str, Any]]:
    its = (quirk,) if isinstance(quirk, str) else quirk
    messages_told: list[dict[str, Any]] = body_of(WIRE, request(*messages, **options), *its)[
        "messages"
    ]
    return messages_told


def test_a_whole_conversation() -> None:
    body = body_of(WIRE, request(*TALK, tools=(READ,), max_output_tokens=100))
    assert body == {
        "model": "model-1",
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 100,
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "Read",
                    "description": "Reads a file.",
                    "parameters": SCHEMA,
                },
            }
        ],
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Read a."},
            {
                "role": "assistant",
                "content": "Reading.",
                "tool_calls": [
                    {
                        "id": "call_1",
                        "type": "function",
                        "function": {"name": "Read", "arguments": '{"path":"a"}'},
                    }
                ],
            },
            {"role": "tool", "tool_call_id": "call_1", "content": "done"},
            {"role": "assistant", "content": "It says done."},
            {"role": "user", "content": "Thanks."},
        ],
    }


def test_paths() -> None:
    assert encoded(WIRE, request(user("x"))).path == "chat/completions"
    azure = target(quirks.AZURE_DEPLOYMENTS, model="my-gpt", base_url="https://x/openai")
    path = encoded(WIRE, request(user("x")), to=azure).path
    assert path.startswith("deployments/my-gpt/chat/completions?api-version=20")
    dated = target(quirks.AZURE_DEPLOYMENTS, model="m", base_url="https://x/openai?api-version=1")
    assert encoded(WIRE, request(user("x")), to=dated).path == "deployments/m/chat/completions"


# ── words of the request ────────────────────────────────────────────────────────────────────────
def test_the_limit_by_its_other_name() -> None:
    body = body_of(WIRE, request(user("x"), max_output_tokens=9), quirks.MAX_COMPLETION_TOKENS)
    assert body["max_completion_tokens"] == 9
    assert "max_tokens" not in body


def test_no_limit_where_nobody_sets_one() -> None:
    assert "max_tokens" not in body_of(WIRE, request(user("x")))
    assert body_of(WIRE, request(user("x")), to=target(max_output_tokens=5))["max_tokens"] == 5


def test_usage_is_asked_for_in_streams_unless_that_is_an_error() -> None:
    assert "stream_options" not in body_of(WIRE, request(user("x")), quirks.NO_STREAM_OPTIONS)
    whole = body_of(WIRE, request(user("x"), stream=False))
    assert whole["stream"] is False
    assert "stream_options" not in whole


def test_temperature_and_stop() -> None:
    options: dict[str, Any] = {"temperature": 0.0, "top_p": 0.5, "stop": ("END",)}
    body = body_of(WIRE, request(user("x"), **options))
    assert (body["temperature"], body["top_p"], body["stop"]) == (0.0, 0.5, ["END"])
    body = body_of(WIRE, request(user("x"), **options), quirks.NO_TEMPERATURE, quirks.NO_STOP)
    assert not {"temperature", "top_p", "stop"} & body.keys()


@pytest.mark.parametrize(
    ("choice", "quirk", "expected"),
    [
        ("auto", "", None),
        ("none", "", "none"),
        ("required", "", "required"),
        ("Read", "", {"type": "function", "function": {"name": "Read"}}),
        ("required", quirks.REQUIRED_IS_ANY, "any"),
        ("required", quirks.NO_REQUIRED, "auto"),
        ("Read", quirks.NO_REQUIRED, "auto"),
        ("required", quirks.NO_TOOL_CHOICE, None),
        ("none", quirks.NO_TOOL_CHOICE, None),
    ],
)
def test_which_tool_to_call(choice: str, quirk: str, expected: Any) -> None:
    body = body_of(WIRE, request(user("x"), tools=(READ,), tool_choice=choice), quirk)
    assert body.get("tool_choice") == expected


@pytest.mark.parametrize(
    ("options", "quirk", "expected"),
    [
        ({"effort": "low"}, "", {"reasoning_effort": "low"}),
        ({"max_thinking_tokens": 3000}, "", {"reasoning_effort": "low"}),
        ({"max_thinking_tokens": 99_000}, "", {"reasoning_effort": "high"}),
        ({"max_thinking_tokens": 0}, "", {"reasoning_effort": "none"}),
        ({"effort": "low"}, quirks.NO_EFFORT, {}),
        ({"effort": "low"}, quirks.EFFORT_OBJECT, {"reasoning": {"effort": "low"}}),
        ({"max_thinking_tokens": 70}, quirks.EFFORT_OBJECT, {"reasoning": {"max_tokens": 70}}),
        ({"max_thinking_tokens": 0}, quirks.EFFORT_OBJECT, {"reasoning": {"enabled": False}}),
        ({"effort": "low"}, quirks.THINKING_SWITCH, {"thinking": {"type": "enabled"}}),
        ({"max_thinking_tokens": 0}, quirks.THINKING_SWITCH, {"thinking": {"type": "disabled"}}),
        (
            {"max_thinking_tokens": 70},
            quirks.ENABLE_THINKING,
            {"enable_thinking": True, "thinking_budget": 70},
        ),
        ({"max_thinking_tokens": 0}, quirks.ENABLE_THINKING, {"enable_thinking": False}),
        ({}, quirks.ENABLE_THINKING, {}),
    ],
)
def test_how_hard_to_think(options: dict[str, Any], quirk: str, expected: dict[str, Any]) -> None:
    body = body_of(WIRE, request(user("x"), **options), quirk)
    words = ("reasoning_effort", "reasoning", "thinking", "enable_thinking", "thinking_budget")
    assert {word: body[word] for word in words if word in body} == expected


# ── answers and tools by schema ─────────────────────────────────────────────────────────────────
def test_an_answer_by_schema_is_strict_where_that_can_be_said() -> None:
    form = body_of(WIRE, request(user("x"), schema=SCHEMA))["response_format"]
    assert form["type"] == "json_schema"
    assert form["json_schema"]["strict"] is True
    assert form["json_schema"]["schema"]["required"] == ["path", "limit"]


def test_an_answer_by_an_open_schema_is_not() -> None:
    schema = {"type": "object", "additionalProperties": {"type": "string"}}
    form = body_of(WIRE, request(user("x"), schema=schema))["response_format"]
    assert form["json_schema"] == {"name": "answer", "schema": schema, "strict": False}


def test_json_without_a_schema_is_told_in_words_too() -> None:
    body = body_of(WIRE, request(user("x"), schema=SCHEMA), quirks.JSON_OBJECT)
    assert body["response_format"] == {"type": "json_object"}
    assert '"path"' in body["messages"][0]["content"]
    body = body_of(WIRE, request(system("Hi."), user("x"), schema=SCHEMA), quirks.NO_JSON)
    assert "response_format" not in body
    assert body["messages"][0]["content"].startswith("Hi.\n\n")
    assert '"path"' in body["messages"][0]["content"]


def test_strict_tools_and_what_their_nulls_mean() -> None:
    wire, to = wire_named(WIRE), target(quirks.STRICT_TOOLS)
    body = msgspec.json.decode(wire.encode(request(user("x"), tools=(READ, NOW)), to).body)
    function = body["tools"][0]["function"]
    assert function["strict"] is True
    assert function["parameters"]["required"] == ["path", "limit"]
    call = call_delta(0, id="c", name="Read", arguments='{"path":"a","limit":null}')
    events = drained(wire.reader(to), sse(chunk(call), chunk({}, "tool_calls"), done=True))
    (closed,) = [one for one in events if isinstance(one, CallClosed)]
    assert closed.arguments == {"path": "a"}


def test_nulls_are_left_alone_where_tools_were_not_strict() -> None:
    wire, to = wire_named(WIRE), target()
    wire.encode(request(user("x"), tools=(READ,)), to)
    call = call_delta(0, id="c", name="Read", arguments='{"path":"a","limit":null}')
    events = drained(wire.reader(to), sse(chunk(call), chunk({}, "tool_calls"), done=True))
    (closed,) = [one for one in events if isinstance(one, CallClosed)]
    assert closed.arguments == {"path": "a", "limit": None}


# ── the system's words ──────────────────────────────────────────────────────────────────────────
def test_the_system_by_its_other_name() -> None:
    assert told(system("a"), user("x"), quirk=quirks.DEVELOPER)[0]["role"] == "developer"


def test_several_system_messages_are_one() -> None:
    assert told(system("a"), system("b"), user("x"))[0]["content"] == "a\n\nb"


def test_without_a_system_role_the_user_says_it_first() -> None:
    first = told(system("a"), user("x"), quirk=quirks.NO_SYSTEM)
    assert first == [{"role": "user", "content": "a\n\nx"}]
    alone = told(system("a"), quirk=quirks.NO_SYSTEM)
    assert alone == [{"role": "user", "content": "a"}]
    image = told(system("a"), user(attached(IMAGE)), quirk=quirks.NO_SYSTEM)
    assert image[0]["content"] == [{"type": "text", "text": "a"}, IMAGE_PART]


def test_a_system_message_among_the_others_keeps_its_place() -> None:
    assert told(user("x"), model("y"), system("Note."))[-1] == {
        "role": "system",
        "content": "Note.",
    }


# ── calls and results ───────────────────────────────────────────────────────────────────────────
def test_nine_letter_ids_match() -> None:
    talk = [user("x"), model(use("call_long_id_1")), user(result("call_long_id_1"))]
    messages = told(*talk, quirk=quirks.NINE_LETTER_IDS)
    call_id = messages[1]["tool_calls"][0]["id"]
    assert len(call_id) == 9
    assert call_id.isalnum()
    assert messages[2]["tool_call_id"] == call_id


def test_a_call_without_words_has_an_empty_content() -> None:
    assert told(user("x"), model(use()))[1]["content"] == ""
    assert told(user("x"), model(use()), quirk=quirks.NEEDS_CONTENT)[1]["content"] == " "


def test_an_answer_that_said_nothing_is_left_out() -> None:
    assert told(user("x"), model(""), model(thought("Hm")), user("y")) == [
        {"role": "user", "content": "x"},
        {"role": "user", "content": "y"},
    ]


def test_results_without_words() -> None:
    talk = [user("x"), model(use()), user(result(text=""))]
    assert told(*talk)[2]["content"] == ""
    assert told(*talk, quirk=quirks.NEEDS_CONTENT)[2]["content"] == "(no output)"
    failed = [user("x"), model(use()), user(result(text="", is_error=True))]
    assert told(*failed)[2]["content"] == "failed"


def test_results_that_name_their_tool() -> None:
    talk = [user("x"), model(use()), user(result())]
    assert told(*talk, quirk=quirks.NAMED_RESULTS)[2]["name"] == "Read"
    assert "name" not in told(*talk)[2]


def test_results_of_one_run_stand_together_and_their_images_follow() -> None:
    talk = [
        user("x"),
        model(use("a"), use("b")),
        user(result("a", attachments=(IMAGE,))),
        user(result("b")),
        user("And?"),
    ]
    messages = told(*talk)
    assert [one["role"] for one in messages] == [
        "user",
        "assistant",
        "tool",
        "tool",
        "user",
        "user",
    ]
    assert messages[4]["content"] == [IMAGE_PART]


def test_words_beside_results_follow_them() -> None:
    messages = told(user("x"), model(use()), user("Careful!", result()))
    assert [one["role"] for one in messages] == ["user", "assistant", "tool", "user"]


def test_results_that_may_hold_images() -> None:
    talk = [user("x"), model(use()), user(result(text="Seen", attachments=(IMAGE,)))]
    messages = told(*talk, quirk=quirks.RESULT_IMAGES)
    assert len(messages) == 3
    assert messages[2]["content"] == [{"type": "text", "text": "Seen"}, IMAGE_PART]


def test_a_word_of_the_model_between_result_and_user() -> None:
    talk = [user("x"), model(use()), user(result()), user("And?")]
    messages = told(*talk, quirk=quirks.NO_USER_AFTER_TOOL)
    assert [one["role"] for one in messages[2:]] == ["tool", "assistant", "user"]
    answered = [user("x"), model(use()), user(result()), model("So."), user("And?")]
    assert len(told(*answered, quirk=quirks.NO_USER_AFTER_TOOL)) == 5


def test_signed_calls_go_back_signed() -> None:
    talk = [user("x"), model(use(signature="c2ln"))]
    assert "extra_content" not in told(*talk)[1]["tool_calls"][0]
    call = told(*talk, quirk=quirks.CALL_SIGNATURES)[1]["tool_calls"][0]
    assert call["extra_content"] == {"google": {"thought_signature": "c2ln"}}


# ── thought ─────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("quirk", "field"),
    [
        ("", None),
        (quirks.REASONING_BACK, "reasoning_content"),
        (quirks.REASONING_FIELD_BACK, "reasoning"),
    ],
)
def test_thought_goes_back_where_it_is_wanted(quirk: str, field: str | None) -> None:
    (_, told_model) = told(user("x"), model(thought("Hm"), "Ah"), quirk=quirk)
    expected = {"role": "assistant", "content": "Ah"}
    assert told_model == ({**expected, field: "Hm"} if field else expected)


def test_details_go_back_word_for_word() -> None:
    details = [{"type": "reasoning.text", "text": "Hm", "signature": "c2ln", "index": 0}]
    part = thought("Hm", opaque=reasoning_details(details))
    (_, told_model) = told(user("x"), model(part, "Ah"), quirk=quirks.REASONING_DETAILS)
    assert told_model["reasoning_details"] == details
    assert "reasoning_details" not in told(user("x"), model(part, "Ah"))[1]


# ── content ─────────────────────────────────────────────────────────────────────────────────────
def test_text_alone_is_one_string() -> None:
    assert told(user("a", "b"))[0]["content"] == "a\n\nb"


def test_images_and_documents_are_parts() -> None:
    (message,) = told(user("See", attached(IMAGE), attached(PDF)))
    assert message["content"] == [
        {"type": "text", "text": "See"},
        IMAGE_PART,
        {
            "type": "file",
            "file": {"filename": "plan.pdf", "file_data": "data:application/pdf;base64,cGRm"},
        },
    ]


@pytest.mark.parametrize(
    ("quirk", "kinds"),
    [
        (quirks.NO_IMAGES, ["text", "text", "file"]),
        (quirks.NO_FILES, ["text", "image_url", "text"]),
        (quirks.DOCUMENT_URL, ["text", "image_url", "document_url"]),
    ],
)
def test_what_a_vendor_cannot_see(quirk: str, kinds: list[str]) -> None:
    (message,) = told(user("See", attached(IMAGE), attached(PDF)), quirk=quirk)
    assert [one["type"] for one in message["content"]] == kinds


def test_plain_content_is_never_a_list() -> None:
    (message,) = told(user("See", attached(IMAGE), attached(FILE)), quirk=quirks.PLAIN_CONTENT)
    assert isinstance(message["content"], str)
    assert "cat.png" in message["content"]
    assert "x.zip" in message["content"]


def test_jpegs_by_their_other_name() -> None:
    image = msgspec.structs.replace(IMAGE, mime="image/jpg")
    (message,) = told(user(attached(image)))
    assert message["content"][0]["image_url"]["url"].startswith("data:image/jpeg;")


def test_breakpoints_for_who_passes_them_on() -> None:
    messages = told(system("a"), user("x"), model("y"), user("z"), quirk=quirks.CACHE_CONTROL)
    mark = {"cache_control": {"type": "ephemeral"}}
    assert messages[0]["content"] == [{"type": "text", "text": "a", **mark}]
    assert messages[1]["content"] == [{"type": "text", "text": "x", **mark}]
    assert messages[3]["content"] == [{"type": "text", "text": "z", **mark}]
    plain = told(system("a"), user("x"), quirk=quirks.CACHE_CONTROL, cache=False)
    assert "cache_control" not in str(plain)


def test_breakpoints_follow_the_results_of_tools() -> None:
    """Else a run of calls is paid for anew with each request; others know only text there."""
    talk = [user("Begin.")]
    for number in range(4):
        talk += [model(use(f"c{number}")), user(result(f"c{number}", f"found {number}"))]
    to = target(quirks.CACHE_CONTROL, model="anthropic/claude-x")
    messages = body_of("openai-chat", request(*talk), to=to)["messages"]
    marked = [at for at, one in enumerate(messages) if "cache_control" in str(one)]
    assert marked == [6, 8]
    assert messages[8]["content"][0]["text"] == "found 3"
