"""A schema as Anthropic binds an answer to it: closed objects, and none of the limits it cannot
hold. Whoever asked for more checks the answer himself."""

from typing import Any

from ankrcode.protocol.definition import JsonSchema
from ankrcode.providers.wires.schemas import without_references

_MAX_DEPTH = 24
_KEPT = frozenset(("description", "title", "enum", "const", "default"))
_FORMATS = frozenset(
    ("date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid")
)
# Limits of single values: left out, the form still holds.
_LIMITS = frozenset(
    (
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
        *("minLength", "maxLength", "pattern", "minItems", "maxItems", "uniqueItems", "format"),
        *("$schema", "$id", "$comment", "examples", "deprecated", "readOnly", "writeOnly"),
    )
)


def closed_schema(schema: JsonSchema) -> JsonSchema | None:
    """None where the vendor would refuse it: then it can only be asked for in words."""
    closed = _closed(without_references(schema), 0)
    return closed if closed is not None and closed.get("type") == "object" else None


def _closed(schema: Any, depth: int) -> JsonSchema | None:
    if not isinstance(schema, dict) or depth > _MAX_DEPTH:
        return None
    kept = {key: value for key, value in schema.items() if key in _KEPT}
    if schema.get("format") in _FORMATS:
        kept["format"] = schema["format"]
    rest = {key: value for key, value in schema.items() if key not in _KEPT | _LIMITS}
    kind = rest.pop("type", None)
    if "properties" in rest or kind == "object":
        return _object(rest, kept, depth)
    if kind == "array":
        items = _closed(rest.pop("items", None), depth + 1)
        return None if items is None or rest else {**kept, "type": kind, "items": items}
    options = rest.pop("anyOf", None) or rest.pop("oneOf", None)
    if rest or (options is None and kind is None and not kept.keys() & {"enum", "const"}):
        return None
    if options is None:
        return {**kept, "type": kind} if kind is not None else kept
    chosen = [_closed(one, depth + 1) for one in options]
    return None if None in chosen or kind is not None else {**kept, "anyOf": chosen}


def _object(rest: dict[str, Any], kept: JsonSchema, depth: int) -> JsonSchema | None:
    """An open one cannot be said; one that does not say is closed."""
    properties, required = rest.pop("properties", None), rest.pop("required", [])
    if rest.pop("additionalProperties", False) is not False or rest or not properties:
        return None
    inner = {name: _closed(one, depth + 1) for name, one in properties.items()}
    if None in inner.values() or not set(required) <= set(inner):
        return None
    closed = {"properties": inner, "required": required, "additionalProperties": False}
    return {**kept, "type": "object", **closed}
