"""Faults and questions in the speaker's language and script."""

import string
from pathlib import Path

import pytest

from ankrcode import words
from ankrcode.rocketlang.faults import Fault
from ankrcode.rocketlang.reading import Reading
from ankrcode.rocketlang.sentence import read_sentence
from ankrcode.rocketlang.speech import exact_sentence, fault_text, language_of, unsure_text
from ankrcode.words import catalogue, say

LANGUAGES = [f"{one}{script}" for one in ("hi", "mr", "ta", "te", "kn") for script in ("", "-Latn")]
ENGLISH = catalogue("en")


@pytest.mark.parametrize(
    ("lang", "script", "tag"),
    [("hi", "native", "hi"), ("hi", "roman", "hi-Latn"), ("en", "roman", "en")],
)
def test_the_catalogue_is_that_of_the_script(lang: str, script: str, tag: str) -> None:
    assert language_of(Reading(lang=lang, script=script)) == tag


def test_a_fault_is_told_with_its_line_and_what_may_have_been_meant() -> None:
    fault = Fault(code="unknown_command", message="“x” ?", suggestions=("a", "b"))
    assert fault_text(fault) == "“x” ? Did you mean: a / b"
    assert fault_text(fault, line=3).startswith("line 3: “x” ?")
    assert "मतलब" in fault_text(fault, language="hi")
    told = Fault(code="unknown_command", message="did you mean a / b?", suggestions=("a", "b"))
    assert fault_text(told) == "did you mean a / b?"


@pytest.mark.parametrize(
    ("text", "exact"),
    [
        ("old.log hatoa", "old.log hatao"),
        ("delet old.log", "delete old.log"),
        ('app.py mein "hatoa" ko "b" se badol', 'app.py mein "hatoa" ko "b" se badlo'),
    ],
)
def test_the_exact_sentence_does_the_same_without_a_question(text: str, exact: str) -> None:
    reading = read_sentence(text)
    assert reading.confirm
    said = exact_sentence(text, reading)
    assert said == exact
    again = read_sentence(said)
    assert (again.calls, again.confirm) == (reading.calls, False)
    assert exact in unsure_text(text, reading)


def test_where_no_single_word_is_wrong_there_is_no_exact_sentence() -> None:
    reading = Reading(confirm=True, lang="hi", explain="kuch karunga")
    assert exact_sentence("kuch bhi", reading) == ""
    assert "--yes" in unsure_text("kuch bhi", reading)


def test_every_language_has_a_catalogue_of_its_own() -> None:
    files = {file.stem for file in Path(words.__file__).parent.glob("*.txt")}
    assert files >= set(LANGUAGES)
    for language in LANGUAGES:
        assert catalogue(language) is not ENGLISH


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_says_the_same_as_the_others(language: str) -> None:
    assert set(catalogue(language)) == set(catalogue("hi"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sentence_and_its_advice_have_the_values_of_the_english_one(language: str) -> None:
    for key, (said, advised) in catalogue(language).items():
        english = ENGLISH[key]
        assert fields(said) == fields(english[0]), key
        assert bool(advised) == bool(english[1]), key
        assert fields(advised) <= fields(english[0]) | fields(english[1]), key


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_script_is_the_one_that_is_named(language: str) -> None:
    text = "".join(said for said, _ in catalogue(language).values())
    letters = [char for char in text if char.isalpha()]
    foreign = sum(not char.isascii() for char in letters)
    if language.endswith("-Latn"):
        assert foreign == 0
    else:
        assert foreign > len(letters) / 4


@pytest.mark.parametrize("language", [*LANGUAGES, "en"])
def test_the_examples_of_the_help_can_be_said(language: str) -> None:
    keys = [key for key in ENGLISH if key.startswith("help_")]
    examples = [
        example
        for key in keys
        if key not in ("help_intro", "help_script", "help_tools")
        for example in say(key, language=language).split(" · ")
    ]
    assert len(examples) >= 8
    for example in examples:
        reading = read_sentence(example)
        assert reading.fault is None, (example, reading.fault)
        assert not reading.confirm, example
