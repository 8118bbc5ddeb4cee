"""A line cut into pieces: signs and words apart, quotations whole."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.rocketlang.pieces import outside_quotes, pieces, plain


def texts(line: str) -> list[str]:
    return [one.text for one in pieces(line)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("a.py padho", ["a.py", "padho"]),
        ("a | b", ["a", "|", "b"]),
        ("a|b;c", ["a", "|", "b", ";", "c"]),
        ('"a | b" likho', ['"a | b"', "likho"]),
        ("'it is; so' likho", ["'it is; so'", "likho"]),
        ("“a;b” dhoondo", ["“a;b”", "dhoondo"]),
        ("‘a;b’ dhoondo", ["‘a;b’", "dhoondo"]),
        ("`a|b` chalao", ["`a|b`", "chalao"]),
        ("don't read a.py; b", ["don't", "read", "a.py", ";", "b"]),
        ("3 baar:", ["3", "baar", ":"]),
        ("http://x.org/a:b padho", ["http://x.org/a:b", "padho"]),
        ('x="a b"', ["x=", '"a b"']),
        ("x = 5", ["x", "=", "5"]),
        ("पढ़ो। हटाओ।", ["पढ़ो", "।", "हटाओ", "।"]),
        ('"foo"-ஐ மாற்று', ['"foo"', "-ஐ", "மாற்று"]),
        ('"never closed padho', ['"never', "closed", "padho"]),
        ("", []),
        ("   ", []),
    ],
)
def test_a_line_is_cut_into_words_signs_and_quotations(line: str, expected: list[str]) -> None:
    assert texts(line) == expected


def test_a_quotation_is_marked_and_has_no_word_to_compare() -> None:
    quoted, word = pieces('"agar" agar')
    assert (quoted.is_quoted, quoted.plain) == (True, "")
    assert (word.is_quoted, word.plain) == (False, "agar")


def test_an_escaped_quote_does_not_end_the_quotation() -> None:
    assert texts(r'"say \"a | b\" now" likho') == [r'"say \"a | b\" now"', "likho"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ख़त्म", "खत्म"),  # nukta
        ("पढ़", "पढ"),
        ("हाँ", "हां"),  # chandrabindu
        ("AGAR", "agar"),
        ("లేకపోతే\u200c", "లేకపోతే"),  # joiner
        ("agar,", "agar"),
    ],
)
def test_spellings_of_one_word_compare_equal(one: str, other: str) -> None:
    assert plain(one) == plain(other)


def test_what_is_quoted_is_not_searched() -> None:
    found = outside_quotes('a $x "b $y" $z', r"\$(\w)")
    assert [one[1] for one in found] == ["x", "z"]


@given(st.text(max_size=80))
def test_the_pieces_are_the_line_without_its_blanks(line: str) -> None:
    found = pieces(line)
    for one in found:
        assert line[one.start : one.end] == one.text
    ends = [0, *(one.end for one in found)]
    starts = [*(one.start for one in found), len(line)]
    assert all(not line[a:b].strip() for a, b in zip(ends, starts, strict=True))
