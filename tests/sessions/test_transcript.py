"""The transcript of other agents: written so that viewers can follow it, read whatever it holds."""

import json
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.errors import SessionError
from ankrcode.protocol.approval import ApprovalAnswer
from ankrcode.protocol.call import ToolCall
from ankrcode.protocol.message import (
    AttachmentPart,
    Message,
    Part,
    TextPart,
    ThinkingPart,
    ToolResultPart,
    ToolUsePart,
)
from ankrcode.protocol.modifier import (
    ContextModifier,
    DirectoryChanged,
    FileRead,
    PermissionGranted,
)
from ankrcode.protocol.result import Attachment
from ankrcode.sessions.conversation import conversation, messages
from ankrcode.sessions.log import read_log
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
    TaskKept,
    TurnStarted,
    encoded,
)
from ankrcode.sessions.restore import restore
from ankrcode.sessions.store import SessionStore
from ankrcode.sessions.taken import from_claude, take_in
from ankrcode.sessions.transcript import to_claude
from ankrcode.workspace.framing import framed
from torture import examples

START = SessionStarted(id="s1", at=1_700_000_000.0, cwd="/w", roots=("/w",))
PIXEL = "iVBORw0KGgo="


def said(role: Any, *parts: Part, at: float = 1_700_000_001.5, side: str = "") -> MessageAdded:
    return MessageAdded(message=Message(role=role, parts=parts), at=at, agent_id=side)


def image(data: str = PIXEL) -> Attachment:
    return Attachment(type="image", mime="image/png", data=data)


def lines_of(*records: AnyRecord) -> list[dict[str, Any]]:
    return [json.loads(json.dumps(line)) for line in to_claude([START, *records])]


def read_back(*records: AnyRecord) -> list[AnyRecord]:
    lines = (json.dumps(line).encode() for line in to_claude([START, *records]))
    return list(from_claude(b"\n".join(lines)))


CONVERSATION = (
    said("user", TextPart(text="look नमस्ते"), AttachmentPart(attachment=image())),
    said("assistant", ThinkingPart(text="hm", signature="sig=="), TextPart(text="I look.")),
    said("assistant", ToolUsePart(id="t1", name="Bash", arguments={"command": "ls", "n": [1]})),
    said("user", ToolResultPart(tool_use_id="t1", text="a\nb")),
    said("assistant", ToolUsePart(id="t2", name="Read", arguments={})),
    said("user", ToolResultPart(tool_use_id="t2", text="seen", attachments=(image("QUJD"),))),
    said("user", ToolResultPart(tool_use_id="t3", text="no", is_error=True)),
    said("assistant", TextPart(text="Done.")),
)


# ── out ───────────────────────────────────────────────────────────────────────────────────────
def test_a_line_has_what_viewers_look_for() -> None:
    (line,) = lines_of(said("user", TextPart(text="hello")))
    assert line.pop("uuid")
    assert line.pop("version")
    assert line == {
        "parentUuid": None,
        "isSidechain": False,
        "userType": "external",
        "cwd": "/w",
        "sessionId": "s1",
        "type": "user",
        "message": {"role": "user", "content": [{"type": "text", "text": "hello"}]},
        "timestamp": "2023-11-14T22:13:21.500Z",
    }


def test_every_line_hangs_on_the_one_before() -> None:
    lines = lines_of(*CONVERSATION)
    assert [line["parentUuid"] for line in lines] == [None, *(one["uuid"] for one in lines[:-1])]
    assert len({UUID(line["uuid"]) for line in lines}) == len(CONVERSATION)


def test_the_same_session_is_written_the_same_twice() -> None:
    assert lines_of(*CONVERSATION) == lines_of(*CONVERSATION)


@pytest.mark.parametrize(
    ("part", "block"),
    [
        (TextPart(text="x"), {"type": "text", "text": "x"}),
        (
            ThinkingPart(text="why", signature="s"),
            {"type": "thinking", "thinking": "why", "signature": "s"},
        ),
        (
            ToolUsePart(id="i", name="N", arguments={"a": 1}),
            {"type": "tool_use", "id": "i", "name": "N", "input": {"a": 1}},
        ),
        (
            ToolResultPart(tool_use_id="i", text="t", is_error=True),
            {"type": "tool_result", "tool_use_id": "i", "content": "t", "is_error": True},
        ),
        (
            AttachmentPart(attachment=image()),
            {
                "type": "image",
                "source": {"type": "base64", "media_type": "image/png", "data": PIXEL},
            },
        ),
        (
            AttachmentPart(attachment=Attachment(type="pdf", mime="application/pdf", data="JV")),
            {
                "type": "document",
                "source": {"type": "base64", "media_type": "application/pdf", "data": "JV"},
            },
        ),
        (
            AttachmentPart(attachment=Attachment(type="image", mime="image/png", path="/w/a.png")),
            {"type": "text", "text": "/w/a.png"},
        ),
    ],
    ids=["text", "thinking", "use", "result", "image", "pdf", "by place"],
)
def test_each_part_has_its_block(part: Part, block: dict[str, Any]) -> None:
    (line,) = lines_of(said("user", part))
    assert line["message"]["content"] == [block]


def test_a_result_with_an_image_is_a_list_of_blocks() -> None:
    part = ToolResultPart(tool_use_id="i", text="seen", attachments=(image(),))
    (line,) = lines_of(said("user", part))
    (block,) = line["message"]["content"]
    assert [one["type"] for one in block["content"]] == ["text", "image"]


def test_a_call_that_no_message_holds_becomes_two() -> None:
    begun = CallBegun(call=ToolCall(name="Bash", arguments={"command": "ls"}, id="c"), at=2.0)
    use, result = lines_of(begun, CallEnded(call_id="c", text="out", at=3.0))
    assert (use["type"], use["message"]["content"][0]["name"]) == ("assistant", "Bash")
    assert (result["type"], result["parentUuid"]) == ("user", use["uuid"])
    assert result["message"]["content"][0]["content"] == "out"


def test_a_call_that_a_message_holds_is_not_written_twice() -> None:
    use = said("assistant", ToolUsePart(id="c", name="Bash", arguments={}))
    begun, ended = CallBegun(call=ToolCall(name="Bash", id="c")), CallEnded(call_id="c", text="out")
    told = said("user", ToolResultPart(tool_use_id="c", text="out"))
    assert [line["type"] for line in lines_of(use, begun, ended, told)] == ["assistant", "user"]


def test_a_result_that_was_never_told_is_written_from_the_log() -> None:
    use = said("assistant", ToolUsePart(id="c", name="Bash", arguments={}))
    begun, ended = CallBegun(call=ToolCall(name="Bash", id="c")), CallEnded(call_id="c", text="out")
    assert [line["type"] for line in lines_of(use, begun, ended)] == ["assistant", "user"]


def test_a_title_is_a_summary_of_the_last_line() -> None:
    first, summary = lines_of(said("user", TextPart(text="x")), Named(title="My work"))
    assert summary == {"type": "summary", "summary": "My work", "leafUuid": first["uuid"]}


def test_a_compacted_conversation_begins_again_behind_a_boundary() -> None:
    summary = Message(role="user", parts=(TextPart(text="in short"),))
    old, boundary, first, new = lines_of(
        said("user", TextPart(text="old")),
        Compacted(messages=(summary,), at=5.0),
        said("assistant", TextPart(text="new")),
    )
    assert (boundary["type"], boundary["subtype"]) == ("system", "compact_boundary")
    assert (boundary["parentUuid"], boundary["logicalParentUuid"]) == (None, old["uuid"])
    assert first["parentUuid"] == boundary["uuid"]
    assert first["isCompactSummary"] is True
    assert new["parentUuid"] == first["uuid"]


def test_a_conversation_on_the_side_is_a_chain_of_its_own() -> None:
    main, side, more, back = lines_of(
        said("user", TextPart(text="main")),
        said("user", TextPart(text="side"), side="agent_1"),
        said("assistant", TextPart(text="more"), side="agent_1"),
        said("assistant", TextPart(text="back")),
    )
    assert [one["isSidechain"] for one in (main, side, more, back)] == [False, True, True, False]
    assert (side["parentUuid"], side["agentId"]) == (None, "agent_1")
    assert more["parentUuid"] == side["uuid"]
    assert back["parentUuid"] == main["uuid"]


def test_what_only_our_log_knows_stays_behind() -> None:
    records: list[AnyRecord] = [
        TurnStarted(turn_id="t"),
        StateKept(values={"todos": [1]}),
        said("system"),
    ]
    assert lines_of(*records) == []


@pytest.mark.parametrize("at", [-1e300, -1.0, 0.0, 1e18, 1e300])
def test_a_time_that_no_calendar_has_is_written_as_one_it_has(at: float) -> None:
    (line,) = lines_of(said("user", TextPart(text="x"), at=at))
    assert line["timestamp"].endswith("Z")


# ── there and back ────────────────────────────────────────────────────────────────────────────
def test_a_conversation_comes_back_as_it_was() -> None:
    assert read_back(*CONVERSATION) == list(CONVERSATION)


def test_titles_sides_and_boundaries_come_back() -> None:
    summary = Message(role="user", parts=(TextPart(text="in short"),))
    records: list[AnyRecord] = [
        said("user", TextPart(text="side"), side="agent_1"),
        Compacted(messages=(summary,), at=5.0),
        said("assistant", TextPart(text="on")),
        Named(title="T"),
    ]
    back = read_back(*records)
    assert conversation(back) == conversation(records)
    assert [type(one) for one in back] == [
        MessageAdded,
        Compacted,
        MessageAdded,
        MessageAdded,
        Named,
    ]
    assert back[0] == records[0]


TEXT = st.text(max_size=20)
PARTS: st.SearchStrategy[Part] = st.one_of(
    st.builds(TextPart, text=TEXT.filter(bool)),
    st.builds(ThinkingPart, text=TEXT, signature=TEXT),
    st.builds(
        ToolUsePart,
        id=TEXT,
        name=TEXT,
        arguments=st.dictionaries(TEXT, st.one_of(TEXT, st.integers(), st.none())),
    ),
    st.builds(
        ToolResultPart,
        tool_use_id=TEXT,
        text=TEXT,
        is_error=st.booleans(),
        attachments=st.lists(st.builds(image, TEXT), max_size=2).map(tuple),
    ),
    st.builds(AttachmentPart, attachment=st.builds(image, TEXT)),
)
MESSAGES = st.builds(
    lambda role, parts, side: said(role, *parts, side=side),
    st.sampled_from(["user", "assistant"]),
    st.lists(PARTS, min_size=1, max_size=4),
    st.sampled_from(["", "agent_1"]),
)


@given(st.lists(MESSAGES, max_size=8))
@examples(in_ci=150, in_torture=5_000)
def test_every_conversation_comes_back_as_it_was(records: list[AnyRecord]) -> None:
    assert read_back(*records) == records


@given(st.lists(MESSAGES, max_size=8))
@examples(in_ci=100, in_torture=3_000)
def test_what_was_read_is_written_as_it_was(records: list[AnyRecord]) -> None:
    once = lines_of(*records)
    again = lines_of(*from_claude(b"\n".join(json.dumps(line).encode() for line in once)))
    assert again == once


# ── in ────────────────────────────────────────────────────────────────────────────────────────
FOREIGN = [
    {"type": "summary", "summary": "Fixing tests", "leafUuid": "u9"},
    {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}},
    {
        "type": "user",
        "uuid": "u1",
        "parentUuid": None,
        "isSidechain": False,
        "sessionId": "x",
        "cwd": "/proj",
        "gitBranch": "main",
        "version": "2.0.1",
        "timestamp": "2025-10-01T10:00:00.000Z",
        "message": {"role": "user", "content": "please fix"},
    },
    {
        "type": "assistant",
        "uuid": "u2",
        "parentUuid": "u1",
        "requestId": "r",
        "timestamp": "2025-10-01T10:00:01.000Z",
        "message": {
            "id": "msg_1",
            "role": "assistant",
            "model": "m",
            "usage": {"input_tokens": 3},
            "content": [{"type": "thinking", "thinking": "hm", "signature": "EqQ="}],
        },
    },
    {
        "type": "assistant",
        "uuid": "u3",
        "message": {
            "id": "msg_1",
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"a": 1}}],
        },
    },
    {
        "type": "user",
        "uuid": "u4",
        "toolUseResult": {"stdout": "ok"},
        "message": {
            "role": "user",
            "content": [
                {
                    "tool_use_id": "toolu_1",
                    "type": "tool_result",
                    "content": [
                        {"type": "text", "text": "one"},
                        {"type": "text", "text": "two"},
                        {"type": "tool_reference", "tool_name": "X"},
                        {
                            "type": "image",
                            "source": {"type": "base64", "media_type": "image/png", "data": PIXEL},
                        },
                    ],
                }
            ],
        },
    },
    {"type": "queue-operation", "operation": "enqueue"},
    {"type": "system", "subtype": "local_command", "content": "x", "uuid": "u5"},
    {"type": "user", "uuid": "u1", "message": {"role": "user", "content": "please fix"}},
]


def taken(lines: list[Any]) -> list[AnyRecord]:
    return list(from_claude("\n".join(json.dumps(line) for line in lines).encode()))


def test_a_transcript_of_another_agent_becomes_a_conversation() -> None:
    records = taken(FOREIGN)
    assert records[0] == Named(title="Fixing tests")
    user, assistant, result = conversation(records)
    assert user.parts == (TextPart(text="please fix"),)
    assert assistant.parts == (
        ThinkingPart(text="hm", signature="EqQ="),
        ToolUsePart(id="toolu_1", name="Bash", arguments={"a": 1}),
    )
    assert result.parts == (
        ToolResultPart(tool_use_id="toolu_1", text="one\ntwo", attachments=(image(),)),
    )


def test_its_times_and_its_place_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    file.write_text("\n".join(json.dumps(line) for line in FOREIGN), encoding="utf-8")
    store = SessionStore(tmp_path / "sessions")
    take_in(store, file, "new", 5.0)
    state, _ = restore(store.path_of("new"))
    assert (state.cwd, state.roots) == ("/proj", ("/proj",))
    assert (state.title, state.updated) == ("Fixing tests", 1759312801.0)
    assert len(messages(store.path_of("new"), state)) == 3


@pytest.mark.parametrize(
    "line",
    [
        {},
        {"type": None},
        {"type": "user"},
        {"type": "user", "message": None},
        {"type": "user", "message": {}},
        {"type": "user", "message": {"content": None}},
        {"type": "user", "message": {"content": 7}},
        {"type": "user", "message": {"content": ""}},
        {"type": "user", "message": {"content": [None, 1, "x", [], {}]}},
        {"type": "user", "message": {"content": [{"type": "text"}]}},
        {"type": "user", "message": {"content": [{"type": "text", "text": 1}]}},
        {"type": "assistant", "message": {"content": [{"type": "tool_use", "id": 1}]}},
        {"type": "assistant", "message": {"content": [{"type": "hologram", "x": 1}]}},
        {"type": "user", "message": {"content": [{"type": "tool_result"}]}},
        {"type": "user", "message": {"content": [{"type": "image", "source": "x"}]}},
        {"type": "summary"},
        {"type": "summary", "summary": 5},
        {"type": "system", "subtype": 5},
        [],
        1,
        "x",
        None,
    ],
    ids=repr,
)
def test_a_line_that_says_nothing_is_passed_over(line: Any) -> None:
    assert taken([line]) == []


@pytest.mark.parametrize(
    "stamp", [None, 5, "", "yesterday", "9999-99-99", "0001-01-01T00:00:00", {"a": 1}, "١٢٣"]
)
def test_a_time_that_is_none_is_the_beginning(stamp: Any) -> None:
    line = {"type": "user", "timestamp": stamp, "message": {"content": "x"}}
    assert [one.at for one in taken([line])] == [0.0]


@pytest.mark.parametrize(
    "line",
    [
        b"\xff\xfe\x00",
        b"{",
        b'{"type":"user","message":{"content":"\xed\xa0\x80"}}',
        b'{"type":"user","message":{"content":"\\ud800"}}',
        b"[" * 100_000,
        b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
        b"\0" * 1_000,
        b"NaN",
    ],
    ids=["bytes", "torn", "surrogate", "escaped", "deep list", "deep object", "zeros", "nan"],
)
def test_a_line_that_is_no_json_harms_no_other(line: bytes) -> None:
    good = b'{"type":"user","message":{"content":"kept"}}'
    (record,) = from_claude(line + b"\n" + good)
    assert isinstance(record, MessageAdded)
    assert record.message.parts == (TextPart(text="kept"),)


@given(st.binary(max_size=400))
@examples(in_ci=300, in_torture=10_000)
def test_no_bytes_make_the_reader_raise(data: bytes) -> None:
    list(from_claude(data))


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | TEXT,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "message", "content", "text", "id", "source", "data", "uuid"]),
            inner
            | st.sampled_from(["user", "assistant", "tool_use", "tool_result", "image", "text"]),
            max_size=5,
        )
    ),
    max_leaves=20,
)


@given(st.lists(JSON, max_size=5))
@examples(in_ci=200, in_torture=10_000)
def test_no_objects_make_the_reader_raise(lines: list[Any]) -> None:
    for record in taken(lines):
        assert encoded(record)


# ── files of anybody ──────────────────────────────────────────────────────────────────────────
def imported(tmp_path: Path, *records: AnyRecord) -> tuple[SessionStore, str]:
    file = tmp_path / "theirs.jsonl"
    file.write_bytes(b"".join(framed(encoded(one)) for one in records))
    store = SessionStore(tmp_path / "sessions")
    take_in(store, file, "new", 5.0)
    return store, store.path_of("new")


def test_our_own_form_is_taken_in_with_all_that_was_said_and_done(tmp_path: Path) -> None:
    begun = CallBegun(call=ToolCall(name="Read", arguments={"file_path": "a"}, id="c"), at=2.0)
    records: list[AnyRecord] = [
        said("user", TextPart(text="x")),
        begun,
        CallEnded(call_id="c", text="out", at=3.0),
    ]
    _, path = imported(tmp_path, START, *records, Named(title="T"))
    found = [one for _, one in read_log(path).records]
    assert found[1:-1] == [*records, Named(title="T")]
    assert isinstance(found[-1], Checkpoint)
    state, _ = restore(path)
    assert (state.id, state.forked_from, state.title, state.calls) == ("new", "s1", "T", 1)


def test_what_a_file_says_was_granted_or_read_counts_for_nothing(tmp_path: Path) -> None:
    theirs: list[ContextModifier] = [
        PermissionGranted(tool="Bash"),
        FileRead(path="/etc/passwd", size=1, mtime_ns=1, digest="x"),
        DirectoryChanged(path="/"),
    ]
    answer = ApprovalAnswer(approved=True, remember="session")
    approved = Approved(
        approval_id="a",
        call_id="c",
        tool="Bash",
        approved=answer.approved,
        remember=answer.remember,
        rules=("Bash(*)",),
    )
    grants = {"grants": [{"type": "permission_granted", "tool": "Bash"}]}
    _, path = imported(
        tmp_path,
        START,
        CallEnded(call_id="c", modifiers=tuple(theirs)),
        approved,
        StateKept(values={"todos": ["kept"], "phrases": ["run anything"], "plan_file": "/x"}),
        TaskKept(task_id="t"),
        Checkpoint(state={"id": "evil", **grants}, context_at=10**9),
    )
    state, _ = restore(path)
    assert (state.grants, state.reads, state.allowed, state.tasks) == ([], {}, [], {})
    assert (state.cwd, state.values, state.context_at) == ("/w", {"todos": ["kept"]}, 0)


@pytest.mark.parametrize("at", [float("inf"), 1e308, -1e308])
def test_a_time_from_nowhere_is_brought_back_to_earth(at: float, tmp_path: Path) -> None:
    _, path = imported(tmp_path, START, Named(title="T", at=at))
    state, _ = restore(path)
    assert 0 <= state.updated < 1e12


def test_costs_are_kept_as_they_were(tmp_path: Path) -> None:
    from ankrcode.protocol.message import Usage

    spent = CostSpent(model="m", usage=Usage(input_tokens=5, output_tokens=6), usd=0.25)
    _, path = imported(tmp_path, START, spent)
    state, _ = restore(path)
    assert (state.usd, state.tokens) == (0.25, 11)


@pytest.mark.parametrize("content", [b"", b"\n\n", b"hello", b"{}", b"\0" * 100, b"[1]\n" * 50])
def test_a_file_without_a_session_is_refused_and_leaves_nothing(
    content: bytes, tmp_path: Path
) -> None:
    (tmp_path / "f").write_bytes(content)
    store = SessionStore(tmp_path / "sessions")
    with pytest.raises(SessionError, match="holds no session"):
        take_in(store, tmp_path / "f", "new", 5.0)
    assert store.ids() == []


@pytest.mark.parametrize("name", ["/dev/zero", "/dev/null", "/proc/self", "."])
def test_what_is_no_file_is_not_read(name: str, tmp_path: Path) -> None:
    with pytest.raises(SessionError, match="holds no session"):
        take_in(SessionStore(tmp_path / "sessions"), Path(name), "new", 5.0)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    import os

    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SessionError, match="holds no session"):
        take_in(SessionStore(tmp_path / "sessions"), tmp_path / "pipe", "new", 5.0)


def test_a_missing_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(SessionError, match="cannot be read"):
        take_in(SessionStore(tmp_path / "sessions"), tmp_path / "none", "new", 5.0)
