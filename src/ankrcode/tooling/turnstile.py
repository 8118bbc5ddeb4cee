"""One at a time, in order of arrival: also for waiters on several loops and threads."""

import asyncio
from collections import deque
from threading import Lock

_Waiter = tuple[asyncio.AbstractEventLoop, "asyncio.Future[None]"]


class Turnstile:
    """`async with turnstile:` – whoever comes later waits; one that gave up is passed over."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._is_taken = False
        self._waiting: deque[_Waiter] = deque()

    async def __aenter__(self) -> None:
        loop = asyncio.get_running_loop()
        with self._lock:
            if not self._is_taken:
                self._is_taken = True
                return
            turn = loop.create_future()
            self._waiting.append((loop, turn))
        try:
            await turn
        except asyncio.CancelledError:
            with self._lock:
                is_waiting = (loop, turn) in self._waiting
                if is_waiting:
                    self._waiting.remove((loop, turn))
            if not is_waiting:  # the turn was handed over at this very moment
                self._pass_on()
            raise

    async def __aexit__(self, *_: object) -> None:
        self._pass_on()

    def _pass_on(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._is_taken = False
                    return
                loop, turn = self._waiting.popleft()
            try:
                loop.call_soon_threadsafe(_hand_over, turn)
            except RuntimeError:  # that loop has ended, and its waiter with it
                continue
            return


def _hand_over(turn: "asyncio.Future[None]") -> None:
    if not turn.done():
        turn.set_result(None)
