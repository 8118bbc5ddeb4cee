"""Which wall stands here: the strongest that works, tried once and remembered."""

import os
from collections.abc import Callable, Mapping
from functools import cached_property

from msgspec.structs import replace

from ankrcode.config.settings import SandboxSettings
from ankrcode.errors import ErrorCode, ToolError
from ankrcode.sandbox import bubblewrap, landlocked, seatbelt
from ankrcode.sandbox.bubblewrap import Bubblewrap
from ankrcode.sandbox.explain import explained
from ankrcode.sandbox.landlocked import Landlocked
from ankrcode.sandbox.limits import limited
from ankrcode.sandbox.profiles import bounds_of, is_confined
from ankrcode.sandbox.seatbelt import Seatbelt
from ankrcode.sandbox.wall import Site, Wall
from ankrcode.workspace.processes.confinement import Launch

# In order of strength: (why it does not work here, how it is built).
WALLS: dict[str, tuple[Callable[[], str], Callable[[Site], Wall]]] = {
    "bubblewrap": (bubblewrap.why_not, Bubblewrap),
    "seatbelt": (seatbelt.why_not, Seatbelt),
    "landlock": (landlocked.why_not, Landlocked),
}
NONE = "none"


class Sandbox:
    """The `Confinement` that processes are given. Nothing is tried before it is needed."""

    def __init__(
        self, settings: SandboxSettings | None = None, environ: Mapping[str, str] | None = None
    ) -> None:
        self._settings = settings or SandboxSettings()
        self._site = Site(self._settings, os.environ if environ is None else environ)

    @property
    def name(self) -> str:
        return self.wall.name if self.wall else NONE

    def is_quick(self, *, is_awaited: bool) -> bool:
        """Once it is known which one stands. bubblewrap ends with the thread that started it."""
        return "wall" in self.__dict__ and (is_awaited or isinstance(self.wall, Landlocked))

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
        bounds = bounds_of(profile, self._settings)
        return replace(launch, argv=limited(launch.argv, bounds, mark=launch.mark))

    def scratch(self) -> str:
        return self._site.scratch

    def describe(self) -> dict[str, object]:
        if self.wall is None:
            return {"sandbox": NONE, "sandbox_why": self.why_none()}
        return {"sandbox": self.name}

    def explain(self, exit_code: int, output_tail: str) -> str:
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
