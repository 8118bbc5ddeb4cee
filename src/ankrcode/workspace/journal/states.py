"""What stands at a path: nothing, a file, a folder or a link – enough to bring it back."""

import os
import stat
from collections.abc import Callable, Iterator
from typing import Literal

from msgspec import Struct

from ankrcode.errors import ToolError
from ankrcode.workspace.journal.blobs import Blobs
from ankrcode.workspace.journal.way import Way
from ankrcode.workspace.writing.folders import Place, opened, opened_folder
from ankrcode.workspace.writing.handles import read_all

Kind = Literal["missing", "file", "folder", "link", "other"]

_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK

_RAW = "\0"  # no path holds it: what follows are the bytes of a name that is no text


def named(path: str) -> str:
    """A path as the journal writes it."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return _RAW + os.fsencode(path).hex()
    return path


def real(name: str) -> str:
    """The path again."""
    return os.fsdecode(bytes.fromhex(name[1:])) if name.startswith(_RAW) else name


def in_order(path: str) -> str:
    """What to sort paths by: a folder, all that is in it, and only then what begins alike."""
    return path.replace("/", "\0")


class State(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """`digest`: the content of a file. Where it was not kept, `stamp` tells versions apart."""

    kind: Kind = "missing"
    mode: int = 0
    digest: str = ""
    target: str = ""
    size: int = 0
    stamp: int = 0

    @property
    def can_be_restored(self) -> bool:
        return self.kind in ("missing", "folder") or bool(self.digest or self.target)


MISSING = State()


class Caps(Struct, frozen=True, kw_only=True):
    """How much is kept: of one file, of one call, and of all calls together."""

    file_bytes: int = 16 * 1024 * 1024
    call_bytes: int = 256 * 1024 * 1024
    call_entries: int = 20_000
    total_bytes: int = 1024 * 1024 * 1024
    total_calls: int = 2_000
    wait_s: float = 0.25  # how long a command waits until contents are kept


class Capture:
    """Looks at paths and keeps the contents found there, within the caps of one call.

    `check` is called for each name of a tree, and raises where nobody waits any more.
    """

    def __init__(
        self,
        blobs: Blobs,
        caps: Caps,
        *,
        durable: bool = False,
        check: Callable[[], object] = bool,
    ) -> None:
        self._blobs = blobs
        self._caps = caps
        self._durable = durable
        self._check = check
        self.bytes = 0
        self.last_size = 0  # what the last content takes in the store
        self.left_out = 0  # files too large, too many, or not readable

    def at(self, path: str, way: Way | None = None) -> State:
        """A link is itself, never what it leads to; the way there is not trusted either."""
        try:
            if way is not None:
                return self.of(way.place(path))
            folder, name = os.path.split(path)
            with opened_folder(folder) as handle:
                return self.of(Place(handle, name))
        except (FileNotFoundError, NotADirectoryError, ToolError):  # or a link on the way
            return MISSING

    def below(self, path: str) -> Iterator[tuple[str, State]]:
        """Of a folder: it and all that is in it, outermost first."""
        todo = [path]
        count = 0
        with Way() as way:
            while todo:
                self._check()
                current = todo.pop()
                count += 1
                if count > self._caps.call_entries:
                    self.left_out += 1
                    return
                try:
                    state = self.at(current, way)
                except PermissionError:  # its folder tells names, but lets nobody pass
                    self.left_out += 1
                    continue
                yield current, state
                if state.kind == "folder":
                    names = sorted(folder_names(current, way) or (), reverse=True)
                    todo += [f"{current}/{name}" for name in names]

    def of(self, place: Place) -> State:
        try:
            status = place.status()
        except FileNotFoundError:
            return MISSING
        mode = stat.S_IMODE(status.st_mode)
        if stat.S_ISDIR(status.st_mode):
            return State(kind="folder", mode=mode)
        if stat.S_ISLNK(status.st_mode):
            return State(kind="link", target=named(os.readlink(place.name, dir_fd=place.folder)))
        if not stat.S_ISREG(status.st_mode):
            return State(kind="other", mode=mode)
        return file_state(status.st_mode, status.st_size, status.st_mtime_ns, self._content(place))

    def _content(self, place: Place) -> str:
        """The digest of a file, once it is kept; empty where it is too large or cannot be read."""
        content = self._read(place)
        if content is None:
            self.left_out += 1
            return ""
        self.bytes += len(content)
        digest, self.last_size = self._blobs.put_sized(content, durable=self._durable)
        return digest

    def _read(self, place: Place) -> bytes | None:
        room = min(self._caps.file_bytes, self._caps.call_bytes - self.bytes)
        try:
            with opened(place, _READ) as handle:
                status = os.fstat(handle)
                is_fit = stat.S_ISREG(status.st_mode) and status.st_size <= room
                return read_all(handle) if is_fit else None
        except OSError:
            return None


def file_state(mode: int, size: int, mtime_ns: int, digest: str) -> State:
    stamp = 0 if digest else mtime_ns
    return State(kind="file", mode=stat.S_IMODE(mode), size=size, digest=digest, stamp=stamp)


def folder_names(folder: str, way: Way) -> list[str] | None:
    """None where it cannot be looked into."""
    try:
        return os.listdir(way.to(folder))
    except FileNotFoundError:
        return []
    except (OSError, ToolError):
        return None
