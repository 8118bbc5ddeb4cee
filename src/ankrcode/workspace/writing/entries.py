"""Removing and copying whole trees by handle; links are removed and copied, never followed."""

import errno
import os
import stat
from collections.abc import Callable
from contextlib import suppress

from ankrcode.workspace.files import check_is_ordinary
from ankrcode.workspace.writing.folders import Place, opened
from ankrcode.workspace.writing.handles import keep_facts, write_all
from ankrcode.workspace.writing.renames import rename_new, rename_over

MAX_COPY_DEPTH = 200
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_PIECE = 1 << 20
_AT_ONCE = 1_000

Told = Callable[[str], None]


# ── removing ──────────────────────────────────────────────────────────────────────────────────
def remove_entry(place: Place, path: str, told: Told, *, recursive: bool = True) -> None:
    """Remove what stands at a name; `told` hears the path of each thing that is gone."""
    if not stat.S_ISDIR(place.status().st_mode):
        os.unlink(place.name, dir_fd=place.folder)
    else:
        if recursive:
            _empty(os.open(place.name, _FOLDER, dir_fd=place.folder), path, told)
        os.rmdir(place.name, dir_fd=place.folder)
    told(path)


class _Level:
    """A folder on the way down: how to know it again, and the folders still to be entered."""

    def __init__(self, handle: int, path: str) -> None:
        status = os.fstat(handle)
        self.identity = status.st_dev, status.st_ino
        self.path = path
        self.folders: list[str] = []


def _empty(handle: int, path: str, told: Told) -> None:
    """Remove all that is below an open folder, and close it. One handle, however deep it goes."""
    levels = [_Level(handle, path)]
    try:
        while True:
            level = levels[-1]
            if not level.folders:
                level.folders = _without_files(handle, level.path, told)
            if level.folders:
                inner = os.open(level.folders[-1], _FOLDER, dir_fd=handle)
                handle = _exchanged(handle, inner)
                levels.append(_Level(handle, f"{level.path}/{level.folders[-1]}"))
                continue
            levels.pop()
            if not levels:
                return
            handle = _exchanged(handle, os.open("..", _FOLDER, dir_fd=handle))
            _check_is(handle, levels[-1])
            os.rmdir(levels[-1].folders.pop(), dir_fd=handle)
            told(level.path)
    finally:
        os.close(handle)


def _without_files(handle: int, path: str, told: Told) -> list[str]:
    """Remove what is no folder; the names of some folders, or of none when it is empty."""
    folders: list[str] = []
    with os.scandir(handle) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.name)
                if len(folders) == _AT_ONCE:
                    break
            else:
                os.unlink(entry.name, dir_fd=handle)
                told(f"{path}/{entry.name}")
    return folders


def _exchanged(old: int, new: int) -> int:
    os.close(old)
    return new


def _check_is(handle: int, level: _Level) -> None:
    """The way up must lead where the way down came from: someone may have moved the folder."""
    if _Level(handle, "").identity != level.identity:
        raise OSError(errno.ESTALE, "the folder was moved meanwhile", level.path)


# ── to another file system ────────────────────────────────────────────────────────────────────
def move_across(old: Place, new: Place, temporary: Place, path: str, *, overwrites: bool) -> None:
    """Copy beside the new place, make it durable, rename it, then remove the old one."""
    try:
        _copy(old, temporary, path)
        (rename_over if overwrites else rename_new)(temporary, new)
    except BaseException:
        with suppress(FileNotFoundError):
            remove_entry(temporary, path, lambda _path: None)
        raise
    remove_entry(old, path, lambda _path: None)


def _copy(old: Place, new: Place, path: str, depth: int = 0) -> None:
    if depth > MAX_COPY_DEPTH:
        raise OSError(errno.ENAMETOOLONG, "too many folders inside each other", path)
    status = old.status()
    if stat.S_ISLNK(status.st_mode):
        os.symlink(os.readlink(old.name, dir_fd=old.folder), new.name, dir_fd=new.folder)
    elif stat.S_ISDIR(status.st_mode):
        _copy_folder(old, new, path, depth)
    else:
        check_is_ordinary(path, status)
        _copy_file(old, new)
    times = (status.st_atime_ns, status.st_mtime_ns)
    os.utime(new.name, ns=times, dir_fd=new.folder, follow_symlinks=False)


def _copy_folder(old: Place, new: Place, path: str, depth: int) -> None:
    os.mkdir(new.name, 0o700, dir_fd=new.folder)
    with opened(old, _FOLDER) as source, opened(new, _FOLDER) as target:
        for name in os.listdir(source):
            _copy(Place(source, name), Place(target, name), f"{path}/{name}", depth + 1)
        _keep_what_may_be(source, target)
        os.fsync(target)


def _copy_file(old: Place, new: Place) -> None:
    with opened(old, _FILE) as source, opened(new, _NEW, 0o600) as target:
        while piece := os.read(source, _PIECE):
            write_all(target, piece)
        _keep_what_may_be(source, target)
        os.fsync(target)


def _keep_what_may_be(old: int, new: int) -> None:
    """As `mv` does: an owner that may not be given is no reason to fail, the mode is kept."""
    try:
        keep_facts(old, new)
    except PermissionError:
        os.fchmod(new, stat.S_IMODE(os.fstat(old).st_mode) & 0o777)
