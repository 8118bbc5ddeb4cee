"""What every wall is made of: the settings, a private temporary folder, a control group."""

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from weakref import finalize

from ankrcode.config.paths import state_folder
from ankrcode.config.settings import SandboxSettings
from ankrcode.sandbox import cgroups
from ankrcode.sandbox.cgroups import ControlGroup
from ankrcode.sandbox.guard import Guard
from ankrcode.sandbox.profiles import Sight


class Site:
    """Where a wall is built. Folder and group are made when first used, and go with the owner."""

    def __init__(self, settings: SandboxSettings, environ: Mapping[str, str]) -> None:
        self.settings = settings
        self.environ = environ

    @cached_property
    def scratch(self) -> str:
        from tempfile import TemporaryDirectory  # slow to load

        folder = TemporaryDirectory(prefix="ankrcode-", ignore_cleanup_errors=True)
        finalize(self, _removed, folder.cleanup)
        return os.path.realpath(folder.name)

    @cached_property
    def group(self) -> ControlGroup | None:
        group = cgroups.make(
            os.urandom(4).hex(),
            memory_mb=self.settings.memory_mb,
            processes=self.settings.processes,
        )
        if group is not None:
            finalize(self, group.close)
        return group

    @cached_property
    def sight(self) -> Sight:
        return Sight(self.settings, self.environ)

    @cached_property
    def _aside(self) -> Path:
        return state_folder(self.environ) / "undone"

    def guard(
        self,
        paths: Iterable[str],
        *,
        missing: Iterable[str] = (),
        pinned: Iterable[str] = (),
    ) -> Guard:
        return Guard(paths, self._aside, missing=missing, pinned=pinned)


def _removed(cleanup: Callable[[], None]) -> None:
    with suppress(OSError):  # whoever we are by then may not be its owner
        cleanup()


def releasing(*steps: Callable[[], object]) -> Callable[[], list[str]]:
    """One function that takes every step and hands on what was found."""

    def release() -> list[str]:
        found: list[str] = []
        for step in steps:
            answer = step()
            if isinstance(answer, list):
                found += answer
        return found

    return release


def find_program(name: str) -> str:
    """A program of the system's own: one on the PATH might be the workspace's."""
    folders = ("/usr/bin", "/bin", "/usr/local/bin", "/usr/sbin", "/run/current-system/sw/bin")
    paths = (Path(folder, name) for folder in folders)
    return next((str(path) for path in paths if os.access(path, os.X_OK)), "")
