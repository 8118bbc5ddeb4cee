"""What Anthropic is told of a schema: only what it takes, and nothing that would be refused."""

from typing import Any

import pytest

from ankrcode.providers.wires.closed_schema import closed_schema

TEXT: dict[str, Any] = {"type": "string"}


def an_object(required: list[str] | None = None, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required or []}


def closed(schema: dict[str, Any]) -> dict[str, Any]:
    return {**schema, "additionalProperties": False}


def test_an_object_that_does_not_say_is_closed_at_every_depth() -> None:
    inner = an_object(["y"], y=TEXT)
    schema = an_object(["x"], x=inner, list={"type": "array", "items": inner})
    assert closed_schema(schema) == closed(
        an_object(["x"], x=closed(inner), list={"type": "array", "items": closed(inner)})
    )


def test_what_is_closed_already_stays_as_it_is() -> None:
    schema = closed(an_object(["x"], x={"type": "integer", "description": "how many"}))
    assert closed_schema(schema) == schema


def test_properties_alone_make_an_object() -> None:
    found = closed_schema({"properties": {"x": TEXT}})
    assert found == closed(an_object(x=TEXT))


@pytest.mark.parametrize(
    "limits",
    [
        {"minimum": 1, "maximum": 9, "multipleOf": 2},
        {"minLength": 2, "maxLength": 5, "pattern": "^a"},
        {"format": "of our own"},
        {"examples": ["a"], "$comment": "x"},
    ],
)
def test_limits_that_it_cannot_hold_are_left_out(limits: dict[str, Any]) -> None:
    found = closed_schema(an_object(x={"type": "string", **limits}))
    assert found == closed(an_object(x=TEXT))


def test_limits_of_lists_are_left_out_too() -> None:
    schema = an_object(x={"type": "array", "items": TEXT, "minItems": 2, "uniqueItems": True})
    assert closed_schema(schema) == closed(an_object(x={"type": "array", "items": TEXT}))


def test_known_formats_choices_and_defaults_are_kept() -> None:
    parts: dict[str, Any] = {
        "day": {"type": "string", "format": "date"},
        "kind": {"enum": ["a", "b"]},
        "fixed": {"const": 3},
        "more": {"type": ["integer", "null"], "default": None},
        "either": {"anyOf": [TEXT, {"type": "null"}]},
    }
    assert closed_schema(an_object(**parts)) == closed(an_object(**parts))


def test_one_of_several_is_any_of_them() -> None:
    found = closed_schema(an_object(x={"oneOf": [TEXT, {"type": "integer"}]}))
    assert found is not None
    assert found["properties"]["x"] == {"anyOf": [TEXT, {"type": "integer"}]}


def test_references_are_replaced() -> None:
    schema = {**an_object(x={"$ref": "#/$defs/one"}), "$defs": {"one": an_object(y=TEXT)}}
    assert closed_schema(schema) == closed(an_object(x=closed(an_object(y=TEXT))))


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": "object"},
        {"type": "array", "items": TEXT},  # an answer is an object there
        TEXT,
        {**an_object(x=TEXT), "additionalProperties": True},
        {**an_object(x=TEXT), "additionalProperties": TEXT},
        {**an_object(x=TEXT), "patternProperties": {"^a": TEXT}},
        {**an_object(x=TEXT), "minProperties": 1},
        an_object(x={}),
        an_object(x={"type": "object"}),
        an_object(x={"type": "array"}),
        an_object(x={"not": TEXT}),
        an_object(x={"allOf": [TEXT]}),
        an_object(["missing"], x=TEXT),
        {"properties": {"x": True}},
    ],
)
def test_what_it_would_refuse_is_only_asked_for_in_words(schema: dict[str, Any]) -> None:
    assert closed_schema(schema) is None


def test_what_refers_to_itself_is_only_asked_for_in_words() -> None:
    node = an_object(next={"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]})
    assert closed_schema({"$ref": "#/$defs/node", "$defs": {"node": node}}) is None


def test_a_schema_of_any_depth_ends() -> None:
    schema: dict[str, Any] = an_object(x=TEXT)
    for _ in range(200):
        schema = an_object(x=schema)
    assert closed_schema(schema) is None
