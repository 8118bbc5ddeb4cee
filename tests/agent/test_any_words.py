"""Whatever an answer says and whatever ran: the check is total, deterministic and never unjust."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.transcripts import GREEN_RUNS, NO_CLAIMS, NOTED, Transcript, ran_of
from ankrcode.agent.claims import claims_in
from ankrcode.agent.commands import taken_apart
from ankrcode.agent.evidence import unsupported
from ankrcode.agent.ledger import Ran
from ankrcode.agent.runners import run_of
from torture import examples

SHELL = st.text(st.sampled_from(list("abpytest./-_= '\"|&;()<>$`\n\\*~#{}")), max_size=60)
EVENTS = st.sampled_from(
    [
        "w src/a.py",
        "w README.md",
        "$ pytest",
        "!1 pytest",
        "$ pytest | tail -1 -> 3 passed",
        "$ pytest | tail -1 -> 1 failed",
        "$ ls",
        "$ sed -i s/a/b/ src/a.py",
        "task do it",
        "& pytest",
        "&= 0",
        "&= 1",
    ]
)

SETTLES = ("$ pytest", "$ pytest | tail -1 -> 3 passed", "task do it")
SPOILS = (
    *("!1 pytest", "$ pytest | tail -1 -> 1 failed"),
    *("w src/a.py", "$ sed -i s/a/b/ src/a.py"),
)


@given(SHELL)
@examples(in_ci=400, in_torture=50_000)
def test_any_line_can_be_taken_apart(line: str) -> None:
    for one in taken_apart(line):
        assert one.words
        run_of(one)


@given(st.text(max_size=300))
@examples(in_ci=400, in_torture=50_000)
def test_any_text_can_be_searched_for_claims(text: str) -> None:
    for claim in claims_in(text):
        assert claim.sentence in text
        assert claim.scope in ("some", "all", "full")


@given(st.lists(EVENTS, max_size=8), st.sampled_from(["All tests pass.", "Done.", "Tests pass."]))
@examples(in_ci=400, in_torture=20_000)
def test_the_note_follows_the_rule(lines: list[str], answer: str) -> None:
    ran = [ran_of(line) for line in lines]
    note = unsupported(ran, answer)
    assert note == unsupported(ran, answer)
    last = lines[-1] if lines else ""
    if answer == "Done." or last in SETTLES:
        assert note == ""
    elif last in SPOILS:
        assert note


@pytest.mark.parametrize("one", NOTED, ids=lambda one: one.name)
def test_a_green_run_after_all_takes_the_note_away(one: Transcript) -> None:
    whole = [*map(ran_of, one.ran), ran_of("$ make test")]
    assert unsupported(whole, one.answer) == ""


@pytest.mark.parametrize("one", GREEN_RUNS, ids=lambda one: one.name)
def test_reading_and_documents_after_a_green_run_change_nothing(one: Transcript) -> None:
    more = ["$ git diff", "$ git status", "w docs/guide.md", "w CHANGELOG", "$ cat src/a.py"]
    assert unsupported([*map(ran_of, one.ran), *map(ran_of, more)], one.answer) == ""


@pytest.mark.parametrize("one", NO_CLAIMS, ids=lambda one: one.name)
def test_without_a_claim_nothing_that_ran_matters(one: Transcript) -> None:
    for lines in ([], ["!1 pytest"], ["$ pytest", "w a.py"]):
        if one.name != "admits":
            assert unsupported([ran_of(line) for line in lines], one.answer) == ""


def test_there_are_enough_transcripts() -> None:
    assert len(GREEN_RUNS) + len(NO_CLAIMS) + len(NOTED) >= 40
    names = [one.name for one in (*GREEN_RUNS, *NO_CLAIMS, *NOTED)]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("path", "is_code"),
    [
        ("src/a.py", True),
        ("package.json", True),
        ("requirements.txt", True),
        ("CMakeLists.txt", True),
        ("Makefile", True),
        ("tests/data.txt", True),
        ("README.md", False),
        ("README", False),
        ("docs/a.rst", False),
        ("docs/notes.txt", False),
        ("CHANGELOG.txt", False),
        ("LICENSE", False),
        ("picture.png", False),
        (".gitignore", False),
    ],
)
def test_documents_are_told_from_code(path: str, is_code: bool) -> None:
    ran = [ran_of("$ pytest"), Ran(tool="Write", arguments={"file_path": path})]
    assert bool(unsupported(ran, "All tests pass.")) is is_code


@pytest.mark.parametrize(
    ("arguments", "is_write"),
    [
        ({"source": "a.py", "destination": "b.py"}, True),
        ({"path": "a.py"}, True),
        ({"notebook_path": "a.ipynb"}, True),
        ({"patch": "*** Update File: docs/a.md"}, False),
        ({"patch": "*** Add File: src/a.go"}, True),
        ({"patch": "--- a/x.py\n+++ b/x.py"}, True),
    ],
)
def test_every_way_to_write_is_seen(arguments: dict[str, str], is_write: bool) -> None:
    ran = [ran_of("$ pytest"), Ran(tool="Edit", arguments=arguments)]
    assert bool(unsupported(ran, "All tests pass.")) is is_write


def test_a_command_that_still_runs_is_no_run() -> None:
    running = Ran(tool="Bash", arguments={"command": "pytest"}, task_id="t")
    assert unsupported([running], "All tests pass.")


def test_code_that_ran_may_have_tested() -> None:
    ran = Ran(tool="RunCode", arguments={"code": "import pytest; pytest.main()"}, exit_code=0)
    assert unsupported([ran], "All tests pass.") == ""
    red = Ran(tool="RunCode", arguments={"code": "import pytest"}, ok=False, exit_code=1)
    assert unsupported([red], "All tests pass.")


RUNS = st.lists(
    st.tuples(
        st.sampled_from(["pytest", "pytest tests/a", "pytest tests/b", "npx jest", "cargo test"]),
        st.integers(1, 40),
        st.integers(0, 9),
        st.booleans(),
    ),
    min_size=1,
    max_size=5,
)


def line_of(command: str, passed: int, skipped: int) -> str:
    """What its runner prints."""
    if command == "npx jest":
        return f"Tests:       {skipped} skipped, {passed} passed, {passed + skipped} total"
    if command == "cargo test":
        return f"test result: ok. {passed} passed; 0 failed; {skipped} ignored; 0 measured"
    return f"{passed} passed, {skipped} skipped in 0.12s"


@given(RUNS, st.data())
@examples(in_ci=300, in_torture=20_000)
def test_no_sum_of_what_was_counted_is_called_wrong(
    runs: list[tuple[str, int, int, bool]], data: st.DataObject
) -> None:
    """Of the newest runs of each command, with or without what was skipped; nor any smaller one."""
    lines: list[str] = []
    newest: dict[str, tuple[int, int]] = {}
    for command, passed, skipped, is_change in runs:
        lines += ["w src/a.py"] if is_change else []
        lines.append(f"$ {command} -> {line_of(command, passed, skipped)}")
        newest[command] = (passed, skipped)
    parts = [n for pair in newest.values() for n in pair]
    chosen = data.draw(st.lists(st.sampled_from(range(len(parts))), unique=True))
    claimed = sum(parts[one] for one in chosen)
    note = unsupported([ran_of(line) for line in lines], f"All {claimed} tests pass.")
    assert f"{claimed} tests pass" not in note
    passed, skipped = newest[runs[-1][0]]
    fewer = data.draw(st.integers(1, passed + skipped))
    note = unsupported([ran_of(line) for line in lines], f"All {fewer} tests pass.")
    assert f"{fewer} tests pass" not in note
