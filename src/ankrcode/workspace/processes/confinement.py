"""The wall around a process: what `sandbox` implements and `processes` asks for."""

from collections.abc import Callable
from typing import Protocol

from msgspec import Struct


class Launch(Struct, frozen=True, kw_only=True):
    """How a process is to be started."""

    argv: tuple[str, ...]
    env: dict[str, str]
    cwd: str
    pass_fds: tuple[int, ...] = ()
    keeps_terminal: bool = False  # it is for a person, who interrupts it as usual
    mark: int = 0  # see descendants.py: what sets limits before the program runs can set it too
    # Run in a throw-away thread that then spawns: Landlock restricts one thread for ever.
    # Without it, spawn from a thread that lives on: bubblewrap dies with the thread it came from.
    restrict: Callable[[], None] | None = None
    # Called once, also when the start failed, after the process and its group are gone: takes away
    # what the wall needed (descriptors in pass_fds, mount points); a line for each violation.
    release: Callable[[], list[str]] | None = None


class Confinement(Protocol):
    """Puts a wall around a launch, and says which one stands."""

    @property
    def name(self) -> str:
        """Which one: "bubblewrap", "landlock", "seatbelt", "none"."""

    def is_quick(self, *, is_awaited: bool) -> bool:
        """Is `confine` over at once, and `release` too? Then no thread is needed for them.

        `is_awaited`: the thread that asks lasts longer than the process.
        """

    def confine(self, launch: Launch, profile: str, roots: tuple[str, ...]) -> Launch:
        """The same launch inside the wall.

        profile: "open" | "limits" | "read-only" | "workspace-write" | "workspace-write-network"
        """

    def scratch(self) -> str:
        """A private temporary folder, writable in every profile, the same path on both sides."""

    def describe(self) -> dict[str, object]:
        """The state of the wall, reported in every result."""

    def explain(self, exit_code: int, output_tail: str) -> str:
        """Why the wall stopped it, or ""."""


class NoConfinement:
    """No wall at all."""

    name = "none"

    def is_quick(self, *, is_awaited: bool) -> bool:
        return True

    def confine(self, launch: Launch, profile: str, roots: tuple[str, ...]) -> Launch:
        return launch

    def scratch(self) -> str:
        from tempfile import gettempdir  # slow to load

        return gettempdir()

    def describe(self) -> dict[str, object]:
        return {"sandbox": self.name}

    def explain(self, exit_code: int, output_tail: str) -> str:
        return ""
