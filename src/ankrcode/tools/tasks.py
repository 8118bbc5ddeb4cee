"""List what goes on in the background."""

from msgspec import Struct

from ankrcode.protocol.acts import Acts
from ankrcode.protocol.permission import Permission
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.context import ToolContext
from ankrcode.tooling.schema import NoInput
from ankrcode.tooling.tool import Tool
from ankrcode.words import say
from ankrcode.workspace.processes.tasks import Task


class TasksInput(NoInput):
    """Nothing to say."""


class TaskEntry(Struct, frozen=True, kw_only=True):
    id: str
    kind: str
    status: str
    title: str
    seconds: float
    exit_code: int | None
    output_bytes: int
    output_path: str


class TasksOutput(Struct, frozen=True, kw_only=True):
    tasks: list[TaskEntry]


class Tasks(Tool[TasksInput]):
    name = "Tasks"
    summary = "List the background tasks with their ids, states and output files."
    permission = Permission.READ
    category = "shell"
    shares_repeats = False
    output = TasksOutput

    def acts(self, args: TasksInput, ctx: ToolContext) -> Acts:
        return Acts()

    async def run(self, args: TasksInput, ctx: ToolContext) -> ToolResult:
        entries = [entry_of(task) for task in ctx.tasks.all()]
        lines = [line_of(entry) for entry in entries]
        running = sum(entry.status == "running" for entry in entries)
        return ToolResult(
            value=TasksOutput(tasks=entries),
            text="\n".join(lines) or say("no_tasks"),
            metadata={"running": running, "total": len(entries)},
        )


def entry_of(task: Task) -> TaskEntry:
    return TaskEntry(
        id=task.id,
        kind=task.kind,
        status=task.status,
        title=task.title,
        seconds=round(task.seconds, 1),
        exit_code=task.exit_code,
        output_bytes=task.work.output.total,
        output_path=task.work.output.path,
    )


def line_of(entry: TaskEntry) -> str:
    code = f" {say('exit_code', code=entry.exit_code)}" if entry.exit_code is not None else ""
    return f"{entry.id}  {entry.status}{code}  {entry.seconds:g} s  {entry.title}"
