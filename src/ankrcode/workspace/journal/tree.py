"""A whole workspace before and after a command that may have changed anything in it.

What cannot be told from a command line is found out by looking: a manifest of every name, kept
fresh by the system's own notices where there are any. The contents before are those that git has
(clean tracked files) or that were saved beforehand, within caps.

Left out by rule: what git keeps about itself (it has its own log), and folders that a command
makes again (`manifest.SKIPPED`, `manifest.BUILT`). The person's home and the root of the machine
are never tracked.
"""

import os
import stat
import threading
from time import monotonic, sleep

from ankrcode.errors import ToolError
from ankrcode.words import say
from ankrcode.workspace.journal.blobs import Blobs
from ankrcode.workspace.journal.entries import Change
from ankrcode.workspace.journal.gitindex import GitContents
from ankrcode.workspace.journal.kept import KeptContents
from ankrcode.workspace.journal.manifest import (
    MAX_ENTRIES,
    Key,
    Manifest,
    differences,
    entered,
    has_links,
    is_too_large,
    key_of,
    scan,
    without,
)
from ankrcode.workspace.journal.states import (
    MISSING,
    Caps,
    Capture,
    State,
    file_state,
    in_order,
    named,
    real,
)
from ankrcode.workspace.journal.watch import Watch
from ankrcode.workspace.journal.way import Way
from ankrcode.workspace.roots import is_trackable
from ankrcode.workspace.writing.folders import Place

_SLICE_S = 0.005  # how long the background keeps others waiting


class Tree:
    """`own`: the folder of our own state, which is left out should it lie in the workspace."""

    def __init__(
        self, roots: tuple[str, ...], home: str, blobs: Blobs, caps: Caps, own: str = ""
    ) -> None:
        self._roots = [root for root in roots if is_trackable(root, home)]
        self._refused = [root for root in roots if not is_trackable(root, home)]
        self.blobs = blobs
        self._caps = caps
        self._own = own
        self._manifest: Manifest = {}
        self._looked_at: Manifest = {}  # whose contents are all safe, or waiting
        self._identities: list[tuple[int, int]] = []  # of the roots, when they were scanned
        self._linked: set[str] = set()  # folders with files that have further names
        self._kept = KeptContents(blobs)
        self._waiting: Manifest = {}  # contents that are still to be kept
        self._left_out: dict[str, Key] = {}  # too large, too many, or not readable
        self._lock = threading.RLock()
        self._keeper: threading.Thread | None = None
        self._way = Way()  # to what is being kept; open as long as something waits
        self._git = [GitContents(root) for root in self._roots]
        self._watch = Watch()
        self._is_closed = False

    # ── before ────────────────────────────────────────────────────────────────────────────────
    def prepare(self, budget_s: float) -> str:
        """Know every name and have every content; what is missing is said, else nothing.

        Contents that could not be kept in that time are kept meanwhile, as long as the command
        leaves them alone.
        """
        with self._lock:
            self._manifest = self._fresh()
            notes = [say("undo_not_tracked", path=root) for root in self._refused]
            if is_too_large(self._manifest):
                return " ".join([*notes, say("undo_too_many", limit=MAX_ENTRIES)])
            self._find_unkept()
            self._keep(monotonic() + budget_s)
            if self._left_out:
                notes.append(say("undo_left_out", count=len(self._left_out)))
            if self._waiting:
                notes.append(say("undo_waiting", count=sum(map(len, self._waiting.values()))))
                self._keep_meanwhile()
            return " ".join(notes)

    def look_ahead(self) -> None:
        """While there is time: know every name, so that the first command need not wait for it."""
        with self._lock:
            if self._manifest or self._is_closed:
                return
            self._manifest = self._fresh()
            if not is_too_large(self._manifest):
                self._find_unkept()
                self._keep_meanwhile()

    def _fresh(self) -> Manifest:
        identities = [_identity(root) for root in self._roots]
        is_same = bool(self._manifest) and identities == self._identities
        touched = self._watch.touched() if is_same else None
        if touched is not None:
            fresh = dict(self._manifest)
            with Way(*self._roots) as way:
                for folder in sorted(touched | self._linked, key=in_order):
                    self._look_again(fresh, folder, way)
            return fresh
        fresh, self._identities, self._linked = {}, identities, set()
        self._watch.begin()
        for root in self._roots:
            fresh |= self._scanned(root)
        return fresh

    def _scanned(self, folder: str, *way: Way) -> Manifest:
        found = scan(folder, self._entering, self._own, *way)
        self._linked |= {one for one, names in found.items() if has_links(names)}
        return found

    def _entering(self, folder: str, handle: int) -> None:
        if self._is_closed:  # nobody waits for the end of a look that nobody needs
            raise InterruptedError
        self._watch.add(folder, handle)

    def _look_again(self, manifest: Manifest, folder: str, way: Way) -> None:
        """Something changed in this folder: its names, and whole folders that came or went.

        It is watched anew, for it may be another one of the same name.
        """
        found = entered(folder, self._watch.add, way)
        old, new = manifest.get(folder, {}), found or {}
        if has_links(new):
            self._linked.add(folder)
        for name, key in old.items():
            if key.is_folder and new.get(name) != key:
                without(manifest, f"{folder}/{name}")
        if found is None:
            manifest.pop(folder, None)
            return
        manifest[folder] = new
        for name, key in new.items():
            if key.is_folder and f"{folder}/{name}" not in manifest:
                manifest |= self._scanned(f"{folder}/{name}", way)

    def _find_unkept(self) -> None:
        """What changed since the last look and is neither in git nor kept by us."""
        for git in self._git:
            if git.refresh():
                self._looked_at = {}
        for path, _, key in differences(self._looked_at, self._manifest):
            folder, _, name = path.rpartition("/")
            names = self._waiting.pop(folder, {})
            names.pop(name, None)
            self._left_out.pop(path, None)
            if key is not None and self._is_unkept(path, key):
                names[name] = key
            if names:  # at the end: what changed last is kept first
                self._waiting[folder] = names
        self._looked_at = self._manifest

    def _is_unkept(self, path: str, key: Key) -> bool:
        if stat.S_ISREG(key.mode):
            is_kept = self._kept.of(path, key) or any(git.has(path, key) for git in self._git)
            return not is_kept
        return stat.S_ISLNK(key.mode) and not self._kept.of(path, key)

    def _keep(self, deadline: float) -> None:
        """Keep contents until the time is up."""
        capture = Capture(self.blobs, self._caps)
        while self._waiting and monotonic() < deadline:
            folder, names = next(reversed(self._waiting.items()))
            try:
                handle = self._way.to(folder)
                while names and monotonic() < deadline:
                    name, key = names.popitem()
                    self._keep_one(Place(handle, name), f"{folder}/{name}", key, capture)
                if names:
                    return
            except (FileNotFoundError, NotADirectoryError, PermissionError, ToolError):
                self._left_out |= {f"{folder}/{name}": key for name, key in names.items()}
            del self._waiting[folder]
        if not self._waiting:
            self._way.close()

    def _keep_one(self, place: Place, path: str, key: Key, capture: Capture) -> None:
        capture.bytes = capture.last_size = 0
        # Half of the room is for what commands may change, the other for what they did.
        if self._kept.bytes >= self._caps.total_bytes // 2:
            self._left_out[path] = key
            return
        state = capture.of(place)
        if key_of(place) != key:  # it changed meanwhile: this is not what was there
            return
        if content := real(state.target) or state.digest:
            self._kept.add(path, key, content, capture.last_size)
        else:
            self._left_out[path] = key

    def _keep_meanwhile(self) -> None:
        if self._keeper is None or not self._keeper.is_alive():
            self._keeper = threading.Thread(target=self._keep_on, daemon=True)
            self._keeper.start()

    def _keep_on(self) -> None:
        """In slices, so that a command never waits long for the lock."""
        while self._waiting:
            with self._lock:
                try:
                    self._keep(monotonic() + _SLICE_S)
                except OSError:  # no room: the next command is told
                    self._way.close()
                    return
            sleep(_SLICE_S)

    # ── after ─────────────────────────────────────────────────────────────────────────────────
    def changes(self, capture: Capture) -> tuple[list[Change], str]:
        """What differs from before; and, in words, what of it cannot be brought back."""
        with self._lock:
            return self._changes(capture)

    def _changes(self, capture: Capture) -> tuple[list[Change], str]:
        before = self._manifest
        if is_too_large(before):
            return [], ""
        self._manifest = after = self._fresh()
        return self._compared(before, after, capture)

    def since(self, before: Manifest, capture: Capture) -> tuple[list[Change], str]:
        """The same for a command whose process died, from what it had noted before."""
        with self._lock:
            after: Manifest = {}
            for root in self._roots:
                after |= scan(root, lambda *_: None, self._own)
            if is_too_large(after):
                return [], say("undo_too_many", limit=MAX_ENTRIES)
            for git in self._git:
                git.refresh()
            both = [root for root in self._roots if root in before]
            return self._compared(_below(before, both), _below(after, both), capture)

    def _compared(
        self, before: Manifest, after: Manifest, capture: Capture
    ) -> tuple[list[Change], str]:
        differing = list(differences(before, after))
        fetched = self._fetched([(path, key) for path, key, _ in differing if key is not None])
        changes: list[Change] = []
        with Way() as way:
            for path, key, new in differing:
                then = self._state_before(path, key, fetched.get(path, ""))
                now = capture.at(path, way)
                if then != now:
                    changes.append(Change(path=named(path), before=then, after=now))
                if new is not None and now.digest and key_of(way.place(path)) == new:
                    self._kept.add(path, new, now.digest, capture.last_size)
        lost = sum(not change.before.can_be_restored for change in changes)
        return changes, say("undo_lost", count=lost) if lost else ""

    def _fetched(self, wanted: list[tuple[str, Key]]) -> dict[str, str]:
        """Take from git what is needed, while git still has it."""
        found: dict[str, str] = {}
        for git in self._git:
            for (path, _), content in git.contents(wanted):
                found[path] = self.blobs.put(content)
        return found

    def _state_before(self, path: str, key: Key | None, fetched: str) -> State:
        if key is None:
            return MISSING
        kept, mode = fetched or self._kept.of(path, key), stat.S_IMODE(key.mode)
        if key.is_folder:
            return State(kind="folder", mode=mode)
        if stat.S_ISLNK(key.mode):
            return State(kind="link", target=named(kept))
        if not stat.S_ISREG(key.mode):
            return State(kind="other", mode=mode)
        is_there = kept and self.blobs.has(kept)  # or another process pruned it
        return file_state(key.mode, key.size, key.mtime_ns, kept if is_there else "")

    @property
    def manifest(self) -> Manifest:
        """As of the last look; empty where it is too large to be followed."""
        return {} if is_too_large(self._manifest) else self._manifest

    @property
    def is_keeping(self) -> bool:
        """Are contents still being kept in the background?"""
        return bool(self._waiting)

    def close(self) -> None:
        self._is_closed = True
        with self._lock:
            self._waiting.clear()
            self._way.close()
            self._watch.close()


def _below(manifest: Manifest, roots: list[str]) -> Manifest:
    """What one process could see of another's workspace."""
    return {
        folder: names
        for folder, names in manifest.items()
        if any(folder == root or folder.startswith(f"{root}/") for root in roots)
    }


def _identity(root: str) -> tuple[int, int]:
    try:
        facts = os.stat(root)
    except OSError:
        return (0, 0)
    return facts.st_dev, facts.st_ino
