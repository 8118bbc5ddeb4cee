"""Turns: calls fed one by one while a model still streams, results in the order of the calls."""

import asyncio
from collections.abc import Iterable
from functools import partial
from typing import Literal

from msgspec.structs import replace

from ankrcode.config.limits import MAX_QUEUED_CALLS
from ankrcode.config.settings import Settings
from ankrcode.errors import ErrorCode, ToolError
from ankrcode.protocol.acts import NOTHING
from ankrcode.protocol.call import ToolCall
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.hazards import HazardTable, Ticket, conflict
from ankrcode.tooling.partition import PartitionTable, PartitionTicket
from ankrcode.tooling.pipeline import Pipeline
from ankrcode.tooling.repeats import CallKey, RepeatGuard, key_of, sentence, with_reminder
from ankrcode.tooling.running import RunningCall
from ankrcode.tooling.state import AgentState

SchedulingPolicy = Literal["hazards", "partition"]


class Scheduler:
    """One agent's way to run calls. The hazard table is shared by the workspace's agents."""

    def __init__(
        self,
        pipeline: Pipeline,
        table: HazardTable,
        agent: AgentState,
        *,
        policy: SchedulingPolicy = "hazards",
    ) -> None:
        self.pipeline = pipeline
        self.table = table
        self.agent = agent
        self.policy = policy
        self.repeats = RepeatGuard()

    def turn(self, settings: Settings | None = None) -> "Turn":
        """A batch of calls that belong to one answer of the model."""
        return Turn(self, self.table if self.policy == "hazards" else PartitionTable(), settings)

    async def run(self, calls: Iterable[ToolCall]) -> list[ToolResult]:
        """All calls of one answer; results in their order."""
        turn = self.turn()
        for call in calls:
            turn.feed(call)
        return await turn.results()


class Turn:
    """Feed calls as they arrive; each starts as soon as nothing before it conflicts."""

    def __init__(
        self,
        scheduler: Scheduler,
        table: HazardTable | PartitionTable,
        settings: Settings | None = None,
    ) -> None:
        self._scheduler = scheduler
        self._settings = settings
        self._table = table
        self._pipeline = scheduler.pipeline
        self._agent = scheduler.agent
        self._fed: dict[str, _Fed] = {}  # by call id, in call order
        self.queued_results: list[ToolResult] = []

    def feed(self, call: ToolCall) -> "asyncio.Task[ToolResult]":
        """Start this call as soon as it may. Its task ends in a result, also when cancelled."""
        fed = self._taken_in(call)
        fed.task = asyncio.get_running_loop().create_task(self._run(fed))
        fed.task.add_done_callback(fed.leave)  # even if the loop ends before it began
        return fed.task

    async def run_one(self, call: ToolCall) -> ToolResult:
        """A turn of a single call, in the caller's own task."""
        fed = self._taken_in(call)
        self._table.close()
        cancels_before = _cancel_requests()
        result = await self._run(fed)
        if _cancel_requests() > cancels_before:
            raise asyncio.CancelledError  # the call has its result; the caller was cancelled
        await self._run_queued()
        return result

    async def results(self) -> list[ToolResult]:
        """No more calls will come: the results of all, in call order; then what was queued runs."""
        self._table.close()
        tasks = [fed.task for fed in self._fed.values() if fed.task is not None]
        try:
            if tasks:
                await asyncio.wait(tasks)
        except asyncio.CancelledError:
            self.cancel()
            await asyncio.wait(tasks)
            raise
        await self._run_queued()
        return [task.result() for task in tasks]

    def cancel(self, call_id: str | None = None) -> None:
        """Stop one call, or all of them. Each still gets its result."""
        for fed in self._fed.values() if call_id is None else [self._fed[call_id]]:
            fed.cancel()

    # ── one call ──────────────────────────────────────────────────────────────────────────
    def _taken_in(self, call: ToolCall) -> "_Fed":
        """Resolve now, so that later calls know what this one touches, and take its place."""
        call_id = call.id
        if not call_id or call_id in self._fed:  # an id from outside may come twice
            call_id = self._pipeline.source.new_id("call")
        started = self._pipeline.source.monotonic()
        fed = self._fed[call_id] = _Fed(replace(call, id=call_id), started)
        try:
            fed.running = running = self._pipeline.resolve(fed.call, self._agent, self._settings)
        except ToolError as problem:
            fed.problem = problem
            return fed
        fed.twin, fed.reminder = self._repeated(fed, running)
        if fed.twin is None:
            fed.ticket = self._table.enter(
                id(self._agent),
                running.acts,
                takes_slot=not running.tool.waits,
                is_safe=partial(running.tool.is_concurrency_safe, running.args),
            )
        return fed

    async def _run(self, fed: "_Fed") -> ToolResult:
        fed.is_started = True
        try:
            if fed.is_cancelled:
                raise asyncio.CancelledError
            if fed.twin is not None:
                return await _shared(fed.twin, fed.call.id)
            result = await self._driven(fed)
        except ToolError as problem:
            result = self._pipeline.refuse(fed.call, self._agent, problem, fed.started)
        except asyncio.CancelledError:
            error = ToolError.of("cancelled.waiting", tool=fed.call.name)
            error.coded(ErrorCode.CANCELLED)
            return self._pipeline.refuse(fed.call, self._agent, error, fed.started)
        finally:
            fed.leave()
        return self._noted(fed, result)

    async def _driven(self, fed: "_Fed") -> ToolResult:
        self._scheduler.repeats.check(fed.key)
        if fed.problem is not None:
            raise fed.problem
        running, ticket = fed.running, fed.ticket
        assert running is not None
        assert ticket is not None
        if await ticket.state_settled():
            # An earlier call may have moved the ground (the current directory): look again.
            running.become(self._pipeline.resolve(fed.call, self._agent))
            ticket.change(running.acts)
        return await self._pipeline.handle(running, ticket)

    # ── repeats ───────────────────────────────────────────────────────────────────────────
    def _repeated(self, fed: "_Fed", running: RunningCall) -> "tuple[_Fed | None, str]":
        """An identical earlier call to share, if it writes nothing and nothing came between."""
        for earlier in reversed(self._fed.values()):
            if earlier is fed or earlier.running is None or earlier.ticket is None:
                continue
            if earlier.running.key == running.key:
                if running.acts.writes:
                    return None, sentence("repeat.write")
                return (earlier if running.tool.shares_repeats else None), ""
            if not running.acts.writes and conflict(earlier.running.acts, running.acts):
                break
        return None, ""

    def _noted(self, fed: "_Fed", result: ToolResult) -> ToolResult:
        """Remember how it went; add the reminders that belong to it."""
        acts = fed.running.acts if fed.running else NOTHING
        ladder = self._scheduler.repeats.note(fed.key, result, acts)
        for reminder in filter(None, (fed.reminder, ladder)):
            result = replace(result, **with_reminder(result, reminder))
        return result

    async def _run_queued(self) -> None:
        """Calls that results asked for, after the turn, through the whole pipeline."""
        for _ in range(MAX_QUEUED_CALLS):
            if not self._agent.queued:
                return
            call = self._agent.queued.popleft()
            turn = self._scheduler.turn()
            task = turn.feed(call)
            turn.close()
            self.queued_results.append(await task)

    def close(self) -> None:
        """No more calls will come."""
        self._table.close()


class _Fed:
    """One call of a turn: what became of it so far."""

    __slots__ = (
        "call",
        "is_cancelled",
        "is_started",
        "problem",
        "reminder",
        "running",
        "started",
        "task",
        "ticket",
        "twin",
    )

    def __init__(self, call: ToolCall, started: float) -> None:
        self.call = call
        self.started = started
        self.running: RunningCall | None = None
        self.problem: ToolError | None = None
        self.ticket: Ticket | PartitionTicket | None = None
        self.twin: _Fed | None = None
        self.reminder = ""
        self.task: asyncio.Task[ToolResult] | None = None
        self.is_started = False
        self.is_cancelled = False

    @property
    def key(self) -> CallKey:
        return self.running.key if self.running else key_of(self.call)

    def cancel(self) -> None:
        """A task cancelled before its first step would end without a result: flag it instead."""
        self.is_cancelled = True
        if self.is_started and self.task is not None:
            self.task.cancel()

    def leave(self, *_: object) -> None:
        if self.ticket is not None:
            self.ticket.leave()


def _cancel_requests() -> int:
    task = asyncio.current_task()
    return task.cancelling() if task is not None else 0


async def _shared(twin: _Fed, call_id: str) -> ToolResult:
    """The one execution's result, under this call's own id."""
    assert twin.task is not None
    result = await asyncio.shield(twin.task)
    metadata = {**result.metadata, "shared_with": twin.call.id}
    return replace(result, call_id=call_id, metadata=metadata)
