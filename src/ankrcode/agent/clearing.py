"""The first step when a window fills: results of long ago are cleared, all in one go.

Each clearing changes the prefix once and costs the vendor's cache, so it is done only when it frees
a good part of the window at a time.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from ankrcode.agent.estimate import Estimate
from ankrcode.protocol.message import Message, Part, ToolResultPart, ToolUsePart

_WORTH_CHARS = 300  # shorter results stay
_SUBJECTS = ("file_path", "path", "command", "pattern", "url", "description", "task_id")


def cleared(said: Sequence[Message], estimate: Estimate, protected: float) -> list[Message]:
    """The same messages with old results emptied; the newest, up to so many tokens, stay. So does
    the last message, however large: the model has not seen it yet, and would only call again."""
    border = _border(said, estimate, protected)
    calls = {part.id: part for one in said for part in one.parts if isinstance(part, ToolUsePart)}
    return [
        _emptied(message, calls) if at < border and message.role == "user" else message
        for at, message in enumerate(said)
    ]


def _border(said: Sequence[Message], estimate: Estimate, protected: float) -> int:
    size = 0.0
    for at in range(len(said) - 1, -1, -1):
        size += estimate.of([said[at]])
        if size > protected:
            return min(at + 1, len(said) - 1)
    return 0


def _emptied(message: Message, calls: dict[str, ToolUsePart]) -> Message:
    parts = tuple(_without_text(part, calls) for part in message.parts)
    return message if parts == message.parts else replace(message, parts=parts)


def _without_text(part: Part, calls: dict[str, ToolUsePart]) -> Part:
    if not isinstance(part, ToolResultPart):
        return part
    if len(part.text) < _WORTH_CHARS and not part.attachments:
        return part
    text = (
        f"[Cleared to save room: {subject(calls.get(part.tool_use_id))}. Call it again if needed.]"
    )
    return replace(part, text=text, attachments=())


def subject(call: ToolUsePart | None) -> str:
    """A call in a few words."""
    if call is None:
        return "an old result"
    about = next((str(call.arguments[one]) for one in _SUBJECTS if call.arguments.get(one)), "")
    return f"{call.name} {' '.join(about.split())[:120]}".strip()
