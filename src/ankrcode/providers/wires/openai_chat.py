"""OpenAI Chat Completions and everyone compatible with it: the request."""

from collections.abc import Mapping
from typing import Any

from ankrcode.protocol.stream import AnyStreamEvent, Failure
from ankrcode.providers.wire import Encoded, ModelRequest, Options, Reader, Target, ToolSpec
from ankrcode.providers.wires import quirks
from ankrcode.providers.wires.body import body, encoded, listed
from ankrcode.providers.wires.chat_messages import ChatMessages
from ankrcode.providers.wires.chat_reader import ChatReader
from ankrcode.providers.wires.chat_thinking import asked_thinking
from ankrcode.providers.wires.conversation import without_system
from ankrcode.providers.wires.kept import Kept
from ankrcode.providers.wires.schemas import strict_schema, told_schema, without_references
from ankrcode.providers.wires.sse import Sse
from ankrcode.providers.wires.stream_reader import StreamReader, read_whole
from ankrcode.providers.wires.strict_calls import StrictCalls

_AZURE_VERSION = "2024-10-21"


class ChatWire:
    """What a provider does differently is named by its target's quirks."""

    def __init__(self) -> None:
        self._messages = ChatMessages()
        self._tools: Kept[ToolSpec, bytes] = Kept(_tool)
        self._strict = StrictCalls()

    def encode(self, request: ModelRequest, target: Target) -> Encoded:
        options = request.options
        system, messages = without_system(request.messages)
        if options.schema is not None and target.quirks & {quirks.JSON_OBJECT, quirks.NO_JSON}:
            system = [*system, told_schema(options.schema)]
        self._strict.note(request.tools if quirks.STRICT_TOOLS in target.quirks else ())
        tools = listed(self._tools.forms(request.tools, target)) if request.tools else None
        told = self._messages.told(system, messages, options, target)
        return Encoded(
            path=_path(target),
            body=body(_head(request, target), {"tools": tools}, options.extra, "messages", told),
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

    def _reader(self, target: Target) -> ChatReader:
        reader = ChatReader(target)
        reader.answer.calls.meant = self._strict.meant
        return reader


def _path(target: Target) -> str:
    if quirks.AZURE_DEPLOYMENTS not in target.quirks:
        return "chat/completions"
    version = "" if "api-version=" in target.base_url else f"?api-version={_AZURE_VERSION}"
    return f"deployments/{target.model}/chat/completions{version}"


def _head(request: ModelRequest, target: Target) -> dict[str, Any]:
    options, its = request.options, target.quirks
    limit = "max_completion_tokens" if quirks.MAX_COMPLETION_TOKENS in its else "max_tokens"
    varies = quirks.NO_TEMPERATURE not in its
    asks_usage = options.stream and quirks.NO_STREAM_OPTIONS not in its
    return {
        "model": target.model,
        "stream": options.stream,
        "stream_options": {"include_usage": True} if asks_usage else None,
        limit: options.max_output_tokens or target.max_output_tokens,
        "temperature": options.temperature if varies else None,
        "top_p": options.top_p if varies else None,
        "stop": None if quirks.NO_STOP in its else list(options.stop) or None,
        **asked_thinking(options, target),
        "response_format": _format(options, target),
        "tool_choice": _choice(options.tool_choice, target) if request.tools else None,
    }


def _choice(choice: str, target: Target) -> Any:
    its = target.quirks
    if choice == "auto" or quirks.NO_TOOL_CHOICE in its:
        return None
    if choice == "none":
        return choice
    if quirks.NO_REQUIRED in its:
        return "auto"
    if choice == "required":
        return "any" if quirks.REQUIRED_IS_ANY in its else choice
    return {"type": "function", "function": {"name": choice}}


def _format(options: Options, target: Target) -> dict[str, Any] | None:
    if options.schema is None or quirks.NO_JSON in target.quirks:
        return None
    if quirks.JSON_OBJECT in target.quirks:
        return {"type": "json_object"}
    strict = strict_schema(options.schema)
    told = {"name": "answer", "schema": strict or without_references(options.schema)}
    return {"type": "json_schema", "json_schema": {**told, "strict": strict is not None}}


def _tool(tool: ToolSpec, target: Target) -> bytes:
    function: dict[str, Any] = {"name": tool.name, "description": tool.description}
    strict = strict_schema(tool.input_schema) if quirks.STRICT_TOOLS in target.quirks else None
    function["parameters"] = strict or tool.input_schema
    if strict is not None:
        function["strict"] = True
    return encoded({"type": "function", "function": function})
