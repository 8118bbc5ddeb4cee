"""One event loop in a thread of its own, so that ordinary code can call what is async.

Works inside a running loop (a notebook) and from several threads at once. Ctrl-C in the waiting
thread cancels the work and waits for it to end.
"""

import asyncio
import concurrent.futures
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

from ankrcode.errors import UsageError

T = TypeVar("T")

_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None


def run_in_background_loop(work: Coroutine[Any, Any, T]) -> T:
    loop = _running_loop()
    if asyncio._get_running_loop() is loop:
        work.close()  # the loop would wait for itself, for ever
        raise UsageError.of("sync_in_loop")
    future = asyncio.run_coroutine_threadsafe(work, loop)
    try:
        return future.result()
    except KeyboardInterrupt:
        future.cancel()
        concurrent.futures.wait([future], timeout=5)
        raise


def _running_loop() -> asyncio.AbstractEventLoop:
    global _loop  # noqa: PLW0603 - one per process, on purpose
    with _lock:
        if _loop is None or _loop.is_closed():
            _loop = asyncio.new_event_loop()
            thread = threading.Thread(target=_loop.run_forever, name="ankrcode-loop", daemon=True)
            thread.start()
        return _loop
