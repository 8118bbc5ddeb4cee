"""Where the agent is, in a few lines: read from files, no program is started for it."""

import os
import time
from pathlib import Path

from ankrcode.workspace.roots import Workspace

_MAX_GIT_FILE = 4_096
_UNDER_WAY = {
    "MERGE_HEAD": "a merge",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "BISECT_LOG": "a bisection",
}


def environment(workspace: Workspace, now: float, model: str = "") -> str:
    """As it is when the conversation begins; commands tell what changes later."""
    lines = [
        f"Working directory: {workspace.cwd}",
        *(f"Further directory: {one}" for one in workspace.extra_directories),
        f"Git: {git_state(workspace.root)}",
        f"Platform: {os.uname().sysname} {os.uname().machine}",
        f"Date: {time.strftime('%Y-%m-%d', time.localtime(now))}",
    ]
    if model:
        lines.append(f"Model: {model}")
    return "# Environment\n" + "\n".join(lines)


def git_state(root: str) -> str:
    """The branch, and what is under way, from the files of the repository."""
    folder = _git_folder(Path(root))
    if folder is None:
        return "no repository"
    head = _line(folder / "HEAD")
    if head.startswith("ref: "):
        state = f"branch {head[5:].removeprefix('refs/heads/')}"
    else:
        state = f"no branch, at {head[:12]}" if head else "a repository that cannot be read"
    found = {said for name, said in _UNDER_WAY.items() if (folder / name).exists()}
    return state + "".join(f", {one} under way" for one in sorted(found))


def _git_folder(root: Path) -> Path | None:
    for folder in (root, *root.parents):
        place = folder / ".git"
        if place.is_dir():
            return place
        if place.is_file():  # a worktree or a submodule says where it is kept
            elsewhere = _line(place).removeprefix("gitdir: ")
            return Path(os.path.join(folder, elsewhere))  # noqa: PTH118
    return None


def _line(file: Path) -> str:
    """Its first line as harmless text: a branch's name is whatever somebody wrote there."""
    try:
        with file.open("rb") as opened:
            text = opened.read(_MAX_GIT_FILE).decode("utf-8", "replace")
    except OSError:
        return ""
    line = text.partition("\n")[0].strip()
    return "".join(letter if letter.isprintable() else "?" for letter in line)[:200]
