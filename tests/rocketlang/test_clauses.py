"""Where one command ends and the next begins."""

import pytest

from ankrcode.rocketlang.clauses import clauses
from ankrcode.rocketlang.lexicon import LANGUAGES, lexicon_for
from ankrcode.rocketlang.tags import tag
from ankrcode.rocketlang.tokens import tokenise

LEXICON = lexicon_for(LANGUAGES)


def parts(text: str) -> list[str]:
    found = clauses(tag(tokenise(text, LEXICON), LEXICON), LEXICON)
    return [" ".join(unit.text for unit in part if unit.text) for part in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.py padho", ["a.py padho"]),
        ("a.py padho phir b.py hatao", ["a.py padho", "b.py hatao"]),
        ("a.py padho aur b.py hatao", ["a.py padho", "b.py hatao"]),
        ("a.py padho; b.py hatao", ["a.py padho", "b.py hatao"]),
        ("a.py padho\nb.py hatao", ["a.py padho", "b.py hatao"]),
        ("a.py padho। b.py hatao।", ["a.py padho", "b.py hatao"]),
        ("read a.py and delete b.py", ["read a.py", "delete b.py"]),
        ("read a.py, then delete b.py", ["read a.py ,", "delete b.py"]),
        ("commit aur push karo", ["commit", "push karo"]),
        ("a.py chaduvu tarvata b.py tolaginchu", ["a.py chaduvu", "b.py tolaginchu"]),
        ("a.py படி பிறகு b.py நீக்கு", ["a.py படி", "b.py நீக்கு"]),
        ("a.py वाचा आणि b.py हटवा", ["a.py वाचा", "b.py हटवा"]),
        ("a.py odu mattu b.py alisu", ["a.py odu", "b.py alisu"]),
    ],
)
def test_joiners_between_verbs_part_clauses(text: str, expected: list[str]) -> None:
    found = [part.rstrip(" ,") for part in parts(text)]
    assert found == [part.rstrip(" ,") for part in expected]


@pytest.mark.parametrize(
    "text",
    [
        "a.py aur b.py padho",
        "a.py, b.py aur c.py padho",
        "read a.py and b.py",
        "src aur lib mein TODO dhoondo",
        "tests aur build chalao",
        "TODO aur FIXME dhoondo",
    ],
)
def test_joiners_between_things_do_not(text: str) -> None:
    assert len(parts(text)) == 1


def test_things_may_be_joined_on_either_side_of_a_parting() -> None:
    assert len(parts("a.py padho aur b.py aur c.py hatao")) == 2
    assert len(parts("read a.py and b.py and delete c.py")) == 2


def test_a_leading_then_is_dropped() -> None:
    assert parts("phir a.py padho") == ["a.py padho"]


def test_a_misspelled_verb_still_parts_clauses() -> None:
    assert len(parts("a.py padho aur b.py hatoa")) == 2


def test_nothing_said_is_no_clause() -> None:
    assert parts("") == []
    assert parts(" ; ; ") == []
    assert parts("।") == []


def test_many_clauses_are_no_trouble() -> None:
    assert len(parts("; ".join(["a.py padho"] * 60))) == 60
