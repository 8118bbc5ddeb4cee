"""What a log comes to: state, messages, and a result for every call."""

from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.errors import ErrorCode
from ankrcode.protocol.call import ToolCall
from ankrcode.protocol.message import Message, TextPart, Usage
from ankrcode.protocol.modifier import (
    ContextModifier,
    DirectoryChanged,
    FileForgotten,
    FileMoved,
    FileRead,
    PermissionGranted,
)
from ankrcode.sessions.conversation import messages
from ankrcode.sessions.log import LogContent, SessionLog
from ankrcode.sessions.records import (
    AnyRecord,
    CallBegun,
    CallEnded,
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
from ankrcode.sessions.restore import Restored, repairs, restore, restored
from torture import examples

FIRST = SessionStarted(id="s1", at=1.0, cwd="/w", roots=("/w", "/v"))


def begun(call_id: str, *, changes: bool = True) -> CallBegun:
    return CallBegun(at=2.0, call=ToolCall(name="Write", id=call_id), changes=changes)


def ended(call_id: str, *modifiers: ContextModifier) -> CallEnded:
    return CallEnded(at=3.0, call_id=call_id, text="done", modifiers=modifiers)


def read(path: str, size: int = 1) -> FileRead:
    return FileRead(path=path, size=size, mtime_ns=5, digest="d")


def state_of(*records: AnyRecord) -> Restored:
    return restored(LogContent(records=[(0, one) for one in (FIRST, *records)], damage=[]))


def text(content: str) -> Message:
    return Message(role="user", parts=(TextPart(text=content),))


def test_the_first_record_says_who_and_where() -> None:
    state = state_of()
    assert (state.id, state.cwd, state.roots, state.created) == ("s1", "/w", ("/w", "/v"), 1.0)


def test_calls_and_turns_are_counted_and_open_ones_known() -> None:
    state = state_of(TurnStarted(turn_id="t"), begun("a"), begun("b"), ended("a"))
    assert (state.turns, state.calls, list(state.open_calls)) == (1, 2, ["b"])


def test_results_may_come_in_another_order() -> None:
    state = state_of(begun("a"), begun("b"), ended("b"), ended("a"))
    assert state.open_calls == {}


def test_what_was_read_is_known_again() -> None:
    state = state_of(ended("a", read("/w/x"), read("/w/y")), ended("b", read("/w/x", 9)))
    assert {path: one.size for path, one in state.reads.items()} == {"/w/x": 9, "/w/y": 1}


def test_moves_and_deletions_of_folders_carry_what_was_read() -> None:
    state = state_of(
        ended("a", read("/w/d/x"), read("/w/d/y"), read("/w/dd")),
        ended("b", FileMoved(source="/w/d", destination="/w/e")),
        ended("c", FileForgotten(path="/w/e/y")),
    )
    assert sorted(state.reads) == ["/w/dd", "/w/e/x"]
    assert (
        sorted(state_of(ended("a", read("/w/d/x")), ended("b", FileForgotten(path="/w/d"))).reads)
        == []
    )


def test_the_directory_and_the_grants_go_on() -> None:
    grant = PermissionGranted(tool="Bash", pattern="ls")
    state = state_of(ended("a", DirectoryChanged(path="/w/sub"), grant), ended("b", grant))
    assert (state.cwd, state.grants) == ("/w/sub", [grant])


def test_of_names_tags_values_and_tasks_the_newest_counts() -> None:
    state = state_of(
        Named(title="old"),
        Named(title="new"),
        Tagged(tags=("a",)),
        Tagged(tags=("b", "c")),
        StateKept(values={"todos": ["x"], "plan": "p"}),
        StateKept(values={"todos": []}),
        TaskKept(task_id="t", status="running"),
        TaskKept(task_id="u", status="running"),
        TaskKept(task_id="t", status="completed", exit_code=0),
    )
    assert (state.title, state.tags) == ("new", ("b", "c"))
    assert state.values == {"todos": [], "plan": "p"}
    assert list(state.tasks) == ["u"]  # only what goes on


def test_costs_add_up() -> None:
    spent = CostSpent(model="m", usage=Usage(input_tokens=10, output_tokens=5), usd=0.25)
    state = state_of(spent, spent)
    assert (state.tokens, state.usd) == (30, 0.5)


# ── repair ────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("changes", "said"), [(True, "Nobody knows how far it got"), (False, "may be called again")]
)
def test_a_call_without_a_result_gets_one(changes: bool, said: str) -> None:
    (record,) = repairs(state_of(begun("a", changes=changes), begun("b"), ended("b")), 7.0)
    assert isinstance(record, CallEnded)
    assert (record.call_id, record.interrupted, record.at) == ("a", True, 7.0)
    assert record.error is not None
    assert record.error.code is ErrorCode.INTERRUPTED
    assert said in record.text


def test_after_the_repair_nothing_is_open() -> None:
    records = (begun("a"), begun("b"))
    closing = repairs(state_of(*records), 7.0)
    assert state_of(*records, *closing).open_calls == {}
    assert repairs(state_of(*records, *closing), 8.0) == []


# ── messages ──────────────────────────────────────────────────────────────────────────────────
def log_with(path: Path, *records: AnyRecord) -> str:
    log = SessionLog(str(path), is_new=True)
    log.append([FIRST])
    for record in records:
        log.append([record])
    log.close()
    return str(path)


def test_the_conversation_comes_back_in_order(tmp_path: Path) -> None:
    roles: list[Literal["user", "assistant"]] = ["user", "assistant", "user", "assistant"]
    said = [Message(role=role, parts=(TextPart(text=role),)) for role in roles]
    path = log_with(tmp_path / "s", *[MessageAdded(message=one) for one in said])
    state, _ = restore(path)
    assert messages(path, state) == said


def test_after_a_compaction_only_what_still_counts_comes_back(tmp_path: Path) -> None:
    path = log_with(
        tmp_path / "s",
        MessageAdded(message=text("old")),
        Compacted(messages=(text("summary"),)),
        MessageAdded(message=text("new")),
    )
    state, _ = restore(path)
    assert state.context_at > 0
    (message,) = messages(path, state)  # what one side says in a row is one message
    assert message.parts == (TextPart(text="summary"), TextPart(text="new"))


# ── checkpoints ───────────────────────────────────────────────────────────────────────────────
RECORDS = st.lists(
    st.one_of(
        st.builds(TurnStarted, turn_id=st.text(max_size=3)),
        st.builds(begun, st.sampled_from("abc")),
        st.builds(ended, st.sampled_from("abc"), st.builds(read, st.sampled_from(["/x", "/y"]))),
        st.builds(ended, st.sampled_from("abc"), st.builds(FileForgotten, path=st.just("/x"))),
        st.builds(Named, title=st.text(max_size=5)),
        st.builds(StateKept, values=st.dictionaries(st.text(max_size=2), st.integers())),
        st.builds(TaskKept, task_id=st.sampled_from("uv"), status=st.sampled_from(["a", "b"])),
    ),
    max_size=20,
)


@given(RECORDS, st.integers(0, 20))
@examples(in_ci=150, in_torture=3_000)
def test_a_checkpoint_stands_for_all_before_it(records: list[AnyRecord], place: int) -> None:
    before = state_of(*records[:place])
    after = LogContent(
        records=[(0, before.checkpoint(2.5)), *((0, one) for one in records[place:])], damage=[]
    )
    whole = state_of(*records)
    assert restored(after) == whole


# ── what it is called ─────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("  fix the tests\nand then more", "fix the tests"),
        ("परीक्षण ठीक करो", "परीक्षण ठीक करो"),
        ("x" * 61, "x" * 61),
        ("<note>from us</note>", ""),
    ],
)
def test_it_is_called_by_what_was_said_first(said: str, title: str) -> None:
    state = state_of(MessageAdded(message=text(said), at=2.0))
    assert state.title == title


def test_a_later_word_does_not_rename_it_but_a_name_does() -> None:
    first, later = (MessageAdded(message=text(one), at=2.0) for one in ("first", "later"))
    assert state_of(first, later).title == "first"
    assert state_of(first, Named(title="Mine", at=3.0), later).title == "Mine"


def test_what_others_say_gives_no_name() -> None:
    theirs = Message(role="assistant", parts=(TextPart(text="hello"),))
    aside = MessageAdded(message=text("on the side"), agent_id="a2", at=2.0)
    assert state_of(MessageAdded(message=theirs, at=2.0), aside).title == ""
