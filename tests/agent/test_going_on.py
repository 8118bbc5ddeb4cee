"""What comes after: the next task after a failure, a resumed session, settings that bound it."""

from pathlib import Path
from typing import Any

import pytest

from agent.talking import agent_in, call, calls, check_accepted, said, texts
from ankrcode.config.models import BudgetSettings
from ankrcode.config.settings import Settings
from ankrcode.protocol.event import TextArrived, ToolCallStarted
from ankrcode.protocol.message import Usage
from ankrcode.protocol.stream import (
    AnyStreamEvent,
    CallClosed,
    FailureKind,
    StopReason,
    TextGrew,
)
from ankrcode.providers.scripted import ScriptedCall, Turn
from ankrcode.providers.wire import Options


async def test_after_a_failure_of_the_provider_the_next_task_goes_on(tmp_path: Path) -> None:
    agent, model = agent_in(tmp_path, [Turn(fail=FailureKind.QUOTA), "Here again."])
    assert (await agent.run("first")).subtype == "error_provider"
    assert (await agent.run("second")).text == "Here again."
    assert texts(said(model.requests[1])[0]) == "first\nsecond"
    check_accepted(model.requests[1].messages)


async def test_after_the_limit_of_turns_the_next_task_goes_on(tmp_path: Path) -> None:
    turns = [calls(call("List"))] * 2 + ["Done after all."]
    agent, model = agent_in(tmp_path, turns)
    assert (await agent.run("look", max_turns=2)).subtype == "error_max_turns"
    assert (await agent.run("go on")).text == "Done after all."
    check_accepted(model.requests[-1].messages)


async def test_circles_of_one_task_do_not_count_for_the_next(tmp_path: Path) -> None:
    agent, _ = agent_in(
        tmp_path, [*[calls(call("List"))] * 8, "One.", *[calls(call("List"))] * 8, "Two."]
    )
    assert (await agent.run("first")).text == "One."
    assert (await agent.run("second")).text == "Two."


async def test_denials_of_one_task_are_not_told_again(tmp_path: Path) -> None:
    turns = [calls(call("Write", file_path="a", content="")), "No.", "Fine."]
    agent, _ = agent_in(tmp_path, turns, mode="dontAsk")
    assert len((await agent.run("first")).denials) == 1
    answer = await agent.run("second")
    assert answer.ok
    assert answer.denials == ()


# ── evidence over sessions ────────────────────────────────────────────────────────────────
RUN = calls(call("Bash", command="test -f a.py && ./run_tests.sh"))


@pytest.fixture
def tested(tmp_path: Path) -> Path:
    script = tmp_path / "run_tests.sh"
    script.write_text("#!/bin/sh\necho 3 passed\n")
    script.chmod(0o755)
    (tmp_path / "a.py").write_text("a = 1\n")
    return tmp_path


async def test_a_run_of_an_earlier_process_bears_out_a_claim(tested: Path) -> None:
    agent, _ = agent_in(tested, [RUN, "Ran them."], records=True, mode="bypass")
    session = (await agent.run("test")).session_id
    await agent.close()
    resumed, _ = agent_in(tested, ["All tests pass."], records=True, session_id=session)
    assert (await resumed.run("well?")).notes == ()
    await resumed.close()


async def test_an_edit_after_that_run_makes_it_stale(tested: Path) -> None:
    agent, _ = agent_in(tested, [RUN, "Ran them."], records=True, mode="bypass")
    session = (await agent.run("test")).session_id
    await agent.close()
    turns = [
        calls(call("Read", file_path="a.py")),
        calls(call("Edit", file_path="a.py", old_string="a = 1", new_string="a = 2")),
        "All tests pass.",
    ]
    resumed, _ = agent_in(tested, turns, records=True, session_id=session, mode="bypass")
    answer = await resumed.run("change it")
    assert len(answer.notes) == 1
    assert "a.py" in answer.notes[0]
    await resumed.close()


async def test_a_compacted_conversation_remembers_what_ran(tested: Path) -> None:
    agent, _ = agent_in(tested, [RUN, "Ran.", "A summary.", "All tests pass."], mode="bypass")
    await agent.run("test")
    await agent.compact()
    assert (await agent.run("well?")).notes == ()
    await agent.close()


async def test_an_answer_as_data_is_not_touched(tested: Path) -> None:
    schema = {"type": "object", "properties": {"said": {"type": "string"}}}
    agent, _ = agent_in(tested, ['{"said": "All tests pass."}'])
    answer = await agent.run("well?", schema=schema)
    assert answer.structured == {"said": "All tests pass."}
    assert answer.text == '{"said": "All tests pass."}'


# ── settings ──────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("budget", "turns"),
    [
        (BudgetSettings(turns=2), 2),
        (BudgetSettings(tokens=15_000), 1),
        (BudgetSettings(seconds=1e-9), 0),
    ],
)
async def test_budgets_of_the_settings_hold(
    tmp_path: Path, budget: BudgetSettings, turns: int
) -> None:
    usage = Usage(input_tokens=9_000, output_tokens=2_000)
    script = [calls(call("List"), usage=usage), calls(call("List", path="."), usage=usage)]
    agent, _ = agent_in(tmp_path, [*script, *script], settings=Settings(budget=budget))
    answer = await agent.run("look")
    assert answer.subtype == "error_budget"
    assert answer.turns == turns
    assert answer.error
    check_accepted(agent.kit.agent.messages)


async def test_a_budget_holds_over_several_tasks(tmp_path: Path) -> None:
    settings = Settings(budget=BudgetSettings(turns=3))
    agent, _ = agent_in(tmp_path, ["one", "two", "three", "four"], settings=settings)
    answers = [(await agent.run("go")).subtype for _ in range(4)]
    assert answers == ["success", "success", "success", "error_budget"]


async def test_options_go_with_every_request(tmp_path: Path) -> None:
    options = Options(temperature=0.2, effort="high", max_output_tokens=500)
    agent, model = agent_in(tmp_path, [calls(call("List")), "Done."], options=options)
    await agent.run("look")
    assert all(one.options == options for one in model.requests)


async def test_a_limit_that_cuts_every_answer_ends_in_the_end(tmp_path: Path) -> None:
    """All that was said is kept; but nobody must take it for a whole answer."""
    agent, model = agent_in(tmp_path, [Turn(text="more ", stop=StopReason.LENGTH)] * 20)
    answer = await agent.run("a long tale")
    assert answer.text == "more " * 6
    assert len(model.requests) == 6
    assert (answer.subtype, answer.is_error) == ("error_provider", True)
    assert "cut off at its length 6 times" in answer.error
    model.turns[:] = ["The end."]
    assert (await agent.run("go on")).ok


BROKEN = ScriptedCall(name="List", arguments='{"path": "')


@pytest.mark.parametrize(
    ("turn", "said"),
    [
        (Turn(text="", thinking="Hm. ", stop=StopReason.LENGTH), "cut off at its length"),
        (Turn(text="wait ", stop=StopReason.PAUSE), "paused 6 times"),
        (Turn(text="I look. ", calls=(BROKEN,)), "arguments that are no JSON"),
        (Turn(calls=(BROKEN,), stop=StopReason.LENGTH), "arguments that are no JSON"),
    ],
)
async def test_what_never_becomes_a_whole_answer_is_no_success(
    tmp_path: Path, turn: Turn, said: str
) -> None:
    agent, model = agent_in(tmp_path, [turn] * 20)
    answer = await agent.run("go")
    assert answer.subtype == "error_provider"
    assert said in answer.error
    assert len(model.requests) == 6
    assert answer.text == turn.text * 6


async def test_a_piece_that_ends_well_makes_the_whole_answer_good(tmp_path: Path) -> None:
    cut = Turn(text="more ", stop=StopReason.LENGTH)
    agent, _ = agent_in(tmp_path, [*[cut] * 5, "and the end."])
    answer = await agent.run("a long tale")
    assert (answer.subtype, answer.text) == ("success", "more " * 5 + "and the end.")


async def test_data_that_fits_is_whole_whatever_its_end(tmp_path: Path) -> None:
    cut = Turn(text="", thinking="Hm.", stop=StopReason.LENGTH)
    whole = Turn(text='{"a": 1}', stop=StopReason.LENGTH)
    agent, _ = agent_in(tmp_path, [*[cut] * 5, whole])
    answer = await agent.run("go", schema={"type": "object", "required": ["a"]})
    assert (answer.subtype, answer.structured) == ("success", {"a": 1})


# ── what a screen sees ────────────────────────────────────────────────────────────────────
async def test_a_call_is_seen_to_start_before_the_text_goes_on(tmp_path: Path) -> None:
    """In one answer: a call, then more text; the screen is told in that order."""
    later: tuple[AnyStreamEvent, ...] = (
        CallClosed(index=0, id="c1", name="List", arguments={}),
        *[TextGrew(text=f"{number} ") for number in range(60)],
    )
    turn = Turn(text="Before. ", events=later, stop=StopReason.TOOL_USE, pause_s=0.001)
    agent, _ = agent_in(tmp_path, [turn, "Done."])
    order: list[str] = []
    async for event in agent.stream("go"):
        if isinstance(event, ToolCallStarted):
            order.append("call")
        elif isinstance(event, TextArrived):
            order.append(event.text.strip())
    assert order.index("Before.") < order.index("call") < order.index("59")


async def test_every_event_says_whose_it_is_and_when(tmp_path: Path) -> None:
    agent, _ = agent_in(tmp_path, [calls(call("List"), text="Looking."), "Done."])
    events: list[Any] = [event async for event in agent.stream("look")]
    assert {event.agent_id for event in events} == {agent.kit.agent.agent_id}
    times = [event.at for event in events]
    assert times == sorted(times)
    assert times[0] > 0


async def test_the_end_of_a_turn_tells_its_usage(tmp_path: Path) -> None:
    usage = Usage(input_tokens=7, output_tokens=3)
    agent, _ = agent_in(tmp_path, [Turn(text="Hi.", usage=usage)])
    events = [event async for event in agent.stream("hi")]
    assert events[-1].type == "turn_end"
    assert events[-1].usage == usage  # type: ignore[attr-defined]
    assert events[0].turn_id == events[-1].turn_id  # type: ignore[attr-defined]


async def test_several_screens_see_the_same(tmp_path: Path) -> None:
    agent, _ = agent_in(tmp_path, ["Hello."])
    seen: list[str] = []
    stop = agent.kit.on("text_delta", lambda event: seen.append(event.text))  # type: ignore[attr-defined]
    streamed = [one.text async for one in agent.stream("hi") if isinstance(one, TextArrived)]
    assert agent.kit.activity.flush()
    stop()
    assert seen == streamed == ["Hello."]
