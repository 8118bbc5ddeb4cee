"""How often: a number in the digits of any script, or in words."""

from functools import cache
from pathlib import Path

import msgspec

from ankrcode.rocketlang.pieces import plain


class _Words(msgspec.Struct):
    numbers: dict[str, str] = {}


@cache
def _said() -> dict[str, int]:
    """Every number word of every language."""
    said: dict[str, int] = {}
    for file in sorted(Path(__file__).with_name("words").glob("*.json")):
        listed = msgspec.json.decode(file.read_bytes(), type=_Words).numbers
        for number, forms in listed.items():
            for form in forms.split(","):
                said.setdefault(plain(form.strip()), int(number))
    return said


def number_of(word: str) -> int | None:
    """The number that this word says; None if it says none."""
    if word.isdecimal():
        return int(word)
    return _said().get(plain(word))
