"""What one agent knows and may do; lives as long as its conversation."""

from collections import deque
from typing import Any

from msgspec import Struct

from ankrcode.config.settings import Settings
from ankrcode.permissions.policy import Policy
from ankrcode.protocol.call import ToolCall
from ankrcode.protocol.message import Message
from ankrcode.protocol.modifier import (
    ContextModifier,
    FileForgotten,
    FileMoved,
    FileRead,
    PermissionGranted,
    QueueCommand,
)
from ankrcode.workspace.reads import FileVersion, ReadRecord, ReadState
from ankrcode.workspace.roots import Workspace
from ankrcode.workspace.writes import FileWriter


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
        settings: Settings | None = None,
        files: FileWriter | None = None,
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
        self.reads = ReadState()
        self.files = files or FileWriter()
        self.messages: list[Message] = []
        self.todos: list[Any] = []
        self.values: dict[str, Any] = {}  # what tools remember between calls, by their own keys
        self.queued: deque[ToolCall] = deque()

    def clear(self) -> None:
        """Forget everything but who and where this agent is."""
        self.reads = ReadState()
        for kept in (self.messages, self.todos, self.values, self.queued, self.policy.grants):
            kept.clear()

    def apply(self, modifier: ContextModifier) -> None:
        """A change of state that a result asked for."""
        match modifier:
            case FileRead():
                version = FileVersion(
                    size=modifier.size, mtime_ns=modifier.mtime_ns, digest=modifier.digest
                )
                record = ReadRecord(version=version, offset=modifier.offset, limit=modifier.limit)
                self.reads.record(modifier.path, record)
            case FileMoved():
                self.reads.move(modifier.source, modifier.destination)
            case FileForgotten():
                self.reads.forget(modifier.path)
            case PermissionGranted():
                self.policy.grant(modifier.tool, modifier.pattern)
            case QueueCommand():
                self.queued.append(modifier.call)
