"""What each answer took, as its provider said, and how long the model was waited for."""

from pathlib import Path
from typing import Any

import pytest

from ankrcode import Agent, tool
from ankrcode.agent.progress import ApiTime
from ankrcode.frontends.cli.print_mode import usage_of
from ankrcode.protocol.message import Usage
from ankrcode.protocol.permission import Permission
from ankrcode.providers.scripted import ScriptedCall, ScriptedModel, TurnLike
from ankrcode.providers.scripted import Turn as Scripted
from ankrcode.providers.wire import ModelRequest
from ankrcode.tooling.identity import SystemSource
from frontends.headless import ChatServer, Turn, ask, call, calls, lines_of, said

FIRST = {"input_tokens": 120, "output_tokens": 7, "cached_tokens": 100, "written_tokens": 15}
SECOND = {"input_tokens": 150, "output_tokens": 4}
TOLD_FIRST = {
    "input_tokens": 5,
    "output_tokens": 7,
    "cache_read_input_tokens": 100,
    "cache_creation_input_tokens": 15,
}
NOTHING = dict.fromkeys(TOLD_FIRST, 0)
WAIT_S = 0.25


@pytest.fixture
def work(tmp_path: Path) -> Path:
    work = tmp_path / "work"
    work.mkdir()
    (work / "a.txt").write_text("one\n", encoding="utf-8")
    return work


def streamed(work: Path, *arguments: str, **more: Any) -> list[dict[str, Any]]:
    return lines_of(ask(work, *arguments, "--output-format", "stream-json", **more))


def usages(lines: list[dict[str, Any]]) -> list[dict[str, int]]:
    return [one["message"]["usage"] for one in lines if one["type"] == "assistant"]


# ── of each answer ────────────────────────────────────────────────────────────────────────────
def test_each_answer_has_the_usage_that_its_provider_reported(work: Path) -> None:
    turns = [
        calls(call("Read", file_path="a.txt"), usage=FIRST),
        {"text": "It says one.", "usage": SECOND},
    ]
    lines = streamed(work, "what is in a.txt?", turns=turns)
    first, second = usages(lines)
    assert first == TOLD_FIRST
    assert (second["input_tokens"], second["output_tokens"]) == (150, 4)
    kinds = [one["type"] for one in lines]
    assert kinds == ["system", "assistant", "user", "assistant", "result"]


def test_the_usages_of_the_answers_add_up_to_that_of_the_result(work: Path) -> None:
    turns = [
        calls(call("Read", file_path="a.txt"), usage=FIRST),
        {"text": "It says one.", "usage": SECOND},
    ]
    lines = streamed(work, "what is in a.txt?", turns=turns)
    total = lines[-1]["usage"]
    for name in TOLD_FIRST:
        assert total[name] == sum(one[name] for one in usages(lines)), name


def test_tokens_from_a_cache_are_counted_once() -> None:
    """Clients add the three: what was read from the cache is no ordinary input beside that."""
    told = usage_of(Usage(input_tokens=120, cached_tokens=100, written_tokens=15))
    assert told["input_tokens"] == 5
    assert sum(told.values()) == 120


def test_a_provider_that_counts_oddly_gives_no_negative_number() -> None:
    assert usage_of(Usage(input_tokens=10, cached_tokens=100))["input_tokens"] == 0


def test_an_answer_whose_provider_says_nothing_has_zeros(work: Path) -> None:
    assert usages(streamed(work, "hi", turns=["Hello."])) == [NOTHING]


def test_the_next_answer_does_not_inherit_what_the_last_one_took(work: Path) -> None:
    turns = [calls(call("Read", file_path="a.txt"), usage=FIRST), "It says one."]
    assert usages(streamed(work, "read it", turns=turns)) == [TOLD_FIRST, NOTHING]


def test_usage_that_comes_after_the_last_word_is_told_over_a_real_connection(work: Path) -> None:
    """Chat Completions say it in their last chunk, behind the text."""
    with ChatServer(said("Hello.")) as server:
        lines = streamed(work, "hi", *server.options)
    assert [(one["input_tokens"], one["output_tokens"]) for one in usages(lines)] == [(11, 3)]


def test_pieces_end_with_the_usage_and_stay_in_their_order(work: Path) -> None:
    turns = [
        calls(call("Read", file_path="a.txt"), text="I look.", chunk=3, usage=FIRST),
        {"text": "Done.", "usage": SECOND},
    ]
    lines = streamed(work, "hi", "--include-partial-messages", turns=turns)
    events = [one["event"] for one in lines if one["type"] == "stream_event"]
    deltas = [one["usage"] for one in events if one["type"] == "message_delta"]
    assert [one["output_tokens"] for one in deltas] == [7, 4]
    assert deltas[0] == TOLD_FIRST
    kinds = [one["type"] for one in lines]
    first = kinds.index("assistant")
    assert lines[first - 1]["event"]["type"] == "message_stop"
    starts = [one["message"]["usage"] for one in events if one["type"] == "message_start"]
    assert starts == [NOTHING, NOTHING]  # nobody knows yet


def test_what_a_further_agent_says_has_its_own_usage(work: Path) -> None:
    order = call("Task", description="look", prompt="child: look", subagent_type="explore")
    turns = [
        calls(order, usage=FIRST),
        {"when": "child:", "text": "Seen.", "usage": {"input_tokens": 33, "output_tokens": 2}},
        {"text": "Done.", "usage": SECOND},
    ]
    lines = streamed(work, "hi", turns=turns)
    of_child = [one for one in lines if one["type"] == "assistant" and one["parent_tool_use_id"]]
    assert [one["message"]["usage"]["input_tokens"] for one in of_child] == [33]
    assert lines[-1]["usage"]["output_tokens"] == 7 + 2 + 4


# ── how long the model was waited for ─────────────────────────────────────────────────────────
def durations(lines: list[dict[str, Any]]) -> tuple[int, int]:
    return lines[-1]["duration_ms"], lines[-1]["duration_api_ms"]


class Clock(SystemSource):
    """It goes on when somebody says so: what takes time here takes none."""

    ahead_s = 0.0

    def monotonic(self) -> float:
        return super().monotonic() + self.ahead_s

    def thinking(self, turn: Scripted | str, seconds: float = 1_000.0) -> TurnLike:
        def said(_: ModelRequest) -> Scripted | str:
            self.ahead_s += seconds
            return turn

        return said


def roughly(seconds: float) -> Any:
    return pytest.approx(seconds * 1000, abs=100_000)  # a machine may be busy, but not so busy


async def test_the_time_of_tools_is_no_time_of_the_model(work: Path) -> None:
    clock = Clock()

    @tool(permission=Permission.READ)
    async def dawdle() -> str:
        """Take very long."""
        clock.ahead_s += 5_000
        return "done"

    order = Scripted(calls=(ScriptedCall(name="dawdle"),))
    model = ScriptedModel([clock.thinking(order), clock.thinking("Done.", 2_000)])
    agent = Agent(model, cwd=work, tools=[dawdle], toolset=["dawdle"], source=clock)
    answer = await agent.run("wait")
    assert answer.ok
    assert answer.duration_ms == roughly(8_000)
    assert answer.duration_api_ms == roughly(3_000)
    model.turns[:] = [clock.thinking("Again.", 500)]
    assert (await agent.run("and?")).duration_api_ms == roughly(500)  # each task has its own
    await agent.close()


async def test_a_summary_is_waited_for_too(work: Path) -> None:
    clock = Clock()
    model = ScriptedModel(["Hello.", clock.thinking("We said hello."), "Yes."])
    agent = Agent(model, cwd=work, source=clock)
    await agent.run("hi")
    assert await agent.compact()
    assert (await agent.run("still there?")).duration_api_ms == roughly(1_000)
    await agent.close()


async def test_further_agents_wait_for_their_model_too(work: Path) -> None:
    """Two at once: each of their requests counts, so that the sum may exceed the clock."""
    clock = Clock()
    about = {"description": "look", "subagent_type": "explore"}
    orders = (ScriptedCall(name="Task", arguments={**about, "prompt": one}) for one in "ab")
    seen = clock.thinking("Seen.")
    agent = Agent(ScriptedModel([Scripted(calls=tuple(orders)), seen, seen, "Done."]), cwd=work,
                  source=clock)  # fmt: skip
    answer = await agent.run("look")
    assert answer.text == "Done."
    assert answer.duration_ms == roughly(2_000)
    assert answer.duration_api_ms >= 1_999_000
    await agent.close()


def test_every_request_of_a_task_is_counted(work: Path) -> None:
    slow = {"delay_s": WAIT_S}
    turns = [calls(call("Read", file_path="a.txt"), **slow), {"text": "Done.", **slow}]
    whole, of_model = durations(lines_of(ask(work, "x", "--output-format", "json", turns=turns)))
    assert 2 * WAIT_S * 1000 - 2 <= of_model <= whole


def test_an_answer_that_fails_was_waited_for(work: Path) -> None:
    turns: list[Turn] = [{"fail": "auth", "delay_s": WAIT_S}]
    whole, of_model = durations(lines_of(ask(work, "x", "--output-format", "json", turns=turns)))
    assert WAIT_S * 1000 - 2 <= of_model <= whole


def test_without_a_model_none_was_waited_for(work: Path) -> None:
    lines = lines_of(ask(work, "a.txt padho", "--output-format", "json"))
    assert durations(lines)[1] == 0


def test_what_one_waits_those_above_wait_too_and_each_time_is_taken_once() -> None:
    above = ApiTime()
    below = ApiTime(above)
    below.waited(0.25)
    above.waited(0.5)
    assert (below.taken_ms(), above.taken_ms()) == (250, 750)
    assert (below.taken_ms(), above.taken_ms()) == (0, 0)
