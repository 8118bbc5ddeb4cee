"""Whatever a model does, however the line breaks: the talk stays in order, nothing runs twice."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.talking import check_accepted, check_prefixes
from ankrcode import Acts, Agent, Permission, tool
from ankrcode.agent.clearing import cleared
from ankrcode.agent.compaction import digest, rebuilt
from ankrcode.agent.context import ContextWindow
from ankrcode.agent.estimate import Estimate
from ankrcode.agent.pinned import kept_words, shortened
from ankrcode.protocol.message import Message, TextPart, ToolResultPart, ToolUsePart, Usage
from ankrcode.protocol.stream import (
    AnyStreamEvent,
    CallClosed,
    Failure,
    FailureKind,
    StopReason,
    Switched,
    Waited,
)
from ankrcode.providers.scripted import ScriptedCall, ScriptedModel, Turn
from torture import examples

BUSY = Failure(kind=FailureKind.OVERLOADED, message="busy")


class Counter:
    """Tools that count each run by its name."""

    def __init__(self) -> None:
        self.ran: list[str] = []

        @tool(permission=Permission.READ, name="look", acts=lambda arguments, ctx: Acts())
        async def look(name: str) -> str:
            """Look."""
            self.ran.append(name)
            await asyncio.sleep(0)
            return f"saw {name}"

        @tool(permission=Permission.WRITE, name="change")
        async def change(name: str) -> str:
            """Change."""
            self.ran.append(name)
            return f"changed {name}"

        @tool(permission=Permission.WRITE, name="fail")
        async def fail(name: str) -> str:
            """Fail."""
            self.ran.append(name)
            raise ValueError(name)

        self.tools = [look, change, fail]


# ── what a model may do ───────────────────────────────────────────────────────────────────
names = st.sampled_from(["look", "change", "fail", "unknown"])
ids = st.sampled_from(["", "", "same", "a", "b"])
texts = st.text("ab \n।é", max_size=12)


@st.composite
def scripted_calls(draw: Any) -> ScriptedCall:
    name, call_id = draw(names), draw(ids)
    if draw(st.integers(0, 9)) == 0:
        return ScriptedCall(name=name, arguments='{"name": "hal', id=call_id)
    unique = draw(st.uuids()).hex[:12]
    return ScriptedCall(name=name, arguments={"name": unique}, id=call_id)


@st.composite
def scripted_turns(draw: Any) -> Turn:
    more: dict[str, Any] = {}
    kind = draw(st.integers(0, 9))
    if kind == 0:
        more["cut_after"] = draw(st.integers(0, 12))
    elif kind == 1:
        more["fail"] = draw(st.sampled_from([FailureKind.CUT, FailureKind.OVERLOADED]))
    elif kind == 2:
        more["stop"] = draw(
            st.sampled_from([StopReason.LENGTH, StopReason.PAUSE, StopReason.OTHER])
        )
    elif kind == 3:
        more["usage"] = Usage(input_tokens=draw(st.integers(0, 9_000)), output_tokens=3)
    return Turn(
        text=draw(texts),
        thinking=draw(st.sampled_from(["", "", "hm"])),
        calls=tuple(draw(st.lists(scripted_calls(), max_size=4))),
        chunk=draw(st.sampled_from([0, 1, 3])),
        **more,
    )


async def talked(
    folder: Path, script: list[Turn], *, records: bool
) -> tuple[Agent, ScriptedModel, Counter]:
    counter = Counter()
    model = ScriptedModel([*script, *["The end."] * 8])
    agent = Agent(
        model, cwd=folder, tools=counter.tools, toolset=["look", "change", "fail"], mode="bypass",
        records=records, max_turns=40,
    )  # fmt: skip
    await agent.run("begin")
    model.turns[:] = ["And on."]
    answer = await agent.run("go on")
    assert answer.text == "And on."
    await agent.close()
    return agent, model, counter


@pytest.mark.torture
@given(script=st.lists(scripted_turns(), max_size=8))
@examples(in_ci=80, in_torture=20_000)
def test_any_script_leaves_a_conversation_that_a_provider_takes(
    script: list[Turn], tmp_path: Path
) -> None:
    agent, model, counter = asyncio.run(talked(tmp_path, script, records=False))
    for request in model.requests:
        check_accepted(request.messages)
    check_accepted(agent.kit.agent.messages)
    assert len(set(counter.ran)) == len(counter.ran)
    told = {
        part.tool_use_id
        for message in agent.kit.agent.messages
        for part in message.parts
        if isinstance(part, ToolResultPart)
    }
    used = {
        part.arguments["name"]
        for message in agent.kit.agent.messages
        for part in message.parts
        if isinstance(part, ToolUsePart) and part.id in told
    }
    assert set(counter.ran) <= used


@pytest.mark.torture
@given(script=st.lists(scripted_turns(), max_size=6))
@examples(in_ci=25, in_torture=5_000)
def test_any_script_is_restored_as_it_was(script: list[Turn], tmp_path: Path) -> None:
    agent, model, _ = asyncio.run(talked(tmp_path, script, records=True))
    said = list(agent.kit.agent.messages)
    session = agent.kit.agent.session_id

    async def resumed() -> list[Message]:
        again = Agent(ScriptedModel([]), cwd=tmp_path, records=True, session_id=session)
        messages = list(again.kit.agent.messages)
        await again.close()
        return messages

    restored = asyncio.run(resumed())
    check_accepted(restored)
    assert flat(restored) == flat(said)
    assert model.requests


def flat(said: list[Message]) -> list[tuple[str, str]]:
    """What was said by whom; where a text was cut into pieces does not matter."""
    told: list[tuple[str, str]] = []
    for message in said:
        for part in message.parts:
            if isinstance(part, TextPart):
                told.append((message.role, part.text))
            elif isinstance(part, ToolUsePart):
                told.append(("call", f"{part.id} {part.name} {part.arguments}"))
            elif isinstance(part, ToolResultPart):
                told.append(("result", f"{part.tool_use_id} {part.text.partition('[')[0].strip()}"))
    return told


@pytest.mark.torture
@given(
    script=st.lists(scripted_turns(), min_size=1, max_size=6),
    steps=st.integers(0, 60),
)
@examples(in_ci=50, in_torture=10_000)
def test_any_script_can_be_cancelled_anywhere(
    script: list[Turn], steps: int, tmp_path: Path
) -> None:
    async def cancelled() -> None:
        counter = Counter()
        model = ScriptedModel([*script, *["The end."] * 8])
        agent = Agent(
            model, cwd=tmp_path, tools=counter.tools, toolset=["look"], mode="bypass", max_turns=40
        )
        working = asyncio.ensure_future(agent.run("begin"))
        for _ in range(steps):
            await asyncio.sleep(0)
        agent.cancel()
        await working
        model.turns[:] = ["And on."]
        assert (await agent.run("go on")).text == "And on."
        check_accepted(model.requests[-1].messages)
        check_accepted(agent.kit.agent.messages)
        assert len(set(counter.ran)) == len(counter.ran)
        await agent.close()

    asyncio.run(cancelled())


async def test_a_wait_and_a_switch_in_the_middle_lose_nothing(tmp_path: Path) -> None:
    counter = Counter()
    events: tuple[AnyStreamEvent, ...] = (
        Waited(seconds=0.1, attempt=1, failure=BUSY),
        Switched(provider="other", model="m", failure=BUSY),
    )
    turn = Turn(
        text="Half", calls=(ScriptedCall(name="look", arguments={"name": "x"}),), events=events
    )
    model = ScriptedModel([turn, "Done."])
    agent = Agent(model, cwd=tmp_path, tools=counter.tools, mode="bypass")
    notices = [
        event.key  # type: ignore[attr-defined]
        async for event in agent.stream("go")
        if event.type == "notice"
    ]
    assert notices == ["model_waits", "model_switched"]
    assert counter.ran == ["x"]
    check_accepted(agent.kit.agent.messages)
    check_prefixes(model.requests)


async def test_a_model_that_raises_leaves_the_conversation_in_order(tmp_path: Path) -> None:
    counter = Counter()
    call = ScriptedCall(name="look", arguments={"name": "x"})
    broken = Raising([Turn(calls=(call,))])
    agent = Agent(broken, cwd=tmp_path, tools=counter.tools, mode="bypass")
    with pytest.raises(RuntimeError, match="a fault"):
        await agent.run("go")
    check_accepted(agent.kit.agent.messages)
    broken.is_broken = False
    broken.turns[:] = ["On."]
    assert (await agent.run("again")).text == "On."


class Raising(ScriptedModel):
    is_broken = True

    async def stream(self, request: Any) -> Any:
        async for event in super().stream(request):
            yield event
            if self.is_broken and isinstance(event, CallClosed):
                raise RuntimeError("a fault of the wire")


# ── making room, for any conversation ─────────────────────────────────────────────────────
@st.composite
def conversations(draw: Any) -> list[Message]:
    said: list[Message] = []
    number = 0
    for _ in range(draw(st.integers(1, 12))):
        words = "please " * draw(st.sampled_from([1, 30, 400]))
        said.append(Message(role="user", parts=(TextPart(text=words + str(number)),)))
        for _ in range(draw(st.integers(0, 4))):
            count = draw(st.integers(1, 3))
            uses, told = [], []
            for _ in range(count):
                number += 1
                uses.append(ToolUsePart(id=f"c{number}", name="look", arguments={"n": number}))
                text = "x" * draw(st.sampled_from([3, 500, 6_000]))
                told.append(ToolResultPart(tool_use_id=f"c{number}", text=text))
            said.append(Message(role="assistant", parts=tuple(uses)))
            said.append(Message(role="user", parts=tuple(told)))
        said.append(Message(role="assistant", parts=(TextPart(text="done " * 20),)))
    said.append(Message(role="user", parts=(TextPart(text="and now?"),)))
    return said


@given(said=conversations(), protected=st.sampled_from([0, 500, 5_000]))
@examples(in_ci=50, in_torture=5_000)
def test_clearing_any_conversation_keeps_its_order(said: list[Message], protected: int) -> None:
    estimate = Estimate()
    lighter = cleared(said, estimate, protected)
    check_accepted(lighter)
    assert len(lighter) == len(said)
    assert estimate.of(lighter) <= estimate.of(said)
    assert lighter[-1] is said[-1]
    assert cleared(lighter, estimate, protected) == lighter


@given(said=conversations(), window=st.sampled_from([2_000, 4_000, 30_000]))
@examples(in_ci=50, in_torture=5_000)
def test_any_conversation_can_go_on_from_a_summary(
    said: list[Message], window: int, tmp_path: Path
) -> None:
    async def compacted() -> tuple[list[Message], int]:
        agent = Agent(ScriptedModel([], context_tokens=window), cwd=tmp_path, system_prompt="S")
        agent.kit.agent.messages[:] = said
        talk = await agent.talk()
        after = rebuilt(talk, ContextWindow(window), "A summary.")
        return after, talk.conversation.estimate.of(after)

    after, size = asyncio.run(compacted())
    check_accepted(after)
    assert after[0].role == "user"
    assert any("A summary." in part.text for part in after[0].parts if isinstance(part, TextPart))
    assert after[-1].parts[-1] == said[-1].parts[-1]
    longest = max(
        len(part.text) for one in said for part in one.parts if isinstance(part, TextPart)
    )
    assert size <= window or longest > window
    assert digest(said)


@given(
    said=st.lists(st.text("abc. never\n", max_size=300), max_size=12), tokens=st.integers(1, 200)
)
@examples(in_ci=100, in_torture=10_000)
def test_kept_words_never_take_more_than_they_may(said: list[str], tokens: int) -> None:
    from ankrcode.agent.estimate import of_text

    kept = kept_words(said, tokens)
    assert sum(map(of_text, kept)) <= tokens + 3
    assert len(kept) <= len(said)


@given(text=st.text(max_size=400), tokens=st.floats(1, 200))
@examples(in_ci=100, in_torture=10_000)
def test_shortened_text_fits_and_is_made_of_its_ends(text: str, tokens: float) -> None:
    short = shortened(text, tokens)
    if short != text:
        head, _, tail = short.partition("[…]")
        assert text.startswith(head.rstrip("\n"))
        assert text.endswith(tail.lstrip("\n"))
        assert len(short) <= len(text) + 7
