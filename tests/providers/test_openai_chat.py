"""Chat Completions as OpenAI says them and as each of its imitators does."""

from typing import Any

import pytest

from ankrcode.protocol.message import Usage
from ankrcode.protocol.stream import (
    CallClosed,
    CallGrew,
    CallOpened,
    FailureKind,
    Stopped,
    StopReason,
    TextGrew,
    ThinkingClosed,
)
from ankrcode.providers.wires import quirks, wire_named
from ankrcode.providers.wires.opaque import details_of
from providers.wire_samples import CHAT_USAGE, DONE, call_delta, chunk
from providers.wire_streams import (
    SPLITS,
    Outcome,
    failure_in,
    kinds,
    outcome,
    read,
    read_body,
    sse,
    target,
    whole,
)

WIRE = "openai-chat"
READ = ("call_a", "Read", {"file_path": "x"})
ARGUMENTS = '{"file_path":"x"}'


def came(*events: Any, done: bool = True, quirk: str = "") -> Outcome:
    """What these events come to, the same in every split."""
    data = sse(*events, done=done)
    its = (quirk,) if quirk else ()
    results = [outcome(read(WIRE, data, split, *its)) for split in SPLITS.values()]
    assert all(one == results[0] for one in results)
    return results[0]


def calls_of(*events: Any) -> list[tuple[str, Any]]:
    return [(name, arguments) for _, name, arguments in came(*events).calls]


FINISH = chunk({}, "tool_calls")


# ── calls, by everyone's habits ─────────────────────────────────────────────────────────────────
def test_a_whole_call_in_one_delta() -> None:
    said = came(chunk(call_delta(0, id="call_a", name="Read", arguments=ARGUMENTS)), FINISH)
    assert said.calls == (READ,)
    assert (said.stop, said.raw) == ("tool_use", "tool_calls")


def test_a_whole_call_in_the_delta_that_finishes() -> None:
    """Mistral's way."""
    delta = call_delta(0, id="call_a", name="Read", arguments=ARGUMENTS)
    assert came(chunk(delta, "tool_calls")).calls == (READ,)


def test_several_calls_in_one_delta() -> None:
    delta = {
        "tool_calls": [
            {"index": 0, "id": "call_a", "function": {"name": "Read", "arguments": ARGUMENTS}},
            {"index": 1, "id": "call_b", "function": {"name": "Glob", "arguments": "{}"}},
        ]
    }
    assert came(chunk(delta), FINISH).calls == (READ, ("call_b", "Glob", {}))


def test_several_whole_calls_all_at_index_zero_with_ids() -> None:
    """Gemini's compatible door numbers every call 0."""
    delta = {
        "tool_calls": [
            {"index": 0, "id": "call_a", "function": {"name": "Read", "arguments": ARGUMENTS}},
            {"index": 0, "id": "call_b", "function": {"name": "Read", "arguments": '{"a":2}'}},
        ]
    }
    assert came(chunk(delta), FINISH).calls == (READ, ("call_b", "Read", {"a": 2}))


def test_whole_calls_at_one_index_without_ids() -> None:
    first = chunk(call_delta(0, name="Read", arguments='{"a":1}'))
    second = chunk(call_delta(0, name="Read", arguments='{"a":2}'))
    assert calls_of(first, second, FINISH) == [("Read", {"a": 1}), ("Read", {"a": 2})]


def test_the_same_index_with_a_new_id_is_a_new_call() -> None:
    said = came(
        chunk(call_delta(0, id="call_a", name="Read", arguments="")),
        chunk(call_delta(0, arguments=ARGUMENTS)),
        chunk(call_delta(0, id="call_b", name="Glob", arguments="")),
        chunk(call_delta(0, arguments='{"pattern":"*"}')),
        FINISH,
    )
    assert said.calls == (READ, ("call_b", "Glob", {"pattern": "*"}))


def test_the_same_index_with_a_new_id_leaves_half_a_call_broken() -> None:
    said = came(
        chunk(call_delta(0, id="call_a", name="Read", arguments='{"file')),
        chunk(call_delta(0, id="call_b", name="Glob", arguments="{}")),
        FINISH,
    )
    assert said.calls == (("call_b", "Glob", {}),)
    assert said.broken == ("Read",)


def test_id_and_name_repeated_with_every_piece() -> None:
    pieces = ['{"file_', 'path":', '"x"}']
    events = [chunk(call_delta(0, id="call_a", name="Read", arguments=one)) for one in pieces]
    assert came(*events, FINISH).calls == (READ,)


def test_the_name_repeated_without_an_id() -> None:
    first = chunk(call_delta(0, id="call_a", name="Read", arguments='{"file_path"'))
    rest = chunk(call_delta(0, name="Read", arguments=':"x"}'))
    assert came(first, rest, FINISH).calls == (READ,)


def test_a_new_id_with_every_piece_but_no_name() -> None:
    said = came(
        chunk(call_delta(0, id="call_a", name="Read", arguments="")),
        chunk(call_delta(0, id="call_x", arguments='{"file_path"')),
        chunk(call_delta(0, id="call_y", arguments=':"x"}')),
        FINISH,
    )
    assert said.calls == (READ,)


def test_no_index_at_all() -> None:
    first = {"tool_calls": [{"id": "call_a", "function": {"name": "Read", "arguments": '{"file_'}}]}
    rest = {"tool_calls": [{"function": {"arguments": 'path":"x"}'}}]}
    other = {"tool_calls": [{"id": "call_b", "function": {"name": "Now", "arguments": "{}"}}]}
    said = came(chunk(first), chunk(rest), chunk(other), FINISH)
    assert said.calls == (READ, ("call_b", "Now", {}))


def test_neither_index_nor_id() -> None:
    first = {"tool_calls": [{"function": {"name": "Read", "arguments": '{"a":'}}]}
    rest = {"tool_calls": [{"function": {"arguments": "1}"}}]}
    other = {"tool_calls": [{"function": {"name": "Glob", "arguments": '{"b":2}'}}]}
    found = calls_of(chunk(first), chunk(rest), chunk(other), FINISH)
    assert found == [("Read", {"a": 1}), ("Glob", {"b": 2})]


def test_an_index_as_text_or_from_one_on() -> None:
    said = came(
        chunk(call_delta("1", id="call_a", name="Read", arguments=ARGUMENTS)),  # type: ignore[arg-type]
        chunk(call_delta("2", id="call_b", name="Now", arguments="{}")),  # type: ignore[arg-type]
        FINISH,
    )
    assert said.calls == (READ, ("call_b", "Now", {}))


def test_calls_without_ids_get_one_each_that_is_the_same_for_the_same_answer() -> None:
    events = [
        chunk(call_delta(0, name="Read", arguments="{}")),
        chunk(call_delta(1, name="Glob", arguments="{}")),
        FINISH,
    ]
    first, second = came(*events).calls
    assert first[0] != second[0]
    assert came(*events).calls == (first, second)


def test_calls_without_ids_in_answers_without_ids_get_others_each_time() -> None:
    event = {"choices": [{"delta": call_delta(0, name="Read", arguments="{}")}]}
    finish = {"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}
    one, other = (outcome(read(WIRE, sse(event, finish))).calls[0][0] for _ in range(2))
    assert one != other


def test_an_empty_id_is_none() -> None:
    said = came(chunk(call_delta(0, id="", name="Read", arguments=ARGUMENTS)), FINISH)
    assert said.calls[0][0].startswith("call_")


@pytest.mark.parametrize("arguments", ["", "{}", " ", "null", None, {}])
def test_no_arguments_however_they_are_said(arguments: Any) -> None:
    said = came(chunk(call_delta(0, id="c", name="Now", arguments=arguments)), FINISH)
    assert said.calls == (("c", "Now", {}),)


def test_arguments_that_are_missing() -> None:
    assert came(chunk(call_delta(0, id="c", name="Now")), FINISH).calls == (("c", "Now", {}),)


def test_arguments_as_an_object_instead_of_text() -> None:
    delta = call_delta(0, id="call_a", name="Read", arguments={"file_path": "x"})
    assert came(chunk(delta), FINISH).calls == (READ,)


@pytest.mark.parametrize("arguments", ['{"a":1', "{'a':1}", '{"a":1}}', "[1]", '"x"', "5", "{}{}"])
def test_arguments_that_are_not_one_object_break_the_call(arguments: str) -> None:
    said = came(chunk(call_delta(0, id="c", name="Now", arguments=arguments)), FINISH)
    assert said.calls == ()
    assert said.broken == ("Now",)
    assert said.stop == "tool_use"


def test_large_numbers_and_deep_values_survive() -> None:
    arguments = '{"n":123456789012345678901234567890,"f":1.5,"deep":[[[{"x":null}]]],"t":true}'
    said = came(chunk(call_delta(0, id="c", name="Now", arguments=arguments)), FINISH)
    assert said.calls[0][2] == {
        "n": 123456789012345678901234567890,
        "f": 1.5,
        "deep": [[[{"x": None}]]],
        "t": True,
    }


def test_the_legacy_function_call() -> None:
    said = came(
        chunk({"function_call": {"name": "Read", "arguments": ""}}),
        chunk({"function_call": {"arguments": '{"file_path":'}}),
        chunk({"function_call": {"arguments": '"x"}'}}),
        chunk({}, "function_call"),
    )
    assert [one[1:] for one in said.calls] == [READ[1:]]
    assert (said.stop, said.raw) == ("tool_use", "function_call")


def test_a_name_in_pieces_before_the_arguments() -> None:
    said = came(
        chunk(call_delta(0, id="call_a", name="Re", arguments="")),
        chunk(call_delta(0, name="ad", arguments="")),
        chunk(call_delta(0, arguments=ARGUMENTS)),
        FINISH,
    )
    assert said.calls == (READ,)


def test_a_name_that_comes_after_the_id() -> None:
    events = read(
        WIRE,
        sse(
            chunk(call_delta(0, id="call_a", type="function")),
            chunk(call_delta(0, name="Read")),
            chunk(call_delta(0, arguments=ARGUMENTS)),
            FINISH,
        ),
    )
    assert outcome(events).calls == (READ,)
    assert [one.name for one in events if isinstance(one, CallOpened)] == ["Read"]


def test_a_call_that_never_gets_a_name_is_broken() -> None:
    said = came(chunk(call_delta(0, id="c", arguments="{}")), FINISH)
    assert said.calls == ()
    assert said.broken == ("",)


def test_calls_whose_pieces_alternate() -> None:
    said = came(
        chunk(call_delta(0, id="call_a", name="Read", arguments="")),
        chunk(call_delta(1, id="call_b", name="Glob", arguments="")),
        chunk(call_delta(0, arguments='{"file_')),
        chunk(call_delta(1, arguments='{"pattern"')),
        chunk(call_delta(0, arguments='path":"x"}')),
        chunk(call_delta(1, arguments=':"*"}')),
        FINISH,
    )
    assert said.calls == (READ, ("call_b", "Glob", {"pattern": "*"}))


def test_a_call_that_goes_on_after_it_was_whole_fails_the_answer() -> None:
    """It may be running already: silence would hide that it was not what was meant."""
    events = read(
        WIRE,
        sse(
            chunk(call_delta(0, id="call_a", name="Read", arguments=ARGUMENTS)),
            chunk(call_delta(1, id="call_b", name="Now", arguments="")),
            chunk(call_delta(0, arguments=', "more": 1}')),
            FINISH,
        ),
    )
    assert outcome(events).failure == "protocol"


def test_nothing_more_is_told_of_an_answer_that_failed_within_an_event() -> None:
    late = call_delta(0, arguments=', "more": 1}')
    late["tool_calls"].append({"index": 2, "id": "c", "function": {"name": "N", "arguments": "{}"}})
    said = came(
        chunk(call_delta(0, id="call_a", name="Read", arguments=ARGUMENTS)),
        chunk({"content": "so"}),
        chunk(late, "tool_calls", usage=CHAT_USAGE),
    )
    assert said.failure == "protocol"
    assert said.calls == (READ,)
    assert said.usage is None


def test_blanks_after_a_whole_call_do_no_harm() -> None:
    said = came(
        chunk(call_delta(0, id="call_a", name="Read", arguments=ARGUMENTS)),
        chunk({"content": "and "}),
        chunk(call_delta(0, arguments=" \n")),
        chunk({"content": "so on"}),
        FINISH,
    )
    assert said.calls == (READ,)
    assert said.text == "and so on"


def test_a_call_is_closed_when_the_next_index_comes() -> None:
    reader = wire_named(WIRE).reader(target())
    events = reader.feed(sse(chunk(call_delta(0, id="call_a", name="Read", arguments=ARGUMENTS))))
    assert not any(isinstance(one, CallClosed) for one in events)
    events = reader.feed(sse(chunk(call_delta(1, id="call_b", name="Now", arguments=""))))
    assert [one.id for one in events if isinstance(one, CallClosed)] == ["call_a"]


def test_a_call_is_closed_when_text_follows() -> None:
    reader = wire_named(WIRE).reader(target())
    reader.feed(sse(chunk(call_delta(0, id="call_a", name="Read", arguments=ARGUMENTS))))
    events = reader.feed(sse(chunk({"content": "Meanwhile"})))
    assert kinds(events) == ["CallClosed", "TextGrew"]


def test_a_call_is_closed_when_thought_follows() -> None:
    reader = wire_named(WIRE).reader(target())
    reader.feed(sse(chunk(call_delta(0, id="call_a", name="Read", arguments=ARGUMENTS))))
    events = reader.feed(sse(chunk({"reasoning": "Then"})))
    assert kinds(events) == ["CallClosed", "ThinkingGrew"]


def test_a_call_is_closed_with_the_reason_to_stop_before_usage_and_end() -> None:
    reader = wire_named(WIRE).reader(target())
    reader.feed(sse(chunk(call_delta(0, id="call_a", name="Read", arguments=ARGUMENTS))))
    assert kinds(reader.feed(sse(FINISH))) == ["CallClosed"]
    assert kinds(reader.feed(sse(chunk(usage=CHAT_USAGE)))) == ["Used"]
    assert kinds(reader.feed(DONE)) == ["Stopped"]


def test_an_open_call_without_arguments_waits_at_the_next_index() -> None:
    """They may still come: only the end shows that there are none."""
    reader = wire_named(WIRE).reader(target())
    reader.feed(sse(chunk(call_delta(0, id="call_a", name="Read", arguments=""))))
    events = reader.feed(sse(chunk(call_delta(1, id="call_b", name="Now", arguments="{}"))))
    assert not any(isinstance(one, CallClosed) for one in events)
    events = reader.feed(sse(chunk(call_delta(0, arguments=ARGUMENTS))))
    events += reader.feed(sse(FINISH))
    assert [one.id for one in events if isinstance(one, CallClosed)] == ["call_b", "call_a"]


def test_arguments_are_told_as_they_grow() -> None:
    events = read(
        WIRE,
        sse(
            chunk(call_delta(0, id="call_a", name="Read", arguments="")),
            chunk(call_delta(0, arguments='{"file_')),
            chunk(call_delta(0, arguments='path":"x"}')),
            FINISH,
        ),
    )
    assert [one.text for one in events if isinstance(one, CallGrew)] == ['{"file_', 'path":"x"}']


def test_text_between_calls_keeps_its_place() -> None:
    events = read(
        WIRE,
        sse(
            chunk(call_delta(0, id="a", name="Read", arguments="{}")),
            chunk({"content": "then"}),
            chunk(call_delta(1, id="b", name="Glob", arguments="{}")),
            FINISH,
        ),
    )
    assert kinds(events) == [
        *("CallOpened", "CallGrew", "CallClosed", "TextGrew"),
        *("CallOpened", "CallGrew", "CallClosed", "Stopped"),
    ]


@pytest.mark.parametrize("stop", ["length", "max_tokens", "model_length", "content_filter"])
def test_a_call_that_is_open_when_the_answer_is_cut_short_is_broken(stop: str) -> None:
    """Even if what came happens to be an object: nobody knows what was to follow."""
    said = came(
        chunk(call_delta(0, id="call_a", name="Write", arguments='{"a":1}')), chunk({}, stop)
    )
    assert said.calls == ()
    assert said.broken == ("Write",)


def test_a_stop_for_length_right_after_a_name_makes_no_call() -> None:
    said = came(chunk(call_delta(0, id="c", name="Purge", arguments="")), chunk({}, "length"))
    assert said.calls == ()
    assert said.broken == ("Purge",)


def test_geminis_signature_comes_with_the_call() -> None:
    delta = call_delta(0, id="call_a", name="Read", arguments=ARGUMENTS)
    delta["tool_calls"][0]["extra_content"] = {"google": {"thought_signature": "c2ln"}}
    events = read(WIRE, sse(chunk(delta), FINISH))
    assert [one.signature for one in events if isinstance(one, CallClosed)] == ["c2ln"]


def test_a_plain_stop_with_calls_is_a_use_of_tools() -> None:
    """Groq, Ollama and forced calls at OpenAI say `stop`."""
    delta = call_delta(0, id="call_a", name="Read", arguments=ARGUMENTS)
    said = came(chunk(delta), chunk({}, "stop"))
    assert (said.stop, said.raw) == ("tool_use", "stop")


# ── text and thought ────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_thought_in_either_field(field: str) -> None:
    said = came(chunk({field: "Hm"}), chunk({"content": "Ah"}), chunk({}, "stop"))
    assert (said.thinking, said.text) == ("Hm", "Ah")


def test_thought_in_both_fields_counts_once() -> None:
    said = came(chunk({"reasoning": "Hm", "reasoning_content": "Hm"}), chunk({}, "stop"))
    assert said.thinking == "Hm"


def test_thought_ends_where_text_begins() -> None:
    events = read(
        WIRE, sse(chunk({"reasoning": "Hm"}), chunk({"content": "Ah"}), chunk({}, "stop"))
    )
    assert kinds(events) == ["ThinkingGrew", "ThinkingClosed", "TextGrew", "Stopped"]


def test_thought_ends_where_a_call_begins() -> None:
    call = chunk(call_delta(0, id="c", name="Now", arguments="{}"))
    events = read(WIRE, sse(chunk({"reasoning": "Hm"}), call, FINISH))
    assert kinds(events)[:3] == ["ThinkingGrew", "ThinkingClosed", "CallOpened"]


def test_thought_and_text_in_one_delta() -> None:
    said = came(chunk({"reasoning": "Hm", "content": "Ah"}), chunk({}, "stop"))
    assert (said.thinking, said.text) == ("Hm", "Ah")


def test_mistrals_parts() -> None:
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm"}]}
    said = came(
        chunk({"content": [thought]}),
        chunk({"content": [{"type": "text", "text": "Ah"}]}),
        chunk({"content": "!"}, "stop"),
    )
    assert (said.thinking, said.text) == ("Hm", "Ah!")


def test_openrouters_details_go_back_as_one_list() -> None:
    text = {"type": "reasoning.text", "index": 0, "format": "anthropic-claude-v1"}
    events = read(
        WIRE,
        sse(
            chunk({"reasoning": "A", "reasoning_details": [{**text, "text": "A"}]}),
            chunk({"reasoning": "B", "reasoning_details": [{**text, "text": "B"}]}),
            chunk({"reasoning_details": [{**text, "signature": "c2ln"}]}),
            chunk(
                {"reasoning_details": [{"type": "reasoning.encrypted", "data": "x", "index": 1}]}
            ),
            chunk({"content": "C"}),
            chunk({}, "stop"),
        ),
    )
    assert outcome(events).thinking == "AB"
    (closed,) = [one for one in events if isinstance(one, ThinkingClosed)]
    assert details_of(closed.opaque) == [
        {**text, "text": "AB", "signature": "c2ln"},
        {"type": "reasoning.encrypted", "data": "x", "index": 1},
    ]


def test_details_alone_are_told_as_thought() -> None:
    detail = {"type": "reasoning.summary", "summary": "In short"}
    assert came(chunk({"reasoning_details": [detail]}), chunk({}, "stop")).thinking == "In short"


def test_a_refusal_is_told_and_classed() -> None:
    said = came(chunk({"refusal": "I will "}), chunk({"refusal": "not."}), chunk({}, "stop"))
    assert (said.text, said.stop, said.raw) == ("I will not.", "refusal", "stop")


def test_characters_cut_between_their_utf16_halves() -> None:
    head, tail = b'{"choices":[{"delta":{"content":"', b'"}}]}'
    data = sse(head + b"a\\ud83d" + tail, head + b"\\ude42b" + tail, chunk({}, "stop"))
    for split in SPLITS.values():
        assert outcome(read(WIRE, data, split)).text == "a🙂b"


def test_half_a_character_alone_is_replaced() -> None:
    head, tail = b'{"choices":[{"delta":{"content":"', b'"}}]}'
    data = sse(head + b"a\\ud83d b" + tail, chunk({}, "stop"))
    assert outcome(read(WIRE, data)).text == "a\ufffd b"


def test_text_in_the_older_completions_form() -> None:
    said = came({"choices": [{"text": "Hi", "index": 0}]}, chunk({}, "stop"))
    assert said.text == "Hi"


def test_of_several_choices_the_first_counts() -> None:
    event = chunk({"content": "one"})
    event["choices"].append({"index": 1, "delta": {"content": "two"}})
    assert came(event, chunk({}, "stop")).text == "one"


# ── tags ────────────────────────────────────────────────────────────────────────────────────────
def test_tags_are_text_unless_the_provider_is_known_for_them() -> None:
    said = came(chunk({"content": "<think>a</think>b"}), chunk({}, "stop"))
    assert (said.thinking, said.text) == ("", "<think>a</think>b")


@pytest.mark.parametrize("opener", ["<think>", "<thinking>", "<thought>", "\n<think>\n"])
def test_thought_between_tags(opener: str) -> None:
    closer = opener.strip().replace("<", "</")
    text = f"{opener}deep {closer}\n\nAnswer"
    said = came(*(chunk({"content": one}) for one in text), chunk({}, "stop"), quirk="think_tags")
    assert (said.thinking, said.text) == ("deep ", "Answer")


def test_an_answer_that_begins_within_its_thought() -> None:
    said = came(
        chunk({"content": "deep"}),
        chunk({"content": "</think>Answer"}),
        chunk({}, "stop"),
        quirk=quirks.OPEN_THINK_TAG,
    )
    assert (said.thinking, said.text) == ("deep", "Answer")


def test_thought_that_never_ends_is_all_there_is() -> None:
    said = came(chunk({"content": "<think>deep <"}), chunk({}, "length"), quirk="think_tags")
    assert (said.thinking, said.text, said.stop) == ("deep <", "", "length")


def test_text_that_only_looks_like_a_tag_is_not_lost() -> None:
    said = came(chunk({"content": "<thi"}), chunk({}, "stop"), quirk="think_tags")
    assert said.text == "<thi"


def test_tags_before_a_call_are_settled_first() -> None:
    call = chunk(call_delta(0, id="c", name="Now", arguments="{}"))
    said = came(chunk({"content": "<think>a</thin"}), call, FINISH, quirk="think_tags")
    assert said.thinking == "a</thin"
    assert said.calls == (("c", "Now", {}),)


# ── usage ───────────────────────────────────────────────────────────────────────────────────────
PLAIN = {"prompt_tokens": 5, "completion_tokens": 3}


@pytest.mark.parametrize(
    ("where", "event"),
    [
        ("a chunk without choices", chunk(usage=PLAIN)),
        ("the chunk that finishes", chunk({}, "stop", usage=PLAIN)),
        ("groq's own field", chunk({}, "stop", x_groq={"id": "r", "usage": PLAIN})),
        (
            "moonshot's choice",
            {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop", "usage": PLAIN}]},
        ),
        ("llama.cpp's timings", chunk({}, "stop", timings={"prompt_n": 5, "predicted_n": 3})),
        ("names of the newer interface", chunk(usage={"input_tokens": 5, "output_tokens": 3})),
    ],
)
def test_usage_wherever_it_stands(where: str, event: Any) -> None:
    said = came(chunk({"content": "Hi"}), event, chunk({}, "stop"))
    assert said.usage == Usage(input_tokens=5, output_tokens=3), where


@pytest.mark.parametrize(
    "more",
    [
        {"prompt_tokens_details": {"cached_tokens": 4}},
        {"prompt_cache_hit_tokens": 4, "prompt_cache_miss_tokens": 1},
        {"cached_tokens": 4},
    ],
)
def test_cached_tokens_by_each_name(more: dict[str, Any]) -> None:
    said = came(chunk({}, "stop", usage={**PLAIN, **more}))
    assert said.usage == Usage(input_tokens=5, output_tokens=3, cached_tokens=4)


def test_tokens_of_thought_and_tokens_written_to_the_cache() -> None:
    usage = {
        **PLAIN,
        "completion_tokens_details": {"reasoning_tokens": 2},
        "prompt_tokens_details": {"cached_tokens": 1, "cache_write_tokens": 3},
    }
    said = came(chunk({}, "stop", usage=usage))
    assert said.usage == Usage(
        input_tokens=5, output_tokens=3, cached_tokens=1, written_tokens=3, thinking_tokens=2
    )


def test_usage_with_every_chunk_counts_as_it_stands_last() -> None:
    def at(count: int) -> dict[str, Any]:
        return {"prompt_tokens": 5, "completion_tokens": count}

    said = came(
        chunk({"content": "a"}, usage=at(1)),
        chunk({"content": "b"}, usage=at(2)),
        chunk({}, "stop", usage=at(3)),
    )
    assert said.usage == Usage(input_tokens=5, output_tokens=3)


@pytest.mark.parametrize("usage", [None, {}, [], "x", {"prompt_tokens": None}, {"a": 1}])
def test_usage_that_says_nothing_is_none(usage: Any) -> None:
    assert came(chunk({}, "stop", usage=usage)).usage is None


@pytest.mark.parametrize("count", [-1, "5", True, 1e300, [1]])
def test_numbers_that_make_no_sense_count_as_none(count: Any) -> None:
    said = came(chunk({}, "stop", usage={"prompt_tokens": count, "completion_tokens": 3}))
    assert said.usage == Usage(output_tokens=3)


# ── the end ─────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("stop", StopReason.END),
        ("end_turn", StopReason.END),
        ("eos", StopReason.END),
        ("length", StopReason.LENGTH),
        ("max_tokens", StopReason.LENGTH),
        ("content_filter", StopReason.REFUSAL),
        ("tool_calls", StopReason.TOOL_USE),
        ("function_call", StopReason.TOOL_USE),
        ("STOP", StopReason.END),
        ("something_new", StopReason.OTHER),
    ],
)
def test_reasons_to_stop_keep_the_vendors_word(raw: str, reason: StopReason) -> None:
    events = read(WIRE, sse(chunk({"content": "x"}), chunk({}, raw), done=True))
    assert events[-1] == Stopped(reason=reason, raw=raw)


def test_the_end_mark_may_be_missing() -> None:
    assert came(chunk({"content": "x"}), chunk({}, "stop"), done=False).stop == "end"


def test_the_end_mark_may_come_twice() -> None:
    data = sse(chunk({"content": "x"}), chunk({}, "stop"), done=True) + DONE
    assert outcome(read(WIRE, data)).stop == "end"


def test_the_reason_may_be_missing_where_the_end_is_marked() -> None:
    said = came(chunk({"content": "x"}))
    assert (said.text, said.stop, said.raw) == ("x", "end", "")


def test_neither_reason_nor_mark_is_a_cut() -> None:
    assert came(chunk({"content": "x"}), done=False).failure == "cut"


def test_a_mark_and_nothing_else_is_an_empty_answer() -> None:
    assert came().failure == "protocol"


def test_an_empty_answer_that_ends_in_order_is_one() -> None:
    assert came(chunk({"role": "assistant", "content": ""}), chunk({}, "stop")).stop == "end"


def test_the_reason_with_the_last_text() -> None:
    said = came(chunk({"content": "x"}, "stop"))
    assert (said.text, said.stop) == ("x", "end")


@pytest.mark.parametrize("mark", [b"[DONE]", b" [DONE] ", b"[DONE]\r"])
def test_the_end_mark_with_blanks(mark: bytes) -> None:
    data = sse(chunk({"content": "x"}, "stop")) + b"data:" + mark + b"\n\n"
    assert outcome(read(WIRE, data)).stop == "end"


def test_a_broken_connection_after_the_reason_but_before_the_mark_is_told() -> None:
    data = sse(chunk({"content": "x"}), chunk({}, "stop"))
    assert outcome(read(WIRE, data, whole, cut=True)).failure == "cut"
    assert outcome(read(WIRE, data + DONE, whole, cut=True)).stop == "end"


# ── what else stands in the stream ──────────────────────────────────────────────────────────────
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("split", SPLITS)
def test_line_ends_comments_and_a_bom(end: bytes, split: str) -> None:
    lines = [
        b"\xef\xbb\xbf: OPENROUTER PROCESSING",
        b"",
        b"data: " + sse(chunk({"content": "Hé"}))[6:-2],
        b"",
        b":",
        b"",
        b"id: 5",
        b"data:" + sse(chunk({}, "stop"))[6:-2],
        b"",
        b"data: [DONE]",
        b"",
        b"",
    ]
    said = outcome(read(WIRE, end.join(lines), SPLITS[split]))
    assert (said.text, said.stop) == ("Hé", "end")


@pytest.mark.parametrize("split", SPLITS)
def test_json_over_several_lines_of_data(split: str) -> None:
    lines = [b'{"choices":', b'[{"delta":', b'{"content":"x"},', b'"finish_reason":"stop"}]}']
    data = b"".join(b"data: " + one + b"\n" for one in lines) + b"\n"
    assert outcome(read(WIRE, data, SPLITS[split])).text == "x"


@pytest.mark.parametrize("split", SPLITS)
def test_events_without_a_blank_line_between_them(split: str) -> None:
    data = sse(chunk({"content": "a"}), chunk({"content": "b"}), chunk({}, "stop"), done=True)
    said = outcome(read(WIRE, data.replace(b"\n\n", b"\n"), SPLITS[split]))
    assert (said.text, said.stop) == ("ab", "end")


@pytest.mark.parametrize("noise", [b"", b"ping", b"[PING]", b"keep-alive", b"null"])
def test_data_that_only_keeps_the_line_open(noise: bytes) -> None:
    said = came(noise, chunk({"content": "x"}), noise, chunk({}, "stop"))
    assert (said.text, said.stop) == ("x", "end")


def test_azures_first_chunk_with_filter_results() -> None:
    first = {"choices": [], "prompt_filter_results": [{"prompt_index": 0}], "id": "", "object": ""}
    assert came(first, chunk({"content": "x"}), chunk({}, "stop")).text == "x"


def test_fields_nobody_knows_are_passed_over() -> None:
    event = chunk({"content": "x", "audio": None, "odd": [1]}, obfuscation="abc", service_tier="s")
    assert came(event, chunk({}, "stop")).text == "x"


def test_perplexitys_message_beside_the_delta_is_not_told_twice() -> None:
    event = chunk({"content": "b"})
    event["choices"][0]["message"] = {"role": "assistant", "content": "ab"}
    assert came(chunk({"content": "a"}), event, chunk({}, "stop")).text == "ab"


# ── errors in an answer that began well ─────────────────────────────────────────────────────────
ERRORS: dict[str, tuple[Any, FailureKind]] = {
    "openai": (
        {"error": {"message": "The server had an error", "type": "server_error", "code": None}},
        FailureKind.SERVER,
    ),
    "openrouter": (
        {
            "id": "gen-1",
            "error": {"code": 502, "message": "Provider disconnected"},
            "choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "error"}],
        },
        FailureKind.SERVER,
    ),
    "openrouter, limited": (
        {"error": {"code": 429, "message": "Rate limit exceeded"}},
        FailureKind.RATE_LIMIT,
    ),
    "groq": (
        {"error": {"message": "Failed to call a function", "type": "invalid_request_error"}},
        FailureKind.BAD_REQUEST,
    ),
    "groq, inside its own field": (
        chunk({}, x_groq={"id": "r", "error": "over capacity"}),
        FailureKind.OVERLOADED,
    ),
    "text only": ({"error": "something broke"}, FailureKind.SERVER),
    "vllm": (
        {"object": "error", "message": "maximum context length is 4096", "code": 400},
        FailureKind.CONTEXT,
    ),
    "dashscope": (
        {"code": "Throttling.RateQuota", "message": "Requests rate limit exceeded"},
        FailureKind.RATE_LIMIT,
    ),
    "fastapi": ({"detail": "Internal Server Error"}, FailureKind.SERVER),
    "a filter": (
        {"error": {"code": "content_filter", "message": "The response was filtered"}},
        FailureKind.FILTERED,
    ),
    "overloaded": (
        {"error": {"message": "Service busy", "type": "overloaded_error"}},
        FailureKind.OVERLOADED,
    ),
}


@pytest.mark.parametrize("vendor", ERRORS)
@pytest.mark.parametrize("split", SPLITS)
def test_errors_inside_the_stream_are_failures(vendor: str, split: str) -> None:
    event, kind = ERRORS[vendor]
    data = sse(chunk({"content": "so far"}), event, done=True)
    events = read(WIRE, data, SPLITS[split])
    assert outcome(events).text == "so far"
    assert failure_in(events).kind is kind


@pytest.mark.parametrize("vendor", ERRORS)
def test_errors_as_the_first_event_are_failures(vendor: str) -> None:
    event, kind = ERRORS[vendor]
    assert failure_in(read(WIRE, sse(event))).kind is kind


@pytest.mark.parametrize("vendor", ERRORS)
def test_errors_as_a_whole_body_with_a_good_status_are_failures(vendor: str) -> None:
    event, kind = ERRORS[vendor]
    assert failure_in(read_body(WIRE, event)).kind is kind
    assert failure_in(read(WIRE, sse(event)[6:])).kind is kind


@pytest.mark.parametrize(
    "data",
    [
        b'event: error\ndata: {"error":{"message":"boom"}}\n\n',
        b'event: error\ndata: {"message":"boom"}\n\n',
        b"event: error\ndata: boom\n\n",
        b'event: error\ndata: "boom"\n\n',
        b'event:error\r\ndata:{"msg":"boom"}\r\n\r\n',
    ],
)
def test_events_named_error_are_failures_whatever_they_hold(data: bytes) -> None:
    events = read(WIRE, sse(chunk({"content": "x"})) + data)
    assert failure_in(events).message == "boom"


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("cut", [False, True])
def test_an_error_written_among_the_events_is_not_swallowed(split: str, cut: bool) -> None:
    """Some servers write it as it is, without `data:`, and close."""
    data = sse(chunk({"content": "x"})) + b'{"error":{"message":"out of memory","code":500}}\n'
    events = read(WIRE, data, SPLITS[split], cut=cut)
    assert failure_in(events).message == "out of memory"
    assert failure_in(events).kind is FailureKind.SERVER


def test_words_among_the_events_do_no_harm_to_a_whole_answer() -> None:
    data = b"warming up\n" + sse(chunk({"content": "x"}, "stop"))
    assert outcome(read(WIRE, data)).stop == "end"


def test_a_mark_of_data_that_is_written_twice() -> None:
    data = b"data: " + sse(chunk({"content": "x"}, "stop")) + b"data: data: [DONE]\n\n"
    assert outcome(read(WIRE, data)).text == "x"


def test_a_call_is_broken_by_an_error() -> None:
    call = chunk(call_delta(0, id="c", name="Now", arguments="{}"))
    said = came(call, {"error": {"message": "x"}})
    assert said.calls == ()
    assert said.broken == ("Now",)


@pytest.mark.parametrize("stop", ["error", "network_error", "insufficient_system_resource"])
def test_reasons_to_stop_that_are_errors_are_failures(stop: str) -> None:
    call = chunk(call_delta(0, id="c", name="Now", arguments="{}"))
    said = came(call, chunk({}, stop))
    assert said.failure
    assert said.calls == ()


@pytest.mark.parametrize("garbage", [b'{"choices":[', b"{]", b"<html>", b"what", b'"text"', b"12"])
@pytest.mark.parametrize("split", SPLITS)
def test_data_that_is_no_event_fails_the_answer(garbage: bytes, split: str) -> None:
    call = chunk(call_delta(0, id="c", name="Now", arguments="{}"))
    data = sse(chunk({"content": "x"}), call, garbage, FINISH, done=True)
    said = outcome(read(WIRE, data, SPLITS[split]))
    assert said.failure == "protocol"
    assert said.broken == ("Now",)


def test_a_page_instead_of_a_stream_fails() -> None:
    said = outcome(read(WIRE, b"<html><body>Bad gateway</body></html>"))
    assert said.failure == "protocol"


# ── in one piece ────────────────────────────────────────────────────────────────────────────────
def body(message: dict[str, Any], finish: str = "stop", **more: Any) -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
    return {"id": "chatcmpl-1", "object": "chat.completion", "choices": [choice], **more}


def test_a_whole_answer() -> None:
    calls = [
        {"id": "call_a", "type": "function", "function": {"name": "Read", "arguments": ARGUMENTS}}
    ]
    said = outcome(
        read_body(
            WIRE,
            body(
                {"content": "Hi", "reasoning_content": "Hm", "tool_calls": calls},
                "tool_calls",
                usage=CHAT_USAGE,
            ),
        )
    )
    assert said == Outcome(
        text="Hi",
        thinking="Hm",
        thoughts=(("", ""),),
        calls=(READ,),
        stop="tool_use",
        raw="tool_calls",
        usage=Usage(input_tokens=50, output_tokens=20, cached_tokens=30, thinking_tokens=8),
    )


def test_whole_calls_without_an_index() -> None:
    calls = [
        {"id": "call_a", "function": {"name": "Read", "arguments": ARGUMENTS}},
        {"id": "call_b", "function": {"name": "Now", "arguments": ""}},
    ]
    said = outcome(read_body(WIRE, body({"content": None, "tool_calls": calls}, "tool_calls")))
    assert said.calls == (READ, ("call_b", "Now", {}))


def test_the_last_call_of_a_whole_answer_cut_for_length_is_broken() -> None:
    calls = [
        {"id": "call_a", "function": {"name": "Read", "arguments": ARGUMENTS}},
        {"id": "call_b", "function": {"name": "Write", "arguments": "{}"}},
    ]
    said = outcome(read_body(WIRE, body({"tool_calls": calls}, "length")))
    assert said.calls == (READ,)
    assert said.broken == ("Write",)


def test_a_whole_answer_to_a_request_for_a_stream() -> None:
    data = sse(body({"content": "Hi"}))[6:]
    assert outcome(read(WIRE, data)).text == "Hi"


def test_a_stream_in_answer_to_a_request_for_a_whole() -> None:
    data = sse(chunk({"content": "Hi"}), chunk({}, "stop"), done=True)
    assert outcome(read_body(WIRE, data)).text == "Hi"


def test_a_whole_answer_laid_out_over_lines() -> None:
    import json

    laid_out = json.dumps(body({"content": "Hi"}), indent=2).encode()
    assert outcome(read_body(WIRE, laid_out)).text == "Hi"
    assert outcome(read(WIRE, laid_out + b"\n")).text == "Hi"


@pytest.mark.parametrize("data", [b"", b"  ", b"{}", b'{"choices":[]}', b'{"id":"x"}', b"[1]"])
def test_a_whole_answer_that_says_nothing_fails(data: bytes) -> None:
    assert outcome(read_body(WIRE, data)).failure in ("protocol", "cut")


def test_text_is_told_in_the_pieces_it_came_in() -> None:
    events = read(WIRE, sse(chunk({"content": "a"}), chunk({"content": "b"}), chunk({}, "stop")))
    assert [one.text for one in events if isinstance(one, TextGrew)] == ["a", "b"]


def test_a_reason_to_stop_with_every_piece_does_not_break_the_call() -> None:
    said = came(
        chunk(call_delta(0, id="call_a", name="Read", arguments='{"file_'), "tool_calls"),
        chunk(call_delta(0, arguments='path":"x"}'), "tool_calls"),
    )
    assert said.calls == (READ,)


def test_an_empty_legacy_call_is_none() -> None:
    """Snowflake sends every field there is."""
    message = {"content": "Hi", "refusal": "", "function_call": {"name": "", "arguments": ""}}
    said = outcome(read_body(WIRE, body(message, "")))
    assert (said.text, said.calls, said.broken, said.stop) == ("Hi", (), (), "end")


def test_usage_beside_an_error_counts() -> None:
    said = came(chunk({"content": "x"}), {"error": {"code": 400, "message": "No"}, "usage": PLAIN})
    assert said.failure == "bad_request"
    assert said.usage == Usage(input_tokens=5, output_tokens=3)


# ── repetitions ─────────────────────────────────────────────────────────────────────────────────
def test_the_whole_message_after_its_pieces_is_not_told_again() -> None:
    """MiniMax ends its streams with the message in one piece."""
    calls = [{"id": "call_a", "function": {"name": "Read", "arguments": ARGUMENTS}}]
    whole_message = {"role": "assistant", "content": "Hi", "tool_calls": calls}
    last = {"choices": [{"index": 0, "message": whole_message, "finish_reason": "tool_calls"}]}
    said = came(
        chunk({"content": "Hi"}),
        chunk(call_delta(0, id="call_a", name="Read", arguments=ARGUMENTS)),
        last,
    )
    assert said.text == "Hi"
    assert said.calls == (READ,)


def test_a_whole_call_sent_twice_is_one() -> None:
    whole_call = chunk(call_delta(0, id="call_a", name="Read", arguments=ARGUMENTS))
    assert came(whole_call, whole_call, FINISH).calls == (READ,)


def test_a_whole_call_repeated_after_it_was_closed_is_one() -> None:
    whole_call = chunk(call_delta(0, id="call_a", name="Read", arguments=ARGUMENTS))
    said = came(whole_call, chunk({"content": "so"}), whole_call, FINISH)
    assert said.calls == (READ,)
    assert said.stop == "tool_use"


def test_the_same_call_under_another_id_is_another_call() -> None:
    one = chunk(call_delta(0, id="call_a", name="Read", arguments=ARGUMENTS))
    other = chunk(call_delta(0, id="call_b", name="Read", arguments=ARGUMENTS))
    assert len(came(one, other, FINISH).calls) == 2


def test_calls_of_free_text_are_none_of_ours() -> None:
    custom = {"id": "c", "type": "custom", "custom": {"name": "run", "input": "print()"}}
    said = came(chunk({"tool_calls": [{"index": 0, **custom}]}), FINISH)
    assert (said.calls, said.broken) == ((), ())


def test_a_call_that_is_no_list() -> None:
    """Older servers of Hugging Face send the call itself."""
    first = {
        "tool_calls": {"index": 0, "id": "", "function": {"name": "Read", "arguments": '{"a"'}}
    }
    rest = {"tool_calls": {"index": 0, "id": "", "function": {"name": None, "arguments": ":1}"}}}
    assert calls_of(chunk(first), chunk(rest), FINISH) == [("Read", {"a": 1})]
