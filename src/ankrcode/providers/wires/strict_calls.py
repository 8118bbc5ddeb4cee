"""Calls by a strict schema: where everything is required, null means that nothing is meant."""

from collections.abc import Sequence
from typing import Any

from ankrcode.protocol.definition import JsonSchema
from ankrcode.providers.wire import ToolSpec
from ankrcode.providers.wires.schemas import without_nulls


class StrictCalls:
    """Knows the tools of the last request that were sent in the strict dialect."""

    def __init__(self) -> None:
        self._schemas: dict[str, JsonSchema] = {}

    def note(self, tools: Sequence[ToolSpec]) -> None:
        if tools or self._schemas:
            self._schemas = {tool.name: tool.input_schema for tool in tools}

    def meant(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        schema = self._schemas.get(name)
        return arguments if schema is None else without_nulls(arguments, schema)
