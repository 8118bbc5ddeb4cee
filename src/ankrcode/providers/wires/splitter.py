"""How bytes become payloads, whatever the wire puts between them."""

from collections.abc import Iterable
from typing import Protocol

MAX_PAYLOAD_BYTES = 64 * 1024 * 1024  # what one event may hold; an answer is far below it


class Splitter(Protocol):
    """Bytes in, payloads out, each with the name of its event where the wire has one."""

    def feed(self, data: bytes) -> Iterable[tuple[str, bytes]]:
        """The payloads these bytes complete."""

    def end(self) -> Iterable[tuple[str, bytes]]:
        """One that lacks only its end mark."""

    @property
    def stray(self) -> bytes:
        """Lines that were no event, such as those of a body in one piece."""
