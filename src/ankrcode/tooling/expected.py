"""What a schema expects at a place, and what came instead, in words."""

from collections.abc import Iterator
from typing import Any

from ankrcode.protocol.definition import JsonSchema

MAX_SHOWN = 200  # characters of anything that a model or a foreign schema chose
_MAX_OPTIONS = 20
_MAX_DEPTH = 4  # of options inside options; also ends a schema that refers to itself
_TYPES = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
_BOUNDS = {
    "minimum": "of at least {}",
    "exclusiveMinimum": "above {}",
    "maximum": "of at most {}",
    "exclusiveMaximum": "below {}",
    "multipleOf": "that is a multiple of {}",
    "minLength": "with at least {} characters",
    "maxLength": "with at most {} characters",
    "minItems": "with at least {} items",
    "maxItems": "with at most {} items",
    "pattern": "like {}",
    "format": "in the form {}",
}


def shortened(text: str) -> str:
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"


def schema_at(root: JsonSchema, path: list[str | int]) -> JsonSchema:
    """The part of the schema that speaks about this place; empty where it cannot be told."""
    node = follow(root, root)
    for step in path:
        found = (_inside(part, step) for part in _parts(root, node))
        node = follow(root, next((inner for inner in found if inner is not None), {}))
    return node


def follow(root: JsonSchema, node: Any) -> JsonSchema:
    """What a node says, local references followed; empty for `true` and for what is elsewhere."""
    for _ in range(_MAX_DEPTH):
        if not isinstance(node, dict):
            break
        reference = node.get("$ref")
        if not isinstance(reference, str):
            return node
        node = _pointed_at(root, reference)
    return {}


def _pointed_at(root: Any, reference: str) -> Any:
    start, *steps = reference.split("/")
    node = root if start == "#" else None
    for step in steps:
        key = step.replace("~1", "/").replace("~0", "~")
        node = node.get(key) if isinstance(node, dict) else None
    return node


def _parts(root: JsonSchema, node: JsonSchema) -> Iterator[JsonSchema]:
    yield node
    for word in ("allOf", "anyOf", "oneOf"):
        yield from (follow(root, part) for part in node.get(word, ()))


def _inside(node: JsonSchema, step: str | int) -> Any:
    if isinstance(step, str):
        return node.get("properties", {}).get(step, node.get("additionalProperties"))
    first = node.get("prefixItems", ())
    return first[step] if step < len(first) else node.get("items")


def expected_of(schema: JsonSchema, root: JsonSchema, depth: int = _MAX_DEPTH) -> str:
    """In words: a whole number of at least 1."""
    if "enum" in schema:
        return shortened("one of " + _listed(schema["enum"]))
    if "const" in schema:
        return shortened(repr(schema["const"]))
    options = [follow(root, one) for one in schema.get("anyOf") or schema.get("oneOf") or ()]
    if options and depth:
        shown = [one for one in options if one.get("type") != "null"][:_MAX_OPTIONS]
        named = [expected_of(one, root, depth - 1) for one in shown]
        return shortened(" or ".join(dict.fromkeys(named)) or "null")
    kinds = schema.get("type")
    named = [
        _TYPES.get(str(one), "a value") for one in (kinds if isinstance(kinds, list) else [kinds])
    ]
    return shortened(" or ".join(named) + _bounds_of(schema))


def _listed(values: list[Any]) -> str:
    shown = ", ".join(repr(value) for value in values[:_MAX_OPTIONS])
    return shown if len(values) <= _MAX_OPTIONS else f"{shown}, …"


def _bounds_of(schema: JsonSchema) -> str:
    parts = [text.format(schema[key]) for key, text in _BOUNDS.items() if key in schema]
    return " " + " and ".join(parts) if parts else ""


def described(value: Any) -> str:
    """What came, short enough to show."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return f"the number {value!r:.40}"
        case str():
            return f"the text {value[:60]!r:.60}"
        case list():
            return f"a list of {len(value)}"
        case _:
            return "an object"
