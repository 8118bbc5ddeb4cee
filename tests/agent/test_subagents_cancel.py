"""Cancelled at any point while further agents work: nothing is left behind, and it can go on."""

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest

from agent.crew import PATIENCE_S, Firm, call, calls, order, text_of
from agent.talking import check_accepted
from ankrcode import Permission, tool
from ankrcode.protocol.message import Message
from torture import IS_TORTURE

POINTS = 200 if IS_TORTURE else 25


@tool(permission=Permission.READ)
async def dawdle(steps: int) -> str:
    """Take some steps of the loop."""
    for _ in range(steps):
        await asyncio.sleep(0)
    return f"{steps} steps"


def reply(request: Any) -> Any:
    """What anybody in this firm says, by what they were last told."""
    messages: list[Message] = [one for one in request.messages if one.role != "system"]
    first, last = text_of(messages[0]), text_of(messages[-1])
    if len(messages) > 1 and messages[-1].role == "user" and "carry on" not in last:
        return f"done with {first[:10]}"
    if "outer" in first:
        return calls(call("dawdle", steps=5), order("inner", "general"))
    if "inner" in first:
        return calls(call("dawdle", steps=12))
    if "carry on" in last:
        return "gone on"
    return calls(order("outer one", "general"), order("outer two", "code"), call("List"))


@pytest.mark.torture
@pytest.mark.parametrize("records", [False, True])
async def test_cancelled_anywhere_nothing_is_left_and_it_can_go_on(
    records: bool, tmp_path: Path
) -> None:
    chance = random.Random(7)
    for point in range(POINTS):
        folder = tmp_path / str(point)
        folder.mkdir()
        firm = Firm(
            folder,
            [reply] * 50,
            tools=[dawdle],
            max_cost_usd=1.0,
            records=records,
            session_id=f"s{point}",
        )
        async with asyncio.timeout(PATIENCE_S):
            working = asyncio.ensure_future(firm.run("begin"))
            for _ in range(chance.randrange(250)):
                await asyncio.sleep(0)
            firm.agent.cancel()
            answer = await working
            if answer.turns:
                check_accepted(firm.kit.agent.messages)
            assert firm.agent.purse.lent_usd == 0.0
            hiring = firm.kit.agent.subagents
            crew = getattr(hiring, "_crew", None)
            assert crew is None or crew._roster.running == 0
            after = await firm.run("carry on")
            assert after.ok
            check_accepted(firm.kit.agent.messages)
            await firm.agent.close()
        assert firm.kit.agent.tasks.all() == []


async def test_the_loop_is_empty_when_all_is_over(tmp_path: Path) -> None:
    before = asyncio.all_tasks()
    firm = Firm(tmp_path, [reply] * 50, tools=[dawdle])
    assert (await firm.run("begin")).ok
    await firm.agent.close()
    for _ in range(5):
        await asyncio.sleep(0)
    assert asyncio.all_tasks() <= before


async def test_a_hundred_agents_leave_no_more_behind_than_one(tmp_path: Path) -> None:
    """What is remembered of agents that are done is bounded."""
    turns: list[Any] = []
    for number in range(100):
        turns += [calls(order(f"n{number}")), f"r{number}"]
    firm = Firm(tmp_path, [*turns, "done"])
    answer = await firm.run()
    assert answer.text == "done"
    crew: Any = firm.kit.agent.subagents._crew  # type: ignore[union-attr]
    assert len(crew.staff._children) == 32
    assert crew._roster.total == 100
    assert not firm.kit.activity._observers[1:]  # their transcripts listen no more
