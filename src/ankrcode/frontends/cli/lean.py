"""Two modules loaded without what they take along but we do not need: 5 ms less at a start.

Whoever wants the rest finds it as before.
"""

import sys
from types import ModuleType

_NOT_NEEDED = "typing_extensions"  # msgspec takes it where it finds it; Python has all it looks for
_SLOW = "urllib.parse"  # pathlib asks it for one function, which only `as_uri` uses
_SINCE = (3, 13)  # from here on pathlib waits until then by itself


def load_lean() -> None:
    """Before anything else of ours loads them."""
    _load_msgspec()
    _load_pathlib()


def _load_msgspec() -> None:
    if _NOT_NEEDED in sys.modules:
        return
    sys.modules[_NOT_NEEDED] = None  # type: ignore[assignment]
    try:
        import msgspec  # noqa: F401
    finally:
        del sys.modules[_NOT_NEEDED]


def _load_pathlib() -> None:
    if sys.version_info >= _SINCE or _SLOW in sys.modules or "pathlib" in sys.modules:
        return
    instead = ModuleType(_SLOW)
    instead.quote_from_bytes = _quote_from_bytes  # type: ignore[attr-defined]
    sys.modules[_SLOW] = instead
    try:
        import pathlib  # noqa: F401
    finally:
        del sys.modules[_SLOW]


def _quote_from_bytes(data: bytes) -> str:
    from urllib.parse import quote_from_bytes

    return quote_from_bytes(data)
