"""One JSON value per line."""

from ankrcode.providers.wires.loose import Malformed
from ankrcode.providers.wires.splitter import MAX_PAYLOAD_BYTES


class Ndjson:
    """Lines that hold something; a line may come in any number of pieces."""

    stray = b""

    def __init__(self) -> None:
        self._pending = bytearray()

    def feed(self, data: bytes) -> list[tuple[str, bytes]]:
        end = data.rfind(b"\n")
        if end < 0:
            self._pending += data
            if len(self._pending) > MAX_PAYLOAD_BYTES:
                raise Malformed("a line without end")
            return []
        whole = bytes(self._pending) + data[:end]
        self._pending = bytearray(data[end + 1 :])
        return [("", line) for line in whole.split(b"\n") if line.strip()]

    def end(self) -> list[tuple[str, bytes]]:
        line, self._pending = bytes(self._pending), bytearray()
        return [("", line)] if line.strip() else []
