"""JSON lines of whoever drives an agent: `user` messages, each a task, and `control_request`s."""

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct

from ankrcode.frontends.cli.asked import attached, bounded
from ankrcode.protocol.result import Attachment
from ankrcode.tooling.arguments import json_fault

Line = dict[str, Any]
_BLOCKS = ("text", "image")


class Told(Struct, frozen=True, kw_only=True):
    """A task."""

    text: str = ""
    attachments: tuple[Attachment, ...] = ()


class Control(Struct, frozen=True, kw_only=True):
    """A wish about the work: `interrupt`, `set_permission_mode` and the like."""

    kind: str
    request: Line
    request_id: str | int = ""  # whoever gives one wants to hear what came of it


class BadLine(ValueError):
    """What is wrong with it."""


def told(line: bytes) -> Told | Control:
    try:
        value = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as problem:
        raise BadLine(f"The line is not JSON: {json_fault(problem)}") from None
    kind = value.get("type") if isinstance(value, dict) else None
    if kind == "control_request":
        return _control(value)
    message = value.get("message") if kind == "user" else None
    content = None
    if isinstance(message, dict) and message.get("role", "user") == "user":
        content = message.get("content")
    if isinstance(content, str) and content.strip():
        return Told(text=bounded(content))
    if isinstance(content, list):
        _check_blocks(content)
        text, attachments = "\n".join(_texts(content)).strip(), tuple(_pictures(content))
        if text or attachments:
            return Told(text=bounded(text), attachments=attachments)
    raise BadLine('The line must be {"type": "user", "message": {"role": "user", "content": …}}.')


def _control(value: Line) -> Control:
    request = value.get("request")
    kind = request.get("subtype") if isinstance(request, dict) else None
    if not isinstance(request, dict) or not isinstance(kind, str) or not kind:
        raise BadLine('The line must have {"request": {"subtype": …}}.')
    given = value.get("request_id")
    if isinstance(given, bool) or not isinstance(given, str | int):
        given = ""
    return Control(kind=kind, request=request, request_id=given)


def _check_blocks(content: list[Any]) -> None:
    """What we would have to leave out is refused: the model must not answer half a question."""
    for one in content:
        kind = one.get("type") if isinstance(one, dict) else type(one).__name__
        if kind not in _BLOCKS:
            raise BadLine(f"The line has a block of type {kind!r}; it may have text and image.")
        if kind == "text" and not isinstance(one.get("text"), str):
            raise BadLine("The line has a block of type 'text' without text.")


def _texts(content: list[Any]) -> Iterator[str]:
    for one in content:
        if one["type"] == "text":
            yield one["text"]


def _pictures(content: list[Any]) -> Iterator[Attachment]:
    for one in content:
        if one["type"] == "image":
            source = one.get("source")
            data = source.get("data") if isinstance(source, dict) else None
            if not isinstance(data, str):
                raise BadLine("The line has a picture without base64 data.")
            yield _picture(data)


def _picture(data: str) -> Attachment:
    """As it is, if it is one; what is too large for a model is made smaller."""
    from base64 import b64decode  # only who shows a picture pays for this

    try:
        content = b64decode("".join(data.split()), validate=True)  # some wrap it into lines
    except ValueError:
        raise BadLine("The line has a picture whose data is not base64.") from None
    try:
        return attached(content, "picture")
    except ValueError as problem:
        raise BadLine(f"The line has a picture that cannot be used: {problem}") from None
