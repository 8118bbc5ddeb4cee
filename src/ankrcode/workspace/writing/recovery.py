"""What to do about a change whose writer died: every file ends up old or new, never a mixture."""

import errno
import os
from contextlib import suppress

from ankrcode.errors import ToolError
from ankrcode.workspace.reads import digest_of
from ankrcode.workspace.writing.entries import remove_entry
from ankrcode.workspace.writing.folders import Place, opened, opened_folder, remove_empty
from ankrcode.workspace.writing.handles import overwrite, read_all
from ankrcode.workspace.writing.intents import Intent, Note

_GONE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ESTALE, errno.ENXIO)
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
_IN_PLACE = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_PIECE = 4096


def recover(note: Note, intent: Intent | None, ending: str) -> None:
    """Complete or drop one change; what cannot be reached now stays noted for another time."""
    try:
        if intent is not None and intent.stray.endswith(ending):
            _remove_stray(intent)
        if intent is not None and intent.target:
            _complete(note, intent)
    except ToolError:
        pass  # a link stands in the way by now: what lies behind it is not ours
    except OSError as problem:
        if problem.errno not in _GONE:
            note.close()
            return
    note.drop()


def _remove_stray(intent: Intent) -> None:
    folder, name = os.path.split(intent.stray)
    with suppress(FileNotFoundError), opened_folder(folder) as handle:
        remove_entry(Place(handle, name), intent.stray, lambda _path: None)
    remove_empty(intent.made)


def _complete(note: Note, intent: Intent) -> None:
    """Finish a write in place, unless it was not begun, is done, or someone else wrote since."""
    contents = _contents(note, intent)
    if contents is None:
        return  # the copy was not complete, so the file itself was not touched yet
    new, old = contents
    folder, name = os.path.split(intent.target)
    with opened_folder(folder) as handle, opened(Place(handle, name), _IN_PLACE) as file:
        status = os.fstat(file)
        if (status.st_dev, status.st_ino) != (intent.device, intent.inode):
            return
        now = read_all(file)
        if now not in (new, old) and is_mixture(now, new, old):
            overwrite(file, new)


def _contents(note: Note, intent: Intent) -> tuple[bytes, bytes] | None:
    handle = os.open(note.copy, _READ)
    try:
        both = read_all(handle)
    finally:
        os.close(handle)
    if digest_of(both) != intent.digest:
        return None
    return both[: intent.new_size], both[intent.new_size :]


def is_mixture(now: bytes, new: bytes, old: bytes) -> bool:
    """Could this be what an interrupted write left: each byte old or new, or not yet there?"""
    longest = max(len(new), len(old))
    if not min(len(new), len(old)) <= len(now) <= longest:
        return False
    old = old.ljust(longest, b"\0")
    for start in range(0, len(now), _PIECE):
        end = start + _PIECE
        ours, theirs, seen = new[start:end], old[start:end], now[start:end]
        if not (ours.startswith(seen) or theirs.startswith(seen)) and any(
            byte != theirs[at] and (at >= len(ours) or byte != ours[at])
            for at, byte in enumerate(seen)
        ):
            return False
    return True
