"""All sessions of a person: a folder of logs, shared by any number of processes."""

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct

from ankrcode.config.paths import make_private
from ankrcode.errors import SessionError
from ankrcode.sessions.log import (
    SessionLog,
    parsed,
    read_bytes,
    read_first,
    read_log,
)
from ankrcode.sessions.records import AnyRecord, Named, SessionStarted, Tagged, TaskKept
from ankrcode.sessions.restore import Restored, repairs, restore, restored
from ankrcode.words import say
from ankrcode.workspace.framing import framed, split, unframed

SUFFIX = ".jsonl"
_ID = r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}"
_INHERITED = ("cwd", "roots", "settings", "mode")
# Of these a copy has its own: who it is, and places in its own file.
_OWN = (b'{"type":"session_started"', b'{"type":"checkpoint"')


class Opened(Struct, frozen=True, kw_only=True):
    """A session that this process writes to, and what it came to so far."""

    log: SessionLog
    state: Restored
    warnings: tuple[str, ...] = ()
    lost: tuple[TaskKept, ...] = ()  # what went on in the background of a process that died


class SessionStore:
    """`beside`: further folders in which a session may have one of its own."""

    def __init__(self, folder: Path, *, beside: tuple[Path, ...] = ()) -> None:
        self.folder = folder
        self._beside = beside

    def path_of(self, session_id: str) -> str:
        if not re.fullmatch(_ID, session_id):  # an id from outside never becomes another path
            raise SessionError.of("session_id_wrong", id=session_id)
        return str(self.folder / f"{session_id}{SUFFIX}")

    def ids(self) -> list[str]:
        """Newest first."""
        return [session_id for session_id, _, _ in reversed(self._by_age())]

    def find(self, part: str) -> str:
        """The one session whose id begins with `part`."""
        if Path(self.path_of(part)).exists():
            return part
        fitting = [one for one in self.ids() if one.startswith(part)]
        if len(fitting) == 1:
            return fitting[0]
        key = "session_ambiguous" if fitting else "session_unknown"
        raise SessionError.of(key, id=part, count=len(fitting))

    def newest(self, root: str) -> str:
        """The session of this workspace that was written last."""
        wanted = os.path.realpath(root)
        for one in self.ids():
            first = read_first(self.path_of(one))
            if isinstance(first, SessionStarted) and first.roots[:1] == (wanted,):
                return one
        raise SessionError.of("session_none_here", path=wanted)

    # ── opening ───────────────────────────────────────────────────────────────────────────────
    def create(self, session_id: str, at: float, **facts: Any) -> Opened:
        """Begin one; it is on disk with its first turn, before anybody is told of that."""
        path = self.path_of(session_id)
        try:
            made_in = _made_for(self.folder)
        except OSError as problem:
            raise _unusable(self.folder, problem) from None
        log = SessionLog(path, is_new=True, made_in=made_in)
        first = SessionStarted(id=session_id, at=at, **facts)
        try:
            log.append([first])
        except SessionError:
            _discard(log)  # it never began
            raise
        state = Restored()
        state.take(first, 0)
        return Opened(log=log, state=state)

    def resume(self, session_id: str, at: float) -> Opened:
        """Go on: what a crash left open is closed, and what is damaged is told and kept."""
        path = self.path_of(session_id)
        log = SessionLog(path)
        try:
            state, content = restore(path)
            closing = repairs(state, at)
            if closing:
                log.append(closing)
                log.sync()
            for record in closing:
                state.take(record, log.size)
        except SessionError:
            log.close()
            raise
        state.id = session_id  # its first record may be lost
        warnings = []
        if content.damage:
            warnings.append(say("session_damaged", count=len(content.damage)))
        lost = tuple(one for one in closing if isinstance(one, TaskKept))
        return Opened(log=log, state=state, warnings=tuple(warnings), lost=lost)

    def fork(self, session_id: str, new_id: str, at: float) -> Opened:
        """A copy that goes its own way; the original is only read, even while another writes it."""
        data = read_bytes(self.path_of(session_id), 0)
        first = parsed(data.partition(b"\n")[0], 0).records
        was = first[0][1] if first and isinstance(first[0][1], SessionStarted) else None
        facts = {} if was is None else {name: getattr(was, name) for name in _INHERITED}
        self.found(new_id, at, _copied(data), forked_from=session_id, **facts)
        return self.resume(new_id, at)

    def found(self, new_id: str, at: float, lines: Iterable[bytes], **facts: Any) -> None:
        """A session that begins with these lines; whole, or not at all."""
        made = self.create(new_id, at, **facts)
        try:
            made.log.append_lines(lines)
            made.log.append([restored(read_log(made.log.path)).checkpoint(at)])
            made.log.sync()
        except SessionError:
            _discard(made.log)
            raise
        made.log.close()

    # ── changing ──────────────────────────────────────────────────────────────────────────────
    def rename(self, session_id: str, title: str, at: float) -> None:
        self._note(session_id, Named(title=title, at=at))

    def tag(self, session_id: str, tags: tuple[str, ...], at: float) -> None:
        self._note(session_id, Tagged(tags=tags, at=at))

    def _note(self, session_id: str, record: AnyRecord) -> None:
        log = SessionLog(self.path_of(session_id))
        try:
            log.append([record])
            log.sync()
        finally:
            log.close()

    def delete(self, session_id: str) -> None:
        """The log and all that belongs to it. A session in use is refused."""
        log = SessionLog(self.path_of(session_id))
        try:
            Path(log.path).unlink(missing_ok=True)  # while nobody else can open it
        except OSError as problem:
            raise _unusable(Path(log.path), problem) from None
        finally:
            log.close()
        import shutil  # slow to load

        for folder in self._beside:
            shutil.rmtree(folder / session_id, ignore_errors=True)

    def prune(self, *, older_than: float | None = None, max_bytes: int | None = None) -> list[str]:
        """Delete the oldest until both bounds hold; sessions in use stay."""
        removed: list[str] = []
        found = list(self._by_age())
        total = sum(size for _, _, size in found)
        for session_id, modified, size in found:
            is_old = older_than is not None and modified < older_than
            if not is_old and (max_bytes is None or total <= max_bytes):
                continue
            with suppress(SessionError):
                self.delete(session_id)
                removed.append(session_id)
                total -= size
        return removed

    def _by_age(self) -> list[tuple[str, float, int]]:
        """Every log with its time and its size, oldest first."""
        found: list[tuple[float, str, int]] = []
        try:
            with os.scandir(self.folder) as entries:
                for entry in entries:
                    if _is_log(entry):
                        with suppress(OSError):  # gone meanwhile
                            facts = entry.stat(follow_symlinks=False)
                            found.append((facts.st_mtime, entry.name, facts.st_size))
        except FileNotFoundError:
            return []
        except OSError as problem:
            raise _unusable(self.folder, problem) from None
        return [(name.removesuffix(SUFFIX), time, size) for time, name, size in sorted(found)]


def _is_log(entry: os.DirEntry[str]) -> bool:
    """Is it one of ours? Whatever else lies in the folder is let lie."""
    stem = entry.name.removesuffix(SUFFIX)
    is_named = stem != entry.name and re.fullmatch(_ID, stem) is not None
    return is_named and entry.is_file(follow_symlinks=False)


def _copied(data: bytes) -> Iterator[bytes]:
    """The intact records of a log, those of a later version too, but not those of its own."""
    for _, line in split(data):
        content = unframed(line)
        if content is not None and not content.startswith(_OWN):
            yield framed(content)


def _discard(log: SessionLog) -> None:
    with suppress(OSError):
        Path(log.path).unlink(missing_ok=True)
    log.close()


def _unusable(path: Path, problem: OSError) -> SessionError:
    why = problem.strerror or str(problem)
    return SessionError.of("session_unwritable", path=path, why=why)


def _made_for(folder: Path) -> list[str]:
    """Make the folder; where it, and every folder that had to be made for it, got its name."""
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    make_private(folder)
    return [str(one.parent) for one in missing]
