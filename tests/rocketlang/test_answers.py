"""Yes and no in six languages; whatever is neither is no yes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.rocketlang.answers import answered

YES = [
    *("y", "Y", "yes", "Yes!", "ok", "sure", "yes please"),
    *("haan", "ha", "haan ji", "ji haan", "theek hai", "हाँ", "हां", "जी हाँ", "ठीक", "हाँ करो"),
    *("ho", "hoy", "हो", "होय"),
    *("aama", "aam", "sari", "ஆம்", "ஆமாம்", "சரி"),
    *("avunu", "sare", "అవును", "సరే"),
    *("haudu", "houdu", "ಹೌದು", "ಸರಿ"),
]
NO = [
    *("n", "no", "No.", "never", "nope", "don't"),
    *("nahi", "nahin", "na", "mat karo", "नहीं", "मत", "haan nahi", "yes no"),
    *("nako", "नको", "नाही"),
    *("illai", "vendaam", "இல்லை", "வேண்டாம்"),
    *("vaddu", "వద్దు", "లేదు"),
    *("beda", "illa", "ಬೇಡ", "ಇಲ್ಲ"),
]


@pytest.mark.parametrize("text", YES)
def test_a_yes(text: str) -> None:
    assert answered(text) is True


@pytest.mark.parametrize("text", NO)
def test_a_no_also_where_a_yes_stands_beside_it(text: str) -> None:
    assert answered(text) is False


@pytest.mark.parametrize(
    "text",
    ["", "  ", "maybe", "what?", "yes but first read it", "yesterday", "karo mat", "q"],
)
def test_whatever_is_neither_is_no_yes(text: str) -> None:
    assert answered(text) is not True


@given(st.text(max_size=30))
def test_no_other_text_is_a_yes(text: str) -> None:
    if answered(text):
        assert text.strip().strip(".!।,").split()
