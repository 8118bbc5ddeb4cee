"""Further agents in the hands of somebody who means them no good, or is merely clumsy."""

import asyncio
import stat
from pathlib import Path
from typing import Any

import pytest

from agent.crew import PATIENCE_S, Firm, call, calls, order, text_of
from agent.test_worktree import git, repository, template
from ankrcode import ToolContext, tool
from ankrcode.agent.child import Child
from ankrcode.config.agents import QuestionSettings, SubagentSettings
from ankrcode.config.settings import Settings
from ankrcode.protocol.message import Usage
from ankrcode.protocol.permission import Permission
from ankrcode.providers.wire import ModelRequest
from ankrcode.testing import NO, YES, FakePerson, ScriptedModel, Turn

__all__ = ["repository", "template"]


def resumed(request: ModelRequest, **more: Any) -> Turn:
    """Ask the agent of the last result to go on."""
    agent_id = text_of(request.messages[-1]).rpartition("resume ")[2].split(".")[0]
    return calls(order("and now?", resume=agent_id, **more))


class Hanging:
    """A tool that waits for ever, and tells when it began."""

    def __init__(self) -> None:
        self.began = asyncio.Event()

        @tool(permission=Permission.READ)
        async def hang() -> str:
            """Wait for ever."""
            self.began.set()
            await asyncio.Event().wait()
            return "never"

        self.tool = hang


async def output_of(firm: Firm, agent_id: str) -> Any:
    async with asyncio.timeout(PATIENCE_S):
        return (await firm.kit.call("TaskOutput", task_id=agent_id)).value.task


# ── resume ────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("tools", [["Read"], ["Bash(git:*)"], []])
async def test_going_on_with_fewer_tools_is_refused_and_not_passed_over(
    tools: list[str], tmp_path: Path
) -> None:
    turns: list[Any] = [
        calls(order("look", "security")),
        "looked",
        lambda request: resumed(request, allowed_tools=tools),
        "done",
    ]
    firm = Firm(tmp_path, turns)
    await firm.run()
    assert "keeps the tools it has" in firm.results[-1].text
    assert len(firm.model.requests) == 4


@pytest.mark.parametrize("tools", [["Read", "Glob", "Grep"], ["Read", "Glob", "Grep", "Bash"]])
async def test_going_on_with_the_tools_it_has_is_no_news(tools: list[str], tmp_path: Path) -> None:
    turns: list[Any] = [
        calls(order("look")),
        "looked",
        lambda request: resumed(request, allowed_tools=tools),
        "on",
        "done",
    ]
    firm = Firm(tmp_path, turns)
    await firm.run()
    assert firm.of_task[-1].value.response == "on"


async def test_one_that_ran_out_of_turns_can_be_given_more(tmp_path: Path) -> None:
    glob = calls(call("Glob", pattern="*"))
    turns: list[Any] = [
        calls(order("look", max_turns=1)),
        glob,
        lambda request: resumed(request, max_turns=3),
        glob,
        "found after all",
        "done",
    ]
    firm = Firm(tmp_path, turns)
    await firm.run()
    first, second = firm.of_task
    assert first.error is not None
    assert first.error.details["subtype"] == "error_max_turns"
    assert (second.value.response, second.value.turns) == ("found after all", 2)


async def test_one_that_was_stopped_can_go_on(tmp_path: Path) -> None:
    hanging = Hanging()
    turns: list[Any] = [
        calls(order("later", "general", run_in_background=True)),
        Turn(when="later", calls=(call("hang"),)),
        Turn(when="Background", text="begun"),
    ]
    firm = Firm(tmp_path, turns, tools=[hanging.tool])
    async with asyncio.timeout(PATIENCE_S):
        await firm.run()
        agent_id = firm.results[0].metadata["agent_id"]
        await hanging.began.wait()
        busy = await firm.kit.call(
            "Task", description="d", prompt="p", subagent_type="general", resume=agent_id
        )
        assert "still at work" in busy.text
        await firm.kit.call("KillShell", shell_id=agent_id)
        await output_of(firm, agent_id)
        firm.model.turns += [calls(order("and now?", resume=agent_id)), "went on", "done"]
        await firm.run("again")
    assert firm.of_task[-1].value.response == "went on"


async def test_two_who_resume_one_agent_at_once_get_one_of_it(tmp_path: Path) -> None:
    def twice(request: ModelRequest) -> Turn:
        (one,) = resumed(request).calls
        return calls(one, one)

    firm = Firm(tmp_path, [calls(order("look")), "looked", twice, "on", "done"])
    await firm.run()
    texts = [one.text for one in firm.results[1:]]
    assert sum("still at work" in text for text in texts) == 1
    assert sum(text.startswith("on") for text in texts) == 1


# ── what goes wrong in the background is told ─────────────────────────────────────────────────
async def test_in_the_background_a_place_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    asked = order("later", "code", run_in_background=True, isolation="worktree")
    firm = Firm(tmp_path, [calls(asked), "begun"], approve=FakePerson([YES]))
    await firm.run()
    ended = await output_of(firm, firm.results[0].metadata["agent_id"])
    assert (ended.status, ended.exit_code) == ("failed", 1)
    assert "is not inside a git repository" in ended.output


async def test_in_the_background_a_fault_of_ours_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: Any) -> None:
        raise RuntimeError("out of luck")

    monkeypatch.setattr(Child, "_ready", broken)
    firm = Firm(tmp_path, [calls(order("later", run_in_background=True)), "begun"])
    await firm.run()
    ended = await output_of(firm, firm.results[0].metadata["agent_id"])
    assert ended.status == "failed"
    assert "RuntimeError: out of luck" in ended.output


async def test_closing_waits_until_a_background_agents_worktree_is_gone(repository: Path) -> None:
    hanging = Hanging()
    turns: list[Any] = [
        calls(order("later", "general", run_in_background=True, isolation="worktree")),
        Turn(when="later", calls=(call("hang"),)),
        Turn(when="Background", text="begun"),
    ]
    firm = Firm(repository, turns, tools=[hanging.tool], approve=FakePerson([YES]))
    async with asyncio.timeout(PATIENCE_S):
        async with firm.agent:
            await firm.run()
            await hanging.began.wait()
            assert git(repository, "worktree", "list").count("\n") == 1
        assert git(repository, "worktree", "list").count("\n") == 0
    assert git(repository, "branch") == "* main"


async def test_in_the_background_it_outlives_a_task_that_is_cancelled(tmp_path: Path) -> None:
    begun, leave = asyncio.Event(), asyncio.Event()

    @tool(permission=Permission.READ)
    async def stay() -> str:
        """Wait until it may leave."""
        begun.set()
        await leave.wait()
        return "left"

    def reply(request: ModelRequest) -> Turn | str:
        first = next(one for one in request.messages if one.role == "user")
        if text_of(first).startswith("later"):
            is_over = "left" in text_of(request.messages[-1])
            return "the child's" if is_over else calls(call("stay"))
        return calls(call("stay"))

    turns = [calls(order("later", "general", run_in_background=True)), *[reply] * 3]
    firm = Firm(tmp_path, turns, tools=[stay])
    async with asyncio.timeout(PATIENCE_S), firm.agent:
        working = asyncio.ensure_future(firm.run())
        await begun.wait()
        while len(firm.model.requests) < 3:
            await asyncio.sleep(0.01)
        firm.agent.cancel()
        assert (await working).subtype == "error_cancelled"
        leave.set()
        ended = await output_of(firm, firm.results[0].metadata["agent_id"])
    assert ended.status == "completed"
    assert "the child's" in ended.output


async def test_one_that_is_stopped_tells_where_its_changes_are(repository: Path) -> None:
    hanging = Hanging()
    write = call("Write", file_path="new.txt", content="x")
    turns: list[Any] = [
        calls(order("later", "general", run_in_background=True, isolation="worktree")),
        Turn(when="later", calls=(write, call("hang"))),
        Turn(when="Background", text="begun"),
    ]
    person = FakePerson([YES])
    firm = Firm(repository, turns, tools=[hanging.tool], approve=person, mode="acceptEdits")
    async with asyncio.timeout(PATIENCE_S), firm.agent:
        await firm.run()
        agent_id = firm.results[0].metadata["agent_id"]
        await hanging.began.wait()
        while not list(Path.home().glob(f".local/state/ankrcode/worktrees/{agent_id}/new.txt")):
            await asyncio.sleep(0.01)
        await firm.kit.call("KillShell", shell_id=agent_id)
        ended = await output_of(firm, agent_id)
    assert ended.status == "killed"
    assert f"on the branch ankrcode/{agent_id}" in ended.output


async def test_who_stops_waiting_for_an_agent_does_not_stop_it(tmp_path: Path) -> None:
    hanging = Hanging()
    turns: list[Any] = [
        calls(order("later", "general", run_in_background=True)),
        Turn(when="later", calls=(call("hang"),)),
        Turn(when="Background", text="begun"),
    ]
    firm = Firm(tmp_path, turns, tools=[hanging.tool])
    async with asyncio.timeout(PATIENCE_S), firm.agent:
        await firm.run()
        await hanging.began.wait()
        agent_id = firm.results[0].metadata["agent_id"]
        waiting = asyncio.ensure_future(firm.kit.call("TaskOutput", task_id=agent_id))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        (one,) = (await firm.kit.call("Tasks")).value.tasks
        assert one.status == "running"


# ── many at once ──────────────────────────────────────────────────────────────────────────────
async def test_eight_at_once_each_answer_and_the_ninth_is_told_why(tmp_path: Path) -> None:
    arrived: list[str] = []
    all_here = asyncio.Event()

    @tool(permission=Permission.READ)
    async def meet(who: str) -> str:
        """Wait for the others."""
        arrived.append(who)
        if len(arrived) == 8:
            all_here.set()
        async with asyncio.timeout(PATIENCE_S):
            await all_here.wait()
        return f"met as {who}"

    def child(request: ModelRequest) -> Turn | str:
        said = text_of(request.messages[-1])
        if said.startswith("part "):
            return calls(call("meet", who=said.split()[1]))
        return said

    orders = [order(f"part {number}", "general") for number in range(9)]
    firm = Firm(tmp_path, [calls(*orders), *[child] * 16, "done"], tools=[meet])
    answer = await firm.run()
    assert answer.text == "done"
    results = [one.text for one in firm.results if one.text.startswith("met as")]
    assert len(results) == len({text.split()[2] for text in results}) == 8
    assert sum("8 agents are at work already" in one.text for one in firm.results) == 1


async def test_eight_that_ask_at_once_are_answered_one_by_one(tmp_path: Path) -> None:
    def child(request: ModelRequest) -> Turn | str:
        said = text_of(request.messages[-1])
        if said.startswith("part "):
            name = said.split()[1]
            return calls(call("Write", file_path=f"{name}.txt", content=name))
        return "refused" if "declined" in said or "denied" in said.lower() else "written"

    orders = [order(f"part {number}", "general") for number in range(8)]
    person = FakePerson([YES, NO] * 4)
    firm = Firm(tmp_path, [calls(*orders), *[child] * 16, "done"], approve=person)
    await firm.run()
    assert len(person.asked) == 8
    assert len(list(tmp_path.glob("*.txt"))) == 4


async def test_eight_leases_never_come_to_more_than_there_is(tmp_path: Path) -> None:
    lent: list[float] = []

    def child(request: ModelRequest) -> str:
        lent.append(firm.agent.purse.lent_usd)
        return "done"

    orders = [order(f"part {number}") for number in range(8)]
    firm = Firm(tmp_path, [calls(*orders), *[child] * 8, "done"], max_cost_usd=1.0)
    answer = await firm.run()
    assert answer.ok
    assert 0 < max(lent) < 1.0
    assert firm.agent.purse.lent_usd == pytest.approx(0.0)
    assert firm.agent.purse.left_usd == pytest.approx(1.0 - answer.cost_usd)


async def test_what_an_agent_took_after_the_answer_counts_with_the_next(tmp_path: Path) -> None:
    one = Usage(input_tokens=100, output_tokens=10)
    turns = [
        calls(order("later", run_in_background=True), usage=one),
        Turn(when="later", text="the child's", usage=Usage(input_tokens=7, output_tokens=3)),
        Turn(when="Background", text="first", usage=one),
        Turn(text="second", usage=one),
    ]
    firm = Firm(tmp_path, turns)
    async with asyncio.timeout(PATIENCE_S), firm.agent:
        first = await firm.run()
        await output_of(firm, firm.results[0].metadata["agent_id"])
        second = await firm.run("again")
    both = [first.usage, second.usage]
    assert sum(usage.input_tokens for usage in both) == 307
    assert sum(usage.output_tokens for usage in both) == 33


# ── below a child ─────────────────────────────────────────────────────────────────────────────
async def test_a_child_that_calls_what_it_was_not_told_of_gets_no_grandchild(
    tmp_path: Path,
) -> None:
    settings = Settings(subagents=SubagentSettings(depth=1))
    deeper = calls(order("deeper", "general"))
    turns = [calls(order("child's", "general")), deeper, "alone", "done"]
    firm = Firm(tmp_path, turns, settings=settings)
    await firm.run()
    told = text_of(firm.model.requests[2].messages[-1])
    assert "Unknown tool: Task" in told
    assert "Task" not in firm.tools_told("child's")
    assert firm.of_task[0].value.response == "alone"


async def test_an_isolated_agent_may_have_isolated_agents(repository: Path) -> None:
    (repository / "fresh.txt").write_text("from the top", encoding="utf-8")
    inner = order("inner work", "general", isolation="worktree")
    turns = [
        calls(order("outer work", "general", isolation="worktree")),
        calls(call("Write", file_path="outer.txt", content="outer")),
        calls(inner),
        calls(call("Read", file_path="fresh.txt"), call("Read", file_path="outer.txt")),
        calls(call("Write", file_path="inner.txt", content="inner")),
        "inner done",
        "outer done",
        "done",
    ]
    firm = Firm(repository, turns, mode="acceptEdits", approve=FakePerson([YES, YES]))
    await firm.run()
    seen = text_of(firm.model.requests[4].messages[-1])
    assert "from the top" in seen
    assert "outer" in seen
    outer = Path(firm.of_task[0].value.worktree)
    assert not (outer / "inner.txt").exists()
    assert git(repository, "worktree", "list").count("\n") == 2


# ── questions with nobody there ───────────────────────────────────────────────────────────────
ASKING = call(
    "AskUserQuestion",
    questions=[
        {
            "question": "Which way?",
            "header": "Way",
            "options": [{"label": "Left"}, {"label": "Right"}],
        }
    ],
)


async def test_a_child_that_asks_with_nobody_there_is_told_so_and_goes_on(tmp_path: Path) -> None:
    turns = [calls(order("decide", "general")), calls(ASKING), "left, I assume", "done"]
    firm = Firm(tmp_path, turns)
    async with asyncio.timeout(PATIENCE_S):
        await firm.run()
    said = text_of(firm.model.requests[2].messages[-1])
    assert said.startswith("Nobody is there to answer questions.")
    assert firm.of_task[0].value.response == "left, I assume"


async def test_answers_given_in_advance_are_a_childs_too(tmp_path: Path) -> None:
    file = tmp_path / "answers.json"
    file.write_text('{"Way": "Right"}', encoding="utf-8")
    settings = Settings(questions=QuestionSettings(answers_file=str(file)))
    turns = [calls(order("decide", "general")), calls(ASKING), "right then", "done"]
    firm = Firm(tmp_path, turns, settings=settings)
    await firm.run()
    assert '{"Way":["Right"]}' in text_of(firm.model.requests[2].messages[-1])


# ── its file ──────────────────────────────────────────────────────────────────────────────────
async def test_its_file_is_its_owners_alone_and_holds_all_of_it(tmp_path: Path) -> None:
    turns = [calls(order("नमस्ते \x1b[31m there")), "line one\nline two", "done"]
    firm = Firm(tmp_path, turns)
    await firm.run()
    path = Path(firm.of_task[0].metadata["output_path"])
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    text = path.read_text(encoding="utf-8")
    assert "नमस्ते" in text
    assert "line one\nline two" in text


async def test_a_type_without_tools_answers_from_its_head(tmp_path: Path) -> None:
    turns = [calls(order("think", "explore", allowed_tools=[])), "thought", "done"]
    firm = Firm(tmp_path, turns)
    await firm.run()
    assert firm.tools_told("think") == []
    assert firm.of_task[0].value.response == "thought"


@pytest.mark.parametrize(
    "name", ["general-purpose", "Explore", "PLAN", " Bash ", "claude-code-guide", "ankrcode-guide"]
)
async def test_names_of_other_products_start_an_agent(name: str, tmp_path: Path) -> None:
    firm = Firm(tmp_path, [calls(order("x", name)), "x", "done"])
    await firm.run()
    assert firm.of_task[0].value.response == "x"


async def test_a_context_knows_who_asks(tmp_path: Path) -> None:
    seen: list[tuple[str, int]] = []

    @tool(permission=Permission.READ)
    async def who(ctx: ToolContext) -> str:
        """Who am I?"""
        seen.append((ctx.agent, ctx.depth))
        return "known"

    turns = [calls(order("x", "general")), calls(call("who")), "x", calls(call("who")), "done"]
    firm = Firm(tmp_path, turns, tools=[who])
    await firm.run()
    assert [depth for _, depth in seen] == [1, 0]
    assert seen[0][0] == "general"
    assert isinstance(firm.model, ScriptedModel)
