"""What a person says while the agent works: told to the model with its next results."""

from collections import deque


class Steering:
    """Words in the order in which they came; any thread may add some."""

    def __init__(self) -> None:
        self._waiting: deque[str] = deque()

    def say(self, text: str) -> None:
        if text.strip():
            self._waiting.append(text)

    def take(self) -> list[str]:
        """All that waits; each is given once."""
        taken: list[str] = []
        while self._waiting:
            taken.append(self._waiting.popleft())
        return taken

    def __bool__(self) -> bool:
        return bool(self._waiting)
