"""Tasks as JSON lines: `user` messages, each a task, and `control_request`/`interrupt`."""

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct

from ankrcode.protocol.result import Attachment

Line = dict[str, Any]


class Told(Struct, frozen=True, kw_only=True):
    """One line: a task, or a wish to stop."""

    text: str = ""
    attachments: tuple[Attachment, ...] = ()
    is_interrupt: bool = False


class BadLine(ValueError):
    """What is wrong with it."""


def told(line: bytes) -> Told:
    try:
        value = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as problem:
        raise BadLine(f"The line is not JSON: {problem}") from None
    kind = value.get("type") if isinstance(value, dict) else None
    if kind == "control_request" and _asked(value) == "interrupt":
        return Told(is_interrupt=True)
    message = value.get("message") if kind == "user" else None
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str) and content.strip():
        return Told(text=content)
    if isinstance(content, list):
        text = "\n".join(_texts(content)).strip()
        if text:
            return Told(text=text, attachments=tuple(_pictures(content)))
    raise BadLine('The line must be {"type": "user", "message": {"role": "user", "content": …}}.')


def _asked(value: Line) -> Any:
    request = value.get("request")
    return request.get("subtype") if isinstance(request, dict) else None


def _texts(content: list[Any]) -> Iterator[str]:
    for one in content:
        if isinstance(one, dict) and one.get("type") == "text" and isinstance(one.get("text"), str):
            yield one["text"]


def _pictures(content: list[Any]) -> Iterator[Attachment]:
    for one in content:
        source = one.get("source") if isinstance(one, dict) and one.get("type") == "image" else None
        if isinstance(source, dict) and isinstance(source.get("data"), str):
            mime = str(source.get("media_type", "image/png"))
            yield Attachment(type="image", mime=mime, data=source["data"])
