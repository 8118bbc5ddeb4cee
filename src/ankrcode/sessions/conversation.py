"""The conversation as a model should see it again: every call with exactly one result."""

from collections.abc import Iterable

from msgspec.structs import replace

from ankrcode.protocol.message import Message, Part, ToolResultPart, ToolUsePart
from ankrcode.sessions.log import read_from
from ankrcode.sessions.records import AnyRecord, CallEnded, Compacted, MessageAdded
from ankrcode.sessions.restore import Restored
from ankrcode.words import say


def messages(path: str, state: Restored) -> list[Message]:
    """What was said since the conversation was last compacted."""
    return conversation(record for _, record in read_from(path, state.context_at).records)


def side_messages(path: str, agent_id: str) -> list[Message]:
    """What was said in a further agent's conversation, from its beginning."""
    return conversation((record for _, record in read_from(path, 0).records), agent_id)


def conversation(records: Iterable[AnyRecord], agent_id: str = "") -> list[Message]:
    """Roles take turns, and a provider will accept it, wherever a process died."""
    said: list[Message] = []
    ended: dict[str, CallEnded] = {}
    for record in records:
        match record:
            case MessageAdded(message=message) if record.agent_id == agent_id:
                said.append(message)
            case Compacted() if not agent_id:
                said = list(record.messages)
            case CallEnded():
                ended.setdefault(record.call_id, record)
    return _joined(_paired(_joined(said), ended))


def _joined(said: list[Message]) -> list[Message]:
    """What one side says in a row is one message."""
    joined: list[Message] = []
    for message in said:
        last = joined[-1] if joined else None
        if last is not None and last.role == message.role != "system" and _goes_on(last, message):
            # The newer name: further pieces of that answer may follow.
            joined[-1] = replace(last, parts=last.parts + message.parts, id=message.id)
        elif message.parts:
            joined.append(message)
    return joined


def _goes_on(last: Message, message: Message) -> bool:
    """Is it a piece of the same answer? Between two answers stand the results of the first."""
    calls = any(isinstance(part, ToolUsePart) for part in last.parts)
    return last.id == message.id or last.role != "assistant" or not calls


def _paired(said: list[Message], ended: dict[str, CallEnded]) -> list[Message]:
    paired: list[Message] = []
    asked: dict[str, ToolUsePart] = {}  # by the message before, and without a result so far
    for message in said:
        if message.role == "system":
            paired.append(message)
            continue
        if message.role == "user":
            results = _results(message, asked, ended)
            others = (ToolUsePart, ToolResultPart)  # the one is a model's, the other told above
            parts = results + [part for part in message.parts if not isinstance(part, others)]
            asked = {}
        else:
            paired += _answers(asked, ended)
            parts = _once(message.parts)
            asked = {part.id: part for part in parts if isinstance(part, ToolUsePart)}
        if parts:
            paired.append(replace(message, parts=tuple(parts)))
    return paired + _answers(asked, ended)


def _answers(asked: dict[str, ToolUsePart], ended: dict[str, CallEnded]) -> list[Message]:
    """The message that should have followed."""
    nothing = Message(role="user", parts=())
    return [replace(nothing, parts=tuple(_results(nothing, asked, ended)))] if asked else []


def _once(parts: Iterable[Part]) -> list[Part]:
    """What a model says: without a call that has the id of another, and without results."""
    seen: set[str] = set()
    kept: list[Part] = []
    for part in parts:
        if isinstance(part, ToolUsePart):
            is_new = part.id not in seen
            seen.add(part.id)
        else:
            is_new = not isinstance(part, ToolResultPart)
        if is_new:
            kept.append(part)
    return kept


def _results(
    message: Message, asked: dict[str, ToolUsePart], ended: dict[str, CallEnded]
) -> list[Part]:
    """One for each call: as it was told, as it was recorded, or that nobody knows it."""
    told: dict[str, Part] = {}
    for part in message.parts:
        if isinstance(part, ToolResultPart):
            told.setdefault(part.tool_use_id, part)
    return [told.get(one) or _recorded(part, ended.get(one)) for one, part in asked.items()]


def _recorded(part: ToolUsePart, ended: CallEnded | None) -> ToolResultPart:
    if ended is None:
        said = say("call_interrupted.changes", tool=part.name)
        return ToolResultPart(tool_use_id=part.id, text=said, is_error=True)
    return ToolResultPart(
        tool_use_id=part.id,
        text=ended.text,
        attachments=ended.attachments,
        is_error=ended.error is not None,
    )
