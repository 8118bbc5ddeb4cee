"""Ollama's own form: the request."""

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
from ankrcode.protocol.stream import AnyStreamEvent, Failure
from ankrcode.providers.wire import Encoded, ModelRequest, Options, Reader, Target, ToolSpec
from ankrcode.providers.wires import quirks
from ankrcode.providers.wires.body import body, encoded, listed
from ankrcode.providers.wires.efforts import effort_of, thinking_budget
from ankrcode.providers.wires.kept import Kept
from ankrcode.providers.wires.media import in_words, is_image
from ankrcode.providers.wires.ndjson import Ndjson
from ankrcode.providers.wires.ollama_reader import OllamaReader
from ankrcode.providers.wires.stream_reader import StreamReader, read_whole
from ankrcode.providers.wires.told import Told, in_their_order

MAX_CONTEXT_TOKENS = 32_768  # memory is set aside for all of it; `extra` may ask for more


class OllamaWire:
    """Results are matched to calls by the names of tools, in order."""

    def __init__(self) -> None:
        self._messages: Told[bytes] = Told(self._message, in_their_order)
        self._tools: Kept[ToolSpec, bytes] = Kept(_tool)
        self._names: dict[str, str] = {}

    def encode(self, request: ModelRequest, target: Target) -> Encoded:
        options = request.options
        tools = self._tools.forms(request.tools, target) if options.tool_choice != "none" else []
        messages = self._messages.pieces(request.messages, target)
        pieces = {"tools": listed(tools) if tools else None}
        head = {
            "model": target.model,
            "stream": options.stream,
            "think": _think(options, target),
            "format": options.schema,
            "options": {**_settings(options, target), **options.extra.get("options", {})},
        }
        extra = {name: value for name, value in options.extra.items() if name != "options"}
        return Encoded(
            path="api/chat",
            body=body(head, pieces, extra, "messages", messages),
            headers={"content-type": "application/json"},
        )

    def reader(self, target: Target) -> Reader:
        return StreamReader(Ndjson(), OllamaReader(target))

    def read_whole(self, body: bytes, target: Target) -> list[AnyStreamEvent]:
        return read_whole(body, Ndjson(), OllamaReader(target))

    def failure(
        self, status: int, headers: Mapping[str, str], body: bytes, target: Target
    ) -> Failure:
        from ankrcode.providers.wires.failures import failure_of

        return failure_of(status, headers, body, target)

    def _message(self, message: Message, target: Target) -> bytes:
        parts = message.parts
        results = [self._result(part) for part in parts if isinstance(part, ToolResultPart)]
        rest: list[Part] = [part for part in parts if not isinstance(part, ToolResultPart)]
        for part in parts:
            if isinstance(part, ToolUsePart):
                self._names[part.id] = part.name
            elif isinstance(part, ToolResultPart):
                rest += [AttachmentPart(attachment=one) for one in part.attachments]
        told = _said(message.role, rest, target)
        return b",".join(encoded(one) for one in [*results, *([told] if told else [])])

    def _result(self, part: ToolResultPart) -> dict[str, Any]:
        name = self._names.get(part.tool_use_id, "tool")
        content = part.text or ("failed" if part.is_error else "")
        return {"role": "tool", "tool_name": name, "content": content}


def _said(role: str, parts: list[Part], target: Target) -> dict[str, Any] | None:
    texts: list[str] = []
    images: list[str] = []
    for part in parts:
        if isinstance(part, TextPart):
            texts.append(part.text)
        elif isinstance(part, AttachmentPart):
            one = part.attachment
            if is_image(one) and quirks.NO_IMAGES not in target.quirks:
                images.append(one.data or "")
            else:
                texts.append(in_words(one))
    told: dict[str, Any] = {
        "role": role,
        "content": "\n\n".join(text for text in texts if text.strip()),
        "images": images,
        "thinking": "".join(part.text for part in parts if isinstance(part, ThinkingPart)),
        "tool_calls": [_call(part) for part in parts if isinstance(part, ToolUsePart)],
    }
    told = {name: value for name, value in told.items() if value}
    if len(told) == 1:
        return None
    return {"content": "", **told}


def _call(part: ToolUsePart) -> dict[str, Any]:
    return {"function": {"name": part.name, "arguments": part.arguments}}


def _settings(options: Options, target: Target) -> dict[str, Any]:
    settings = {
        "num_ctx": min(target.context_tokens, MAX_CONTEXT_TOKENS),
        "num_predict": options.max_output_tokens or target.max_output_tokens,
        "temperature": options.temperature,
        "top_p": options.top_p,
        "stop": list(options.stop) or None,
    }
    return {name: value for name, value in settings.items() if value is not None}


def _think(options: Options, target: Target) -> bool | str | None:
    budget = thinking_budget(options)
    if budget is None or quirks.NO_EFFORT in target.quirks:
        return None
    if budget > 0 and quirks.THINK_LEVELS in target.quirks:
        effort = effort_of(options)
        return "low" if effort == "minimal" else effort
    return budget > 0


def _tool(tool: ToolSpec, _target: Target) -> bytes:
    function = {"name": tool.name, "description": tool.description}
    return encoded({"type": "function", "function": {**function, "parameters": tool.input_schema}})
