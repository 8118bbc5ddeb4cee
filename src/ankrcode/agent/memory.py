"""What is known from earlier conversations. Without a memory nothing is recalled or kept."""

from typing import Protocol

from msgspec import Struct


class Experience(Struct, frozen=True, kw_only=True):
    """One task, for a memory to keep what it wants of it."""

    input: str
    output: str
    learnings: tuple[str, ...] = ()  # what later work may want to know
    session_id: str = ""
    cwd: str = ""


class Memory(Protocol):
    async def recall(self, query: str) -> str:
        """What fits the person's words; empty where nothing does."""
        ...

    async def remember(self, experience: Experience) -> None:
        """A task is done."""
        ...
