"""A call on its way through the pipeline."""

from typing import Any

from ankrcode.permissions.verdicts import ALLOWED, Verdict
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
        "told",
        "tool",
        "verdict",
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
        self.verdict: Verdict = ALLOWED  # the one that let it run, once it may
        self.told: dict[str, Any] | None = None  # what its result says about the decision

    @property
    def name(self) -> str:
        return self.tool.name

    @property
    def key(self) -> CallKey:
        """Equal for identical calls."""
        return self.tool.name, self.arguments.canonical

    @property
    def exact(self) -> str:
        """Equal only for calls that would do the very same in the very same place."""
        from hashlib import sha256  # slow to load: paid by the first question

        tool = self.tool
        is_named = type(tool).subject is not Tool.subject
        said = tool.subject(self.args) if is_named else self.arguments.canonical
        where = (self.ctx.cwd, self.arguments.values.get("cwd"), self.acts)
        return sha256(repr((tool.name, said, where)).encode(errors="replace")).hexdigest()

    def tell(self, **facts: Any) -> None:
        """Put this into the metadata of its result."""
        self.told = {**(self.told or {}), **facts}

    def become(self, other: "RunningCall") -> None:
        """The same call with other arguments, as edited by a person or a hook."""
        self.call, self.args, self.arguments = other.call, other.args, other.arguments
        self.acts = other.acts
