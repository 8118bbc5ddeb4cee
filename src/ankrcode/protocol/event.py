"""Everything a screen can show. Each event is a fact in the past; observing one changes nothing.

The `type` of each event is its tag: `subscribe("tool_call_start", …)`, or `"*"` for all.
"""

from typing import Any

from msgspec import Struct

from ankrcode.protocol.approval import Approval, ApprovalAnswer
from ankrcode.protocol.message import Message, Usage
from ankrcode.protocol.question import Question, QuestionAnswer
from ankrcode.protocol.result import ErrorInfo, ToolResult


class Event(Struct, frozen=True, kw_only=True, tag_field="type"):
    """Where it happened: which call of which agent, and when (seconds since the epoch)."""

    call_id: str = ""
    agent_id: str = ""
    at: float = 0.0

    @property
    def type(self) -> str:
        return str(self.__struct_config__.tag)


# ── one call ──────────────────────────────────────────────────────────────────────────────
class ToolCallStarted(Event, frozen=True, tag="tool_call_start"):
    tool: str
    arguments: dict[str, Any]
    quiet: bool = False  # the tool asks for no spinner


class ToolOutputChunk(Event, frozen=True, tag="tool_output_chunk"):
    tool: str
    text: str


class ToolProgressed(Event, frozen=True, tag="tool_progress"):
    """Still at work. `fraction` runs from 0 to 1 where it is known."""

    tool: str
    text: str
    fraction: float | None = None


class ToolMetadataChanged(Event, frozen=True, tag="tool_metadata"):
    tool: str
    metadata: dict[str, Any]


class ToolCallEnded(Event, frozen=True, tag="tool_call_end"):
    """Sent for every call, failed ones included: `success` tells."""

    tool: str
    success: bool
    result: ToolResult


class ToolFailed(Event, frozen=True, tag="error"):
    """Sent just before the end of a call that failed."""

    tool: str
    message: str
    error: ErrorInfo


class McpCallBegan(Event, frozen=True, tag="mcp_tool_call_begin"):
    server: str
    tool: str


class McpCallEnded(Event, frozen=True, tag="mcp_tool_call_end"):
    server: str
    tool: str
    is_error: bool


# ── people ────────────────────────────────────────────────────────────────────────────────
class ApprovalRequested(Event, frozen=True, tag="approval_requested"):
    approval: Approval


class ApprovalAnswered(Event, frozen=True, tag="approval_answered"):
    approval_id: str
    answer: ApprovalAnswer


class QuestionAsked(Event, frozen=True, tag="question_asked"):
    question: Question


class QuestionAnswered(Event, frozen=True, tag="question_answered"):
    answer: QuestionAnswer


# ── the background ────────────────────────────────────────────────────────────────────────
class TaskEnded(Event, frozen=True, tag="task_end"):
    """A task in the background is over: by itself, or because somebody stopped it."""

    task_id: str
    kind: str  # shell, agent
    title: str
    status: str  # completed, failed, killed
    exit_code: int | None = None


# ── a turn ────────────────────────────────────────────────────────────────────────────────
class TurnStarted(Event, frozen=True, tag="turn_start"):
    turn_id: str


class TurnEnded(Event, frozen=True, tag="turn_end"):
    turn_id: str
    usage: Usage = Usage()


class TextArrived(Event, frozen=True, tag="text_delta"):
    text: str


class ThinkingArrived(Event, frozen=True, tag="thinking_delta"):
    text: str


class MessageAdded(Event, frozen=True, tag="message"):
    message: Message
    usage: Usage = Usage()  # of an answer, where its provider said it


class Noticed(Event, frozen=True, tag="notice"):
    """Something a person should know; `key` and `values` are rendered from the catalogue."""

    key: str
    values: dict[str, Any] = {}


EVENTS: tuple[type[Event], ...] = (
    ToolCallStarted,
    ToolOutputChunk,
    ToolProgressed,
    ToolMetadataChanged,
    ToolCallEnded,
    ToolFailed,
    McpCallBegan,
    McpCallEnded,
    ApprovalRequested,
    ApprovalAnswered,
    QuestionAsked,
    QuestionAnswered,
    TaskEnded,
    TurnStarted,
    TurnEnded,
    TextArrived,
    ThinkingArrived,
    MessageAdded,
    Noticed,
)
EVENT_TYPES = frozenset(str(event.__struct_config__.tag) for event in EVENTS)
