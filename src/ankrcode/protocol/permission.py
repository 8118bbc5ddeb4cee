"""The four capabilities a tool may need (spec 3), and the modes a person may choose."""

from enum import StrEnum


class Permission(StrEnum):
    """A capability that a tool needs."""

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


def mode_named(name: Mode | str) -> Mode:
    """Raises `ModeError` where there is none of this name."""
    try:
        return Mode(name)
    except ValueError:
        from ankrcode.errors import ModeError  # only a slip pays for it

        raise ModeError.of("mode_unknown", name=name, names=", ".join(Mode)) from None
