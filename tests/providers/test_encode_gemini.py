"""What Gemini is sent: contents, declarations in its dialect, signatures on calls."""

from typing import Any

import pytest

from ankrcode.providers.wire import ToolSpec
from ankrcode.providers.wires import quirks
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

WIRE = "gemini"


def contents(*messages: Any, quirk: str = "") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = body_of(WIRE, request(*messages), quirk)["contents"]
    return found


def config(**options: Any) -> dict[str, Any]:
    quirk = options.pop("quirk", "")
    found: dict[str, Any] = body_of(WIRE, request(user("x"), **options), quirk).get(
        "generationConfig", {}
    )
    return found


def test_a_whole_conversation() -> None:
    body = body_of(WIRE, request(*TALK, tools=(READ, NOW), max_output_tokens=100))
    assert body == {
        "generationConfig": {"maxOutputTokens": 100},
        "tools": [
            {
                "functionDeclarations": [
                    {
                        "name": "Read",
                        "description": "Reads a file.",
                        "parameters": {
                            "type": "object",
                            "properties": {
                                "path": {"type": "string", "description": "Where"},
                                "limit": {"type": "integer", "nullable": True, "minimum": 1},
                            },
                            "required": ["path"],
                        },
                    },
                    {"name": "Now", "description": ""},
                ]
            }
        ],
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "contents": [
            {"role": "user", "parts": [{"text": "Read a."}]},
            {
                "role": "model",
                "parts": [
                    {"text": "Reading."},
                    {"functionCall": {"name": "Read", "args": {"path": "a"}}},
                ],
            },
            {
                "role": "user",
                "parts": [{"functionResponse": {"name": "Read", "response": {"output": "done"}}}],
            },
            {"role": "model", "parts": [{"text": "It says done."}]},
            {"role": "user", "parts": [{"text": "Thanks."}]},
        ],
    }


@pytest.mark.parametrize(
    ("its", "stream", "path"),
    [
        ((), True, "models/model-1:streamGenerateContent?alt=sse"),
        ((), False, "models/model-1:generateContent"),
        ((quirks.VERTEX,), True, "publishers/google/models/model-1:streamGenerateContent?alt=sse"),
        ((quirks.VERTEX,), False, "publishers/google/models/model-1:generateContent"),
    ],
)
def test_paths(its: tuple[str, ...], stream: bool, path: str) -> None:
    assert encoded(WIRE, request(user("x"), stream=stream), *its).path == path


def test_a_models_full_name_is_not_doubled() -> None:
    told = encoded(WIRE, request(user("x")), to=target(model="models/gemini-x"))
    assert told.path.startswith("models/gemini-x:")


def test_neighbours_of_one_role_are_one_turn() -> None:
    talk = [user("x"), model(use("a")), user(result("a")), user("Go on."), user("Please.")]
    assert [one["role"] for one in contents(*talk)] == ["user", "model", "user"]


def test_results_are_named_after_their_calls() -> None:
    talk = [user("x"), model(use("a", "Read"), use("b", "Now")), user(result("b"), result("a"))]
    names = [one["functionResponse"]["name"] for one in contents(*talk)[2]["parts"]]
    assert names == ["Now", "Read"]


def test_a_result_without_its_call_still_has_a_name() -> None:
    assert contents(user(result("lost")))[0]["parts"][0]["functionResponse"]["name"] == "tool"


def test_a_failed_result_says_so() -> None:
    (turn,) = contents(user(result(text="No", is_error=True)))
    assert turn["parts"][0]["functionResponse"]["response"] == {"error": "No"}


def test_images_and_documents_are_inline() -> None:
    (turn,) = contents(user("See", attached(IMAGE), attached(PDF)))
    assert turn["parts"][1:] == [
        {"inlineData": {"mimeType": "image/png", "data": "aW1n"}},
        {"inlineData": {"mimeType": "application/pdf", "data": "cGRm"}},
    ]


def test_images_of_results_follow_them() -> None:
    (turn,) = contents(user(result(attachments=(IMAGE,))))
    assert [next(iter(one)) for one in turn["parts"]] == ["functionResponse", "inlineData"]


def test_signed_calls_go_back_signed() -> None:
    parts = contents(user("x"), model(use("a", signature="c2ln"), use("b")))[1]["parts"]
    assert parts[0]["thoughtSignature"] == "c2ln"
    assert "thoughtSignature" not in parts[1]


def test_calls_of_others_are_excused_where_signatures_are_demanded() -> None:
    talk = [user("x"), model(use("a"), use("b"))]
    parts = contents(*talk, quirk=quirks.THINKING_LEVEL)[1]["parts"]
    assert parts[0]["thoughtSignature"]
    assert "thoughtSignature" not in parts[1]
    assert "thoughtSignature" not in contents(*talk)[1]["parts"][0]


def test_signatures_on_text_go_back_on_a_text() -> None:
    parts = contents(user("x"), model("Ah", thought("", opaque=thought_signature("c2ln"))))[1][
        "parts"
    ]
    assert parts == [{"text": "Ah"}, {"text": "", "thoughtSignature": "c2ln"}]


@pytest.mark.parametrize(
    "part", [thought("Hm"), thought("Hm", "c2ln"), thought("", opaque=redacted_block("x"))]
)
def test_thought_of_others_is_left_out(part: Any) -> None:
    assert contents(user("x"), model(part, "Ah"))[1]["parts"] == [{"text": "Ah"}]


def test_several_system_messages() -> None:
    body = body_of(WIRE, request(system("a"), system("b"), user("x")))
    assert body["systemInstruction"] == {"parts": [{"text": "a"}, {"text": "b"}]}


# ── options ─────────────────────────────────────────────────────────────────────────────────────
def test_options() -> None:
    assert config(temperature=0.5, top_p=0.9, stop=("END",)) == {
        "temperature": 0.5,
        "topP": 0.9,
        "stopSequences": ["END"],
    }


@pytest.mark.parametrize(
    ("options", "thinking"),
    [
        ({}, None),
        ({"effort": "low"}, {"thinkingBudget": 4096, "includeThoughts": True}),
        ({"max_thinking_tokens": 0}, {"thinkingBudget": 0, "includeThoughts": False}),
        (
            {"effort": "low", "quirk": quirks.THINKING_LEVEL},
            {"thinkingLevel": "low", "includeThoughts": True},
        ),
        (
            {"effort": "high", "quirk": quirks.THINKING_LEVEL},
            {"thinkingLevel": "high", "includeThoughts": True},
        ),
        (
            {"max_thinking_tokens": 0, "quirk": quirks.THINKING_LEVEL},
            {"thinkingLevel": "low", "includeThoughts": False},
        ),
        ({"effort": "low", "quirk": quirks.NO_EFFORT}, None),
    ],
)
def test_how_hard_to_think(options: dict[str, Any], thinking: Any) -> None:
    assert config(**options).get("thinkingConfig") == thinking


@pytest.mark.parametrize(
    ("choice", "told"),
    [
        ("auto", None),
        ("none", {"mode": "NONE"}),
        ("required", {"mode": "ANY"}),
        ("Read", {"mode": "ANY", "allowedFunctionNames": ["Read"]}),
    ],
)
def test_which_tool_to_call(choice: str, told: Any) -> None:
    body = body_of(WIRE, request(user("x"), tools=(READ,), tool_choice=choice))
    assert body.get("toolConfig", {}).get("functionCallingConfig") == told


def test_an_answer_by_schema_in_its_dialect() -> None:
    found = config(schema=SCHEMA)
    assert found["responseMimeType"] == "application/json"
    assert "additionalProperties" not in found["responseSchema"]
    whole = config(schema=SCHEMA, quirk=quirks.FULL_SCHEMA)
    assert whole["responseJsonSchema"] == SCHEMA


def test_schemas_may_go_whole() -> None:
    body = body_of(WIRE, request(user("x"), tools=(READ,)), quirks.FULL_SCHEMA)
    (declaration,) = body["tools"][0]["functionDeclarations"]
    assert declaration["parametersJsonSchema"] == SCHEMA
    assert "parameters" not in declaration


def test_references_are_resolved() -> None:
    schema = {
        "type": "object",
        "properties": {"at": {"$ref": "#/$defs/Place"}},
        "$defs": {"Place": {"type": "object", "properties": {"line": {"type": "integer"}}}},
    }
    tool = ToolSpec(name="Go", description="Goes.", input_schema=schema)
    body = body_of(WIRE, request(user("x"), tools=(tool,)))
    (declaration,) = body["tools"][0]["functionDeclarations"]
    assert declaration["parameters"]["properties"]["at"]["properties"] == {
        "line": {"type": "integer"}
    }
