"""Stage 2: may this call run? Hooks, then the policy, then a person – or nobody."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from ankrcode.config.limits import MAX_EDITS_PER_CALL
from ankrcode.errors import Refused
from ankrcode.permissions.decide import CallFacts, Decision, Verdict, decide
from ankrcode.permissions.verdicts import CONFINED, OPEN, Authority
from ankrcode.protocol.acts import EVERYTHING
from ankrcode.protocol.approval import ApprovalAnswer
from ankrcode.protocol.event import ApprovalAnswered, ApprovalRequested
from ankrcode.protocol.permission import Mode
from ankrcode.tooling.hooks import HookAnswer, HookChain
from ankrcode.tooling.identity import Source
from ankrcode.tooling.narrator import Narrator
from ankrcode.tooling.person import APPROVAL, Approver
from ankrcode.tooling.recorders import Recorder
from ankrcode.tooling.running import RunningCall
from ankrcode.tooling.turnstile import Turnstile

Edit = Callable[[RunningCall, dict[str, Any]], None]
_SILENCE = HookAnswer()


class Gate:
    """Every call passes here; a tool never asks by itself, so none can forget to."""

    def __init__(
        self,
        approver: Approver | None,
        hooks: HookChain,
        narrator: Narrator,
        source: Source,
        recorders: tuple[Recorder, ...] = (),
    ) -> None:
        self.approver = approver
        self._hooks = hooks
        self._narrator = narrator
        self._source = source
        self._recorders = recorders
        self.questions = Turnstile()  # one at a time, whoever asks

    async def permit(self, running: RunningCall, edit: Edit) -> None:
        """Return if it may run, else raise. Edited arguments are judged again from the start."""
        seen: tuple[object, Authority] | None = None  # which arguments somebody said yes to
        for _ in range(MAX_EDITS_PER_CALL):
            heard = await self._hooks.before(running) if self._hooks else _SILENCE
            if heard.arguments is not None:
                edit(running, heard.arguments)
                continue
            verdict = _tightened(judged(running), heard, running.agent.policy.mode)
            if verdict.decision is Decision.ASK and seen is not None and seen[0] == running.key:
                verdict = _approved(verdict, seen[1])  # of exactly these: only a deny stops them
            if verdict.decision is Decision.ASK:
                verdict, arguments = await self._settled(running, verdict, heard)
                if arguments is not None:
                    edit(running, arguments)
                    seen = (running.key, verdict.by)
                    continue
            if verdict.decision is Decision.DENY:
                raise _denied(running, verdict)
            running.verdict = running.ctx.verdict = verdict
            return
        raise Refused.of("denied.restless", tool=running.name)

    async def _settled(
        self, running: RunningCall, verdict: Verdict, heard: HookAnswer
    ) -> tuple[Verdict, dict[str, Any] | None]:
        """By a hook in the person's place, where that may be; else by the person.

        Returns the verdict, and other arguments where those were given with the yes.
        """
        if self._hooks and not verdict.is_firm:
            said = await self._hooks.asked(running, verdict.reason)
            if said.decision == "allow":
                return _upheld(running, _approved(verdict, "hook")), said.arguments
        if self.approver is None:
            mode = running.agent.policy.mode
            _tell(running, verdict)
            raise Refused.of("denied.mode", tool=running.name, mode=mode, reason=verdict.reason)
        async with self.questions:
            # A yes for longer, given meanwhile, may have answered this one too.
            verdict = _tightened(judged(running), heard, running.agent.policy.mode)
            if verdict.decision is not Decision.ASK:
                return verdict, None
            answer = await self._asked(self.approver, running, verdict)
        return _approved(verdict, "person"), answer.arguments

    async def _asked(
        self, approver: Approver, running: RunningCall, verdict: Verdict
    ) -> ApprovalAnswer:
        from ankrcode.tooling.asking import approval_for, remember  # only a question pays for it
        from ankrcode.tooling.consent import consent

        _tell(running, verdict)
        approval = approval_for(running, verdict, self._source.new_id("approval"))
        self._narrator.tell(running, ApprovalRequested, approval=approval)
        self._hooks.notify(running.ctx, APPROVAL)
        answer = await consent(approver, approval)
        self._narrator.tell(running, ApprovalAnswered, approval_id=approval.id, answer=answer)
        if answer.approved and answer.remember != "once" and answer.arguments is None:
            running.tell(**remember(running, answer.remember))
        for recorder in self._recorders:
            recorder.answered(running, approval, answer)
        if not answer.approved:
            if running.agent.settings.permissions.denial_ends_turn and not answer.feedback:
                running.tell(ends_turn=True)
            raise Refused.of("denied.person", feedback=answer.feedback)
        return answer


def judged(running: RunningCall) -> Verdict:
    """The policy's verdict, which the tool itself may tighten."""
    tool, agent = running.tool, running.agent
    mode = agent.policy.mode
    subject = tool.subject(running.args)
    facts = CallFacts(
        tool=tool.name,
        arguments=running.arguments.values,
        acts=running.acts,
        subject=subject,
        exact=running.exact if agent.policy.approved else "",
    )
    verdict = decide(facts, agent.policy, agent.workspace)
    if verdict.by == "plan":
        return verdict  # to be written over and over is what it is for
    is_firm = verdict.is_firm or tool.always_asks
    if mode is Mode.BYPASS:
        return replace(verdict, is_firm=is_firm) if is_firm else verdict
    reason = tool.approval(running.args, running.ctx)
    if verdict.decision is not Decision.ALLOW:
        reasons = "; ".join(filter(None, (verdict.reason, reason)))
        return replace(verdict, reason=reasons, is_firm=is_firm)
    is_granted = agent.policy.is_granted(tool.name, subject, facts.exact)
    if not reason or (is_granted and not tool.always_asks):
        return verdict
    if mode is Mode.AUTO and not tool.always_asks and _can_be_undone(running):
        return verdict
    is_silent = mode is Mode.DONT_ASK or (
        mode is Mode.PLAN and bool(running.acts.writes or running.acts.runs)
    )
    decision = Decision.DENY if is_silent else Decision.ASK
    return replace(verdict, decision=decision, reason=reason, is_firm=is_firm)


def _can_be_undone(running: RunningCall) -> bool:
    """Does it write files, which the journal keeps, and nothing else?"""
    acts = running.acts
    is_plain = bool(acts.writes_files) and EVERYTHING not in acts.writes and not acts.runs
    return is_plain and running.agent.policy.accepts_edits


def _tightened(verdict: Verdict, answer: HookAnswer, mode: Mode) -> Verdict:
    """A hook may answer a question or raise one; it overrides no deny, and no rule that asks."""
    if answer.decision == "ask" and verdict.decision is Decision.ALLOW:
        decision = Decision.DENY if mode is Mode.DONT_ASK else Decision.ASK
        return replace(verdict, decision=decision, reason=answer.reason)
    is_open = verdict.decision is Decision.ASK and not verdict.is_firm and not verdict.rule
    if answer.decision == "allow" and is_open:
        return _approved(replace(verdict, reason=answer.reason), "hook")
    return verdict


def _approved(verdict: Verdict, by: Authority) -> Verdict:
    """A person's yes also opens the sandbox; a hook's leaves the command where it was."""
    is_opened = by == "person" and verdict.profile == CONFINED
    profile = OPEN if is_opened else verdict.profile
    return replace(verdict, decision=Decision.ALLOW, by=by, profile=profile)


def _upheld(running: RunningCall, verdict: Verdict) -> Verdict:
    """A hook takes its time: what has become forbidden meanwhile only a person could allow."""
    now = judged(running)
    return now if now.decision is Decision.DENY else verdict


def _denied(running: RunningCall, verdict: Verdict) -> Refused:
    _tell(running, verdict)
    is_by_mode = not verdict.rule and not verdict.is_firm
    if is_by_mode and running.agent.policy.mode is Mode.PLAN:
        return Refused.of("denied.plan", tool=running.name, reason=verdict.reason)
    return Refused.of("denied.rule", tool=running.name, reason=verdict.reason)


def _tell(running: RunningCall, verdict: Verdict) -> None:
    if verdict.note:
        running.tell(permission_note=verdict.note)
