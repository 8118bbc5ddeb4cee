"""What one agent knows and may do; lives as long as its conversation."""

from collections import deque
from collections.abc import Callable
from functools import cached_property
from typing import Any

from msgspec import Struct

from ankrcode.config.settings import Settings
from ankrcode.permissions.policy import Policy
from ankrcode.protocol.call import ToolCall
from ankrcode.protocol.message import Message
from ankrcode.protocol.modifier import (
    ContextModifier,
    DirectoryChanged,
    FileForgotten,
    FileMoved,
    FileRead,
    PermissionGranted,
    QueueCommand,
)
from ankrcode.tooling.person import Person
from ankrcode.tooling.subagents import Subagents
from ankrcode.workspace import processes as programs  # loaded by the first command
from ankrcode.workspace.processes.tasks import Tasks
from ankrcode.workspace.reads import FileVersion, ReadRecord, ReadState
from ankrcode.workspace.roots import Workspace
from ankrcode.workspace.writing.writes import FileWriter


def _processes() -> "programs.Processes":
    from ankrcode.workspace.processes.saved import Saved

    return programs.Processes(Saved(""))


class ToolOptions(Struct, frozen=True, kw_only=True):
    """What a tool may know about the conversation it serves."""

    tools: tuple[str, ...] = ()  # the tools visible here
    model: str = ""
    max_thinking_tokens: int | None = None
    agent_definitions: tuple[str, ...] = ()


class AgentState:
    """Shared by all calls of one agent; each agent has its own."""

    def __init__(
        self,
        *,
        workspace: Workspace,
        policy: Policy,
        session_id: str = "",
        agent: str = "main",
        agent_id: str = "",
        chain_id: str = "",
        depth: int = 0,
        options: ToolOptions | None = None,
        files: FileWriter | None = None,
        settings: Settings | None = None,
        processes: "Callable[[], programs.Processes] | None" = None,
        tasks: Tasks | None = None,
        person: Person | None = None,
    ) -> None:
        self.workspace = workspace
        self.policy = policy
        self.session_id = session_id
        self.agent = agent
        self.agent_id = agent_id
        self.chain_id = chain_id
        self.depth = depth
        self.options = options or ToolOptions()
        self.settings = settings or Settings()
        self.turn_id = ""
        self.is_at_work = False  # on a task: a conversation has one at a time
        self.reads = ReadState()
        self.files = files or FileWriter()
        self.tasks = tasks or Tasks()
        self.person = person or Person()
        self.subagents: Subagents | None = None  # whoever lets further agents work, if anybody
        self._make_processes = processes or _processes
        self.messages: list[Message] = []
        self.todos: list[Any] = []
        self.values: dict[str, Any] = {}  # what tools remember between calls, by their own keys
        self.queued: deque[ToolCall] = deque()

    @cached_property
    def processes(self) -> "programs.Processes":
        """Made when the first command needs them: most conversations start none."""
        return self._make_processes()

    def clear(self) -> None:
        """Forget everything but who and where this agent is."""
        self.reads = ReadState()
        for kept in (self.messages, self.todos, self.values, self.queued):
            kept.clear()
        self.policy.forget()

    def apply(self, modifier: ContextModifier, now: float = 0.0) -> None:
        """A change of state that a result asked for."""
        match modifier:
            case FileRead():
                version = FileVersion(
                    size=modifier.size, mtime_ns=modifier.mtime_ns, digest=modifier.digest
                )
                record = ReadRecord(
                    version=version,
                    offset=modifier.offset,
                    limit=modifier.limit,
                    further=modifier.further,
                    read_at=now,
                )
                self.reads.record(modifier.path, record)
            case FileMoved():
                self.reads.move(modifier.source, modifier.destination)
            case FileForgotten():
                self.reads.forget(modifier.path)
            case DirectoryChanged():
                self.workspace.cwd = modifier.path
            case PermissionGranted():
                self.policy.grant(modifier.tool, modifier.pattern)
            case QueueCommand():
                self.queued.append(modifier.call)
