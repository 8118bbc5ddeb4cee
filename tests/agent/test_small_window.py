"""A model with a small window is told less, and works on: whatever comes larger than the window."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agent.talking import agent_in, call, calls, check_accepted, said, texts
from ankrcode.agent.agent import Agent
from ankrcode.agent.answer import Answer
from ankrcode.agent.estimate import of_tools, raw_tokens
from ankrcode.agent.toolset import DAILY, FEW, SMALL_WINDOW
from ankrcode.protocol.message import ToolResultPart, ToolUsePart
from ankrcode.providers.scripted import ScriptedModel, Turn
from ankrcode.providers.wire import ModelRequest

WINDOW = 4_000
TASK = "Work through the list. Never touch secrets.txt."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text("x = 1\n" * 60, encoding="utf-8")
    (tmp_path / "big.txt").write_text("line of text here\n" * 5_000, encoding="utf-8")
    return tmp_path


def size(request: ModelRequest) -> float:
    return sum(map(raw_tokens, request.messages)) + of_tools(request.tools)


class Summarising(ScriptedModel):
    """Plays its script, and summarises whenever it is told to."""

    def _next_turn(self, request: ModelRequest) -> Turn:
        if "will go on from a summary" in texts(request.messages[-1]):
            return Turn(text="So far, so good.")
        return super()._next_turn(request)


async def worked(folder: Path, turns: Iterable[Any], **more: Any) -> tuple[Answer, ScriptedModel]:
    """By the agent as it is: its own prompt, its own tools."""
    model = Summarising([*turns, "Done."], context_tokens=WINDOW)
    agent = Agent(model, cwd=folder, **more)
    answer = await agent.run(TASK)
    await agent.close()
    for request in model.requests:
        check_accepted(request.messages)
        assert size(request) <= WINDOW
    return answer, model


async def test_a_long_task_goes_through_with_its_words_and_todos(folder: Path) -> None:
    todo = calls(call("TodoWrite", todos=[{"content": "Fix the end", "status": "in_progress"}]))
    steps = [
        calls(call("Read", file_path="a.py", offset=one % 50 + 1, limit=10), text=f"Step {one}.")
        for one in range(100)
    ]
    answer, model = await worked(folder, [todo, *steps])
    assert answer.text == "Done."
    first = texts(said(model.requests[-1])[0])
    assert TASK in first
    assert "Fix the end" in first


@pytest.mark.parametrize(
    "turn",
    [
        calls(call("Bash", command="cat big.txt")),
        calls(call("Read", file_path="big.txt")),
        calls(*(call("Bash", command=f"echo {one}; head -c 20000 big.txt") for one in range(8))),
        calls(call("Bash", command="echo hi"), text="word " * 1_500),
        calls(call("Bash", command="echo " + "x" * 9_000)),
    ],
    ids=["output", "file", "eight at once", "its own words", "its own call"],
)
async def test_what_is_larger_than_the_window_is_shortened(folder: Path, turn: Any) -> None:
    answer, model = await worked(folder, [turn, turn, turn])
    assert (answer.text, answer.turns) == ("Done.", 4)
    assert TASK in texts(said(model.requests[-1])[0])


async def test_the_subject_of_a_shortened_call_stays(folder: Path) -> None:
    write = call("Write", file_path="new.txt", content="y" * 9_000)
    _, model = await worked(folder, [calls(write)], mode="acceptEdits")
    [kept] = [
        part
        for message in said(model.requests[-1])
        for part in message.parts
        if isinstance(part, ToolUsePart)
    ]
    assert kept.arguments["file_path"] == "new.txt"
    assert len(kept.arguments["content"]) < 4_000
    assert (folder / "new.txt").read_text(encoding="utf-8") == "y" * 9_000  # what ran was whole


async def test_each_call_keeps_its_result(folder: Path) -> None:
    turn = calls(*(call("Bash", command=f"echo {one}; cat big.txt") for one in range(4)))
    _, model = await worked(folder, [turn, turn])
    parts = [part for one in said(model.requests[-1]) for part in one.parts]
    asked = [part.id for part in parts if isinstance(part, ToolUsePart)]
    told = [part.tool_use_id for part in parts if isinstance(part, ToolResultPart)]
    assert asked == told


async def test_instructions_larger_than_the_window_are_cut_and_say_so(folder: Path) -> None:
    (folder / "AGENTS.md").write_text("FIRST RULE\n" + "rule " * 20_000, encoding="utf-8")
    answer, model = await worked(folder, [], trusted=True)
    assert answer.text == "Done."
    told = "".join(texts(one) for one in model.requests[0].messages if one.role == "system")
    assert "FIRST RULE" in told
    assert "The rest is left out" in told


async def test_a_task_larger_than_the_window_ends_with_a_clear_message(folder: Path) -> None:
    agent, model = agent_in(folder, ["Done."], context_tokens=WINDOW)
    answer = await agent.run("word " * 20_000)
    assert answer.subtype == "error_context"
    assert "no longer fits the model (4,000)" in answer.error
    assert model.requests == []
    await agent.close()


def told_of(folder: Path, window: int, **more: Any) -> dict[str, Any]:
    agent, model = agent_in(folder, ["Hi."], context_tokens=window, **more)
    agent.run_sync("hi")
    return {one.name: one.input_schema["properties"] for one in model.requests[0].tools}


def test_a_small_window_is_told_of_few_tools_and_what_they_need(folder: Path) -> None:
    told = told_of(folder, SMALL_WINDOW - 1)
    assert set(told) == set(FEW) - {"ApplyPatch"}
    assert set(told["Bash"]) == {"command"}
    assert set(told["Read"]) == {"file_path", "offset", "limit"}


def test_a_larger_one_is_told_of_all(folder: Path) -> None:
    told = told_of(folder, SMALL_WINDOW)
    assert set(told) > set(FEW) - {"ApplyPatch"}
    assert set(told) <= set(DAILY)
    assert "timeout" in told["Bash"]


def test_who_chooses_tools_gets_them_whole(folder: Path) -> None:
    told = told_of(folder, WINDOW, toolset=["Bash", "Glob"])
    assert set(told) == {"Bash", "Glob"}
    assert "timeout" in told["Bash"]


def test_what_tools_take_is_estimated_by_what_is_sent(folder: Path) -> None:
    agent, model = agent_in(folder, ["Hi."])
    agent.run_sync("hi")
    tools = model.requests[0].tools
    assert 0.8 < of_tools(tools) * 3.6 / len(msgspec.json.encode(tools)) < 1.2
