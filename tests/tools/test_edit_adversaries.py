"""Edits that invite a wrong guess: each does precisely what was meant, or refuses and says why."""

# ruff: noqa: E501 - tables are easier to read in one piece

import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ankrcode import Toolkit
from ankrcode.protocol.result import ToolResult


class Made(NamedTuple):
    text: str
    old: str
    new: str
    after: str
    strategy: str = "exact"


class Refused(NamedTuple):
    text: str
    old: str
    code: str
    said: str
    new: str = "NEW"


NOT_FOUND, NOT_UNIQUE = "TEXT_NOT_FOUND", "TEXT_NOT_UNIQUE"

TWINS = """\
def first(items):
    total = 0
    for item in items:
        total += item.price
    return total


def second(items):
    total = 0
    for item in items:
        total += item.weight
    return total
"""
TABBED = "class A:\n\tdef f(self):\n\t\tif self.x:\n\t\t\treturn 1\n\t\treturn 2\n"
SPACED = TABBED.replace("\t", "    ")
NARROW = TABBED.replace("\t", "  ")
NESTED = """\
if a:
    step()
    done()
if b:
    if c:
        step()
        done()
"""

MADE: dict[str, Made] = {
    # ── near duplicates ───────────────────────────────────────────────────────────────────────
    "the-line-that-differs": Made(TWINS, "        total += item.weight", "        total += item.mass", TWINS.replace("weight", "mass")),
    "enough-context-above": Made(TWINS, "def second(items):\n    total = 0", "def second(items):\n    total = 1", TWINS.replace("second(items):\n    total = 0", "second(items):\n    total = 1")),
    "enough-context-below": Made(TWINS, "item.price\n    return total", "item.price\n    return -total", TWINS.replace("price\n    return total", "price\n    return -total")),
    "exact-before-loose": Made("x = 1 \nx = 1\n\tx = 1\n", "\nx = 1\n", "\nx = 2\n", "x = 1 \nx = 2\n\tx = 1\n"),
    "exact-inside-a-longer-word": Made("unfoo\n", "foo", "bar", "unbar\n"),
    "case-matters": Made("Foo\nfoo\n", "foo", "bar", "Foo\nbar\n"),
    "indentation-tells-the-twins-apart": Made(NESTED, "        step()\n        done()", "        step()\n        end()", NESTED.replace("        done()", "        end()")),
    # ── tabs and blanks ───────────────────────────────────────────────────────────────────────
    "blanks-for-tabs": Made(TABBED, "        if self.x:\n            return 1\n", "        if self.x:\n            return 3\n", TABBED.replace("return 1", "return 3"), "indentation"),
    "tabs-for-blanks": Made(SPACED, "\t\tif self.x:\n\t\t\treturn 1\n", "\t\tif self.x:\n\t\t\treturn 3\n", SPACED.replace("return 1", "return 3"), "indentation"),
    "two-for-four": Made(SPACED, "    if self.x:\n      return 1\n", "    if self.x:\n      return 3\n", SPACED.replace("return 1", "return 3"), "indentation"),
    "four-for-two": Made(NARROW, "        if self.x:\n            return 1\n", "        if self.x:\n            return 3\n", NARROW.replace("return 1", "return 3"), "indentation"),
    "new-levels-in-the-files-way": Made(TABBED, "    def f(self):\n        if self.x:\n", "    def f(self):\n        while True:\n            if self.y:\n                break\n        if self.x:\n", TABBED.replace("\t\tif self.x", "\t\twhile True:\n\t\t\tif self.y:\n\t\t\t\tbreak\n\t\tif self.x"), "indentation"),
    "not-indented-at-all": Made(SPACED, "if self.x:\n    return 1\n", "if self.x:\n    return 3\nelse:\n    return 4\n", SPACED.replace("            return 1\n", "            return 3\n        else:\n            return 4\n"), "indentation"),
    "blank-lines-inside-stay-blank": Made("\tif x:\n\n\t\ty()\n", "    if x:\n\n        y()\n", "    if x:\n\n        z()\n", "\tif x:\n\n\t\tz()\n", "indentation"),
    # ── line ends ─────────────────────────────────────────────────────────────────────────────
    "lf-in-a-crlf-file": Made("a\r\nb\r\nc\r\n", "a\nb\n", "a\nX\nY\n", "a\r\nX\r\nY\r\nc\r\n", "line endings"),
    "crlf-in-an-lf-file": Made("a\nb\nc\n", "a\r\nb\r\n", "a\r\nX\r\nY\r\n", "a\nX\nY\nc\n", "line endings"),
    "part-of-two-crlf-lines": Made("foo(a)\r\nbar(b)\r\n", "(a)\nbar(", "(x)\nnew()\nbar(", "foo(x)\r\nnew()\r\nbar(b)\r\n", "line endings"),
    "the-last-line-has-no-end": Made("a\nb", "b\n", "c\n", "a\nc", "line endings"),
    "one-line-of-a-mixed-file": Made("a\r\nb\nc\r\n", "b", "b\nB", "a\r\nb\nB\nc\r\n"),
    "new-lines-in-a-crlf-file": Made("a\r\nb\r\n", "a", "a\nA", "a\r\nA\r\nb\r\n"),
    "lone-returns": Made("a\rb\rc\r", "b", "B\nB2", "a\rB\rB2\rc\r"),
    # ── trailing blanks ───────────────────────────────────────────────────────────────────────
    "the-file-has-them": Made("a  \nb\t\nc\n", "a\nb\nc\n", "a\nb\nd\n", "a  \nb\t\nd\n", "trailing blanks"),
    "the-edit-has-them": Made("a\nb\n", "a  \nb  \n", "a\nc\n", "a\nc\n", "trailing blanks"),
    "a-line-of-blanks": Made("a\n    \nb\n", "a\n\nb", "a\n\nc", "a\n    \nc\n", "trailing blanks"),
    # ── numbers copied from Read ──────────────────────────────────────────────────────────────
    "numbered": Made("a\nb\nc\n", "     2\tb\n     3\tc", "     2\tB\n     3\tc", "a\nB\nc\n", "line-number prefixes"),
    "numbered-but-not-the-new-text": Made("a\nb\nc\n", "     2\tb\n     3\tc", "B\nc", "a\nB\nc\n", "line-number prefixes"),
    "numbered-with-a-line-more": Made("a\nb\nc\n", "     2\tb\n", "     2\tb\n     3\tnew\n", "a\nb\nnew\nc\n", "line-number prefixes"),
    "numbers-that-have-moved-on": Made("a\nb\nc\n", "    12\tb\n    13\tc", "    12\tB\n    13\tc", "a\nB\nc\n", "line-number prefixes"),
    "numbers-that-are-the-text": Made("1\ta\n2\tb\n", "2\tb", "2\tc", "1\ta\n2\tc\n"),
    "numbered-numbers": Made("1\ta\n2\tb\n", "     1\t1\ta\n     2\t2\tb", "     1\t1\ta\n     2\t2\tc", "1\ta\n2\tc\n", "line-number prefixes"),
    # ── characters that look alike ────────────────────────────────────────────────────────────
    "straight-for-curly": Made("print(“hi”, x)\n", 'print("hi", x)', 'print("hi", y)', "print(“hi”, y)\n", "Unicode look-alikes"),
    "curly-for-straight": Made('print("hi", x)\n', "print(“hi”, x)", "print(“hi”, y)", 'print("hi", y)\n', "Unicode look-alikes"),
    "no-break-spaces": Made("a\u00a0=\u00a01\n", "a = 1", "a = 2", "a\u00a0=\u00a02\n", "Unicode look-alikes"),
    "long-dash": Made("1 — one\n", "1 - one", "1 - two", "1 — two\n", "Unicode look-alikes"),
    "composed": Made("re\u0301sume\u0301 = 1\n", "r\u00e9sum\u00e9 = 1", "r\u00e9sum\u00e9 = 2", "re\u0301sume\u0301 = 2\n", "Unicode look-alikes"),
    "soft-hyphen": Made("co\u00adop = 1\n", "coop = 1", "coop = 2", "co\u00adop = 2\n", "Unicode look-alikes"),
    "a-mark-before-the-text": Made("a = 1\n", "\ufeffa = 1", "a = 2", "a = 2\n", "Unicode look-alikes"),
    # ── nothing in either text is special ─────────────────────────────────────────────────────
    "regular-expression": Made("a.b*c\n", "a.b*c", "\\0", "\\0\n"),
    "group-references": Made("x\n", "x", "\\g<0>\\1$1$&$$`'", "\\g<0>\\1$1$&$$`'\n"),
    "format-fields": Made("x\n", "x", "{0}%s{name}%(x)d", "{0}%s{name}%(x)d\n"),
    "brackets": Made("a[0](b){c}^$|?+\n", "[0](b){c}^$|?+", "!", "a!\n"),
    "backslashes": Made("C:\\new\\table\n", "\\new\\table", "\\old", "C:\\old\n"),
    "nul-is-text-too": Made("a\\0b\n", "a\\0b", "c", "c\n"),
    # ── the shape of the text ─────────────────────────────────────────────────────────────────
    "everything": Made("a\nb\n", "a\nb\n", "", ""),
    "everything-of-an-open-file": Made("a", "a", "", ""),
    "only-a-line-end": Made("a\nb", "\n", " ", "a b"),
    "several-line-ends": Made("a\n\n\nb\n", "\n\n\n", "\n", "a\nb\n"),
    "grows": Made("x", "x", "xx", "xx"),
    "deletes-a-line": Made("a\nb\nc\n", "b\n", "", "a\nc\n"),
    "joins-lines": Made("a\nb\n", "a\nb", "ab", "ab\n"),
    "letters-beyond-the-plane": Made("👩‍🌾 🇮🇳 x\n", "🇮🇳", "🇫🇷", "👩‍🌾 🇫🇷 x\n"),
    "separators-end-no-line": Made("a\u2028b\x85c\n", "\u2028b\x85", "-", "a-c\n"),
}  # fmt: skip

REFUSED: dict[str, Refused] = {
    # ── several places ────────────────────────────────────────────────────────────────────────
    "twins": Refused(TWINS, "    total = 0\n", NOT_UNIQUE, "occurs 2 times"),
    "twins-by-line": Refused(TWINS, "    return total", NOT_UNIQUE, "at lines 5, 12"),
    "overlapping": Refused("aaa\n", "aa", NOT_UNIQUE, "occurs 2 times"),
    "on-one-line": Refused("x x x\n", "x", NOT_UNIQUE, "occurs 3 times"),
    "indented-twins": Refused("\tx()\n\t\tx()\n", "   x()\n", NOT_UNIQUE, "without regard to indentation it matches 2 places, at lines 1, 2"),
    "crlf-twins": Refused("a\r\nb\r\na\r\nb\r\n", "a\nb\n", NOT_UNIQUE, "without regard to line endings it matches 2 places, at lines 1, 3"),
    "trailing-twins": Refused("a \nb\na\t\nb\n", "a\nb\n", NOT_UNIQUE, "without regard to trailing blanks"),
    "curly-twins": Refused("“a”\n“a”\n", '"a"', NOT_UNIQUE, "without regard to Unicode look-alikes"),
    "numbered-twins": Refused("a\na\n", "     1\ta", NOT_UNIQUE, "without regard to line-number prefixes"),
    "no-looser-guess-after-a-tie": Refused("a \nb\na  \nb\n  a\n  b\n", "a\nb\n", NOT_UNIQUE, "trailing blanks"),
    "a-hundred": Refused("x\n" * 100, "x\n", NOT_UNIQUE, "occurs 100 times"),
    # ── nowhere, and why ──────────────────────────────────────────────────────────────────────
    "other-name": Refused(TWINS, "def third(items):\n    total = 0\n    for item in items:\n        total += item.count\n", NOT_FOUND, "closest block is lines"),
    "other-case": Refused("Total = 1\n", "total = 1\n", NOT_FOUND, "(upper and lower case)"),
    "other-operator": Refused("if a == b:\n    c()\n    d()\n", "if a != b:\n    c()\n    d()\n", NOT_FOUND, "the file has '=', old_string has '!'"),
    "tab-against-blank": Refused("x =\t1\n", "x = 1\n", NOT_FOUND, "the file has a tab, old_string has a space (tabs against spaces)"),
    "uneven-indentation": Refused("    a\n        b\n", "a\nb\n", NOT_FOUND, "(indentation)"),
    "two-rules-at-once": Refused("\ta\n\t\tb\n   c\n", "    a\n        b\n            c\n", NOT_FOUND, "closest block"),
    "left-out-lines": Refused("def f():\n    a\n    b\n    c\n", "def f():\n    ...\n    c\n", NOT_FOUND, "old_string has '.'"),
    "a-line-too-many": Refused("a = 1\nb = 2\n", "a = 1\n\nb = 2\n", NOT_FOUND, "Line 2, column 1: the file has 'b', old_string has the end of the line"),
    "a-line-too-few": Refused("a = 1\n\n\nb = 2\n", "a = 1\n\nb = 2\n", NOT_FOUND, "the file has the end of the line"),
    "escaped": Refused('say("a")\n\tb\n', 'say(\\"a\\")\\n\\tb', NOT_FOUND, "backslash escapes"),
    "diff-marks": Refused("a = 1\nb = 2\n", "-a = 1\n-b = 2\n", NOT_FOUND, "old_string has '-'"),
    "code-fence": Refused("alpha\nbeta\n", "```\nalpha\nbeta\n```\n", NOT_FOUND, "not found"),
    "numbers-out-of-order": Refused("a\nb\nc\n", "     3\tc\n     2\tb", NOT_FOUND, "not found"),
    "numbers-with-a-gap": Refused("a\nb\nc\n", "     1\ta\n     3\tc", NOT_FOUND, "not found"),
    "number-and-part-of-a-line": Refused("foo bar\n", "     1\tfoo", NOT_FOUND, "not found"),
    "only-blanks": Refused("a\nb\n", "    ", NOT_FOUND, "not found"),
    "blank-lines-only": Refused("a\nb\n", "\n\n\n", NOT_FOUND, "not found"),
    "invisible-letter": Refused("क्\u200dष = 1\n", "क्ष = 1", NOT_FOUND, "ZERO WIDTH JOINER (invisible)"),
    "other-script": Refused("аbc = 1\n", "abc = 1", NOT_FOUND, "CYRILLIC SMALL LETTER A"),
    "a-regular-expression": Refused("abc\n", "a.c", NOT_FOUND, "not found"),
    "already-made": Refused("colour = blue\n", "colour = red", NOT_FOUND, "The new_string is already there, at line 1", new="colour = blue"),
    "nothing-alike": Refused("completely\ndifferent\n", "zzz qqq\n", NOT_FOUND, "not found"),
    "an-empty-file": Refused("", "a", NOT_FOUND, "not found"),
}  # fmt: skip


class Desk:
    def __init__(self, folder: Path, text: str, name: str = "f.txt") -> None:
        self.file = folder / name
        self.file.write_bytes(text.encode())
        self.kit = Toolkit(cwd=folder, mode="bypass")

    async def read(self) -> "Desk":
        assert (await self.kit.call("Read", file_path=self.file.name)).ok
        return self

    async def edit(self, old: str, new: str, **more: Any) -> ToolResult:
        arguments = {"old_string": old, "new_string": new, **more}
        return await self.kit.call("Edit", file_path=self.file.name, **arguments)

    async def edits(self, *steps: dict[str, Any]) -> ToolResult:
        return await self.kit.call("Edit", file_path=self.file.name, edits=list(steps))

    @property
    def text(self) -> str:
        return self.file.read_bytes().decode()


def step(old: str, new: str, **more: bool) -> dict[str, Any]:
    return {"old_string": old, "new_string": new, **more}


async def desk(folder: Path, text: str, name: str = "f.txt") -> Desk:
    return await Desk(folder, text, name).read()


def code_of(result: ToolResult) -> str:
    return "" if result.error is None else str(result.error.code)


@pytest.mark.parametrize("case", MADE.values(), ids=MADE)
async def test_what_was_meant_is_done_and_nothing_else(case: Made, tmp_path: Path) -> None:
    on = await desk(tmp_path, case.text)
    result = await on.edit(case.old, case.new)
    assert result.ok, result.text
    assert on.text == case.after
    assert result.metadata["strategies"] == [case.strategy]
    assert ("The exact text was not there" in result.text) == (case.strategy != "exact")


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
async def test_what_cannot_be_told_is_refused_with_its_cause(case: Refused, tmp_path: Path) -> None:
    on = await desk(tmp_path, case.text)
    before = on.file.stat()
    result = await on.edit(case.old, case.new)
    assert (code_of(result), case.said in result.text) == (case.code, True), result.text
    assert on.text == case.text
    assert on.file.stat().st_mtime_ns == before.st_mtime_ns
    assert on.file.stat().st_ino == before.st_ino


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
async def test_among_several_edits_one_that_cannot_be_told_stops_all(
    case: Refused, tmp_path: Path
) -> None:
    on = await desk(tmp_path, f"{case.text}good bye\n")
    result = await on.edits(step("good bye", "hello"), step(case.old, case.new))
    assert code_of(result) == case.code
    assert "edits[1].old_string" in result.text
    assert on.text == f"{case.text}good bye\n"


@pytest.mark.parametrize("case", MADE.values(), ids=MADE)
async def test_an_edit_and_its_reverse_give_the_text_back(case: Made, tmp_path: Path) -> None:
    """By the places that were changed, which the result's diff shows."""
    on = await desk(tmp_path, case.text)
    assert (await on.edit(case.old, case.new)).ok
    if case.after:
        assert (await on.edit(case.after, case.text)).ok
    else:
        assert (await on.edit("", case.text)).ok
    assert on.text == case.text


# ── every occurrence ──────────────────────────────────────────────────────────────────────────
EVERY: dict[str, tuple[str, str, str, str, int]] = {
    "plain": ("a b a\n", "a", "c", "c b c\n", 2),
    "without-overlap": ("aaaa", "aa", "a", "aa", 2),
    "new-holds-old": ("a a\n", "a", "aa", "aa aa\n", 2),
    "to-nothing": ("xaxbx", "x", "", "ab", 3),
    "across-lines": ("a\nb\na\nb\n", "a\nb\n", "c\n", "c\nc\n", 2),
    "crlf": ("a\r\nb\r\nx\r\na\r\nb\r\n", "a\nb\n", "a\nc\n", "a\r\nc\r\nx\r\na\r\nc\r\n", 2),
    "mixed-endings-each-its-own": ("a\r\nb\r\na\nb\n", "a", "a\nA", "a\r\nA\r\nb\r\na\nA\nb\n", 2),
    "trailing-blanks": ("a \nb\nx\na\t\nb\n", "a\nb\n", "a\nc\n", "a \nc\nx\na\t\nc\n", 2),
    "each-with-its-own-indentation": ("\tx()\n\t\tx()\n", "      x()\n", "      y()\n", "\ty()\n\t\ty()\n", 2),
    "each-with-its-own-quotes": ("“a” 1\n”a“ 2\n", '"a"', '"b"', "“b” 1\n”b“ 2\n", 2),
    "numbered": ("a\nx\na\n", "     1\ta", "     1\tb", "b\nx\nb\n", 2),
    "exact-ones-only": ("a \na\n a\n", "a\n", "b\n", "a \nb\n b\n", 2),
    "once": ("a\n", "a", "b", "b\n", 1),
}  # fmt: skip


@pytest.mark.parametrize(("text", "old", "new", "after", "count"), EVERY.values(), ids=EVERY)
async def test_every_occurrence_of_the_first_strategy_that_finds_any(
    text: str, old: str, new: str, after: str, count: int, tmp_path: Path
) -> None:
    on = await desk(tmp_path, text)
    result = await on.edit(old, new, replace_all=True)
    assert result.ok, result.text
    assert on.text == after
    assert result.metadata["replaced"] == count
    assert f"Replaced {count} occurrence(s)" in result.text


async def test_every_occurrence_of_what_is_merely_similar_is_never_replaced(
    tmp_path: Path,
) -> None:
    text = "f(a,b)\ng( c )\nh(d)\n"
    on = await desk(tmp_path, text)
    result = await on.edit("f(a, b)\ng(c)\nh(d)\n", "x\n", replace_all=True)
    assert code_of(result) == NOT_FOUND
    assert on.text == text


# ── edits that follow one another ─────────────────────────────────────────────────────────────
async def test_a_text_that_only_an_earlier_edit_of_the_call_made_is_found(tmp_path: Path) -> None:
    on = await desk(tmp_path, "a\nb\n")
    result = await on.edits(step("a", "first\nsecond"), step("second\nb", "2\nB"))
    assert result.ok, result.text
    assert on.text == "first\n2\nB\n"


async def test_a_text_that_an_earlier_edit_made_twice_is_ambiguous(tmp_path: Path) -> None:
    on = await desk(tmp_path, "a\nb\n")
    result = await on.edits(step("a", "b"), step("b", "c"))
    assert code_of(result) == NOT_UNIQUE
    assert on.text == "a\nb\n"


async def test_a_text_that_an_earlier_edit_took_away_is_named_as_such(tmp_path: Path) -> None:
    on = await desk(tmp_path, "alpha\nbeta\n")
    result = await on.edits(step("alpha\n", ""), step("alpha", "x"))
    assert code_of(result) == NOT_FOUND
    assert "It was there before the earlier edits of this call." in result.text


async def test_edits_that_overlap_work_on_what_the_one_before_left(tmp_path: Path) -> None:
    on = await desk(tmp_path, "abcdef\n")
    result = await on.edits(step("bcd", "BCD"), step("CDe", "cdE"), step("aB", "Ab"))
    assert result.ok, result.text
    assert on.text == "AbcdEf\n"
    assert result.text.endswith("@@ -1 +1 @@\n-abcdef\n+AbcdEf"), "one line tells it all"


async def test_the_parameter_of_a_loose_match_is_named(tmp_path: Path) -> None:
    on = await desk(tmp_path, "a  \nb\n\tc\n\td\n")
    arguments = {
        **step("a\nb\n", "a\nB\n"),
        "edits": [step("B", "BB"), step("    c\n    d\n", "    c\n    D\n")],
    }
    result = await on.kit.call("Edit", file_path="f.txt", **arguments)
    assert result.ok, result.text
    assert on.text == "a  \nBB\n\tc\n\tD\n"
    said = [line for line in result.text.split("\n") if line.startswith("The exact text")]
    assert said == [
        "The exact text was not there; for old_string it matched without regard to trailing blanks.",
        "The exact text was not there; for edits[1].old_string it matched without regard to indentation.",
    ]
    assert result.metadata["strategies"] == ["trailing blanks", "exact", "indentation"]


async def test_the_first_edit_and_the_further_ones_are_made_together_or_not_at_all(
    tmp_path: Path,
) -> None:
    on = await desk(tmp_path, "a\nb\n")
    arguments = {**step("a", "A"), "edits": [step("b", "B"), step("nowhere", "x")]}
    result = await on.kit.call("Edit", file_path="f.txt", **arguments)
    assert code_of(result) == NOT_FOUND
    assert "edits[1].old_string" in result.text
    assert on.text == "a\nb\n"
    arguments["edits"] = [step("b", "B")]
    assert (await on.kit.call("Edit", file_path="f.txt", **arguments)).ok
    assert on.text == "A\nB\n"


async def test_some_edits_may_replace_all_and_others_one(tmp_path: Path) -> None:
    on = await desk(tmp_path, "x y x y\n")
    result = await on.edits(step("x", "a", replace_all=True), step("a y a", "z"))
    assert result.ok, result.text
    assert on.text == "z y\n"
    assert result.metadata["replaced"] == 3


# ── new and empty files ───────────────────────────────────────────────────────────────────────
async def test_an_empty_text_to_find_makes_a_file_and_further_edits_work_on_it(
    tmp_path: Path,
) -> None:
    kit = Toolkit(cwd=tmp_path, mode="bypass")
    edits = [step("", "one\ntwo\n"), step("two", "2")]
    result = await kit.call("Edit", file_path="new/f.txt", edits=edits)
    assert result.ok, result.text
    assert (tmp_path / "new/f.txt").read_text("utf-8") == "one\n2\n"


@pytest.mark.parametrize("text", ["x", "\n", " "])
async def test_an_empty_text_to_find_never_touches_a_file_that_holds_anything(
    text: str, tmp_path: Path
) -> None:
    on = await desk(tmp_path, text)
    for more in ({}, {"replace_all": True}):
        result = await on.edit("", "new", **more)
        assert code_of(result) == "INVALID_INPUT"
        assert on.text == text


async def test_an_empty_text_to_find_does_not_overwrite_what_nobody_read(tmp_path: Path) -> None:
    on = Desk(tmp_path, "precious\n")
    assert code_of(await on.edit("", "new")) == "NOT_READ"
    assert on.text == "precious\n"


async def test_nothing_for_nothing_is_refused(tmp_path: Path) -> None:
    on = Desk(tmp_path, "")
    assert code_of(await on.edit("", "")) == "INVALID_INPUT"


# ── size ──────────────────────────────────────────────────────────────────────────────────────
async def test_one_huge_line_is_edited_exactly_and_shown_in_part(tmp_path: Path) -> None:
    text = ",".join(f'"key{number}":{number}' for number in range(50_000))
    on = await desk(tmp_path, text, "min.json")
    result = await on.edit('"key25000":25000,', '"key25000":-1,')
    assert result.ok, result.text[:500]
    assert on.text == text.replace('"key25000":25000,', '"key25000":-1,')
    assert len(result.text) < 5_000
    assert '"key25000":-1' in result.text, "the part that changed is what is shown"


async def test_a_text_that_is_not_in_one_huge_line_is_refused_in_bounded_time(
    tmp_path: Path,
) -> None:
    text = ",".join(f'"key{number}":{number}' for number in range(50_000))
    on = await desk(tmp_path, text, "min.json")
    started = time.perf_counter()
    result = await on.edit('"key25000":  25000,', '"key25000":-1,')
    assert code_of(result) == NOT_FOUND
    assert time.perf_counter() - started < 5
    assert len(result.text) < 5_000


async def test_a_huge_text_to_find_is_refused_in_bounded_time(tmp_path: Path) -> None:
    text = "".join(f"row {number}\n" for number in range(1_900))
    on = await desk(tmp_path, text)
    started = time.perf_counter()
    result = await on.edit(text.replace("row 950\n", "ROW 950\n") * 20, "x")
    assert code_of(result) == NOT_FOUND
    assert time.perf_counter() - started < 5
    assert len(result.text) < 10_000


async def test_a_thousand_places_are_replaced_and_the_diff_stays_short(tmp_path: Path) -> None:
    text = "".join(f"x = {number}\n\n\n\n\n\n\n\n\n" for number in range(200)) * 1
    on = await desk(tmp_path, text)
    result = await on.edit("x = ", "y = ", replace_all=True)
    assert result.metadata["replaced"] == 200
    assert on.text == text.replace("x = ", "y = ")
    assert result.text.count("\n") < 300
    assert "more" in result.text.rsplit("\n", 1)[-1]
