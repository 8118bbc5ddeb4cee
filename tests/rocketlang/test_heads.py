"""The first lines of blocks, told from sentences."""

import pytest

from ankrcode.rocketlang.blocks import Written
from ankrcode.rocketlang.heads import (
    Line,
    Loop,
    is_end,
    macro_name,
    read_loop,
    read_times,
    without_let,
    written,
)
from ankrcode.rocketlang.numbers_said import number_of


@pytest.mark.parametrize(
    "text",
    [
        *("end", "END", "end.", "end if", "end for", "khatam", "bas", "khatam karo", "खत्म", "ख़त्म"),
        *("संपले", "mudivu", "முடிவு", "mugimpu", "ముగింపు", "mugiyithu", "ಮುಗಿಯಿತು", "done"),
    ],
)
def test_an_end_in_every_language(text: str) -> None:
    assert is_end(Line(text.rstrip("."), 1))


@pytest.mark.parametrize(
    "text",
    ["end.txt padho", "bas karo yaar", "sample.py vacha", "khatam hua", '"end" bolo', "ende"],
)
def test_a_sentence_that_begins_like_an_end_is_none(text: str) -> None:
    assert not is_end(Line(text, 1))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("macro ship", "ship"),
        ("macro ship:", "ship"),
        ("def deploy-all", "deploy-all"),
        ("define x2", "x2"),
        ("kaam safai", "safai"),
        ("काम सफाई", "सफाई"),
        ("பணி சுத்தம்", "சுத்தம்"),
        ("పని deploy", "deploy"),
        ("ಕೆಲಸ deploy:", "deploy"),
    ],
)
def test_the_name_of_a_macro(text: str, name: str) -> None:
    assert macro_name(Line(text, 1)) == name


@pytest.mark.parametrize(
    "text",
    [
        *("macro", "macro ship now please", "macro 2x", "macro a.py", 'macro "x"', "kaam dikhao"),
        *("काम दिखाओ", "pani kaattu", "kelasa torisu", "define", "ship macro"),
    ],
)
def test_other_lines_define_nothing(text: str) -> None:
    assert macro_name(Line(text, 1)) == ""


@pytest.mark.parametrize(
    ("text", "count"),
    [
        *(("3 times:", 3), ("3 times", 3), ("repeat 3 times:", 3), ("do 3 times:", 3)),
        *(("twenty times:", 20), ("3 baar karo:", 3), ("bees baar:", 20), ("दो बार:", 2)),
        *(("१२ बार:", 12), ("௩ முறை:", 3), ("పది సార్లు:", 10), ("ಹತ್ತು ಬಾರಿ:", 10)),
        *(("$n baar:", "n"), ("{n} times:", "n"), ("pachas dafa:", 50)),
    ],
)
def test_how_often(text: str, count: int | str) -> None:
    times = read_times(Line(text, 1))
    assert times is not None
    assert times.count == count


@pytest.mark.parametrize(
    "text",
    [
        *(
            "times:",
            "many times:",
            "baar baar:",
            '"3" baar:',
            "3 files padho",
            "tests 3 baar chalao",
        ),
        *(
            "3 baar tests chalao",
            "tests 3 baar chalao",
            "last 3 times of app.py dikhao",
            "3",
            "",
            "$ 3 times:",
        ),
    ],
)
def test_a_sentence_with_a_number_is_no_block(text: str) -> None:
    assert read_times(Line(text, 1)) is None


@pytest.mark.parametrize(
    ("text", "loop"),
    [
        ("for each f in $files:", ("f", "files", True)),
        ("for f in files", ("f", "files", True)),
        ("har f $files mein", ("f", "files", True)),
        ("$files mein har f:", ("f", "files", True)),
        ("$files நடுவில் ஒவ்வொரு f:", ("f", "files", True)),
        ("har f src mein python files dhoondo:", ("f", "src mein python files dhoondo", False)),
        ("for each f in *.py:", ("f", "find *.py", False)),
        ("हर फाइल $सब में:", ("फाइल", "सब", True)),
    ],
)
def test_a_loop_and_where_its_things_come_from(text: str, loop: tuple[str, str, bool]) -> None:
    found = read_loop(Line(text, 1))
    assert isinstance(found, Loop)
    assert (found.name, found.source, found.is_variable) == loop


@pytest.mark.parametrize(
    "text",
    ["for", "har", "har f", "for each", "$f padho", "$files mein TODO dhoondo"],
)
def test_other_lines_are_no_loops(text: str) -> None:
    assert read_loop(Line(text, 1)) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('"a b"', Written(text="a b", is_quoted=True)),
        ("“a b”", Written(text="a b", is_quoted=True)),
        ('""', Written(text="", is_quoted=True)),
        ("5", Written(text="5")),
        ("-1.5", Written(text="-1.5")),
        ("src/a.py", Written(text="src/a.py")),
        ("**/*.py", Written(text="**/*.py")),
        ("main", Written(text="main")),
        ("$x", Written(text="$x")),
        ("app.py padho", None),
        ('"a" likho', None),
        ("", None),
    ],
)
def test_a_value_that_stands_there_itself(text: str, value: Written | None) -> None:
    assert written(text) == value


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ('"a" வை', '"a"'),
        ('"a" vai', '"a"'),
        ("5 అనుకో", "5"),
        ("5 ಇಡು", "5"),
        ('"a" maan lo', '"a"'),
        ('"vai"', '"vai"'),
        ("app.py padho", "app.py padho"),
    ],
)
def test_let_may_stand_last(text: str, rest: str) -> None:
    assert without_let(text) == rest


@pytest.mark.parametrize(
    ("word", "number"),
    [
        *(("0", 0), ("42", 42), ("४२", 42), ("௪௨", 42), ("౪౨", 42), ("೪೨", 42)),
        *(("zero", 0), ("twelve", 12), ("teen", 3), ("तीन", 3), ("paach", 5), ("वीस", 20)),
        *(("பத்து", 10), ("పది", 10), ("ಹತ್ತು", 10), ("DAS", 10)),
        *(("", None), ("many", None), ("3x", None), ("-1", None), ("½", None)),
    ],
)
def test_numbers_in_digits_of_any_script_and_in_words(word: str, number: int | None) -> None:
    assert number_of(word) == number
