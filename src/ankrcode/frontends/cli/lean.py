"""msgspec without `typing_extensions`, which it takes where it finds it: 3 ms less at a start."""

import sys

_NOT_NEEDED = "typing_extensions"  # Python has all of it that msgspec looks for


def load_msgspec() -> None:
    """Before anything else of ours does; whoever wants the other finds it as before."""
    if _NOT_NEEDED in sys.modules:
        return
    sys.modules[_NOT_NEEDED] = None  # type: ignore[assignment]
    try:
        import msgspec  # noqa: F401
    finally:
        del sys.modules[_NOT_NEEDED]
