"""A program's output on its way to a file, without its secrets, and fast enough for a flood.

Floods are mostly one thing over and over, or hold too few kinds of characters for any secret. Such
blocks pass after a glance; only the rest is read by the redactor.
"""

import codecs
from collections import Counter
from collections.abc import Iterable
from functools import cache

from ankrcode.config import secret_patterns as patterns
from ankrcode.config import secret_tokens as tokens
from ankrcode.config.redactor import RedactedStream, Redactor

_MAX_PERIOD = 4_096
_PROBE_BYTES = 64
_AROUND_BYTES = 12_000  # no pattern but that of a private key looks further than this
_LONG_LINE = 4_096


class RedactedOutput:
    """Bytes that arrive in blocks; a secret may be split over several of them."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._stream = RedactedStream(redactor)
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._near = b""  # the unfinished line of a block that passed
        self._unit = b""  # what came over and over
        self._repeated = bytearray()  # and how often, the last time

    @property
    def held(self) -> bytes:
        """What came, but may still turn out to be part of a secret."""
        return self._reading + self._near

    @property
    def _reading(self) -> bytes:
        """What the redactor waits with."""
        return _encoded(self._stream.held) + self._decoder.getstate()[0]

    def feed(self, data: memoryview) -> Iterable[bytes | memoryview]:
        """What may be written now; parts of `data` itself, where nothing had to be changed."""
        if self._reading:  # at least to the end of the line it has begun
            end = bytes(data[:_LONG_LINE]).find(b"\n") + 1 or _LONG_LINE
            yield self._read(data[:end])
            data = data[end:]
        if not data:
            return
        near, self._near = self._near, b""
        if self._reading or not (self._is_repetition(near, data) or self._is_plain(near, data)):
            yield self._read(near + data)
            return
        tail = bytes(data[-_LONG_LINE:])
        if len(tail) == len(data) and b"\n" not in tail:  # still the same line
            near, data, tail = b"", memoryview(near + data), near + tail
        unfinished = tail[tail.rfind(b"\n") + 1 :][-_LONG_LINE:]
        yield near
        yield data[: len(data) - len(unfinished)]
        self._near = unfinished

    def end(self) -> bytes:
        """The rest."""
        rest, self._near = self._near, b""
        return self._read(rest) + _encoded(
            self._stream.feed(self._decoder.decode(b"", final=True)) + self._stream.end()
        )

    def _read(self, block: bytes | memoryview) -> bytes:
        return _encoded(self._stream.feed(self._decoder.decode(block)))

    def _is_plain(self, near: bytes, data: memoryview) -> bool:
        """Is no character there without which there is no secret?"""
        return all(map(self._tells_nothing, (near, bytes(data))))

    def _tells_nothing(self, block: bytes) -> bool:
        # Asked for here, not at the start: a command should not wait for it.
        telling = _telling_bytes(tuple(self._redactor.known))
        return block.isascii() and not any(byte in block for byte in telling)

    def _is_repetition(self, near: bytes, data: memoryview) -> bool:
        """Is it one thing over and over, and is that harmless?"""
        unit, known = self._unit, self._repeated
        period = len(unit)
        # A comparison takes far less time than a copy, and a flood is often the same all along.
        if not unit or known != data[:-period] or known != data[period:]:
            begin = bytes(data[: _MAX_PERIOD + _PROBE_BYTES])
            period = begin.find(begin[:_PROBE_BYTES], 1)
            if period < 0 or (known := bytearray(data[:-period])) != data[period:]:
                return False
            unit = begin[:period]
            is_turned = period == len(self._unit) and unit in 2 * self._unit
            if not is_turned and not self._is_harmless(unit):
                return False
            self._unit, self._repeated = unit, known
        return near.endswith(unit) or unit.endswith(near)

    def _is_harmless(self, unit: bytes) -> bool:
        sample = (unit * (2 + _AROUND_BYTES // len(unit))).decode(errors="surrogateescape")
        return self._redactor.redact(sample) == sample


def _encoded(text: str) -> bytes:
    return text.encode(errors="surrogateescape")


_DIGITS = b"0123456789"  # many floods are numbers


@cache
def _telling_bytes(known: tuple[str, ...]) -> tuple[bytes, ...]:
    """A few bytes of which every secret, or the words around it, has at least one."""
    words = [beginning for _, beginning, _ in tokens.TOKENS]
    words += [marker for _, marker, *_ in tokens.MARKED]
    words += [*patterns.AUTHORIZATION_BEGINS, *(word for word, _ in patterns.TELLING)]
    words += ("PRIVATE KEY", "://", "cookie", "sig", *tokens.JOINTS, *known)
    left, chosen = [set(word.lower().encode()) for word in words], list[bytes]()
    while left:  # always the one that most of the rest have
        counts = Counter(byte for word in left for byte in word)
        best = max(counts, key=lambda one: (one not in _DIGITS, counts[one], one))
        left = [word for word in left if best not in word]
        chosen += {bytes((best,)), bytes((best,)).upper()}
    return tuple(chosen)
