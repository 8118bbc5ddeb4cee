"""How far one task has come: requests, tokens, money, time, and what was not allowed."""

from collections.abc import Callable
from typing import Any

from ankrcode.agent.answer import DONE, Denial, Ending, Subtype
from ankrcode.errors import ErrorCode
from ankrcode.protocol.message import ToolUsePart, Usage
from ankrcode.protocol.result import ToolResult
from ankrcode.words import advice, say

Price = Callable[[str, Usage], float]
_DENIED = frozenset((ErrorCode.PERMISSION_DENIED, ErrorCode.BLOCKED, ErrorCode.TOOL_DISABLED))
_LOOKING = frozenset(
    ("Read", "Grep", "Glob", "List", "Tasks", "TaskOutput", "TodoWrite", "TodoRead", "Help", "Say")
)
_BY_SYSTEM = "no_access"
_READ_ONLY = "limits"  # the profile of commands that provably change nothing


class Progress:
    """Of one task."""

    def __init__(self, *, max_turns: int | None = None) -> None:
        self.turns = 0
        self.usage = Usage()
        self.usd = 0.0
        self.denials: list[Denial] = []
        self._open: list[Denial] = []  # not made good by later work
        self._closed: set[str] = set()  # calls that the system refused, and not we
        self._max_turns = max_turns

    def limit(self) -> Ending | None:
        """The limit that is reached, if one is."""
        if self._max_turns is not None and self.turns >= self._max_turns:
            return ending("error_max_turns", "agent_max_turns", limit=self._max_turns)
        return None

    def spend(self, usage: Usage, usd: float) -> None:
        self.usage = together(self.usage, usage)
        self.usd += usd

    def note(self, calls: tuple[ToolUsePart, ...], results: tuple[ToolResult, ...]) -> None:
        """A denial is made good by a later success of the same tool, or of any real work."""
        for call, result in zip(calls, results, strict=True):
            if result.error is None:
                self._make_good(call, result)
            elif result.error.code in _DENIED:
                denial = Denial(
                    tool=call.name,
                    call_id=call.id,
                    arguments=call.arguments,
                    reason=result.error.message,
                )
                self.denials.append(denial)
                self._open.append(denial)
                if result.error.key == _BY_SYSTEM:
                    self._closed.add(call.id)

    def _make_good(self, call: ToolUsePart, result: ToolResult) -> None:
        """`ls` makes no denied command good: whoever runs us must not read success."""
        if call.name in _LOOKING:
            self._open = [one for one in self._open if one.tool != call.name]
        elif result.metadata.get("profile") != _READ_ONLY:
            self._open.clear()

    def done(self) -> Ending:
        """The model has finished; was work denied that nothing made good?"""
        if not self._open:
            return DONE
        last = self._open[-1]
        is_closed = last.call_id in self._closed  # then no rule and no mode would open it
        key = "agent_denied.system" if is_closed else "agent_denied"
        return ending("error_denied", key, tool=last.tool)


class ApiTime:
    """How long models were waited for, by an agent and by all those who work for it. Who work at
    once wait at once: the sum may exceed the clock."""

    def __init__(self, above: "ApiTime | None" = None) -> None:
        self._above = above  # of whoever this one works for
        self._seconds = 0.0

    def waited(self, seconds: float) -> None:
        self._seconds += seconds
        if self._above is not None:
            self._above.waited(seconds)

    def taken_ms(self) -> float:
        """All of it since it was last taken."""
        seconds, self._seconds = self._seconds, 0.0
        return round(seconds * 1000, 3)


def ending(subtype: Subtype, key: str, **values: Any) -> Ending:
    said = f"{say(key, **values)} {advice(key, **values)}".rstrip()
    return Ending(subtype=subtype, error=said)


def together(one: Usage, other: Usage) -> Usage:
    return Usage(
        input_tokens=one.input_tokens + other.input_tokens,
        output_tokens=one.output_tokens + other.output_tokens,
        cached_tokens=one.cached_tokens + other.cached_tokens,
        written_tokens=one.written_tokens + other.written_tokens,
        thinking_tokens=one.thinking_tokens + other.thinking_tokens,
    )
