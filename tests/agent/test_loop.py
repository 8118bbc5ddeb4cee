"""The loop: ask, run what is asked for, tell the results, ask again."""

import asyncio
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
from ankrcode.errors import UsageError
from ankrcode.protocol.event import Event
from ankrcode.protocol.message import ThinkingPart, ToolUsePart, Usage
from ankrcode.protocol.result import Attachment
from ankrcode.protocol.stream import FailureKind, StopReason
from ankrcode.providers.scripted import ScriptedCall, Turn
from ankrcode.providers.wire import ModelRequest


async def test_an_answer_without_calls_is_the_answer(tmp_path: Path) -> None:
    agent, model = agent_in(tmp_path, ["Hello."])
    answer = await agent.run("hi")
    assert (answer.text, answer.subtype, answer.turns) == ("Hello.", "success", 1)
    assert [texts(one) for one in said(model.requests[0])] == ["hi"]
    await agent.close()


@pytest.mark.requirement("S1-062", "S0-194")
async def test_results_are_told_in_call_order_as_one_message(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / name).write_text(f"I am {name}\n")
    reads = [call("Read", file_path=name) for name in "cab"]
    agent, model = agent_in(tmp_path, [calls(*reads, text="Looking."), "Seen."])
    answer = await agent.run("look")
    assert answer.text == "Seen."
    told = results(model.requests[1].messages[-1])
    assert [text.split()[-1] for text in told] == ["c", "a", "b"]
    check_accepted(agent.kit.agent.messages)
    check_prefixes(model.requests)


async def test_a_task_remembers_the_one_before(tmp_path: Path) -> None:
    agent, model = agent_in(tmp_path, ["one", "two"])
    await agent.run("first")
    await agent.run("second")
    assert [texts(one) for one in said(model.requests[1])] == ["first", "one", "second"]
    check_prefixes(model.requests)


async def test_a_call_that_fails_is_told_as_an_error(tmp_path: Path) -> None:
    agent, model = agent_in(tmp_path, [calls(call("Read", file_path="none")), "Not there."])
    assert (await agent.run("look")).ok
    part = model.requests[1].messages[-1].parts[0]
    assert part.is_error  # type: ignore[union-attr]


async def test_an_unknown_tool_gets_a_result_that_teaches(tmp_path: Path) -> None:
    agent, model = agent_in(tmp_path, [calls(call("Globb", pattern="a")), "Sorry."])
    await agent.run("look")
    assert "Glob?" in results(model.requests[1].messages[-1])[0]


async def test_ids_that_come_again_are_made_new(tmp_path: Path) -> None:
    again = Turn(calls=(ScriptedCall(name="List", id="same"), ScriptedCall(name="List", id="same")))
    agent, _ = agent_in(tmp_path, [again, again, "Done."])
    assert (await agent.run("look twice")).ok
    used = [
        part.id
        for message in agent.kit.agent.messages
        for part in message.parts
        if isinstance(part, ToolUsePart)
    ]
    assert used[0] == "same"
    assert len(set(used)) == 4
    check_accepted(agent.kit.agent.messages)


async def test_thoughts_go_back_with_their_signature(tmp_path: Path) -> None:
    turn = Turn(thinking="hmm", signature="sig", calls=(call("List"),))
    agent, model = agent_in(tmp_path, [turn, "Done."])
    await agent.run("look")
    first = model.requests[1].messages[-2].parts[0]
    assert first == ThinkingPart(text="hmm", signature="sig")


async def test_the_limit_of_turns_ends_the_task_in_good_order(tmp_path: Path) -> None:
    turns = [calls(call("List"), text=f"Step {number}.") for number in range(5)]
    agent, _ = agent_in(tmp_path, turns, max_turns=3)
    answer = await agent.run("go on for ever")
    assert (answer.subtype, answer.turns) == ("error_max_turns", 3)
    assert answer.text == "Step 2."
    assert "3" in answer.error
    check_accepted(agent.kit.agent.messages)


async def test_a_task_may_have_a_limit_of_its_own(tmp_path: Path) -> None:
    agent, _ = agent_in(tmp_path, [calls(call("List"))] * 5, max_turns=3)
    assert (await agent.run("once", max_turns=1)).turns == 1


async def test_usage_adds_up_and_money_is_counted(tmp_path: Path) -> None:
    spent = Usage(input_tokens=1_000, output_tokens=100, cached_tokens=400)
    turns = [calls(call("List"), usage=spent), Turn(text="ok", usage=spent)]
    agent, model = agent_in(tmp_path, turns)
    model._name = "anthropic/claude-sonnet-4-5"
    answer = await agent.run("look")
    assert answer.usage == Usage(input_tokens=2_000, output_tokens=200, cached_tokens=800)
    assert answer.cost_usd > 0
    assert agent.purse.spent_usd == answer.cost_usd


async def test_a_budget_ends_the_task_before_the_next_request(tmp_path: Path) -> None:
    dear = Usage(input_tokens=1_000_000, output_tokens=100_000)
    agent, model = agent_in(tmp_path, [calls(call("List"), usage=dear)] * 3, max_cost_usd=1.0)
    model._name = "anthropic/claude-sonnet-4-5"
    answer = await agent.run("look")
    assert (answer.subtype, answer.turns) == ("error_budget", 1)
    check_accepted(agent.kit.agent.messages)


async def test_the_person_may_extend_a_budget(tmp_path: Path) -> None:
    asked: list[float] = []

    async def extend(overrun: object) -> bool:
        asked.append(overrun.spent)  # type: ignore[attr-defined]
        return True

    dear = Usage(input_tokens=1_000_000, output_tokens=100_000)
    turns = [calls(call("List"), usage=dear), "Done."]
    agent, model = agent_in(tmp_path, turns, max_cost_usd=1.0, extend_budget=extend)
    model._name = "anthropic/claude-sonnet-4-5"
    assert (await agent.run("look")).ok
    assert len(asked) == 1


async def test_the_same_calls_again_and_again_are_stopped(tmp_path: Path) -> None:
    agent, model = agent_in(tmp_path, [calls(call("List"))] * 30)
    answer = await agent.run("look")
    assert answer.subtype == "error_loop"
    assert answer.turns == 10
    reminded = [one for one in model.requests if "same calls" in texts(one.messages[-1])]
    assert reminded[0] is model.requests[4]
    check_prefixes(model.requests)


async def test_going_in_turns_is_a_circle_too(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a")
    two = [calls(call("List")), calls(call("Read", file_path="a"))]
    agent, _ = agent_in(tmp_path, two * 20)
    answer = await agent.run("look")
    assert answer.subtype == "error_loop"
    assert answer.turns == 20


async def test_working_through_a_list_is_no_circle(tmp_path: Path) -> None:
    for number in range(30):
        (tmp_path / f"f{number}").write_text(str(number))
    turns = [calls(call("Read", file_path=f"f{number}")) for number in range(30)]
    agent, _ = agent_in(tmp_path, [*turns, "Read all."])
    assert (await agent.run("read all")).text == "Read all."


async def test_words_while_it_works_come_with_the_next_results(tmp_path: Path) -> None:
    agent, model = agent_in(tmp_path, [])

    def speaks(request: ModelRequest) -> Turn:
        agent.say("use tabs")
        return calls(call("List"))

    model.turns[:] = [speaks, "With tabs."]
    answer = await agent.run("write it")
    assert answer.text == "With tabs."
    last = model.requests[1].messages[-1]
    assert results(last)
    assert texts(last) == "use tabs"
    check_prefixes(model.requests)


async def test_words_after_the_last_call_keep_it_going(tmp_path: Path) -> None:
    agent, model = agent_in(tmp_path, [])

    def speaks(request: ModelRequest) -> str:
        agent.say("and the other one")
        return "First done."

    model.turns[:] = [speaks, "Both done."]
    assert (await agent.run("do it")).text == "Both done."
    assert texts(model.requests[1].messages[-1]) == "and the other one"


async def test_words_before_the_first_task_are_told_with_it(tmp_path: Path) -> None:
    agent, model = agent_in(tmp_path, ["ok"])
    agent.say("mind the gap")
    await agent.run("go")
    assert texts(said(model.requests[0])[0]) == "mind the gap\ngo"


async def test_a_change_of_mode_is_told_and_changes_no_prefix(tmp_path: Path) -> None:
    agent, model = agent_in(tmp_path, [], mode="default")

    def changes(request: ModelRequest) -> Turn:
        agent.kit.mode = "plan"
        return calls(call("List"))

    model.turns[:] = [changes, "Planned."]
    await agent.run("think")
    assert "Current Mode: plan" in texts(model.requests[1].messages[-1])
    assert "Current Mode" not in texts(said(model.requests[0])[0])
    check_prefixes(model.requests)


@pytest.mark.requirement("S0-129")
async def test_a_mode_other_than_the_default_is_told_at_the_start(tmp_path: Path) -> None:
    agent, model = agent_in(tmp_path, ["ok", "ok"], mode="plan")
    await agent.run("think")
    await agent.run("more")
    first, _, second = said(model.requests[1])
    assert "detailed plan" in texts(first)
    assert texts(second) == "more"


async def test_attachments_go_with_the_task(tmp_path: Path) -> None:
    picture = Attachment(type="image", mime="image/png", data="AAAA")
    agent, model = agent_in(tmp_path, ["A picture."])
    await agent.run("what is it?", attachments=[picture])
    part = said(model.requests[0])[0].parts[1]
    assert part.attachment == picture  # type: ignore[union-attr]


async def test_a_second_task_at_the_same_time_is_refused(tmp_path: Path) -> None:
    agent, _ = agent_in(tmp_path, [Turn(text="slow", delay_s=5)])
    working = asyncio.ensure_future(agent.run("one"))
    await asyncio.sleep(0)
    with pytest.raises(UsageError, match="at work"):
        await agent.run("two")
    agent.cancel()
    assert (await working).subtype == "error_cancelled"


async def test_an_answer_cut_at_its_limit_is_gone_on_with(tmp_path: Path) -> None:
    turns = [Turn(text="Once upon ", stop=StopReason.LENGTH), "a time."]
    agent, model = agent_in(tmp_path, turns)
    assert (await agent.run("a tale")).text == "Once upon a time."
    assert "cut off" in texts(model.requests[1].messages[-1])


async def test_a_paused_answer_is_sent_back_as_it_is(tmp_path: Path) -> None:
    turns = [Turn(text="Searching… ", stop=StopReason.PAUSE), "found."]
    agent, model = agent_in(tmp_path, turns)
    assert (await agent.run("search")).text == "Searching… found."
    assert model.requests[1].messages[-1].role == "assistant"


async def test_a_call_that_is_not_whole_does_not_run(tmp_path: Path) -> None:
    broken = ScriptedCall(name="Write", arguments='{"file_path": "a", "con')
    turns = [Turn(calls=(broken,), stop=StopReason.LENGTH), "Smaller then."]
    agent, model = agent_in(tmp_path, turns)
    assert (await agent.run("write")).text == "Smaller then."
    assert "Write was not whole" in texts(model.requests[1].messages[-1])
    assert not (tmp_path / "a").exists()
    check_accepted(agent.kit.agent.messages)


async def test_a_refusal_is_said_as_one(tmp_path: Path) -> None:
    agent, _ = agent_in(tmp_path, [Turn(text="No.", stop=StopReason.REFUSAL)])
    answer = await agent.run("do it")
    assert answer.subtype == "error_provider"
    assert "declined" in answer.error


async def test_a_provider_that_fails_ends_the_task_with_its_reason(tmp_path: Path) -> None:
    agent, _ = agent_in(tmp_path, [Turn(fail=FailureKind.AUTH)])
    answer = await agent.run("hello")
    assert answer.subtype == "error_provider"
    assert answer.failure is not None
    assert answer.failure.kind is FailureKind.AUTH
    check_accepted([])


async def test_the_events_of_a_task_tell_its_story(tmp_path: Path) -> None:
    agent, _ = agent_in(tmp_path, [calls(call("List"), text="Looking."), "Done."])
    seen: list[Event] = [event async for event in agent.stream("look")]
    kinds = [event.type for event in seen]
    # The call begins before the rest of the answer is read, and so before its message is whole.
    story = ["turn_start", "message", "text_delta", "tool_call_start", "message", "tool_call_end"]
    assert kinds == [*story, "message", "text_delta", "message", "turn_end"]
    assert agent.answer is not None
    assert agent.answer.text == "Done."


async def test_whoever_stops_listening_stops_the_task(tmp_path: Path) -> None:
    agent, _ = agent_in(tmp_path, [calls(call("List")), Turn(text="never", delay_s=30)])
    events = agent.stream("look")
    async for event in events:
        if event.type == "tool_call_end":
            break
    await events.aclose()
    assert agent.answer is not None
    assert agent.answer.subtype == "error_cancelled"
    check_accepted(agent.kit.agent.messages)


def test_ordinary_code_can_run_a_task(tmp_path: Path) -> None:
    agent, _ = agent_in(tmp_path, [calls(call("List")), "Done."])
    assert agent.run_sync("look").text == "Done."
