"""Requests for tests of the wire formats, and their bodies as data."""

from typing import Any

import msgspec

from ankrcode.protocol.message import (
    AttachmentPart,
    Message,
    Part,
    TextPart,
    ThinkingPart,
    ToolResultPart,
    ToolUsePart,
)
from ankrcode.protocol.result import Attachment
from ankrcode.providers.wire import Encoded, ModelRequest, Options, Target, ToolSpec, Wire
from ankrcode.providers.wires import wire_named
from providers.wire_streams import target

IMAGE = Attachment(type="image", mime="image/png", data="aW1n", name="cat.png")
PDF = Attachment(type="pdf", mime="application/pdf", data="cGRm", path="/docs/plan.pdf")
NOTE = Attachment(type="text", mime="text/plain", data="buy milk", name="note.txt")
FILE = Attachment(type="file", mime="application/zip", path="/tmp/x.zip")
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "description": "Where"},
        "limit": {"type": ["integer", "null"], "minimum": 1},
    },
    "required": ["path"],
    "additionalProperties": False,
}
READ = ToolSpec(name="Read", description="Reads a file.", input_schema=SCHEMA)
NOW = ToolSpec(name="Now", description="", input_schema={"type": "object", "properties": {}})


def system(text: str) -> Message:
    return Message(role="system", parts=(TextPart(text=text),))


def user(*parts: Part | str) -> Message:
    return Message(role="user", parts=_parts(parts))


def model(*parts: Part | str) -> Message:
    return Message(role="assistant", parts=_parts(parts))


def _parts(parts: tuple[Part | str, ...]) -> tuple[Part, ...]:
    return tuple(TextPart(text=one) if isinstance(one, str) else one for one in parts)


def thought(text: str, signature: str = "", opaque: str = "") -> ThinkingPart:
    return ThinkingPart(text=text, signature=signature, opaque=opaque)


def use(call_id: str = "call_1", name: str = "Read", **more: Any) -> ToolUsePart:
    signature = more.pop("signature", "")
    arguments = more or {"path": "a"}
    return ToolUsePart(id=call_id, name=name, arguments=arguments, signature=signature)


def result(call_id: str = "call_1", text: str = "done", **more: Any) -> ToolResultPart:
    return ToolResultPart(tool_use_id=call_id, text=text, **more)


def attached(attachment: Attachment) -> AttachmentPart:
    return AttachmentPart(attachment=attachment)


TALK = [
    system("Be brief."),
    user("Read a."),
    model("Reading.", use()),
    user(result()),
    model("It says done."),
    user("Thanks."),
]


def request(*messages: Message, tools: Any = (), **options: Any) -> ModelRequest:
    return ModelRequest(messages=messages, tools=tools, options=Options(**options))


def encoded(
    wire: str | Wire, told: ModelRequest, *quirks: str, to: Target | None = None
) -> Encoded:
    its = wire_named(wire) if isinstance(wire, str) else wire
    return its.encode(told, to or target(*quirks))


def body_of(
    wire: str | Wire, told: ModelRequest, *quirks: str, to: Target | None = None
) -> dict[str, Any]:
    return msgspec.json.decode(encoded(wire, told, *quirks, to=to).body, type=dict[str, Any])
