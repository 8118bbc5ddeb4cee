"""The power fails: what was not put on disk is gone, and no turn that was told is among it."""

import asyncio
import errno
import os
import random
import stat
from pathlib import Path
from typing import Any

import pytest

from ankrcode import Toolkit
from ankrcode.config.settings import Settings, UndoSettings
from ankrcode.errors import SessionError
from ankrcode.protocol.call import ToolCall
from ankrcode.protocol.result import ToolResult
from ankrcode.sessions.log import read_log
from ankrcode.sessions.recorder import SessionRecorder
from ankrcode.sessions.records import CallBegun, CallEnded, Named, TurnEnded
from ankrcode.sessions.restore import restore
from ankrcode.sessions.store import SessionStore
from torture import IS_TORTURE


class Disk:
    """Stands between the program and the system, and knows what a power cut would leave.

    A file's bytes are safe once the file was synced, its name once its folder was.
    """

    def __init__(self, below: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.below = str(below)
        self.safe_names: set[str] = {self.below}
        self.safe_bytes: dict[str, bytes] = {}
        self.images: list[dict[str, bytes | None]] = []
        self.chance = random.Random(None if IS_TORTURE else 6)
        self.opened: dict[int, str] = {}
        self.real = {name: getattr(os, name) for name in ("open", "write", "fsync", "ftruncate")}
        for name in self.real:
            monkeypatch.setattr(os, name, getattr(self, name))
        monkeypatch.setattr(os, "fdatasync", self.fsync, raising=False)

    def open(self, path: Any, flags: int, mode: int = 0o777, **more: Any) -> int:
        handle: int = self.real["open"](path, flags, mode, **more)
        if str(path).startswith(self.below):
            self.opened[handle] = str(path)
            self.cut()
        else:
            self.opened.pop(handle, None)
        return handle

    def write(self, handle: int, data: Any) -> int:
        done: int = self.real["write"](handle, data)
        if handle in self.opened:
            self.cut()
        return done

    def ftruncate(self, handle: int, length: int) -> None:
        self.real["ftruncate"](handle, length)

    def fsync(self, handle: int) -> None:
        self.real["fsync"](handle)
        path = self.opened.get(handle)
        if path is None:
            return
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            self.safe_names |= {str(one) for one in Path(path).iterdir()}
        else:
            self.safe_bytes[path] = Path(path).read_bytes()
        self.cut()

    def cut(self) -> None:
        """The power could fail now: what would be found?"""
        image: dict[str, bytes | None] = {}
        for path in sorted(Path(self.below).rglob("*")):
            above = {str(one) for one in (path, *path.parents) if str(one).startswith(self.below)}
            if not above <= self.safe_names:
                continue
            image[str(path)] = None if path.is_dir() else self._left(path)
        self.images.append(image)

    def _left(self, path: Path) -> bytes:
        """What was synced, and of the rest as much as the disk happened to get to."""
        safe = self.safe_bytes.get(str(path), b"")
        rest = path.read_bytes()[len(safe) :]
        kept = self.chance.choice([0, 0, self.chance.randint(0, len(rest))])
        return safe + rest[:kept]


def restored_to(image: dict[str, bytes | None], below: Path, place: Path) -> Path:
    """The files that a power cut left, somewhere else."""
    place.mkdir()
    for path, content in image.items():
        there = place / Path(path).relative_to(below)
        if content is None:
            there.mkdir()
        else:
            there.write_bytes(content)
    return place


def results_in(store: SessionStore, session: str) -> set[str]:
    records = [one for _, one in read_log(store.path_of(session)).records]
    begun = {one.call.id: str(one.call.arguments) for one in records if isinstance(one, CallBegun)}
    return {
        begun[one.call_id]
        for one in records
        if isinstance(one, CallEnded) and not one.interrupted and one.call_id in begun
    }


def test_no_turn_that_was_told_is_lost_wherever_the_power_fails(
    tmp_path: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = Disk(own_home, monkeypatch)
    told: list[tuple[int, str]] = []  # after so many images, this turn was told

    async def work() -> None:
        settings = Settings(undo=UndoSettings(enabled=False))
        kit = Toolkit(cwd=tmp_path, session_id="s", records=True, settings=settings)
        assert kit.session is not None
        for number in range(60 if IS_TORTURE else 8):
            arguments = {"pattern": f"{number}*"}
            async with kit.session.turn():
                await kit.call("Glob", arguments)
            told.append((len(disk.images), str(arguments)))
        kit.close()

    asyncio.run(work())
    monkeypatch.undo()
    assert len(disk.images) > 3 * len(told)
    for number, image in enumerate(disk.images):
        place = restored_to(image, own_home, tmp_path / f"after-{number}")
        store = SessionStore(place / ".local/state/ankrcode/sessions")
        expected = {arguments for at, arguments in told if at <= number}
        if not expected and not store.ids():
            continue
        assert expected <= results_in(store, "s")
        opened = store.resume("s", 1.0)
        opened.log.append([Named(title="on")])
        opened.log.close()
        assert restore(store.path_of("s"))[0].title == "on"


def test_the_disk_of_this_test_does_lose_what_is_not_synced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise the test above would prove nothing."""
    disk = Disk(tmp_path, monkeypatch)
    disk.chance.choice = lambda options: options[0]  # type: ignore[method-assign, assignment]
    handle = os.open(tmp_path / "f", os.O_CREAT | os.O_WRONLY)
    os.write(handle, b"one")
    os.fsync(handle)
    assert disk.images[-1] == {}
    folder = os.open(tmp_path, os.O_RDONLY)
    os.fsync(folder)
    os.write(handle, b"two")
    assert disk.images[-1] == {str(tmp_path / "f"): b"one"}
    os.fsync(handle)
    assert disk.images[-1] == {str(tmp_path / "f"): b"onetwo"}
    os.close(handle)
    os.close(folder)


# ── while the disk is at work ─────────────────────────────────────────────────────────────────
class SlowDisk:
    """`os.fsync` that waits until it is let go; counts."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        import threading

        self.may_end = threading.Event()
        self.has_begun = threading.Event()
        self.count = 0
        for name in ("fsync", "fdatasync"):
            monkeypatch.setattr(os, name, self, raising=False)

    def __call__(self, handle: int) -> None:
        self.count += 1
        self.has_begun.set()
        assert self.may_end.wait(10)


def recorder_in(tmp_path: Path) -> SessionRecorder:
    opened = SessionStore(tmp_path / "sessions").create("s", 1.0)
    opened.log.sync()  # its name too: from here on each sync is one
    return SessionRecorder(opened.log, opened.state, now=lambda: 2.0)


def test_what_is_noted_while_the_disk_is_at_work_is_synced_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> None:
        recorder = recorder_in(tmp_path)
        disk = SlowDisk(monkeypatch)
        recorder.note(Named(title="one"))
        recorder.sync_soon()
        await asyncio.to_thread(disk.has_begun.wait, 10)
        recorder.note(Named(title="two"))  # the request goes out, an answer comes
        disk.may_end.set()
        await recorder.synced()
        assert disk.count == 2
        await recorder.synced()
        assert disk.count == 2  # nothing to do is free
        recorder.close()

    asyncio.run(work())


def test_the_loop_goes_on_while_the_disk_is_at_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> None:
        recorder = recorder_in(tmp_path)
        disk = SlowDisk(monkeypatch)
        recorder.ended(ToolResult(call_id="c", text="x"))
        ending = asyncio.ensure_future(recorder.turn_ended("t"))
        await asyncio.to_thread(disk.has_begun.wait, 10)
        recorder.begun(ToolCall(name="List", id="d"))  # another agent's call
        assert not ending.done()  # and nobody is told
        disk.may_end.set()
        await ending
        recorder.close()

    asyncio.run(work())


def test_closing_waits_until_the_disk_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> None:
        recorder = recorder_in(tmp_path)
        disk = SlowDisk(monkeypatch)
        recorder.note(Named(title="one"))
        recorder.sync_soon()
        await asyncio.to_thread(disk.has_begun.wait, 10)
        closing = asyncio.ensure_future(asyncio.to_thread(recorder.close))
        assert recorder.log.path
        disk.may_end.set()
        await closing
        await recorder.synced()

    asyncio.run(work())


def test_a_cancelled_turn_still_reaches_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> None:
        recorder = recorder_in(tmp_path)
        disk = SlowDisk(monkeypatch)
        ending = asyncio.ensure_future(recorder.turn_ended("t"))
        await asyncio.to_thread(disk.has_begun.wait, 10)
        ending.cancel()
        disk.may_end.set()
        with pytest.raises(asyncio.CancelledError):
            await ending
        await recorder.synced()
        assert disk.count == 1
        recorder.close()
        records = [one for _, one in read_log(recorder.log.path).records]
        assert isinstance(records[-1], TurnEnded)

    asyncio.run(work())


def test_the_name_of_a_new_session_is_on_disk_with_its_first_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []

    def noted(handle: int) -> None:
        synced.append(Path(f"/proc/self/fd/{handle}").readlink().name)

    for name in ("fsync", "fdatasync"):
        monkeypatch.setattr(os, name, noted, raising=False)
    log = SessionStore(tmp_path / "made" / "too" / "sessions").create("s", 1.0).log
    assert synced == [], "nobody waits for it before the first request"
    log.sync()
    named = ["s.jsonl", "sessions", tmp_path.name, "made", "too"]
    assert synced == named, "with every folder that was made for it"
    log.append([TurnEnded(turn_id="t")])
    log.sync()
    assert synced == [*named, "s.jsonl"]
    log.close()


def test_a_folder_that_could_not_be_synced_is_not_taken_for_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = SessionStore(tmp_path / "sessions").create("s", 1.0).log

    def fails(handle: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", fails)
        with pytest.raises(SessionError):
            log.sync()
    with pytest.raises(SessionError):
        log.sync()
    log.close()
