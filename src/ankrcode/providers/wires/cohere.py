"""Cohere's own Chat (version 2): the request. Its messages are those of Chat Completions."""

from collections.abc import Mapping
from typing import Any

from ankrcode.protocol.stream import AnyStreamEvent, Failure
from ankrcode.providers.wire import Encoded, ModelRequest, Options, Reader, Target, ToolSpec
from ankrcode.providers.wires import quirks
from ankrcode.providers.wires.body import body, encoded, listed
from ankrcode.providers.wires.chat_messages import ChatMessages
from ankrcode.providers.wires.cohere_reader import CohereReader
from ankrcode.providers.wires.conversation import without_system
from ankrcode.providers.wires.efforts import thinking_budget
from ankrcode.providers.wires.kept import Kept
from ankrcode.providers.wires.schemas import told_schema, without_references
from ankrcode.providers.wires.sse import Sse
from ankrcode.providers.wires.stream_reader import StreamReader, read_whole

_CHOICES = {"none": "NONE", "required": "REQUIRED"}


class CohereWire:
    """For who talks to Cohere directly, not by its compatible door."""

    def __init__(self) -> None:
        self._messages = ChatMessages()
        self._tools: Kept[ToolSpec, bytes] = Kept(_tool)

    def encode(self, request: ModelRequest, target: Target) -> Encoded:
        options = request.options
        system, messages = without_system(request.messages)
        tools = listed(self._tools.forms(request.tools, target)) if request.tools else None
        if options.schema is not None and tools is not None:  # it takes one or the other
            system = [*system, told_schema(options.schema)]
        told = self._messages.told(system, messages, options, target)
        return Encoded(
            path="v2/chat",
            body=body(_head(request, target), {"tools": tools}, options.extra, "messages", told),
            headers={"content-type": "application/json"},
        )

    def reader(self, target: Target) -> Reader:
        return StreamReader(Sse(), CohereReader(target))

    def read_whole(self, body: bytes, target: Target) -> list[AnyStreamEvent]:
        return read_whole(body, Sse(), CohereReader(target))

    def failure(
        self, status: int, headers: Mapping[str, str], body: bytes, target: Target
    ) -> Failure:
        from ankrcode.providers.wires.failures import failure_of

        return failure_of(status, headers, body, target)


def _head(request: ModelRequest, target: Target) -> dict[str, Any]:
    options = request.options
    return {
        "model": target.model,
        "stream": options.stream,
        "max_tokens": options.max_output_tokens or target.max_output_tokens,
        "temperature": options.temperature,
        "p": options.top_p,
        "stop_sequences": list(options.stop) or None,
        "thinking": _thinking(options, target),
        "response_format": _format(request),
        "tool_choice": _choice(options.tool_choice) if request.tools else None,
    }


def _thinking(options: Options, target: Target) -> dict[str, Any] | None:
    budget = thinking_budget(options)
    if budget is None or quirks.NO_EFFORT in target.quirks:
        return None
    return {"type": "enabled", "token_budget": budget} if budget > 0 else {"type": "disabled"}


def _format(request: ModelRequest) -> dict[str, Any] | None:
    schema = request.options.schema
    if schema is None or request.tools:
        return None
    return {"type": "json_object", "schema": without_references(schema)}


def _choice(choice: str) -> str | None:
    """One tool cannot be named: any is asked for."""
    return None if choice == "auto" else _CHOICES.get(choice, "REQUIRED")


def _tool(tool: ToolSpec, _target: Target) -> bytes:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.input_schema}
    return encoded({"type": "function", "function": function})
