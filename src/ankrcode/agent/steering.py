"""What a person says while the agent works: told to the model with its next results."""

from collections import deque
from collections.abc import Awaitable, Callable

from ankrcode.agent.notes import texts
from ankrcode.protocol.message import Part

Door = Callable[[str], Awaitable[list[Part]]]  # what the model is told of a word, if anything


class Steering:
    """Words in the order in which they came; any thread may add some."""

    def __init__(self) -> None:
        self._waiting: deque[str] = deque()
        self.door: Door | None = None  # hooks that look at each before the model is told

    def say(self, text: str) -> None:
        if text.strip():
            self._waiting.append(text)

    def take(self) -> list[str]:
        """All that may be told at once; each is given once. With a door that is nothing."""
        taken: list[str] = []
        while self._waiting and self.door is None:
            taken.append(self._waiting.popleft())
        return taken

    async def admitted(self) -> list[Part]:
        """All that waits and may be told. Cancelled, what was not looked at yet still waits."""
        if self.door is None:
            return list(texts(self.take()))
        parts: list[Part] = []
        while self._waiting:
            parts += await self.door(self._waiting[0])
            self._waiting.popleft()
        return parts

    def __bool__(self) -> bool:
        return bool(self._waiting)
