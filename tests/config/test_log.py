"""The log file: private, free of secrets, bounded, and never in the way."""

import logging
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from ankrcode.config.log import open_log
from ankrcode.config.settings import LogSettings

# Composed, so that no scanner takes this file for a leak.
TOKEN = "gh" + "p_" + "a1B2c3D4e5" * 4


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "state"
    open_log(LogSettings(), debug=False, folder=tmp_path)  # closes what the test has opened


def log_of(folder: Path) -> str:
    return (folder / "ankrcode.log").read_text(encoding="utf-8")


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_nothing_is_written_unless_asked_for(folder: Path) -> None:
    log = open_log(LogSettings(), debug=False, folder=folder)
    log.critical("on fire")
    assert not folder.exists()


@pytest.mark.parametrize(
    ("level", "written"),
    [
        ("error", {"E"}),
        ("warning", {"E", "W"}),
        ("info", {"E", "W", "I"}),
        ("debug", {"E", "W", "I", "D"}),
    ],
)
def test_the_level_says_how_much_is_written(folder: Path, level: str, written: set[str]) -> None:
    settings = LogSettings(level=level)  # type: ignore[arg-type]
    log = open_log(settings, debug=False, folder=folder)
    log.debug("D")
    log.info("I")
    log.warning("W")
    log.error("E")
    assert {line.split()[-1] for line in log_of(folder).splitlines()} == written


def test_debug_writes_everything_and_says_where(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = open_log(LogSettings(level="error"), debug=True, folder=folder)
    log.debug("details")
    assert log_of(folder).endswith(" details\n")
    assert capsys.readouterr().err == f"The log is in {folder / 'ankrcode.log'}\n"


def test_without_debug_nothing_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    open_log(LogSettings(level="info"), debug=False, folder=folder).info("x")
    assert capsys.readouterr() == ("", "")


def test_a_line_says_when_how_bad_who_and_what(folder: Path) -> None:
    open_log(LogSettings(level="info"), debug=False, folder=folder)
    logging.getLogger("ankrcode.tools").info("read %s", "a.py")
    time, level, process, name, *text = log_of(folder).split()
    assert time.endswith("+00:00")
    assert (level, process, name) == ("INFO", str(os.getpid()), "ankrcode.tools")
    assert text == ["read", "a.py"]


def test_file_and_folder_belong_to_their_owner_alone(folder: Path) -> None:
    open_log(LogSettings(level="info"), debug=False, folder=folder).info("x")
    assert mode_of(folder) == 0o700
    assert mode_of(folder / "ankrcode.log") == 0o600


def test_an_open_log_of_earlier_is_closed_to_others(folder: Path) -> None:
    folder.mkdir()
    old = folder / "ankrcode.log"
    old.write_text("before\n", encoding="utf-8")
    old.chmod(0o644)
    open_log(LogSettings(level="info"), debug=False, folder=folder).info("after")
    assert mode_of(old) == 0o600
    assert log_of(folder).startswith("before\n")


def test_full_files_are_put_aside_and_the_oldest_is_dropped(folder: Path) -> None:
    log = open_log(LogSettings(level="info", max_bytes=10_000, files=2), debug=False, folder=folder)
    for number in range(600):
        log.info("%04d %s", number, "x" * 60)
    files = sorted(folder.iterdir())
    assert [file.name for file in files] == ["ankrcode.log", "ankrcode.log.1", "ankrcode.log.2"]
    assert all(mode_of(file) == 0o600 for file in files)
    assert all(file.stat().st_size <= 10_000 for file in files)
    assert "0599" in log_of(folder)


def test_secrets_are_taken_out_of_message_and_arguments(folder: Path) -> None:
    log = open_log(LogSettings(level="info"), debug=False, folder=folder)
    log.info(f"used {TOKEN}")  # noqa: G004
    log.info("used %s", TOKEN)
    log.info("used %(token)s", {"token": TOKEN})
    assert TOKEN not in log_of(folder)
    assert log_of(folder).count("[redacted:github-token]") == 3


def test_secrets_are_taken_out_of_exceptions_and_stacks(folder: Path) -> None:
    log = open_log(LogSettings(level="info"), debug=False, folder=folder)
    try:
        raise ValueError(f"bad {TOKEN}")
    except ValueError:
        log.exception("failed", stack_info=True)
    assert TOKEN not in log_of(folder)
    assert "ValueError: bad [redacted:github-token]" in log_of(folder)
    assert len(log_of(folder).splitlines()) == 1


def test_known_secrets_are_taken_out_whatever_they_look_like(folder: Path) -> None:
    log = open_log(
        LogSettings(level="info"), debug=False, folder=folder, known={"correct horse battery"}
    )
    log.info("said: correct horse battery staple")
    assert log_of(folder).endswith("said: [redacted:known] staple\n")


@pytest.mark.parametrize(
    "forged",
    [
        "x\n2030-01-01T00:00:00.000+00:00 ERROR 1 ankrcode forged",
        "x\r\nforged",
        "x\u2028forged\x85forged\x0bforged",
        "\x1b[2J\x07",
        "\u202eforged",
        "lone \ud800 surrogate",
        "nul \0",
    ],
)
def test_a_message_cannot_pretend_to_be_another_line(folder: Path, forged: str) -> None:
    log = open_log(LogSettings(level="info"), debug=False, folder=folder)
    log.info(forged)
    log.info("%s", forged)
    text = log_of(folder)
    assert len(text.splitlines()) == 2
    assert text.replace("\n", "").isprintable()


def test_text_of_every_script_is_written_as_it_is(folder: Path) -> None:
    log = open_log(LogSettings(level="info"), debug=False, folder=folder)
    log.info("फ़ाइल पढ़ी गई: नमस्ते.txt")
    assert "फ़ाइल पढ़ी गई: नमस्ते.txt" in log_of(folder)


def test_an_endless_message_is_cut(folder: Path) -> None:
    log = open_log(LogSettings(level="info"), debug=False, folder=folder)
    log.info("x" * 1_000_000)
    assert len(log_of(folder)) < 25_000


def test_a_wrong_format_string_still_tells_something(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = open_log(LogSettings(level="info"), debug=False, folder=folder)
    log.info("%d files, key %s", TOKEN)  # noqa: PLE1206
    assert "%d files" in log_of(folder)
    assert TOKEN not in log_of(folder)
    assert capsys.readouterr().err == ""


def test_a_log_that_is_a_link_is_refused(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder.mkdir()
    precious = tmp_path / "precious"
    precious.write_text("data", encoding="utf-8")
    (folder / "ankrcode.log").symlink_to(precious)
    log = open_log(LogSettings(level="info"), debug=False, folder=folder)
    log.info("x")
    assert precious.read_text(encoding="utf-8") == "data"
    assert capsys.readouterr().err.startswith("There is no log: ")


def test_a_log_that_is_a_pipe_is_refused_without_waiting(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder.mkdir()
    os.mkfifo(folder / "ankrcode.log")
    open_log(LogSettings(level="info"), debug=True, folder=folder).info("x")
    assert capsys.readouterr().err.count("\n") == 1


def test_a_folder_that_cannot_be_made_is_told_once_and_work_goes_on(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder.write_text("in the way", encoding="utf-8")
    log = open_log(LogSettings(level="info"), debug=True, folder=folder)
    log.error("one")
    log.error("two")
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "The work goes on without it." in told


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_told_once_and_work_goes_on(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = open_log(LogSettings(level="info"), debug=False, folder=folder)
    (handler,) = log.handlers
    assert isinstance(handler, logging.FileHandler)
    assert handler.stream
    full = os.open("/dev/full", os.O_WRONLY)
    os.dup2(full, handler.stream.fileno())
    os.close(full)
    log.info("one")
    log.info("two")
    told = capsys.readouterr().err
    assert "No space left on device" in told
    assert told.count("\n") == 1


def test_opening_again_replaces_the_earlier_log(folder: Path, tmp_path: Path) -> None:
    open_log(LogSettings(level="info"), debug=False, folder=folder).info("first")
    log = open_log(LogSettings(level="info"), debug=False, folder=tmp_path / "other")
    log.info("second")
    assert len(log.handlers) == 1
    assert "second" not in log_of(folder)
    assert "second" in log_of(tmp_path / "other")


def test_nothing_reaches_the_loggers_of_others(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    open_log(LogSettings(level="info"), debug=False, folder=folder).info("ours")
    assert caplog.records == []
