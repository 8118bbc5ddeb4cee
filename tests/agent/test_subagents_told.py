"""What further agents are told of and asked for: no less than their parent has, and no more."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from agent.crew import PATIENCE_S, Firm, call, calls, order, text_of
from agent.test_agent_files import defined, trusted
from agent.test_subagents_adversary import Hanging, output_of
from ankrcode import Permission, tool
from ankrcode.config.settings import PermissionSettings, Settings
from ankrcode.permissions.rules.layers import rules_of_settings
from ankrcode.protocol.permission import Mode
from ankrcode.providers.wire import ModelRequest
from ankrcode.testing import YES, FakePerson, Turn


@tool(permission=Permission.READ)
async def ticket(number: int) -> str:
    """What a ticket says."""
    return f"ticket {number}: it is too slow"


# ── tools ─────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(("kind", "is_told"), [("general", True), ("code", True), ("plan", False)])
async def test_tools_of_the_persons_own_are_told_to_those_who_have_all(
    kind: str, is_told: bool, tmp_path: Path
) -> None:
    turns = [calls(order("part", kind)), "seen", "done"]
    firm = Firm(tmp_path, turns, tools=[ticket])
    await firm.run()
    assert ("ticket" in firm.tools_told("part")) is is_told


async def test_a_tool_of_ones_own_can_be_ordered_alone(tmp_path: Path) -> None:
    turns = [
        calls(order("part", "general", allowed_tools=["ticket"])),
        calls(call("ticket", number=7)),
        "seen",
        "done",
    ]
    firm = Firm(tmp_path, turns, tools=[ticket])
    await firm.run()
    assert firm.tools_told("part") == ["ticket"]
    assert "ticket 7" in text_of(firm.model.requests[2].messages[-1])


async def test_who_has_all_but_some_is_told_of_what_daily_work_needs_without_them(
    tmp_path: Path,
) -> None:
    text = "---\nname: careful\ndisallowedTools: Write, Edit\n---\nYou are careful."
    defined(tmp_path / ".claude" / "agents", "careful.md", text)
    trusted(tmp_path)
    turns = [calls(order("one", "careful"), order("all", "general")), "seen", "seen", "done"]
    firm = Firm(tmp_path, turns)
    await firm.run()
    everyday = firm.tools_told("all")
    assert firm.tools_told("one") == [one for one in everyday if one not in ("Write", "Edit")]


async def test_an_order_names_several_in_whichever_form(tmp_path: Path) -> None:
    allowed = ["Read Grep", "Task(explore, review)"]
    turns = [
        calls(order("above", "general", allowed_tools=allowed)),
        calls(order("below", "review"), order("never", "code")),
        "seen",
        "seen",
        "done",
    ]
    firm = Firm(tmp_path, turns)
    await firm.run()
    assert firm.tools_told("above") == ["Grep", "Read", "Task"]
    told = text_of(firm.model.requests[3].messages[-1])
    assert "seen" in told
    assert "Task is denied" in told


async def test_what_is_hidden_from_the_parent_is_hidden_from_all_below(tmp_path: Path) -> None:
    turns = [
        calls(order("above", "general")),
        calls(order("below", "security")),
        "seen",
        "seen",
        "done",
    ]
    firm = Firm(tmp_path, turns, disallowed_tools=["Bash", "Write(/x/**)"])
    await firm.run()
    for who in ("go", "above", "below"):
        assert "Bash" not in firm.tools_told(who), who
    assert "Write" in firm.tools_told("above")


# ── the mode ──────────────────────────────────────────────────────────────────────────────────
async def test_a_mode_that_the_parent_takes_on_meanwhile_counts_for_the_child(
    tmp_path: Path,
) -> None:
    """Narrower at once, and as wide again: each call is judged by what holds at that moment."""

    def turn(mode: Mode, name: str) -> Any:
        def say(request: ModelRequest) -> Turn:
            firm.kit.mode = mode
            return calls(call("Write", file_path=name, content="x"))

        return say

    turns = [
        calls(order("part", "code")),
        turn(Mode.PLAN, "planned.txt"),
        turn(Mode.DEFAULT, "asked.txt"),
        turn(Mode.ACCEPT_EDITS, "accepted.txt"),
        "tried",
        "done",
    ]
    firm = Firm(tmp_path, turns, mode="acceptEdits")
    await firm.run()
    assert [one.name for one in tmp_path.iterdir()] == ["accepted.txt"]
    told = [text_of(request.messages[-1]) for request in firm.model.requests[2:5]]
    assert "## Current Mode: plan" in told[0]
    assert "## Current Mode: default" in told[1]
    assert "## Current Mode: acceptEdits" in told[2]


# ── the model ─────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("model", ["inherit", "Inherit", "Haiku", " sonnet ", "LARGE"])
async def test_without_another_model_it_is_the_parents_own(model: str, tmp_path: Path) -> None:
    """What is no name of a model is a size, however it is written."""
    firm = Firm(tmp_path, [calls(order("part", model=model)), "seen", "done"])
    await firm.run()
    (result,) = firm.of_task
    assert (result.value.response, result.metadata["model"]) == ("seen", firm.model.name)


@pytest.mark.parametrize("model", ["", "inherit", "opus", "Small", "other"])
async def test_a_delegate_is_somebody_else(model: str, tmp_path: Path) -> None:
    """A size or the parent's own model is no second opinion."""
    firm = Firm(tmp_path, [calls(order("part", "delegate", model=model)), "done"])
    await firm.run()
    assert "delegate asks a model of another vendor" in firm.results[0].text
    assert len(firm.model.requests) == 2


# ── the task ──────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("prompt", [" ", "\n\t", "\u3000"])
async def test_a_task_of_blanks_is_refused_before_anybody_is_asked(
    prompt: str, tmp_path: Path
) -> None:
    """Vendors answer it with an error, and nobody would know why."""
    firm = Firm(tmp_path, [calls(order(prompt)), "done"])
    await firm.run()
    assert "prompt" in firm.results[0].text
    assert firm.results[0].error is not None
    assert firm.results[0].error.code == "INVALID_INPUT"
    assert len(firm.model.requests) == 2


# ── TaskOutput ────────────────────────────────────────────────────────────────────────────────
async def test_of_an_agent_that_has_answered_it_is_said_how_to_go_on(tmp_path: Path) -> None:
    def look(request: ModelRequest) -> Turn:
        agent_id = text_of(request.messages[-1]).rpartition("resume ")[2].split(".")[0]
        return calls(call("TaskOutput", task_id=agent_id))

    firm = Firm(tmp_path, [calls(order("part")), "seen", look, "done"])
    await firm.run()
    assert "There is no task 'agent_" in firm.results[1].text
    assert "resume" in firm.results[1].text


async def test_one_that_works_one_that_ended_and_one_that_was_stopped_are_told_apart(
    tmp_path: Path,
) -> None:
    hanging = Hanging()
    aside = {"run_in_background": True}
    turns = [
        calls(order("ends", "general", **aside), order("hangs", "general", **aside)),
        Turn(when="ends", text="the outcome"),
        Turn(when="hangs", text="I begin.", calls=(call("hang"),)),
        Turn(when="Background", text="begun"),
    ]
    firm = Firm(tmp_path, turns, tools=[hanging.tool])
    async with asyncio.timeout(PATIENCE_S), firm.agent:
        await firm.run()
        ended, hangs = (one.metadata["agent_id"] for one in firm.results[:2])
        for one in firm.results[:2]:
            assert one.metadata["chain_id"] == firm.kit.agent.chain_id
            assert (one.metadata["depth"], one.metadata["agent_type"]) == (1, "general")
        state = await output_of(firm, ended)
        assert (state.status, state.is_completed, state.exit_code) == ("completed", True, 0)
        assert "the outcome" in state.output
        await hanging.began.wait()
        looked = await firm.kit.call("TaskOutput", task_id=hangs, block=False)
        assert looked.value.retrieval_status == "not_ready"
        assert "I begin." in looked.value.task.output
        looked = await firm.kit.call("TaskOutput", task_id=hangs, timeout=1)
        assert (looked.value.retrieval_status, looked.value.task.status) == ("timeout", "running")
        assert (await firm.kit.call("KillShell", shell_id=hangs)).ok
        state = await output_of(firm, hangs)
        assert (state.status, state.is_completed) == ("killed", True)
        assert state.exit_code != 0
        again = await firm.kit.call("KillShell", shell_id=hangs)
        assert "has ended" in again.text or "already" in again.text


# ── rules about types ─────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("kind", ["deny", "ask"])
@pytest.mark.parametrize("rule", ["Task(general)", "Agent(general-purpose)", "Task(general*)"])
@pytest.mark.parametrize("name", ["general", "general-purpose", "GENERAL", " general "])
async def test_no_other_name_of_a_type_gets_around_a_rule(
    name: str, rule: str, kind: str, tmp_path: Path
) -> None:
    rules = PermissionSettings(deny=[rule]) if kind == "deny" else PermissionSettings(ask=[rule])
    settings = Settings(permissions=rules)
    turns = [calls(order("part", name), order("other", "Explore")), "seen", "done"]
    firm = Firm(tmp_path, turns, settings=settings)
    await firm.run()
    refused, explored = firm.results
    assert refused.error is not None
    assert explored.value.response == "seen"
    assert len(firm.model.requests) == 3


async def test_who_is_asked_about_a_type_is_asked_whatever_it_is_called(tmp_path: Path) -> None:
    settings = Settings(permissions=PermissionSettings(ask=["Task(general)"]))
    person = FakePerson([YES])

    def by_its_name(request: ModelRequest) -> Turn:
        assert "call it general" in text_of(request.messages[-1])
        return calls(order("part", "general"))

    turns = [calls(order("part", "general-purpose")), by_its_name, "seen", "done"]
    firm = Firm(tmp_path, turns, settings=settings, approve=person)
    await firm.run()
    assert len(person.asked) == 1
    assert firm.results[-1].value.response == "seen"


async def test_one_that_may_not_begin_may_not_go_on_under_another_type(tmp_path: Path) -> None:
    def resumed(request: ModelRequest) -> Turn:
        agent_id = text_of(request.messages[-1]).rpartition("resume ")[2].split(".")[0]
        rules = PermissionSettings(deny=["Task(code)"])
        firm.kit.agent.policy.bind(rules_of_settings(rules, firm.kit.agent.workspace))
        return calls(order("on", "explore", resume=agent_id))

    firm = Firm(tmp_path, [calls(order("part", "code")), "seen", resumed, "done"])
    await firm.run()
    assert "The rule Task(code) is about the agent type code" in firm.results[-1].text
    assert len(firm.model.requests) == 4


# ── in circles ────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("answers", ["the same", "something new"])
async def test_to_start_the_same_agent_for_the_same_answer_again_and_again_is_a_circle(
    answers: str, tmp_path: Path
) -> None:
    """Though each of them has another name."""

    def either(request: ModelRequest) -> Turn | str:
        if text_of(request.messages[-1]) != "part":
            return calls(order("part")) if len(firm.model.requests) < 30 else "done"
        return f"nothing {len(firm.model.requests) if answers == 'something new' else ''}"

    firm = Firm(tmp_path, [either] * 40)
    answer = await firm.run()
    is_circle = answers == "the same"
    assert (answer.subtype == "error_loop") is is_circle
    assert len(firm.of_task) == (10 if is_circle else 15)
