"""A git worktree for one agent: it cannot get in the way of others, and unchanged it is gone.

It begins at the last commit; what is not committed stays where it is. Nothing is ever merged by
itself: the branch waits for whoever wants it.
"""

import asyncio
import os
import re
import shlex

from ankrcode.config.paths import make_private, state_folder
from ankrcode.errors import ErrorCode, ToolError
from ankrcode.tooling.repository import deaf_command
from ankrcode.workspace.processes.processes import Processes

_LIMIT_S = 120.0
_MAX_SAID = 400
_NAME = re.compile(r"[A-Za-z0-9_-]{1,100}")


class Worktree:
    """`path` is where the agent works: the same folder of the repository, in a copy of it."""

    def __init__(self, git: "_Git", top: str, inner: str, branch: str, commit: str) -> None:
        self._git = git
        self._top = top
        self._commit = commit
        self.path = os.path.join(top, inner).rstrip("/") if inner else top  # noqa: PTH118
        self.branch = branch

    @classmethod
    async def make(cls, folder: str, name: str, processes: Processes) -> "Worktree":
        """Raises `ToolError` where there is no repository, no commit, or git refuses."""
        if not _NAME.fullmatch(name):  # a name from outside never becomes another path
            raise ToolError.of("worktree_failed", why=ascii(name)).coded(ErrorCode.INVALID_INPUT)
        git = _Git(folder, processes)
        commit = await git.answer("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        if not commit:
            error = ToolError.of("worktree_none", path=folder)
            raise error.coded(ErrorCode.EXECUTION_ERROR, path=folder)
        inner = await git.answer("rev-parse", "--show-prefix")
        top, branch = _place_of(name), f"ankrcode/{name}"
        if _is_there(top):  # of an earlier process: it stays, whatever happens
            return cls(git, top, inner, branch, "")
        await git.do("worktree", "add", "--quiet", "-b", branch, top, commit)
        return cls(git, top, inner, branch, commit)

    async def is_unchanged(self) -> bool:
        """Nothing committed, nothing changed, nothing new but what is ignored."""
        inside = self._git.at(self._top)
        if await inside.answer("rev-parse", "HEAD") != self._commit:
            return False
        return not await inside.do("status", "--porcelain", "--untracked-files=all")

    async def tidy(self) -> bool:
        """Remove it if it is unchanged; is it gone? In doubt it stays."""
        try:
            if not await self.is_unchanged():
                return False
            await self._git.do("worktree", "remove", "--force", self._top)
            await self._git.do("branch", "-D", "--quiet", self.branch)
        except ToolError:
            return False
        return True


def _place_of(name: str) -> str:
    folder = make_private(state_folder(os.environ) / "worktrees")
    return os.path.realpath(folder / name)


def _is_there(folder: str) -> bool:
    return os.path.isdir(folder)  # noqa: PTH112


class _Git:
    """git in one folder, deaf to what the repository's own settings would make it run."""

    def __init__(self, folder: str, processes: Processes) -> None:
        self._folder = folder
        self._processes = processes

    def at(self, folder: str) -> "_Git":
        return _Git(folder, self._processes)

    async def answer(self, *words: str) -> str:
        """What it says; nothing where it fails."""
        code, said, _ = await self._run(words)
        return said if code == 0 else ""

    async def do(self, *words: str) -> str:
        """The same, but a failure is one."""
        code, said, complaint = await self._run(words)
        if code != 0:
            error = ToolError.of("worktree_failed", why=complaint or f"exit code {code}")
            raise error.coded(ErrorCode.EXECUTION_ERROR)
        return said

    async def _run(self, words: tuple[str, ...]) -> tuple[int, str, str]:
        line = shlex.join(("git", *words))
        line = await asyncio.to_thread(deaf_command, line, [self._folder], self._processes)
        try:
            process = self._processes.start(
                shlex.split(line), cwd=self._folder, timeout_s=_LIMIT_S, splits=True
            )
            outcome = await process.finished()
        except (OSError, ValueError) as problem:
            return 127, "", str(problem)
        said, complaint = (
            one.extract().head.decode(errors="replace").strip()
            for one in (process.output, process.errors)
        )
        process.output.discard()
        return outcome.exit_code, said, complaint[:_MAX_SAID]
