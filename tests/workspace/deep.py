"""Trees made and looked at by handle: deeper than any path may be, whatever lies in them."""

import os
import stat
from pathlib import Path
from typing import Any

from msgspec import Struct

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
Seen = dict[str, tuple[Any, ...]]


class Thing(Struct, frozen=True, kw_only=True):
    """What stands at a name."""

    kind: str = "folder"
    mode: int = 0o755
    content: bytes = b""
    target: str = ""
    inner: dict[str, "Thing"] = {}


def chain(depth: int, name: str, end: Thing | None = None) -> Thing:
    """Folders inside each other; the innermost is, or holds, the end."""
    thing = end or Thing()
    for _ in range(depth):
        thing = Thing(inner={name: thing})
    return thing


def make(folder: Path, name: str, thing: Thing) -> None:
    """However deep: without recursion, and each name in its open folder.

    A folder gets its mode when all in it is made, for it may close it.
    """
    todo: list[tuple[int, str, Thing | None]] = [(os.open(folder, _FOLDER), "", None)]
    todo.append((os.dup(todo[0][0]), name, thing))
    while todo:
        at, one, what = todo.pop()
        if what is None:  # all in it is made
            os.close(at)
            continue
        if what.kind == "folder":
            os.mkdir(one, 0o700, dir_fd=at)
            inner = os.open(one, _FOLDER, dir_fd=at)
            os.fchmod(inner, what.mode | 0o700 if what.inner else what.mode)
            todo += [(os.dup(inner), name, below) for name, below in what.inner.items()]
            os.close(inner)
        else:
            _make_leaf(at, one, what)
        os.close(at)
    _close_up(folder, name, thing)


def _close_up(folder: Path, name: str, thing: Thing) -> None:
    """The modes of folders that hold something, innermost first."""
    shut = [(path, one.mode) for path, one in _folders(f"{folder}/{name}", thing)]
    for path, mode in reversed(shut):
        if mode & 0o700 != 0o700:
            Path(path).chmod(mode)


def _folders(path: str, thing: Thing) -> list[tuple[str, Thing]]:
    found, todo = [], [(path, thing)]
    while todo:
        here, one = todo.pop()
        if one.kind == "folder":
            found.append((here, one))
            todo += [(f"{here}/{name}", inner) for name, inner in one.inner.items()]
    return found


def _make_leaf(at: int, name: str, what: Thing) -> None:
    if what.kind == "link":
        os.symlink(what.target, name, dir_fd=at)
    elif what.kind == "pipe":
        os.mkfifo(name, 0o600, dir_fd=at)
    else:
        handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=at)
        os.write(handle, what.content)
        os.fchmod(handle, what.mode)
        os.close(handle)


def seen(folder: Path) -> Seen:
    """Kinds, bytes, modes, targets of all that is below."""
    found: Seen = {}
    todo = [(os.open(folder, _FOLDER), "")]
    while todo:
        handle, path = todo.pop()
        for name in sorted(os.listdir(handle)):  # noqa: PTH208
            facts = os.stat(name, dir_fd=handle, follow_symlinks=False)
            mode, inner = stat.S_IMODE(facts.st_mode), f"{path}/{name}"
            if stat.S_ISDIR(facts.st_mode):
                found[inner] = ("folder", mode)
                todo.append((os.open(name, _FOLDER, dir_fd=handle), inner))
            elif stat.S_ISLNK(facts.st_mode):
                found[inner] = ("link", os.readlink(name, dir_fd=handle))
            elif stat.S_ISREG(facts.st_mode):
                file = os.open(name, os.O_RDONLY, dir_fd=handle)
                found[inner] = ("file", mode, os.read(file, 1 << 20))
                os.close(file)
            else:
                found[inner] = ("pipe",)
        os.close(handle)
    return found
