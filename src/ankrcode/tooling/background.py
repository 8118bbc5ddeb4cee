"""One event loop in a thread of its own, so that ordinary code can call what is async.

Works inside a running loop (a notebook) and from several threads at once. Ctrl-C in the waiting
thread cancels the work and waits for it to end.
"""

import asyncio
import concurrent.futures
import threading
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, Generic, TypeVar

from ankrcode.errors import UsageError

T = TypeVar("T")

# How long an interrupted caller waits for its work to end: a tool may ignore the first cancel.
INTERRUPT_GRACE_S = 5.0

_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None
_thread: threading.Thread | None = None


def run_in_background_loop(work: Coroutine[Any, Any, T]) -> T:
    loop = _running_loop()
    if asyncio._get_running_loop() is loop:
        work.close()  # the loop would wait for itself, for ever
        raise UsageError.of("sync_in_loop")
    errand = _Errand(work)
    try:  # begun before the work is handed over: an interrupt may come at any instruction
        loop.call_soon_threadsafe(errand.start)
        return errand.outcome.result()
    except KeyboardInterrupt:
        loop.call_soon_threadsafe(errand.cancel)
        errand.is_over.wait(timeout=INTERRUPT_GRACE_S)
        raise


class _Errand(Generic[T]):
    """Work that another thread's loop does; started and cancelled in that loop only."""

    def __init__(self, work: Coroutine[Any, Any, T]) -> None:
        self._work = work
        self._task: asyncio.Task[None] | None = None
        self.outcome: concurrent.futures.Future[T] = concurrent.futures.Future()
        self.is_over = threading.Event()

    def start(self) -> None:
        if not self.is_over.is_set():
            self._task = asyncio.get_running_loop().create_task(self._done())

    def cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()
        else:  # interrupted before it began
            self._work.close()
            self.is_over.set()

    async def _done(self) -> None:
        try:
            self.outcome.set_result(await self._work)
        except BaseException as problem:  # noqa: BLE001 - carried to the waiting thread
            self.outcome.set_exception(problem)
        finally:
            self.is_over.set()


def _running_loop() -> asyncio.AbstractEventLoop:
    global _loop, _thread  # noqa: PLW0603 - one per process, on purpose
    with _lock:
        # In a forked process the thread of its parent is gone.
        if _loop is None or _loop.is_closed() or _thread is None or not _thread.is_alive():
            _loop = loop = asyncio.new_event_loop()
            target, name = lambda: _run(loop), "ankrcode-loop"
            _thread = threading.Thread(target=target, name=name, daemon=True)
            _thread.start()
        return _loop


def _run(loop: asyncio.AbstractEventLoop) -> None:
    """For ever. `sys.exit()` in somebody's callback would end it, and all would wait in vain: it
    reaches whoever waits for that work, and the loop goes on."""
    while not loop.is_closed():
        with suppress(SystemExit, KeyboardInterrupt):
            loop.run_forever()
            return
