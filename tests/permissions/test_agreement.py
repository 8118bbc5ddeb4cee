"""What `permissions check` says of a call, and what becomes of that call in the agent: the same."""

from pathlib import Path
from typing import Any

import pytest

from agent.crew import Firm, call, calls, order
from ankrcode import Mode, Toolkit
from ankrcode.permissions.calls import facts_of
from ankrcode.permissions.checks import check
from ankrcode.permissions.decide import Decision, decide
from ankrcode.protocol.call import ToolCall
from ankrcode.testing import NO, FakePerson

TASK = {"description": "d", "prompt": "p", "subagent_type": "code"}
OPTIONS = [{"label": "a"}, {"label": "b"}]
CALLS: dict[str, dict[str, Any]] = {
    "Read": {"file_path": "a.txt"},
    "Write": {"file_path": "new.txt", "content": "x"},
    "Edit": {"file_path": "a.txt", "old_string": "a", "new_string": "b"},
    "Glob": {"pattern": "*"},
    "Grep": {"pattern": "a"},
    "List": {"path": "."},
    "Bash": {"command": "touch x", "description": "x"},
    "Move": {"source": "a.txt", "destination": "b.txt"},
    "TaskOutput": {"task_id": "x"},
    "KillShell": {"shell_id": "x"},
    "Tasks": {},
    "TodoRead": {},
    "TodoWrite": {"todos": []},
    "AskUserQuestion": {"questions": [{"question": "q", "header": "h", "options": OPTIONS}]},
    "EnterPlanMode": {},
    "ExitPlanMode": {},
    "Help": {},
    "Say": {"text": "x"},
}
MODES = [Mode.DEFAULT, Mode.PLAN, Mode.ACCEPT_EDITS, Mode.DONT_ASK, Mode.BYPASS]


@pytest.fixture
def work(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text("a", encoding="utf-8")
    return tmp_path


def both(kit: Toolkit, tool: str, arguments: dict[str, Any]) -> tuple[Decision, Decision]:
    policy, workspace = kit.agent.policy, kit.agent.workspace
    told = decide(facts_of(tool, arguments, workspace), policy, workspace).decision
    return told, kit.judge(ToolCall(name=tool, arguments=arguments))[1].decision


@pytest.mark.parametrize("mode", MODES)
def test_a_call_is_judged_alike_from_outside_and_inside(mode: Mode, work: Path) -> None:
    kit = Toolkit(cwd=work, mode=mode)
    for tool, arguments in CALLS.items():
        told, happens = both(kit, tool, arguments)
        assert told is happens, tool


# ── agents: from outside one verdict for all that they may do ─────────────────────────────────
@pytest.mark.parametrize("mode", MODES)
def test_an_agent_in_a_worktree_is_asked_about_by_both(mode: Mode, work: Path) -> None:
    told, happens = both(Toolkit(cwd=work, mode=mode), "Task", TASK | {"isolation": "worktree"})
    assert told is happens
    assert (told is Decision.ALLOW) is (mode is Mode.BYPASS)


@pytest.mark.parametrize("tool", ["Task", "Agent"])
@pytest.mark.parametrize(("mode", "want"), [("default", "ask"), ("plan", "deny")])
def test_the_verdict_on_an_agent_is_that_on_what_it_may_do(
    tool: str, mode: str, want: str, work: Path
) -> None:
    asked = {"rules": {}, "mode": mode, "call": {"tool": tool, "args": TASK}}
    answer = check("rule", asked, {"root": str(work)})
    assert answer["verdict"] == want
    assert "begins unasked" in answer["reason"]


@pytest.mark.parametrize(("mode", "asked"), [("default", ["Write"]), ("plan", [])])
async def test_an_agent_begins_unasked_and_its_calls_are_judged(
    mode: str, asked: list[str], work: Path
) -> None:
    person = FakePerson([NO])
    write = call("Write", file_path="new.txt", content="x")
    turns = [calls(order("write", "code")), calls(write), "tried", "done"]
    firm = Firm(work, turns, mode=mode, approve=person)
    await firm.run()
    assert [one.tool for one in person.asked] == asked  # the plan's own refusal asks nobody
    assert not (work / "new.txt").exists()
    assert firm.of_task[0].value.response == "tried"


@pytest.mark.parametrize(("kind", "want"), [("ask", "ask"), ("deny", "deny")])
@pytest.mark.parametrize("rule", ["Task", "Task(code)", "Agent(code)"])
def test_a_rule_about_agents_still_counts(kind: str, want: str, rule: str, work: Path) -> None:
    asked = {"rules": {kind: [rule]}, "call": {"tool": "Task", "args": TASK}}
    assert check("rule", asked, {"root": str(work)})["verdict"] == want
