"""Everything a process started, however it tries to get away.

A daemon leaves its group and session, loses its parent, closes its descriptors and may drop its
environment; what it cannot help inheriting is its resource limits. So each command gets an odd
soft limit of real-time CPU time (years: it never bites) as its mark, and whoever bears that mark
is one of its descendants. Elsewhere than on Linux only the process group is known.
"""

import os
import resource
import select
import signal
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

_CAN_MARK = hasattr(resource, "prlimit")
_MARK_BITS = 50  # in microseconds: more than 35 years
_RESEND_S = 0.05
SPAWNING = threading.Lock()  # see `bearing`
_YOUNG_S, _FEW = 1.0, 256


def new_mark() -> int:
    return (1 << _MARK_BITS) + int.from_bytes(os.urandom(6))


def set_mark(pid: int, mark: int) -> None:
    """Mark a process that was just started; what it starts from now on bears the mark too."""
    if _CAN_MARK:
        with suppress(OSError, ValueError):  # gone already, or its limit may not be raised
            _, most = resource.prlimit(pid, resource.RLIMIT_RTTIME)
            resource.prlimit(pid, resource.RLIMIT_RTTIME, (mark, most))


@contextmanager
def bearing(mark: int) -> Iterator[None]:
    """What is started meanwhile is born with the mark: it cannot be quicker than `set_mark`.

    Limits belong to the whole process, so whoever starts another program of ours waits.
    """
    if not (mark and _CAN_MARK):
        yield
        return
    with SPAWNING:
        soft, most = resource.getrlimit(resource.RLIMIT_RTTIME)
        with suppress(OSError, ValueError):  # a lower limit is somebody's wish
            resource.setrlimit(resource.RLIMIT_RTTIME, (mark, most))
        try:
            yield
        finally:
            with suppress(OSError, ValueError):
                resource.setrlimit(resource.RLIMIT_RTTIME, (soft, most))


class Descendants:
    """The processes that bear one mark, and the group of the one that was started first."""

    def __init__(self, leader: int, mark: int) -> None:
        self._leader = leader  # not yet reaped: its number, and its group's, cannot be reused
        self._mark = mark
        self._started = time.monotonic()

    def others(self) -> list[int]:
        """Those that still run, without the leader."""
        return [
            pid
            for pid in self._numbers()
            if pid != self._leader and self._bears_mark(pid) and not _is_dead(pid)
        ]

    def signal(self, number: int) -> None:
        """Send a signal to the group, and to each that left it."""
        # The kernel signals a group as a whole: nobody in it can fork meanwhile.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._leader, number)
        for pid in self.others():
            with self._held(pid) as handle, suppress(ProcessLookupError, PermissionError):
                if handle >= 0:
                    signal.pidfd_send_signal(handle, number)

    def kill(self, within_s: float) -> bool:
        """End all of them; False if some are still there when the time is up."""
        give_up = time.monotonic() + within_s
        while True:
            self.signal(signal.SIGKILL)
            if self.wait(min(_RESEND_S, give_up - time.monotonic())):
                return True
            if time.monotonic() >= give_up:
                return False

    def wait(self, within_s: float) -> bool:
        """Do they all end in time?"""
        give_up = time.monotonic() + within_s
        while others := self.others():
            left_s = give_up - time.monotonic()
            if left_s <= 0:
                return False
            with self._held(others[0]) as handle:
                if handle >= 0:
                    select.select([handle], [], [], left_s)
        return True

    def _numbers(self) -> Iterable[int]:
        """Where to look: numbers are given out in order, so at first only behind the leader's."""
        if not _CAN_MARK:
            return ()
        if time.monotonic() - self._started < _YOUNG_S:
            last = _last_number()
            if self._leader <= last <= self._leader + _FEW:
                return range(self._leader + 1, last + 1)
        return map(int, filter(str.isdigit, os.listdir("/proc")))  # noqa: PTH208 - and fast

    def _bears_mark(self, pid: int) -> bool:
        try:
            return resource.prlimit(pid, resource.RLIMIT_RTTIME)[0] == self._mark
        except OSError:  # gone meanwhile, or somebody else's
            return False

    @contextmanager
    def _held(self, pid: int) -> Iterator[int]:
        """A handle of a descendant; -1 if its number has passed on to somebody else."""
        try:
            handle = os.pidfd_open(pid)
        except OSError:
            yield -1
            return
        try:
            yield handle if self._bears_mark(pid) else -1
        finally:
            os.close(handle)


def _last_number() -> int:
    """The process number that was given out last."""
    try:
        with open("/proc/loadavg", "rb") as file:  # noqa: PTH123
            return int(file.read().split()[-1])
    except (OSError, ValueError, IndexError):
        return 0


def _is_dead(pid: int) -> bool:
    """A zombie has ended; it only waits to be noticed by its parent."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123
            return file.read().rpartition(b") ")[2][:1] in (b"Z", b"X", b"")
    except OSError:
        return True


def name_of(pid: int) -> str:
    """What a person would call this process; empty where it is gone."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:  # noqa: PTH123
            words = file.read(4096).rstrip(b"\0").split(b"\0")
    except OSError:
        return ""
    return " ".join(word.decode(errors="replace") for word in words)[:100]


def is_reading_input(pid: int, pipe: int) -> bool:
    """Does this process sit in read() on our end's pipe, with nothing there to read?"""
    try:
        with open(f"/proc/{pid}/syscall", "rb") as file:  # noqa: PTH123
            words = file.read().split()
        if len(words) < 2 or words[0] != _READ_CALL:  # noqa: PLR2004
            return False
        read_from = os.stat(f"/proc/{pid}/fd/{int(words[1], 16)}")  # noqa: PTH116
    except (OSError, ValueError):
        return False
    return read_from.st_ino == os.fstat(pipe).st_ino


_READ_CALL = b"63" if os.uname().machine in ("aarch64", "riscv64") else b"0"
