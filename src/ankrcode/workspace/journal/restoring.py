"""Bringing back what was at a path: by handle, whole or not at all, never through a link."""

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

from ankrcode.errors import ErrorCode, ToolError
from ankrcode.workspace.journal.entries import Change
from ankrcode.workspace.journal.journal import Journal
from ankrcode.workspace.journal.states import Capture, real
from ankrcode.workspace.reads import version_at
from ankrcode.workspace.writing.folders import Place, opened, opened_folder, sync_folder
from ankrcode.workspace.writing.handles import keep_facts, write_all
from ankrcode.workspace.writing.writes import temporary_name

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
_OWNER_ALL = 0o700


class Restoring:
    """`folders`: those that may be made on the way, for somebody removed them."""

    def __init__(self, journal: Journal, folders: frozenset[str] = frozenset()) -> None:
        self._journal = journal
        self._folders = folders
        self._capture = Capture(journal.blobs, journal.caps)

    def restored(self, steps: Iterable[Change]) -> list[str]:
        """What must go, innermost first; folders, outermost first; what is in them; their modes."""
        ordered = sorted(steps, key=lambda step: real(step.path).split("/"))
        for step in ordered:
            if step.before.kind == "folder" and step.before.mode & _OWNER_ALL != _OWNER_ALL:
                _open_up(step)
        for step in reversed(ordered):
            if step.before.kind not in ("missing", step.after.kind):
                self._remove(step)
        folders = [step for step in ordered if step.after.kind == "folder"]
        for step in folders:
            self._make_folder(step)
        for step in ordered:
            if step.after.kind in ("file", "link"):
                self._put(step)
        for step in reversed(folders):
            with self._place(step) as place, opened_folder(real(step.path)) as handle:
                os.fchmod(handle, step.after.mode)
                sync_folder(place.folder)
        return [real(step.path) for step in ordered]

    def _remove(self, step: Change) -> None:
        with suppress(FileNotFoundError), self._place(step) as place:
            if stat.S_ISDIR(place.status().st_mode):
                os.rmdir(place.name, dir_fd=place.folder)
            else:
                self._check(step, place)
                os.unlink(place.name, dir_fd=place.folder)
            sync_folder(place.folder)

    def _make_folder(self, step: Change) -> None:
        with self._place(step) as place, suppress(FileExistsError):
            os.mkdir(place.name, _OWNER_ALL, dir_fd=place.folder)

    def _put(self, step: Change) -> None:
        """A file or a link under its name, whole or not at all."""
        with self._place(step) as place:
            present = None
            with suppress(FileNotFoundError):
                present = place.status()
            if step.after.kind == "link":
                self._link(step, place)
            elif present is not None and stat.S_ISREG(present.st_mode) and present.st_nlink > 1:
                self._in_place(step, place)
            else:
                self._replace(step, place)
            sync_folder(place.folder)

    def _in_place(self, step: Change, place: Place) -> None:
        """A file with several names keeps them."""
        expected = version_at(place.name, place.folder)
        self._check(step, place)
        content = self._journal.blobs.get(step.after.digest)
        self._journal.files.write(real(step.path), content, expected=expected)
        with opened(place, _READ) as file:
            os.fchmod(file, step.after.mode)

    def _replace(self, step: Change, place: Place) -> None:
        content = self._journal.blobs.get(step.after.digest)
        with self._beside(step, place) as temporary:
            with opened(temporary, _NEW, 0o600) as file:
                write_all(file, content)
                with suppress(OSError), opened(place, _READ) as before:  # its owner, its labels
                    keep_facts(before, file)
                os.fchmod(file, step.after.mode)
                os.fsync(file)
            self._check(step, place)
            _rename(temporary, place)

    def _link(self, step: Change, place: Place) -> None:
        with self._beside(step, place) as temporary:
            os.symlink(real(step.after.target), temporary.name, dir_fd=place.folder)
            self._check(step, place)
            _rename(temporary, place)

    @contextmanager
    def _beside(self, step: Change, place: Place) -> Iterator[Place]:
        """A name for what is being made; it does not stay, not even if the process dies."""
        temporary = Place(place.folder, temporary_name(place.name))
        stray = os.path.join(os.path.dirname(real(step.path)), temporary.name)
        with self._journal.files.noted_stray(stray):
            try:
                yield temporary
            except BaseException:
                with suppress(OSError):
                    os.unlink(temporary.name, dir_fd=place.folder)
                raise

    @contextmanager
    def _place(self, step: Change) -> Iterator[Place]:
        """The name in its folder."""
        path = real(step.path)
        folder, name = os.path.split(path)
        try:
            with opened_folder(folder, makes=folder in self._folders) as handle:
                yield Place(handle, name)
        except OSError as problem:
            if isinstance(problem, FileNotFoundError) and step.after.kind == "missing":
                raise  # gone already
            why = problem.strerror or str(problem)
            error = ToolError.of("undo_failed", path=path, why=why)
            raise error.coded(ErrorCode.IO_ERROR, path=path) from None

    def _check(self, step: Change, place: Place) -> None:
        """It is still what the plan saw: whoever changed it just now does not lose that."""
        now = self._capture.of(place)
        if now != step.before and now.kind != "missing":
            why = ToolError.of("undo_conflict.changed", path=real(step.path))
            raise why.coded(ErrorCode.CHANGED_SINCE_READ, path=real(step.path))


def _open_up(step: Change) -> None:
    """A folder that is closed to its owner, until what is in it is as it was."""
    with suppress(OSError, ToolError), opened_folder(real(step.path)) as handle:
        try:
            os.fchmod(handle, step.before.mode | _OWNER_ALL)
        except OSError:  # it cannot even be read: the handle is only good for this
            os.chmod(f"/proc/self/fd/{handle}", step.before.mode | _OWNER_ALL)


def _rename(temporary: Place, place: Place) -> None:
    os.replace(temporary.name, place.name, src_dir_fd=temporary.folder, dst_dir_fd=place.folder)
