"""About how many tokens a request has, before anybody has counted them."""

from collections.abc import Sequence

import msgspec

from ankrcode.protocol.message import (
    AttachmentPart,
    Message,
    TextPart,
    ThinkingPart,
    ToolResultPart,
    ToolUsePart,
)
from ankrcode.protocol.result import Attachment
from ankrcode.providers.wire import ModelRequest, ToolSpec
from ankrcode.workspace.documents.tokens import estimate_tokens

PER_MESSAGE = 4  # roles and separators
PER_PICTURE = 1_600  # what vendors count for a picture of usual size
_BYTES_PER_PAGE_TOKEN = 25  # a page of a PDF has some 50 kB and costs some 2,000 tokens


class Estimator:
    """Remembers messages it has seen: the next request of a conversation costs what is new."""

    def __init__(self) -> None:
        self._messages: dict[int, tuple[Message, int]] = {}
        self._tools: tuple[Sequence[ToolSpec], int] = ((), 0)

    def request(self, request: ModelRequest) -> int:
        """The whole prompt."""
        seen = self._messages
        self._messages = {id(m): seen.get(id(m)) or (m, _message(m)) for m in request.messages}
        if self._tools[0] is not request.tools:
            self._tools = (request.tools, sum(map(_tool, request.tools)))
        return self._tools[1] + sum(tokens for _, tokens in self._messages.values())


def _tool(tool: ToolSpec) -> int:
    schema = msgspec.json.encode(tool.input_schema).decode()
    return estimate_tokens(tool.name + " " + tool.description + schema) + PER_MESSAGE


def _message(message: Message) -> int:
    total = PER_MESSAGE
    for part in message.parts:
        match part:
            case TextPart(text=text):
                total += estimate_tokens(text)
            case ThinkingPart(text=text, signature=signature, opaque=opaque):
                total += estimate_tokens(text) + (len(signature) + len(opaque)) // 4
            case ToolUsePart(name=name, arguments=arguments):
                total += estimate_tokens(name + msgspec.json.encode(arguments).decode())
            case ToolResultPart(text=text, attachments=attachments):
                total += estimate_tokens(text) + sum(map(_attachment, attachments))
            case AttachmentPart(attachment=attachment):
                total += _attachment(attachment)
    return total


def _attachment(attachment: Attachment) -> int:
    if attachment.mime.startswith("text/"):
        return estimate_tokens(attachment.data or "")
    if attachment.mime == "application/pdf":
        return len(attachment.data or "") * 3 // 4 // _BYTES_PER_PAGE_TOKEN + PER_PICTURE
    return PER_PICTURE
