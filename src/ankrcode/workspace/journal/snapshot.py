"""What stood in the workspace before a command, on disk: its process may die before it has looked.

One file per process, in the system's hands before the command runs. Only folders that changed are
written again. Its owner holds a lock on it, so whoever can take that lock knows the owner is gone.
"""

import fcntl
import os
from contextlib import suppress
from pathlib import Path

import msgspec

from ankrcode.workspace.framing import framed, split, unframed
from ankrcode.workspace.journal.blobs import make_private
from ankrcode.workspace.journal.manifest import Key, Manifest, Names
from ankrcode.workspace.journal.states import named, real
from ankrcode.workspace.writing.handles import write_all

FOLDER = "before"
_SUFFIX = ".jsonl"
_MAX_BYTES = 64 * 1024 * 1024  # then it begins anew with all that stands there
_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC


class Looked(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The names of these folders, instead of what was noted of them before."""

    folders: dict[str, dict[str, tuple[int, ...]]]
    gone: list[str] = []


_decoder = msgspec.json.Decoder(Looked)


class Snapshot:
    """Made by the first command that may change something; removed when its owner ends."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / FOLDER
        self._handle = -1
        self._noted: Manifest = {}
        self._size = 0
        self.name = ""

    def note(self, manifest: Manifest) -> int:
        """All that stands there now can be read back; up to which place, is the answer."""
        if self._handle < 0 or self._size > _MAX_BYTES:
            self._begin()
        noted = self._noted
        looked = {one: names for one, names in manifest.items() if noted.get(one) is not names}
        gone = [one for one in noted if one not in manifest]
        if looked or gone:
            line = framed(_encoded(looked, gone))
            write_all(self._handle, line)
            self._size += len(line)
            self._noted = dict(manifest)
        return self._size

    def _begin(self) -> None:
        self.close()
        make_private(self._folder)
        self.name = f"{os.getpid()}-{os.urandom(6).hex()}{_SUFFIX}"
        path = self._folder / self.name
        unlocked = path.with_suffix(".new")  # nobody takes it for left behind before it is locked
        self._handle = os.open(unlocked, _NEW, 0o600)
        fcntl.flock(self._handle, fcntl.LOCK_EX)
        unlocked.rename(path)

    def close(self) -> None:
        """Its owner ends in order: nobody will have to read it."""
        if self._handle >= 0:
            with suppress(OSError):
                (self._folder / self.name).unlink()
            os.close(self._handle)
        self._handle, self._noted, self._size, self.name = -1, {}, 0, ""


def _encoded(looked: Manifest, gone: list[str]) -> bytes:
    record = {"folders": looked, "gone": gone}
    try:
        return msgspec.json.encode(record)
    except UnicodeEncodeError:  # names that are no text
        plain = {
            named(folder): {named(name): key for name, key in names.items()}
            for folder, names in looked.items()
        }
        return msgspec.json.encode({"folders": plain, "gone": [named(one) for one in gone]})


def left_behind(folder: Path) -> list[str]:
    """The snapshots whose owners are gone."""
    try:
        names = [one for one in os.listdir(folder / FOLDER) if one.endswith(_SUFFIX)]
    except OSError:
        return []
    return [one for one in names if not is_owned(folder, one)]


def is_owned(folder: Path, name: str) -> bool:
    """Does its owner live? Another thread of this process counts as one."""
    try:
        handle = os.open(folder / FOLDER / name, _READ)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(handle)
    return False


def read_back(folder: Path, name: str, end: int) -> Manifest | None:
    """What stood there when it had grown to `end`; None where that cannot be read any more."""
    try:
        with open(os.open(folder / FOLDER / name, _READ), "rb") as file:
            data = file.read(end)
    except OSError:
        return None
    if not name or len(data) < end:
        return None
    found: Manifest = {}
    for _, line in split(data):
        content = unframed(line)
        if content is None:
            return None
        try:
            looked = _decoder.decode(content)
        except msgspec.DecodeError:
            return None
        for one in looked.gone:
            found.pop(real(one), None)
        for one, names in looked.folders.items():
            found[real(one)] = _names(names)
    return found


def _names(names: dict[str, tuple[int, ...]]) -> Names:
    return {real(name): Key(*key) for name, key in names.items()}


def forget(folder: Path, name: str) -> None:
    with suppress(OSError):
        (folder / FOLDER / name).unlink()
