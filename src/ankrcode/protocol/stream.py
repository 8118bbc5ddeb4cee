"""What a model says while it says it: the events of one answer, the same for every wire.

An answer is a run of events that ends in exactly one `Stopped` or one `Failed`. A `CallClosed` is
the only event that makes a call real: the wire closed it and its arguments are one whole object.
"""

from enum import StrEnum
from typing import Any

from msgspec import Struct

from ankrcode.protocol.message import Usage


class StopReason(StrEnum):
    """Why an answer ended, in our own words; `Stopped.raw` keeps the vendor's."""

    END = "end"  # it said what it wanted to say
    TOOL_USE = "tool_use"  # it waits for results
    LENGTH = "length"  # cut at its limit: what was open is not whole
    STOP_SEQUENCE = "stop_sequence"
    REFUSAL = "refusal"  # the vendor's filter or the model itself declined
    PAUSE = "pause"  # send it back as it is, and it goes on
    OTHER = "other"


class FailureKind(StrEnum):
    """What went wrong with a request, and so what can be done about it."""

    NO_KEY = "no_key"
    AUTH = "auth"
    MODEL = "model"  # there is no such model, or not for this key
    BAD_REQUEST = "bad_request"
    CONTEXT = "context"  # longer than the model can take
    RATE_LIMIT = "rate_limit"
    QUOTA = "quota"  # the account is empty: waiting does not help
    OVERLOADED = "overloaded"
    SERVER = "server"
    TIMEOUT = "timeout"
    NETWORK = "network"  # never reached, or reset before an answer began
    CUT = "cut"  # the answer broke off
    PROTOCOL = "protocol"  # what came is not what the wire promises
    FILTERED = "filtered"
    OFFLINE = "offline"  # only loopback is allowed here
    BUDGET = "budget"
    CANCELLED = "cancelled"


class Failure(Struct, frozen=True, kw_only=True):
    """A request that failed. Never holds a key: messages are redacted where they are made."""

    kind: FailureKind
    message: str
    status: int | None = None
    retry_after_s: float | None = None
    provider: str = ""
    model: str = ""
    is_lasting: bool = False  # asking the same again in a moment does not help


class StreamEvent(Struct, frozen=True, kw_only=True, tag_field="type"):
    pass


class TextGrew(StreamEvent, frozen=True, tag="text"):
    text: str


class ThinkingGrew(StreamEvent, frozen=True, tag="thinking"):
    text: str
    is_summary: bool = False  # the vendor's own summary of thought that it keeps to itself


class ThinkingClosed(StreamEvent, frozen=True, tag="thinking_closed"):
    """The end of a block of thought, with what its vendor wants back word for word."""

    signature: str = ""
    opaque: str = ""  # redacted or encrypted thought, in its vendor's form


class CallOpened(StreamEvent, frozen=True, tag="call_opened"):
    index: int
    id: str
    name: str


class CallGrew(StreamEvent, frozen=True, tag="call_grew"):
    index: int
    text: str


class CallClosed(StreamEvent, frozen=True, tag="call_closed"):
    """Whole: it may run now, while the answer goes on."""

    index: int
    id: str
    name: str
    arguments: dict[str, Any]
    signature: str = ""


class CallBroken(StreamEvent, frozen=True, tag="call_broken"):
    """It was opened and never became whole: it must not run."""

    index: int
    id: str
    name: str
    text: str = ""
    why: str = ""


class Used(StreamEvent, frozen=True, tag="usage"):
    """What was counted so far; a later one replaces it."""

    usage: Usage


class Waited(StreamEvent, frozen=True, tag="waiting"):
    """Nothing comes for a while, on purpose: the request will be tried again."""

    seconds: float
    attempt: int
    failure: Failure
    provider: str = ""
    model: str = ""


class Switched(StreamEvent, frozen=True, tag="switched"):
    """Another model takes over."""

    provider: str
    model: str
    failure: Failure | None = None


class Stopped(StreamEvent, frozen=True, tag="stop"):
    reason: StopReason
    raw: str = ""


class Failed(StreamEvent, frozen=True, tag="failed"):
    failure: Failure


AnyStreamEvent = (
    TextGrew
    | ThinkingGrew
    | ThinkingClosed
    | CallOpened
    | CallGrew
    | CallClosed
    | CallBroken
    | Used
    | Waited
    | Switched
    | Stopped
    | Failed
)
