"""Which walls stand on this machine, and how to run a program behind one of them."""

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ankrcode.config.settings import SandboxSettings
from ankrcode.sandbox.choose import WALLS, Sandbox
from ankrcode.workspace.processes.processes import Outcome, Processes
from ankrcode.workspace.processes.saved import Saved

PATIENCE_S = 30.0  # a bound, never a wait
PRESENT = [name for name, (why_not, _) in WALLS.items() if not why_not()]


@dataclass(frozen=True)
class Done:
    """What came of it."""

    code: int
    text: str
    outcome: Outcome


class Runner:
    """Runs programs under one setting of the sandbox, as the product does."""

    def __init__(self, folder: Path, **settings: object) -> None:
        self.sandbox = Sandbox(SandboxSettings(**settings))  # type: ignore[arg-type]
        self.processes = Processes(Saved(str(folder / "saved")), confinement=self.sandbox)

    def __call__(
        self,
        argv: Sequence[str],
        *,
        roots: Sequence[Path],
        profile: str = "workspace-write",
        env: Mapping[str, str] | None = None,
        timeout_s: float = PATIENCE_S,
    ) -> Done:
        process = self.processes.start(
            argv,
            cwd=str(roots[0]),
            env={**os.environ, **(env or {})},
            profile=profile,
            roots=tuple(map(str, roots)),
            timeout_s=timeout_s,
        )
        assert process.wait(timeout_s + 5), "it never ended"
        outcome = process.outcome
        assert outcome is not None, "it could not be started"
        return Done(outcome.exit_code, process.output.extract().head.decode(), outcome)

    def bash(self, script: str, *, roots: Sequence[Path], profile: str = "workspace-write") -> Done:
        return self(["bash", "-c", script], roots=roots, profile=profile)

    def python(
        self, script: str, *, roots: Sequence[Path], profile: str = "workspace-write"
    ) -> Done:
        return self([sys.executable, "-I", "-c", script], roots=roots, profile=profile)
