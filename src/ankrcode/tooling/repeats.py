"""Repeated calls (spec 1): share what writes nothing, and stop what fails again and again.

A failure counts against a call only while nothing else changes: after any successful change the
same call is a new try (running the tests after each edit is work, not a loop). Calls with
differing arguments never meet here.
"""

from collections import OrderedDict
from typing import Any

from ankrcode.config.limits import (
    MAX_REMEMBERED_FAILURES,
    REPEAT_REMINDER_AT,
    REPEAT_STOP_AT,
    REPEAT_WARNING_AT,
)
from ankrcode.errors import ErrorCode, InvalidInput, ToolError
from ankrcode.protocol.acts import Acts
from ankrcode.protocol.call import ToolCall
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.arguments import parse_arguments
from ankrcode.words import advice, say

CallKey = tuple[str, bytes]


def key_of(call: ToolCall) -> CallKey:
    """Equal for identical calls, also for those whose arguments are not even JSON."""
    try:
        return call.name, parse_arguments(call.name, call.arguments).canonical
    except InvalidInput as problem:
        given = call.arguments if isinstance(call.arguments, str) else problem.message
        return call.name, given[:10_000].encode("utf-8", "surrogatepass")


class RepeatGuard:
    """Counts identical failing calls of one agent."""

    def __init__(self) -> None:
        self._failures: OrderedDict[CallKey, int] = OrderedDict()

    def check(self, key: CallKey) -> None:
        """Refuse a call that has failed too often in a row."""
        count = self._failures.get(key, 0)
        if count >= REPEAT_STOP_AT:
            raise ToolError.of("repeat.stopped", tool=key[0], count=count).coded(
                ErrorCode.REPEATED_FAILURE, count=count
            )

    def note(self, key: CallKey, result: ToolResult, acts: Acts) -> str:
        """Remember how it went; the reminder that belongs to the result, or nothing."""
        if result.error is None:
            if acts.writes:
                self._failures.clear()
            else:
                self._failures.pop(key, None)
            return ""
        if result.error.code is ErrorCode.CANCELLED:
            return ""
        count = self._failures.get(key, 0) + 1
        self._failures[key] = count
        self._failures.move_to_end(key)
        if len(self._failures) > MAX_REMEMBERED_FAILURES:
            self._failures.popitem(last=False)
        return _reminder(count)

    def clear(self) -> None:
        self._failures.clear()


def _reminder(count: int) -> str:
    if count >= REPEAT_WARNING_AT:
        return sentence("repeat.warning", count=count, stop=REPEAT_STOP_AT)
    if count >= REPEAT_REMINDER_AT:
        return sentence("repeat.reminder", count=count)
    return ""


def sentence(key: str, **values: Any) -> str:
    return f"{say(key, **values)} {advice(key, **values)}"


def with_reminder(result: ToolResult, reminder: str) -> dict[str, object]:
    """The fields of the result that carry the reminder: after the text, so prefixes stay stable."""
    reminders = [*result.metadata.get("reminders", ()), reminder]
    return {
        "text": f"{result.text}\n\n[{reminder}]",
        "metadata": {**result.metadata, "reminders": reminders},
    }
