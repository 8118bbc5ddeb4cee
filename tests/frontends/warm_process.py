"""A process that has loaded the whole command line, and becomes it once for each request.

Run as a script with the number of a socket. A request is a header (its length, with four
handles: the three streams and where to tell how it ended) and JSON. Each is answered by a fork
of this process, which never ran anything itself, so nothing of one command is seen by another.
"""

import atexit
import gc
import json
import os
import pkgutil
import select
import signal
import socket
import sys
import threading
from contextlib import suppress
from importlib import import_module
from typing import Any, NoReturn

HEADER = 8
BESIDE = ("asyncio", "sqlite3", "ssl", "tree_sitter", "tree_sitter_bash", "ctypes", "json")


def load() -> None:
    """All that any command may import."""
    import ankrcode

    for name in BESIDE:
        import_module(name)
    for found in pkgutil.walk_packages(ankrcode.__path__, "ankrcode."):
        with suppress(Exception):  # what cannot be loaded is for the command to tell that needs it
            import_module(found.name)
    gc.collect()
    gc.freeze()


def become(request: dict[str, Any], handles: list[int]) -> NoReturn:
    """The command itself: its place, environment, streams and signals are those asked for."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for target, handle in enumerate(handles[:3]):
        os.dup2(handle, target)
    for handle in handles:
        os.close(handle)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    sys.argv = ["ankrcode", *request["arguments"]]
    from ankrcode.__main__ import main

    leave(main())


def leave(code: int) -> NoReturn:
    """As Python does, but for taking apart what goes with the process anyway."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def received(control: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """The next request; None when whoever asks has gone."""
    header, handles, _, _ = socket.recv_fds(control, HEADER, 4)
    if not header:
        return None
    missing = int.from_bytes(header)
    text = b""
    while len(text) < missing:
        text += control.recv(missing - len(text))
    return json.loads(text), handles


def tell_ends(waiting: dict[int, int]) -> None:
    """Whoever waits for a command that ended is told how."""
    for pid in list(waiting):
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            code = os.waitstatus_to_exitcode(status)
            handle = waiting.pop(pid)
            os.write(handle, code.to_bytes(4, signed=True))
            os.close(handle)


def serve(control: socket.socket) -> None:
    waiting: dict[int, int] = {}
    wake, woken = os.pipe()
    os.set_blocking(woken, False)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        ready, _, _ = select.select([control.fileno(), wake], [], [])
        if wake in ready:
            os.read(wake, 4096)
            tell_ends(waiting)
        if control.fileno() in ready:
            if (asked := received(control)) is None:
                return
            request, handles = asked
            if not (pid := os.fork()):
                for handle in (control.detach(), wake, woken, *waiting.values()):
                    os.close(handle)
                become(request, handles)
            waiting[pid] = handles.pop()
            os.write(waiting[pid], pid.to_bytes(4, signed=True))
            for handle in handles:
                os.close(handle)


if __name__ == "__main__":
    load()
    serve(socket.socket(fileno=int(sys.argv[1])))
