"""The four capabilities a tool may need (spec 3), and the modes a person may choose."""

from enum import StrEnum


class Permission(StrEnum):
    READ = "read"
    WRITE = "write"
    EXECUTE = "execute"
    NETWORK = "network"


class Mode(StrEnum):
    """How much may happen without a question."""

    DEFAULT = "default"
    PLAN = "plan"
    ACCEPT_EDITS = "acceptEdits"
    AUTO = "auto"
    DONT_ASK = "dontAsk"
    BYPASS = "bypass"
