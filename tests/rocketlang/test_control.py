"""The words that hold a script together: every form of every language is found."""

from pathlib import Path

import pytest

from ankrcode import rocketlang
from ankrcode.rocketlang import control
from ankrcode.rocketlang.pieces import pieces

WORDS = Path(rocketlang.__file__).with_name("control_words.txt")
LANGUAGES = {"en", "hi", "mr", "ta", "te", "kn"}


def rows() -> list[tuple[str, str, list[str]]]:
    found = []
    for line in WORDS.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            head, _, forms = line.partition(" = ")
            role, language = head.split()
            found.append((role, language, forms.split(", ")))
    return found


FORMS = [(role, form) for role, _, forms in rows() for form in forms]


@pytest.mark.parametrize(("role", "form"), FORMS, ids=[f"{r} {f}" for r, f in FORMS])
def test_every_form_is_found_whole(role: str, form: str) -> None:
    found = control.whole(pieces(form), role)
    assert found is not None
    assert found.language.partition("-")[0] in LANGUAGES


@pytest.mark.parametrize(("role", "form"), FORMS, ids=[f"{r} {f}" for r, f in FORMS])
def test_a_form_in_quotes_is_only_text(role: str, form: str) -> None:
    assert control.at(pieces(f'"{form}"'), 0, role) is None


@pytest.mark.parametrize("role", ["IF", "ELSE", "END", "FOR", "TIMES", "LET", "SEQ", "AND", "DEF"])
def test_each_language_has_a_word_for_every_block(role: str) -> None:
    assert {language for one, language, _ in rows() if one == role} == LANGUAGES


def test_the_longest_form_wins() -> None:
    found = control.at(pieces("for each f"), 0, "FOR")
    assert found is not None
    assert found.length == 2
    found = control.at(pieces("har f"), 0, "FOR")
    assert found is not None
    assert found.length == 1


@pytest.mark.parametrize(
    ("word", "tag"), [("if", "en"), ("agar", "hi-Latn"), ("अगर", "hi"), ("jar", "mr-Latn")]
)
def test_the_language_is_told_with_its_script(word: str, tag: str) -> None:
    found = control.at(pieces(word), 0, "IF")
    assert found is not None
    assert found.language == tag


def test_beyond_the_end_there_is_nothing() -> None:
    assert control.at([], 0, "IF") is None
    assert control.at(pieces("agar"), 5, "IF") is None
    assert control.at(pieces("for"), 0, "IF") is None
