"""A conversation that no longer fits goes on: shorter, in order, and with all that matters."""

from pathlib import Path
from typing import Any

import pytest

from agent.talking import agent_in, call, calls, check_accepted, results, said, texts
from ankrcode import Permission, hook, tool
from ankrcode.agent.clearing import cleared
from ankrcode.agent.compaction import digest
from ankrcode.agent.estimate import Estimate
from ankrcode.agent.model import ChosenModel
from ankrcode.protocol.event import Noticed
from ankrcode.protocol.message import (
    Message,
    TextPart,
    ToolResultPart,
    ToolUsePart,
    Usage,
)
from ankrcode.protocol.stream import FailureKind
from ankrcode.providers.scripted import ScriptedModel, Turn
from ankrcode.providers.wire import ModelRequest

SMALL: dict[str, Any] = {
    "toolset": ["fetch", "TodoWrite"],
    "system_prompt": "Follow the RULES OF THE HOUSE.",
}
SUMMARY = "Goal: fetch everything. Done: a part of it. Next: go on."


@tool(permission=Permission.READ)
async def fetch(number: int) -> str:
    """Fetch a page."""
    return f"page {number}: " + "lorem ipsum dolor " * 25


def is_summary_order(request: ModelRequest) -> bool:
    return "will go on from a summary" in texts(request.messages[-1])


class LongModel(ScriptedModel):
    """Makes the same kind of call over and over; summarises when it is told to."""

    def __init__(self, turns: int, summary: str = SUMMARY, context_tokens: int = 4_000) -> None:
        super().__init__([], context_tokens=context_tokens)
        self.left = turns
        self.summary = summary
        self.summaries = 0

    def _next_turn(self, request: ModelRequest) -> Turn:
        if is_summary_order(request):
            self.summaries += 1
            return Turn(text=self.summary) if self.summary else Turn(fail=FailureKind.SERVER)
        self.left -= 1
        if self.left < 0:
            return Turn(text="All fetched.")
        if self.left % 40 == 0:
            todos = [
                {"content": "Fetch the pages", "status": "in_progress"},
                {"content": f"Report {self.left}", "status": "pending"},
            ]
            return calls(call("TodoWrite", todos=todos), call("fetch", number=self.left))
        return calls(call("fetch", number=self.left), text=f"Fetching {self.left}.")


def check_requests(model: ScriptedModel) -> int:
    """Every request is in order; how often the beginning changed."""
    breaks = 0
    before: tuple[Message, ...] = ()
    for request in model.requests:
        check_accepted(request.messages)
        now = tuple(request.messages)
        if is_summary_order(request):
            continue
        if now[: len(before)] != before:
            breaks += 1
        before = now
    return breaks


@pytest.mark.requirement("S0-002")
async def test_two_hundred_turns_go_through_a_tiny_window(tmp_path: Path) -> None:
    model = LongModel(200)
    agent, _ = agent_in(tmp_path, [], tools=[fetch], mode="bypass", records=True, **SMALL)
    agent._model = ChosenModel(agent.kit.settings, model, None)
    task = "Fetch all pages. Never use the network cable."
    notices = [one.key async for one in agent.stream(task) if isinstance(one, Noticed)]
    answer = agent.answer
    assert answer is not None
    assert answer.ok, answer.error
    assert answer.text == "All fetched."
    assert answer.turns == 201
    breaks = check_requests(model)
    assert breaks == len(notices)  # the beginning changes only when room is made
    assert 5 < breaks < 100
    assert {"context_cleared", "context_compacted"} >= set(notices)
    last = said(model.requests[-1])
    assert texts(last[0]).startswith("Fetch all pages. Never use the network cable.")
    assert "Fetch the pages" in texts(last[0])
    assert "RULES OF THE HOUSE" in texts(model.requests[-1].messages[0])
    window = agent._talk.context if agent._talk else None
    assert window is not None
    assert (await agent.context()).tokens <= window.window
    await agent.close()
    resumed, again = agent_in(
        tmp_path, ["Gone on."], tools=[fetch], records=True,
        session_id=answer.session_id, **SMALL,
    )  # fmt: skip
    assert (await resumed.run("go on")).text == "Gone on."
    check_accepted(again.requests[0].messages)
    assert texts(said(again.requests[0])[0]) == texts(last[0])
    await resumed.close()


async def test_without_a_summary_code_makes_a_digest(tmp_path: Path) -> None:
    model = LongModel(60, summary="")
    agent, _ = agent_in(tmp_path, [], tools=[fetch], mode="bypass", **SMALL)
    agent._model = ChosenModel(agent.kit.settings, model, None)
    assert (await agent.run("Fetch all pages.")).ok
    check_requests(model)
    assert model.summaries
    assert "Calls made" in texts(said(model.requests[-1])[0])


async def test_a_window_that_is_too_small_for_the_rest_ends_the_task(tmp_path: Path) -> None:
    agent, model = agent_in(tmp_path, ["never"] * 9, context_tokens=4_000)
    answer = await agent.run("hello " * 4_000)
    assert answer.subtype == "error_context"
    assert "no longer fits" in answer.error
    assert len(model.requests) <= 2


async def test_two_rounds_that_bring_nothing_end_the_task(tmp_path: Path) -> None:
    """The fixed part fills the window nearly alone: each round is in vain."""
    model = LongModel(50, context_tokens=3_000)
    prompt = "Follow the rules. " * 480
    agent, _ = agent_in(tmp_path, [], tools=[fetch], toolset=["fetch"], system_prompt=prompt)
    agent._model = ChosenModel(agent.kit.settings, model, None)
    answer = await agent.run("Fetch all pages.")
    assert answer.subtype == "error_context"
    assert answer.turns < 20
    check_accepted(agent.kit.agent.messages)


async def test_a_provider_that_says_too_long_gets_less(tmp_path: Path) -> None:
    turns = [
        *[calls(call("fetch", number=number)) for number in range(20)],
        Turn(fail=FailureKind.CONTEXT),
        SUMMARY,
        "It fits now.",
    ]
    agent, model = agent_in(tmp_path, turns, tools=[fetch], mode="bypass", **SMALL)
    assert (await agent.run("Fetch.")).text == "It fits now."
    assert len(model.requests[-1].messages) < len(model.requests[-3].messages)
    assert SUMMARY in texts(said(model.requests[-1])[0])


async def test_one_that_says_it_for_ever_ends_the_task(tmp_path: Path) -> None:
    def too_long(request: ModelRequest) -> Turn:
        return Turn(text=SUMMARY) if is_summary_order(request) else Turn(fail=FailureKind.CONTEXT)

    agent, model = agent_in(tmp_path, [too_long] * 20, tools=[fetch], **SMALL)
    answer = await agent.run("Fetch.")
    assert answer.subtype in ("error_provider", "error_context")
    assert len(model.requests) <= 8


# ── what is kept ──────────────────────────────────────────────────────────────────────────
async def test_compacting_by_hand_keeps_the_words_and_the_order(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("a = 1\n")
    turns = [calls(call("Read", file_path="a.py")), "Read.", "Second.", SUMMARY, "After."]
    agent, model = agent_in(tmp_path, turns)
    await agent.run("Read a.py. Do not touch b.py.")
    await agent.run("And then?")
    assert await agent.compact("mind the colours")
    assert "mind the colours" in texts(model.requests[3].messages[-1])
    assert model.requests[3].options.tool_choice == "none"
    await agent.run("Go on.")
    first = said(model.requests[4])[0]
    told = texts(first)
    assert "Do not touch b.py." in told
    assert SUMMARY in told
    assert str(tmp_path / "a.py") in told
    check_accepted(model.requests[4].messages)


async def test_the_plan_and_the_mode_are_kept(tmp_path: Path) -> None:
    plan = tmp_path / "plan.md"
    plan.write_text("1. Think\n2. Act\n")
    agent, model = agent_in(tmp_path, ["Thought.", SUMMARY, "On."], mode="plan")
    agent.kit.agent.policy.plan_file = str(plan)
    await agent.run("Think about it.")
    await agent.compact()
    await agent.run("On.")
    told = texts(said(model.requests[2])[0])
    assert "2. Act" in told
    assert "Current Mode: plan" in told


async def test_clearing_begins_anew(tmp_path: Path) -> None:
    agent, model = agent_in(tmp_path, ["One.", "Two."], records=True)
    await agent.run("first")
    agent.clear()
    assert agent.kit.agent.messages == []
    await agent.run("second")
    assert [texts(one) for one in said(model.requests[1])] == ["second"]
    session = agent.kit.agent.session_id
    await agent.close()
    resumed, again = agent_in(tmp_path, ["Three."], records=True, session_id=session)
    await resumed.run("third")
    assert [texts(one) for one in said(again.requests[0])] == ["second", "Two.", "third"]
    await resumed.close()


async def test_the_context_can_be_looked_at(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("a = 1\n" * 500)
    agent, _ = agent_in(tmp_path, [calls(call("Read", file_path="a.py")), "Read."])
    empty = await agent.context()
    await agent.run("Read it.")
    full = await agent.context()
    assert full.tokens > empty.tokens > empty.tool_tokens > 0
    assert full.result_tokens > 500
    assert full.messages == 4
    assert 0 < full.share < 0.2


# ── hooks ─────────────────────────────────────────────────────────────────────────────────
async def test_hooks_hear_of_it_and_may_say_no(tmp_path: Path) -> None:
    heard: list[tuple[str, str]] = []

    @hook("PreCompact")
    def before(payload: dict[str, str]) -> dict[str, str] | None:
        heard.append((payload["hook_event_name"], payload["trigger"]))
        is_no = payload["custom_instructions"] == "no"
        return {"decision": "block", "reason": "not now"} if is_no else None

    @hook("PostCompact")
    def after(payload: dict[str, str]) -> None:
        heard.append((payload["hook_event_name"], payload["trigger"]))

    agent, _ = agent_in(tmp_path, ["Hello.", SUMMARY], hooks=[before, after])
    await agent.run("hi")
    assert not await agent.compact("no")
    assert await agent.compact()
    assert heard == [("PreCompact", "manual"), ("PreCompact", "manual"), ("PostCompact", "manual")]


# ── the pieces ────────────────────────────────────────────────────────────────────────────
def exchange(number: int, text: str) -> list[Message]:
    use = ToolUsePart(id=f"c{number}", name="Read", arguments={"file_path": f"f{number}.py"})
    return [
        Message(role="assistant", parts=(use,)),
        Message(role="user", parts=(ToolResultPart(tool_use_id=f"c{number}", text=text),)),
    ]


def test_old_results_are_cleared_and_say_what_they_were() -> None:
    talk = [part for number in range(10) for part in exchange(number, "x" * 4_000)]
    lighter = cleared(talk, Estimate(), protected=3_500)
    told = [results(one)[0] for one in lighter if results(one)]
    assert told[0] == "[Cleared to save room: Read f0.py. Call it again if needed.]"
    assert [text[0] for text in told] == ["["] * 7 + ["x"] * 3
    assert lighter[-1] is talk[-1]


def test_short_results_are_not_worth_clearing() -> None:
    talk = [part for number in range(10) for part in exchange(number, "short")]
    assert cleared(talk, Estimate(), protected=0) == talk


def test_a_digest_names_the_calls_and_which_failed() -> None:
    talk = [*exchange(1, "fine"), *exchange(2, "x")]
    bad = ToolResultPart(tool_use_id="c2", text="no such file", is_error=True)
    talk[-1] = Message(role="user", parts=(bad,))
    talk.append(Message(role="assistant", parts=(TextPart(text="Hm."),)))
    lines = digest(talk).splitlines()
    assert lines[1:] == ["- Read f1.py", "- Read f2.py (failed)", "Hm."]


@pytest.mark.parametrize("reported", [500, 4_000])
def test_the_estimate_learns_from_what_is_reported(reported: int) -> None:
    estimate = Estimate()
    estimate.begin([Message(role="user", parts=(TextPart(text="word " * 1_000),))])
    first = estimate.tokens
    for _ in range(12):
        estimate.calibrate(estimate.before_answer(), reported)
    assert abs(estimate.tokens - reported) < abs(first - reported) or estimate.tokens == reported
    assert abs(estimate.tokens - max(reported, first * 0.4)) < 0.1 * first


async def test_reports_of_a_provider_move_the_border(tmp_path: Path) -> None:
    """By our own count there is room; the provider counts more than that."""
    usage = Usage(input_tokens=2_400)
    turns = [Turn(calls=(call("fetch", number=1),), usage=usage)] * 4
    agent, _ = agent_in(
        tmp_path,
        [*turns, "Done.", "Done."],
        tools=[fetch],
        mode="bypass",
        context_tokens=2_500,
        **SMALL,
    )
    await agent.run("Fetch.")
    assert (await agent.context()).rounds > 0
