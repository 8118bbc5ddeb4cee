"""The schema of a call to any of the tools: what a grammar for a local model is made from."""

from collections.abc import Sequence
from typing import Any

from ankrcode.protocol.definition import JsonSchema
from ankrcode.providers.wire import ToolSpec

_MAX_ITEMS = 20
_MAX_NESTED = 8


def calls_schema(tools: Sequence[ToolSpec], max_chars: int) -> JsonSchema:
    """One object that calls one of the tools, with arguments of that tool's schema.

    Strings and lists are bounded, so that a call can end before the answer must: a small model
    would else go on in one of them for ever.
    """
    return {"anyOf": [_call_schema(tool, max_chars) for tool in tools]}


def _call_schema(tool: ToolSpec, max_chars: int) -> JsonSchema:
    arguments = _Plain(tool.input_schema, max_chars).schema()
    arguments.setdefault("additionalProperties", False)
    return {
        "type": "object",
        "properties": {"name": {"const": tool.name}, "arguments": arguments},
        "required": ["name", "arguments"],
        "additionalProperties": False,
    }


class _Plain:
    """A schema to stand inside another: bounded, and without references that would lead nowhere."""

    def __init__(self, schema: JsonSchema, max_chars: int) -> None:
        self._schema = schema
        self._definitions = schema.get("$defs", {})
        self._max_chars = max_chars

    def schema(self) -> JsonSchema:
        plain: JsonSchema = self._of(self._schema, 0)
        return plain

    def _of(self, value: Any, depth: int) -> Any:
        if isinstance(value, list):
            return [self._of(one, depth) for one in value]
        if not isinstance(value, dict):
            return value
        if "$ref" in value:
            name = str(value["$ref"]).rpartition("/")[2]
            return (
                self._of(self._definitions.get(name, {}), depth + 1) if depth < _MAX_NESTED else {}
            )
        plain = {key: self._of(one, depth) for key, one in value.items() if key != "$defs"}
        return self._bounded(plain)

    def _bounded(self, schema: JsonSchema) -> JsonSchema:
        if schema.get("type") == "string" and not schema.keys() & {"enum", "const", "pattern"}:
            schema["maxLength"] = min(schema.get("maxLength", self._max_chars), self._max_chars)
        if schema.get("type") == "array":
            schema["maxItems"] = min(schema.get("maxItems", _MAX_ITEMS), _MAX_ITEMS)
        return schema
