"""What can go wrong between us and a server, before anybody understood a word."""

from typing import Any

from ankrcode.protocol.stream import FailureKind
from ankrcode.words import say


class TransportFault(Exception):
    """Never leaves this package: a model turns it into a `Failed` event."""

    def __init__(self, kind: FailureKind, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message

    @classmethod
    def of(cls, kind: FailureKind, key: str, /, **values: Any) -> "TransportFault":
        return cls(kind, say(key, **values))
