"""`ankrcode permissions replay`: past calls under other rules, and nothing runs."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from ankrcode import Toolkit
from ankrcode.frontends.cli import main
from ankrcode.protocol.approval import Approval, ApprovalAnswer
from frontends.command import ankrcode

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("Read", {"file_path": "a.txt"}),
    ("Bash", {"command": "touch yes.txt"}),
    ("Bash", {"command": "touch no.txt"}),
    ("Write", {"file_path": "b.txt", "content": "x"}),
    ("Bash", {"command": "cd sub"}),
    ("Bash", {"command": "cat ../a.txt"}),
    ("Nonsense", {}),
]
THEN = ["ran", "approved", "declined", "approved", "ran", "ran", "ran"]


async def person(approval: Approval) -> ApprovalAnswer:
    return ApprovalAnswer(approved="no.txt" not in approval.text)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A workspace with a session in it, in which two questions were answered yes and one no."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.txt").write_text("alpha\n", encoding="utf-8")

    async def called() -> None:
        for tool, params in CALLS:
            await kit.call(tool, params)

    kit = Toolkit(cwd=tmp_path, session_id="past", records=True, approve=person)
    asyncio.run(called())
    kit.close()
    return tmp_path


def replayed(
    work: Path, capsys: pytest.CaptureFixture[str], *options: str | Path
) -> list[dict[str, Any]]:
    arguments = ["--cwd", str(work), "permissions", "replay", "past", "--json"]
    assert main.run([*arguments, *map(str, options)]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def rules(work: Path, **lists: list[str]) -> Path:
    file = work.parent / f"{work.name}-rules.json"
    file.write_text(json.dumps(lists), encoding="utf-8")
    return file


def test_under_the_same_rules_all_is_as_it_was(
    work: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    judged = replayed(work, capsys)
    assert [one["then"] for one in judged] == THEN
    expected = ["allow", "ask", "ask", "ask", "allow", "allow", "broken"]
    assert [one["now"] for one in judged] == expected
    assert [one["subject"] for one in judged][1:3] == ["touch yes.txt", "touch no.txt"]
    done = ankrcode("permissions", "replay", "past", cwd=work)
    said = "7 calls: 0 questions saved, 0 more asked, 0 newly allowed, 0 newly refused.\n"
    assert (done.returncode, done.stdout) == (0, said)


def test_a_rule_that_allows_saves_questions_and_says_what_it_lets_pass(work: Path) -> None:
    file = rules(work, allow=["Bash(touch:*)"])
    done = ankrcode("permissions", "replay", "past", "--rules", file, cwd=work)
    first, second, last = done.stdout.splitlines()
    assert first == "saved: Bash(touch yes.txt)  Bash(touch:*)"
    assert second.startswith("allowed: Bash(touch no.txt)")  # the person had said no
    assert last.startswith("7 calls: 1 questions saved, 0 more asked, 1 newly allowed")


@pytest.mark.parametrize(
    ("lists", "changed"),
    [
        ({"deny": ["Read"]}, {0: "deny", 3: "deny"}),  # what may not be read is not written
        ({"ask": ["Read(a.txt)"]}, {0: "ask", 5: "ask"}),
        ({"deny": ["Bash(touch yes.txt)"]}, {1: "deny"}),
        ({"allow": ["Edit"]}, {3: "allow"}),
        ({"allow": ["Edit"], "deny": ["Edit(b.txt)"]}, {3: "deny"}),
        ({}, {}),
    ],
    ids=json.dumps,
)
def test_every_call_is_judged_by_the_proposed_rules(
    lists: dict[str, list[str]],
    changed: dict[int, str],
    work: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = [one["now"] for one in replayed(work, capsys)]
    after = [one["now"] for one in replayed(work, capsys, "--rules", rules(work, **lists))]
    found = {
        number: now
        for number, (then, now) in enumerate(zip(before, after, strict=True))
        if then != now
    }
    assert changed.items() <= found.items()
    assert set(found) - set(changed) <= {5}  # `cat` reads too


def test_another_mode_can_be_tried(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edits = replayed(work, capsys, "--permission-mode", "acceptEdits")
    assert [one["now"] for one in edits][:4] == ["allow", "ask", "ask", "allow"]
    plan = replayed(work, capsys, "--permission-mode", "plan")
    assert [one["now"] for one in plan][:4] == ["allow", "deny", "deny", "deny"]


def test_nothing_runs_and_nothing_is_recorded(
    work: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path: path.stat().st_mtime_ns for path in work.rglob("*")}
    log = Path.home() / ".local/state/ankrcode/sessions/past.jsonl"
    size = log.stat().st_size
    replayed(work, capsys, "--permission-mode", "bypass")
    assert {path: path.stat().st_mtime_ns for path in work.rglob("*")} == before
    assert log.stat().st_size == size


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["nothing"], "No session has an id"),
        (["past", "--rules", "missing.json"], "no file missing.json"),
        ([], "required"),
    ],
)
def test_what_cannot_be_judged_is_told(options: list[str], said: str, work: Path) -> None:
    done = ankrcode("permissions", "replay", *options, cwd=work)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


@pytest.mark.parametrize("content", ["[]", "{", '{"allow": 1}', '{"allow": ["("]}', '{"x": []}'])
def test_rules_that_are_none_are_refused(
    content: str, work: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = work / "rules.json"
    file.write_text(content, encoding="utf-8")
    given = ["--cwd", str(work), "permissions", "replay", "past", "--rules", str(file)]
    assert main.run(given) == 2
    assert capsys.readouterr().out == ""
