"""Stage 2: may this call run? Hooks, then the policy, then a person – or nobody."""

from collections.abc import Awaitable, Callable
from typing import Any

from msgspec.structs import replace

from ankrcode.config.limits import MAX_EDITS_PER_CALL
from ankrcode.errors import Refused
from ankrcode.permissions.decide import Decision, Verdict, decide
from ankrcode.protocol.approval import Approval, ApprovalAnswer
from ankrcode.protocol.event import ApprovalAnswered, ApprovalRequested
from ankrcode.protocol.permission import Mode
from ankrcode.tooling.hooks import HookAnswer, HookChain
from ankrcode.tooling.identity import Source
from ankrcode.tooling.narrator import Narrator
from ankrcode.tooling.running import RunningCall

Approver = Callable[[Approval], Awaitable[ApprovalAnswer]]
Edit = Callable[[RunningCall, dict[str, Any]], None]


class Gate:
    """Every call passes here; a tool never asks by itself, so none can forget to."""

    def __init__(
        self, approver: Approver | None, hooks: HookChain, narrator: Narrator, source: Source
    ) -> None:
        self.approver = approver
        self._hooks = hooks
        self._narrator = narrator
        self._source = source

    async def permit(self, running: RunningCall, edit: Edit) -> None:
        """Return if it may run, else raise. Edited arguments are judged again from the start."""
        is_approved = False
        for _ in range(MAX_EDITS_PER_CALL):
            verdict = judged(running)
            if self._hooks:
                answer = await self._hooks.before(running)
                if answer.arguments is not None:
                    edit(running, answer.arguments)
                    continue
                verdict = _tightened(verdict, answer)
            if verdict.decision is Decision.DENY:
                raise Refused.of("denied.rule", tool=running.name, reason=verdict.reason)
            if verdict.decision is Decision.ALLOW or is_approved:
                return
            person = await self._asked(running, verdict.reason)
            if person.arguments is None:
                return
            edit(running, person.arguments)
            is_approved = True  # of exactly these arguments: only a deny can stop them now
        raise Refused.of("denied.restless", tool=running.name)

    async def _asked(self, running: RunningCall, reason: str) -> ApprovalAnswer:
        if self.approver is None:
            mode = running.agent.policy.mode
            raise Refused.of("denied.mode", tool=running.name, mode=mode, reason=reason)
        approval = Approval(
            id=self._source.new_id("approval"),
            call_id=running.ctx.call_id,
            tool=running.name,
            arguments=running.arguments.values,
            reason=reason,
            acts=running.acts,
            preview=running.tool.preview(running.args, running.ctx),
            agent_id=running.agent.agent_id,
        )
        self._narrator.tell(running, ApprovalRequested, approval=approval)
        answer = await self.approver(approval)
        self._narrator.tell(running, ApprovalAnswered, approval_id=approval.id, answer=answer)
        if not answer.approved:
            raise Refused.of("denied.person", feedback=answer.feedback)
        if answer.remember != "once" and answer.arguments is None:
            running.agent.policy.grant(running.name, running.tool.subject(running.args))
        return answer


def judged(running: RunningCall) -> Verdict:
    """The policy's verdict, which the tool itself may tighten."""
    tool, agent = running.tool, running.agent
    subject = tool.subject(running.args)
    verdict = decide(tool.name, subject, running.acts, agent.policy, agent.workspace)
    if agent.policy.mode is Mode.BYPASS:
        return replace(verdict, is_firm=tool.always_asks)
    reason = tool.approval(running.args, running.ctx)
    if verdict.decision is not Decision.ALLOW:
        reasons = "; ".join(filter(None, (verdict.reason, reason)))
        return replace(verdict, reason=reasons, is_firm=tool.always_asks)
    if not reason or (agent.policy.is_granted(tool.name, subject) and not tool.always_asks):
        return verdict
    asks = agent.policy.mode not in (Mode.DONT_ASK, Mode.PLAN)
    decision = Decision.ASK if asks else Decision.DENY
    return Verdict(decision=decision, reason=reason, is_firm=tool.always_asks)


def _tightened(verdict: Verdict, answer: HookAnswer) -> Verdict:
    """A hook may answer a question or raise one; it never overrides a deny."""
    if answer.decision == "ask" and verdict.decision is Decision.ALLOW:
        return Verdict(decision=Decision.ASK, reason=answer.reason)
    if answer.decision == "allow" and verdict.decision is Decision.ASK and not verdict.is_firm:
        return Verdict(decision=Decision.ALLOW, reason=answer.reason)
    return verdict
