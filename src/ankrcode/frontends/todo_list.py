"""The task list as a person sees it while an agent works: shown whenever it changes."""

from ankrcode.protocol.event import ToolCallEnded
from ankrcode.tooling.todos import known, lines
from ankrcode.words import say

_WRITER = "TodoWrite"


def todo_list(event: ToolCallEnded) -> list[str]:
    """A heading and a line for each task; nothing where the call was about something else."""
    if event.tool != _WRITER or not event.success:
        return []
    tasks = lines(known(getattr(event.result.value, "todos", ())))
    return [say("todos_heading"), *(f"  {line}" for line in tasks)] if tasks else []
