"""Modules loaded without what they take along but seldom use: 15 ms less at a start.

What they leave out they load when they do use it; everybody else finds it as before.
"""

import os
import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType

_NOT_NEEDED = "typing_extensions"  # msgspec takes it where it finds it; Python has all it looks for


class _Later(ModuleType):
    """Stands for a module until something is asked of it that is not known without it."""

    def __init__(self, name: str, **known: object) -> None:
        super().__init__(name)
        self.__dict__.update(known)

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):  # the import system looks whether it is a package
            raise AttributeError(name)
        _step_aside(self)
        return getattr(import_module(self.__name__), name)


class _LaterTls(_Later):
    """Asked about every socket: none is of a kind that was never loaded."""

    def __getattr__(self, name: str) -> object:
        if name == "SSLSocket" and sys.modules.get("ssl") in (None, self):
            return ()
        return super().__getattr__(name)


def load_lean(*names: str) -> None:
    """Before anything else of ours loads them."""
    if _NOT_NEEDED not in sys.modules:
        sys.modules[_NOT_NEEDED] = None  # type: ignore[assignment]
    waiting = [one for one in _stand_ins() if one.__name__ not in sys.modules]
    sys.modules.update({one.__name__: one for one in waiting})
    try:
        for name in names:
            import_module(name)
    finally:
        for one in waiting:
            _step_aside(one)
        if sys.modules[_NOT_NEEDED] is None:
            del sys.modules[_NOT_NEEDED]


def _stand_ins() -> tuple[_Later, ...]:
    schemas = "msgspec._json_schema"
    return (
        _Later("gettext", gettext=lambda text: text, ngettext=_one_or_many),
        _Later("urllib.parse", quote_from_bytes=_calls("urllib.parse", "quote_from_bytes")),
        _Later("platform", system=lambda: os.uname().sysname),
        _Later("msgspec.inspect"),
        _Later(
            schemas,
            schema=_calls(schemas, "schema"),
            schema_components=_calls(schemas, "schema_components"),
        ),
        _Later("locale"),
        _Later("tokenize"),
        _Later("textwrap"),
        _Later("inspect"),
        _LaterTls("ssl"),
        _Later("asyncio.sslproto"),
    )


def _step_aside(one: _Later) -> None:
    if sys.modules.get(one.__name__) is one:
        del sys.modules[one.__name__]


def _one_or_many(one: str, many: str, count: int) -> str:
    return one if count == 1 else many


def _calls(module: str, name: str) -> Callable[..., object]:
    """A function that is there before its module."""

    def function(*args: object, **options: object) -> object:
        return getattr(import_module(module), name)(*args, **options)

    return function
