"""The thread beside each process: it reads, watches the clock, and tidies up afterwards.

It waits for three things at once: output, the end of the process, and a request to stop. It never
waits for the end of the output: a daemon may hold the pipe for ever.
"""

import fcntl
import math
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Literal

from ankrcode.workspace.processes.descendants import Descendants, name_of
from ankrcode.workspace.processes.outcome import EndedBy, Outcome
from ankrcode.workspace.processes.output import Output
from ankrcode.workspace.processes.spawn import Ending, Pipes
from ankrcode.workspace.processes.text import Stream

GRACE_S = 0.5  # between the polite signal and the final one
_LAST_WORDS_S = 0.1  # how long we listen after the end while somebody still holds the pipe
_LEAVE_S = 0.2  # how long those left behind may take to go by themselves
_ABOUT_TO_END_S = 0.02
_KILL_S = 0.3
_LONG_S = 0.25
_FIRST_READ_BYTES = 64 * 1024
_BULK_BYTES = 1024 * 1024
_SET_PIPE_SIZE = 1031  # F_SETPIPE_SZ; `fcntl` names it on Linux only
_MAX_RECORD_BYTES = 16 * 1024  # two paths of any length
_MAX_NAMED = 5


class Attendant:
    """What the thread knows. Its owner may change `timeout_s`, `told` and `stop` at any time."""

    def __init__(
        self,
        pipes: Pipes,
        outputs: tuple[Output, Output],
        timeout_s: float | None,
        told: Callable[[str], None] | None,
    ) -> None:
        self.timeout_s = timeout_s
        self.told = told
        self.stop: Literal["", "politely", "at once"] = ""
        self.on_long: Callable[[], None] = _nothing  # called once, if it runs for a while
        self._pipes = pipes
        self._output, self._errors = outputs
        self._open = {handle for handle in (pipes.output, pipes.errors) if handle >= 0}
        self._stream = Stream()
        self._buffer = bytearray()  # made when something is printed

    def attend(
        self, popen: "subprocess.Popen[bytes]", family: Descendants, started: float
    ) -> Outcome:
        """From the start to the end of one process and all it began."""
        ending = Ending(popen)
        try:
            ended_by = self._watch(ending.handle, family, started)
            left_behind = self._tidy(family, is_forced=ended_by != "exit")
            return self._outcome(popen, ended_by, left_behind, started)
        except BaseException:  # a fault of ours: nothing may be left running for it
            family.kill(_KILL_S)
            popen.wait()
            raise
        finally:
            ending.close()

    def is_over(self, family: Descendants) -> bool:
        """The process has ended: is there nothing left to wait for, neither output nor others?"""
        taken = 0
        while self._open and taken < _BULK_BYTES and (ready := _ready(self._open, 0)):
            taken += self._listen(ready)
        return not self._open and not family.others()

    # ── while it runs ─────────────────────────────────────────────────────────────────────
    def _watch(self, end: int, family: Descendants, started: float) -> EndedBy:
        """Read and watch until the process has ended; why it ended."""
        ended_by: EndedBy = "exit"
        kill_at, long_at = math.inf, started + _LONG_S
        while True:
            deadline = kill_at
            if self.timeout_s is not None and ended_by == "exit":
                deadline = started + self.timeout_s
            patience = self._patience(min(deadline, long_at))
            ready = _ready((*self._open, end, self._pipes.wake), patience)
            if end in ready:
                return ended_by
            self._listen(ready)
            now = time.monotonic()
            self._tell(now)
            if now >= long_at:
                long_at = math.inf
                self.on_long()
            if ended_by == "exit" and (self.stop or now >= deadline):
                ended_by, kill_at = "stop" if self.stop else "timeout", now + GRACE_S
                if self.stop != "at once":
                    family.signal(signal.SIGTERM)
                    family.signal(signal.SIGCONT)  # one that was halted would not hear it
            if now >= kill_at or self.stop == "at once":
                family.signal(signal.SIGKILL)
                kill_at = now + GRACE_S  # once more, should somebody have come meanwhile

    def _patience(self, deadline: float) -> float:
        now = time.monotonic()
        if self.told is not None and not self._stream.is_empty:
            deadline = min(deadline, now + self._stream.due_in(now))
        return max(0.0, deadline - now)

    def _listen(self, ready: Iterable[int]) -> int:
        """Take what is there; how many bytes of output that was."""
        total = 0
        for handle in ready:
            if handle == self._pipes.wake:
                os.read(handle, _MAX_RECORD_BYTES)
            else:
                total += self._read(handle)
        return total

    def _read(self, handle: int) -> int:
        if not self._buffer:
            self._buffer = bytearray(_FIRST_READ_BYTES)
        try:
            count = os.readv(handle, [self._buffer])
        except BlockingIOError:
            return 0
        if count == 0:
            self._open.discard(handle)  # nobody holds its other end any more
            return 0
        with memoryview(self._buffer)[:count] as data:
            (self._errors if handle == self._pipes.errors else self._output).write(data)
            if self.told is not None:
                self._stream.feed(data)
        if count == len(self._buffer):
            self._widen(handle)
        return count

    def _widen(self, handle: int) -> None:
        """Much is coming: larger pipes and reads mean fewer changes between the processes."""
        if len(self._buffer) < _BULK_BYTES:
            self._buffer = bytearray(_BULK_BYTES)
        with suppress(OSError):
            fcntl.fcntl(handle, _SET_PIPE_SIZE, _BULK_BYTES)

    def _tell(self, now: float, *, is_last: bool = False) -> None:
        stream, told = self._stream, self.told
        if told is None or stream.is_empty or (stream.due_in(now) > 0 and not is_last):
            return
        if text := stream.take(now, is_last=is_last):
            told(text)

    # ── when it has ended ─────────────────────────────────────────────────────────────────
    def _tidy(self, family: Descendants, *, is_forced: bool) -> tuple[str, ...]:
        """Hear the last words, and stop what was left behind; its names."""
        if is_forced:
            family.kill(_KILL_S)
        self._drain()
        # Whoever holds no pipe any more may be about to end, as a wall's own processes are.
        if not family.others() or (not self._open and family.wait(_ABOUT_TO_END_S)):
            return ()
        left = family.others()
        names = tuple(filter(None, map(name_of, left[:_MAX_NAMED])))
        family.signal(signal.SIGTERM)
        if not family.wait(_LEAVE_S):
            family.kill(_KILL_S)
        self._drain()
        return names

    def _drain(self) -> None:
        """Read all that is in the pipes already, and for a moment what still comes."""
        until = time.monotonic() + _LAST_WORDS_S
        taken = 0
        while self._open:
            left_s = until - time.monotonic()
            ready = _ready(self._open, max(0.0, left_s))
            if not ready or (left_s <= 0 and taken >= _BULK_BYTES):
                return
            taken += self._listen(ready)

    def _outcome(
        self,
        popen: "subprocess.Popen[bytes]",
        ended_by: EndedBy,
        left_behind: tuple[str, ...],
        started: float,
    ) -> Outcome:
        code = popen.wait()
        self._tell(time.monotonic(), is_last=True)
        return Outcome(
            exit_code=code if code >= 0 else 128 - code,
            signal=max(0, -code),
            ended_by=ended_by,
            duration_s=time.monotonic() - started,
            cwd=self._recorded(),
            left_behind=left_behind,
        )

    def _recorded(self) -> str:
        try:
            record = os.read(self._pipes.record, _MAX_RECORD_BYTES)
        except BlockingIOError:
            return ""
        last = record.removesuffix(b"\0").rpartition(b"\0")[2]
        return os.fsdecode(last.removesuffix(b"\n"))


def _nothing() -> None: ...


def _ready(handles: Iterable[int], wait_s: float) -> list[int]:
    poll = select.poll()
    for handle in handles:
        poll.register(handle, select.POLLIN)
    # Rounded up: a wait that ends too early would turn into a busy one.
    wait_ms = None if wait_s == math.inf else math.ceil(wait_s * 1000)
    return [handle for handle, _ in poll.poll(wait_ms)]
