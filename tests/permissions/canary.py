"""bash itself, with canaries for programs: what it runs is written down, nothing else happens."""

import shutil
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from permissions.shell_lines import NAMES

REAL = ("env", "nice", "timeout", "xargs", "bash", "echo")
SCRIPT = '#!/bin/sh\nprintf "%s\\n" "${0##*/}" >> "$CANARY_LOG"\n'
# Each line in a shell of its own, forked: to start one anew takes longer than most lines do.
LINES = r"""
ulimit -t 5 -f 1000 2>/dev/null
for log; do
  IFS= read -r -d '' LINE < "$log.line"
  (export LINE CANARY_LOG=$log; exec 2> "$log.errors"; set --; unset log; eval "$LINE"; wait)
done
"""
LINES_AT_ONCE = 50


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

    def run(self, lines: Sequence[str]) -> list[bool]:
        """Let bash run the lines; of each, whether it could read all of it."""
        logs = [str(self.logs / str(number)) for number in range(len(lines))]
        for log, line in zip(logs, lines, strict=True):
            Path(f"{log}.line").write_text(line, encoding="utf-8")
        shares = [logs[at : at + LINES_AT_ONCE] for at in range(0, len(logs), LINES_AT_ONCE)]
        with ThreadPoolExecutor(max_workers=4) as pool:  # they wait for processes
            list(pool.map(self._run, shares))
        return [self._could_be_read(log) for log in logs]

    def _run(self, logs: list[str]) -> None:
        subprocess.run(
            ["/bin/bash", "--norc", "--noprofile", "-c", LINES, "bash", *logs],
            env={"PATH": str(self.programs)},
            cwd=self.work,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=120,
            check=False,
        )

    def _could_be_read(self, log: str) -> bool:
        said = Path(f"{log}.errors").read_text(encoding="utf-8", errors="replace")
        return "syntax error" not in said and "unexpected" not in said

    def ran(self, number: int) -> set[str]:
        """The canaries that this line ran. Ask at the end: some run behind their line."""
        log = self.logs / str(number)
        return set(log.read_text(encoding="utf-8").split()) if log.exists() else set()
