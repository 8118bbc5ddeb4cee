"""Which files a search looks at, decided as ripgrep decides it."""

import os
import re
from collections.abc import Callable, Iterator

from msgspec import Struct

from ankrcode.workspace.search.ignore import IgnoreFolder, ignore_folder
from ankrcode.workspace.search.patterns import expand_braces, parts_regex

Note = Callable[[str, str], None]  # why something is passed over, and its path


class Filters(Struct, frozen=True, kw_only=True):
    """What is looked at besides ordinary files that nothing leaves out."""

    glob: str = ""  # as `rg --glob`: it also lets in what is hidden or ignored; `!` leaves out
    type_globs: tuple[str, ...] = ()
    include_hidden: bool = False
    include_ignored: bool = False
    max_depth: int | None = None


def files_below(
    folder: str, filters: Filters, note: Note = lambda why, path: None
) -> Iterator[str]:
    """Paths relative to a real folder. Links are not followed, nor listed."""
    return _Walk(folder, filters, note).files()


class _Walk:
    def __init__(self, folder: str, filters: Filters, note: Note) -> None:
        self._folder = folder.rstrip("/")
        self._note = note
        self._filters = filters
        self._lets_in = bool(filters.glob) and not filters.glob.startswith("!")
        glob = filters.glob.removeprefix("!")
        self._glob = _file_glob(glob) if glob else None
        self._glob_folders_only = glob.endswith("/")
        texts = ("|".join(map(_glob_text, filters.type_globs))) or "(?!)"
        self._types = re.compile(texts) if filters.type_globs else None

    def files(self) -> Iterator[str]:
        top = None if self._filters.include_ignored else ignore_folder(self._folder or "/")
        pending: list[tuple[str, int, IgnoreFolder | None]] = [("", 1, top)]
        while pending:
            prefix, depth, rules = pending.pop()
            for entry in self._entries(prefix):
                path = prefix + entry.name
                is_folder = entry.is_dir(follow_symlinks=False)
                if not (is_folder or entry.is_file(follow_symlinks=False)):
                    continue
                if not self._is_looked_at(path, rules, is_folder=is_folder):
                    continue
                if not is_folder:
                    yield path
                elif self._filters.max_depth is None or depth < self._filters.max_depth:
                    below = rules and IgnoreFolder(f"{self._folder}/{path}", rules)
                    pending.append((f"{path}/", depth + 1, below))

    def _entries(self, prefix: str) -> Iterator[os.DirEntry[str]]:
        try:
            with os.scandir(f"{self._folder}/{prefix}") as entries:
                yield from entries
        except OSError:  # closed to us, or gone meanwhile: no reason to fail the rest
            self._note("unreadable", prefix.rstrip("/"))

    def _is_looked_at(self, path: str, rules: IgnoreFolder | None, *, is_folder: bool) -> bool:
        """ripgrep's order: the glob decides alone; then ignore files, types, hidden names."""
        name = path.rpartition("/")[2]
        if name == ".git" and self._filters.include_hidden:
            return False
        if self._glob is not None:
            fits = (is_folder or not self._glob_folders_only) and self._glob.fullmatch(path)
            if fits:
                return self._lets_in
            if self._lets_in and not is_folder:
                return False
        is_let_in = False
        if rules is not None:
            verdict = rules.is_ignored(f"{self._folder}/{path}", is_folder=is_folder)
            if verdict:
                return False
            is_let_in = verdict is False
        if self._types is not None and not is_folder:
            if not self._types.fullmatch(name):
                return False
            is_let_in = True
        is_hidden = name[0] == "." != name[-1]  # to ripgrep a name that also ends so is not
        return is_let_in or self._filters.include_hidden or not is_hidden


def check_glob(glob: str) -> None:
    """Raises `PatternError` for a glob that cannot be read."""
    if body := glob.removeprefix("!"):
        _file_glob(body)


def _file_glob(glob: str) -> re.Pattern[str]:
    """A glob in the manner of .gitignore: without a slash it fits at any depth."""
    is_anchored = glob.startswith("/")
    body = glob.strip("/")
    if "/" not in body and not is_anchored:
        body = f"**/{body}"
    return re.compile(_glob_text(body))


def _glob_text(glob: str) -> str:
    return "|".join(parts_regex(one.split("/")) for one in expand_braces(glob))
