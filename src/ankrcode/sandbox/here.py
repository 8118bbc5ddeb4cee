"""Run a program on our own terminal, for a person: it reads, writes and is interrupted as usual."""

import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from ankrcode.workspace.processes.confinement import Launch
from ankrcode.workspace.processes.descendants import Descendants
from ankrcode.workspace.processes.spawn import in_restricted_thread

_LEAVE_S = 0.5
_BY_SIGNAL = 128
_TOLD_BY_THE_TERMINAL = (signal.SIGINT, signal.SIGQUIT)
_TOLD_TO_US = (signal.SIGTERM, signal.SIGHUP)


def run_here(launch: Launch) -> tuple[int, list[str]]:
    """Wait for its end; its exit code, and what the wall had to undo. Raises `OSError`."""
    with _passing_on_signals() as tell:
        try:
            if launch.restrict is None:
                popen = _popen(launch)
            else:
                popen = in_restricted_thread(launch.restrict, lambda: _popen(launch))
            tell(popen)
            code = _code_of(popen, launch.mark)
        finally:
            undone = launch.release() if launch.release else []
    return code, undone


@contextmanager
def _passing_on_signals() -> "Iterator[Callable[[subprocess.Popen[bytes]], None]]":
    """We outlive the program, to tidy up after it. What it does not hear itself, it is told."""
    told: list[subprocess.Popen[bytes]] = []
    heard: list[int] = []

    def tell(popen: "subprocess.Popen[bytes]") -> None:
        told.append(popen)
        for number in heard:  # it came while the program was being started
            popen.send_signal(number)

    def pass_on(number: int, _: FrameType | None) -> None:
        heard.append(number)
        for popen in told:
            popen.send_signal(number if len(heard) == 1 else signal.SIGKILL)

    def leave_to_the_program(number: int, _: FrameType | None) -> None: ...

    # Functions, not SIG_IGN: what is ignored would be ignored by the program as well.
    before = {number: signal.signal(number, pass_on) for number in _TOLD_TO_US}
    before |= {
        number: signal.signal(number, leave_to_the_program) for number in _TOLD_BY_THE_TERMINAL
    }
    try:
        yield tell
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _popen(launch: Launch) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(  # noqa: S603 - what the person typed, behind its wall
        launch.argv, env=launch.env, cwd=launch.cwd, pass_fds=launch.pass_fds
    )


def _code_of(popen: "subprocess.Popen[bytes]", mark: int) -> int:
    code = popen.wait()
    family = Descendants(popen.pid, mark)
    if mark and family.others():
        family.kill(_LEAVE_S)
    return code if code >= 0 else _BY_SIGNAL - code
