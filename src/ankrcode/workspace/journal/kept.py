"""Which contents are kept already: by path and key, remembered and shared between processes."""

import os
import threading

import msgspec

from ankrcode.workspace.journal.blobs import Blobs
from ankrcode.workspace.journal.manifest import Key

_Known = dict[str, tuple[Key, str, int]]


class KeptContents:
    """The newest version of each path: the digest of a file, or the target of a link."""

    def __init__(self, blobs: Blobs) -> None:
        self._blobs = blobs
        self._known: _Known | None = None
        self._lock = threading.Lock()
        self.bytes = 0

    def of(self, path: str, key: Key) -> str:
        """Empty where this very version is not kept."""
        known = self._loaded().get(path)
        return known[1] if known is not None and known[0] == key else ""

    def add(self, path: str, key: Key, content: str, size: int = 0) -> None:
        known = self._loaded()
        self.bytes += size - known.get(path, (key, "", 0))[2]
        known[path] = (key, content, size)
        values = (os.fsencode(path), _text(key), os.fsencode(content), size)
        with self._blobs.opened() as base:
            base.execute("INSERT OR REPLACE INTO kept VALUES (?, ?, ?, ?)", values)

    def _loaded(self) -> _Known:
        with self._lock:
            if self._known is None:
                self._known = {}
                if self._blobs.exists:
                    with self._blobs.opened() as base:
                        rows = base.execute("SELECT path, key, content, size FROM kept").fetchall()
                    for path, key, content, size in rows:
                        known = (Key(*msgspec.json.decode(key)), os.fsdecode(content), size)
                        self._known[os.fsdecode(path)] = known
                self.bytes = sum(size for _, _, size in self._known.values())
            return self._known


def _text(key: Key) -> str:
    return msgspec.json.encode(tuple(key)).decode()


def digests_kept(blobs: Blobs, *, drops: bool) -> set[str]:
    """What any process may need for its next command. `drops`: of paths that are gone, nothing."""
    if not blobs.exists:
        return set()
    with blobs.opened() as base:
        rows = base.execute("SELECT path, content FROM kept").fetchall()
        gone = [(path,) for path, _ in rows if drops and not os.path.lexists(path)]
        base.execute("BEGIN IMMEDIATE")
        base.executemany("DELETE FROM kept WHERE path = ?", gone)
        base.execute("COMMIT")
    left_out = {path for (path,) in gone}
    return {os.fsdecode(content) for path, content in rows if path not in left_out}
