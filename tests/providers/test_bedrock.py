"""Bedrock's Converse in frames and whole; exceptions as frames; damage."""

from typing import Any

import pytest

from ankrcode.protocol.message import Usage
from ankrcode.protocol.stream import CallClosed, FailureKind, Stopped, StopReason
from ankrcode.providers.wires import quirks, wire_named
from ankrcode.providers.wires.opaque import content_of
from providers.wire_samples import (
    BEDROCK,
    BEDROCK_INVOKE,
    converse_delta,
    converse_stop,
    converse_tool,
)
from providers.wire_streams import (
    SPLITS,
    Outcome,
    event_frame,
    failure_in,
    frame,
    json,
    kinds,
    outcome,
    read,
    read_body,
    target,
    whole,
)

WIRE = "bedrock"
Event = tuple[str, dict[str, Any]]
START: Event = ("messageStart", {"role": "assistant"})
USAGE: Event = ("metadata", {"usage": {"inputTokens": 5, "outputTokens": 2, "totalTokens": 7}})


def stop(reason: str = "end_turn") -> Event:
    return "messageStop", {"stopReason": reason}


def packed(*events: Event) -> bytes:
    return b"".join(event_frame(name, payload) for name, payload in events)


def came(*events: Event) -> Outcome:
    data = packed(*events)
    results = [outcome(read(WIRE, data, split)) for split in SPLITS.values()]
    assert all(one == results[0] for one in results)
    return results[0]


def call(index: int, *pieces: str, name: str = "Read") -> list[Event]:
    return [
        converse_tool(index, f"tooluse_{index}", name),
        *(converse_delta(index, toolUse={"input": one}) for one in pieces),
        converse_stop(index),
    ]


# ── blocks ──────────────────────────────────────────────────────────────────────────────────────
def test_text() -> None:
    said = came(
        START,
        converse_delta(0, text="Hel"),
        converse_delta(0, text="lo"),
        converse_stop(0),
        stop(),
        USAGE,
    )
    assert said == Outcome(
        text="Hello", stop="end", raw="end_turn", usage=Usage(input_tokens=5, output_tokens=2)
    )


def test_a_call_in_pieces() -> None:
    said = came(START, *call(0, "", '{"a"', ":1}"), stop("tool_use"), USAGE)
    assert said.calls == (("tooluse_0", "Read", {"a": 1}),)
    assert said.stop == "tool_use"


@pytest.mark.parametrize("pieces", [(), ("",), ("{}",)])
def test_a_call_without_arguments(pieces: tuple[str, ...]) -> None:
    assert came(START, *call(0, *pieces), stop("tool_use"), USAGE).calls == (
        ("tooluse_0", "Read", {}),
    )


def test_a_call_is_closed_with_its_block() -> None:
    reader = wire_named(WIRE).reader(target())
    *before, end = call(0, '{"a":1}')
    assert not any(isinstance(one, CallClosed) for one in reader.feed(packed(START, *before)))
    assert kinds(reader.feed(packed(end))) == ["CallClosed"]


def test_a_call_without_arguments_whose_block_never_stopped_is_broken() -> None:
    start, *_ = call(0, name="Purge")
    said = came(START, start, stop("tool_use"), USAGE)
    assert said.calls == ()
    assert said.broken == ("Purge",)


@pytest.mark.parametrize("pieces", [("",), ('{"a":',), ()])
def test_a_stop_for_length_leaves_a_call_broken(pieces: tuple[str, ...]) -> None:
    said = came(START, *call(0, *pieces, name="Purge"), stop("max_tokens"), USAGE)
    assert said.calls == ()
    assert said.broken == ("Purge",)
    assert said.stop == "length"


def test_tools_that_run_at_the_vendor_are_none_of_ours() -> None:
    own = {"toolUse": {"toolUseId": "t", "name": "nova_code", "type": "server_tool_use"}}
    said = came(
        START,
        ("contentBlockStart", {"contentBlockIndex": 0, "start": own}),
        converse_delta(0, toolUse={"input": '{"snippet":"1"}'}),
        converse_stop(0),
        (
            "contentBlockStart",
            {"contentBlockIndex": 1, "start": {"toolResult": {"toolUseId": "t"}}},
        ),
        converse_delta(1, toolResult=[{"json": {"stdOut": "1"}}]),
        converse_stop(1),
        *call(2, '{"a":1}'),
        stop("tool_use"),
        USAGE,
    )
    assert said.calls == (("tooluse_2", "Read", {"a": 1}),)
    assert said.broken == ()


def test_thought_with_its_signature() -> None:
    said = came(
        START,
        converse_delta(0, reasoningContent={"text": "Hm "}),
        converse_delta(0, reasoningContent={"text": "so"}),
        converse_delta(0, reasoningContent={"signature": "c2ln"}),
        converse_stop(0),
        converse_delta(1, text="So"),
        converse_stop(1),
        stop(),
        USAGE,
    )
    assert said.thinking == "Hm so"
    assert said.thoughts == (("c2ln", ""),)


def test_hidden_thought_is_kept() -> None:
    said = came(
        START,
        converse_delta(0, reasoningContent={"redactedContent": "aGlk"}),
        converse_stop(0),
        stop(),
        USAGE,
    )
    assert content_of(said.thoughts[0][1]) == "aGlk"


def test_usage_with_the_cache() -> None:
    usage = {
        "inputTokens": 5,
        "outputTokens": 2,
        "cacheReadInputTokens": 100,
        "cacheWriteInputTokens": 20,
    }
    said = came(START, converse_delta(0, text="x"), stop(), ("metadata", {"usage": usage}))
    assert said.usage == Usage(
        input_tokens=125, output_tokens=2, cached_tokens=100, written_tokens=20
    )


def test_events_that_carry_their_name_inside() -> None:
    data = b"".join(
        frame({":message-type": "event"}, json({name: payload}))
        for name, payload in (START, converse_delta(0, text="x"), converse_stop(0), stop(), USAGE)
    )
    assert outcome(read(WIRE, data)).text == "x"


def test_events_of_kinds_not_yet_known_change_nothing() -> None:
    new: Event = ("sparkle", {"contentBlockIndex": 0, "delta": {"glitter": 1}})
    said = came(START, new, converse_delta(0, text="x", new=1), stop(), USAGE)
    assert said.text == "x"


# ── the end ─────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("end_turn", StopReason.END),
        ("tool_use", StopReason.TOOL_USE),
        ("max_tokens", StopReason.LENGTH),
        ("model_context_window_exceeded", StopReason.LENGTH),
        ("stop_sequence", StopReason.STOP_SEQUENCE),
        ("guardrail_intervened", StopReason.REFUSAL),
        ("content_filtered", StopReason.REFUSAL),
        ("malformed_tool_use", StopReason.OTHER),
    ],
)
def test_reasons_to_stop(raw: str, reason: StopReason) -> None:
    events = read(WIRE, packed(START, converse_delta(0, text="x"), stop(raw), USAGE))
    assert events[-1] == Stopped(reason=reason, raw=raw)


def test_the_numbers_at_the_end_may_be_missing_if_the_body_ended_in_order() -> None:
    data = packed(START, converse_delta(0, text="x"), stop())
    assert outcome(read(WIRE, data)).stop == "end"
    assert outcome(read(WIRE, data, whole, cut=True)).failure == "cut"


def test_no_reason_is_a_cut() -> None:
    assert came(START, converse_delta(0, text="x"), converse_stop(0)).failure == "cut"


def test_half_a_frame_at_the_end_is_a_cut() -> None:
    data = BEDROCK.data[:-5]
    assert outcome(read(WIRE, data, whole, cut=True)).failure == "cut"


# ── exceptions ──────────────────────────────────────────────────────────────────────────────────
def exception(name: str, message: str = "So it is") -> bytes:
    headers = {
        ":exception-type": name,
        ":content-type": "application/json",
        ":message-type": "exception",
    }
    return frame(headers, json({"message": message}))


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("throttlingException", FailureKind.RATE_LIMIT),
        ("internalServerException", FailureKind.SERVER),
        ("serviceUnavailableException", FailureKind.OVERLOADED),
        ("modelStreamErrorException", FailureKind.SERVER),
        ("validationException", FailureKind.BAD_REQUEST),
        ("modelTimeoutException", FailureKind.TIMEOUT),
        ("modelNotReadyException", FailureKind.OVERLOADED),
        ("accessDeniedException", FailureKind.AUTH),
        ("resourceNotFoundException", FailureKind.MODEL),
        ("serviceQuotaExceededException", FailureKind.RATE_LIMIT),
    ],
)
@pytest.mark.parametrize("split", SPLITS)
def test_exceptions_as_frames(name: str, kind: FailureKind, split: str) -> None:
    data = packed(START, converse_delta(0, text="x"), *call(1, '{"a":1}')[:-1]) + exception(name)
    events = read(WIRE, data, SPLITS[split])
    said = outcome(events)
    assert (said.text, said.calls, said.broken) == ("x", (), ("Read",))
    assert failure_in(events).kind is kind
    assert failure_in(events).message == "So it is"


def test_too_long_an_input_is_told_apart() -> None:
    data = exception("validationException", "Input is too long for requested model.")
    assert failure_in(read(WIRE, data)).kind is FailureKind.CONTEXT


def test_too_many_tokens_for_now_is_a_limit() -> None:
    data = exception("throttlingException", "Too many tokens, please wait before trying again.")
    assert failure_in(read(WIRE, data)).kind is FailureKind.RATE_LIMIT


def test_an_error_that_is_all_headers() -> None:
    headers = {":message-type": "error", ":error-code": "InternalFailure", ":error-message": "Oh"}
    events = read(WIRE, packed(START) + frame(headers, b""))
    assert failure_in(events).message == "Oh"
    assert failure_in(events).kind is FailureKind.SERVER


def test_an_exception_in_plain_words() -> None:
    headers = {":message-type": "exception", ":exception-type": "throttlingException"}
    events = read(WIRE, frame(headers, b"slow down"))
    assert failure_in(events).message == "slow down"


def test_an_exception_named_inside_the_payload() -> None:
    payload = json({"throttlingException": {"message": "slow down"}})
    events = read(WIRE, frame({":message-type": "event"}, payload))
    assert failure_in(events).kind is FailureKind.RATE_LIMIT
    assert failure_in(events).message == "slow down"


@pytest.mark.parametrize("split", SPLITS)
def test_a_damaged_frame_fails_the_answer_with_what_came_before(split: str) -> None:
    bad = bytearray(packed(converse_delta(0, text="never")))
    bad[-8] ^= 1
    data = packed(START, converse_delta(0, text="x")) + bytes(bad) + packed(stop(), USAGE)
    said = outcome(read(WIRE, data, SPLITS[split]))
    assert (said.text, said.failure) == ("x", "protocol")


def test_a_payload_that_is_no_json_fails_the_answer() -> None:
    bad = frame({":message-type": "event", ":event-type": "contentBlockDelta"}, b"{oops")
    assert outcome(read(WIRE, packed(START) + bad)).failure == "protocol"


def test_text_instead_of_frames_fails() -> None:
    assert outcome(read(WIRE, b'{"message":"The security token is invalid"}')).failure == "protocol"


# ── Anthropic's events on the invoke paths ──────────────────────────────────────────────────────
def test_exceptions_among_anthropics_events() -> None:
    data = b"".join(BEDROCK_INVOKE.events[:3]) + exception("throttlingException")
    events = read("anthropic", data, whole, quirks.BEDROCK_INVOKE)
    assert outcome(events).text == "Hallo"
    assert failure_in(events).kind is FailureKind.RATE_LIMIT


def test_a_cut_among_anthropics_events() -> None:
    data = b"".join(BEDROCK_INVOKE.events[:3])
    events = read("anthropic", data, whole, quirks.BEDROCK_INVOKE, cut=True)
    assert outcome(events).failure == "cut"


# ── in one piece ────────────────────────────────────────────────────────────────────────────────
def body(*content: dict[str, Any], reason: str = "end_turn") -> dict[str, Any]:
    return {
        "output": {"message": {"role": "assistant", "content": list(content)}},
        "stopReason": reason,
        "usage": {"inputTokens": 5, "outputTokens": 2, "totalTokens": 7},
        "metrics": {"latencyMs": 5},
    }


def test_a_whole_answer() -> None:
    thought = {"reasoningText": {"text": "Hm", "signature": "c2ln"}}
    said = outcome(
        read_body(
            WIRE,
            body(
                {"reasoningContent": thought},
                {"reasoningContent": {"redactedContent": "aGlk"}},
                {"text": "Ah"},
                {"toolUse": {"toolUseId": "t1", "name": "Read", "input": {"a": 1}}},
                {"toolUse": {"toolUseId": "t2", "name": "Now", "input": {}}},
                reason="tool_use",
            ),
        )
    )
    assert (said.text, said.thinking) == ("Ah", "Hm")
    assert said.calls == (("t1", "Read", {"a": 1}), ("t2", "Now", {}))
    assert said.thoughts[0] == ("c2ln", "")
    assert content_of(said.thoughts[1][1]) == "aGlk"
    assert (said.stop, said.raw) == ("tool_use", "tool_use")
    assert said.usage == Usage(input_tokens=5, output_tokens=2)


def test_text_with_citations_is_text() -> None:
    cited = {"citationsContent": {"content": [{"text": "Cited."}], "citations": [{}]}}
    assert outcome(read_body(WIRE, body({"text": "So: "}, cited))).text == "So: Cited."


def test_a_whole_answer_cut_for_length_in_an_empty_call() -> None:
    use = {"toolUse": {"toolUseId": "t1", "name": "Purge", "input": {}}}
    said = outcome(read_body(WIRE, body(use, reason="max_tokens")))
    assert said.calls == ()
    assert said.broken == ("Purge",)


def test_an_error_with_a_good_status_is_one() -> None:
    error = {"__type": "ThrottlingException", "message": "slow down"}
    assert failure_in(read_body(WIRE, error)).kind is FailureKind.RATE_LIMIT


def test_names_of_errors_in_headers_count() -> None:
    wire = wire_named(WIRE)
    url = "http://internal.amazon.com/coral/com.amazon.bedrock/"
    headers = {"x-amzn-errortype": f"ThrottlingException:{url}"}
    failure = wire.failure(400, headers, b'{"message":"slow down"}', target())
    assert failure.kind is FailureKind.RATE_LIMIT
