"""One answer while it streams: calls in any order, thoughts, other models, words from anywhere."""

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from agent.talking import agent_in, call, calls, check_accepted, results, said, texts
from ankrcode import Acts, Agent, Permission, tool
from ankrcode.protocol.event import MessageAdded, Noticed, ThinkingArrived, ToolCallStarted
from ankrcode.protocol.message import Message, TextPart, ThinkingPart, ToolUsePart, Usage
from ankrcode.protocol.stream import (
    AnyStreamEvent,
    CallBroken,
    CallClosed,
    CallGrew,
    CallOpened,
    Failed,
    Failure,
    FailureKind,
    Stopped,
    StopReason,
    Switched,
    TextGrew,
    ThinkingClosed,
    ThinkingGrew,
    Used,
    Waited,
)
from ankrcode.providers.wire import ModelRequest
from ankrcode.sessions.log import read_log
from ankrcode.sessions.records import CostSpent
from ankrcode.tooling.durable import session_store

BUSY = Failure(kind=FailureKind.OVERLOADED, message="busy")
END = Stopped(reason=StopReason.END)
CALLS = Stopped(reason=StopReason.TOOL_USE)


class EventModel:
    """Says just these events, answer by answer."""

    name = "test/events"
    context_tokens = 100_000

    def __init__(self, *answers: Sequence[AnyStreamEvent]) -> None:
        self.answers = list(answers)
        self.requests: list[tuple[Message, ...]] = []
        self.closed = 0

    async def stream(self, request: ModelRequest) -> AsyncIterator[AnyStreamEvent]:
        self.requests.append(tuple(request.messages))
        try:
            for event in self.answers.pop(0):
                yield event
                await asyncio.sleep(0)
        finally:
            self.closed += 1

    async def close(self) -> None:
        pass


@tool(permission=Permission.READ, acts=lambda arguments, ctx: Acts())
async def echo(word: str) -> str:
    """Say it again."""
    return f"{word}!"


def opened(index: int) -> CallOpened:
    return CallOpened(index=index, id=f"c{index}", name="echo")


def closed(index: int, word: str) -> CallClosed:
    return CallClosed(index=index, id=f"c{index}", name="echo", arguments={"word": word})


def agent_with(folder: Path, model: EventModel, **more: object) -> Agent:
    return Agent(model, cwd=folder, tools=[echo], mode="bypass", **more)  # type: ignore[arg-type]


DONE = (TextGrew(text="Done."), END)


# ── calls ─────────────────────────────────────────────────────────────────────────────────
async def test_calls_that_close_in_another_order_keep_their_places(tmp_path: Path) -> None:
    answer = (
        TextGrew(text="Three."),
        opened(0),
        opened(1),
        opened(2),
        closed(2, "third"),
        CallGrew(index=0, text="{"),
        closed(0, "first"),
        closed(1, "second"),
        CALLS,
    )
    model = EventModel(answer, DONE)
    agent = agent_with(tmp_path, model, records=True, session_id="s")
    assert (await agent.run("go")).text == "Done."
    uses = [part for part in model.requests[1][-2].parts if isinstance(part, ToolUsePart)]
    assert [part.arguments["word"] for part in uses] == ["first", "second", "third"]
    assert results(model.requests[1][-1]) == ["first!", "second!", "third!"]
    before = list(agent.kit.agent.messages)
    await agent.close()
    resumed = agent_with(tmp_path, EventModel(DONE), records=True, session_id="s")
    restored = resumed.kit.agent.messages
    check_accepted(restored)
    assert sorted(results(restored[2])) == sorted(results(before[2]))
    await resumed.close()


async def test_a_call_between_two_texts_keeps_its_place(tmp_path: Path) -> None:
    answer = (TextGrew(text="Before. "), closed(0, "x"), TextGrew(text="After."), CALLS)
    model = EventModel(answer, DONE)
    agent = agent_with(tmp_path, model, records=True, session_id="s")
    await agent.run("go")
    parts = model.requests[1][-2].parts
    assert [type(part) for part in parts] == [TextPart, ToolUsePart, TextPart]
    before = list(agent.kit.agent.messages)
    await agent.close()
    resumed = agent_with(tmp_path, EventModel(DONE), records=True, session_id="s")
    assert resumed.kit.agent.messages == before
    await resumed.close()


async def test_a_broken_call_beside_a_whole_one_is_told_of(tmp_path: Path) -> None:
    answer = (
        closed(0, "x"),
        opened(1),
        CallBroken(index=1, id="c1", name="echo", text='{"wo', why="cut"),
        Stopped(reason=StopReason.LENGTH),
    )
    model = EventModel(answer, DONE)
    agent = agent_with(tmp_path, model)
    await agent.run("go")
    last = model.requests[1][-1]
    assert results(last) == ["x!"]
    assert "echo was not whole" in texts(last)
    check_accepted(model.requests[1])


async def test_the_connection_is_closed_after_each_answer_and_on_cancel(tmp_path: Path) -> None:
    model = EventModel((closed(0, "x"), CALLS), DONE, [TextGrew(text="x")] * 10_000)
    agent = agent_with(tmp_path, model)
    await agent.run("go")
    assert model.closed == 2
    async for event in agent.stream("more"):
        if event.type == "text_delta":
            agent.cancel()
    assert model.closed == 3


# ── thoughts ──────────────────────────────────────────────────────────────────────────────
async def test_thoughts_are_shown_and_sent_back(tmp_path: Path) -> None:
    answer = (
        ThinkingGrew(text="Let me "),
        ThinkingGrew(text="think."),
        ThinkingClosed(signature="sig"),
        closed(0, "x"),
        CALLS,
    )
    model = EventModel(answer, DONE)
    agent = agent_with(tmp_path, model)
    shown = [one.text async for one in agent.stream("go") if isinstance(one, ThinkingArrived)]
    assert shown == ["Let me ", "think."]
    assert model.requests[1][-2].parts[0] == ThinkingPart(text="Let me think.", signature="sig")
    assert agent.answer is not None
    assert agent.answer.text == "Done."


# ── another try, another model ────────────────────────────────────────────────────────────
async def test_what_a_first_try_said_is_not_said_twice(tmp_path: Path) -> None:
    answer = (
        TextGrew(text="Half of it"),
        Waited(seconds=0.5, attempt=1, failure=BUSY),
        TextGrew(text="All of it."),
        END,
    )
    model = EventModel(answer)
    agent = agent_with(tmp_path, model)
    notices = [one async for one in agent.stream("go") if isinstance(one, Noticed)]
    assert [one.values["seconds"] for one in notices] == [0.5]
    assert agent.answer is not None
    assert agent.answer.text == "All of it."


async def test_another_model_is_paid_by_its_own_price(tmp_path: Path) -> None:
    used = Usage(input_tokens=1_000_000, output_tokens=0)
    answer = (
        Switched(provider="anthropic", model="claude-sonnet-4-5", failure=BUSY),
        TextGrew(text="Me."),
        Used(usage=used),
        END,
    )
    agent = agent_with(tmp_path, EventModel(answer), records=True, session_id="s")
    answer_given = await agent.run("go")
    await agent.close()
    assert answer_given.cost_usd > 1
    records = [one for _, one in read_log(session_store().path_of("s")).records]
    [cost] = [one for one in records if isinstance(one, CostSpent)]
    assert cost.model == "anthropic/claude-sonnet-4-5"
    assert cost.usd == pytest.approx(answer_given.cost_usd)


async def test_an_answer_that_broke_off_is_paid_too(tmp_path: Path) -> None:
    used = Usage(input_tokens=500, output_tokens=20)
    cut = Failure(kind=FailureKind.CUT, message="gone")
    whole = (Used(usage=used), *DONE)
    model = EventModel((TextGrew(text="Ha"), Used(usage=used), Failed(failure=cut)), whole)
    agent = agent_with(tmp_path, model)
    answer = await agent.run("go")
    assert answer.ok
    assert answer.usage == Usage(input_tokens=1000, output_tokens=40)


async def test_where_a_provider_does_not_count_we_do(tmp_path: Path) -> None:
    agent = agent_with(tmp_path, EventModel(DONE))
    answer = await agent.run("go " * 400)
    assert answer.usage.input_tokens > 400
    assert answer.usage.output_tokens > 0


# ── words from anywhere ───────────────────────────────────────────────────────────────────
async def test_words_of_other_threads_all_arrive(tmp_path: Path) -> None:
    agent, model = agent_in(tmp_path, [])

    def many(request: ModelRequest) -> object:
        def speak(number: int) -> None:
            for step in range(20):
                agent.say(f"{number}-{step}")

        threads = [threading.Thread(target=speak, args=(number,)) for number in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return calls(call("List"))

    model.turns[:] = [many, "Heard."]  # type: ignore[list-item]
    assert (await agent.run("listen")).text == "Heard."
    heard = texts(said(model.requests[1])[-1]).split("\n")
    assert len(heard) == 100
    assert all(
        [one for one in heard if one.startswith(f"{number}-")]
        == [f"{number}-{step}" for step in range(20)]
        for number in range(5)
    )


async def test_messages_are_told_as_they_are_added(tmp_path: Path) -> None:
    model = EventModel((TextGrew(text="Look."), closed(0, "x"), CALLS), DONE)
    agent = agent_with(tmp_path, model)
    order: list[str] = []
    async for event in agent.stream("go"):
        if isinstance(event, MessageAdded):
            order.append(event.message.role)
        elif isinstance(event, ToolCallStarted):
            order.append("call")
    assert order[0] == "user"
    assert sorted(order[1:3]) == ["assistant", "call"]
    assert order[3:] == ["user", "assistant"]
