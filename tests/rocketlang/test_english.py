"""English: verbs in front, prepositions to the right."""

import pytest

from ankrcode.rocketlang.sentence import read_sentence
from rocketlang.sentences import calls_of, only_call, refused

EDITED = ("Edit", {"file_path": "app.py", "old_string": "foo", "new_string": "bar"})


@pytest.mark.parametrize(
    "text",
    [
        "read app.py",
        "Read app.py.",
        "READ app.py",
        "open app.py",
        "cat app.py",
        "view app.py please",
        "please read the file app.py",
        "show me app.py",
        "show me the file app.py",
        "show the contents of app.py",
        "look at app.py",
        "let me see app.py",
        "just open app.py now",
        "kindly display app.py",
        'read "app.py"',
    ],
)
def test_ways_to_read(text: str) -> None:
    assert read_sentence(text).lang == "en"
    assert only_call(text) == ("Read", {"file_path": "app.py"})


@pytest.mark.parametrize(
    "text",
    [
        'replace "foo" with "bar" in app.py',
        'replace "foo" by "bar" in app.py',
        'replace "foo" in app.py with "bar"',
        'in app.py replace "foo" with "bar"',
        'in app.py, replace "foo" with "bar"',
        'change "foo" to "bar" in app.py',
        'in app.py change "foo" to "bar"',
        'swap "foo" with "bar" in app.py',
        'substitute "foo" with "bar" in app.py',
        'write "bar" instead of "foo" in app.py',
        'find and replace "foo" with "bar" in app.py',
        'app.py: replace "foo" with "bar"',
        'update "foo" to "bar" in app.py',
    ],
)
def test_ways_to_replace(text: str) -> None:
    assert only_call(text) == EDITED


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("delete old.log", "old.log"),
        ("remove the file old.log", "old.log"),
        ("rm old.log", "old.log"),
        ("erase tmp/old.log", "tmp/old.log"),
        ("delete old.log in tmp", "tmp/old.log"),
        ("delete the folder build", "build"),
        ("remove directory cache", "cache"),
    ],
)
def test_ways_to_delete(text: str, path: str) -> None:
    assert only_call(text) == ("Delete", {"path": path})


@pytest.mark.parametrize(
    "text",
    [
        "find TODO in src",
        "search for TODO in src",
        "search src for TODO",
        "grep TODO in src",
        "grep TODO src",
        "look for TODO in src",
        "in src find TODO",
        'find "TODO" inside src',
        "find all TODO in the folder src",
        'locate "TODO" within src',
    ],
)
def test_ways_to_find(text: str) -> None:
    assert only_call(text) == ("Grep", {"pattern": "TODO", "path": "src"})


@pytest.mark.parametrize(
    "text",
    [
        "do not delete app.py",
        "don't delete app.py",
        "dont delete app.py",
        "never ever delete app.py",
        "please don't run the tests",
        "delete nothing, not even app.py",
        "you cannot delete app.py",
        "avoid touching app.py, delete b.py",
        "stop, do not push",
    ],
)
def test_ways_to_forbid(text: str) -> None:
    assert refused(text) == "negated"


@pytest.mark.parametrize(
    "text",
    [
        "can you delete app.py",
        "could you please delete app.py",
        "would you delete app.py",
        "should I delete app.py",
        "how do I delete app.py",
        "why delete app.py",
        "what if I delete app.py",
        "is it safe to delete app.py",
        "who deleted app.py",
        "when to delete app.py",
        "where is app.py",
        "delete app.py?",
    ],
)
def test_questions_go_to_the_model(text: str) -> None:
    assert refused(text) == "not_a_command"


@pytest.mark.parametrize(
    "text",
    [
        "I deleted app.py",
        "app.py was deleted",
        "we are deleting app.py",
        "he deletes app.py",
        "she wants to delete app.py",
        "they told me to delete app.py",
        "delete app.py if it is empty",
        "delete app.py unless tests fail",
        "delete app.py when done",
        "delete app.py after lunch",
        "delete app.py before you leave",
        "delete everything except app.py",
        "delete app.py but keep b.py",
        "delete app.py or b.py",
        "maybe delete app.py",
        "suppose we delete app.py",
        "imagine you delete app.py",
        "once tests pass push",
        "I wish you could delete app.py",
        "the manual says delete app.py",
        "according to ravi delete app.py",
        "for example delete app.py",
    ],
)
def test_tales_wishes_and_conditions_are_not_done(text: str) -> None:
    assert refused(text)


@pytest.mark.parametrize(
    "word", ["deleted", "deleting", "deletes", "removed", "wrote", "running", "committed"]
)
def test_other_forms_of_a_verb_are_no_slips(word: str) -> None:
    assert refused(f"{word} old.log")
    assert refused(f"old.log {word}")


def test_a_verb_that_is_also_a_noun_is_told_by_its_place() -> None:
    assert only_call("test app.py")[1] == {"command": "python -m pytest -q app.py"}
    assert only_call("run test")[1] == {"command": "python -m pytest -q"}
    assert only_call("show commit")[1] == {"command": "git log --oneline -n 10"}
    assert only_call("list src") == ("List", {"path": "src"})
    assert only_call("show list of src") == ("List", {"path": "src"})


def test_a_program_followed_by_an_english_verb_is_not_cut_short() -> None:
    assert refused("npm start")
    assert refused("cargo run")
    assert only_call("run npm start") == ("Bash", {"command": "npm start"})


def test_commas_and_ands_list_things() -> None:
    assert [args["file_path"] for _, args in calls_of("read a.py, b.py and c.py")] == [
        "a.py",
        "b.py",
        "c.py",
    ]


def test_several_commands_in_one_breath() -> None:
    assert [tool for tool, _ in calls_of("read a.py, then run tests and push")] == [
        "Read",
        "Bash",
        "Bash",
    ]
