"""How a worktree stands at one moment, so that one can tell later whether anything changed."""

import asyncio
import os
import stat
from hashlib import blake2b

from msgspec import Struct

from ankrcode.agent.git import Git
from ankrcode.agent.uncommitted import Uncommitted

_SUBMODULE = b"160000 "
_CHUNK = 1024 * 1024


class Look(Struct, frozen=True):
    """One file that is in no commit: what it is, how long, and its content where that is asked."""

    mode: int
    size: int
    digest: bytes = b""


class Standing(Struct, frozen=True, kw_only=True):
    head: bytes
    staged: dict[bytes, bytes]
    loose: dict[bytes, Look]
    filled: list[bytes]  # folders of submodules that hold something: git itself never looks there

    @classmethod
    async def of(cls, git: Git) -> "Standing":
        found, listed = await asyncio.gather(
            Uncommitted.of(git), git.listed("ls-files", "--stage", "-z")
        )
        modules = [one.partition(b"\t")[2] for one in listed if one.startswith(_SUBMODULE)]
        return await asyncio.to_thread(_stands, os.fsencode(git.folder), found, modules)

    @property
    def digest(self) -> str:
        """The same for what stands the same, in whichever process."""
        loose = sorted((name, one.mode, one.size, one.digest) for name, one in self.loose.items())
        facts = (self.head, sorted(self.staged.items()), loose, sorted(self.filled))
        return blake2b(repr(facts).encode(), digest_size=16).hexdigest()


def _stands(root: bytes, found: Uncommitted, modules: list[bytes]) -> Standing:
    return Standing(
        head=found.head,
        staged=found.staged,
        loose={name: _looked_at(root + b"/" + name) for name in found.names},
        filled=[name for name in modules if _holds_something(root + b"/" + name)],
    )


def _looked_at(place: bytes) -> Look:
    try:
        facts = os.lstat(place)
        if stat.S_ISLNK(facts.st_mode):
            return Look(facts.st_mode, facts.st_size, os.readlink(place))  # noqa: PTH115
        if not stat.S_ISREG(facts.st_mode):
            return Look(facts.st_mode, 0)
        return Look(facts.st_mode, facts.st_size, _digest(place))
    except OSError:
        return Look(0, 0)


def _digest(place: bytes) -> bytes:
    digest = blake2b(digest_size=16)
    with open(place, "rb") as file:  # noqa: PTH123
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.digest()


def _holds_something(folder: bytes) -> bool:
    try:
        return bool(os.listdir(folder))  # noqa: PTH208
    except OSError:
        return False
