"""What stands in a folder and in no commit: brought over to another one.

Files are copied as they are, byte by byte: no filter of git touches them, and neither the folder
nor its index is written to. What git ignores stays behind, and so do repositories inside this one.
"""

import os
import shutil
import stat
from contextlib import suppress

from msgspec import Struct

from ankrcode.agent.git import Git
from ankrcode.config.limits import CARRIED_BYTES, CARRIED_FILES

_STATUS = (
    *("status", "--porcelain=v2", "-z", "--branch", "--untracked-files=all"),
    *("--no-renames", "--ignore-submodules=dirty"),
)
_HEAD = b"# branch.oid "
_CHUNK = 1024 * 1024


class Uncommitted(Struct, frozen=True, kw_only=True):
    """Of one folder."""

    head: bytes  # its last commit
    staged: dict[bytes, bytes]  # by name: mode and content, all zeros where it is gone
    names: list[bytes]  # of files that differ, are gone or are new

    @classmethod
    async def of(cls, git: Git) -> "Uncommitted":
        head = b""
        staged: dict[bytes, bytes] = {}
        names: list[bytes] = []
        for line in await git.listed(*_STATUS):
            if line.startswith(_HEAD):
                head = line
            elif line.startswith(b"1 "):
                _, state, _, _, mode, _, _, content, name = line.split(b" ", 8)
                names.append(name)
                if state[:1] != b".":
                    staged[name] = mode + b" " + content
            elif line.startswith(b"u "):  # a conflict: the file as it stands
                names.append(line.split(b" ", 10)[10])
            elif line.startswith(b"? "):
                names.append(line[2:])
        return cls(head=head, staged=staged, names=list(dict.fromkeys(names)))

    def for_index(self) -> bytes:
        """What is staged, as `update-index --index-info` takes it."""
        return b"".join(b"%b\t%b\0" % (facts, name) for name, facts in self.staged.items())

    def copy(self, source: str, target: str) -> list[str]:
        """Make these files of `target` what they are in `source`; what was too much, by name."""
        here, there = os.fsencode(source), os.fsencode(target)
        found = {name: _look(here, name) for name in self.names}
        for name, facts in found.items():
            if facts is None or stat.S_ISDIR(facts.st_mode):
                _remove(there, name)
        left_out: list[str] = []
        room, places = CARRIED_BYTES, CARRIED_FILES
        for name, facts in found.items():
            if facts is None or (stat.S_ISDIR(facts.st_mode) and not name.endswith(b"/")):
                continue
            fits = places > 0 and facts.st_size <= room and not stat.S_ISDIR(facts.st_mode)
            if fits and _copy(here + b"/" + name, _cleared(there, name), facts):
                room, places = room - facts.st_size, places - 1
            else:
                left_out.append(name.decode(errors="replace"))
        return left_out


# ── one file ──────────────────────────────────────────────────────────────────────────────────
def _look(root: bytes, name: bytes) -> os.stat_result | None:
    """What stands there, itself; nothing where a folder on the way is a link or none."""
    place = root
    facts: os.stat_result | None = None
    for part in name.rstrip(b"/").split(b"/"):
        if facts is not None and not stat.S_ISDIR(facts.st_mode):
            return None
        place += b"/" + part
        try:
            facts = os.lstat(place)
        except OSError:
            return None
    return facts


def _remove(root: bytes, name: bytes) -> None:
    """A file or a link, and the folders that become empty; what is a folder stays."""
    facts = _look(root, name)
    if facts is None or stat.S_ISDIR(facts.st_mode):
        return
    os.unlink(root + b"/" + name)  # noqa: PTH108
    with suppress(OSError):
        while b"/" in name:
            name = name.rpartition(b"/")[0]
            os.rmdir(root + b"/" + name)  # noqa: PTH106


def _cleared(root: bytes, name: bytes) -> bytes:
    """The place for a file, free, in real folders: no link that stood there leads elsewhere."""
    place = root
    *folders, last = name.split(b"/")
    for folder in folders:
        place += b"/" + folder
        with suppress(FileNotFoundError):
            if not stat.S_ISDIR(os.lstat(place).st_mode):
                os.unlink(place)  # noqa: PTH108
        os.makedirs(place, exist_ok=True)  # noqa: PTH103
    place += b"/" + last
    with suppress(FileNotFoundError):
        if stat.S_ISDIR(os.lstat(place).st_mode):
            shutil.rmtree(place)
        else:
            os.unlink(place)  # noqa: PTH108
    return place


def _copy(source: bytes, target: bytes, facts: os.stat_result) -> bool:
    """Was it? Not what vanished meanwhile, cannot be read, or is neither a file nor a link."""
    if stat.S_ISLNK(facts.st_mode):
        os.symlink(os.readlink(source), target)  # noqa: PTH115, PTH211
        return True
    if not stat.S_ISREG(facts.st_mode):
        return False
    try:
        handle = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    with open(handle, "rb") as given, open(target, "xb") as made:  # noqa: PTH123
        shutil.copyfileobj(given, made, _CHUNK)
    os.chmod(target, stat.S_IMODE(facts.st_mode) & 0o777 | stat.S_IWUSR)  # noqa: PTH101
    return True
