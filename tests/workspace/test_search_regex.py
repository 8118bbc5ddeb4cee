"""Patterns in ripgrep's grammar, told to Python: same lines, same refusals."""

import subprocess
from collections.abc import Mapping
from pathlib import Path
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ankrcode.workspace.search.regex import RegexError, translate
from torture import examples
from workspace.grammar import Patterns
from workspace.trees import RG, TEXTS

LINES = (
    *TEXTS,
    *("a", "ab", "aab", "b1", "A", "é", "É", "ß", "ẞ", "a-b", "[x]", "(", "a{2}", "²", "१२", "²३"),
    *(
        "İ",
        "ı",
        "i",
        "I",
        "K",
        "k",
        "ſ",
        "s",
        "ǅ",
        "σς",
        "٣",
        "_",
        "\u200c",
        "a\u200cb",
        "\u0301",
        "😀",
    ),
    *("\x0b", "\x0c", "\x85", "\u2028x", "~", "^", "$", "\\", "a b/c#d", "nul", "-]", "^-]"),
)
ALL = dict(enumerate(LINES, 1))
SHORT = {number: line for number, line in ALL.items() if len(line) <= 6}  # Python tries every way
PCRE_ONLY = ("--pcre2 flag",)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("regex") / "sample.txt"
    file.write_text("\n".join(LINES) + "\n", encoding="utf-8", newline="")
    return file


def by_ripgrep(pattern: str, file: Path, *flags: str) -> list[int] | str:
    """The numbers of the lines that match, or what ripgrep has against the pattern."""
    done = subprocess.run(
        [RG, "--no-config", "--line-number", *flags, "-e", pattern, str(file)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=30,
    )
    if done.returncode == 2:
        return done.stderr.decode()
    return [int(line.partition(b":")[0]) for line in done.stdout.split(b"\n")[:-1]]


def by_python(pattern: str, lines: Mapping[int, str] = ALL, **flags: bool) -> list[int]:
    regex = translate(pattern, **flags).regex
    return [number for number, line in lines.items() if regex.search(line)]


def attempted(
    pattern: str, lines: Mapping[int, str] = ALL, **flags: bool
) -> tuple[list[int], RegexError | None]:
    try:
        return by_python(pattern, lines, **flags), None
    except RegexError as problem:
        return [], problem


def check_same(pattern: str, sample: Path, *, ignore_case: bool = False) -> None:
    """Same lines or both refuse; what only Python refuses is said to need ripgrep."""
    said = by_ripgrep(pattern, sample, *(["--ignore-case"] if ignore_case else []))
    found, problem = attempted(pattern, ignore_case=ignore_case)
    if problem is not None:
        # ripgrep puts a group around the pattern, and so takes `)(` for two empty groups.
        assume(problem.why != "unopened group")
        assert problem.is_unsupported or isinstance(said, str), (pattern, problem.why, said)
        assert 0 <= problem.at <= len(pattern)
        return
    if isinstance(said, str):
        assert any(hint in said for hint in PCRE_ONLY), (pattern, said)
        said = by_ripgrep(pattern, sample, "--pcre2")
        assume(not isinstance(said, str))
    assert found == said, pattern


@pytest.mark.torture
@examples(in_ci=200, in_torture=10_000)
@given(seed=st.integers(0, 10**9), ignore_case=st.booleans())
def test_patterns_of_the_whole_grammar_match_the_same_lines(
    seed: int, ignore_case: bool, sample: Path
) -> None:
    pattern = Patterns(Random(seed), may_nest=False).pattern()
    check_same(pattern, sample, ignore_case=ignore_case)


@pytest.mark.torture
@examples(in_ci=100, in_torture=5_000)
@given(seed=st.integers(0, 10**9))
def test_repetitions_of_repetitions_match_the_same_lines(seed: int, sample: Path) -> None:
    pattern = Patterns(Random(seed)).pattern()
    said, (found, problem) = by_ripgrep(pattern, sample), attempted(pattern, SHORT)
    if problem is None:
        assert found == [number for number in said if number in SHORT], pattern


@pytest.mark.torture
@examples(in_ci=400, in_torture=8_000)
@given(
    pattern=st.text(alphabet="ab1é.*+?{}[]()|^$\\dwsbBnxt,-&~:=!<>iPmsz _", min_size=1, max_size=12)
)
def test_no_pattern_is_understood_differently(pattern: str, sample: Path) -> None:
    check_same(pattern, sample)


@pytest.mark.parametrize(
    "pattern",
    [
        *(r"\b{2}a", r"a\b{0,1}b", r"\b{ 1 }a"),
        *(r"(?<a.b>a)b", r"(?<é1_[0]>a)b", r"(?P<_>a)", r"(?<नाम>x)"),
        *(r"\bवर\b", r"\w+", r"^\w+$", r"\W", r"[^\W\d]+$", r"\d", r"^\d+$", r"[\d]", r"\D"),
        *(r"\s", r"[\s\S]", r"a{2}", r"a{2,}", r"a{1,2}b", r"a++", r"a**", r"(a*)*b", r"a+?b"),
        *(r"(?i)a", r"a(?i)B|É", r"(?i:a)B", r"(?-i)a", r"(?s).", r"(?P<n>a)b", r"(?<n>a)b"),
        *(r"[[:alpha:]]", r"[[:^alpha:]]", r"[]a]", r"[a-]", r"[-a]", r"[a\]]", r"[^]]", r"}"),
        *(r"]", r"\x61", r"\x{61}", r"\u0061", r"\U00000061", r"\-", r"\/", r"\ ", r"\#", r"\_"),
        *(r"\<a", r"a\>", r"\b{start}a", r"b\b{end}", r"^", r"$", r"^$", r"a|", r"()", r"(|a)b"),
        *(r"(?=a)ab", r"(?!a)b", r"(?<=a)b", r"(?<!a)b", r"(a)\1", r"(?i)(a)\1", r"x{0}a"),
        *(
            r"a{ 2 }",
            r"a{1 , 2}b",
            r"a{2, }",
            r"[]-a]",
            r"[---a]",
            r"[^-a]",
            r"[-]]",
            r"[a-]",
            r"[]-]",
        ),
        *(r"[\d-]", r"[\w-]", r"[a-c-]", r"(?i-s:A)", r"(?-i:A)(?i)a", r"(?is)A.", r"(?i)(?-i)A"),
        *(r"[[:alpha:][:digit:]]$", r"[^[:ascii:]]", r"[\^a]", r"[a^]", r"[&a]", r"[a&]", r"[~]"),
        *(
            r"(a|ab)(c|bcd)?",
            r"(|a)+b",
            r"a{0}b",
            r"a{0,0}b",
            r"(?:)",
            r"(?:a|)",
            r"x*",
            r"\B",
            r"\b",
        ),
        *(
            r"(?i)i",
            r"(?i)[i]",
            r"(?i)[^i]",
            r"(?i)\x{130}",
            r"(?i)\x{131}",
            r"(?i)[\x{131}-\x{140}]",
        ),
        *(r"(?i)k", r"(?i)[k]", r"(?i)s", r"(?i)[^s]$", r"(?i)ß", r"(?i)σ", r"(?i)ǆ", r"(?i)[A-Z]"),
        *(r"\v", r"\f", r"\a", r"\x0B", r"\r", r"\r$", r"[\r]", r"\s+$", r"\x{2028}", r"\x{85}"),
        *(
            r"^^a",
            r"a$$",
            r"^*a",
            r"$?a",
            r"\b*a",
            r"(?:^)*ab",
            r"\b+a",
            r"^?",
            r"a{3}{2}",
            r"a?{2}b",
        ),
        *(r"\Aa", r"b\z", r"[\x{0}-\x{7f}]$", r"[^\x00-\x7f]", r"ß", r"(?i)SS", r"[é-ü]"),
    ],
)
def test_every_kind_of_syntax(pattern: str, sample: Path) -> None:
    assert by_python(pattern) == by_ripgrep(pattern, sample, "--engine=auto")


@pytest.mark.parametrize(
    "pattern", ["ALPHA", "é", "[a-c]1", "STRASSE", "straße", r"\W", "[^a]", "न"]
)
def test_case_is_ignored_in_the_same_way(pattern: str, sample: Path) -> None:
    assert by_python(pattern, ignore_case=True) == by_ripgrep(pattern, sample, "--ignore-case")


@pytest.mark.parametrize(
    ("pattern", "why", "at"),
    [
        ("interface{}", "repetition quantifier expects a valid decimal", 10),
        ("foo(", "unclosed group", 3),
        ("(a(b)", "unclosed group", 0),
        ("a)b", "unopened group", 1),
        ("[a", "unclosed character class", 0),
        ("x[z-a]", "invalid character class range, the start must be <= the end", 2),
        ("*a", "repetition operator missing expression", 0),
        ("a|*", "repetition operator missing expression", 2),
        ("a{3,2}", "invalid repetition count range, the start must be <= the end", 1),
        ("a\\", "incomplete escape sequence", 1),
        (r"\y", "unrecognized escape sequence", 0),
        (r"\x{110000}", "hexadecimal literal is not a Unicode scalar value", 2),
        ("(?P<n", "unclosed capture group name", 4),
        ("(?<n>a)(?<n>b)", "duplicate capture group name", 10),
        ("(?q)", "unrecognized flag", 2),
        ("{", "repetition operator missing expression", 0),
        ("a{", "repetition quantifier expects a valid decimal", 2),
        ("a{,2}", "repetition quantifier expects a valid decimal", 2),
        ("a{x}", "repetition quantifier expects a valid decimal", 2),
        ("a{2,1}", "invalid repetition count range, the start must be <= the end", 1),
        ("(?i)*a", "repetition operator missing expression", 4),
        ("(?i){2}", "repetition operator missing expression", 4),
        ("(?ii)a", "duplicate flag", 3),
        ("(?i-i)a", "duplicate flag", 4),
        ("(?i-)a", "dangling flag negation operator", 3),
        ("(?i--s)a", "repeated negation operator", 4),
        ("(?)a", "repetition operator missing expression", 1),
        ("(?", "unclosed group", 0),
        (r"[\d-z]", "invalid range boundary, must be a literal", 1),
        (r"[a-\w]", "invalid range boundary, must be a literal", 3),
        ("[]", "unclosed character class", 0),
        ("[^]", "unclosed character class", 0),
        ("[a-", "unclosed character class", 0),
        (r"\x", "invalid hexadecimal digit", 0),
        (r"\xZZ", "invalid hexadecimal digit", 0),
        (r"\uD800", "hexadecimal literal is not a Unicode scalar value", 2),
        (r"\é", "unrecognized escape sequence", 0),
        (r"[\y]", "unrecognized escape sequence", 1),
        ("(?P=n)", "unrecognized flag", 2),
        ("(?>a)", "unrecognized flag", 2),
        ("(?#note)", "unrecognized flag", 2),
        (r"\b{x}a", "unrecognized special word boundary assertion", 0),
        (r"a\b{start", "unrecognized special word boundary assertion", 1),
        ("(?<>a)", "empty capture group name", 3),
        ("(?<1>a)", "invalid capture group character", 3),
        ("(?P<a-b>a)", "invalid capture group character", 5),
        ("a|b)", "unopened group", 3),
    ],
)
def test_what_is_wrong_is_named_with_its_place(
    pattern: str, why: str, at: int, sample: Path
) -> None:
    with pytest.raises(RegexError) as caught:
        translate(pattern)
    assert (caught.value.why, caught.value.at) == (why, at)
    assert not caught.value.is_unsupported
    assert isinstance(by_ripgrep(pattern, sample), str)


@pytest.mark.parametrize(
    "pattern",
    [
        r"\p{Greek}",
        "[a&&b]",
        "[a--b]",
        "[[a]b]",
        "(?x)a b",
        "(?U)a+",
        r"a{2000}",
        "(?-u)a",
        r"\b{start-half}a",
        r"\b{end-half}a",
        r"[\p{Lu}]",
        r"\PN",
        "[a~~b]",
        "[^a[b]]",
        "[[:foo:]]",
        "(?R)a",
        "(?x: a )",
        "(?-m)^a",
        "a{1001}",
        "(" * 101 + "a" + ")" * 101,
    ],
)
def test_what_only_ripgrep_can_do_is_said_to_need_it(pattern: str, sample: Path) -> None:
    with pytest.raises(RegexError) as caught:
        translate(pattern)
    assert caught.value.is_unsupported
    assert isinstance(by_ripgrep(pattern, sample), list)


def test_line_breaks_are_matched_only_by_a_multiline_search() -> None:
    for pattern in ("a\nb", r"a\nb", r"[\n]", r"a\x0ab"):
        with pytest.raises(RegexError, match="multiline"):
            translate(pattern)
        assert translate(pattern, multiline=True).crosses_lines
    for pattern in (r"a\sb", "a.b", "a[^x]b", r"a\Wb"):
        assert not translate(pattern).regex.search("a\nb")
        assert translate(pattern, multiline=True).regex.search("a\nb")
    assert not translate("ab+", multiline=True).crosses_lines
    assert not translate("(?-s)a.b", multiline=True).regex.search("a\nb")


@pytest.mark.parametrize("text", ["caf\udce9", "\udcff"])
def test_bytes_that_are_no_text_match_nothing_but_themselves(text: str) -> None:
    for pattern in (r"f.", r"^.$", r"[^a]$", r"\W$", r"\S$", r"\D$"):
        assert not translate(pattern).regex.search(text.replace("ca", "")), pattern
