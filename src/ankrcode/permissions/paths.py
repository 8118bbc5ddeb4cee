"""Is a path inside the workspace, outside it, or one that is never allowed unasked?

By resolved components, never by string prefixes: every link on the way is followed here, one
by one, and both the names as written and the real place must be harmless.
"""

import errno
import os
import re
import stat
from enum import StrEnum
from typing import Literal

from msgspec import Struct

from ankrcode.permissions.protected import credential_name, protected_name
from ankrcode.words import say
from ankrcode.workspace.path_text import fault_of
from ankrcode.workspace.roots import is_inside

PathOp = Literal["read", "write", "list", "persist_oversized"]

_MAX_LINKS = 40  # as many as Linux follows
_MAX_ID_CHARS = 200
# Patterns are text here: each is compiled by its first use, not by every start.
_PLAIN_ID = r"[A-Za-z0-9](?:[A-Za-z0-9_-]|\.(?!\.))*\Z"
_OF_A_PROCESS = r"/proc/(?:self|thread-self|[0-9]+)(?:/|\Z)"
_MEMORY = ("/dev/shm", "/dev/mqueue")  # noqa: S108 - ordinary files under /dev


_KERNEL = ("/proc/", "/sys/")  # what is written there is an order to the system


class PathAnswer(StrEnum):
    INSIDE = "inside"
    OUTSIDE = "outside"
    REFUSE = "refuse"


class PathVerdict(Struct, frozen=True, kw_only=True):
    verdict: PathAnswer
    reason: str = ""
    real_path: str = ""  # where it leads, if it leads anywhere


class Walk(Struct, frozen=True, kw_only=True):
    """The way from the root of the file system to a real place."""

    real_path: str
    seen: tuple[str, ...]  # every name that was looked up on the way, links included
    fault: int = 0  # why the way could not be followed to its end (an errno)


def check_path(
    path: str, op: PathOp, *, roots: tuple[str, ...], cwd: str, home: str
) -> PathVerdict:
    """The roots are real places; `cwd` and `home` serve relative paths and `~`."""
    fault = fault_of(path)
    if fault:
        return _refused(say("path.malformed", why=fault[0]))
    if op == "persist_oversized":
        return _check_id(path)
    written = home + path[1:] if path == "~" or path.startswith("~/") else path
    if "\\" in written and not os.path.lexists(_join(cwd, written)):
        return _refused(say("path.backslash"))
    walk = walk_to(_join(cwd, written))
    is_closed = walk.fault in (errno.EACCES, errno.EPERM)
    if walk.fault and not (is_closed and _is_outside(walk.real_path, roots)):
        return _refused(say("path.unresolved", why=os.strerror(walk.fault)))
    reason = _is_special(walk, op) or _is_guarded(walk, op, roots)
    if reason:
        return _refused(reason)
    if not _is_outside(walk.real_path, roots):
        return PathVerdict(verdict=PathAnswer.INSIDE, real_path=walk.real_path)
    reason = say("path.outside", path=walk.real_path)
    return PathVerdict(verdict=PathAnswer.OUTSIDE, reason=reason, real_path=walk.real_path)


def walk_to(absolute: str) -> Walk:
    """Follow the path as the system would, and note everything that is passed."""
    here, pending, links = "/", _names(absolute), 0
    seen: list[str] = []
    while pending:
        name = pending.pop()
        if name == "..":
            here = os.path.dirname(here)  # noqa: PTH120
            continue
        place = _join(here, name)
        seen.append(place)
        try:
            is_link = stat.S_ISLNK(os.lstat(place).st_mode)
            target = os.readlink(place) if is_link else ""  # noqa: PTH115
        except OSError as problem:
            if problem.errno not in (errno.ENOENT, errno.ENOTDIR):
                return Walk(real_path=place, seen=tuple(seen), fault=problem.errno or errno.EIO)
            is_link, target = False, ""
        if not is_link:
            here = place
            continue
        links += 1
        if links > _MAX_LINKS:
            return Walk(real_path=place, seen=tuple(seen), fault=errno.ELOOP)
        here = "/" if target.startswith("/") else here
        pending.extend(_names(target))
    return Walk(real_path=here, seen=tuple(seen))


def guarded_by(path: str, roots: tuple[str, ...], *, is_written: bool) -> str:
    """The protected name in a real path, counted from the root it is in; empty where none is."""
    root = max((root for root in roots if is_inside(path, root)), key=len, default="")
    names = [name for name in path[len(root) :].split("/") if name]
    return protected_name(names) if is_written else credential_name(names)


def _check_id(given: str) -> PathVerdict:
    """The name of a saved result: an id from outside must not become a path."""
    if len(given) <= _MAX_ID_CHARS and re.match(_PLAIN_ID, given) and not given.endswith("."):
        return PathVerdict(verdict=PathAnswer.INSIDE)
    return _refused(say("path.not_an_id"))


def _is_guarded(walk: Walk, op: PathOp, roots: tuple[str, ...]) -> str:
    """Either is enough: a name on the way, or one in the real place."""
    is_written = op == "write"
    if not is_written and _is_outside(walk.real_path, roots):
        return ""  # asked about anyway
    for place in (*walk.seen, walk.real_path):
        name = guarded_by(place, roots, is_written=is_written)
        if name and not any(is_inside(root, place) for root in roots):
            return say("path.protected", name=name)
    return ""


def _is_outside(path: str, roots: tuple[str, ...]) -> bool:
    return not any(is_inside(path, root) for root in roots)


def _is_special(walk: Walk, op: PathOp) -> str:
    """Devices, pipes and sockets block or never end; a process's own folder is not a place."""
    if any(re.match(_OF_A_PROCESS, place) for place in walk.seen):
        return say("path.process")
    is_device = any(is_inside(place, "/dev") and place != "/dev" for place in walk.seen)
    if op == "write" and walk.real_path.startswith(_KERNEL):
        return say("path.special")
    if is_device and not any(is_inside(walk.real_path, folder) for folder in _MEMORY):
        return say("path.special")
    try:
        mode = os.lstat(walk.real_path).st_mode
    except OSError:
        return ""
    return "" if stat.S_ISREG(mode) or stat.S_ISDIR(mode) else say("path.special")


def _names(path: str) -> list[str]:
    """The parts of a path, the first one last: as a stack."""
    return [name for name in reversed(path.split("/")) if name not in ("", ".")]


def _refused(reason: str) -> PathVerdict:
    return PathVerdict(verdict=PathAnswer.REFUSE, reason=reason)


def _join(folder: str, name: str) -> str:
    return os.path.join(folder, name)  # noqa: PTH118
