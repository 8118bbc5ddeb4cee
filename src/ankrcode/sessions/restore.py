"""What a log comes to: the state from which a session goes on, repaired where a process died."""

from typing import Any

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from ankrcode.errors import ErrorCode
from ankrcode.protocol.message import Message, TextPart
from ankrcode.protocol.modifier import (
    DirectoryChanged,
    FileForgotten,
    FileMoved,
    FileRead,
    PermissionGranted,
)
from ankrcode.protocol.result import ErrorInfo
from ankrcode.sessions.log import LogContent, read_log, read_tail
from ankrcode.sessions.records import (
    AnyRecord,
    Approved,
    CallBegun,
    CallEnded,
    Checkpoint,
    Compacted,
    CostSpent,
    MessageAdded,
    Named,
    SessionStarted,
    StateKept,
    Tagged,
    TaskKept,
    TurnStarted,
)
from ankrcode.words import say

_TITLE_CHARS = 1_000  # more than is shown: who shows it takes secrets out of the whole


class Restored(Struct, kw_only=True):
    """Everything but the messages: small, so a checkpoint can hold it."""

    id: str = ""
    title: str = ""
    is_named: bool = False  # by the person, else it is how they began
    tags: tuple[str, ...] = ()
    cwd: str = ""
    roots: tuple[str, ...] = ()
    created: float = 0.0
    updated: float = 0.0
    forked_from: str = ""
    turns: int = 0
    calls: int = 0
    usd: float = 0.0
    tokens: int = 0
    reads: dict[str, FileRead] = field(default_factory=dict)
    grants: list[PermissionGranted] = field(default_factory=list)
    allowed: list[Approved] = field(default_factory=list)  # what a yes for this session lets pass
    values: dict[str, Any] = field(default_factory=dict)  # todos, plan and the like
    tasks: dict[str, TaskKept] = field(default_factory=dict)  # those that go on
    open_calls: dict[str, CallBegun] = field(default_factory=dict)  # begun, and no result yet
    context_at: int = 0  # where the messages that still count begin

    def take(self, record: AnyRecord, offset: int) -> None:
        self.updated = max(self.updated, record.at)
        match record:
            case SessionStarted():
                self.id, self.created, self.cwd = record.id, record.at, record.cwd
                self.roots, self.forked_from = record.roots, record.forked_from
                if record.mode:
                    self.values["mode"] = record.mode
            case TurnStarted():
                self.turns += 1
            case CallBegun():
                self.calls += 1
                self.open_calls[record.call.id] = record
            case CallEnded():
                begun = self.open_calls.pop(record.call_id, None)
                if begun is None or not begun.agent_id:
                    self._apply(record)
            case Compacted():
                self.context_at = offset
            case _:
                self._note(record)

    def _note(self, record: AnyRecord) -> None:
        """Facts of which the newest counts."""
        match record:
            case StateKept():
                self.values.update(record.values)
            case TaskKept():
                self.tasks.pop(record.task_id, None)
                if record.status == "running":
                    self.tasks[record.task_id] = record
            case Approved() if record.approved and record.remember == "session":
                self.allowed.append(record)
            case CostSpent():
                self.usd += record.usd
                self.tokens += record.usage.input_tokens + record.usage.output_tokens
            case Named():
                self.title, self.is_named = record.title, True
            case MessageAdded(agent_id="") if not self.title:
                self.title = _opening(record.message)
            case Tagged():
                self.tags = record.tags

    def _apply(self, ended: CallEnded) -> None:
        """What the result changed of the agent's own state."""
        for modifier in ended.modifiers:
            match modifier:
                case FileRead():
                    self.reads[modifier.path] = modifier
                case FileForgotten():
                    for path in self._below(modifier.path):
                        del self.reads[path]
                case FileMoved(source=source, destination=destination):
                    for path in self._below(source):
                        self.reads[destination + path[len(source) :]] = self.reads.pop(path)
                case DirectoryChanged():
                    self.cwd = modifier.path
                case PermissionGranted() if modifier not in self.grants:
                    self.grants.append(modifier)

    def _below(self, path: str) -> list[str]:
        return [one for one in self.reads if one == path or one.startswith(path + "/")]

    def dumped(self) -> bytes:
        """As bytes, whatever names of files are in it."""
        import json  # slow to load; only the index needs it

        return json.dumps(msgspec.to_builtins(self)).encode("ascii")

    @classmethod
    def loaded(cls, content: bytes) -> "Restored":
        import json

        return msgspec.convert(json.loads(content), cls)

    def checkpoint(self, at: float) -> Checkpoint:
        return Checkpoint(at=at, state=msgspec.to_builtins(self), context_at=self.context_at)


def _opening(message: Message) -> str:
    """How the person began: what a session is called until it gets a name."""
    if message.role != "user":
        return ""
    said = [part.text for part in message.parts if isinstance(part, TextPart)]
    own = next((text.strip() for text in said if not text.startswith("<")), "")
    first = own.partition("\n")[0]
    return first if len(first) <= _TITLE_CHARS else first[: _TITLE_CHARS - 1] + "…"


def restored(content: LogContent) -> Restored:
    """Fold the records; the newest checkpoint among them saves all work before it."""
    state = Restored()
    for offset, record in content.records:
        if isinstance(record, Checkpoint):
            state = _kept_by(record) or state
        else:
            state.take(record, offset)
    return state


def restore(path: str) -> tuple[Restored, LogContent]:
    """The state of a session on disk, and the end of its log."""
    content = read_tail(path)
    first = content.records[0][1] if content.records else None
    if isinstance(first, Checkpoint) and _kept_by(first) is None:
        content = read_log(path)  # all the records tell the same
    return restored(content), content


def _kept_by(checkpoint: Checkpoint) -> Restored | None:
    """None where another version wrote it otherwise."""
    try:
        return msgspec.convert(checkpoint.state, Restored)
    except msgspec.ValidationError:
        return None


def repairs(state: Restored, at: float) -> list[AnyRecord]:
    """A result for every call that has none: its process died, and it is not run again.

    What went on in the background of that process is gone with it.
    """
    calls = [interrupted(begun, at) for begun in state.open_calls.values()]
    return [*calls, *(replace(task, at=at, status="lost") for task in state.tasks.values())]


def interrupted(begun: CallBegun, at: float) -> CallEnded:
    key = "call_interrupted.changes" if begun.changes else "call_interrupted"
    said = say(key, tool=begun.call.name)
    error = ErrorInfo(
        code=ErrorCode.INTERRUPTED, kind=ErrorCode.INTERRUPTED.kind, message=said, key=key
    )
    return CallEnded(at=at, call_id=begun.call.id, text=said, error=error, interrupted=True)
