"""A request as scripts write it: our own form, or what people know from vendors' APIs."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from ankrcode.errors import UsageError
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
from ankrcode.providers.wire import ModelRequest, Options, ToolSpec

_ROLES = {"developer": "system", "model": "assistant", "tool": "user", "function": "user"}
_OPTION_NAMES = {
    "max_tokens": "max_output_tokens",
    "max_completion_tokens": "max_output_tokens",
    "reasoning_effort": "effort",
    "stop_sequences": "stop",
    "thinking_budget": "max_thinking_tokens",
}
_CHOICES = {"any": "required", "tool": "name", "function": "name"}


def request_of(data: Any) -> ModelRequest:
    """Raises `UsageError` for what is no request."""
    try:
        if not isinstance(data, dict):
            raise TypeError("one JSON object is needed")
        messages = _checked(list(_messages(data)), tuple[Message, ...])
        tools = _checked([_tool(tool) for tool in data.get("tools") or ()], list[ToolSpec])
        options = _options(data)
    except (TypeError, KeyError, AttributeError, ValueError, msgspec.MsgspecError) as problem:
        why = f"{problem} is missing" if isinstance(problem, KeyError) else str(problem)
        raise UsageError.of("usage", why=why, command="models call") from None
    if not messages:
        raise UsageError.of("usage", why='no "messages" and no "prompt"', command="models call")
    return ModelRequest(messages=messages, tools=tools, options=options)


def _checked(value: Any, kind: Any) -> Any:
    """Every field of its type: what was put together here came from outside."""
    try:
        return msgspec.convert(msgspec.to_builtins(value), kind)
    except msgspec.ValidationError as problem:
        raise ValueError(str(problem)) from None


# ── messages ──────────────────────────────────────────────────────────────────────────────────
def _messages(data: Mapping[str, Any]) -> Iterator[Message]:
    if system := data.get("system"):
        yield Message(role="system", parts=tuple(_parts(system)))
    for message in data.get("messages") or ():
        yield _message(message)
    if prompt := data.get("prompt"):
        yield Message(role="user", parts=tuple(_parts(prompt)))


def _message(data: Any) -> Message:
    if "parts" in data:
        message: Message = _checked(data, Message)
        return message
    role = _ROLES.get(data["role"], data["role"])
    if role not in ("system", "user", "assistant"):
        raise ValueError(f"there is no role {role!r}")
    if data["role"] in ("tool", "function"):
        return Message(role="user", parts=(_result(data),))
    parts = [*_parts(data.get("content")), *map(_called, data.get("tool_calls") or ())]
    return Message(role=role, parts=tuple(parts))


def _parts(content: Any) -> Iterator[Part]:
    if isinstance(content, str):
        if content:
            yield TextPart(text=content)
        return
    if not isinstance(content, list | None):
        raise TypeError("content is a text or a list of parts")
    for block in content or ():
        yield TextPart(text=block) if isinstance(block, str) else _part(block)


def _part(block: Mapping[str, Any]) -> Part:
    match block["type"]:
        case "text" | "input_text" | "output_text":
            return TextPart(text=block["text"])
        case "thinking":
            text = block.get("thinking") or block.get("text") or ""
            return ThinkingPart(text=text, signature=block.get("signature", ""))
        case "redacted_thinking":
            return ThinkingPart(text="", opaque=block["data"])
        case "tool_use":
            arguments = block.get("input", block.get("arguments", {}))
            return ToolUsePart(id=block["id"], name=block["name"], arguments=arguments)
        case "tool_result":
            return _result(block)
        case "image" | "document" | "image_url":
            return AttachmentPart(attachment=_attachment(block))
    raise ValueError(f"there is no part {block['type']!r}")


def _called(call: Mapping[str, Any]) -> ToolUsePart:
    """A call as Chat Completions has it: its arguments are JSON within JSON."""
    function = call.get("function", call)
    arguments = function.get("arguments") or {}
    if isinstance(arguments, str):
        arguments = msgspec.json.decode(arguments, type=dict[str, Any])
    return ToolUsePart(id=call["id"], name=function["name"], arguments=arguments)


def _result(data: Mapping[str, Any]) -> ToolResultPart:
    content = data.get("content", data.get("text", ""))
    parts = list(_parts(content))
    return ToolResultPart(
        tool_use_id=data.get("tool_use_id") or data["tool_call_id"],
        text="\n".join(part.text for part in parts if isinstance(part, TextPart)),
        attachments=tuple(part.attachment for part in parts if isinstance(part, AttachmentPart)),
        is_error=bool(data.get("is_error", False)),
    )


def _attachment(block: Mapping[str, Any]) -> Attachment:
    if block["type"] == "image_url":
        url = block["image_url"]
        head, comma, data = (url["url"] if isinstance(url, dict) else url).partition(",")
        if not comma or not head.startswith("data:"):
            raise ValueError("a picture is sent as data, not by its address")
        mime = head.removeprefix("data:").partition(";")[0]
    else:
        mime, data = block["source"]["media_type"], block["source"]["data"]
    return Attachment(type="image" if mime.startswith("image/") else "file", mime=mime, data=data)


# ── tools and options ─────────────────────────────────────────────────────────────────────────
def _tool(data: Mapping[str, Any]) -> ToolSpec:
    inner = data.get("function", data)
    schema = next(
        (inner[key] for key in ("input_schema", "parameters", "inputSchema") if inner.get(key)),
        {"type": "object", "properties": {}},
    )
    return ToolSpec(
        name=inner["name"], description=inner.get("description") or "", input_schema=schema
    )


def _options(data: Mapping[str, Any]) -> Options:
    """Words that we do not have go into the request's body as they are."""
    given = {
        _OPTION_NAMES.get(key, key): value for key, value in (data.get("options") or {}).items()
    }
    if "stream" in data:
        given["stream"] = data["stream"]
    if "tool_choice" in data:
        given.setdefault("tool_choice", data["tool_choice"])
    if "tool_choice" in given:
        given["tool_choice"] = _choice(given["tool_choice"])
    if isinstance(given.get("stop"), str):
        given["stop"] = [given["stop"]]
    known = {key: value for key, value in given.items() if key in Options.__struct_fields__}
    extra = {key: value for key, value in given.items() if key not in known}
    known["extra"] = {**known.get("extra", {}), **extra}
    options: Options = _checked(known, Options)
    return options


def _choice(choice: Any) -> str:
    if isinstance(choice, str):
        return _CHOICES.get(choice, choice)
    name = choice.get("name") or choice.get("function", {}).get("name")
    return str(name or _CHOICES.get(choice["type"], choice["type"]))
