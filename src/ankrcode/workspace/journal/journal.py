"""The journal of one workspace: shared by its agents and by all processes that work there."""

import fcntl
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ankrcode.errors import ErrorCode, ToolError
from ankrcode.protocol.acts import EVERYTHING, Acts
from ankrcode.words import say
from ankrcode.workspace.framing import framed, split, unframed
from ankrcode.workspace.journal.blobs import make_private
from ankrcode.workspace.journal.entries import (
    Begun,
    Change,
    Closed,
    Entry,
    JournalRecord,
    Listed,
    Undone,
    decoded,
    encoded,
)
from ankrcode.workspace.journal.kept import digests_kept
from ankrcode.workspace.journal.snapshot import Snapshot, forget, left_behind
from ankrcode.workspace.journal.states import MISSING, Caps, Capture, State, named, real
from ankrcode.workspace.journal.tree import Tree
from ankrcode.workspace.journal.unfinished import Unfinished
from ankrcode.workspace.journal.way import Way
from ankrcode.workspace.writing.folders import missing_folders
from ankrcode.workspace.writing.handles import write_all
from ankrcode.workspace.writing.writes import FileWriter

FILE = "journal.jsonl"
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
_PRUNE_BYTES = 64 * 1024  # of the record: some hundred calls of whatever process


class Who(Struct, frozen=True, kw_only=True):
    """Whose call it is."""

    tool: str
    title: str = ""
    call_id: str = ""
    turn_id: str = ""
    agent_id: str = ""
    session_id: str = ""


class Pending(Struct, kw_only=True):
    """A call between its before and its after."""

    begun: Begun
    trees: list[str]
    partial: str = ""
    is_shell: bool = False


class Journal:
    def __init__(
        self,
        folder: Path,
        tree: Tree,
        *,
        caps: Caps | None = None,
        now: Callable[[], float],
        new_id: Callable[[str], str],
        files: FileWriter | None = None,
    ) -> None:
        self._is_due = False
        self.folder = folder
        self.caps = caps or Caps()
        self.blobs = tree.blobs
        self.tree = tree
        self.files = files or FileWriter()
        self._now = now
        self.new_id = new_id
        self._snapshot = Snapshot(folder)

    # ── around a call ─────────────────────────────────────────────────────────────────────────
    def before(self, acts: Acts, who: Who, check: Callable[[], object] = bool) -> Pending | None:
        """Keep what the call may change; None if it changes no file. On disk when this returns.

        `check` raises where nobody waits for it any more.
        """
        is_shell = EVERYTHING in acts.writes
        if not is_shell and not acts.writes_files:
            return None
        if is_shell and left_behind(self.folder):
            self.entries()  # before what they left is mixed with what comes now
        paths = _with_new_folders(acts.writes_files)
        trees = [one[5:] for one in acts.writes if one.startswith("tree:")]
        capture = Capture(self.blobs, self.caps, durable=True, check=check)
        try:
            states = {named(path): capture.at(path) for path in paths}
            for tree in trees:
                states |= {named(path): state for path, state in capture.below(tree)}
            partial = self.tree.prepare(self.caps.wait_s) if is_shell else _partial(capture)
            end = self._snapshot.note(self.tree.manifest) if is_shell else 0
            begun = Begun(
                id=self.new_id("change"),
                at=self._now(),
                before=states,
                process=os.getpid(),
                is_shell=is_shell,
                snapshot=self._snapshot.name if is_shell else "",
                snapshot_end=end,
                **_facts(who),
            )
            self.append(begun)
            for name, state in states.items():  # unless another process pruned it just now
                if state.digest and not self.blobs.has(state.digest):
                    capture.at(real(name))
        except OSError as problem:
            why = problem.strerror or str(problem)
            error = ToolError.of("journal_unwritable", path=self.folder, why=why)
            raise error.coded(ErrorCode.IO_ERROR) from None
        return Pending(begun=begun, trees=trees, partial=partial, is_shell=is_shell)

    def dropped(self, pending: Pending) -> None:
        """The call did not run after all: what happens from now on is not its work."""
        with suppress(OSError):
            self.append(Closed(id=pending.begun.id))

    def look_ahead(self) -> None:
        """In a thread, before any command: what cannot be had now will be told then."""
        with suppress(OSError, ToolError):
            self.tree.look_ahead()

    def after(self, pending: Pending) -> Entry | None:
        """What the call changed, recorded; None where that is nothing."""
        capture = Capture(self.blobs, self.caps)
        changes = self._changes(pending, capture)
        if pending.is_shell:
            found, partial = self.tree.changes(capture)
            known = {change.path for change in changes}
            changes += [change for change in found if change.path not in known]
            pending.partial = " ".join(filter(None, (pending.partial, partial)))
        begun = pending.begun
        if not changes:
            self.append(Closed(id=begun.id))
            return None
        partial = " ".join(filter(None, (pending.partial, _partial(capture))))
        entry = begun.entry(changes, partial)
        self.append(entry)
        if self._is_due or self.size() > self.caps.total_bytes:
            self._is_due = False
            self.prune()
        return entry

    def _changes(self, pending: Pending, capture: Capture) -> list[Change]:
        before = dict(pending.begun.before)
        with Way() as way:
            after = {name: capture.at(real(name), way) for name in before}
        for tree in pending.trees:
            after |= {named(path): state for path, state in capture.below(tree)}
        changes = []
        for name, now in after.items():
            then = before.get(name, MISSING)
            if then != now:
                changes.append(Change(path=name, before=then, after=now))
        return changes

    # ── the record ────────────────────────────────────────────────────────────────────────────
    def append(self, record: JournalRecord) -> None:
        """One record at the end, whoever else writes too; now and then the bounds are due."""
        with self._locked() as handle:
            size = os.fstat(handle).st_size
            is_torn = size > 0 and os.pread(handle, 1, size - 1) != b"\n"
            line = (b"\n" if is_torn else b"") + framed(encoded(record))
            try:
                write_all(handle, line)
            except OSError:
                with suppress(OSError):
                    os.ftruncate(handle, size)
                raise
            self._is_due |= (size + len(line)) // _PRUNE_BYTES != size // _PRUNE_BYTES

    @contextmanager
    def _locked(self) -> Iterator[int]:
        """The record, open, for one writer; not one that was replaced while waiting for it."""
        make_private(self.folder)
        path = self.folder / FILE
        while True:
            handle = os.open(path, _FLAGS, 0o600)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX)
                if path.exists() and os.path.samestat(path.stat(), os.fstat(handle)):
                    yield handle
                    return
            finally:
                os.close(handle)

    def records(self) -> list[JournalRecord]:
        try:
            data = (self.folder / FILE).read_bytes()
        except FileNotFoundError:
            return []
        except OSError as problem:
            why = problem.strerror or str(problem)
            error = ToolError.of("journal_unreadable", path=self.folder, why=why)
            raise error.coded(ErrorCode.IO_ERROR) from None
        contents = (unframed(line) for _, line in split(data))
        found = (decoded(content) for content in contents if content is not None)
        return [record for record in found if record is not None]

    def entries(self) -> list[Listed]:
        """Oldest first; what a dead process left unfinished is finished by what is there now."""
        orphans = left_behind(self.folder)
        every, _ = self._known(self.records())
        with suppress(OSError):
            for one in every:
                if one.is_found:  # noted as it is now: what the person does from now on is theirs
                    self.append(Closed(id=one.entry.id) if one.is_empty else one.entry)
            for name in orphans:
                forget(self.folder, name)
        return [one for one in every if not one.is_empty]

    def _known(self, records: list[JournalRecord]) -> tuple[list[Listed], list[Begun]]:
        """The entries, also those in which nothing happened; and the calls that are under way."""
        known: dict[str, Listed | Begun] = {}
        since: dict[str, set[str]] = {}  # what others changed after a command had begun
        for number, record in enumerate(records, 1):
            match record:
                case Begun():
                    known[record.id] = record
                    if record.snapshot:
                        since[record.id] = set()
                case Closed():
                    known.pop(record.id, None)
                    since.pop(record.id, None)
                case Entry():
                    known[record.id] = Listed(entry=record)
                    since.pop(record.id, None)
                    for paths in since.values():
                        paths |= {change.path for change in record.changes}
                case Undone() if not record.is_begun:
                    for one in record.ids:
                        if isinstance(listed := known.get(one), Listed):
                            undone = 0 if record.redone else number
                            known[one] = replace(listed, undone=undone)
        unfinished = Unfinished(self.folder, self.tree, self.caps)
        every = [
            unfinished.ended(one, since.get(one.id, set())) if isinstance(one, Begun) else one
            for one in known.values()
        ]
        over = [one for one in every if isinstance(one, Listed)]
        return over, [one for one in every if isinstance(one, Begun)]

    def was_undoing(self, ids: tuple[str, ...], *, redone: bool) -> bool:
        """Was this begun, and never completed?"""
        found = [one for one in self.records() if isinstance(one, Undone) and one.redone == redone]
        last = next((one for one in reversed(found) if set(one.ids) & set(ids)), None)
        return last is not None and last.is_begun

    # ── bounds ────────────────────────────────────────────────────────────────────────────────
    def size(self) -> int:
        """Of all that is kept here, in bytes."""
        with suppress(FileNotFoundError):
            return self.blobs.size() + (self.folder / FILE).stat().st_size
        return 0

    def prune(self) -> int:
        """Forget the oldest until the caps hold; how many entries went.

        Nobody appends meanwhile: what others have begun or noted is seen, and its contents stay.
        """
        with self._locked():
            every, begun = self._known(self.records())
            listed = [one for one in every if not one.is_empty]
            # While a command runs, what it removed may still have to be brought back.
            wanted = digests_kept(self.blobs, drops=not any(one.is_shell for one in begun))
            for state in (state for one in begun for state in one.before.values()):
                wanted.add(state.digest)
            kept = self._within_caps(listed, set(wanted))
            self._rewrite(kept, begun)
            self.blobs.keep_only(wanted | _digests(kept))
        return len(listed) - len(kept)

    def _within_caps(self, listed: list[Listed], known: set[str]) -> list[Listed]:
        """The newest whose contents and records fit; what commands may need comes on top."""
        sizes = self.blobs.sizes()
        room = self.caps.total_bytes * 3 // 4 - sum(sizes.get(one, 0) for one in known)
        kept: list[Listed] = []
        for one in reversed(listed[-self.caps.total_calls :]):
            digests = _digests([one]) - known
            room -= sum(sizes.get(digest, 0) for digest in digests) + len(encoded(one.entry))
            if room < 0 and kept:
                break
            known |= digests
            kept.insert(0, one)
        return kept

    def _rewrite(self, kept: list[Listed], begun: list[Begun]) -> None:
        records: list[JournalRecord] = [one.entry for one in kept]
        for undone in sorted({one.undone for one in kept if one.undone}):
            ids = tuple(one.entry.id for one in kept if one.undone == undone)
            records.append(Undone(ids=ids, at=self._now()))
        temporary = self.folder / f".{os.urandom(6).hex()}"
        with open(os.open(temporary, _FLAGS, 0o600), "wb") as file:
            file.write(b"".join(framed(encoded(one)) for one in (*records, *begun)))
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(self.folder / FILE)

    def close(self) -> None:
        self._snapshot.close()
        self.tree.close()
        self.blobs.close()


def _facts(who: Who) -> dict[str, str]:
    return {name: getattr(who, name) for name in Who.__struct_fields__}


def _with_new_folders(paths: Iterable[str]) -> list[str]:
    """The paths, and before each the folders above it that would have to be made."""
    found: dict[str, None] = {}
    for path in paths:
        for folder in missing_folders(str(Path(path).parent)):
            found[folder] = None
        found[path] = None
    return list(found)


def _partial(capture: Capture) -> str:
    return say("undo_left_out", count=capture.left_out) if capture.left_out else ""


def _digests(listed: Iterable[Listed]) -> set[str]:
    states: list[State] = []
    for one in listed:
        for change in one.entry.changes:
            states += (change.before, change.after)
    return {state.digest for state in states if state.digest}
