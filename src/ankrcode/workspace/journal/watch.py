"""Which folders changed since the last look: the system's own notices (inotify), by ctypes.

Without them – another system, too many folders, a queue that overflowed, a folder with another
name – the answer is "unknown", and whoever asked looks at everything.
"""

import os
import struct
import sys
from functools import cache
from pathlib import Path
from typing import Any

_MODIFY, _ATTRIB, _CLOSE_WRITE = 0x2, 0x4, 0x8
_MOVED_FROM, _MOVED_TO, _CREATE, _DELETE = 0x40, 0x80, 0x100, 0x200
_DELETE_SELF, _MOVE_SELF = 0x400, 0x800
_ONLY_FOLDERS, _NO_LINKS = 0x01000000, 0x02000000
_MASK = (_MODIFY | _ATTRIB | _CLOSE_WRITE | _MOVED_FROM | _MOVED_TO | _CREATE | _DELETE) | (
    _DELETE_SELF | _MOVE_SELF | _ONLY_FOLDERS | _NO_LINKS
)
_OVERFLOW, _IGNORED = 0x4000, 0x8000
_EVENT = struct.Struct("iIII")
_READ_BYTES = 1 << 20
_MAX_FOLDERS = 60_000
_LONG = 1_000  # a path is looked up name by name: by its handle it is found at once
_LIMIT = Path("/proc/sys/fs/inotify/max_user_watches")


class Watch:
    def __init__(self) -> None:
        self._handle = -1
        self._folders: dict[int, str] = {}
        self._is_whole = False

    def begin(self) -> None:
        """From now on; folders are named by `add`, each before its names are read."""
        self.close()
        if sys.platform.startswith("linux"):
            self._handle = _libc().inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        self._is_whole = self._handle >= 0

    def add(self, folder: str, handle: int) -> None:
        """`handle`: the folder itself, open, for its path may be longer than the system takes."""
        if not self._is_whole:
            return
        path = folder if len(folder) < _LONG else f"/proc/self/fd/{handle}/."
        number = _libc().inotify_add_watch(self._handle, os.fsencode(path), _MASK)
        if number >= 0 and len(self._folders) < most_folders():
            self._folders[number] = folder
        elif os.path.isdir(path):
            self.close()

    def touched(self) -> set[str] | None:
        """The folders in which something changed since the last call; None if that is not known."""
        found: set[str] = set()
        while self._is_whole and (data := self._read()):
            place = 0
            while place < len(data):
                number, mask, _, length = _EVENT.unpack_from(data, place)
                place += _EVENT.size + length
                if mask & (_OVERFLOW | _MOVE_SELF):
                    self._is_whole = False
                elif number in self._folders:
                    found.add(self._folders[number])
                    if mask & _IGNORED:  # it is gone; there may be another one of its name
                        del self._folders[number]
        return found if self._is_whole else None

    def close(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)
        self._handle, self._folders, self._is_whole = -1, {}, False

    def __del__(self) -> None:
        """A forgotten one keeps no handle: the system has few of them."""
        self.close()

    def _read(self) -> bytes:
        try:
            return os.read(self._handle, _READ_BYTES)
        except BlockingIOError:
            return b""


@cache
def most_folders() -> int:
    """Half of what the system lets the person have: their editor needs some too."""
    try:
        return min(_MAX_FOLDERS, int(_LIMIT.read_text(encoding="ascii")) // 2)
    except (OSError, ValueError):
        return 0


@cache
def _libc() -> Any:
    import ctypes  # slow to load: only who changes something pays

    return ctypes.CDLL(None, use_errno=True)
