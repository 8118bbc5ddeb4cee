"""Gemini: candidates of parts, whole calls, calls in pieces, signatures, and blocks."""

from typing import Any

import pytest

from ankrcode.protocol.message import Usage
from ankrcode.protocol.stream import CallClosed, FailureKind, Stopped, StopReason
from ankrcode.providers.wires import wire_named
from ankrcode.providers.wires.opaque import signature_of
from providers.wire_samples import GEMINI_USAGE, candidate
from providers.wire_streams import (
    SPLITS,
    Outcome,
    failure_in,
    json,
    kinds,
    outcome,
    read,
    read_body,
    sse,
    target,
    whole,
)

WIRE = "gemini"


def came(*events: Any) -> Outcome:
    """The same in every split, as events and as an array."""
    forms = [sse(*events), json(list(events)), b"\n".join(json(one) for one in events)]
    results = [
        outcome(read(WIRE, data, split)) for data in forms for split in SPLITS.values() if events
    ]
    assert all(one == results[0] for one in results)
    return results[0]


def call(name: str = "Read", signature: str = "", **fields: Any) -> dict[str, Any]:
    part: dict[str, Any] = {"functionCall": {"name": name, **fields}}
    return {**part, "thoughtSignature": signature} if signature else part


STOP = candidate({"text": ""}, finish="STOP")


# ── parts ───────────────────────────────────────────────────────────────────────────────────────
def test_text_and_thought() -> None:
    said = came(
        candidate({"text": "Hm ", "thought": True}),
        candidate({"text": "so", "thought": True}, {"text": "A"}),
        candidate({"text": "h"}, finish="STOP", usageMetadata=GEMINI_USAGE),
    )
    assert said == Outcome(
        text="Ah",
        thinking="Hm so",
        thoughts=(("", ""),),
        stop="end",
        raw="STOP",
        usage=Usage(input_tokens=90, output_tokens=18, cached_tokens=64, thinking_tokens=7),
    )


def test_a_call_is_whole_when_it_comes() -> None:
    reader = wire_named(WIRE).reader(target())
    events = reader.feed(sse(candidate(call(args={"a": 1}))))
    assert kinds(events) == ["CallOpened", "CallGrew", "CallClosed"]


def test_calls_side_by_side_in_one_event_and_in_several() -> None:
    said = came(
        candidate(call("Read", id="1", args={"a": 1}), call("Glob", id="2", args={"b": [2]})),
        candidate(call("Read", id="3", args={"a": 3})),
        STOP,
    )
    assert said.calls == (
        ("1", "Read", {"a": 1}),
        ("2", "Glob", {"b": [2]}),
        ("3", "Read", {"a": 3}),
    )
    assert (said.stop, said.raw) == ("tool_use", "STOP")


@pytest.mark.parametrize("fields", [{}, {"args": {}}, {"args": None}])
def test_a_call_without_arguments(fields: dict[str, Any]) -> None:
    assert came(candidate(call("Now", id="1", **fields)), STOP).calls == (("1", "Now", {}),)


@pytest.mark.parametrize("args", [[1], "text", 5, True])
def test_arguments_that_are_no_object_break_the_call(args: Any) -> None:
    said = came(candidate(call(id="1", args=args)), STOP)
    assert said.calls == ()
    assert said.broken == ("Read",)


def test_arguments_as_text_of_an_object_are_read() -> None:
    assert came(candidate(call(id="1", args='{"a":1}')), STOP).calls == (("1", "Read", {"a": 1}),)


def test_calls_get_ids_where_they_have_none() -> None:
    events = [candidate(call(args={"a": 1}), call(args={"a": 1})), STOP]
    first, second = came(*events).calls
    assert first[0] != second[0]
    assert came(*events).calls == (first, second)


def test_a_signature_on_a_call_stays_with_it() -> None:
    events = read(WIRE, sse(candidate(call(signature="c2ln"), call("Glob")), STOP))
    closed = [one for one in events if isinstance(one, CallClosed)]
    assert [one.signature for one in closed] == ["c2ln", ""]


def test_a_signature_on_text_is_kept_for_sending_back() -> None:
    said = came(candidate({"text": "Done.", "thoughtSignature": "c2ln"}, finish="STOP"))
    ((signature, opaque),) = said.thoughts
    assert signature == ""
    assert signature_of(opaque) == "c2ln"


def test_a_signature_on_thought_ends_it() -> None:
    part = {"text": "Hm", "thought": True, "thoughtSignature": "c2ln"}
    said = came(candidate(part), candidate({"text": "Ah"}, finish="STOP"))
    assert len(said.thoughts) == 1
    assert signature_of(said.thoughts[0][1]) == "c2ln"


def test_parts_of_other_kinds_are_passed_over() -> None:
    said = came(
        candidate({"executableCode": {"language": "PYTHON", "code": "1"}}),
        candidate({"codeExecutionResult": {"outcome": "OUTCOME_OK"}}, {"inlineData": {}}, {}),
        candidate({"text": "x"}, finish="STOP"),
    )
    assert said.text == "x"


def test_of_several_candidates_the_first_counts() -> None:
    event = candidate({"text": "one"}, finish="STOP")
    event["candidates"].append({"index": 1, "content": {"parts": [{"text": "two"}]}})
    assert came(event).text == "one"


def test_an_answer_wrapped_by_code_assist() -> None:
    wrapped = [{"response": one, "traceId": "t"} for one in (candidate({"text": "x"}), STOP)]
    assert came(*wrapped).text == "x"


# ── arguments in pieces ─────────────────────────────────────────────────────────────────────────
def piece(path: str, will_continue: bool = False, **value: Any) -> dict[str, Any]:
    return {"jsonPath": path, **value, **({"willContinue": True} if will_continue else {})}


def test_arguments_by_path_become_one_object() -> None:
    said = came(
        candidate(call(id="1", willContinue=True)),
        candidate(
            {
                "functionCall": {
                    "partialArgs": [piece("$.path", True, stringValue="a")],
                    "willContinue": True,
                }
            }
        ),
        candidate(
            {
                "functionCall": {
                    "partialArgs": [
                        piece("$.path", stringValue=".py"),
                        piece("$.limits[0].n", numberValue=5),
                        piece("$.limits[1].n", numberValue=6),
                        piece("$.all", boolValue=True),
                        piece("$['odd key']", nullValue="NULL_VALUE"),
                    ],
                    "willContinue": True,
                }
            }
        ),
        candidate({"functionCall": {}}),
        STOP,
    )
    arguments = {"path": "a.py", "limits": [{"n": 5}, {"n": 6}], "all": True, "odd key": None}
    assert said.calls == (("1", "Read", arguments),)


def test_a_call_in_pieces_that_is_cut_is_broken() -> None:
    events = [
        candidate(call(id="1", willContinue=True)),
        candidate(
            {
                "functionCall": {
                    "partialArgs": [piece("$.path", stringValue="a")],
                    "willContinue": True,
                }
            }
        ),
    ]
    said = outcome(read(WIRE, sse(*events), whole, cut=True))
    assert said.calls == ()
    assert said.broken == ("Read",)
    for reason in ("MAX_TOKENS", "STOP"):
        said = came(*events, candidate(finish=reason))
        assert said.calls == ()
        assert said.broken == ("Read",)


@pytest.mark.parametrize(
    "pieces",
    [
        [piece("$.a", True, stringValue="half")],
        [piece("no path", stringValue="x")],
        [piece("$", stringValue="x")],
        [piece("$.a[3]", numberValue=1)],
        [piece("$.a", numberValue=1), piece("$.a.b", numberValue=1)],
        [piece("$[0]", numberValue=1)],
    ],
)
def test_pieces_that_make_no_whole_break_the_call(pieces: list[Any]) -> None:
    for reason in ("MAX_TOKENS", "STOP"):
        said = came(candidate(call(id="1", partialArgs=pieces)), candidate(finish=reason))
        assert said.calls == ()
        assert said.broken == ("Read",)


# ── usage ───────────────────────────────────────────────────────────────────────────────────────
def test_thought_is_part_of_the_output() -> None:
    usage = {"promptTokenCount": 5, "candidatesTokenCount": 3, "thoughtsTokenCount": 4}
    said = came(candidate({"text": "x"}, finish="STOP", usageMetadata=usage))
    assert said.usage == Usage(input_tokens=5, output_tokens=7, thinking_tokens=4)


def test_usage_with_every_event_counts_as_it_stands_last() -> None:
    def at(count: int) -> dict[str, int]:
        return {"promptTokenCount": 5, "candidatesTokenCount": count}

    said = came(
        candidate({"text": "a"}, usageMetadata=at(1)),
        candidate({"text": "b"}, finish="STOP", usageMetadata=at(2)),
    )
    assert said.usage == Usage(input_tokens=5, output_tokens=2)


def test_usage_alone_at_the_end() -> None:
    said = came(candidate({"text": "a"}, finish="STOP"), {"usageMetadata": GEMINI_USAGE})
    assert said.usage is not None
    assert said.usage.input_tokens == 90


# ── the end ─────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("STOP", StopReason.END),
        ("MAX_TOKENS", StopReason.LENGTH),
        ("SAFETY", StopReason.REFUSAL),
        ("RECITATION", StopReason.REFUSAL),
        ("BLOCKLIST", StopReason.REFUSAL),
        ("PROHIBITED_CONTENT", StopReason.REFUSAL),
        ("SPII", StopReason.REFUSAL),
        ("LANGUAGE", StopReason.REFUSAL),
        ("MALFORMED_FUNCTION_CALL", StopReason.OTHER),
        ("UNEXPECTED_TOOL_CALL", StopReason.OTHER),
        ("OTHER", StopReason.OTHER),
    ],
)
def test_reasons_to_stop(raw: str, reason: StopReason) -> None:
    events = read(WIRE, sse(candidate({"text": "x"}), candidate(finish=raw)))
    assert events[-1] == Stopped(reason=reason, raw=raw)


@pytest.mark.parametrize(
    ("number", "raw"),
    [(1, "STOP"), (2, "MAX_TOKENS"), (3, "SAFETY"), (9, "MALFORMED_FUNCTION_CALL"), (99, "99")],
)
def test_reasons_as_numbers(number: int, raw: str) -> None:
    event = candidate({"text": "x"})
    event["candidates"][0]["finishReason"] = number
    assert came(event).raw == raw


def test_a_reason_with_every_event_counts_as_it_stands_last() -> None:
    """Older models say STOP all the time."""
    said = came(
        candidate({"text": "a"}, finish="STOP"),
        candidate(call(id="1", args={"a": 1}), finish="STOP"),
        candidate({"text": "b"}, finish="MAX_TOKENS"),
    )
    assert said.text == "ab"
    assert (said.stop, said.raw) == ("length", "MAX_TOKENS")
    assert said.calls == (("1", "Read", {"a": 1}),)


def test_an_unspecified_reason_is_none() -> None:
    said = came(candidate({"text": "a"}, finish="FINISH_REASON_UNSPECIFIED"))
    assert said.failure == "cut"


def test_no_reason_is_a_cut() -> None:
    assert came(candidate({"text": "a"})).failure == "cut"


def test_a_call_in_the_event_that_stops_for_length_is_broken() -> None:
    said = came(
        candidate(call("A", id="1", args={}), call("B", id="2", args={"a": 1}), finish="MAX_TOKENS")
    )
    assert said.calls == (("1", "A", {}),)
    assert said.broken == ("B",)


def test_a_candidate_without_content() -> None:
    assert came({"candidates": [{"finishReason": "STOP", "index": 0}]}).stop == "end"


# ── blocks and errors ───────────────────────────────────────────────────────────────────────────
def test_a_blocked_prompt_is_a_failure() -> None:
    event = {"promptFeedback": {"blockReason": "SAFETY", "safetyRatings": []}}
    events = read(WIRE, sse(event))
    assert failure_in(events).kind is FailureKind.FILTERED
    assert "SAFETY" in failure_in(events).message
    assert failure_in(read_body(WIRE, event)).kind is FailureKind.FILTERED


def test_a_blocked_prompt_may_say_why() -> None:
    feedback = {"blockReason": "OTHER", "blockReasonMessage": "Not this one"}
    assert failure_in(read(WIRE, sse({"promptFeedback": feedback}))).message == "Not this one"


def test_feedback_without_a_block_says_nothing() -> None:
    event = candidate({"text": "x"}, finish="STOP", promptFeedback={"safetyRatings": []})
    assert came(event).stop == "end"


ERRORS: list[tuple[dict[str, Any], FailureKind]] = [
    (
        {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"},
        FailureKind.OVERLOADED,
    ),
    ({"code": 500, "message": "Internal error", "status": "INTERNAL"}, FailureKind.SERVER),
    ({"code": 429, "message": "Quota", "status": "RESOURCE_EXHAUSTED"}, FailureKind.RATE_LIMIT),
    ({"code": 504, "message": "Deadline", "status": "DEADLINE_EXCEEDED"}, FailureKind.TIMEOUT),
    ({"code": 400, "message": "Bad", "status": "INVALID_ARGUMENT"}, FailureKind.BAD_REQUEST),
]


@pytest.mark.parametrize(("error", "kind"), ERRORS)
def test_errors_inside_the_stream(error: dict[str, Any], kind: FailureKind) -> None:
    for data in (
        sse(candidate({"text": "so far"}), {"error": error}),
        json([candidate({"text": "so far"}), {"error": error}]),
    ):
        for split in SPLITS.values():
            events = read(WIRE, data, split)
            assert outcome(events).text == "so far"
            assert failure_in(events).kind is kind


@pytest.mark.parametrize("wrap", [lambda one: one, lambda one: [one]], ids=["object", "array"])
def test_an_error_with_a_good_status_is_one(wrap: Any) -> None:
    error = {"error": {"code": 503, "message": "Busy", "status": "UNAVAILABLE"}}
    assert failure_in(read_body(WIRE, wrap(error))).message == "Busy"
    assert failure_in(read(WIRE, json(wrap(error)))).message == "Busy"


def test_a_body_of_another_kind_fails() -> None:
    assert failure_in(read_body(WIRE, {"message": "Not here"})).message == "Not here"


# ── in one piece ────────────────────────────────────────────────────────────────────────────────
def test_a_whole_answer() -> None:
    said = outcome(
        read_body(
            WIRE,
            candidate(
                {"text": "Hm", "thought": True},
                {"text": "Ah"},
                call(id="1", args={"a": 1}, signature="c2ln"),
                finish="STOP",
                usageMetadata=GEMINI_USAGE,
            ),
        )
    )
    assert (said.text, said.thinking) == ("Ah", "Hm")
    assert said.calls == (("1", "Read", {"a": 1}),)
    assert (said.stop, said.raw) == ("tool_use", "STOP")


def test_an_array_as_a_whole_body() -> None:
    body = json([candidate({"text": "A"}), candidate({"text": "h"}, finish="STOP")])
    assert outcome(read_body(WIRE, body)).text == "Ah"


def test_a_whole_answer_laid_out_over_lines() -> None:
    import json as standard

    body = standard.dumps(candidate({"text": "Ah"}, finish="STOP"), indent=2).encode()
    assert outcome(read_body(WIRE, body)).text == "Ah"
    assert outcome(read(WIRE, body)).text == "Ah"
