"""Keep the list of what is to be done."""

from typing import Annotated

from msgspec import Meta, Struct

from ankrcode.errors import ErrorCode, ToolError
from ankrcode.protocol.acts import Acts, state
from ankrcode.protocol.permission import Permission
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.context import ToolContext
from ankrcode.tooling.schema import ToolInput
from ankrcode.tooling.todos import MAX_TODOS, Todo, active
from ankrcode.tooling.tool import Tool
from ankrcode.words import say


class TodoWriteInput(ToolInput):
    todos: Annotated[
        list[Todo],
        Meta(description="The whole list; it replaces the one before", max_length=MAX_TODOS),
    ]


class TodoWriteOutput(Struct, frozen=True, kw_only=True):
    todos: list[Todo]
    active: str = ""


class TodoWrite(Tool[TodoWriteInput]):
    name = "TodoWrite"
    summary = "Replace the task list of this session, all at once."
    permission = Permission.READ
    category = "conversation"
    quiet = True
    is_journalled = False
    output = TodoWriteOutput

    def acts(self, args: TodoWriteInput, ctx: ToolContext) -> Acts:
        return Acts(writes=(state("todos"),))

    def is_concurrency_safe(self, args: TodoWriteInput) -> bool:
        return False

    async def validate(self, args: TodoWriteInput, ctx: ToolContext) -> None:
        count = sum(todo.status == "in_progress" for todo in args.todos)
        if count > 1:
            error = ToolError.of("todos_several", count=count)
            raise error.coded(ErrorCode.INVALID_INPUT, in_progress=count)

    async def run(self, args: TodoWriteInput, ctx: ToolContext) -> ToolResult:
        ctx.todos[:] = args.todos
        current = active(args.todos)
        shown = current.shown if current is not None else ""
        done = sum(todo.status == "completed" for todo in args.todos)
        return ToolResult(
            title=say("todos_title", done=done, total=len(args.todos)),
            value=TodoWriteOutput(todos=args.todos, active=shown),
            text=say("todos_updated.active", task=shown) if shown else say("todos_updated"),
            metadata={"done": done, "total": len(args.todos)},
        )
