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
    assert caught.value.details == {"path": str(file)}
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
