"""Bringing back what was at a path: by handle, whole or not at all, never through a link."""

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

from ankrcode.errors import ErrorCode, ToolError
from ankrcode.workspace.journal.entries import Change
from ankrcode.workspace.journal.journal import Journal
from ankrcode.workspace.journal.states import Capture, in_order, real
from ankrcode.workspace.journal.way import Way
from ankrcode.workspace.reads import version_at
from ankrcode.workspace.writing.folders import Place, opened, stepped, sync_folder
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
        self._way = Way()

    def restored(self, steps: Iterable[Change]) -> list[str]:
        """What must go, innermost first; folders, outermost first; what is in them; their modes."""
        with self._way:
            return self._restored(sorted(steps, key=lambda step: in_order(real(step.path))))

    def _restored(self, ordered: list[Change]) -> list[str]:
        for step in ordered:
            if step.before.kind == "folder" and step.before.mode & _OWNER_ALL != _OWNER_ALL:
                self._open_up(step)
        leaving = [step for step in ordered if step.before.kind not in ("missing", step.after.kind)]
        gone = {real(step.path) for step in leaving}
        for step in reversed(leaving):
            self._remove(step, gone)
        folders = [step for step in ordered if step.after.kind == "folder"]
        for step in folders:
            self._make_folder(step)
        for step in ordered:
            if step.after.kind in ("file", "link"):
                self._put(step)
        durable: set[str] = set()  # all names in a folder, at once
        for step in reversed(folders):
            with self._place(step) as place, self._folder_at(step, place) as handle:
                os.fchmod(handle, step.after.mode)
                if (outer := os.path.dirname(real(step.path))) not in durable:
                    sync_folder(place.folder)
                    durable.add(outer)
        return [real(step.path) for step in ordered]

    def _open_up(self, step: Change) -> None:
        """A folder that is closed to its owner, until what is in it is as it was."""
        mode = step.before.mode | _OWNER_ALL
        with (
            suppress(OSError, ToolError),
            self._place(step) as place,
            self._folder_at(step, place) as handle,
        ):
            try:
                os.fchmod(handle, mode)
            except OSError:  # it cannot even be read: the handle is only good for this
                os.chmod(f"/proc/self/fd/{handle}", mode)

    def _remove(self, step: Change, gone: set[str]) -> None:
        with suppress(FileNotFoundError), self._place(step) as place:
            if stat.S_ISDIR(place.status().st_mode):
                os.rmdir(place.name, dir_fd=place.folder)
            else:
                self._check(step, place)
                os.unlink(place.name, dir_fd=place.folder)
            if os.path.dirname(real(step.path)) not in gone:  # else it goes itself
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
            yield Place(self._way.to(folder, makes=folder in self._folders), name)
        except OSError as problem:
            if isinstance(problem, FileNotFoundError) and step.after.kind == "missing":
                raise  # gone already
            why = problem.strerror or str(problem)
            error = ToolError.of("undo_failed", path=path, why=why)
            raise error.coded(ErrorCode.IO_ERROR, path=path) from None

    @contextmanager
    def _folder_at(self, step: Change, place: Place) -> Iterator[int]:
        handle = stepped(place, real(step.path))
        try:
            yield handle
        finally:
            os.close(handle)

    def _check(self, step: Change, place: Place) -> None:
        """It is still what the plan saw: whoever changed it just now does not lose that."""
        now = self._capture.of(place)
        if now != step.before and now.kind != "missing":
            why = ToolError.of("undo_conflict.changed", path=real(step.path))
            raise why.coded(ErrorCode.CHANGED_SINCE_READ, path=real(step.path))


def _rename(temporary: Place, place: Place) -> None:
    os.replace(temporary.name, place.name, src_dir_fd=temporary.folder, dst_dir_fd=place.folder)
