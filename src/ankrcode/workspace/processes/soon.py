"""A command is often over at once: then the loop that waits for it attends to it, without a thread.

Handing a process over to a thread and back costs more than a small command itself takes.
"""

import asyncio
import os
import threading
from _thread import start_new_thread
from collections.abc import Callable

_SOON_S = 0.03  # long enough for a wall of its own


class Soon:
    """Waits a moment for the end of a process; then a thread takes over.

    `attend` does all that has to be done, and takes as long as the process; `is_over` says whether
    that would now be no time at all.
    """

    def __init__(self, pid: int, attend: Callable[[], None], is_over: Callable[[], bool]) -> None:
        self._attend = attend
        self._is_over = is_over
        self._taking = threading.Lock()  # taken once, by whoever comes first
        self._loop = asyncio.get_running_loop()
        self._handle = os.pidfd_open(pid)
        self._loop.add_reader(self._handle, self._ended)
        self._timer = self._loop.call_later(_SOON_S, self._lasts)

    def hand_over(self) -> None:
        """A thread is needed now; from whichever thread this is asked."""
        if self._taking.acquire(blocking=False):
            self._attend_aside()

    def _ended(self) -> None:
        self._forget()
        if not self._taking.acquire(blocking=False):
            return  # a thread reads its output already: two would take it from each other
        if self._is_over():
            self._attend()
        else:
            self._attend_aside()

    def _attend_aside(self) -> None:
        # Without waiting until it runs, as `Thread.start` would; nobody needs its name.
        start_new_thread(self._attend, ())

    def _lasts(self) -> None:
        self._forget()
        self.hand_over()

    def _forget(self) -> None:
        self._timer.cancel()
        self._loop.remove_reader(self._handle)
        os.close(self._handle)
