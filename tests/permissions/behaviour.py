"""Runs lines one by one where it stands, and prints those after which something was not as before.

Started inside a sandbox that can change nothing but one folder: see test_command_behaviour.
"""

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

LIMIT_S = 3


def snapshot(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Every path with its rights and content, and its time where it is a file.

    Not git's index: `git describe --dirty` notes there which files it has looked at.
    """
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.match(".git/index"):
            continue
        status = path.lstat()
        content = b"%d " % status.st_mtime_ns + path.read_bytes() if path.is_file() else b""
        found[str(path)] = status.st_mode, content
    return found


def run(line: str) -> bool:
    """Let bash run it."""
    with suppress(subprocess.TimeoutExpired):  # it may read for ever
        subprocess.run(
            ["bash", "--norc", "-c", line],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=LIMIT_S,
            check=False,
        )
    return False


def offered_in(mode: str) -> Callable[[str], bool]:
    """A model calls it in the real loop, where nobody says yes; was it run all the same?"""
    from ankrcode import Agent
    from ankrcode.testing import ScriptedCall, ScriptedModel, Turn

    def offer(line: str) -> bool:
        made = ScriptedCall(name="Bash", arguments={"command": line})
        agent = Agent(ScriptedModel([Turn(calls=(made,)), "done"]), cwd=Path.cwd(), mode=mode)
        answer = asyncio.run(agent.run("go"))
        agent.kit.close()
        return not answer.denials

    return offer


def main() -> None:
    """Lines as JSON in the input; a mode as the only argument, or bash itself runs them."""
    do = offered_in(sys.argv[1]) if len(sys.argv) > 1 else run
    here = Path.cwd()
    changed = {}
    before = snapshot(here)
    for line in json.load(sys.stdin):
        was_run = do(line)
        after = snapshot(here)
        if after != before or was_run:
            names = before.keys() | after
            changed[line] = sorted(one for one in names if before.get(one) != after.get(one))
            before = after
    print(json.dumps(changed))


if __name__ == "__main__":
    main()
