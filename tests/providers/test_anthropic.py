"""Anthropic's Messages: blocks, signatures, stops, and what must never look whole."""

from typing import Any

import pytest

from ankrcode.protocol.message import Usage
from ankrcode.protocol.stream import (
    CallBroken,
    CallClosed,
    FailureKind,
    Stopped,
    StopReason,
    ThinkingClosed,
    Used,
)
from ankrcode.providers.wires import wire_named
from ankrcode.providers.wires.opaque import is_redacted_block
from providers.wire_samples import (
    ANTHROPIC,
    MESSAGE_STOP,
    PING,
    block_delta,
    block_start,
    block_stop,
    message_delta,
    message_start,
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
    sse,
    target,
    whole,
)

WIRE = "anthropic"
START = message_start(input_tokens=10, output_tokens=1)
STOP = (message_delta("end_turn", output_tokens=9), MESSAGE_STOP)
USE = (message_delta("tool_use", output_tokens=9), MESSAGE_STOP)


def came(*events: dict[str, Any]) -> Outcome:
    data = named_sse(*events)
    results = [outcome(read(WIRE, data, split)) for split in SPLITS.values()]
    assert all(one == results[0] for one in results)
    return results[0]


def text_block(index: int, text: str) -> list[dict[str, Any]]:
    return [
        block_start(index, type="text", text=""),
        block_delta(index, type="text_delta", text=text),
        block_stop(index),
    ]


def call_block(index: int, *pieces: str, name: str = "Read", **more: Any) -> list[dict[str, Any]]:
    use = {"type": "tool_use", "id": f"toolu_{index}", "name": name, "input": {}, **more}
    deltas = [block_delta(index, type="input_json_delta", partial_json=one) for one in pieces]
    return [block_start(index, **use), *deltas, block_stop(index)]


# ── blocks ──────────────────────────────────────────────────────────────────────────────────────
def test_text_of_several_blocks_is_one_text() -> None:
    said = came(START, *text_block(0, "One "), *text_block(1, "two."), *STOP)
    assert said == Outcome(
        text="One two.", stop="end", raw="end_turn", usage=Usage(input_tokens=10, output_tokens=9)
    )


def test_text_in_the_start_of_a_block_counts() -> None:
    said = came(START, block_start(0, type="text", text="Al"), *text_block(1, "l"), *STOP)
    assert said.text == "All"


def test_a_call_in_pieces() -> None:
    said = came(START, *call_block(0, "", '{"a"', ": [1, ", "2]}"), *USE)
    assert said.calls == (("toolu_0", "Read", {"a": [1, 2]}),)
    assert (said.stop, said.raw) == ("tool_use", "tool_use")


def test_a_call_whose_arguments_are_all_in_the_start() -> None:
    """Some who imitate the wire send no deltas."""
    said = came(START, *call_block(0, input={"a": 1}), *USE)
    assert said.calls == (("toolu_0", "Read", {"a": 1}),)


def test_pieces_take_the_place_of_what_stood_in_the_start() -> None:
    said = came(START, *call_block(0, '{"b":2}', input={"a": 1}), *USE)
    assert said.calls == (("toolu_0", "Read", {"b": 2}),)


@pytest.mark.parametrize("pieces", [(), ("",), ("", ""), ("{}",), (" ",)])
def test_a_call_without_arguments(pieces: tuple[str, ...]) -> None:
    said = came(START, *call_block(0, *pieces), *USE)
    assert said.calls == (("toolu_0", "Read", {}),)


def test_a_call_is_closed_with_its_block() -> None:
    reader = wire_named(WIRE).reader(target())
    *before, stop = call_block(0, '{"a":1}')
    assert not any(isinstance(one, CallClosed) for one in reader.feed(named_sse(START, *before)))
    assert kinds(reader.feed(named_sse(stop))) == ["CallClosed"]


def test_a_call_without_arguments_is_closed_with_the_next_block() -> None:
    reader = wire_named(WIRE).reader(target())
    events = reader.feed(named_sse(START, *call_block(0, "")))
    assert not any(isinstance(one, CallClosed | CallBroken) for one in events)
    events = reader.feed(named_sse(block_start(1, type="text", text="")))
    assert kinds(events) == ["CallClosed"]


def test_a_call_without_arguments_whose_block_never_stopped_is_broken() -> None:
    start, *_ = call_block(0, name="Purge")
    said = came(START, start, *USE)
    assert said.calls == ()
    assert said.broken == ("Purge",)


def test_a_call_without_arguments_is_broken_by_a_stop_for_length() -> None:
    said = came(START, *call_block(0, "", name="Purge"), message_delta("max_tokens"), MESSAGE_STOP)
    assert said.calls == ()
    assert said.broken == ("Purge",)


def test_a_call_without_arguments_is_broken_by_a_cut() -> None:
    said = outcome(read(WIRE, named_sse(START, *call_block(0, "", name="Purge")), whole, cut=True))
    assert said.broken == ("Purge",)
    assert said.failure == "cut"


@pytest.mark.parametrize("pieces", [('{"a":',), ('{"a":1}', "}"), ("[1]",), ('"x"',), ("{'a':1}",)])
def test_arguments_that_are_not_one_object_break_the_call(pieces: tuple[str, ...]) -> None:
    said = came(START, *call_block(0, *pieces), *USE)
    assert said.calls == ()
    assert said.broken == ("Read",)


def test_a_broken_call_says_what_came_and_why() -> None:
    events = read(WIRE, named_sse(START, *call_block(0, '{"a": "half'), *USE))
    (broken,) = [one for one in events if isinstance(one, CallBroken)]
    assert broken.text == '{"a": "half'
    assert broken.id == "toolu_0"
    assert broken.why


def test_tools_that_run_at_the_vendor_are_none_of_ours() -> None:
    said = came(
        START,
        block_start(0, type="server_tool_use", id="srvtoolu_1", name="web_search", input={}),
        block_delta(0, type="input_json_delta", partial_json='{"query": "x"}'),
        block_stop(0),
        block_start(1, type="web_search_tool_result", tool_use_id="srvtoolu_1", content=[]),
        block_stop(1),
        *text_block(2, "Found."),
        *STOP,
    )
    assert (said.text, said.calls, said.broken, said.stop) == ("Found.", (), (), "end")


def test_citations_change_nothing() -> None:
    citation = block_delta(0, type="citations_delta", citation={"type": "char_location"})
    start, delta, stop = text_block(0, "Cited.")
    assert came(START, start, delta, citation, stop, *STOP).text == "Cited."


def test_pings_anywhere_change_nothing() -> None:
    events = [one for event in (START, *call_block(0, "{}"), *USE) for one in (PING, event)]
    assert came(*events).calls == (("toolu_0", "Read", {}),)


def test_events_of_kinds_not_yet_known_change_nothing() -> None:
    start, delta, stop = text_block(0, "x")
    new = {"type": "content_block_sparkle", "index": 0, "glitter": True}
    said = came(START, new, start, block_delta(0, type="new_delta", new=1), delta, stop, *STOP)
    assert said.text == "x"


def test_blocks_that_grow_side_by_side_stay_apart() -> None:
    one, other = call_block(0, '{"a":', "1}"), call_block(1, '{"b":', "2}", name="Glob")
    order = [one[0], other[0], one[1], other[1], one[2], other[2], one[3], other[3]]
    said = came(START, *order, *USE)
    assert said.calls == (("toolu_0", "Read", {"a": 1}), ("toolu_1", "Glob", {"b": 2}))


# ── thought ─────────────────────────────────────────────────────────────────────────────────────
def thought(index: int, *pieces: str, signature: tuple[str, ...] = ("c2ln",)) -> list[Any]:
    return [
        block_start(index, type="thinking", thinking="", signature=""),
        *(block_delta(index, type="thinking_delta", thinking=one) for one in pieces),
        *(block_delta(index, type="signature_delta", signature=one) for one in signature),
        block_stop(index),
    ]


def test_thought_comes_with_its_signature() -> None:
    events = read(WIRE, named_sse(START, *thought(0, "Hm, ", "so."), *text_block(1, "So."), *STOP))
    assert kinds(events)[1:4] == ["ThinkingGrew", "ThinkingClosed", "TextGrew"]
    assert [one.signature for one in events if isinstance(one, ThinkingClosed)] == ["c2ln"]


def test_a_signature_in_pieces_is_one() -> None:
    said = came(START, *thought(0, "Hm", signature=("c2", "ln")), *STOP)
    assert said.thoughts == (("c2ln", ""),)


def test_a_signature_without_a_thought_is_kept() -> None:
    """Thought may be left out of the answer, and must still go back."""
    said = came(START, *thought(0), *text_block(1, "So."), *STOP)
    assert said.thinking == ""
    assert said.thoughts == (("c2ln", ""),)


def test_thought_that_nobody_may_read_is_kept_as_it_is() -> None:
    blocks = [block_start(0, type="redacted_thinking", data="RW5j"), block_stop(0)]
    said = came(START, *blocks, *text_block(1, "So."), *STOP)
    ((signature, opaque),) = said.thoughts
    assert signature == ""
    assert is_redacted_block(opaque)
    assert '"RW5j"' in opaque


def test_several_blocks_of_hidden_thought_stay_several() -> None:
    blocks = [
        one
        for index in range(3)
        for one in (
            block_start(index, type="redacted_thinking", data=f"d{index}"),
            block_stop(index),
        )
    ]
    assert len(came(START, *blocks, *text_block(3, "x"), *STOP).thoughts) == 3


def test_thought_between_calls_keeps_its_place() -> None:
    events = read(
        WIRE,
        named_sse(START, *thought(0, "a"), *call_block(1, "{}"), *thought(2, "b"), *USE),
    )
    assert kinds(events) == [
        *("Used", "ThinkingGrew", "ThinkingClosed", "CallOpened", "CallGrew", "CallClosed"),
        *("ThinkingGrew", "ThinkingClosed", "Used", "Stopped"),
    ]


# ── usage ───────────────────────────────────────────────────────────────────────────────────────
def test_input_is_all_of_it_with_what_was_cached_named_apart() -> None:
    start = message_start(
        input_tokens=10,
        cache_read_input_tokens=100,
        cache_creation_input_tokens=30,
        output_tokens=1,
    )
    said = came(start, *text_block(0, "x"), *STOP)
    assert said.usage == Usage(
        input_tokens=140, output_tokens=9, cached_tokens=100, written_tokens=30
    )


def test_later_numbers_replace_earlier_ones() -> None:
    """Tools at the vendor make the input grow while it answers."""
    said = came(START, message_delta("end_turn", input_tokens=500, output_tokens=9), MESSAGE_STOP)
    assert said.usage == Usage(input_tokens=500, output_tokens=9)


def test_numbers_that_are_left_out_later_stay() -> None:
    delta = message_delta("end_turn", output_tokens=9)
    delta["usage"]["input_tokens"] = None
    assert came(START, delta, MESSAGE_STOP).usage == Usage(input_tokens=10, output_tokens=9)


def test_usage_is_told_at_the_start_and_when_it_changes() -> None:
    events = read(WIRE, named_sse(START, *text_block(0, "x"), *STOP))
    assert [one.usage.output_tokens for one in events if isinstance(one, Used)] == [1, 9]


def test_usage_may_be_missing() -> None:
    start = {"type": "message_start", "message": {"id": "m"}}
    stop = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}
    assert came(start, *text_block(0, "x"), stop, MESSAGE_STOP).usage is None


# ── the end ─────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("end_turn", StopReason.END),
        ("max_tokens", StopReason.LENGTH),
        ("model_context_window_exceeded", StopReason.LENGTH),
        ("stop_sequence", StopReason.STOP_SEQUENCE),
        ("refusal", StopReason.REFUSAL),
        ("pause_turn", StopReason.PAUSE),
        ("tool_use", StopReason.TOOL_USE),
        ("new_reason", StopReason.OTHER),
    ],
)
def test_reasons_to_stop(raw: str, reason: StopReason) -> None:
    events = read(WIRE, named_sse(START, *text_block(0, "x"), message_delta(raw), MESSAGE_STOP))
    assert events[-1] == Stopped(reason=reason, raw=raw)


def test_the_last_event_may_be_missing_if_the_body_ended_in_order() -> None:
    data = named_sse(START, *text_block(0, "x"), message_delta("end_turn"))
    assert outcome(read(WIRE, data)).stop == "end"
    assert outcome(read(WIRE, data, whole, cut=True)).failure == "cut"


def test_the_last_event_without_a_reason_is_an_end() -> None:
    said = came(START, *text_block(0, "x"), MESSAGE_STOP)
    assert (said.text, said.stop, said.raw) == ("x", "end", "")


def test_an_end_without_any_reason_is_a_cut() -> None:
    assert came(START, *text_block(0, "x")).failure == "cut"
    assert came(START, *text_block(0, "x"), message_delta(None)).failure == "cut"


def test_calls_that_were_whole_survive_a_cut() -> None:
    data = named_sse(START, *call_block(0, '{"a":1}'), *call_block(1, '{"b":')[:-1])
    said = outcome(read(WIRE, data, whole, cut=True))
    assert said.calls == (("toolu_0", "Read", {"a": 1}),)
    assert said.broken == ("Read",)
    assert said.failure == "cut"


def test_names_of_events_may_be_missing() -> None:
    data = sse(START, *text_block(0, "x"), *STOP)
    assert outcome(read(WIRE, data)).text == "x"


def test_types_of_events_may_be_missing_where_they_are_named() -> None:
    data = b"".join(
        b"event: "
        + event["type"].encode()
        + b"\ndata: "
        + json({key: value for key, value in event.items() if key != "type"})
        + b"\n\n"
        for event in (START, *text_block(0, "x"), *STOP)
    )
    assert outcome(read(WIRE, data)).text == "x"


def test_blanks_within_the_events_as_the_vendor_sends_them() -> None:
    data = ANTHROPIC.data.replace(b"}\n\n", b"}      }\n\n".replace(b"}      }", b"}       "))
    assert outcome(read(WIRE, data)) == ANTHROPIC.expected


# ── errors ──────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("kind_word", "kind"),
    [
        ("overloaded_error", FailureKind.OVERLOADED),
        ("api_error", FailureKind.SERVER),
        ("rate_limit_error", FailureKind.RATE_LIMIT),
        ("invalid_request_error", FailureKind.BAD_REQUEST),
        ("authentication_error", FailureKind.AUTH),
        ("permission_error", FailureKind.AUTH),
        ("not_found_error", FailureKind.MODEL),
        ("request_too_large", FailureKind.CONTEXT),
        ("timeout_error", FailureKind.TIMEOUT),
        ("billing_error", FailureKind.QUOTA),
    ],
)
def test_errors_inside_the_stream(kind_word: str, kind: FailureKind) -> None:
    error = {"type": "error", "error": {"type": kind_word, "message": "So it is"}}
    events = read(WIRE, named_sse(START, *call_block(0, '{"a":1}')[:-1], error))
    assert failure_in(events).kind is kind
    assert failure_in(events).message == "So it is"
    assert outcome(events).broken == ("Read",)


@pytest.mark.parametrize(
    "data",
    [
        b"event: error\ndata: upstream timed out\n\n",
        b'event: error\ndata: {"message":"upstream timed out"}\n\n',
        b'data: {"error":{"message":"upstream timed out"}}\n\n',
        b'data: {"type":"error","error":"upstream timed out"}\n\n',
    ],
)
def test_errors_in_other_shapes_are_not_swallowed(data: bytes) -> None:
    events = read(WIRE, named_sse(START) + data)
    assert failure_in(events).message == "upstream timed out"


@pytest.mark.parametrize("garbage", [b'{"type":"content_block_del', b"}", b"oops"])
def test_garbage_among_the_events_fails_the_answer(garbage: bytes) -> None:
    start, delta, stop = call_block(0, '{"a":1}')
    data = named_sse(START, start, delta) + b"data: " + garbage + b"\n\n" + named_sse(stop, *USE)
    said = outcome(read(WIRE, data))
    assert said.failure == "protocol"
    assert said.calls == ()


# ── in one piece ────────────────────────────────────────────────────────────────────────────────
def body(*content: dict[str, Any], stop: str = "end_turn", **more: Any) -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "content": list(content),
        "stop_reason": stop,
        "usage": {"input_tokens": 10, "output_tokens": 9, "cache_read_input_tokens": 5},
        **more,
    }


def test_a_whole_answer() -> None:
    said = outcome(
        read_body(
            WIRE,
            body(
                {"type": "thinking", "thinking": "Hm", "signature": "c2ln"},
                {"type": "redacted_thinking", "data": "RW5j"},
                {"type": "text", "text": "Ah"},
                {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"q": 1}},
                {"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {"a": 1}},
                {"type": "tool_use", "id": "toolu_2", "name": "Now", "input": {}},
                stop="tool_use",
            ),
        )
    )
    assert (said.text, said.thinking) == ("Ah", "Hm")
    assert said.calls == (("toolu_1", "Read", {"a": 1}), ("toolu_2", "Now", {}))
    assert said.thoughts[0] == ("c2ln", "")
    assert is_redacted_block(said.thoughts[1][1])
    assert (said.stop, said.raw) == ("tool_use", "tool_use")
    assert said.usage == Usage(input_tokens=15, output_tokens=9, cached_tokens=5)


def test_a_whole_answer_cut_for_length_in_a_call_without_arguments() -> None:
    use = {"type": "tool_use", "id": "toolu_1", "name": "Purge", "input": {}}
    said = outcome(read_body(WIRE, body(use, stop="max_tokens")))
    assert said.calls == ()
    assert said.broken == ("Purge",)


@pytest.mark.parametrize(
    "error",
    [
        {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
        {"error": {"type": "overloaded_error", "message": "Overloaded"}},
        {"message": "Overloaded"},
    ],
)
def test_an_error_with_a_good_status_is_one(error: dict[str, Any]) -> None:
    assert failure_in(read_body(WIRE, error)).kind is FailureKind.OVERLOADED
    assert failure_in(read(WIRE, json(error))).kind is FailureKind.OVERLOADED


def test_a_whole_answer_to_a_request_for_a_stream() -> None:
    data = json(body({"type": "text", "text": "Hi"}))
    for split in SPLITS.values():
        assert outcome(read(WIRE, data, split)).text == "Hi"
