"""JSON of small models: mended where it is certain what was meant, refused everywhere else."""

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.providers.text.loose_json import Balance, read_json
from torture import examples

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4)
    ),
    max_leaves=15,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1,}', {"a": 1}),
        ('{"a": [1, 2, ], }', {"a": [1, 2]}),
        ("{'a': 'b'}", {"a": "b"}),
        ("{'a': \"it's\"}", {"a": "it's"}),
        (r"{'a': 'it\'s'}", {"a": "it's"}),
        ("{'a': True, 'b': False, 'c': None}", {"a": True, "b": False, "c": None}),
        ("{\"a\": true, 'b': null}", {"a": True, "b": None}),
        ('{"a": "two\nlines\tand a tab"}', {"a": "two\nlines\tand a tab"}),
        (r'{"a": "\d+\.\w"}', {"a": r"\d+\.\w"}),
        (r'{"a": "C:\dir\new"}', {"a": "C:\\dir\new"}),
        (r"{'a': '\n\t\\ \/ \u0905 \ud83d\ude00'}", {"a": "\n\t\\ / अ 😀"}),
        ("{'n': -1.5e3, 'm': 0, }", {"n": -1500.0, "m": 0}),
        ("{}", {}),
        ("{ }", {}),
        ("[{'a': {}, }, ]", [{"a": {}}]),
        ('{"नाम": "मान",}', {"नाम": "मान"}),
    ],
)
def test_what_is_certain_is_read(text: str, value: Any) -> None:
    assert read_json(text) == value


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "{", "}", '{"a"', '{"a":', '{"a": 1', '{"a": "b', '{"a": "b}', '["a"'),
        *(
            "{a: 1}",
            '{"a" 1}',
            '{"a": 1 "b": 2}',
            '{"a": }',
            '{"a": ,}',
            "{,}",
            "[,]",
            '{"a": 1,,}',
        ),
        *('{"a": 1} x', '{"a": 1}{"b": 2}', '{"a": 01}', '{"a": 1.}', '{"a": .5}', '{"a": +1}'),
        *('{"a": NaN}', '{"a": Infinity}', '{"a": undefined}', '{"a": yes}', "{'a': 'it's'}"),
        *(
            '{"a": "say "hi""}',
            r'{"a": "\ud83d",}',
            r"{'a': '\ude00'}",
            '{"a": 1 // why\n}',
            "{1: 2,}",
        ),
        *(
            "{'a': 'b\\'",
            '{"a": tru}',
            "{'a': print()}",
            '{"a": 1; "b": 2}',
            '("a", "b")',
            '{"a": "b"]',
        ),
        "[" * 200 + "]" * 200 + ",",
    ],
)
def test_what_is_missing_or_doubtful_is_never_made_up(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - any of them will do
        read_json(text)


@pytest.mark.torture
@examples(60, 5_000)
@given(VALUES)
def test_valid_json_means_what_it_says(value: Any) -> None:
    assert read_json(json.dumps(value)) == value


@pytest.mark.torture
@examples(60, 5_000)
@given(VALUES)
def test_a_python_literal_means_the_same(value: Any) -> None:
    """Its way of quoting differs; where it uses escapes that JSON has not, no promise is made."""
    text = repr(value)
    if "\\x" not in text and "\\U" not in text:
        assert read_json(text) == value


@pytest.mark.torture
@examples(60, 5_000)
@given(st.dictionaries(st.text(max_size=5), VALUES, min_size=1, max_size=3), st.data())
def test_half_an_object_is_never_read(value: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps(value)
    cut = data.draw(st.integers(0, len(text) - 1))
    with pytest.raises(ValueError):  # noqa: PT011
        read_json(text[:cut])


@pytest.mark.torture
@examples(60, 5_000)
@given(st.text(alphabet="{}[]\"'\\:, 1atrue\n", max_size=40))
def test_whatever_comes_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(ValueError):
        assert read_json(json.dumps(read_json(text))) == read_json(text)


# ── where a value ends ────────────────────────────────────────────────────────────────────────
@pytest.mark.torture
@examples(60, 5_000)
@given(
    st.dictionaries(st.text(max_size=8), VALUES, max_size=4),
    st.text(max_size=10),
    st.integers(1, 9),
)
def test_the_end_of_an_object_is_found_however_it_comes(
    value: dict[str, Any], after: str, size: int
) -> None:
    text = json.dumps(value, ensure_ascii=False)
    balance, seen = Balance(), 0
    for start in range(0, len(text + after), size):
        piece = (text + after)[start : start + size]
        if (end := balance.feed(piece)) >= 0:
            assert (text + after)[: seen + end] == text
            return
        seen += len(piece)
    pytest.fail("the end was not found")


@pytest.mark.parametrize("text", ['{"a": "}"', '{"a": "\\"}"', "{'a': '}'", '{"a": {"b": 1}', '{"'])
def test_brackets_in_strings_end_nothing(text: str) -> None:
    assert Balance().feed(text) == -1
