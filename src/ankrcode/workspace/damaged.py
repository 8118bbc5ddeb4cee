"""UTF-8 with a few bytes in it that are none, as logs and old files have them.

Each such byte becomes a private character of its own (U+F780 to U+F7FF) and goes back to the same
byte, so the rest can be read and changed as what it is.
"""

import codecs
import re
from typing import Any

DAMAGED = "damaged-utf-8"
_ENOUGH, _MOST_BAD = 4, 0.1  # letters beyond ASCII that must be right, bad bytes for each of them
_BAD = "\udc80-\udcff"  # how Python shows them
_PRIVATE = 0xF700 - 0xDC00
_SHOWN = {code: code + _PRIVATE for code in range(0xDC80, 0xDD00)}
_BACK = {shown: code for code, shown in _SHOWN.items()}


def is_damaged(content: bytes) -> bool:
    """Is this UTF-8 but for a few bytes? What it is not, no other encoding looks like."""
    text = content.decode("utf-8", "surrogateescape")
    bad = len(re.findall(f"[{_BAD}]", text))
    good = len(re.findall(rf"[^\x00-\x7f{_BAD}]", text))
    return good >= _ENOUGH and bad <= good * _MOST_BAD


class _Decoder(codecs.BufferedIncrementalDecoder):
    def _buffer_decode(self, data: Any, _errors: str, final: bool) -> tuple[str, int]:  # noqa: FBT001
        text, used = codecs.utf_8_decode(data, "surrogateescape", final)
        return text.translate(_SHOWN), used


def _decode(data: Any, _errors: str = "strict") -> tuple[str, int]:
    return bytes(data).decode("utf-8", "surrogateescape").translate(_SHOWN), len(data)


def _encode(text: str, _errors: str = "strict") -> tuple[bytes, int]:
    return text.translate(_BACK).encode("utf-8", "surrogateescape"), len(text)


def _found(name: str) -> codecs.CodecInfo | None:
    if name != DAMAGED.replace("-", "_"):
        return None
    return codecs.CodecInfo(_encode, _decode, incrementaldecoder=_Decoder, name=DAMAGED)


codecs.register(_found)
