"""The path of a call, on one screen: resolve → enabled → permitted → valid → run → mapped.

Whatever happens on the way – a broken argument, a no, a crash, a hang, a cancel – ends in
exactly one result.
"""

import asyncio
from copy import copy
from typing import Any, Protocol

from msgspec.structs import replace

from ankrcode.config.limits import Limits
from ankrcode.config.redactor import Redactor
from ankrcode.config.settings import Settings
from ankrcode.errors import ErrorCode, ToolError
from ankrcode.permissions.verdicts import Verdict
from ankrcode.protocol.acts import Acts
from ankrcode.protocol.call import ToolCall
from ankrcode.protocol.event import Noticed
from ankrcode.protocol.permission import Permission
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.activity import ActivityStream
from ankrcode.tooling.approvals import Gate, judged
from ankrcode.tooling.arguments import parse_arguments, restored
from ankrcode.tooling.context import ToolContext
from ankrcode.tooling.definition import asked_of_models
from ankrcode.tooling.hooks import Hook, HookChain
from ankrcode.tooling.identity import Source
from ankrcode.tooling.narrator import Narrator
from ankrcode.tooling.outcome import as_result, failure, fitted, without_secrets
from ankrcode.tooling.person import Approver
from ankrcode.tooling.recorders import Recorder
from ankrcode.tooling.registry import Registry
from ankrcode.tooling.results import Cut, ResultStore
from ankrcode.tooling.running import RunningCall
from ankrcode.tooling.schema import Misfit
from ankrcode.tooling.state import AgentState
from ankrcode.tooling.supervise import in_thread, supervise
from ankrcode.tooling.turnstile import Turnstile


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
        redactor: Redactor | None = None,
        recorders: tuple[Recorder, ...] = (),
    ) -> None:
        self.registry = registry
        self._recorders = recorders
        self.source = source
        self._activity = activity
        self._store = store
        self._limits = limits
        self._cut = cut
        self._hooks = HookChain(hooks)
        self._redactor = redactor or Redactor()
        self._narrator = Narrator(activity, source, self._redactor)
        self._gate = Gate(approver, self._hooks, self._narrator, source, recorders)

    @property
    def approver(self) -> Approver | None:
        return self._gate.approver

    @property
    def questions(self) -> Turnstile:
        """One question at a time, whoever asks the person."""
        return self._gate.questions

    def notify(self, ctx: ToolContext, kind: str) -> None:
        """Somebody should look: the hooks are told, and nobody waits for them."""
        self._hooks.notify(ctx, kind)

    async def handle(self, running: RunningCall, place: Admission) -> ToolResult:
        """Stages 1 to 5 for a call that was resolved."""
        try:
            self._check_enabled(running)
            await self._gate.permit(running, self._edit)
            await place.admit(running.acts)
            running.ctx.acts = running.acts
            self._narrator.started(running)
            await running.tool.validate(running.args, running.ctx)
            result = await self._recorded(running)
            result = fitted(
                running.tool,
                result,
                self._limits,
                self._cut,
                self._store,
                redactor=self._redactor,
            )
        except ToolError as problem:
            result = failure(problem)
        except asyncio.CancelledError:
            key = "cancelled" if running.is_announced else "cancelled.waiting"
            result = failure(ToolError.of(key, tool=running.name).coded(ErrorCode.CANCELLED))
        except Exception as problem:  # noqa: BLE001 - the choke point: every call gets a result
            result = failure(_raised(running.name, problem))
        return self._concluded(running, result)

    def resolve(
        self, call: ToolCall, agent: AgentState, settings: Settings | None = None
    ) -> RunningCall:
        """Name → tool, JSON → typed input, input → acts. Raises `ToolError`."""
        tool = self.registry.find(call.name)
        arguments = parse_arguments(call.name, call.arguments)
        if tool.permission is not Permission.NETWORK:  # no secret leaves by its placeholder
            arguments = restored(call.name, arguments, self._redactor)
        ctx = ToolContext(
            agent=agent,
            call_id=call.id or self.source.new_id("call"),
            tool=tool.name,
            activity=self._activity,
            source=self.source,
            redactor=self._redactor,
            settings=settings,
        )
        try:
            args = tool.model.parse(arguments.values)
            acts = tool.acts(args, ctx)
        except Misfit as problem:
            from ankrcode.tooling.faults import invalid_input  # only a misfit pays for it

            schema, shown = tool.input_schema, asked_of_models(tool)
            complaint = str(problem)
            raise invalid_input(tool.name, schema, arguments.values, complaint, shown) from None
        except ToolError:
            raise
        except Exception as problem:  # noqa: BLE001 - a fault in a tool is that call's alone
            raise _raised(tool.name, problem) from None
        return RunningCall(
            call=call, tool=tool, args=args, arguments=arguments, ctx=ctx, agent=agent, acts=acts
        )

    def judge(self, call: ToolCall, agent: AgentState) -> tuple[str, Verdict]:
        """What it is about, and what would be decided, without running it. Raises `ToolError`."""
        running = self.resolve(call, agent)
        self._check_enabled(running)
        return running.tool.subject(running.args), judged(running)

    def refuse(
        self, call: ToolCall, agent: AgentState, problem: ToolError, started: float
    ) -> ToolResult:
        """The one result of a call that never got as far as a tool."""
        result = replace(
            failure(problem),
            call_id=call.id,
            title=call.name,
            duration_ms=self._duration_ms(started),
        )
        for recorder in self._recorders:
            result = recorder.ended(call, agent, result)
        self._narrator.refused(call, agent, result)
        return result

    def with_registry(self, registry: Registry) -> "Pipeline":
        """The same pipeline over fewer tools, for a further agent."""
        narrowed = copy(self)
        narrowed.registry = registry
        return narrowed

    # ── the stages ────────────────────────────────────────────────────────────────────────
    def _check_enabled(self, running: RunningCall) -> None:
        held = running.agent.policy.granted
        if not (running.tool.permissions <= held and running.tool.enabled(running.ctx)):
            raise ToolError.of("tool_disabled", name=running.name).coded(ErrorCode.TOOL_DISABLED)

    def _edit(self, running: RunningCall, arguments: dict[str, Any]) -> None:
        """A person or a hook gave other arguments: resolved anew, judged anew."""
        edited = replace(running.call, id=running.ctx.call_id, arguments=arguments)
        running.become(self.resolve(edited, running.agent))
        self._check_enabled(running)

    async def _recorded(self, running: RunningCall) -> ToolResult:
        """Stage 4 between its recorders: what they cannot note does not run."""
        for recorder in self._recorders:
            await recorder.before(running)
        try:
            result = await self._run(running)
        except asyncio.CancelledError:
            await self._wind_up(running, None)
            raise
        return await self._wind_up(running, result) or result

    async def _wind_up(self, running: RunningCall, result: ToolResult | None) -> ToolResult | None:
        """Tell the recorders that it is over; that is not cut short, whoever cancels."""
        for recorder in reversed(self._recorders):
            result = await asyncio.shield(recorder.after(running, result))
        return result

    async def _run(self, running: RunningCall) -> ToolResult:
        """Stage 4, and the hooks that follow it."""
        tool = running.tool
        limit_s = None if tool.waits else tool.timeout_s or self._limits.call_timeout_s
        try:
            value = await supervise(tool.run(running.args, running.ctx), running.ctx, limit_s)
            result = as_result(tool.name, value)
        except ToolError as problem:
            result = failure(problem)
        except Exception as problem:  # noqa: BLE001 - what a tool raises is its result
            result = failure(_raised(tool.name, problem))
        if self._hooks:
            result = await self._after(running, result)
        return result

    async def _after(self, running: RunningCall, result: ToolResult) -> ToolResult:
        """The hooks that follow, and what they made of the files that were written."""
        result = without_secrets(result, self._redactor)  # hooks write logs too
        await self._hooks.after(running, result)
        if result.ok and result.modifiers:
            from ankrcode.tooling.rewrites import with_rewrites  # only where hooks may have written

            result = await in_thread(running.ctx, with_rewrites, running, result)
        return result

    def _concluded(self, running: RunningCall, result: ToolResult) -> ToolResult:
        """Stamp the result, apply what it changes, and tell whoever watches."""
        for modifier in result.modifiers:
            running.agent.apply(modifier, self.source.now())
        if notes := running.agent.tasks.take_notes(running.agent.agent_id):
            result = replace(result, metadata={**result.metadata, "notes": notes})
        if result.error is not None:
            result = without_secrets(result, self._redactor)
        if running.told:
            result = replace(result, metadata={**result.metadata, **running.told})
        if (remarks := running.ctx.remarks) is not None:
            result = remarks.added_to(result, self._redactor)
            for message in remarks.messages:
                values = {"tool": running.name, "message": message}
                self._narrator.tell(running, Noticed, key="hook_message", values=values)
        title = result.title or running.tool.render_call(running.arguments.values)
        running.ctx.finish_output()
        result = replace(
            result,
            call_id=running.ctx.call_id,
            title=self._redactor.redact(title),
            duration_ms=self._duration_ms(running.started),
        )
        for recorder in self._recorders:
            result = recorder.ended(running.call, running.agent, result)
        self._narrator.ended(running, result)
        return result

    def _duration_ms(self, started: float) -> float:
        return round((self.source.monotonic() - started) * 1000, 3)


def _raised(tool: str, problem: Exception) -> ToolError:
    error = f"{type(problem).__name__}: {problem}" if str(problem) else type(problem).__name__
    return ToolError.of("tool_raised", tool=tool, error=error[:2_000].rstrip("."))
