"""OpenAI's Responses: items, their pieces, encrypted thought, and every way to end."""

from typing import Any

import pytest

from ankrcode.protocol.stream import (
    CallClosed,
    FailureKind,
    Stopped,
    StopReason,
    ThinkingClosed,
    ThinkingGrew,
)
from ankrcode.providers.wires import wire_named
from ankrcode.providers.wires.opaque import is_reasoning_item
from providers.wire_samples import CALL_ITEM, RESPONSE_USAGE, added, done, finished, grew
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

WIRE = "openai-responses"
BEGUN = {"type": "response.created", "response": {"id": "resp_1", "status": "in_progress"}}
READ = ("call_1", "Read", {"a": 1})
WHOLE = '{"a":1}'


def came(*events: dict[str, Any]) -> Outcome:
    data = named_sse(BEGUN, *events)
    results = [outcome(read(WIRE, data, split)) for split in SPLITS.values()]
    assert all(one == results[0] for one in results)
    return results[0]


def message(index: int, *pieces: str) -> list[dict[str, Any]]:
    item = {"type": "message", "id": f"msg_{index}", "role": "assistant"}
    content = [{"type": "output_text", "text": "".join(pieces)}]
    return [
        added(index, **item, content=[]),
        *(grew("output_text", index, piece) for piece in pieces),
        done(index, **item, content=content, status="completed"),
    ]


def arguments_done(index: int, arguments: Any) -> dict[str, Any]:
    kind = "response.function_call_arguments.done"
    return {"type": kind, "output_index": index, "item_id": "fc_1", "arguments": arguments}


# ── text ────────────────────────────────────────────────────────────────────────────────────────
def test_text_is_told_once_although_it_comes_three_times() -> None:
    text_done = {"type": "response.output_text.done", "output_index": 0, "text": "Hello."}
    start, *pieces, end = message(0, "Hel", "lo.")
    full = {"type": "message", "content": [{"type": "output_text", "text": "Hello."}]}
    said = came(start, *pieces, text_done, end, finished(output=[full]))
    assert (said.text, said.stop, said.raw) == ("Hello.", "end", "completed")
    assert said.usage == RESPONSE_USAGE


def test_several_messages_are_one_text() -> None:
    assert came(*message(0, "a"), *message(1, "b"), finished()).text == "ab"


def test_text_that_comes_only_with_its_item() -> None:
    item = {"type": "message", "content": [{"type": "output_text", "text": "Hi"}]}
    assert came(done(0, **item), finished()).text == "Hi"


def test_text_that_comes_only_with_the_end() -> None:
    item = {"type": "message", "content": [{"type": "output_text", "text": "Hi"}]}
    assert came(finished(output=[item])).text == "Hi"


def test_a_refusal_is_told_and_classed() -> None:
    said = came(
        added(0, type="message", id="m", content=[]),
        grew("refusal", 0, "I will "),
        grew("refusal", 0, "not."),
        done(0, type="message", id="m", content=[{"type": "refusal", "refusal": "I will not."}]),
        finished(),
    )
    assert (said.text, said.stop, said.raw) == ("I will not.", "refusal", "completed")


# ── calls ───────────────────────────────────────────────────────────────────────────────────────
def test_a_call_in_pieces() -> None:
    said = came(
        added(0, **CALL_ITEM, arguments=""),
        grew("function_call_arguments", 0, '{"a"'),
        grew("function_call_arguments", 0, ":1}"),
        arguments_done(0, WHOLE),
        done(0, **CALL_ITEM, arguments=WHOLE, status="completed"),
        finished(),
    )
    assert said.calls == (READ,)
    assert (said.stop, said.raw) == ("tool_use", "completed")


def test_a_call_is_closed_with_its_item() -> None:
    reader = wire_named(WIRE).reader(target())
    before = [
        added(0, **CALL_ITEM, arguments=""),
        grew("function_call_arguments", 0, WHOLE),
        arguments_done(0, WHOLE),
    ]
    assert not any(isinstance(one, CallClosed) for one in reader.feed(named_sse(*before)))
    after = done(0, **CALL_ITEM, arguments=WHOLE, status="completed")
    assert kinds(reader.feed(named_sse(after))) == ["CallClosed"]


@pytest.mark.parametrize(
    "events",
    [
        [done(0, **CALL_ITEM, arguments=WHOLE)],
        [added(0, **CALL_ITEM, arguments=WHOLE), done(0, **CALL_ITEM, arguments=WHOLE)],
        [added(0, **CALL_ITEM, arguments=""), done(0, **CALL_ITEM, arguments=WHOLE)],
        [added(0, **CALL_ITEM, arguments=""), arguments_done(0, WHOLE)],
        [added(0, **CALL_ITEM), grew("function_call_arguments", 0, WHOLE)],
        [added(0, **CALL_ITEM), arguments_done(0, {"a": 1}), done(0, **CALL_ITEM)],
    ],
    ids=["only done", "whole at once", "no pieces", "no item end", "only pieces", "an object"],
)
def test_calls_told_with_fewer_events(events: list[dict[str, Any]]) -> None:
    assert came(*events, finished()).calls == (READ,)


def test_a_call_that_comes_only_with_the_end() -> None:
    said = came(finished(output=[{**CALL_ITEM, "arguments": WHOLE, "status": "completed"}]))
    assert said.calls == (READ,)


def test_items_without_an_index_go_by_their_ids() -> None:
    one = {**CALL_ITEM, "id": "fc_1"}
    other = {**CALL_ITEM, "id": "fc_2", "call_id": "call_2", "name": "Glob"}

    def piece(item: str, text: str) -> dict[str, Any]:
        kind = "response.function_call_arguments.delta"
        return {"type": kind, "item_id": item, "delta": text}

    said = came(
        {"type": "response.output_item.added", "item": one},
        {"type": "response.output_item.added", "item": other},
        piece("fc_1", '{"a":'),
        piece("fc_2", '{"b":2}'),
        piece("fc_1", "1}"),
        {"type": "response.output_item.done", "item": {**one, "arguments": WHOLE}},
        {"type": "response.output_item.done", "item": {**other, "arguments": '{"b":2}'}},
        finished(output=[{**one, "arguments": WHOLE}, {**other, "arguments": '{"b":2}'}]),
    )
    assert said.calls == (READ, ("call_2", "Glob", {"b": 2}))


def test_two_calls_side_by_side() -> None:
    other = {**CALL_ITEM, "id": "fc_2", "call_id": "call_2", "name": "Glob"}
    said = came(
        added(0, **CALL_ITEM, arguments=""),
        added(1, **other, arguments=""),
        grew("function_call_arguments", 1, "{"),
        grew("function_call_arguments", 0, '{"a":'),
        grew("function_call_arguments", 1, "}"),
        grew("function_call_arguments", 0, "1}"),
        done(0, **CALL_ITEM, arguments=WHOLE),
        done(1, **other, arguments="{}"),
        finished(),
    )
    assert said.calls == (READ, ("call_2", "Glob", {}))


def test_a_call_without_arguments() -> None:
    said = came(
        added(0, **CALL_ITEM, arguments=""),
        arguments_done(0, ""),
        done(0, **CALL_ITEM, arguments="", status="completed"),
        finished(),
    )
    assert said.calls == (("call_1", "Read", {}),)


def test_a_call_without_arguments_whose_item_never_ended_is_broken() -> None:
    said = came(added(0, **CALL_ITEM, arguments=""), finished())
    assert said.calls == ()
    assert said.broken == ("Read",)


def test_the_end_of_no_arguments_is_an_end() -> None:
    said = came(added(0, **CALL_ITEM, arguments=""), arguments_done(0, ""), finished())
    assert said.calls == (("call_1", "Read", {}),)


def test_a_call_whose_item_is_incomplete_is_broken() -> None:
    said = came(
        added(0, **CALL_ITEM, arguments=""),
        grew("function_call_arguments", 0, WHOLE),
        done(0, **CALL_ITEM, arguments=WHOLE, status="incomplete"),
        finished("incomplete", incomplete_details={"reason": "max_output_tokens"}),
    )
    assert said.calls == ()
    assert said.broken == ("Read",)
    assert said.stop == "length"


def test_a_call_that_is_open_at_an_incomplete_end_is_broken() -> None:
    said = came(
        added(0, **CALL_ITEM, arguments=""),
        finished("incomplete", incomplete_details={"reason": "max_output_tokens"}),
    )
    assert said.calls == ()
    assert said.broken == ("Read",)


def test_a_call_that_came_twice_with_different_arguments_is_broken() -> None:
    said = came(
        added(0, **CALL_ITEM, arguments=""),
        grew("function_call_arguments", 0, '{"a":1'),
        done(0, **CALL_ITEM, arguments='{"a":12}', status="completed"),
        finished(),
    )
    assert said.calls == ()
    assert said.broken == ("Read",)


def test_the_same_arguments_written_differently_are_the_same() -> None:
    said = came(
        added(0, **CALL_ITEM, arguments=""),
        grew("function_call_arguments", 0, '{"a": 1}'),
        done(0, **CALL_ITEM, arguments=WHOLE, status="completed"),
        finished(),
    )
    assert said.calls == (READ,)


@pytest.mark.parametrize(
    "item",
    [
        {"type": "web_search_call", "id": "ws", "status": "completed"},
        {"type": "custom_tool_call", "id": "ct", "call_id": "c", "name": "run", "input": "print()"},
        {"type": "code_interpreter_call", "id": "ci", "code": "1", "outputs": []},
        {"type": "mcp_call", "id": "mc", "name": "ask", "arguments": "{}", "output": "x"},
        {"type": "mcp_approval_request", "id": "ma", "name": "ask", "arguments": "{}"},
        {"type": "apply_patch_call", "id": "ap", "call_id": "c", "operation": {}},
        {"type": "image_generation_call", "id": "ig", "result": "…"},
        {"type": "something_new", "id": "n"},
    ],
    ids=lambda item: item["type"],
)
def test_items_of_tools_at_the_vendor_are_none_of_ours(item: dict[str, Any]) -> None:
    said = came(added(0, **item), done(0, **item), *message(1, "Done."), finished(output=[item]))
    assert (said.text, said.calls, said.broken, said.stop) == ("Done.", (), (), "end")


# ── thought ─────────────────────────────────────────────────────────────────────────────────────
def reasoning(index: int = 0, **more: Any) -> dict[str, Any]:
    return done(index, type="reasoning", id="rs_1", **{"summary": [], **more})


def test_encrypted_thought_is_kept_as_an_item() -> None:
    said = came(reasoning(encrypted_content="ZW5j"), *message(1, "x"), finished())
    ((signature, opaque),) = said.thoughts
    assert signature == ""
    assert is_reasoning_item(opaque)
    assert '"encrypted_content":"ZW5j"' in opaque
    assert "rs_1" not in opaque


def test_thought_that_is_neither_told_nor_encrypted_leaves_nothing() -> None:
    assert came(reasoning(), *message(1, "x"), finished()).thoughts == ()


def test_summaries_are_told_as_such_with_a_gap_between_parts() -> None:
    part = {"type": "response.reasoning_summary_part.added", "output_index": 0}
    events = read(
        WIRE,
        named_sse(
            BEGUN,
            added(0, type="reasoning", id="rs_1", summary=[]),
            {**part, "summary_index": 0},
            grew("reasoning_summary_text", 0, "First", summary_index=0),
            {**part, "summary_index": 1},
            grew("reasoning_summary_text", 0, "Second", summary_index=1),
            reasoning(summary=[{"text": "First"}, {"text": "Second"}]),
            finished(),
        ),
    )
    assert outcome(events).thinking == "First\n\nSecond"
    assert all(one.is_summary for one in events if isinstance(one, ThinkingGrew))


def test_summaries_that_come_only_with_their_item() -> None:
    said = came(reasoning(summary=[{"text": "First"}, {"text": "Second"}]), finished())
    assert said.thinking == "First\n\nSecond"


def test_open_thought_is_told_as_thought() -> None:
    """gpt-oss and others show what they think."""
    events = read(
        WIRE,
        named_sse(
            BEGUN,
            added(0, type="reasoning", id="rs_1"),
            grew("reasoning_text", 0, "Really "),
            grew("reasoning_text", 0, "so"),
            reasoning(content=[{"type": "reasoning_text", "text": "Really so"}]),
            finished(),
        ),
    )
    assert outcome(events).thinking == "Really so"
    assert not any(one.is_summary for one in events if isinstance(one, ThinkingGrew))


def test_thought_ends_before_the_text_that_follows() -> None:
    events = read(WIRE, named_sse(BEGUN, reasoning(encrypted_content="x"), *message(1, "y")))
    assert kinds(events)[:2] == ["ThinkingClosed", "TextGrew"]
    assert sum(isinstance(one, ThinkingClosed) for one in events) == 1


# ── the end ─────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (finished(), StopReason.END),
        ({"type": "response.completed", "response": {"status": "complete"}}, "end"),
        (finished("incomplete", incomplete_details={"reason": "max_output_tokens"}), "length"),
        (finished("incomplete", incomplete_details={"reason": "content_filter"}), "refusal"),
        (finished("incomplete", incomplete_details=None), "length"),
    ],
)
def test_reasons_to_stop(event: dict[str, Any], reason: str) -> None:
    events = read(WIRE, named_sse(BEGUN, *message(0, "x"), event))
    raw = event["response"]["status"]
    assert events[-1] == Stopped(reason=StopReason(reason), raw=raw)


def test_no_end_is_a_cut_although_every_item_was_whole() -> None:
    assert came(*message(0, "x")).failure == "cut"


def test_the_end_is_marked_so_a_broken_connection_after_it_does_no_harm() -> None:
    data = named_sse(BEGUN, *message(0, "x"), finished())
    assert outcome(read(WIRE, data, whole, cut=True)).stop == "end"


def test_the_end_mark_of_the_other_wire_does_no_harm() -> None:
    data = named_sse(BEGUN, *message(0, "x"), finished()) + b"data: [DONE]\n\n"
    assert outcome(read(WIRE, data)).stop == "end"


def test_names_of_events_may_be_missing() -> None:
    assert outcome(read(WIRE, sse(BEGUN, *message(0, "x"), finished()))).text == "x"


def test_events_of_kinds_not_yet_known_change_nothing() -> None:
    new = {"type": "response.sparkle.delta", "output_index": 0, "delta": "*", "error": None}
    queued = {"type": "response.queued", "response": {"status": "queued"}}
    said = came(queued, new, *message(0, "x"), finished())
    assert said.text == "x"


# ── errors ──────────────────────────────────────────────────────────────────────────────────────
FAILURES: dict[str, tuple[dict[str, Any], FailureKind]] = {
    "failed": (
        finished("failed", error={"code": "server_error", "message": "boom"}),
        FailureKind.SERVER,
    ),
    "failed, limited": (
        finished("failed", error={"code": "rate_limit_exceeded", "message": "boom"}),
        FailureKind.RATE_LIMIT,
    ),
    "failed, no money": (
        finished("failed", error={"code": "insufficient_quota", "message": "boom"}),
        FailureKind.QUOTA,
    ),
    "failed, too long": (
        finished("failed", error={"code": "context_length_exceeded", "message": "boom"}),
        FailureKind.CONTEXT,
    ),
    "an error event": (
        {"type": "error", "code": "server_error", "message": "boom", "param": None},
        FailureKind.SERVER,
    ),
    "an error event with an error": (
        {"type": "error", "error": {"type": "invalid_request_error", "message": "boom"}},
        FailureKind.BAD_REQUEST,
    ),
    "an error without a type": (
        {"type": "", "error": {"code": "server_is_overloaded", "message": "boom"}},
        FailureKind.OVERLOADED,
    ),
    "a failed status in the end of another name": (
        {
            "type": "response.completed",
            "response": {"status": "failed", "error": {"message": "boom"}},
        },
        FailureKind.SERVER,
    ),
}


@pytest.mark.parametrize("case", FAILURES)
def test_errors_inside_the_stream(case: str) -> None:
    event, kind = FAILURES[case]
    half = [added(1, **CALL_ITEM, arguments=""), grew("function_call_arguments", 1, WHOLE)]
    events = read(WIRE, sse(BEGUN, *message(0, "so far"), *half, event))
    said = outcome(events)
    assert (said.text, said.calls, said.broken) == ("so far", (), ("Read",))
    assert failure_in(events).kind is kind
    assert failure_in(events).message == "boom"


def test_a_failure_without_a_word_has_one_of_ours() -> None:
    events = read(WIRE, named_sse(BEGUN, finished("failed", error=None)))
    assert failure_in(events).kind is FailureKind.SERVER
    assert "vendor" in failure_in(events).message


def test_a_cancelled_answer_is_a_failure() -> None:
    assert outcome(read(WIRE, named_sse(BEGUN, finished("cancelled")))).failure == "server"


@pytest.mark.parametrize(
    "data", [b"event: error\ndata: boom\n\n", b'event: error\ndata: "boom"\n\n']
)
def test_errors_in_plain_words(data: bytes) -> None:
    assert failure_in(read(WIRE, named_sse(BEGUN) + data)).message == "boom"


# ── in one piece ────────────────────────────────────────────────────────────────────────────────
def body(*output: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {**finished(output=list(output))["response"], **more}


def test_a_whole_answer() -> None:
    said = outcome(
        read_body(
            WIRE,
            body(
                reasoning(encrypted_content="ZW5j", summary=[{"text": "Hm"}])["item"],
                {"type": "message", "content": [{"type": "output_text", "text": "Ah"}]},
                {**CALL_ITEM, "arguments": WHOLE, "status": "completed"},
            ),
        )
    )
    assert (said.text, said.thinking) == ("Ah", "Hm")
    assert said.calls == (READ,)
    assert (said.stop, said.raw) == ("tool_use", "completed")
    assert said.usage == RESPONSE_USAGE


def test_a_whole_answer_that_is_incomplete() -> None:
    half = {**CALL_ITEM, "arguments": '{"a":', "status": "incomplete"}
    details = {"reason": "max_output_tokens"}
    said = outcome(read_body(WIRE, body(half, status="incomplete", incomplete_details=details)))
    assert said.broken == ("Read",)
    assert (said.stop, said.raw) == ("length", "incomplete")


@pytest.mark.parametrize(
    "error",
    [
        {"error": {"message": "boom", "type": "server_error"}},
        {"detail": "boom"},
        {"status": "failed", "output": [], "error": {"code": "server_error", "message": "boom"}},
    ],
)
def test_an_error_with_a_good_status_is_one(error: dict[str, Any]) -> None:
    assert failure_in(read_body(WIRE, error)).message == "boom"
    assert failure_in(read(WIRE, json(error))).message == "boom"


def test_a_whole_answer_to_a_request_for_a_stream() -> None:
    data = json(body({"type": "message", "content": [{"type": "output_text", "text": "Hi"}]}))
    assert outcome(read(WIRE, data)).text == "Hi"
