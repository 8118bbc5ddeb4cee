"""Places on a machine: what is the workspace's, what is harmless to read, what holds secrets,
what must never be destroyed. Paths are resolved; nothing is opened.
"""

import os
import re
from fnmatch import fnmatchcase
from functools import lru_cache

from msgspec import Struct

from ankrcode.permissions.place_names import (
    CRITICAL_FILES,
    DEVICES,
    HARMLESS,
    SECRET_EXCEPTIONS,
    SECRET_FOLDERS,
    SECRET_NAMES,
    SECRET_PATHS,
    SYSTEM_FOLDERS,
)

MAX_PATH_CHARS = 4096
MAX_LISTED = 2_000
_MEMORY = ("/dev/shm/", "/dev/mqueue/")  # ordinary files, and links, under /dev


class CommandEnv(Struct, frozen=True, kw_only=True):
    """Where a command would run: the roots of the workspace, the folder, the person's home."""

    roots: tuple[str, ...]
    cwd: str
    home: str


class Places:
    """The machine as one command sees it."""

    def __init__(self, env: CommandEnv) -> None:
        self.env = env
        self.roots = tuple(os.path.realpath(root) for root in env.roots)
        self.home = os.path.realpath(env.home) if env.home else ""
        self._real: dict[str, str] = {}  # for the time of one verdict only

    # ── where a path leads ────────────────────────────────────────────────────────────────────
    def plain(self, path: str, cwd: str) -> str:
        """The path from the root on, links not followed."""
        return os.path.normpath(_joined(cwd, path)).replace("//", "/", 1)

    def real(self, path: str) -> str:
        """The place the path leads to, links followed; device files stay as they are named."""
        if path.startswith(("/dev/", "/proc/")) and not path.startswith(_MEMORY):
            return path
        found = self._real.get(path)
        if found is None:
            found = self._real[path] = _real(path)
        return found

    def both(self, path: str, cwd: str) -> tuple[str, ...]:
        """The place as it is named and as it really is."""
        plain = self.plain(path, cwd)
        # `a/../b` leads elsewhere if `a` is a link: the system goes step by step
        walked = self.real(_joined(cwd, path)) if ".." in path else self.real(plain)
        return (plain,) if walked == plain else (plain, walked)

    def is_inside(self, real: str) -> bool:
        return any(real == root or real.startswith(root.rstrip("/") + "/") for root in self.roots)

    # ── reading ───────────────────────────────────────────────────────────────────────────────
    def is_secret(self, path: str) -> bool:
        return _is_secret(path)

    def aims_at_secret(self, pattern: str) -> bool:
        """Does a name pattern say that it looks for secrets?"""
        return _is_secret(pattern) or _aims_at_secret(pattern)

    def may_read(self, real: str) -> bool:
        """May its content be read without a question? Inside the workspace, or harmless."""
        return self.is_inside(real) or _is_harmless(real)

    def has_dashed_names(self, folder: str) -> bool:
        """Is there a file here whose name a program could take for an option?"""
        return any(re.search(_DASHED, name) for name in _names(folder))

    def is_above(self, name: str, folder: str) -> bool:
        """Is there a file of this name in the folder, or in one above it?"""
        parts = folder.rstrip("/").split("/")
        return any(
            os.path.lexists("/".join((*parts[:end], name))) for end in range(len(parts), 0, -1)
        )

    def secrets_for(self, pattern: str, cwd: str) -> str:
        """A secret that this glob really finds, or clearly aims at."""
        folder, _, last = pattern.rpartition("/")
        if _aims_at_secret(last):
            return pattern
        if _is_secret(folder + "/x"):
            return pattern
        place = self.plain(folder or ("/" if pattern.startswith("/") else "."), cwd)
        if any(char in folder for char in "*?["):
            return ""
        for name in _names(place):
            if _is_secret(f"{place}/{name}") and fnmatchcase(name, last):
                is_hidden = name.startswith(".") and not last.startswith(".")
                if not is_hidden:
                    return f"{place}/{name}"
        return ""

    # ── destroying ────────────────────────────────────────────────────────────────────────────
    def critical(self, path: str) -> str:
        """Why this folder must never be removed with all that is in it; empty if it may."""
        path = path.removeprefix("/private") if path != "/private" else path
        if path in ("/", ""):
            return "root"
        if path in SYSTEM_FOLDERS:
            return "system"
        parent = path.rpartition("/")[0]
        if path in (self.home, self.env.home) or parent in ("/home", "/Users"):
            return "home"
        return "workspace" if self._holds_workspace(path) else ""

    def finds_critical(self, pattern: str) -> bool:
        """Does a glob find one of them? Component by component: * never crosses a slash."""
        if not any(char in pattern for char in "*?["):
            return False
        wanted = [part for part in pattern.split("/") if part]
        critical = (*SYSTEM_FOLDERS, self.home, *self.roots, *self.env.roots)
        return any(_fits([part for part in one.split("/") if part], wanted) for one in critical)

    def _holds_workspace(self, path: str) -> bool:
        below = path.rstrip("/") + "/"
        holders = (*self.roots, *self.env.roots, self.home)
        return any(root == path or root.startswith(below) for root in holders if root)


def _real(path: str) -> str:
    try:
        return os.path.realpath(path[:MAX_PATH_CHARS])
    except ValueError:  # no path at all: half a character, a zero byte
        return path


def _fits(parts: list[str], patterns: list[str]) -> bool:
    return len(parts) == len(patterns) and all(map(fnmatchcase, parts, patterns))


def _joined(cwd: str, path: str) -> str:
    return path if path.startswith("/") else f"{cwd}/{path}"


def is_device(path: str) -> bool:
    """A disk, a partition or the memory as a file."""
    return re.fullmatch(_DEVICE, path) is not None


def is_critical_file(path: str) -> bool:
    """A file without which nobody can log in or the machine does not start."""
    return any(fnmatchcase(path, pattern) for pattern in CRITICAL_FILES)


# Patterns are text here: each is compiled by its first use, not by every start.
_DASHED = r"(?:^|\s)-"  # xargs takes names apart at blanks
_DEVICE = "|".join(DEVICES)


@lru_cache(maxsize=4096)
def _is_secret(path: str) -> bool:
    folded = path.casefold()
    name = folded.rpartition("/")[2]
    if any(fnmatchcase(folded, pattern) for pattern in SECRET_PATHS):
        return True
    if any(f"/{folder}/" in f"/{folded}/" for folder in SECRET_FOLDERS):
        return True
    if any(fnmatchcase(name, pattern) for pattern in SECRET_EXCEPTIONS):
        return False
    return any(fnmatchcase(name, pattern) for pattern in SECRET_NAMES)


@lru_cache(maxsize=4096)
def _is_harmless(real: str) -> bool:
    real = real.removeprefix("/private")
    return any(fnmatchcase(real, pattern) for pattern in HARMLESS)


_EXAMPLES = (".env", ".env.local", "id_rsa", "id_ed25519", ".netrc", "server.pem", "server.key")


def _aims_at_secret(pattern: str) -> bool:
    """`.e*`, `id_*`, `*.pem`: patterns that say what they look for; `*` and `*.*` do not."""
    if not any(char.isalnum() for char in pattern) and not pattern.startswith("."):
        return False
    return any(fnmatchcase(example, pattern) for example in _EXAMPLES)


def _names(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return [entry.name for _, entry in zip(range(MAX_LISTED), entries, strict=False)]
    except (OSError, ValueError):
        return []
