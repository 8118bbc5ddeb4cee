"""AWS's binary event stream: frames of headers and a payload, both guarded by checksums."""

from binascii import crc32
from collections.abc import Iterator
from struct import Struct as Layout

from ankrcode.providers.wires.loose import Malformed, encoded_text

_PRELUDE = Layout(">III")  # bytes of the frame, bytes of its headers, checksum of these two
_SUM = Layout(">I")
_MAX_FRAME = 24 * 1024 * 1024
_FIXED = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}  # bytes of a value by its type
_BYTES, _TEXT = 6, 7


class Frames:
    """Frames in, payloads out; an exception that comes as a frame is named `error`."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._stray = b""

    @property
    def stray(self) -> bytes:
        return self._stray

    def feed(self, data: bytes) -> Iterator[tuple[str, bytes]]:
        """One by one: a damaged frame must not take those before it along."""
        self._buffer += data
        at = 0
        try:
            while len(self._buffer) - at >= _PRELUDE.size:
                total, header_bytes = self._prelude(at)
                if len(self._buffer) - at < total:
                    break
                frame = bytes(self._buffer[at : at + total])
                at += total
                yield _opened(frame, header_bytes)
        finally:
            del self._buffer[:at]

    def end(self) -> list[tuple[str, bytes]]:
        self._buffer.clear()
        return []

    def _prelude(self, at: int) -> tuple[int, int]:
        total, header_bytes, checksum = _PRELUDE.unpack_from(self._buffer, at)
        if (
            crc32(self._buffer[at : at + 8]) != checksum
            or not _PRELUDE.size + header_bytes + _SUM.size <= total <= _MAX_FRAME
        ):
            raise Malformed("not the beginning of a frame")
        return total, header_bytes


def _opened(frame: bytes, header_bytes: int) -> tuple[str, bytes]:
    if crc32(frame[: -_SUM.size]) != _SUM.unpack_from(frame, len(frame) - _SUM.size)[0]:
        raise Malformed("a frame that was damaged on its way")
    border = _PRELUDE.size + header_bytes
    headers = _headers(frame[_PRELUDE.size : border])
    payload = frame[border : -_SUM.size]
    kind = headers.get(":message-type", "event")
    if kind == "event":
        return headers.get(":event-type", ""), payload
    return "error", _error(headers, payload)


def _error(headers: dict[str, str], payload: bytes) -> bytes:
    """Its name stands in the headers, its words in the payload or beside the name."""
    name = headers.get(":exception-type") or headers.get(":error-code", "")
    said = headers.get(":error-message", "") or payload.decode("utf-8", "replace")
    return encoded_text({"__type": name, "said": said}).encode()


def _headers(data: bytes) -> dict[str, str]:
    headers: dict[str, str] = {}
    at = 0
    try:
        while at < len(data):
            name_end = at + 1 + data[at]
            name, kind = data[at + 1 : name_end].decode(), data[name_end]
            at = name_end + 1
            if kind in (_BYTES, _TEXT):
                size = int.from_bytes(data[at : at + 2], "big")
                at += 2
            else:
                size = _FIXED[kind]
            if at + size > len(data):
                raise Malformed("a header without end")
            if kind == _TEXT:
                headers[name] = data[at : at + size].decode()
            at += size
    except (IndexError, KeyError, UnicodeDecodeError):
        raise Malformed("headers that make no sense") from None
    return headers
