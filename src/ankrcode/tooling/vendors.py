"""The same definition as each vendor wants it."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from ankrcode.errors import UsageError
from ankrcode.protocol.definition import Definition, JsonSchema
from ankrcode.tooling.describe import filled
from ankrcode.tooling.dialect import Dialect

VendorForm = dict[str, Any]


def anthropic(tool: Definition) -> VendorForm:
    return {
        "name": tool.name,
        "description": tool.description,
        "input_schema": tool.input_schema,
    }


def openai_functions(tool: Definition) -> VendorForm:
    """The bare function form of specs 0 and 2."""
    return {"name": tool.name, "description": tool.description, "parameters": tool.input_schema}


def openai_chat(tool: Definition) -> VendorForm:
    return {"type": "function", "function": openai_functions(tool)}


def openai_responses(tool: Definition) -> VendorForm:
    return {"type": "function", **openai_functions(tool), "strict": False}


def gemini(tool: Definition) -> VendorForm:
    return {
        "name": tool.name,
        "description": tool.description,
        "parameters": gemini_schema(tool.input_schema),
    }


def mcp(tool: Definition) -> VendorForm:
    form: VendorForm = {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": tool.input_schema,
        "annotations": {"title": tool.summary, "readOnlyHint": tool.permission == "read"},
    }
    if tool.output_schema and tool.output_schema.get("type") == "object":
        form["outputSchema"] = tool.output_schema
    return form


FORMS: dict[str, Callable[[Definition], VendorForm]] = {
    "anthropic": anthropic,
    "openai": openai_chat,
    "openai-responses": openai_responses,
    "openai-functions": openai_functions,
    "gemini": gemini,
    "mcp": mcp,
}


def vendor_forms(
    definitions: Iterable[Definition],
    form: str,
    variables: Mapping[str, str],
    dialect: Dialect | None = None,
) -> list[VendorForm]:
    """The definitions as one vendor wants them, in one dialect, with their variables filled in."""
    if form not in FORMS:
        raise UsageError.of("unknown_form", name=form, names=", ".join(FORMS))
    shown = [dialect.outward(one) if dialect else one for one in definitions]
    return [FORMS[form](_told(one, variables)) for one in shown if one is not None]


def _told(tool: Definition, variables: Mapping[str, str]) -> Definition:
    summary, description = filled(tool.summary, variables), filled(tool.description, variables)
    return replace(tool, summary=summary, description=description)


# Gemini takes a subset of OpenAPI 3.0: other words are an error there, not ignored.
_GEMINI_WORDS = frozenset(
    {"type", "format", "description", "nullable", "enum", "items", "properties", "required"}
    | {"minItems", "maxItems", "minimum", "maximum", "minLength", "maxLength", "pattern", "anyOf"}
)
_GEMINI_FORMATS = frozenset({"enum", "date-time", "float", "double", "int32", "int64"})


def gemini_schema(schema: Any) -> JsonSchema:
    if not isinstance(schema, dict):
        return {}  # `true`: anything
    schema = _with_nullable(_with_options(schema))
    kept = {key: value for key, value in schema.items() if key in _GEMINI_WORDS}
    if "properties" in kept:
        kept["properties"] = {n: gemini_schema(s) for n, s in kept["properties"].items()}
    if "required" in kept:
        kept["required"] = [n for n in kept["required"] if n in kept.get("properties", ())]
    if "items" in kept:
        kept["items"] = gemini_schema(kept["items"])
    if "anyOf" in kept:
        kept["anyOf"] = [gemini_schema(option) for option in kept["anyOf"]]
    if kept.get("format") not in _GEMINI_FORMATS:
        kept.pop("format", None)
    return kept


def _with_options(schema: JsonSchema) -> JsonSchema:
    """One word for each thing: a list of types is `anyOf`, a constant an `enum` – of text only."""
    kinds = ["null"] if schema.get("type") == "null" else schema.get("type")
    if isinstance(kinds, list):
        schema = {**schema, "anyOf": [{"type": kind} for kind in kinds]}
        del schema["type"]
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    if not values:
        return schema
    named = [
        value if isinstance(value, str) else _json(value) for value in values if value is not None
    ]
    extra = {"nullable": True} if None in values else {}
    return {**schema, "type": "string", "enum": named, **extra}


def _with_nullable(schema: JsonSchema) -> JsonSchema:
    """`X or null` is said with a word of its own."""
    options = schema.get("anyOf") or schema.get("oneOf")
    if not options:
        return schema
    rest = {key: value for key, value in schema.items() if key not in ("anyOf", "oneOf")}
    real = [one for one in options if not isinstance(one, dict) or one.get("type") != "null"]
    if len(real) < len(options):
        rest["nullable"] = True
    if len(real) > 1:
        return {**rest, "anyOf": real}
    only = real[0] if real and isinstance(real[0], dict) else {}
    return {**rest, **_with_options(only)}


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
