"""Landlock: the kernel's own sandbox for a process without any rights.

It can only grant, and what it grants on a folder holds for all below it. So whatever is to be
hidden is left out: the entries beside it are granted one by one.
"""

import ctypes
import os
import platform
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache

from ankrcode.sandbox.system import call, libc
from ankrcode.workspace.roots import is_inside

MIN_ABI = 3  # before, a file outside could be cut to nothing
SIGNALS_ABI = 6  # from here on, signals and abstract sockets stay inside

_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446
_VERSION, _PATH_BENEATH = 1, 1

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR, _TRUNCATE, _IOCTL_DEVICE = (
    1 << bit for bit in (0, 1, 2, 3, 14, 15)
)
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_FILE_RIGHTS = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEVICE
_DEVICE = _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEVICE
_RIGHTS_BY_ABI = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}  # how many, counted from bit 0
TCP_ABI = 4  # from here on, TCP can be refused
_BOTH_TCP = _BOTH_SCOPES = 3

# Not `pts`: there are the terminals of the person, to be written to and listened to.
DEVICES = ("null", "zero", "full", "random", "urandom", "tty")


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _PathRule(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


@cache
def abi() -> int:
    """What the kernel offers; 0 where it has no Landlock."""
    if platform.system() != "Linux":
        return 0
    return max(0, int(libc().syscall(_CREATE, None, 0, _VERSION)))


class Ruleset:
    """What the threads that enter it may still do. Close it when nobody will enter any more."""

    def __init__(self, *, network: bool) -> None:
        version = abi()
        self._rights = (1 << _RIGHTS_BY_ABI.get(version, 16)) - 1
        attributes = _Ruleset(
            self._rights,
            _BOTH_TCP if version >= TCP_ABI and not network else 0,
            _BOTH_SCOPES if version >= SIGNALS_ABI else 0,
        )
        size = 24 if version >= SIGNALS_ABI else 16 if version >= TCP_ABI else 8
        made = libc().syscall(_CREATE, ctypes.byref(attributes), size, 0)
        self._handle = call(made, "landlock_create_ruleset")

    def allow_reading(self, path: str) -> None:
        self._allow(path, _READ)

    def allow_listing(self, path: str) -> None:
        self._allow(path, _READ_DIR)

    def allow_writing(self, path: str) -> None:
        self._allow(path, self._rights)

    def allow_device(self, path: str) -> None:
        self._allow(path, _DEVICE | _READ_DIR)

    def enter(self) -> None:
        """Restrict the calling thread for ever; it must have given up new privileges."""
        call(libc().syscall(_RESTRICT, self._handle, 0), "landlock_restrict_self")

    def close(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def __del__(self) -> None:
        self.close()

    def _allow(self, path: str, rights: int) -> None:
        """What is not there, or not reachable by us, cannot be granted and need not be."""
        with suppress(OSError):
            handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
            try:
                if not stat.S_ISDIR(os.fstat(handle).st_mode):
                    rights &= _FILE_RIGHTS
                rule = _PathRule(rights & self._rights, handle)
                added = libc().syscall(
                    _ADD_RULE, self._handle, _PATH_BENEATH, ctypes.byref(rule), 0
                )
                call(added, "landlock_add_rule")
            finally:
                os.close(handle)


def around(hidden: Iterable[str], folder: str = os.sep) -> Iterator[str]:
    """The largest places in `folder` that hold none of the hidden ones."""
    yield from _beside(folder, tuple(hidden))


def _beside(folder: str, hidden: tuple[str, ...]) -> Iterator[str]:
    below = tuple(path for path in hidden if is_inside(path, folder))
    if not below:
        yield folder
        return
    if folder in below:
        return
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            # A link grants what it leads to: left alone, its target is granted where it lies.
            if not entry.is_symlink():
                yield from _beside(entry.path, below)


def split_folders(hidden: Iterable[str]) -> frozenset[str]:
    """The folders whose entries are granted one by one: a change in one changes the rules."""
    return frozenset(
        parent
        for path in hidden
        for parent in _parents(path)
        if os.path.isdir(parent)  # noqa: PTH112
    )


def _parents(path: str) -> Iterator[str]:
    while path != os.sep:
        path = os.path.dirname(path)  # noqa: PTH120
        yield path
