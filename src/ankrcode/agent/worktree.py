"""A git worktree for one agent: it cannot get in the way of others, and unchanged it is gone.

It begins with what its parent sees: the last commit, and what is not committed yet. Nothing is
ever merged by itself: the branch waits for whoever wants it.
"""

import asyncio
import os
import re
import shutil
from contextlib import suppress
from pathlib import Path

from ankrcode.agent.claim import Claim, Origin
from ankrcode.agent.git import Git
from ankrcode.agent.shielded import shielded
from ankrcode.agent.standing import Standing
from ankrcode.agent.uncommitted import Uncommitted
from ankrcode.config.paths import make_private, state_folder
from ankrcode.errors import ErrorCode, ToolError
from ankrcode.workspace.processes.processes import Processes

NAME = re.compile(r"[A-Za-z0-9_-]{1,100}")
_NOBODY = ("-c", "user.name=ankrcode", "-c", "user.email=ankrcode@localhost")


class Worktree:
    """`path` is where the agent works: the same folder of the repository, in a copy of it."""

    def __init__(self, git: Git, inner: str, name: str, claim: Claim | None = None) -> None:
        self._git = git  # of the repository
        self._inside = git.at(place_of(name))
        self._origin = claim.origin if claim is not None else None  # none: it stays, come what may
        self._claim = claim
        self.branch = f"ankrcode/{name}"
        self.path = f"{self._inside.folder}/{inner}".rstrip("/")
        self.left_out: tuple[str, ...] = ()  # not committed, and too much to bring over

    @classmethod
    async def make(cls, folder: str, name: str, processes: Processes) -> "Worktree":
        """Raises `ToolError` where there is no repository, or git refuses."""
        if not NAME.fullmatch(name):  # a name from outside never becomes another path
            raise ToolError.of("worktree_failed", why=ascii(name)).coded(ErrorCode.INVALID_INPUT)
        git = Git(folder, processes)
        try:
            top = await git.do("rev-parse", "--show-toplevel")
        except ToolError as problem:
            error = ToolError.of("worktree_none", path=folder)
            is_none = "not a git repository" in problem.message
            raise error.coded(ErrorCode.EXECUTION_ERROR) if is_none else problem from None
        inner = await git.answer("rev-parse", "--show-prefix")
        try:
            if is_there(place_of(name)):  # of an earlier process
                worktree = cls(git.at(top), inner, name, Claim.left(place_of(name)))
                if not await worktree._is_half_made():
                    return worktree
            commit = await git.answer("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
            origin = Origin(repository=os.fsencode(await git.home()), commit=commit)
            worktree = cls(git.at(top), inner, name, Claim.new(place_of(name), origin))
            await worktree._make(commit)
        except OSError as problem:
            error = ToolError.of("worktree_failed", why=problem.strerror or problem)
            raise error.coded(ErrorCode.IO_ERROR) from None
        return worktree

    async def _make(self, commit: str) -> None:
        """All of it or nothing, also for whoever cancels meanwhile."""
        adding = asyncio.ensure_future(self._add(commit))
        try:
            await asyncio.shield(adding)
            await self._fill()
        except (OSError, ToolError, asyncio.CancelledError):
            await shielded(self._taken_back(adding))
            raise

    async def _taken_back(self, adding: "asyncio.Future[None]") -> None:
        with suppress(ToolError):
            await adding  # what git refused to make is not ours to remove
            await self._removed()
        self._over()

    async def _add(self, commit: str) -> None:
        if commit:
            add = ("worktree", "add", "--quiet", "-b", self.branch)
            await self._git.do(*add, self._inside.folder, commit)
        else:
            await self._add_empty()

    async def _add_empty(self) -> None:
        """Nothing is committed yet: on a branch that has no commit either, whichever git it is."""
        tree = await self._git.do("hash-object", "-w", "-t", "tree", os.devnull)
        commit = await self._git.do(*_NOBODY, "commit-tree", "-m", "empty", tree)
        await self._git.do("worktree", "add", "--quiet", "--detach", self._inside.folder, commit)
        await self._inside.do("symbolic-ref", "HEAD", f"refs/heads/{self.branch}")

    async def _fill(self) -> None:
        """With what is not committed: files as they are, and what is staged."""
        inside = self._inside
        found = await Uncommitted.of(self._git)
        left_out = await asyncio.to_thread(found.copy, self._git.folder, inside.folder)
        self.left_out = tuple(left_out)
        await asyncio.to_thread(os.makedirs, self.path, exist_ok=True)  # git keeps no empty folder
        if staged := found.for_index():
            await inside.do("update-index", "-z", "--index-info", given=staged)
        start = (await Standing.of(inside)).digest
        if self._claim is not None:
            self._claim.ready(start)
            self._origin = self._claim.origin

    # ── its end ───────────────────────────────────────────────────────────────────────────
    async def is_unchanged(self) -> bool:
        """Nothing committed, staged, changed or new since it began, but what is ignored."""
        if self._origin is None or await self._git.tip(self.branch) != self._origin.commit:
            return False  # also what was committed and left again: the branch has it
        return (await Standing.of(self._inside)).digest == self._origin.start

    async def tidy(self) -> bool:
        """Remove it if it is unchanged; is it gone? In doubt it stays, for whoever is told."""
        try:
            is_gone = await self.is_unchanged() and await self._removed()
        except (OSError, ToolError):
            is_gone = False
        self._over()
        return is_gone

    async def scrap(self) -> bool:
        """Remove what there is of one that was never ready, or was deleted; is it gone?"""
        tip = await self._git.tip(self.branch)
        is_ours = self._origin is not None and tip in ("", self._origin.commit)
        if is_ours:
            folder = self._inside.folder
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
            await self._git.answer("worktree", "remove", "--force", "--force", folder)
            await self._git.answer("branch", "-D", "--quiet", self.branch)
        self._over()
        return is_ours

    async def _is_half_made(self) -> bool:
        """Then it was no place to work in, and is none now."""
        is_ready = self._origin is None or bool(self._origin.start)
        return not is_ready and await self.scrap()

    async def _removed(self) -> bool:
        await self._git.do("worktree", "remove", "--force", self._inside.folder)
        await self._git.answer("branch", "-D", "--quiet", self.branch)  # there may be none yet
        return True

    def _over(self) -> None:
        """Nobody has to look after it any more: it is gone, or whoever asked for it knows of it."""
        if self._claim is not None:
            self._claim.drop()


def place_of(name: str) -> str:
    return os.path.realpath(make_private(worktrees_folder()) / name)


def worktrees_folder() -> Path:
    return state_folder(os.environ) / "worktrees"


def is_there(folder: str) -> bool:
    return os.path.isdir(folder)  # noqa: PTH112
