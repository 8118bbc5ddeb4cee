"""What .gitignore, .ignore, .rgignore and .git/info/exclude leave out, as ripgrep sees it.

The nearest folder speaks first, and in one file the last line that fits counts. The kinds of
files are asked in a fixed order: .rgignore, .ignore, .gitignore, exclude.
"""

import os
import re

from ankrcode.workspace.search.patterns import PatternError, expand_braces, parts_regex

_KINDS = (".rgignore", ".ignore", ".gitignore", ".git/info/exclude")
_GIT_KINDS = _KINDS[2:]
_MAX_BYTES = 4 * 1024 * 1024


class Rules:
    """The lines of one ignore file; paths are relative to the folder they speak about."""

    def __init__(self, text: str) -> None:
        self._rules = [rule for line in text.split("\n") if (rule := _rule(line))]
        self._any = re.compile("|".join(rule[0].pattern for rule in self._rules) or r"(?!)")

    def is_ignored(self, path: str, *, is_folder: bool) -> bool | None:
        """True: left out; False: let in by a line with `!`; None: nothing is said."""
        if not self._any.fullmatch(path):
            return None
        for regex, lets_in, folders_only in reversed(self._rules):
            if (is_folder or not folders_only) and regex.fullmatch(path):
                return not lets_in
        return None


def _rule(line: str) -> tuple[re.Pattern[str], bool, bool] | None:
    """One line as (what fits it, is it let in, only folders); None for comments and blanks."""
    if line.startswith("#"):
        return None
    if not line.endswith("\\ "):
        line = line.rstrip()
    lets_in = line.startswith("!")
    if lets_in or line.startswith(("\\!", "\\#")):
        line = line[1:]
    anchored = line.startswith("/")
    line = line.removeprefix("/")
    folders_only = line.endswith("/")
    line = line.removesuffix("/")
    if not line:  # `!` alone lets in everything, hidden names too
        return (re.compile(".*", re.DOTALL), True, False) if lets_in and not anchored else None
    if "/" not in line and not anchored:
        line = f"**/{line}"
    try:
        texts = [parts_regex(one.split("/")) for one in expand_braces(line)]
    except PatternError:  # ripgrep passes over what it cannot read, and so does git
        return None
    return re.compile("|".join(texts)), lets_in, folders_only


class IgnoreFolder:
    """What counts in one folder: its own files, and those of the folders above it."""

    def __init__(self, path: str, above: "IgnoreFolder | None" = None) -> None:
        self.path = path
        self.above = above
        self.has_git = os.path.lexists(f"{path}/.git")
        self._rules = {kind: rules for kind in _KINDS if (rules := _read(f"{path}/{kind}"))}
        self._speaks: bool = bool(self._rules) or (above is not None and above._speaks)

    def is_ignored(self, path: str, *, is_folder: bool) -> bool | None:
        """The verdict on an absolute path below this folder."""
        if not self._speaks:
            return None
        verdicts: dict[str, bool] = {}
        folder: IgnoreFolder | None = self
        beyond_git = False
        while folder is not None:
            for kind, rules in folder._rules.items():
                if kind in verdicts or (beyond_git and kind in _GIT_KINDS):
                    continue
                verdict = rules.is_ignored(path[len(folder.path) + 1 :], is_folder=is_folder)
                if verdict is not None:
                    verdicts[kind] = verdict
            beyond_git = beyond_git or folder.has_git
            folder = folder.above
        return next((verdicts[kind] for kind in _KINDS if kind in verdicts), None)


def _read(path: str) -> Rules | None:
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return Rules(file.read(_MAX_BYTES).decode("utf-8-sig", "surrogateescape"))
    except OSError:
        return None


def repository_of(folder: str) -> str | None:
    """The nearest folder, this one or above, that has a .git."""
    while not os.path.lexists(f"{folder}/.git"):
        above = os.path.dirname(folder)  # noqa: PTH120
        if above == folder:
            return None
        folder = above
    return folder


def ignore_folder(folder: str) -> IgnoreFolder:
    """The rules for a folder where a search begins.

    In a repository those of the folders above count as well; elsewhere only what lies in the
    folder itself, so that a stray .gitignore in somebody's home leaves nothing out.
    """
    folder = folder.rstrip("/")
    above: IgnoreFolder | None = None
    if repository_of(folder) is not None:
        for parent in _parents(folder):
            above = IgnoreFolder(parent, above)
    return IgnoreFolder(folder, above)


def _parents(folder: str) -> list[str]:
    """From the top down, without the folder itself."""
    parents = []
    while (above := os.path.dirname(folder)) != folder:  # noqa: PTH120
        parents.append("" if above == "/" else above)
        folder = above
    return parents[::-1]


def ignored_on_the_way(folder: str, names: tuple[str, ...]) -> str | None:
    """The first of these nested folders that is left out; None where the way is free."""
    here = ignore_folder(folder)
    path = folder.rstrip("/")
    for name in names:
        path = f"{path}/{name}"
        if here.is_ignored(path, is_folder=True):
            return path
        here = IgnoreFolder(path, here)
    return None
