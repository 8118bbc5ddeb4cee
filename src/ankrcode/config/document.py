"""A settings file as data: bounded, and every fault named with its place."""

import os
from pathlib import Path
from typing import Any

import msgspec

from ankrcode.config.faults import shown
from ankrcode.config.limits import MAX_SETTINGS_BYTES
from ankrcode.errors import SettingsError, ToolError
from ankrcode.words import advice, say
from ankrcode.workspace.files import read_whole

BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def read_document(path: Path) -> dict[str, Any]:
    """What the file says; a file that is missing or empty says nothing."""
    return parse_document(read_file(path), path)


def read_file(path: Path) -> bytes:
    """The bytes of the file; none where there is no file."""
    try:
        os.stat(path)  # noqa: PTH116
        return read_whole(str(path), MAX_SETTINGS_BYTES)[0]
    except (FileNotFoundError, NotADirectoryError):
        return b""
    except OSError as problem:
        raise SettingsError.of("settings_unreadable", path=path, why=problem.strerror) from None
    except ToolError as problem:
        # Its advice is for models, which have tools; who reads this has an editor.
        mend = advice("settings_unreadable", path=path, why=problem.message)
        raise SettingsError(
            problem.message, suggestion=mend, key=problem.key, values=problem.values
        ) from None


def parse_document(raw: bytes, path: Path) -> dict[str, Any]:
    """The one JSON object these bytes hold."""
    raw = raw.removeprefix(BYTE_ORDER_MARK)
    if not raw.strip():
        return {}
    try:
        raw.decode()
        document = msgspec.json.decode(raw)
    except UnicodeDecodeError as problem:
        raise _misplaced(raw, problem.start, say("settings_not_unicode"), path) from None
    except msgspec.DecodeError as problem:
        raise _malformed(raw, str(problem), path) from None
    except RecursionError:
        raise SettingsError.of(
            "settings_unreadable", path=path, why=say("settings_too_deep")
        ) from None
    if not isinstance(document, dict):
        got = shown(document)
        raise SettingsError.of(
            "settings_unreadable", path=path, why=say("settings_no_object", got=got)
        )
    return document


def _malformed(raw: bytes, said: str, path: Path) -> SettingsError:
    """The parser says '… (byte 17)'; only text that ends too soon has no such place."""
    why, has_place, place = said.removesuffix(")").partition(" (byte ")
    offset = int(place) if has_place else len(raw.rstrip())
    return _misplaced(raw, offset, why, path)


def _misplaced(raw: bytes, offset: int, why: str, path: Path) -> SettingsError:
    before = raw[:offset]
    line = before.count(b"\n") + 1
    column = len(before.rpartition(b"\n")[2].decode(errors="replace")) + 1
    return SettingsError.of("settings_misplaced", path=path, line=line, column=column, why=why)
