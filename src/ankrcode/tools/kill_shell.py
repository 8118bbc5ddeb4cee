"""Stop a task in the background."""

from typing import Annotated

from msgspec import Meta, Struct

from ankrcode.errors import ErrorCode, ToolError
from ankrcode.protocol.acts import Acts, state
from ankrcode.protocol.permission import Permission
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.context import ToolContext
from ankrcode.tooling.schema import ToolInput
from ankrcode.tooling.tool import Tool
from ankrcode.words import say

_WITHIN_S = 3.0


class KillShellInput(ToolInput):
    shell_id: Annotated[str, Meta(description="The id of the background task", min_length=1)]


class KillShellOutput(Struct, frozen=True, kw_only=True):
    shell_id: str
    status: str
    exit_code: int | None


class KillShell(Tool[KillShellInput]):
    name = "KillShell"
    summary = "Stop a background task and everything that it has started."
    permission = Permission.EXECUTE
    category = "shell"
    waits = True
    output = KillShellOutput

    def acts(self, args: KillShellInput, ctx: ToolContext) -> Acts:
        """Not the task's own state: whoever waits for its end must not hold up who brings it.

        And nothing of an agent: its calls hold what they touch, and must not hold up their end.
        """
        if any(task.id == args.shell_id and task.kind == "agent" for task in ctx.tasks.all()):
            return Acts()
        return Acts(writes=(state(f"task_end:{args.shell_id}"),))

    def is_concurrency_safe(self, args: KillShellInput) -> bool:
        return True

    def subject(self, args: KillShellInput) -> str:
        return args.shell_id

    async def run(self, args: KillShellInput, ctx: ToolContext) -> ToolResult:
        task = ctx.tasks.get(args.shell_id)
        if task.work.is_done:
            error = ToolError.of("task_over", task=task.id, status=task.status)
            raise error.coded(ErrorCode.EXECUTION_ERROR, exit_code=task.exit_code)
        task.is_killed = True
        task.work.stop()
        if not await task.ended_within(_WITHIN_S):
            error = ToolError.of("task_not_killed", task=task.id)
            raise error.coded(ErrorCode.EXECUTION_ERROR)
        value = KillShellOutput(shell_id=task.id, status=task.status, exit_code=task.exit_code)
        return ToolResult(
            value=value,
            text=say("task_killed", task=task.id),
            metadata={"status": task.status, "exit_code": task.exit_code},
        )
