"""What keeps a sentence from being a command, and what only looks as if it did."""

import pytest

from ankrcode.rocketlang.guards import asks, forbids, is_keyword, tells
from ankrcode.rocketlang.lexicon import LANGUAGES, lexicon_for, split, words_of
from ankrcode.rocketlang.tags import Unit, tag
from ankrcode.rocketlang.tokens import tokenise

LEXICON = lexicon_for(LANGUAGES)


def units(text: str) -> list[Unit]:
    return tag(tokenise(text, LEXICON), LEXICON)


def said(unit: Unit | None) -> str:
    return unit.text if unit else ""


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_word_that_forbids_is_heard_in_its_language(lang: str) -> None:
    for word in split(words_of(lang).negation):
        assert forbids(units(f"app.py {word} xyz"), lang) is not None, word


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_word_that_asks_is_heard_in_its_language(lang: str) -> None:
    for word in split(words_of(lang).questions):
        heard = units(f"app.py {word} xyz")
        assert asks(heard, lang) or tells(heard, lang) or forbids(heard, lang), word


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_word_that_tells_is_heard_in_its_language(lang: str) -> None:
    for word in split(words_of(lang).statements):
        heard = units(f"app.py {word} xyz")
        assert tells(heard, lang) or asks(heard, lang) or forbids(heard, lang), word


@pytest.mark.parametrize(
    ("text", "lang", "word"),
    [
        ("app.py mat hatao", "hi", "mat"),
        ("do not delete app.py", "en", "do not"),
        ("app.py நீக்கு", "ta", ""),
        ("app.py padho", "hi", ""),
        ('"mat hatao" dhoondo', "hi", ""),
        ("mat.py padho", "hi", ""),
        ("app.py padho na", "hi", ""),
        ("na padho app.py", "hi", "na"),
        ("app.py na padho", "hi", "na"),
    ],
)
def test_the_word_that_forbids_is_named(text: str, lang: str, word: str) -> None:
    assert said(forbids(units(text), lang)) == word


@pytest.mark.parametrize(
    ("word", "harmless", "guarding"),
    [("ka", "hi", "mr"), ("or", "hi", "en"), ("us", "hi", "en"), ("have", "", "mr")],
)
def test_a_word_guards_only_where_it_means_nothing_else(
    word: str, harmless: str, guarding: str
) -> None:
    heard = units(f"app.py {word} xyz")
    assert tells(heard, guarding) or asks(heard, guarding)
    if harmless:
        assert not tells(heard, harmless)
        assert not asks(heard, harmless)


def test_a_question_mark_asks() -> None:
    found = asks(units("app.py hatao?"), "hi")
    assert found is not None
    assert found.kind == "question"
    assert asks(units("file?.py hatao"), "hi") is None


@pytest.mark.parametrize(
    ("word", "lang", "expected"),
    [
        ("while", "hi", True),
        ("if", "te", True),
        ("None", "hi", True),
        ("none", "hi", False),
        ("not", "hi", False),
        ("why", "hi", False),
        ("while", "en", False),
        ("mat", "hi", False),
        ("agar", "hi", False),
        ("xyzzy", "hi", False),
    ],
)
def test_words_of_code_are_english_in_another_language(
    word: str, lang: str, expected: bool
) -> None:
    assert is_keyword(units(word)[0], lang) is expected
