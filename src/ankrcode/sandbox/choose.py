"""Which wall stands here: the strongest that works, tried once and remembered."""

import os
import time
from _thread import start_new_thread
from collections.abc import Callable, Mapping
from functools import cached_property
from importlib import import_module
from typing import Any, Protocol

from msgspec.structs import replace

from ankrcode.config.settings import SandboxSettings
from ankrcode.errors import ErrorCode, ToolError
from ankrcode.sandbox.limits import limited
from ankrcode.sandbox.profile_names import bounds_of, is_confined
from ankrcode.workspace.processes.confinement import Launch


class Wall(Protocol):
    """One way to confine."""

    name: str

    def confined(self, launch: Launch, view: Any) -> Launch:
        """The launch behind the wall; `view` is a `profiles.View`, which few commands need."""

    def covers(self) -> dict[str, str]:
        """What it holds back: topic → "yes", "no", or what is to be known about it."""


def _loaded_when_tried(module: str, wall: str) -> tuple[Callable[[], str], Callable[[Any], Wall]]:
    def why_not() -> str:
        return str(import_module(f"ankrcode.sandbox.{module}").why_not())

    def build(site: Any) -> Wall:
        built: Wall = getattr(import_module(f"ankrcode.sandbox.{module}"), wall)(site)
        return built

    return why_not, build


# In order of strength: (why it does not work here, how it is built).
WALLS = {
    "bubblewrap": _loaded_when_tried("bubblewrap", "Bubblewrap"),
    "seatbelt": _loaded_when_tried("seatbelt", "Seatbelt"),
    "landlock": _loaded_when_tried("landlocked", "Landlocked"),
}
NONE = "none"
_COMMANDS_FIRST_S = 0.05  # several may start at once, and want the processor


class Sandbox:
    """The `Confinement` that processes are given. Nothing is tried before it is needed."""

    def __init__(
        self, settings: SandboxSettings | None = None, environ: Mapping[str, str] | None = None
    ) -> None:
        self._settings = settings or SandboxSettings()
        self._is_trying = False
        self._environ = os.environ if environ is None else environ

    @property
    def name(self) -> str:
        return self.wall.name if self.wall else NONE

    def is_quick(self, *, is_awaited: bool) -> bool:
        """Once it is known which one stands. bubblewrap ends with the thread that started it."""
        return "wall" in self.__dict__ and (is_awaited or self.name == "landlock")

    @cached_property
    def _site(self) -> Any:
        from ankrcode.sandbox.wall import Site  # slow to load: only who is confined pays

        return Site(self._settings, self._environ)

    @cached_property
    def wall(self) -> Wall | None:
        for name, (why_not, build) in WALLS.items():
            if self._settings.wall in ("auto", name) and not why_not():
                return build(self._site)
        return None

    def confine(self, launch: Launch, profile: str, roots: tuple[str, ...]) -> Launch:
        """The launch under this profile. Where no wall works: bounds alone, or a refusal."""
        if is_confined(profile):
            if self.wall is not None:
                return self.wall.confined(launch, self._site.sight.view(profile, roots, launch.cwd))
            if self._settings.required:
                raise missing(self.why_none())
        self._try_meanwhile()
        bounds = bounds_of(profile, self._settings)
        return replace(launch, argv=limited(launch.argv, bounds, mark=launch.mark))

    def _try_meanwhile(self) -> None:
        """The result will say which wall stands: that is found out while the command runs."""
        if "wall" not in self.__dict__ and not self._is_trying:
            self._is_trying = True
            start_new_thread(self._try_later, ())

    def _try_later(self) -> Wall | None:
        time.sleep(_COMMANDS_FIRST_S)
        return self.wall

    def scratch(self) -> str:
        return str(self._site.scratch)

    def describe(self) -> dict[str, object]:
        if self.wall is None:
            return {"sandbox": NONE, "sandbox_why": self.why_none()}
        return {"sandbox": self.name}

    def explain(self, exit_code: int, output_tail: str) -> str:
        from ankrcode.sandbox.explain import explained  # only what failed is explained

        return explained(exit_code, output_tail, self.name) if self.wall else ""

    def why_none(self) -> str:
        """Why no wall stands, wall by wall."""
        if self._settings.wall == NONE:
            return "the setting sandbox.wall is none"
        return "; ".join(
            f"{name}: {why}"
            for name, (why_not, _) in WALLS.items()
            if self._settings.wall in ("auto", name) and (why := why_not())
        )


def missing(why: str) -> ToolError:
    return ToolError.of("sandbox_missing", why=why).coded(ErrorCode.SANDBOX_MISSING, why=why)
