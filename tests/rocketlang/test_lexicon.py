"""The words of six languages hold together."""

import string

import pytest

from ankrcode.rocketlang.lexicon import (
    CHANGING,
    LANGUAGES,
    lexicon_for,
    split,
    words_of,
)
from ankrcode.rocketlang.names import names
from ankrcode.rocketlang.normalise import languages_written, normalise

OPERATIONS = set(words_of("en").verbs) | {"CALL"}
LISTS = ("light", "aux", "fillers", "pronouns", "negation", "questions", "statements")
TABLES = ("verbs", "markers", "nouns", "joiners", "kinds", "numbers", "ordinals")
ALL = lexicon_for(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_form_is_clean(language: str) -> None:
    words = words_of(language)
    lists = [getattr(words, name) for name in LISTS]
    lists += [forms for name in TABLES for forms in getattr(words, name).values()]
    for listed in lists:
        for form in split(listed):
            assert form == normalise(form).strip().lower()
            assert "  " not in form
            assert not set(form) & set('"“”`;|()')


@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != "en"])
def test_forms_are_in_latin_letters_or_the_script_of_the_language(language: str) -> None:
    words = words_of(language)
    for name in TABLES:
        for listed in getattr(words, name).values():
            for form in split(listed):
                is_latin = set(form) <= set(string.ascii_letters + string.digits + " -.+’'")
                assert is_latin or language in languages_written(form), form
                assert is_latin or len(languages_written(form)) <= 2, form


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_operation_can_be_said(language: str) -> None:
    assert set(words_of(language).verbs) <= OPERATIONS
    spoken = {"READ", "SHOW", "WRITE", "CREATE", "ADD", "REPLACE", "DELETE", "FIND", "RUN", "CHECK"}
    spoken |= {"MOVE", "COPY", "COUNT", "UNDO", "REMEMBER", "RECALL", "ASK", "EXPLAIN", "FETCH"}
    assert spoken | {"SAY", "HELP", "LIST", "REDO"} <= set(words_of(language).verbs)


def test_no_word_is_a_verb_of_two_operations_in_one_language() -> None:
    for form, senses in ALL.forms.items():
        for language in LANGUAGES:
            operations = {
                one.value for one in senses if one.kind == "verb" and one.lang == language
            }
            assert len(operations) <= 1, (form, operations)


def test_no_word_is_a_changing_verb_here_and_another_verb_there() -> None:
    for form, senses in ALL.forms.items():
        operations = {one.value for one in senses if one.kind == "verb"}
        assert len(operations) <= 1 or not operations & CHANGING, (form, operations)


def test_sounds_of_changing_verbs_do_not_meet_other_verbs() -> None:
    for form in ALL.forms:
        verbs = [one for one in ALL.sounding_like(form) if one.kind == "verb"]
        operations = {one.value for one in verbs}
        assert len(operations) <= 1 or not operations & CHANGING, (form, operations)


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_that_forbid_are_not_also_something_harmless(language: str) -> None:
    own = lexicon_for((language,))
    for form in split(words_of(language).negation):
        kinds = {one.kind for one in own.senses(form)}
        assert kinds <= {"negation", "aux", "statement", "question"}, (form, kinds)


@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != "en"])
def test_markers_cover_the_roles_a_sentence_needs(language: str) -> None:
    assert {"IN", "OBJ", "BY", "TILL", "INSTEAD"} <= set(words_of(language).markers)


@pytest.mark.parametrize("language", LANGUAGES)
def test_numbers_reach_from_nought_to_a_thousand(language: str) -> None:
    numbers = {int(value) for value in words_of(language).numbers}
    assert numbers >= {*range(21), 30, 40, 50, 60, 70, 80, 90, 100, 1000}


def test_hindi_counts_every_number_to_a_hundred() -> None:
    assert {int(value) for value in words_of("hi").numbers} >= set(range(101))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_script_of_a_language_tells_and_refuses_in_full(language: str) -> None:
    english = words_of("en")
    words = words_of(language)
    scripts = {"roman"} if language == "en" else {"roman", "native"}
    assert set(words.tell) == set(words.faults) == scripts
    for script in scripts:
        assert set(words.tell[script]) == set(english.tell["roman"])
        assert set(words.faults[script]) == set(english.faults["roman"])
        for key, said in words.tell[script].items():
            assert fields(said) == fields(english.tell["roman"][key]), (key, said)


def fields(said: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(said) if name}


@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != "en"])
def test_native_sentences_are_native_and_romanised_ones_latin(language: str) -> None:
    words = words_of(language)
    for table in (words.tell, words.faults):
        for key, said in table["native"].items():
            assert language in languages_written(said) or key == "ambiguous_verb", said
        assert not any(languages_written(said) for said in table["roman"].values())


def test_languages_are_loaded_only_when_needed() -> None:
    small = lexicon_for(("en", "ta"))
    assert small.senses("padi")
    assert not small.senses("padho")
    assert lexicon_for(("en", "ta")) is small


@pytest.mark.parametrize(
    ("word", "operation"),
    [
        ("hatoa", "DELETE"),
        ("delte", "DELETE"),
        ("chlao", "RUN"),
        ("bdlo", "REPLACE"),
        ("dhondo", "FIND"),
    ],
)
def test_one_operation_is_near_a_slip(word: str, operation: str) -> None:
    assert {one.value for one in ALL.verbs_near(word)} == {operation}


@pytest.mark.parametrize("word", ["xyzzy", "banana split", "zz", "kho", "qwertyuiop"])
def test_nothing_is_near_what_is_far(word: str) -> None:
    assert ALL.verbs_near(word) == ()


@pytest.mark.parametrize(
    "word", ["நீக்காதே", "neekkathe", "తొలగించవద్దు", "tolaginchavaddu", "ಅಳಿಸಬೇಡ", "alisabeda", "odabeda"]
)
def test_verbs_that_forbid_are_known_by_their_endings(word: str) -> None:
    assert "negation" in [one.guard for one in ALL.inflections if one.covers(word)]


@pytest.mark.parametrize(
    "word",
    ["hataya", "hataunga", "हटाया", "हटवले", "நீக்கினேன்", "tolaginchanu", "aliside", "badalisida"],
)
def test_verbs_that_tell_are_known_by_their_endings(word: str) -> None:
    assert "statement" in [one.guard for one in ALL.inflections if one.covers(word)]


@pytest.mark.parametrize("word", ["login", "README", "config", "karta_hai", "sudoku"])
def test_other_words_have_no_such_endings(word: str) -> None:
    assert not [one for one in ALL.inflections if one.covers(word)]


def test_names_of_programs_and_files_are_at_hand() -> None:
    assert "npm" in names().programs
    assert "py" in names().endings
    assert "Makefile" in names().files
    assert "main" in names().branches
