"""A call that would fit, made from nothing but the schema."""

from collections.abc import Iterator
from math import ceil, floor
from typing import Any

import msgspec

from ankrcode.protocol.definition import JsonSchema
from ankrcode.tooling.expected import follow
from ankrcode.tooling.validator import validator_for

_MAX_DEPTH = 6
_MAX_ITEMS = 10
_MAX_SHOWN = 2_000
_TEXTS = ("a", "A", "1", "abc", "example", "1234", "2026-01-31", "2026-01-31T09:30:00Z")
_LEAF_WORDS = (
    *("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf"),
    *("minLength", "maxLength", "pattern"),
)
_FORMATS = {
    "date": "2026-01-31",
    "date-time": "2026-01-31T09:30:00Z",
    "time": "09:30:00Z",
    "email": "asha@example.com",
    "uri": "https://example.com",
    "uuid": "0f8fad5b-d9cb-469f-a165-70867728950e",
}


def example_call(tool: str, schema: JsonSchema, validator: Any) -> str:
    """`Read(file_path="path/to/file")`, or nothing where no fitting example is found."""
    arguments = Examples(schema).of_object(schema, _MAX_DEPTH)
    if not validator.is_valid(arguments):
        return ""
    shown = ", ".join(f"{name}={_json(value)}" for name, value in arguments.items())
    return f"{tool}({shown})" if len(shown) <= _MAX_SHOWN else ""


class Examples:
    """Plausible values for the parts of one schema."""

    def __init__(self, root: JsonSchema) -> None:
        self._root = root

    def of_object(self, schema: JsonSchema, depth: int) -> dict[str, Any]:
        """Every required parameter; where none is, the first one."""
        properties = schema.get("properties", {})
        names = schema.get("required") or list(properties)[:1]
        return {name: self.of(name, properties.get(name), depth) for name in names}

    def of(self, name: str, node: Any, depth: int) -> Any:
        schema = follow(self._root, node)
        for key in ("examples", "enum"):
            if schema.get(key):
                return schema[key][0]
        for key in ("const", "default"):
            if schema.get(key) is not None:
                return schema[key]
        options = [
            follow(self._root, one) for one in schema.get("anyOf") or schema.get("oneOf") or ()
        ]
        real = [one for one in options if one.get("type") != "null"]
        if options and depth:
            return self.of(name, real[0], depth - 1) if real else None
        return self._of_type(name, schema, depth)

    def _of_type(self, name: str, schema: JsonSchema, depth: int) -> Any:
        match _kind_of(schema):
            case "integer":
                return _first_fitting(schema, _numbers(schema, is_whole=True))
            case "number":
                return _first_fitting(schema, _numbers(schema, is_whole=False))
            case "boolean":
                return True
            case "null":
                return None
            case "array":
                return self._of_array(name, schema, depth) if depth else []
            case "object":
                return self.of_object(schema, depth - 1) if depth else {}
            case _:
                return _first_fitting(schema, _texts(name, schema))

    def _of_array(self, name: str, schema: JsonSchema, depth: int) -> list[Any]:
        nodes = list(schema.get("prefixItems", ()))
        wanted = min(max(1, schema.get("minItems", 0)), schema.get("maxItems", 1), _MAX_ITEMS)
        wanted = max(wanted, min(schema.get("minItems", 0), _MAX_ITEMS))
        nodes += [schema.get("items")] * (wanted - len(nodes))
        return [self.of(name.rstrip("s") or name, node, depth - 1) for node in nodes]


def _kind_of(schema: JsonSchema) -> str:
    kinds = schema.get("type")
    if kinds:
        return str(kinds[0] if isinstance(kinds, list) else kinds)
    if "properties" in schema or "required" in schema:
        return "object"
    return "array" if "items" in schema or "prefixItems" in schema else "string"


def _first_fitting(schema: JsonSchema, candidates: Iterator[Any]) -> Any:
    said = {word: schema[word] for word in _LEAF_WORDS if word in schema}
    validator = validator_for({word: to for word, to in said.items() if not isinstance(to, bool)})
    first = next(candidates)
    return (
        first if validator.is_valid(first) else next(filter(validator.is_valid, candidates), first)
    )


def _numbers(schema: JsonSchema, *, is_whole: bool) -> Iterator[float]:
    low = max(schema.get("minimum", -1e9), schema.get("exclusiveMinimum", -1e9))
    high = min(schema.get("maximum", 1e9), schema.get("exclusiveMaximum", 1e9))
    step = schema.get("multipleOf", 1)
    multiple = ceil(low / step) * step
    numbers = (1, low, high, multiple, multiple + step, floor(low) + 1, ceil(high) - 1)
    for number in (*numbers, (low + high) / 2):
        yield round(number) if is_whole else number


def _texts(name: str, schema: JsonSchema) -> Iterator[str]:
    shortest, longest = schema.get("minLength", 0), schema.get("maxLength", _MAX_SHOWN)
    likely = _FORMATS.get(schema.get("format", ""), "path/to/file" if "path" in name else name)
    for text in (likely, *_TEXTS):
        long_enough = text + text[-1:] * min(shortest - len(text), _MAX_SHOWN)
        yield long_enough[:longest]


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
