"""What an agent has read: no write over a version nobody looked at."""

import os
from pathlib import Path

import pytest

from ankrcode.errors import ToolError
from ankrcode.workspace import reads
from ankrcode.workspace.reads import FileVersion, ReadRecord, ReadState, version_of


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "a.txt"
    file.write_text("one\n", encoding="utf-8")
    return file


def state_with(file: Path) -> ReadState:
    state = ReadState()
    version = version_of(str(file))
    assert version is not None
    state.record(str(file), ReadRecord(version=version))
    return state


def refused(state: ReadState, file: Path) -> str:
    with pytest.raises(ToolError) as caught:
        state.check_current(str(file))
    assert caught.value.details["path"] == str(file)
    assert caught.value.suggestion
    return str(caught.value.code)


@pytest.mark.requirement("S4-156")
def test_a_file_that_was_read_and_left_alone_is_current(file: Path) -> None:
    assert state_with(file).check_current(str(file)).is_whole


def test_a_file_that_was_never_read_is_refused(file: Path) -> None:
    assert refused(ReadState(), file) == "NOT_READ"


def test_a_forgotten_file_counts_as_unread(file: Path) -> None:
    state = state_with(file)
    state.forget(str(file))
    state.forget(str(file))  # twice is harmless
    assert refused(state, file) == "NOT_READ"


@pytest.mark.requirement("S4-157")
def test_a_change_is_seen_even_within_one_tick_of_the_clock(file: Path) -> None:
    state, status = state_with(file), file.stat()
    file.write_text("two\n", encoding="utf-8")  # as many bytes as before
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert refused(state, file) == "CHANGED_SINCE_READ"


@pytest.mark.requirement("S4-157")
def test_a_touched_file_counts_as_changed(file: Path) -> None:
    state = state_with(file)
    os.utime(file, ns=(1, 1))
    assert refused(state, file) == "CHANGED_SINCE_READ"


def test_a_removed_file_counts_as_changed(file: Path) -> None:
    state = state_with(file)
    file.unlink()
    assert refused(state, file) == "CHANGED_SINCE_READ"


def test_a_pipe_in_place_of_the_file_never_blocks(file: Path) -> None:
    state = state_with(file)
    file.unlink()
    os.mkfifo(file)
    assert refused(state, file) == "CHANGED_SINCE_READ"


def test_a_version_tells_size_time_and_content(file: Path) -> None:
    before = version_of(str(file))
    assert before is not None
    assert (before.size, before.mtime_ns) == (4, file.stat().st_mtime_ns)
    copy = file.with_name("copy")
    copy.write_text("one\n", encoding="utf-8")
    other = version_of(str(copy))
    assert other is not None
    assert other.digest == before.digest
    assert version_of(str(file.with_name("missing"))) is None


def test_the_oldest_reads_are_forgotten_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reads, "MAX_REMEMBERED", 2)
    state = ReadState()
    record = ReadRecord(version=FileVersion(size=0, mtime_ns=0, digest=""))
    for path in ("/a", "/b", "/a", "/c"):
        state.record(path, record)
    assert [path for path in ("/a", "/b", "/c") if state.get(path)] == ["/a", "/c"]


def test_a_window_is_not_the_whole() -> None:
    version = FileVersion(size=0, mtime_ns=0, digest="")
    assert ReadRecord(version=version).is_whole
    assert not ReadRecord(version=version, offset=1, limit=5).is_whole


# ── the whole file, and what changed ──────────────────────────────────────────────────────────
def test_who_overwrites_must_have_seen_the_whole_file(file: Path) -> None:
    state = state_with(file)
    assert state.check_whole(str(file)).is_whole
    version = version_of(str(file))
    assert version is not None
    state = ReadState()
    state.record(str(file), ReadRecord(version=version, offset=3, limit=5))
    with pytest.raises(ToolError) as caught:
        state.check_whole(str(file))
    assert caught.value.code == "NOT_READ"
    assert "lines 3 to 7" in caught.value.message
    assert state.check_current(str(file)).offset == 3


def test_a_change_from_outside_is_shown(file: Path) -> None:
    state = state_with(file)
    record = state.get(str(file))
    assert record is not None
    state.keep(record.version, b"one\n")
    file.write_text("two\n", encoding="utf-8")
    with pytest.raises(ToolError) as caught:
        state.check_current(str(file))
    shown = caught.value.details["diff"]
    assert "-one" in shown
    assert "+two" in shown
    assert shown in str(caught.value)


@pytest.mark.parametrize("become", ["gone", "binary", "pipe"])
def test_where_there_is_nothing_to_compare_the_change_is_only_told(become: str, file: Path) -> None:
    state = state_with(file)
    record = state.get(str(file))
    assert record is not None
    state.keep(record.version, b"one\n")
    if become == "binary":
        file.write_bytes(b"\0\1\2")
    else:
        file.unlink()
    if become == "pipe":
        os.mkfifo(file)
    assert refused(state, file) == "CHANGED_SINCE_READ"


def test_keeping_a_content_is_no_read(file: Path) -> None:
    state = ReadState()
    version = version_of(str(file))
    assert version is not None
    state.keep(version, b"one\n")
    assert refused(state, file) == "NOT_READ"


def test_what_is_kept_is_bounded(monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
    monkeypatch.setattr(reads, "MAX_KEPT_BYTES", 100)
    monkeypatch.setattr(reads, "MAX_KEPT_FILE_BYTES", 60)
    state = ReadState()
    for letter in (b"a", b"b", b"c"):
        version = FileVersion(size=50, mtime_ns=0, digest=letter.decode())
        state.keep(version, letter * 50)
        state.keep(version, letter * 50)  # twice is once
    state.keep(FileVersion(size=61, mtime_ns=0, digest="d"), b"d" * 61)
    assert list(state._contents) == ["b", "c"]


# ── other names ───────────────────────────────────────────────────────────────────────────────
RECORD = ReadRecord(version=FileVersion(size=0, mtime_ns=0, digest=""))


def test_what_was_read_of_a_folder_is_forgotten_and_moved_with_it() -> None:
    state = ReadState()
    for path in ("/a/x", "/a/b/y", "/ab/z"):
        state.record(path, RECORD)
    state.move("/a", "/new/a")
    assert [path for path in ("/a/x", "/a/b/y", "/ab/z") if state.get(path)] == ["/ab/z"]
    assert state.get("/new/a/x")
    assert state.get("/new/a/b/y")
    state.forget("/new/a")
    assert not state.get("/new/a/x")
    assert state.get("/ab/z")


def test_what_was_read_of_a_file_that_is_overwritten_by_a_move_is_gone() -> None:
    state = ReadState()
    state.record("/old", RECORD)
    state.move("/unread", "/old")
    assert not state.get("/old")
