"""Contents by their digest, compressed, private, each kept once.

Small ones lie together in one SQLite file: a file for each would take seven times as long, and
its size is known at once. Large ones are files beside it.
"""

import errno
import os
import threading
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

from ankrcode.errors import ErrorCode, ToolError

FILE = "contents.sqlite3"
_LEVEL = 1  # fast: most contents are never looked at again
_LARGE = 256 * 1024  # compressed
_BUSY_S = 20.0
_PAGE, _ROW = 1024, 100  # a content takes whole pages, and some bytes for its name
_TABLES = (
    f"PRAGMA page_size = {_PAGE}",
    "PRAGMA auto_vacuum = INCREMENTAL",
    "PRAGMA journal_mode = WAL",
    "PRAGMA journal_size_limit = 0",
    "PRAGMA wal_autocheckpoint = 200",
    "CREATE TABLE IF NOT EXISTS blobs (digest BLOB PRIMARY KEY, data BLOB) WITHOUT ROWID",
    """CREATE TABLE IF NOT EXISTS kept (
        path BLOB PRIMARY KEY, key TEXT, content BLOB, size INTEGER
    ) WITHOUT ROWID""",
)


def make_private(folder: Path) -> None:
    """Create what is missing of a folder so that only its owner can look inside."""
    if not folder.is_dir():
        make_private(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


class Base(Protocol):
    """The part of an SQLite connection that is used here; loading SQLite is slow."""

    def execute(self, statement: str, values: Sequence[object] = (), /) -> Any: ...
    def executemany(self, statement: str, values: Iterable[Sequence[object]], /) -> Any: ...
    def close(self) -> None: ...


class Blobs:
    """Opened by its first use; shared by threads and by processes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._base: Base | None = None
        self._lock = threading.RLock()

    def put(self, content: bytes, *, durable: bool = False) -> str:
        """Keep a content. `durable`: it survives a power cut from now on."""
        return self.put_sized(content, durable=durable)[0]

    def put_sized(self, content: bytes, *, durable: bool = False) -> tuple[str, int]:
        """The same, and how many bytes it takes."""
        digest = sha256(content)
        name, data = digest.hexdigest(), zlib.compress(content, _LEVEL)
        if len(data) > _LARGE:
            path = self.folder / name
            if not path.exists():
                self._write(path, data, durable=durable)
            return name, len(data)
        with self.opened() as base:
            base.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            values = (digest.digest(), data)
            base.execute("INSERT OR IGNORE INTO blobs VALUES (?, ?)", values)
        return name, len(data)

    def get(self, digest: str) -> bytes:
        """The content, checked; `ToolError` if it was pruned or damaged."""
        content = None
        with suppress(OSError, zlib.error):
            data = self._data(digest)
            content = zlib.decompress(data) if data is not None else None
        if content is None or sha256(content).hexdigest() != digest:
            raise ToolError.of("blob_gone", digest=digest[:12]).coded(ErrorCode.IO_ERROR)
        return content

    def has(self, digest: str) -> bool:
        if (self.folder / digest).is_file():
            return True
        if not self.exists:
            return False
        asked = "SELECT 1 FROM blobs WHERE digest = ?"
        with self.opened() as base:
            return base.execute(asked, (bytes.fromhex(digest),)).fetchone() is not None

    def sizes(self) -> dict[str, int]:
        """Of every content, the bytes that it takes."""
        found = dict(self._large())
        if self.exists:
            with self.opened() as base:
                rows = base.execute("SELECT digest, length(data) FROM blobs").fetchall()
            found |= {digest.hex(): -(-(size + _ROW) // _PAGE) * _PAGE for digest, size in rows}
        return found

    def keep_only(self, wanted: set[str]) -> None:
        """Remove all others, and give their room back."""
        for name, _ in list(self._large()):
            if name not in wanted:
                (self.folder / name).unlink(missing_ok=True)
        if not self.exists:
            return
        with self.opened() as base:
            unwanted = [
                (digest,)
                for (digest,) in base.execute("SELECT digest FROM blobs")
                if digest.hex() not in wanted
            ]
            base.execute("BEGIN IMMEDIATE")
            base.executemany("DELETE FROM blobs WHERE digest = ?", unwanted)
            base.execute("COMMIT")
            base.execute("PRAGMA incremental_vacuum").fetchall()
            base.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def size(self) -> int:
        """Of all that is kept, in bytes."""
        total = sum(size for _, size in self._large())
        with suppress(OSError):
            total += os.stat(f"{self.folder / FILE}-wal").st_size
        if self.exists:
            with self.opened() as base:
                used, free, page = (
                    base.execute(f"PRAGMA {word}").fetchone()[0]
                    for word in ("page_count", "freelist_count", "page_size")
                )
                total += (used - free) * page
        return total

    @property
    def exists(self) -> bool:
        return self._base is not None or (self.folder / FILE).exists()

    @contextmanager
    def opened(self) -> Iterator[Base]:
        """For one thread at a time; what SQLite complains of is an `OSError`, as of any file."""
        import sqlite3

        with self._lock:
            try:
                self._base = self._base or self._connected()
                yield self._base
            except sqlite3.Error as problem:
                raise OSError(0, str(problem)) from None

    def close(self) -> None:
        with self._lock:
            if self._base is not None:
                self._base.close()
                self._base = None

    def _connected(self) -> Base:
        import sqlite3

        make_private(self.folder)
        path = self.folder / FILE
        try:
            return _prepared(path)
        except PermissionError:
            return _only_read(path)
        except OSError as problem:
            if problem.errno != errno.EROFS:
                raise
            return _only_read(path)
        except sqlite3.OperationalError:  # locked for long, or nowhere to write
            raise
        except sqlite3.DatabaseError:  # damaged: what comes from now on can be kept at least
            path.replace(path.with_suffix(".damaged"))
            return _prepared(path)

    def _data(self, digest: str) -> bytes | None:
        with suppress(FileNotFoundError):
            return (self.folder / digest).read_bytes()
        if not self.exists:
            return None
        asked = "SELECT data FROM blobs WHERE digest = ?"
        with self.opened() as base:
            row = base.execute(asked, (bytes.fromhex(digest),)).fetchone()
            return row[0] if row else None

    def _large(self) -> Iterator[tuple[str, int]]:
        with suppress(FileNotFoundError), os.scandir(self.folder) as entries:
            for entry in entries:
                if not entry.name.startswith((FILE, ".", Path(FILE).stem)):
                    yield entry.name, entry.stat().st_size

    def _write(self, path: Path, data: bytes, *, durable: bool) -> None:
        make_private(self.folder)
        temporary = path.with_name(f".{os.urandom(8).hex()}")
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            with open(handle, "wb") as file:
                file.write(data)
                file.flush()
                if durable:
                    os.fsync(handle)
            temporary.replace(path)
        except OSError:
            with suppress(OSError):
                temporary.unlink()
            raise


def _only_read(path: Path) -> Base:
    import sqlite3

    where = f"{path.as_uri()}?mode=ro&immutable=1"
    return sqlite3.connect(where, uri=True, isolation_level=None, check_same_thread=False)


def _prepared(path: Path) -> Base:
    import sqlite3

    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
    base = sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False)
    try:
        for statement in _TABLES:
            with closing(base.execute(statement)) as cursor:
                cursor.fetchall()
    except sqlite3.Error:
        base.close()
        raise
    return base
