"""The command line in a process of its own, without the time it takes to start Python.

Each call is a fork of one that has loaded everything: arguments, folder, environment, streams
and exit code are its own. What depends on how Python itself starts must not come this way.
"""

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

OF_PYTHON = ("PYTHON", "LANG", "LC_", "TZ", "LD_", "MALLOC")  # read when Python starts
PROCESS = Path(__file__).with_name("warm_process.py")

Ended = subprocess.CompletedProcess[bytes]


class Warm:
    """The one who has loaded everything, as seen by those who ask."""

    def __init__(self) -> None:
        self.env = of_python(os.environ)
        ours, theirs = socket.socketpair()
        self._process = subprocess.Popen(
            [sys.executable, "-P", PROCESS, str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        theirs.close()
        self._control = ours
        self._turn = threading.Lock()
        atexit.register(self.close)

    def close(self) -> None:
        self._control.close()
        self._process.communicate()

    @property
    def is_there(self) -> bool:
        return self._process.poll() is None

    def run(
        self,
        arguments: list[str],
        cwd: Path,
        env: Mapping[str, str],
        given: bytes,
        patience_s: float,
        *,
        in_one: bool = False,
    ) -> Ended:
        """Run it to its end; it is killed when that does not come. `in_one` is `2>&1`."""
        request = {"arguments": arguments, "cwd": str(cwd), "env": dict(env)}
        stdin, stdout, stderr = os.pipe(), os.pipe(), os.pipe()
        if in_one:
            os.dup2(stdout[1], stderr[1], inheritable=False)
        ours, theirs = socket.socketpair()
        writer = _at_work(_give, stdin[1], given)
        out, err = _Reader(stdout[0]), _Reader(stderr[0])
        pid = 0
        try:
            self._ask(request, [stdin[0], stdout[1], stderr[1], theirs.detach()])
            ours.settimeout(patience_s)
            pid = _number(ours)
            code = _number(ours)
        except TimeoutError:
            if pid:
                os.kill(pid, signal.SIGKILL)
            raise
        finally:
            ours.close()
            for thread in (writer, out.thread, err.thread):
                thread.join(patience_s)
        return subprocess.CompletedProcess(["ankrcode", *arguments], code, out.read, err.read)

    def _ask(self, request: object, handles: list[int]) -> None:
        text = json.dumps(request).encode()
        try:
            with self._turn:
                socket.send_fds(self._control, [len(text).to_bytes(8)], handles)
                self._control.sendall(text)
        finally:
            for handle in handles:
                os.close(handle)


def _number(told: socket.socket) -> int:
    said = told.recv(4)
    assert len(said) == 4, "the process that had loaded everything is gone"
    return int.from_bytes(said, signed=True)


class _Reader:
    """What comes out of a pipe, to its end."""

    def __init__(self, handle: int) -> None:
        self.read = b""
        self.thread = _at_work(self._drain, handle)

    def _drain(self, handle: int) -> None:
        with open(handle, "rb") as pipe:
            self.read = pipe.read()


def _give(handle: int, given: bytes) -> None:
    try:
        with open(handle, "wb") as pipe:
            pipe.write(given)
    except BrokenPipeError:
        pass  # it did not want to know


def _at_work(target: object, *arguments: object) -> threading.Thread:
    thread = threading.Thread(target=target, args=arguments, daemon=True)  # type: ignore[arg-type]
    thread.start()
    return thread


def of_python(env: Mapping[str, str]) -> dict[str, str]:
    """What of an environment Python looks at when it starts; bytecode is already there."""
    named = {name: value for name, value in env.items() if name.startswith(OF_PYTHON)}
    named.pop("PYTHONDONTWRITEBYTECODE", None)
    return named


_here: list[Warm] = []


def warm() -> Warm:
    """The one of this test process; another where it has been killed."""
    if not _here or not _here[-1].is_there:
        _here.append(Warm())
    return _here[-1]
