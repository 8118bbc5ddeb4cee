"""Show the plan to whoever approves it; with their yes the work begins."""

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from ankrcode.errors import ErrorCode, Refused, ToolError
from ankrcode.protocol.acts import Acts, state
from ankrcode.protocol.permission import Mode, Permission
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.context import ToolContext
from ankrcode.tooling.plan import AllowedPrompt, PlanAnswer
from ankrcode.tooling.tool import Tool
from ankrcode.words import say


class AllowedPromptInput(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    tool: Annotated[Literal["Bash"], Meta(description="The tool it is for")]
    prompt: Annotated[
        str,
        Meta(description="What will be done: run the tests", min_length=1, max_length=500),
    ]


class ExitPlanModeInput(Struct, frozen=True, kw_only=True, rename="camel"):
    """Further properties are accepted: other products send some of their own."""

    allowed_prompts: Annotated[
        list[AllowedPromptInput],
        Meta(description="Kinds of commands the plan needs, allowed with it", max_length=50),
    ] = field(default_factory=list)
    push_to_remote: Annotated[bool, Meta(description="Also send it to a remote session")] = False
    remote_session_id: Annotated[str, Meta(description="Id of the remote session")] = ""
    remote_session_title: Annotated[str, Meta(description="Title of the remote session")] = ""
    remote_session_url: Annotated[str, Meta(description="Address of the remote session")] = ""


class ExitPlanModeOutput(
    Struct,
    frozen=True,
    kw_only=True,
    rename={"awaiting": "awaitingLeaderApproval"},
    omit_defaults=True,
):
    approved: bool
    plan: str = ""
    plan_file: str = ""
    granted: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    feedback: str = ""
    awaiting: bool = False
    request_id: str = field(default="", name="requestId")


class ExitPlanMode(Tool[ExitPlanModeInput]):
    name = "ExitPlanMode"
    summary = "Show the written plan for approval; with a yes plan mode ends."
    permission = Permission.READ
    category = "conversation"
    waits = True
    shares_repeats = False
    is_journalled = False
    output = ExitPlanModeOutput

    def acts(self, args: ExitPlanModeInput, ctx: ToolContext) -> Acts:
        """Later calls are judged when this one is done."""
        return Acts(writes=(state("permissions"),))

    def is_concurrency_safe(self, args: ExitPlanModeInput) -> bool:
        return False

    async def validate(self, args: ExitPlanModeInput, ctx: ToolContext) -> None:
        if ctx.mode is not Mode.PLAN:
            raise ToolError.of("plan.not_planning").coded(ErrorCode.EXECUTION_ERROR)
        if ctx.is_bound_to_plan:
            raise ToolError.of("plan.of_another").coded(ErrorCode.EXECUTION_ERROR)

    async def run(self, args: ExitPlanModeInput, ctx: ToolContext) -> ToolResult:
        prompts = [AllowedPrompt(tool=one.tool, prompt=one.prompt) for one in args.allowed_prompts]
        answer = await ctx.leave_plan(prompts)
        if not answer.approved and not answer.request_id:
            raise refused(answer)
        value = ExitPlanModeOutput(
            approved=answer.approved,
            plan=answer.plan,
            plan_file=ctx.plan_file,
            granted=list(answer.granted),
            asked=list(answer.asked),
            feedback=answer.feedback,
            awaiting=bool(answer.request_id),
            request_id=answer.request_id,
        )
        remote = [say("plan.no_remote")] if args.push_to_remote else []
        return ToolResult(
            title=say("plan.title"),
            value=value,
            text="\n".join([*told(answer, ctx), *remote]),
            metadata=facts(answer, ctx) | ({"pushed_to_remote": False} if remote else {}),
        )


def told(answer: PlanAnswer, ctx: ToolContext) -> list[str]:
    """What the model goes on with."""
    if answer.request_id:
        return [say("plan.awaits_leader", id=answer.request_id)]
    lines = [say("plan.approved", path=ctx.plan_file, mode=ctx.mode)]
    if answer.granted:
        lines.append(say("plan.granted", prompts=", ".join(answer.granted)))
    if answer.asked:
        lines.append(say("plan.still_asked", prompts=", ".join(answer.asked)))
    return [*lines, *([answer.feedback] if answer.feedback else [])]


def facts(answer: PlanAnswer, ctx: ToolContext) -> dict[str, object]:
    """While a leader thinks there is nothing to do: the turn is over."""
    waiting = {"ends_turn": True, "request_id": answer.request_id} if answer.request_id else {}
    return {"mode": str(ctx.mode), "plan_file": ctx.plan_file, **waiting}


def refused(answer: PlanAnswer) -> Refused:
    """The person's words stay as they are, line by line."""
    feedback = answer.feedback or say("plan.revise")
    message = f"{say('plan.refused')} {feedback}"
    return Refused(message, key="plan.refused", values={"feedback": feedback})
