"""The whole path: what a reading says about itself."""

import pytest

from ankrcode.rocketlang.effects import changes
from ankrcode.rocketlang.reading import Planned
from ankrcode.rocketlang.sentence import read_sentence
from rocketlang.sentences import Village, calls_of, only_call, refused


# ── language and script ───────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("text", "lang", "script"),
    [
        ("read app.py", "en", "roman"),
        ("app.py padho", "hi", "roman"),
        ("app.py पढ़ो", "hi", "native"),
        ("app.py vacha", "mr", "roman"),
        ("app.py वाचा", "mr", "native"),
        ("app.py padi", "ta", "roman"),
        ("app.py படி", "ta", "native"),
        ("app.py chaduvu", "te", "roman"),
        ("app.py చదువు", "te", "native"),
        ("app.py odu", "kn", "roman"),
        ("app.py ಓದು", "kn", "native"),
        ('notes.txt mein "नमस्ते" likho', "hi", "roman"),
        ("app.py mat padho", "hi", "roman"),
        ("app.py படிக்காதே", "ta", "native"),
    ],
)
def test_a_reading_knows_who_spoke(text: str, lang: str, script: str) -> None:
    reading = read_sentence(text)
    assert (reading.lang, reading.script) == (lang, script)


def test_quoted_words_of_another_script_do_not_hide_the_verb() -> None:
    assert only_call('notes.txt mein "வணக்கம்" likho')[1]["content"] == "வணக்கம்"
    assert only_call('notes.txt-இல் "नमस्ते" எழுது')[1]["content"] == "नमस्ते"


def test_a_native_file_name_beside_a_romanised_verb() -> None:
    assert only_call("வணக்கம்.txt padho") == ("Read", {"file_path": "வணக்கம்.txt"})


# ── shell lines ───────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("text", ["$ ls -la", "  $ ls -la  ", "!ls -la", "! ls -la"])
def test_a_shell_line_is_taken_as_it_stands(text: str) -> None:
    assert only_call(text) == ("Bash", {"command": "ls -la"})


def test_a_shell_line_is_full_and_may_change_things() -> None:
    reading = read_sentence("$ make")
    assert reading.is_full
    assert reading.changes
    assert not reading.confirm


def test_a_lone_exclamation_mark_is_nothing() -> None:
    assert refused("!")


# ── changes, confirm, full ────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("app.py padho", False),
        ("src mein TODO dhoondo", False),
        ("git status", False),
        ("server.log ki aakhri 5 lines dikhao", False),
        ("app.py ki lines gino", False),
        ("GSTIN 27AAPFU0939F1ZV jaancho", False),
        ("old.log hatao", True),
        ("tests chalao", True),
        ("push karo", True),
        ("undo", True),
        ('yaad rakho "x"', True),
        ('todo mein "x" jodo', True),
        ("a.py padho aur b.py hatao", True),
    ],
)
def test_a_reading_says_whether_anything_would_change(text: str, expected: bool) -> None:
    assert read_sentence(text).changes is expected


def test_changes_are_judged_by_the_call() -> None:
    assert changes(Planned(tool="Bash", args={"command": "git statusx"}))
    assert not changes(Planned(tool="Bash", args={"command": "git diff -- a.py"}))
    assert changes(Planned(tool="Anything", args={}))
    assert not changes(Planned(tool="Read", args={}))


def test_only_an_exact_and_whole_reading_is_full() -> None:
    assert read_sentence("app.py padho").is_full
    assert not read_sentence("app.py padhho").is_full
    assert not read_sentence("app.py zaldise padho").is_full
    assert not read_sentence("namaste").is_full


# ── several clauses, pronouns ─────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "text",
    [
        "a.py padho aur use hatao",
        "a.py padho phir usko hata do",
        "read a.py and delete it",
        "a.py वाचा नंतर त्याला हटवा",
        "a.py படி பிறகு அதை நீக்கு",
        "a.py chaduvu tarvata danni tolaginchu",
        "a.py odu nantara adannu alisu",
    ],
)
def test_a_pronoun_names_the_path_of_the_clause_before(text: str) -> None:
    assert calls_of(text) == [("Read", {"file_path": "a.py"}), ("Delete", {"path": "a.py"})]


def test_a_look_may_leave_its_object_to_the_clause_before_a_change_may_not() -> None:
    assert calls_of("a.py padho aur samjhao")[1][1]["prompt"] == "Explain: a.py"
    assert refused("a.py padho aur hatao") == "missing_argument"


@pytest.mark.parametrize(
    "text", ["a.md ko b.md mein copy karo phir use hatao", "a.py aur b.py padho phir use hatao"]
)
def test_a_pronoun_that_could_name_two_things_names_none(text: str) -> None:
    assert refused(text) == "missing_argument"


@pytest.mark.parametrize(
    ("text", "mentioned"),
    [
        ("a.py padho", "a.py"),
        ("a.md ko docs/ mein le jao", "docs/a.md"),
        ("a.md ko b.md mein copy karo", None),
        ("a.py aur b.py padho", None),
        ("a.py padho phir b.py hatao", "b.py"),
        ("tests chalao", None),
    ],
)
def test_a_reading_says_what_a_pronoun_after_it_names(text: str, mentioned: str | None) -> None:
    assert read_sentence(text).mentioned == mentioned


def test_a_moved_file_is_meant_where_it_went() -> None:
    calls = calls_of("a.md ko docs/ mein le jao phir use padho")
    assert calls[1] == ("Read", {"file_path": "docs/a.md"})


def test_a_pronoun_for_nothing_is_refused() -> None:
    assert refused("use hatao")
    assert refused("delete it")


# ── what a pipeline hands on ──────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("padho", ("Read", {"file_path": "x.py"})),
        ("ise padho", ("Read", {"file_path": "x.py"})),
        ("hatao", ("Delete", {"path": "x.py"})),
        ("delete it", ("Delete", {"path": "x.py"})),
        ("yaad rakho", ("Remember", {"content": "x.py", "type": "semantic"})),
        ("bolo", ("Say", {"text": "x.py"})),
        ("lib/ mein le jao", ("Move", {"source": "x.py", "destination": "lib/"})),
        (
            '"a" ko "b" se badlo',
            ("Edit", {"file_path": "x.py", "old_string": "a", "new_string": "b"}),
        ),
        ("samjhao", ("Task", {"subagent_type": "explore", "prompt": "Explain: x.py"})),
        ("lines gino", ("Bash", {"command": "wc -l x.py"})),
        ("notes.txt mein likho", ("Write", {"file_path": "notes.txt", "content": "x.py"})),
        ("chalao", ("Bash", {"command": "python x.py"})),
        ("stage karo", ("Bash", {"command": "git add x.py"})),
    ],
)
def test_what_went_before_is_the_object_of_a_bare_verb(
    text: str, expected: tuple[str, dict[str, object]]
) -> None:
    assert only_call(text, it="x.py") == expected


def test_an_object_of_its_own_comes_first() -> None:
    assert only_call("b.py padho", it="x.py") == ("Read", {"file_path": "b.py"})


def test_variables_stay_as_they_are_written() -> None:
    assert only_call("$file padho") == ("Read", {"file_path": "$file"})
    assert only_call("{file} hatao") == ("Delete", {"path": "{file}"})
    assert only_call("src/{name}.py padho") == ("Read", {"file_path": "src/{name}.py"})
    assert only_call("$f ki lines gino") == ("Bash", {"command": "wc -l $f"})


# ── the place ─────────────────────────────────────────────────────────────────────────────────
PLACE = Village("src/utils.py", "lib/a/deep.md", "notes", "docs/x.md", "docs/y.md")


@pytest.mark.parametrize(
    ("text", "path"),
    [("utils padho", "src/utils.py"), ("deep dikhao", "lib/a/deep.md"), ("notes padho", "notes")],
)
def test_a_bare_name_that_fits_one_file_is_that_file(text: str, path: str) -> None:
    assert only_call(text, place=PLACE) == ("Read", {"file_path": path})
    assert refused(text) == "unknown_object" or path == "notes"


def test_a_folder_that_is_there_is_listed() -> None:
    assert only_call("lib/a dikhao", place=PLACE) == ("List", {"path": "lib/a"})
    assert only_call("docs padho", place=PLACE) == ("List", {"path": "docs"})


def test_a_name_that_fits_several_files_is_not_guessed() -> None:
    place = Village("a/x.py", "b/x.md")
    assert refused("x padho", place=place) == "unknown_object"


def test_a_known_bare_name_may_be_deleted() -> None:
    assert only_call("notes hatao", place=PLACE) == ("Delete", {"path": "notes"})
    assert refused("notes hatao")


# ── odd input ─────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("text", ["", " ", "\n", "।", "...", '""', "😀", "\u200d", ";;;", "|"])
def test_next_to_nothing_is_refused(text: str) -> None:
    assert refused(text)


def test_a_pipe_is_for_scripts() -> None:
    assert refused("src mein TODO dhoondo | padho")


def test_reading_twice_gives_the_same() -> None:
    text = 'app.py mein "foo" ko "bar" se badlo'
    assert read_sentence(text) == read_sentence(text)
