"""Daemon threads that are used again: to start one costs more than most of the work done in it."""

import os
import threading
from collections.abc import Callable
from queue import SimpleQueue

MAX_IDLE = 16

_idle: "list[_Worker]" = []


def in_worker(name: str, work: Callable[[], None]) -> None:
    """Let a thread do this; one that hangs in its work is not waited for, another takes over."""
    try:
        worker = _idle.pop()
    except IndexError:
        worker = _Worker()
    worker.work.put((name, work))


def forget_idle() -> None:
    """What comes next runs in new threads: these keep the rights they were started with."""
    _idle.clear()


class _Worker:
    """Waits for work, does it, and waits again; too many idle ones end."""

    def __init__(self) -> None:
        self.work: SimpleQueue[tuple[str, Callable[[], None]]] = SimpleQueue()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            name, work = self.work.get()
            self._thread.name = name
            work()
            del work  # what it held is not kept while nothing is to be done
            self._thread.name = "ankrcode-idle"
            if len(_idle) >= MAX_IDLE:
                return
            _idle.append(self)


os.register_at_fork(after_in_child=forget_idle)  # threads do not live on there
