"""Budgets and further agents: what a session may use, all of them together may use, and no more."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from agent.crew import PATIENCE_S, Firm, call, calls, order, text_of
from agent.test_subagents import paid
from agent.test_subagents_adversary import Hanging
from agent.test_worktree import git, repository, template
from ankrcode import Permission, tool
from ankrcode.agent.agent import Agent
from ankrcode.config.models import BudgetSettings
from ankrcode.config.settings import Settings
from ankrcode.errors import UsageError
from ankrcode.protocol.message import Usage
from ankrcode.providers.wire import ModelRequest
from ankrcode.testing import YES, FakePerson, ScriptedModel, Turn

__all__ = ["repository", "template"]

TOKENS = Usage(input_tokens=10_000)  # at 3 USD for a million: 0.03 USD


def endless(request: ModelRequest) -> Turn:
    """Never done, and never twice the same."""
    return calls(call("Glob", pattern=f"*.{len(request.messages)}"), usage=TOKENS)


def within(**limits: Any) -> Settings:
    return Settings(budget=BudgetSettings(**limits))


def asked_by_children(model: ScriptedModel) -> int:
    firsts = (next(one for one in each.messages if one.role == "user") for each in model.requests)
    return sum(text_of(one).startswith("part") for one in firsts)


# ── limits of the settings ────────────────────────────────────────────────────────────────────
async def test_money_of_the_settings_is_lent_like_money_of_the_order(tmp_path: Path) -> None:
    parts = [order(f"part {number}") for number in range(4)]
    model = paid([calls(*parts, usage=TOKENS), *[endless] * 120])
    agent = Agent(model, cwd=tmp_path, settings=within(usd=1.0))
    answer = await agent.run("go")
    assert answer.subtype == "error_budget"
    assert answer.cost_usd <= 1.0 + 5 * 0.03  # the last of each may cost more than was foreseen
    assert agent.purse.spent_usd == pytest.approx(answer.cost_usd)


@pytest.mark.parametrize(("limit", "most"), [({"turns": 10}, 10), ({"tokens": 120_000}, 12)])
async def test_requests_and_tokens_are_counted_for_all_together(
    limit: dict[str, Any], most: int, tmp_path: Path
) -> None:
    parts = [order(f"part {number}") for number in range(3)]
    model = ScriptedModel([calls(*parts, usage=TOKENS), *[endless] * 60])
    answer = await Agent(model, cwd=tmp_path, settings=within(**limit)).run("go")
    assert answer.subtype == "error_budget"
    assert len(model.requests) <= most + 3  # the parent's, and those of the two others
    assert asked_by_children(model) >= 3


async def test_time_is_the_sessions_and_begins_anew_with_nobody(tmp_path: Path) -> None:
    now = [0.0]

    def later(request: ModelRequest) -> Turn:
        now[0] += 40.0
        return endless(request)

    model = ScriptedModel([calls(order("part 1")), *[later] * 30])
    agent = Agent(model, cwd=tmp_path, settings=within(seconds=100))
    assert agent._limits is not None
    budget = agent._limits._counts._budget
    budget._clock, budget._started = lambda: now[0], 0.0
    answer = await agent.run("go")
    assert answer.subtype == "error_budget"
    assert len(model.requests) == 4


async def test_who_is_told_learns_which_limit_stopped_the_agent(tmp_path: Path) -> None:
    model = ScriptedModel([calls(order("part 1")), *[endless] * 5])
    firm = Firm(tmp_path, [], settings=within(turns=4))
    firm.model.turns += model.turns
    await firm.run()
    (result,) = firm.of_task
    assert result.error is not None
    assert result.error.details["subtype"] == "error_budget"
    assert "requests" in result.text


async def test_what_was_extended_can_be_lent(tmp_path: Path) -> None:
    asked: list[str] = []

    async def extend(overrun: Any) -> bool:
        asked.append(overrun.limit)
        return True

    dear = Usage(input_tokens=100_000)  # 0.30 USD
    model = paid([calls(call("Glob", pattern="*"), usage=dear), calls(order("part 1")), "a", "b"])
    agent = Agent(model, cwd=tmp_path, max_cost_usd=0.25, extend_budget=extend)
    answer = await agent.run("go")
    assert asked == ["usd"]
    assert answer.text == "b"
    assert asked_by_children(model) == 1


def waiting_for(other: Hanging) -> Any:
    @tool(permission=Permission.READ)
    async def begun() -> str:
        """Wait until the other one works."""
        await other.began.wait()
        return "it works"

    return begun


@pytest.mark.parametrize("usd", [0, 0.0, -1.0, float("nan"), float("inf")])
def test_money_that_is_used_up_is_no_limit_that_is_missing(usd: float, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="max_cost_usd must be more than 0"):
        Agent(ScriptedModel(["never said"]), cwd=tmp_path, max_cost_usd=usd)


# ── those below a child ───────────────────────────────────────────────────────────────────────
async def test_what_a_grandchild_took_in_the_background_counts_to_the_top(tmp_path: Path) -> None:
    hanging = Hanging()
    below = order("below", "general", run_in_background=True)
    one, took = Usage(input_tokens=100), Usage(input_tokens=7, output_tokens=3)

    turns = [
        calls(order("above", "general"), usage=one),
        Turn(when="above", calls=(below,), usage=one),
        Turn(when="below", calls=(call("hang"),), usage=took),
        Turn(when="Background", calls=(call("begun"),), usage=one),
        Turn(when="it works", text="the child is done", usage=one),
        Turn(when="the child is done", text="done", usage=one),
    ]
    firm = Firm(tmp_path, turns, tools=[hanging.tool, waiting_for(hanging)])
    async with asyncio.timeout(PATIENCE_S), firm.agent:
        answer = await firm.run()
        assert answer.text == "done"
        assert (answer.usage.input_tokens, answer.usage.output_tokens) == (507, 3)
        assert firm.kit.agent.tasks.all() == []


async def test_a_grandchilds_worktree_is_gone_before_the_child_is_said_to_be_done(
    repository: Path,
) -> None:
    hanging = Hanging()
    below = order("below", "general", run_in_background=True, isolation="worktree")

    seen: list[str] = []

    def above(request: ModelRequest) -> str:
        seen.append(git(repository, "worktree", "list"))
        return "done"

    turns = [
        calls(order("above", "general")),
        Turn(when="above", calls=(below,)),
        Turn(when="below", calls=(call("hang"),)),
        Turn(when="Background", calls=(call("begun"),)),
        Turn(when="it works", text="the child is done"),
        above,
    ]
    tools = [hanging.tool, waiting_for(hanging)]
    firm = Firm(repository, turns, tools=tools, approve=FakePerson([YES]))
    async with asyncio.timeout(PATIENCE_S), firm.agent:
        await firm.run()
    assert [one.count("\n") for one in seen] == [0]


# ── who may extend it ─────────────────────────────────────────────────────────────────────────
async def test_a_yes_to_one_of_several_is_a_yes_to_all_of_them(tmp_path: Path) -> None:
    asked: list[float] = []

    async def extend(overrun: Any) -> bool:
        asked.append(overrun.allowed)
        await asyncio.sleep(0)
        return True

    def part(request: ModelRequest) -> Turn | str:
        return endless(request) if len(request.messages) < 8 else "seen"

    parts = [order(f"part {number}") for number in range(3)]
    model = ScriptedModel([calls(*parts), *[part] * 20, "done"])
    agent = Agent(model, cwd=tmp_path, settings=within(turns=6), extend_budget=extend)
    answer = await agent.run("go")
    assert answer.ok
    assert asked == sorted(set(asked)), "each limit is asked about once"
    assert 1 <= len(asked) <= 3


async def test_a_no_stops_the_agents_and_whoever_sent_them(tmp_path: Path) -> None:
    asked: list[str] = []

    async def extend(overrun: Any) -> bool:
        asked.append(overrun.limit)
        return False

    model = ScriptedModel([calls(order("part 1")), *[endless] * 20])
    agent = Agent(model, cwd=tmp_path, settings=within(turns=5), extend_budget=extend)
    assert (await agent.run("go")).subtype == "error_budget"
    assert asked == ["turns", "turns"]  # the agent's, and its parent's
    assert len(model.requests) == 6


async def test_after_all_have_ended_nothing_is_lent_and_the_sum_is_right(tmp_path: Path) -> None:
    """Several at once, of which some spend all they have, some end, and one is refused."""

    def part(request: ModelRequest) -> Turn | str:
        first = next(text_of(one) for one in request.messages if one.role == "user")
        return endless(request) if first.endswith("0") else Turn(text="seen", usage=TOKENS)

    parts = [order(f"part {number}") for number in range(4)] + [order("part", "nobody")]
    model = paid([calls(*parts, usage=TOKENS), *[part] * 60])
    agent = Agent(model, cwd=tmp_path, max_cost_usd=2.0)
    answer = await agent.run("go", max_turns=1)
    assert agent.purse.lent_usd == pytest.approx(0.0)
    assert agent.purse.spent_usd == pytest.approx(answer.cost_usd)
    assert answer.cost_usd == pytest.approx(0.03 * len(model.requests))
