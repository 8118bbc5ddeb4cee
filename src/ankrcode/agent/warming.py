"""Loads what the first calls will need while the model thinks: nobody waits for it then."""

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from importlib import import_module

from ankrcode.app import Toolkit
from ankrcode.errors import AnkrCodeError
from ankrcode.protocol.call import ToolCall
from ankrcode.tooling.workers import in_worker

_THINKS_S = 0.015  # a model that answers sooner leaves no time for a thread
_FIRST = ("Read", "Bash", "Grep", "Edit", "Glob", "Write")
# Nearly every task runs a command, and a quick model leaves no time to load what the first needs:
# it takes 8 ms before the request, or 12 while eight of them wait to start.
_FOR_COMMANDS = (
    "ankrcode.permissions.command_judge",
    "ankrcode.sandbox.choose",
    "ankrcode.tools.bash",
    "ankrcode.workspace.processes.processes",
)


class Warming:
    """One thread, once, as soon as a model takes its time; it keeps nobody from ending."""

    def __init__(self, kit: Toolkit, names: Iterable[str]) -> None:
        told = set(names)
        self._kit = kit
        self._names = tuple(name for name in _FIRST if name in told)
        self._later: asyncio.TimerHandle | None = None
        for module in _FOR_COMMANDS if "Bash" in told else ():
            import_module(module)

    def soon(self) -> None:
        """A request has left."""
        if self._names:
            self._later = asyncio.get_running_loop().call_later(_THINKS_S, self._begin)

    def stop(self) -> None:
        """The answer is there: whatever was not begun waits for the next one."""
        if self._later is not None:
            self._later.cancel()
            self._later = None

    def _begin(self) -> None:
        names, self._names = self._names, ()
        in_worker("ankrcode-warming", lambda: self._load(names))

    def _load(self, names: tuple[str, ...]) -> None:
        for name in names:
            with suppress(AnkrCodeError, ImportError, OSError):  # said when it is called
                self._kit.registry.get(name)
                if name == "Bash":
                    import_module("ankrcode.workspace.journal.journal")
                    self._kit.judge(ToolCall(name="Bash", arguments={"command": "true"}))
