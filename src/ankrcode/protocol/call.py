"""What a model, a person or a script asks for."""

from typing import Any

from msgspec import Struct


class ToolCall(Struct, frozen=True, kw_only=True):
    """One invocation of one tool.

    `arguments` is the object as parsed, or the raw JSON text as it came from the wire; the
    pipeline parses text itself, so a broken one still ends in one clear error result.
    """

    name: str
    arguments: dict[str, Any] | str = {}
    id: str = ""
