"""Further agents as an outsider tries them: several at once, edges of every limit, odd ids."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from agent.crew import PATIENCE_S, Firm, call, calls, order, text_of
from agent.talking import check_accepted
from agent.test_subagents import paid
from agent.test_subagents_adversary import Hanging, resumed
from ankrcode import hook
from ankrcode.agent.agent import Agent
from ankrcode.config.agents import SubagentSettings
from ankrcode.config.settings import Settings
from ankrcode.errors import ErrorCode
from ankrcode.protocol.message import ToolResultPart, Usage
from ankrcode.protocol.stream import FailureKind
from ankrcode.providers.wire import ModelRequest
from ankrcode.testing import ScriptedModel, Turn


def says(text: str, **more: Any) -> Turn:
    """The turn of whoever was told this last."""
    return Turn(when=text, text=f"did {text}", **more)


def bounded(**limits: int) -> Settings:
    return Settings(subagents=SubagentSettings(**limits))


def codes(firm: Firm) -> list[ErrorCode | None]:
    return [one.error.code if one.error else None for one in firm.results]


# ── several at once, and one of them fails ────────────────────────────────────────────────────
async def test_one_whose_model_fails_takes_no_other_with_it(tmp_path: Path) -> None:
    made = calls(order("part a"), order("part b"), order("part c"))
    broken = Turn(when="part b", fail=FailureKind.AUTH)
    firm = Firm(tmp_path, [made, says("part a"), broken, says("part c"), "done"])
    answer = await firm.run()
    parts = firm.model.requests[-1].messages[-1].parts
    told = [part for part in parts if isinstance(part, ToolResultPart)]
    assert [part.is_error for part in told] == [False, True, False]
    assert told[0].text.startswith("did part a")
    assert told[2].text.startswith("did part c")
    assert answer.text == "done"


BAD = {
    "unknown type": order("part b", "nobody"),
    "no prompt": call("Task", description="d", subagent_type="explore"),
    "blank prompt": order("  \n"),
    "unknown tool": order("part b", allowed_tools=["Write"]),
    "unknown id": order("part b", resume="agent_unknown"),
    "unknown model": order("part b", model="nowhere/none"),
    "no turns": order("part b", max_turns=0),
    "wrong isolation": order("part b", isolation="container"),
    "wrong thoroughness": order("part b", thoroughness="utterly"),
    "not even JSON": type(order())(name="Task", arguments='{"prompt": "x'),
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
async def test_one_that_cannot_begin_takes_no_other_with_it(bad: Any, tmp_path: Path) -> None:
    made = calls(order("part a"), bad, order("part c"))
    firm = Firm(tmp_path, [made, says("part a"), says("part c"), "done", "done"])
    assert (await firm.run()).text == "done"
    texts = text_of(firm.model.requests[-1].messages[-1])
    assert "did part a" in texts
    assert "did part c" in texts
    assert sum(not one.ok for one in firm.results) <= 1
    check_accepted(firm.kit.agent.messages)


async def test_one_that_a_hook_refuses_takes_no_other_with_it(tmp_path: Path) -> None:
    @hook("SubagentStart")
    def refuses(payload: dict[str, Any]) -> Any:
        return {"decision": "block", "reason": "not b"} if "part b" in payload["prompt"] else None

    made = calls(order("part a"), order("part b"), order("part c"))
    firm = Firm(tmp_path, [made, says("part a"), says("part c"), "done"], hooks=[refuses])
    await firm.run()
    assert sorted(one.ok for one in firm.results) == [False, True, True]
    assert len(firm.model.requests) == 4


async def test_the_same_agent_cannot_go_on_twice_at_once(tmp_path: Path) -> None:
    def twice(request: ModelRequest) -> Turn:
        made = resumed(request).calls[0]
        return calls(made, made)

    turns: list[Any] = [calls(order("part a")), "one", twice, "two", "done"]
    firm = Firm(tmp_path, turns)
    await firm.run()
    assert sorted(one.ok for one in firm.results) == [False, True, True]


# ── cancelled ─────────────────────────────────────────────────────────────────────────────────
class Slow(ScriptedModel):
    """Tells when so many answers have begun to stream."""

    def __init__(self, turns: list[Any], begun: int) -> None:
        super().__init__(turns)
        self.wanted = begun
        self.begun = asyncio.Event()

    async def stream(self, request: ModelRequest) -> Any:
        async for event in super().stream(request):
            yield event
            self.wanted -= 1
            if self.wanted == 0:
                self.begun.set()


@pytest.mark.parametrize("number", [1, 3])
async def test_cancelled_while_children_speak_every_call_has_its_result(
    number: int, tmp_path: Path
) -> None:
    parts = [order(f"part {one}") for one in range(number)]
    slow = [Turn(when=f"part {one}", text="half a word", chunk=4, pause_s=60)
            for one in range(number)]  # fmt: skip
    model = Slow([calls(*parts), *slow], begun=number + 1 + number)
    agent = Agent(model, cwd=tmp_path)
    working = asyncio.ensure_future(agent.run("go"))
    async with asyncio.timeout(PATIENCE_S):
        await model.begun.wait()
        agent.cancel()
        answer = await working
    assert answer.subtype == "error_cancelled"
    check_accepted(agent.kit.agent.messages)
    model.turns[:] = ["still there"]
    assert (await agent.run("go on")).text == "still there"
    check_accepted(model.requests[-1].messages)
    await agent.close()


async def test_a_child_that_was_cancelled_while_it_spoke_can_go_on(tmp_path: Path) -> None:
    slow = Turn(when="part a", text="half a word", chunk=4, pause_s=60)
    model = Slow([calls(order("part a")), slow], begun=3)
    agent = Agent(model, cwd=tmp_path)
    events: list[Any] = []
    agent.kit.on("tool_metadata", events.append)
    working = asyncio.ensure_future(agent.run("go"))
    async with asyncio.timeout(PATIENCE_S):
        await model.begun.wait()
        agent.cancel()
        await working
    agent.kit.activity.flush()
    [agent_id] = [one.metadata["agent_id"] for one in events if "agent_id" in one.metadata]
    model.turns[:] = [calls(order("and now?", resume=agent_id)), "went on", "done"]
    await agent.run("again")
    child = model.requests[-2]
    check_accepted(child.messages)
    assert "part a" in "".join(map(text_of, child.messages))
    await agent.close()


# ── in the background ─────────────────────────────────────────────────────────────────────────
async def ended(firm: Firm) -> None:
    for task in firm.kit.agent.tasks.all():
        assert await task.ended_within(PATIENCE_S)


async def test_one_that_ends_after_the_answer_is_told_with_the_next_task(tmp_path: Path) -> None:
    aside = order("part a", run_in_background=True)
    turns = [calls(aside), says("part a"), Turn(when="Background", text="begun"), "I see"]
    firm = Firm(tmp_path, turns)
    await firm.run("first")
    await ended(firm)
    await firm.run("second")
    told = text_of(firm.model.requests[-1].messages[-1])
    assert told.startswith("second")
    agent_id = firm.results[0].metadata["agent_id"]
    assert f"Background task {agent_id} (a piece) has ended: completed" in told
    firm.model.turns += ["nothing new"]
    await firm.run("third")
    assert text_of(firm.model.requests[-1].messages[-1]) == "third"
    check_accepted(firm.kit.agent.messages)
    await firm.agent.close()


async def test_tests_that_ran_behind_the_answer_bear_out_the_next_one(tmp_path: Path) -> None:
    (tmp_path / "pytest").write_text("#!/bin/sh\necho 3 passed in 0.1s\n", encoding="utf-8")
    (tmp_path / "pytest").chmod(0o700)
    run = call("Bash", command="./pytest", description="tests", run_in_background=True)
    firm = Firm(tmp_path, [calls(run), "begun", "All tests pass."], mode="bypass")
    await firm.run("first")
    await ended(firm)
    assert (await firm.run("and?")).notes == ()
    await firm.agent.close()


async def test_a_task_that_a_hook_keeps_out_does_not_swallow_the_news(tmp_path: Path) -> None:
    @hook("UserPromptSubmit")
    def guard(payload: dict[str, Any]) -> Any:
        return {"decision": "block", "reason": "no"} if payload["prompt"] == "bad" else None

    aside = order("part a", run_in_background=True)
    turns = [calls(aside), says("part a"), Turn(when="Background", text="begun"), "I see"]
    firm = Firm(tmp_path, turns, hooks=[guard])
    await firm.run("first")
    await ended(firm)
    await firm.run("bad")
    await firm.run("second")
    assert "has ended: completed" in text_of(firm.model.requests[-1].messages[-1])
    await firm.agent.close()


async def closed(firm: Firm) -> list[str]:
    """What the person is told at the end."""
    notices: list[Any] = []
    firm.kit.on("notice", notices.append)
    await firm.agent.close()
    firm.kit.activity.flush()
    return [one.values["tasks"] for one in notices if one.key == "tasks_stopped"]


async def test_what_the_end_of_the_session_stops_is_named(tmp_path: Path) -> None:
    hanging = Hanging()
    aside = order("part a", "general", run_in_background=True)
    server = call("Bash", command="sleep 60", description="a server", run_in_background=True)
    turns = [calls(aside, server), Turn(when="part a", calls=(call("hang"),)), "begun"]
    firm = Firm(tmp_path, turns, tools=[hanging.tool], mode="bypass")
    await firm.run()
    async with asyncio.timeout(PATIENCE_S):
        await hanging.began.wait()
    [told] = await closed(firm)
    assert sorted(told.split(", ")) == ["a piece", "a server"]


async def test_where_nothing_ran_any_more_nothing_is_said(tmp_path: Path) -> None:
    aside = order("part a", run_in_background=True)
    firm = Firm(tmp_path, [calls(aside), says("part a"), Turn(when="Background", text="begun")])
    await firm.run()
    await ended(firm)
    assert await closed(firm) == []


async def test_of_many_the_first_are_named(tmp_path: Path) -> None:
    lines = [call("Bash", command=f"sleep 6{one}", description="x", run_in_background=True)
             for one in range(8)]  # fmt: skip
    firm = Firm(tmp_path, [calls(*lines), "begun"], mode="bypass")
    await firm.run()
    [told] = await closed(firm)
    assert told.endswith(" (+3)")


async def test_ids_of_every_kind_are_answered(tmp_path: Path) -> None:
    aside = order("part b", run_in_background=True)
    turns = [calls(order("part a"), aside), says("part a"), says("part b"), "done", "done"]
    firm = Firm(tmp_path, turns)
    await firm.run()
    await ended(firm)
    front, back = (
        next(one.metadata["agent_id"] for one in firm.results if ("task_id" in one.metadata) == is_)
        for is_ in (False, True)
    )
    look = firm.kit.call
    first, again = await look("TaskOutput", task_id=back), await look("TaskOutput", task_id=back)
    assert first.value.task.output == again.value.task.output
    assert "did part b" in first.text
    assert (await look("TaskOutput", task_id=back, offset=10**9)).ok
    unknown = {
        "has answered": await look("TaskOutput", task_id=front),
        "agent_never": await look("TaskOutput", task_id="agent_never"),
        "bash_9": await look("TaskOutput", task_id="bash_9"),
    }
    assert [one.error.code for one in unknown.values() if one.error] == [
        ErrorCode.INVALID_INPUT
    ] * 3
    killed = [await look("KillShell", shell_id=one) for one in (front, "agent_never", "")]
    assert not any(one.ok for one in killed)
    await firm.agent.close()


async def test_a_child_sees_the_end_of_its_own_and_not_the_news_of_its_parent(
    tmp_path: Path,
) -> None:
    """Who started something is told of it; a further agent that works meanwhile is not."""
    line = call("Bash", command="true", description="x", run_in_background=True)
    turns = [calls(line), calls(order("part a", "general")), calls(call("Glob", pattern="*")),
             "did", "done"]  # fmt: skip
    firm = Firm(tmp_path, turns, mode="bypass")
    await firm.run()
    child = [one for one in firm.model.requests if "part a" in text_of(one.messages[1])]
    assert all("Background task" not in text_of(one.messages[-1]) for one in child)
    await firm.agent.close()


async def test_nobody_waits_for_itself(tmp_path: Path) -> None:
    """In the background it knows its own id from its list of tasks; it would wait in vain."""
    firm: Firm

    def itself(request: ModelRequest) -> Turn:
        [task] = firm.kit.agent.tasks.all()
        return calls(call("TaskOutput", task_id=task.id, timeout=60_000))

    aside = order("part a", "general", run_in_background=True)
    turns: list[Any] = [
        calls(aside),
        lambda request: Turn(text="begun") if "Background" in text_of(request.messages[-1])
        else itself(request),
        lambda request: Turn(text="begun") if "Background" in text_of(request.messages[-1])
        else itself(request),
        Turn(when="running", text="did part a"),
    ]  # fmt: skip
    firm = Firm(tmp_path, turns)
    async with asyncio.timeout(PATIENCE_S):
        await firm.run()
        await ended(firm)
    [task] = firm.kit.agent.tasks.all()
    assert task.status == "completed"
    await firm.agent.close()


async def test_one_that_stops_itself_is_stopped(tmp_path: Path) -> None:
    firm: Firm

    def reply(request: ModelRequest) -> Turn:
        if "Background" in text_of(request.messages[-1]):
            return Turn(text="begun")
        [task] = firm.kit.agent.tasks.all()
        return calls(call("KillShell", shell_id=task.id))

    aside = order("part a", "general", run_in_background=True)
    firm = Firm(tmp_path, [calls(aside), reply, reply, "never"], mode="bypass")
    async with asyncio.timeout(PATIENCE_S):
        await firm.run()
        await ended(firm)
    [task] = firm.kit.agent.tasks.all()
    assert task.status == "killed"
    await firm.agent.close()


# ── limits, exactly at the edge ───────────────────────────────────────────────────────────────
@pytest.mark.parametrize("limit", [1, 2, 3])
async def test_so_many_at_once_and_one_more(limit: int, tmp_path: Path) -> None:
    hanging = Hanging()
    parts = [order(f"part {one}", "general") for one in range(limit + 1)]
    firm = Firm(
        tmp_path,
        [calls(*parts), *[calls(call("hang"))] * limit],
        tools=[hanging.tool],
        settings=bounded(running=limit),
    )
    working = asyncio.ensure_future(firm.run())
    async with asyncio.timeout(PATIENCE_S):
        while not any(not one.ok for one in firm.results):
            await asyncio.sleep(0.005)
            firm.kit.activity.flush()
        firm.agent.cancel()
        await working
    refused = [one for one in firm.results if one.error and one.error.details.get("limit") == limit]
    assert len(refused) == 1
    await firm.agent.close()


async def test_who_goes_on_is_no_new_one(tmp_path: Path) -> None:
    turns: list[Any] = [
        calls(order("part a")), "one",
        resumed, "two",
        resumed, "three",
        calls(order("part b")), "four",
        calls(order("part c")),
        "done",
    ]  # fmt: skip
    firm = Firm(tmp_path, turns, settings=bounded(total=2))
    await firm.run()
    assert [one.ok for one in firm.results] == [True, True, True, True, False]
    assert firm.results[-1].error is not None
    assert firm.results[-1].error.details["limit"] == 2


async def test_what_could_not_begin_takes_no_place(tmp_path: Path) -> None:
    turns = [calls(order("x", "nobody")), calls(order("x", allowed_tools=["Write"])),
             calls(order("part a")), "one", "done"]  # fmt: skip
    firm = Firm(tmp_path, turns, settings=bounded(total=1, running=1))
    await firm.run()
    assert [one.ok for one in firm.results] == [False, False, True]


@pytest.mark.parametrize("depth", [1, 2, 3])
async def test_at_the_last_depth_there_is_no_task(depth: int, tmp_path: Path) -> None:
    hires = [calls(order(f"level {one}", "general")) for one in range(1, depth + 1)]
    firm = Firm(tmp_path, [*hires, *["up"] * (depth + 1)], settings=bounded(depth=depth))
    await firm.run()
    levels = ["Task" in firm.tools_told(f"level {one}") for one in range(1, depth + 1)]
    assert levels == [True] * (depth - 1) + [False]


async def test_one_turn_is_one_answer(tmp_path: Path) -> None:
    glob = calls(call("Glob", pattern="*"), text="First I look.")
    turns = [calls(order("part a", max_turns=1)), glob, calls(order("part b", max_turns=1)),
             "did b", "done"]  # fmt: skip
    firm = Firm(tmp_path, turns)
    await firm.run()
    first, second = firm.results
    assert first.error is not None
    assert first.error.details["subtype"] == "error_max_turns"
    assert "First I look." in first.text
    assert second.ok


async def test_money_that_ends_in_the_middle_of_a_call_ends_the_child_and_not_the_parent(
    tmp_path: Path,
) -> None:
    """The call still has its result; the parent has its own half."""
    much = Usage(input_tokens=20_000)  # 0.06 of the 0.05 that it was lent
    little = Usage(input_tokens=1_000)
    model = paid([
        calls(order("part a"), usage=little),
        calls(call("Glob", pattern="*"), usage=much),
        Turn(text="done", usage=little),
    ])  # fmt: skip
    agent = Agent(model, cwd=tmp_path, max_cost_usd=0.1)
    events: list[Any] = []
    agent.kit.on("tool_call_end", events.append)
    answer = await agent.run("go")
    agent.kit.activity.flush()
    assert answer.text == "done"
    results = [one.result for one in events]
    assert [one.ok for one in results] == [True, False]
    assert results[-1].error.details["subtype"] == "error_budget"
    assert agent.purse.lent_usd == 0
    await agent.close()


# ── going on ──────────────────────────────────────────────────────────────────────────────────
async def test_going_on_under_another_type_is_the_same_agent(tmp_path: Path) -> None:
    turns: list[Any] = [
        calls(order("part a", "explore")),
        "one",
        lambda request: calls(
            order("more", "code", resume=resumed(request).calls[0].arguments["resume"])  # type: ignore[index]
        ),
        calls(call("Write", file_path="a.txt", content="x")),
        "two",
        "done",
    ]
    firm = Firm(tmp_path, turns, mode="acceptEdits")
    await firm.run()
    assert firm.results[-1].metadata["agent_type"] == "explore"
    assert list(tmp_path.iterdir()) == []


async def test_going_on_in_the_background(tmp_path: Path) -> None:
    turns: list[Any] = [
        calls(order("part a")), "one",
        lambda request: resumed(request, run_in_background=True),
        Turn(when="and now?", text="two"), "done",
    ]  # fmt: skip
    firm = Firm(tmp_path, turns)
    await firm.run()
    await ended(firm)
    agent_id = firm.results[0].metadata["agent_id"]
    assert "two" in (await firm.kit.call("TaskOutput", task_id=agent_id)).text
    assert firm.results[-1].metadata["agent_id"] == agent_id
    await firm.agent.close()


@pytest.mark.parametrize("agent_id", ["", " ", "agent_x", "../../etc/passwd", "main", "ए" * 150])
async def test_an_id_that_was_made_up_starts_nobody_by_that_name(
    agent_id: str, tmp_path: Path
) -> None:
    firm = Firm(tmp_path, [calls(order("part a", resume=agent_id)), "one", "done"])
    await firm.run()
    assert firm.results[0].ok is (agent_id == "")
    if agent_id:
        assert firm.results[0].error is not None
        assert firm.results[0].error.code is ErrorCode.INVALID_INPUT


@pytest.mark.parametrize(
    "prompt",
    ["खोज करो: मुख्य फ़ाइल कौन सी है?", "a\x00b", "line\r\nline", "🧵" * 2_000, "x " * 60_000],
    ids=["hindi", "nul", "crlf", "emoji", "long"],
)
async def test_a_task_arrives_as_it_was_given(prompt: str, tmp_path: Path) -> None:
    firm = Firm(tmp_path, [calls(order(prompt)), "one", "done"])
    await firm.run()
    assert firm.results[0].ok
    assert text_of(firm.model.requests[1].messages[-1]) == prompt
