"""All sessions of a person: created, found, gone on with, forked, named, deleted, pruned."""

import os
from pathlib import Path

import pytest

from ankrcode.errors import SessionError
from ankrcode.protocol.call import ToolCall
from ankrcode.protocol.message import Message, TextPart
from ankrcode.sessions.conversation import messages
from ankrcode.sessions.log import read_log
from ankrcode.sessions.records import CallBegun, CallEnded, MessageAdded, TurnStarted
from ankrcode.sessions.restore import restore
from ankrcode.sessions.store import SessionStore
from people import ordinary_person


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    return SessionStore(tmp_path / "state" / "sessions")


def made(store: SessionStore, session_id: str, at: float = 1.0, text: str = "hello") -> None:
    opened = store.create(session_id, at, cwd="/w", roots=("/w",))
    message = Message(role="user", parts=(TextPart(text=text),))
    opened.log.append([TurnStarted(turn_id="t", at=at), MessageAdded(message=message, at=at)])
    opened.log.close()
    os.utime(store.path_of(session_id), (at, at))


def test_an_empty_store_has_no_sessions_and_no_folder(store: SessionStore) -> None:
    assert store.ids() == []
    assert not store.folder.exists()


def test_the_newest_session_comes_first(store: SessionStore) -> None:
    for number, name in enumerate(["old", "middle", "new"]):
        made(store, name, 1_000.0 + number)
    assert store.ids() == ["new", "middle", "old"]


def test_folder_and_logs_are_private(store: SessionStore) -> None:
    made(store, "a")
    assert store.folder.stat().st_mode & 0o777 == 0o700
    assert Path(store.path_of("a")).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "session_id", ["", "../x", "a/b", ".hidden", "-x", "a b", "x" * 101, "नमस्ते", "a\n", "a\0"]
)
def test_an_id_never_becomes_another_path(session_id: str, store: SessionStore) -> None:
    with pytest.raises(SessionError, match="not the id"):
        store.path_of(session_id)


def test_the_beginning_of_an_id_is_enough_if_it_is_the_only_one(store: SessionStore) -> None:
    for name in ("abc1", "abd2", "ab"):
        made(store, name)
    assert store.find("abc") == "abc1"
    assert store.find("ab") == "ab"
    with pytest.raises(SessionError, match="3 sessions"):
        store.find("a")
    with pytest.raises(SessionError, match="No session"):
        store.find("zzz")


def test_going_on_knows_what_was(store: SessionStore) -> None:
    made(store, "a")
    opened = store.resume("a", 5.0)
    assert (opened.state.turns, opened.state.cwd, opened.warnings) == (1, "/w", ())
    opened.log.close()


def test_going_on_closes_what_a_crash_left_open_once(store: SessionStore) -> None:
    opened = store.create("a", 1.0)
    opened.log.append([CallBegun(call=ToolCall(name="Bash", id="c1"), changes=True)])
    opened.log.close()
    for _ in range(3):
        store.resume("a", 5.0).log.close()
    results = [one for _, one in read_log(store.path_of("a")).records if isinstance(one, CallEnded)]
    assert [(one.call_id, one.interrupted) for one in results] == [("c1", True)]


def test_damage_is_told_and_kept(store: SessionStore) -> None:
    made(store, "a")
    path = Path(store.path_of("a"))
    damaged = path.read_bytes()[:-4]
    path.write_bytes(damaged)
    opened = store.resume("a", 5.0)
    opened.log.append([TurnStarted(turn_id="u")])
    opened.log.close()
    assert opened.warnings
    assert path.read_bytes().startswith(damaged)


def test_a_session_in_use_is_neither_resumed_nor_deleted_but_may_be_forked(
    store: SessionStore,
) -> None:
    made(store, "a")
    opened = store.resume("a", 2.0)
    with pytest.raises(SessionError, match="another process"):
        store.resume("a", 3.0)
    with pytest.raises(SessionError, match="another process"):
        store.delete("a")
    forked = store.fork("a", "b", 3.0)
    assert forked.state.forked_from == "a"
    forked.log.close()
    opened.log.close()


def test_a_fork_has_all_that_was_said_and_goes_its_own_way(store: SessionStore) -> None:
    made(store, "a", text="first")
    before = Path(store.path_of("a")).read_bytes()
    forked = store.fork("a", "b", 3.0)
    forked.log.append([TurnStarted(turn_id="u")])
    forked.log.close()
    state, _ = restore(store.path_of("b"))
    assert (state.id, state.turns) == ("b", 2)
    assert len(messages(store.path_of("b"), state)) == 1
    assert Path(store.path_of("a")).read_bytes() == before


def test_a_taken_id_is_refused(store: SessionStore) -> None:
    made(store, "a")
    with pytest.raises(SessionError, match="exists"):
        store.create("a", 2.0)
    assert restore(store.path_of("a"))[0].turns == 1


def test_names_and_tags_are_kept_in_the_log(store: SessionStore) -> None:
    made(store, "a")
    store.rename("a", "मेरा काम", 2.0)
    store.tag("a", ("work", "urgent"), 3.0)
    state, _ = restore(store.path_of("a"))
    assert (state.title, state.tags) == ("मेरा काम", ("work", "urgent"))


def test_deleting_removes_the_log_and_what_belongs_to_it(store: SessionStore) -> None:
    results = store.folder.parent / "results"
    for name in ("a", "b"):
        made(store, name)
        (results / name).mkdir(parents=True)
        (results / name / "saved.txt").write_bytes(b"x")
    SessionStore(store.folder, beside=(results,)).delete("a")
    assert [one.name for one in (*store.folder.iterdir(), *results.iterdir())] == ["b.jsonl", "b"]


def test_the_old_are_pruned_and_those_in_use_stay(store: SessionStore) -> None:
    for number in range(4):
        made(store, f"s{number}", 100.0 + number)
    used = store.resume("s0", 200.0)
    os.utime(store.path_of("s0"), (100, 100))
    assert store.prune(older_than=102.5) == ["s1", "s2"]
    assert store.ids() == ["s3", "s0"]
    used.log.close()


def test_the_oldest_are_pruned_until_the_rest_fits(store: SessionStore) -> None:
    for number in range(4):
        made(store, f"s{number}", 100.0 + number, text="x" * 1_000)
    size = Path(store.path_of("s0")).stat().st_size
    assert store.prune(max_bytes=size * 2 + 10) == ["s0", "s1"]


def test_a_folder_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "locked").mkdir(mode=0o555)
    with ordinary_person(tmp_path), pytest.raises(SessionError, match="cannot be used"):
        SessionStore(tmp_path / "locked" / "sessions").create("a", 1.0)


def test_a_file_where_the_folder_should_be_says_so(tmp_path: Path) -> None:
    (tmp_path / "sessions").write_text("x", encoding="utf-8")
    store = SessionStore(tmp_path / "sessions")
    with pytest.raises(SessionError, match="cannot be used"):
        store.create("a", 1.0)
    with pytest.raises(SessionError, match="cannot be used"):
        store.ids()
