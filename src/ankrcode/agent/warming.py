"""Loads what the first calls will need while the model thinks: nobody waits for it then."""

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from importlib import import_module

# Nearly every task runs a command, and a quick model leaves no time to load these.
import ankrcode.permissions.shell.commands
import ankrcode.permissions.shell.grammar
import ankrcode.workspace.processes.processes  # noqa: F401
from ankrcode.app import Toolkit
from ankrcode.errors import AnkrCodeError
from ankrcode.protocol.call import ToolCall
from ankrcode.tooling.workers import in_worker

_LEAVES_S = 0.0015  # then a request is on its way, or its connection is being made
_THINKS_S = 0.015  # a model that answers sooner leaves no time for a thread
_FIRST = ("Read", "Bash", "Grep", "Edit", "Glob", "Write")
# What a first command needs, in small parts: the loop looks for the answer between them.
_PARTS = ("ankrcode.tools.bash", "ankrcode.permissions.command_judge", "ankrcode.sandbox.choose")
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
        self._parts = list(_PARTS) if "Bash" in told else []
        self._later: asyncio.TimerHandle | None = None
        self._next: asyncio.TimerHandle | None = None

    def soon(self) -> None:
        """A request has left."""
        loop = asyncio.get_running_loop()
        if self._parts:
            self._next = loop.call_later(_LEAVES_S, self._load_part)
        if self._names:
            self._later = loop.call_later(_THINKS_S, self._begin)

    def stop(self) -> None:
        """The answer is there: whatever was not begun waits for the next one."""
        for handle in filter(None, (self._later, self._next)):
            handle.cancel()
        self._later = self._next = None

    def _load_part(self) -> None:
        import_module(self._parts.pop(0))
        if self._parts:  # by a timer: what has come meanwhile is heard first
            self._next = asyncio.get_running_loop().call_later(0, self._load_part)

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
