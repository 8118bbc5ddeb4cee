"""Server-sent events: lines of fields, events between blank lines.

Read as the standard says (CR, LF or both, a BOM, comments, data over several lines), and a little
more: the last event may lack its blank line, two events the blank line between them, and an error
may be a field of its own (llama.cpp) or a bare line.
"""

from ankrcode.providers.wires.loose import Malformed, decoded, mapping
from ankrcode.providers.wires.splitter import MAX_PAYLOAD_BYTES

_BOM = b"\xef\xbb\xbf"
_MAX_STRAY = 16 * 1024 * 1024


class Sse:
    """One stream of events. Cost is by line, never by byte."""

    def __init__(self) -> None:
        self._pending = bytearray()  # a line that has not ended
        self._data: list[bytes] = []
        self._data_bytes = 0
        self._name = ""
        self._after_cr = False
        self._is_begun = False
        self._stray = bytearray()

    @property
    def stray(self) -> bytes:
        return bytes(self._stray)

    def feed(self, data: bytes) -> list[tuple[str, bytes]]:
        if b"\r" in data or self._after_cr:
            data = self._with_newlines(data)
        end = data.rfind(b"\n")
        if end < 0:
            self._pending += data
            if len(self._pending) > MAX_PAYLOAD_BYTES:
                raise Malformed("an event without end")
            return []
        lines = data[:end].split(b"\n")
        if self._pending:
            lines[0] = bytes(self._pending) + lines[0]
        self._pending = bytearray(data[end + 1 :])
        return self._events(lines)

    def end(self) -> list[tuple[str, bytes]]:
        line, self._pending = bytes(self._pending), bytearray()
        return self._events([line, b""])

    def _with_newlines(self, data: bytes) -> bytes:
        """CR and CR LF as LF, also where a piece ends between the two."""
        if self._after_cr and data:
            self._after_cr = False
            data = data.removeprefix(b"\n")
        self._after_cr = data.endswith(b"\r") or (self._after_cr and not data)
        return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    def _events(self, lines: list[bytes]) -> list[tuple[str, bytes]]:
        if not self._is_begun:
            self._is_begun = True
            lines[0] = lines[0].removeprefix(_BOM)
        events: list[tuple[str, bytes]] = []
        for line in lines:
            if line[:5] == b"data:":
                self._add(line[6:] if line[5:6] == b" " else line[5:])
            elif not line:
                if self._data:
                    events.append((self._name, b"\n".join(self._data)))
                    self._data, self._data_bytes = [], 0
                self._name = ""
            elif error := self._other(line):
                events.append(("error", error))
        return events

    def _add(self, data: bytes) -> None:
        self._data.append(data)
        self._data_bytes += len(data)
        if self._data_bytes > MAX_PAYLOAD_BYTES:
            raise Malformed("an event without end")

    def _other(self, line: bytes) -> bytes:
        """A field that is no data; what it says where it is an error."""
        field, _, value = line.partition(b":")
        if field == b"event":
            self._name = value.strip().decode("utf-8", "replace")
        elif field == b"data":
            self._add(b"")
        elif field == b"error":
            return value.strip()
        elif _is_error(line):
            return line
        elif field not in (b"", b"id", b"retry") and len(self._stray) < _MAX_STRAY:
            self._stray += line + b"\n"
        return b""


def _is_error(line: bytes) -> bool:
    """One that somebody wrote among the events as it is."""
    if line[:1] != b"{" or b'"error"' not in line:
        return False
    try:
        return bool(mapping(decoded(line)).get("error"))
    except Malformed:
        return False
