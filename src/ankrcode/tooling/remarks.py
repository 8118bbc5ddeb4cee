"""What hooks had to say about one call, beside yes and no."""

from typing import Any

from msgspec.structs import replace

from ankrcode.config.limits import HOOK_CONTEXT_CHARS
from ankrcode.config.redactor import Redactor
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.graphemes import border_before


class Remarks:
    """Kept with the call until its result goes out."""

    __slots__ = ("context", "faults", "messages", "rewritten", "stop")

    def __init__(self) -> None:
        self.context: list[str] = []  # for the model, with the result
        self.messages: list[str] = []  # for the person
        self.faults: list[str] = []  # hooks that failed without harm
        self.stop = ""  # why the whole turn should end
        self.rewritten: dict[Any, Any] = {}  # who has given other arguments already, and which

    def added_to(self, result: ToolResult, redactor: Redactor) -> ToolResult:
        """The result with what hooks said: no secret, no flood, and data for programs."""
        said: dict[str, list[str] | str] = {
            "hook_errors": self.faults,
            "hook_messages": self.messages,
            "hook_context": self.context,
            "hook_stop": self.stop,
        }
        metadata = {name: _bounded(value, redactor) for name, value in said.items() if value}
        if not metadata:
            return result
        text = "\n\n".join(filter(None, (result.text, *metadata.get("hook_context", ()))))
        return replace(result, text=text, metadata={**result.metadata, **metadata})


def _bounded(said: list[str] | str, redactor: Redactor) -> Any:
    if not isinstance(said, str):
        return [_bounded(one, redactor) for one in said]
    text = redactor.redact(said)
    if len(text) <= HOOK_CONTEXT_CHARS:
        return text
    return text[: border_before(text, HOOK_CONTEXT_CHARS)] + " …"
