"""Bodies that come packed although we ask for plain ones: some proxies pack everything."""

import zlib
from collections.abc import Iterator

from ankrcode.protocol.stream import FailureKind
from ankrcode.providers.transport.transport_fault import TransportFault

_EITHER = 32 + zlib.MAX_WBITS  # gzip or zlib, as the body says
_BARE = -zlib.MAX_WBITS  # what some servers call deflate: without any head
_PIECE_BYTES = 256 * 1024
_GZIP = ("gzip", "x-gzip")
_ZLIB_METHOD, _ZLIB_CHECK = 8, 31  # RFC 1950: the low half of the first byte; both bytes' divisor


class Unpacker:
    """Packed bytes in, plain bytes out, never more than a piece at a time."""

    def __init__(self, coding: str) -> None:
        codings = {one.strip() for one in coding.lower().split(",")} - {"identity", ""}
        if codings != {"deflate"} and not (len(codings) == 1 and codings <= {*_GZIP}):
            raise TransportFault.of(FailureKind.PROTOCOL, "answer_packed", coding=coding)
        self._may_be_bare = codings == {"deflate"}
        self._begin = b""
        self._stream: zlib._Decompress | None = None

    def feed(self, data: bytes) -> Iterator[bytes]:
        if self._stream is None:
            self._begin += data
            if len(self._begin) < 2:  # noqa: PLR2004 - what shows how it is packed
                return
            data = self._begin
            self._stream = zlib.decompressobj(self._bits(data))
        try:
            yield from self._unpacked(data)
        except zlib.error:
            raise TransportFault.of(FailureKind.PROTOCOL, "answer_garbled") from None

    def _unpacked(self, data: bytes) -> Iterator[bytes]:
        while data:
            assert self._stream is not None
            if self._stream.eof:  # a body may be packed in several parts, and be filled up
                data = data.lstrip(b"\0")
                if self._may_be_bare or not data:
                    return
                self._stream = zlib.decompressobj(_EITHER)
            piece = self._stream.decompress(data, _PIECE_BYTES)
            data = self._stream.unconsumed_tail or self._stream.unused_data
            if piece:
                yield piece

    def _bits(self, data: bytes) -> int:
        has_head = data[0] & 0x0F == _ZLIB_METHOD and not int.from_bytes(data[:2]) % _ZLIB_CHECK
        return _BARE if self._may_be_bare and not has_head else _EITHER
