"""The log file: only its owner can read it, it holds no secrets, and its size is bounded.

Import this module only where something is logged: it brings in `logging`.
"""

import errno
import logging
import os
import stat
import sys
from collections.abc import Collection
from contextlib import suppress
from datetime import UTC, datetime
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from ankrcode.config.limits import MAX_LOG_LINE_CHARS
from ankrcode.config.paths import make_private
from ankrcode.config.secrets import redact
from ankrcode.config.settings import LogSettings
from ankrcode.errors import SettingsError
from ankrcode.words import say

NAME = "ankrcode"
_OPEN_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def open_log(
    settings: LogSettings, *, debug: bool, folder: Path, known: Collection[str] = ()
) -> logging.Logger:
    """The logger of AnkrCode, writing to `ankrcode.log` in `folder` if the settings ask for it.

    `known` are secrets that are replaced wherever they occur. With `debug` everything is logged,
    and standard error says where. A log that cannot be written never stops the work.
    """
    logger = logging.getLogger(NAME)
    logger.propagate = False
    _close_handlers(logger)
    level = "debug" if debug else settings.level
    path = folder / "ankrcode.log"
    handler = None if level == "off" else _file_handler(path, settings, known)
    if handler is None:
        logger.addHandler(logging.NullHandler())
        logger.setLevel(logging.CRITICAL + 1)
        return logger
    logger.addHandler(handler)
    logger.setLevel(level.upper())
    if debug:
        _tell(say("log_is_at", path=path))
    return logger


class PrivateFileHandler(RotatingFileHandler):
    """A rotating file whose every part has mode 0600 from its first byte."""

    def _open(self) -> TextIOWrapper:
        handle = os.open(self.baseFilename, _OPEN_FLAGS, 0o600)
        try:
            # Anything but an ordinary file could block, or be somebody else's.
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
            os.fchmod(handle, 0o600)
            return open(handle, "a", encoding="utf-8")  # noqa: PTH123
        except OSError:
            os.close(handle)
            raise

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """The disk may be full: say so once and go on without a log."""
        problem = sys.exc_info()[1]
        if isinstance(problem, OSError):
            self.setLevel(logging.CRITICAL + 1)
            with suppress(OSError):  # what is still in the buffer cannot be written either
                self.close()
            _tell_failure(self.baseFilename, problem)
        else:
            super().handleError(record)


class OneLine(logging.Formatter):
    """A record as one line that holds no secret and cannot pretend to be another line."""

    def __init__(self, known: Collection[str]) -> None:
        super().__init__()
        self.known = frozenset(known)

    def format(self, record: logging.LogRecord) -> str:
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        text = _visible(redact(self._text(record), self.known))
        if len(text) > MAX_LOG_LINE_CHARS:
            text = text[:MAX_LOG_LINE_CHARS] + "…"
        return f"{time} {record.levelname} {record.process} {record.name} {text}"

    def _text(self, record: logging.LogRecord) -> str:
        try:
            parts = [record.getMessage()]
        except (TypeError, ValueError, KeyError):  # a wrong format string still tells something
            parts = [f"{record.msg} {record.args}"]
        if record.exc_info:
            parts.append(self.formatException(record.exc_info))
        if record.stack_info:
            parts.append(record.stack_info)
        return "\n".join(parts)


def _file_handler(
    path: Path, settings: LogSettings, known: Collection[str]
) -> PrivateFileHandler | None:
    try:
        make_private(path.parent)
        handler = PrivateFileHandler(
            path, maxBytes=settings.max_bytes, backupCount=settings.files, encoding="utf-8"
        )
    except OSError as problem:
        _tell_failure(path, problem)
        return None
    handler.setFormatter(OneLine(known))
    return handler


def _close_handlers(logger: logging.Logger) -> None:
    for handler in list(logger.handlers):
        logger.removeHandler(handler)
        handler.close()


def _visible(text: str) -> str:
    """Control characters, line ends among them, are shown instead of sent."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


def _tell_failure(path: str | Path, problem: OSError) -> None:
    _tell(str(SettingsError.of("log_failed", path=path, why=problem.strerror)))


def _tell(sentence: str) -> None:
    sys.stderr.write(sentence + "\n")
