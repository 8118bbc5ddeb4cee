"""Changing files so that none is ever half written, nor written over a version nobody read.

An ordinary file is replaced whole: a temporary file beside it, made durable, then renamed over it.
A file with several names (hard links), or one in a folder that is closed to us, keeps its identity
and is written in place, once a copy of its new and old content is safe elsewhere. Whatever was
under way when a process died is tidied up by `recover` in the next one.
"""

import copy
import errno
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

from ankrcode.errors import ErrorCode, ToolError
from ankrcode.protocol.acts import Acts
from ankrcode.workspace.files import check_is_ordinary, file_error
from ankrcode.workspace.reads import (
    FileVersion,
    changed_since_read,
    digest_of,
    version_at,
    version_of_bytes,
)
from ankrcode.workspace.writing.entries import move_across, remove_entry
from ankrcode.workspace.writing.folders import (
    Place,
    missing_folders,
    opened,
    opened_folder,
    remove_empty,
    status_unless_link,
    sync_folder,
    sync_parents,
)
from ankrcode.workspace.writing.handles import keep_facts, overwrite, read_all, write_all
from ankrcode.workspace.writing.intents import Intent, Intents
from ankrcode.workspace.writing.recovery import recover
from ankrcode.workspace.writing.renames import is_across, rename_entry, rename_new, rename_over

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
_IN_PLACE = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK
_ASKS_EFFECTIVE = os.access in os.supports_effective_ids
_PRIVATE = 0o600
_AS_USUAL = 0o666  # less what the person's umask takes away

TEMPORARY = ".ankrcode"


class FileWriter:
    """The only way tools change files. `intents`: a private folder for what is under way."""

    def __init__(self, intents: Path | None = None) -> None:
        self._intents = Intents(intents)
        self._acts: Acts | None = None

    def only(self, acts: Acts) -> "FileWriter":
        """The same writer for one call: it changes what the call said it would, nothing else.

        A path is resolved when a call is judged and again when it runs; if a link was put in the
        way in between, the second place is not the one that was allowed.
        """
        bound = copy.copy(self)
        bound._acts = acts
        return bound

    def recover(self) -> None:
        """Tidy up after processes that died: complete or drop what they had under way."""
        for note, intent in self._intents.left_behind():
            recover(note, intent, TEMPORARY)

    def noted_stray(self, path: str) -> AbstractContextManager[None]:
        """While this lasts, the name stands for something half made: it will not stay."""
        return self._intents.noted(Intent(stray=path))

    # ── writing ───────────────────────────────────────────────────────────────────────────
    def write(
        self,
        path: str,
        content: bytes,
        *,
        expected: FileVersion | None,
        makes_folders: bool = False,
    ) -> FileVersion:
        """Put `content` at a real path; `expected` is the version it replaces (None: new)."""
        with self._allowed(path, done="written"):
            if expected is None:
                return self._created(path, content, makes_folders=makes_folders)
            return self._replaced(path, content, expected)

    def _created(self, path: str, content: bytes, *, makes_folders: bool) -> FileVersion:
        folder, name = os.path.split(path)
        temporary = temporary_name(name)
        missing = missing_folders(folder) if makes_folders else []
        intent = Intent(stray=os.path.join(folder, temporary), made=missing)
        with (
            self._intents.noted(intent),
            _taken_back(missing),
            opened_folder(folder, makes=bool(missing)) as handle,
            _new_file(Place(handle, temporary), _AS_USUAL) as file,
        ):
            write_all(file, content)
            os.fsync(file)
            try:
                rename_new(Place(handle, temporary), Place(handle, name))
            except FileExistsError:
                raise _appeared(path) from None
            sync_folder(handle)
            sync_parents(missing)
            return version_of_bytes(os.fstat(file), content)

    def _replaced(self, path: str, content: bytes, expected: FileVersion) -> FileVersion:
        folder, name = os.path.split(path)
        with opened_folder(folder) as handle:
            place = Place(handle, name)
            status = status_unless_link(place, path)
            if status is None:
                raise changed_since_read(path)
            check_is_ordinary(path, status)
            if not os.access(name, os.W_OK, dir_fd=handle, effective_ids=_ASKS_EFFECTIVE):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
            if status.st_nlink > 1:
                return self._in_place(path, place, content, expected)
            try:
                return self._renamed_over(path, place, content, expected)
            except PermissionError:  # the folder is closed, or its owner cannot be kept
                return self._in_place(path, place, content, expected)

    def _renamed_over(
        self, path: str, place: Place, content: bytes, expected: FileVersion
    ) -> FileVersion:
        temporary = Place(place.folder, temporary_name(place.name))
        intent = Intent(stray=os.path.join(os.path.dirname(path), temporary.name))
        with self._intents.noted(intent), _new_file(temporary, _PRIVATE) as file:
            write_all(file, content)
            with opened(place, _READ) as before:
                keep_facts(before, file)
            os.fsync(file)
            if version_at(place.name, place.folder) != expected:
                raise changed_since_read(path)
            rename_over(temporary, place)
            sync_folder(place.folder)
            return version_of_bytes(os.fstat(file), content)

    def _in_place(
        self, path: str, place: Place, content: bytes, expected: FileVersion
    ) -> FileVersion:
        with opened(place, _IN_PLACE) as file:
            status, old = os.fstat(file), read_all(file)
            if version_of_bytes(status, old) != expected:
                raise changed_since_read(path)
            intent = Intent(
                target=path,
                device=status.st_dev,
                inode=status.st_ino,
                new_size=len(content),
                old_size=len(old),
                digest=digest_of(content + old),
            )
            note = self._intents.keep(intent, content + old)
            if os.fstat(file).st_mtime_ns != status.st_mtime_ns:
                note.drop()
                raise changed_since_read(path)
            try:
                overwrite(file, content)
            except OSError:
                overwrite(file, old)  # should that fail too, the note stays for the next run
                os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
                note.drop()
                raise
            note.drop()
            return version_of_bytes(os.fstat(file), content)

    # ── names ─────────────────────────────────────────────────────────────────────────────
    def remove(self, path: str, told: Callable[[str], None], *, recursive: bool = False) -> None:
        """Remove a file, a link (not what it leads to) or a folder, perhaps with its content."""
        folder, name = os.path.split(path)
        with self._allowed(path, done="deleted"), opened_folder(folder) as handle:
            remove_entry(Place(handle, name), path, told, recursive=recursive)
            sync_folder(handle)

    def move(self, source: str, destination: str, *, overwrites: bool) -> None:
        """Give a file, link or folder another name, also on another file system."""
        folder, name = os.path.split(source)
        new_folder, new_name = os.path.split(destination)
        missing = missing_folders(new_folder)
        temporary = temporary_name(new_name)
        intent = Intent(stray=os.path.join(new_folder, temporary), made=missing)
        self._check_declared(destination)
        with (
            self._allowed(source, done=f"moved to {destination}"),
            self._intents.noted(intent),
            _taken_back(missing),
            opened_folder(folder) as here,
            opened_folder(new_folder, makes=bool(missing)) as there,
        ):
            old, new = Place(here, name), Place(there, new_name)
            try:
                rename_entry(old, new, overwrites=overwrites)
            except FileExistsError:
                raise _appeared(destination) from None
            except OSError as problem:
                if not is_across(problem):
                    raise
                move_across(old, new, Place(there, temporary), source, overwrites=overwrites)
            sync_folder(there)
            sync_folder(here)

    @contextmanager
    def _allowed(self, path: str, *, done: str) -> Iterator[None]:
        """Only what the call declared; and what the system says becomes one of our own errors."""
        self._check_declared(path)
        try:
            yield
        except OSError as problem:
            raise file_error(path, problem, done=done) from None

    def _check_declared(self, path: str) -> None:
        if self._acts is not None and not self._acts.may_write(path):
            raise ToolError.of("not_declared", path=path).coded(ErrorCode.BLOCKED, path=path)


def temporary_name(name: str) -> str:
    """Hidden, beside the file, and known as ours."""
    return f".{name[:50]}.{os.urandom(6).hex()}{TEMPORARY}"


def _appeared(path: str) -> ToolError:
    return ToolError.of("appeared", path=path).coded(ErrorCode.CHANGED_SINCE_READ, path=path)


@contextmanager
def _taken_back(folders: list[str]) -> Iterator[None]:
    """If the work fails, folders made for it are removed again."""
    try:
        yield
    except BaseException:
        remove_empty(folders)
        raise


@contextmanager
def _new_file(place: Place, mode: int) -> Iterator[int]:
    """A new open file, removed again if the work fails."""
    with opened(place, _NEW, mode) as file:
        try:
            yield file
        except BaseException:
            with suppress(FileNotFoundError):  # renamed already
                os.unlink(place.name, dir_fd=place.folder)
            raise
