"""Files as an agent needs them: bounded, and every failure is one of our own errors."""

import errno
import os
from pathlib import Path

import pytest

from ankrcode.errors import ToolError
from ankrcode.workspace.files import file_error, modified_time, read_whole


def fault_of(path: Path | str, max_bytes: int = 100) -> ToolError:
    with pytest.raises(ToolError) as caught:
        read_whole(str(path), max_bytes)
    return caught.value


def test_the_bytes_and_the_status_are_of_the_same_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 100)
    content, status = read_whole(str(tmp_path / "a"), 100)
    assert content == b"x" * 100
    assert (status.st_size, status.st_ino) == (100, (tmp_path / "a").stat().st_ino)


def test_one_byte_too_many_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 101)
    fault = fault_of(tmp_path / "a")
    assert fault.code == "TOO_LARGE"
    assert fault.details["size"] == 101


def test_a_file_that_hides_its_size_is_read_up_to_the_limit() -> None:
    content, status = read_whole("/proc/self/maps", 50)
    assert status.st_size == 0
    assert len(content) == 50


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda path: None, "FILE_NOT_FOUND"),
        (lambda path: path.mkdir(), "IS_A_DIRECTORY"),
        (os.mkfifo, "INVALID_PATH"),
        (lambda path: path.symlink_to("/dev/null"), "INVALID_PATH"),
        (lambda path: path.symlink_to(path), "INVALID_PATH"),
        (lambda path: path.symlink_to("nowhere"), "FILE_NOT_FOUND"),
    ],
    ids=["missing", "folder", "pipe", "device", "loop", "dangling"],
)
def test_what_is_no_ordinary_file_is_refused_by_name(
    make: "object", code: str, tmp_path: Path
) -> None:
    assert callable(make)
    make(tmp_path / "it")
    fault = fault_of(tmp_path / "it")
    assert fault.code == code
    assert str(tmp_path / "it") in fault.message


def test_the_nearest_name_is_offered_but_not_a_far_one(tmp_path: Path) -> None:
    (tmp_path / "README.md").touch()
    assert fault_of(tmp_path / "REDME.md").suggestion == f"Did you mean {tmp_path}/README.md?"
    assert "Did you mean" not in fault_of(tmp_path / "zzz").suggestion


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (errno.EACCES, "PERMISSION_DENIED"),
        (errno.EPERM, "PERMISSION_DENIED"),
        (errno.EROFS, "PERMISSION_DENIED"),
        (errno.ELOOP, "INVALID_PATH"),
        (errno.ENAMETOOLONG, "INVALID_PATH"),
        (errno.ENXIO, "INVALID_PATH"),
        (errno.EISDIR, "IS_A_DIRECTORY"),
        (errno.ENOTDIR, "NOT_A_DIRECTORY"),
        (errno.EIO, "IO_ERROR"),
        (errno.ENOSPC, "IO_ERROR"),
    ],
)
@pytest.mark.requirement("S2-049")
def test_what_the_system_says_becomes_a_code_and_advice(number: int, code: str) -> None:
    fault = file_error("/some/file", OSError(number, os.strerror(number)))
    assert fault.code == code
    assert fault.suggestion


def test_times_are_iso_8601_in_utc(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    os.utime(tmp_path / "a", (0, 1.5))
    assert modified_time((tmp_path / "a").stat()) == "1970-01-01T00:00:01.500000Z"
