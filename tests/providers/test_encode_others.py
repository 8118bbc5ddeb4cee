"""What Bedrock and Ollama are sent."""

from typing import Any

import msgspec
import pytest

from ankrcode.providers.wires import quirks
from ankrcode.providers.wires.opaque import hidden_content, redacted_block
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
    thought,
    use,
    user,
)
from providers.wire_streams import target

CLAUDE = target(model="eu.anthropic.claude-x-v1:0", provider="bedrock")
POINT = {"cachePoint": {"type": "default"}}


# ── Bedrock ─────────────────────────────────────────────────────────────────────────────────────
def content(*messages: Any, **options: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = body_of("bedrock", request(*messages, **options))["messages"][-1][
        "content"
    ]
    return found


def test_bedrock_a_whole_conversation() -> None:
    body = body_of("bedrock", request(*TALK, tools=(READ, NOW), max_output_tokens=100))
    assert body == {
        "inferenceConfig": {"maxTokens": 100},
        "toolConfig": {
            "tools": [
                {
                    "toolSpec": {
                        "name": "Read",
                        "description": "Reads a file.",
                        "inputSchema": {"json": SCHEMA},
                    }
                },
                {
                    "toolSpec": {
                        "name": "Now",
                        "description": "Now",
                        "inputSchema": {"json": {"type": "object", "properties": {}}},
                    }
                },
            ]
        },
        "system": [{"text": "Be brief."}],
        "messages": [
            {"role": "user", "content": [{"text": "Read a."}]},
            {
                "role": "assistant",
                "content": [
                    {"text": "Reading."},
                    {"toolUse": {"toolUseId": "call_1", "name": "Read", "input": {"path": "a"}}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {
                        "toolResult": {
                            "toolUseId": "call_1",
                            "content": [{"text": "done"}],
                            "status": "success",
                        }
                    }
                ],
            },
            {"role": "assistant", "content": [{"text": "It says done."}]},
            {"role": "user", "content": [{"text": "Thanks."}]},
        ],
    }


def test_bedrock_paths_are_quoted() -> None:
    told = encoded("bedrock", request(user("x")), to=CLAUDE)
    assert told.path == "model/eu.anthropic.claude-x-v1%3A0/converse-stream"
    arn = target(model="arn:aws:bedrock:eu-west-1:1:inference-profile/x")
    told = encoded("bedrock", request(user("x"), stream=False), to=arn)
    assert told.path.endswith("%3Ainference-profile%2Fx/converse")


def test_bedrock_breakpoints_for_models_that_take_them() -> None:
    body = body_of("bedrock", request(*TALK, tools=(READ,)), to=CLAUDE)
    assert body["system"][-1] == POINT
    assert body["toolConfig"]["tools"][-1] == POINT
    assert [one["content"][-1] == POINT for one in body["messages"]] == [
        *(False, False, True, False, True),
    ]
    nova = body_of(
        "bedrock", request(*TALK, tools=(READ,)), to=target(model="amazon.nova-pro-v1:0")
    )
    assert nova["system"][-1] == POINT
    assert POINT not in nova["toolConfig"]["tools"]
    for plain in (
        body_of("bedrock", request(*TALK, tools=(READ,))),
        body_of("bedrock", request(*TALK, tools=(READ,), cache=False), to=CLAUDE),
    ):
        assert "cachePoint" not in str(plain)


def test_bedrock_neighbours_of_one_role_are_one_turn() -> None:
    talk = [user("x"), model(use("a")), model(use("b")), user(result("a")), user(result("b"))]
    body = body_of("bedrock", request(*talk))
    assert [one["role"] for one in body["messages"]] == ["user", "assistant", "user"]
    assert len(body["messages"][2]["content"]) == 2


@pytest.mark.parametrize(
    ("name", "roles"),
    [
        ("eu.anthropic.claude-x-v1:0", ["user", "assistant", "user"]),
        ("us.meta.llama4-x-v1:0", ["user", "assistant", "user", "assistant", "user"]),
        ("mistral.mistral-large-v1:0", ["user", "assistant", "user", "assistant", "user"]),
    ],
)
def test_bedrock_models_that_want_results_alone_in_their_turn(name: str, roles: list[str]) -> None:
    talk = [user("x"), model(use("a"), use("b")), user(result("a")), user(result("b"), "And?")]
    body = body_of("bedrock", request(*talk), to=target(model=name))
    assert [one["role"] for one in body["messages"]] == roles
    assert [next(iter(one)) for one in body["messages"][2]["content"]][:2] == ["toolResult"] * 2


def test_bedrock_no_breakpoint_stands_behind_a_document() -> None:
    talk = [user("x"), model("y"), user("See", attached(PDF))]
    body = body_of("bedrock", request(*talk), to=CLAUDE)
    assert POINT in body["messages"][0]["content"]
    assert POINT not in body["messages"][2]["content"]


def test_bedrock_results_that_failed_are_empty_or_hold_images() -> None:
    (failed,) = content(user(result(text="No", is_error=True)))
    assert failed["toolResult"]["status"] == "error"
    (empty,) = content(user(result(text="")))
    assert empty["toolResult"]["content"] == [{"text": "(no output)"}]
    (full,) = content(user(result(text="Seen", attachments=(IMAGE, PDF))))
    assert full["toolResult"]["content"] == [
        {"text": "Seen"},
        {"image": {"format": "png", "source": {"bytes": "aW1n"}}},
        {"document": {"format": "pdf", "name": "plan pdf", "source": {"bytes": "cGRm"}}},
    ]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("a.b.pdf", "a b pdf"),
        ("résumé (1).pdf", "r sum (1) pdf"),
        ("___", "document"),
        ("x  y.pdf", "x y pdf"),
    ],
)
def test_bedrock_names_of_documents_are_made_fit(name: str, told: str) -> None:
    document = msgspec.structs.replace(PDF, name=name)
    assert content(user("x", attached(document)))[1]["document"]["name"] == told


def test_bedrock_thought_goes_back_in_its_form() -> None:
    parts = [
        thought("Hm", "c2ln"),
        thought("", opaque=hidden_content("aGlk")),
        thought("not mine"),
        thought("", opaque=redacted_block("x")),
    ]
    assert content(user("x"), model(*parts, "Ah")) == [
        {"reasoningContent": {"reasoningText": {"text": "Hm", "signature": "c2ln"}}},
        {"reasoningContent": {"redactedContent": "aGlk"}},
        {"text": "Ah"},
    ]


@pytest.mark.parametrize(
    ("options", "thinking"),
    [
        ({}, None),
        ({"effort": "low"}, {"type": "enabled", "budget_tokens": 4096}),
        ({"max_thinking_tokens": 5}, {"type": "enabled", "budget_tokens": 1024}),
        ({"max_thinking_tokens": 0}, None),
        ({"effort": "low", "max_output_tokens": 3000}, {"type": "enabled", "budget_tokens": 1976}),
        ({"effort": "low", "max_output_tokens": 500}, None),
    ],
)
def test_bedrock_how_much_to_think(options: dict[str, Any], thinking: Any) -> None:
    body = body_of("bedrock", request(user("x"), **options), to=CLAUDE)
    assert body.get("additionalModelRequestFields", {}).get("thinking") == thinking
    other = body_of("bedrock", request(user("x"), **options))
    assert "additionalModelRequestFields" not in other


@pytest.mark.parametrize(
    ("choice", "told"),
    [
        ("auto", None),
        ("none", None),
        ("required", {"any": {}}),
        ("Read", {"tool": {"name": "Read"}}),
    ],
)
def test_bedrock_which_tool_to_call(choice: str, told: Any) -> None:
    body = body_of("bedrock", request(user("x"), tools=(READ,), tool_choice=choice))
    assert body["toolConfig"].get("toolChoice") == told


def test_bedrock_options_and_schemas() -> None:
    told = request(user("x"), temperature=0.5, top_p=0.9, stop=("END",), schema=SCHEMA)
    body = body_of("bedrock", told)
    assert body["inferenceConfig"] == {"temperature": 0.5, "topP": 0.9, "stopSequences": ["END"]}
    assert '"path"' in body["system"][-1]["text"]


# ── Ollama ──────────────────────────────────────────────────────────────────────────────────────
def messages(*told: Any, quirk: str = "") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = body_of("ollama", request(*told), quirk)["messages"]
    return found


def test_ollama_a_whole_conversation() -> None:
    to = target(context_tokens=8_192)
    body = body_of("ollama", request(*TALK, tools=(READ,), max_output_tokens=100), to=to)
    assert body == {
        "model": "model-1",
        "stream": True,
        "options": {"num_ctx": 8192, "num_predict": 100},
        "tools": [
            {
                "type": "function",
                "function": {"name": "Read", "description": "Reads a file.", "parameters": SCHEMA},
            }
        ],
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Read a."},
            {
                "role": "assistant",
                "content": "Reading.",
                "tool_calls": [{"function": {"name": "Read", "arguments": {"path": "a"}}}],
            },
            {"role": "tool", "tool_name": "Read", "content": "done"},
            {"role": "assistant", "content": "It says done."},
            {"role": "user", "content": "Thanks."},
        ],
    }
    assert encoded("ollama", request(user("x"))).path == "api/chat"


def test_ollama_memory_is_not_set_aside_without_bounds() -> None:
    body = body_of("ollama", request(user("x")), to=target(context_tokens=1_000_000))
    assert body["options"]["num_ctx"] == 32_768
    more = request(user("x"), extra={"options": {"num_ctx": 65_536, "seed": 1}}, temperature=0.1)
    assert body_of("ollama", more)["options"] == {"num_ctx": 65_536, "temperature": 0.1, "seed": 1}


def test_ollama_images_stand_beside_the_text() -> None:
    (message,) = messages(user("See", attached(IMAGE), attached(PDF)))
    assert message["images"] == ["aW1n"]
    assert "plan.pdf" in message["content"]
    (message,) = messages(user("See", attached(IMAGE)), quirk=quirks.NO_IMAGES)
    assert "images" not in message
    assert "cat.png" in message["content"]


def test_ollama_images_of_results_follow_them() -> None:
    found = messages(user("x"), model(use()), user(result(attachments=(IMAGE,))))
    assert [one["role"] for one in found[2:]] == ["tool", "user"]
    assert found[3]["images"] == ["aW1n"]


def test_ollama_thought_goes_back_as_text() -> None:
    assert messages(user("x"), model(thought("Hm"), "Ah"))[1]["thinking"] == "Hm"


@pytest.mark.parametrize(
    ("options", "quirk", "think"),
    [
        ({}, "", None),
        ({"effort": "low"}, "", True),
        ({"max_thinking_tokens": 0}, "", False),
        ({"effort": "low"}, quirks.THINK_LEVELS, "low"),
        ({"effort": "minimal"}, quirks.THINK_LEVELS, "low"),
        ({"max_thinking_tokens": 0}, quirks.THINK_LEVELS, False),
        ({"effort": "low"}, quirks.NO_EFFORT, None),
    ],
)
def test_ollama_how_hard_to_think(options: dict[str, Any], quirk: str, think: Any) -> None:
    assert body_of("ollama", request(user("x"), **options), quirk).get("think") == think


def test_ollama_answers_by_schema_and_no_tools_at_all() -> None:
    body = body_of("ollama", request(user("x"), tools=(READ,), schema=SCHEMA, tool_choice="none"))
    assert body["format"] == SCHEMA
    assert "tools" not in body
