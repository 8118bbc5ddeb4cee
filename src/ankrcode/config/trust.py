"""Which folders the person trusts.

A folder may be a hostile checkout: before the person trusts it, nothing in it runs, allows
anything or redirects anything. Trust is kept by real path, together with what tells this folder
from another one put in its place; it covers the folders below, never those above.
"""

import os
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from ankrcode.config.document import parse_document, read_file
from ankrcode.config.paths import home_folder, make_private, state_folder
from ankrcode.errors import SettingsError, UsageError
from ankrcode.workspace.roots import is_inside

_GET_GENERATION = 0x80087601  # FS_IOC_GETVERSION: a number is used again, a generation is not


class TrustedFolder(Struct, frozen=True, kw_only=True):
    path: str
    identity: str
    at: float = 0.0  # seconds since the epoch


class Trust(Struct, frozen=True, kw_only=True):
    """Whether a folder is trusted, through which folder, or why not."""

    folder: str
    is_trusted: bool = False
    by: str = ""
    why: Literal["", "unknown", "replaced", "store"] = "unknown"
    fault: str = ""  # what is wrong with the store


class TrustStore:
    """The list, in a file that only its owner may write."""

    def __init__(self, file: Path, home: Path | None = None) -> None:
        self.file = file
        self._home = home

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> "TrustStore":
        return cls(state_folder(environ) / "trust.json", home_folder(environ))

    def judge(self, folder: str | Path) -> Trust:
        """Is it, or a folder above it, trusted and still the same? A doubtful list says no."""
        real = os.path.realpath(folder)
        try:
            known = {one.path: one.identity for one in self.entries()}
        except SettingsError as problem:
            return Trust(folder=real, why="store", fault=str(problem))
        why: Literal["unknown", "replaced"] = "unknown"
        for above in (real, *map(str, Path(real).parents)):
            if above not in known:
                continue
            if known[above] and known[above] == _identity(above):
                return Trust(folder=real, is_trusted=True, by=above, why="")
            why = "replaced"
        return Trust(folder=real, why=why)

    def entries(self) -> list[TrustedFolder]:
        """Raises `SettingsError` if the list cannot be believed."""
        self._check_owner()
        document = parse_document(read_file(self.file), self.file)
        try:
            return msgspec.convert(document.get("folders", []), list[TrustedFolder])
        except msgspec.ValidationError as problem:
            raise SettingsError.of("settings_unreadable", path=self.file, why=problem) from None

    def add(self, folder: str | Path) -> TrustedFolder:
        """Trust it, as it is now."""
        real = os.path.realpath(folder)
        if not os.path.isdir(real):  # noqa: PTH112
            raise UsageError.of("root_missing", path=folder)
        if real == "/" or (self._home and is_inside(os.path.realpath(self._home), real)):
            raise UsageError.of("trust_too_wide", path=real)
        if not _is_text(real):
            raise UsageError.of("trust_no_text", path=real)
        added = TrustedFolder(path=real, identity=_identity(real), at=round(time.time(), 3))
        with self._changing() as kept:
            kept[:] = [one for one in kept if one.path != real] + [added]
        return added

    def remove(self, folder: str | Path) -> bool:
        """Trust it no longer; was it in the list? One that no longer exists can be removed too."""
        real = os.path.realpath(folder)
        with self._changing() as kept:
            before = len(kept)
            kept[:] = [one for one in kept if one.path != real]
            return len(kept) < before

    @contextmanager
    def _changing(self) -> Iterator[list[TrustedFolder]]:
        """Read, changed and written under a lock, so that two at once lose nothing."""
        from ankrcode.config.edit import locked, replace_file  # only a change pays for it

        try:
            make_private(self.file.parent)
            with locked(self.file):
                entries = self.entries()
                yield entries
                document = msgspec.json.encode({"folders": entries})
                replace_file(self.file, msgspec.json.format(document, indent=2) + b"\n")
        except OSError as problem:
            raise SettingsError.of(
                "settings_unwritable", path=self.file, why=problem.strerror
            ) from None

    def _check_owner(self) -> None:
        try:
            found = os.stat(self.file)  # noqa: PTH116
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as problem:
            why = problem.strerror
            raise SettingsError.of("settings_unreadable", path=self.file, why=why) from None
        if found.st_uid not in (os.geteuid(), 0) or stat.S_IMODE(found.st_mode) & 0o022:
            raise SettingsError.of("trust_unsafe", path=self.file)


def _is_text(path: str) -> bool:
    """Could it be written down, and read again as the same?"""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _identity(folder: str) -> str:
    """What tells a folder from another of the same name; empty where there is none."""
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        found = os.fstat(handle)
        born = getattr(found, "st_birthtime", None) or _generation(handle)
        return f"{found.st_dev}:{found.st_ino}:{born}"
    finally:
        os.close(handle)


def _generation(handle: int) -> int:
    """Not every file system counts them."""
    import fcntl

    try:
        answer = fcntl.ioctl(handle, _GET_GENERATION, b"\0" * 8)
    except OSError:
        return 0
    return int.from_bytes(answer[:4], "little")
