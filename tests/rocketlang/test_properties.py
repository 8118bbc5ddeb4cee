"""What must hold for every word of the lexicon, every order, every slip, any line at all."""

import random
import time
import unicodedata
from collections.abc import Iterator
from itertools import permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.rocketlang.lexicon import CHANGING, LANGUAGES, lexicon_for, split, words_of
from ankrcode.rocketlang.sentence import read_sentence
from rocketlang.sentences import calls_of
from torture import IS_TORTURE, examples

# The case markers of a frame, romanised and native: place, object, what it becomes.
MARKERS = {
    "hi": (("mein", "ko", "se"), ("में", "को", "से")),
    "mr": (("madhye", "la", "ne"), ("मध्ये", "ला", "ने")),
    "ta": (("il", "ai", "aaga"), ("இல்", "ஐ", "ஆக")),
    "te": (("lo", "ni", "ga"), ("లో", "ని", "గా")),
    "kn": (("nalli", "annu", "ge"), ("ನಲ್ಲಿ", "ಅನ್ನು", "ಗೆ")),
}
# What a verb is said of, and the tool it then asks for. I, O and B are the markers.
FRAMES = {
    "READ": ("Read", "app.py O"),
    "SHOW": ("Read", "app.py"),
    "WRITE": ("Write", 'notes.txt I "x"'),
    "CREATE": ("Write", "utils.py"),
    "ADD": ("Bash", 'notes.md I "x"'),
    "REPLACE": ("Edit", 'app.py I "foo" O "bar" B'),
    "DELETE": ("Delete", "old.log O"),
    "FIND": ("Grep", 'src I "TODO"'),
    "LIST": ("List", "src"),
    "RUN": ("Bash", '"ls"'),
    "CHECK": ("gst_validate", "GSTIN 27AAPFU0939F1ZV"),
    "MOVE": ("Move", "a.py O lib/a.py I"),
    "COPY": ("Bash", "a.py O b.py I"),
    "COUNT": ("Grep", 'src I "TODO"'),
    "COMMIT": ("Bash", '"m"'),
    "PUSH": ("Bash", ""),
    "PULL": ("Bash", ""),
    "STAGE": ("Bash", "app.py"),
    "CHECKOUT": ("Bash", "develop"),
    "UNDO": ("Undo", ""),
    "REDO": ("Redo", ""),
    "REMEMBER": ("Remember", '"x"'),
    "RECALL": ("Recall", '"x"'),
    "ASK": ("Task", '"x"'),
    "EXPLAIN": ("Task", "app.py"),
    "FETCH": ("WebFetch", "https://example.com"),
    "SAY": ("Say", '"x"'),
    "HELP": ("Help", ""),
    "CALL": ("Move", "a.py naam b.py"),
}
OF_ENGLISH = {
    "WRITE": '"x" to notes.txt',
    "ADD": '"x" to notes.md',
    "REPLACE": '"foo" with "bar" in app.py',
    "FIND": '"TODO" in src',
    "MOVE": "a.py to lib/a.py",
    "COPY": "a.py to b.py",
    "COUNT": '"TODO" in src',
    "READ": "app.py",
    "DELETE": "old.log",
}
NAMED = {"mr": "naav", "hi": "naam"}
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def forms(language: str) -> Iterator[tuple[str, str]]:
    for op, listed in words_of(language).verbs.items():
        for form in split(listed):
            yield op, form


def said_of(op: str, language: str, *, is_native: bool) -> str:
    """The rest of the sentence, with the markers of this language."""
    if language == "en":
        return OF_ENGLISH.get(op, FRAMES[op][1])
    rest = FRAMES[op][1].replace("naam", NAMED.get(language, "naam"))
    place, thing, becomes = MARKERS[language][is_native]
    marked = {"I": place, "O": thing, "B": becomes}
    return " ".join(marked.get(word, word) for word in rest.split(" "))


ALL = [(language, op, form) for language in LANGUAGES for op, form in forms(language)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_form_of_every_verb_asks_for_its_operation_in_any_order(language: str) -> None:
    for op, form in forms(language):
        tool = FRAMES[op][0]
        rest = said_of(op, language, is_native=not form.isascii())
        orders = [f"{form} {rest}"] if language == "en" else [f"{rest} {form}", f"{form} {rest}"]
        for text in orders:
            reading = read_sentence(text)
            assert [call.tool for call in reading.calls] == [tool], (text, reading)
            assert not reading.confirm, text


@pytest.mark.parametrize("language", list(MARKERS))
def test_native_verbs_take_romanised_markers_and_the_other_way_round(language: str) -> None:
    for op, form in forms(language):
        if op not in ("FIND", "REPLACE", "WRITE", "MOVE", "READ"):
            continue
        text = f"{said_of(op, language, is_native=form.isascii())} {form}"
        reading = read_sentence(text)
        assert [call.tool for call in reading.calls] == [FRAMES[op][0]], (text, reading)


@pytest.mark.parametrize("language", list(MARKERS))
def test_markers_decide_what_is_old_and_new_whatever_the_order(language: str) -> None:
    expected = {"file_path": "x.py", "old_string": "old", "new_string": "new"}
    verbs = list(split(words_of(language).verbs["REPLACE"]))[:4]
    for (place, thing, becomes), verb in product(MARKERS[language], verbs):
        parts = [f"x.py {place}", f'"old" {thing}', f'"new" {becomes}', verb]
        for order in permutations(parts):
            assert calls_of(" ".join(order)) == [("Edit", expected)], order


@pytest.mark.parametrize("language", list(MARKERS))
def test_markers_decide_what_is_moved_and_where(language: str) -> None:
    expected = {"source": "a.py", "destination": "lib/b.py"}
    verbs = list(split(words_of(language).verbs["MOVE"]))
    for (place, thing, _), verb in product(MARKERS[language], verbs):
        for order in permutations([f"a.py {thing}", f"lib/b.py {place}", verb]):
            assert calls_of(" ".join(order)) == [("Move", expected)], order


# ── slips ─────────────────────────────────────────────────────────────────────────────────────
def slipped(form: str, dice: random.Random) -> str:
    """One letter added, dropped, changed, or swapped with the next."""
    at = dice.randrange(len(form))
    letter = dice.choice(LETTERS)
    return dice.choice(
        (
            form[:at] + letter + form[at:],
            form[:at] + form[at + 1 :],
            form[:at] + letter + form[at + 1 :],
            form[:at] + form[at + 1 : at + 2] + form[at] + form[at + 2 :],
        )
    )


@pytest.mark.torture
def test_one_slip_in_a_changing_verb_never_changes_something_else_unasked() -> None:
    dice = random.Random(7)
    known = lexicon_for(LANGUAGES)
    changing = [
        (language, op, form)
        for language, op, form in ALL
        if op in CHANGING and form.isascii() and " " not in form
    ]
    for language, op, form in changing * (40 if IS_TORTURE else 3):
        wrong = slipped(form, dice)
        if any(sense.kind == "verb" for sense in known.senses(wrong)):
            continue  # it is another word of the lexicon now
        rest = said_of(op, language, is_native=False)
        text = f"{wrong} {rest}" if language == "en" else f"{rest} {wrong}"
        reading = read_sentence(text)
        assert reading.confirm or not reading.changes, (form, text, reading.calls)


def test_most_slips_in_longer_verbs_are_still_understood() -> None:
    dice = random.Random(11)
    tried = right = 0
    for language, op, form in ALL:
        if len(form) < 5 or not form.isascii() or " " in form or language == "en":
            continue
        text = f"{said_of(op, language, is_native=False)} {slipped(form, dice)}"
        tried += 1
        right += [call.tool for call in read_sentence(text).calls] == [FRAMES[op][0]]
    assert right / tried >= 0.8, (right, tried)


# ── the same in other spellings ───────────────────────────────────────────────────────────────
SPELLED = [
    "src/app.py को पढ़िए",
    'app.py में "foo" को "bar" से बदलो',
    "notes.md में जोड़ो",
    "src में TODO ढूँढो",
    "app.py-இல் TODO தேடு",
    "app.py ని చదవండి",
    "app.py ಅನ್ನು ಓದಿ",
    "app.py की पहली दस लाइनें दिखाओ",
    "a.py ला lib/a.py मध्ये हलवा",
]


@pytest.mark.parametrize("text", SPELLED)
@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
def test_composed_and_decomposed_letters_read_alike(text: str, form: str) -> None:
    changed = unicodedata.normalize(form, text)  # type: ignore[arg-type]
    assert read_sentence(changed).calls == read_sentence(text).calls
    assert read_sentence(changed).confirm == read_sentence(text).confirm


@pytest.mark.parametrize("text", SPELLED)
@pytest.mark.parametrize("mark", ["\u200d", "\u200c", "\u200b", "\ufeff"])
def test_invisible_joiners_change_nothing(text: str, mark: str) -> None:
    joined = "".join(f"{mark}{letter}" if letter >= "\u0900" else letter for letter in text)
    assert read_sentence(joined).calls == read_sentence(text).calls


@pytest.mark.parametrize("text", SPELLED)
@pytest.mark.parametrize("end", ["।", "॥", ".", "!", " ।", "…"])
def test_a_full_stop_of_any_script_ends_a_sentence(text: str, end: str) -> None:
    assert read_sentence(text + end).calls == read_sentence(text).calls


@pytest.mark.parametrize("text", SPELLED)
def test_wide_spaces_are_spaces(text: str) -> None:
    for space in ("\u00a0", "\u2003", "\t", "   "):
        assert read_sentence(text.replace(" ", space)).calls == read_sentence(text).calls


def test_a_missing_nukta_is_understood_and_asked_about_if_it_changes() -> None:
    looked = read_sentence("app.py पढो")
    assert [call.tool for call in looked.calls] == ["Read"]
    assert not looked.confirm
    changed = read_sentence('notes.md में "x" जोडो')
    assert [call.tool for call in changed.calls] == ["Bash"]
    assert changed.confirm


@pytest.mark.parametrize(
    "zero", [0x30, 0x966, 0xBE6, 0xC66, 0xCE6], ids=["ascii", "hi", "ta", "te", "kn"]
)
def test_digits_of_every_script_count(zero: int) -> None:
    ten, twenty = (chr(zero + one) + chr(zero) for one in (1, 2))
    text = f"app.py ki line {ten} se {twenty} tak padho"
    assert calls_of(text) == [("Read", {"file_path": "app.py", "offset": 10, "limit": 11})]


@pytest.mark.parametrize(
    ("opened", "closed"), ['""', "''", "“”", "‘’", "``", "«»", "”“", "„“"], ids=repr
)
def test_quotation_marks_of_all_kinds_hold_text(opened: str, closed: str) -> None:
    text = f"src mein {opened}raise  ValueError{closed} dhoondo"
    assert calls_of(text) == [("Grep", {"pattern": "raise  ValueError", "path": "src"})]


QUOTABLE = st.characters(
    exclude_characters='"“”\\', categories=("L", "M", "N", "P", "S", "Z", "Cc", "Cf")
)


@given(st.text(alphabet=QUOTABLE))
@examples(in_ci=200, in_torture=20_000)
def test_quoted_text_is_never_altered(quoted: str) -> None:
    assert calls_of(f'notes.txt mein "{quoted}" likho') == [
        ("Write", {"file_path": "notes.txt", "content": quoted})
    ]
    assert calls_of(f'app.py mein "{quoted}" ko "x" se badlo') == [
        ("Edit", {"file_path": "app.py", "old_string": quoted, "new_string": "x"})
    ]


# ── anything at all ───────────────────────────────────────────────────────────────────────────
THINGS = (
    *("app.py", "src", "src/", "*.py", '"foo"', "'bar'", "“x”", "‘y’", "`z`", "10", "20-30", "१०"),
    *("$v", "{v}", "https://e.com", "27AAPFU0939F1ZV", "-la", "|", ";", ",", ".", "?", "!"),
    *('"open', "(", ")", "[a", "app.py-ஐ", "srcలో", '"foo"-ai', "\u200d", "।", "@", "=", "\n"),
    *(
        "",
        "😀",
        "a" * 300,
        "á",
        "ﷺ",
        "\u0b82",
        "..",
        "...",
        "/",
        "\\",
        "-",
        "--",
        "10th",
        "5वीं",
        "٣",
    ),
)


def vocabulary() -> list[str]:
    found: list[str] = []
    for language in LANGUAGES:
        words = words_of(language)
        tables = (words.verbs, words.markers, words.nouns, words.joiners, words.numbers)
        found += [form for table in tables for listed in table.values() for form in split(listed)]
        for listed in (words.light, words.aux, words.fillers, words.negation, words.statements):
            found += split(listed)
    return found


def wild_line(dice: random.Random, words: list[str]) -> str:
    mode = dice.random()
    if mode < 0.7:
        parts = [
            dice.choice(words if dice.random() < 0.7 else THINGS) for _ in range(dice.randrange(12))
        ]
        return dice.choice((" ", " ", " ", "")).join(parts)
    if mode < 0.85:
        ranges = ((32, 127), (0x900, 0xD00), (0x2000, 0x2070), (0, 0xD7FF))
        return "".join(chr(dice.randrange(*dice.choice(ranges))) for _ in range(dice.randrange(60)))
    letters = list(" ".join(dice.choice(words) for _ in range(1 + dice.randrange(8))))
    for _ in range(dice.randrange(5)):
        letters[dice.randrange(len(letters))] = dice.choice("abc\"' कத")
    return "".join(letters)


@pytest.mark.torture
def test_no_line_breaks_the_reader_or_keeps_it_long() -> None:
    dice = random.Random() if IS_TORTURE else random.Random(3)
    words = vocabulary()
    for language in LANGUAGES:
        read_sentence(f"app.py {split(words_of(language).verbs['READ'])[0]}")  # words loaded
    slow: list[tuple[float, str]] = []
    for _ in range(1_000_000 if IS_TORTURE else 20_000):
        text = wild_line(dice, words)
        start = time.thread_time()
        reading = read_sentence(text)
        took = time.thread_time() - start
        if took > 0.05:
            slow.append((took, text))
        assert bool(reading.calls) == (reading.fault is None), text
        assert not (reading.fault and reading.changes), text
    assert not slow


@given(st.text())
@examples(in_ci=300, in_torture=50_000)
def test_any_text_is_read_or_refused(text: str) -> None:
    reading = read_sentence(text)
    assert bool(reading.calls) == (reading.fault is None)
    assert read_sentence(text) == reading


@pytest.mark.parametrize(
    "text",
    [
        *("'a " * 30_000, '\\"' * 40_000, '"a" ' * 20_000, "a.py padho aur " * 5_000),
        *("(" * 50_000, "क" * 50_000, "a," * 40_000, "“" * 40_000, "x-" * 40_000),
    ],
    ids=lambda text: text[:8],
)
def test_a_line_of_any_length_is_answered_soon(text: str) -> None:
    start = time.thread_time()
    assert read_sentence(text).fault is not None
    assert time.thread_time() - start < 1


def test_a_long_quotation_is_no_obstacle() -> None:
    content = "x\n" * 40_000
    assert calls_of(f'notes.txt mein "{content}" likho')[0][1]["content"] == content
