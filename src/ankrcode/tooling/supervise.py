"""One run of one tool, under a limit, cancellable, and always over in the end.

Cancelling asks once, waits a second, asks again, waits again; what still runs is left behind,
counted and reported, because nothing in Python can force it to stop.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, ParamSpec, TypeVar

from ankrcode.config.limits import CANCEL_GRACE_S, PROGRESS_AFTER_S
from ankrcode.errors import ErrorCode, ToolError
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.context import Stopwatch, ToolContext
from ankrcode.tooling.workers import in_worker
from ankrcode.words import say

T = TypeVar("T")
P = ParamSpec("P")

_left_behind: set[asyncio.Task[Any]] = set()  # kept alive until they end by themselves


async def supervise(work: Coroutine[Any, Any, T], ctx: ToolContext, limit_s: float | None) -> T:
    """Run the work; raise `ToolError` when it took too long, `CancelledError` when cancelled."""
    stopwatch = ctx.stopwatch = Stopwatch(ctx.source)
    task = asyncio.ensure_future(_contained(work, ctx.tool))
    try:
        while not task.done():
            patience = PROGRESS_AFTER_S
            if limit_s is not None and not stopwatch.is_paused:
                patience = min(patience, max(0.0, limit_s - stopwatch.worked_s()))
            await asyncio.wait((task,), timeout=patience)
            if not task.done():
                _check_limit(stopwatch, ctx, limit_s)
                ctx.progress(
                    say("still_running", tool=ctx.tool, seconds=round(stopwatch.worked_s()))
                )
    except asyncio.CancelledError:
        if not await _stopped(task, ctx):
            raise _abandoned(ctx, ErrorCode.CANCELLED) from None
        if _tells_itself(task):
            return task.result()
        raise
    except ToolError:
        if not await _stopped(task, ctx):
            raise _abandoned(ctx, ErrorCode.TIMEOUT) from None
        raise
    if task.cancelled():  # the tool cancelled itself; nobody cancelled the call
        raise ToolError.of("cancelled", tool=ctx.tool).coded(ErrorCode.CANCELLED)
    return task.result()


def _check_limit(stopwatch: Stopwatch, ctx: ToolContext, limit_s: float | None) -> None:
    if limit_s is not None and not stopwatch.is_paused and stopwatch.worked_s() >= limit_s:
        raise ToolError.of("timeout", tool=ctx.tool, seconds=limit_s).coded(
            ErrorCode.TIMEOUT, limit_s=limit_s
        )


async def _contained(work: Coroutine[Any, Any, T], tool: str) -> T:
    """`sys.exit()` in a tool ends the call, not the process."""
    try:
        return await work
    except SystemExit as problem:
        raise ToolError.of("tool_raised", tool=tool, error=f"SystemExit {problem}") from None


async def _stopped(task: "asyncio.Task[Any]", ctx: ToolContext) -> bool:
    """Ask the task to stop, twice; False if it is still running."""
    ctx.cancel.requested = True
    for _ in range(2):
        if task.done():
            break
        task.cancel()
        try:
            await asyncio.wait((task,), timeout=CANCEL_GRACE_S)
        except asyncio.CancelledError:
            continue  # asked to hurry: no more waiting
    if task.done():
        if not task.cancelled():
            task.exception()  # looked at, so that nobody warns about it
        return True
    _left_behind.add(task)
    task.add_done_callback(_forget)
    return False


def _tells_itself(task: "asyncio.Task[Any]") -> bool:
    """Did the tool say in a result of its own that, and how far, it was cancelled?"""
    if task.cancelled() or task.exception() is not None:
        return False
    result = task.result()
    is_error = isinstance(result, ToolResult) and result.error is not None
    return is_error and result.error.code is ErrorCode.CANCELLED


def _forget(task: "asyncio.Task[Any]") -> None:
    _left_behind.discard(task)
    if not task.cancelled():
        task.exception()


def _abandoned(ctx: ToolContext, code: ErrorCode) -> ToolError:
    return ToolError.of("abandoned", tool=ctx.tool).coded(code, abandoned=True)


async def in_thread(
    ctx: ToolContext, work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs
) -> T:
    """Run blocking work in a daemon thread, which never keeps the process from ending.

    A thread cannot be stopped from outside: it sees `ctx.cancel`, or is left behind.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def settle(result: Callable[[], None]) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(result)

    def thread() -> None:
        try:
            value = work(*args, **kwargs)
        except BaseException as problem:  # noqa: BLE001 - carried to the awaiting call
            error = _carried(problem, ctx.tool)
            settle(lambda: None if future.done() else future.set_exception(error))
        else:
            settle(lambda: None if future.done() else future.set_result(value))

    in_worker(f"ankrcode-{ctx.tool}", thread)
    try:
        return await asyncio.shield(future)
    except asyncio.CancelledError:
        await asyncio.shield(future)  # it may notice ctx.cancel; a second cancel gives up
        raise


def _carried(problem: BaseException, tool: str) -> Exception:
    """What a thread raised, in a form a future may carry."""
    if isinstance(problem, Exception) and not isinstance(problem, StopIteration):
        return problem
    return ToolError.of("tool_raised", tool=tool, error=repr(problem))
