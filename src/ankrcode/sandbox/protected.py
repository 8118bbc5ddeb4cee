"""Names that nobody confined may write, because other programs believe what stands in them.

A hook, a shell's start-up file or an agent's settings is run or obeyed later, outside the wall.
The *name* is protected, so it makes no difference whether anything is there yet.
"""

import os
import re
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from ankrcode.workspace.roots import is_inside

AGENTS = (".ankrcode", ".claude", ".mcp.json")
EDITORS = (".vscode", ".idea")
OTHER_AGENTS = (".codex", ".cursor", ".gemini")
SHELLS = (
    *(".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile"),
    *(".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".inputrc"),
)
GIT = (".gitconfig",)
NAMES = (*AGENTS, *EDITORS, *OTHER_AGENTS, *SHELLS, *GIT)
# Index, objects and refs stay writable: no commit would work without them.
IN_GIT = ("hooks", "config", "info")
# `commondir` is where git looks for all of the above instead, if there is such a file.
IN_GIT_RARELY = ("modules", "config.worktree", "commondir")
IN_WORKTREE = ("commondir", "gitdir")
_MAX_GIT_TEXT = 64 * 1024
_MAX_MODULES, _MAX_MODULE_DEPTH = 8, 6

# What has one of these odd modes is a placeholder of ours, and counts as nothing (see stubs.py).
STUB_SOCKET, STUB_FILE = stat.S_IFSOCK | 0o1400, stat.S_IFREG | 0o1400
STUBS = (STUB_SOCKET, STUB_FILE)


class Protected(Struct, frozen=True, kw_only=True):
    """The protected names of some roots, by what stands there now."""

    fixed: tuple[str, ...] = ()  # files and folders: to be made read-only
    missing: tuple[str, ...] = ()  # nothing: to be kept that way
    missing_files: tuple[str, ...] = ()  # the same, where programs read an empty file at most
    unheld: tuple[str, ...] = ()  # nothing: rare, so look afterwards whether it stayed that way
    watched: tuple[str, ...] = ()  # links and the like: nothing can hold them, so look afterwards
    pinned: tuple[str, ...] = ()  # writable, but not to be renamed: what it holds is fixed
    writable: tuple[str, ...] = ()  # a repository's own folders outside the roots

    @property
    def absent(self) -> tuple[str, ...]:
        return (*self.missing, *self.missing_files, *self.unheld)

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.fixed, *self.absent, *self.watched)


def protected_in(
    roots: Iterable[str], homes: Iterable[str] = (), cwd: str = ""
) -> tuple[Protected, set[str]]:
    """Look at what is there now, and say where that was seen. All are real paths."""
    notes = _Notes()
    at_home = frozenset(homes)
    for root in roots:
        for name in (*AGENTS, *EDITORS):
            notes.look_at(_join(root, name), root)
        # Each placeholder has its price. These names are rare, or read at home only.
        for name in OTHER_AGENTS:
            notes.look_at(_join(root, name), root, "unheld")
        for name in (*SHELLS, *GIT):
            missing = "missing_files" if root in at_home else "unheld"
            notes.look_at(_join(root, name), root, missing)
        _look_at_git(root, notes)
        # A repository further down counts if the command starts in it.
        for folder in _between(root, cwd):
            if notes.mode(_join(folder, ".git")) is not None:
                notes.pin(folder, root)
                _look_at_git(folder, notes)
    return notes.result()


class _Notes:
    """What was seen so far."""

    def __init__(self) -> None:
        self.seen: dict[str, dict[str, None]] = {field: {} for field in Protected.__struct_fields__}
        self.places: set[str] = set()

    def add(self, kind: str, path: str) -> None:
        self.seen[kind][path] = None

    def pin(self, folder: str, root: str) -> None:
        """Neither it nor what it lies in, below the root, can be put out of the way."""
        for path in _between(root, folder):
            self.add("pinned", path)

    def look_at(self, path: str, root: str, if_missing: str = "missing") -> None:
        mode = self.mode(path)
        if mode is None:
            self.add(if_missing, path)
        elif not stat.S_ISLNK(mode):
            self.add("fixed", path)
        else:
            self.add("watched", path)
            target = os.path.realpath(path)
            if is_inside(target, root) and target != root and self.mode(target) is not None:
                self.add("fixed", target)

    def mode(self, path: str) -> int | None:
        """What kind of thing it is; None for nothing, and for a placeholder of ours."""
        self.places.add(os.path.dirname(path))  # noqa: PTH120
        try:
            mode = os.lstat(path).st_mode
        except OSError:
            return None
        return None if mode in STUBS else mode

    def text(self, path: str) -> str:
        """The beginning of a small file; empty where there is none, or what no path can hold."""
        self.places.add(path)
        try:
            if not stat.S_ISREG(os.stat(path).st_mode):  # noqa: PTH116
                return ""
            with Path(path).open("rb") as file:
                text = file.read(_MAX_GIT_TEXT)
            return "" if b"\0" in text else text.decode("utf-8", "surrogateescape")
        except (OSError, ValueError):
            return ""

    def result(self) -> tuple[Protected, set[str]]:
        found = Protected(**{field: tuple(paths) for field, paths in self.seen.items()})
        return found, self.places


# ── git ───────────────────────────────────────────────────────────────────────────────────────
def _look_at_git(top: str, notes: _Notes) -> None:
    path = _join(top, ".git")
    mode = notes.mode(path)
    if mode is None or stat.S_ISLNK(mode):
        notes.look_at(path, top)
        return
    if stat.S_ISDIR(mode):
        _look_at_repository(path, IN_GIT, top, notes)
        return
    notes.add("fixed", path)
    for folder, names in _folders_named_by(path, notes):
        _look_at_repository(folder, names, top, notes)
        if not is_inside(folder, top):
            notes.add("writable", folder)


def _look_at_repository(folder: str, names: tuple[str, ...], top: str, notes: _Notes) -> None:
    notes.add("pinned", folder)
    for name in names:
        notes.look_at(_join(folder, name), top)
    modules = tuple(_modules(_join(folder, "modules"), notes))
    for name in IN_GIT_RARELY:
        if name not in names and not (name == "modules" and modules):
            notes.look_at(_join(folder, name), top, "unheld")
    for module in modules:
        notes.pin(module, folder)
        for name in IN_GIT:
            notes.look_at(_join(module, name), top)
    for tree in _listed(_join(folder, "worktrees"), notes):
        for name in (*IN_WORKTREE, "config.worktree"):
            notes.add("watched", _join(tree, name))
    for path in _named_in_settings(folder, top, notes):
        notes.look_at(path, top)
        notes.pin(os.path.dirname(path), top)  # noqa: PTH120


def _modules(folder: str, notes: _Notes, depth: int = _MAX_MODULE_DEPTH) -> list[str]:
    """The repositories of submodules; none if there are so many that all are fixed at once."""
    found: list[str] = []
    for path in _listed(folder, notes):
        if notes.mode(_join(path, "HEAD")) is not None:
            found += [path, *_modules(_join(path, "modules"), notes, depth - 1)]
        elif depth:
            found += _modules(path, notes, depth - 1)  # a module's name may have slashes
        if len(found) > _MAX_MODULES:
            return []
    return found


def _listed(folder: str, notes: _Notes) -> list[str]:
    """The folders in a folder; none where it is a link, or not there."""
    mode = notes.mode(folder)
    if mode is None or not stat.S_ISDIR(mode):
        return []
    notes.places.add(folder)
    with suppress(OSError), os.scandir(folder) as entries:
        return sorted(entry.path for entry in entries if entry.is_dir(follow_symlinks=False))
    return []


def _folders_named_by(git_file: str, notes: _Notes) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Where a `.git` that is a file leads: the worktree's own folder and the common one.

    A checkout may claim anything, so a folder counts only if it names this work tree in turn.
    """
    named = notes.text(git_file).removeprefix("gitdir:").strip()
    if not named:
        return
    own = os.path.realpath(_join(os.path.dirname(git_file), named))  # noqa: PTH120
    back = notes.text(_join(own, "gitdir")).strip()
    if back and os.path.realpath(_join(own, back)) == git_file:
        yield own, IN_WORKTREE
        common = notes.text(_join(own, "commondir")).strip()
        if common:
            yield os.path.realpath(_join(own, common)), IN_GIT
        return
    settings = notes.text(_join(own, "config"))
    worktree = re.search(r"^\s*worktree\s*=\s*(.+)$", settings, re.MULTILINE)
    if worktree and _join(os.path.realpath(_join(own, worktree[1].strip())), ".git") == git_file:
        yield own, IN_GIT  # a submodule


def _named_in_settings(folder: str, top: str, notes: _Notes) -> Iterator[str]:
    """Hooks and further settings that live elsewhere in the work tree are such all the same."""
    for found in re.finditer(
        r"^\s*(hookspath|path)\s*=\s*(.+)$",
        notes.text(_join(folder, "config")),
        re.IGNORECASE | re.MULTILINE,
    ):
        base = top if found[1].lower() == "hookspath" else folder
        path = os.path.normpath(_join(base, found[2].strip().strip('"')))
        if is_inside(path, top) and path != top and not is_inside(path, folder):
            yield from _first_missing(path, top, notes)


def _first_missing(path: str, top: str, notes: _Notes) -> Iterator[str]:
    """The path, or where it would have to begin; nothing if a link leads it elsewhere."""
    for step in _between(top, path):
        mode = notes.mode(step)
        if mode is None or step == path:
            yield step
            return
        if not stat.S_ISDIR(mode):
            return


def _between(top: str, path: str) -> list[str]:
    """Every step down from one folder to what lies in it, without the first."""
    steps: list[str] = []
    while path != top and is_inside(path, top):
        steps.append(path)
        path = os.path.dirname(path)  # noqa: PTH120
    return steps[::-1]


def _join(folder: str, name: str) -> str:
    return os.path.join(folder, name)  # noqa: PTH118
