"""How many further agents work at once, and how many ever did: one count for the whole tree."""

from ankrcode.errors import ErrorCode, ToolError


class Roster:
    def __init__(self, max_running: int, max_total: int) -> None:
        self._max_running = max_running
        self._max_total = max_total
        self.running = 0
        self.total = 0

    def enter(self, *, is_new: bool) -> None:
        """Take a place, or raise `ToolError`."""
        if self.running >= self._max_running:
            error = ToolError.of("subagent_too_many", limit=self._max_running)
            raise error.coded(ErrorCode.EXECUTION_ERROR, limit=self._max_running)
        if is_new and self.total >= self._max_total:
            error = ToolError.of("subagent_too_many.ever", limit=self._max_total)
            raise error.coded(ErrorCode.EXECUTION_ERROR, limit=self._max_total)
        self.running += 1
        self.total += is_new

    def leave(self) -> None:
        self.running -= 1
