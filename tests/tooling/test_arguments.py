"""Whatever comes over the wire: one JSON object, or one clear `InvalidInput`, quickly."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ankrcode.app import Toolkit
from ankrcode.config.limits import MAX_ARGUMENT_DEPTH
from ankrcode.errors import InvalidInput
from ankrcode.protocol.call import ToolCall
from ankrcode.tooling.arguments import json_fault, parse_arguments

steady = settings(max_examples=200, deadline=None, derandomize=True, database=None)


def deep_object(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(levels - 1):
        value = {"a": value}
    return value


def deep_text(levels: int) -> str:
    return '{"a":' * (levels - 1) + "{}" + "}" * (levels - 1)


def deep_list(levels: int) -> dict[str, Any]:
    value: list[Any] = []
    for _ in range(levels - 2):
        value = [value]
    return {"a": value}


def circular() -> dict[str, Any]:
    value: dict[str, Any] = {}
    value["a"] = value
    return value


REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "half an object": (lambda: '{"a": 1', "arguments_not_json"),
    "python instead of json": (lambda: "{'a': 1}", "arguments_not_json"),
    "two objects": (lambda: "{} {}", "arguments_not_json"),
    "NaN as text": (lambda: '{"a": NaN}', "arguments_not_json"),
    "infinity as text": (lambda: '{"a": 1e999}', "arguments_not_json"),
    "a number of a hundred thousand digits": (
        lambda: f'{{"a": {"9" * 100_000}}}',
        "arguments_not_json",
    ),
    "a NUL between": (lambda: '{"a": \0}', "arguments_not_json"),
    "half a character as text": (lambda: '{"a": "\ud800"}', "arguments_not_json"),
    "half a character, escaped": (lambda: '{"a": "\\ud800"}', "arguments_not_json"),
    "bytes that are no text": (lambda: b'{"a": "\xff"}', "arguments_not_json"),
    "a list": (lambda: "[1]", "arguments_not_object"),
    "a text": (lambda: '"a"', "arguments_not_object"),
    "null": (lambda: "null", "arguments_not_object"),
    "nothing at all": (lambda: None, "arguments_not_object"),
    "a list from python": (lambda: [("a", 1)], "arguments_not_object"),
    "half a character": (lambda: {"a": "\ud800"}, "arguments_not_text"),
    "half a character as name": (lambda: {"\ud800": 1}, "arguments_not_text"),
    "NaN": (lambda: {"a": [1.0, float("nan")]}, "arguments_not_text"),
    "infinity": (lambda: {"a": {"b": float("-inf")}}, "arguments_not_text"),
    "a number beyond all bounds": (lambda: {"a": 10**5000}, "arguments_not_text"),
    "an object": (lambda: {"a": object()}, "arguments_not_text"),
    "names that are no text": (lambda: {(1, 2): 3}, "arguments_not_text"),
    "itself": (circular, "arguments_too_deep"),
    "one level too many": (lambda: deep_object(MAX_ARGUMENT_DEPTH + 1), "arguments_too_deep"),
    "one level too many as text": (lambda: deep_text(MAX_ARGUMENT_DEPTH + 1), "arguments_too_deep"),
    "ten thousand levels": (lambda: deep_object(10_000), "arguments_too_deep"),
    "ten thousand levels as text": (lambda: deep_text(10_000), "arguments_too_deep"),
    "ten thousand lists": (lambda: deep_list(10_000), "arguments_too_deep"),
    "a million brackets": (lambda: "[" * 1_000_000, "arguments_too_deep"),
    "fifty megabytes": (lambda: {"a": "x" * 50_000_000}, "arguments_too_large"),
    "fifty megabytes as text": (lambda: f'{{"a": "{"x" * 50_000_000}"}}', "arguments_too_large"),
}


@pytest.mark.parametrize(("make", "key"), REFUSED.values(), ids=REFUSED)
def test_it_is_refused_quickly_with_one_clear_error(make: Callable[[], Any], key: str) -> None:
    arguments = make()
    start = time.thread_time()
    with pytest.raises(InvalidInput) as raised:
        parse_arguments("Tool", arguments)
    assert time.thread_time() - start < 2  # milliseconds as a rule
    assert raised.value.key == key
    assert "Tool" in raised.value.message
    assert len(str(raised.value)) < 500
    assert str(raised.value).isprintable()


ACCEPTED: dict[str, tuple[Any, dict[str, Any]]] = {
    "an object": ({"a": 1}, {"a": 1}),
    "an object as text": ('{"a": 1}', {"a": 1}),
    "bytes": (b'{"a": "\xe0\xa4\x95"}', {"a": "क"}),
    "nothing said": ("", {}),
    "only blanks": (" \n", {}),
    "an empty object": ({}, {}),
    "the same name twice: the last counts": ('{"a": 1, "a": 2}', {"a": 2}),
    "NUL in a text": ('{"a": "\\u0000"}', {"a": "\0"}),
    "a large number": (
        '{"a": 123456789012345678901234567890}',
        {"a": 123456789012345678901234567890},
    ),
    "null and the word null": (
        {"a": None, "b": "null", "c": 0.5},
        {"a": None, "b": "null", "c": 0.5},
    ),
    "the deepest object allowed": (deep_text(MAX_ARGUMENT_DEPTH), deep_object(MAX_ARGUMENT_DEPTH)),
    "many brackets side by side": ({"a": [[]] * 1000}, {"a": [[]] * 1000}),
    "brackets in a text": ({"a": "[{" * 1000}, {"a": "[{" * 1000}),
}


@pytest.mark.requirement("S0-010")
@pytest.mark.parametrize(("arguments", "values"), ACCEPTED.values(), ids=ACCEPTED)
def test_it_is_understood(arguments: Any, values: dict[str, Any]) -> None:
    assert parse_arguments("Tool", arguments).values == values


def test_equal_arguments_have_equal_bytes_however_they_are_written() -> None:
    one = parse_arguments("Tool", '{ "b": [1, 2],\n"a": "\\u00e9" }')
    two = parse_arguments("Tool", {"a": "é", "b": [1, 2]})
    assert one.canonical == two.canonical == '{"a":"é","b":[1,2]}'.encode()


def answered(arguments: Any) -> bool:
    """Understood, or refused with advice; any other exception is a failure of the test."""
    try:
        return isinstance(parse_arguments("Tool", arguments).values, dict)
    except InvalidInput as problem:
        return bool(problem.suggestion)


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(max_size=5),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner),
    max_leaves=10,
)


@given(ANYTHING | st.dictionaries(st.text(), ANYTHING))
@steady
def test_no_python_value_breaks_it(arguments: Any) -> None:
    assert answered(arguments)


@given(st.text(st.sampled_from('{}[]",:\\u0d8 nulltre1e-+.\0\ud800')) | st.binary())
@steady
def test_no_text_breaks_it(arguments: str | bytes) -> None:
    assert answered(arguments)


@pytest.mark.parametrize("arguments", ["{", "[]", deep_text(10_000), '{"file_path": "\\u0000"}'])
async def test_every_broken_call_gets_its_one_result(arguments: str, tmp_path: Path) -> None:
    kit = Toolkit(cwd=tmp_path)
    results = await kit.call_all([ToolCall(id="c1", name="Read", arguments=arguments)])
    assert [(result.call_id, result.ok) for result in results] == [("c1", False)]
    assert results[0].error is not None
    assert results[0].error.kind == "validation_error"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b'{"a": 1e999}', "a number is out of range"),
        (b'{"a": [1e999]}', "a number is out of range"),
        (b"[" * 100_000, "it is nested too deeply"),
        (b'{"a": }', "invalid character (byte 6)"),
        (b'"\xff"', "it is not UTF-8"),
    ],
)
def test_why_something_is_no_json_is_said_in_our_words(text: bytes, said: str) -> None:
    with pytest.raises((msgspec.DecodeError, UnicodeError, RecursionError)) as caught:
        msgspec.json.decode(text)
    assert json_fault(caught.value) == said
