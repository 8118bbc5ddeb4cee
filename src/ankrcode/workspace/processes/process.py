"""One process, as its owner sees it."""

import asyncio
import os
import subprocess
import threading
import time
from _thread import start_new_thread
from collections.abc import Callable
from concurrent.futures import Future, wait
from contextlib import suppress

from msgspec.structs import replace

from ankrcode.workspace.processes.attendant import Attendant
from ankrcode.workspace.processes.confinement import Launch
from ankrcode.workspace.processes.descendants import Descendants, is_reading_input, set_mark
from ankrcode.workspace.processes.guardian import GUARDIAN
from ankrcode.workspace.processes.outcome import Outcome
from ankrcode.workspace.processes.output import Output
from ankrcode.workspace.processes.saved import Saved
from ankrcode.workspace.processes.soon import Soon
from ankrcode.workspace.processes.spawn import Pipes, spawn

_Spawned = tuple["subprocess.Popen[bytes]", Callable[[], list[str]] | None]  # and the release


class Process:
    """Made by `Processes`. `output` can be read at any time; `finished` waits for the end."""

    def __init__(
        self,
        pipes: Pipes,
        saved: Saved,
        *,
        mark: int,
        timeout_s: float | None = None,
        told: Callable[[str], None] | None = None,
    ) -> None:
        self.output = Output(saved)
        self.errors = Output(saved) if pipes.errors >= 0 else self.output
        self.pid = 0
        self.is_lasting = False  # set before it begins: it is watched over from the start
        self._pipes = pipes
        self._mark = mark
        self._attendant = Attendant(pipes, (self.output, self.errors), timeout_s, told)
        self._attendant.on_long = lambda: GUARDIAN.watch(mark)
        self._soon: Soon | None = None
        self._lock = threading.Lock()  # around the pipes, which are closed in the end
        self._started: Future[None] = Future()
        self._done: Future[Outcome] = Future()
        for future in (self._started, self._done):
            future.set_running_or_notify_cancel()  # who waits may give up; the process goes on

    def started(self) -> "asyncio.Future[None]":
        """Wait until it runs; raises what kept it from it."""
        return asyncio.wrap_future(self._started)

    # ── its end ───────────────────────────────────────────────────────────────────────────
    @property
    def is_done(self) -> bool:
        return self._done.done()

    @property
    def outcome(self) -> Outcome | None:
        """How it ended; None while it runs, and where it could not be started."""
        return self._done.result() if self.is_done and not self._done.exception() else None

    def finished(self) -> "asyncio.Future[Outcome]":
        """Wait for the end; raises what kept it from starting."""
        return asyncio.wrap_future(self._done)

    def wait(self, within_s: float) -> bool:
        """The same for ordinary code: did it end in time?"""
        return bool(wait((self._done,), within_s).done)

    def on_end(self, told: Callable[[], None]) -> None:
        self._done.add_done_callback(lambda _: told())

    def stop(self, *, at_once: bool = False) -> None:
        """Ask it to end, and see to it that it does; returns at once."""
        self._attendant.stop = "at once" if at_once else self._attendant.stop or "politely"
        self._wake()

    def detach(self) -> None:
        """Nobody waits for it any longer: no time limit, nobody to tell."""
        self._attendant.timeout_s = None
        self._attendant.told = None
        self._wake()

    # ── its input ─────────────────────────────────────────────────────────────────────────
    @property
    def takes_input(self) -> bool:
        return self._pipes.input >= 0

    def send(self, data: bytes) -> int:
        """Give it input; how many bytes it could take. Raises `BrokenPipeError`."""
        with self._lock:
            if not self.takes_input:
                raise BrokenPipeError
            try:
                return os.write(self._pipes.input, data)
            except BlockingIOError:
                return 0

    def end_input(self) -> None:
        """After what was sent it reads the end of the file."""
        with self._lock:
            self._pipes.close_input()

    @property
    def is_waiting_for_input(self) -> bool:
        with self._lock:
            if not self.takes_input or not self.pid:
                return False
            family = (self.pid, *Descendants(self.pid, self._mark).others())
            return any(is_reading_input(pid, self._pipes.input) for pid in family)

    # ── its life ──────────────────────────────────────────────────────────────────────────
    def begin(self, prepare: Callable[[], Launch], *, is_quick: bool, is_awaited: bool) -> None:
        """Start it; building a wall takes its time, so that is done in its thread.

        Where that is quick it is started right here, and if this loop waits for it, it gets a
        thread only when it is not over at once.
        """
        started = time.monotonic()
        if not is_quick:
            self._attend(lambda: self._spawned(prepare()), started)
            return
        try:
            spawned = self._spawned(prepare())
        except BaseException as problem:  # noqa: BLE001 - carried to whoever waits
            self._over(problem)
            return
        if is_awaited and hasattr(os, "pidfd_open"):
            family = Descendants(self.pid, self._mark)
            self._soon = Soon(
                self.pid,
                lambda: self._live(lambda: spawned, started),
                lambda: self._attendant.is_over(family),
            )
        else:
            self._attend(lambda: spawned, started)

    def _attend(self, spawned: Callable[[], _Spawned], started: float) -> None:
        start_new_thread(self._live, (spawned, started))

    def _live(self, spawned: Callable[[], _Spawned], started: float) -> None:
        end: Outcome | BaseException
        try:
            end = self._lived(spawned(), started)
        except BaseException as problem:  # noqa: BLE001 - carried to whoever waits
            end = problem
        self._over(end)

    def _spawned(self, launch: Launch) -> _Spawned:
        if self.is_lasting:
            GUARDIAN.watch(self._mark)
        try:
            popen = spawn(launch, self._pipes)
        except BaseException:
            GUARDIAN.release(self._mark)
            if launch.release is not None:
                launch.release()
            raise
        self.pid = popen.pid
        set_mark(popen.pid, self._mark)
        self._started.set_result(None)
        return popen, launch.release

    def _lived(self, spawned: _Spawned, started: float) -> Outcome:
        popen, release = spawned
        violations: list[str] = []
        try:
            family = Descendants(popen.pid, self._mark)
            outcome = self._attendant.attend(popen, family, started)
        finally:
            GUARDIAN.release(self._mark)
            if release is not None:
                violations = release()
        return replace(outcome, violations=tuple(violations)) if violations else outcome

    def _over(self, end: Outcome | BaseException) -> None:
        with self._lock:
            self._pipes.close()
        for output in {self.output, self.errors}:
            output.close()
        if isinstance(end, Outcome):
            self._done.set_result(end)
            return
        if not self._started.done():
            self._started.set_exception(end)
        self._done.set_exception(end)

    def _wake(self) -> None:
        if self._soon is not None:
            self._soon.hand_over()
        with self._lock, suppress(OSError):  # full: it is awake already
            if not self.is_done:
                os.write(self._pipes.waker, b"!")
