"""Arguments take their roles from case markers, not from their place."""

import pytest

from ankrcode.rocketlang.basket import Item
from ankrcode.rocketlang.binding import bind
from ankrcode.rocketlang.lexicon import LANGUAGES, lexicon_for
from ankrcode.rocketlang.tags import tag
from ankrcode.rocketlang.tokens import tokenise
from ankrcode.rocketlang.verbs import pick

LEXICON = lexicon_for(LANGUAGES)


def items(text: str) -> list[Item]:
    units = tag(tokenise(text, LEXICON), LEXICON)
    verb = pick(units, LEXICON)
    assert verb is not None, text
    return bind(units, verb)


def roles(text: str) -> dict[str, str]:
    return {item.text: item.role for item in items(text)}


@pytest.mark.parametrize(
    "text",
    [
        'x.py mein "a" ko "b" se badlo',
        'x.py में "a" को "b" से बदलो',
        'x.py madhye "a" la "b" ne badla',
        'x.py-il "a"-ai "b"-aaga maatru',
        'x.py-இல் "a"-ஐ "b"-ஆக மாற்று',
        'x.py lo "a" ni "b" ga marchu',
        'x.pyలో "a"ని "b"గా మార్చు',
        'x.py nalli "a" annu "b" aagi badalisu',
        'x.py ನಲ್ಲಿ "a" ಅನ್ನು "b" ಆಗಿ ಬದಲಿಸು',
    ],
)
def test_postpositions_bind_to_the_left(text: str) -> None:
    assert roles(text) == {"x.py": "IN", "a": "OBJ", "b": "BY"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('replace "a" with "b" in x.py', {"a": "", "b": "BY", "x.py": "IN"}),
        ('change "a" to "b" in x.py', {"a": "", "b": "TO", "x.py": "IN"}),
        ("move a.py to lib/a.py", {"a.py": "", "lib/a.py": "TO"}),
        ('in the file x.py find "a"', {"file": "IN", "x.py": "IN", "a": ""}),
        ('delete "a" from x.py', {"a": "", "x.py": "FROM"}),
    ],
)
def test_prepositions_bind_to_the_right(text: str, expected: dict[str, str]) -> None:
    assert roles(text) == expected


def test_a_noun_between_takes_the_role_for_its_thing_too() -> None:
    assert roles("src folder mein TODO dhoondo")["src"] == "IN"
    assert roles("app.py file ko padho")["app.py"] == "OBJ"
    assert roles("tests folder mein TODO dhoondo")["tests"] == "IN"


def test_joined_things_share_the_role_of_the_last() -> None:
    assert roles("a.py aur b.py ko hatao") == {"a.py": "OBJ", "b.py": "OBJ"}
    assert roles("move a.py and b.py to lib/")["lib/"] == "TO"


def test_a_text_and_a_path_never_share_a_role() -> None:
    assert roles('in x.py, change "a" to "b"') == {"x.py": "IN", "a": "", "b": "TO"}


@pytest.mark.parametrize(
    ("text", "word", "role"),
    [
        ("app.py la vacha", "app.py", "OBJ"),  # Marathi: the object
        ("app.py la thedu", "app.py", "IN"),  # colloquial Tamil: the place
        ("app.py lo vetuku", "app.py", "IN"),  # Telugu: the place
        ("app.py ki chaduvu", "app.py", "TO"),  # Telugu: to
        ("app.py ki lines padho", "app.py", "OF"),  # Hindi: of
    ],
)
def test_ambiguous_markers_are_read_in_the_language_of_the_verb(
    text: str, word: str, role: str
) -> None:
    assert roles(text)[word] == role


def test_main_is_a_branch_where_branches_are_spoken_of() -> None:
    assert roles("main push karo") == {"main": ""}
    assert roles("origin main push karo") == {"origin": "", "main": ""}
    assert roles("src main TODO dhoondo") == {"src": "IN", "TODO": ""}


def test_do_is_a_number_only_beside_what_is_counted() -> None:
    assert [item.kind for item in items("app.py dikha do")] == ["path"]
    assert [(item.kind, item.text) for item in items("app.py ki do lines dikhao")][1] == (
        "number",
        "2",
    )


def test_fillers_leave_nothing_behind() -> None:
    assert [item.text for item in items("bhai zara please app.py dikha do na")] == ["app.py"]


def test_an_article_is_a_name_where_it_is_joined_to_one() -> None:
    assert [item.text for item in items("create folders a and b")] == ["folders", "a", "b"]
    assert [item.text for item in items("create a folder b")] == ["folder", "b"]


def test_a_word_behind_an_article_is_marked_as_speech() -> None:
    bug = items("find the bug")[0]
    assert bug.has_article
    assert not items("find bug")[0].has_article


def test_light_verbs_at_the_end_belong_to_a_verb_in_the_middle() -> None:
    assert [item.text for item in items("a.txt ki nakal b.txt mein karo")] == ["a.txt", "b.txt"]
