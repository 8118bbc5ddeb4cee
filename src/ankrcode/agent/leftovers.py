"""Worktrees whose process was killed: nobody was left to tidy up, so the next agent there does.

Only those that we made and whose owner is gone, in the same repository. What was changed stays.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress

from ankrcode.agent.claim import SUFFIX, Claim
from ankrcode.agent.git import Git
from ankrcode.agent.shielded import shielded
from ankrcode.agent.worktree import NAME, Worktree, is_there, place_of, worktrees_folder
from ankrcode.errors import ToolError
from ankrcode.words import say
from ankrcode.workspace.processes.processes import Processes

_AT_ONCE = 20  # whoever waits for an agent does not wait for a hundred old ones
_MAKING_S = 600.0  # a git that outlived us may still be at it


async def tidy_up(root: str, processes: Callable[[], Processes], *, but: str = "") -> list[str]:
    """Remove what is unchanged; in words, what stays and where. `but` this one: it goes on."""
    told, home, room = list[str](), "", _AT_ONCE
    for name, claim in _left(but):  # mostly none: then git is not asked either
        git = Git(root, processes())
        try:
            home = home or await git.home()
            if os.fsdecode(claim.origin.repository) == home and not _is_used(name, claim):
                told += await shielded(_settled(Worktree(git, "", name, claim), claim))
                room -= 1
        except ToolError:  # no repository: none of them is ours to look at
            break
        finally:
            claim.release()
        if not room:
            break
    return told


def _left(but: str) -> Iterator[tuple[str, Claim]]:
    """Taken one by one: whoever stops looking holds none of the rest."""
    try:
        files = os.listdir(worktrees_folder())  # noqa: PTH208
    except OSError:
        return
    for name in sorted(one.removesuffix(SUFFIX) for one in files if one.endswith(SUFFIX)):
        claim = _taken(name) if name != but and NAME.fullmatch(name) else None
        if claim is not None:
            yield name, claim


def _taken(name: str) -> Claim | None:
    try:
        return Claim.left(place_of(name))
    except BlockingIOError:  # its owner lives
        return None


async def _settled(worktree: Worktree, claim: Claim) -> list[str]:
    if not claim.origin.start or not is_there(worktree.path):
        await worktree.scrap()
        return []
    if await worktree.tidy():
        return []
    return [say("worktree_left", path=worktree.path, branch=worktree.branch)]


def _is_used(name: str, claim: Claim) -> bool:
    """By a git that still makes it, a command that outlived its agent, or a person's shell."""
    if not claim.origin.start and claim.age_s < _MAKING_S:
        return True
    place = place_of(name)
    return any(one == place or one.startswith(f"{place}/") for one in _folders_of_processes())


def _folders_of_processes() -> Iterator[str]:
    """Where the system tells: those of other people it does not."""
    with suppress(OSError):
        for one in os.listdir("/proc"):  # noqa: PTH208
            if one.isdigit():
                with suppress(OSError):
                    yield os.readlink(f"/proc/{one}/cwd")  # noqa: PTH115
