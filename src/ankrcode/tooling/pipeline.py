"""The path of a call, on one screen: resolve → enabled → permitted → valid → run → mapped.

Whatever happens on the way – a broken argument, a no, a crash, a hang, a cancel – ends in
exactly one result.
"""

import asyncio
from copy import copy
from typing import Any, Protocol

from msgspec.structs import replace

from ankrcode.config.limits import MAX_EDITS_PER_CALL, Limits
from ankrcode.errors import ErrorCode, Refused, ToolError
from ankrcode.permissions.decide import Decision, Verdict, decide
from ankrcode.protocol.acts import Acts
from ankrcode.protocol.approval import Approval, ApprovalAnswer
from ankrcode.protocol.call import ToolCall
from ankrcode.protocol.event import (
    ApprovalAnswered,
    ApprovalRequested,
    Event,
    ToolCallEnded,
    ToolCallStarted,
    ToolFailed,
)
from ankrcode.protocol.permission import Mode
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.activity import ActivityStream
from ankrcode.tooling.approvals import Approver
from ankrcode.tooling.arguments import parse_arguments
from ankrcode.tooling.context import ToolContext
from ankrcode.tooling.hooks import Hook, HookAnswer
from ankrcode.tooling.identity import Source
from ankrcode.tooling.outcome import as_result, failure, fitted
from ankrcode.tooling.registry import Registry
from ankrcode.tooling.results import Cut, ResultStore
from ankrcode.tooling.running import RunningCall
from ankrcode.tooling.schema import Misfit
from ankrcode.tooling.state import AgentState
from ankrcode.tooling.supervise import supervise


class Admission(Protocol):
    """The call's place among the others: it waits here until nothing conflicts."""

    async def admit(self, acts: Acts) -> None: ...


class Pipeline:
    """Runs calls. One per toolkit; knows no concrete tool."""

    def __init__(
        self,
        *,
        registry: Registry,
        activity: ActivityStream,
        source: Source,
        store: ResultStore,
        limits: Limits,
        cut: Cut = Cut.BOTH,
        approver: Approver | None = None,
        hooks: tuple[Hook, ...] = (),
    ) -> None:
        self.registry = registry
        self.activity = activity
        self.source = source
        self.store = store
        self.limits = limits
        self.cut = cut
        self.approver = approver
        self.hooks = hooks

    def with_registry(self, registry: Registry) -> "Pipeline":
        """The same pipeline over fewer tools, for a further agent."""
        narrowed = copy(self)
        narrowed.registry = registry
        return narrowed

    async def handle(self, running: RunningCall, place: Admission) -> ToolResult:
        """Stages 1 to 5 for a call that was resolved."""
        try:
            self._check_enabled(running)
            await self._check_permitted(running)
            await place.admit(running.acts)
            self.announce(running)
            await running.tool.validate(running.args, running.ctx)
            result = await self._run(running)
        except ToolError as problem:
            result = failure(problem)
        except asyncio.CancelledError:
            key = "cancelled" if running.is_announced else "cancelled.waiting"
            result = failure(ToolError.of(key, tool=running.name).coded(ErrorCode.CANCELLED))
        except Exception as problem:  # noqa: BLE001 - the choke point: every call gets a result
            result = failure(_raised(running.name, problem))
        return self.conclude(running, result)

    def resolve(self, call: ToolCall, agent: AgentState) -> RunningCall:
        """Name → tool, JSON → typed input, input → acts. Raises `ToolError`."""
        tool = self.registry.find(call.name)
        arguments = parse_arguments(call.name, call.arguments)
        ctx = ToolContext(
            agent=agent,
            call_id=call.id or self.source.new_id("call"),
            tool=tool.name,
            activity=self.activity,
            source=self.source,
        )
        try:
            args = tool.model.parse(arguments.values)
            acts = tool.acts(args, ctx)
        except Misfit as problem:
            from ankrcode.tooling.faults import invalid_input  # only a misfit pays for it

            schema = tool.input_schema
            raise invalid_input(tool.name, schema, arguments.values, str(problem)) from None
        except ToolError:
            raise
        except Exception as problem:  # noqa: BLE001 - a fault in a tool is that call's alone
            raise _raised(tool.name, problem) from None
        return RunningCall(
            call=call, tool=tool, args=args, arguments=arguments, ctx=ctx, agent=agent, acts=acts
        )

    def _check_enabled(self, running: RunningCall) -> None:
        held = running.agent.policy.granted
        if not (running.tool.permissions <= held and running.tool.enabled(running.ctx)):
            raise ToolError.of("tool_disabled", name=running.name).coded(ErrorCode.TOOL_DISABLED)

    async def _check_permitted(self, running: RunningCall) -> None:
        """Hooks, policy, person. Arguments edited on the way are resolved and judged again."""
        approved_by_person = False
        for _ in range(MAX_EDITS_PER_CALL):
            verdict = self._decide(running)
            if self.hooks:
                answer = await self._hooked(running)
                if answer.arguments is not None:
                    self._edit(running, answer.arguments)
                    continue
                verdict = _tightened(verdict, answer)
            if verdict.decision is Decision.DENY:
                raise Refused.of("denied.rule", tool=running.name, reason=verdict.reason)
            if verdict.decision is Decision.ALLOW or approved_by_person:
                return
            person = await self._asked(running, verdict.reason)
            if person.arguments is None:
                return
            self._edit(running, person.arguments)
            approved_by_person = True  # of exactly these arguments: only a deny can stop them
        raise Refused.of("denied.rule", tool=running.name, reason="its arguments kept changing")

    def _decide(self, running: RunningCall) -> Verdict:
        tool, agent = running.tool, running.agent
        subject = tool.subject(running.args)
        verdict = decide(tool.name, subject, running.acts, agent.policy, agent.workspace)
        if verdict.decision is not Decision.ALLOW or agent.policy.mode is Mode.BYPASS:
            return verdict
        reason = tool.approval(running.args, running.ctx)
        if not reason or agent.policy.is_granted(tool.name, subject):
            return verdict
        asks = agent.policy.mode is not Mode.DONT_ASK
        return Verdict(decision=Decision.ASK if asks else Decision.DENY, reason=reason)

    async def _hooked(self, running: RunningCall) -> HookAnswer:
        """The strictest answer of all hooks; the first that rewrites the arguments is heard."""
        strictest = HookAnswer()
        for hook in self.hooks:
            said = hook.before(running.call, running.ctx)
            answer: HookAnswer | None = await self._guarded(running, "PreToolUse", said)
            if answer is None:
                continue
            if answer.decision == "deny":
                raise Refused.of("denied.hook", tool=running.name, reason=answer.reason)
            if answer.arguments is not None and answer.arguments != running.arguments.values:
                return answer
            if answer.decision == "ask" or not strictest.decision:
                strictest = HookAnswer(decision=answer.decision, reason=answer.reason)
        return strictest

    async def _guarded(self, running: RunningCall, point: str, hook: Any) -> Any:
        try:
            return await hook
        except Exception as problem:  # noqa: BLE001 - a broken guard fails closed
            raise Refused.of(
                "hook_raised", point=point, tool=running.name, error=repr(problem)
            ) from None

    async def _asked(self, running: RunningCall, reason: str) -> ApprovalAnswer:
        mode = running.agent.policy.mode
        if self.approver is None:
            raise Refused.of("denied.mode", tool=running.name, mode=mode, reason=reason)
        approval = Approval(
            id=self.source.new_id("approval"),
            call_id=running.ctx.call_id,
            tool=running.name,
            arguments=running.arguments.values,
            reason=reason,
            acts=running.acts,
            preview=running.tool.preview(running.args, running.ctx),
            agent_id=running.agent.agent_id,
        )
        self.emit(running, ApprovalRequested, approval=approval)
        answer = await self.approver(approval)
        self.emit(running, ApprovalAnswered, approval_id=approval.id, answer=answer)
        if not answer.approved:
            raise Refused.of("denied.person", feedback=answer.feedback)
        if answer.remember != "once" and answer.arguments is None:
            running.agent.policy.grant(running.name, running.tool.subject(running.args))
        return answer

    def _edit(self, running: RunningCall, arguments: dict[str, Any]) -> None:
        edited = replace(running.call, id=running.ctx.call_id, arguments=arguments)
        running.become(self.resolve(edited, running.agent))
        self._check_enabled(running)

    async def _run(self, running: RunningCall) -> ToolResult:
        """Stage 4, then the hooks that follow it, then stage 5."""
        tool = running.tool
        limit_s = None if tool.waits else tool.timeout_s or self.limits.call_timeout_s
        try:
            value = await supervise(tool.run(running.args, running.ctx), running.ctx, limit_s)
            result = as_result(tool.name, value)
        except ToolError as problem:
            result = failure(problem)
        except Exception as problem:  # noqa: BLE001 - what a tool raises is its result
            result = failure(_raised(tool.name, problem))
        for hook in self.hooks:
            follow = hook.after if result.ok else hook.failed
            await self._guarded(running, "PostToolUse", follow(running.call, result, running.ctx))
        return fitted(tool, result, self.limits, self.cut, self.store)

    def refuse(self, call: ToolCall, agent: AgentState, problem: ToolError) -> ToolResult:
        """The one result of a call that never got as far as a tool."""
        result = replace(failure(problem), call_id=call.id, title=call.name)
        if self.activity.is_watched:
            where: dict[str, Any] = {"call_id": call.id, "agent_id": agent.agent_id}
            where["at"] = self.source.now()
            arguments = call.arguments if isinstance(call.arguments, dict) else {}
            self.activity.publish(ToolCallStarted(**where, tool=call.name, arguments=arguments))
            self._emit_end(call.name, where, result)
        return result

    # ── events and the end ────────────────────────────────────────────────────────────────
    def announce(self, running: RunningCall) -> None:
        running.is_announced = True
        self.emit(
            running,
            ToolCallStarted,
            arguments=running.arguments.values,
            quiet=running.tool.quiet,
            tool=running.name,
        )

    def conclude(self, running: RunningCall, result: ToolResult) -> ToolResult:
        """Stamp the result, apply what it changes, and tell whoever watches."""
        for modifier in result.modifiers:
            running.agent.apply(modifier)
        result = replace(
            result,
            call_id=running.ctx.call_id,
            title=result.title or running.tool.render_call(running.arguments.values),
            duration_ms=round((self.source.monotonic() - running.started) * 1000, 3),
        )
        if self.activity.is_watched:
            if not running.is_announced:
                self.announce(running)
            self._emit_end(running.name, self._where(running), result)
        return result

    def emit(self, running: RunningCall, kind: type[Event], **fields: Any) -> None:
        if self.activity.is_watched:
            self.activity.publish(kind(**self._where(running), **fields))

    def _emit_end(self, tool: str, where: dict[str, Any], result: ToolResult) -> None:
        if result.error is not None:
            error = result.error
            failed = ToolFailed(**where, tool=tool, message=error.message, error=error)
            self.activity.publish(failed)
        self.activity.publish(ToolCallEnded(**where, tool=tool, success=result.ok, result=result))

    def _where(self, running: RunningCall) -> dict[str, Any]:
        ids = {"call_id": running.ctx.call_id, "agent_id": running.agent.agent_id}
        return {**ids, "at": self.source.now()}


def _tightened(verdict: Verdict, answer: HookAnswer) -> Verdict:
    """A hook may answer a question or raise one; it never overrides a deny."""
    if answer.decision == "ask" and verdict.decision is Decision.ALLOW:
        return Verdict(decision=Decision.ASK, reason=answer.reason)
    if answer.decision == "allow" and verdict.decision is Decision.ASK:
        return Verdict(decision=Decision.ALLOW, reason=answer.reason)
    return verdict


def _raised(tool: str, problem: Exception) -> ToolError:
    error = f"{type(problem).__name__}: {problem}" if str(problem) else type(problem).__name__
    return ToolError.of("tool_raised", tool=tool, error=error[:2_000])
