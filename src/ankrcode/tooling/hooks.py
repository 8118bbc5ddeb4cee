"""Points where others may look at a call and change its course. The engine comes with settings."""

from typing import Any, Literal, Protocol

from msgspec import Struct

from ankrcode.protocol.call import ToolCall
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.context import ToolContext


class HookAnswer(Struct, frozen=True, kw_only=True):
    """What a PreToolUse hook says. Silence is `HookAnswer()`: go on as you would."""

    decision: Literal["", "allow", "ask", "deny"] = ""
    reason: str = ""
    arguments: dict[str, Any] | None = None  # other arguments, judged again from the start


class Hook(Protocol):
    """PreToolUse, PostToolUse and PostToolUseFailure. A hook never overrides a deny."""

    async def before(self, call: ToolCall, ctx: ToolContext) -> HookAnswer | None:
        """PreToolUse: before anyone is asked."""
        ...

    async def after(self, call: ToolCall, result: ToolResult, ctx: ToolContext) -> None:
        """PostToolUse: the call succeeded."""
        ...

    async def failed(self, call: ToolCall, result: ToolResult, ctx: ToolContext) -> None:
        """PostToolUseFailure: the call ran and failed."""
        ...
