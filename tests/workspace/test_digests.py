"""A digest is reused only while nothing can have changed."""

import os
import time
from pathlib import Path

import pytest

from ankrcode.workspace import digests
from ankrcode.workspace.digests import known_digest, remember_digest


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "f").write_bytes(b"content")
    return tmp_path / "f"


def at(status: os.stat_result, monkeypatch: pytest.MonkeyPatch, later_ns: int) -> None:
    """So much time has passed since the file was changed."""
    monkeypatch.setattr(time, "time_ns", lambda: status.st_ctime_ns + later_ns)


def test_a_file_that_has_just_changed_may_change_again_within_the_tick(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    status = file.stat()
    at(status, monkeypatch, 1_000_000)
    remember_digest(status, "early")
    assert known_digest(status) is None
    at(status, monkeypatch, 4_000_000_000)
    remember_digest(status, "settled")
    assert known_digest(file.stat()) == "settled"


def test_a_clock_of_whole_seconds_is_given_more_time(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = file.stat()
    coarse = os.stat_result((*real[:10], *([0.0] * 3), 1, 1, 5_000_000_000))
    assert coarse.st_ctime_ns == 5_000_000_000
    at(coarse, monkeypatch, 2_000_000_000)
    remember_digest(coarse, "early")
    assert known_digest(coarse) is None


@pytest.mark.parametrize("change", ["content", "size", "time", "mode", "another file"])
def test_any_change_shows_though_its_time_is_set_back(
    change: str, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    status = file.stat()
    at(status, monkeypatch, 4_000_000_000)
    remember_digest(status, "before")
    if change == "content":
        file.write_bytes(b"CONTENT")
    elif change == "size":
        file.write_bytes(b"more content")
    elif change == "mode":
        file.chmod(0o600)
    elif change == "another file":
        file.rename(file.with_name("g"))
        file.write_bytes(b"content")
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert known_digest(file.stat()) is None


def test_what_is_known_is_bounded(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(digests, "_MAX_KNOWN", 3)
    for number in range(6):
        other = file.with_name(str(number))
        other.write_bytes(b"x" * number)
        at(other.stat(), monkeypatch, 4_000_000_000)
        remember_digest(other.stat(), str(number))
    assert list(digests._known.values()) == ["3", "4", "5"]
