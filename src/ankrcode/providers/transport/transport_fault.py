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
        self.is_lasting = False  # waiting a moment does not mend it
        self.silent_place = ""  # an address of this machine where nobody listens

    @classmethod
    def of(cls, kind: FailureKind, key: str, /, **values: Any) -> "TransportFault":
        return cls(kind, say(key, **values))

    @classmethod
    def lasting(cls, kind: FailureKind, key: str, /, **values: Any) -> "TransportFault":
        fault = cls.of(kind, key, **values)
        fault.is_lasting = True
        return fault
