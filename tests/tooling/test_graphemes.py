"""Text is cut between characters as people see them, never inside one."""

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from ankrcode.tooling.graphemes import border_after, border_before, is_border

steady = settings(max_examples=400, deadline=None, derandomize=True, database=None)

PIECES = [
    *("क्षत्रिय", "नमस्ते", "ज़िंदगी", "श्री", "र्‍क", "ক্ষ", "ਸਿੰਘ", "கௌ", "తెలుగు", "ಕನ್ನಡ", "മലയാളം", "ന്‍റെ"),
    *("👨‍👩‍👧‍👦", "👋🏽", "❤️", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "1️⃣", "🇮🇳", "🇩🇪", "🇺"),
    *("\u1112\u1161\u11ab", "\u1100\u1100\uac00\u11a8", "한국어", "각", "각", "ᄀᄀ가"),
    *("e\u0301", "Z̷̢", "ﾊﾞ", "กำ", "ສຳ", "\u0600١", "\u200d", "\u200c", "\u0301", "\ufe0f"),
    *("\r\n", "\n", "\r", "\t", " ", "abc", "ß", "漢字", "\u00ad", "\u2028", "\x00"),
]
ALPHABET = sorted(set("".join(PIECES)))
TEXTS = st.lists(st.sampled_from(PIECES) | st.sampled_from(ALPHABET), max_size=12).map("".join)


def borders_of_the_oracle(text: str) -> set[int]:
    return {0, len(text), *(found.start() for found in regex.finditer(r"\X", text))}


@given(TEXTS)
@steady
def test_every_border_of_ours_is_one_of_unicodes(text: str) -> None:
    ours = {index for index in range(len(text) + 1) if is_border(text, index)}
    assert ours <= borders_of_the_oracle(text)


@given(TEXTS, st.integers(-3, 80))
@steady
def test_a_cut_moves_to_the_nearest_border_on_its_side(text: str, index: int) -> None:
    before, after = border_before(text, index), border_after(text, index)
    inside = max(0, min(index, len(text)))
    assert 0 <= before <= inside <= after <= len(text)
    assert is_border(text, before)
    assert is_border(text, after)
    assert not any(is_border(text, between) for between in range(before + 1, inside))


@given(st.text(st.characters(codec="ascii"), max_size=50), st.integers(0, 50))
@steady
def test_ordinary_text_is_cut_exactly(text: str, index: int) -> None:
    splits_a_line_end = text[index - 1 : index + 1] == "\r\n" if index else False
    if index <= len(text) and not splits_a_line_end:
        assert border_before(text, index) == border_after(text, index) == index


@given(st.text(st.characters(codec="latin-1", exclude_characters="\r"), max_size=50))
@steady
def test_every_place_in_a_western_text_is_a_border(text: str) -> None:
    assert all(is_border(text, index) for index in range(len(text) + 1))


@pytest.mark.parametrize(
    "word", ["क्ष", "क्‍ष", "ज्ञ", "स्त्रि", "ക്ഷ", "ক্ষ", "👩‍🚀", "🇮🇳", "\r\n", "\u1100\u1161\u11a8"]
)
def test_what_people_see_as_one_character_is_never_split(word: str) -> None:
    text = f"a{word}b"
    inside = range(2, len(text) - 1)
    assert not any(is_border(text, index) for index in inside)
    assert {border_before(text, index) for index in inside} == {1}
    assert {border_after(text, index) for index in inside} == {len(text) - 1}


def test_flags_in_a_row_are_cut_between_countries() -> None:
    text = "🇮🇳🇩🇪🇫🇷"
    assert [index for index in range(7) if is_border(text, index)] == [0, 2, 4, 6]


def test_a_made_up_character_without_end_is_cut_all_the_same() -> None:
    text = "a" + "\u0301" * 100_000
    assert border_before(text, 50_000) == 50_000
    assert border_after(text, 50_000) == 50_000
