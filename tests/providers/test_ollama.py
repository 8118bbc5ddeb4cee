"""Ollama's lines: text, thought, calls that are always whole, and errors among them."""

from typing import Any

import pytest

from ankrcode.protocol.message import Usage
from ankrcode.protocol.stream import FailureKind, Stopped, StopReason
from ankrcode.providers.wires import quirks, wire_named
from providers.wire_samples import OLLAMA, line
from providers.wire_streams import (
    SPLITS,
    Outcome,
    failure_in,
    json,
    kinds,
    ndjson,
    outcome,
    read,
    read_body,
    target,
    whole,
)

WIRE = "ollama"
END = line(True, more={"done_reason": "stop", "prompt_eval_count": 5, "eval_count": 3})


def came(*events: Any, quirk: str = "") -> Outcome:
    data = ndjson(*events)
    its = (quirk,) if quirk else ()
    forms = [data, data.replace(b"\n", b"\r\n"), data.rstrip(b"\n"), b"\n" + data]
    results = [
        outcome(read(WIRE, form, split, *its)) for form in forms for split in SPLITS.values()
    ]
    assert all(one == results[0] for one in results)
    return results[0]


def call(name: str = "Read", arguments: Any = None, **more: Any) -> dict[str, Any]:
    return {"function": {"name": name, "arguments": arguments}, **more}


def test_text() -> None:
    said = came(line(content="Hel"), line(content="lo"), END)
    assert said == Outcome(
        text="Hello", stop="end", raw="stop", usage=Usage(input_tokens=5, output_tokens=3)
    )


def test_thought_stands_apart() -> None:
    said = came(line(thinking="Hm"), line(content="Ah"), END)
    assert (said.thinking, said.text) == ("Hm", "Ah")


def test_thought_between_tags_of_older_servers() -> None:
    said = came(line(content="<think>Hm"), line(content="</think>Ah"), END, quirk=quirks.THINK_TAGS)
    assert (said.thinking, said.text) == ("Hm", "Ah")


def test_a_call_is_whole_when_it_comes() -> None:
    reader = wire_named(WIRE).reader(target())
    events = reader.feed(ndjson(line(tool_calls=[call(arguments={"a": 1})])))
    assert kinds(events) == ["CallOpened", "CallGrew", "CallClosed"]


def test_calls_in_one_line_and_in_several() -> None:
    said = came(
        line(tool_calls=[call("A", {"a": 1}, id="1"), call("B", {}, id="2")]),
        line(tool_calls=[call("C", {"c": None}, id="3")]),
        END,
    )
    assert said.calls == (("1", "A", {"a": 1}), ("2", "B", {}), ("3", "C", {"c": None}))
    assert (said.stop, said.raw) == ("tool_use", "stop")


def test_calls_get_ids_where_they_have_none() -> None:
    events = [line(tool_calls=[call("A", {}), call("A", {})]), END]
    first, second = came(*events).calls
    assert first[0] != second[0]


def test_the_id_may_stand_within_the_function() -> None:
    one = {"function": {"name": "A", "arguments": {}, "id": "x", "index": 0}}
    assert came(line(tool_calls=[one]), END).calls == (("x", "A", {}),)


@pytest.mark.parametrize("arguments", [None, {}, "", "{}"])
def test_no_arguments(arguments: Any) -> None:
    assert came(line(tool_calls=[call("A", arguments, id="1")]), END).calls == (("1", "A", {}),)


def test_arguments_as_text() -> None:
    said = came(line(tool_calls=[call("A", '{"a":1}', id="1")]), END)
    assert said.calls == (("1", "A", {"a": 1}),)


@pytest.mark.parametrize("arguments", ['{"a":', "[1]", [1], 5])
def test_arguments_that_are_no_object_break_the_call(arguments: Any) -> None:
    said = came(line(tool_calls=[call("A", arguments, id="1")]), END)
    assert said.calls == ()
    assert said.broken == ("A",)


def test_a_call_in_the_line_that_stops_for_length_is_broken() -> None:
    last = line(True, tool_calls=[call("A", {}, id="1")], more={"done_reason": "length"})
    said = came(last)
    assert said.calls == ()
    assert said.broken == ("A",)


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("stop", StopReason.END),
        ("length", StopReason.LENGTH),
        ("load", StopReason.OTHER),
        ("unload", StopReason.OTHER),
    ],
)
def test_reasons_to_stop(raw: str, reason: StopReason) -> None:
    events = read(WIRE, ndjson(line(content="x"), line(True, more={"done_reason": raw})))
    assert events[-1] == Stopped(reason=reason, raw=raw)


def test_older_servers_give_no_reason() -> None:
    assert came(line(content="x"), line(True)).raw == "stop"


def test_no_end_is_a_cut() -> None:
    assert came(line(content="x")).failure == "cut"
    assert outcome(read(WIRE, OLLAMA.data[:-1], whole, cut=True)) == OLLAMA.expected


def test_the_last_text_may_come_with_the_end() -> None:
    assert came(line(True, content="x", more={"done_reason": "stop"})).text == "x"


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ("an error was encountered while running the model", FailureKind.SERVER),
        ("model 'x' not found, try pulling it first", FailureKind.MODEL),
        ("llama runner process has terminated: timed out", FailureKind.TIMEOUT),
        ("the input length exceeds the context length", FailureKind.CONTEXT),
        ({"message": "server busy, please try again", "code": 503}, FailureKind.OVERLOADED),
    ],
)
def test_errors_among_the_lines(error: Any, kind: FailureKind) -> None:
    events = read(WIRE, ndjson(line(content="x"), {"error": error}, END))
    assert outcome(events).text == "x"
    assert failure_in(events).kind is kind


@pytest.mark.parametrize("garbage", [b"{oops\n", b"what\n", b'"text"\n', b'{"a":1}\n'])
@pytest.mark.parametrize("split", SPLITS)
def test_lines_that_make_no_sense_fail_the_answer(garbage: bytes, split: str) -> None:
    data = ndjson(line(content="x")) + garbage + ndjson(END)
    said = outcome(read(WIRE, data, SPLITS[split]))
    assert said.text == "x"
    assert said.failure in ("protocol", "server")


def test_a_whole_answer() -> None:
    body = {
        **END,
        "message": {
            "role": "assistant",
            "content": "Ah",
            "thinking": "Hm",
            "tool_calls": [call("A", {"a": 1}, id="1")],
        },
    }
    said = outcome(read_body(WIRE, body))
    assert (said.text, said.thinking) == ("Ah", "Hm")
    assert said.calls == (("1", "A", {"a": 1}),)
    assert said.usage == Usage(input_tokens=5, output_tokens=3)


def test_a_whole_answer_laid_out_over_lines() -> None:
    import json as standard

    body = {**END, "message": {"role": "assistant", "content": "Ah"}}
    assert outcome(read_body(WIRE, standard.dumps(body, indent=2).encode())).text == "Ah"


def test_a_stream_in_answer_to_a_request_for_a_whole() -> None:
    assert outcome(read_body(WIRE, OLLAMA.data)) == OLLAMA.expected


def test_an_error_with_a_good_status_is_one() -> None:
    assert failure_in(read_body(WIRE, {"error": "boom"})).message == "boom"
    assert failure_in(read(WIRE, json({"error": "boom"}))).message == "boom"
