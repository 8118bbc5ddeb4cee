"""One answer of HTTP/1.1 read from bytes, however they are split. No I/O.

The standard library's reader blocks and h11 costs 9 ms to import, a ninth of all that a first
request may load; what a client must understand of the grammar is small. Tests read the same
bytes with h11.
"""

from msgspec import Struct

from ankrcode.protocol.stream import FailureKind
from ankrcode.providers.transport.transport_fault import TransportFault

MAX_HEAD_BYTES = 64 * 1024
MAX_HEADERS = 200
_MAX_SIZE_DIGITS = 15
_MAX_LINE = 4_096
_INFORMATIONAL = range(100, 200)
_SWITCHING = 101
_BODILESS = (204, 304)
_HEX = frozenset(b"0123456789abcdefABCDEF")
_TOKEN = frozenset(b"!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz")


class Head(Struct, frozen=True, kw_only=True):
    status: int
    headers: dict[str, str]  # names in lower case; repeated ones joined by a comma
    keeps_alive: bool


class AnswerReader:
    """`feed` gives the body's bytes; `head` is there once the head is whole."""

    def __init__(self) -> None:
        self.head: Head | None = None
        self.is_done = False
        self.has_begun = False
        self._buffer = bytearray()
        self._left: int | None = None  # of the body or of this chunk; None: until the end
        self._is_chunked = False
        self._in_trailers = False
        self._needs_line_end = False

    @property
    def keeps_alive(self) -> bool:
        """May the connection serve another request? Not with bytes that nobody asked for."""
        return bool(self.is_done and self.head and self.head.keeps_alive and not self._buffer)

    def feed(self, data: bytes) -> list[bytes]:
        """What these bytes add to the body."""
        self.has_begun = self.has_begun or bool(data)
        if self.head is not None and not self._is_chunked and not self._buffer:
            return self._plain(data)
        self._buffer += data
        while self.head is None:
            if not self._read_head():
                return []
        if self._is_chunked:
            return self._chunks()
        data = bytes(self._buffer)
        self._buffer.clear()
        return self._plain(data)

    def end(self) -> None:
        """The server closed the connection: right only where that is how the body ends."""
        if self.is_done:
            return
        if self.head is not None and not self._is_chunked and self._left is None:
            self.is_done = True
            return
        if not self.has_begun:
            raise TransportFault.of(FailureKind.NETWORK, "http_closed")
        raise TransportFault.of(FailureKind.CUT, "http_cut")

    def _plain(self, data: bytes) -> list[bytes]:
        if self.is_done or not data:
            self._buffer += data
            return []
        if self._left is None:
            return [data]
        body = data[: self._left]
        self._left -= len(body)
        self._buffer += data[len(body) :]
        self.is_done = self._left == 0
        return [body]

    def _read_head(self) -> bool:
        end, width = _end_of_head(self._buffer)
        if end < 0:
            if len(self._buffer) > MAX_HEAD_BYTES or not b"HTTP/".startswith(self._buffer[:5]):
                raise _not_http()
            return False
        lines = bytes(self._buffer[:end]).split(b"\n")
        del self._buffer[: end + width]
        status, is_new = _status(lines[0])
        headers = _headers(lines[1:])
        if status == _SWITCHING:
            raise _not_http()
        if status in _INFORMATIONAL:
            return bool(self._buffer)
        self._frame(status, headers, is_new=is_new)
        return True

    def _frame(self, status: int, headers: dict[str, str], *, is_new: bool) -> None:
        """How long the body is: by its coding, its length, or the end of the connection."""
        coding = headers.get("transfer-encoding", "").lower()
        length = headers.get("content-length")
        options = [option.strip() for option in headers.get("connection", "").lower().split(",")]
        keeps_alive = "close" not in options and (is_new or "keep-alive" in options)
        if status in _BODILESS:
            self.is_done = True
        elif coding:
            if coding != "chunked":
                raise _not_http()
            self._is_chunked, self._left = True, 0
            keeps_alive = keeps_alive and length is None  # both: somebody is confused
        elif length is not None:
            self._left = _length(length)
            self.is_done = self._left == 0
        else:
            keeps_alive = False
        self.head = Head(status=status, headers=headers, keeps_alive=keeps_alive)

    def _chunks(self) -> list[bytes]:
        pieces: list[bytes] = []
        while not self.is_done and self._next_chunk(pieces):
            pass
        return pieces

    def _next_chunk(self, pieces: list[bytes]) -> bool:
        """One step; false when more bytes are needed."""
        if self._left:
            piece = bytes(self._buffer[: self._left])
            del self._buffer[: len(piece)]
            self._left -= len(piece)
            if piece:
                pieces.append(piece)
            self._needs_line_end = self._left == 0
            return bool(piece)
        line = self._line()
        if line is None:
            return False
        if self._in_trailers:
            self.is_done = not line
        elif self._needs_line_end:
            if line:
                raise _not_http()
            self._needs_line_end = False
        else:
            self._left = _chunk_size(line)
            self._in_trailers = self._left == 0
        return True

    def _line(self) -> bytes | None:
        end = self._buffer.find(b"\n")
        if end < 0:
            if len(self._buffer) > _MAX_LINE:
                raise _not_http()
            return None
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        return line.removesuffix(b"\r")


def _end_of_head(buffer: bytearray) -> tuple[int, int]:
    """Where the blank line is, and how long; a bare line feed ends a line too."""
    window = buffer[:MAX_HEAD_BYTES]
    strict, bare = window.find(b"\n\r\n"), window.find(b"\n\n")
    if strict >= 0 and (bare < 0 or strict < bare):
        return strict, 3
    return bare, 2


def _status(line: bytes) -> tuple[int, bool]:
    version, _, rest = line.rstrip(b"\r").partition(b" ")
    code = rest[:3]
    is_whole = len(code) == 3 and code.isdigit() and rest[3:4] in (b"", b" ")  # noqa: PLR2004
    if version not in (b"HTTP/1.1", b"HTTP/1.0") or not is_whole or code < b"100":
        raise _not_http()
    return int(code), version == b"HTTP/1.1"


def _headers(lines: list[bytes]) -> dict[str, str]:
    if len(lines) > MAX_HEADERS:
        raise _not_http()
    headers: dict[str, str] = {}
    for line in lines:
        raw_name, colon, raw_value = line.rstrip(b"\r").partition(b":")
        name = raw_name.lower()
        if not colon or not name or not _TOKEN.issuperset(name):
            raise _not_http()
        value = raw_value.strip(b" \t").decode("latin-1")
        if "\r" in value or "\0" in value:
            raise _not_http()
        key = name.decode("ascii")
        headers[key] = f"{headers[key]}, {value}" if key in headers else value
    return headers


def _length(value: str) -> int:
    """Repeated lengths are one if they agree."""
    lengths = {part.strip() for part in value.split(",")}
    number = lengths.pop()
    if lengths or not number.isascii() or not number.isdigit() or len(number) > _MAX_SIZE_DIGITS:
        raise _not_http()
    return int(number)


def _chunk_size(line: bytes) -> int:
    digits = line.partition(b";")[0].strip(b" \t")
    if not (0 < len(digits) <= _MAX_SIZE_DIGITS and _HEX.issuperset(digits)):
        raise _not_http()
    return int(digits, 16)


def _not_http() -> TransportFault:
    return TransportFault.of(FailureKind.PROTOCOL, "http_garbled")
