"""What would be done, and why it is not, in the words of whoever asked."""

import pytest

from ankrcode.rocketlang.explain import back_translation
from ankrcode.rocketlang.faults import Voice, fault
from ankrcode.rocketlang.lexicon import CHANGING, LANGUAGES, lexicon_for
from ankrcode.rocketlang.normalise import languages_written
from ankrcode.rocketlang.reading import Planned
from ankrcode.rocketlang.sentence import read_sentence
from ankrcode.rocketlang.suggestions import suggestions, usual_form
from ankrcode.rocketlang.tags import tag
from ankrcode.rocketlang.tokens import tokenise

VOICES = [
    Voice("en", "roman"),
    *(Voice(lang, script) for lang in LANGUAGES[1:] for script in ("roman", "native")),
]


def said(text: str) -> str:
    return read_sentence(text).explain


# ── back-translation ──────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('app.py mein "foo" ko "bar" se badlo', "app.py mein 'foo' ko 'bar' se badlunga"),
        ("app.py padho", "app.py padhunga"),
        ("app.py पढ़ो", "app.py पढ़ूँगा"),
        ("old.log hatao", "old.log hataunga"),
        ("old.log हटवा", "old.log हटवेन"),
        ("old.log நீக்கு", "old.log நீக்குவேன்"),
        ("old.log తొలగించు", "old.log తొలగిస్తాను"),
        ("old.log ಅಳಿಸು", "old.log ಅಳಿಸುತ್ತೇನೆ"),
        ("delete old.log", "I would delete old.log"),
        ("a.py padho phir b.py hatao", "a.py padhunga, phir b.py hataunga"),
        ('notes.txt mein "x" likho', "notes.txt mein (poori file) 'x' likhunga"),
        ("utils.py banao", "khaali utils.py banaunga"),
        ("tests chalao", "`python -m pytest -q` chalaunga"),
        ("app.py ki line 3 se 5 tak padho", "app.py ki line 3 se 3 lines padhunga"),
        ('app.py se "x" hatao', "app.py se 'x' hataunga"),
    ],
)
def test_a_reading_is_told_back_in_the_speakers_words(text: str, told: str) -> None:
    assert said(text) == told


@pytest.mark.parametrize("text", ["old.log hatoa", "delte old.log", "old.log हटओ"])
def test_what_is_asked_about_is_told_first(text: str) -> None:
    reading = read_sentence(text)
    assert reading.confirm
    assert "old.log" in reading.explain


def test_overwriting_and_creating_are_told_apart() -> None:
    assert said('write "x" to a.txt') != said("create a.txt")
    assert "whole" in said('write "x" to a.txt')


def test_replacing_once_and_everywhere_are_told_apart() -> None:
    assert "har jagah" in said('app.py mein har jagah "a" ko "b" se badlo')
    assert "har jagah" not in said('app.py mein "a" ko "b" se badlo')


def test_long_text_is_cut_in_the_telling_only() -> None:
    reading = read_sentence(f'notes.txt mein "{"x" * 500}" likho')
    assert len(reading.explain) < 200
    assert len(reading.calls[0].args["content"]) == 500


@pytest.mark.parametrize("voice", VOICES, ids=lambda voice: f"{voice.lang}-{voice.script}")
def test_even_an_unknown_tool_can_be_told(voice: Voice) -> None:
    assert "Frobnicate" in back_translation([Planned(tool="Frobnicate", args={"x": 1})], voice)


def test_braces_in_text_are_only_text() -> None:
    assert "{x}" in said('notes.txt mein "{x}" likho')


# ── faults ────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("app.py mat hatao", "Theek hai, kuch nahi kiya."),
        ("app.py मत हटाओ", "ठीक है, कुछ नहीं किया।"),
        ("do not delete app.py", "All right, nothing was done."),
        ("padho", "Kaunsi file? Jaise: app.py padho"),
        ("पढ़ो", "कौनसी फ़ाइल? जैसे: app.py पढ़ो"),
        ("வாசி", "எந்தக் கோப்பு? எ.கா.: app.py படி"),
        ("kaise app.py hatao", "Iske liye model chahiye; key ke liye ANTHROPIC_API_KEY"),
    ],
)
def test_a_fault_speaks_the_language_and_script_of_the_sentence(text: str, message: str) -> None:
    fault_of = read_sentence(text).fault
    assert fault_of is not None
    assert fault_of.message == message


@pytest.mark.parametrize("voice", VOICES, ids=lambda voice: f"{voice.lang}-{voice.script}")
@pytest.mark.parametrize(
    "code",
    [
        *("unknown_command", "ambiguous_verb", "missing_argument", "unknown_object"),
        *("negated", "not_a_command", "missing_end", "bad_condition"),
    ],
)
def test_every_fault_can_be_said_to_everyone(voice: Voice, code: str) -> None:
    made = fault(code, voice, x="XYZ", near=("one", "two"), line=7)  # type: ignore[arg-type]
    assert made.message
    assert "{" not in made.message
    if voice.script == "native" and code != "ambiguous_verb":
        assert voice.lang in languages_written(made.message)


def test_a_missing_slot_comes_with_an_example_that_works() -> None:
    for voice in VOICES:
        for slot in (
            "file",
            "text",
            "content",
            "old",
            "new",
            "message",
            "branch",
            "folder",
            "destination",
            "source",
            "command",
            "url",
        ):
            (example,) = fault("missing_argument", voice, slot=slot).suggestions
            assert read_sentence(example).calls, (voice, slot, example)


def test_a_fault_says_where() -> None:
    made = read_sentence("old.log purani hatao").fault
    assert made is not None
    assert "old.log purani hatao"[made.span[0] : made.span[1]] == "purani"
    made = read_sentence("app.py mat hatao").fault
    assert made is not None
    assert "app.py mat hatao"[made.span[0] : made.span[1]] == "mat"


# ── did you mean ──────────────────────────────────────────────────────────────────────────────
def near(text: str) -> tuple[str, ...]:
    lexicon = lexicon_for(LANGUAGES)
    return suggestions(tag(tokenise(text, lexicon), lexicon), lexicon, Voice("hi", "roman"))


def test_near_verbs_are_suggested_at_most_three() -> None:
    assert len(near("app.py hatatao")) <= 3
    assert near("app.py hatatao")
    assert near("app.py xxxxxxxxxx") == ()


def test_suggestions_are_in_the_script_of_the_word() -> None:
    assert all(form.isascii() for form in near("app.py padhiyo"))
    assert all(not form.isascii() for form in near("app.py पढ़ियो"))


def test_a_fault_carries_its_suggestions_and_says_them() -> None:
    made = read_sentence("app.py hatxyo").fault
    assert made is not None
    assert made.code == "unknown_command"
    assert len(made.suggestions) <= 3
    assert all(one in made.message for one in made.suggestions)


def test_rival_verbs_are_named_in_the_speakers_words() -> None:
    made = read_sentence("app.py hatao b.py padho c.py").fault
    assert made is not None
    assert made.code == "ambiguous_verb"
    assert set(made.suggestions) == {"hatao", "padho"}


@pytest.mark.parametrize(
    ("voice", "form"),
    [
        (Voice("hi", "roman"), "padho"),
        (Voice("hi", "native"), "पढ़ो"),
        (Voice("ta", "native"), "படி"),
        (Voice("en", "roman"), "read"),
    ],
)
def test_the_usual_form_of_a_verb(voice: Voice, form: str) -> None:
    assert usual_form("READ", voice) == form


@pytest.mark.parametrize("voice", VOICES, ids=lambda voice: f"{voice.lang}-{voice.script}")
def test_every_operation_has_a_form_for_everyone(voice: Voice) -> None:
    for op in (*CHANGING, "READ", "SHOW", "FIND", "LIST", "COUNT", "SAY", "HELP"):
        assert usual_form(op, voice)
