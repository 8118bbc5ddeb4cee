"""Begin to plan: from here on nothing changes until the plan is approved."""

from msgspec import Struct

from ankrcode.protocol.acts import Acts, state
from ankrcode.protocol.permission import Mode, Permission
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.context import ToolContext
from ankrcode.tooling.schema import NoInput
from ankrcode.tooling.tool import Tool
from ankrcode.words import say


class EnterPlanModeInput(NoInput):
    """Nothing to say."""


class EnterPlanModeOutput(Struct, frozen=True, kw_only=True):
    plan_file: str


class EnterPlanMode(Tool[EnterPlanModeInput]):
    name = "EnterPlanMode"
    summary = "Plan first: nothing but the plan can be written until it is approved."
    permission = Permission.READ
    category = "conversation"
    shares_repeats = False
    is_journalled = False
    output = EnterPlanModeOutput

    def acts(self, args: EnterPlanModeInput, ctx: ToolContext) -> Acts:
        """Later calls are judged when this one is done."""
        return Acts(writes=(state("permissions"),))

    def is_concurrency_safe(self, args: EnterPlanModeInput) -> bool:
        return False

    async def run(self, args: EnterPlanModeInput, ctx: ToolContext) -> ToolResult:
        key = "plan.entered_already" if ctx.mode is Mode.PLAN else "plan.entered"
        path = ctx.enter_plan()
        return ToolResult(
            title=say("plan.entered_title"),
            value=EnterPlanModeOutput(plan_file=path),
            text=f"{say(key, path=path)}\n{say('plan.rules')}",
            metadata={"mode": str(ctx.mode), "plan_file": path},
        )
