"""A request put into plain words for a model that knows no tools: the tools are taught in the
system text, calls and results of the conversation stand in fences.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from ankrcode.protocol.definition import JsonSchema
from ankrcode.protocol.message import (
    AttachmentPart,
    Message,
    Part,
    TextPart,
    ToolResultPart,
    ToolUsePart,
)
from ankrcode.providers.text.forms import as_text
from ankrcode.providers.wire import ModelRequest, ToolSpec

RESULT = "```result"  # where the model must stop: what follows is ours to say
_MAX_STOPS = 4  # vendors take no more
_DESCRIPTION_CHARS = 400
_PARAMETER_CHARS = 160

_LESSON = """# Tools

You work with tools. To use one, write a fence like this and nothing after it:

{example}

Rules:
- Each fence holds one JSON object with "name" and "arguments". Calls that do not need each \
other's results may stand in several fences, one after the other.
- The results come with the next message, in fences marked `result`. Never write a result yourself.
- Only a `tool` fence runs. To show a call without running it, use a `json` fence.
- When you need no tool, answer in plain text.

The tools:
"""
_CHOICES = {"required": "Now use one of the tools.", "none": "Now use no tool."}


class TextConversation:
    """Translates the requests of one conversation; what was translated once stays the same object,
    so that a wire need not encode it again."""

    def __init__(self) -> None:
        self._kept: dict[int, tuple[Message, Message]] = {}
        self._lesson: tuple[Sequence[ToolSpec], Message] | None = None

    def translated(self, request: ModelRequest, *, says_choice: bool = True) -> ModelRequest:
        """`says_choice`: a tool that must be called is asked for in words."""
        names = dict(_names_of_calls(request.messages))
        messages = [self._message(message, names) for message in request.messages]
        self._kept = {
            id(old): (old, new) for old, new in zip(request.messages, messages, strict=True)
        }
        options = request.options
        if request.tools:
            after_system = next(
                (at for at, one in enumerate(messages) if one.role != "system"), len(messages)
            )
            messages.insert(after_system, self._taught(request.tools))
            if says_choice and (choice := _choice(options.tool_choice)):
                messages.append(Message(role="user", parts=(TextPart(text=choice),)))
            stop = (*options.stop, RESULT)[:_MAX_STOPS]
            options = msgspec.structs.replace(options, stop=stop, tool_choice="auto")
        return ModelRequest(messages=messages, tools=(), options=options)

    def _message(self, message: Message, names: dict[str, str]) -> Message:
        kept = self._kept.get(id(message))
        if kept is not None and kept[0] is message:
            return kept[1]
        if not any(isinstance(part, ToolUsePart | ToolResultPart) for part in message.parts):
            return message
        parts = [new for part in message.parts for new in _in_words(part, names)]
        return msgspec.structs.replace(message, parts=tuple(parts))

    def _taught(self, tools: Sequence[ToolSpec]) -> Message:
        if self._lesson is None or list(self._lesson[0]) != list(tools):
            message = Message(role="system", parts=(TextPart(text=lesson(tools)),))
            self._lesson = (tuple(tools), message)
        return self._lesson[1]


def lesson(tools: Sequence[ToolSpec]) -> str:
    """What the model is told of the tools."""
    example = as_text("NAME", {"PARAMETER": "VALUE"})  # small models copy any real one
    return _LESSON.format(example=example) + "\n".join(_told(tool) for tool in tools)


def _choice(tool_choice: str) -> str:
    if tool_choice == "auto":
        return ""
    return _CHOICES.get(tool_choice, f"Now use the tool {tool_choice}.")


def _names_of_calls(messages: Sequence[Message]) -> Iterator[tuple[str, str]]:
    for message in messages:
        for part in message.parts:
            if isinstance(part, ToolUsePart):
                yield part.id, part.name


def _in_words(part: Part, names: dict[str, str]) -> Iterator[Part]:
    if isinstance(part, ToolUsePart):
        yield TextPart(text=as_text(part.name, part.arguments))
    elif isinstance(part, ToolResultPart):
        yield TextPart(text=_result(part, names.get(part.tool_use_id, "the tool")))
        for attachment in part.attachments:
            yield AttachmentPart(attachment=attachment)
    else:
        yield part


def _result(part: ToolResultPart, name: str) -> str:
    """In a fence longer than any within, so that a file's text cannot end it."""
    fence = "```"
    while fence in part.text:
        fence += "`"
    failed = " (failed)" if part.is_error else ""
    return f"{fence}result of {name}{failed}\n{part.text}\n{fence}"


# ── tools in words ────────────────────────────────────────────────────────────────────────────
def _told(tool: ToolSpec) -> str:
    schema = tool.input_schema
    required = schema.get("required", ())
    lines = [f"## {tool.name}", _short(tool.description.partition("\n\n")[0], _DESCRIPTION_CHARS)]
    for name, one in schema.get("properties", {}).items():
        kind = _kind(one, schema.get("$defs", {}))
        need = ", required" if name in required else ""
        described = one.get("description", "") if isinstance(one, dict) else ""
        about = _short(described, _PARAMETER_CHARS)
        lines.append(f"- {name} ({kind}{need})" + (f": {about}" if about else ""))
    return "\n".join(lines) + "\n"


def _kind(schema: Any, definitions: JsonSchema) -> str:
    if not isinstance(schema, dict):
        return "anything"
    if reference := schema.get("$ref"):
        return _kind(definitions.get(str(reference).rpartition("/")[2]), {})
    if "enum" in schema:
        return "one of " + ", ".join(str(value) for value in schema["enum"])
    if several := schema.get("anyOf") or schema.get("oneOf"):
        return " or ".join(dict.fromkeys(_kind(one, definitions) for one in several))
    kind = schema.get("type", "anything")
    if isinstance(kind, list):
        return " or ".join(kind)
    if kind == "array":
        return f"list of {_kind(schema.get('items'), definitions)}"
    if kind == "object" and schema.get("properties"):
        inner = ", ".join(
            f"{name}: {_kind(one, definitions)}" for name, one in schema["properties"].items()
        )
        return f"object with {inner}"
    return str(kind)


def _short(text: str, limit: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1].rsplit(" ", 1)[0] + "…"
