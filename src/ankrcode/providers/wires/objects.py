"""JSON objects one after the other: an array that grows, lines, or nothing between them.

Gemini streams an array where nobody asks for server-sent events.
"""

import re

from ankrcode.providers.wires.loose import Malformed
from ankrcode.providers.wires.splitter import MAX_PAYLOAD_BYTES

_OUTSIDE = re.compile(rb'["{}]')  # what matters between strings
_INSIDE = re.compile(rb'[^"\\]*(?:\\.[^"\\]*)*', re.DOTALL)  # up to the quote that ends a string


class Objects:
    """Finds where each outermost object ends. What stands between them says nothing."""

    stray = b""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._at = 0  # how far it was looked through
        self._start = -1  # of the object that is open
        self._depth = 0
        self._in_string = False

    def feed(self, data: bytes) -> list[tuple[str, bytes]]:
        self._buffer += data
        found: list[tuple[str, bytes]] = []
        while self._step(found):
            pass
        keep = self._start if self._start >= 0 else self._at
        del self._buffer[:keep]
        self._at -= keep
        self._start = 0 if self._start >= 0 else -1
        if len(self._buffer) > MAX_PAYLOAD_BYTES:
            raise Malformed("an object without end")
        return found

    def end(self) -> list[tuple[str, bytes]]:
        rest = bytes(self._buffer) if self._start >= 0 else b""
        self._buffer.clear()
        return [("", rest)] if rest else []

    def _step(self, found: list[tuple[str, bytes]]) -> bool:
        """To the next mark that matters; False where more bytes are needed."""
        if self._in_string:
            return self._leave_string()
        mark = _OUTSIDE.search(self._buffer, self._at)
        if mark is None:
            self._at = len(self._buffer)
            return False
        self._at = mark.end()
        if mark[0] == b'"':
            self._in_string = self._depth > 0
        elif mark[0] == b"{":
            if self._depth == 0:
                self._start = mark.start()
            self._depth += 1
        elif self._depth > 0:
            self._depth -= 1
            if self._depth == 0:
                found.append(("", bytes(self._buffer[self._start : self._at])))
                self._start = -1
        return True

    def _leave_string(self) -> bool:
        inside = _INSIDE.match(self._buffer, self._at)
        self._at = inside.end() if inside else self._at
        if self._buffer[self._at : self._at + 1] != b'"':
            return False  # its end, or what follows a backslash, is still to come
        self._at += 1
        self._in_string = False
        return True
