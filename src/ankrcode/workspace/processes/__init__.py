"""Processes: started, read, bounded, ended with all they began."""

from importlib import import_module

_PLACES = {
    "Processes": "processes",
}


def __getattr__(name: str) -> object:
    """Loaded by its first use; `__init__.pyi` names it for type checkers."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
