"""A turn costs what is new in it, however long the conversation is; beginnings never change."""

import cProfile
import gc
import pstats
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

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
from ankrcode import Acts, Agent, Permission, hook, tool
from ankrcode.agent.ledger import MAX_KEPT
from ankrcode.protocol.stream import AnyStreamEvent, CallClosed, Stopped, StopReason, TextGrew
from ankrcode.providers.scripted import Turn
from ankrcode.providers.wire import ModelRequest


@tool(permission=Permission.READ, acts=lambda arguments, ctx: Acts())
async def nothing(number: int) -> str:
    """Do nothing."""
    return f"nothing {number}"


class Endless:
    """Calls and calls, and keeps nothing of what it was asked."""

    name = "test/endless"
    context_tokens = 50_000_000

    def __init__(self, turns: int, watched: tuple[int, ...] = (), per_turn: int = 1) -> None:
        self.turns = turns
        self.done = 0
        self.per_turn = per_turn
        self.watched = watched
        self.profiles: dict[int, cProfile.Profile] = {}

    async def stream(self, request: ModelRequest) -> AsyncIterator[AnyStreamEvent]:
        self.done += 1
        if profile := self.profiles.get(self.done - 1):
            profile.disable()
        if self.done > self.turns:
            yield TextGrew(text="Done.")
            yield Stopped(reason=StopReason.END)
            return
        if self.done in self.watched:
            self.profiles[self.done] = cProfile.Profile()
            self.profiles[self.done].enable()
        for index in range(self.per_turn):
            number = self.done * 10 + index
            yield CallClosed(
                index=index, id=f"c{number}", name="nothing", arguments={"number": number}
            )
        yield Stopped(reason=StopReason.TOOL_USE)

    async def close(self) -> None:
        pass

    def steps(self, turn: int) -> int:
        """How many functions were called in this turn: a count, not a time."""
        return int(pstats.Stats(self.profiles[turn]).total_calls)  # type: ignore[attr-defined]


async def test_a_late_turn_takes_as_many_steps_as_an_early_one(tmp_path: Path) -> None:
    early, late = (20, 21, 22, 23), (700, 701, 702, 703)
    model = Endless(720, (*early, *late), per_turn=2)
    agent = Agent(model, cwd=tmp_path, tools=[nothing], toolset=["nothing"], mode="bypass")
    assert (await agent.run("go")).ok
    before = min(model.steps(turn) for turn in early)
    after = min(model.steps(turn) for turn in late)
    assert before > 100
    assert after <= before * 1.1


async def test_what_is_kept_beside_the_conversation_is_bounded(tmp_path: Path) -> None:
    model = Endless(1_200)
    agent = Agent(model, cwd=tmp_path, tools=[nothing], toolset=["nothing"], mode="bypass")
    assert (await agent.run("go")).ok
    talk = await agent.talk()
    assert len(talk.ledger.ran) <= MAX_KEPT
    assert len(talk.guard._turns) <= 30
    assert talk.progress.denials == []
    assert len(talk.conversation.all) == 2 + 2 * 1_200 + 2
    assert talk.conversation.all[2] is agent.kit.agent.messages[0]


async def test_a_long_conversation_in_a_usual_window_stays_small(tmp_path: Path) -> None:
    """Results are large, the window is not: what is no longer told is no longer kept."""

    @tool(permission=Permission.READ, name="nothing", acts=lambda arguments, ctx: Acts())
    async def large(number: int) -> str:
        """Much text."""
        return f"{number} " * 1_000

    model = Endless(400)
    model.context_tokens = 30_000
    agent = Agent(model, cwd=tmp_path, tools=[large], toolset=["nothing"], mode="bypass")
    model.turns = 400
    assert (await agent.run("go")).ok
    gc.collect()
    size = sum(sys.getsizeof(part.text) for one in agent.kit.agent.messages for part in one.parts
               if hasattr(part, "text"))  # fmt: skip
    assert size < 400_000  # of 2 MB that were told
    assert (await agent.context()).rounds > 2
    check_accepted(agent.kit.agent.messages)


# ── beginnings ────────────────────────────────────────────────────────────────────────────
class Recalls:
    async def recall(self, query: str) -> str:
        return f"known of {query}"

    async def remember(self, experience: Any) -> None:
        pass


async def test_nothing_that_happens_on_the_way_changes_a_beginning(tmp_path: Path) -> None:
    """Modes, words, hooks, memory, inner instructions, reminders, failures: all are appended."""
    (tmp_path / "AGENTS.md").write_text("Outer.")
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "AGENTS.md").write_text("Inner.")
    (tmp_path / "inner" / "a.txt").write_text("a")

    @hook("UserPromptSubmit")
    def more(payload: dict[str, Any]) -> dict[str, Any]:
        return {"hookSpecificOutput": {"additionalContext": f"hooked {payload['prompt']}"}}

    @hook("PostToolUse")
    def after(payload: dict[str, Any]) -> dict[str, Any]:
        return {"hookSpecificOutput": {"additionalContext": "after the call"}}

    agent, model = agent_in(
        tmp_path, [], hooks=[more, after], memory=Recalls(), trusted=True, mode="acceptEdits"
    )

    def changes_mode(request: ModelRequest) -> Turn:
        agent.kit.mode = "plan"
        agent.say("look closely")
        return calls(call("Read", file_path="inner/a.txt"))

    def changes_it_back(request: ModelRequest) -> Turn:
        agent.kit.mode = "default"
        return calls(call("Read", file_path="none.txt"))

    again = calls(call("Read", file_path="none.txt"))
    model.turns[:] = [
        changes_mode,
        changes_it_back,
        *[again] * 5,
        Turn(text="x", calls=(call("List"),), cut_after=4),
        "One.",
        calls(call("Bash", command="true", run_in_background=True)),
        calls(call("Bash", command="sleep 0.2")),
        "Two.",
    ]
    await agent.run("first")
    agent.kit.mode = "bypass"
    await agent.run("second")
    await agent.close()
    assert model.turns == []
    check_prefixes(model.requests)
    for request in model.requests:
        check_accepted(request.messages)
    everything = "\n".join(texts(one) for one in said(model.requests[-1]))
    for told in ("hooked first", "known of first", "look closely", "Inner.", "mode: plan",
                 "mode: default", "same calls", "hooked second", "mode: bypass"):  # fmt: skip
        assert told.casefold() in everything.casefold(), told


async def test_tools_that_come_later_do_not_change_what_was_told(tmp_path: Path) -> None:
    agent, model = agent_in(tmp_path, ["one", "two"])
    await agent.run("first")
    agent.kit.registry.register(nothing)
    await agent.run("second")
    assert model.requests[0].tools is model.requests[1].tools


async def test_a_file_of_instructions_that_changes_does_not_change_the_beginning(
    tmp_path: Path,
) -> None:
    (tmp_path / "AGENTS.md").write_text("Old rules.")
    agent, model = agent_in(tmp_path, ["one", "two"], trusted=True)
    await agent.run("first")
    (tmp_path / "AGENTS.md").write_text("New rules.")
    await agent.run("second")
    check_prefixes(model.requests)
    assert "Old rules." in texts(model.requests[1].messages[1])


async def test_the_same_message_objects_come_with_every_request(tmp_path: Path) -> None:
    """Wires keep what they encoded by the object: none may be made anew."""
    agent, model = agent_in(tmp_path, [*[calls(call("List", path="."))] * 3, "Done."])
    await agent.run("look")
    first, last = model.requests[0].messages, model.requests[-1].messages
    assert all(one is other for one, other in zip(first, last, strict=False))
    assert results(last[-1])
