"""Points where others may look at a call and change its course. The engine comes with settings."""

from collections.abc import Coroutine
from typing import Any, Literal, Protocol

from msgspec import Struct

from ankrcode.errors import Refused
from ankrcode.protocol.call import ToolCall
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.context import ToolContext
from ankrcode.tooling.running import RunningCall


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


class HookChain:
    """All hooks of a toolkit as one."""

    def __init__(self, hooks: tuple[Hook, ...]) -> None:
        self._hooks = hooks

    def __bool__(self) -> bool:
        return bool(self._hooks)

    async def before(self, running: RunningCall) -> HookAnswer:
        """The strictest answer of all; the first that rewrites the arguments is heard alone."""
        strictest = HookAnswer()
        for hook in self._hooks:
            answer = await _guarded(running, hook.before(running.call, running.ctx))
            if answer is None:
                continue
            if answer.decision == "deny":
                raise Refused.of("denied.hook", tool=running.name, reason=answer.reason)
            if answer.arguments is not None and answer.arguments != running.arguments.values:
                return answer
            if answer.decision == "ask" or not strictest.decision:
                strictest = HookAnswer(decision=answer.decision, reason=answer.reason)
        return strictest

    async def after(self, running: RunningCall, result: ToolResult) -> list[str]:
        """Tell every hook how it went; what they raise is returned, for the work is done."""
        faults: list[str] = []
        for hook in self._hooks:
            follow = hook.after if result.ok else hook.failed
            try:
                await follow(running.call, result, running.ctx)
            except Exception as problem:  # noqa: BLE001 - a result is never lost to a hook
                faults.append(repr(problem))
        return faults


async def _guarded(
    running: RunningCall, said: Coroutine[Any, Any, HookAnswer | None]
) -> HookAnswer | None:
    try:
        return await said
    except Exception as problem:  # noqa: BLE001 - a broken guard fails closed
        raise Refused.of("hook_raised", tool=running.name, error=repr(problem)) from None
