"""Further agents: a piece of the work, within rights and numbers, one message back."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from agent.crew import PATIENCE_S, Firm, call, calls, order, system_of, text_of
from ankrcode import ErrorCode, Mode, Permission, tool
from ankrcode.agent.agent import Agent
from ankrcode.config.agents import SubagentSettings
from ankrcode.config.settings import PermissionSettings, Settings
from ankrcode.protocol.message import Usage
from ankrcode.protocol.stream import FailureKind
from ankrcode.providers.wire import ModelRequest
from ankrcode.testing import YES, FakePerson, ScriptedModel, Turn
from ankrcode.tooling.context import ToolContext


def bounded(**bounds: int) -> Settings:
    return Settings(subagents=SubagentSettings(**bounds))


# ── here ──────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S0-056", "S0-170", "S4-098", "S1-054", "S3-036", "S4-161")
async def test_the_answer_of_the_agent_is_the_result(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("x = 1\n", encoding="utf-8")
    turns = [
        calls(order("find main")),
        calls(call("Glob", pattern="*.py")),
        "It is in main.py:1.",
        "The parent's answer.",
    ]
    firm = Firm(tmp_path, turns)
    answer = await firm.run()
    assert answer.text == "The parent's answer."
    (result,) = firm.of_task
    assert result.value.response == "It is in main.py:1."
    assert result.text.startswith("It is in main.py:1.\n\nTo go on with this agent, resume agent_")
    assert result.metadata["agent_id"] == result.value.agent_id
    assert result.metadata["agent_type"] == "explore"
    assert (result.metadata["turns"], result.metadata["depth"]) == (2, 1)
    assert result.metadata["chain_id"] == firm.kit.agent.chain_id


async def test_all_it_said_and_did_is_in_its_file(tmp_path: Path) -> None:
    turns = [
        calls(order("find main")),
        Turn(text="I look around.", calls=(call("Glob", pattern="*.py"),)),
        "Nothing there.",
        "done",
    ]
    firm = Firm(tmp_path, turns)
    await firm.run()
    path = Path(firm.of_task[0].metadata["output_path"])
    written = path.read_text(encoding="utf-8").splitlines()
    assert written[0] == "> find main"
    assert "I look around." in written
    assert '● Glob {"pattern":"*.py"}' in written
    assert any(line.startswith("  → No files match") for line in written)
    assert written[-1] == "Nothing there."
    assert path.stat().st_mode & 0o077 == 0


async def test_it_knows_only_what_it_was_told(tmp_path: Path) -> None:
    firm = Firm(tmp_path, [calls(order("your part")), "child", "parent"])
    await firm.run("the person's secret wish")
    child = firm.request("your part")
    assert "secret wish" not in "".join(text_of(one) for one in child.messages)
    assert system_of(child).startswith("You are an agent of AnkrCode, started by another one")


async def test_what_it_read_its_parent_has_not_read(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("old\n", encoding="utf-8")
    turns = [
        calls(order("read a.txt")),
        calls(call("Read", file_path="a.txt")),
        "read",
        calls(call("Edit", file_path="a.txt", old_string="old", new_string="new")),
        "done",
    ]
    firm = Firm(tmp_path, turns, mode="acceptEdits")
    await firm.run()
    assert firm.results[-1].error is not None
    assert firm.results[-1].error.code is ErrorCode.NOT_READ


# ── rights ────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S0-057")
@pytest.mark.parametrize("mode", ["default", "acceptEdits", "bypass"])
async def test_an_explorer_that_tries_to_write_is_refused(mode: str, tmp_path: Path) -> None:
    tries = [
        call("Write", file_path="canary.txt", content="x"),
        call("Bash", command="echo x > canary.txt", description="x"),
        call("Edit", file_path="canary.txt", old_string="", new_string="x"),
        call("ApplyPatch", patch="*** Begin Patch\n*** Add File: canary.txt\n+x\n*** End Patch"),
        order("write canary.txt", "code"),
    ]
    turns = [calls(order("look")), calls(*tries), "I could not.", "done"]
    firm = Firm(tmp_path, turns, mode=mode, approve=FakePerson([YES] * 10))
    await firm.run()
    told = text_of(firm.model.requests[2].messages[-1])
    assert told.count("Unknown tool") == len(tries)
    assert not (tmp_path / "canary.txt").exists()


@pytest.mark.parametrize(
    ("parent", "child"),
    [
        ("default", "default"),
        ("acceptEdits", "acceptEdits"),
        ("dontAsk", "dontAsk"),
        ("plan", "plan"),
        ("bypass", "acceptEdits"),
    ],
)
async def test_a_child_is_never_freer_than_its_parent(
    parent: str, child: str, tmp_path: Path
) -> None:
    seen: list[Mode] = []

    @tool(permission=Permission.READ)
    async def look_at_mode(ctx: ToolContext) -> str:
        """Say which mode it is."""
        seen.append(ctx.mode)
        return str(ctx.mode)

    turns = [calls(order("x", "general")), calls(call("look_at_mode")), "seen", "done"]
    await Firm(tmp_path, turns, mode=parent, tools=[look_at_mode]).run()
    assert seen == [Mode(child)]


async def test_the_parents_rules_bind_the_child(tmp_path: Path) -> None:
    settings = Settings(permissions=PermissionSettings(deny=["Write(/secret/**)"]))
    turns = [
        calls(order("write", "code")),
        calls(
            call("Write", file_path="secret/a.txt", content="x"),
            call("Write", file_path="open.txt", content="x"),
        ),
        "tried",
        "done",
    ]
    await Firm(tmp_path, turns, mode="acceptEdits", settings=settings).run()
    assert not (tmp_path / "secret").exists()
    assert (tmp_path / "open.txt").exists()


async def test_a_childs_question_reaches_the_person_and_says_who_asks(tmp_path: Path) -> None:
    person = FakePerson([YES])
    turns = [
        calls(order("write", "code")),
        calls(call("Write", file_path="a.txt", content="x")),
        "written",
        "done",
    ]
    firm = Firm(tmp_path, turns, approve=person)
    await firm.run()
    (approval,) = person.asked
    assert approval.agent_id == firm.of_task[0].metadata["agent_id"]
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == "x"


@pytest.mark.requirement("S4-090")
async def test_allowed_tools_narrow_what_the_type_has(tmp_path: Path) -> None:
    turns = [calls(order("narrow", allowed_tools=["Grep"])), "child", "done"]
    firm = Firm(tmp_path, turns)
    await firm.run()
    assert firm.tools_told("narrow") == ["Grep"]


@pytest.mark.parametrize("name", ["Bash", "Write", "Task", "Nothing"])
async def test_allowed_tools_never_widen(name: str, tmp_path: Path) -> None:
    firm = Firm(tmp_path, [calls(order(allowed_tools=["Read", name])), "done"])
    await firm.run()
    assert f"The agent type explore has no tool '{name}'. It has: Glob, Grep, Read." in (
        firm.results[0].text
    )
    assert len(firm.model.requests) == 2


# ── several at once ───────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S4-097", "S4-100")
async def test_several_of_one_answer_work_at_once(tmp_path: Path) -> None:
    number = 4
    here = asyncio.Barrier(number)

    @tool(permission=Permission.READ)
    async def meet() -> str:
        """Wait until all are here."""
        async with asyncio.timeout(PATIENCE_S):
            await here.wait()
        return "met"

    def child(request: ModelRequest) -> Turn | str:
        said = text_of(request.messages[-1])
        return calls(call("meet")) if said.startswith("part") else f"done with {len(said)}"

    orders = [order(f"part {part}", "general") for part in range(number)]
    firm = Firm(tmp_path, [calls(*orders), *[child] * (2 * number), "all met"], tools=[meet])
    answer = await firm.run()
    assert answer.text == "all met"
    assert [one.ok for one in firm.of_task] == [True] * number
    assert len({one.metadata["agent_id"] for one in firm.of_task}) == number


async def test_two_that_are_told_the_same_are_two(tmp_path: Path) -> None:
    firm = Firm(tmp_path, [calls(order("same"), order("same")), "one", "two", "done"])
    await firm.run()
    assert sorted(one.value.response for one in firm.of_task) == ["one", "two"]


# ── numbers ───────────────────────────────────────────────────────────────────────────────────
async def test_no_more_than_so_many_work_at_once(tmp_path: Path) -> None:
    orders = [order(f"part {part}") for part in range(4)]
    firm = Firm(tmp_path, [calls(*orders), "a", "b", "done"], settings=bounded(running=2))
    await firm.run()
    refused = [one for one in firm.results if not one.ok]
    assert len(refused) == 2
    assert all("2 agents are at work already" in one.text for one in refused)


async def test_a_place_is_free_again_when_one_has_left(tmp_path: Path) -> None:
    turns = [calls(order("a")), "a", calls(order("b")), "b", "done"]
    firm = Firm(tmp_path, turns, settings=bounded(running=1))
    await firm.run()
    assert [one.ok for one in firm.of_task] == [True, True]


async def test_a_session_starts_no_more_than_so_many(tmp_path: Path) -> None:
    turns = [calls(order("a")), "a", calls(order("b")), "b", calls(order("c")), "done"]
    firm = Firm(tmp_path, turns, settings=bounded(total=2))
    await firm.run()
    assert "2 agents were started in this session; no more may be." in firm.results[-1].text


@pytest.mark.parametrize("depth", [1, 2, 3])
async def test_they_nest_so_deep_and_no_deeper(depth: int, tmp_path: Path) -> None:
    turns: list[Any] = [calls(order(f"level {level}", "general")) for level in range(depth + 1)]
    turns += [f"answer {level}" for level in range(depth + 1)]
    firm = Firm(tmp_path, turns, settings=bounded(depth=depth))
    await firm.run()
    deepest = firm.request(f"level {depth - 1}")
    assert "Task" not in [one.name for one in deepest.tools]
    asked = [one for one in firm.model.requests if f"level {depth}" in text_of(one.messages[-1])]
    assert asked == []
    refused = [text_of(one.messages[-1]) for one in firm.model.requests]
    assert any("Unknown tool: Task" in text for text in refused)


async def test_where_the_depth_is_nothing_nobody_is_hired(tmp_path: Path) -> None:
    firm = Firm(tmp_path, [calls(order("a")), "done"], settings=bounded(depth=0))
    await firm.run()
    assert "Agents may be nested 0 deep at most." in firm.results[0].text


async def test_chain_and_depth_are_tracked_all_the_way_down(tmp_path: Path) -> None:
    seen: list[tuple[str, int, str]] = []

    @tool(permission=Permission.READ)
    async def whoami(ctx: ToolContext) -> str:
        """Say who it is."""
        seen.append((ctx.agent, ctx.depth, ctx.chain_id))
        return ctx.agent

    turns = [
        calls(call("whoami"), order("one", "general")),
        calls(call("whoami"), order("two", "code")),
        calls(call("whoami")),
        "two done",
        "one done",
        "done",
    ]
    firm = Firm(tmp_path, turns, tools=[whoami])
    await firm.run()
    chain = firm.kit.agent.chain_id
    assert seen == [("main", 0, chain), ("general", 1, chain), ("code", 2, chain)]


@pytest.mark.requirement("S0-053")
@pytest.mark.parametrize(("given", "most"), [({}, 20), ({"max_turns": 3}, 3)])
async def test_an_agent_ends_at_its_turns(given: dict[str, Any], most: int, tmp_path: Path) -> None:
    endless = [calls(call("Glob", pattern=f"*.{number}")) for number in range(30)]
    firm = Firm(tmp_path, [calls(order("work", **given)), *endless])
    await firm.agent.run("go", max_turns=1)
    firm.kit.activity.flush()
    (result,) = firm.of_task
    assert not result.ok
    assert result.metadata["turns"] == most
    assert "did not finish (error_max_turns)" in result.text
    assert result.value.status == "failed"


@pytest.mark.parametrize("kind", ["dragon", "", "explore; rm"])
async def test_a_type_that_does_not_exist_is_answered_with_those_that_do(
    kind: str, tmp_path: Path
) -> None:
    firm = Firm(tmp_path, [calls(order("x", kind)), "done"])
    await firm.run()
    assert not firm.results[0].ok
    if kind:
        assert "Types: bash, code, delegate, explore, general, guide, plan, review, security." in (
            firm.results[0].text
        )


# ── when it goes wrong ────────────────────────────────────────────────────────────────────────
async def test_a_model_that_fails_is_that_agents_failure(tmp_path: Path) -> None:
    turns = [calls(order("x")), Turn(fail=FailureKind.AUTH), "I go on without."]
    firm = Firm(tmp_path, turns)
    answer = await firm.run()
    assert answer.text == "I go on without."
    assert not firm.of_task[0].ok
    assert "error_provider" in firm.of_task[0].text


async def test_an_agent_that_says_nothing_is_told_so(tmp_path: Path) -> None:
    firm = Firm(tmp_path, [calls(order("x")), *[Turn()] * 4, "done"])
    await firm.run()
    assert "The agent did not finish (error_provider)" in firm.of_task[0].text
    assert "The agent ended without an answer." in firm.of_task[0].text


async def test_cancel_reaches_the_child_and_all_its_calls(tmp_path: Path) -> None:
    started, ended = asyncio.Event(), asyncio.Event()

    @tool(permission=Permission.READ)
    async def hang() -> str:
        """Wait for ever."""
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return "never"

    turns = [calls(order("x", "general")), calls(call("hang")), "never said"]
    firm = Firm(tmp_path, turns, tools=[hang])
    async with asyncio.timeout(PATIENCE_S):
        running = asyncio.ensure_future(firm.run())
        await started.wait()
        firm.agent.cancel()
        answer = await running
    assert answer.subtype == "error_cancelled"
    assert ended.is_set()
    (result,) = firm.results
    assert result.error is not None
    assert result.error.code is ErrorCode.CANCELLED
    assert len(firm.model.requests) == 2


async def test_after_a_cancel_the_place_and_the_money_are_there_again(tmp_path: Path) -> None:
    started = asyncio.Event()

    @tool(permission=Permission.READ)
    async def hang() -> str:
        """Wait for ever."""
        started.set()
        await asyncio.Event().wait()
        return "never"

    turns = [calls(order("x", "general")), calls(call("hang")), calls(order("y")), "y", "done"]
    firm = Firm(tmp_path, turns, tools=[hang], settings=bounded(running=1), max_cost_usd=1.0)
    async with asyncio.timeout(PATIENCE_S):
        running = asyncio.ensure_future(firm.run())
        await started.wait()
        assert firm.agent.purse.lent_usd == 0.5
        firm.agent.cancel()
        await running
        assert firm.agent.purse.lent_usd == 0.0
        answer = await firm.run("again")
    assert answer.text == "done"
    assert firm.of_task[-1].ok


async def test_what_a_child_left_running_ends_with_it(tmp_path: Path) -> None:
    from workspace.running import long_sleep

    turns = [
        calls(order("x", "bash")),
        calls(call("Bash", command=long_sleep(), description="s", run_in_background=True)),
        "left it running",
        "done",
    ]
    person = FakePerson([YES])
    firm = Firm(tmp_path, turns, approve=person)
    await firm.run()
    assert firm.of_task[0].ok
    assert firm.kit.agent.tasks.all() == []


# ── going on ──────────────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S0-054", "S0-170", "S4-217")
async def test_an_agent_can_be_asked_to_go_on(tmp_path: Path) -> None:
    def again(request: ModelRequest) -> Turn:
        found = text_of(request.messages[-1]).rpartition("resume ")[2].rstrip(".")
        return calls(order("and now?", resume=found))

    firm = Firm(tmp_path, [calls(order("first")), "one", again, "two", "done"])
    await firm.run()
    first, second = firm.of_task
    assert first.metadata["agent_id"] == second.metadata["agent_id"]
    assert second.value.response == "two"
    said = [text_of(one) for one in firm.model.requests[3].messages if one.role != "system"]
    assert said == ["first", "one", "and now?"]


async def test_an_unknown_agent_cannot_go_on(tmp_path: Path) -> None:
    firm = Firm(tmp_path, [calls(order("x", resume="agent_none")), "done"])
    await firm.run()
    assert "No agent has the id 'agent_none'. Known here: none." in firm.results[0].text


async def test_an_agent_of_an_earlier_process_can_go_on(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("content\n", encoding="utf-8")
    turns = [calls(order("first")), calls(call("Read", file_path="a.txt")), "one", "done"]
    before = Firm(tmp_path, turns, records=True, session_id="s1")
    await before.run()
    agent_id = before.of_task[0].metadata["agent_id"]
    await before.agent.close()
    turns = [calls(order("and now?", resume=agent_id)), "two", "done"]
    after = Firm(tmp_path, turns, records=True, session_id="s1")
    await after.run("go on")
    assert after.of_task[0].value.response == "two"
    assert after.of_task[0].metadata["agent_type"] == "explore"
    said = [text_of(one) for one in after.model.requests[1].messages if one.role != "system"]
    assert said[0] == "first"
    assert "content" in said[2]
    assert said[3:] == ["one", "and now?"]
    assert [one.name for one in after.model.requests[1].tools] == ["Glob", "Grep", "Read"]
    await after.agent.close()


@pytest.mark.parametrize(
    "kept", [None, "x", [1], {"a": 1}, {"a": {"agent_type": 3}}, {"a": {"prompt": "no type"}}]
)
async def test_what_a_foreign_session_says_of_agents_does_no_harm(
    kept: Any, tmp_path: Path
) -> None:
    from ankrcode.sessions.records import StateKept

    turns = [calls(order("x", resume="a")), calls(order("y")), "y", "done"]
    firm = Firm(tmp_path, turns, records=True)
    assert firm.kit.session is not None
    firm.kit.session.recorder.note(StateKept(values={"agents": kept}))
    assert (await firm.run()).text == "done"
    assert "No agent has the id 'a'." in firm.results[0].text
    assert firm.results[1].ok
    await firm.agent.close()


async def test_the_newest_are_remembered_and_old_ones_go(tmp_path: Path) -> None:
    from ankrcode.agent import staff

    turns: list[Any] = []
    for number in range(staff.MAX_REMEMBERED + 3):
        turns += [calls(order(f"n{number}")), f"r{number}"]
    firm = Firm(tmp_path, [*turns, "done"])
    await firm.run()
    ids = [one.metadata["agent_id"] for one in firm.of_task]
    crew = firm.kit.agent.subagents._crew  # type: ignore[union-attr]
    assert crew.staff.get(ids[0]) is None
    assert crew.staff.get(ids[-1]) is not None


# ── in the background ─────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S0-055", "S4-099", "S4-116", "S4-216")
async def test_in_the_background_the_reply_gives_id_and_file_at_once(tmp_path: Path) -> None:
    turns = [
        calls(order("later", run_in_background=True)),
        Turn(when="later", text="child's answer"),
        Turn(when="Background agent started", text="parent's answer"),
    ]
    firm = Firm(tmp_path, turns)
    async with asyncio.timeout(PATIENCE_S):
        answer = await firm.run()
        (started,) = firm.results
        agent_id = started.metadata["agent_id"]
        assert answer.text == "parent's answer"
        assert started.text.splitlines()[0] == f"Background agent started: {agent_id}"
        assert started.metadata["output_path"] in started.text
        assert started.value.status == "running"
        done = await firm.kit.call("TaskOutput", task_id=agent_id)
    assert done.value.retrieval_status == "success"
    assert done.value.task.status == "completed"
    assert done.value.task.exit_code == 0
    assert "child's answer" in done.value.task.output
    listed = (await firm.kit.call("Tasks")).value.tasks
    assert [(one.kind, one.status, one.title) for one in listed] == [
        ("agent", "completed", "a piece")
    ]


@pytest.mark.parametrize("is_aside", [False, True])
async def test_whoever_watches_learns_which_call_started_which_agent(
    is_aside: bool, tmp_path: Path
) -> None:
    firm = Firm(tmp_path, [calls(order("x", run_in_background=is_aside)), "a", "b"])
    seen: list[Any] = []
    firm.kit.on("*", seen.append)
    await firm.run()
    if is_aside:
        await firm.kit.call("TaskOutput", task_id=firm.of_task[0].metadata["agent_id"])
        firm.kit.activity.flush()
    agent_id = firm.of_task[0].metadata["agent_id"]
    (told,) = [one for one in seen if one.type == "tool_metadata"]
    assert told.metadata["agent_id"] == agent_id
    first = next(at for at, one in enumerate(seen) if one.agent_id == agent_id)
    assert seen.index(told) < first


async def test_the_parent_is_told_with_its_next_result_when_one_has_ended(tmp_path: Path) -> None:
    @tool(permission=Permission.READ)
    async def wait_for_it(task_id: str, ctx: ToolContext) -> str:
        """Wait for a task without looking at it."""
        async with asyncio.timeout(PATIENCE_S):
            await ctx.tasks.get(task_id).work.finished()
            await asyncio.sleep(0)
        return "waited"

    def waits(request: ModelRequest) -> Turn:
        agent_id = text_of(request.messages[-1]).split("started: ")[1].splitlines()[0]
        return calls(call("wait_for_it", task_id=agent_id))

    def next_turn(request: ModelRequest) -> Turn | str:
        said = text_of(request.messages[-1])
        if "Background agent started" in said:
            return waits(request)
        return "heard" if "waited" in said else "the child's"

    turns = [calls(order("later", run_in_background=True)), *[next_turn] * 3]
    firm = Firm(tmp_path, turns, tools=[wait_for_it])
    answer = await firm.run()
    assert answer.text == "heard"
    last = text_of(firm.model.requests[-1].messages[-1])
    assert "a piece" in last
    assert "completed" in last


async def test_while_it_works_it_can_be_looked_at_and_stopped(tmp_path: Path) -> None:
    started = asyncio.Event()

    @tool(permission=Permission.READ)
    async def hang() -> str:
        """Wait for ever."""
        started.set()
        await asyncio.Event().wait()
        return "never"

    turns = [
        calls(order("later", "general", run_in_background=True)),
        Turn(when="later", text="I begin.", calls=(call("hang"),)),
        Turn(when="Background", text="parent's answer"),
    ]
    firm = Firm(tmp_path, turns, tools=[hang])
    async with asyncio.timeout(PATIENCE_S):
        await firm.run()
        agent_id = firm.results[0].metadata["agent_id"]
        await started.wait()
        await asyncio.sleep(0)
        look = await firm.kit.call("TaskOutput", task_id=agent_id, block=False)
        assert look.value.retrieval_status == "not_ready"
        assert "I begin." in look.value.task.output
        busy = await firm.kit.call(
            "Task", description="d", prompt="p", subagent_type="x", resume=agent_id
        )
        assert f"The agent {agent_id} is still at work." in busy.text
        assert (await firm.kit.call("KillShell", shell_id=agent_id)).ok
        done = await firm.kit.call("TaskOutput", task_id=agent_id)
    assert done.value.task.status == "killed"


async def test_closing_the_agent_stops_those_in_the_background(tmp_path: Path) -> None:
    started, ended = asyncio.Event(), asyncio.Event()

    @tool(permission=Permission.READ)
    async def hang() -> str:
        """Wait for ever."""
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return "never"

    turns = [
        calls(order("later", "general", run_in_background=True)),
        Turn(when="later", calls=(call("hang"),)),
        Turn(when="Background", text="parent's answer"),
    ]
    firm = Firm(tmp_path, turns, tools=[hang])
    async with asyncio.timeout(PATIENCE_S):
        await firm.run()
        await started.wait()
        assert not ended.is_set()
        await firm.agent.close()
    assert ended.is_set()  # no later than whoever closes it
    assert not firm.kit.agent.tasks.all()


async def test_one_that_is_stopped_before_its_first_step_leaves_nothing_behind(
    tmp_path: Path,
) -> None:
    from ankrcode.tooling.subagents import AgentOrder

    firm = Firm(tmp_path, [], max_cost_usd=1.0, settings=bounded(running=1))
    hiring = firm.kit.agent.subagents
    assert hiring is not None
    for _ in range(3):
        work = hiring.start(AgentOrder(agent_type="explore", prompt="x"))
        work.stop()
        async with asyncio.timeout(PATIENCE_S):
            outcome = await work.finished()
        assert (outcome.exit_code, outcome.ended_by) == (1, "stop")
        assert work.is_done
        assert firm.agent.purse.lent_usd == 0.0
    assert firm.model.requests == []


# ── money ─────────────────────────────────────────────────────────────────────────────────────
def paid(turns: list[Any]) -> ScriptedModel:
    """One whose price is known."""
    return ScriptedModel(turns, name="anthropic/claude-sonnet-4-5")


async def test_what_children_cost_is_part_of_the_answers_cost(tmp_path: Path) -> None:
    tokens = Usage(input_tokens=1_000, output_tokens=100)
    turns = [
        calls(order("x"), usage=tokens),
        Turn(text="child", usage=tokens),
        Turn(text="parent", usage=tokens),
    ]
    firm = Firm(tmp_path, turns)
    answer = await firm.run()
    assert answer.usage.input_tokens == 3_000
    assert answer.usage.output_tokens == 300


async def test_a_child_may_spend_half_of_what_is_left_and_no_more(tmp_path: Path) -> None:
    """At 3 USD for a million tokens of input, 0.12 USD are 40,000."""
    tokens = Usage(input_tokens=10_000)
    endless = [calls(call("Glob", pattern=f"*.{n}"), usage=tokens) for n in range(30)]
    model = paid([calls(order("x"), usage=tokens), *endless])
    agent = Agent(model, cwd=tmp_path, max_cost_usd=0.27)
    # The child asks the parent's own model: no other of that vendor can be reached here.
    await agent.run("go", max_turns=1)
    agent.kit.activity.flush()
    asked = len(model.requests) - 1
    assert 3 <= asked <= 5
    assert agent.purse.lent_usd == 0.0
    assert agent.purse.spent_usd == pytest.approx(0.03 * (asked + 1))


async def test_where_nothing_is_left_nobody_is_hired(tmp_path: Path) -> None:
    from ankrcode.errors import ToolError
    from ankrcode.tooling.subagents import AgentOrder

    firm = Firm(tmp_path, [], max_cost_usd=1.0)
    firm.agent.purse.spend(1.0)
    hiring = firm.kit.agent.subagents
    assert hiring is not None
    with pytest.raises(ToolError, match="Nothing is left of the budget"):
        hiring.start(AgentOrder(agent_type="explore", prompt="x"))


# ── the session ───────────────────────────────────────────────────────────────────────────────
async def test_what_children_say_stands_in_the_log_beside_the_conversation(
    tmp_path: Path,
) -> None:
    from ankrcode.sessions.conversation import messages, side_messages

    firm = Firm(tmp_path, [calls(order("aside")), "child", "parent"], records=True)
    await firm.run("the task")
    assert firm.kit.session is not None
    recorder = firm.kit.session.recorder
    agent_id = firm.of_task[0].metadata["agent_id"]
    path = recorder.log.path
    await firm.agent.close()
    main = [text_of(one) for one in messages(path, recorder.state)]
    side = [text_of(one) for one in side_messages(path, agent_id)]
    assert side == ["aside", "child"]
    assert not any("aside" in text for text in main)
    assert main[0].startswith("the task")
    assert main[-1] == "parent"
