"""The way to a folder, kept open: whoever goes through a whole tree takes each step once.

Walking to every name from the top costs the depth of the tree for each; from where the last one
was, it is a step or two. As in `writing.folders` no step follows a link, and no step needs a whole
path, so a tree may be deeper than the system's longest path. Only the last few folders stay open:
further up it goes by `..`, which must lead where the way down came from, or all is walked anew.
"""

import os
from contextlib import suppress

from ankrcode.workspace.writing.folders import Place, stepped

_MOST_OPEN = 32
_TOP = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_PASSED = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC


class _Level:
    """A folder on the way: open, or how to know it again."""

    __slots__ = ("handle", "identity")

    def __init__(self, handle: int) -> None:
        self.handle = handle
        status = os.fstat(handle)
        self.identity = status.st_dev, status.st_ino

    def close(self) -> None:
        if self.handle >= 0:
            os.close(self.handle)
        self.handle = -1


class Way:
    """For one piece of work, in one thread. `tops`: folders to begin at, be it through a link."""

    def __init__(self, *tops: str) -> None:
        self._tops = tops
        self._top = ""
        self._path = ""  # of the last level
        self._levels: list[_Level] = []

    def __enter__(self) -> "Way":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        for level in self._levels[-_MOST_OPEN - 1 :]:
            level.close()
        self._levels.clear()

    def to(self, folder: str, *, makes: bool = False) -> int:
        """A handle of the folder at a real absolute path, good until the next call.

        `makes` creates what is missing of it.
        """
        folder = folder.rstrip("/")
        if not self._levels or not _holds(self._top, folder):
            self._begin(folder)
        while not _holds(self._path, folder):
            if not self._up():
                self._begin(folder)
        while len(self._path) < len(folder):
            self._down(folder, makes=makes)
        return self._levels[-1].handle

    def place(self, path: str) -> Place:
        """A name in its folder, good until the next call."""
        folder, _, name = path.rpartition("/")
        return Place(self.to(folder), name)

    def _begin(self, folder: str) -> None:
        self.close()
        fitting = (one.rstrip("/") for one in self._tops)
        self._top = max((one for one in fitting if _holds(one, folder)), key=len, default="")
        try:
            handle = os.open(self._top or "/", _TOP)
        except PermissionError:  # may be passed, though not read
            handle = os.open(self._top or "/", _PASSED)
        self._path, self._levels = self._top, [_Level(handle)]

    def _down(self, folder: str, *, makes: bool) -> None:
        start = len(self._path) + 1
        end = folder.find("/", start)
        end = len(folder) if end < 0 else end
        place = Place(self._levels[-1].handle, folder[start:end])
        try:
            handle = stepped(place, folder)
        except FileNotFoundError:
            if not makes:
                raise
            with suppress(FileExistsError):
                os.mkdir(place.name, dir_fd=place.folder)
            handle = stepped(place, folder)
        self._levels.append(_Level(handle))
        self._path = folder[:end]
        if len(self._levels) > _MOST_OPEN:
            self._levels[-_MOST_OPEN - 1].close()

    def _up(self) -> bool:
        """One folder up; False where it cannot be known any more which one that is."""
        left, above = self._levels[-1], self._levels[-2]
        if above.handle < 0:
            try:
                found = _Level(stepped(Place(left.handle, ".."), self._path))
            except OSError:  # closed or gone meanwhile
                return False
            if found.identity != above.identity:  # somebody moved it
                found.close()
                return False
            above.handle = found.handle
        left.close()
        del self._levels[-1]
        self._path = self._path[: self._path.rindex("/")]
        return True


def _holds(folder: str, path: str) -> bool:
    """Is it the folder itself, or below it? Both without a slash at the end."""
    return path.startswith(folder) and path[len(folder) : len(folder) + 1] in ("", "/")
