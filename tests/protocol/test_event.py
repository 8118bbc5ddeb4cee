"""Every event is known by its type, on the wire as in a subscription."""

from functools import reduce
from operator import or_
from typing import Any

import msgspec
import pytest

from ankrcode.errors import ErrorCode, ErrorKind
from ankrcode.protocol.acts import NOTHING
from ankrcode.protocol.approval import Approval, ApprovalAnswer
from ankrcode.protocol.event import EVENT_TYPES, EVENTS, Event
from ankrcode.protocol.message import Message, TextPart, Usage
from ankrcode.protocol.question import Question, QuestionAnswer
from ankrcode.protocol.result import ErrorInfo, ToolResult

ERROR = ErrorInfo(code=ErrorCode.TIMEOUT, kind=ErrorKind.SYSTEM, message="slow")
FIELDS: dict[str, dict[str, Any]] = {
    "tool_call_start": {"tool": "Read", "arguments": {"file_path": "a"}, "quiet": True},
    "tool_output_chunk": {"tool": "Bash", "text": "ठीक"},
    "tool_progress": {"tool": "Bash", "text": "half", "fraction": 0.5},
    "tool_metadata": {"tool": "Bash", "metadata": {"title": "x"}},
    "tool_call_end": {"tool": "Read", "success": True, "result": ToolResult(text="x")},
    "error": {"tool": "Read", "message": "slow", "error": ERROR},
    "mcp_tool_call_begin": {"server": "s", "tool": "t"},
    "mcp_tool_call_end": {"server": "s", "tool": "t", "is_error": True},
    "approval_requested": {
        "approval": Approval(
            id="a", call_id="c", tool="Edit", arguments={}, reason="r", acts=NOTHING
        )
    },
    "approval_answered": {"approval_id": "a", "answer": ApprovalAnswer(approved=False)},
    "question_asked": {"question": Question(id="q", question="?")},
    "question_answered": {"answer": QuestionAnswer(question_id="q", chosen=("a",))},
    "task_end": {"task_id": "t", "kind": "shell", "title": "make", "status": "killed"},
    "turn_start": {"turn_id": "t"},
    "turn_end": {"turn_id": "t", "usage": Usage(input_tokens=5)},
    "text_delta": {"text": "he"},
    "thinking_delta": {"text": "hm"},
    "message": {"message": Message(role="user", parts=(TextPart(text="hi"),))},
    "notice": {"key": "cancelled", "values": {"tool": "Read"}},
}
ANY_EVENT: Any = msgspec.json.Decoder(reduce(or_, EVENTS))
every_event = pytest.mark.parametrize("kind", EVENTS, ids=lambda kind: str(kind.__name__))


def made(kind: type[Event]) -> Event:
    fields = FIELDS[str(kind.__struct_config__.tag)]
    return kind(call_id="c1", agent_id="a1", at=1_700_000_000.25, **fields)


def test_every_event_is_listed_once_and_has_fields_here() -> None:
    assert set(EVENTS) == set(Event.__subclasses__())
    assert len(EVENT_TYPES) == len(EVENTS)
    assert set(FIELDS) == EVENT_TYPES


@every_event
def test_an_event_comes_back_from_json_as_the_same_kind(kind: type[Event]) -> None:
    event = made(kind)
    assert ANY_EVENT.decode(msgspec.json.encode(event)) == event


@every_event
def test_the_type_on_the_wire_is_the_type_one_subscribes_to(kind: type[Event]) -> None:
    event = made(kind)
    assert msgspec.json.decode(msgspec.json.encode(event))["type"] == event.type
    assert event.type in EVENT_TYPES


@every_event
def test_an_event_cannot_be_changed(kind: type[Event]) -> None:
    event = made(kind)
    with pytest.raises(AttributeError, match="immutable"):
        setattr(event, event.__struct_fields__[0], "other")


def test_an_unknown_type_is_refused_when_read() -> None:
    with pytest.raises(msgspec.ValidationError, match="surprise"):
        ANY_EVENT.decode(b'{"type": "surprise"}')
