"""What looks the same is spelled the same."""

import unicodedata

import pytest

from ankrcode.rocketlang.normalise import ascii_digits, is_indic, languages_written, normalise


def test_plain_text_stays_as_it_is() -> None:
    assert normalise("read src/app.py") == "read src/app.py"


@pytest.mark.parametrize("word", ["पढ़ो", "ढूँढो", "படிக்கவும்", "చదవండి", "ಓದಿ"])
def test_both_typings_of_a_letter_agree(word: str) -> None:
    forms = {normalise(unicodedata.normalize(form, word)) for form in ("NFC", "NFD")}
    assert len(forms) == 1


def test_a_letter_with_its_nukta_is_one_spelling() -> None:
    assert normalise("\u095d") == normalise("\u0922\u093c")


@pytest.mark.parametrize("mark", ["\u200d", "\u200c", "\u200b", "\ufeff", "\u00ad", "\u200e"])
def test_what_cannot_be_seen_is_dropped(mark: str) -> None:
    assert normalise(f"ఫైల్{mark}లో") == "ఫైల్లో"


@pytest.mark.parametrize("space", ["\u00a0", "\u2009", "\u3000"])
def test_every_space_is_a_space(space: str) -> None:
    assert normalise(f"a{space}b") == "a b"


def test_dandas_are_full_stops_and_curly_apostrophes_straight() -> None:
    assert normalise("पढ़ो।") == "पढ़ो."
    assert normalise("don’t") == "don't"


@pytest.mark.parametrize("digits", ["१२३", "௧௨௩", "౧౨౩", "೧೨೩", "123"])
def test_digits_of_our_scripts_become_ascii(digits: str) -> None:
    assert ascii_digits(digits) == "123"


def test_letters_and_signs_are_indic_and_latin_is_not() -> None:
    assert all(is_indic(character) for character in "कीதుಾ")
    assert not any(is_indic(character) for character in "az09é")


@pytest.mark.parametrize(
    ("text", "languages"),
    [
        ("app.py padho", ()),
        ("app.py पढ़ो", ("hi", "mr")),
        ("app.py படி", ("ta",)),
        ("app.py చదువు", ("te",)),
        ("app.py ಓದು", ("kn",)),
        ("line १० padho।", ()),
        ("café", ()),
    ],
)
def test_a_script_names_its_languages(text: str, languages: tuple[str, ...]) -> None:
    assert languages_written(text) == languages
