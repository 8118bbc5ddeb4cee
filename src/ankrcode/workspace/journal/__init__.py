"""What changed, by which call, and how to take it back: files, folders, links, shell commands."""

from importlib import import_module

_PLACES = {
    "Journal": "journal",
    "Pending": "journal",
    "Who": "journal",
}


def __getattr__(name: str) -> object:
    """Loaded by its first use; `__init__.pyi` names it for type checkers."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
