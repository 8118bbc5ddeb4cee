"""Spec 0, to the letter, through its dialect: {success, output, error}, and who answered."""

import json
from pathlib import Path
from typing import Any

import pytest

from agent.crew import Firm
from ankrcode.app import Toolkit
from ankrcode.dialects import load
from ankrcode.protocol.call import ToolCall
from ankrcode.protocol.question import Question, QuestionAnswer
from ankrcode.testing import YES, FakePerson

ANKRCODE = load("ankrcode")
TASK = {"subagent_type": "explore", "prompt": "find main", "description": "look around"}


async def said(kit: Toolkit, tool: str, /, **arguments: Any) -> Any:
    return await kit.call_in(ANKRCODE, ToolCall(name=tool, arguments=arguments))


@pytest.fixture
def kit(tmp_path: Path) -> Toolkit:
    return Toolkit(cwd=tmp_path, mode="bypass")


# ── commands ──────────────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S0-046", "S0-011")
async def test_a_command_that_fails_keeps_its_output_beside_the_error(kit: Toolkit) -> None:
    reply = await said(kit, "Bash", command="echo before; exit 3")
    assert reply == {"success": False, "output": "before\n", "error": "Exit code: 3"}


@pytest.mark.requirement("S0-046", "S0-011")
async def test_one_that_prints_nothing_has_only_the_error(kit: Toolkit) -> None:
    assert await said(kit, "Bash", command="exit 4") == {"success": False, "error": "Exit code: 4"}


@pytest.mark.requirement("S0-166")
async def test_one_that_is_stopped_in_time_keeps_its_output_and_says_what_to_do(
    kit: Toolkit,
) -> None:
    reply = await said(kit, "Bash", command="echo before; sleep 30", timeout=200)
    assert (reply["success"], reply["output"]) == (False, "before\n")
    assert "stopped after" in reply["error"]
    native = await kit.call("Bash", command="echo before; sleep 30", timeout=200)
    assert native.error is not None
    assert native.error.suggestion in reply["error"]


@pytest.mark.requirement("S0-011")
async def test_one_that_works_has_only_the_output(kit: Toolkit) -> None:
    assert await said(kit, "Bash", command="echo hi") == {"success": True, "output": "hi"}


# ── the conversation's tools ──────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S0-064", "S0-175", "S4-104")
async def test_todos_are_replaced_and_the_active_one_is_named(kit: Toolkit) -> None:
    todos = [{"content": "Run tests", "activeForm": "Running tests", "status": "in_progress"}]
    reply = await said(kit, "TodoWrite", todos=todos)
    assert reply == {"success": True, "output": "Todo list updated. Active: Running tests"}
    reply = await said(kit, "TodoWrite", todos=[])
    assert reply == {"success": True, "output": "Todo list updated."}


@pytest.mark.requirement("S0-066", "S4-102")
async def test_two_at_once_are_refused_and_the_list_stays(kit: Toolkit) -> None:
    await said(kit, "TodoWrite", todos=[{"content": "a", "status": "pending"}])
    both = [{"content": one, "status": "in_progress"} for one in "xy"]
    reply = await said(kit, "TodoWrite", todos=both)
    assert reply["success"] is False
    assert reply["error"].startswith("Exactly one task should be in_progress at a time")
    assert (await said(kit, "TodoRead"))["output"] == "⬜ a"


@pytest.mark.requirement("S0-074", "S0-178")
async def test_answers_are_the_output_as_json(tmp_path: Path) -> None:
    async def answer(question: Question) -> QuestionAnswer:
        chosen = {"Store": ("SQLite",), "Extras": ("Search", "Export"), "Name": ("my own words",)}
        return QuestionAnswer(question_id=question.id, chosen=chosen[question.header])

    kit = Toolkit(cwd=tmp_path, ask=answer)
    options = [{"label": one, "description": "so"} for one in ("SQLite", "Search", "Export")]
    questions = [
        {"question": "Which?", "header": "Store", "options": options},
        {"question": "What else?", "header": "Extras", "options": options, "multiSelect": True},
        {"question": "What is it called?", "header": "Name", "options": options},
    ]
    reply = await said(kit, "AskUserQuestion", questions=questions)
    assert reply["success"] is True
    assert json.loads(reply["output"]) == {
        "Store": ["SQLite"],
        "Extras": ["Search", "Export"],
        "Name": ["my own words"],
    }


@pytest.mark.requirement("S0-086", "S0-088", "S0-089")
async def test_plan_mode_goes_from_its_file_to_an_approval_and_out(tmp_path: Path) -> None:
    person = FakePerson([YES])
    kit = Toolkit(cwd=tmp_path, approve=person)
    outside = await said(kit, "ExitPlanMode")
    assert outside["success"] is False
    assert outside["error"].startswith("Not in plan mode")
    entered = await said(kit, "EnterPlanMode")
    first, _rules = entered["output"].split("\n")
    assert first.startswith("Entered plan mode. Write your plan to: ")
    Path(first.partition(": ")[2]).write_text("# Mend it\n", encoding="utf-8")
    wanted = [{"tool": "Bash", "prompt": "run tests"}]
    left = await said(kit, "ExitPlanMode", allowedPrompts=wanted)
    assert left["success"] is True
    assert "run tests" in left["output"]
    (shown,) = person.asked
    assert "# Mend it" in shown.text
    assert "run tests" in shown.text


# ── agents ────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S0-056")
async def test_the_reply_of_an_agent_names_it_so_that_it_can_be_resumed(tmp_path: Path) -> None:
    firm = Firm(tmp_path, ["It is in main.py.", "And now it is gone."])
    reply = await said(firm.kit, "Task", **TASK)
    assert reply["success"] is True
    assert reply["output"].startswith("It is in main.py.")
    again = await said(firm.kit, "Task", **{**TASK, "resume": reply["agentId"]})
    assert again["output"].startswith("And now it is gone.")
    assert again["agentId"] == reply["agentId"]


@pytest.mark.requirement("S0-055")
async def test_one_in_the_background_is_named_with_its_file(tmp_path: Path) -> None:
    firm = Firm(tmp_path, ["Found."])
    reply = await said(firm.kit, "Task", **TASK, run_in_background=True)
    assert reply["success"] is True
    assert reply["output"].startswith(f"Background agent started: {reply['agentId']}")
    ended = await said(firm.kit, "TaskOutput", task_id=reply["agentId"])
    assert "Found." in ended["output"]
    (path,) = [word for word in reply["output"].split() if word.startswith("/")]
    assert "Found." in Path(path.rstrip(".")).read_text(encoding="utf-8")


@pytest.mark.requirement("S0-056")
async def test_one_that_fails_is_named_too(tmp_path: Path) -> None:
    firm = Firm(tmp_path, [])  # a model that has nothing to say
    reply = await said(firm.kit, "Task", **TASK)
    assert reply["success"] is False
    assert reply["agentId"] in reply["error"]


@pytest.mark.requirement("S0-203")
async def test_an_agent_that_nobody_knows_is_not_replaced_by_a_new_one(tmp_path: Path) -> None:
    firm = Firm(tmp_path, ["I know nothing of before."])
    reply = await said(firm.kit, "Task", **TASK, resume="agent_nobody")
    assert reply["success"] is False
    assert "agent_nobody" in reply["error"]
    assert firm.model.requests == []
