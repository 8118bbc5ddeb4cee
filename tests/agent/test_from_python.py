"""An agent in somebody's program: what engineers write, and the slips they make."""

import asyncio
import copy
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from agent.loopback import ModelServer
from agent.talking import call, calls, check_accepted, said, texts
from ankrcode import Agent, Approval, ApprovalAnswer, Permission, Toolkit, UsageError, tool
from ankrcode.protocol.message import ToolResultPart
from ankrcode.protocol.question import Question, QuestionAnswer
from ankrcode.providers.scripted import ScriptedModel
from workspace.running import alive, long_sleep

READ = call("Read", file_path="a.txt")
WRITE = call("Write", file_path="b.txt", content="beta\n")
PATIENCE_S = 20


@pytest.fixture
def work(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text("alpha\n", encoding="utf-8")
    return tmp_path


class Waiting:
    """A tool that waits for ever, and tells when it began and whether it was stopped."""

    def __init__(self) -> None:
        self.has_begun = threading.Event()
        self.was_stopped = False

        @tool(permission=Permission.READ)
        async def wait() -> str:
            """Wait for ever."""
            self.has_begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                self.was_stopped = True
            return ""

        self.tool = wait


# ── one after the other ───────────────────────────────────────────────────────────────────────
async def test_after_leaving_a_stream_the_next_task_can_be_given_at_once(work: Path) -> None:
    waiting = Waiting()
    model = ScriptedModel([calls(READ, call("wait")), "next"])
    async with Agent(model, cwd=work, tools=[waiting.tool]) as agent:
        async for event in agent.stream("look, then wait"):
            if event.type == "tool_call_end":
                break
        assert (await agent.run("and now?")).text == "next"
    assert waiting.was_stopped
    check_accepted(model.requests[-1].messages)


async def test_streams_may_be_left_anywhere_again_and_again(work: Path) -> None:
    """At every event, one after the other; what an earlier task still tells is not the next's."""
    for stop in range(1, 12):
        model = ScriptedModel([calls(READ, text="Look."), calls(READ), "done"] * 8)
        async with Agent(model, cwd=work) as agent:
            for number in range(3):
                told = 0
                async for event in agent.stream(f"task {number}"):
                    assert told or event.type == "turn_start"
                    told += 1
                    if told == stop:
                        break
            assert (await agent.run("the last")).ok
        check_accepted(model.requests[-1].messages)


async def test_a_stream_can_be_closed_as_any_other(work: Path) -> None:
    waiting = Waiting()
    async with Agent(ScriptedModel([calls(call("wait"))]), tools=[waiting.tool]) as agent:
        async with aclosing(agent.stream("wait")) as events:
            async for event in events:
                if event.type == "tool_call_start":
                    break
        assert agent.answer is not None
        assert agent.answer.subtype == "error_cancelled"


async def test_after_a_cancel_the_next_task_can_be_given_at_once(work: Path) -> None:
    waiting = Waiting()
    model = ScriptedModel([calls(call("wait")), "next"])
    async with Agent(model, cwd=work, tools=[waiting.tool]) as agent:
        first = asyncio.create_task(agent.run("wait"))
        await asyncio.to_thread(waiting.has_begun.wait, PATIENCE_S)
        agent.cancel()
        assert (await agent.run("and now?")).text == "next"
        assert (await first).subtype == "error_cancelled"


async def test_two_tasks_at_once_are_still_one_too_many(work: Path) -> None:
    async with Agent(ScriptedModel(["one", "two"]), cwd=work) as agent:
        done = await asyncio.gather(agent.run("1"), agent.run("2"), return_exceptions=True)
    assert [type(one).__name__ for one in done] == ["Answer", "UsageError"]


# ── one toolkit, several agents ───────────────────────────────────────────────────────────────
async def test_two_agents_cannot_talk_at_once_through_one_toolkit(work: Path) -> None:
    """They would write into one conversation, each over the other."""
    kit = Toolkit(cwd=work)
    models = [ScriptedModel([calls(READ), f"done {number}"]) for number in range(3)]
    agents = [Agent(model, kit=kit) for model in models]
    done = await asyncio.gather(*(one.run("go") for one in agents), return_exceptions=True)
    assert [getattr(one, "text", "") for one in done] == ["done 0", "", ""]
    assert all(isinstance(one, UsageError) and "for_agent" in str(one) for one in done[1:])
    check_accepted(kit.agent.messages)
    assert (await agents[1].run("now")).ok  # it has ended


async def test_with_a_toolkit_for_each_they_talk_at_once(work: Path) -> None:
    kit = Toolkit(cwd=work)
    models = [ScriptedModel([calls(READ), f"done {number}"]) for number in range(3)]
    agents = [Agent(one, kit=kit.for_agent(f"a{n}")) for n, one in enumerate(models)]
    done = await asyncio.gather(*(one.run(f"task {n}") for n, one in enumerate(agents)))
    assert [one.text for one in done] == ["done 0", "done 1", "done 2"]
    for number, model in enumerate(models):
        check_accepted([*model.requests[-1].messages, *kit.agent.messages])
        assert texts(said(model.requests[0])[0]).startswith(f"task {number}")
    kit.close()


async def test_agents_that_take_turns_with_one_toolkit_share_its_conversation(work: Path) -> None:
    kit = Toolkit(cwd=work)
    one, two = (
        ScriptedModel([calls(READ), "first", "third"]),
        ScriptedModel([calls(READ), "second"]),
    )
    agents = Agent(one, kit=kit), Agent(two, kit=kit)
    for agent, task in zip((*agents, agents[0]), ("1st", "2nd", "3rd"), strict=True):
        await agent.run(task)
    last = said(one.requests[-1])
    check_accepted(last)
    asked = [texts(message).split("\n")[0] for message in last if texts(message)]
    assert asked == ["1st", "first", "2nd", "second", "3rd"]
    kit.close()


# ── slips that must not pass unseen ───────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("mode", "plan"),
        ("cwd", "."),
        ("tools", [Waiting().tool]),
        ("allowed_tools", ["Write"]),
        ("extra_directories", ["/"]),
        ("records", True),
        ("session_id", "mine"),
    ],
)
def test_what_a_given_toolkit_would_not_follow_is_no_silence(name: str, value: Any) -> None:
    more: dict[str, Any] = {name: value}
    with pytest.raises(UsageError, match=rf"{name}.*kit"):
        Agent(ScriptedModel([]), kit=Toolkit(), **more)


async def test_what_is_disallowed_is_denied_in_a_given_toolkit_too(work: Path) -> None:
    kit = Toolkit(cwd=work, mode="acceptEdits")
    model = ScriptedModel([calls(WRITE), "so be it"])
    answer = await Agent(model, kit=kit, disallowed_tools=["Write"]).run("write")
    assert [one.tool for one in answer.denials] == ["Write"]
    assert not (work / "b.txt").exists()
    assert "Write" not in [one.name for one in model.requests[0].tools]


@pytest.mark.parametrize("name", ["toolset", "allowed_tools", "disallowed_tools"])
def test_a_text_where_a_list_is_meant_is_no_list_of_letters(name: str) -> None:
    more: dict[str, Any] = {name: "Read"}
    with pytest.raises(UsageError, match=rf"{name}.*\['Read'\]"):
        Agent(ScriptedModel([]), **more)


def test_a_tool_that_is_not_there_cannot_be_chosen() -> None:
    with pytest.raises(UsageError, match=r"'read'.*Read"):
        Agent(ScriptedModel([]), toolset=["Grep", "read"]).run_sync("go")


def test_a_mode_that_is_not_there_is_said_with_those_that_are() -> None:
    for make in (Toolkit, lambda **more: Agent(ScriptedModel([]), **more)):
        with pytest.raises(UsageError, match=r"'yolo'.*acceptEdits"):
            make(mode="yolo")
    kit = Toolkit()
    with pytest.raises(UsageError, match="'yolo'"):
        kit.mode = "yolo"


def test_a_function_that_is_no_hook_is_said_at_once() -> None:
    def look(payload: dict[str, Any]) -> None: ...

    with pytest.raises(UsageError, match="@hook"):
        Agent(ScriptedModel([]), hooks=[look])  # type: ignore[list-item]


# ── who is asked ──────────────────────────────────────────────────────────────────────────────
def yes(_: Approval) -> ApprovalAnswer:
    return ApprovalAnswer(approved=True)


async def torn(_: Approval) -> ApprovalAnswer:
    raise RuntimeError("no display")


async def curt(_: Approval) -> bool:
    return True


async def test_whoever_is_asked_may_be_an_ordinary_function(work: Path) -> None:
    answer = await Agent(ScriptedModel([calls(WRITE), "done"]), cwd=work, approve=yes).run("go")
    assert answer.ok
    assert (work / "b.txt").exists()


@pytest.mark.parametrize(
    ("approve", "why"), [(torn, "RuntimeError('no display')"), (curt, "ApprovalAnswer")]
)
async def test_an_answer_that_is_none_is_a_no_and_is_told(
    approve: Callable[[Approval], Any], why: str, work: Path
) -> None:
    agent = Agent(ScriptedModel([calls(WRITE), "done"]), cwd=work, approve=approve)
    answer = await agent.run("go")
    (denied,) = answer.denials
    assert why in denied.reason
    assert answer.subtype == "error_denied"
    assert not (work / "b.txt").exists()
    (result,) = agent.kit.agent.messages[2].parts
    assert isinstance(result, ToolResultPart)
    assert why in result.text
    assert "fault in the tool" not in result.text


def first(question: Question) -> QuestionAnswer:
    return QuestionAnswer(question_id=question.id, chosen=(question.options[0].label,))


async def nowhere(_: Question) -> QuestionAnswer:
    raise RuntimeError("no display")


async def terse(_: Question) -> str:
    return "A"


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (first, '{"Way":["A"]}'),
        (nowhere, "could not be put (RuntimeError('no display'))"),
        (terse, "could not be put (it gave 'A' and not a value of QuestionAnswer)"),
    ],
)
async def test_whoever_answers_questions_may_be_any_function(
    ask: Callable[[Question], Any], told: str, work: Path
) -> None:
    options = [{"label": one, "description": one} for one in ("A", "B")]
    question = {"question": "Which?", "header": "Way", "options": options}
    asking = calls(call("AskUserQuestion", questions=[question]))
    agent = Agent(ScriptedModel([asking, "done"]), cwd=work, ask=ask)
    assert (await agent.run("go")).ok
    (result,) = agent.kit.agent.messages[2].parts
    assert isinstance(result, ToolResultPart)
    assert told in result.text
    assert "fault in the tool" not in result.text


async def test_a_refusal_in_plan_mode_says_that_it_is_the_mode(work: Path) -> None:
    agent = Agent(ScriptedModel([calls(WRITE), "I may not."]), cwd=work, mode="plan")
    (denied,) = (await agent.run("go")).denials
    assert denied.reason.startswith("Write is denied in plan mode: it writes ")


# ── the end ───────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("records", [True, False])
async def test_a_closed_agent_says_that_it_is_closed(records: bool, work: Path) -> None:
    agent = Agent(ScriptedModel(["one", "two"]), cwd=work, records=records)
    await agent.run("1")
    await agent.close()
    await agent.close()
    with pytest.raises(UsageError, match="closed"):
        await agent.run("2")
    with pytest.raises(UsageError, match="closed"):
        agent.run_sync("2")


async def test_an_agent_whose_toolkit_was_closed_says_so(work: Path) -> None:
    kit = Toolkit(cwd=work, records=True)
    agent = Agent(ScriptedModel(["one"]), kit=kit)
    kit.close()
    with pytest.raises(UsageError, match="closed"):
        await agent.run("1")


def test_a_recorded_toolkit_that_is_closed_says_how_to_go_on(work: Path) -> None:
    kit = Toolkit(cwd=work, records=True)
    kit.close()
    result = kit.call_sync("Read", file_path="a.txt")
    assert "closed" in result.text
    assert f"session_id='{kit.agent.session_id}'" in result.text


def test_ordinary_code_closes_it_as_well(work: Path) -> None:
    with Agent(ScriptedModel([calls(READ), "done"]), cwd=work) as agent:
        assert agent.run_sync("go", max_turns=3).text == "done"
    with pytest.raises(UsageError, match="closed"):
        agent.run_sync("again")
    other = Agent(ScriptedModel(["done"]), cwd=work)
    other.close_sync()


async def test_in_the_loop_where_it_worked_it_is_closed_by_awaiting_it(work: Path) -> None:
    """What it left at work there would wait for the loop, and the loop for it."""
    agent = Agent(ScriptedModel(["done"]), cwd=work)
    await agent.run("go")
    with pytest.raises(UsageError, match=r"await agent\.close"), agent:
        pass
    await agent.close()


async def test_one_that_works_in_another_thread_can_be_closed_from_here(work: Path) -> None:
    waiting = Waiting()
    agent = Agent(ScriptedModel([calls(call("wait"))]), cwd=work, tools=[waiting.tool])
    working = asyncio.create_task(asyncio.to_thread(agent.run_sync, "wait"))
    await asyncio.to_thread(waiting.has_begun.wait, PATIENCE_S)
    async with asyncio.timeout(PATIENCE_S):
        await agent.close()
        assert (await working).subtype == "error_cancelled"
    assert waiting.was_stopped


def test_an_answer_can_be_copied_and_kept(work: Path) -> None:
    agent = Agent(ScriptedModel([calls(WRITE), "no"]), cwd=work)
    answer = agent.run_sync("go")
    assert answer.denials
    assert pickle.loads(pickle.dumps(answer)) == copy.deepcopy(answer) == answer


USES = {
    "sync": "a.run_sync('x'); print(a.run_sync('y').text)",
    "two loops": "asyncio.run(a.run('x')); print(asyncio.run(a.run('y')).text)",
    "loop after thread": "a.run_sync('x'); print(asyncio.run(a.run('y')).text)",
    "with": "with a: a.run_sync('x'); print(a.run_sync('y').text)",
    "thread after loop": "with a: asyncio.run(a.run('x')); print(a.run_sync('y').text)",
}
PROGRAM = """
import asyncio, logging, sys
from ankrcode import Agent
logging.disable()  # of steps that took long, in development mode on a busy machine
a = Agent("openai-compatible/m", base_url=sys.argv[1], cwd=sys.argv[2], mode="bypass")
{use}
"""


@pytest.mark.parametrize("use", USES)
def test_however_it_is_left_nothing_is_said_at_exit_and_nothing_goes_on(
    use: str, work: Path
) -> None:
    """Where it is closed, in development mode: there Python tells of all that was left open."""
    lasting = long_sleep()
    sleep = {"command": lasting, "description": "wait", "run_in_background": True}
    server = ModelServer([[("Bash", sleep)], "started", "again"])
    arguments = [f"{server.url}/v1", str(work)]
    strictness = ("-X", "dev", "-W", "error") if use == "with" else ()
    program = PROGRAM.format(use=USES[use])
    done = subprocess.run(
        [sys.executable, "-P", *strictness, "-c", program, *arguments],
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    server.close()
    assert (done.stdout, done.stderr, done.returncode) == ("again\n", "", 0)
    assert not alive(lasting)
