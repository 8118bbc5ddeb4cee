"""The catalogue and the code that speaks from it agree, and values cannot do harm."""

import ast
import re
import string
from functools import cache
from pathlib import Path

import pytest

import ankrcode
from ankrcode.words import advice, catalogue, say

WORDS = catalogue("en")
SOURCE = Path(ankrcode.__file__).parent
SPEAKERS = {"of", "say", "advice"}

# Keys that are put together where they are said: the code's own words → the keys they become.
DYNAMIC = {
    "f'cmd.{key}'": "cmd.",
    "f'fault.{kind}'": "fault.",
    "f'must_stay.{what}'": "must_stay.",
    "f'write_{done}'": "write_",
    "f\"setting_expected.{schema['type']}\"": "setting_expected.",
    "f'setting_expected.{bounds}'": "setting_expected.",
    "f\"setting_place.{('exists' if path.exists() else 'missing')}\"": "setting_place.",
}


class Said:
    """One place in the source that says something."""

    def __init__(self, file: Path, call: ast.Call) -> None:
        first = call.args[0]
        self.place = f"{file.relative_to(SOURCE)}:{call.lineno}"
        self.text = ast.unparse(first)
        self.keys = [str(first.value)] if isinstance(first, ast.Constant) else []
        self.values = {keyword.arg for keyword in call.keywords if keyword.arg}
        self.is_open = any(keyword.arg is None for keyword in call.keywords)


@cache
def everything_said() -> tuple[Said, ...]:
    return tuple(
        Said(file, node)
        for file in sorted(SOURCE.rglob("*.py"))
        if file.parent.name != "words"
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and node.args and _name_of(node.func) in SPEAKERS
    )


def _name_of(function: ast.expr) -> str:
    match function:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
    return ""


@cache
def literals() -> frozenset[str]:
    """Every piece of text in the source: a key may be chosen before it is said."""
    return frozenset(
        node.value
        for file in SOURCE.rglob("*.py")
        if file.parent.name != "words"
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def placeholders(key: str) -> set[str]:
    return {
        name
        for part in WORDS[key]
        for _, name, _, _ in string.Formatter().parse(part)
        if name is not None
    }


def test_every_key_that_is_said_is_in_the_catalogue() -> None:
    unknown = [
        f"{one.place}: {key}" for one in everything_said() for key in one.keys if key not in WORDS
    ]
    assert len(everything_said()) > 50
    assert unknown == []


def test_every_key_of_the_catalogue_is_said_somewhere() -> None:
    put_together = tuple(DYNAMIC.values())
    unused = [key for key in WORDS if key not in literals() and not key.startswith(put_together)]
    assert unused == []


def test_every_key_that_is_put_together_is_known_here() -> None:
    put_together = {one.text for one in everything_said() if one.text.startswith(("f'", 'f"'))}
    assert put_together == set(DYNAMIC)
    for prefix in DYNAMIC.values():
        assert any(key.startswith(prefix) for key in WORDS)


def test_every_place_gives_the_values_that_its_words_need() -> None:
    wrong = [
        f"{one.place}: {key} needs {sorted(placeholders(key) - one.values)}"
        for one in everything_said()
        for key in one.keys
        if key in WORDS and not one.is_open and not placeholders(key) <= one.values
    ]
    assert wrong == []


@pytest.mark.parametrize("key", WORDS)
def test_a_sentence_has_only_named_values_and_no_line_break(key: str) -> None:
    assert all(re.fullmatch(r"[a-z_]+", name) for name in placeholders(key))
    assert "\n" not in "".join(WORDS[key])


HARMFUL = {
    "a terminal sequence": ("\x1b[2J", r"\x1b[2J"),
    "a new line": ("a\nb", r"a\nb"),
    "NUL": ("\0", r"\x00"),
    "text that runs backwards": ("\u202egnp.exe", r"\u202egnp.exe"),
    "half a character": ("\ud800", r"\ud800"),
    "a carriage return": ("safe\rEVIL", r"safe\rEVIL"),
}


@pytest.mark.parametrize(("harmful", "shown"), HARMFUL.values(), ids=HARMFUL)
def test_control_characters_in_a_value_are_shown_and_do_nothing(harmful: str, shown: str) -> None:
    text = say("is_a_directory", path=harmful)
    assert text == f"{shown} is a directory, not a file."
    assert text.isprintable()


@pytest.mark.parametrize("name", ["क्‍ष.txt", "می‌خواهم", "👨‍👩‍👧", "données café.md"])
def test_names_in_any_language_are_shown_as_they_are(name: str) -> None:
    assert say("is_a_directory", path=name).startswith(name + " is")


def test_braces_in_a_value_stay_what_they_are() -> None:
    assert (
        say("is_a_directory", path="{names} {0} {") == "{names} {0} { is a directory, not a file."
    )


def test_numbers_keep_their_format() -> None:
    said = say("file_too_large", path="a", size=1234567, limit=10)
    assert said == "a has 1,234,567 bytes; at most 10 are read at once."


def test_where_nothing_can_be_done_there_is_no_advice() -> None:
    assert advice("cancelled", tool="Read") == ""


LANGUAGES = [file.stem for file in (SOURCE / "words").glob("*.txt")]


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_says_only_what_english_says(language: str) -> None:
    words = catalogue(language)
    assert set(words) <= set(WORDS)
    assert say("why.runs", language=language)


def test_an_unknown_language_is_answered_in_english() -> None:
    assert say("why.runs", language="tlh") == WORDS["why.runs"][0]
