"""A misread ends in a question or an error, never in a change."""

from collections.abc import Iterator
from functools import cache

import pytest

from ankrcode.rocketlang.sentence import read_sentence
from rocketlang.sentences import calls_of, corpus, only_call, refused


# ── a no ──────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "text",
    [
        "app.py mat hatao",
        "do not delete app.py",
        "don't delete app.py",
        "don’t delete app.py",
        "never delete app.py",
        "app.py delete mat karo",
        "app.py नहीं हटाना",
        "app.py हटवू नका",
        "app.py hatvu nako",
        "app.py நீக்க வேண்டாம்",
        "app.py delete panna vendam",
        "app.py delete cheyya vaddu",
        "app.py delete cheyyi vaddu",
        "app.py ಅಳಿಸುವುದು ಬೇಡ",
        "app.py delete maaduvudu beda",
    ],
)
def test_a_word_that_says_no_stops_everything(text: str) -> None:
    assert refused(text) == "negated"


@pytest.mark.parametrize(
    "text",
    [
        "app.py நீக்காதே",
        "app.py நீக்காதீர்கள்",
        "app.py அழிக்காதே",
        "app.py neekkathe",
        "app.py azhikkaadhe",
        "app.py delete pannaathe",
        "app.py తొలగించవద్దు",
        "app.py తొలగించొద్దు",
        "app.py tolaginchavaddu",
        "app.py delete cheyyoddu",
        "app.py ಅಳಿಸಬೇಡ",
        "app.py ಅಳಿಸಬೇಡಿ",
        "app.py alisabeda",
        "app.py delete maadabedi",
    ],
)
def test_dravidian_verbs_carry_their_no_in_the_ending(text: str) -> None:
    assert refused(text) == "negated"


@pytest.mark.parametrize(
    "text", ["app.py mat padho", "app.py padikkathe", "app.py odabeda", "do not read app.py"]
)
def test_even_a_look_is_not_taken_when_it_is_forbidden(text: str) -> None:
    assert refused(text) == "negated"


def test_one_no_stops_every_clause_of_its_sentence() -> None:
    assert refused("a.py padho aur b.py mat hatao") == "negated"
    assert refused("delete a.py; do not delete b.py") == "negated"


def test_na_at_the_end_pleads_and_elsewhere_forbids() -> None:
    assert only_call("app.py padho na") == ("Read", {"file_path": "app.py"})
    assert only_call("old.log hata do na") == ("Delete", {"path": "old.log"})
    assert refused("old.log na hatao") == "negated"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ('"mat hatao" dhoondo', "mat hatao"),
        ('"do not delete" dhoondo', "do not delete"),
        ('find "never" in src', "never"),
        ('src లో "వద్దు" వెతుకు', "వద్దు"),
    ],
)
def test_a_no_inside_a_quotation_is_only_text(text: str, kept: str) -> None:
    assert calls_of(text)[0][1]["pattern"] == kept


@pytest.mark.parametrize("word", ["while", "if", "except", "None", "is", "NOT"])
def test_words_of_code_can_be_looked_for_in_an_indian_sentence(word: str) -> None:
    assert calls_of(f"src mein {word} dhoondo") == [("Grep", {"pattern": word, "path": "src"})]
    assert refused(f"app.py mein {word} hatao")


@pytest.mark.parametrize("word", ["mat", "not", "nahi", "why", "kyon", "never"])
def test_what_forbids_or_asks_does_so_in_a_search_too(word: str) -> None:
    assert refused(f"src mein {word} dhoondo") in {"negated", "not_a_command"}


# ── questions ─────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "text",
    [
        "how do I delete app.py",
        "why was app.py deleted",
        "can you delete app.py",
        "should I push",
        "delete app.py?",
        "app.py hatao?",
        "kya app.py hatao",
        "app.py kaise hatao",
        "app.py क्यों हटाया",
        "app.py kadhi hatva",
        "app.py eppadi neekku",
        "app.py ela tolaginchu",
        "app.py hege alisu",
        "tests kab chalao",
    ],
)
def test_a_question_goes_to_the_model(text: str) -> None:
    assert refused(text) == "not_a_command"


def test_a_question_beside_a_quoted_text_may_still_be_a_look() -> None:
    assert only_call('how "deploy" dhoondo')[0] == "Grep"
    assert refused('how replace "foo" with "bar" in app.py') == "not_a_command"


# ── tales, wishes, conditions ─────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "text",
    [
        "he said delete app.py",
        "usne kaha app.py hatao",
        "I deleted app.py",
        "app.py deleted",
        "deleting app.py",
        "maine app.py hata diya",
        "app.py hata diya",
        "app.py delete ho gaya",
        "main app.py hataunga",
        "mujhe app.py hatana hai",
        "मैंने app.py हटाया",
        "मी app.py हटवले",
        "நான் app.py நீக்கினேன்",
        "nenu app.py tolaginchanu",
        "naanu app.py aliside",
        "if tests pass then push",
        "agar app.py hata doon",
        "unless tests pass delete app.py",
        "maybe delete app.py",
        "delete all except app.py",
        "delete app.py or b.py",
        "app.py ya b.py hatao",
        "app.py hatao lekin b.py mat hatao",
    ],
)
def test_what_is_told_or_imagined_is_not_done(text: str) -> None:
    assert refused(text) in {"not_a_command", "unknown_object", "unknown_command", "negated"}


# ── every token explained ─────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "text",
    [
        "delete old.log carefully xyzzy",
        "old.log purani hatao",
        'app.py mein login "foo" ko "bar" se badlo',
        'notes.txt mein jaldise "x" likho',
        "bug hatao",
        "delete everything",
        "sab kuch hata do",
        "app.py mein code likho",
        "app.py mein comments jodo",
        "ek website banao",
        "gaadi chalao",
        "run away",
        "git status hatao",
        "todo hatao",
        "delete the last commit",
        "remove unused imports from app.py",
    ],
)
def test_a_change_with_an_unexplained_word_does_not_run(text: str) -> None:
    assert refused(text)


def test_a_look_may_leave_one_plain_word_unexplained() -> None:
    reading = read_sentence("app.py zaldise padho")
    assert [call.tool for call in reading.calls] == ["Read"]
    assert not reading.is_full
    assert refused("app.py zaldise fatafat padho")


@pytest.mark.parametrize(
    "text",
    [
        'app.py mein "foo" "bar" likho',
        'app.py mein "foo" hatakar "bar" likho',
        'app.py में "foo" हटाकर "bar" लिखो',
        'notes.txt mein "a" aur "b" likho',
        'replace "foo" in app.py',
        'app.py mein "foo" ko badlo',
    ],
)
def test_two_texts_without_instead_never_overwrite_a_file(text: str) -> None:
    assert refused(text)


def test_a_quotation_nobody_closed_is_never_a_command() -> None:
    assert refused('app.py mein "foo ko "bar" se badlo')
    assert refused('old.log hatao "')
    assert refused("“old.log hatao")


def test_a_fault_in_one_clause_stops_them_all() -> None:
    assert refused("a.log hatao aur bug hatao")
    assert refused("delete a.log then frobnicate b.log")


# ── asked first ───────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "text",
    ["old.log hataao", "old.log hatoo", "delte old.log", "old.log delete karoo", "tests chlao"],
)
def test_a_changing_verb_that_is_only_nearly_spelled_is_asked_about(text: str) -> None:
    reading = read_sentence(text)
    assert reading.calls
    assert reading.confirm
    assert reading.explain


@pytest.mark.parametrize("text", ["app.py paRho", "app.py pdho", "src mein TODO dhondo"])
def test_a_look_that_is_only_nearly_spelled_runs_at_once(text: str) -> None:
    reading = read_sentence(text)
    assert reading.calls
    assert not reading.confirm
    assert not reading.changes


@pytest.mark.parametrize("text", ["os.path", "a.b", "x.py", "src/b.py", "README.md"])
def test_a_quoted_text_that_looks_like_a_path_is_cut_not_deleted(text: str) -> None:
    expected = {"file_path": "app.py", "old_string": text, "new_string": ""}
    assert calls_of(f'app.py mein "{text}" hatao') == [("Edit", expected)]
    assert calls_of(f'delete "{text}" from app.py') == [("Edit", expected)]


def test_from_and_to_are_never_swapped() -> None:
    assert only_call("a.py se b.py mein copy karo")[1] == {"command": "cp -r a.py b.py"}
    assert only_call("lib/ mein a.py le jao")[1] == {"source": "a.py", "destination": "lib/"}
    assert only_call("move a.py to b.py")[1] == {"source": "a.py", "destination": "b.py"}


# ── one word more ─────────────────────────────────────────────────────────────────────────────
def words_outside_quotes(text: str) -> list[str]:
    """The words of a sentence, a quotation taken as one."""
    found: list[str] = [""]
    closer = ""
    for character in text:
        if closer:
            closer = "" if character == closer else closer
        elif character in '"“`':
            closer = "”" if character == "“" else character
        elif character == " ":
            found.append("")
            continue
        found[-1] += character
    return found


@cache
def changing() -> list[str]:
    """Sentences that change something when they run."""
    rows = [row["text"] for name in ("examples", "regular", "everyday") for row in corpus(name)]
    plain = [text for text in rows if not text.startswith(("$", "!")) and "'" not in text]
    return [text for text in plain if read_sentence(text).changes]


# Whose own words may follow a program (npm install x) take any word: nothing can be told of them.
PROGRAMS = ("npm", "pip", "make", "docker", "cargo", "pytest", "git", "run", "python")


def with_one_more(words: tuple[str, ...], step: int) -> Iterator[str]:
    """Changing sentences with one of these words put in somewhere."""
    sentences = [text for text in changing() if text.split(" ")[0] not in PROGRAMS]
    for count, text in enumerate(sentences[::step]):
        parts = words_outside_quotes(text)
        for at in range(len(parts) + 1):
            yield " ".join([*parts[:at], words[(count + at) % len(words)], *parts[at:]])


@pytest.mark.parametrize(
    ("words", "step"),
    [
        (("mat", "not", "never", "nahi", "don't"), 2),
        (("kyon", "why", "kaise", "how", "kab"), 3),
        (("agar", "if", "unless", "shayad", "maybe"), 3),
        (("usne", "said", "maine", "will", "was"), 3),
        (("zorbl", "urgently", "blog", "Server", "xyzzy"), 2),
        (('"', "“"), 4),
        (("?",), 4),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_one_word_more_and_a_change_does_not_run_at_once(words: tuple[str, ...], step: int) -> None:
    ran = []
    for text in with_one_more(words, step):
        reading = read_sentence(text)
        if reading.changes and not reading.confirm:
            ran.append(text)
    assert ran == []


def test_there_are_enough_changing_sentences_to_try_it_on() -> None:
    assert len(changing()) > 300


def test_only_changes_are_asked_about() -> None:
    for name in ("regular", "hard", "everyday", "slips"):
        for row in corpus(name):
            reading = read_sentence(row["text"])
            assert reading.changes or not reading.confirm, row["text"]
