"""Where git keeps what belongs to a folder, and what stands between its objects and the files."""

import os
from collections.abc import Iterable
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path

# Attributes by which a file may differ from its object though both have the same size.
_CHANGING = ("filter", "ident", "working-tree-encoding")
# Settings with which nothing here holds: other hashes, attributes from elsewhere, missing objects.
_UNUSUAL = ("objectformat", "attributesfile", "partialclone", "promisor")
_RESIZING = ("text", "eol", "crlf")
_FILE = ".gitattributes"


def work_tree(folder: str) -> tuple[Path, Path]:
    """The top of the work tree that a folder lies in, and its git folder; `OSError` without one."""
    for top in (Path(folder), *Path(folder).parents):
        git = top / ".git"
        if git.is_dir():
            return top, git
        if git.is_file():  # a further work tree, or a submodule: a line says where
            word, _, where = git.read_text(encoding="utf-8").strip().partition(": ")
            if word == "gitdir":
                return top, top / where
    raise FileNotFoundError(folder)


def is_plain(git: Path) -> bool:
    """Can its index and its objects be taken at their word?"""
    said = (_read(_common(git) / "config") + _read(git / "config.worktree")).lower()
    return not any(word in said for word in _UNUSUAL)


def _common(git: Path) -> Path:
    """What several work trees share."""
    return git / (_read(git / "commondir").strip() or ".")


class Filters:
    """What may stand between an object and its file, as far as settings and names tell.

    `may_resize`: line ends may differ, so that sizes must be compared.
    """

    def __init__(self, patterns: Iterable[str] = (), *, may_resize: bool = True) -> None:
        self._patterns = set(patterns)
        self.may_resize = may_resize

    @classmethod
    def of(cls, top: Path, git: Path, tracked: Iterable[str]) -> "Filters":
        files = [Path(path) for path in tracked if path.endswith(_FILE)]
        home = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
        others = (top / _FILE, git / "info" / "attributes", Path(home, "git", "attributes"))
        said = "".join(map(_read, (*files, *others, Path("/etc/gitattributes"))))
        own = os.path.expanduser("~/.gitconfig")
        configs = (git / "config", _common(git) / "config", Path(home, "git", "config"), Path(own))
        settings = "".join(map(_read, (*configs, Path("/etc/gitconfig")))).lower()
        may_resize = "crlf" in settings or "eol" in settings or "[include" in settings
        return cls(_changing(said), may_resize=may_resize or any(w in said for w in _RESIZING))

    def may_change(self, path: str) -> bool:
        if not self._patterns:
            return False
        name = path.rpartition("/")[2]
        return any(fnmatchcase(name, pattern) for pattern in self._patterns)


def _read(path: Path) -> str:
    """With an end of its own: two files never make one line."""
    with suppress(OSError):
        return path.read_text(encoding="utf-8", errors="replace") + "\n"
    return ""


def _changing(text: str) -> Iterable[str]:
    """The patterns of lines that set such an attribute; a path counts by its last part.

    Too many are found, never too few: what git has after all is then kept by ourselves.
    """
    for line in text.splitlines():
        pattern, *attributes = line.split() or [""]
        if any(one.partition("=")[0] in _CHANGING for one in attributes):
            is_name = not pattern.startswith(("[attr]", '"')) and not pattern.endswith("**")
            yield pattern.rpartition("/")[2] if is_name else "*"
