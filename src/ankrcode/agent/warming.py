"""Loads what the first calls will need while the model thinks: nobody waits for it then."""

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from importlib import import_module

from ankrcode.app import Toolkit
from ankrcode.errors import AnkrCodeError
from ankrcode.protocol.call import ToolCall
from ankrcode.tooling.workers import in_worker

_THINKS_S = 0.015  # a model that answers sooner leaves no time for it
_FIRST = ("Read", "Bash", "Grep", "Edit", "Glob", "Write")
# What a first command loads besides the tool itself.
_FOR_COMMANDS = (
    "ankrcode.sandbox.choose",
    "ankrcode.workspace.processes.processes",
    "ankrcode.workspace.journal.journal",
)


class Warming:
    """One thread, once, as soon as a model takes its time; it keeps nobody from ending."""

    def __init__(self, kit: Toolkit, names: Iterable[str]) -> None:
        told = set(names)
        self._kit = kit
        self._names = tuple(name for name in _FIRST if name in told)
        self._later: asyncio.TimerHandle | None = None

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
                    for module in _FOR_COMMANDS:
                        import_module(module)
                    self._kit.judge(ToolCall(name="Bash", arguments={"command": "true"}))
