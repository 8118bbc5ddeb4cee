"""Look at the list of what is to be done."""

from msgspec import Struct

from ankrcode.protocol.acts import Acts, state
from ankrcode.protocol.permission import Permission
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.context import ToolContext
from ankrcode.tooling.schema import NoInput
from ankrcode.tooling.todos import Todo, known, lines
from ankrcode.tooling.tool import Tool
from ankrcode.words import say


class TodoReadInput(NoInput):
    """Nothing to say."""


class TodoReadOutput(Struct, frozen=True, kw_only=True):
    todos: list[Todo]


class TodoRead(Tool[TodoReadInput]):
    name = "TodoRead"
    summary = "Show the task list of this session, one line for each task."
    permission = Permission.READ
    category = "conversation"
    quiet = True
    shares_repeats = False
    output = TodoReadOutput

    def acts(self, args: TodoReadInput, ctx: ToolContext) -> Acts:
        return Acts(reads=(state("todos"),))

    async def run(self, args: TodoReadInput, ctx: ToolContext) -> ToolResult:
        todos = known(ctx.todos)
        done = sum(todo.status == "completed" for todo in todos)
        return ToolResult(
            title=say("todos_title", done=done, total=len(todos)),
            value=TodoReadOutput(todos=todos),
            text="\n".join(lines(todos)) or say("todos_none"),
            metadata={"done": done, "total": len(todos)},
        )
