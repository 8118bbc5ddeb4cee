"""Every name of a workspace with enough facts to see whether it changed."""

import os
import stat
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ankrcode.errors import ToolError
from ankrcode.workspace.journal.way import Way
from ankrcode.workspace.writing.folders import Place

# Made again by a command, or kept by a program with an undo of its own.
SKIPPED = frozenset(
    {
        *(".git", ".hg", ".svn", ".jj", "node_modules", "bower_components", ".venv", "venv"),
        *("__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".tox", ".nox", ".cache"),
        *(".gradle", ".next", ".nuxt", ".terraform", ".hypothesis"),
    }
)
# Made again too, where the file that says how stands beside it.
BUILT = {
    "target": ("Cargo.toml", "pom.xml"),
    "build": ("build.gradle", "build.gradle.kts", "settings.gradle"),
    "_build": ("mix.exs", "dune-project"),
    ".build": ("Package.swift",),
}
MAX_ENTRIES = 300_000


class Key(NamedTuple):
    """Two equal keys of one name mean: the same content."""

    mode: int
    size: int
    mtime_ns: int
    ctime_ns: int  # unlike the time before, no program can set it back
    inode: int
    links: int  # a file with several names may change through one that is not watched

    @property
    def is_folder(self) -> bool:
        return stat.S_ISDIR(self.mode)


Names = dict[str, Key]
Manifest = dict[str, Names]  # folder → name → key
Entering = Callable[[str, int], object]  # a folder, and a handle of it


def scan(root: str, entering: Entering, own: str = "", way: Way | None = None) -> Manifest:
    """A folder and all below; `entering` hears of each before its names are read.

    `own`: a folder that is left out, wherever it lies.
    """
    if way is None:
        with Way(root) as fresh:
            return scan(root, entering, own, fresh)
    found: Manifest = {}
    todo, count = [root], 0
    while todo and count <= MAX_ENTRIES:
        folder = todo.pop()
        if folder == own:
            continue
        names = entered(folder, entering, way)
        found[folder] = names or {}
        count += len(found[folder])
        todo += [f"{folder}/{name}" for name, key in found[folder].items() if key.is_folder]
    return found


def entered(folder: str, entering: Entering, way: Way) -> Names | None:
    """The names of a folder, read after `entering` heard of it; None where it is gone."""
    try:
        handle = way.to(folder)
    except (OSError, ToolError):
        return None
    entering(folder, handle)
    return names_of(handle)


def names_of(folder: str | int) -> Names:
    """The names of one folder, without those that are left out by rule."""
    found: Names = {}
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name not in SKIPPED:
                    try:
                        found[entry.name] = _key(entry.stat(follow_symlinks=False))
                    except OSError:
                        continue
    except OSError:
        return found
    for name in BUILT.keys() & found.keys():
        if not found.keys().isdisjoint(BUILT[name]):
            del found[name]
    return found


def key_of(place: Place) -> Key | None:
    try:
        return _key(place.status())
    except OSError:
        return None


def _key(facts: os.stat_result) -> Key:
    if stat.S_ISDIR(facts.st_mode):  # its time changes with its names, which are listed themselves
        return Key(facts.st_mode, 0, 0, 0, facts.st_ino, 0)
    times = facts.st_mtime_ns, facts.st_ctime_ns
    return Key(facts.st_mode, facts.st_size, *times, facts.st_ino, facts.st_nlink)


def has_links(names: Names) -> bool:
    return any(key.links > 1 for key in names.values())


def is_too_large(manifest: Manifest) -> bool:
    return sum(map(len, manifest.values())) > MAX_ENTRIES


def without(manifest: Manifest, folder: str) -> None:
    """Forget a folder and all below."""
    todo = [folder]
    while todo:
        one = todo.pop()
        names = manifest.pop(one, {})
        todo += [f"{one}/{name}" for name, key in names.items() if key.is_folder]


def differences(before: Manifest, after: Manifest) -> Iterator[tuple[str, Key | None, Key | None]]:
    """Path, what was there, what is there now; outermost first. Equal folders cost nothing."""
    for folder in sorted(before.keys() | after.keys()):
        old, new = before.get(folder, {}), after.get(folder, {})
        if old is new:
            continue
        for name in sorted(old.keys() | new.keys()):
            if old.get(name) != new.get(name):
                yield f"{folder}/{name}", old.get(name), new.get(name)
