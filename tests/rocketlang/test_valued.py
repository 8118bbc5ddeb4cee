"""Sentences with values: which way of saying a value a verb takes, and what a pipe hands on."""

import pytest

from ankrcode.rocketlang.valued import read_with
from ankrcode.rocketlang.variables import Value, typed

PATH = Value(items=("src/a.py",))
ODD = Value(items=("a b; c.py",))
TEXT = Value(items=("some text, of two lines\nand more",))


def calls(
    text: str, it: Value | None = None, **values: Value
) -> list[tuple[str, dict[str, object]]]:
    """What it comes to, with all values in their places."""
    valued = read_with(text, values, it)
    assert valued.reading.fault is None, valued.reading.fault
    return [(one.tool, valued.veil.lifted(one.tool, one.args)) for one in valued.reading.calls]


@pytest.mark.parametrize("value", [PATH, ODD, typed("my file.txt"), typed("x.py", is_quoted=False)])
def test_a_thing_is_a_file_where_a_file_is_wanted(value: Value) -> None:
    assert calls("$f padho", f=value) == [("Read", {"file_path": value.text})]
    assert calls("$f hatao", f=value) == [("Delete", {"path": value.text})]


@pytest.mark.parametrize("value", [PATH, ODD, TEXT, typed("hello"), typed("7")])
def test_the_same_is_a_text_where_a_text_is_wanted(value: Value) -> None:
    assert calls("$f bolo", f=value) == [("Say", {"text": value.text})]
    wrote = {"file_path": "n.txt", "content": value.text}
    assert calls("n.txt mein $f likho", f=value) == [("Write", wrote)]


def test_both_sides_of_a_change_may_be_values() -> None:
    args = {"file_path": "src/a.py", "old_string": "x = 1", "new_string": ""}
    values = {"f": PATH, "a": typed("x = 1"), "b": typed("")}
    assert calls('{f} mein $a ko "{b}" se badlo', **values) == [("Edit", args)]


def test_people_are_told_with_the_values() -> None:
    valued = read_with("$f hatao", {"f": ODD})
    assert "a b; c.py" in valued.reading.explain
    assert "rlvalue" not in valued.reading.explain
    wrong = read_with("$f frobnicate karo", {"f": ODD}).reading.fault
    assert wrong is not None
    assert "rlvalue" not in wrong.message


def test_without_values_a_sentence_is_read_as_it_is() -> None:
    valued = read_with("app.py mat hatao", {"f": PATH})
    assert valued.reading.fault is not None
    assert valued.reading.fault.code == "negated"
    assert not valued.veil.is_used


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("padho", ("Read", {"file_path": "src/a.py"})),
        ("ise padho", ("Read", {"file_path": "src/a.py"})),
        ("read it", ("Read", {"file_path": "src/a.py"})),
        ("hatao", ("Delete", {"path": "src/a.py"})),
        ("chalao", ("Bash", {"command": "python src/a.py"})),
        ("test karo", ("Bash", {"command": "python -m pytest -q src/a.py"})),
        ("lib mein le jao", ("Move", {"source": "src/a.py", "destination": "lib"})),
        ("bolo", ("Say", {"text": "src/a.py"})),
    ],
)
def test_a_path_that_is_handed_on_is_worked_on(
    text: str, call: tuple[str, dict[str, object]]
) -> None:
    assert calls(text, it=PATH) == [call]
    assert read_with(text, {}, PATH).takes_it


@pytest.mark.parametrize("text", ["git status dikhao", "b.py padho", "wapas lo", '"x" bolo'])
def test_a_sentence_with_its_own_object_leaves_it(text: str) -> None:
    assert not read_with(text, {}, PATH).takes_it


@pytest.mark.parametrize("text", ["likho", "write it", "ise likho"])
@pytest.mark.parametrize("it", [PATH, TEXT])
def test_nothing_is_both_the_file_and_what_is_written_there(text: str, it: Value) -> None:
    assert read_with(text, {}, it).reading.fault is not None


def test_a_text_that_is_handed_on_is_written_whole() -> None:
    wrote = {"file_path": "n.txt", "content": TEXT.text}
    assert calls("n.txt mein likho", it=TEXT) == [("Write", wrote)]
    assert calls("bolo", it=TEXT) == [("Say", {"text": TEXT.text})]
    (tool, args) = calls("n.txt mein jodo", it=TEXT)[0]
    assert tool == "Bash"
    assert "'some text, of two lines\nand more'" in str(args["command"])
