"""bash itself, with canaries for programs: what it runs is written down, nothing else happens."""

import shutil
import subprocess
from pathlib import Path

from permissions.shell_lines import NAMES

REAL = ("env", "nice", "timeout", "xargs", "bash", "echo")
SCRIPT = '#!/bin/sh\nprintf "%s\\n" "${0##*/}" >> "$CANARY_LOG"\n'


class Canary:
    """A folder of programs that only say that they ran."""

    def __init__(self, folder: Path) -> None:
        self.programs = folder / "bin"
        self.work = folder / "work"
        self.logs = folder / "logs"
        self.programs.mkdir()
        self.work.mkdir()
        self.logs.mkdir()
        for name in NAMES:
            (self.programs / name).write_text(SCRIPT, encoding="utf-8")
            (self.programs / name).chmod(0o755)
        for name in REAL:
            (self.programs / name).symlink_to(shutil.which(name) or f"/bin/{name}")

    def run(self, line: str, number: int) -> bool:
        """Let bash run a line; whether it could read all of it."""
        limits = "ulimit -t 5 -f 1000 2>/dev/null; "
        errors = self.logs / f"{number}.errors"
        with errors.open("wb") as stderr:
            subprocess.run(
                ["/bin/bash", "--norc", "--noprofile", "-c", limits + 'eval "$LINE"; wait'],
                env={
                    "PATH": str(self.programs),
                    "CANARY_LOG": str(self.logs / str(number)),
                    "LINE": line,
                },
                cwd=self.work,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=stderr,
                timeout=20,
                check=False,
            )
        said = errors.read_text(encoding="utf-8", errors="replace")
        return "syntax error" not in said and "unexpected" not in said

    def ran(self, number: int) -> set[str]:
        """The canaries that this line ran. Ask at the end: some run behind their line."""
        log = self.logs / str(number)
        return set(log.read_text(encoding="utf-8").split()) if log.exists() else set()
