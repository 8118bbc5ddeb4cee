"""Contents that git has already: tracked files that are as the index knows them.

The index is read here and not by git, because git would obey the settings of the folder (filters,
monitors) before anybody trusted it. Only `git cat-file` runs, which obeys none of them, and which
may fetch nothing: a repository that lacks objects would have it run programs of its own choice.
"""

import os
import stat
import struct
import subprocess
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ankrcode.workspace.journal.gitplaces import Filters, is_plain, work_tree
from ankrcode.workspace.journal.manifest import Key

_HEAD = struct.Struct(">4sII")
_ENTRY = struct.Struct(">10I20sH")
_EXTENDED = 0x4000
_WORD = 0xFFFFFFFF
_VERSION_4 = 4
_HEAD_WORDS = 3  # of an answer: object, type, size
_TIMEOUT_S = 20.0
_SIZES = "--batch-check=%(objectname) %(objectsize)"
_BATCH_BYTES = 32 * 1024 * 1024

Named = tuple[str, Key]


class Tracked(NamedTuple):
    """A file as the index knows it; numbers are cut to the 32 bits that it has for them."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    oid: str


class GitContents:
    """The clean tracked files of one folder; empty where it is no git work tree."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._stamp: tuple[int, int] | None = None
        self._entries: dict[str, Tracked] = {}
        self._sizes: dict[str, int] = {}
        self._filters = Filters()

    def refresh(self) -> bool:
        """Read the index again if it changed; did it?"""
        try:
            top, folder = work_tree(self._root)
            index = folder / "index"
            facts = index.stat()
            stamp = (facts.st_mtime_ns, facts.st_size)
            if stamp == self._stamp:
                return False
            self._entries = {}
            if is_plain(folder):
                self._entries = self._parsed(index.read_bytes(), facts.st_mtime_ns, str(top))
                self._filters = Filters.of(top, folder, self._entries)
        except (OSError, ValueError, struct.error, IndexError):
            had_some, self._entries, self._stamp = bool(self._entries), {}, None
            return had_some
        self._stamp = stamp
        if not self._filters.may_resize:
            return True
        unknown = {one.oid for one in self._entries.values()} - self._sizes.keys() - {""}
        self._sizes |= self._sizes_of(unknown)
        return True

    def has(self, path: str, key: Key) -> bool:
        """Is this very version of the file in git, byte for byte?"""
        known = self._entries.get(path)
        if known is None or not stat.S_ISREG(key.mode):
            return False
        now = (key.size & _WORD, key.mtime_ns, key.ctime_ns, key.inode & _WORD)
        # Another size in git means that a filter (line ends, large files) stands between.
        if known[:4] != now or not known.oid or self._filters.may_change(path):
            return False
        return not self._filters.may_resize or self._sizes.get(known.oid) == key.size

    def contents(self, wanted: Iterable[Named]) -> Iterator[tuple[Named, bytes]]:
        """Of those that git has."""
        batch: list[Named] = []
        size = 0
        for one in wanted:
            if self.has(*one):
                batch.append(one)
                size += one[1].size
            if size > _BATCH_BYTES:
                yield from self._batch(batch)
                batch, size = [], 0
        yield from self._batch(batch)

    def _batch(self, wanted: list[Named]) -> Iterator[tuple[Named, bytes]]:
        asked = "".join(f"{self._entries[path].oid}\n" for path, _ in wanted).encode()
        said = (
            self._git("cat-file", "--buffer", "--batch", given=asked) if wanted else None
        ) or b""
        place = 0
        for one in wanted:
            end = said.find(b"\n", place)
            head = said[place:end].split()
            if end < 0 or len(head) != _HEAD_WORDS:  # an object that is gone has no content
                place = end + 1 if end >= 0 else len(said)
                continue
            start, size = end + 1, int(head[2])
            place = start + size + 1
            if size == one[1].size:
                yield one, said[start : start + size]

    def _parsed(self, data: bytes, written_ns: int, top: str) -> dict[str, Tracked]:
        signature, version, count = _HEAD.unpack_from(data)
        if signature != b"DIRC" or version not in (2, 3, _VERSION_4):
            raise ValueError(version)
        found: dict[str, Tracked] = {}
        place, name = _HEAD.size, b""
        for _ in range(count):
            start = place
            fields = _ENTRY.unpack_from(data, place)
            flags = fields[11]
            place += _ENTRY.size + (2 if flags & _EXTENDED else 0)
            if version == _VERSION_4:
                cut, place = _varint(data, place)
                end = data.index(b"\0", place)
                name = name[: len(name) - cut] + data[place:end]
                place = end + 1
            else:
                end = data.index(b"\0", place)
                name = data[place:end]
                place = start + ((end - start) // 8 + 1) * 8
            mtime_ns = fields[2] * 1_000_000_000 + fields[3]
            ctime_ns = fields[0] * 1_000_000_000 + fields[1]
            # What is as new as the index may have changed within the same tick.
            oid = fields[10].hex() if mtime_ns < written_ns else ""
            path = f"{top}/{name.decode(errors='surrogateescape')}"
            found[path] = Tracked(fields[9], mtime_ns, ctime_ns, fields[5], oid)
        return found

    def _sizes_of(self, oids: set[str]) -> dict[str, int]:
        if not oids:
            return {}
        asked = "\n".join(oids).encode() + b"\n"
        said = self._git("cat-file", "--buffer", _SIZES, given=asked)
        pairs = (line.split(b" ", 1) for line in (said or b"").splitlines())
        return {oid.decode(): int(size) for oid, size in pairs if size.isdigit()}

    def _git(self, *arguments: str, given: bytes = b"") -> bytes | None:
        environment = {
            "PATH": os.environ.get("PATH", os.defpath),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_ALLOW_PROTOCOL": "none",  # the same for git before 2.45
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_OPTIONAL_LOCKS": "0",
            "LC_ALL": "C",
        }
        command = ["git", "-c", "safe.directory=*", "-C", self._root, *arguments]
        try:
            done = subprocess.run(  # noqa: S603 - our own words, no shell
                command,
                input=given,
                capture_output=True,
                env=environment,
                timeout=_TIMEOUT_S,
                check=False,
            )
        except (OSError, subprocess.SubprocessError):
            return None
        return done.stdout if done.returncode == 0 else None


def _varint(data: bytes, place: int) -> tuple[int, int]:
    value = data[place] & 0x7F
    while data[place] & 0x80:
        place += 1
        value = ((value + 1) << 7) | (data[place] & 0x7F)
    return value, place + 1
