"""The JSON-lines transcript that viewers and converters of other agents know: written.

One object per line: `type` user or assistant, `message` with `role` and `content` blocks (text,
thinking, tool_use, tool_result, image), `uuid` and `parentUuid` chaining the lines, `isSidechain`,
`sessionId`, `timestamp`, `cwd`. A title is a `summary` line, a compacted conversation begins again
after a `compact_boundary`. What our log knows beyond that stays behind.
"""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any
from uuid import NAMESPACE_OID, uuid5

from ankrcode.protocol.message import (
    AttachmentPart,
    Message,
    Part,
    TextPart,
    ThinkingPart,
    ToolResultPart,
    ToolUsePart,
)
from ankrcode.protocol.result import Attachment
from ankrcode.sessions.records import (
    AnyRecord,
    CallBegun,
    CallEnded,
    Compacted,
    MessageAdded,
    Named,
    SessionStarted,
)
from ankrcode.version import __version__

Line = dict[str, Any]
LAST_SECOND = 253402300799.0  # of the year 9999: no calendar goes further


def to_claude(records: Iterable[AnyRecord]) -> Iterator[Line]:
    """Messages as they were said; calls that no message holds become messages of their own."""
    known = list(records)
    return _Writer(known).lines(known)


class _Writer:
    def __init__(self, records: list[AnyRecord]) -> None:
        self._session_id = ""
        self._cwd = ""
        self._count = 0
        self._parents: dict[str, str | None] = {}  # the last line of each conversation
        parts = [part for one in records for part in _parts(one)]
        self._uses = {part.id for part in parts if isinstance(part, ToolUsePart)}
        self._results = {part.tool_use_id for part in parts if isinstance(part, ToolResultPart)}

    def lines(self, records: Iterable[AnyRecord]) -> Iterator[Line]:
        for record in records:
            match record:
                case SessionStarted():
                    self._session_id, self._cwd = record.id, record.cwd
                case Named():
                    leaf = self._parents.get("")
                    yield {"type": "summary", "summary": record.title, "leafUuid": leaf}
                case Compacted():
                    yield self._boundary(record.at)
                    for message in record.messages:
                        yield from self._spoken(message, record.at, "", isCompactSummary=True)
                case MessageAdded():
                    yield from self._spoken(record.message, record.at, record.agent_id)
                case CallBegun() | CallEnded():
                    yield from self._called(record)

    def _spoken(self, message: Message, at: float, side: str, **more: bool) -> Iterator[Line]:
        if message.role == "system":
            return
        said: Line = {"role": message.role, "content": [block(part) for part in message.parts]}
        if message.id:
            said["id"] = message.id
        yield self._line(message.role, at, side, message=said, **more)

    def _called(self, record: CallBegun | CallEnded) -> Iterator[Line]:
        """A call of a script, or a result that a process died before telling."""
        if isinstance(record, CallBegun) and record.call.id not in self._uses:
            given = record.call.arguments
            arguments = given if isinstance(given, dict) else {"raw": given}
            use = ToolUsePart(id=record.call.id, name=record.call.name, arguments=arguments)
            yield from self._spoken(Message(role="assistant", parts=(use,)), record.at, "")
        elif isinstance(record, CallEnded) and record.call_id not in self._results:
            answer = ToolResultPart(
                tool_use_id=record.call_id,
                text=record.text,
                attachments=record.attachments,
                is_error=record.error is not None,
            )
            yield from self._spoken(Message(role="user", parts=(answer,)), record.at, "")

    def _boundary(self, at: float) -> Line:
        before = self._parents.pop("", None)
        return self._line(
            "system",
            at,
            "",
            subtype="compact_boundary",
            content="Conversation compacted",
            logicalParentUuid=before,
        )

    def _line(self, kind: str, at: float, side: str, **more: Any) -> Line:
        self._count += 1
        own = str(uuid5(NAMESPACE_OID, f"{self._session_id}/{self._count}"))
        line: Line = {
            "parentUuid": self._parents.get(side),
            "isSidechain": bool(side),
            "userType": "external",
            "cwd": self._cwd,
            "sessionId": self._session_id,
            "version": __version__,
            "type": kind,
            **more,
            "uuid": own,
            "timestamp": _iso(at),
        }
        if side:
            line["agentId"] = side
        self._parents[side] = own
        return line


def _parts(record: AnyRecord) -> Iterator[Part]:
    match record:
        case MessageAdded():
            yield from record.message.parts
        case Compacted():
            for message in record.messages:
                yield from message.parts


def block(part: Part) -> Line:
    match part:
        case TextPart():
            return {"type": "text", "text": part.text}
        case ThinkingPart():
            return {"type": "thinking", "thinking": part.text, "signature": part.signature}
        case ToolUsePart():
            return {"type": "tool_use", "id": part.id, "name": part.name, "input": part.arguments}
        case ToolResultPart():
            return {
                "type": "tool_result",
                "tool_use_id": part.tool_use_id,
                "content": _content(part),
                "is_error": part.is_error,
            }
        case AttachmentPart():
            return _attached(part.attachment)


def _content(part: ToolResultPart) -> str | list[Line]:
    if not part.attachments:
        return part.text
    text = [{"type": "text", "text": part.text}] if part.text else []
    return [*text, *map(_attached, part.attachments)]


def _attached(attachment: Attachment) -> Line:
    if attachment.data is None or attachment.type in ("text", "file"):
        named = attachment.data or attachment.path or attachment.name or ""
        return {"type": "text", "text": named}
    kind = "image" if attachment.type == "image" else "document"
    source = {"type": "base64", "media_type": attachment.mime, "data": attachment.data}
    return {"type": kind, "source": source}


def _iso(at: float) -> str:
    when = datetime.fromtimestamp(min(max(at, 0.0), LAST_SECOND), UTC)
    return when.isoformat(timespec="milliseconds").replace("+00:00", "Z")
