"""Every hook event of a conversation really fires, and may do what it is there for."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from agent.talking import agent_in, call, calls, check_accepted, check_prefixes, said, texts
from agent.test_small_window import Summarising
from ankrcode import Agent, hook
from ankrcode.protocol.event import Noticed

Payload = dict[str, Any]


class Heard(list[Payload]):
    """Hooks that remember what they were told."""

    def on(self, event: str, answer: Any = None, **more: Any) -> Any:
        def function(payload: Payload) -> Any:
            self.append(payload)
            return answer(payload) if callable(answer) else answer

        return hook(event, **more)(function)

    @property
    def events(self) -> list[str]:
        return [one["hook_event_name"] for one in self]


@pytest.fixture
def heard() -> Heard:
    return Heard()


async def test_a_task_goes_through_its_hooks_in_order(tmp_path: Path, heard: Heard) -> None:
    events = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd")
    hooks = [heard.on(event) for event in events]
    agent, _ = agent_in(tmp_path, [calls(call("List")), "Done."], hooks=hooks)
    await agent.run("look")
    await agent.close()
    assert heard.events == list(events)
    assert heard[0]["source"] == "startup"
    assert heard[1]["prompt"] == "look"
    assert heard[4]["stop_hook_active"] is False


async def test_what_the_start_says_is_told_once_with_the_first_task(
    tmp_path: Path, heard: Heard
) -> None:
    answer = {"hookSpecificOutput": {"additionalContext": "It is Monday."}}
    hooks = [heard.on("SessionStart", answer)]
    agent, model = agent_in(tmp_path, ["one", "two"], hooks=hooks)
    await agent.run("first")
    await agent.run("second")
    told = [texts(one) for one in said(model.requests[1])]
    assert "It is Monday." in told[0]
    assert told[2] == "second"
    check_prefixes(model.requests)


def says_where(payload: Payload) -> Any:
    return {"hookSpecificOutput": {"additionalContext": f"rules of {payload['source']}"}}


async def test_what_the_start_says_outlives_a_summary(tmp_path: Path, heard: Heard) -> None:
    """It would be summed up with the rest: the hook is asked again, as scripts expect."""
    agent, model = agent_in(tmp_path, ["one", "a summary", "two"],
                            hooks=[heard.on("SessionStart", says_where)])  # fmt: skip
    await agent.run("first")
    assert await agent.compact()
    await agent.run("second")
    assert [one["source"] for one in heard] == ["startup", "compact"]
    told = "".join(map(texts, said(model.requests[-1])))
    assert "rules of compact" in told
    check_accepted(model.requests[-1].messages)


async def test_what_the_start_says_is_told_again_in_a_small_window(
    tmp_path: Path, heard: Heard
) -> None:
    """However much it is: it takes no more than its share."""
    (tmp_path / "a.txt").write_text("some words here\n" * 60, encoding="utf-8")
    context = {"additionalContext": "Always use tabs. " + "Mind the gap. " * 900}
    steps = [calls(call("Read", file_path="a.txt", offset=at + 1, limit=30)) for at in range(40)]
    hooks = [heard.on("SessionStart", lambda p: context if p["source"] == "compact" else None)]
    model = Summarising([*steps, "Done."], context_tokens=4_000)
    agent = Agent(model, cwd=tmp_path, hooks=hooks)
    answer = await agent.run("work")
    assert answer.text == "Done.", answer.error
    assert len(heard) > 1
    assert "Always use tabs." in "".join(map(texts, said(model.requests[-1])))
    for request in model.requests:
        check_accepted(request.messages)


async def test_after_a_summary_the_hook_of_the_start_stops_nothing(
    tmp_path: Path, heard: Heard
) -> None:
    stop = {"continue": False, "stopReason": "enough"}
    hooks = [heard.on("SessionStart", stop, matcher="compact")]
    agent, _ = agent_in(tmp_path, ["one", "a summary", "two"], hooks=hooks)
    await agent.run("first")
    notices: list[Any] = []
    agent.kit.on("notice", notices.append)
    assert await agent.compact()
    agent.kit.activity.flush()
    assert {"tool": "SessionStart", "message": "enough"} in [one.values for one in notices]
    assert (await agent.run("second")).text == "two"


async def test_a_conversation_that_begins_anew_says_so(tmp_path: Path, heard: Heard) -> None:
    hooks = [heard.on("SessionStart", says_where)]
    agent, model = agent_in(tmp_path, ["one", "two", "three"], hooks=hooks)
    await agent.run("first")
    agent.clear()
    await agent.run("second")
    await agent.run("third")
    assert [one["source"] for one in heard] == ["startup", "clear"]
    told = texts(said(model.requests[1])[0])
    assert told.startswith("second")
    assert "rules of clear" in told


async def test_a_further_agent_that_sums_up_starts_no_session(tmp_path: Path, heard: Heard) -> None:
    (tmp_path / "a.txt").write_text("some words here\n" * 60, encoding="utf-8")
    hooks = [heard.on("SessionStart"), heard.on("PostCompact")]
    order = call("Task", description="d", prompt="p", subagent_type="explore", max_turns=50)
    steps = [calls(call("Read", file_path="a.txt", offset=at + 1, limit=30)) for at in range(40)]
    model = Summarising([calls(order), *steps, "found", "Done."], context_tokens=4_000)
    agent = Agent(model, cwd=tmp_path, hooks=hooks)
    assert (await agent.run("work")).text == "Done."
    assert "PostCompact" in heard.events
    assert heard.events.count("SessionStart") == 1


async def test_a_resumed_session_says_so(tmp_path: Path, heard: Heard) -> None:
    agent, _ = agent_in(tmp_path, ["one"], records=True)
    await agent.run("first")
    session = agent.kit.agent.session_id
    await agent.close()
    hooks = [heard.on("SessionStart")]
    resumed, _ = agent_in(tmp_path, ["two"], records=True, session_id=session, hooks=hooks)
    await resumed.run("second")
    assert heard[0]["source"] == "resume"
    await resumed.close()


@pytest.mark.parametrize("is_recorded", [True, False])
async def test_scripts_are_told_where_the_session_is_kept(
    tmp_path: Path, heard: Heard, *, is_recorded: bool
) -> None:
    hooks = [heard.on("UserPromptSubmit")]
    agent, _ = agent_in(tmp_path, ["Hi."], hooks=hooks, records=is_recorded)
    await agent.run("hello")
    await agent.close()
    [told] = heard
    if is_recorded:
        assert '"hello"' in Path(told["transcript_path"]).read_text(encoding="utf-8")
    else:
        assert told["transcript_path"] == ""


async def test_a_prompt_may_get_context(tmp_path: Path, heard: Heard) -> None:
    answer = {"hookSpecificOutput": {"additionalContext": "The branch is frozen."}}
    agent, model = agent_in(tmp_path, ["ok"], hooks=[heard.on("UserPromptSubmit", answer)])
    await agent.run("merge it")
    assert texts(said(model.requests[0])[0]).startswith("merge it")
    assert "The branch is frozen." in texts(said(model.requests[0])[0])


async def test_a_prompt_may_be_kept_out(tmp_path: Path, heard: Heard) -> None:
    def no_secrets(payload: Payload) -> Any:
        is_bad = "password" in payload["prompt"]
        return {"decision": "block", "reason": "no passwords here"} if is_bad else None

    agent, model = agent_in(tmp_path, ["ok"], hooks=[heard.on("UserPromptSubmit", no_secrets)])
    answer = await agent.run("my password is x")
    assert answer.subtype == "error_blocked"
    assert "no passwords here" in answer.error
    assert model.requests == []
    assert (await agent.run("something else")).ok
    assert [texts(one) for one in said(model.requests[0])] == ["something else"]


def no_passwords(payload: Payload) -> Any:
    if "password" in payload["prompt"]:
        return {"decision": "block", "reason": "no passwords here"}
    return {"additionalContext": f"heard: {payload['prompt']}"}


@pytest.mark.parametrize("is_last", [False, True])
async def test_words_while_it_works_go_by_the_same_hook(
    tmp_path: Path, heard: Heard, *, is_last: bool
) -> None:
    """With the next results, or after the last answer."""
    hooks = [heard.on("UserPromptSubmit", no_passwords)]
    agent, model = agent_in(tmp_path, [], hooks=hooks)

    def speaks(request: Any) -> Any:
        agent.say("my password is x")
        agent.say("use tabs")
        return "First." if is_last else calls(call("List"))

    model.turns[:] = [speaks, "With tabs."]
    events = [one async for one in agent.stream("write it")]
    assert [one["prompt"] for one in heard] == ["write it", "my password is x", "use tabs"]
    last = texts(model.requests[1].messages[-1])
    assert last.startswith("use tabs")
    assert "heard: use tabs" in last
    assert not any("password" in texts(one) for one in agent.kit.agent.messages)
    [shown] = [one for one in events if isinstance(one, Noticed)]
    assert shown.key == "agent_words_blocked"
    assert shown.values == {"why": "no passwords here"}
    check_accepted(agent.kit.agent.messages)
    check_prefixes(model.requests)


async def test_words_that_are_all_kept_out_keep_nobody_at_work(
    tmp_path: Path, heard: Heard
) -> None:
    agent, model = agent_in(tmp_path, [], hooks=[heard.on("UserPromptSubmit", no_passwords)])

    def speaks(request: Any) -> str:
        agent.say("password 1")
        return "Done."

    model.turns[:] = [speaks, "never"]
    assert (await agent.run("work")).text == "Done."
    assert len(model.requests) == 1


async def test_words_before_the_first_task_go_by_the_hook_as_well(
    tmp_path: Path, heard: Heard
) -> None:
    agent, model = agent_in(tmp_path, ["ok"], hooks=[heard.on("UserPromptSubmit", no_passwords)])
    agent.say("password 1")
    agent.say("mind the gap")
    await agent.run("go")
    told = texts(said(model.requests[0])[0])
    assert told.startswith("mind the gap")
    assert "password" not in told


async def test_cancelled_while_a_hook_looks_at_a_word_it_is_not_lost(
    tmp_path: Path, heard: Heard
) -> None:
    looks = asyncio.Event()
    is_slow = True

    @hook("UserPromptSubmit")
    async def slow(payload: Payload) -> None:
        if payload["prompt"] == "use tabs" and is_slow:
            looks.set()
            await asyncio.Event().wait()

    agent, model = agent_in(tmp_path, [], hooks=[slow])

    def speaks(request: Any) -> Any:
        agent.say("use tabs")
        return calls(call("List"))

    model.turns[:] = [speaks]
    working = asyncio.ensure_future(agent.run("write it"))
    async with asyncio.timeout(20):
        await looks.wait()
    agent.cancel()
    assert (await working).subtype == "error_cancelled"
    check_accepted(agent.kit.agent.messages)
    is_slow = False
    model.turns[:] = ["With tabs."]
    await agent.run("go on")
    assert "use tabs" in texts(model.requests[-1].messages[-1])


async def test_a_stop_hook_sends_it_back_to_work(tmp_path: Path, heard: Heard) -> None:
    def once(payload: Payload) -> Any:
        if payload["stop_hook_active"]:
            return None
        return {"decision": "block", "reason": "the changelog is missing"}

    agent, model = agent_in(tmp_path, ["Done.", "Now done."], hooks=[heard.on("Stop", once)])
    assert (await agent.run("work")).text == "Now done."
    assert "the changelog is missing" in texts(model.requests[1].messages[-1])
    assert heard.events == ["Stop", "Stop"]
    check_accepted(agent.kit.agent.messages)


async def test_a_stop_hook_that_is_never_content_is_not_asked_for_ever(
    tmp_path: Path, heard: Heard
) -> None:
    never = {"decision": "block", "reason": "more"}
    agent, model = agent_in(tmp_path, ["Done."] * 20, hooks=[heard.on("Stop", never)])
    assert (await agent.run("work")).ok
    assert len(model.requests) == 6


async def test_a_stop_hook_that_is_never_content_is_bounded_also_with_calls(
    tmp_path: Path, heard: Heard
) -> None:
    never = {"decision": "block", "reason": "more"}
    turns = [part for number in range(20) for part in (calls(call("List", path=".")), f"{number}.")]
    agent, _ = agent_in(tmp_path, turns, hooks=[heard.on("Stop", never)])
    assert (await agent.run("work")).text == "5."
    assert [one["stop_hook_active"] for one in heard] == [False, True, True, True, True, True]


async def test_a_task_that_was_kept_out_is_no_turn(tmp_path: Path, heard: Heard) -> None:
    hooks = [heard.on("UserPromptSubmit", {"decision": "block", "reason": "no"})]
    agent, _ = agent_in(tmp_path, ["never"], hooks=hooks, records=True)
    kinds = [event.type async for event in agent.stream("work")]
    assert kinds == []
    assert agent.answer is not None
    assert agent.answer.subtype == "error_blocked"
    await agent.close()


async def test_a_hook_after_a_call_may_end_the_task(tmp_path: Path, heard: Heard) -> None:
    stop = {"continue": False, "stopReason": "that is enough"}
    hooks = [heard.on("PostToolUse", stop)]
    agent, model = agent_in(tmp_path, [calls(call("List")), "never"], hooks=hooks)
    answer = await agent.run("look")
    assert answer.subtype == "error_blocked"
    assert "that is enough" in answer.error
    assert len(model.requests) == 1
    check_accepted(agent.kit.agent.messages)


async def test_a_hook_before_a_call_may_refuse_it(tmp_path: Path, heard: Heard) -> None:
    no = {"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "no"}}
    hooks = [heard.on("PreToolUse", no, matcher="Write"), heard.on("PostToolUseFailure")]
    turns = [calls(call("Write", file_path="a", content="")), "Not allowed."]
    agent, _ = agent_in(tmp_path, turns, hooks=hooks, mode="bypass")
    answer = await agent.run("write")
    assert not (tmp_path / "a").exists()
    assert answer.subtype == "error_denied"


async def test_a_failed_call_is_heard_of(tmp_path: Path, heard: Heard) -> None:
    hooks = [heard.on("PostToolUseFailure")]
    agent, _ = agent_in(tmp_path, [calls(call("Bash", command="exit 3")), "So."], hooks=hooks,
                        mode="bypass")  # fmt: skip
    await agent.run("fail")
    assert heard[0]["tool_name"] == "Bash"
    await agent.close()


async def test_a_question_is_heard_of(tmp_path: Path, heard: Heard) -> None:
    from ankrcode.protocol.approval import Approval, ApprovalAnswer

    async def yes(approval: Approval) -> ApprovalAnswer:
        return ApprovalAnswer(approved=True)

    hooks = [heard.on("PermissionRequest"), heard.on("Notification")]
    turns = [calls(call("Write", file_path="a", content="x")), "Written."]
    agent, _ = agent_in(tmp_path, turns, hooks=hooks, approve=yes)
    await agent.run("write")
    await agent.close()
    assert set(heard.events) == {"PermissionRequest", "Notification"}
    notice = next(one for one in heard if one["hook_event_name"] == "Notification")
    assert notice["notification_type"] == "permission_prompt"


async def test_what_a_stop_hook_tells_the_person_is_shown(tmp_path: Path, heard: Heard) -> None:
    hooks = [heard.on("Stop", {"systemMessage": "remember to push"})]
    agent, _ = agent_in(tmp_path, ["Done."], hooks=hooks)
    shown = [one.values async for one in agent.stream("work") if isinstance(one, Noticed)]
    assert shown == [{"tool": "Stop", "message": "remember to push"}]
