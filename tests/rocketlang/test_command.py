"""One clause at a time: calls, or what stands in their way."""

import pytest

from ankrcode.rocketlang.basket import Item
from ankrcode.rocketlang.command import Command, Context, read_command
from ankrcode.rocketlang.frames.plan import Lack, quoted
from ankrcode.rocketlang.frames.table import FRAMES
from ankrcode.rocketlang.lexicon import LANGUAGES, lexicon_for, words_of
from ankrcode.rocketlang.place import NOWHERE
from ankrcode.rocketlang.tags import tag
from ankrcode.rocketlang.tokens import tokenise
from ankrcode.rocketlang.verbs import pick

LEXICON = lexicon_for(LANGUAGES)


def read(text: str, it: str | None = None, mentioned: str | None = None) -> Command | Lack | Item:
    units = tag(tokenise(text, LEXICON), LEXICON)
    verb = pick(units, LEXICON)
    assert verb is not None
    return read_command(units, verb, Context(place=NOWHERE, it=it, mentioned=mentioned))


def command(text: str, **more: str) -> Command:
    found = read(text, **more)
    assert isinstance(found, Command), found
    return found


def test_a_clause_becomes_a_command() -> None:
    found = command("app.py padho")
    assert [call.tool for call in found.calls] == ["Read"]
    assert found.is_sure
    assert not found.asks_first
    assert found.doubt is None


def test_what_lacks_something_says_so() -> None:
    assert read("padho") == Lack("missing_argument", "file")


def test_what_is_left_over_is_named() -> None:
    left = read("old.log purani hatao")
    assert isinstance(left, Item)
    assert left.text == "purani"


def test_a_look_may_doubt_one_word() -> None:
    found = command("app.py zaldise padho")
    assert found.doubt is not None
    assert found.doubt.text == "zaldise"
    assert not found.is_sure


def test_a_word_that_only_sounds_right_leaves_a_reading_unsure() -> None:
    found = command("app.py meinn TODO dhoondo")
    assert found.calls[0].args == {"pattern": "TODO", "path": "app.py"}
    assert not found.is_sure


@pytest.mark.parametrize(
    ("text", "mentioned"),
    [
        ("app.py padho", "app.py"),
        ("$f padho", "$f"),
        ("src mein TODO dhoondo", None),
        ("a.py aur b.py padho", None),
        ("a.md ko docs/ mein le jao", "docs/a.md"),
        ("a.md ko b.md mein le jao", "b.md"),
        ("a.md ko b.md mein copy karo", None),
    ],
)
def test_what_the_next_clause_may_call_it(text: str, mentioned: str | None) -> None:
    assert command(text).mentioned == mentioned


def test_what_was_mentioned_lasts_until_something_else_is() -> None:
    assert command("tests chalao", mentioned="a.py").mentioned == "a.py"
    assert command("b.py padho", mentioned="a.py").mentioned == "b.py"


def test_a_pipeline_comes_before_what_was_mentioned() -> None:
    found = command("padho", it="x.py", mentioned="a.py")
    assert found.calls[0].args == {"file_path": "x.py"}


def test_every_operation_of_every_language_has_its_frame() -> None:
    operations = {op for language in LANGUAGES for op in words_of(language).verbs}
    assert operations | {"DO", "NAMED"} == set(FRAMES)


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        ("a.py", "a.py"),
        ("a b", "'a b'"),
        ("it's", "'it'\"'\"'s'"),
        ("$(x)", "'$(x)'"),
        ("$f", "$f"),
        ("{f}", "{f}"),
        ("$f; rm", "'$f; rm'"),
        ("", "''"),
    ],
)
def test_words_are_quoted_for_the_shell_and_variables_are_not(word: str, shown: str) -> None:
    assert quoted(word) == shown
