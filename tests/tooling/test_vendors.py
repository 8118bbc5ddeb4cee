"""One definition in the forms of six vendors."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Meta

from ankrcode.app import Toolkit
from ankrcode.errors import UsageError
from ankrcode.protocol.permission import Permission
from ankrcode.tooling.function import tool
from ankrcode.tooling.registry import Registry
from ankrcode.tooling.vendors import FORMS, gemini_schema, vendor_forms


class Change(msgspec.Struct):
    old: str
    new: str | None = None


@tool(permission=Permission.READ)
def look(
    path: Annotated[str, Meta(description="Where", pattern="^/", min_length=1)],
    changes: list[Change] = [],  # noqa: B006
    mode: Literal["fast", "slow"] = "fast",
    depth: Annotated[int, Meta(gt=0)] | None = None,
) -> dict[str, int]:
    """Look at ${cwd}. Closely."""
    return {}


@tool
def change() -> str:
    """Change something."""
    return ""


DEFINITIONS = Registry([look, change]).definitions()
LOOK = DEFINITIONS[0].input_schema


def shown(form: str) -> dict[str, Any]:
    return vendor_forms(DEFINITIONS, form, {"cwd": "/here"})[0]


@pytest.mark.requirement("S0-105")
def test_the_anthropic_form() -> None:
    assert shown("anthropic") == {
        "name": "look",
        "description": "Look at /here. Closely.",
        "input_schema": LOOK,
    }


BARE = {"name": "look", "description": "Look at /here. Closely.", "parameters": LOOK}


@pytest.mark.requirement("S0-104", "S2-039", "S0-009")
def test_the_bare_form_of_openai_functions() -> None:
    assert shown("openai-functions") == BARE


@pytest.mark.requirement("S1-060")
def test_the_forms_of_openai_for_chat_and_responses() -> None:
    assert shown("openai") == {"type": "function", "function": BARE}
    assert shown("openai-responses") == {"type": "function", **BARE, "strict": False}


def test_the_form_of_gemini() -> None:
    form = shown("gemini")
    assert (form["name"], form["description"]) == ("look", "Look at /here. Closely.")
    properties = form["parameters"]["properties"]
    assert properties["depth"] == {"type": "integer", "nullable": True}
    assert properties["mode"] == {"type": "string", "enum": ["fast", "slow"]}
    assert properties["changes"]["items"]["properties"]["new"] == {
        "type": "string",
        "nullable": True,
    }
    assert properties["path"]["pattern"] == "^/"


def test_the_form_of_mcp_with_its_annotations() -> None:
    form = shown("mcp")
    assert form["inputSchema"] == LOOK
    assert form["outputSchema"]["type"] == "object"
    assert form["annotations"] == {"title": "Look at /here.", "readOnlyHint": True}
    other = vendor_forms(DEFINITIONS, "mcp", {})[1]
    assert other["annotations"]["readOnlyHint"] is False
    assert "outputSchema" not in other  # MCP takes objects only


def test_a_form_that_does_not_exist_is_answered_with_those_that_do(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no format 'cobol'. Formats: anthropic, openai,"):
        Toolkit(cwd=tmp_path).definitions("cobol")


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_every_built_in_tool_is_plain_json(form: str, tmp_path: Path) -> None:
    forms = Toolkit(cwd=tmp_path).definitions(form)
    assert msgspec.json.decode(msgspec.json.encode(forms)) == forms
    assert len(forms) >= 2


# ── what Gemini takes, word by word ───────────────────────────────────────────────────────────
ALLOWED = {
    *("type", "format", "description", "nullable", "enum", "items", "properties", "required"),
    *("minItems", "maxItems", "minimum", "maximum", "minLength", "maxLength", "pattern", "anyOf"),
}
TYPES = {"string", "integer", "number", "boolean", "array", "object"}


def offences(schema: Any, place: str = "$") -> Iterator[str]:
    """Everything that Gemini would answer with an error."""
    if not isinstance(schema, dict):
        yield f"{place} is {schema!r}"
        return
    yield from (f"{place}.{word}" for word in set(schema) - ALLOWED)
    if "type" in schema and schema["type"] not in TYPES:
        yield f"{place}.type = {schema['type']!r}"
    if any(not isinstance(value, str) for value in schema.get("enum", ())):
        yield f"{place}.enum"
    if "anyOf" in schema and not schema["anyOf"]:
        yield f"{place}.anyOf is empty"
    if schema.get("format", "date-time") not in (
        "enum",
        "date-time",
        "int32",
        "int64",
        "float",
        "double",
    ):
        yield f"{place}.format"
    if unknown := set(schema.get("required", ())) - set(schema.get("properties", ())):
        yield f"{place}.required = {unknown}"
    for name, inner in schema.get("properties", {}).items():
        yield from offences(inner, f"{place}.{name}")
    for inner in (*schema.get("anyOf", ()), *([schema["items"]] if "items" in schema else [])):
        yield from offences(inner, f"{place}[]")


STRING = {"type": "string"}
TRANSLATED: dict[str, tuple[Any, Any]] = {
    "null beside a type": ({"type": ["string", "null"]}, {"type": "string", "nullable": True}),
    "several types": ({"type": ["string", "integer"]}, {"anyOf": [STRING, {"type": "integer"}]}),
    "a constant": ({"const": "x"}, {"type": "string", "enum": ["x"]}),
    "numbers to choose from": ({"enum": [1, 2]}, {"type": "string", "enum": ["1", "2"]}),
    "null to choose": ({"enum": ["a", None]}, {"type": "string", "enum": ["a"], "nullable": True}),
    "one of": ({"oneOf": [STRING, {"type": "null"}]}, {"type": "string", "nullable": True}),
    "only null": ({"anyOf": [{"type": "null"}]}, {"nullable": True}),
    "anything": ({"items": True, "type": "array"}, {"type": "array", "items": {}}),
    "a format it does not know": ({"type": "string", "format": "uri"}, STRING),
    "words it does not know": ({"type": "string", "default": "a", "examples": ["b"]}, STRING),
    "a property named like a word": (
        {"properties": {"default": STRING, "$ref": STRING}},
        {"properties": {"default": STRING, "$ref": STRING}},
    ),
}


@pytest.mark.parametrize(("schema", "gemini"), TRANSLATED.values(), ids=TRANSLATED)
def test_what_gemini_says_differently_is_translated(schema: Any, gemini: Any) -> None:
    assert gemini_schema(schema) == gemini
    assert list(offences(gemini)) == []


WORDS = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from([*TYPES, ["string", "null"], ["integer", "number"]]),
        "title": st.just("T"),
        "default": st.none() | st.integers(),
        "enum": st.lists(st.none() | st.integers() | st.just("a"), min_size=1, max_size=3),
        "const": st.integers() | st.just("c"),
        "exclusiveMinimum": st.integers(),
        "minimum": st.integers(),
        "format": st.sampled_from(["date-time", "uri", "int32"]),
        "additionalProperties": st.booleans(),
        "$comment": st.text(max_size=3),
        "required": st.lists(st.sampled_from(["a", "title"]), unique=True),
    },
)


def nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    some = st.lists(inner, min_size=1, max_size=3)
    more = st.fixed_dictionaries(
        {},
        optional={
            "properties": st.dictionaries(st.sampled_from(["a", "title", "enum"]), inner),
            "items": inner,
            "anyOf": some,
            "oneOf": some,
            "allOf": some,
            "patternProperties": st.dictionaries(st.just("^x"), inner),
        },
    )
    return st.builds(lambda plain, deep: {**plain, **deep}, WORDS, more)


@given(st.recursive(WORDS | st.booleans() | st.just({"type": "null"}), nested, max_leaves=8))
@settings(max_examples=200, deadline=None, derandomize=True, database=None)
def test_gemini_never_gets_a_word_it_does_not_know(schema: Any) -> None:
    assert list(offences(gemini_schema(schema))) == []
