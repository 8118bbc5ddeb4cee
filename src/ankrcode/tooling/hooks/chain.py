"""All hooks of a toolkit as one, as the pipeline sees them."""

from collections.abc import Coroutine
from typing import Any, Protocol

from ankrcode.errors import Refused, UsageError
from ankrcode.protocol.call import ToolCall
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.context import ToolContext
from ankrcode.tooling.hooks.answer import SILENCE, HookAnswer
from ankrcode.tooling.remarks import Remarks
from ankrcode.tooling.running import RunningCall
from ankrcode.words import say


class Hook(Protocol):
    """PreToolUse, PostToolUse and PostToolUseFailure. A hook never overrides a deny."""

    async def before(self, call: ToolCall, ctx: ToolContext) -> HookAnswer | None:
        """PreToolUse: before anyone is asked."""
        ...

    async def after(
        self, call: ToolCall, result: ToolResult, ctx: ToolContext
    ) -> HookAnswer | None:
        """PostToolUse: the call succeeded."""
        ...

    async def failed(
        self, call: ToolCall, result: ToolResult, ctx: ToolContext
    ) -> HookAnswer | None:
        """PostToolUseFailure: the call ran and failed."""
        ...


class HookChain:
    """Asks each hook in turn, under the tool's own name and with its parsed arguments."""

    def __init__(self, hooks: tuple[Hook, ...]) -> None:
        for hook in hooks:
            if not all(hasattr(hook, name) for name in ("before", "after", "failed")):
                raise UsageError.of("not_a_hook", got=repr(hook))
        self._hooks = hooks

    def __bool__(self) -> bool:
        return bool(self._hooks)

    async def before(self, running: RunningCall) -> HookAnswer:
        """The strictest answer of all; the first that rewrites the arguments is heard alone."""
        strictest, call = SILENCE, _call(running)
        for hook in self._hooks:
            answer = await _guarded(running, hook.before(call, running.ctx))
            if answer is None:
                continue
            _note(running, answer)
            if answer.is_blocked:
                raise _refused(running, answer)
            if answer.arguments is not None and answer.arguments != running.arguments.values:
                return answer
            if answer.decision == "ask" or not strictest.decision:
                strictest = HookAnswer(decision=answer.decision, reason=answer.reason)
        return strictest

    async def asked(self, running: RunningCall, reason: str) -> HookAnswer:
        """PermissionRequest: a hook may answer the question in the person's place."""
        call = _call(running)
        for hook in self._hooks:
            ask = getattr(hook, "asked", None)
            if ask is None:
                continue
            answer = await _guarded(running, ask(call, reason, running.ctx))
            if answer is None:
                continue
            _note(running, answer)
            if answer.is_blocked:
                raise _refused(running, answer)
            if answer.decision == "allow" or answer.arguments is not None:
                return answer
        return SILENCE

    def notify(self, ctx: ToolContext, kind: str) -> None:
        """Notification: somebody should look; nobody waits for it."""
        for hook in self._hooks:
            tell = getattr(hook, "notified", None)
            if tell is not None:
                tell(ctx, kind)

    async def after(self, running: RunningCall, result: ToolResult) -> None:
        """Tell every hook how it went; what they raise is noted, for the work is done."""
        call = _call(running)
        for hook in self._hooks:
            follow = hook.after if result.ok else hook.failed
            try:
                answer = await follow(call, result, running.ctx)
            except Exception as problem:  # noqa: BLE001 - a result is never lost to a hook
                answer = HookAnswer(faults=(repr(problem),))
            if answer is not None:
                _note(running, answer)


def _call(running: RunningCall) -> ToolCall:
    ctx = running.ctx
    return ToolCall(name=running.name, arguments=running.arguments.values, id=ctx.call_id)


def _note(running: RunningCall, answer: HookAnswer) -> None:
    if not (answer.context or answer.messages or answer.faults or answer.is_stopped):
        return
    remarks = running.ctx.remarks = running.ctx.remarks or Remarks()
    for kept, said in (
        (remarks.context, answer.context),
        (remarks.messages, answer.messages),
        (remarks.faults, answer.faults),
    ):
        kept.extend(one for one in said if one not in kept)  # judged again, said again
    if answer.is_stopped:
        remarks.stop = answer.stop_reason or answer.reason or "A hook stopped the turn"


def _refused(running: RunningCall, answer: HookAnswer) -> Refused:
    tool, reason = running.name, answer.reason or answer.stop_reason
    if not reason:
        return Refused.of("denied.hook_silent", tool=tool)
    message = f"{say('denied.hook', tool=tool, reason='').rstrip()} {reason}"  # lines stay lines
    return Refused(message, key="denied.hook", values={"tool": tool, "reason": reason})


async def _guarded(
    running: RunningCall, said: Coroutine[Any, Any, HookAnswer | None]
) -> HookAnswer | None:
    try:
        return await said
    except Exception as problem:  # noqa: BLE001 - a broken guard fails closed
        raise Refused.of("hook_raised", tool=running.name, error=repr(problem)) from None
