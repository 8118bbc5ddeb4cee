"""A session that is gone on with: after its end, and after kill -9."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agent.talking import agent_in, call, calls, check_accepted, results, said, texts
from ankrcode.protocol.message import ToolResultPart, ToolUsePart, Usage
from ankrcode.protocol.stream import StopReason
from ankrcode.providers.scripted import Turn
from ankrcode.sessions.log import read_log
from ankrcode.sessions.records import CostSpent, MessageAdded, TurnEnded, TurnStarted
from ankrcode.tooling.durable import session_store
from torture import IS_TORTURE

KILLS = 100 if IS_TORTURE else 6

CHILD = """
import asyncio, sys
from pathlib import Path
from ankrcode.agent.agent import Agent
from ankrcode.providers.scripted import ScriptedCall, ScriptedModel, Turn

def call(name, **arguments):
    return ScriptedCall(name=name, arguments=arguments)

async def main(script):
    turns = {
        "in a call": [
            Turn(text="Writing.", calls=(call("Write", file_path="a.txt", content="done"),)),
            Turn(text="Waiting.", calls=(call("Bash", command="touch began; sleep 60"),)),
        ],
        "in a stream": [
            Turn(text="Both.", calls=(call("Bash", command="touch began; echo quick"),),
                 events=(), pause_s=0.05, chunk=1),
            Turn(text="x" * 4000, chunk=1, pause_s=0.05),
        ],
        "at work": [
            Turn(calls=(call("Bash", command=f"echo {n} >> log.txt; touch began"),))
            for n in range(400)
        ],
    }[script]
    agent = Agent(ScriptedModel(turns), cwd=".", mode="bypass", records=True, session_id="s")
    await agent.run("work")

asyncio.run(main(sys.argv[1]))
"""


def killed(folder: Path, script: str, delay_s: float = 0.0, noted: bytes = b"") -> None:
    """A process that works on the session until it is killed: this long after its first command
    began, or when its log has this in it."""
    (folder / "child.py").write_text(CHILD)
    command = [sys.executable, "-P", "child.py", script]
    with subprocess.Popen(command, cwd=folder, env=os.environ, start_new_session=True) as child:
        until = time.monotonic() + 30
        log = Path(session_store().path_of("s"))
        while not (folder / "began").exists() or noted not in log.read_bytes():
            assert child.poll() is None
            assert time.monotonic() < until
            time.sleep(0.005)
        time.sleep(delay_s)
        child.send_signal(signal.SIGKILL)
        child.wait(20)


async def test_a_session_goes_on_where_it_was(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hello\n")
    turns = [calls(call("Read", file_path="a.txt"), text="Reading."), "It says hello."]
    agent, _ = agent_in(tmp_path, turns, records=True)
    first = await agent.run("what does a.txt say?")
    before = list(agent.kit.agent.messages)
    await agent.close()
    resumed, model = agent_in(tmp_path, ["Again."], records=True, session_id=first.session_id)
    assert (await resumed.run("say it again")).text == "Again."
    assert said(model.requests[0])[:-1] == before
    await resumed.close()


@pytest.mark.parametrize("script", ["in a call", "in a stream"])
async def test_killed_it_can_go_on(tmp_path: Path, script: str) -> None:
    killed(tmp_path, script, noted=b"call_ended" if script == "in a stream" else b"")
    agent, model = agent_in(tmp_path, ["I go on."], records=True, session_id="s")
    assert (await agent.run("go on")).text == "I go on."
    check_accepted(model.requests[0].messages)
    talk = said(model.requests[0])
    assert texts(talk[0]).startswith("work")
    uses = [part for one in talk for part in one.parts if isinstance(part, ToolUsePart)]
    told = [part for one in talk for part in one.parts if isinstance(part, ToolResultPart)]
    assert [part.name for part in uses][-1] == "Bash"
    if script == "in a call":
        assert told[-1].is_error
        assert "interrupted" in told[-1].text.lower()
        assert (tmp_path / "a.txt").read_text() == "done"
    else:
        assert "quick" in told[-1].text
    await agent.close()


@pytest.mark.torture
async def test_killed_at_any_moment_nothing_is_told_that_did_not_happen(tmp_path: Path) -> None:
    for number in range(KILLS):
        folder = tmp_path / str(number)
        folder.mkdir()
        killed(folder, "at work", delay_s=number * 0.017)
        agent, model = agent_in(folder, ["So far."], records=True, session_id="s")
        await agent.run("how far?")
        check_accepted(model.requests[0].messages)
        done = (folder / "log.txt").read_text().split()
        talk = said(model.requests[0])
        told = [part for one in talk for part in one.parts if isinstance(part, ToolResultPart)]
        certain = [part for part in told if not part.is_error]
        assert len(certain) <= len(done) <= len(told)
        await agent.close()
        session_store().delete("s")


async def test_the_log_tells_the_turn_and_what_it_cost(tmp_path: Path) -> None:
    usage = Usage(input_tokens=10, output_tokens=5)
    agent, _ = agent_in(
        tmp_path,
        [calls(call("List"), text="Looking.", usage=usage), Turn(text="Done.", usage=usage)],
        records=True,
    )  # fmt: skip
    answer = await agent.run("look")
    records = [one for _, one in read_log(session_store().path_of(answer.session_id)).records]
    assert sum(isinstance(one, CostSpent) for one in records) == 2
    [begun] = [one for one in records if isinstance(one, TurnStarted)]
    [ended] = [one for one in records if isinstance(one, TurnEnded)]
    assert begun.turn_id == ended.turn_id
    assert ended.stop == "success"
    messages = [one.message for one in records if isinstance(one, MessageAdded)]
    assert [one.role for one in messages] == ["user", "assistant", "assistant"]
    assert records.index(begun) < records.index(
        next(one for one in records if isinstance(one, MessageAdded))
    )
    await agent.close()


async def test_what_was_said_before_a_call_is_noted_before_it_runs(tmp_path: Path) -> None:
    from ankrcode import Permission, tool

    seen: list[str] = []

    @tool(permission=Permission.READ)
    async def look() -> str:
        """Look into the log."""
        path = session_store().path_of("s")
        records = [one for _, one in read_log(path).records]
        added = [one.message for one in records if isinstance(one, MessageAdded)]
        seen.extend(texts(one) for one in added if one.role == "assistant")
        return "seen"

    agent, _ = agent_in(
        tmp_path, [calls(call("look"), text="Before."), "Done."], tools=[look],
        mode="bypass", records=True, session_id="s",
    )  # fmt: skip
    await agent.run("look")
    assert seen == ["Before."]
    await agent.close()


async def test_queued_calls_run_and_are_told(tmp_path: Path) -> None:
    from ankrcode import Permission, ToolCall, ToolResult, tool
    from ankrcode.protocol.modifier import QueueCommand

    @tool(permission=Permission.READ)
    async def later() -> ToolResult:
        """Ask for a call after the turn."""
        listing = ToolCall(name="List", arguments={"path": "."})
        return ToolResult(text="queued", modifiers=(QueueCommand(call=listing),))

    (tmp_path / "found.txt").write_text("")
    agent, model = agent_in(tmp_path, [calls(call("later")), "Done."], tools=[later], mode="bypass")
    await agent.run("go")
    last = model.requests[1].messages[-1]
    assert results(last) == ["queued"]
    assert "found.txt" in texts(last)
    check_accepted(agent.kit.agent.messages)


async def test_the_end_of_a_background_task_is_told_with_a_later_result(tmp_path: Path) -> None:
    turns = [
        calls(call("Bash", command="true", run_in_background=True)),
        calls(call("Bash", command="sleep 0.3")),
        calls(call("List")),
        "Done.",
    ]
    agent, model = agent_in(tmp_path, turns, mode="bypass")
    await agent.run("go")
    told = "\n".join(texts(one.messages[-1]) for one in model.requests[1:])
    assert "<note>" in told
    assert "completed" in told
    await agent.close()


async def test_the_pieces_of_an_answer_after_a_pause_stay_together(tmp_path: Path) -> None:
    turns = [
        Turn(text="One moment. ", stop=StopReason.PAUSE),
        calls(call("List"), call("List", path="."), text="Now."),
        "Done.",
    ]
    agent, _ = agent_in(tmp_path, turns, records=True)
    answer = await agent.run("look")
    before = list(agent.kit.agent.messages)
    await agent.close()
    resumed, model = agent_in(tmp_path, ["Again."], records=True, session_id=answer.session_id)
    await resumed.run("again")
    assert [one.role for one in said(model.requests[0])] == [one.role for one in before] + ["user"]
    check_accepted(model.requests[0].messages)
    await resumed.close()
