"""Which word is the verb, and whose language it is."""

import pytest

from ankrcode.rocketlang.lexicon import LANGUAGES, lexicon_for
from ankrcode.rocketlang.tags import tag
from ankrcode.rocketlang.tokens import tokenise
from ankrcode.rocketlang.verbs import Verb, pick

LEXICON = lexicon_for(LANGUAGES)


def verb(text: str) -> Verb | None:
    return pick(tag(tokenise(text, LEXICON), LEXICON), LEXICON)


def picked(text: str) -> tuple[str, str]:
    found = verb(text)
    assert found is not None, text
    return found.op, found.lang


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("app.py padho", ("READ", "hi")),
        ("padho app.py", ("READ", "hi")),
        ("read app.py", ("READ", "en")),
        ("app.py read karo", ("READ", "hi")),
        ("app.py open pannu", ("READ", "ta")),
        ("tests run cheyyi", ("RUN", "te")),
        ("push maadu", ("PUSH", "kn")),
        ("push kara", ("PUSH", "mr")),
        ("test chalao", ("RUN", "hi")),
        ("test karo", ("CHECK", "hi")),
        ("app.py hata do", ("DELETE", "hi")),
        ("app.py hata dijiye", ("DELETE", "hi")),
        ("app.py dikha do na please", ("SHOW", "hi")),
        ('src mein dhoondo "TODO"', ("FIND", "hi")),
        ('in app.py change "a" to "b" everywhere', ("REPLACE", "en")),
        ("delete dhoondo", ("FIND", "hi")),
        ("search for open", ("FIND", "en")),
        ("find delete in src", ("FIND", "en")),
        ("app.py padi", ("READ", "ta")),
        ("app.py odu", ("READ", "kn")),
        ("yaad rakho x", ("REMEMBER", "hi")),
        ("yaad karo x", ("RECALL", "hi")),
        ("commit karo x", ("COMMIT", "hi")),
        ("a.py ka naam b.py karo", ("DO", "hi")),
        ("git status", ("NAMED", "en")),
        ("src mein TODO search", ("FIND", "hi")),
    ],
)
def test_the_verb_is_found_wherever_it_stands(text: str, expected: tuple[str, str]) -> None:
    assert picked(text) == expected


@pytest.mark.parametrize("text", ["app.py", "namaste", "", "10 20", "src mein TODO", '"delete"'])
def test_without_a_verb_there_is_none(text: str) -> None:
    assert verb(text) is None


@pytest.mark.parametrize(
    ("text", "op"),
    [("app.py hatoa", "DELETE"), ("delte app.py", "DELETE"), ("app.py serach karo", "FIND")],
)
def test_a_slip_is_a_verb_that_is_not_sure(text: str, op: str) -> None:
    found = verb(text)
    assert found is not None
    assert found.op == op
    assert not found.is_exact


def test_a_sloppy_light_verb_makes_its_verb_unsure() -> None:
    found = verb("push karoo")
    assert found is not None
    assert (found.op, found.is_exact) == ("PUSH", False)


def test_two_verbs_in_the_middle_are_rivals() -> None:
    found = verb("app.py hatao b.py padho c.py")
    assert found is not None
    assert set(found.rivals) == {"DELETE", "READ"}


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("itihas dakhva", "mr"),
        ("itihaas dikhao", "hi"),
        ("sthiti chupinchu", "te"),
        ("sthiti torisu", "kn"),
        ("raddu cheyyi", "te"),
        ("raddu maadu", "kn"),
    ],
)
def test_other_words_vote_for_the_language(text: str, lang: str) -> None:
    assert picked(text)[1] == lang


def test_what_changes_is_known_of_the_verb() -> None:
    deleting, reading = verb("app.py hatao"), verb("app.py padho")
    assert deleting is not None
    assert reading is not None
    assert deleting.changes
    assert not reading.changes
