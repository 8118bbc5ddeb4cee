"""What people read, kept apart from the code that says it.

A catalogue is a file of this package named after its language (`en.txt`): key → what happened and
what to do, with `{named}` values. Code passes a key and values; a front end may render the same
pair in another language. English is the fallback. Keys are stable; the wording is free to improve.
"""

from functools import cache
from os.path import dirname, isfile, join  # pathlib would cost start-up 3 ms
from typing import Any

Catalogue = dict[str, tuple[str, str]]

_JOINERS = "\u200c\u200d"  # invisible, but part of how Indic words and emoji are written


def say(key: str, /, *, language: str = "en", **values: Any) -> str:
    """The sentence for `key`: what happened."""
    return _render(key, 0, language, values)


def advice(key: str, /, *, language: str = "en", **values: Any) -> str:
    """The sentence for `key`: what to do. Empty where nothing can be done."""
    return _render(key, 1, language, values)


@cache
def catalogue(language: str) -> Catalogue:
    """The words of one language; those of English where it has no catalogue."""
    file = join(dirname(__file__), f"{language}.txt")  # noqa: PTH118, PTH120 - see above
    if not (language.replace("-", "", 1).isalpha() and isfile(file)):  # noqa: PTH113
        return catalogue("en")
    with open(file, encoding="utf-8") as opened:  # noqa: PTH123
        return _parsed(opened.read())


def _parsed(text: str) -> Catalogue:
    """Read by hand: a reader of JSON or TOML would cost start-up more than all the words."""
    words: Catalogue = {}
    key = ""
    for line in text.splitlines():
        if line.startswith("  "):
            words[key] = (words[key][0], line[2:].replace("\\n", "\n"))
        elif line and not line.startswith("#"):
            key, _, said = line.partition(" = ")
            words[key] = (said.replace("\\n", "\n"), "")
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
