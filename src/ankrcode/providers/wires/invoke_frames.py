"""Bedrock's invoke paths: the vendor's own events, in base64, in frames."""

from binascii import Error as Base64Error
from binascii import a2b_base64
from collections.abc import Iterator

from ankrcode.providers.wires.frames import Frames
from ankrcode.providers.wires.loose import Malformed, decoded, encoded_text, mapping, text


class InvokeFrames:
    """Frames in, the events inside them out."""

    def __init__(self) -> None:
        self._frames = Frames()

    @property
    def stray(self) -> bytes:
        return self._frames.stray

    def feed(self, data: bytes) -> Iterator[tuple[str, bytes]]:
        for name, payload in self._frames.feed(data):
            yield _unpacked(name, payload)

    def end(self) -> list[tuple[str, bytes]]:
        return self._frames.end()


def _unpacked(name: str, payload: bytes) -> tuple[str, bytes]:
    if name == "error":
        return name, _error(mapping(decoded(payload)))
    try:
        return "", a2b_base64(text(mapping(decoded(payload)).get("bytes")), strict_mode=True)
    except (Base64Error, ValueError):
        raise Malformed("not base64") from None


def _error(error: dict[str, str]) -> bytes:
    """A frame that failed, in the form of the events around it."""
    said = text(error.get("said"))
    try:
        told = mapping(decoded(said))
    except Malformed:
        told = {}
    told = {"message": said, **told, "__type": error.get("__type")}
    return encoded_text({"type": "error", "error": told}).encode()
