"""What a session's log holds: plain data, one kind per thing that happened.

Everything needed to go on is here: messages, calls and results (with what they changed of the
agent's state), approvals, todos, plan, background tasks, cost, settings. Kinds are only ever
added; one that this version does not know is kept and passed over.
"""

from typing import Any

import msgspec
from msgspec import Struct, field

from ankrcode.protocol.call import ToolCall
from ankrcode.protocol.message import Message, Usage
from ankrcode.protocol.modifier import ContextModifier
from ankrcode.protocol.result import Attachment, ErrorInfo

VERSION = 1


class Record(Struct, frozen=True, kw_only=True, tag_field="type", omit_defaults=True):
    """The base: when it was written, in seconds since 1970."""

    at: float = 0.0


class SessionStarted(Record, frozen=True, kw_only=True, tag="session_started"):
    """Always the first record."""

    id: str
    version: int = VERSION
    cwd: str = ""
    roots: tuple[str, ...] = ()
    settings: dict[str, Any] = field(default_factory=dict)
    mode: str = ""
    forked_from: str = ""


class TurnStarted(Record, frozen=True, kw_only=True, tag="turn_started"):
    turn_id: str
    agent_id: str = ""


class TurnEnded(Record, frozen=True, kw_only=True, tag="turn_ended"):
    """On disk before anybody is told that the turn is done."""

    turn_id: str
    stop: str = ""


class MessageAdded(Record, frozen=True, kw_only=True, tag="message"):
    """Of the conversation itself, or (`agent_id`) of one on the side."""

    message: Message
    agent_id: str = ""


class CallBegun(Record, frozen=True, kw_only=True, tag="call_begun"):
    """Written before the tool runs. `changes`: it may leave something behind.

    `agent_id` is empty for the agent whose session it is.
    """

    call: ToolCall
    turn_id: str = ""
    agent_id: str = ""
    changes: bool = False


class CallEnded(Record, frozen=True, kw_only=True, tag="call_ended"):
    """The one result of a call. `interrupted`: its process died; nobody knows how far it got."""

    call_id: str
    title: str = ""
    value: Any = None
    text: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)
    attachments: tuple[Attachment, ...] = ()
    error: ErrorInfo | None = None
    modifiers: tuple[ContextModifier, ...] = ()
    duration_ms: float = 0.0
    interrupted: bool = False


class Approved(Record, frozen=True, kw_only=True, tag="approval"):
    """A question and its answer; what a yes for longer lets pass from then on."""

    approval_id: str
    call_id: str
    tool: str
    reason: str = ""
    approved: bool = False
    remember: str = "once"
    feedback: str = ""
    exact: str = ""  # the digest of the call that may be made again, just as it was
    rules: tuple[str, ...] = ()


class StateKept(Record, frozen=True, kw_only=True, tag="state"):
    """What only the agent knows: the newest of each key counts."""

    values: dict[str, Any]
    agent_id: str = ""


class TaskKept(Record, frozen=True, kw_only=True, tag="task"):
    """A background task; the newest record of an id counts. `lost`: its process is gone."""

    task_id: str
    kind: str = "shell"
    title: str = ""
    status: str = "running"
    output_path: str = ""
    exit_code: int | None = None


class CostSpent(Record, frozen=True, kw_only=True, tag="cost"):
    model: str
    usage: Usage
    usd: float = 0.0


class Named(Record, frozen=True, kw_only=True, tag="named"):
    title: str


class Tagged(Record, frozen=True, kw_only=True, tag="tagged"):
    tags: tuple[str, ...]


class Compacted(Record, frozen=True, kw_only=True, tag="compacted"):
    """From here on the conversation goes on from these messages instead of all before."""

    messages: tuple[Message, ...]


class Checkpoint(Record, frozen=True, kw_only=True, tag="checkpoint"):
    """All that the records before this one come to, so that a long log need not be read whole.

    `context_at` is the place in the file where the messages that still count begin.
    """

    state: dict[str, Any]
    context_at: int = 0


AnyRecord = (
    SessionStarted
    | TurnStarted
    | TurnEnded
    | MessageAdded
    | CallBegun
    | CallEnded
    | Approved
    | StateKept
    | TaskKept
    | CostSpent
    | Named
    | Tagged
    | Compacted
    | Checkpoint
)

_decoder = msgspec.json.Decoder(AnyRecord)
_encoder = msgspec.json.Encoder(enc_hook=str, decimal_format="string")


def encoded(record: AnyRecord) -> bytes:
    try:
        return _encoder.encode(record)
    except UnicodeEncodeError:  # a file name that is no text: escaped, it comes back as it was
        import json  # slow to load, and rarely needed

        data = msgspec.to_builtins(record, enc_hook=str)
        return json.dumps(data, default=str, separators=(",", ":")).encode("ascii")


def decoded(content: bytes) -> AnyRecord | None:
    """The record; None for one that a later version wrote."""
    try:
        record: AnyRecord = _decoder.decode(content)
        return record
    except msgspec.ValidationError:
        return None
    except msgspec.DecodeError:
        return _decoded_escapes(content) if b"\\ud" in content else None
    except RecursionError:
        return None


def _decoded_escapes(content: bytes) -> AnyRecord | None:
    """What `encoded` had to escape is no text for the fast decoder."""
    import json

    try:
        return msgspec.convert(json.loads(content), AnyRecord)  # type: ignore[no-any-return]
    except (ValueError, RecursionError):  # a ValidationError is one too
        return None


def as_data(value: Any) -> Any:
    """Whatever a tool returned, as data a log can hold; None where that cannot be."""
    if value is None or value == {}:
        return value
    try:
        return msgspec.json.decode(_encoder.encode(value))
    except UnicodeEncodeError:
        return msgspec.to_builtins(value, enc_hook=str)
    except (TypeError, ValueError, RecursionError):
        return None
