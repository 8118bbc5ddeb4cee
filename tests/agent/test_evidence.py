"""An answer is checked against what really ran, and never accused in error."""

from pathlib import Path
from typing import Any

import pytest

from agent.talking import agent_in, call, calls
from agent.transcripts import (
    COUNTS,
    GREEN_RUNS,
    MORE,
    NO_CLAIMS,
    NOTED,
    OUTSIDE,
    Transcript,
    ran_of,
)
from ankrcode.agent.evidence import unsupported
from ankrcode.agent.learning import learned
from ankrcode.agent.ledger import TEXT_CHARS, Ledger, Ran
from ankrcode.agent.outcomes import is_empty
from ankrcode.errors import ErrorCode, ToolError
from ankrcode.protocol.message import ToolUsePart
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.outcome import failure
from ankrcode.tools.undo import UndoOutput
from ankrcode.words import catalogue


def key_of(said: str) -> str:
    """Which note it is, by the words before its first value."""
    if not said:
        return ""
    notes = {key: text for key, (text, _) in catalogue("en").items() if key.startswith("evidence_")}
    fitting = [key for key, text in notes.items() if said.startswith(text.partition("{")[0])]
    return max(fitting, key=lambda key: len(notes[key].partition("{")[0]))


def judged(one: Transcript) -> str:
    return key_of(unsupported([ran_of(line) for line in one.ran], one.answer))


@pytest.mark.parametrize("one", GREEN_RUNS, ids=lambda one: one.name)
def test_what_is_borne_out_gets_no_note(one: Transcript) -> None:
    assert judged(one) == ""


@pytest.mark.parametrize("one", NO_CLAIMS, ids=lambda one: one.name)
def test_what_claims_nothing_gets_no_note(one: Transcript) -> None:
    assert judged(one) == ""


@pytest.mark.parametrize("one", NOTED, ids=lambda one: one.name)
def test_what_is_not_borne_out_is_noted(one: Transcript) -> None:
    assert judged(one) == one.note


@pytest.mark.parametrize("one", MORE, ids=lambda one: one.name)
def test_many_runners_and_many_ways_to_say_it(one: Transcript) -> None:
    assert judged(one) == one.note


@pytest.mark.parametrize("one", OUTSIDE, ids=lambda one: one.name)
def test_what_somebody_else_would_write(one: Transcript) -> None:
    assert judged(one) == one.note


@pytest.mark.parametrize("one", COUNTS, ids=lambda one: f"{one.name} {one.answer[:40]}")
def test_only_more_tests_than_certainly_ran_are_called_miscounted(one: Transcript) -> None:
    assert judged(one) == one.note


@pytest.mark.parametrize("asked", ["Make the 12 tests pass.", "१२ टेस्ट हैं।"])
def test_a_number_that_the_person_said_is_not_made_up(asked: str) -> None:
    ran = [ran_of("w a.py"), ran_of("$ pytest -> 8 passed in 0.1s")]
    assert unsupported(ran, "All 12 tests pass.", (), asked) == ""
    assert key_of(unsupported(ran, "All 12 tests pass.", (), "Fix it.")) == "evidence_count"


def test_of_a_long_output_only_what_sums_up_all_of_it_counts() -> None:
    dots = "." * TEXT_CHARS
    for command, text, note in (
        ("pytest", f"{dots}\n8 passed in 0.1s", "evidence_count"),
        ("for i in 1 2; do pytest; done", f"{dots}\n8 passed in 0.1s", ""),
        ("cargo test", f"{dots}\ntest result: ok. 8 passed; 0 failed", ""),
        ("go test -v ./...", f"{dots}\n--- PASS: TestA (0.00s)\nok x 0.1s", ""),
    ):
        result = ToolResult(text=text[-TEXT_CHARS:], metadata={"exit_code": 0})
        told = after(WRITE, ("Bash", {"command": command}, result), answer="All 12 tests pass.")
        assert told == note, command


def test_the_note_names_both_numbers() -> None:
    ran = [ran_of("w a.py"), ran_of("$ pytest -q -> 7 passed, 1 skipped in 0.1s")]
    assert unsupported(ran, "All 12 tests pass.") == (
        "Note: the answer says that 12 tests pass, but the runs that were seen counted 8 in all,"
        " the last of them: pytest -q"
    )


def test_no_answer_is_accused_in_error_and_few_get_away() -> None:
    fair = [one for one in MORE if not one.note]
    assert len(fair) > 200
    assert sum(bool(judged(one)) for one in fair) == 0
    assert {"evidence_none", "evidence_red", "evidence_stale", "evidence_other", ""} == {
        one.note for one in MORE
    }


def test_what_is_written_elsewhere_makes_no_run_stale(tmp_path: Path) -> None:
    ran = [ran_of(line) for line in ("w a.py", "$ pytest")]
    inside, outside = (
        Ran(tool="Write", arguments={"file_path": str(one)})
        for one in (tmp_path / "project" / "b.py", tmp_path / "notes.py")
    )
    roots = [str(tmp_path / "project")]
    assert unsupported([*ran, outside], "All tests pass.", roots) == ""
    assert key_of(unsupported([*ran, inside], "All tests pass.", roots)) == "evidence_stale"


def test_a_workspace_below_tmp_is_a_workspace(tmp_path: Path) -> None:
    """Named through a link, too."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    changed = ran_of(f"$ sed -i s/a/b/ {tmp_path / 'link' / 'a.py'}")
    note = unsupported([ran_of("$ pytest"), changed], "Tests pass.", [str(tmp_path / "real")])
    assert key_of(note) == "evidence_stale"


# ── all of them, or the one file that ran ─────────────────────────────────────────────────
def project(folder: Path, *files: str) -> list[str]:
    for name in files:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("")
    return [str(folder)]


@pytest.mark.parametrize(
    ("files", "command", "answer", "note"),
    [
        ("tests/test_a.py tests/test_b.py", "pytest tests/test_a.py", "All tests pass.", "part"),
        ("tests/test_a.py tests/test_b.py", "pytest tests", "All tests pass.", ""),
        ("tests/test_a.py tests/test_b.py", "pytest tests/test_?.py", "All tests pass.", ""),
        ("tests/test_a.py tests/test_b.py", "pytest tests/test_{a,b}.py", "All tests pass.", ""),
        ("tests/test_a.py tests/test_b.py", "cd x && pytest tests/test_a.py", "Tests pass.", ""),
        ("tests/test_a.py tests/conftest.py", "pytest tests/test_a.py", "All tests pass.", ""),
        ("tests/test_a.py tests/test_b.js", "pytest tests/test_a.py", "All tests pass.", ""),
        ("tests/test_a.py", "pytest tests/test_a.py", "All tests pass.", ""),
        ("tests/test_a.py tests/test_b.py", "pytest tests/test_*", "All tests pass.", ""),
        ("t/test_a.py t/test_b.py", "pytest t/test_a.py t/test_b.py", "All tests pass.", ""),
        ("t/test_a.py t/test_b.py", "pytest $FILES t/test_a.py", "All tests pass.", ""),
        ("t/test_a.py t/test_b.py", "pytest t/test_a.py", "Every test passes.", "part"),
        ("t/test_a.py t/test_b.py", "pytest t/test_a.py", "The test suite passes.", "part"),
        ("t/test_a.py t/test_b.py", "pytest t/test_a.py", "The new tests pass.", ""),
        ("t/test_a.py t/test_b.py", "pytest t/test_a.py", "All its tests pass.", ""),
        ("t/test_a.py t/test_b.py", "pytest t/test_a.py", "All tests in the file pass.", ""),
        ("t/test_a.py t/test_b.py", "pytest t/test_a.py", "Ran `test_a.py`. All tests pass.", ""),
        ("src/a.test.ts src/b.test.ts", "npx vitest run src/a.test.ts", "All tests pass.", "part"),
        ("src/a.test.ts src/b.ts", "npx vitest run src/a.test.ts", "All tests pass.", ""),
        ("src/a.test.ts src/b.test.ts", "npx vitest run src/a", "All tests pass.", ""),
    ],
)  # fmt: skip
def test_one_file_is_not_all_where_others_lie_beside_it(
    tmp_path: Path, files: str, command: str, answer: str, note: str
) -> None:
    roots = project(tmp_path, *files.split())
    found = unsupported([ran_of("w src/x.py"), ran_of(f"$ {command}")], answer, roots)
    assert key_of(found) == (f"evidence_{note}" if note else "")


@pytest.mark.parametrize("asked", ["Run tests/test_cart.py.", "The cart is broken, fix it."])
def test_who_asks_for_some_may_be_told_of_all_of_those(tmp_path: Path, asked: str) -> None:
    roots = project(tmp_path, "tests/test_cart.py", "tests/test_user.py")
    ran = [ran_of("$ pytest tests/test_cart.py")]
    assert unsupported(ran, "All tests pass.", roots, asked) == ""
    assert key_of(unsupported(ran, "All tests pass.", roots, "Fix it.")) == "evidence_part"


def test_what_was_deleted_is_missed_by_nobody(tmp_path: Path) -> None:
    roots = project(tmp_path, "tests/test_a.py")
    deleted = Ran(tool="Delete", arguments={"path": str(tmp_path / "tests/test_b.py")})
    ran = [ran_of("w tests/test_b.py"), deleted, ran_of("$ pytest tests/test_a.py")]
    assert unsupported(ran, "All tests pass.", roots) == ""


def test_each_file_on_its_own_is_all_of_them(tmp_path: Path) -> None:
    roots = project(tmp_path, "tests/test_a.py", "tests/test_b.py")
    ran = [ran_of("$ pytest tests/test_a.py"), ran_of("$ pytest tests/test_b.py")]
    assert unsupported(ran, "All tests pass.", roots) == ""


# ── what the ledger hears of ──────────────────────────────────────────────────────────────
def after(*told: tuple[str, dict[str, Any], ToolResult], answer: str = "All tests pass.") -> str:
    ledger = Ledger()
    for number, (name, arguments, result) in enumerate(told):
        ledger.note([ToolUsePart(id=str(number), name=name, arguments=arguments)], [result])
    return key_of(unsupported(ledger.ran, answer))


GREEN = ToolResult(text="12 passed", metadata={"exit_code": 0})
WRITE = ("Write", {"file_path": "a.py"}, ToolResult())
PYTEST = ("Bash", {"command": "pytest"}, GREEN)


def test_a_run_that_was_refused_is_none() -> None:
    no = ToolError.of("command_failed", code=1).coded(ErrorCode.PERMISSION_DENIED)
    assert after(WRITE, ("Bash", {"command": "pytest"}, failure(no))) == "evidence_none"


def test_what_is_taken_back_is_changed() -> None:
    undone = ToolResult(value=UndoOutput(ids=["1"], paths=["a.py"], conflicts=[]))
    shown = ToolResult(value=UndoOutput(ids=["1"], paths=[], conflicts=[]))
    assert after(WRITE, PYTEST, ("Undo", {}, undone)) == "evidence_stale"
    assert after(WRITE, PYTEST, ("Undo", {"preview": True}, shown)) == ""


@pytest.mark.parametrize(
    ("tool", "arguments", "note"),
    [
        ("mcp__ide__run_tests", {}, ""),
        ("mcp__shell__execute", {"cmd": "npm test"}, ""),
        ("mcp__ci__get_workflow_run", {"id": 7}, ""),
        ("mcp__db__query", {"sql": "select 1"}, "none"),
        ("Grep", {"pattern": "test"}, "none"),
        ("Read", {"file_path": "tests/test_a.py"}, "none"),
    ],
)
def test_tools_of_somebodys_own_may_have_run_tests(
    tool: str, arguments: dict[str, Any], note: str
) -> None:
    assert after(WRITE, (tool, arguments, ToolResult())) == (f"evidence_{note}" if note else "")


def test_what_another_tool_does_with_a_file_is_not_called_a_change() -> None:
    ledger = Ledger()
    use = ToolUsePart(id="1", name="mcp__lint__check", arguments={"file_path": "a.py"})
    ledger.note([use], [ToolResult()])
    [kept] = ledger.ran
    assert kept.arguments == {}
    assert learned(ledger.ran, "Hello.") == ()


@pytest.mark.parametrize(
    ("said", "note"),
    [
        ("pytest: 12 passed", ""),
        ("All tests pass.", ""),
        ("2 failed, 10 passed", "red"),
        ("Formatted with ruff.", "none"),
    ],
)
def test_a_hook_may_run_the_tests_after_an_edit(said: str, note: str) -> None:
    edited = ToolResult(metadata={"hook_context": [said]})
    told = after(("Edit", {"file_path": "a.py"}, edited))
    assert told == (f"evidence_{note}" if note else "")


@pytest.mark.parametrize(
    ("ran", "shown"),
    [
        (("task look", "w a.py"), "Task"),
        (("code import pytest", "w a.py"), "RunCode"),
        (("code! import pytest",), "RunCode"),
        (("$ nix develop -c pytest", "w a.py"), "nix develop -c pytest"),
        (("!1 pytest 'unbalanced",), "pytest 'unbalanced"),
    ],
)
def test_a_note_names_what_ran(ran: tuple[str, ...], shown: str) -> None:
    told = unsupported([ran_of(line) for line in ran], "All tests pass.")
    assert told.endswith(f": {shown}")


async def test_the_agent_puts_the_note_below_the_answer(tmp_path: Path) -> None:
    project(tmp_path, "tests/test_a.py", "tests/test_b.py")
    runner = tmp_path / "pytest"
    runner.write_text("#!/bin/sh\necho 3 passed\n")
    runner.chmod(0o700)
    one = call("Bash", command="./pytest tests/test_a.py")
    both = call("Bash", command="./pytest tests")
    turns = [calls(one), "All tests pass.", calls(both), "All tests pass."]
    agent, _ = agent_in(tmp_path, turns, mode="bypass")
    [note] = (await agent.run("Test it.")).notes
    assert key_of(note) == "evidence_part"
    assert (await agent.run("Test all of it.")).notes == ()


def test_only_who_saw_all_of_the_output_says_that_nothing_ran() -> None:
    """Cargo ends with the tests in the documentation, of which there are often none."""
    end = "running 0 tests\n\ntest result: ok. 0 passed; 0 failed"
    assert is_empty(end)
    for command, text, note in (
        ("cargo test", end, "evidence_empty"),
        ("cargo test | tail -3", end, ""),
        ("set -o pipefail; cargo test | tail -3", end, ""),
        ("cargo test > log; tail -3 log", end, ""),
        ("cargo test && ./more_tests.sh", end, ""),
        ("cargo test", f"{'.' * TEXT_CHARS}\n{end}", ""),
    ):
        result = ToolResult(text=text, metadata={"exit_code": 0})
        assert after(WRITE, ("Bash", {"command": command}, result)) == note, command
