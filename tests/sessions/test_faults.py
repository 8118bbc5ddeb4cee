"""A disk that is full or broken: a clear error, nothing earlier lost, and on it goes after."""

import asyncio
import errno
import fcntl
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ankrcode.errors import SessionError
from ankrcode.protocol.call import ToolCall
from ankrcode.protocol.result import ToolResult
from ankrcode.sessions import recorder as recorder_module
from ankrcode.sessions.log import SessionLog, read_log
from ankrcode.sessions.recorder import SessionRecorder
from ankrcode.sessions.records import CallBegun, CallEnded, Named, TurnEnded
from ankrcode.sessions.restore import restore
from ankrcode.sessions.store import SessionStore
from frontends.command import COMMAND, Batch, ankrcode, answers, environment
from people import ordinary_person
from torture import IS_TORTURE

ERRORS = {"ENOSPC": errno.ENOSPC, "EIO": errno.EIO, "EMFILE": errno.EMFILE}
STRIDE = 1 if IS_TORTURE else 9


class NthFails:
    """The Nth call of open, write or fsync fails; a failing write may have written half."""

    def __init__(self, nth: int, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
        self.left = nth
        self.number = number
        self.real = {name: getattr(os, name) for name in ("open", "write", "fsync")}
        for name in self.real:
            monkeypatch.setattr(os, name, getattr(self, name))
        monkeypatch.setattr(os, "fdatasync", self.fsync, raising=False)

    def _count(self) -> bool:
        self.left -= 1
        return self.left == 0

    def open(self, *args: Any, **more: Any) -> int:
        if self._count():
            raise OSError(self.number, os.strerror(self.number))
        handle: int = self.real["open"](*args, **more)
        return handle

    def write(self, handle: int, data: Any) -> int:
        if self._count():
            self.real["write"](handle, bytes(data[: len(data) // 2]))
            raise OSError(self.number, os.strerror(self.number))
        done: int = self.real["write"](handle, data)
        return done

    def fsync(self, handle: int) -> None:
        if self._count():
            raise OSError(self.number, os.strerror(self.number))
        self.real["fsync"](handle)


async def turns(store: SessionStore, count: int, told: list[int]) -> None:
    """Open or create, then so many turns of two calls; a turn is told when it is on disk."""
    is_there = Path(store.path_of("s")).exists()
    opened = store.resume("s", 1.0) if is_there else store.create("s", 1.0)
    recorder = SessionRecorder(opened.log, opened.state, now=lambda: 2.0)
    try:
        for _ in range(count):
            number = recorder.state.turns
            recorder.turn_started(str(number))
            for call in (f"{number}a", f"{number}b"):
                recorder.begun(ToolCall(name="List", id=call))
                recorder.ended(ToolResult(call_id=call, text="x" * 100))
            await recorder.turn_ended(str(number))
            told.append(number)
    finally:
        recorder.close()


def told_until_it_fails(store: SessionStore, told: list[int]) -> str:
    """What the error says, if there is one."""
    try:
        asyncio.run(turns(store, 30, told))
    except SessionError as problem:
        return str(problem)
    return ""


@pytest.mark.torture
@pytest.mark.parametrize("error", ERRORS)
def test_the_nth_failure_loses_nothing_that_was_told(
    error: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures = 0
    for nth in range(1, 201, STRIDE):
        store = SessionStore(tmp_path / str(nth) / "sessions")
        told: list[int] = []
        with monkeypatch.context() as patched:
            NthFails(nth, ERRORS[error], patched)
            said = told_until_it_fails(store, told)
        if said:
            failures += 1
            assert os.strerror(ERRORS[error]) in said
            assert "recorded before is intact" in said
        asyncio.run(turns(store, 2, told))  # the disk is well again
        content = read_log(store.path_of("s"))
        assert content.damage == []
        ended = [one.turn_id for _, one in content.records if isinstance(one, TurnEnded)]
        assert set(map(str, told)) <= set(ended)
        results = [one.call_id for _, one in content.records if isinstance(one, CallEnded)]
        assert {f"{one}{which}" for one in told for which in "ab"} <= set(results)
    assert failures >= len(range(1, 201, STRIDE)) * 0.7


def test_a_sync_that_failed_is_not_believed_the_second_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system reports a failed write-back once, and then as if nothing had been."""
    opened = SessionStore(tmp_path / "sessions").create("s", 1.0)
    opened.log.append([Named(title="T")])
    with monkeypatch.context() as patched:
        NthFails(1, errno.EIO, patched)
        with pytest.raises(SessionError, match="Input/output error"):
            opened.log.sync()
    with pytest.raises(SessionError, match="Input/output error"):
        opened.log.sync()
    opened.log.close()


def test_a_checkpoint_that_cannot_be_written_fails_no_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorder_module, "RECORDS_PER_CHECKPOINT", 2)
    opened = SessionStore(tmp_path / "sessions").create("s", 1.0)
    recorder = SessionRecorder(opened.log, opened.state, now=lambda: 2.0)
    recorder.note(Named(title="one"))
    with monkeypatch.context() as patched:
        NthFails(2, errno.ENOSPC, patched)
        recorder.note(Named(title="two"))
    recorder.note(Named(title="three"))
    recorder.close()
    content = read_log(opened.log.path)
    assert [one.title for _, one in content.records if isinstance(one, Named)] == [
        *["one", "two", "three"]
    ]
    assert content.damage == []


# ── real processes ────────────────────────────────────────────────────────────────────────────
def on_a_small_disk(
    work: Path, kilobytes: int, given: bytes, *more: str
) -> tuple[int, bytes, bytes]:
    """A batch in a process that can write no longer files than this; code, output, errors."""
    limited = ["bash", "-c", f'ulimit -f {kilobytes}; exec "$@"', "bash"]
    done = subprocess.run(
        [*limited, *COMMAND, "exec", "--batch", "--session", "full", *more],
        cwd=work,
        env=environment(),
        input=given,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert b"Traceback" not in done.stderr
    return done.returncode, done.stdout, done.stderr


def test_a_full_disk_ends_the_run_with_a_clear_error(tmp_path: Path, own_home: Path) -> None:
    line = b'{"id": 1, "tool": "List", "params": {"path": "."}}\n'
    code, out, said = on_a_small_disk(tmp_path, 20, line * 300, "--set", "undo.enabled=false")
    assert code == 2
    assert b"File too large" in said
    store = SessionStore(own_home / ".local/state/ankrcode/sessions")
    told = out.count(b'"ok":true')
    assert 3 < told < 300
    content = read_log(store.path_of("full"))
    assert content.damage == []
    turns = sum(isinstance(one, TurnEnded) for _, one in content.records)
    assert turns >= told
    done = ankrcode("exec", "List", "path=.", "--session", "full", cwd=tmp_path)
    assert done.returncode == 0


def test_a_call_whose_intent_cannot_be_written_does_not_run(tmp_path: Path) -> None:
    """The line itself is longer than what fits: nothing is written, here or there."""
    params = {"file_path": "a", "content": "x" * 40_000}
    line = json.dumps({"id": 1, "tool": "Write", "params": params}).encode()
    _, out, _ = on_a_small_disk(tmp_path, 30, line, "--permission-mode", "bypass")
    assert b'"ok":true' not in out
    assert list(tmp_path.iterdir()) == []


# ── state folders ─────────────────────────────────────────────────────────────────────────────
def test_a_state_folder_that_is_a_file_is_told(tmp_path: Path, own_home: Path) -> None:
    (own_home / "state").write_text("x", encoding="utf-8")
    env = {"XDG_STATE_HOME": str(own_home / "state")}
    for command in (["exec", "List", "path=.", "--session", "s"], ["sessions", "list"]):
        done = ankrcode(*command, cwd=tmp_path, env=env)
        assert done.returncode == 2
        assert "cannot be used" in done.stderr


def test_where_nothing_was_recorded_nothing_is_listed_and_nothing_made(
    tmp_path: Path, own_home: Path
) -> None:
    done = ankrcode("sessions", "list", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    assert not (own_home / ".local/state/ankrcode/sessions").exists()


def test_sessions_in_a_folder_that_cannot_be_written_can_still_be_read(tmp_path: Path) -> None:
    from ankrcode.sessions.index import SessionIndex

    store = SessionStore(tmp_path / "sessions")
    opened = store.create("s", 1.0, cwd="/w")
    opened.log.append([Named(title="findable")])
    opened.log.close()
    with ordinary_person(tmp_path):
        store.folder.chmod(0o500)
        Path(store.path_of("s")).chmod(0o400)
        assert [one.title for one in SessionIndex(store).sessions()] == ["findable"]
        with pytest.raises(SessionError, match="Permission denied"):
            store.create("t", 1.0)
        with pytest.raises(SessionError, match="Permission denied"):
            store.resume("s", 1.0)
        with pytest.raises(SessionError, match="Permission denied"):
            store.delete("s")
    assert restore(store.path_of("s"))[0].title == "findable"


def test_a_network_folder_without_locks_is_refused_not_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SessionStore(tmp_path / "sessions")
    store.create("s", 1.0).log.close()

    def no_locks(handle: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", no_locks)
    with pytest.raises(SessionError, match="No locks available"):
        SessionLog(store.path_of("s"))


# ── two at once ───────────────────────────────────────────────────────────────────────────────
def test_two_processes_on_one_session_are_told_apart_and_may_fork(
    tmp_path: Path, own_home: Path
) -> None:
    call = {"id": 1, "tool": "List", "params": {"path": "."}}
    with Batch(tmp_path, "--session", "one") as first:
        assert first.ask(call)["ok"]
        second = ankrcode("exec", "List", "path=.", "--session", "one", cwd=tmp_path)
        assert second.returncode == 2
        assert "another process" in second.stderr
        assert "--session one --fork" in second.stderr
        forked = ankrcode(
            *("exec", "List", "path=.", "--json", "--session", "one", "--fork"), cwd=tmp_path
        )
        assert forked.returncode == 0, forked.stderr
        assert answers(forked)[0]["ok"]
        assert first.ask(call)["ok"]
    store = SessionStore(own_home / ".local/state/ankrcode/sessions")
    ids = store.ids()
    assert len(ids) == 2
    (other,) = set(ids) - {"one"}
    assert other in forked.stderr
    assert restore(store.path_of("one"))[0].calls == 2
    state, _ = restore(store.path_of(other))
    assert (state.calls, state.forked_from) == (2, "one")


WRITER = """
import asyncio, sys
from pathlib import Path
from ankrcode import Toolkit

async def main(name, turns, folder):
    kit = Toolkit(cwd=folder, session_id=name, records=True)
    for number in range(turns):
        async with kit.session.turn():
            await kit.call("Glob", {"pattern": f"{name}-{number}"})
    kit.close()

asyncio.run(main(sys.argv[1], int(sys.argv[2]), sys.argv[3]))
"""


@pytest.mark.torture
def test_eight_processes_share_one_state_folder(tmp_path: Path, own_home: Path) -> None:
    count = 200 if IS_TORTURE else 15
    writers = [
        subprocess.Popen([*COMMAND[:2], "-c", WRITER, f"w{number}", str(count), tmp_path])
        for number in range(8)
    ]
    assert [one.wait(300) for one in writers] == [0] * 8
    store = SessionStore(own_home / ".local/state/ankrcode/sessions")
    assert sorted(store.ids()) == [f"w{number}" for number in range(8)]
    for name in store.ids():
        content = read_log(store.path_of(name))
        assert content.damage == []
        calls = [one.call.arguments for _, one in content.records if isinstance(one, CallBegun)]
        assert calls == [{"pattern": f"{name}-{one}"} for one in range(count)]
        assert sum(isinstance(one, CallEnded) for _, one in content.records) == count
