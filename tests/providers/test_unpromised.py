"""What vendors send although no page of theirs promises it: errors in odd places, answers told
twice, calls whose end overtakes another's beginning. Nothing is swallowed, nothing runs twice."""

from base64 import b64encode
from typing import Any

import pytest

from ankrcode.protocol.message import Usage
from ankrcode.protocol.stream import CallClosed, FailureKind
from ankrcode.providers.wires import wire_named
from ankrcode.providers.wires.failures import failure_of
from providers.wire_samples import (
    CALL_ITEM,
    MESSAGE_STOP,
    added,
    block_delta,
    block_start,
    block_stop,
    done,
    finished,
    grew,
    message_delta,
    message_start,
)
from providers.wire_streams import (
    SPLITS,
    Outcome,
    failure_in,
    frame,
    json,
    named_sse,
    outcome,
    read,
    read_body,
    sse,
    target,
)

CHAT, RESPONSES, ANTHROPIC, GEMINI = "openai-chat", "openai-responses", "anthropic", "gemini"
READ = ("call_1", "Read", {"a": 1})
WHOLE = '{"a":1}'
USED = {"prompt_tokens": 9, "completion_tokens": 4}


def came(wire: str, data: bytes, *quirks: str) -> Outcome:
    results = [outcome(read(wire, data, split, *quirks)) for split in SPLITS.values()]
    assert all(one == results[0] for one in results)
    return results[0]


def said(wire: str, data: bytes, *quirks: str) -> str:
    """The failure's sentence, the same in every split."""
    told = {failure_in(read(wire, data, split, *quirks)).message for split in SPLITS.values()}
    assert len(told) == 1
    return told.pop()


def chunk(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    return {"id": "c1", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


# ── answers in one piece that also hold an empty piece ──────────────────────────────────────────
def both(whole: str, **delta: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": whole}
    return {"index": 0, "message": message, "delta": delta, "finish_reason": "stop"}


def test_a_whole_answer_may_hold_an_empty_piece_beside_its_message() -> None:
    body = {"choices": [both("Four.", role="assistant", content="")], "usage": USED}
    answer = outcome(read_body(CHAT, body))
    assert (answer.text, answer.stop) == ("Four.", "end")
    assert answer.usage == Usage(input_tokens=9, output_tokens=4)


def test_so_it_is_when_the_whole_answer_comes_as_a_stream() -> None:
    body = {"choices": [both("Four.", role="assistant", content="")], "usage": USED}
    assert came(CHAT, json(body)).text == "Four."


def test_pieces_beside_a_message_that_grows_are_told_once() -> None:
    first = {**both("Fo", content="Fo"), "finish_reason": None}
    second = {**both("Four", content="ur"), "finish_reason": None}
    data = sse(*({"choices": [one]} for one in (first, second, both("Four", content=""))))
    assert came(CHAT, data).text == "Four"


def test_calls_of_a_whole_answer_are_found_beside_an_empty_piece() -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "Read", "arguments": WHOLE}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    choice = {"message": message, "delta": {"content": ""}, "finish_reason": "tool_calls"}
    assert outcome(read_body(CHAT, {"choices": [choice]})).calls == (READ,)


# ── errors in odd places ────────────────────────────────────────────────────────────────────────
BEGUN = sse(chunk(role="assistant", content="Well"))
ENDED = sse(chunk("stop"), done=True)
ODD_ERRORS = {
    "a field of its own": b'error: {"code":500,"message":"no slot is free","type":"server"}\n\n',
    "a field without blank line": b'error: {"message":"no slot is free"}\n',
    "a field in plain words": b"error: no slot is free\n\n",
    "a line without field": b'{"error":{"message":"no slot is free"}}\n\n',
    "in the choice": sse({"choices": [{"delta": {}, "error": {"message": "no slot is free"}}]}),
    "plain words as data": b"data: no slot is free\n\n",
    "a list": sse([{"error": {"message": "no slot is free", "code": 503}}]),
}


@pytest.mark.parametrize("name", ODD_ERRORS)
def test_an_error_in_an_odd_place_fails_with_its_words(name: str) -> None:
    assert said(CHAT, BEGUN + ODD_ERRORS[name]) == "no slot is free"


@pytest.mark.parametrize("name", ODD_ERRORS)
def test_it_is_not_outlived_by_what_follows(name: str) -> None:
    assert said(CHAT, BEGUN + ODD_ERRORS[name] + ENDED) == "no slot is free"


@pytest.mark.parametrize("name", ODD_ERRORS)
def test_nor_by_a_reason_to_stop_before_it(name: str) -> None:
    data = BEGUN + sse(chunk("stop")) + ODD_ERRORS[name]
    assert said(CHAT, data) == "no slot is free"


def test_an_error_over_several_lines_among_events_fails_although_the_answer_had_stopped() -> None:
    error = b'{\n  "error": {\n    "code": 503,\n    "message": "try later"\n  }\n}\n'
    data = sse({"candidates": [{"content": {"parts": [{"text": "a"}]}, "finishReason": "STOP"}]})
    assert said(GEMINI, data + error) == "try later"


def test_words_that_are_cut_off_are_no_error_of_the_vendor() -> None:
    events = read(CHAT, BEGUN + b"data: pin", cut=True)
    assert failure_in(events).kind is FailureKind.CUT


def test_a_field_that_is_called_error_and_says_nothing_is_passed_over() -> None:
    assert came(CHAT, BEGUN + b"error:\n\n" + ENDED).text == "Well"


def test_a_whole_answer_on_one_line_that_names_no_error_is_no_error() -> None:
    body: dict[str, Any] = {"id": "r", "error": None, "output": [], "status": "completed"}
    item = {"type": "message", "content": [{"type": "output_text", "text": "Hi"}]}
    assert came(RESPONSES, json({**body, "output": [item]}) + b"\n").text == "Hi"


def test_a_gateway_in_front_of_messages_has_its_own_words_for_errors() -> None:
    data = named_sse(message_start(input_tokens=1)) + sse({"message": "upstream is gone"})
    assert said(ANTHROPIC, data) == "upstream is gone"


def test_an_event_nobody_knows_is_no_error_because_it_could_hold_one() -> None:
    events = [block_start(0, type="text", text="Hi"), {"type": "later", "error": None}]
    ends = [block_stop(0), message_delta("end_turn", output_tokens=2), MESSAGE_STOP]
    assert came(ANTHROPIC, named_sse(message_start(), *events, *ends)).text == "Hi"


# ── Bedrock's invoke paths ──────────────────────────────────────────────────────────────────────
def invoked(*events: dict[str, Any]) -> bytes:
    headers = {":event-type": "chunk", ":message-type": "event"}
    packed = ({"bytes": b64encode(json(one)).decode()} for one in events)
    return b"".join(frame(headers, json(one)) for one in packed)


@pytest.mark.parametrize(
    ("headers", "payload", "kind"),
    [
        (
            {":message-type": "exception", ":exception-type": "throttlingException"},
            b'{"message":"slower, please"}',
            FailureKind.RATE_LIMIT,
        ),
        (
            {
                ":message-type": "error",
                ":error-code": "InternalError",
                ":error-message": "slower, please",
            },
            b"",
            FailureKind.SERVER,
        ),
        (
            {":message-type": "exception", ":exception-type": "modelTimeoutException"},
            b"slower, please",
            FailureKind.TIMEOUT,
        ),
    ],
    ids=["exception", "error", "plain words"],
)
def test_frames_that_fail_on_the_invoke_paths_say_why(
    headers: dict[str, str], payload: bytes, kind: FailureKind
) -> None:
    data = invoked(message_start(input_tokens=1)) + frame(headers, payload)
    assert said(ANTHROPIC, data, "bedrock_invoke") == "slower, please"
    failure = failure_in(wire_events(data))
    assert failure.kind is kind


def wire_events(data: bytes) -> list[Any]:
    reader = wire_named(ANTHROPIC).reader(target("bedrock_invoke"))
    return [*reader.feed(data), *reader.end()]


# ── one answer spliced into another ─────────────────────────────────────────────────────────────
def opened(index: int, call_id: str) -> dict[str, Any]:
    return block_start(index, type="tool_use", id=call_id, name="Read", input={})


def begun(message_id: str) -> dict[str, Any]:
    return {"type": "message_start", "message": {"id": message_id, "usage": {"input_tokens": 5}}}


@pytest.mark.parametrize("pieces", [[], ['{"a":'], ['{"a":', "1}"]], ids=["none", "half", "all"])
def test_another_message_within_a_message_is_at_odds(pieces: list[str]) -> None:
    grown = [block_delta(0, type="input_json_delta", partial_json=one) for one in pieces]
    again = [begun("m2"), opened(0, "call_2"), block_stop(0)]
    ends = [message_delta("tool_use", output_tokens=2), MESSAGE_STOP]
    answer = came(ANTHROPIC, named_sse(begun("m1"), opened(0, "call_1"), *grown, *again, *ends))
    assert answer.failure == "protocol"
    assert answer.calls == ()


def test_a_message_that_begins_twice_is_one() -> None:
    block = [block_start(0, type="text", text=""), block_delta(0, type="text_delta", text="Hi")]
    ends = [block_stop(0), message_delta("end_turn", output_tokens=2), MESSAGE_STOP]
    answer = came(ANTHROPIC, named_sse(begun("m1"), begun("m1"), *block, *ends))
    assert (answer.text, answer.stop) == ("Hi", "end")
    assert answer.usage == Usage(input_tokens=5, output_tokens=2)


@pytest.mark.parametrize("wire", [ANTHROPIC])
def test_a_block_that_begins_anew_was_not_whole(wire: str) -> None:
    events = [begun("m1"), opened(0, "call_1"), opened(0, "call_2"), block_stop(0)]
    ends = [message_delta("tool_use", output_tokens=2), MESSAGE_STOP]
    answer = came(wire, named_sse(*events, *ends))
    assert answer.broken == ("Read",)
    assert [call_id for call_id, _, _ in answer.calls] == ["call_2"]


# ── items of Responses that overtake each other ─────────────────────────────────────────────────
def test_a_call_ends_once_although_another_item_begins_before_its_end() -> None:
    second = {**CALL_ITEM, "id": "fc_2", "call_id": "call_2"}
    events = [
        added(0, **CALL_ITEM, arguments=""),
        grew("function_call_arguments", 0, WHOLE),
        added(1, **second, arguments=""),
        done(0, **CALL_ITEM, arguments=WHOLE, status="completed"),
        grew("function_call_arguments", 1, WHOLE),
        done(1, **second, arguments=WHOLE, status="completed"),
        finished(),
    ]
    assert came(RESPONSES, named_sse(*events)).calls == (READ, ("call_2", *READ[1:]))


def test_nor_does_text_between_a_call_and_its_end_double_it() -> None:
    events = [
        added(0, **CALL_ITEM, arguments=""),
        grew("function_call_arguments", 0, WHOLE),
        grew("output_text", 1, "So."),
        done(0, **CALL_ITEM, arguments=WHOLE, status="completed"),
        finished(),
    ]
    answer = came(RESPONSES, named_sse(*events))
    assert (answer.text, answer.calls) == ("So.", (READ,))


def test_a_call_that_changes_after_it_was_whole_fails_the_answer() -> None:
    events = [
        added(0, **CALL_ITEM, arguments=""),
        grew("function_call_arguments", 0, WHOLE),
        added(1, type="message", id="m", content=[]),
        done(0, **CALL_ITEM, arguments='{"a":2}', status="completed"),
        finished(),
    ]
    assert came(RESPONSES, named_sse(*events)).failure == "protocol"


def test_a_call_that_only_the_end_tells_of_is_not_lost_behind_text() -> None:
    item = {"type": "message", "id": "m", "content": [{"type": "output_text", "text": "So."}]}
    output = [item, {**CALL_ITEM, "arguments": WHOLE, "status": "completed"}]
    events = [added(0, type="message", id="m", content=[]), grew("output_text", 0, "So.")]
    answer = came(RESPONSES, named_sse(*events, done(0, **item), finished(output=output)))
    assert (answer.text, answer.calls, answer.stop) == ("So.", (READ,), "tool_use")


def test_the_end_tells_of_calls_again_and_they_are_not_called_again() -> None:
    item = {**CALL_ITEM, "arguments": WHOLE, "status": "completed"}
    events = [added(0, **CALL_ITEM, arguments=""), done(0, **item), finished(output=[item])]
    assert came(RESPONSES, named_sse(*events)).calls == (READ,)


def test_nor_where_its_id_is_another_one_each_time() -> None:
    item = {**CALL_ITEM, "arguments": WHOLE, "status": "completed"}
    ends = [{**item, "call_id": "call_2"}, {**item, "call_id": "call_3"}]
    events = [added(0, **CALL_ITEM, arguments=""), done(0, **ends[0]), finished(output=ends[1:])]
    assert came(RESPONSES, named_sse(*events)).calls == (READ,)


def test_a_call_that_broke_is_not_mended_by_the_end() -> None:
    item = {**CALL_ITEM, "arguments": WHOLE, "status": "completed"}
    events = [
        added(0, **CALL_ITEM, arguments=""),
        done(0, **CALL_ITEM, arguments='{"a"', status="incomplete"),
        finished("incomplete", output=[item]),
    ]
    answer = came(RESPONSES, named_sse(*events))
    assert (answer.calls, answer.broken, answer.stop) == ((), ("Read",), "length")


def test_a_whole_call_that_waits_for_its_result_is_in_progress() -> None:
    """As calls are that a program at the vendor made: they wait for us."""
    item = {**CALL_ITEM, "arguments": WHOLE, "status": "in_progress"}
    assert came(RESPONSES, named_sse(done(0, **item), finished())).calls == (READ,)
    body = {"id": "r", "status": "completed", "output": [item]}
    assert outcome(read_body(RESPONSES, body)).calls == (READ,)


@pytest.mark.parametrize("arguments", ["", '{"a"'])
def test_one_in_progress_without_whole_arguments_is_not_whole(arguments: str) -> None:
    item = {**CALL_ITEM, "arguments": arguments, "status": "in_progress"}
    answer = came(RESPONSES, named_sse(done(0, **item), finished()))
    assert (answer.calls, answer.broken) == ((), ("Read",))


def test_items_may_be_counted_when_they_begin_and_named_when_they_end() -> None:
    item = {"type": "message", "id": "m", "content": [{"type": "output_text", "text": "So."}]}
    end = {"type": "response.output_item.done", "item": item}
    piece = grew("output_text", 0, "So.", item_id="m")
    events = [added(0, type="message", id="m", content=[]), piece, end, finished()]
    assert came(RESPONSES, named_sse(*events)).text == "So."


def test_so_may_calls() -> None:
    item = {**CALL_ITEM, "arguments": WHOLE, "status": "completed"}
    end = {"type": "response.output_item.done", "item": item}
    piece = grew("function_call_arguments", 0, WHOLE, item_id="fc_1")
    events = [added(0, **CALL_ITEM, arguments=""), piece, end, finished()]
    assert came(RESPONSES, named_sse(*events)).calls == (READ,)


def test_ids_that_change_with_every_event_do_no_harm_where_items_are_counted() -> None:
    item = {**CALL_ITEM, "arguments": WHOLE, "status": "completed"}
    events = [
        added(0, **{**CALL_ITEM, "id": "x1"}, arguments=""),
        grew("function_call_arguments", 0, WHOLE, item_id="x2"),
        done(0, **{**item, "id": "x3"}),
        finished(output=[{**item, "id": "x4"}]),
    ]
    assert came(RESPONSES, named_sse(*events)).calls == (READ,)


# ── numbers and signs ───────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "more",
    [
        {"num_cached_tokens": 3},
        {"prompt_token_details": {"cached_tokens": 3}},
        {"prompt_tokens_details": {"cached_tokens": 3}},
        {"prompt_cache_hit_tokens": 3, "prompt_cache_miss_tokens": 6},
        {"cached_tokens": 3},
    ],
    ids=lambda more: next(iter(more)),
)
def test_cached_tokens_go_by_many_names(more: dict[str, Any]) -> None:
    data = sse(chunk("stop", content="a"), {"choices": [], "usage": {**USED, **more}}, done=True)
    assert came(CHAT, data).usage == Usage(input_tokens=9, output_tokens=4, cached_tokens=3)


def test_tokens_of_thought_are_counted_where_details_have_another_name() -> None:
    usage = {**USED, "completion_token_details": {"reasoning_tokens": 2}}
    data = sse(chunk("stop", content="a"), {"choices": [], "usage": usage}, done=True)
    assert came(CHAT, data).usage == Usage(input_tokens=9, output_tokens=4, thinking_tokens=2)


def test_cohere_counts_its_thought() -> None:
    tokens = {"input_tokens": 9, "output_tokens": 4, "reasoning_tokens": 3}
    message = {"role": "assistant", "content": [{"type": "text", "text": "a"}]}
    body = {"message": message, "finish_reason": "COMPLETE", "usage": {"tokens": tokens}}
    expected = Usage(input_tokens=9, output_tokens=4, thinking_tokens=3)
    assert outcome(read_body("cohere", body)).usage == expected


@pytest.mark.parametrize(
    ("reason", "stop"),
    [
        ("IMAGE_PROHIBITED_CONTENT", "refusal"),
        ("IMAGE_RECITATION", "refusal"),
        ("MALFORMED_FUNCTION_CALL", "other"),
        ("UNEXPECTED_TOOL_CALL", "other"),
        ("NOBODY_KNOWS_YET", "other"),
    ],
)
def test_reasons_of_gemini_that_came_late(reason: str, stop: str) -> None:
    answer = came(GEMINI, sse({"candidates": [{"finishReason": reason}]}))
    assert (answer.stop, answer.raw) == (stop, reason)


@pytest.mark.parametrize(
    ("status", "error", "kind"),
    [
        (
            400,
            {"error_type": "TOO_MANY_TOKENS", "message": "size limit exceeded by 5 tokens"},
            FailureKind.CONTEXT,
        ),
        (
            400,
            {"error": {"type": "too_many_prompt_tokens", "message": "All of it is too long."}},
            FailureKind.CONTEXT,
        ),
        (401, {"message": "invalid token"}, FailureKind.AUTH),
        (400, {"message": "Invalid token"}, FailureKind.AUTH),
    ],
)
def test_more_signs_of_what_an_error_means(
    status: int, error: dict[str, Any], kind: FailureKind
) -> None:
    assert failure_of(status, {}, json(error), target()).kind is kind


def test_only_whole_calls_are_told_however_a_stream_of_them_is_cut() -> None:
    """Beginnings of two interleaved calls, after every byte."""
    second = {**CALL_ITEM, "id": "fc_2", "call_id": "call_2"}
    data = named_sse(
        added(0, **CALL_ITEM, arguments=""),
        added(1, **second, arguments=""),
        grew("function_call_arguments", 1, '{"a":'),
        grew("function_call_arguments", 0, WHOLE),
        grew("function_call_arguments", 1, "1}"),
        done(1, **second, arguments=WHOLE, status="completed"),
        done(0, **CALL_ITEM, arguments=WHOLE, status="completed"),
        finished(),
    )
    for end in range(len(data) - 2):
        events = read(RESPONSES, data[:end], cut=True)
        assert failure_in(events).kind is FailureKind.CUT
        calls = [one.arguments for one in events if isinstance(one, CallClosed)]
        assert all(one == {"a": 1} for one in calls)
        assert len(calls) <= 2


# ── the words of whoever stands in between ──────────────────────────────────────────────────────
GATEWAYS: dict[str, dict[str, Any]] = {
    "detail": {"detail": "no way through"},
    "list of details": {"detail": [{"msg": "no way through", "loc": ["body"]}]},
    "message": {"message": "no way through"},
    "status and message": {"status": "error", "message": "no way through"},
    "capital message": {"Message": "no way through"},
    "msg": {"code": 1113, "msg": "no way through"},
    "errors": {"success": False, "errors": [{"code": 1, "message": "no way through"}]},
    "error in words": {"success": False, "error": "no way through"},
    "error_msg": {"error_code": 17, "error_msg": "no way through"},
    "fault": {"fault": {"faultstring": "no way through", "detail": {"errorcode": "x"}}},
    "object": {"object": "error", "message": "no way through", "type": "Bad", "code": 400},
    "base_resp": {"base_resp": {"status_code": 1008, "status_msg": "no way through"}},
    "Response": {"Response": {"Error": {"Code": "Busy", "Message": "no way through"}}},
}
WIRES = (CHAT, RESPONSES, ANTHROPIC, GEMINI, "cohere")


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("name", GATEWAYS)
def test_a_gateway_may_answer_with_words_of_its_own(wire: str, name: str) -> None:
    failure = failure_in(read_body(wire, GATEWAYS[name]))
    assert failure.message == "no way through"


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("name", GATEWAYS)
def test_it_may_do_so_within_a_stream(wire: str, name: str) -> None:
    assert said(wire, sse(GATEWAYS[name])) == "no way through"


@pytest.mark.parametrize("name", GATEWAYS)
def test_it_may_do_so_on_a_line(name: str) -> None:
    assert failure_in(read_body("ollama", GATEWAYS[name])).message == "no way through"
    assert said("ollama", json(GATEWAYS[name]) + b"\n") == "no way through"


def test_a_status_of_zero_is_no_error() -> None:
    fine = {"status_code": 0, "status_msg": "success"}
    data = sse({**chunk("stop", content="a"), "base_resp": fine}, {"base_resp": fine}, done=True)
    assert came(CHAT, data).text == "a"


@pytest.mark.parametrize("wire", WIRES)
def test_an_event_of_a_kind_that_is_still_to_come_is_passed_over(wire: str) -> None:
    reader = wire_named(wire).reader(target())
    later = {"type": "still.to.come", "note": "x", "details": {"message": "x"}}
    assert reader.feed(sse(later)) == []
    assert not reader.is_done
