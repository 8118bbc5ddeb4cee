"""What people read, kept apart from the code that says it.

A catalogue is a module of this package named after its language (`en.py`) holding
`WORDS: dict[key, (what happened, what to do)]` with `{named}` values. Code passes a key and
values; a front end may render the same pair in another language. English is the fallback.
"""

from importlib import import_module
from typing import Any

Catalogue = dict[str, tuple[str, str]]

_JOINERS = "\u200c\u200d"  # invisible, but part of how Indic words and emoji are written


def say(key: str, /, *, language: str = "en", **values: Any) -> str:
    """The sentence for `key`: what happened."""
    return _render(key, 0, language, values)


def advice(key: str, /, *, language: str = "en", **values: Any) -> str:
    """The sentence for `key`: what to do. Empty where nothing can be done."""
    return _render(key, 1, language, values)


def catalogue(language: str) -> Catalogue:
    """The words of one language; those of English where it has no catalogue."""
    try:
        words: Catalogue = import_module(f"{__name__}.{language}").WORDS
    except ModuleNotFoundError:
        return catalogue("en")
    return words


def _render(key: str, part: int, language: str, values: dict[str, Any]) -> str:
    words = catalogue(language).get(key) if language != "en" else None
    if words is None:
        words = catalogue("en")[key]
    return words[part].format_map({name: _plain(value) for name, value in values.items()})


def _plain(value: Any) -> Any:
    """Text as one harmless line: control characters are shown, never sent to a terminal."""
    if isinstance(value, int | float):
        return value
    text = str(value)
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in _JOINERS else repr(c)[1:-1] for c in text)
