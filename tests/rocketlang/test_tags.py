"""What words can mean: exact, by phrase, by sound, with an ending, as a guard."""

import pytest

from ankrcode.rocketlang.lexicon import LANGUAGES, lexicon_for
from ankrcode.rocketlang.tags import Unit, tag
from ankrcode.rocketlang.tokens import tokenise

LEXICON = lexicon_for(LANGUAGES)


def units(text: str) -> list[Unit]:
    return tag(tokenise(text, LEXICON), LEXICON)


def only(text: str) -> Unit:
    (unit,) = units(text)
    return unit


def senses(text: str) -> set[tuple[str, str]]:
    return {(one.kind, one.value) for one in only(text).senses}


def test_a_word_has_all_its_senses() -> None:
    assert {("aux", ""), ("number", "2")} <= senses("do")
    assert {("verb", "READ"), ("number", "10")} <= senses("padi")
    assert {("verb", "CHECK"), ("noun", "TESTS")} <= senses("test")


def test_capitals_do_not_matter_for_words() -> None:
    assert senses("PADHO") == senses("padho")


@pytest.mark.parametrize(
    ("text", "sense"),
    [
        ("yaad rakho", ("verb", "REMEMBER")),
        ("wapas lo", ("verb", "UNDO")),
        ("ki jagah", ("marker", "INSTEAD")),
        ("ke baare mein", ("marker", "FOR")),
        ("sab jagah", ("noun", "EVERYWHERE")),
        ("uske baad", ("join", "SEQ")),
        ("instead of", ("prep", "INSTEAD")),
        ("do not", ("negation", "")),
        ("நினைவில் வை", ("verb", "REMEMBER")),
        ("काढून टाका", ("verb", "DELETE")),
    ],
)
def test_a_phrase_is_one_unit(text: str, sense: tuple[str, str]) -> None:
    assert sense in senses(text)


def test_the_longest_phrase_wins() -> None:
    assert [unit.text for unit in units("ki jagah par likho")] == ["ki jagah par", "likho"]


def test_a_phrase_is_known_by_its_sound_but_not_surely() -> None:
    unit = only("waapas lo")
    assert unit.is_a("verb")
    unit = only("yaad rakhho")
    assert {one.value for one in unit.all("verb")} == {"REMEMBER"}
    assert not unit.is_exact


def test_phrases_need_words_not_quotations() -> None:
    assert [unit.kind for unit in units('yaad "rakho"')] == ["word", "str"]


@pytest.mark.parametrize(
    ("text", "operation"),
    [("parhoo", ""), ("padhho", "READ"), ("hataao", "DELETE"), ("पढो", "READ")],
)
def test_a_sound_is_recognised_but_not_exact(text: str, operation: str) -> None:
    unit = only(text)
    found = {one.value for one in unit.all("verb")}
    assert found == ({operation} if operation else set())
    assert not unit.is_exact


def test_names_are_never_matched_by_sound() -> None:
    assert only("HATAAO").senses == ()
    assert only("hata_ao").senses == ()


def test_questions_and_tales_are_never_matched_by_sound() -> None:
    for text in ("kyaa", "agarr", "haii"):
        assert not only(text).is_a("question")
        assert not only(text).is_a("statement")


@pytest.mark.parametrize("text", ["நீக்காதே", "tolaginchavaddu", "ಅಳಿಸಬೇಡ", "pannaathe"])
def test_forbidding_verbs_are_guards(text: str) -> None:
    assert only(text).is_a("negation")


@pytest.mark.parametrize("text", ["hataya", "नीकालूँगा", "tolaginchanu", "aliside", "deleted"])
def test_telling_verbs_are_guards_or_unknown(text: str) -> None:
    unit = only(text)
    assert unit.is_a("statement") or not unit.is_a("verb")


@pytest.mark.parametrize(
    ("text", "noun", "role"),
    [
        ("फोल्डरमध्ये", "FOLDER", "IN"),
        ("கோப்புறையில்", "FOLDER", "IN"),
        ("கோப்பில்", "FILE", "IN"),
        ("ఫోల్డర్లో", "FOLDER", "IN"),
        ("ಫೋಲ್ಡರ್ನಲ್ಲಿ", "FOLDER", "IN"),
        ("folderlo", "FOLDER", "IN"),
        ("foldermadhye", "FOLDER", "IN"),
    ],
)
def test_a_noun_and_its_ending_come_apart(text: str, noun: str, role: str) -> None:
    first, second = units(text)
    assert noun in {one.value for one in first.all("noun")}
    assert role in {one.value for one in second.all("marker")}


def test_nearly_a_light_verb_behind_a_verb_is_one() -> None:
    assert units("push kro")[1].is_a("light")
    assert not units("push kro")[1].is_exact
    assert not units("src kro")[1].senses
