"""Whole tasks over real files, driven by a script: what the loop is for."""

import asyncio
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from agent.talking import agent_in, call, calls, check_accepted, check_prefixes, results
from ankrcode import Acts, Permission, tool
from ankrcode.agent.agent import Agent
from ankrcode.protocol.message import Message
from ankrcode.protocol.stream import (
    AnyStreamEvent,
    CallClosed,
    CallOpened,
    FailureKind,
    Stopped,
    StopReason,
    TextGrew,
)
from ankrcode.providers.scripted import ScriptedCall, Turn
from ankrcode.providers.wire import ModelRequest

BROKEN = "def add(a, b):\n    return a - b\n\n\ndef double(a):\n    return add(a, a)\n"
TEST = """import unittest

from calc import add, double


class Calc(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(2, 3), 5)

    def test_double(self):
        self.assertEqual(double(4), 8)
"""
RUN_TESTS = f"{sys.executable} -m unittest -q test_calc"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A small repository with a failing test."""
    (tmp_path / "calc.py").write_text(BROKEN)
    (tmp_path / "test_calc.py").write_text(TEST)
    for command in (["git", "init", "-q"], ["git", "add", "-A"]):
        subprocess.run(command, cwd=tmp_path, check=True)
    return tmp_path


def last(request: ModelRequest) -> str:
    return "\n".join(results(request.messages[-1]))


async def test_a_failing_test_is_found_mended_and_shown_to_pass(project: Path) -> None:
    def sees_the_failure(request: ModelRequest) -> Turn:
        assert "FAILED" in last(request)
        return calls(call("Grep", pattern="def add", output_mode="content"))

    def reads_it(request: ModelRequest) -> Turn:
        assert "calc.py" in last(request)
        return calls(call("Read", file_path="calc.py"))

    def mends_it(request: ModelRequest) -> Turn:
        assert "return a - b" in last(request)
        edit = {"old_string": "return a - b", "new_string": "return a + b"}
        return calls(call("Edit", file_path="calc.py", **edit), text="Here it is.")

    def sees_it_pass(request: ModelRequest) -> str:
        assert "OK" in last(request)
        return "`add` subtracted; it adds now. All tests pass."

    runs = calls(call("Bash", command=RUN_TESTS))
    turns = [runs, sees_the_failure, reads_it, mends_it, runs, sees_it_pass]
    agent, model = agent_in(project, turns, mode="bypass", records=True)
    answer = await agent.run("make the failing test pass")
    assert answer.ok, answer.error
    assert answer.notes == ()
    assert "return a + b" in (project / "calc.py").read_text()
    check_prefixes(model.requests)
    check_accepted(agent.kit.agent.messages)
    await agent.close()


async def test_a_claim_that_nothing_bears_out_gets_a_note(project: Path) -> None:
    edit = {"old_string": "return a - b", "new_string": "return a * b"}
    turns = [
        calls(call("Read", file_path="calc.py")),
        calls(call("Edit", file_path="calc.py", **edit)),
        calls(call("Bash", command=RUN_TESTS)),
        "Fixed. All tests pass.",
    ]
    agent, _ = agent_in(project, turns, mode="bypass")
    answer = await agent.run("make the failing test pass")
    assert len(answer.notes) == 1
    assert "unittest" in answer.notes[0]
    assert answer.text == f"Fixed. All tests pass.\n\n{answer.notes[0]}"


async def test_thirty_turns_of_mixed_work(tmp_path: Path) -> None:
    turns: list[Turn | str | Callable[[ModelRequest], Turn]] = []
    for number in range(6):
        (tmp_path / f"mod{number}.py").write_text(f"VALUE = 0\nNEEDLE{number}Q = 1\n")
        edit = {"old_string": "VALUE = 0", "new_string": f"VALUE = {number + 10}"}
        turns += [
            calls(call("Read", file_path=f"mod{number}.py")),
            calls(call("Edit", file_path=f"mod{number}.py", **edit)),
            calls(call("Grep", pattern=f"NEEDLE{number}Q")),
            calls(call("Glob", pattern=f"**/mod{number}.py")),
            calls(call("Bash", command=f"printf %s_%s {number} done")),
        ]
    agent, model = agent_in(tmp_path, [*turns, "All done."], mode="bypass", records=True)
    answer = await agent.run("work")
    assert answer.ok, answer.error
    assert answer.turns == 31
    told = [last(request) for request in model.requests[1:]]
    assert all(f"{number}_done" in told[5 * number + 4] for number in range(6))
    assert all(f"mod{number}.py" in told[5 * number + 2] for number in range(6))
    assert (tmp_path / "mod5.py").read_text().startswith("VALUE = 15")
    check_prefixes(model.requests)
    await agent.close()


async def test_eight_calls_run_at_once(tmp_path: Path) -> None:
    together = asyncio.Barrier(8)

    @tool(permission=Permission.READ, acts=lambda arguments, ctx: Acts())
    async def meet(number: int) -> str:
        """Wait for the others."""
        await asyncio.wait_for(together.wait(), 10)
        return f"met {number}"

    many = [call("meet", number=number) for number in range(8)]
    agent, model = agent_in(tmp_path, [calls(*many), "Met."], tools=[meet], mode="bypass")
    assert (await agent.run("meet")).ok
    assert results(model.requests[1].messages[-1]) == [f"met {number}" for number in range(8)]


async def test_eight_commands_take_the_time_of_one(tmp_path: Path) -> None:
    many = [call("Bash", command=f"sleep 0.6; echo {number}") for number in range(8)]
    agent, model = agent_in(tmp_path, [calls(*many), "Slept."], mode="bypass")
    started = time.monotonic()
    assert (await agent.run("sleep")).ok
    assert time.monotonic() - started < 8 * 0.6
    told = results(model.requests[1].messages[-1])
    assert [text.strip() for text in told] == [str(number) for number in range(8)]
    await agent.close()


class TalkativeModel:
    """Makes a call, and goes on talking only when that has begun."""

    name = "test/talkative"
    context_tokens = 100_000

    def __init__(self, started: asyncio.Event) -> None:
        self.started = started
        self.messages: tuple[Message, ...] = ()

    async def stream(self, request: ModelRequest) -> AsyncIterator[AnyStreamEvent]:
        self.messages = tuple(request.messages)
        if request.messages[-1].role == "user" and results(request.messages[-1]):
            yield TextGrew(text="Done.")
            yield Stopped(reason=StopReason.END)
            return
        yield CallOpened(index=0, id="c1", name="begin")
        yield CallClosed(index=0, id="c1", name="begin", arguments={})
        await asyncio.wait_for(self.started.wait(), 10)
        yield TextGrew(text="It has begun while I still speak.")
        yield Stopped(reason=StopReason.TOOL_USE)

    async def close(self) -> None:
        pass


async def test_a_call_starts_while_the_answer_goes_on(tmp_path: Path) -> None:
    started = asyncio.Event()

    @tool(permission=Permission.READ)
    async def begin() -> str:
        """Say that it began."""
        started.set()
        return "begun"

    model = TalkativeModel(started)
    agent = Agent(model, cwd=tmp_path, tools=[begin], mode="bypass")
    answer = await agent.run("go")
    assert answer.text == "Done."
    assert [part.__class__.__name__ for part in model.messages[-2].parts] == [
        "ToolUsePart",
        "TextPart",
    ]


class Counting:
    """A tool that counts how often it really ran."""

    def __init__(self) -> None:
        self.ran: list[str] = []
        counting = self

        @tool(permission=Permission.WRITE, name="count")
        async def count(name: str) -> str:
            """Count."""
            counting.ran.append(name)
            return f"counted {name}"

        self.tool = count


async def test_a_cut_answer_goes_on_from_the_calls_that_ran(tmp_path: Path) -> None:
    counting = Counting()
    two = (call("count", name="one"), call("count", name="two"))
    # text, opened, grew, closed | opened: the second call never becomes whole
    cut = Turn(text="Counting.", calls=two, cut_after=5)
    agent, model = agent_in(
        tmp_path, [cut, calls(call("count", name="two")), "Both."],
        tools=[counting.tool], mode="bypass",
    )  # fmt: skip
    answer = await agent.run("count")
    assert answer.ok, answer.error
    assert counting.ran == ["one", "two"]
    assert results(model.requests[1].messages[-1]) == ["counted one"]
    check_accepted(agent.kit.agent.messages)
    check_prefixes(model.requests)


async def test_an_answer_cut_before_its_first_call_is_asked_for_again(tmp_path: Path) -> None:
    agent, model = agent_in(tmp_path, [Turn(text="Half an ans", chunk=3, cut_after=2), "Whole."])
    assert (await agent.run("say it")).text == "Whole."
    assert model.requests[0].messages == model.requests[1].messages


async def test_a_line_that_is_cut_for_ever_ends_the_task(tmp_path: Path) -> None:
    agent, model = agent_in(tmp_path, [Turn(text="x", cut_after=1)] * 9)
    answer = await agent.run("say it")
    assert answer.subtype == "error_provider"
    assert answer.failure is not None
    assert answer.failure.kind is FailureKind.CUT
    assert len(model.requests) == 4
    check_accepted(agent.kit.agent.messages)


async def test_cuts_that_are_not_in_a_row_end_nothing(tmp_path: Path) -> None:
    counting = Counting()
    turns: list[Turn | str] = []
    for number in range(8):
        turns += [
            Turn(text="Half", cut_after=1),
            calls(call("count", name=f"n{number}")),
        ]
    agent, _ = agent_in(tmp_path, [*turns, "Done."], tools=[counting.tool], mode="bypass")
    assert (await agent.run("count")).text == "Done."
    assert counting.ran == [f"n{number}" for number in range(8)]


async def test_broken_calls_that_are_not_in_a_row_end_nothing(tmp_path: Path) -> None:
    counting = Counting()
    turns: list[Turn | str] = []
    for number in range(8):
        turns += [
            Turn(text="Oops. ", calls=(ScriptedCall(name="count", arguments="{"),)),
            calls(call("count", name=f"n{number}")),
        ]
    agent, _ = agent_in(tmp_path, [*turns, "Done."], tools=[counting.tool], mode="bypass")
    assert (await agent.run("count")).text == "Done."
    assert len(counting.ran) == 8


async def test_a_failure_after_calls_is_tried_again_with_their_results(tmp_path: Path) -> None:
    counting = Counting()
    failing = Turn(calls=(call("count", name="one"),), fail=FailureKind.OVERLOADED)
    agent, model = agent_in(tmp_path, [failing, "Done."], tools=[counting.tool], mode="bypass")
    assert (await agent.run("count")).ok
    assert counting.ran == ["one"]
    assert results(model.requests[1].messages[-1]) == ["counted one"]


async def test_denied_work_is_said_in_the_end(tmp_path: Path) -> None:
    turns = [calls(call("Write", file_path="a", content="x")), "I could not write."]
    agent, _ = agent_in(tmp_path, turns, mode="dontAsk")
    answer = await agent.run("write a")
    assert answer.subtype == "error_denied"
    assert [one.tool for one in answer.denials] == ["Write"]
    assert answer.denials[0].arguments == {"file_path": "a", "content": "x"}
    assert not (tmp_path / "a").exists()


async def test_work_that_found_another_way_is_a_success(tmp_path: Path) -> None:
    turns = [
        calls(call("Bash", command="touch a")),
        calls(call("Write", file_path="a", content="")),
        "Written.",
    ]
    agent, _ = agent_in(tmp_path, turns, mode="acceptEdits")
    answer = await agent.run("make a")
    assert answer.subtype == "success"
    assert len(answer.denials) == 1


async def test_allowed_and_disallowed_tools_are_rules(tmp_path: Path) -> None:
    turns = [
        calls(call("Bash", command="touch b"), ScriptedCall(name="Write", arguments={
            "file_path": "c", "content": ""})),
        "Done.",
    ]  # fmt: skip
    agent, model = agent_in(
        tmp_path, turns, allowed_tools=["Bash(touch b)"], disallowed_tools=["Write"]
    )
    await agent.run("try")
    assert (tmp_path / "b").exists()
    assert not (tmp_path / "c").exists()
    told = [one.name for one in model.requests[0].tools]
    assert "Write" not in told
    assert "Edit" in told
    await agent.close()
