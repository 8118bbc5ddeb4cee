"""Write to the input of a task in the background."""

from typing import Annotated

from msgspec import Meta, Struct

from ankrcode.config.limits import TASK_INPUT_BYTES
from ankrcode.errors import ErrorCode, ToolError
from ankrcode.protocol.acts import Acts, state
from ankrcode.protocol.permission import Permission
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.context import ToolContext
from ankrcode.tooling.schema import ToolInput
from ankrcode.tooling.tool import Tool
from ankrcode.words import say
from ankrcode.workspace.processes.processes import Process


class TaskInputInput(ToolInput):
    task_id: Annotated[str, Meta(description="The id of the task", min_length=1)]
    text: Annotated[
        str,
        Meta(
            description="What to write; end it with a line break where a line is expected",
            max_length=TASK_INPUT_BYTES,
        ),
    ] = ""
    end: Annotated[bool, Meta(description="No more input comes after this")] = False


class TaskInputOutput(Struct, frozen=True, kw_only=True):
    task_id: str
    sent_bytes: int
    ended: bool


class TaskInput(Tool[TaskInputInput]):
    name = "TaskInput"
    summary = "Write to the input of a background task that was started with one."
    permission = Permission.EXECUTE
    category = "shell"
    shares_repeats = False
    output = TaskInputOutput

    def acts(self, args: TaskInputInput, ctx: ToolContext) -> Acts:
        """What it is told may make it do anything it can."""
        return Acts(writes=(state(f"task:{args.task_id}"),), runs=(args.text,))

    def subject(self, args: TaskInputInput) -> str:
        return args.task_id

    async def run(self, args: TaskInputInput, ctx: ToolContext) -> ToolResult:
        work = ctx.tasks.get(args.task_id).work
        if not isinstance(work, Process) or not work.takes_input:
            key = "task_over.input" if work.is_done else "task_takes_no_input"
            raise ToolError.of(key, task=args.task_id).coded(ErrorCode.EXECUTION_ERROR)
        data = args.text.encode()
        try:
            sent = work.send(data) if data else 0
        except BrokenPipeError:
            error = ToolError.of("task_over.input", task=args.task_id)
            raise error.coded(ErrorCode.EXECUTION_ERROR) from None
        if sent < len(data):
            error = ToolError.of("task_not_reading", task=args.task_id, sent=sent, size=len(data))
            raise error.coded(ErrorCode.EXECUTION_ERROR, sent_bytes=sent)
        if args.end:
            work.end_input()
        value = TaskInputOutput(task_id=args.task_id, sent_bytes=sent, ended=args.end)
        return ToolResult(
            value=value,
            text=say("task_was_told", task=args.task_id, size=sent),
            metadata={"sent_bytes": sent},
        )
