"""What is about to be written, noted before it is begun, so that the next run can tidy up.

Each change under way has one small file in a private folder: which temporary file it will leave
behind if the process dies, or, for a file that must be written in place, where a copy of its new
and old content lies. Its writer holds a lock on the note, so whoever can take that lock knows
that the writer is gone. Any number of processes share the folder.
"""

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from ankrcode.errors import ErrorCode, ToolError
from ankrcode.workspace.writing.folders import missing_folders
from ankrcode.workspace.writing.handles import read_all, write_all

_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_MAY_NOT = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOENT, errno.ENOTDIR)


class Intent(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One change under way."""

    stray: str = ""  # the temporary file or folder that must not stay
    made: list[str] = []  # folders made on the way, outermost first
    target: str = ""  # the file that is written in place
    device: int = 0
    inode: int = 0
    new_size: int = 0  # the copy beside this note holds so many new bytes,
    old_size: int = 0  # then so many old ones
    digest: str = ""  # of both, for a copy may be incomplete itself


class Note:
    """One intent on disk, locked while its writer lives."""

    def __init__(self, path: str, handle: int) -> None:
        self.path = path
        self.copy = path.removesuffix(".json") + ".copy"
        self._handle = handle

    def read(self) -> Intent | None:
        """What was noted; None if its writer died before it was written down."""
        import json  # slow to load: only who changes something pays

        try:
            return msgspec.convert(json.loads(read_all(self._handle)), Intent)
        except ValueError:
            return None

    def write(self, intent: Intent) -> None:
        import json

        # Not msgspec's JSON: a name need not be Unicode, and this one can say any.
        line = json.dumps(msgspec.to_builtins(intent)) + "\n"
        write_all(self._handle, line.encode("ascii"))

    def keep_copy(self, content: bytes) -> None:
        """Put this beside the note, durably, and the note itself too."""
        handle = os.open(self.copy, _NEW, 0o600)
        try:
            write_all(handle, content)
            os.fsync(handle)
        finally:
            os.close(handle)
        os.fsync(self._handle)
        _sync(os.path.dirname(self.path))

    def is_gone(self) -> bool:
        return os.fstat(self._handle).st_nlink == 0

    def drop(self) -> None:
        """The change is made, or was never begun."""
        with suppress(OSError):  # a note that stays is looked at by the next run, no more
            with suppress(FileNotFoundError):
                os.unlink(self.copy)
            os.unlink(self.path)
        self.close()

    def close(self) -> None:
        os.close(self._handle)


class Intents:
    """The notes of every process, in one private folder. Without a folder nothing is noted."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = str(folder) if folder is not None else ""

    @contextmanager
    def noted(self, intent: Intent) -> Iterator[None]:
        """While a temporary file exists, its name is noted."""
        note = self._new(intent)
        try:
            yield
        finally:
            if note is not None and os.path.lexists(intent.stray):
                note.close()  # it could not be removed now: the next run tries again
            elif note is not None:
                note.drop()

    def keep(self, intent: Intent, content: bytes) -> Note:
        """Note a write in place, with everything that is needed to finish it."""
        note = self._new(intent)
        if note is None:
            raise ToolError.of("no_recovery", path=intent.target).coded(
                ErrorCode.IO_ERROR, path=intent.target
            )
        try:
            note.keep_copy(content)
        except OSError:
            note.drop()
            raise
        return note

    def left_behind(self) -> Iterator[tuple[Note, Intent | None]]:
        """The notes of writers that are gone, one by one, each locked."""
        try:
            names = sorted(name for name in os.listdir(self._folder) if name.endswith(".json"))
        except OSError:
            return
        for name in names:
            note = _taken(f"{self._folder}/{name}")
            if note is not None:
                yield note, note.read()

    def _new(self, intent: Intent) -> Note | None:
        while self._folder:
            try:
                note = self._made()
            except OSError as problem:
                if problem.errno in _MAY_NOT:
                    return None  # nobody may keep notes here; at worst a stray file stays
                raise
            try:
                note.write(intent)
                if not note.is_gone():  # else someone tidied it up before it was locked
                    return note
            except OSError:
                note.drop()
                raise
            note.close()
        return None

    def _made(self) -> Note:
        for folder in missing_folders(self._folder):
            with suppress(FileExistsError):
                os.mkdir(folder, 0o700)
        path = f"{self._folder}/{os.urandom(8).hex()}.json"
        handle = os.open(path, _NEW, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
        except OSError:
            os.unlink(path)
            os.close(handle)
            raise
        return Note(path, handle)


def _taken(path: str) -> Note | None:
    try:
        handle = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None  # its writer has just finished
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return None  # its writer lives
    return Note(path, handle)


def _sync(folder: str) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
