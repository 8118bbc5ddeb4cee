"""The words that hold a script together, in six languages: read from `control_words.txt`."""

from functools import cache
from pathlib import Path

from msgspec import Struct

from ankrcode.rocketlang.pieces import Piece, plain

Form = tuple[str, ...]


class Found(Struct, frozen=True):
    """A control word: how many pieces it takes, and in which language it was said."""

    length: int
    language: str


@cache
def _rows() -> dict[str, list[tuple[str, str]]]:
    """By role: each language with its forms, as they stand in the file."""
    rows: dict[str, list[tuple[str, str]]] = {}
    text = Path(__file__).with_name("control_words.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line and not line.startswith("#"):
            head, _, listed = line.partition(" = ")
            role, _, language = head.partition(" ")
            rows.setdefault(role, []).append((language, listed))
    return rows


@cache
def _forms(role: str) -> dict[str, list[tuple[Form, str]]]:
    """By first word: the forms, the longest first, each with its language."""
    forms: dict[str, list[tuple[Form, str]]] = {}
    for language, listed in _rows()[role]:
        for form in listed.split(", "):
            words = tuple(plain(form).split())
            kept = forms.setdefault(words[0], [])
            if all(words != one for one, _ in kept):
                kept.append((words, language))
    for kept in forms.values():
        kept.sort(key=lambda one: -len(one[0]))
    return forms


def at(pieces: list[Piece], index: int, role: str) -> Found | None:
    """Is the word here, with those that follow, one of this role?"""
    if index >= len(pieces):
        return None
    for words, language in _forms(role).get(pieces[index].plain, ()):
        following = tuple(one.plain for one in pieces[index : index + len(words)])
        if following == words:
            return Found(len(words), tagged(language, pieces[index].text))
    return None


def anywhere(pieces: list[Piece], role: str) -> bool:
    return any(at(pieces, index, role) for index in range(len(pieces)))


def whole(pieces: list[Piece], role: str) -> Found | None:
    """Is all of it one word of this role?"""
    found = at(pieces, 0, role)
    return found if found and found.length == len(pieces) else None


def tagged(language: str, word: str) -> str:
    """The language as the speaker writes it: `hi-Latn` where the word is in Latin letters."""
    return f"{language}-Latn" if language != "en" and word[:1].isascii() else language
