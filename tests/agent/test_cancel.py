"""Cancelled at any point: every call has its result, and the conversation can go on."""

import asyncio
import random
import threading
from pathlib import Path

import pytest

from agent.talking import agent_in, call, calls, check_accepted
from ankrcode import Answer, Permission, tool
from ankrcode.providers.scripted import Turn
from ankrcode.sessions.log import read_log
from ankrcode.sessions.records import CallBegun, CallEnded
from ankrcode.tooling.durable import session_store
from torture import IS_TORTURE

POINTS = 2_000 if IS_TORTURE else 200


@tool(permission=Permission.READ)
async def dawdle(steps: int) -> str:
    """Take some steps of the loop."""
    for _ in range(steps):
        await asyncio.sleep(0)
    return f"{steps} steps"


@tool(permission=Permission.READ)
async def stubborn() -> str:
    """Wait for ever."""
    await asyncio.Event().wait()
    return "never"


def script() -> list[Turn | str]:
    return [
        Turn(text="I begin.", chunk=2, calls=(call("dawdle", steps=3), call("dawdle", steps=9))),
        calls(call("Write", file_path="a.txt", content="one"), text="Writing."),
        calls(call("Read", file_path="a.txt"), call("dawdle", steps=5), call("List")),
        calls(call("Edit", file_path="a.txt", old_string="one", new_string="two")),
        "And I end.",
    ]


@pytest.mark.torture
@pytest.mark.parametrize("records", [False, True])
async def test_cancelled_anywhere_it_can_go_on(tmp_path: Path, records: bool) -> None:
    chance = random.Random(8)
    for point in range(POINTS // 2):
        folder = tmp_path / f"{point}"
        folder.mkdir()
        agent, model = agent_in(
            folder, script(), tools=[dawdle], mode="bypass", records=records,
            session_id=f"s{point}",
        )  # fmt: skip
        working = asyncio.ensure_future(agent.run("work"))
        for _ in range(chance.randrange(120)):
            await asyncio.sleep(0)
        agent.cancel()
        if chance.random() < 0.3:
            await asyncio.sleep(0)
            agent.cancel()  # impatient
        answer = await working
        assert answer.subtype in ("error_cancelled", "success")
        model.turns[:] = ["I go on."]
        assert (await agent.run("go on")).text == "I go on."
        check_accepted(model.requests[-1].messages)
        check_accepted(agent.kit.agent.messages)
        await agent.close()
        if records:
            check_log(f"s{point}")


def check_log(session: str) -> None:
    records = [one for _, one in read_log(session_store().path_of(session)).records]
    begun = [one.call.id for one in records if isinstance(one, CallBegun)]
    ended = [one.call_id for one in records if isinstance(one, CallEnded)]
    assert sorted(begun) == sorted(ended)


async def test_a_call_that_waits_for_ever_is_ended(tmp_path: Path) -> None:
    agent, _ = agent_in(tmp_path, [calls(call("stubborn"))], tools=[stubborn], mode="bypass")
    async for event in agent.stream("wait"):
        if event.type == "tool_call_start":
            agent.cancel()
    assert agent.answer is not None
    assert agent.answer.subtype == "error_cancelled"
    check_accepted(agent.kit.agent.messages)


async def test_whoever_cancels_the_caller_gets_it_back_in_order(tmp_path: Path) -> None:
    agent, _ = agent_in(tmp_path, [calls(call("stubborn"))], tools=[stubborn], mode="bypass")
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(agent.run("wait"), 0.2)
    assert agent.answer is not None
    check_accepted(agent.kit.agent.messages)


async def test_what_was_said_before_the_cancel_stays_said(tmp_path: Path) -> None:
    turn = Turn(text="I was about to say something long", chunk=5, pause_s=0.01)
    agent, model = agent_in(tmp_path, [turn])
    async for event in agent.stream("speak"):
        if event.type == "text_delta":
            agent.cancel()
    said = agent.kit.agent.messages[-1]
    assert said.role == "assistant"
    assert said.parts[0].text.startswith("I was")  # type: ignore[union-attr]
    model.turns[:] = ["Again."]
    assert (await agent.run("again")).text == "Again."


def test_another_thread_may_cancel(tmp_path: Path) -> None:
    agent, model = agent_in(tmp_path, [calls(call("stubborn"))], tools=[stubborn], mode="bypass")
    begun = threading.Event()
    agent.kit.on("tool_call_start", lambda _: begun.set())
    answers: list[Answer] = []
    working = threading.Thread(target=lambda: answers.append(agent.run_sync("wait")))
    working.start()
    assert begun.wait(10)
    agent.cancel()
    working.join(10)
    assert [one.subtype for one in answers] == ["error_cancelled"]
    check_accepted(agent.kit.agent.messages)
    model.turns[:] = ["On."]
    assert agent.run_sync("go on").text == "On."


async def test_closing_ends_a_task_that_is_at_work(tmp_path: Path) -> None:
    agent, _ = agent_in(tmp_path, [calls(call("stubborn"))], tools=[stubborn], mode="bypass")
    working = asyncio.ensure_future(agent.run("wait"))
    for _ in range(20):
        await asyncio.sleep(0)
    await agent.close()
    assert (await working).subtype == "error_cancelled"
