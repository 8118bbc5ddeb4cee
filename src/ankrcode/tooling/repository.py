"""What a repository's settings would make git run, and how git that only reads is kept from it.

Fsmonitor, hooks, external diffs and the like can be switched off by name. Filters cannot: their
names are the repository's own – or its submodules' –, so git is asked for them first; but only
where there can be any.
"""

import os
import shlex
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from ankrcode.config.limits import GIT_CONFIG_BYTES, GIT_FOLDERS
from ankrcode.errors import ErrorCode, ToolError
from ankrcode.workspace.processes.processes import Processes

_FILTERS = ("config", "--null", "--show-scope", "--name-only", "--get-regexp", r"^filter\.")
_INDEX = ("ls-files", "--stage", "-z", ":/")
_OF_THE_REPOSITORY = (b"local", b"worktree")
_WAIT_S = 10.0
_NOTHING_FOUND = 1
_SUBMODULE_MODE = b"\0\0\xe0\0"  # as the index has it
_SUBMODULE = b"160000 "  # and as git prints it


def deaf_command(command: str, folders: Iterable[str], processes: Processes) -> str:
    """The same command, every git in it deaf to the settings of the repositories in `folders`."""
    from ankrcode.permissions.programs.git import SETTINGS, hardened  # loaded by the judge already

    git = _Git(processes, SETTINGS)
    waiting = [Path(one) for one in dict.fromkeys(folders)]
    seen: set[Path] = set()
    names: set[str] = set()
    while waiting:
        place = waiting.pop()
        home = _home_of_git(place) if place.is_dir() else None
        if home is None or home in seen:
            continue
        seen.add(home)
        if len(seen) > GIT_FOLDERS:
            raise _refused(f"{len(seen)} repositories")
        if home.is_file() or _names_programs(home):
            names.update(git.filters(place))
        if home.is_file() or _may_have_submodules(home):
            waiting.extend(git.submodules(place))
    return hardened(command, tuple(_against(sorted(names))))


class _Git:
    """Asked what it knows; neither question makes it run anything."""

    def __init__(self, processes: Processes, settings: tuple[str, ...]) -> None:
        self._processes = processes
        self._settings = settings

    def filters(self, folder: Path) -> Iterator[str]:
        """Those that the repository itself defines; the person's own may run."""
        parts = self._said(folder, _FILTERS)
        for scope, key in zip(parts[::2], parts[1::2], strict=False):
            if scope in _OF_THE_REPOSITORY:
                yield os.fsdecode(key).removeprefix("filter.").rpartition(".")[0]

    def submodules(self, folder: Path) -> Iterator[Path]:
        for line in self._said(folder, _INDEX):
            if line.startswith(_SUBMODULE):
                yield folder / os.fsdecode(line.partition(b"\t")[2])

    def _said(self, folder: Path, question: tuple[str, ...]) -> list[bytes]:
        argv = ("git", *self._settings, *question)
        try:
            process = self._processes.start(argv, cwd=str(folder), timeout_s=_WAIT_S, splits=True)
            process.wait(2 * _WAIT_S)
            outcome = process.outcome
        except (OSError, ValueError, subprocess.SubprocessError) as problem:
            raise _refused(str(problem)) from None
        whole = process.output.extract(most=max(1, process.output.total))
        process.output.discard()
        if outcome is None or outcome.exit_code not in (0, _NOTHING_FOUND) or whole.skipped:
            raise _refused(process.errors.extract().head.decode(errors="replace")[:200])
        return whole.head.split(b"\0")


def _home_of_git(folder: Path) -> Path | None:
    """The `.git` that counts there. A folder may itself be a bare repository."""
    for place in (folder, *folder.parents):
        if (place / ".git").exists():
            return place / ".git"
        if (place / "HEAD").exists() and (place / "objects").exists():
            return place
    return None


def _names_programs(home: Path) -> bool:
    """Look at the settings as text: most repositories have no filter, and nothing is started."""
    if (home / "config.worktree").exists():
        return True
    with suppress(OSError), (home / "config").open("rb") as file:
        text = file.read(GIT_CONFIG_BYTES + 1).lower()
        return len(text) > GIT_CONFIG_BYTES or b"filter" in text or b"include" in text
    return True


def _may_have_submodules(home: Path) -> bool:
    if any(home.glob("sharedindex.*")):
        return True
    with suppress(OSError):
        return _SUBMODULE_MODE in (home / "index").read_bytes()
    return False


def _against(names: Iterable[str]) -> Iterator[str]:
    for name in names:
        if "=" in name or not name.isprintable():
            raise _refused(ascii(name))  # git could not be told about it
        for setting in ("clean=", "smudge=", "process=", "required=false"):
            yield from ("-c", shlex.quote(f"filter.{name}.{setting}"))


def _refused(why: str) -> ToolError:
    return ToolError.of("git_filters", why=why).coded(ErrorCode.BLOCKED)
