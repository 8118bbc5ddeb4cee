"""Who must know before a call has effects: the journal that can take it back, the session's log.

They are no observers: the pipeline waits for them, and what they cannot note does not run.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Lock
from typing import Any, Protocol

from msgspec.structs import replace

from ankrcode.config.limits import CANCEL_GRACE_S
from ankrcode.config.redactor import Redactor
from ankrcode.errors import ErrorCode, SessionError, ToolError
from ankrcode.protocol.approval import Approval, ApprovalAnswer
from ankrcode.protocol.call import ToolCall
from ankrcode.protocol.result import ToolResult
from ankrcode.sessions.recorder import SessionRecorder
from ankrcode.sessions.records import Approved, StateKept, TaskKept, as_data
from ankrcode.tooling.plan import MODE_BEFORE
from ankrcode.tooling.running import RunningCall
from ankrcode.tooling.state import AgentState
from ankrcode.words import say
from ankrcode.workspace import journal  # loaded by the first change
from ankrcode.workspace.processes.tasks import Task

_TITLE_CHARS = 200


class Recorder(Protocol):
    async def before(self, running: RunningCall) -> None:
        """The call is about to run. Raise `ToolError`, and it does not."""
        ...

    async def after(self, running: RunningCall, result: ToolResult | None) -> ToolResult | None:
        """It ran, or (None) was cancelled on the way."""
        ...

    def ended(self, call: ToolCall, agent: AgentState, result: ToolResult) -> ToolResult:
        """The one result of a call, also of one that never ran."""
        ...

    def answered(self, running: RunningCall, approval: Approval, answer: ApprovalAnswer) -> None:
        """A person said yes or no. Raise `ToolError`, and the call does not run."""
        ...


class JournalRecorder:
    """Every change of files can be undone."""

    def __init__(self, opened: "Callable[[], journal.Journal]") -> None:
        self._journal = opened  # when the first call changes something
        self._pending: dict[str, journal.Pending] = {}
        self._told_of: set[str] = set()

    async def before(self, running: RunningCall) -> None:
        if (
            not running.acts.writes or not running.tool.is_journalled
        ):  # what only reads costs nothing
            return
        agent, ctx = running.agent, running.ctx
        who = journal.Who(
            tool=running.name,
            title=" ".join(running.tool.subject(running.args).split())[:_TITLE_CHARS],
            call_id=ctx.call_id,
            turn_id=agent.turn_id,
            agent_id=agent.agent_id,
            session_id=agent.session_id,
        )
        noting = asyncio.ensure_future(asyncio.to_thread(self._noted, running, who))
        try:
            pending = await asyncio.shield(noting)
        except asyncio.CancelledError:
            running.ctx.cancel.requested = True
            await asyncio.shield(self._given_up(noting))
            raise
        if pending is not None:
            self._pending[ctx.call_id] = pending
            if pending.partial:  # said before it runs, to whoever watches
                running.ctx.metadata(undo=pending.partial)

    def _noted(self, running: RunningCall, who: "journal.Who") -> "journal.Pending | None":
        """In a thread, which nobody can stop: it looks itself whether the call is still wanted."""
        kept, cancel = self._journal(), running.ctx.cancel
        pending = kept.before(running.acts, who, cancel.check)
        if pending is not None and cancel.requested:
            kept.dropped(pending)
        return pending

    async def _given_up(self, noting: "asyncio.Future[journal.Pending | None]") -> None:
        """Cancelled before it ran: nothing of it stays noted, now or when the thread is through."""
        await asyncio.wait((noting,), timeout=CANCEL_GRACE_S)
        noting.cancel()
        with suppress(ToolError, asyncio.CancelledError):
            if (pending := await noting) is not None:
                await asyncio.to_thread(self._journal().dropped, pending)

    async def after(self, running: RunningCall, result: ToolResult | None) -> ToolResult | None:
        pending = self._pending.pop(running.ctx.call_id, None)
        if pending is None:
            return result
        if result is not None and "task_id" in result.metadata:
            pending.partial = " ".join(filter(None, (pending.partial, say("undo_background"))))
        try:
            entry = await asyncio.to_thread(self._journal().after, pending)
        except OSError as problem:  # what was kept before is there: `entries` will find it
            return self._told(result, say("undo_unfinished", why=problem.strerror or problem))
        if entry is None:
            return self._told(result, pending.partial)
        return _noted(self._told(result, entry.partial), change_id=entry.id)

    def _told(self, result: ToolResult | None, partial: str) -> ToolResult | None:
        """What cannot be undone is always in the metadata, and in the text when it is news."""
        if result is None or not partial:
            return result
        if partial not in self._told_of:
            self._told_of.add(partial)
            note = say("undo_note", message=partial)
            result = replace(result, text="\n".join(filter(None, (result.text, note))))
        return _noted(result, undo=partial)

    def ended(self, call: ToolCall, agent: AgentState, result: ToolResult) -> ToolResult:
        return result

    def answered(self, running: RunningCall, approval: Approval, answer: ApprovalAnswer) -> None:
        pass


class LogRecorder:
    """Every call, question, answer and result is in the session's log."""

    def __init__(self, log: SessionRecorder, redactor: Redactor, now: Callable[[], float]) -> None:
        self._log = log
        self._redactor = redactor
        self._now = now
        self._begun: set[str] = set()
        self._tasks = Lock()  # its end is noted after its beginning, or its beginning never

    async def before(self, running: RunningCall) -> None:
        with _refusing():
            self._begin(running.call, running.ctx.call_id, running.agent, changes=_changes(running))

    async def after(self, running: RunningCall, result: ToolResult | None) -> ToolResult | None:
        return result

    def ended(self, call: ToolCall, agent: AgentState, result: ToolResult) -> ToolResult:
        try:
            if result.call_id not in self._begun:
                self._begin(call, result.call_id, agent, changes=False)
            self._begun.discard(result.call_id)
            self._log.ended(result)
            self._note_news(agent, result)
        except SessionError as problem:  # the work is done: the result must not be lost too
            return replace(result, metadata={**result.metadata, "session_error": str(problem)})
        return result

    def answered(self, running: RunningCall, approval: Approval, answer: ApprovalAnswer) -> None:
        told = running.told or {}
        record = Approved(
            at=self._now(),
            approval_id=approval.id,
            call_id=approval.call_id,
            tool=approval.tool,
            reason=self._redactor.redact(approval.reason),
            approved=answer.approved,
            remember=told.get("remembered_for", "once"),
            feedback=self._redactor.redact(answer.feedback),
            exact=running.exact if answer.approved and answer.remember != "once" else "",
            rules=tuple(told.get("remembered", ())),
        )
        with _refusing():
            self._log.note(record)

    def _note_news(self, agent: AgentState, result: ToolResult) -> None:
        """What the agent came to know by it: its todos, its plan, its background tasks."""
        self.note_state(agent)
        known = self._log.state
        task_id = result.metadata.get("task_id")
        if isinstance(task_id, str) and task_id not in known.tasks:
            for task in agent.tasks.all():
                if task.id == task_id:
                    self._note_task(task, has_ended=False)

    def note_state(self, agent: AgentState) -> None:
        """What only the agent knows, if that is news."""
        known = self._log.state.values
        kept = {} if agent.depth else state_of(agent)  # a further agent's is its own
        if any(known.get(key, type(value)()) != value for key, value in kept.items()):
            self._log.note(StateKept(values=kept, at=self._now()))

    def task_ended(self, task: Task) -> None:
        """In a thread of its own, perhaps before the call that began it has."""
        self._note_task(task, has_ended=True)

    def _note_task(self, task: Task, *, has_ended: bool) -> None:
        with self._tasks:
            status = task.status
            if (status != "running") != has_ended:
                return  # the other note says it
            self._log.note(
                TaskKept(
                    at=self._now(),
                    task_id=task.id,
                    kind=task.kind,
                    title=self._redactor.redact(task.title),
                    status=status,
                    exit_code=task.exit_code,
                )
            )

    def _begin(self, call: ToolCall, call_id: str, agent: AgentState, *, changes: bool) -> None:
        arguments = self._redactor.redact_data(call.arguments)
        named = replace(call, id=call_id, arguments=arguments)
        side = agent.agent_id if agent.depth else ""
        self._log.begun(named, side=side, turn_id=agent.turn_id, changes=changes)
        self._begun.add(call_id)


@contextmanager
def _refusing() -> Iterator[None]:
    """What cannot be noted does not run."""
    try:
        yield
    except SessionError as problem:
        raise ToolError(str(problem), code=ErrorCode.IO_ERROR) from None


def state_of(agent: AgentState) -> dict[str, Any]:
    """What only the agent knows, as data."""
    return {
        "todos": as_data(agent.todos) or [],
        "plan_file": agent.policy.plan_file,
        "phrases": list(agent.policy.phrases),
        "mode": str(agent.policy.mode),
        MODE_BEFORE: str(agent.values.get(MODE_BEFORE, "")),
    }


def _changes(running: RunningCall) -> bool:
    """Also what a further agent may do: the call that begins it touches nothing by itself."""
    return not running.acts.changes_nothing or running.tool.category == "agents"


def _noted(result: ToolResult | None, **facts: str) -> ToolResult | None:
    if result is None:
        return None
    return replace(result, metadata={**result.metadata, **{k: v for k, v in facts.items() if v}})
