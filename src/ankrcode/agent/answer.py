"""What a task came to: the answer, how it ended, and what it took."""

from typing import Any, Literal

from msgspec import Struct

from ankrcode.protocol.message import Usage
from ankrcode.protocol.stream import Failure

Subtype = Literal[
    "success",
    "error_max_turns",
    "error_budget",
    "error_denied",  # needed work was denied
    "error_provider",
    "error_context",  # it no longer fits the model, and nothing more can be left out
    "error_loop",  # the same again and again
    "error_schema",  # the answer does not fit what was asked for
    "error_blocked",  # a hook did not let the task in, or ended it
    "error_cancelled",
]


class Denial(Struct, frozen=True, kw_only=True):
    """A call that was not allowed."""

    tool: str
    call_id: str
    arguments: dict[str, Any]
    reason: str


class Answer(Struct, frozen=True, kw_only=True):
    """`text` is what the model said last, with our notes below it."""

    text: str = ""
    structured: Any = None  # by the schema that was asked for
    subtype: Subtype = "success"
    error: str = ""  # for the person: what happened, what to do
    session_id: str = ""
    turns: int = 0  # requests to the model
    usage: Usage = Usage()
    cost_usd: float = 0.0
    duration_ms: float = 0.0
    duration_api_ms: float = 0.0  # waiting for models, also where several were waited for at once
    denials: tuple[Denial, ...] = ()
    notes: tuple[str, ...] = ()  # what of the answer is not borne out by what ran
    failure: Failure | None = None  # of the provider

    @property
    def ok(self) -> bool:
        return self.subtype == "success"

    @property
    def is_error(self) -> bool:
        return not self.ok


class Ending(Struct, frozen=True, kw_only=True):
    """Why the loop ended."""

    subtype: Subtype = "success"
    error: str = ""
    failure: Failure | None = None


DONE = Ending()
