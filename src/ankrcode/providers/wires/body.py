"""A request's body put together from pieces that are bytes already."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

_encode = msgspec.json.Encoder().encode


def encoded(value: Any) -> bytes:
    try:
        return _encode(value)
    except UnicodeEncodeError:  # a file's name, or a task, whose bytes are no UTF-8
        return _encode(_sayable(value))


def _sayable(value: Any) -> Any:
    """The same in characters that every vendor takes: a stray byte is shown as `\\xe9`."""
    match value:
        case str():
            whole = "".join(f"\\u{ord(one):x}" if _is_half(one) else one for one in value)
            return whole.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
        case dict():
            return {_sayable(key): _sayable(one) for key, one in value.items()}
        case list() | tuple():
            return [_sayable(one) for one in value]
    return value


def _is_half(char: str) -> bool:
    """Of a pair that never met; a stray byte is kept as one of the others."""
    return "\ud800" <= char < "\udc80" or "\udd00" <= char < "\ue000"


def listed(pieces: Iterable[bytes]) -> bytes:
    return b"[" + b",".join(pieces) + b"]"


def separated(forms: Sequence[bytes]) -> list[bytes]:
    """With commas between them; nothing is copied."""
    told = [b","] * (2 * len(forms) - 1) if forms else []
    told[::2] = forms
    return told


def body(
    head: Mapping[str, Any],
    pieces: Mapping[str, bytes | None],
    extra: Mapping[str, Any],
    name: str,
    conversation: Sequence[bytes],
) -> bytes:
    """One object: what stays the same in front, the conversation at the end.

    It is copied once, into the body. What a person put into `extra` takes the place of what is
    ours, but never of the conversation.
    """
    fields = {key: value for key, value in head.items() if value is not None}
    fields.update((key, value) for key, value in extra.items() if key != name)
    parts = [_encode(fields)[1:-1]] if fields else []
    for key, piece in pieces.items():
        if piece is not None and key not in extra:
            parts.append(_encode(key) + b":" + piece)
    front = b"{" + b",".join([*parts, _encode(name) + b":["])
    return b"".join([front, *conversation, b"]}"])


def marked(form: bytes, mark: bytes) -> bytes:
    """An encoded object with one more field; the rest of its bytes stays as it is."""
    return form[:-1] + b"," + mark + b"}"
