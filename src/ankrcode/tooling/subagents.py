"""What Task needs of whoever lets further agents work: an order in, a piece of work out."""

from collections.abc import Awaitable
from typing import Protocol

from msgspec import Struct

from ankrcode.workspace.processes.tasks import Work

NO_AGENT = "LLM_ASSIST_REQUIRED"  # spec 3's word for: there is no model behind these tools


class AgentOrder(Struct, frozen=True, kw_only=True):
    """Who is to do what, and within which bounds."""

    agent_type: str
    prompt: str
    description: str = ""
    model: str = ""  # empty: the type's own
    max_turns: int | None = None  # None: the type's own
    tools: tuple[str, ...] | None = None  # None: all that the type has
    thoroughness: str = ""
    resume: str = ""  # the id of an agent whose conversation goes on
    is_isolated: bool = False  # in a worktree of its own


class AgentReport(Struct, frozen=True, kw_only=True):
    """What came of it: one message, and how it ended."""

    agent_id: str
    agent_type: str
    text: str = ""
    subtype: str = "success"
    error: str = ""
    turns: int = 0
    cost_usd: float = 0.0
    model: str = ""
    depth: int = 1
    chain_id: str = ""
    output_path: str = ""  # the whole of what it said and did
    worktree: str = ""  # where its changes are, if it had a place of its own and changed something
    branch: str = ""
    left_out: tuple[str, ...] = ()  # what the worktree began without, though its parent has it

    @property
    def ok(self) -> bool:
        return self.subtype == "success"


class AgentWork(Work, Protocol):
    """A further agent at work; it can be waited for, watched and stopped like any task."""

    agent_id: str

    def report(self) -> Awaitable[AgentReport]:
        """Wait for the end. Cancelled, the agent is stopped, and so is all that it started."""
        ...


class Subagents(Protocol):
    """Each agent has its own: who may work for it, and how many."""

    def check(self, order: AgentOrder) -> None:
        """Could it begin? Raises `ToolError` if not: nobody is asked about what cannot be."""
        ...

    def start(self, order: AgentOrder) -> AgentWork:
        """Let it begin. Raises `ToolError` if that cannot be: no such type, too deep, too many."""
        ...
