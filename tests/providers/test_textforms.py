"""What a call written as text says: its name, its arguments, and where neither is certain."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.providers.text.forms import (
    FORMS,
    INVENTED,
    NOISE,
    Written,
    as_text,
    name_in_header,
    named_early,
    read_call,
    read_tags,
)
from ankrcode.providers.wire import ToolSpec
from torture import examples

NAMES = st.from_regex(r"[A-Za-z][A-Za-z0-9_.-]{0,20}", fullmatch=True)


# ── names before the arguments ────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("", ""),
        (" \n[", ""),
        ("Read", "Read"),
        ("  Read\n", "Read"),
        ("Read>", "Read"),
        ('Read">\n', "Read"),
        ("Read[ARGS]", "Read"),
        ("Read[CALL_ID]abc123[ARGS]", "Read"),
        ("functions.Read:0<|tool_call_argument_begin|>", "Read"),
        ("functions.Read:12", "Read"),
        ("function<｜tool▁sep｜>Read\n```json\n", "Read"),
        ("Read<｜tool▁sep｜>", "Read"),
        ("functions.Read <|constrain|>json<|message|>", "Read"),
        (" Read\nAction Input: ", "Read"),
        ("mcp__server__do-it", "mcp__server__do-it"),
        ("a.b.c", "a.b.c"),
    ],
)
def test_a_name_is_found_whatever_stands_around_it(header: str, name: str) -> None:
    assert name_in_header(header) == name


@pytest.mark.parametrize(
    "header",
    ["import os\n", "two words", "`", "and </b>", "print(1)", "x" * 65, "a/b", "café au lait", "!"],
)
def test_anything_else_is_no_header(header: str) -> None:
    assert name_in_header(header) is None


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('{"name": "Read", ', "Read"),
        ('{"name":"Read"}', "Read"),
        ("{'tool': 'Read', ", "Read"),
        ('\n { "function" : "Read" ,', "Read"),
        ('{"name": "Read"', ""),  # it might go on: "Read" could be the whole of a key
        ('{"name": "Re', ""),
        ('{"arguments": {"name": "Read", ', ""),
        ('{"name": "two words", ', ""),
        ("", ""),
    ],
)
def test_a_name_is_told_early_only_when_it_is_certain(text: str, name: str) -> None:
    assert named_early(text) == name


# ── objects ───────────────────────────────────────────────────────────────────────────────────
A = {"a": 1}


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "Read", "arguments": {"a": 1}}',
        '{"name": "Read", "parameters": {"a": 1}}',
        '{"name": "Read", "args": {"a": 1}}',
        '{"name": "Read", "params": {"a": 1}}',
        '{"name": "Read", "input": {"a": 1}}',
        '{"tool": "Read", "tool_input": {"a": 1}}',
        '{"tool_name": "Read", "parameters": {"a": 1}, "tool_call_id": "0"}',
        '{"function": "Read", "arguments": {"a": 1}}',
        '{"function_name": "Read", "arguments": {"a": 1}}',
        '{"id": "x", "type": "function", "function": {"name": "Read", "arguments": {"a": 1}}}',
        '{"name": "Read", "arguments": "{\\"a\\": 1}"}',
        '{"tool_calls": [{"name": "Read", "arguments": {"a": 1}}]}',
    ],
)
def test_an_object_may_say_it_in_several_words(text: str) -> None:
    assert read_call(text, "") == [Written("Read", A)]


@pytest.mark.parametrize(
    "text",
    ['{"name": "Now"}', '{"name": "Now", "arguments": null}', '{"name": "Now", "arguments": ""}'],
)
def test_a_call_may_have_no_arguments(text: str) -> None:
    assert read_call(text, "") == [Written("Now", {})]


def test_a_name_in_the_header_makes_the_whole_object_its_arguments() -> None:
    assert read_call('{"name": "x", "arguments": 3}', "Read") == [
        Written("Read", {"name": "x", "arguments": 3})
    ]


def test_several_calls_stand_in_the_order_in_which_they_were_written() -> None:
    text = '{"tool_calls": [{"name": "A", "arguments": {}}, {"name": "B", "arguments": {}}]}'
    assert [call.name for call in read_call(text, "")] == ["A", "B"]


@pytest.mark.parametrize(
    "text",
    [
        *("[]", "3", '"Read"', "{}", '{"arguments": {}}', '{"name": 3}', '{"name": ""}'),
        *('{"name": null, "arguments": {}}', '{"name": "Read", "arguments": [1]}'),
        *('{"name": "Read", "arguments": 3}', '{"name": "Read", "arguments": "{"}'),
        *('{"name": "Read", "arguments": "text"}', '{"name": "Read", "a": 1}'),
        *('{"name": "Read", "args": {}, "input": {}}', '{"name": "A", "tool": "B"}'),
        *('{"tool_calls": [3]}', '{"tool_calls": [{}]}', '{"function": {}}', '{"name": "Read"'),
    ],
)
def test_what_does_not_say_one_call_clearly_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - any of them will do
        read_call(text, "")


@pytest.mark.torture
@examples(60, 5_000)
@given(
    NAMES, st.dictionaries(st.text(max_size=5), st.text(max_size=10) | st.integers(), max_size=3)
)
def test_our_own_form_can_be_read_back(name: str, arguments: dict[str, Any]) -> None:
    fence, body, end = as_text(name, arguments).split("\n")
    assert (fence, end) == ("```tool", "```")
    assert read_call(body, "") == [Written(name, arguments)]


# ── tags ──────────────────────────────────────────────────────────────────────────────────────
PROPERTIES = {
    "text": {"type": "string"},
    "number": {"type": "integer"},
    "ratio": {"type": "number"},
    "flag": {"type": "boolean"},
    "list": {"type": "array"},
    "object": {"type": "object"},
    "either": {"type": ["string", "integer"]},
    "maybe": {"type": ["integer", "null"]},
    "odd": True,
}
SPEC = ToolSpec(name="X", description="", input_schema={"type": "object", "properties": PROPERTIES})


@pytest.mark.parametrize(
    ("name", "written", "value"),
    [
        ("text", "42", "42"),
        ("text", '{"a": 1}', '{"a": 1}'),
        ("text", "\n  keep\n this \n", "  keep\n this "),
        ("text", "", ""),
        ("number", "42", 42),
        ("number", " 42\n", 42),
        ("number", "many", "many"),
        ("ratio", "1.5", 1.5),
        ("flag", "true", True),
        ("flag", "False", False),
        ("list", "[1, 'two',]", [1, "two"]),
        ("object", '{"a": {"b": null}}', {"a": {"b": None}}),
        ("either", "42", "42"),
        ("maybe", "null", None),
        ("odd", "42", "42"),
        ("unknown", "42", "42"),
    ],
)
def test_the_schema_says_what_a_tag_holds(name: str, written: str, value: Any) -> None:
    assert read_tags(f"<parameter={name}>{written}</parameter>", SPEC) == {name: value}
    assert read_tags(f'\n<parameter name="{name}">{written}</parameter>\n', SPEC) == {name: value}
    glm = f"<arg_key>{name}</arg_key>\n<arg_value>{written}</arg_value>"
    assert read_tags(glm, SPEC) == {name: value}


def test_without_a_known_tool_everything_is_text() -> None:
    assert read_tags("<parameter=number>42</parameter>", None) == {"number": "42"}


def test_no_tags_are_no_arguments() -> None:
    assert read_tags(" \n", SPEC) == {}


@pytest.mark.parametrize(
    "text",
    [
        "loose",
        "<parameter=a>1",
        "<parameter=a>1</parameter> and <parameter=b>2</parameter>",
        "<parameter=a>1</parameter></parameter>",
        "<parameter>1</parameter>",
        "<other=a>1</other>",
        "<arg_key>a</arg_key>",
    ],
)
def test_tags_with_anything_beside_them_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="between the parameters"):
        read_tags(text, SPEC)


@pytest.mark.torture
@examples(60, 5_000)
@given(
    st.dictionaries(NAMES, st.text(max_size=20).filter(lambda text: "</" not in text), max_size=4)
)
def test_every_text_comes_through_tags(values: dict[str, str]) -> None:
    tags = "\n".join(f"<parameter={name}>\n{text}\n</parameter>" for name, text in values.items())
    assert read_tags(tags, None) == values


# ── the table itself ──────────────────────────────────────────────────────────────────────────
def test_no_mark_is_the_beginning_of_another() -> None:
    """Else the shorter one would always win."""
    marks = sorted({*FORMS, *NOISE, *INVENTED})
    for one in marks:
        others = [other for other in marks if other != one and other.startswith(one)]
        assert others == []


def test_every_form_with_tags_can_end() -> None:
    assert all(form.closing for form in FORMS.values() if form.names_first)
