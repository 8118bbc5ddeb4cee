"""Where an agent works: its roots, its current directory, and how a path is resolved there."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from ankrcode.errors import ErrorCode, ToolError, UsageError
from ankrcode.workspace.path_text import fault_of


class Workspace:
    """One agent's view: the first root is primary, further directories are roots too.

    Paths are resolved to their real place (links followed) and compared by whole components,
    so `/work-2` is never inside `/work` and a link out of a root is outside.
    """

    def __init__(
        self, roots: Iterable[str | Path], cwd: str | Path | None = None, *, home: str = ""
    ) -> None:
        self.roots = tuple(os.path.realpath(root) for root in roots)
        if not self.roots:
            raise ValueError("a workspace needs at least one root")
        self.cwd = os.path.realpath(cwd) if cwd is not None else self.roots[0]
        self._home = home  # empty: the person's own

    @property
    def root(self) -> str:
        return self.roots[0]

    @property
    def home(self) -> str:
        """What `~` stands for."""
        return self._home or os.path.expanduser("~")  # noqa: PTH111

    @property
    def extra_directories(self) -> tuple[str, ...]:
        return self.roots[1:]

    def resolve(self, path: str) -> str:
        """The real absolute place of `path`, which may be relative to the current directory."""
        check_path_text(path)
        absolute = self.absolute(path)
        try:
            return os.path.realpath(absolute)
        except OSError as problem:  # a link on the way was changed while it was followed
            from ankrcode.workspace.files import file_error  # only a failure pays for it

            raise file_error(absolute, problem, done="followed") from None

    def absolute(self, path: str) -> str:
        """From the root of the file system on; links and `..` are still in it."""
        if path == "~" or path.startswith("~/"):
            path = self.home + path[1:]
        return os.path.join(self.cwd, path)  # noqa: PTH118

    def contains(self, real_path: str) -> bool:
        """Is this real place inside one of the roots?"""
        return any(is_inside(real_path, root) for root in self.roots)


def is_inside(real_path: str, folder: str) -> bool:
    """By whole components: both must be real absolute paths."""
    return real_path == folder or real_path.startswith(folder.rstrip("/") + "/")


def check_path_text(path: str) -> None:
    """Refuse text that cannot be a path before the system sees it."""
    why = fault_of(path)
    if why:
        error = ToolError.of("path_malformed", path=path[:200], why=why[0], what=why[1])
        raise error.coded(ErrorCode.INVALID_PATH, path=path[:200])


def find_root(cwd: str | None, environ: Mapping[str, str]) -> Path:
    """The workspace root: what was asked for, else AGENT_WORKSPACE_ROOT, else git's, else here."""
    chosen = cwd or environ.get("AGENT_WORKSPACE_ROOT")
    if chosen:
        if not os.path.isdir(chosen):  # noqa: PTH112
            raise UsageError.of("root_missing", path=chosen)
        return _entered(Path(os.path.realpath(chosen)))
    here = _entered(_here())
    # Looked up without running git: a hostile checkout must not get to run anything.
    for folder in (here, *here.parents):
        if os.path.exists(folder / ".git"):  # noqa: PTH110 (also where a parent is closed)
            return folder
    return here


def _entered(folder: Path) -> Path:
    """Somebody else's folder may be the current one, and closed all the same."""
    if not os.access(folder, os.X_OK):
        raise UsageError.of("root_closed", path=str(folder))
    return folder


def find_cwd(root: Path) -> Path:
    """The current directory, if it is in the workspace; else the root."""
    here = _here()
    return here if is_inside(str(here), str(root)) else root


def _here() -> Path:
    try:
        return Path(os.path.realpath("."))
    except FileNotFoundError:
        raise UsageError.of("cwd_gone") from None


def is_trackable(root: str, home: str) -> bool:
    """Can a command's changes be followed? Not over the whole machine, nor all a person has."""
    real_root, real_home = os.path.realpath(root), os.path.realpath(home)
    return real_root not in ("/", real_home) and not real_home.startswith(f"{real_root}/")
