"""What each verb needs, what it takes, what it lacks."""

import shlex

import pytest

from ankrcode.rocketlang.sentence import read_sentence
from rocketlang.sentences import Call, Village, calls_of, only_call, refused


def command(text: str) -> list[str]:
    tool, args = only_call(text)
    assert tool == "Bash", text
    return shlex.split(args["command"])


def lacks(text: str) -> tuple[str, str]:
    fault = read_sentence(text).fault
    assert fault is not None, text
    return fault.code, fault.slot


# ── reading and showing ───────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("src/ dikhao", ("List", {"path": "src/"})),
        ("src dikhao", ("List", {"path": "src"})),
        ("src folder dikhao", ("List", {"path": "src"})),
        ("foo folder dikhao", ("List", {"path": "foo"})),
        ("src/components ki list dikhao", ("List", {"path": "src/components"})),
        ("files dikhao", ("List", {"path": "."})),
        ("list", ("List", {"path": "."})),
        ("python files dikhao", ("Glob", {"pattern": "**/*.py"})),
        ("*.md dikhao", ("Glob", {"pattern": "*.md"})),
        ("src ki python files dikhao", ("Glob", {"pattern": "**/*.py", "path": "src"})),
        ("src mein app.py padho", ("Read", {"file_path": "src/app.py"})),
        ("read app.py in src", ("Read", {"file_path": "src/app.py"})),
        ("todo dikhao", ("TodoRead", {})),
        ("help dikhao", ("Help", {})),
        ("README padho", ("Read", {"file_path": "README"})),
    ],
)
def test_what_is_shown_depends_on_what_is_named(text: str, expected: Call) -> None:
    assert only_call(text) == expected


def test_a_page_is_fetched_with_what_to_look_for() -> None:
    tool, args = only_call('https://example.com padho "prices"')
    assert (tool, args["url"], args["prompt"]) == ("WebFetch", "https://example.com", "prices")
    assert only_call("fetch https://example.com")[1]["prompt"]


@pytest.mark.parametrize("text", ["padho", "read", "file kholo", "படி", "చదువు", "ಓದು"])
def test_a_verb_without_its_file_asks_which(text: str) -> None:
    assert lacks(text) == ("missing_argument", "file")


@pytest.mark.parametrize("text", ["kitab padho", "read novels", "photo dikhao", "gaana dikhao"])
def test_a_plain_word_is_no_file(text: str) -> None:
    assert lacks(text)[0] == "unknown_object"


# ── searching ─────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("TODO dhoondo", [("Grep", {"pattern": "TODO"})]),
        ("todo dhoondo", [("Grep", {"pattern": "todo"})]),
        ('"x" dhoondo', [("Grep", {"pattern": "x"})]),
        ("search src for TODO", [("Grep", {"pattern": "TODO", "path": "src"})]),
        ("app.py mein x dhoondo", [("Grep", {"pattern": "x", "path": "app.py"})]),
        ('. mein "x" dhoondo', [("Grep", {"pattern": "x"})]),
        ("config.json dhoondo", [("Glob", {"pattern": "**/config.json"})]),
        ("src/config.json dhoondo", [("Glob", {"pattern": "src/config.json"})]),
        ("*.md khojo", [("Glob", {"pattern": "*.md"})]),
        ("src mein *.md khojo", [("Glob", {"pattern": "*.md", "path": "src"})]),
        ("src ki files dhoondo", [("Glob", {"pattern": "**/*", "path": "src"})]),
        ("config naam ki file dhoondo", [("Glob", {"pattern": "**/config"})]),
        ('*.py mein "x" dhoondo', [("Grep", {"pattern": "x", "glob": "*.py"})]),
        ("def start dhoondo", [("Grep", {"pattern": "def start"})]),
        (
            "TODO aur FIXME dhoondo",
            [("Grep", {"pattern": "TODO"}), ("Grep", {"pattern": "FIXME"})],
        ),
        (
            'src aur lib mein "x" dhoondo',
            [("Grep", {"pattern": "x", "path": "src"}), ("Grep", {"pattern": "x", "path": "lib"})],
        ),
        ('web par "x y" dhoondo', [("WebSearch", {"query": "x y"})]),
        ("python asyncio web par dhoondo", [("WebSearch", {"query": "python asyncio"})]),
    ],
)
def test_what_is_looked_for_and_where(text: str, expected: list[Call]) -> None:
    assert calls_of(text) == expected


@pytest.mark.parametrize("text", ["dhoondo", "src mein dhoondo", "find", "web par dhoondo"])
def test_looking_for_nothing_asks_what(text: str) -> None:
    assert lacks(text) == ("missing_argument", "text")


@pytest.mark.parametrize("text", ["find the bug", "find a better name for this", "find my keys"])
def test_looking_for_something_in_the_world_is_no_command(text: str) -> None:
    assert refused(text)


def test_an_unquoted_common_word_leaves_the_model_a_say() -> None:
    assert not read_sentence("bug dhoondo").is_full
    assert read_sentence('"bug" dhoondo').is_full
    assert read_sentence("TODO dhoondo").is_full


def test_counting_counts_matches_or_lines() -> None:
    assert only_call("src mein TODO gino")[1]["output_mode"] == "count"
    assert command("app.py ki lines gino") == ["wc", "-l", "app.py"]
    assert lacks("gino") == ("missing_argument", "text")
    assert lacks("lines gino") == ("missing_argument", "file")


# ── changing files ────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("text", "slot"),
    [
        ("badlo", "old"),
        ("app.py badlo", "old"),
        ('app.py mein "a" ko badlo', "new"),
        ('"a" ko "b" se badlo', "file"),
        ('"a" likho', "file"),
        ("notes.txt mein likho", "content"),
        ("banao", "file"),
        ("folder banao", "folder"),
        ("branch banao", "branch"),
        ("jodo", "content"),
        ('"x" jodo', "file"),
        ("hatao", "file"),
        ('"x y" hatao', "file"),
        ("le jao", "source"),
        ("a.py le jao", "destination"),
        ("copy", "source"),
        ("copy a.py", "destination"),
        ("chalao", "command"),
        ("commit karo", "message"),
        ("switch", "branch"),
        ("yaad rakho", "content"),
        ("yaad karo", "text"),
        ("bolo", "content"),
        ("poocho", "content"),
        ("samjhao", "file"),
        ("lao", "url"),
        ("gstin jaancho", "gstin"),
    ],
)
def test_what_is_missing_is_named(text: str, slot: str) -> None:
    assert lacks(text) == ("missing_argument", slot)


def test_replacing_several_pairs_in_several_files() -> None:
    text = 'a.py aur b.py mein "x" ko "y" se badlo'
    assert [args["file_path"] for _, args in calls_of(text)] == ["a.py", "b.py"]
    text = 'a.py mein "x" ko "y" se aur "v" ko "w" se badlo'
    assert [(args["old_string"], args["new_string"]) for _, args in calls_of(text)] == [
        ("x", "y"),
        ("v", "w"),
    ]


def test_marked_words_can_be_replaced_unmarked_ones_not() -> None:
    expected = {"file_path": "app.py", "old_string": "foo", "new_string": "bar"}
    assert only_call("app.py mein foo ko bar se badlo") == ("Edit", expected)
    assert refused("app.py mein foo bar badlo")


def test_what_could_be_meant_either_way_is_asked_about() -> None:
    reading = read_sentence('app.py mein "b" se "a" badlo')
    assert reading.confirm
    assert reading.calls[0].args["new_string"] == "b"


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("node_modules hatao", "node_modules"),
        ("build folder hatao", "build"),
        ("foo folder hatao", "foo"),
        ('"my file.txt" hatao', "my file.txt"),
        ("lib se old.py hatao", "lib/old.py"),
        ("$f hatao", "$f"),
    ],
)
def test_what_is_deleted_is_named_as_a_thing_on_disk(text: str, path: str) -> None:
    assert only_call(text) == ("Delete", {"path": path})


@pytest.mark.parametrize(
    "text", ["hatao .", "delete /", "delete ~", "delete ..", "mv . lib/", "*.log hatao"]
)
def test_everything_at_once_is_never_deleted_or_moved(text: str) -> None:
    assert refused(text) == "unknown_object"


def test_a_pattern_is_deleted_only_where_it_is_known_and_asked_about() -> None:
    place = Village("a.log", "b.log", "c.py")
    reading = read_sentence("*.log hatao", place)
    assert [call.args["path"] for call in reading.calls] == ["a.log", "b.log"]
    assert reading.confirm


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("utils.py banao", ("Write", {"file_path": "utils.py", "content": ""})),
        (
            'utils.py "x = 1" ke saath banao',
            ("Write", {"file_path": "utils.py", "content": "x = 1"}),
        ),
        ("src mein utils.py banao", ("Write", {"file_path": "src/utils.py", "content": ""})),
        ("notes naam ki file banao", ("Write", {"file_path": "notes", "content": ""})),
        ("docs/ banao", ("Bash", {"command": "mkdir -p docs/"})),
        ("make build", ("Bash", {"command": "make build"})),
        ("plan banao", ("EnterPlanMode", {})),
    ],
)
def test_what_is_created(text: str, expected: Call) -> None:
    assert only_call(text) == expected


def test_appended_text_is_quoted_for_the_shell() -> None:
    text = 'notes.md mein "it\'s $HOME `x`" jodo'
    assert command(text) == ["printf", "%s\\n", "it's $HOME `x`", ">>", "notes.md"]
    assert command('"my notes.md" mein "x" jodo')[-1] == "my notes.md"


def test_several_todos_at_once() -> None:
    todos = only_call('todo mein "a" aur "b" jodo')[1]["todos"]
    assert [one["content"] for one in todos] == ["a", "b"]
    assert {one["status"] for one in todos} == {"pending"}


# ── moving ────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "text",
    [
        "move a.py to b.py",
        "rename a.py to b.py",
        "a.py ka naam b.py karo",
        "a.py ka naam b.py rakho",
        "a.py ka naam badal kar b.py kar do",
        "a.py ko b.py naam do",
        "a.py se b.py mein move karo",
        "b.py mein a.py le jao",
        "a.py peru b.py ga marchu",
    ],
)
def test_moving_and_renaming_are_one(text: str) -> None:
    assert only_call(text) == ("Move", {"source": "a.py", "destination": "b.py"})


def test_several_files_go_to_one_folder() -> None:
    assert calls_of("a.py aur b.py ko lib/ mein le jao") == [
        ("Move", {"source": "a.py", "destination": "lib/"}),
        ("Move", {"source": "b.py", "destination": "lib/"}),
    ]
    assert refused("mv a.py b.py c.py")


# ── running ───────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tests chalao", "python -m pytest -q"),
        ("tests/test_a.py ke tests chalao", "python -m pytest -q tests/test_a.py"),
        ("script.py chalao", "python script.py"),
        ("deploy.sh chalao", "bash deploy.sh"),
        ("index.js chalao", "node index.js"),
        ("./configure chalao", "./configure"),
        ('"a && b" chalao', "a && b"),
        ("npm run build chalao", "npm run build"),
        ("run pip install -r requirements.txt", "pip install -r requirements.txt"),
        ("build chalao", "make build"),
    ],
)
def test_what_is_run(text: str, expected: str) -> None:
    assert only_call(text) == ("Bash", {"command": expected})


@pytest.mark.parametrize(
    "text", ["gaadi chalao", "run away", "server chalao", "notes.txt chalao", "start life"]
)
def test_what_is_no_program_is_not_run(text: str) -> None:
    assert refused(text) == "unknown_object"


def test_a_command_stands_on_one_side_of_its_verb() -> None:
    assert refused("docker ps chalao server")
    assert refused("npm chalao install")


def test_a_place_may_have_its_own_way_to_test() -> None:
    place = Village("package.json", test_command="npm test")
    assert only_call("tests chalao", place=place) == ("Bash", {"command": "npm test"})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("GSTIN 27AAPFU0939F1ZV jaancho", ("gst_validate", {"gstNumber": "27AAPFU0939F1ZV"})),
        ("27AAPFU0939F1ZV jaancho", ("gst_validate", {"gstNumber": "27AAPFU0939F1ZV"})),
        ("ABCDE1234F check karo", ("pan_validate", {"pan": "ABCDE1234F"})),
        ("IFSC SBIN0001234 jaancho", ("ifsc_validate", {"ifsc": "SBIN0001234"})),
        ("git status check karo", ("Bash", {"command": "git status"})),
    ],
)
def test_what_is_checked(text: str, expected: Call) -> None:
    assert only_call(text) == expected


# ── git ───────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("git status", "git status"),
        ("app.py ke badlav dikhao", "git diff -- app.py"),
        ("git add app.py", "git add app.py"),
        ("sab stage karo", "git add -A"),
        ('sab "m" commit karo', "git commit -a -m m"),
        ('git commit -am "m"', "git commit -a -m m"),
        ("push", "git push"),
        ("main push karo", "git push origin main"),
        ("push origin main", "git push origin main"),
        ("feature/x branch push karo", "git push origin feature/x"),
        ("switch to main", "git checkout main"),
        ("nayi branch x banao", "git checkout -b x"),
        ("git checkout -b x-1", "git checkout -b x-1"),
        ("branches dikhao", "git branch"),
    ],
)
def test_git_in_words(text: str, words: str) -> None:
    assert command(text) == words.split()


@pytest.mark.parametrize(
    "text",
    ["checkout app.py", "push the button", "pull the plug", "switch lights", "code push karo"],
)
def test_what_is_no_branch_is_not_taken_for_one(text: str) -> None:
    assert refused(text) == "unknown_object"


def test_a_message_is_quoted_for_the_shell() -> None:
    assert command('commit "don\'t; rm x"') == ["git", "commit", "-m", "don't; rm x"]


# ── memory, agents, the rest ──────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('yaad rakho "x"', ("Remember", {"content": "x", "type": "semantic"})),
        ('yaad rakho ki "x"', ("Remember", {"content": "x", "type": "semantic"})),
        ('remember that "x"', ("Remember", {"content": "x", "type": "semantic"})),
        ('"x" ke baare mein yaad karo', ("Recall", {"query": "x", "limit": 5})),
        ("deploy yaad karo", ("Recall", {"query": "deploy", "limit": 5})),
        ('poocho "x"', ("Task", {"subagent_type": "explore", "prompt": "x"})),
        ('review agent se poocho "x"', ("Task", {"subagent_type": "review", "prompt": "x"})),
        ("app.py samjhao", ("Task", {"subagent_type": "explore", "prompt": "Explain: app.py"})),
        ("undo", ("Undo", {})),
        ("last change undo karo", ("Undo", {})),
        ("dobara karo", ("Redo", {})),
        ("help", ("Help", {})),
        ('"hi" bolo', ("Say", {"text": "hi"})),
    ],
)
def test_talk(text: str, expected: Call) -> None:
    assert only_call(text) == expected


@pytest.mark.parametrize(
    "text",
    ["undo the damage", "help ravi", "sach bolo", "ravi se poocho", "explain quantum physics"],
)
def test_talk_about_other_things_needs_a_model(text: str) -> None:
    assert refused(text) == "not_a_command"
