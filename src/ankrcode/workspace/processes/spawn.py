"""Starting a process, and noticing its end without taking its number away from us."""

import gc
import os
import subprocess
import threading
from _thread import start_new_thread
from collections.abc import Callable
from contextlib import suppress

from ankrcode.workspace.processes.confinement import Launch
from ankrcode.workspace.processes.descendants import bearing

_OUR_RECORD_AT_LEAST = 200  # beyond the descriptors that commands use for themselves
_ROOM = 1_000  # descriptors of more commands at once than there ever are


def make_room() -> None:
    """Let the kernel's table of our descriptors grow now. Once there are threads, the one who makes
    it grow waits until no processor can be looking at the old one: 15 ms for a first command."""
    import fcntl

    last = min(_ROOM, os.sysconf("SC_OPEN_MAX") - 1)
    with suppress(OSError):  # nothing is open that could be doubled
        os.close(fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, last))


make_room()


class Pipes:
    """Our ends and the child's ends of everything between us."""

    def __init__(self, *, splits: bool, takes_input: bool, given: bytes = b"") -> None:
        self._ours: set[int] = set()
        self._theirs: set[int] = set()
        self.errors = self.stdin = self.input = -1
        try:
            self.wake, self.waker = self._pair(ours=(0, 1))
            self.record, self.recorder = self._recording()
            self.output, self.stdout = self._pair(ours=(0,))
            self.stderr = self.stdout
            if splits:
                self.errors, self.stderr = self._pair(ours=(0,))
            if takes_input:
                self.stdin, self.input = self._pair(ours=(1,))
            elif given:
                self.stdin = self._filled(given)
        except OSError:
            self.close()
            raise

    def _pair(self, *, ours: tuple[int, ...]) -> tuple[int, int]:
        pair = os.pipe()
        for side, handle in enumerate(pair):
            (self._ours if side in ours else self._theirs).add(handle)
            if side in ours:
                os.set_blocking(handle, False)
        return pair

    def _filled(self, given: bytes) -> int:
        """A nameless file: nobody has to wait until it is read."""
        from tempfile import TemporaryFile

        with TemporaryFile() as file:
            file.write(given)
            file.seek(0)
            handle = os.dup(file.fileno())
        self._theirs.add(handle)
        return handle

    def _recording(self) -> tuple[int, int]:
        import fcntl

        ours, theirs = self._pair(ours=(0,))
        far = fcntl.fcntl(theirs, fcntl.F_DUPFD_CLOEXEC, _OUR_RECORD_AT_LEAST)
        self._theirs.add(far)
        return ours, far

    def close_theirs(self) -> None:
        while self._theirs:
            os.close(self._theirs.pop())

    def close_input(self) -> None:
        if self.input >= 0:
            self._ours.discard(self.input)
            os.close(self.input)
            self.input = -1

    def close(self) -> None:
        self.close_theirs()
        while self._ours:
            os.close(self._ours.pop())
        self.input = -1


def spawn(launch: Launch, pipes: Pipes) -> "subprocess.Popen[bytes]":
    """Start it in a session of its own, behind its wall. Raises `OSError` or `ValueError`."""

    def popen() -> "subprocess.Popen[bytes]":
        return subprocess.Popen(  # noqa: S603 - no shell of Python's own
            launch.argv,
            env=launch.env,
            cwd=launch.cwd,
            stdin=pipes.stdin if pipes.stdin >= 0 else subprocess.DEVNULL,
            stdout=pipes.stdout,
            stderr=pipes.stderr,
            pass_fds=launch.pass_fds,
            start_new_session=True,
        )

    with bearing(launch.mark):
        restrict = launch.restrict
        started = popen() if restrict is None else in_restricted_thread(restrict, popen)
    pipes.close_theirs()
    return started


def in_restricted_thread(
    restrict: Callable[[], None], popen: Callable[[], "subprocess.Popen[bytes]"]
) -> "subprocess.Popen[bytes]":
    """Spawn from a thread that gave up its rights for ever; the child inherits them."""
    results: list[subprocess.Popen[bytes]] = []
    problems: list[BaseException] = []
    is_done = threading.Lock()

    def throw_away() -> None:
        try:
            restrict()
            results.append(popen())
        except BaseException as problem:  # noqa: BLE001 - carried to the waiting thread
            problems.append(problem)
        is_done.release()

    is_done.acquire()
    with _NO_COLLECTION:
        # Without waiting until it runs, as `Thread.start` would.
        start_new_thread(throw_away, ())
        is_done.acquire()
    if problems:
        raise problems[0]
    return results[0]


class _NoCollection:
    """While it lasts, no garbage is collected: what tidies up must not do so behind a wall."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._was_enabled = False

    def __enter__(self) -> None:
        with self._lock:
            if not self._users:
                self._was_enabled = gc.isenabled()
                gc.disable()
            self._users += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._users -= 1
            if not self._users and self._was_enabled:
                gc.enable()


_NO_COLLECTION = _NoCollection()


class Ending:
    """A handle that becomes readable when the process has ended; it stays to be reaped."""

    def __init__(self, popen: "subprocess.Popen[bytes]") -> None:
        self._pid = popen.pid
        if hasattr(os, "pidfd_open"):
            self.handle = os.pidfd_open(popen.pid)
            return
        self.handle, told = os.pipe()  # not Linux: a thread waits and tells
        threading.Thread(target=self._wait, args=(told,), daemon=True).start()

    def _wait(self, told: int) -> None:
        with suppress(ChildProcessError):
            os.waitid(os.P_PID, self._pid, os.WEXITED | os.WNOWAIT)
        os.close(told)

    def close(self) -> None:
        os.close(self.handle)
