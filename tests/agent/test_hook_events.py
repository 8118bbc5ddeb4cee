"""Every event that a hook can listen to really happens, with the facts that scripts look for."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from agent.crew import PATIENCE_S, Firm, call, calls, order, text_of
from ankrcode import hook
from ankrcode.config.hooks import HookCommand, HookGroup
from ankrcode.config.settings import Settings
from ankrcode.protocol.question import Question, QuestionAnswer
from ankrcode.testing import NO, YES, FakePerson, Turn
from ankrcode.tooling.hooks.events import HookEvent


class Ears:
    """A hook for one event: it keeps what it hears, and answers what it is told to."""

    def __init__(self, event: str, *answers: Any, matcher: str = "") -> None:
        self.event = event
        self.heard: list[dict[str, Any]] = []
        self.was_heard = asyncio.Event()
        self._answers = list(answers)

        @hook(event, matcher=matcher)
        async def listen(payload: dict[str, Any]) -> Any:
            self.heard.append(payload)
            self.was_heard.set()
            return self._answers.pop(0) if self._answers else None

        self.hook = listen

    @property
    def only(self) -> dict[str, Any]:
        (payload,) = self.heard
        assert payload["hook_event_name"] == self.event
        assert payload["session_id"]
        assert payload["cwd"]
        assert payload["permission_mode"]
        return payload


def block(reason: str) -> dict[str, str]:
    return {"decision": "block", "reason": reason}


async def heard_in(folder: Path, ears: Ears, turns: list[Any], **more: Any) -> Firm:
    firm = Firm(folder, turns, hooks=[ears.hook], **more)
    await firm.run("the task")
    return firm


# ── a call ────────────────────────────────────────────────────────────────────────────────────
async def test_before_a_tool_runs(tmp_path: Path) -> None:
    ears = Ears("PreToolUse")
    await heard_in(tmp_path, ears, [calls(call("List", path=".")), "done"])
    assert ears.only["tool_name"] == "List"
    assert ears.only["tool_input"] == {"path": "."}
    assert ears.only["tool_use_id"]


async def test_after_it_ran(tmp_path: Path) -> None:
    ears = Ears("PostToolUse")
    await heard_in(tmp_path, ears, [calls(call("List", path=".")), "done"])
    assert ears.only["tool_response"]["success"] is True


async def test_after_it_failed(tmp_path: Path) -> None:
    ears = Ears("PostToolUseFailure")
    await heard_in(tmp_path, ears, [calls(call("Read", file_path="none")), "done"])
    assert "none" in ears.only["error"]
    assert ears.only["is_interrupt"] is False


async def test_before_the_person_is_asked(tmp_path: Path) -> None:
    allow = {"hookSpecificOutput": {"decision": {"behavior": "allow"}}}
    ears, person = Ears("PermissionRequest", allow), FakePerson()
    turns = [calls(call("Write", file_path="a.txt", content="x")), "done"]
    await heard_in(tmp_path, ears, turns, approve=person)
    assert ears.only["tool_name"] == "Write"
    assert ears.only["message"]
    assert person.asked == []
    assert (tmp_path / "a.txt").exists()


async def test_when_the_person_is_needed_for_a_yes(tmp_path: Path) -> None:
    ears = Ears("Notification", matcher="permission_prompt")
    turns = [calls(call("Write", file_path="a.txt", content="x")), "done"]
    await heard_in(tmp_path, ears, turns, approve=FakePerson([NO]))
    async with asyncio.timeout(PATIENCE_S):
        await ears.was_heard.wait()
    assert ears.only["message"] == "AnkrCode needs your permission to use Write"


async def test_when_the_person_is_needed_for_an_answer(tmp_path: Path) -> None:
    async def answer(question: Question) -> QuestionAnswer:
        return QuestionAnswer(question_id=question.id, chosen=("a",))

    ears = Ears("Notification")
    firm = Firm(tmp_path, [], hooks=[ears.hook])
    firm.kit.agent.person.asker = answer
    options = [{"label": "a", "description": ""}, {"label": "b", "description": ""}]
    question = {"question": "Which?", "header": "Which", "options": options}
    assert (await firm.kit.call("AskUserQuestion", questions=[question])).ok
    async with asyncio.timeout(PATIENCE_S):
        await ears.was_heard.wait()
    assert ears.only["notification_type"] == "elicitation_dialog"
    assert ears.only["message"] == "AnkrCode has a question for you"


async def test_when_a_plan_waits_for_its_yes(tmp_path: Path) -> None:
    ears = Ears("Notification")
    firm = Firm(tmp_path, [], hooks=[ears.hook], mode="plan", approve=FakePerson([YES]))
    Path(firm.kit.agent.policy.plan_file).write_text("# Plan", encoding="utf-8")
    assert (await firm.kit.call("ExitPlanMode")).ok
    async with asyncio.timeout(PATIENCE_S):
        await ears.was_heard.wait()
    assert ears.only["notification_type"] == "permission_prompt"


# ── a task ────────────────────────────────────────────────────────────────────────────────────
async def test_when_the_person_submits_a_task(tmp_path: Path) -> None:
    ears = Ears("UserPromptSubmit", {"additionalContext": "mind the gap"})
    firm = await heard_in(tmp_path, ears, ["done"])
    assert ears.only["prompt"] == "the task"
    assert "mind the gap" in text_of(firm.model.requests[0].messages[-1])


async def test_a_task_may_be_kept_out(tmp_path: Path) -> None:
    ears = Ears("UserPromptSubmit", block("not today"))
    firm = Firm(tmp_path, ["never"], hooks=[ears.hook])
    answer = await firm.run()
    assert answer.subtype == "error_blocked"
    assert "not today" in answer.error
    assert firm.model.requests == []


async def test_what_a_further_agent_is_told_was_submitted_by_nobody(tmp_path: Path) -> None:
    ears = Ears("UserPromptSubmit")
    await heard_in(tmp_path, ears, [calls(order("aside")), "child", "done"])
    assert ears.only["prompt"] == "the task"


async def test_when_the_agent_would_stop(tmp_path: Path) -> None:
    ears = Ears("Stop", block("and the tests?"))
    firm = await heard_in(tmp_path, ears, ["done", "really done"])
    assert [one["stop_hook_active"] for one in ears.heard] == [False, True]
    assert [one["last_assistant_message"] for one in ears.heard] == ["done", "really done"]
    assert "and the tests?" in text_of(firm.model.requests[1].messages[-1])
    assert firm.agent.answer is not None
    assert firm.agent.answer.text == "really done"


async def test_a_hook_that_never_lets_it_stop_is_not_heard_for_ever(tmp_path: Path) -> None:
    ears = Ears("Stop", *[block("more")] * 50)
    firm = await heard_in(tmp_path, ears, ["done"] * 50)
    assert firm.agent.answer is not None
    assert firm.agent.answer.ok
    assert len(ears.heard) < 10


# ── a session ─────────────────────────────────────────────────────────────────────────────────
async def test_when_a_session_starts(tmp_path: Path) -> None:
    ears = Ears("SessionStart", {"additionalContext": "good morning"})
    firm = await heard_in(tmp_path, ears, ["done", "again"])
    await firm.run("another task")
    assert ears.only["source"] == "startup"
    assert "good morning" in text_of(firm.model.requests[0].messages[-1])


async def test_when_a_session_goes_on(tmp_path: Path) -> None:
    before = Firm(tmp_path, ["one"], records=True, session_id="s1")
    await before.run()
    await before.agent.close()
    ears = Ears("SessionStart", matcher="resume")
    firm = await heard_in(tmp_path, ears, ["two"], records=True, session_id="s1")
    assert ears.only["source"] == "resume"
    await firm.agent.close()


async def test_when_a_session_ends(tmp_path: Path) -> None:
    ended: list[Any] = []

    @hook("SessionEnd")
    def listen(payload: dict[str, Any]) -> None:
        ended.append(payload)

    firm = Firm(tmp_path, ["done"], hooks=[listen])
    await firm.run()
    assert ended == []
    await firm.agent.close()
    assert [one["hook_event_name"] for one in ended] == ["SessionEnd"]
    assert ended[0]["reason"] == "other"


# ── further agents ────────────────────────────────────────────────────────────────────────────
async def test_when_a_further_agent_starts(tmp_path: Path) -> None:
    ears = Ears("SubagentStart", {"additionalContext": "be brief"}, matcher="explore")
    firm = await heard_in(tmp_path, ears, [calls(order("aside")), "child", "done"])
    assert ears.only["agent_type"] == "explore"
    assert ears.only["prompt"] == "aside"
    assert ears.only["agent_id"] == firm.of_task[0].metadata["agent_id"]
    assert "be brief" in text_of(firm.request("aside").messages[-1])


async def test_a_further_agent_may_be_kept_from_starting(tmp_path: Path) -> None:
    stop = {"continue": False, "stopReason": "no helpers today"}
    firm = await heard_in(tmp_path, Ears("SubagentStart", stop), [calls(order("aside")), "alone"])
    assert "A hook did not let the agent begin: no helpers today" in firm.results[0].text
    assert len(firm.model.requests) == 2


async def test_a_matcher_looks_at_the_type_of_the_agent(tmp_path: Path) -> None:
    ears = Ears("SubagentStart", matcher="review|security")
    turns = [calls(order("a")), "a", calls(order("b", "review")), "b", "done"]
    await heard_in(tmp_path, ears, turns)
    assert [one["agent_type"] for one in ears.heard] == ["review"]


async def test_when_a_further_agent_stops_a_hook_may_want_more(tmp_path: Path) -> None:
    ears = Ears("SubagentStop", block("name the line, too"))
    turns = [calls(order("aside")), "main.py", "main.py:7", "done"]
    firm = await heard_in(tmp_path, ears, turns)
    assert [one["stop_hook_active"] for one in ears.heard] == [False, True]
    assert [one["last_assistant_message"] for one in ears.heard] == ["main.py", "main.py:7"]
    assert firm.of_task[0].value.response == "main.py:7"
    assert firm.of_task[0].metadata["turns"] == 2
    assert "name the line, too" in text_of(firm.model.requests[2].messages[-1])


async def test_a_hook_that_is_never_content_does_not_keep_an_agent_for_ever(
    tmp_path: Path,
) -> None:
    ears = Ears("SubagentStop", *[block("more")] * 50)
    turns = [calls(order("aside")), *[f"answer {number}" for number in range(10)]]
    firm = await heard_in(tmp_path, ears, turns)
    assert len(ears.heard) == 4
    assert firm.of_task[0].value.response == "answer 3"


async def test_what_a_further_agent_calls_names_the_agent(tmp_path: Path) -> None:
    ears = Ears("PreToolUse", matcher="Glob")
    turns = [calls(order("aside")), calls(call("Glob", pattern="*")), "child", "done"]
    firm = await heard_in(tmp_path, ears, turns)
    assert ears.only["agent_type"] == "explore"
    assert ears.only["agent_id"] == firm.of_task[0].metadata["agent_id"]


# ── a summary ─────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("event", ["PreCompact", "PostCompact"])
async def test_before_and_after_a_conversation_is_summed_up(event: str, tmp_path: Path) -> None:
    ears = Ears(event, matcher="manual")
    firm = await heard_in(tmp_path, ears, ["long ago", "a summary", "done"])
    await firm.agent.compact("keep the names")
    assert ears.only["trigger"] == "manual"


async def test_a_summary_may_be_refused(tmp_path: Path) -> None:
    firm = await heard_in(tmp_path, Ears("PreCompact", block("not now")), ["long ago", "never"])
    assert not await firm.agent.compact()
    assert len(firm.model.requests) == 1


# ── scripts ───────────────────────────────────────────────────────────────────────────────────
async def test_scripts_hear_the_same(tmp_path: Path) -> None:
    """Each event of one busy session, as commands of the settings get it."""
    log = tmp_path / "heard.jsonl"
    command = HookCommand(type="command", command=f"cat >> {log}; echo >> {log}")
    events = [str(event) for event in HookEvent]
    table = {event: [HookGroup(hooks=[command])] for event in events}
    work = tmp_path / "work"
    work.mkdir()
    turns = [
        calls(call("List"), call("Read", file_path="none")),
        calls(call("Write", file_path="a.txt", content="x")),
        calls(order("aside")),
        "child",
        "done",
        Turn(text="a summary"),
    ]
    firm = Firm(work, turns, settings=Settings(hooks=table), approve=FakePerson([YES]))
    await firm.run()
    await firm.agent.compact()
    async with asyncio.timeout(PATIENCE_S):
        while b"Notification" not in log.read_bytes():
            await asyncio.sleep(0.01)
    await firm.agent.close()
    heard = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines() if line]
    assert {one["hook_event_name"] for one in heard} == set(events)


def test_every_event_has_a_test_here() -> None:
    text = Path(__file__).read_text(encoding="utf-8")
    assert [event for event in HookEvent if f'"{event}"' not in text] == []
