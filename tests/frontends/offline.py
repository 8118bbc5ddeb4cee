"""A command under strace: nothing of it may leave this machine."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

from ankrcode.frontends.cli.doctor import key_variables
from frontends.command import COMMAND, environment

UNSET = dict.fromkeys(key_variables(), "")  # no key, whatever the person has
PROMPT = '{"prompt": "hello"}'


def setting(**values: object) -> None:
    """A person's own settings."""
    place = Path(os.environ["HOME"]) / ".config" / "ankrcode" / "settings.json"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps(values), encoding="utf-8")


def script(folder: Path, *turns: object) -> str:
    (folder / "turns.json").write_text(json.dumps(turns), encoding="utf-8")
    return "scripted/turns.json"


class Traced:
    """One command under strace: where it connected, and whether it asked for a name."""

    def __init__(self, folder: Path, *arguments: str, given: str = PROMPT, **env: str) -> None:
        strace = shutil.which("strace")
        assert strace is not None, "strace is missing; 'make test' installs it"
        trace = folder / "trace"
        calls = "socket,connect,sendto,sendmsg,sendmmsg"
        self.done = subprocess.run(
            [
                strace,
                "-f",
                "-qq",
                "-s",
                "200",
                "-e",
                f"trace={calls}",
                "-o",
                str(trace),
                *COMMAND,
                *arguments,
            ],
            cwd=folder,
            env=environment({**UNSET, **env}),
            input=given.encode(),
            capture_output=True,
            timeout=60,
            check=False,
        )
        self.lines = trace.read_text(encoding="utf-8", errors="replace").splitlines()

    @property
    def strangers(self) -> list[str]:
        """Whatever goes to another machine, and every question to a name server."""
        inet = [line for line in self.lines if re.search(r"sa_family=AF_INET6?\b", line)]
        away = [line for line in inet if '"127.0.0.1"' not in line and '"::1"' not in line]
        return away + [line for line in self.lines if "htons(53)" in line or "nscd" in line]
