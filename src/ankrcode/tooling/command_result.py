"""The result of a command: what it printed, how it ended, and what else there is to know."""

import signal
from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from ankrcode.errors import ErrorCode, ToolError
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.outcome import failure
from ankrcode.tooling.printed import Printed, printed, saved_note
from ankrcode.words import say
from ankrcode.workspace.processes.processes import Outcome, Process

_NOTES_CHARS = 2_000  # kept free for what we say beside the output


def shown_output(process: Process, max_chars: int) -> Printed:
    """What is shown; if that is not all, the whole is in a file."""
    shown = printed(process.output, max_chars - _NOTES_CHARS)
    if not shown.is_whole:
        process.output.save()
    return shown


def notes_on(process: Process, outcome: Outcome, shown: Printed) -> list[str]:
    """What the command itself did not say."""
    notes = [saved_note(process.output, is_whole=shown.is_whole)]
    if outcome.left_behind:
        notes.append(say("left_behind", names="; ".join(outcome.left_behind)))
    notes += outcome.violations
    return [note for note in notes if note]


def facts_of(process: Process, outcome: Outcome) -> dict[str, Any]:
    """The metadata of every result of a command."""
    output = process.output
    facts: dict[str, Any] = {
        "exit_code": outcome.exit_code,
        "duration_ms": round(outcome.duration_s * 1000, 3),
        "output_bytes": output.total,
    }
    more = {
        "saved_to": output.path,
        "dropped_bytes": output.dropped,
        "save_error": output.save_error,
        "left_behind": outcome.left_behind,
        "violations": outcome.violations,
    }
    return facts | {name: value for name, value in more.items() if value}


def how_it_ended(outcome: Outcome, *, is_answer: bool) -> ToolError | None:
    """What went wrong; None where nothing did."""
    seconds = round(outcome.duration_s, 1)
    details = {"exit_code": outcome.exit_code, "signal": outcome.signal}
    match outcome.ended_by:
        case "timeout":
            error = ToolError.of("command_timeout", seconds=seconds)
            return error.coded(ErrorCode.TIMEOUT, **details)
        case "stop":
            error = ToolError.of("command_cancelled", seconds=seconds)
            return error.coded(ErrorCode.CANCELLED, **details)
    if outcome.exit_code == 0 or is_answer:
        return None
    if outcome.signal:
        name = _signal_name(outcome.signal)
        error = ToolError.of("command_failed.signal", code=outcome.exit_code, name=name)
    else:
        error = ToolError.of("command_failed", code=outcome.exit_code)
    return error.coded(ErrorCode.EXECUTION_ERROR, **details)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # most of those for real-time programs have none
        return str(number)


def assembled(
    result: ToolResult, body: str, notes: Iterable[str], problem: ToolError | None
) -> ToolResult:
    """The text: the output first, then our notes; a failure is named last and carried as one."""
    parts = [body.rstrip("\n"), *notes]
    if problem is not None:
        parts.append(str(problem))
        result = replace(result, error=failure(problem).error)
    text = "\n\n".join(part for part in parts if part.strip())
    return replace(result, text=text or say("no_output"))
