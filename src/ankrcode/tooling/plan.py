"""Leaving plan mode: the plan is shown, somebody says yes, and only then anything may change."""

from collections.abc import Iterable

from msgspec import Struct

from ankrcode.permissions.policy import Policy
from ankrcode.protocol.acts import NOTHING
from ankrcode.protocol.approval import Approval, ApprovalAnswer, Preview
from ankrcode.protocol.permission import Mode
from ankrcode.tooling.approvals import Approver
from ankrcode.tooling.identity import Source
from ankrcode.words import say

TOOL = "ExitPlanMode"


class AllowedPrompt(Struct, frozen=True, kw_only=True):
    """One entry of `allowedPrompts`: what the plan wants to do, in words."""

    prompt: str
    tool: str = "Bash"


class PlanAnswer(Struct, frozen=True, kw_only=True):
    approved: bool
    feedback: str = ""
    granted: tuple[str, ...] = ()  # prompts that need no further question
    asked: tuple[str, ...] = ()  # prompts that were not understood: each command is asked about


def plan_approval(plan: str, prompts: Iterable[AllowedPrompt], source: Source) -> Approval:
    """The plan as a question, together with all that a yes to it grants."""
    import msgspec

    from ankrcode.permissions.phrases import table, understood
    from ankrcode.permissions.visible import visible
    from ankrcode.tooling.asking import digest_of

    wanted = [{"tool": one.tool, "prompt": one.prompt} for one in prompts]
    lines = []
    for one in wanted:
        means = [table()[name].means for name in understood(one["prompt"])]
        known = ", ".join(means) if one["tool"] == "Bash" and means else say("plan.asks_each")
        lines.append(f"{one['prompt']}: {known}")
    arguments = {"plan": plan, "allowedPrompts": wanted}
    grants = f"\n\n{say('plan.grants')}\n" + "\n".join(lines) if lines else ""
    return Approval(
        id=source.new_id("approval"),
        call_id="",
        tool=TOOL,
        arguments=arguments,
        reason=say("why.plan"),
        acts=NOTHING,
        preview=Preview(title=say("plan.title"), body=plan),
        risk="medium",
        text=visible(plan + grants),
        digest=digest_of(TOOL, msgspec.json.encode(arguments, order="deterministic")),
    )


async def leave_plan(
    policy: Policy,
    approver: Approver | None,
    approval: Approval,
    *,
    then: Mode = Mode.DEFAULT,
) -> PlanAnswer:
    """Plan mode holds until the answer is yes; then what the plan asked for is granted."""
    if approver is None:
        return PlanAnswer(approved=False, feedback=say("plan.nobody"))
    answer: ApprovalAnswer = await approver(approval)
    if not answer.approved:
        return PlanAnswer(approved=False, feedback=answer.feedback)
    from ankrcode.permissions.phrases import understood

    granted: list[str] = []
    asked: list[str] = []
    for one in approval.arguments["allowedPrompts"]:
        names = understood(one["prompt"]) if one["tool"] == "Bash" else ()
        policy.phrases += [name for name in names if name not in policy.phrases]
        (granted if names else asked).append(one["prompt"])
    if policy.mode is Mode.PLAN:
        policy.mode = then
    return PlanAnswer(
        approved=True, feedback=answer.feedback, granted=tuple(granted), asked=tuple(asked)
    )
