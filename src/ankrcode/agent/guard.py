"""Notices when a model goes in circles: the same calls with the same results, again and again.

Also in turns (A B A B) and in threes. Only whole rounds that are equal to the last letter count, so
that working through a list, or running the tests after each edit, is never taken for a circle.
"""

from collections import deque
from collections.abc import Iterable
from typing import Literal

from ankrcode.protocol.message import ToolUsePart
from ankrcode.protocol.result import ToolResult

REMIND_AT, STOP_AT = 4, 10  # rounds
_PERIODS = (1, 2, 3)
_PATIENT = frozenset(("TaskOutput", "Tasks"))  # asking whether something is done may take a while

REMINDER = (
    "You have made the same calls with the same results {rounds} times. "
    "Nothing will change by repeating them: try another way, or say what is missing."
)


class LoopGuard:
    """One number for each turn; the last few are compared."""

    def __init__(self) -> None:
        self._turns: deque[int] = deque(maxlen=max(_PERIODS) * STOP_AT)

    def note(
        self, calls: Iterable[ToolUsePart], results: Iterable[ToolResult]
    ) -> tuple[Literal["", "remind", "stop"], int]:
        """What to do after this turn, and how many equal rounds there were."""
        pairs = [
            (call.name, repr(call.arguments), hash(_plain(result)))
            for call, result in zip(calls, results, strict=True)
        ]
        if any(name in _PATIENT for name, _, _ in pairs):
            return "", 0
        self._turns.append(hash(tuple(pairs)))
        rounds = max(self._rounds(period) for period in _PERIODS)
        if rounds >= STOP_AT:
            return "stop", rounds
        return ("remind" if rounds >= REMIND_AT else ""), rounds

    def _rounds(self, period: int) -> int:
        """How often the last `period` turns came in a row."""
        turns = list(self._turns)
        last, rounds = turns[-period:], 0
        while len(turns) >= period and turns[-period:] == last:
            rounds += 1
            del turns[-period:]
        return rounds

    def clear(self) -> None:
        self._turns.clear()


def _plain(result: ToolResult) -> str:
    """Without what is new each time, though nothing is: names of agents and files, and the
    reminders that count up."""
    text = result.text
    for name in ("agent_id", "output_path"):
        if value := result.metadata.get(name):
            text = text.replace(str(value), "")
    for reminder in result.metadata.get("reminders", ()):
        text = text.replace(f"\n\n[{reminder}]", "")
    return text
