"""What a person sees of each record; what others see of it; and what of it is found again."""

from pathlib import Path
from typing import Any

import pytest

from ankrcode.config.redactor import Redactor
from ankrcode.errors import ErrorCode
from ankrcode.protocol.call import ToolCall
from ankrcode.protocol.message import (
    Message,
    TextPart,
    ThinkingPart,
    ToolResultPart,
    ToolUsePart,
    Usage,
)
from ankrcode.protocol.modifier import FileRead
from ankrcode.protocol.result import ErrorInfo
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
    TurnEnded,
    TurnStarted,
    decoded,
    encoded,
)
from ankrcode.sessions.redacted import cleaner, redacted
from ankrcode.sessions.show import MAX_CHARS, local_time, shown

SECRET = "ghp_" + "a1B2" * 9
ERROR = ErrorInfo(code=ErrorCode.IO_ERROR, kind=ErrorCode.IO_ERROR.kind, message="broken")


def said(*parts: Any, role: Any = "assistant") -> MessageAdded:
    return MessageAdded(message=Message(role=role, parts=parts))


SHOWN: list[tuple[AnyRecord, str]] = [
    (TurnStarted(turn_id="t1"), "── turn t1"),
    (TurnEnded(turn_id="t1"), ""),
    (said(TextPart(text="नमस्ते"), role="user"), "user: नमस्ते"),
    (said(TextPart(text="a"), TextPart(text="b")), "assistant: a\nassistant: b"),
    (said(ThinkingPart(text="secret thoughts")), ""),
    (
        said(ToolUsePart(id="c", name="Read", arguments={"file_path": "a"})),
        "assistant calls Read {'file_path': 'a'}",
    ),
    (said(ToolResultPart(tool_use_id="c", text="a\n  b"), role="user"), "result: a b"),
    (
        CallBegun(call=ToolCall(name="Bash", arguments={"command": "ls"}, id="c")),
        "→ Bash {'command': 'ls'}",
    ),
    (CallBegun(call=ToolCall(name="Bash", arguments='{"torn', id="c")), '→ Bash {"torn'),
    (CallEnded(call_id="c", title="$ ls", text="a\nb"), "← $ ls: a b"),
    (CallEnded(call_id="c", text="x"), "← c: x"),
    (CallEnded(call_id="c", title="$ ls", text="broken", error=ERROR), "✗ $ ls: broken"),
    (
        Approved(approval_id="a", call_id="c", tool="Bash", reason="writes", approved=True),
        "? Bash: yes (writes)",
    ),
    (Approved(approval_id="a", call_id="c", tool="Bash"), "? Bash: no ()"),
    (Compacted(messages=(Message(role="user", parts=()),)), "── compacted to 1 messages"),
    (Named(title="Title"), "# Title"),
    (Tagged(tags=("a", "b")), "#a #b"),
    (CostSpent(model="m", usage=Usage(), usd=0.5), "$ 0.5000 m"),
    (StateKept(values={"todos": []}), ""),
    (TaskKept(task_id="t"), ""),
    (Checkpoint(state={}), ""),
]


@pytest.mark.parametrize(("record", "line"), SHOWN, ids=lambda one: type(one).__name__)
def test_each_kind_of_record_is_shown(record: AnyRecord, line: str) -> None:
    assert shown(record) == line


@pytest.mark.parametrize("record", [one for one, _ in SHOWN], ids=lambda one: type(one).__name__)
def test_each_kind_of_record_is_read_as_it_was_written(record: AnyRecord) -> None:
    assert decoded(encoded(record)) == record


def test_a_session_is_headed_by_its_name_time_and_place() -> None:
    line = shown(SessionStarted(id="s", at=1_700_000_000.0, cwd="/w"))
    assert line.startswith("session s  2023-11-1")
    assert line.endswith("  /w")


@pytest.mark.parametrize("count", [MAX_CHARS - 1, MAX_CHARS, MAX_CHARS + 1, 100_000])
def test_a_long_result_is_shown_in_part(count: int) -> None:
    line = shown(CallEnded(call_id="c", text="x" * count))
    assert len(line) == len("← c: ") + min(count, MAX_CHARS)
    assert line.endswith("…") == (count > MAX_CHARS)


@pytest.mark.parametrize("at", [float("inf"), float("-inf"), float("nan"), 1e20, -1e20])
def test_a_time_that_is_none_is_the_last(at: float) -> None:
    assert local_time(at).year == 9999


# ── for others ────────────────────────────────────────────────────────────────────────────────
def clean(value: Any, home: str = "/home/ann") -> Any:
    return cleaner(Redactor(["my-own-password"]), home)(value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/home/ann", "~"),
        ("/home/ann/x", "~/x"),
        ("cd /home/ann; ls /home/ann/x", "cd ~; ls ~/x"),
        ("'/home/ann'", "'~'"),
        ("/home/anna/x", "/home/anna/x"),
        ("/home/ann-2/x", "/home/ann-2/x"),
        ("/home/ann.old/x", "/home/ann.old/x"),
        ("/home/annनमः", "/home/annनमः"),
        ("/home/Ann/x", "/home/Ann/x"),
        ("/home", "/home"),
        ("file:///home/ann/x", "file://~/x"),
        (f"token {SECRET}", "token [redacted:github-token:1]"),
        ("it is my-own-password!", "it is [redacted:environment-secret:1]!"),
        ("nothing to hide", "nothing to hide"),
        ("", ""),
    ],
)
def test_text_is_made_fit_for_others(text: str, expected: str) -> None:
    found = clean(text)
    if "[redacted:" in expected:
        assert "my-own-password" not in found
        assert SECRET not in found
        assert found.startswith(expected.partition("[")[0])
    else:
        assert found == expected


@pytest.mark.parametrize("home", ["", "/"])
def test_a_home_that_is_everything_or_nothing_is_left(home: str) -> None:
    assert clean("/home/ann/x and ~", home) == "/home/ann/x and ~"


@pytest.mark.parametrize(
    "value", [None, 5, 2.5, True, [], {}, {"/home/ann/x": ["/home/ann", {"a": ("/home/ann",)}]}]
)
def test_data_of_any_shape_is_made_fit_for_others(value: Any) -> None:
    assert "/home/ann" not in repr(clean(value))


@pytest.mark.parametrize("record", [one for one, _ in SHOWN], ids=lambda one: type(one).__name__)
def test_a_record_without_secrets_stays_as_it_is(record: AnyRecord) -> None:
    (found,) = redacted([record], Redactor(), "/home/ann")
    assert found == record


def test_a_redacted_session_keeps_its_shape_and_loses_its_settings() -> None:
    read = FileRead(path="/home/ann/w/a", size=1, mtime_ns=1, digest="d")
    records: list[AnyRecord] = [
        SessionStarted(
            id="s", cwd="/home/ann/w", roots=("/home/ann/w",), settings={"hooks": {"x": SECRET}}
        ),
        CallBegun(call=ToolCall(name="Bash", arguments={"command": f"echo {SECRET}"}, id="c")),
        CallEnded(call_id="c", text=SECRET, modifiers=(read,), value={"path": "/home/ann/w"}),
    ]
    found = list(redacted(records, Redactor(), "/home/ann"))
    assert [type(one) for one in found] == [type(one) for one in records]
    text = b"\n".join(encoded(one) for one in found).decode()
    assert SECRET not in text
    assert "/home/ann" not in text
    first, _, last = found
    assert isinstance(first, SessionStarted)
    assert (first.settings, first.roots) == ({}, ("~/w",))
    assert isinstance(last, CallEnded)
    assert last.modifiers == (FileRead(path="~/w/a", size=1, mtime_ns=1, digest="d"),)


def test_the_same_secret_has_the_same_name_everywhere() -> None:
    twice = TextPart(text=f"{SECRET} and {SECRET}")
    records: list[AnyRecord] = [said(twice), Named(title=SECRET)]
    first, second = redacted(records, Redactor(), str(Path("/home/ann")))
    assert isinstance(second, Named)
    assert isinstance(first, MessageAdded)
    (part,) = first.message.parts
    assert isinstance(part, TextPart)
    assert part.text == f"{second.title} and {second.title}"
