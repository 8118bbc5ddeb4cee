"""A call on its way through the pipeline."""

from typing import Any

from ankrcode.protocol.acts import Acts
from ankrcode.protocol.call import ToolCall
from ankrcode.tooling.arguments import Arguments
from ankrcode.tooling.context import ToolContext
from ankrcode.tooling.repeats import CallKey
from ankrcode.tooling.state import AgentState
from ankrcode.tooling.tool import Tool


class RunningCall:
    """What was asked, by whom, and what it came to mean."""

    __slots__ = (
        "acts",
        "agent",
        "args",
        "arguments",
        "call",
        "ctx",
        "is_announced",
        "started",
        "tool",
    )

    def __init__(
        self,
        *,
        call: ToolCall,
        tool: Tool[Any],
        args: Any,
        arguments: Arguments,
        ctx: ToolContext,
        agent: AgentState,
        acts: Acts,
    ) -> None:
        self.call = call
        self.tool = tool
        self.args = args
        self.arguments = arguments
        self.ctx = ctx
        self.agent = agent
        self.acts = acts
        self.started = ctx.source.monotonic()
        self.is_announced = False

    @property
    def name(self) -> str:
        return self.tool.name

    @property
    def key(self) -> CallKey:
        """Equal for identical calls."""
        return self.tool.name, self.arguments.canonical

    def become(self, other: "RunningCall") -> None:
        """The same call with other arguments, as edited by a person or a hook."""
        self.call, self.args, self.arguments = other.call, other.args, other.arguments
        self.acts = other.acts
