"""What goes on in the background: one list for shells and agents.

A task's output is on disk, its memory is bounded, and at most `MAX_TASKS` are remembered. When one
ends, whoever asked for it is told, and so is the model (`take_notes`).
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Literal, Protocol

from ankrcode.errors import ErrorCode, ToolError
from ankrcode.words import say
from ankrcode.workspace.processes.outcome import Outcome
from ankrcode.workspace.processes.output import Output
from ankrcode.workspace.processes.text import plain

MAX_TASKS = 64
_MAX_TITLE_CHARS = 200

Kind = Literal["shell", "agent"]


class Work(Protocol):
    """What can go on in the background: a process, later an agent."""

    output: Output

    @property
    def is_done(self) -> bool: ...

    @property
    def outcome(self) -> Outcome | None: ...

    @property
    def is_waiting_for_input(self) -> bool: ...

    def finished(self) -> Awaitable[Outcome]: ...

    def wait(self, within_s: float) -> bool: ...

    def stop(self, *, at_once: bool = False) -> None: ...

    def on_end(self, told: Callable[[], None]) -> None: ...


class Task:
    """One piece of work under a name."""

    def __init__(self, task_id: str, work: Work, kind: Kind, title: str, owner: str) -> None:
        self.id = task_id
        self.work = work
        self.kind = kind
        self.title = plain(" ".join(title.split()))[:_MAX_TITLE_CHARS]
        self.owner = owner
        self.seen = 0  # so many bytes of its output have been looked at
        self.is_killed = False
        self.started = time.monotonic()

    @property
    def exit_code(self) -> int | None:
        outcome = self.work.outcome
        return outcome.exit_code if outcome is not None else None

    @property
    def status(self) -> Literal["running", "completed", "failed", "killed"]:
        if not self.work.is_done:
            return "running"
        if self.is_killed:
            return "killed"
        return "completed" if self.exit_code == 0 else "failed"

    @property
    def seconds(self) -> float:
        outcome = self.work.outcome
        return outcome.duration_s if outcome is not None else time.monotonic() - self.started

    async def ended_within(self, seconds: float) -> bool:
        """Wait for the end, but no longer than this."""
        with suppress(TimeoutError, OSError):  # one that could not start has ended too
            async with asyncio.timeout(seconds):
                await self.work.finished()
        return self.work.is_done


class Tasks:
    """Shared by the agents of one toolkit; each task belongs to the agent that started it."""

    def __init__(self, on_end: Callable[[Task], None] = lambda task: None) -> None:
        self._tasks: dict[str, Task] = {}
        self._notes: dict[str, dict[str, str]] = {}  # by owner and task
        self._on_end = on_end

    @property
    def has_room(self) -> bool:
        return sum(not task.work.is_done for task in self._tasks.values()) < MAX_TASKS

    def check_room(self) -> None:
        """Is there a place for one more? Raises `ToolError` where all of them still run."""
        if not self.has_room:
            error = ToolError.of("too_many_tasks", limit=MAX_TASKS)
            raise error.coded(ErrorCode.EXECUTION_ERROR, limit=MAX_TASKS)

    def add(self, task_id: str, work: Work, *, kind: Kind, title: str, owner: str = "") -> Task:
        """Remember a piece of work that has begun; the oldest that has ended makes room."""
        self.check_room()
        ended = [task for task in self._tasks.values() if task.work.is_done]
        for task in ended[: max(0, len(self._tasks) + 1 - MAX_TASKS)]:
            self._forget(task)
        task = Task(task_id, work, kind, title, owner)
        self._tasks[task_id] = task
        work.on_end(lambda: self._ended(task))
        return task

    def get(self, task_id: str) -> Task:
        task = self._tasks.get(task_id)
        if task is None:
            known = ", ".join(self._tasks) or "none"
            error = ToolError.of("unknown_task", task=task_id, known=known)
            raise error.coded(ErrorCode.INVALID_INPUT, task_id=task_id)
        return task

    def all(self) -> list[Task]:
        return list(self._tasks.values())

    def take_notes(self, owner: str) -> list[str]:
        """What an agent should be told about its tasks that ended; each note is given once."""
        return list(self._notes.pop(owner, {}).values())

    def tell(self, owner: str, about: str, note: str) -> None:
        """What an agent should be told with its next result."""
        self._notes.setdefault(owner, {})[about] = note

    def looked_at(self, task: Task, end: int) -> None:
        """Its output was seen up to here; if it has ended, there is no more to tell."""
        task.seen = end
        if task.work.is_done:
            self._notes.get(task.owner, {}).pop(task.id, None)

    def close(self, owner: str | None = None, within_s: float = 2.0) -> None:
        """Stop what still runs (of one owner, or all), and remove the saved outputs."""
        closing = [task for task in self.all() if owner is None or task.owner == owner]
        for task in closing:
            task.is_killed = True
            task.work.stop(at_once=True)
        until = time.monotonic() + within_s
        for task in closing:
            task.work.wait(max(0.0, until - time.monotonic()))
            self._forget(task)

    def _ended(self, task: Task) -> None:
        if task.id not in self._tasks:
            return
        if not task.is_killed:  # who killed it knows
            note = say("task_ended", task=task.id, title=task.title, status=task.status)
            self.tell(task.owner, task.id, note)
        self._on_end(task)

    def _forget(self, task: Task) -> None:
        del self._tasks[task.id]
        self._notes.get(task.owner, {}).pop(task.id, None)
        task.work.output.discard()
