"""A further agent at work, as a task: it can be waited for, looked at and stopped."""

import asyncio
import concurrent.futures
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from ankrcode.tooling.subagents import AgentReport
from ankrcode.workspace.processes.outcome import Outcome
from ankrcode.workspace.processes.output import Output

Working = Callable[[], Coroutine[Any, Any, AgentReport]]


class AgentRun:
    """Lives in the loop that started it; any thread may look at it or stop it."""

    is_waiting_for_input = False

    def __init__(self, agent_id: str, output: Output, working: Working) -> None:
        self.agent_id = agent_id
        self.output = output
        self._started = time.monotonic()
        self._lock = threading.Lock()
        self._told: list[Callable[[], None]] = []
        self._over = threading.Event()
        self._end: concurrent.futures.Future[Outcome] = concurrent.futures.Future()
        self._loop = asyncio.get_running_loop()
        self._task = self._loop.create_task(working())
        self._task.add_done_callback(self._conclude)

    # ── for whoever asked for it ──────────────────────────────────────────────────────────
    async def report(self) -> AgentReport:
        """Wait for the end. Cancelled, the agent is stopped, and so is all that it started."""
        try:
            await asyncio.wait((self._task,))
        except asyncio.CancelledError:
            self._task.cancel()
            await asyncio.wait((self._task,))
            raise
        return self._task.result()

    # ── as a task ─────────────────────────────────────────────────────────────────────────
    @property
    def is_done(self) -> bool:
        return self._over.is_set()

    @property
    def outcome(self) -> Outcome | None:
        return self._end.result() if self.is_done else None

    def finished(self) -> Awaitable[Outcome]:
        """Giving up the wait does not stop the agent."""
        return asyncio.shield(asyncio.wrap_future(self._end))

    def wait(self, within_s: float) -> bool:
        """From another thread; inside its own loop nobody can wait for it by standing still."""
        if asyncio._get_running_loop() is not self._loop:
            self._over.wait(within_s)
        return self.is_done

    def stop(self, *, at_once: bool = False) -> None:
        """Said in its own loop it holds at once: one that has not begun asks no model first."""
        if asyncio._get_running_loop() is self._loop:
            self._task.cancel()
        elif not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._task.cancel)

    def on_end(self, told: Callable[[], None]) -> None:
        with self._lock:
            if not self.is_done:
                self._told.append(told)
                return
        told()

    def _conclude(self, task: "asyncio.Task[AgentReport]") -> None:
        """Also of one that was stopped before it began."""
        is_stopped = task.cancelled()
        if not is_stopped and (fault := task.exception()) is not None:
            why = f"{type(fault).__name__}: {fault}\n"
            self.output.write(memoryview(why.encode(errors="replace")))
        self.output.close()
        is_fine = not is_stopped and task.exception() is None and task.result().ok
        outcome = Outcome(
            exit_code=0 if is_fine else 1,
            ended_by="stop" if is_stopped else "exit",
            duration_s=time.monotonic() - self._started,
        )
        with self._lock:
            self._end.set_result(outcome)
            self._over.set()
            told, self._told = self._told, []
        for one in told:
            one()
