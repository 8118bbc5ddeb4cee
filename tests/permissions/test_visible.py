"""Text as it really is: nothing that a terminal obeys, hides, turns round or pushes away."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.permissions.visible import visible
from torture import examples

PLAIN = [
    "",
    "git commit -m 'one two'",
    'for f in *.py; do\n    echo "$f"\ndone',
    "echo 'naïve café – “quoted” … €'",
    "echo 'नमस्ते दुनिया'",
    "echo 'তোমার নাম', 'வணக்கம்', 'ನಮಸ್ಕಾರ', 'మీ పేరు', 'ગુજરાતી', 'ਪੰਜਾਬੀ'",
    "echo 'क्‍ष श्र ज्ञ'",  # a joiner inside a word belongs to its spelling
    "echo 'مرحبا بالعالم'",
    "echo 'می‌خواهم'",
    "echo '你好 世界 こんにちは 안녕하세요'",
    "echo 'Привет, мир' 'γειά σου'",
    "echo '👩‍👩‍👧 ❤️ 🇮🇳 👍🏽'",
    "a" + " " * 40 + "b",
    "a" + "\n" * 8 + "b",
]


@pytest.mark.parametrize("text", PLAIN)
def test_plain_text_stays_as_it_is(text: str) -> None:
    assert visible(text) == text


SHOWN = [
    # what a terminal obeys
    ("a\x1b[2Kb", "a\\e[2Kb"),
    ("a\x1b]0;title\x07b", "a\\e]0;title\\x07b"),
    ("a\rb", "a\\rb"),
    ("a\x08b", "a\\x08b"),
    ("a\x00b", "a\\x00b"),
    ("a\x7fb", "a\\x7fb"),
    ("a\x9b2Kb", "a\\u{9b}2Kb"),
    ("a\x0bb\x0cc", "a\\x0bb\\x0cc"),
    ("a\tb", "a\\tb"),
    # what turns text round
    ("\u202eabc\u202c", "\\u{202e}abc\\u{202c}"),
    ("a\u2066b\u2069", "a\\u{2066}b\\u{2069}"),
    ("a\u200eb\u200fc\u061cd", "a\\u{200e}b\\u{200f}c\\u{61c}d"),
    # what shows as nothing
    ("a\u200bb", "a\\u{200b}b"),
    ("a\u2060b\ufeffc", "a\\u{2060}b\\u{feff}c"),
    ("a\u00adb", "a\\u{ad}b"),
    ("rm\u200d -rf", "rm\\u{200d} -rf"),
    ("a\u200cb", "a\\u{200c}b"),
    ("x\u115f\u1160\u3164\uffa0y", "x\\u{115f}\\u{1160}\\u{3164}\\u{ffa0}y"),
    ("a\U000e0061\U000e0062b", "a\\u{e0061}\\u{e0062}b"),
    ("a\ufe00b\U000e0100c", "a\\u{fe00}b\\u{e0100}c"),
    ("a\u034fb\u17b4c", "a\\u{34f}b\\u{17b4}c"),
    ("a\u2800b", "a\\u{2800}b"),
    # what is a blank and is none
    ("a\u00a0b\u3000c\u2003d\u1680e", "a\\u{a0}b\\u{3000}c\\u{2003}d\\u{1680}e"),
    ("a\u2028b\u2029c\u0085d", "a\\u{2028}b\\u{2029}c\\u{85}d"),
    # what is no character
    ("a\ud800b", "a\\u{d800}b"),
    ("a\ue000b\U0010ffffc", "a\\u{e000}b\\u{10ffff}c"),
    # what is pushed out of sight
    ("a" + " " * 41 + "b", "a⟨41 blanks⟩b"),
    ("ls" + " " * 10_240 + "; rm x", "ls⟨10,240 blanks⟩; rm x"),
    ("a" + "\n" * 9 + "b", "a\n⟨8 empty lines⟩\nb"),
    ("a\n" + "  \n" * 500 + "b", "a\n⟨500 empty lines⟩\nb"),
    ("a  \nb ", "a··\nb·"),
    ("a" + "\t" * 3 + "b", "a\\t\\t\\tb"),
    # what looks like another letter
    ("р\u0430ypal", "\\u{440}\\u{430}ypal"),
    ("gіt status", "g\\u{456}t status"),
    ("αlias", "\\u{3b1}lias"),
    ("ｃurl", "\\u{ff43}url"),
    ("𝗋un", "\\u{1d5cb}un"),
]


@pytest.mark.parametrize(("text", "shown"), SHOWN)
def test_what_is_hidden_is_shown(text: str, shown: str) -> None:
    assert visible(text) == shown


ACTING = ("Cc", "Cf", "Co", "Cs", "Zl", "Zp", "Cn")


@pytest.mark.torture
@examples(in_ci=400, in_torture=50_000)
@given(text=st.text(max_size=60))
def test_nothing_that_acts_or_hides_is_left(text: str) -> None:
    shown = visible(text)
    for char in shown:
        category = unicodedata.category(char)
        assert char in "\n\u200c\u200d" or category not in ACTING, (text, char)
    assert "\x1b" not in shown


@pytest.mark.torture
@examples(in_ci=300, in_torture=20_000)
@given(text=st.text(st.sampled_from("ab \n\t\x1b\u202e\u200bр"), max_size=80))
def test_whatever_is_typed_visibly_stays(text: str) -> None:
    typed = [char for char in text if char in "ab"]
    shown = visible(text)
    for made in ("blanks", "empty lines", "\\u{202e}", "\\u{200b}", "\\u{440}"):
        shown = shown.replace(made, "")
    assert [char for char in shown if char in "ab"] == typed


@pytest.mark.torture
@examples(in_ci=200, in_torture=10_000)
@given(text=st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=60))
def test_ascii_is_never_changed_and_twice_is_once(text: str) -> None:
    assert visible(text) == text
    assert visible(visible(text)) == visible(text)


def test_a_very_long_text_is_shown_quickly_and_whole() -> None:
    text = "echo " + "x" * 100_000 + " ; rm y"
    assert visible(text) == text
    assert visible(" \n" * 100_000).count("\n") < 10
