"""Long sessions: only what is shown is read, and forks, checkpoints and lists stay right."""

import os
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.errors import SessionError
from ankrcode.protocol.call import ToolCall
from ankrcode.protocol.message import Message, TextPart
from ankrcode.protocol.modifier import FileRead
from ankrcode.protocol.result import ToolResult
from ankrcode.sessions import recorder as recorder_module
from ankrcode.sessions.conversation import messages
from ankrcode.sessions.index import SessionIndex
from ankrcode.sessions.log import SessionLog, parsed, read_first, read_log, read_tail, read_turns
from ankrcode.sessions.recorder import SessionRecorder
from ankrcode.sessions.records import (
    Approved,
    Checkpoint,
    Compacted,
    MessageAdded,
    Named,
    SessionStarted,
    StateKept,
    Tagged,
    TaskKept,
    TurnStarted,
)
from ankrcode.sessions.restore import Restored, restore, restored
from ankrcode.sessions.store import SessionStore
from ankrcode.workspace.framing import framed
from torture import examples


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    return SessionStore(tmp_path / "sessions")


def recorder_of(store: SessionStore, name: str = "s") -> SessionRecorder:
    opened = store.create(name, 1.0, cwd="/w", roots=("/w",))
    return SessionRecorder(opened.log, opened.state, now=lambda: 2.0)


def talk(recorder: SessionRecorder, count: int, size: int = 10) -> None:
    for number in range(count):
        recorder.turn_started(f"t{number}")
        recorder.said(Message(role="user", parts=(TextPart(text=f"{number}" + "x" * size),)))
        read = FileRead(path=f"/w/{number % 50}", size=number, mtime_ns=1, digest="d")
        call = ToolCall(name="Read", id=f"c{number}")
        recorder.begun(call)
        recorder.ended(ToolResult(call_id=f"c{number}", text="y" * size, modifiers=(read,)))


# ── checkpoints ───────────────────────────────────────────────────────────────────────────────
def test_what_is_read_on_resuming_does_not_grow_with_the_session(store: SessionStore) -> None:
    recorder = recorder_of(store)
    read: list[int] = []
    for _ in range(3):
        talk(recorder, 700)
        read.append(len(read_tail(recorder.log.path).records))
    recorder.close()
    assert max(read) <= recorder_module.RECORDS_PER_CHECKPOINT + 1


def test_few_large_records_make_a_checkpoint_too(store: SessionStore) -> None:
    recorder = recorder_of(store)
    talk(recorder, 60, size=100_000)
    recorder.close()
    tail = read_tail(recorder.log.path)
    assert isinstance(tail.records[0][1], Checkpoint)
    size = Path(recorder.log.path).stat().st_size
    assert size - tail.records[0][0] < 2 * recorder_module.BYTES_PER_CHECKPOINT


def test_the_end_of_a_log_comes_to_the_same_as_all_of_it(store: SessionStore) -> None:
    recorder = recorder_of(store)
    recorder.note(Named(title="T"), Tagged(tags=("a",)), TaskKept(task_id="b"))
    allowed = Approved(
        approval_id="a", call_id="c", tool="Bash", approved=True, remember="session", exact="d1"
    )
    recorder.note(allowed, StateKept(values={"todos": [1], "mode": "plan"}))
    recorder.begun(ToolCall(name="Bash", id="open"), changes=True)
    talk(recorder, 300)
    recorder.note(Compacted(messages=(), at=3.0))
    talk(recorder, 400)
    recorder.close()
    short, tail = restore(recorder.log.path)
    whole = Restored()
    for offset, record in read_log(recorder.log.path).records:
        if not isinstance(record, Checkpoint):
            whole.take(record, offset)
    assert isinstance(tail.records[0][1], Checkpoint)
    assert short == whole == recorder.state
    assert list(short.open_calls) == ["open"]
    assert short.allowed == [allowed]


def test_only_what_was_said_since_the_compaction_is_read_again(store: SessionStore) -> None:
    recorder = recorder_of(store)
    talk(recorder, 50)
    summary = Message(role="assistant", parts=(TextPart(text="in short"),))
    recorder.note(Compacted(messages=(summary,)))
    talk(recorder, 2)
    recorder.close()
    state, _ = restore(recorder.log.path)
    first, second = messages(recorder.log.path, state)
    assert first == summary
    assert len(second.parts) == 2


# ── the last turns ────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("count", [1, 2, 7, 999, 1_000, 1_001, 5_000])
def test_the_last_turns_are_those_and_no_more(count: int, store: SessionStore) -> None:
    recorder = recorder_of(store)
    talk(recorder, 1_000, size=300)
    recorder.close()
    records = [one for _, one in read_turns(recorder.log.path, count).records]
    turns = [one.turn_id for one in records if isinstance(one, TurnStarted)]
    assert turns == [f"t{number}" for number in range(1_000)][-count:]
    assert isinstance(records[0], TurnStarted if count <= 1_000 else SessionStarted)


@given(st.lists(st.sampled_from(["turn", "text", "torn", "quote"]), max_size=15), st.integers(1, 6))
@examples(in_ci=150, in_torture=3_000)
def test_turns_are_counted_whatever_lies_between(kinds: list[str], count: int) -> None:
    import tempfile

    quote = MessageAdded(
        message=Message(role="user", parts=(TextPart(text='{"type":"turn_started"}'),))
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "s")
        log = SessionLog(str(path), is_new=True)
        for number, kind in enumerate(kinds):
            if kind == "torn":
                log.append_lines([b'00000000 {"type":"turn_started","turn_id":"torn"}\n'])
            else:
                record = TurnStarted(turn_id=str(number)) if kind == "turn" else quote
                log.append([record if kind != "text" else Named(title="x")])
        log.close()
        found = [one for _, one in read_turns(str(path), count).records]
        turns = [str(number) for number, kind in enumerate(kinds) if kind == "turn"]
        assert [one.turn_id for one in found if isinstance(one, TurnStarted)] == turns[-count:]


def test_the_first_record_is_had_without_the_rest(store: SessionStore) -> None:
    recorder = recorder_of(store)
    talk(recorder, 10)
    recorder.close()
    first = read_first(recorder.log.path)
    assert isinstance(first, SessionStarted)
    assert first.roots == ("/w",)
    Path(recorder.log.path).write_bytes(b"\0" * 10_000_000)
    assert read_first(recorder.log.path) is None


# ── forks ─────────────────────────────────────────────────────────────────────────────────────
def test_a_fork_of_a_long_session_is_as_quick_to_open(store: SessionStore) -> None:
    recorder = recorder_of(store)
    talk(recorder, 600)
    summary = Message(role="user", parts=(TextPart(text="in short"),))
    recorder.note(Compacted(messages=(summary,)))
    talk(recorder, 3)
    recorder.close()
    forked = store.fork("s", "f", 5.0)
    forked.log.close()
    tail = read_tail(store.path_of("f"))
    assert isinstance(tail.records[0][1], Checkpoint)
    assert len(tail.records) == 1
    state, _ = restore(store.path_of("f"))
    assert (state.id, state.forked_from, state.turns) == ("f", "s", 603)
    before, _ = restore(store.path_of("s"))
    assert state.reads == before.reads
    ours, theirs = (messages(store.path_of(one), restore(store.path_of(one))[0]) for one in "fs")
    assert ours == theirs


def test_a_fork_keeps_records_of_a_later_version_and_leaves_damage_behind(
    store: SessionStore,
) -> None:
    recorder = recorder_of(store)
    recorder.note(Named(title="T"))
    recorder.close()
    later = framed(b'{"type":"hologram","at":2,"x":1}')
    with Path(recorder.log.path).open("ab") as file:
        file.write(later + b"damage\n")
    forked = store.fork("s", "f", 5.0)
    forked.log.close()
    data = Path(store.path_of("f")).read_bytes()
    assert later in data
    assert b"damage" not in data
    content = parsed(data, 0)
    assert (content.unknown, content.damage) == (1, [])


def test_a_fork_that_cannot_be_finished_leaves_nothing(
    store: SessionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = recorder_of(store)
    talk(recorder, 20)
    recorder.close()
    real, written = os.write, 0

    def full(handle: int, data: bytes) -> int:
        nonlocal written
        written += 1
        if written == 2:
            raise OSError(28, "No space left on device")
        return real(handle, data)

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(SessionError, match="No space left"):
        store.fork("s", "f", 5.0)
    monkeypatch.undo()
    assert store.ids() == ["s"]
    assert restore(store.path_of("s"))[0].turns == 20


def test_a_fork_of_a_fork_knows_where_it_came_from(store: SessionStore) -> None:
    recorder_of(store).close()
    store.fork("s", "f", 2.0).log.close()
    store.fork("f", "g", 3.0).log.close()
    state, _ = restore(store.path_of("g"))
    assert (state.id, state.forked_from, state.created) == ("g", "f", 3.0)


def test_a_call_that_still_runs_is_marked_in_the_fork_and_not_in_the_original(
    store: SessionStore,
) -> None:
    recorder = recorder_of(store)
    recorder.begun(ToolCall(name="Bash", id="c"), changes=True)
    forked = store.fork("s", "f", 2.0)
    assert forked.state.open_calls == {}
    forked.log.close()
    assert list(restore(recorder.log.path)[0].open_calls) == ["c"]
    recorder.close()


# ── deleting while others look ────────────────────────────────────────────────────────────────
def test_a_session_that_is_deleted_while_it_is_opened_is_missing_not_lost(
    store: SessionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between its open and its lock the file goes: what would be written to it would be lost."""
    import fcntl

    recorder_of(store).close()
    real = fcntl.flock

    def late(handle: int, operation: int) -> None:
        Path(store.path_of("s")).unlink(missing_ok=True)
        real(handle, operation)

    monkeypatch.setattr(fcntl, "flock", late)
    with pytest.raises(SessionError, match="no session"):
        store.resume("s", 2.0)


def test_lists_go_on_while_sessions_come_and_go(store: SessionStore) -> None:
    index = SessionIndex(store)
    stop = threading.Event()
    problems: list[Exception] = []

    def churn() -> None:
        try:
            number = 0
            while not stop.is_set():
                recorder_of(store, f"x{number}").close()
                store.delete(f"x{number}")
                number += 1
        except (SessionError, OSError) as problem:
            problems.append(problem)

    recorder_of(store, "stays").close()
    thread = threading.Thread(target=churn)
    thread.start()
    try:
        for _ in range(30):
            assert "stays" in {one.id for one in index.sessions()}
    finally:
        stop.set()
        thread.join()
    assert problems == []
    assert [one.id for one in index.sessions()] == ["stays"]


def test_a_line_that_is_being_written_is_indexed_once_it_is_whole(store: SessionStore) -> None:
    recorder = recorder_of(store)
    recorder.close()
    index = SessionIndex(store)
    line = framed(b'{"type":"named","title":"findable"}')
    path = Path(recorder.log.path)
    for end in (5, 20, len(line) - 1):
        whole = path.read_bytes()
        path.write_bytes(whole + line[:end])
        assert index.sessions()[0].title == ""
        path.write_bytes(whole)
    with path.open("ab") as file:
        file.write(line[:20])
    assert index.sessions()[0].title == ""
    with path.open("ab") as file:
        file.write(line[20:])
    assert index.sessions()[0].title == "findable"


def test_what_else_lies_in_the_folder_is_let_lie(store: SessionStore) -> None:
    recorder_of(store).close()
    (store.folder / "folder.jsonl").mkdir()
    (store.folder / "link.jsonl").symlink_to("/etc/hosts")
    (store.folder / "two words.jsonl").write_bytes(b"x")
    (store.folder / ".hidden.jsonl").write_bytes(b"x")
    (store.folder / "notes.txt").write_bytes(b"x")
    os.mkfifo(store.folder / "pipe.jsonl")
    assert store.ids() == ["s"]
    assert [one.id for one in SessionIndex(store).sessions()] == ["s"]
    assert store.prune(max_bytes=0) == ["s"]
    assert len(list(store.folder.iterdir())) >= 6


@given(st.lists(st.sampled_from("abcdef"), max_size=20), st.integers(0, 3_000))
@examples(in_ci=30, in_torture=500)
def test_pruning_keeps_the_newest_that_fit(names: list[str], room: int) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        store = SessionStore(Path(folder, "sessions"))
        ages: dict[str, int] = {}
        for number, name in enumerate(names):
            if name not in ages:
                store.create(name, 1.0, cwd="/" * (ord(name) - 90) * 10).log.close()
            ages[name] = number
            os.utime(store.path_of(name), (number, number))
        sizes = {name: Path(store.path_of(name)).stat().st_size for name in ages}
        gone = store.prune(max_bytes=room)
        oldest_first = sorted(ages, key=lambda name: ages[name])
        assert gone == oldest_first[: len(gone)]
        kept = oldest_first[len(gone) :]
        assert sum(sizes[name] for name in kept) <= room
        if gone:  # one fewer would not have been enough
            assert sum(sizes[name] for name in [gone[-1], *kept]) > room


def test_restoring_from_content_alone_needs_no_file(store: SessionStore) -> None:
    recorder = recorder_of(store)
    talk(recorder, 3)
    recorder.close()
    data = Path(recorder.log.path).read_bytes()
    assert restored(parsed(data, 0)) == recorder.state
