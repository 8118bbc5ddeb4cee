"""What a request needs of a model, and whether one has it."""

from msgspec import Struct

from ankrcode.protocol.message import AttachmentPart, ToolResultPart
from ankrcode.protocol.result import Attachment
from ankrcode.providers.catalogue import UNKNOWN, ModelFacts
from ankrcode.providers.wire import ModelRequest

_ROOM_FOR_AN_ANSWER = 1_024


class Needs(Struct, frozen=True, kw_only=True):
    tools: bool = False
    vision: bool = False
    pdf: bool = False
    tokens: int = 0  # prompt and answer together


def needs_of(request: ModelRequest, prompt_tokens: int) -> Needs:
    kinds = {attachment.mime for attachment in _attachments(request)}
    room = request.options.max_output_tokens or _ROOM_FOR_AN_ANSWER
    return Needs(
        tools=bool(request.tools) and request.options.tool_choice != "none",
        vision=any(kind.startswith("image/") for kind in kinds),
        pdf="application/pdf" in kinds,
        tokens=prompt_tokens + room,
    )


def lacks(facts: ModelFacts, context_tokens: int, needs: Needs) -> str:
    """What this model cannot do; empty where it can do all, or where nobody knows."""
    if needs.tokens > context_tokens:
        return "context"
    if facts == UNKNOWN:
        return ""
    if needs.tools and not facts.tools:
        return "tools"
    if needs.vision and not facts.vision:
        return "vision"
    return "pdf" if needs.pdf and not (facts.pdf or facts.vision) else ""


def _attachments(request: ModelRequest) -> list[Attachment]:
    found: list[Attachment] = []
    for message in request.messages:
        for part in message.parts:
            if isinstance(part, AttachmentPart):
                found.append(part.attachment)
            elif isinstance(part, ToolResultPart):
                found += part.attachments
    return found
