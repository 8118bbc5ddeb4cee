"""Bounds for all processes together, where we may make a control group: mostly as root.

Version 1 and 2 differ in where the files lie and what they are called, and in nothing else here.
"""

import os
from contextlib import suppress
from functools import cached_property
from pathlib import Path

_NAMES = {
    1: {"memory": "memory.limit_in_bytes", "pids": "pids.max"},
    2: {"memory": "memory.max", "pids": "pids.max"},
}
_MIB = 1024 * 1024
_WRITE = os.O_WRONLY | os.O_CLOEXEC


class ControlGroup:
    """One group for everything that is confined; gone when closed."""

    def __init__(self, folders: dict[str, Path], *, version: int) -> None:
        self._folders = folders  # controller → its folder
        self._version = version

    @property
    def entrances(self) -> tuple[str, ...]:
        """The files that a process writes itself into."""
        return tuple(sorted({str(folder / "cgroup.procs") for folder in self._folders.values()}))

    @property
    def bounds(self) -> tuple[str, ...]:
        return tuple(sorted(self._folders))

    def limit(self, *, memory_mb: int, processes: int) -> None:
        wanted = {"memory": memory_mb * _MIB, "pids": processes}
        for controller, folder in self._folders.items():
            _write(folder / _NAMES[self._version][controller], str(wanted[controller]))

    def enter_thread(self) -> None:
        """Put the calling thread into it, and so what it starts; version 1 only."""
        for door in self._doors:
            with suppress(OSError):
                os.write(door, b"0")

    @cached_property
    def _doors(self) -> list[int]:
        if self._version != 1:
            return []
        return [os.open(folder / "tasks", _WRITE) for folder in self._folders.values()]

    def close(self) -> None:
        for door in self.__dict__.pop("_doors", ()):
            os.close(door)
        for folder in set(self._folders.values()):
            with suppress(OSError):  # still in use: whoever sweeps later takes it away
                folder.rmdir()


def make(
    name: str, *, memory_mb: int, processes: int, proc: Path | None = None
) -> ControlGroup | None:
    """A new group below our own, or None where that is not for us to do."""
    proc = proc or Path("/proc/self")
    try:
        mounts, own = _mounts(proc), _own_groups(proc)
    except OSError:
        return None
    group = _version_1(name, mounts, own) or _version_2(name, mounts, own)
    if group is None:
        return None
    try:
        group.limit(memory_mb=memory_mb, processes=processes)
    except OSError:
        group.close()
        return None
    return group


def _version_1(name: str, mounts: dict[str, Path], own: dict[str, str]) -> ControlGroup | None:
    folders = {}
    for controller in _NAMES[1]:
        if controller in mounts and controller in own:
            made = _made(mounts[controller] / own[controller].lstrip("/"), name)
            if made is not None:
                folders[controller] = made
    return ControlGroup(folders, version=1) if folders else None


def _version_2(name: str, mounts: dict[str, Path], own: dict[str, str]) -> ControlGroup | None:
    """Beside our own group: one that holds processes cannot have groups with limits below it."""
    if "" not in mounts or "" not in own:
        return None
    above = mounts[""] / own[""].strip("/")
    if own[""] != "/":
        above = above.parent
    with suppress(OSError):
        offered = (above / "cgroup.subtree_control").read_text(encoding="ascii").split()
        usable = [controller for controller in _NAMES[2] if controller in offered]
        if usable and (made := _made(above, name)) is not None:
            return ControlGroup(dict.fromkeys(usable, made), version=2)
    return None


def _made(above: Path, name: str) -> Path | None:
    """A new folder in `above`; what a process that died left behind goes first."""
    with suppress(OSError):
        for left in above.glob("ankrcode-*"):
            owner = left.name.split("-")[1]
            if not Path("/proc", owner).exists():
                with suppress(OSError):
                    left.rmdir()
        folder = above / f"ankrcode-{os.getpid()}-{name}"
        folder.mkdir()
        return folder
    return None


def _mounts(proc: Path) -> dict[str, Path]:
    """Controller → where its hierarchy is mounted; version 2 has the empty name."""
    found: dict[str, Path] = {}
    for line in (proc / "mountinfo").read_text(encoding="utf-8", errors="replace").splitlines():
        before, _, after = line.partition(" - ")
        kind, _, options = after.partition(" ")
        place = Path(before.split()[4])
        if kind == "cgroup2":
            found.setdefault("", place)
        elif kind == "cgroup":
            for option in options.rpartition(" ")[2].split(","):
                found.setdefault(option, place)
    return found


def _own_groups(proc: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in (proc / "cgroup").read_text(encoding="utf-8", errors="replace").splitlines():
        _, controllers, path = line.split(":", 2)
        for controller in controllers.split(","):
            found[controller] = path
    return found


def _write(path: Path, text: str) -> None:
    handle = os.open(path, _WRITE)
    try:
        os.write(handle, text.encode())
    finally:
        os.close(handle)
