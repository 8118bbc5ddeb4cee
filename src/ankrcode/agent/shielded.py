"""Work that is finished whoever cancels meanwhile."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class _Passing(asyncio.Future[None]):
    """Awaited in place of a task: a cancel reaches the task at once, and is kept as it came."""

    def __init__(self, task: "asyncio.Task[Any]") -> None:
        super().__init__(loop=task.get_loop())
        self._task = task
        self.first: asyncio.CancelledError | None = None
        task.add_done_callback(lambda _: None if self.done() else self.set_result(None))

    def cancel(self, msg: Any = None) -> bool:
        words = () if msg is None else (msg,)
        if self.first is not None and words and words == self.first.args:
            return True  # the same one, sent again until it is obeyed
        self.first = self.first or asyncio.CancelledError(*words)
        return self._task.cancel(*words)


async def ended(task: "asyncio.Task[Any]") -> asyncio.CancelledError | None:
    """Wait for its end; it is told of each cancel. The first one is given back: whoever sent it
    looks for the words in it, and the caller must raise it."""
    passing = _Passing(task)
    try:
        await passing
    except asyncio.CancelledError as problem:  # it was over in that very moment
        return problem
    return passing.first


async def shielded(work: Coroutine[Any, Any, T]) -> T:
    """Its result. The work must be short: nobody can stop it."""
    task = asyncio.ensure_future(work)
    while not task.done():
        try:
            await asyncio.wait((task,))
        except asyncio.CancelledError:
            continue
    return task.result()
