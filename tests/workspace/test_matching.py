"""Where an edit belongs: exact, else the one place that can be meant, else nowhere."""

# ruff: noqa: E501 - tables are easier to read in one piece

import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.workspace.diffs import Change
from ankrcode.workspace.editing.indent import Style, shift_between, style_of
from ankrcode.workspace.editing.loose_lines import Lines, as_is, folded, split
from ankrcode.workspace.editing.matching import (
    ENDINGS,
    EXACT,
    INDENT,
    LOOK,
    NUMBERS,
    SIMILAR,
    TRAILING,
    Found,
    Lost,
    find,
)
from ankrcode.workspace.editing.report import explain
from torture import examples


def changed(text: str, changes: list[Change]) -> str:
    for change in reversed(changes):
        text = text[: change.start] + change.text + text[change.end :]
    return text


def edited(text: str, old: str, new: str, *, every: bool = False) -> tuple[str, str]:
    """The text after the edit, and how its place was found."""
    found = find(Lines(text), old, new, every=every, ranked=True)
    assert isinstance(found, Found), found
    return changed(text, found.changes), found.strategy


def lost(text: str, old: str, new: str = "new", *, ranked: bool = True) -> Lost:
    found = find(Lines(text), old, new, every=False, ranked=ranked)
    assert isinstance(found, Lost), found
    return found


# ── exact ─────────────────────────────────────────────────────────────────────────────────────
def test_the_exact_text_is_replaced_where_it_stands() -> None:
    assert edited("a b c\n", "b", "x") == ("a x c\n", EXACT)


@pytest.mark.parametrize(
    "new", ["$&", r"\1", r"\g<0>", "$1$$", "%s", "{0}", "\\", "\\n", "${old}", "&", "\\0"]
)
def test_nothing_in_the_replacement_is_special(new: str) -> None:
    assert edited("a b c\n", "b", new) == (f"a {new} c\n", EXACT)


@pytest.mark.parametrize("old", ["a.c", "[", "(", "^x$", "a|b", "\\d", "*"])
def test_nothing_in_the_text_to_find_is_special(old: str) -> None:
    assert edited(f"one {old} two\n", old, "x") == ("one x two\n", EXACT)


@pytest.mark.parametrize(
    ("text", "old", "count", "lines"),
    [
        ("a\nb\na\n", "a", 2, [1, 3]),
        ("aaa\n", "aa", 2, [1, 1]),
        ("\n\n\n", "\n\n", 2, [1, 2]),
        ("x" * 30, "x", 30, [1] * 20),
    ],
    ids=["two", "overlapping", "blank-lines", "many"],
)
def test_what_occurs_more_than_once_is_counted_with_its_lines(
    text: str, old: str, count: int, lines: list[int]
) -> None:
    assert lost(text, old) == Lost(count, lines, EXACT)


def test_every_occurrence_is_replaced_from_the_left_without_overlap() -> None:
    assert edited("aaaa b aaa", "aa", "x", every=True) == ("xx b xa", EXACT)


def test_an_exact_match_is_never_passed_over_for_a_loose_one() -> None:
    text = "    call()  \n  call()\ncall()\n"
    assert edited(text, "  call()\n", "  done()\n") == ("    call()  \n  done()\ncall()\n", EXACT)


@pytest.mark.parametrize(
    ("text", "old", "new", "after"),
    [
        ("a\r\nb\r\n", "b", "b\nc", "a\r\nb\r\nc\r\n"),
        ("a\r\nb", "b", "b\nc", "a\r\nb\r\nc"),
        ("a\nb\n", "b", "b\r\nc", "a\nb\r\nc\n"),
        ("a\r\nb\r\n", "a\r\n", "a\n", "a\nb\r\n"),
        ("a\r\nb\nc\n", "b\nc", "b\nx\nc", "a\r\nb\nx\nc\n"),
        ("a\nb\r\nc\r\n", "c", "c\nd", "a\nb\r\nc\r\nd\r\n"),
        ("one line", "one", "two\nthree", "two\nthree line"),
        ("a\rb\r", "b", "b\nc", "a\rb\rc\r"),
    ],
    ids=[
        "crlf",
        "last-line",
        "spelled-out",
        "aware",
        "mixed-lf",
        "mixed-crlf",
        "no-line-end",
        "old-mac",
    ],
)
def test_the_replacement_takes_the_line_ending_of_its_place_unless_it_spells_one_out(
    text: str, old: str, new: str, after: str
) -> None:
    assert edited(text, old, new) == (after, EXACT)


# ── ranked ────────────────────────────────────────────────────────────────────────────────────
RANKED = [
    # line endings
    ("a\r\nb\r\nc\r\n", "a\nb\n", "a\nB\n", "a\r\nB\r\nc\r\n", ENDINGS),
    ("a\nb\nc\n", "a\r\nb\r\n", "a\r\nB\r\n", "a\nB\nc\n", ENDINGS),
    ("x = a\r\nb = y\r\n", "a\nb", "1\n2", "x = 1\r\n2 = y\r\n", ENDINGS),
    ("a\r\nb\nc\r\n", "a\nb\nc", "a\nb\nx\nc", "a\r\nb\nx\nc\r\n", ENDINGS),
    ("a\nb", "a\nb\n", "a\nc\n", "a\nc", ENDINGS),
    ("a\nb", "b\n", "b\nc\n", "a\nb\nc", ENDINGS),
    ("a\r\nb\r\n", "\nb\n", "\nc\n", "a\r\nc\r\n", ENDINGS),
    ("a\rb\rc\r", "a\nb\n", "a\nx\ny\n", "a\rx\ry\rc\r", ENDINGS),
    # trailing blanks
    ("a  \nb\n", "a\nb\n", "a\nc\n", "a  \nc\n", TRAILING),
    ("a\nb\n", "a \nb\t\n", "a\nc\n", "a\nc\n", TRAILING),
    ("a\n\nb\n", "a\n    \nb\n", "a\n\nc\n", "a\n\nc\n", TRAILING),
    ("a\n    \nb\n", "a\n\nb\n", "a\n\nc\n", "a\n    \nc\n", TRAILING),
    ("foo = 1\nx = 10\n", "foo = 1  ", "foo = 2", "foo = 2\nx = 10\n", TRAILING),
    ("f(a) \r\ng()\r\n", "f(a)\ng()", "f(b)\ng()", "f(b)\r\ng()\r\n", TRAILING),
    # numbers
    ("a\nb\nc\n", "     2\tb", "     2\tx", "a\nx\nc\n", NUMBERS),
    ("a\nb\nc\n", "     2\tb\n     3\tc\n", "     2\tB\n     3\tc\n", "a\nB\nc\n", NUMBERS),
    ("a\nb\nc\n", "2→b\n3→c", "2→b\nnew\n3→c", "a\nb\nnew\nc\n", NUMBERS),
    ("a\nb \nc\n", "2\tb\n3\tc", "x\nc", "a\nx\nc\n", f"{NUMBERS}, {TRAILING}"),
    ("\ta\n\tb\n", "1\t    a\n2\t    b", "1\t    a", "\ta\n", f"{NUMBERS}, {INDENT}"),
    ("  a\n\n  b\n", "     1\t  a\n     2\t\n     3\t  b", "c", "c\n", NUMBERS),
    # look-alikes
    ("say “hi”\n", 'say "hi"', 'say "ho"', "say “ho”\n", LOOK),
    ("it’s 5\n", "it's 5", "it's 6", "it’s 6\n", LOOK),
    ("a – b\n", "a - b", "a - c", "a – c\n", LOOK),
    ("a\u00a0b\n", "a b", "a c", "a\u00a0c\n", LOOK),
    ("wait… ok\n", "wait... ok", "wait... no", "wait… no\n", LOOK),
    ("a\u200bb 1\n", "ab 1", "ab 2", "a\u200bb 2\n", LOOK),
    ('say "hi"\n', "say “hi”", "say “ho”", 'say "ho"\n', LOOK),
    ("cafe\u0301 1\n", "caf\u00e9 1", "caf\u00e9 2", "cafe\u0301 2\n", LOOK),
    ("caf\u00e9 1\n", "cafe\u0301 1", "cafe\u0301 2", "caf\u00e9 2\n", LOOK),
    ("x = “a”  \r\ny\r\n", 'x = "a"\ny', 'x = "a"\nz', "x = “a”  \r\nz\r\n", LOOK),
    ("print（1）\n", "print(1)", "print(2)", "print（2）\n", LOOK),
    # indentation
    ("\tif x:\n\t\ty\n", "    if x:\n        y\n", "    if x:\n        z\n", "\tif x:\n\t\tz\n", INDENT),
    ("    if x:\n        y\n", "\tif x:\n\t\ty\n", "\tif x:\n\t\tz\n", "    if x:\n        z\n", INDENT),
    ("        a\n        b\n", "    a\n    b\n", "    a\n    c\n", "        a\n        c\n", INDENT),
    ("  a\n    b\n", "      a\n        b\n", "      a\n        c\n", "  a\n    c\n", INDENT),
    ("\tx\r\n\ty\r\n", "  x\n  y\n", "  x\n  if z:\n    y\n", "\tx\r\n\tif z:\r\n\t\ty\r\n", INDENT),
    ("if a:\n  b\n  if c:\n    d\n", "    b\n    if c:\n        d\n", "    b\n    if c:\n        e\n",
     "if a:\n  b\n  if c:\n    e\n", INDENT),
    ("    a\n\n    b\n", "  a\n\n  b\n", "  a\n\n  c\n", "    a\n\n    c\n", INDENT),
    # similarity: blanks and quotes inside lines
    ("f(a,b)\ng( c )\nh(d)\n", "f(a, b)\ng(c)\nh(d)\n", "f(a, b)\ng(c)\ni(d)\n",
     "f(a,b)\ng( c )\ni(d)\n", SIMILAR),
    ("f(a, b,)\ng()\nh();\n", "f(a, b)\ng()\nh()\n", "f(a, b)\ni()\nh()\n", "f(a, b,)\ni()\nh();\n",
     SIMILAR),
    ("x = 'a'\ny = 'b'\nz = 1\n", 'x = "a"\ny = "b"\nz = 1\n', 'x = "a"\ny = "b"\nz = 2\n',
     "x = 'a'\ny = 'b'\nz = 2\n", SIMILAR),
]  # fmt: skip


@pytest.mark.parametrize(("text", "old", "new", "after", "strategy"), RANKED, ids=repr)
def test_the_one_place_that_is_meant_is_found_and_only_what_was_meant_changes(
    text: str, old: str, new: str, after: str, strategy: str
) -> None:
    assert edited(text, old, new) == (after, strategy)


@pytest.mark.parametrize(("text", "old", "new"), [case[:3] for case in RANKED], ids=repr)
def test_the_exact_setting_never_finds_them(text: str, old: str, new: str) -> None:
    assert lost(text, old, new, ranked=False) == Lost(0)


@pytest.mark.parametrize(
    ("text", "old", "strategy"),
    [
        ("a \nb\na  \nb\n", "a\nb\n", TRAILING),
        ("\tx\n  x\n", "    x\n", INDENT),
        ("‘x’\n“x”\n‘x’\n", "'x'", LOOK),
        ("a\nb\na\nb\n", "     1\ta\n     2\tb", NUMBERS),
        ("a\r\nb\r\na\r\nb\r\n", "a\nb", ENDINGS),
    ],
)
def test_a_loose_match_at_two_places_is_refused(text: str, old: str, strategy: str) -> None:
    found = lost(text, old)
    assert (found.count, found.strategy) == (2, strategy)


@pytest.mark.parametrize(
    ("text", "old"),
    [
        ("x = 10\n", "x = 1  "),
        ("def test_b():\n    x = make()\n    assert x\n", "def test_a():\n    x = make()\n    assert x\n"),
        ("if x != 1:\n    a()\n    b()\n", "if x == 1:\n    a()\n    b()\n"),
        ("    a\n        b\n", "a\nb\n"),
        ("a\n\tb\n  c\n", "  a\n  b\n  c\n"),
        ("abc\n", "   \n"),
        ("a\nb\n", "\n\n\n"),
        ("1\tone\n2\ttwo\n", "3\tone\n5\ttwo\n"),
        ("one two three\n", "9\tone two"),
        ("recieve the data\nand\nstore it\n", "receive the data\nand\nstore it\n"),
        ("", "a"),
        ("x = 'a'\ny()\nz()\n", "x = a\ny()\nz()\n"),
        ("f(ab)\ny()\nz()\n", "f(a, b)\ny()\nz()\n"),
        ("not x\ny()\nz()\n", "notx\ny()\nz()\n"),
        ("a\rb\r", "a\nc\n"),
    ],
    ids=["prefix", "name", "operator", "structure", "uneven", "blank", "blanks", "tsv", "part",
         "word", "empty", "quoted", "joined", "spaced", "old-mac"],
)  # fmt: skip
def test_what_cannot_be_told_is_refused(text: str, old: str) -> None:
    assert lost(text, old).count == 0


def test_similar_lines_need_a_clear_margin_over_the_runner_up() -> None:
    block = "first = make(1,2)\nsecond = make( 3 )\nthird = {}(4)\n"
    old = "first = make(1, 2)\nsecond = make(3)\nthird = send(4)\n"
    new = old.replace("4", "5")
    alone = block.format("send")
    assert edited(alone, old, new)[1] == SIMILAR
    assert lost(alone + "#\n" + block.format("sent"), old, new) == Lost(0)


def test_replace_all_never_uses_similarity() -> None:
    text, old = "f(a,b)\ng( c )\nh(d)\n", "f(a, b)\ng(c)\nh(d)\n"
    assert isinstance(find(Lines(text), old, "x", every=True, ranked=True), Lost)


def test_replace_all_takes_every_place_of_the_first_strategy_that_finds_any() -> None:
    text = "“a” 1\n‘a’ 2\n“a” 3\n"
    assert edited(text, '"a"', '"b"', every=True) == ("“b” 1\n‘a’ 2\n“b” 3\n", LOOK)
    text = "\tx()\n\t\tx()\n"
    assert edited(text, "      x()\n", "      y()\n", every=True) == ("\ty()\n\t\ty()\n", INDENT)


def test_a_line_between_matches_that_merely_holds_the_text_is_left_alone() -> None:
    assert edited("ab\n  a\n", "    a\n", "    c\n") == ("ab\n  c\n", INDENT)


# ── indentation ───────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("old", "have", "new", "after"),
    [
        (["a"], ["\ta"], ["a:", "    b", "        c"], ["\ta:", "\t\tb", "\t\t\tc"]),
        (["a"], ["\ta"], ["a:", "  b", "    c"], ["\ta:", "\t\tb", "\t\t\tc"]),
        (["a"], ["    a"], ["a:", "\tb", "\t\tc"], ["    a:", "        b", "            c"]),
        (["  a", "    b"], ["    a", "        b"], ["  a", "      d", "q"], ["    a", "            d", "q"]),
        (["        a"], ["    a"], ["        a", "            b", "    c"], ["    a", "        b", "c"]),
        (["\ta"], ["    a"], ["\ta", "\t\tb"], ["    a", "        b"]),
        (["    a"], ["\ta"], ["    a", "      aligned"], ["\ta", "\t  aligned"]),
        (["        a"], ["\ta"], ["        a", "            b"], ["\ta", "\t\tb"]),
        (["\t  a"], ["\t\t  a"], ["\t  a", "\t    b"], ["\t\t  a", "\t\t    b"]),
        (["  a"], ["  a"], ["  a", "", "   "], ["  a", "", "   "]),
        (["  a"], ["    a"], ["  a", "   "], ["    a", ""]),
    ],
)  # fmt: skip
def test_the_replacement_is_indented_as_the_file_is(
    old: list[str], have: list[str], new: list[str], after: list[str]
) -> None:
    shift = shift_between(old, have, new, style_of(have))
    assert shift is not None
    assert [shift.line(line) for line in new] == after


@pytest.mark.parametrize(
    ("old", "have"),
    [(["  a", "  b"], ["  a", "    b"]), (["  a", "    b"], ["    a", "  b"]), ([" a", "\tb"], ["\ta", "\t\t\tb"])],
)  # fmt: skip
def test_indentation_that_no_rule_explains_is_not_translated(
    old: list[str], have: list[str]
) -> None:
    assert shift_between(old, have, [], Style(" ", 4)) is None


def test_a_replacement_that_would_leave_the_page_to_the_left_is_not_guessed() -> None:
    shift = shift_between(["        a"], ["    a"], ["a"], Style(" ", 4))
    assert shift is not None
    assert shift.line("a") is None
    assert lost("    a()\n", "        a()\n", "a()\n").count == 0


@pytest.mark.parametrize(
    ("lines", "style"),
    [
        (["a", "\tb", "\t\tc"], Style("\t", 1)),
        (["a", "  b", "    c", "  d"], Style(" ", 2)),
        (["a", "    b", "        c"], Style(" ", 4)),
        (["a", "b"], Style(" ", 4)),
        ([], Style(" ", 4)),
    ],
)
def test_the_habit_of_a_file_is_seen(lines: list[str], style: Style) -> None:
    assert style_of(lines) == style


# ── why nothing was found ─────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("text", "old", "said"),
    [
        ("\tx = 1\n", "    x = 2\n", "line 1, column 1: the file has a tab, old_string has a space (tabs against spaces)"),
        ("a\r\nb\r\nc\r\n", "a\nb\nc\n", "the file has CRLF line endings, old_string has LF"),
        ("a\nb\nc\n", "a\r\nb\r\nc\r\n", "the file has LF line endings, old_string has CRLF"),
        ("x = “a”\n", 'x = "a"\n', "column 5: the file has U+201C LEFT DOUBLE QUOTATION MARK “, old_string has '\"' (they look alike)"),
        ("it’s mine now\n", "it's your now\n", "U+2019 RIGHT SINGLE QUOTATION MARK ’"),
        ("x\u200by = 1\n", "xy = 1\n", "column 2: the file has U+200B ZERO WIDTH SPACE (invisible)"),
        ("x =\u00a01\n", "x = 1\n", "the file has U+00A0 NO-BREAK SPACE"),
        ("x = 1  \ny = 2\n", "x = 1\ny = 2\n", "line 1, column 6: the file has 2 trailing blanks that old_string has not"),
        ("x = 1\ny = 2\n", "x = 1 \ny = 2\n", "old_string has 1 trailing blanks that the file has not"),
        ("x = 1\t\ny = 2\n", "x = 1 \ny = 2\n", "the file ends the line with '\\t', old_string with ' ' (trailing blanks)"),
        ("Total = 1\n", "total = 1\n", "column 1: the file has 'T', old_string has 't' (upper and lower case)"),
        ("    a = 1\n    b = 2\n", "  a = 1\n  b = 2\n", "(indentation)"),
        ("caf\u00e9 = 1\n", "cafe\u0301 = 1\n", "(the same letters, composed differently)"),
        ("value = compute(a)\n", "value = compute(a, b)\n", "the file has ')', old_string has ','"),
        ("a rather short\n", "a rather short line\n", "the file has the end of the line, old_string has a space"),
        ('say("hi")\nbye()\n', 'say(\\"hi\\")\nbye()\n', "backslash escapes"),
        ("done = True\n", "done = False\n", "new_string is already there, at line 1"),
    ],
)  # fmt: skip
def test_the_cause_is_named_down_to_the_character(text: str, old: str, said: str) -> None:
    assert any(said in cause for cause in explain(Lines(text), old, "done = True").causes)


def test_the_closest_block_is_shown_with_its_line_numbers() -> None:
    text = "".join(f"line {number}\n" for number in range(1, 500))
    text += "def area(width, height):\n    return width * height\n"
    report = explain(Lines(text), "def area(width, height):\n    return width + height\n", "x")
    assert (report.first, report.last) == (500, 501)
    assert report.score > 0.9
    assert report.shown == "   500\tdef area(width, height):\n   501\t    return width * height"
    assert report.causes == ["line 501, column 18: the file has '*', old_string has '+'"]


def test_a_text_that_has_nothing_alike_shows_no_block() -> None:
    assert not explain(Lines("alpha\nbeta\n"), "0123456789", "x").has_block
    assert not explain(Lines(""), "a", "x").has_block


def test_what_is_shown_is_bounded_and_harmless() -> None:
    text = "".join(f"\x1b[31m{'x' * 5_000} {number}\n" for number in range(100))
    report = explain(Lines(text), text.replace("x 7\n", "x 8\n"), "y")
    assert len(report.shown) < 5_000
    assert "\x1b" not in report.shown
    assert "… 88 more lines" in report.shown
    assert len(report.causes) <= 3


def test_a_text_too_large_for_a_loose_search_is_still_edited_exactly() -> None:
    text = "line of text\n" * 1_000_000 + "the end \n"
    assert edited(text, "the end", "END")[1] == EXACT
    assert lost(text, "the end\n").count == 0
    assert "too large" in explain(Lines(text), "the end\n", "x").causes[0]


# ── always ────────────────────────────────────────────────────────────────────────────────────
WORDS = ["alpha(beta)", "beta = 'x'", "return beta", "if beta:", "# it's - so", "", "gamma"]
line = st.builds(
    lambda depth, word: ("    " * depth + word) if word else "",
    st.integers(0, 3),
    st.sampled_from(WORDS),
)
texts = st.lists(line, min_size=1, max_size=14).map(lambda lines: "\n".join(lines) + "\n")


def trailing(text: str) -> str:
    return "".join(f"{one}  \n" for one in text.split("\n")[:-1])


def deeper(text: str) -> str:
    return "".join(f"  {one}\n" if one else "\n" for one in text.split("\n")[:-1])


def shallower(text: str) -> str:
    return "".join(f"{one.removeprefix('    ')}\n" for one in text.split("\n")[:-1])


def tabs(text: str) -> str:
    return text.replace("    ", "\t")


def crlf(text: str) -> str:
    return text.replace("\n", "\r\n")


def curly(text: str) -> str:
    return text.replace("'", "’").replace("-", "–")


def numbered(text: str) -> str:
    lines = text.split("\n")[:-1]
    return "".join(f"{number:>6}\t{one}\n" for number, one in enumerate(lines, 7))


DAMAGES = [trailing, deeper, shallower, tabs, crlf, curly, numbered]


def distance(old: str, have: str) -> int:
    """How loosely one must look for both to be the same; written apart from the matcher."""
    looks: list[Callable[[str], str]] = [
        str,
        lambda text: text.replace("\r\n", "\n").replace("\r", "\n"),
        lambda text: "\n".join(one.rstrip() for one in text.split("\n")),
        lambda text: "\n".join(folded(one) for one in text.split("\n")),
        lambda text: "\n".join(folded(one).strip() for one in text.split("\n")),
    ]
    return next((rank for rank, look in enumerate(looks) if look(old) == look(have)), 9)


@pytest.mark.torture
@examples(in_ci=400, in_torture=6_000)
@given(texts, st.data())
def test_a_damaged_text_finds_its_own_place_or_a_closer_one_or_none(
    text: str, data: st.DataObject
) -> None:
    lines = text.split("\n")[:-1]
    first = data.draw(st.integers(0, len(lines) - 1))
    last = data.draw(st.integers(first + 1, len(lines)))
    start = sum(len(one) + 1 for one in lines[:first])
    meant = "".join(f"{one}\n" for one in lines[first:last])
    damages = data.draw(st.lists(st.sampled_from(DAMAGES), min_size=1, max_size=2, unique=True))
    old = meant
    for damage in damages:
        old = damage(old)
    found = find(Lines(text), old, old + "MARK\n", every=False, ranked=True)
    if isinstance(found, Lost):
        return
    (change,) = found.changes
    if change.start == start and change.end == start + len(meant):
        after = changed(text, found.changes)
        assert after.startswith(text[: start + len(meant)]), "what was not meant stays as it was"
        assert after.endswith(text[start + len(meant) :])
        assert "MARK" in after
        return
    plain = old
    if numbered in damages:
        plain = "\n".join(one[7:] if one[:6].strip().isdigit() else one for one in old.split("\n"))
    elsewhere = text[change.start : change.end]
    assert distance(plain, elsewhere) < distance(plain, meant), (old, elsewhere)


@pytest.mark.torture
@examples(in_ci=300, in_torture=5_000)
@given(st.text(st.sampled_from("ab \t\n\r'’“é\u0301\u200b"), max_size=30), st.data())
def test_a_loose_place_reads_the_same_as_what_was_looked_for(
    text: str, data: st.DataObject
) -> None:
    old = data.draw(st.text(st.sampled_from("ab \t\n\r'’“é\u0301\u200b"), min_size=1, max_size=8))
    found = find(Lines(text), old, "NEW", every=False, ranked=True)
    if isinstance(found, Found):
        (change,) = found.changes
        have = text[change.start : change.end]
        assert distance(old, have) < 9 or distance(old, f"{have}\n") < 9, (old, have)
        explain(Lines(text), old, "NEW")


@pytest.mark.torture
@examples(in_ci=200, in_torture=5_000)
@given(st.text(max_size=60), st.text(min_size=1, max_size=20))
def test_any_two_texts_give_an_answer_and_a_reason(text: str, old: str) -> None:
    found = find(Lines(text), old, "new", every=False, ranked=True)
    assert isinstance(found, Found | Lost)
    report = explain(Lines(text), old, "new")
    assert 0 <= report.score <= 1


@given(st.text(st.sampled_from("ae\u0301é\u200b…“ x"), max_size=12), st.data())
@examples(in_ci=200, in_torture=5_000)
def test_a_part_of_a_line_is_found_where_it_stands(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    part = text[start:end]
    if not part.strip() or unicodedata.combining(part[0]):
        return
    spans = Lines(text).find(split(part), as_is)
    assert (start, end) in spans
