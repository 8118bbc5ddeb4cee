"""Sounds and slips."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.rocketlang.fuzzy import consonants, distance, letters, slips_allowed, sound
from torture import examples

WORDS = st.text(alphabet="abcdehkmnoprst", max_size=9)


@pytest.mark.parametrize(
    "spellings",
    [
        ("padho", "parho", "paRho", "padhho", "PADHO"),
        ("dhoondo", "dhundo", "doondo"),
        ("wapas", "vapas", "waapas"),
        ("chhapo", "chapo"),
        ("ezhuthu", "eluthu"),
        ("shodha", "sodha"),
        ("bārah", "barah"),
        ("पाँच", "पांच"),
        ("पढ़ो", "पढो"),
    ],
)
def test_spellings_of_one_sound_meet(spellings: tuple[str, ...]) -> None:
    assert len({sound(word) for word in spellings}) == 1


@pytest.mark.parametrize(
    ("one", "other"), [("hatao", "banao"), ("hatva", "halva"), ("odu", "kodu"), ("பாடு", "படி")]
)
def test_different_words_sound_different(one: str, other: str) -> None:
    assert sound(one) != sound(other)


@pytest.mark.parametrize(
    ("one", "other", "slips"),
    [
        ("hatao", "hatao", 0),
        ("hatao", "hatoa", 1),
        ("hatao", "htao", 1),
        ("hatao", "hataao", 1),
        ("hatao", "hatai", 1),
        ("delete", "delte", 1),
        ("delete", "deleet", 1),
        ("hatao", "banao", 2),
    ],
)
def test_slips_are_counted(one: str, other: str, slips: int) -> None:
    assert distance(one, other, 3) == slips


def test_what_is_too_far_is_only_said_to_be_far() -> None:
    assert distance("a", "abcdefgh", 2) == 3
    assert distance("abcd", "wxyz", 1) == 2


@given(WORDS, WORDS)
@examples(in_ci=200, in_torture=20_000)
def test_distance_is_even_handed_and_never_counts_too_little(one: str, other: str) -> None:
    away = distance(one, other, 20)
    assert away == distance(other, one, 20)
    assert (away == 0) == (one == other)
    assert away >= abs(len(one) - len(other))


@given(WORDS, WORDS, st.integers(0, 3))
@examples(in_ci=200, in_torture=20_000)
def test_the_letters_of_near_words_differ_little(one: str, other: str, limit: int) -> None:
    if distance(one, other, limit) <= limit:
        assert (letters(one) ^ letters(other)).bit_count() <= 2 * limit


def test_longer_words_may_hold_two_slips() -> None:
    assert slips_allowed("hatao") == 1
    assert slips_allowed("tolaginchu") == 2


def test_consonants_are_what_hurried_people_type() -> None:
    assert consonants("badlo") == consonants("bdlo")


@given(st.text())
@examples(in_ci=200, in_torture=20_000)
def test_every_text_has_a_sound(text: str) -> None:
    assert sound(text) == sound(text)
    assert isinstance(letters(sound(text)), int)
