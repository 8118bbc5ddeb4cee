"""Bodies that come packed although we ask for plain ones: some proxies pack everything."""

import zlib
from collections.abc import Iterator

from ankrcode.protocol.stream import FailureKind
from ankrcode.providers.transport.transport_fault import TransportFault

_EITHER = 32 + zlib.MAX_WBITS  # gzip or zlib, as the body says
_PIECE_BYTES = 256 * 1024
_KNOWN = ("gzip", "x-gzip", "deflate")


class Unpacker:
    """Packed bytes in, plain bytes out, never more than a piece at a time."""

    def __init__(self, coding: str) -> None:
        if coding.strip().lower() not in _KNOWN:
            raise TransportFault.of(FailureKind.PROTOCOL, "answer_packed", coding=coding)
        self._stream = zlib.decompressobj(_EITHER)

    def feed(self, data: bytes) -> Iterator[bytes]:
        try:
            while data and not self._stream.eof:
                piece = self._stream.decompress(data, _PIECE_BYTES)
                data = self._stream.unconsumed_tail
                if piece:
                    yield piece
        except zlib.error:
            raise TransportFault.of(FailureKind.PROTOCOL, "answer_garbled") from None
