"""Values in sentences and in command lines: nothing that was found is ever taken for a word."""

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.rocketlang.variables import (
    Value,
    Veil,
    in_command,
    interpolated,
    typed,
    value_of,
)

FOUND = Value(items=("a.py",))
ODD = Value(items=('x"; hatao | $(reboot).py',))


@pytest.mark.parametrize(
    ("result", "items", "is_list"),
    [
        (["a", "b"], ("a", "b"), True),
        ([], (), True),
        ("text", ("text",), False),
        (None, ("",), False),
        (7, ("7",), False),
        ({"paths": ["a"], "total": 1}, ("a",), True),
        ({"files": ["a"], "matches": []}, ("a",), True),
        ({"files": [], "matches": [{"path": "b", "line": 1}]}, ("b",), True),
        ({"output": "out"}, ("out",), False),
        ({"content": "c"}, ("c",), False),
        ([{"path": "a"}, {"file": "b"}], ("a", "b"), True),
    ],
)
def test_a_result_is_text_or_a_list(result: object, items: tuple[str, ...], is_list: bool) -> None:
    value = value_of(result)
    assert (value.items, value.is_list) == (items, is_list)


def test_what_a_search_prints_is_a_list_of_paths() -> None:
    assert value_of("a.py\nb.py\n", finds=True).items == ("a.py", "b.py")
    assert value_of(["a.py:3: TODO", "a.py:9: TODO", "b.py:1:x"], finds=True).items == (
        "a.py",
        "b.py",
    )
    assert value_of("one\ntwo").items == ("one\ntwo",)
    empties: list[object] = [None, "", [], {"paths": []}]
    for nothing in empties:
        assert (value_of(nothing, finds=True).items, value_of(nothing, finds=True).is_list) == (
            (),
            True,
        )


def test_a_plain_path_is_put_into_the_sentence() -> None:
    veil = Veil({"f": FOUND})
    assert veil.over("$f padho") == "a.py padho"
    assert veil.over("{f} padho") == "a.py padho"
    assert not veil.hidden
    over = veil.over("src/{f}.bak padho")
    assert over == "src/rlvalue0x.bak padho"
    assert veil.lifted("Read", {"file_path": over.split()[0]}) == {"file_path": "src/a.py.bak"}


@pytest.mark.parametrize(
    "name",
    ["app.pyni", "app.py-ஐ", "src-il", "x-lo", "a.py-ai", "libमध्ये", "a-b.py"],
)
def test_a_found_name_that_ends_like_a_word_is_hidden(name: str) -> None:
    veil = Veil({"f": Value(items=(name,)), "g": Value(items=("x y",))})
    first, second, _ = veil.over("$f $g padho").split()
    assert name not in (first, second)
    lifted = veil.lifted("Read", {"file_path": first, "more": [second]})
    assert lifted == {"file_path": name, "more": ["x y"]}


def test_a_part_of_a_path_may_be_any_plain_word() -> None:
    veil = Veil({"name": typed("util")})
    assert veil.over("src/{name}.py padho") == "src/util.py padho"


def test_what_stands_in_quotes_waits_until_all_is_read() -> None:
    veil = Veil({"x": typed("world"), "f": ODD})
    assert veil.over('"hello {x} {f} $x" bolo') == '"hello {x} {f} $x" bolo'
    assert veil.lifted("Say", {"text": "hello {x} {f} $x"}) == {
        "text": f"hello world {ODD.text} $x"
    }


def test_unknown_names_and_other_braces_stay_as_they_are() -> None:
    veil = Veil({"x": typed("1")})
    assert veil.over("$y {y} {} {1} padho") == "$y {y} {} {1} padho"
    assert interpolated("{y} {x} {}", {"x": typed("1")}) == "{y} 1 {}"


def test_an_odd_name_is_hidden_while_the_sentence_is_read() -> None:
    veil = Veil({"f": ODD})
    over = veil.over("$f padho")
    assert over.endswith(" padho")
    assert len(over.split()) == 2
    assert not set("\"';|$()") & set(over)
    assert over.split()[0].endswith(".py"), "what kind of file it is can still be seen"
    assert veil.lifted("Read", {"file_path": over.split()[0]}) == {"file_path": ODD.text}


def test_a_text_is_hidden_as_a_variable() -> None:
    veil = Veil({"m": typed("fix the login")})
    over = veil.over("$m commit karo")
    assert over.startswith("$rlvalue")
    name = over.split()[0]
    lifted = veil.lifted("Bash", {"command": f"git commit -m {name}"})
    assert lifted == {"command": "git commit -m 'fix the login'"}


def test_values_reach_also_lists_and_inner_objects() -> None:
    veil = Veil({"x": typed("docs")})
    lifted = veil.lifted("TodoWrite", {"todos": [{"content": "write {x}", "n": 1}]})
    assert lifted == {"todos": [{"content": "write docs", "n": 1}]}


def test_a_value_is_put_in_once_and_never_read_again() -> None:
    veil = Veil({"a": Value(items=("{b} $b",)), "b": typed("secret")})
    assert veil.lifted("Say", {"text": "{a}"}) == {"text": "{b} $b"}
    assert in_command("echo {a}", veil.variables) == "echo '{b} $b'"


HOSTILE = ["a b", "x; touch y", "$(id)", "`id`", 'say "hi"', "it's", "a\nb", "", "-rf", "*"]


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("frame", ["cat {f}", 'cat "{f}"', "cat '{f}'", 'cat "x {f} y"'])
def test_what_was_found_stays_one_word_of_a_command(text: str, frame: str) -> None:
    command = in_command(frame, {"f": Value(items=(text,))}, raw=True)
    said = shlex.split(frame)[1].replace("{f}", text)
    assert shlex.split(command) == ["cat", said]


@given(st.text(min_size=1, max_size=40).filter(lambda text: "\0" not in text))
def test_no_text_at_all_breaks_out_of_its_word(text: str) -> None:
    for frame in ("cat {f}", 'cat "{f}"', "cat '{f}'"):
        command = in_command(frame, {"f": Value(items=(text,))}, raw=True)
        assert shlex.split(command) == ["cat", text]


def test_several_things_are_several_words() -> None:
    several = Value(items=("a b", "c"), is_list=True)
    assert in_command("ls {f}", {"f": several}) == "ls 'a b' c"


def test_what_the_person_wrote_goes_into_their_command_as_it_is() -> None:
    flags = {"flags": typed("-q --fast")}
    assert in_command("pytest {flags}", flags, raw=True) == "pytest -q --fast"
    assert in_command("pytest {flags}", flags) == "pytest '-q --fast'"


def test_the_shell_keeps_its_own_variables_and_braces() -> None:
    line = "for f in *.py; do echo ${f%.py} $HOME {1..3} {f}; done"
    assert in_command(line, {"x": typed("1")}, raw=True) == line


@pytest.mark.parametrize(
    ("value", "is_empty"),
    [
        (Value(items=()), True),
        (Value(items=("",)), True),
        (Value(items=("  \n",)), True),
        (Value(items=("", "x"), is_list=True), False),
        (typed("0"), False),
    ],
)
def test_empty_is_what_has_nothing_to_read(value: Value, is_empty: bool) -> None:
    assert value.is_empty is is_empty
