"""What comes back: exactly one for every call."""

from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from ankrcode.errors import ErrorCode, ErrorKind
from ankrcode.protocol.modifier import ContextModifier

AttachmentType = Literal["text", "image", "pdf", "file"]


class Attachment(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Content beside the text: by value (`data`, base64 where binary) or by place (`path`)."""

    type: AttachmentType
    mime: str
    path: str | None = None
    data: str | None = None
    name: str | None = None


class ErrorInfo(Struct, frozen=True, kw_only=True):
    """A `ToolError` as data. `key` and `values` let a front end say it in another language."""

    code: ErrorCode
    kind: ErrorKind
    message: str
    suggestion: str = ""
    details: dict[str, Any] = {}
    key: str = ""
    values: dict[str, Any] = {}


class ToolResult(Struct, frozen=True, kw_only=True):
    """A title for the person, data for programs, text for the model, and what went wrong."""

    title: str = ""
    value: Any = None
    text: str = ""
    metadata: dict[str, Any] = {}
    attachments: tuple[Attachment, ...] = ()
    error: ErrorInfo | None = None
    modifiers: tuple[ContextModifier, ...] = ()
    call_id: str = ""
    duration_ms: float = 0.0

    @property
    def ok(self) -> bool:
        return self.error is None

    def with_modifier(self, modifier: ContextModifier) -> "ToolResult":
        """The same, and one more change of what the agent keeps in mind."""
        return replace(self, modifiers=(*self.modifiers, modifier))
