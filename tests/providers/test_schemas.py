"""Dialects of JSON Schema: references resolved, and the strict one."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.providers.wires.schemas import (
    strict_schema,
    told_schema,
    without_nulls,
    without_references,
)
from ankrcode.tooling.vendors import gemini_schema
from ankrcode.tools import definitions
from torture import examples

TEXT = {"type": "string"}


def closed(properties: dict[str, Any], *required: str, **more: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
        **more,
    }


def opened(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


# ── references ──────────────────────────────────────────────────────────────────────────────────
def test_a_schema_without_references_is_left_as_it_is() -> None:
    schema = opened({"a": TEXT})
    assert without_references(schema) is schema


@pytest.mark.parametrize("word", ["$defs", "definitions"])
def test_references_become_what_they_refer_to(word: str) -> None:
    schema = {
        **opened({"a": {"$ref": f"#/{word}/A"}, "b": {"items": {"$ref": f"#/{word}/A"}}}),
        word: {"A": {"type": "integer"}},
    }
    assert without_references(schema) == opened(
        {"a": {"type": "integer"}, "b": {"items": {"type": "integer"}}}
    )


def test_words_beside_a_reference_stay() -> None:
    schema = {
        **opened({"a": {"$ref": "#/$defs/A", "description": "Mine"}}),
        "$defs": {"A": {"type": "integer", "description": "Its"}},
    }
    assert without_references(schema)["properties"]["a"] == {
        "type": "integer",
        "description": "Mine",
    }


def test_references_may_refer_on() -> None:
    schema = {
        **opened({"a": {"$ref": "#/$defs/A"}}),
        "$defs": {"A": {"$ref": "#/$defs/B"}, "B": TEXT},
    }
    assert without_references(schema)["properties"]["a"] == TEXT


def test_a_reference_to_itself_takes_anything_in_the_end() -> None:
    node = opened({"next": {"$ref": "#/$defs/Node"}})
    found = without_references(
        {**opened({"list": {"$ref": "#/$defs/Node"}}), "$defs": {"Node": node}}
    )
    assert found["properties"]["list"]["properties"]["next"] == {}


def test_a_reference_to_nothing_takes_anything() -> None:
    schema = {**opened({"a": {"$ref": "#/$defs/B"}}), "$defs": {"A": TEXT}}
    assert without_references(schema)["properties"]["a"] == {}


def test_references_that_multiply_are_given_up_in_time() -> None:
    kinds = {
        f"L{n}": opened({c: {"$ref": f"#/$defs/L{n + 1}"} for c in "abcdefgh"}) for n in range(20)
    }
    assert without_references({**opened({"a": {"$ref": "#/$defs/L0"}}), "$defs": kinds})


# ── strict ──────────────────────────────────────────────────────────────────────────────────────
def test_everything_is_required_and_nothing_else_allowed() -> None:
    assert strict_schema(
        opened({"a": TEXT, "b": {"type": "integer", "default": 5}}, "a")
    ) == closed({"a": TEXT, "b": {"type": ["integer", "null"]}}, "a", "b")


def test_objects_inside_are_closed_too() -> None:
    inner = opened({"x": TEXT}, "x")
    found = strict_schema(opened({"o": inner, "l": {"type": "array", "items": inner}}, "o", "l"))
    assert found == closed(
        {"o": closed({"x": TEXT}, "x"), "l": {"type": "array", "items": closed({"x": TEXT}, "x")}},
        "o",
        "l",
    )


@pytest.mark.parametrize(
    ("optional", "told"),
    [
        ({"type": "string"}, {"type": ["string", "null"]}),
        ({"type": ["string", "integer"]}, {"type": ["string", "integer", "null"]}),
        ({"type": ["string", "null"]}, {"type": ["string", "null"]}),
        ({"enum": ["a"]}, {"anyOf": [{"enum": ["a"]}, {"type": "null"}]}),
        (
            {"type": "string", "enum": ["a"]},
            {"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "null"}]},
        ),
        ({"const": 1}, {"anyOf": [{"const": 1}, {"type": "null"}]}),
        (
            {"anyOf": [TEXT, {"type": "integer"}]},
            {"anyOf": [TEXT, {"type": "integer"}, {"type": "null"}]},
        ),
    ],
)
def test_what_is_optional_may_be_null(optional: Any, told: Any) -> None:
    assert strict_schema(opened({"a": optional})) == closed({"a": told}, "a")


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object"},
        {"type": "object", "additionalProperties": {"type": "string"}},
        opened({"a": {}}),
        opened({"a": {"type": "object"}}),
        opened({"a": {"type": "array"}}),
        opened({"a": {"oneOf": [TEXT]}}),
        opened({"a": {"allOf": [TEXT]}}),
        opened({"a": {"not": TEXT}}),
        opened({"a": {"anyOf": [TEXT, {}]}}),
        {"type": "string"},
        {**opened({"a": TEXT}), "additionalProperties": True},
        {"if": TEXT, "then": TEXT},
    ],
)
def test_what_cannot_be_said_strictly_is_not(schema: dict[str, Any]) -> None:
    assert strict_schema(schema) is None


def test_limits_that_strict_mode_refuses_are_left_out() -> None:
    text = {**TEXT, "minLength": 1, "maxLength": 9, "pattern": "^a"}
    found = strict_schema(opened({"a": text}, "a"))
    assert found == closed({"a": {**TEXT, "pattern": "^a"}}, "a")


def test_an_object_without_properties_can() -> None:
    assert strict_schema(opened({})) == closed({})


def test_references_are_resolved_first() -> None:
    schema = {**opened({"a": {"$ref": "#/$defs/A"}}, "a"), "$defs": {"A": TEXT}}
    assert strict_schema(schema) == closed({"a": TEXT}, "a")


def test_schemas_of_our_own_tools_go_through_every_dialect() -> None:
    for tool in definitions().values():
        strict = strict_schema(tool.input_schema)
        assert strict is None or strict["additionalProperties"] is False
        assert gemini_schema(without_references(tool.input_schema))["type"] == "object"


def test_nulls_of_what_is_optional_mean_nothing() -> None:
    schema = opened({"a": TEXT, "b": TEXT}, "a")
    assert without_nulls({"a": None, "b": None, "c": 1}, schema) == {"a": None, "c": 1}


def test_a_schema_in_words_holds_the_schema() -> None:
    assert '"type":"string"' in told_schema(TEXT)


SCHEMAS: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from(
        [{}, True, TEXT, {"type": "integer"}, {"enum": ["a", None]}, {"$ref": "#/$defs/A"}]
    ),
    lambda inner: st.one_of(
        st.builds(opened, st.dictionaries(st.sampled_from("abc"), inner, max_size=3)),
        inner.map(lambda one: {"type": "array", "items": one}),
        st.lists(inner, max_size=3).map(lambda options: {"anyOf": options}),
    ),
    max_leaves=8,
)


@given(schema=st.dictionaries(st.sampled_from("abc"), SCHEMAS, max_size=3), inner=SCHEMAS)
@examples(200, 10_000)
def test_no_schema_raises(schema: dict[str, Any], inner: Any) -> None:
    whole = {**opened(schema, "a"), "$defs": {"A": inner}}
    resolved = without_references(whole)
    assert "$ref" not in str(resolved)
    strict = strict_schema(whole)
    assert strict is None or set(strict["required"]) == set(strict["properties"])
