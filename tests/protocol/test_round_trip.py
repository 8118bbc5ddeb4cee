"""Everything that travels is frozen, and comes back from JSON as it went."""

import importlib
import pkgutil
from typing import Any

import msgspec
import pytest

from ankrcode import protocol
from ankrcode.errors import ErrorCode, ErrorKind
from ankrcode.protocol import stream
from ankrcode.protocol.acts import Acts
from ankrcode.protocol.approval import Approval, ApprovalAnswer, Preview
from ankrcode.protocol.call import ToolCall
from ankrcode.protocol.definition import Definition
from ankrcode.protocol.event import EVENTS, Event
from ankrcode.protocol.message import (
    AttachmentPart,
    Message,
    TextPart,
    ThinkingPart,
    ToolResultPart,
    ToolUsePart,
    Usage,
)
from ankrcode.protocol.modifier import (
    DirectoryChanged,
    FileForgotten,
    FileMoved,
    FileRead,
    PermissionGranted,
    QueueCommand,
)
from ankrcode.protocol.permission import Permission
from ankrcode.protocol.question import Option, Question, QuestionAnswer
from ankrcode.protocol.result import Attachment, ErrorInfo, ToolResult

IMAGE = Attachment(type="image", mime="image/png", data="iVBORw0KGgo=", name="चित्र.png")
CALL = ToolCall(id="c1", name="Read", arguments={"file_path": "ü.txt", "limit": 3})
ACTS = Acts(
    reads=("file:/a",),
    writes=("tree:/b",),
    runs=("make",),
    connects=("example.com",),
    confined=True,
)
PREVIEW = Preview(title="Edit a.py", body="-a\n+b", format="diff")
MODIFIERS = (
    FileRead(
        path="/a",
        size=3,
        mtime_ns=1_700_000_000_000_000_001,
        digest="d",
        offset=2,
        limit=5,
        further=((9, 2),),
    ),
    FileMoved(source="/a", destination="/b"),
    FileForgotten(path="/c"),
    DirectoryChanged(path="/d"),
    PermissionGranted(tool="Bash", pattern="git *"),
    QueueCommand(call=CALL),
)
ERROR = ErrorInfo(
    code=ErrorCode.TIMEOUT,
    kind=ErrorKind.SYSTEM,
    message="slow",
    suggestion="less",
    details={"limit_s": 1.5},
    key="timeout",
    values={"tool": "Bash"},
)
USAGE = Usage(input_tokens=1, output_tokens=2, cached_tokens=3, written_tokens=4, thinking_tokens=5)
PARTS = (
    TextPart(text="नमस्ते 👋🏽"),
    ThinkingPart(text="hm", signature="s", opaque="o"),
    AttachmentPart(attachment=IMAGE),
    ToolUsePart(id="t1", name="Read", arguments={"file_path": "a"}, signature="g"),
    ToolResultPart(tool_use_id="t1", text="x", attachments=(IMAGE,), is_error=True),
)
DEFINITION = Definition(
    name="Read",
    summary="Reads.",
    description="Reads ${cwd}.",
    input_schema={"type": "object"},
    output_schema={"type": "object"},
    permission=Permission.READ,
    more_permissions=(Permission.WRITE,),
    optional_permissions=(Permission.NETWORK,),
    category="files",
    quiet=True,
    max_result_chars=5,
)
OPTION = Option(label="Yes", description="Do it")
FAILURE = stream.Failure(
    kind=stream.FailureKind.RATE_LIMIT,
    message="slow down",
    status=429,
    retry_after_s=1.5,
    provider="p",
    model="m",
    is_lasting=True,
)
STREAM: tuple[stream.AnyStreamEvent, ...] = (
    stream.TextGrew(text="हाँ"),
    stream.ThinkingGrew(text="hm", is_summary=True),
    stream.ThinkingClosed(signature="s", opaque="o"),
    stream.CallOpened(index=1, id="c1", name="Read"),
    stream.CallGrew(index=1, text='{"a'),
    stream.CallClosed(index=1, id="c1", name="Read", arguments={"a": 1}, signature="g"),
    stream.CallBroken(index=2, id="c2", name="Read", text='{"a', why="cut"),
    stream.Used(usage=USAGE),
    stream.Waited(seconds=1.5, attempt=2, failure=FAILURE, provider="p", model="m"),
    stream.Switched(provider="p", model="m", failure=FAILURE),
    stream.Stopped(reason=stream.StopReason.END, raw="end_turn"),
    stream.Failed(failure=FAILURE),
)
SAMPLES: tuple[msgspec.Struct, ...] = (
    *(IMAGE, CALL, ACTS, PREVIEW, *MODIFIERS, ERROR, USAGE, *PARTS, DEFINITION, OPTION),
    *(FAILURE, *STREAM),
    Approval(
        id="a1",
        call_id="c1",
        tool="Edit",
        arguments={},
        reason="writes",
        acts=ACTS,
        preview=PREVIEW,
        agent_id="g1",
        risk="high",
        text="rm x",
        rules=("Bash(rm x)",),
        digest="d1",
    ),
    ApprovalAnswer(approved=True, arguments={"a": 1}, feedback="ok", remember="session"),
    ToolResult(
        title="t",
        value={"n": [1, None, "x"]},
        text="text",
        metadata={"m": 1},
        attachments=(IMAGE,),
        error=ERROR,
        modifiers=MODIFIERS,
        call_id="c1",
        duration_ms=1.25,
    ),
    Message(id="m1", role="assistant", parts=PARTS),
    Question(id="q1", question="Which?", header="Way", options=(OPTION,), multi_select=True),
    QuestionAnswer(question_id="q1", chosen=("Yes", "of my own")),
)


def every_struct() -> list[type[msgspec.Struct]]:
    modules = [
        importlib.import_module(f"{protocol.__name__}.{found.name}")
        for found in pkgutil.iter_modules(protocol.__path__)
    ]
    return [
        one
        for module in modules
        for one in vars(module).values()
        if isinstance(one, type)
        and issubclass(one, msgspec.Struct)
        and one.__module__ == module.__name__
    ]


def test_every_struct_of_the_protocol_has_a_sample_here() -> None:
    shown = {type(sample) for sample in SAMPLES} | set(EVENTS) | {Event, stream.StreamEvent}
    assert shown == set(every_struct())


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: type(sample).__name__)
def test_it_comes_back_from_json_as_it_went(sample: msgspec.Struct) -> None:
    assert msgspec.json.decode(msgspec.json.encode(sample), type=type(sample)) == sample


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: type(sample).__name__)
def test_every_field_of_a_sample_is_set(sample: msgspec.Struct) -> None:
    """A field left at its default would not be tested by the journey."""
    fields = msgspec.structs.fields(type(sample))
    left = [one.name for one in fields if getattr(sample, one.name) == one.default]
    assert left in ([], ["agent_id"], ["path"])  # an approval of the main agent; data, not a path


@pytest.mark.parametrize("kind", every_struct(), ids=lambda kind: str(kind.__name__))
def test_what_travels_cannot_be_changed(kind: type[msgspec.Struct]) -> None:
    samples: list[Any] = [one for one in SAMPLES if type(one) is kind]
    assert kind.__struct_config__.frozen
    for sample in samples:
        with pytest.raises(AttributeError, match="immutable"):
            setattr(sample, kind.__struct_fields__[0], "other")
