"""Plan mode: into it unasked, for it only tightens; out of it when somebody approves the plan.

The plan is a file: private, of one agent, and the only one that may be written meanwhile.
"""

import os
from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from ankrcode.config.paths import make_private, state_folder
from ankrcode.errors import ErrorCode, ToolError
from ankrcode.permissions.policy import Policy
from ankrcode.protocol.acts import NOTHING
from ankrcode.protocol.approval import Approval, ApprovalAnswer, Preview
from ankrcode.protocol.permission import Mode
from ankrcode.tooling.identity import Source
from ankrcode.tooling.person import Approver
from ankrcode.tooling.state import AgentState
from ankrcode.words import say

TOOL = "ExitPlanMode"
MAX_PLAN_BYTES = 1024 * 1024
MODE_BEFORE = "mode_before_plan"  # among the agent's values: where an approved plan leads back


class AllowedPrompt(Struct, frozen=True, kw_only=True):
    """One entry of `allowedPrompts`: what the plan wants to do, in words."""

    prompt: str
    tool: str = "Bash"


class PlanAnswer(Struct, frozen=True, kw_only=True):
    approved: bool
    feedback: str = ""
    granted: tuple[str, ...] = ()  # prompts that need no further question
    asked: tuple[str, ...] = ()  # prompts that were not understood: each command is asked about
    plan: str = ""
    request_id: str = ""  # a leader has not answered yet


# ── into it ───────────────────────────────────────────────────────────────────────────────────
def enter_plan(agent: AgentState, source: Source) -> str:
    """From now on nothing changes but the plan; where that is to be written."""
    policy = agent.policy
    if policy.mode is not Mode.PLAN:
        agent.values[MODE_BEFORE] = str(policy.mode)
        policy.plan_file = ""  # a new plan: what was approved stays as it is
    policy.mode = Mode.PLAN
    return name_plan(agent, source)


def name_plan(agent: AgentState, source: Source) -> str:
    """Where this agent's plan is written; it may also be read there."""
    policy = agent.policy
    if not policy.plan_file:
        folder = make_private(state_folder(os.environ) / "plans")
        policy.plan_file = str(folder / f"{source.new_id('plan')}.md")
    place = os.path.realpath(policy.plan_file)
    if place not in policy.readable:
        policy.readable += (place,)
    return policy.plan_file


def written_plan(path: str) -> str:
    """The plan as it stands in its file. Raises `ToolError` where there is none."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            content = file.read(MAX_PLAN_BYTES + 1)
    except OSError:
        content = b""
    plan = content.decode(errors="replace").strip()
    if not plan:
        raise ToolError.of("plan.missing", path=path).coded(ErrorCode.FILE_NOT_FOUND, path=path)
    if len(content) > MAX_PLAN_BYTES:
        error = ToolError.of("plan.too_long", limit=MAX_PLAN_BYTES)
        raise error.coded(ErrorCode.TOO_LARGE, path=path)
    return plan


# ── out of it ─────────────────────────────────────────────────────────────────────────────────
async def propose_plan(
    agent: AgentState, approver: Approver, prompts: Iterable[AllowedPrompt], source: Source
) -> PlanAnswer:
    """Show the written plan to whoever approves here; `approver` puts it to the person."""
    policy, person = agent.policy, agent.person
    plan = written_plan(policy.plan_file)
    approval = plan_approval(plan, prompts, source, agent_id=agent.agent_id)
    if person.approver is None:
        return PlanAnswer(approved=False, feedback=say("plan.nobody"), plan=plan)
    from ankrcode.tooling.leader import LeaderApprover  # slow to load

    if isinstance(person.approver, LeaderApprover):
        request_id, answer = person.approver.settled(approval)
        if answer is None:
            return PlanAnswer(approved=False, plan=plan, request_id=request_id)
        approver = _already(answer)
    then = Mode(agent.values.get(MODE_BEFORE, Mode.DEFAULT))
    answered = await leave_plan(policy, approver, approval, then=then)
    if answered.approved:
        agent.values.pop(MODE_BEFORE, None)
    return replace(answered, plan=plan)


def _already(answer: ApprovalAnswer) -> Approver:
    async def said(approval: Approval) -> ApprovalAnswer:
        return answer

    return said


def plan_approval(
    plan: str, prompts: Iterable[AllowedPrompt], source: Source, *, agent_id: str = ""
) -> Approval:
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
        agent_id=agent_id,
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
    from ankrcode.tooling.consent import consent  # only a question pays for it

    answer = await consent(approver, approval)
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
