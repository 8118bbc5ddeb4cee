"""Protected names that no wall can hold in place: noted before the run, put back after it.

What was there meanwhile is never lost: it is put aside, and the result says where.
"""

import os
import stat
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from msgspec import Struct

from ankrcode.sandbox.kept import stamps
from ankrcode.words import say

_MAX_BYTES, _MAX_ENTRIES = 8 * 1024 * 1024, 2_000
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class Entry(Struct, frozen=True):
    """One file, link or folder as it was."""

    path: str  # below the protected name; empty for itself
    stamp: tuple[int, ...]
    mode: int
    content: bytes | None = b""  # of a file, or where a link leads; None: too much to keep


class _Watched:
    """A name that some guards watch at the same time."""

    def __init__(self, before: list[Entry]) -> None:
        self.before = before
        self.guards = 0


_watched: dict[str, _Watched] = {}
_lock = threading.Lock()


class Guard:
    """The state of protected names at one moment."""

    def __init__(
        self,
        paths: Iterable[str],
        aside: Path,
        *,
        missing: Iterable[str] = (),  # known not to be there
        pinned: Iterable[str] = (),
    ) -> None:
        self._aside = aside
        self._left = _MAX_BYTES
        self._pinned = {path: identity(path) for path in pinned}
        self._missing = tuple(dict.fromkeys(missing))
        self._folders = {os.path.dirname(path) for path in self._missing}  # noqa: PTH120
        self._stamps = stamps(self._folders, time.time_ns())
        with _lock:
            self._before = {
                path: self._shared(path, is_there=True) for path in dict.fromkeys(paths)
            }
            for path in self._missing:
                self._shared(path, is_there=False)

    def restore(self) -> list[str]:
        """Undo what was done to the names since; a line for each that was touched."""
        with _lock:
            moved = (path for path, was in self._pinned.items() if identity(path) != was)
            found = [self._bring_back(path) for path in moved]
            self._left = _MAX_BYTES
            appeared = {path: _watched[path].before for path in self._appeared()}
            for path, before in {**self._before, **appeared}.items():
                if self._is_other(path, before):
                    found.append(self._put_back(path, before))
            self._leave()
        return found

    def _shared(self, path: str, *, is_there: bool) -> list[Entry]:
        """How it was before the first of those that run now: what one made is not the other's."""
        watched = _watched.get(path)
        if watched is None:
            watched = _watched[path] = _Watched(self._noted(path) if is_there else [])
        watched.guards += 1
        return watched.before

    def _leave(self) -> None:
        for path in (*self._before, *self._missing):
            _watched[path].guards -= 1
            if not _watched[path].guards:
                del _watched[path]

    def _appeared(self) -> Iterable[str]:
        """Where a folder is as it was, nothing in it can have."""
        if self._stamps is not None and stamps(self._folders, time.time_ns()) == self._stamps:
            return ()
        return filter(os.path.lexists, self._missing)

    def _is_other(self, path: str, before: list[Entry]) -> bool:
        """A file that was written anew with what it held already is the same."""
        if [one.stamp for one in before] == [one.stamp for one in _entries(path)]:
            return False
        facts = [(one.path, one.mode, one.content) for one in before]
        return facts != [(one.path, one.mode, one.content) for one in self._noted(path)]

    def _noted(self, path: str) -> list[Entry]:
        return [self._with_content(path, entry) for entry in _entries(path)]

    def _with_content(self, top: str, entry: Entry) -> Entry:
        path = os.path.join(top, entry.path) if entry.path else top  # noqa: PTH118
        content: bytes | None = b""
        if stat.S_ISLNK(entry.mode):
            content = os.readlink(os.fsencode(path))  # noqa: PTH115
        elif stat.S_ISREG(entry.mode):
            content = self._read(path)
        return Entry(entry.path, entry.stamp, entry.mode, content)

    def _read(self, path: str) -> bytes | None:
        try:
            with open(os.open(path, _READ), "rb") as file:  # noqa: PTH123
                content = file.read(self._left + 1)
        except OSError:
            return None
        if len(content) > self._left:
            return None
        self._left -= len(content)
        return content

    def _bring_back(self, path: str) -> str:
        """A folder was renamed: it must lie beside its old place, or it is only reported."""
        folder, name = os.path.split(path)
        with suppress(OSError), _opened(folder) as handle:
            for other in os.listdir(handle):  # noqa: PTH208
                if identity(f"{folder}/{other}") == self._pinned[path]:
                    aside = self._put_aside(name, handle)
                    os.rename(other, name, src_dir_fd=handle, dst_dir_fd=handle)
                    return _undone(path, aside)
        return say("sandbox.changed.kept", path=path, why="it was moved away")

    def _put_back(self, path: str, before: list[Entry]) -> str:
        folder, name = os.path.split(path)
        if any(entry.content is None for entry in before) or len(before) >= _MAX_ENTRIES:
            return say("sandbox.changed", path=path)
        try:
            with _opened(folder) as handle:
                aside = self._put_aside(name, handle)
                for entry in before:
                    _rebuild(name, entry, handle)
        except OSError as problem:
            return say("sandbox.changed.kept", path=path, why=problem.strerror or str(problem))
        return _undone(path, aside)

    def _put_aside(self, name: str, folder: int) -> str:
        """Move what is there now out of the way; where to."""
        tag = os.urandom(6).hex()
        with suppress(OSError):
            self._aside.mkdir(mode=0o700, parents=True, exist_ok=True)
            goal = self._aside / f"{tag}-{name}"
            os.rename(name, goal, src_dir_fd=folder)
            return str(goal)
        goal = Path(f"{name}.undone-{tag}")
        try:  # another file system: then beside it
            os.rename(name, goal, src_dir_fd=folder, dst_dir_fd=folder)
        except FileNotFoundError:
            return ""
        return str(goal)


def _undone(path: str, aside: str) -> str:
    if aside:
        return say("sandbox.undone", path=path, aside=aside)
    return say("sandbox.undone.removed", path=path)


def identity(path: str) -> tuple[int, int] | None:
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


@contextmanager
def _opened(folder: str) -> Iterator[int]:
    """The folder itself: if anything on the way to it became a link, `OSError`."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        if os.readlink(f"/proc/self/fd/{handle}") != folder:  # noqa: PTH115
            raise NotADirectoryError(20, "it was moved")
        yield handle
    finally:
        os.close(handle)


def _entries(path: str) -> list[Entry]:
    """The name and all below it, in a fixed order; links are not followed."""
    found: list[Entry] = []
    pending = [""]
    while pending and len(found) < _MAX_ENTRIES:
        below = pending.pop()
        place = os.path.join(path, below) if below else path  # noqa: PTH118
        try:
            status = os.lstat(place)
            names = sorted(os.listdir(place)) if stat.S_ISDIR(status.st_mode) else []  # noqa: PTH208
        except OSError:
            continue
        found.append(Entry(below, _stamp(below, status), status.st_mode))
        pending += [os.path.join(below, name) for name in reversed(names)]  # noqa: PTH118
    return found


def _stamp(below: str, status: os.stat_result) -> tuple[int, ...]:
    """What tells one version from another; a folder is the sum of what is in it."""
    name = hash(below)
    if stat.S_ISDIR(status.st_mode):
        return (name, status.st_mode)
    return (name, status.st_mode, status.st_ino, status.st_size, status.st_ctime_ns)


def _rebuild(name: str, entry: Entry, folder: int) -> None:
    path = os.path.join(name, entry.path) if entry.path else name  # noqa: PTH118
    mode = stat.S_IMODE(entry.mode)
    if stat.S_ISDIR(entry.mode):
        os.mkdir(path, mode | stat.S_IRWXU, dir_fd=folder)
    elif stat.S_ISLNK(entry.mode):
        os.symlink(entry.content or b"", os.fsencode(path), dir_fd=folder)
    elif stat.S_ISFIFO(entry.mode):
        os.mkfifo(path, mode, dir_fd=folder)
    elif stat.S_ISREG(entry.mode):
        with open(os.open(path, _NEW, mode, dir_fd=folder), "wb") as file:  # noqa: PTH123
            file.write(entry.content or b"")
            os.fchmod(file.fileno(), mode)
