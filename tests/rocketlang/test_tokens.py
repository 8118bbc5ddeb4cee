"""A line in pieces: quotations untouched, case endings cut off, punctuation read."""

import pytest

from ankrcode.rocketlang.lexicon import LANGUAGES, lexicon_for
from ankrcode.rocketlang.tokens import tokenise, unquoted

LEXICON = lexicon_for(LANGUAGES)


def kinds(text: str) -> list[tuple[str, str]]:
    return [(token.kind, token.text) for token in tokenise(text, LEXICON)]


def texts(text: str) -> list[str]:
    return [token.text for token in tokenise(text, LEXICON)]


# ── quotations ────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("text", "inner"),
    [
        ('"a  b"', "a  b"),
        ("'a b'", "a b"),
        ("“a b”", "a b"),
        ("‘a b’", "a b"),
        ("`a b`", "a b"),
        ("«a b»", "a b"),
        ('“a b"', "a b"),
        ('"it\'s"', "it's"),
        ("'it's'", "it's"),
        ("'say \"x\"'", 'say "x"'),
        ('"a \\"b\\" c"', 'a "b" c'),
        ('""', ""),
        ('"a;b|c"', "a;b|c"),
        ('"पढ़ो\u200d"', "पढ़ो\u200d"),
        ('"A.B"', "A.B"),
        ('"line\nline"', "line\nline"),
    ],
)
def test_a_quotation_is_kept_as_it_stands(text: str, inner: str) -> None:
    assert kinds(text) == [("str", inner)]


def test_an_apostrophe_inside_a_word_opens_nothing() -> None:
    assert kinds("don't x") == [("word", "don't"), ("word", "x")]


def test_a_quotation_that_is_never_closed_is_its_own_kind() -> None:
    assert [kind for kind, _ in kinds('find "foo in src')] == ["word", "open"]


def test_a_quotation_may_stand_right_behind_a_word() -> None:
    assert kinds('mein"foo"ko') == [("word", "mein"), ("str", "foo"), ("word", "ko")]


@pytest.mark.parametrize(
    ("text", "ending"),
    [('"foo"-ஐ', "ஐ"), ('"foo"-ai', "ai"), ('"foo"ని', "ని"), ("'x'-aaga", "aaga")],
)
def test_an_ending_behind_a_quotation_is_a_word(text: str, ending: str) -> None:
    assert texts(text)[1:] == [ending]


# ── endings written onto words ────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("srcలో", ["src", "లో"]),
        ("app.py-ஐ", ["app.py", "ஐ"]),
        ("libमध्ये", ["lib", "मध्ये"]),
        ("app.pyని", ["app.py", "ని"]),
        ("src-il", ["src", "il"]),
        ("src-la", ["src", "la"]),
        ("src-lo", ["src", "lo"]),
        ("app.py-ai", ["app.py", "ai"]),
        ("app.py-a", ["app.py", "a"]),
        ("app.pyni", ["app.py", "ni"]),
        ("README.mdla", ["README.md", "la"]),
        ("app.pyನಲ್ಲಿ", ["app.py", "ನಲ್ಲಿ"]),
    ],
)
def test_a_case_ending_is_cut_off(text: str, parts: list[str]) -> None:
    assert texts(text) == parts


@pytest.mark.parametrize(
    "text",
    ["feature-x", "log-in", "built-in", "feature-a", "to-do", "pre-commit", "जुना-नाम.txt", "x.pyx"],
)
def test_a_name_with_a_hyphen_stays_whole(text: str) -> None:
    assert texts(text) == [text]


# ── punctuation ───────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "text", ["app.py.", "app.py!", "app.py।", "(app.py)", "app.py:", "app.py…"]
)
def test_punctuation_is_no_part_of_a_path(text: str) -> None:
    assert kinds(text)[0] == ("path", "app.py")


def test_a_question_mark_is_heard() -> None:
    assert [kind for kind, _ in kinds("app.py hatao?")] == ["path", "word", "question"]


def test_commas_separate_even_without_spaces() -> None:
    assert kinds("a.py,b.py, c.py") == [
        ("path", "a.py"),
        ("comma", ","),
        ("path", "b.py"),
        ("comma", ""),
        ("path", "c.py"),
    ]


def test_separators_and_pipes_stand_alone() -> None:
    assert [kind for kind, _ in kinds("a; b\nc | d")] == [
        "word",
        "sep",
        "word",
        "sep",
        "word",
        "pipe",
        "word",
    ]


def test_a_danda_by_itself_is_a_stop() -> None:
    assert [kind for kind, _ in kinds("पढ़ो ।")] == ["word", "stop"]


@pytest.mark.parametrize("text", [".", "..", "./a", ".env", "a/."])
def test_dots_that_mean_something_stay(text: str) -> None:
    assert texts(text) == [text]


# ── numbers ───────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("text", ["10th", "10वीं", "१०वीं", "10-ஆம்", "10vi", "10ನೇ", "1st", "2nd"])
def test_an_ordinal_is_a_number_with_an_ending(text: str) -> None:
    kind, number = kinds(text)[0]
    assert kind == "ordinal"
    assert number in {"10", "1", "2"}


def test_a_range_keeps_its_ends_in_ascii() -> None:
    assert kinds("१०-२०") == [("range", "10-20")]


# ── bounds ────────────────────────────────────────────────────────────────────────────────────
def test_no_more_tokens_are_read_than_asked_for() -> None:
    assert len(tokenise("a " * 500, LEXICON, most=20)) <= 21


def test_every_token_knows_where_it_stands() -> None:
    text = 'app.py mein "foo" hatao'
    for token in tokenise(text, LEXICON):
        piece = text[token.start : token.end]
        assert token.text in piece


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('a "b" c', "a   c"),
        ("don't x", "don't x"),
        ('a "b', 'a "b'),
        ("x 'y z' w", "x   w"),
        ("no quotes", "no quotes"),
    ],
)
def test_quotations_can_be_left_out(text: str, left: str) -> None:
    assert unquoted(text) == left
