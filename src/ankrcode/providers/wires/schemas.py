"""Dialects of JSON Schema: without references, and OpenAI's strict one."""

from typing import Any

from ankrcode.protocol.definition import JsonSchema

_MAX_DEPTH = 24
_MAX_NODES = 5_000
# That mode refuses them; the form holds without, and whoever needs them checks what comes.
_LEFT_OUT = ("default", "title", "minLength", "maxLength", "uniqueItems")
_UNSTRICT = (
    *("patternProperties", "propertyNames", "if", "then", "else", "not", "dependentSchemas"),
    *("allOf", "oneOf", "prefixItems", "unevaluatedProperties", "minProperties"),
)


def without_references(schema: JsonSchema) -> JsonSchema:
    """Local `$ref`s replaced by what they refer to; one that refers to itself takes anything."""
    definitions = {
        **_definitions(schema, "definitions", "#/definitions/"),
        **_definitions(schema, "$defs", "#/$defs/"),
    }
    if not definitions:
        return schema
    body = {name: value for name, value in schema.items() if name not in ("$defs", "definitions")}
    resolved = _Resolved(definitions).of(body, ())
    return resolved if isinstance(resolved, dict) else {}


def _definitions(schema: JsonSchema, name: str, prefix: str) -> dict[str, Any]:
    found = schema.get(name)
    return {prefix + key: value for key, value in found.items()} if isinstance(found, dict) else {}


class _Resolved:
    def __init__(self, definitions: dict[str, Any]) -> None:
        self._definitions = definitions
        self._nodes = 0

    def of(self, value: Any, inside: tuple[str, ...]) -> Any:
        self._nodes += 1
        if self._nodes > _MAX_NODES or len(inside) > _MAX_DEPTH:
            return {}
        if isinstance(value, list):
            return [self.of(one, inside) for one in value]
        if not isinstance(value, dict):
            return value
        name = value.get("$ref")
        if not isinstance(name, str):
            return {key: self.of(one, inside) for key, one in value.items()}
        beside = {key: one for key, one in value.items() if key != "$ref"}
        if name in inside or name not in self._definitions:
            return beside
        found = self.of(self._definitions[name], (*inside, name))
        return {**found, **beside} if isinstance(found, dict) else beside


def strict_schema(schema: JsonSchema) -> JsonSchema | None:
    """As OpenAI's strict mode wants it: closed objects, everything required, optional as null.

    None where the schema says something that mode cannot say.
    """
    strict = _strict(without_references(schema), 0)
    return strict if strict is not None and strict.get("type") == "object" else None


def _strict(schema: Any, depth: int) -> JsonSchema | None:
    if not isinstance(schema, dict) or depth > _MAX_DEPTH or any(w in schema for w in _UNSTRICT):
        return None
    strict = {key: value for key, value in schema.items() if key not in _LEFT_OUT}
    kinds = strict.get("type")
    if (
        kinds == "object"
        or "properties" in strict
        or (isinstance(kinds, list) and "object" in kinds)
    ):
        return _strict_object(strict, depth)
    if "items" in strict:
        inner = _strict(strict["items"], depth + 1)
        return None if inner is None else {**strict, "items": inner}
    if "anyOf" in strict:
        options = [_strict(one, depth + 1) for one in strict["anyOf"]]
        return None if None in options else {**strict, "anyOf": options}
    says_something = "type" in strict or "enum" in strict or "const" in strict
    return strict if says_something and kinds != "array" else None


def _strict_object(schema: JsonSchema, depth: int) -> JsonSchema | None:
    properties = schema.get("properties")
    if schema.get("additionalProperties") not in (None, False) or not isinstance(properties, dict):
        return None
    required = schema.get("required") or []
    strict: JsonSchema = {}
    for name, value in properties.items():
        inner = _strict(value, depth + 1)
        if inner is None:
            return None
        strict[name] = inner if name in required else _nullable(inner)
    closed = {"properties": strict, "required": list(strict), "additionalProperties": False}
    return {**schema, **closed}


def _nullable(schema: JsonSchema) -> JsonSchema:
    kinds = schema.get("type")
    if "enum" in schema or "const" in schema or kinds is None:
        options = schema.get("anyOf")
        if isinstance(options, list) and set(schema) <= {"anyOf", "description"}:
            return {**schema, "anyOf": [*options, {"type": "null"}]}
        return {"anyOf": [schema, {"type": "null"}]}
    listed = kinds if isinstance(kinds, list) else [kinds]
    return {**schema, "type": listed if "null" in listed else [*listed, "null"]}


def without_nulls(arguments: dict[str, Any], schema: JsonSchema) -> dict[str, Any]:
    """Arguments of a strict call as they were meant: null for what is optional is nothing."""
    required = schema.get("required") or []
    return {k: v for k, v in arguments.items() if v is not None or k in required}


def told_schema(schema: JsonSchema) -> str:
    """For vendors that cannot be bound to a schema: asked for in words."""
    from ankrcode.providers.wires.loose import encoded_text

    return (
        "Answer with one JSON value that fits this JSON Schema, and with nothing else: no prose, "
        f"no code fence.\n{encoded_text(schema)}"
    )
