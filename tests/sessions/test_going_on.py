"""A session that is gone on with knows all it knew: what was read, allowed, planned and noted."""

import asyncio
import os
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from ankrcode import Toolkit
from ankrcode.config.settings import SessionSettings, Settings
from ankrcode.errors import SessionError
from ankrcode.protocol.approval import Approval, ApprovalAnswer, RememberScope
from ankrcode.protocol.message import Message, TextPart, ToolResultPart, ToolUsePart, Usage
from ankrcode.protocol.result import ToolResult
from ankrcode.sessions.index import SessionIndex
from ankrcode.sessions.log import read_log
from ankrcode.sessions.recorder import SessionRecorder
from ankrcode.sessions.records import (
    AnyRecord,
    Approved,
    CallBegun,
    CallEnded,
    SessionStarted,
    StateKept,
)
from ankrcode.sessions.restore import restore
from ankrcode.sessions.store import SessionStore
from ankrcode.tooling.durable import session_store

SECRET = "ghp_" + "a1B2" * 9


def kit_in(folder: Path, session: str = "s", **more: Any) -> Toolkit:
    return Toolkit(cwd=folder, session_id=session, records=True, **more)


def records_of(session: str = "s") -> list[AnyRecord]:
    return [one for _, one in read_log(session_store().path_of(session)).records]


def run_in(folder: Path, work: Callable[[Toolkit], Coroutine[Any, Any, Any]], **more: Any) -> Any:
    kit = kit_in(folder, **more)
    try:
        return asyncio.run(work(kit))
    finally:
        kit.close()


class Person:
    """Answers every question in the same way, and counts them."""

    def __init__(self, *, approved: bool = True, remember: RememberScope = "once") -> None:
        self.answer = ApprovalAnswer(approved=approved, remember=remember, feedback="because")
        self.asked: list[str] = []

    async def __call__(self, approval: Approval) -> ApprovalAnswer:
        self.asked.append(approval.tool)
        return self.answer


def test_a_file_that_was_read_may_be_edited_after_going_on(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one two", encoding="utf-8")

    async def read(kit: Toolkit) -> None:
        assert (await kit.call("Read", file_path="a.txt")).ok

    async def edit(kit: Toolkit) -> ToolResult:
        return await kit.call("Edit", file_path="a.txt", old_string="two", new_string="three")

    run_in(tmp_path, read, session="s")
    assert run_in(tmp_path, edit, session="s", mode="acceptEdits").ok
    (tmp_path / "b.txt").write_text("one two", encoding="utf-8")
    (tmp_path / "a.txt").write_text("someone else's two", encoding="utf-8")
    refused = run_in(tmp_path, edit, session="s", mode="acceptEdits")
    assert not refused.ok  # known, but not as it is now


def test_the_directory_is_where_the_last_command_left_it(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()

    async def go(kit: Toolkit) -> None:
        assert (await kit.call("Bash", command="cd sub")).ok

    async def where(kit: Toolkit) -> str:
        return kit.agent.workspace.cwd

    run_in(tmp_path, go, mode="bypass")
    assert run_in(tmp_path, where) == str(tmp_path / "sub")
    (tmp_path / "sub").rmdir()
    assert run_in(tmp_path, where) == str(tmp_path)  # it is no more


# ── approvals ─────────────────────────────────────────────────────────────────────────────────
async def touch(kit: Toolkit) -> ToolResult:
    return await kit.call("Bash", command="touch made.txt")


@pytest.mark.parametrize("approved", [True, False])
def test_every_question_and_its_answer_are_in_the_log(approved: bool, tmp_path: Path) -> None:
    person = Person(approved=approved)
    result = run_in(tmp_path, touch, approve=person)
    assert result.ok == approved
    (record,) = [one for one in records_of() if isinstance(one, Approved)]
    assert (record.tool, record.call_id, record.approved) == ("Bash", result.call_id, approved)
    assert (record.remember, record.feedback) == ("once", "because")
    assert record.reason
    begun = [one.call.id for one in records_of() if isinstance(one, CallBegun)]
    assert begun == [result.call_id]


def test_a_yes_for_the_session_holds_as_long_as_the_session_does(tmp_path: Path) -> None:
    first, second, third = Person(remember="session"), Person(), Person()
    run_in(tmp_path, touch, approve=first)
    assert run_in(tmp_path, touch, approve=second).ok
    assert (first.asked, second.asked) == (["Bash"], [])
    run_in(tmp_path, touch, approve=third, session="another")
    assert third.asked == ["Bash"]


def test_a_yes_for_once_is_asked_again(tmp_path: Path) -> None:
    first, second = Person(), Person()
    run_in(tmp_path, touch, approve=first)
    run_in(tmp_path, touch, approve=second)
    assert (first.asked, second.asked) == (["Bash"], ["Bash"])


def test_a_yes_that_stands_in_the_settings_is_left_to_them(tmp_path: Path) -> None:
    """Whoever takes the rule out of the settings has taken it back."""
    run_in(tmp_path, touch, approve=Person(remember="user"))
    (record,) = [one for one in records_of() if isinstance(one, Approved)]
    assert (record.remember, record.rules) == ("user", ("Bash(touch made.txt)",))
    again = Person()
    run_in(tmp_path, touch, approve=again)
    assert again.asked == ["Bash"]


def test_an_answer_that_cannot_be_noted_lets_nothing_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.write

    def full(handle: int, data: Any) -> int:
        if b'"type":"approval"' in bytes(data):
            raise OSError(28, "No space left on device")
        return real(handle, data)

    monkeypatch.setattr(os, "write", full)
    result = run_in(tmp_path, touch, approve=Person())
    assert not result.ok
    assert "No space left" in result.text
    assert not (tmp_path / "made.txt").exists()


# ── what only the agent knows ─────────────────────────────────────────────────────────────────
def test_todos_and_plan_come_back(tmp_path: Path) -> None:
    todos = [{"content": "लिखो", "status": "pending"}]

    async def plan(kit: Toolkit) -> None:
        kit.agent.todos[:] = todos
        kit.agent.policy.plan_file = str(tmp_path / "plan.md")
        kit.agent.policy.phrases[:] = ["run tests"]
        await kit.call("List", path=".")
        await kit.call("List", path=".")

    async def known(kit: Toolkit) -> tuple[Any, ...]:
        policy = kit.agent.policy
        return list(kit.agent.todos), policy.plan_file, list(policy.phrases)

    run_in(tmp_path, plan)
    assert run_in(tmp_path, known) == (todos, str(tmp_path / "plan.md"), ["run tests"])
    assert sum(isinstance(one, StateKept) for one in records_of()) == 1  # only what changed


def test_the_conversation_comes_back_whole(tmp_path: Path) -> None:
    use = ToolUsePart(id="call_1", name="List", arguments={"path": "."})

    async def talk(kit: Toolkit) -> None:
        assert kit.session is not None
        kit.session.recorder.said(Message(role="user", parts=(TextPart(text="look"),)))
        kit.session.recorder.said(Message(role="assistant", parts=(use,)))
        kit.session.recorder.spent("m", Usage(input_tokens=10, output_tokens=1), 0.5)

    async def heard(kit: Toolkit) -> list[Message]:
        return list(kit.agent.messages)

    run_in(tmp_path, talk)
    user, assistant, result = run_in(tmp_path, heard)
    assert (user.role, assistant.parts) == ("user", (use,))
    (part,) = result.parts
    assert isinstance(part, ToolResultPart)
    assert (part.tool_use_id, part.is_error) == ("call_1", True)
    assert restore(session_store().path_of("s"))[0].usd == 0.5


def test_what_a_further_agent_reads_is_not_what_the_session_read(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x", encoding="utf-8")

    async def work(kit: Toolkit) -> None:
        child = kit.for_agent("explorer")
        assert (await child.call("Read", file_path="a.txt")).ok

    run_in(tmp_path, work)
    state, _ = restore(session_store().path_of("s"))
    assert (state.reads, state.calls) == ({}, 1)
    (begun,) = [one for one in records_of() if isinstance(one, CallBegun)]
    assert begun.agent_id


# ── every call has one result ─────────────────────────────────────────────────────────────────
async def odd_calls(kit: Toolkit) -> None:
    await kit.call("NoSuchTool", x=1)
    await kit.call("Read", '{"broken')
    await kit.call("Read", file_path=7)
    await kit.call("Read", file_path="missing.txt")
    await kit.call("Bash", command="touch x")  # refused: nobody to ask
    await kit.call("List", path="name-\udce9")


def test_also_calls_that_never_ran_are_in_the_log_with_their_result(tmp_path: Path) -> None:
    run_in(tmp_path, odd_calls)
    begun = [one.call.id for one in records_of() if isinstance(one, CallBegun)]
    ended = [one.call_id for one in records_of() if isinstance(one, CallEnded)]
    assert begun == ended
    assert len(set(begun)) == len(begun) == 6
    assert all(begun)
    assert restore(session_store().path_of("s"))[0].open_calls == {}


def test_names_that_are_no_text_are_recorded_as_they_are(tmp_path: Path) -> None:
    """A workspace whose name no decoder takes: every path in it is such a name."""
    work = tmp_path / "caf\udce9"
    work.mkdir()
    (work / "a.txt").write_bytes(b"one two\n")

    async def read(kit: Toolkit) -> ToolResult:
        return await kit.call("Read", file_path="a.txt")

    async def edit(kit: Toolkit) -> ToolResult:
        return await kit.call("Edit", file_path="a.txt", old_string="two", new_string="three")

    assert run_in(work, read).ok
    state, content = restore(session_store().path_of("s"))
    assert (content.damage, content.unknown) == ([], 0)
    assert (list(state.reads), state.roots) == ([str(work / "a.txt")], (str(work),))
    assert run_in(work, edit, mode="acceptEdits").ok
    (listed,) = SessionIndex(session_store()).sessions()
    assert (listed.calls, listed.root) == (2, str(work))
    assert session_store().newest(str(work)) == "s"


def test_a_value_that_no_log_can_hold_costs_only_itself(tmp_path: Path) -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    opened = session_store().create("s", 1.0)
    recorder = SessionRecorder(opened.log, opened.state, now=lambda: 2.0)
    values = [deep, {(1, 2): 3}, float("nan"), 2**70, b"bytes", {1, 2}, object, "\ud800"]
    for number, value in enumerate(values):
        recorder.ended(ToolResult(call_id=str(number), text="kept", value=value))
    recorder.close()
    found = [one for one in records_of() if isinstance(one, CallEnded)]
    assert [(one.call_id, one.text) for one in found] == [
        (str(number), "kept") for number in range(len(values))
    ]
    assert [found[index].value for index in (3, 7)] == [2**70, "\ud800"]


def test_secrets_do_not_reach_the_log(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(f"token: {SECRET}\n", encoding="utf-8")

    async def work(kit: Toolkit) -> None:
        await kit.call("Read", file_path="a.txt")
        await kit.call("Write", file_path="b.txt", content=SECRET)
        await kit.call("Bash", command=f"echo {SECRET}")

    run_in(tmp_path, work, mode="bypass")
    assert SECRET in (tmp_path / "b.txt").read_text(encoding="utf-8")
    assert SECRET.encode() not in Path(session_store().path_of("s")).read_bytes()


def test_the_settings_and_the_mode_of_the_beginning_are_kept(tmp_path: Path) -> None:
    settings = Settings(sessions=SessionSettings(max_age_days=7))
    kit_in(tmp_path, settings=settings, mode="plan").close()
    first = records_of()[0]
    assert isinstance(first, SessionStarted)
    assert (first.mode, first.settings["sessions"]["max_age_days"]) == ("plan", 7)
    assert first.roots == (str(tmp_path),)


# ── making room ───────────────────────────────────────────────────────────────────────────────
def aged(store: SessionStore, name: str, days: float, now: float) -> None:
    store.create(name, now).log.close()
    then = now - days * 86_400
    os.utime(store.path_of(name), (then, then))


def test_what_is_too_old_goes_when_a_session_begins(tmp_path: Path) -> None:
    import time

    store = session_store()
    for name, days in (("old", 31), ("edge", 29), ("new", 0)):
        aged(store, name, days, time.time())
    kit_in(tmp_path, settings=Settings(sessions=SessionSettings(max_age_days=30))).close()
    assert sorted(store.ids()) == ["edge", "new", "s"]


def test_without_a_limit_nothing_goes(tmp_path: Path) -> None:
    import time

    aged(session_store(), "ancient", 3_000, time.time())
    kit_in(tmp_path).close()
    assert sorted(session_store().ids()) == ["ancient", "s"]


def test_a_session_that_is_gone_on_with_makes_no_room(tmp_path: Path) -> None:
    import time

    settings = Settings(sessions=SessionSettings(max_age_days=30))
    kit_in(tmp_path, settings=settings).close()
    aged(session_store(), "old", 31, time.time())
    kit_in(tmp_path, settings=settings).close()
    assert sorted(session_store().ids()) == ["old", "s"]


# ── who opens it ──────────────────────────────────────────────────────────────────────────────
def test_a_session_in_use_is_refused(tmp_path: Path) -> None:
    kit = kit_in(tmp_path)
    with pytest.raises(SessionError, match="another process"):
        kit_in(tmp_path)
    kit.close()
    kit_in(tmp_path).close()


def test_the_newest_session_of_a_workspace_is_found(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
    for number, (folder, name) in enumerate([(here, "a"), (here, "b"), (there, "c")]):
        kit_in(folder, name).close()
        os.utime(session_store().path_of(name), (1_000 + number, 1_000 + number))
    (session_store().folder / "garbage.jsonl").write_bytes(b"\0" * 100)
    (session_store().folder / "not an id.jsonl").write_bytes(b"x")
    assert session_store().newest(str(here)) == "b"
    (tmp_path / "link").symlink_to(here)
    assert session_store().newest(str(tmp_path / "link")) == "b"
    with pytest.raises(SessionError, match="No session was recorded"):
        session_store().newest(str(tmp_path))
