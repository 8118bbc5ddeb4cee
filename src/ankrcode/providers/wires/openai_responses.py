"""OpenAI Responses: the request. Nothing is stored at the vendor; thought goes back encrypted."""

from collections.abc import Mapping
from typing import Any

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
from ankrcode.protocol.stream import AnyStreamEvent, Failure
from ankrcode.providers.wire import Encoded, ModelRequest, Options, Reader, Target, ToolSpec
from ankrcode.providers.wires import quirks
from ankrcode.providers.wires.body import body, encoded, listed
from ankrcode.providers.wires.call_ids import plain_id
from ankrcode.providers.wires.conversation import without_last_thought, without_system
from ankrcode.providers.wires.efforts import effort_of
from ankrcode.providers.wires.kept import Kept
from ankrcode.providers.wires.loose import encoded_text
from ankrcode.providers.wires.media import data_url, file_name, in_words, is_image, is_pdf
from ankrcode.providers.wires.opaque import is_reasoning_item
from ankrcode.providers.wires.responses_reader import ResponsesReader
from ankrcode.providers.wires.schemas import strict_schema, without_references
from ankrcode.providers.wires.sse import Sse
from ankrcode.providers.wires.stream_reader import StreamReader, read_whole
from ankrcode.providers.wires.strict_calls import StrictCalls
from ankrcode.providers.wires.told import Told, in_their_order

_AZURE_VERSION = "2025-04-01-preview"
_THINKERS = ("o1", "o3", "o4", "gpt-5", "gpt-6", "codex", "gpt-oss", "grok-4")


class ResponsesWire:
    """Items in, items out."""

    def __init__(self) -> None:
        self._messages: Told[bytes] = Told(_items, in_their_order)
        self._tools: Kept[ToolSpec, bytes] = Kept(_tool)
        self._strict = StrictCalls()

    def encode(self, request: ModelRequest, target: Target) -> Encoded:
        system, messages = without_system(request.messages)
        self._strict.note(request.tools if quirks.STRICT_TOOLS in target.quirks else ())
        tools = self._tools.forms(request.tools, target)
        items = self._messages.pieces(messages, target)
        pieces = {
            "tools": listed(tools) if tools else None,
            "instructions": encoded("\n\n".join(system)) if system else None,
        }
        return Encoded(
            path=_path(target),
            body=body(_head(request, target), pieces, request.options.extra, "input", items),
            headers={"content-type": "application/json"},
        )

    def reader(self, target: Target) -> Reader:
        return StreamReader(Sse(), self._reader(target))

    def read_whole(self, body: bytes, target: Target) -> list[AnyStreamEvent]:
        return read_whole(body, Sse(), self._reader(target))

    def failure(
        self, status: int, headers: Mapping[str, str], body: bytes, target: Target
    ) -> Failure:
        from ankrcode.providers.wires.failures import failure_of

        return failure_of(status, headers, body, target)

    def _reader(self, target: Target) -> ResponsesReader:
        reader = ResponsesReader(target)
        reader.answer.calls.meant = self._strict.meant
        return reader


def _path(target: Target) -> str:
    if quirks.AZURE_DEPLOYMENTS not in target.quirks or "api-version=" in target.base_url:
        return "responses"
    return f"responses?api-version={_AZURE_VERSION}"


def _head(request: ModelRequest, target: Target) -> dict[str, Any]:
    options, its = request.options, target.quirks
    thinks = _thinks(options, target)
    varies = not thinks and quirks.NO_TEMPERATURE not in its
    back = thinks and quirks.NO_ENCRYPTED_THOUGHT not in its
    return {
        "model": target.model,
        "stream": options.stream,
        "store": None if quirks.NO_STORE in its else False,
        "include": ["reasoning.encrypted_content"] if back else None,
        "max_output_tokens": options.max_output_tokens or target.max_output_tokens,
        "temperature": options.temperature if varies else None,
        "top_p": options.top_p if varies else None,
        "reasoning": _reasoning(options) if thinks else None,
        "text": _format(options),
        "tool_choice": _choice(options.tool_choice) if request.tools else None,
    }


def _thinks(options: Options, target: Target) -> bool:
    """Models that do not think refuse every word about it."""
    if quirks.NO_EFFORT in target.quirks:
        return False
    name = target.model.lower().rpartition("/")[2]
    return name.startswith(_THINKERS) or effort_of(options) is not None


def _reasoning(options: Options) -> dict[str, Any] | None:
    """A summary only for who asks for thought: some accounts may not have one."""
    effort = effort_of(options)
    if effort is None:
        return None
    if options.max_thinking_tokens == 0:
        return {"effort": "minimal"}
    return {"effort": effort, "summary": "auto"}


def _format(options: Options) -> dict[str, Any] | None:
    if options.schema is None:
        return None
    strict = strict_schema(options.schema)
    schema = strict or without_references(options.schema)
    told = {"type": "json_schema", "name": "answer", "schema": schema}
    return {"format": {**told, "strict": strict is not None}}


def _choice(choice: str) -> Any:
    if choice == "auto":
        return None
    return choice if choice in ("none", "required") else {"type": "function", "name": choice}


def _tool(tool: ToolSpec, target: Target) -> bytes:
    strict = strict_schema(tool.input_schema) if quirks.STRICT_TOOLS in target.quirks else None
    return encoded(
        {
            "type": "function",
            "name": tool.name,
            "description": tool.description,
            "parameters": strict or tool.input_schema,
            "strict": strict is not None,
        }
    )


# ── messages ────────────────────────────────────────────────────────────────────────────────────
def _items(message: Message, target: Target) -> bytes:
    """A message as its items, joined: results and calls are items of their own."""
    forms: list[bytes] = []
    said: list[Part] = []
    parts = without_last_thought(message.parts)
    for part in sorted(parts, key=lambda part: not isinstance(part, ToolResultPart)):
        if isinstance(part, TextPart | AttachmentPart):
            said.append(part)
            continue
        item = _item(part, target)
        if item is not None:
            forms += [*_said(message, said, target), item]
            said = []
    return b",".join([*forms, *_said(message, said, target)])


def _said(message: Message, parts: list[Part], target: Target) -> list[bytes]:
    content = [_content(part, message.role, target) for part in parts]
    content = [one for one in content if one.get("text", "…").strip()]
    if not content:
        return []
    role = "developer" if message.role == "system" else message.role
    return [encoded({"type": "message", "role": role, "content": content})]


def _content(part: Part, role: str, target: Target) -> dict[str, Any]:
    if isinstance(part, AttachmentPart):
        return _attached(part.attachment, target)
    text = part.text if isinstance(part, TextPart) else ""
    return {"type": "output_text" if role == "assistant" else "input_text", "text": text}


def _item(part: Part, target: Target) -> bytes | None:
    match part:
        case ThinkingPart():
            goes = is_reasoning_item(part.opaque)
            goes = goes and quirks.NO_ENCRYPTED_THOUGHT not in target.quirks
            return part.opaque.encode() if goes else None
        case ToolUsePart():
            call = {"type": "function_call", "call_id": plain_id(part.id), "name": part.name}
            return encoded({**call, "arguments": encoded_text(part.arguments)})
        case ToolResultPart():
            output = {"type": "function_call_output", "call_id": plain_id(part.tool_use_id)}
            return encoded({**output, "output": _output(part, target)})
        case _:
            return None


def _output(part: ToolResultPart, target: Target) -> str | list[dict[str, Any]]:
    if not part.attachments:
        return part.text or ("failed" if part.is_error else "")
    said = [{"type": "input_text", "text": part.text}] if part.text.strip() else []
    return [*said, *(_attached(one, target) for one in part.attachments)]


def _attached(attachment: Attachment, target: Target) -> dict[str, Any]:
    if is_image(attachment) and quirks.NO_IMAGES not in target.quirks:
        return {"type": "input_image", "image_url": data_url(attachment)}
    if is_pdf(attachment) and quirks.NO_FILES not in target.quirks:
        file = {"filename": file_name(attachment), "file_data": data_url(attachment)}
        return {"type": "input_file", **file}
    return {"type": "input_text", "text": in_words(attachment)}
