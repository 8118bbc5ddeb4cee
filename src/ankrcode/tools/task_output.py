"""Look at what a task in the background has printed."""

import asyncio
from typing import Annotated, Literal

from msgspec import Meta, Struct

from ankrcode.config.limits import BASH_MAX_TIMEOUT_MS, TASK_WAIT_MS
from ankrcode.errors import ErrorCode, ToolError
from ankrcode.protocol.acts import Acts
from ankrcode.protocol.permission import Permission
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.context import ToolContext
from ankrcode.tooling.printed import printed, saved_note
from ankrcode.tooling.schema import ToolInput
from ankrcode.tooling.supervise import in_thread
from ankrcode.tooling.tool import Tool
from ankrcode.words import say
from ankrcode.workspace.processes.tasks import Task

_LOOK_EVERY_S = 0.25  # for a task that waits for input
_NOTES_CHARS = 2_000  # kept free for what we say beside the output


class TaskOutputInput(ToolInput):
    task_id: Annotated[str, Meta(description="The id of the task", min_length=1)]
    block: Annotated[bool, Meta(description="Wait until the task has ended")] = True
    timeout: Annotated[
        float,
        Meta(description="How long to wait at most, in ms", ge=0, le=BASH_MAX_TIMEOUT_MS),
    ] = TASK_WAIT_MS
    offset: Annotated[
        int,
        Meta(description="Show output from this byte on; -1 means since you last looked", ge=-1),
    ] = 0


class TaskState(Struct, frozen=True, kw_only=True):
    output: str
    is_completed: bool
    exit_code: int | None = None
    status: str = ""
    waiting_for_input: bool = False
    next_offset: int = 0  # where output that comes later begins


class TaskOutputOutput(Struct, frozen=True, kw_only=True):
    retrieval_status: Literal["success", "timeout", "not_ready"]
    task: TaskState


class TaskOutput(Tool[TaskOutputInput]):
    name = "TaskOutput"
    summary = "Get the output of a background task, now or when it has ended."
    permission = Permission.READ
    category = "shell"
    waits = True
    shares_repeats = False
    output = TaskOutputOutput

    def acts(self, args: TaskOutputInput, ctx: ToolContext) -> Acts:
        """Nothing: it may wait for long, and must not hold up what others do meanwhile."""
        return Acts()

    def subject(self, args: TaskOutputInput) -> str:
        return args.task_id

    async def run(self, args: TaskOutputInput, ctx: ToolContext) -> ToolResult:
        task = task_named(args.task_id, ctx)
        waits = args.block and task.id != ctx.agent_id  # an agent cannot wait for its own end
        is_waiting = await waited(task, args.timeout / 1000) if waits else is_stuck(task)
        is_done = task.work.is_done
        offset = task.seen if args.offset < 0 else args.offset
        limit = ctx.settings.limits.result_chars - _NOTES_CHARS
        shown = await in_thread(ctx, printed, task.work.output, limit, offset=offset)
        ctx.tasks.looked_at(task, shown.end)
        value = TaskOutputOutput(
            retrieval_status="success" if is_done else "timeout" if waits else "not_ready",
            task=TaskState(
                output=shown.text,
                is_completed=is_done,
                exit_code=task.exit_code,
                status=task.status,
                waiting_for_input=is_waiting,
                next_offset=shown.end,
            ),
        )
        return ToolResult(
            title=f"TaskOutput {task.title}",
            value=value,
            text=text_of(task, value, saved_note(task.work.output, is_whole=shown.is_whole)),
            metadata={"status": task.status, "exit_code": task.exit_code, "next_offset": shown.end},
        )


def task_named(task_id: str, ctx: ToolContext) -> Task:
    """An agent that has answered is no task any more, nor is one of an earlier process."""
    try:
        return ctx.tasks.get(task_id)
    except ToolError as problem:
        if not task_id.startswith("agent_") or ctx.subagents is None:
            raise
        error = ToolError.of("unknown_task.agent", task=task_id)
        raise error.coded(ErrorCode.INVALID_INPUT, **problem.details) from None


async def waited(task: Task, seconds: float) -> bool:
    """Wait for the end, but not for a task that itself waits: is it one of those?"""
    give_up = asyncio.get_running_loop().time() + seconds
    was_stuck = False
    while (left_s := give_up - asyncio.get_running_loop().time()) > 0:
        if await task.ended_within(min(left_s, _LOOK_EVERY_S)):
            return False
        stuck = is_stuck(task)
        if stuck and was_stuck:
            return True
        was_stuck = stuck
    return is_stuck(task)


def is_stuck(task: Task) -> bool:
    return task.work.is_waiting_for_input


def text_of(task: Task, value: TaskOutputOutput, note: str) -> str:
    code = value.task.exit_code
    ended = f", {say('exit_code', code=code)}" if code is not None else ""
    lines = [f"Task {task.id}: {task.status}{ended}"]
    if value.task.waiting_for_input:
        lines.append(say("task_waits_for_input", task=task.id))
    lines.append(value.task.output.rstrip("\n") or say("no_output"))
    return "\n\n".join([*lines, note]).rstrip("\n")
