"""A copy of a workspace to throw away, as it was at some time, as far as the journal knows."""

import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ankrcode.config.settings import UndoSettings
from ankrcode.errors import SessionError
from ankrcode.tooling.durable import journal_folder, open_journal
from ankrcode.tooling.identity import SystemSource
from ankrcode.workspace.journal.blobs import Blobs
from ankrcode.workspace.journal.states import State, real
from ankrcode.workspace.roots import Workspace


@contextmanager
def scratch_copy(root: str, at: float) -> Iterator[Path]:
    """Of `root` as it was at `at`; gone when this ends."""
    if not Path(root).is_dir():
        raise SessionError.of("replay_nowhere", path=root)
    with tempfile.TemporaryDirectory(
        prefix="ankrcode-replay-", ignore_cleanup_errors=True
    ) as scratch:
        copy = Path(scratch).resolve() / Path(root).name
        with suppress(shutil.Error):  # what cannot be read cannot be copied
            shutil.copytree(root, copy, symlinks=True, ignore=_specials)
        _turn_back(root, copy, at)
        yield copy


def moved(value: Any, old: str, new: str) -> Any:
    """The same data with every path of the one place leading into the other."""
    if isinstance(value, str):
        return value.replace(old, new)
    if isinstance(value, dict):
        return {key: moved(item, old, new) for key, item in value.items()}
    if isinstance(value, list):
        return [moved(item, old, new) for item in value]
    return value


def _specials(folder: str, names: list[str]) -> list[str]:
    """Pipes, sockets and devices: to copy one is to wait for it."""
    return [name for name in names if not _is_plain(Path(folder, name))]


def _is_plain(path: Path) -> bool:
    mode = path.lstat().st_mode
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode)


def _turn_back(root: str, copy: Path, at: float) -> None:
    """What stood at each path before the first call since then changed it."""
    if not journal_folder(root).is_dir():
        return
    journal = open_journal(Workspace((root,)), UndoSettings(), SystemSource())
    then: dict[str, State] = {}
    for listed in journal.entries():
        if listed.entry.at >= at:
            for change in listed.entry.changes:
                then.setdefault(real(change.path), change.before)
    journal.tree.close()
    for path in sorted(then, reverse=True):
        if then[path].kind == "missing" and (place := _inside(path, root, copy)):
            _remove(place)
    for path in sorted(then):
        if place := _inside(path, root, copy):
            _put(place, then[path], journal.blobs)


def _inside(path: str, root: str, copy: Path) -> Path | None:
    """Where it stands in the copy; None if no path of the copy leads there."""
    if not path.startswith(f"{root}/"):
        return None
    place = copy / path[len(root) + 1 :]
    return place if place.parent.resolve().is_relative_to(copy) else None


def _remove(place: Path) -> None:
    with suppress(OSError):
        place.rmdir() if place.is_dir() and not place.is_symlink() else place.unlink()


def _put(place: Path, state: State, blobs: Blobs) -> None:
    if state.kind == "folder":
        place.mkdir(parents=True, exist_ok=True)
    elif state.kind == "link":
        _remove(place)
        place.symlink_to(real(state.target))
    elif state.digest:  # without one it was too large to keep: as it is now is all there is
        _remove(place)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(blobs.get(state.digest))
        place.chmod(state.mode)
