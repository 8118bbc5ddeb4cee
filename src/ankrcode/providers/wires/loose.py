"""What came, taken for what it should be: a vendor's slip must not become an exception here."""

from typing import Any

import msgspec

from ankrcode.providers.wires.body import encoded

_MOST = 1e15  # no answer has more tokens
_ERROR_WORDS = (
    *("error", "errors", "message", "Message", "msg", "detail", "error_msg", "error_message"),
    *("fault", "Response"),
)
_decode = msgspec.json.Decoder().decode


class Malformed(ValueError):
    """Bytes that no reading makes sense of."""


def mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def count(value: Any) -> int:
    """A number of tokens."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < _MOST:
        return 0
    return int(value)


def key(value: Any) -> int | str | None:
    """The index or name of a block."""
    return value if isinstance(value, int | str) else None


def is_bare_error(event: dict[str, Any]) -> bool:
    """What somebody in between says in a form of their own; no event of any wire looks so."""
    if event.get("object") == "error" or any(event.get(word) for word in _ERROR_WORDS):
        return True
    return bool(mapping(event.get("base_resp")).get("status_code"))


def decoded(data: bytes | bytearray | str) -> Any:
    """One JSON value."""
    try:
        return _decode(data)
    except (ValueError, RecursionError):  # decode and Unicode errors are kinds of the first
        return _leniently(data)


def _leniently(data: bytes | bytearray | str) -> Any:
    """With what is no JSON by the letter and yet sent: half a character, a bare newline, NaN."""
    import json

    try:
        said = data if isinstance(data, str) else data.decode("utf-8")
        return json.loads(said.removeprefix("\ufeff"), strict=False)
    except (ValueError, RecursionError) as error:
        raise Malformed(str(error)) from None


def encoded_text(value: Any) -> str:
    """JSON as text."""
    return encoded(value).decode()
