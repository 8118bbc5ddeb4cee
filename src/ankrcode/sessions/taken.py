"""Sessions from files of others: our own form, or the JSON-lines transcript of other agents.

Whoever wrote the file may be anybody: what it says was read, granted or approved counts for nothing
here, and no line of it can do more than be left out.
"""

import stat
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from ankrcode.errors import SessionError
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
from ankrcode.sessions.log import parsed
from ankrcode.sessions.records import (
    AnyRecord,
    Approved,
    CallEnded,
    Checkpoint,
    Compacted,
    MessageAdded,
    Named,
    SessionStarted,
    StateKept,
    TaskKept,
    encoded,
)
from ankrcode.sessions.store import SessionStore
from ankrcode.sessions.transcript import LAST_SECOND, Line
from ankrcode.workspace.framing import framed

MAX_BYTES = 2_000_000_000
_KEPT_STATE = ("todos",)


def take_in(store: SessionStore, file: Path, new_id: str, at: float) -> str:
    """A session from a file in either form; the id it has here."""
    data = _content(file)
    ours = [record for _, record in parsed(data, 0).records]
    records = list(_harmless(ours)) if ours else list(from_claude(data))
    first = next((one for one in ours if isinstance(one, SessionStarted)), None)
    if not records and first is None:
        raise SessionError.of("session_not_one", path=file)
    cwd, roots = (first.cwd, first.roots) if first else (place := _place(data), (place,))
    lines = (framed(encoded(one)) for one in records)
    store.found(new_id, at, lines, forked_from=first.id if first else "", cwd=cwd, roots=roots)
    return new_id


def _content(file: Path) -> bytes:
    try:
        facts = file.stat()
        if not stat.S_ISREG(facts.st_mode) or facts.st_size > MAX_BYTES:
            raise SessionError.of("session_not_one", path=file)  # a pipe would be waited for
        with file.open("rb") as opened:
            return opened.read(MAX_BYTES)
    except OSError as problem:
        why = problem.strerror or str(problem)
        raise SessionError.of("session_unreadable", path=file, why=why) from None


def _harmless(records: Iterable[AnyRecord]) -> Iterator[AnyRecord]:
    """What was said and done, without what would change what may be done here."""
    for record in records:
        match record:
            case SessionStarted() | Checkpoint() | TaskKept():
                continue
            case CallEnded():
                yield replace(record, modifiers=(), at=_sane(record.at))
            case Approved():
                yield replace(record, remember="once", rules=(), at=_sane(record.at))
            case StateKept():
                values = {key: record.values[key] for key in _KEPT_STATE if key in record.values}
                yield replace(record, values=values, at=_sane(record.at))
            case _:
                yield replace(record, at=_sane(record.at))


def _sane(at: float) -> float:
    return min(max(at, 0.0), LAST_SECOND)


# ── the transcript of other agents ────────────────────────────────────────────────────────────
def from_claude(data: bytes) -> Iterator[AnyRecord]:
    """What was said, in the order of the file; lines of other kinds are passed over."""
    seen: set[str] = set()
    for item in _objects(data):
        own = item.get("uuid")
        if isinstance(own, str):
            if own in seen:  # a session that was resumed repeats its beginning
                continue
            seen.add(own)
        at = _seconds(item.get("timestamp"))
        match item:
            case {"type": "summary", "summary": str(title)}:
                yield Named(title=title, at=at)
            case {"type": "custom-title", "customTitle": str(title)}:
                yield Named(title=title, at=at)
            case {"type": "system", "subtype": "compact_boundary"}:
                yield Compacted(messages=(), at=at)
            case {"type": "user" | "assistant", "message": dict(message)}:
                if parts := tuple(_parts(message.get("content"))):
                    yield MessageAdded(
                        message=Message(role=item["type"], parts=parts, id=_text(message, "id")),
                        agent_id=_side(item),
                        at=at,
                    )


def _objects(data: bytes) -> Iterator[Line]:
    for line in data.split(b"\n"):
        try:
            item = msgspec.json.decode(line)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            continue
        if isinstance(item, dict):
            yield item


def _side(item: Line) -> str:
    """Whose conversation: the empty name is the main one."""
    return (_text(item, "agentId") or "sidechain") if item.get("isSidechain") is True else ""


def _place(data: bytes) -> str:
    return next((found for item in _objects(data) if (found := _text(item, "cwd"))), "")


def _text(item: Line, name: str) -> str:
    value = item.get(name)
    return value if isinstance(value, str) else ""


def _parts(content: Any) -> Iterator[Part]:
    if isinstance(content, str) and content:
        yield TextPart(text=content)
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict) and (part := _part(block)) is not None:
            yield part


def _part(block: Line) -> Part | None:
    match block:
        case {"type": "text", "text": str(text)}:
            return TextPart(text=text)
        case {"type": "thinking", "thinking": str(text)}:
            return ThinkingPart(text=text, signature=_text(block, "signature"))
        case {"type": "tool_use", "id": str(own), "name": str(name), "input": dict(given)}:
            return ToolUsePart(id=own, name=name, arguments=given)
        case {"type": "tool_result", "tool_use_id": str(own)}:
            return _result(own, block)
    attachment = _attachment(block)
    return AttachmentPart(attachment=attachment) if attachment is not None else None


def _result(own: str, block: Line) -> ToolResultPart:
    content = block.get("content")
    inner = [one for one in content if isinstance(one, dict)] if isinstance(content, list) else []
    texts = [content] if isinstance(content, str) else [_text(one, "text") for one in inner]
    found = (_attachment(one) for one in inner)
    return ToolResultPart(
        tool_use_id=own,
        text="\n".join(filter(None, texts)),
        attachments=tuple(one for one in found if one is not None),
        is_error=block.get("is_error") is True,
    )


def _attachment(block: Line) -> Attachment | None:
    match block:
        case {"type": "image", "source": {"media_type": str(mime), "data": str(coded)}}:
            return Attachment(type="image", mime=mime, data=coded)
        case {"type": "document", "source": {"media_type": str(mime), "data": str(coded)}}:
            return Attachment(type="pdf", mime=mime, data=coded)
    return None


def _seconds(stamp: Any) -> float:
    try:
        return _sane(datetime.fromisoformat(str(stamp)).timestamp())
    except (ValueError, OverflowError):
        return 0.0
