"""The task list of one agent: what is to be done, what is being done, what is done."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct, field

MAX_TODOS = 200
MAX_TODO_CHARS = 1_000

Status = Literal["pending", "in_progress", "completed"]
ICONS: dict[Status, str] = {"pending": "⬜", "in_progress": "🔄", "completed": "✅"}
_SOMETHING = r"\S"


class Todo(Struct, frozen=True, kw_only=True, omit_defaults=True):
    content: Annotated[
        str,
        Meta(
            description="What to do, as an order: Run the tests",
            pattern=_SOMETHING,
            max_length=MAX_TODO_CHARS,
        ),
    ]
    status: Annotated[Status, Meta(description="How far it has got")]
    active_form: Annotated[
        str,
        Meta(description="The same while it is done: Running the tests", max_length=MAX_TODO_CHARS),
    ] = field(default="", name="activeForm")

    @property
    def shown(self) -> str:
        """What is being done is said so; without words for that, what is to be done."""
        is_active = self.status == "in_progress" and self.active_form.strip()
        return self.active_form if is_active else self.content


def known(items: Iterable[Any]) -> list[Todo]:
    """The list as an agent keeps it; after a restart it is plain data, and may be another's."""
    todos: list[Todo] = []
    for item in items:
        try:
            todos.append(item if isinstance(item, Todo) else msgspec.convert(item, Todo))
        except msgspec.ValidationError:
            continue
    return todos


def active(todos: Iterable[Todo]) -> Todo | None:
    return next((todo for todo in todos if todo.status == "in_progress"), None)


def lines(todos: Iterable[Todo]) -> list[str]:
    """For people and for models: one line each, with a sign of how far it has got."""
    return [f"{ICONS[todo.status]} {' '.join(todo.shown.split())}" for todo in todos]
