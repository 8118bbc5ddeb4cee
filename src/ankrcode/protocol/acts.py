"""What a call touches: one declaration that serves everyone.

The scheduler reads it for hazards, the permission decision for rules, the journal for what to
save, the approval for what to show. A resource is a short string:

    file:/a.py      one file               tree:/src    a folder and everything below it
    net:host        a remote host          state:cwd    a piece of the agent's own state
    everything      anything at all: a barrier
"""

from msgspec import Struct

EVERYTHING = "everything"


def file(path: str) -> str:
    return f"file:{path}"


def tree(path: str) -> str:
    return f"tree:{path}"


def state(name: str) -> str:
    return f"state:{name}"


class Acts(Struct, frozen=True, kw_only=True):
    """What one call reads, writes, runs and connects to."""

    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()  # commands, as a person would type them
    connects: tuple[str, ...] = ()  # host names
    confined: bool = False  # what `runs` names stays behind a wall and changes nothing that lasts

    @property
    def changes_nothing(self) -> bool:
        return not self.writes and (self.confined or not self.runs)

    @property
    def writes_files(self) -> tuple[str, ...]:
        """The files and folders it writes, as paths."""
        return paths(self.writes)

    def may_write(self, path: str) -> bool:
        """Was this very path, or a folder that holds it, declared as written?"""
        if EVERYTHING in self.writes or file(path) in self.writes:
            return True
        folders = (one[5:].rstrip("/") for one in self.writes if one.startswith("tree:"))
        return any(path == folder or path.startswith(folder + "/") for folder in folders)

    @property
    def reads_files(self) -> tuple[str, ...]:
        """The files and folders it reads, as paths."""
        return paths(self.reads)


def paths(resources: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(r[5:] for r in resources if r.startswith(("file:", "tree:")))


NOTHING = Acts()
UNKNOWN = Acts(reads=(EVERYTHING,), writes=(EVERYTHING,))
