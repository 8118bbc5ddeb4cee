"""A process that dies before its Nth system call: everything after that call never happens."""

import errno
import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any
from unittest import mock

from ankrcode.workspace.journal import way
from ankrcode.workspace.writing import entries, folders, handles, intents, recovery, renames, writes

CALLS = frozenset(
    (
        *("open", "close", "write", "read", "mkdir", "rmdir", "unlink", "rename", "symlink"),
        *("fsync", "ftruncate", "fchmod", "fchown", "lseek", "utime", "setxattr", "removexattr"),
    )
)
MODULES = (entries, folders, handles, intents, recovery, renames, way, writes)


class Crash(BaseException):
    """Not an Exception: nothing in the product may catch and survive it."""


class System:
    """Stands in for the modules os and fcntl; counts the calls that change something."""

    def __init__(
        self,
        stop_at: int = 0,
        fail_at: int = 0,
        error: int = 0,
        most_bytes: int = 1 << 30,
        *,
        is_split: bool = False,
    ) -> None:
        self.count = 0
        self.most_bytes = most_bytes  # that one call writes
        self.is_split = is_split  # every folder is a file system of its own
        self.stop_at = stop_at
        self.fail_at = fail_at
        self.error = error
        self.names: list[str] = []
        self._open: set[int] = set()

    @property
    def has_stopped(self) -> bool:
        return 0 < self.stop_at <= self.count

    def __getattr__(self, name: str) -> Any:
        real = getattr(os, name, None)
        if real is None:
            real = getattr(fcntl, name)
        return self.counted(name, real) if name in CALLS or name == "flock" else real

    def counted(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            self.count += 1
            self.names.append(name)
            if self.has_stopped:
                raise Crash
            if self.count == self.fail_at and name != "close":
                raise OSError(self.error, os.strerror(self.error))
            if name == "rename" and self.is_across(kwargs["src_dir_fd"], kwargs["dst_dir_fd"]):
                raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
            if name == "write":
                args = (args[0], args[1][: self.most_bytes])
            result = real(*args, **kwargs)
            if name == "open":
                self._open.add(result)
            elif name == "close":
                self._open.discard(args[0])
            return result

        return call

    def rename_new(self, real: Callable[..., int]) -> Callable[..., int]:
        """The one call that does not go through the module os."""

        def call(*args: Any) -> int:
            self.count += 1
            self.names.append("renameat2")
            if self.has_stopped:
                raise Crash
            if self.is_across(args[0], args[2]):
                return errno.EXDEV
            return self.error if self.count == self.fail_at else real(*args)

        return call

    def is_across(self, folder: int, new_folder: int) -> bool:
        return self.is_split and not os.path.samestat(os.fstat(folder), os.fstat(new_folder))

    def die(self) -> None:
        """What the system does when a process ends: its files are closed, its locks are gone."""
        for handle in self._open:
            os.close(handle)
        self._open.clear()


@contextmanager
def system(**options: Any) -> Iterator[System]:
    """While this lasts, the write path talks to a system that stops or fails as told."""
    fake = System(**options)
    renamed = fake.rename_new(renames._renameat2())
    with ExitStack() as patches:
        patches.callback(fake.die)
        for module in MODULES:
            patches.enter_context(mock.patch.object(module, "os", fake))
        patches.enter_context(mock.patch.object(intents, "fcntl", fake))
        patches.enter_context(mock.patch.object(renames, "_renameat2", return_value=renamed))
        yield fake


def dies(act: Callable[[], object], stop_at: int, most_bytes: int = 1 << 30, **more: Any) -> bool:
    """Did the process die before the work was done?"""
    with system(stop_at=stop_at, most_bytes=most_bytes, **more) as fake, suppress(Crash):
        act()
    return fake.has_stopped


EVERY_ERROR = (errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EROFS)
