"""Answers that lack something: nothing said, a call that is not whole, a line that breaks off."""

from pathlib import Path

import pytest

from agent.talking import (
    agent_in,
    call,
    calls,
    check_accepted,
    check_prefixes,
    results,
    said,
    texts,
)
from agent.test_listening import END, EventModel
from ankrcode import Agent
from ankrcode.agent.finishing import MAX_REPAIRS
from ankrcode.protocol.message import ThinkingPart
from ankrcode.protocol.permission import Mode
from ankrcode.protocol.stream import (
    AnyStreamEvent,
    Failed,
    Failure,
    FailureKind,
    StopReason,
    TextGrew,
    ThinkingGrew,
    Waited,
)
from ankrcode.providers.scripted import ScriptedCall, Turn

CUT = Failure(kind=FailureKind.CUT, message="it broke off")
LOOK = calls(call("Glob", pattern="*.py"))


# ── nothing said ──────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("nothing", ["", "  \n"])
async def test_an_empty_answer_is_asked_for_again(tmp_path: Path, nothing: str) -> None:
    agent, model = agent_in(tmp_path, [LOOK, nothing, "There is no Python here."])
    answer = await agent.run("look")
    assert (answer.subtype, answer.text) == ("success", "There is no Python here.")
    assert "Your answer was empty" in texts(model.requests[-1].messages[-1])
    for request in model.requests:
        check_accepted(request.messages)


async def test_a_model_that_never_says_anything_is_said_to(tmp_path: Path) -> None:
    agent, model = agent_in(tmp_path, [""] * 9)
    answer = await agent.run("hello")
    assert answer.subtype == "error_provider"
    assert "answered with nothing" in answer.error
    assert len(model.requests) == 1 + MAX_REPAIRS


async def test_words_beside_the_last_calls_are_an_answer_after_all(tmp_path: Path) -> None:
    turn = calls(call("Glob", pattern="*.py"), text="I looked: all is in order.")
    agent, model = agent_in(tmp_path, [turn, "", ""])
    answer = await agent.run("look")
    assert (answer.subtype, answer.text) == ("success", "I looked: all is in order.")
    assert len(model.requests) == 3


async def test_a_refusal_without_words_is_not_asked_for_again(tmp_path: Path) -> None:
    agent, model = agent_in(tmp_path, [Turn(stop=StopReason.REFUSAL)])
    answer = await agent.run("hello")
    assert "declined" in answer.error
    assert len(model.requests) == 1


async def test_thoughts_alone_are_no_answer(tmp_path: Path) -> None:
    model = EventModel([ThinkingGrew(text="Hm."), END], [TextGrew(text="Here it is."), END])
    agent = Agent(model, cwd=tmp_path)
    answer = await agent.run("hello")
    assert answer.text == "Here it is."
    first = [part for one in model.requests[1] for part in one.parts]
    assert any(isinstance(part, ThinkingPart) for part in first)  # unchanged; wires know what to do


# ── not whole ─────────────────────────────────────────────────────────────────────────────
async def test_a_call_that_cannot_be_read_is_told_why_and_what_to_do(tmp_path: Path) -> None:
    broken = ScriptedCall(name="Read", arguments='{"file_path": "a.p')
    agent, model = agent_in(tmp_path, [calls(broken, text="Reading."), "Sorry."])
    await agent.run("read")
    told = texts(model.requests[1].messages[-1])
    assert "Read was not whole and did not run. Its arguments are not one whole object." in told
    assert "Call it again" in told


async def test_the_same_beside_a_whole_call(tmp_path: Path) -> None:
    broken = ScriptedCall(name="Read", arguments='["a.py"]')
    agent, model = agent_in(tmp_path, [calls(call("Glob", pattern="*"), broken), "Sorry."])
    await agent.run("read")
    told = texts(model.requests[1].messages[-1])
    assert "Read was not whole" in told
    assert "Call it again" in told
    check_accepted(model.requests[1].messages)


async def test_what_a_result_says_itself_is_not_told_again(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def f():\n\treturn 1\n", encoding="utf-8")
    lines = ("*** Begin Patch", "*** Update File: a.py", "@@", " def f():", "-    return 1")
    patch = "\n".join((*lines, "+    return 2", "*** End Patch"))
    turns = [calls(call("Read", file_path="a.py")), calls(call("ApplyPatch", patch=patch)), "Done."]
    agent, model = agent_in(tmp_path, turns, mode="acceptEdits")
    await agent.run("patch")
    last = model.requests[-1].messages[-1]
    assert "matched without regard to" in results(last)[0]
    assert texts(last) == ""


# ── broken off ────────────────────────────────────────────────────────────────────────────
async def test_what_was_tried_again_already_is_not_tried_again_here(tmp_path: Path) -> None:
    """Five tries of whoever asks, times four of ours, would be twenty."""
    tried: list[AnyStreamEvent] = [
        TextGrew(text="He"),
        Waited(seconds=0.0, attempt=1, failure=CUT),
        Failed(failure=CUT),
    ]
    model = EventModel(tried, tried)
    agent = Agent(model, cwd=tmp_path)
    answer = await agent.run("hello")
    assert answer.subtype == "error_provider"
    assert len(model.requests) == 1


async def test_who_never_tries_again_is_asked_again(tmp_path: Path) -> None:
    model = EventModel([TextGrew(text="He"), Failed(failure=CUT)], [TextGrew(text="Hello."), END])
    agent = Agent(model, cwd=tmp_path)
    assert (await agent.run("hello")).text == "Hello."


# ── the mode, when a session goes on ──────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (Mode.BYPASS, Mode.DEFAULT, "Current Mode: default"),
        (Mode.BYPASS, Mode.PLAN, "Current Mode: plan"),
        (Mode.DEFAULT, Mode.ACCEPT_EDITS, "Current Mode: acceptEdits"),
        (Mode.BYPASS, Mode.BYPASS, ""),
        (Mode.DEFAULT, Mode.DEFAULT, ""),
    ],
)
async def test_a_session_that_goes_on_in_another_mode_says_so(
    tmp_path: Path, before: Mode, after: Mode, told: str
) -> None:
    first, _ = agent_in(tmp_path, ["One."], mode=before, records=True)
    session = (await first.run("one")).session_id
    await first.close()
    second, model = agent_in(tmp_path, ["Two."], mode=after, records=True, session_id=session)
    await second.run("two")
    await second.close()
    last = texts(said(model.requests[0])[-1])
    assert last.startswith("two")
    assert ("Current Mode" in last) is bool(told)
    assert told in last


async def test_a_mode_of_long_ago_is_not_taken_for_the_newest(tmp_path: Path) -> None:
    agent, model = agent_in(tmp_path, ["One.", "Two.", "Three."], mode="bypass", records=True)
    session = (await agent.run("one")).session_id
    agent.kit.mode = Mode.PLAN
    await agent.run("two")
    check_prefixes(model.requests)
    await agent.close()
    again, model = agent_in(tmp_path, ["Four."], mode="plan", records=True, session_id=session)
    await again.run("four")
    await again.close()
    assert texts(said(model.requests[0])[-1]) == "four"
