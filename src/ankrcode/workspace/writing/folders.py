"""Folders by handle: every step is taken without following a link that was put in the way.

A path is checked when a call is judged and used later. Whoever swaps a folder for a link in
between must not send the bytes elsewhere, so what changes files never uses a whole path: it walks
from the top, one real folder at a time, and then works beside that handle.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

from ankrcode.errors import ErrorCode, ToolError

_PLAIN = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# A folder on the way need not be readable, only passable.
_PASSING = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Place(NamedTuple):
    """A name in an open folder."""

    folder: int
    name: str

    def status(self) -> os.stat_result:
        """Of what stands here, be it a link."""
        return os.stat(self.name, dir_fd=self.folder, follow_symlinks=False)


@contextmanager
def opened_folder(path: str, *, makes: bool = False) -> Iterator[int]:
    """A handle of the folder at a real absolute path; `makes` creates what is missing of it."""
    handle = os.open("/", _PASSING)
    try:
        names = [name for name in path.split("/") if name]
        for depth, name in enumerate(names):
            flags = _PLAIN if depth == len(names) - 1 else _PASSING
            try:
                inner = stepped(Place(handle, name), path, flags)
            except FileNotFoundError:
                if not makes:
                    raise
                with suppress(FileExistsError):
                    os.mkdir(name, dir_fd=handle)
                inner = stepped(Place(handle, name), path, flags)
            handle, outer = inner, handle
            os.close(outer)
        yield handle
    finally:
        os.close(handle)


def stepped(place: Place, path: str, flags: int = _PLAIN) -> int:
    """A handle of the folder that stands here, on the way to `path`; a link is refused."""
    try:
        return os.open(place.name, flags, dir_fd=place.folder)
    except PermissionError:  # may be passed, though not read
        return os.open(place.name, _PASSING, dir_fd=place.folder)
    except FileNotFoundError:
        raise
    except OSError:
        status_unless_link(place, path)
        raise


def link_appeared(path: str, name: str) -> ToolError:
    """A link stands where a real folder or file was when the path was looked at."""
    error = ToolError.of("link_appeared", path=path, name=name)
    return error.coded(ErrorCode.BLOCKED, path=path)


def status_unless_link(place: Place, path: str) -> os.stat_result | None:
    """Of what stands here; None where nothing does. A link is refused."""
    try:
        status = place.status()
    except FileNotFoundError:
        return None
    if stat.S_ISLNK(status.st_mode):
        raise link_appeared(path, place.name)
    return status


@contextmanager
def opened(place: Place, flags: int, mode: int = 0) -> Iterator[int]:
    handle = os.open(place.name, flags | os.O_CLOEXEC, mode, dir_fd=place.folder)
    try:
        yield handle
    finally:
        os.close(handle)


def missing_folders(path: str) -> list[str]:
    """The folders above and at `path` that are not there, outermost first."""
    missing: list[str] = []
    while path != "/" and not os.path.lexists(path):
        missing.insert(0, path)
        path = os.path.dirname(path)
    return missing


def remove_empty(folders: list[str]) -> None:
    """Take back folders that were made for nothing; one that holds something by now stays."""
    for folder in reversed(folders):
        parent, name = os.path.split(folder)
        with suppress(OSError, ToolError), opened_folder(parent) as handle:
            os.rmdir(name, dir_fd=handle)


def sync_folder(handle: int) -> None:
    """Make the names in a folder durable.

    The content is durable already and the new name is visible; where a file system cannot do
    this, a power cut may bring the old file back, whole.
    """
    with suppress(OSError):
        os.fsync(handle)


def sync_parents(folders: list[str]) -> None:
    """The same for folders that were made."""
    for folder in folders:
        with suppress(OSError, ToolError), opened_folder(os.path.dirname(folder)) as handle:
            sync_folder(handle)
