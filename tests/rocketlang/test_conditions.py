"""Conditions in six languages: what is asked, and where the condition ends."""

import pytest

from ankrcode.rocketlang.blocks import Condition
from ankrcode.rocketlang.conditions import read_condition
from ankrcode.rocketlang.pieces import pieces

PASSED, FAILED = Condition(kind="passed"), Condition(kind="failed")
SETUP = Condition(kind="exists", text="setup.py")
NO_SETUP = Condition(kind="exists", text="setup.py", is_not=True)
EMPTY = Condition(kind="empty", name="x")
FULL = Condition(kind="empty", name="x", is_not=True)
HOLDS = Condition(kind="holds", name="out", text="error")
HOLDS_NOT = Condition(kind="holds", name="out", text="error", is_not=True)

CASES = [
    ("pass", PASSED),
    ("tests pass", PASSED),
    ("the tests passed", PASSED),
    ("test pass ho", PASSED),
    ("pass hua", PASSED),
    ("sab test pass ho jaye", PASSED),
    ("सफल", PASSED),
    ("टेस्ट पास हो", PASSED),
    ("पास झाले", PASSED),
    ("வெற்றி", PASSED),
    ("విజయం", PASSED),
    ("ಯಶಸ್ಸು", PASSED),
    ("not pass", Condition(kind="passed", is_not=True)),
    ("pass nahi hua", Condition(kind="passed", is_not=True)),
    ("fail", FAILED),
    ("tests fail", FAILED),
    ("it failed", FAILED),
    ("fail ho", FAILED),
    ("विफल हुआ", FAILED),
    ("நோ fail", None),
    ("setup.py exists", SETUP),
    ("setup.py hai", SETUP),
    ("setup.py है", SETUP),
    ("setup.py aahe", SETUP),
    ("setup.py आहे", SETUP),
    ("setup.py irukku", SETUP),
    ("setup.py undi", SETUP),
    ("setup.py ide", SETUP),
    ("exists setup.py", SETUP),
    ("there is setup.py", SETUP),
    ("file setup.py exists", SETUP),
    ('"setup.py" exists', SETUP),
    ("setup.py maujood hai", SETUP),
    ("setup.py nahi hai", NO_SETUP),
    ("setup.py नहीं है", NO_SETUP),
    ("setup.py नाही", NO_SETUP),
    ("setup.py does not exist", NO_SETUP),
    ("not setup.py exists", NO_SETUP),
    ("there is no setup.py", NO_SETUP),
    ("setup.py is missing", NO_SETUP),
    ("setup.py illai", NO_SETUP),
    ("src hai", Condition(kind="exists", text="src")),
    ("*.py hai", Condition(kind="exists", text="*.py")),
    ("$x empty", EMPTY),
    ("$x is empty", EMPTY),
    ("$x khaali hai", EMPTY),
    ("$x खाली है", EMPTY),
    ("$x रिकामे आहे", EMPTY),
    ("$x காலி", EMPTY),
    ("$x ఖాళీ", EMPTY),
    ("$x ಖಾಲಿ", EMPTY),
    ("$x is not empty", FULL),
    ("$x khaali nahi hai", FULL),
    ("not $x empty", FULL),
    ('$out mein "error"', HOLDS),
    ('$out mein "error" hai', HOLDS),
    ('$out में "error" है', HOLDS),
    ('$out मध्ये "error"', HOLDS),
    ('$out-il "error"', HOLDS),
    ('$outలో "error"', HOLDS),
    ('$out nalli "error"', HOLDS),
    ('"error" in $out', HOLDS),
    ('$out contains "error"', HOLDS),
    ('$out mein "error" nahi hai', HOLDS_NOT),
    ('"error" not in $out', HOLDS_NOT),
    ("$x hai", Condition(kind="exists", name="x")),
    ("", None),
    ("server chal raha hai", None),
    ("you want to delete a.py", None),
    ("$x", None),
    ('"text"', None),
]


@pytest.mark.parametrize(("text", "expected"), CASES, ids=[text for text, _ in CASES])
def test_a_condition_is_read_to_its_end(text: str, expected: Condition | None) -> None:
    found = pieces(text)
    read = read_condition(found)
    if expected is None:
        assert read is None
    else:
        assert read == (expected, len(found))


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ('pass to "ok" bolo', 'to "ok" bolo'),
        ('pass "ok" bolo', '"ok" bolo'),
        ("fail ho to wapas lo", "to wapas lo"),
        ("setup.py nahi hai to setup.py banao", "to setup.py banao"),
        ("setup.py exists then read setup.py", "then read setup.py"),
        ("setup.py hai tests chalao", "tests chalao"),
        ('$out mein "error" "bad" bolo', '"bad" bolo'),
        ("$x empty: a", ": a"),
        ("pass endraal push pannu", "endraal push pannu"),
    ],
)
def test_what_follows_is_left_for_the_command(text: str, rest: str) -> None:
    found = pieces(text)
    read = read_condition(found)
    assert read is not None
    assert text[found[read[1]].start :] == rest


@pytest.mark.parametrize(("text", "expected"), CASES, ids=[text for text, _ in CASES])
def test_it_makes_no_difference_where_in_the_line_it_begins(
    text: str, expected: Condition | None
) -> None:
    found = pieces(f"agar {text}")
    read = read_condition(found, 1)
    assert (read[0] if read else None) == expected
