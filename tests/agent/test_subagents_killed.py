"""The process dies while further agents work: the session is in order, and they can go on."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from agent.crew import PATIENCE_S, Firm, calls, order, text_of
from agent.talking import check_accepted
from ankrcode.sessions.conversation import side_messages

# A parent, an explorer who reads and then waits for ever, and one more in the background.
SCRIPT = """
import asyncio, sys
from pathlib import Path
from ankrcode import Permission, tool
from ankrcode.agent.agent import Agent
from ankrcode.testing import ScriptedCall, ScriptedModel, Turn

marks = Path(sys.argv[2])

@tool(permission=Permission.READ)
async def hang(name: str) -> str:
    "Leave a mark and wait for ever."
    (marks / name).touch()
    await asyncio.Event().wait()
    return "never"

def call(name, /, **arguments):
    return ScriptedCall(name=name, arguments=arguments)

def order(prompt, **more):
    facts = {"description": "d", "prompt": prompt, "subagent_type": "general", **more}
    return call("Task", **facts)

turns = [
    Turn(calls=(order("aside", run_in_background=True), order("here"))),
    Turn(when="aside", text="I begin.", calls=(call("hang", name="aside"),)),
    Turn(when="here", text="I read.", calls=(call("Read", file_path="a.txt"),)),
    Turn(when="content", calls=(call("hang", name="here"),)),
]
agent = Agent(ScriptedModel(turns), cwd=sys.argv[1], tools=[hang], records=True, session_id="k1")
asyncio.run(agent.run("the task"))
"""


def killed(folder: Path, marks: Path) -> None:
    """Run it until both agents wait, then end it without a word."""
    argv = [sys.executable, "-P", "-c", SCRIPT, str(folder), str(marks)]
    process = subprocess.Popen(argv, env=os.environ, stderr=subprocess.PIPE)
    give_up = time.monotonic() + PATIENCE_S
    try:
        while not all((marks / name).exists() for name in ("aside", "here")):
            assert process.poll() is None, process.stderr.read() if process.stderr else ""
            assert time.monotonic() < give_up
            time.sleep(0.02)
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=PATIENCE_S)


@pytest.fixture
def session(tmp_path: Path) -> Path:
    folder, marks = tmp_path / "work", tmp_path / "marks"
    folder.mkdir()
    marks.mkdir()
    (folder / "a.txt").write_text("content\n", encoding="utf-8")
    killed(folder, marks)
    return folder


def known(firm: Firm) -> dict[str, Any]:
    assert firm.kit.session is not None
    return dict(firm.kit.session.recorder.state.values["agents"])


async def test_the_conversation_goes_on_and_knows_what_was_cut_off(session: Path) -> None:
    firm = Firm(session, ["gone on"], records=True, session_id="k1")
    answer = await firm.run("what happened?")
    assert answer.text == "gone on"
    check_accepted(firm.model.requests[0].messages)
    told = "\n".join(text_of(one) for one in firm.model.requests[0].messages)
    assert "Background agent started" in told
    assert "Task was interrupted: the process that ran it died. Nobody knows how far" in told
    await firm.agent.close()


async def test_both_agents_can_be_asked_to_go_on(session: Path) -> None:
    firm = Firm(session, [], records=True, session_id="k1")
    for agent_id in known(firm):
        firm.model.turns += [calls(order("go on, please", resume=agent_id)), "gone on", "done"]
        assert (await firm.run("resume it")).text == "done"
        assert firm.of_task[-1].value.response == "gone on"
        asked = next(
            one for one in firm.model.requests[::-1] if "go on, please" in text_of(one.messages[-1])
        )
        check_accepted(asked.messages)
        said = "\n".join(text_of(one) for one in asked.messages)
        assert "hang was interrupted: the process that ran it died" in said
    assert len(known(firm)) == 2
    await firm.agent.close()


async def test_what_each_of_them_said_is_all_there(session: Path) -> None:
    firm = Firm(session, [], records=True, session_id="k1")
    assert firm.kit.session is not None
    path = firm.kit.session.recorder.log.path
    spoken = []
    for agent_id in known(firm):
        messages = side_messages(path, agent_id)
        check_accepted(messages)
        spoken.append([text_of(one) for one in messages])
    (aside,) = [one for one in spoken if one[0].startswith("aside")]
    (here,) = [one for one in spoken if one[0].startswith("here")]
    assert aside[1] == "I begin."
    assert "content" in here[2]
    await firm.agent.close()
