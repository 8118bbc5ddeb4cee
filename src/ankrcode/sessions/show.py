"""A record as a person reads it."""

from datetime import UTC, datetime

from ankrcode.protocol.message import TextPart, ToolResultPart, ToolUsePart
from ankrcode.sessions.records import (
    AnyRecord,
    Approved,
    CallBegun,
    CallEnded,
    Compacted,
    CostSpent,
    MessageAdded,
    Named,
    SessionStarted,
    Tagged,
    TurnStarted,
)

MAX_CHARS = 300


def local_time(at: float) -> datetime:
    """The day and hour here; of a time no calendar has, the last it has."""
    try:
        return datetime.fromtimestamp(at).astimezone()
    except (ValueError, OverflowError, OSError):
        return datetime.max.replace(tzinfo=UTC)


def shown(record: AnyRecord) -> str:
    """One line or a few; empty for what only machines need."""
    match record:
        case SessionStarted():
            when = local_time(record.at).isoformat(timespec="seconds")
            return f"session {record.id}  {when}  {record.cwd}"
        case TurnStarted():
            return f"── turn {record.turn_id}"
        case MessageAdded():
            return "\n".join(_of_message(record)) or ""
        case CallBegun(call=call):
            return f"→ {call.name} {_short(call.arguments)}"
        case CallEnded():
            sign = "✗" if record.error else "←"
            return f"{sign} {record.title or record.call_id}: {_short(record.text)}"
        case Approved():
            return (
                f"? {record.tool}: {'yes' if record.approved else 'no'} ({_short(record.reason)})"
            )
        case _:
            return _of_the_rest(record)


def _of_the_rest(record: AnyRecord) -> str:
    match record:
        case Compacted():
            return f"── compacted to {len(record.messages)} messages"
        case Named():
            return f"# {record.title}"
        case Tagged():
            return " ".join(f"#{tag}" for tag in record.tags)
        case CostSpent():
            return f"$ {record.usd:.4f} {record.model}"
    return ""


def _of_message(record: MessageAdded) -> list[str]:
    lines = []
    for part in record.message.parts:
        match part:
            case TextPart():
                lines.append(f"{record.message.role}: {part.text}")
            case ToolUsePart():
                lines.append(f"{record.message.role} calls {part.name} {_short(part.arguments)}")
            case ToolResultPart():
                lines.append(f"result: {_short(part.text)}")
    return lines


def _short(value: object) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= MAX_CHARS else text[: MAX_CHARS - 1] + "…"
