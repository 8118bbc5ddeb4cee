"""The conversation: messages made of parts, in our own form (each wire format maps it)."""

from typing import Any, Literal

from msgspec import Struct

from ankrcode.protocol.result import Attachment


class TextPart(Struct, frozen=True, kw_only=True, tag="text"):
    text: str


class ThinkingPart(Struct, frozen=True, kw_only=True, tag="thinking"):
    """A model's reasoning; the signature goes back to the provider unchanged."""

    text: str
    signature: str = ""
    opaque: str = ""  # redacted or encrypted thought, in its vendor's form


class AttachmentPart(Struct, frozen=True, kw_only=True, tag="attachment"):
    attachment: Attachment


class ToolUsePart(Struct, frozen=True, kw_only=True, tag="tool_use"):
    """A call as the model said it: its own names, its own arguments."""

    id: str
    name: str
    arguments: dict[str, Any]
    signature: str = ""  # some vendors sign their calls and want that back


class ToolResultPart(Struct, frozen=True, kw_only=True, tag="tool_result"):
    tool_use_id: str
    text: str
    attachments: tuple[Attachment, ...] = ()
    is_error: bool = False


Part = TextPart | ThinkingPart | AttachmentPart | ToolUsePart | ToolResultPart


class Message(Struct, frozen=True, kw_only=True):
    role: Literal["system", "user", "assistant"]
    parts: tuple[Part, ...]
    id: str = ""


class Usage(Struct, frozen=True, kw_only=True):
    """Tokens of one answer, as the provider reported them."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0  # of the input: read from the vendor's cache
    written_tokens: int = 0  # of the input: written to it
    thinking_tokens: int = 0  # of the output
