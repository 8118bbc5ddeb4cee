"""Cohere's own Chat: its events, its whole answers, its requests."""

from typing import Any

import pytest

from ankrcode.protocol.message import Usage
from ankrcode.protocol.stream import CallClosed, FailureKind, Stopped, StopReason
from ankrcode.providers.wires import quirks, wire_named
from providers.wire_requests import READ, SCHEMA, TALK, body_of, encoded, request, user
from providers.wire_samples import (
    COHERE_USAGE,
    cohere_call,
    cohere_end,
    cohere_event,
    cohere_piece,
)
from providers.wire_streams import (
    SPLITS,
    Outcome,
    failure_in,
    json,
    kinds,
    named_sse,
    outcome,
    read,
    read_body,
    target,
)

WIRE = "cohere"
START = {"type": "message-start", "id": "m1", "delta": {"message": {"role": "assistant"}}}


def came(*events: dict[str, Any]) -> Outcome:
    data = named_sse(START, *events)
    results = [outcome(read(WIRE, data, split)) for split in SPLITS.values()]
    assert all(one == results[0] for one in results)
    return results[0]


def said(piece: str) -> dict[str, Any]:
    return cohere_event("content-delta", 0, content={"text": piece})


def call_end(index: int) -> dict[str, Any]:
    return {"type": "tool-call-end", "index": index}


def test_text_and_thought() -> None:
    thought = cohere_event("content-delta", 0, content={"thinking": "Hm"})
    found = came(thought, said("A"), said("h"), cohere_end("COMPLETE"))
    assert found == Outcome(
        text="Ah",
        thinking="Hm",
        thoughts=(("", ""),),
        stop="end",
        raw="COMPLETE",
        usage=COHERE_USAGE,
    )


def test_a_call_is_closed_when_it_ends() -> None:
    reader = wire_named(WIRE).reader(target())
    events = reader.feed(named_sse(START, cohere_call(0, "c1", "Read"), cohere_piece(0, "{}")))
    assert not any(isinstance(one, CallClosed) for one in events)
    assert kinds(reader.feed(named_sse(call_end(0)))) == ["CallClosed"]


def test_a_call_without_arguments() -> None:
    found = came(cohere_call(0, "c1", "Now"), call_end(0), cohere_end("TOOL_CALL"))
    assert found.calls == (("c1", "Now", {}),)


@pytest.mark.parametrize(
    "events",
    [
        [cohere_call(0, "c1", "Purge"), call_end(0)],
        [cohere_call(0, "c1", "Purge")],
        [cohere_call(0, "c1", "Purge"), cohere_piece(0, '{"a":')],
    ],
)
def test_a_stop_for_length_leaves_a_call_broken(events: list[dict[str, Any]]) -> None:
    found = came(*events, cohere_end("MAX_TOKENS"))
    assert (found.calls, found.broken, found.stop) == ((), ("Purge",), "length")


def test_citations_change_nothing() -> None:
    citation = cohere_event("citation-start", 0, citations={"text": "A", "sources": []})
    assert came(said("A"), citation, cohere_end("COMPLETE")).text == "A"


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("COMPLETE", StopReason.END),
        ("STOP_SEQUENCE", StopReason.STOP_SEQUENCE),
        ("MAX_TOKENS", StopReason.LENGTH),
        ("TOOL_CALL", StopReason.TOOL_USE),
        ("NEW", StopReason.OTHER),
    ],
)
def test_reasons_to_stop(raw: str, reason: StopReason) -> None:
    events = read(WIRE, named_sse(START, said("x"), cohere_end(raw)))
    assert events[-1] == Stopped(reason=reason, raw=raw)


@pytest.mark.parametrize(
    ("event", "kind"),
    [
        (cohere_end("ERROR", error="boom"), FailureKind.SERVER),
        (cohere_end("TIMEOUT"), FailureKind.TIMEOUT),
        ({"type": "error", "message": "too many requests"}, FailureKind.RATE_LIMIT),
        ({"type": "", "message": "internal server error"}, FailureKind.SERVER),
    ],
)
def test_errors_inside_the_stream(event: dict[str, Any], kind: FailureKind) -> None:
    events = read(WIRE, named_sse(START, said("x"), event))
    assert outcome(events).text == "x"
    assert failure_in(events).kind is kind


def test_no_end_is_a_cut() -> None:
    assert came(said("x")).failure == "cut"


def body(**message: Any) -> dict[str, Any]:
    usage = {"billed_units": {"input_tokens": 1}, "tokens": {"input_tokens": 5, "output_tokens": 2}}
    return {"id": "m1", "finish_reason": "COMPLETE", "message": message, "usage": usage}


def test_a_whole_answer() -> None:
    calls = [{"id": "c1", "function": {"name": "Read", "arguments": '{"a":1}'}}]
    content = [{"type": "thinking", "thinking": "Hm"}, {"type": "text", "text": "Ah"}]
    found = outcome(read_body(WIRE, body(content=content, tool_calls=calls)))
    assert (found.text, found.thinking) == ("Ah", "Hm")
    assert found.calls == (("c1", "Read", {"a": 1}),)
    assert found.usage == Usage(input_tokens=5, output_tokens=2)
    assert (found.stop, found.raw) == ("tool_use", "COMPLETE")


def test_a_whole_answer_with_a_plan() -> None:
    found = outcome(read_body(WIRE, body(content=[], tool_plan="I will")))
    assert found.thinking == "I will"


def test_an_error_with_a_good_status_is_one() -> None:
    assert failure_in(read_body(WIRE, {"message": "invalid api token"})).kind is FailureKind.AUTH
    assert failure_in(read(WIRE, json({"message": "no"}))).message == "no"


# ── requests ────────────────────────────────────────────────────────────────────────────────────
def test_a_whole_conversation() -> None:
    told = body_of(WIRE, request(*TALK, tools=(READ,), max_output_tokens=9, top_p=0.5, stop=("E",)))
    assert {key: told[key] for key in ("model", "stream", "max_tokens", "p", "stop_sequences")} == {
        "model": "model-1",
        "stream": True,
        "max_tokens": 9,
        "p": 0.5,
        "stop_sequences": ["E"],
    }
    assert [one["role"] for one in told["messages"]] == [
        *("system", "user", "assistant", "tool", "assistant", "user"),
    ]
    assert told["tools"][0]["function"]["name"] == "Read"
    assert encoded(WIRE, request(user("x"))).path == "v2/chat"


@pytest.mark.parametrize(
    ("choice", "told"),
    [("auto", None), ("none", "NONE"), ("required", "REQUIRED"), ("Read", "REQUIRED")],
)
def test_which_tool_to_call(choice: str, told: str | None) -> None:
    found = body_of(WIRE, request(user("x"), tools=(READ,), tool_choice=choice))
    assert found.get("tool_choice") == told


@pytest.mark.parametrize(
    ("options", "quirk", "thinking"),
    [
        ({}, "", None),
        ({"max_thinking_tokens": 70}, "", {"type": "enabled", "token_budget": 70}),
        ({"max_thinking_tokens": 0}, "", {"type": "disabled"}),
        ({"effort": "low"}, quirks.NO_EFFORT, None),
    ],
)
def test_how_much_to_think(options: dict[str, Any], quirk: str, thinking: Any) -> None:
    assert body_of(WIRE, request(user("x"), **options), quirk).get("thinking") == thinking


def test_an_answer_by_schema() -> None:
    told = body_of(WIRE, request(user("x"), schema=SCHEMA))
    assert told["response_format"] == {"type": "json_object", "schema": SCHEMA}
    told = body_of(WIRE, request(user("x"), tools=(READ,), schema=SCHEMA))
    assert "response_format" not in told
    assert '"path"' in told["messages"][0]["content"]
