"""The index: lists and finds, keeps up with the logs, and may be lost at any time."""

import subprocess
import sys
from pathlib import Path

import pytest

from ankrcode.protocol.call import ToolCall
from ankrcode.protocol.message import Message, TextPart
from ankrcode.sessions.index import SessionIndex
from ankrcode.sessions.log import SessionLog
from ankrcode.sessions.records import CallBegun, CallEnded, Compacted, MessageAdded, TurnStarted
from ankrcode.sessions.store import SessionStore


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    return SessionStore(tmp_path / "sessions")


@pytest.fixture
def index(store: SessionStore) -> SessionIndex:
    return SessionIndex(store)


def message(text: str) -> MessageAdded:
    return MessageAdded(message=Message(role="user", parts=(TextPart(text=text),)))


def begin(store: SessionStore, session_id: str, *texts: str) -> None:
    opened = store.create(session_id, 1.0, cwd="/w")
    opened.log.append([TurnStarted(turn_id="t"), *map(message, texts)])
    opened.log.close()


def add(store: SessionStore, session_id: str, *texts: str) -> None:
    log = SessionLog(store.path_of(session_id))
    log.append([TurnStarted(turn_id="t"), *map(message, texts)])
    log.close()


def found(index: SessionIndex, words: str) -> set[str]:
    return {hit.id for hit in index.search(words)}


def test_nothing_is_listed_and_nothing_made_where_nothing_is(index: SessionIndex) -> None:
    assert index.sessions() == []
    assert index.search("anything") == []
    assert not index.path.exists()


def test_a_session_is_listed_with_what_it_came_to(store: SessionStore, index: SessionIndex) -> None:
    begin(store, "a", "hello")
    store.rename("a", "Greeting", 5.0)
    (one,) = index.sessions()
    assert (one.id, one.title, one.cwd, one.turns, one.updated) == ("a", "Greeting", "/w", 1, 5.0)
    assert one.bytes == Path(store.path_of("a")).stat().st_size


def test_what_is_added_is_found_without_reading_the_rest_again(
    store: SessionStore, index: SessionIndex
) -> None:
    begin(store, "a", "first")
    assert index.sessions()[0].turns == 1
    add(store, "a", "second")
    assert index.sessions()[0].turns == 2
    assert [len(index.search(word)) for word in ("first", "second")] == [1, 1]


def test_a_deleted_session_is_forgotten(store: SessionStore, index: SessionIndex) -> None:
    begin(store, "a", "hello")
    assert found(index, "hello") == {"a"}
    store.delete("a")
    assert index.sessions() == []
    assert found(index, "hello") == set()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("scheduler", {"en"}),
        ("SCHEDULER", {"en"}),
        ("sched", {"en"}),
        ("scheduler hazards", {"en"}),
        ("scheduler missing", set()),
        ("नमस्ते", {"hi"}),
        ("नमस्", {"hi"}),  # the beginning of a word, marks and all
        ("हिन्दी", {"hi"}),
        ("वणक्कम்", set()),
        ("வணக்கம்", {"ta"}),
        ("నమస్కారం", {"te"}),
        ("ಕನ್ನಡ", {"kn"}),
        ("মানুষ", {"bn"}),
        ("naïve", {"en"}),
        ("naive", set()),  # other marks, another word
        ("日本語", {"ja"}),
        ("AND", set()),
        ('"', set()),
        ("said:", set()),
        ("*", set()),
        ("a OR b NOT (", set()),
        ("", set()),
        ("\0", set()),
    ],
)
def test_words_of_any_language_are_found_as_they_are_written(
    words: str, expected: set[str], store: SessionStore, index: SessionIndex
) -> None:
    begin(store, "en", "The scheduler looks at hazards, not classes. A naïve one does not.")
    begin(store, "hi", "नमस्ते दुनिया, यह हिन्दी है।")
    begin(store, "ta", "வணக்கம் உலகம்")
    begin(store, "te", "నమస్కారం ప్రపంచం")
    begin(store, "kn", "ಕನ್ನಡ ಭಾಷೆ")
    begin(store, "bn", "সব মানুষ")
    begin(store, "ja", "日本語 テキスト")
    assert found(index, words) == expected


def test_calls_results_and_summaries_are_found_too(
    store: SessionStore, index: SessionIndex
) -> None:
    opened = store.create("a", 1.0)
    summary = Message(role="assistant", parts=(TextPart(text="condensed"),))
    opened.log.append(
        [
            CallBegun(call=ToolCall(name="Bash", arguments={"command": "cargo build"}, id="c")),
            CallBegun(call=ToolCall(name="Bash", arguments='{"broken', id="d")),
            CallEnded(call_id="c", text="linker failed"),
            Compacted(messages=(summary,)),
        ]
    )
    opened.log.close()
    assert {hit.who for hit in index.search("cargo")} == {"Bash"}
    assert {hit.who for hit in index.search("linker")} == {"result"}
    assert {hit.who for hit in index.search("condensed")} == {"assistant"}
    assert found(index, "broken") == {"a"}


@pytest.mark.parametrize(
    "content", [b"", b"garbage" * 1_000, b"SQLite format 3\0" + b"\xff" * 5_000]
)
def test_a_damaged_index_is_built_again(
    content: bytes, store: SessionStore, index: SessionIndex
) -> None:
    begin(store, "a", "hello")
    index.sessions()
    for leftover in store.folder.glob("index-3.sqlite3-*"):
        leftover.unlink()
    index.path.write_bytes(content)
    assert [one.id for one in index.sessions()] == ["a"]
    assert found(index, "hello") == {"a"}


def test_a_log_that_shrank_is_read_anew(store: SessionStore, index: SessionIndex) -> None:
    begin(store, "a", "hello", "world")
    assert found(index, "world") == {"a"}
    path = Path(store.path_of("a"))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]))
    assert found(index, "world") == set()
    assert len(index.search("hello")) == 1


def test_a_damaged_log_is_listed_with_what_is_left(
    store: SessionStore, index: SessionIndex
) -> None:
    begin(store, "a", "hello", "world")
    path = Path(store.path_of("a"))
    path.write_bytes(b"\xff\xfe" + path.read_bytes()[2:])
    assert [one.id for one in index.sessions()] == ["a"]
    assert found(index, "world") == {"a"}


def test_the_index_is_private(store: SessionStore, index: SessionIndex) -> None:
    begin(store, "a", "hello")
    index.sessions()
    assert index.path.stat().st_mode & 0o777 == 0o600


WRITER = """
import sys
from pathlib import Path
from ankrcode.sessions.index import SessionIndex
from ankrcode.sessions.records import Named
from ankrcode.sessions.store import SessionStore

store = SessionStore(Path(sys.argv[1]))
for number in range(10):
    opened = store.create(f"{sys.argv[2]}-{number}", 1.0)
    opened.log.append([Named(title="mine")])
    opened.log.close()
    assert SessionIndex(store).sessions()
"""


def test_several_processes_use_one_index(store: SessionStore, index: SessionIndex) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-P", "-c", WRITER, store.folder, name]) for name in "abc"
    ]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0]
    listed = index.sessions()
    assert len(listed) == 30
    assert {one.title for one in listed} == {"mine"}
