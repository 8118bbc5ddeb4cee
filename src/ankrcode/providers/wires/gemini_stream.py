"""Gemini's stream in either form: server-sent events, or an array that grows."""

from collections.abc import Iterable

from ankrcode.providers.wires.objects import Objects
from ankrcode.providers.wires.splitter import Splitter
from ankrcode.providers.wires.sse import Sse

_BEFORE = b"\xef\xbb\xbf \t\r\n"


class GeminiStream:
    """The first byte that is no blank tells which."""

    def __init__(self) -> None:
        self._splitter: Splitter | None = None

    @property
    def stray(self) -> bytes:
        return self._splitter.stray if self._splitter is not None else b""

    def feed(self, data: bytes) -> Iterable[tuple[str, bytes]]:
        if self._splitter is None:
            data = data.lstrip(_BEFORE)
            if not data:
                return []
            self._splitter = Objects() if data[:1] in (b"[", b"{") else Sse()
        return self._splitter.feed(data)

    def end(self) -> Iterable[tuple[str, bytes]]:
        return self._splitter.end() if self._splitter is not None else []
