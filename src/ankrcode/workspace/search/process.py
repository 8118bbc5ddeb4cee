"""A searching process: started without a shell, read while it runs, and always ended."""

import fcntl
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress

from ankrcode.errors import ErrorCode, ToolError
from ankrcode.workspace.files import file_error
from ankrcode.workspace.processes.descendants import SPAWNING

CHUNK_BYTES = 1024 * 1024
ABOUT_A_FILE = b"rg: ./"  # so ripgrep begins where it passes over something it was to search
_MAX_COMPLAINT_BYTES = 64 * 1024
_POLL_MS = 50  # how soon a cancelled call is noticed
_SMALL_BYTES = 64 * 1024
_SMALL_READS = 16
_SET_PIPE_SIZE = 1031  # F_SETPIPE_SZ; `fcntl` names it on Linux only


class SearchProcess:
    """One run. Iterate over `output`; afterwards the other facts are known."""

    def __init__(
        self, command: list[str], *, folder: str, time_limit_s: float, check: Callable[[], None]
    ) -> None:
        self._command = command
        self._folder = folder
        self._deadline = time.monotonic() + time_limit_s
        self._check = check  # raises when the call was cancelled
        self.pid = 0
        self.code = 0
        self.complaints = b""  # the beginning of what it said on the error stream
        self._rest = b""
        self.files_complained_of = 0
        self.timed_out = False

    def output(self) -> Iterator[bytes]:
        """What it writes, in large pieces, as it comes. Leaving the loop early ends it."""
        with self._start() as process:
            self.pid = process.pid
            try:
                yield from self._pieces(process)
            finally:
                self._end(process)
                self.code = process.wait()

    def _start(self) -> "subprocess.Popen[bytes]":
        """In a group of its own: killed whole, and a Ctrl-C at the terminal is ours to handle."""
        try:
            with SPAWNING:
                return subprocess.Popen(  # noqa: S603 - no shell, a program we looked for ourselves
                    self._command,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    cwd=self._folder,
                    env=_environment(),
                    process_group=0,
                )
        except OSError as problem:
            if problem.filename == self._folder:
                raise file_error(self._folder, problem, done="searched") from None
            why = f"{self._command[0]} could not be started: {problem.strerror}"
            raise ToolError.of("search_failed", why=why).coded(ErrorCode.EXECUTION_ERROR) from None

    def _pieces(self, process: "subprocess.Popen[bytes]") -> Iterator[bytes]:
        assert process.stdout is not None
        assert process.stderr is not None
        answers, complaints = process.stdout.fileno(), process.stderr.fileno()
        with suppress(OSError):  # a larger pipe means fewer changes between the processes
            fcntl.fcntl(answers, _SET_PIPE_SIZE, CHUNK_BYTES)
        poll = select.poll()
        is_open = {answers, complaints}
        for handle in is_open:
            poll.register(handle, select.POLLIN)
        small = 0
        while is_open:
            self._check()
            if time.monotonic() >= self._deadline:
                self.timed_out = True
                return
            for handle, _ in poll.poll(_POLL_MS):
                data = os.read(handle, CHUNK_BYTES)
                if not data:
                    poll.unregister(handle)
                    is_open.discard(handle)
                elif handle == answers:
                    small = small + 1 if len(data) < _SMALL_BYTES else 0
                    if small > _SMALL_READS:
                        time.sleep(0.001)  # many small writes: let some more of them gather
                    yield data
                else:
                    self._complain(data)

    def _complain(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        self.files_complained_of += sum(line.startswith(ABOUT_A_FILE) for line in lines)
        self.complaints += data[: _MAX_COMPLAINT_BYTES - len(self.complaints)]

    def _end(self, process: "subprocess.Popen[bytes]") -> None:
        if process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def _environment() -> Mapping[str, str]:
    """Nothing of ours, so that no variable changes the answers; the worker finds its modules."""
    return {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONUTF8": "1"}
