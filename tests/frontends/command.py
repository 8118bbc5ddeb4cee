"""The real command line in a process of its own: run once, or spoken with line by line."""

import json
import os
import select
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from frontends.warm import Ended, of_python, warm

COMMAND = [sys.executable, "-P", "-m", "ankrcode"]
PATIENCE_S = 20.0  # a bound, never a wait: what takes this long is broken

Done = subprocess.CompletedProcess[str]


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The test's own environment; help texts have 80 columns whatever the terminal is."""
    return {**os.environ, "COLUMNS": "80", **(extra or {})}


def ankrcode(
    *arguments: str | Path,
    cwd: Path,
    given: str | bytes = b"",
    env: Mapping[str, str] | None = None,
) -> Done:
    """Run the command to its end with this input."""
    words = [str(argument) for argument in arguments]
    written = given.encode() if isinstance(given, str) else given
    around = environment(env)
    if of_python(around) == warm().env:
        done = warm().run(words, cwd, around, written, PATIENCE_S)
    else:
        done = started_anew(words, cwd, around, written)
    text = subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )
    assert "Traceback" not in text.stderr, text.stderr
    return text


def started_anew(words: list[str], cwd: Path, env: Mapping[str, str], given: bytes) -> Ended:
    """The same with a Python of its own."""
    return subprocess.run(
        [*COMMAND, *words],
        cwd=cwd,
        input=given,
        env=env,
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
    )


def answers(done: Done) -> list[dict[str, Any]]:
    """Each line of output as JSON."""
    return [json.loads(line) for line in done.stdout.split("\n") if line]


class Batch:
    """`ankrcode exec --batch`, spoken with through pipes."""

    def __init__(self, cwd: Path, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [*COMMAND, "exec", "--batch", *arguments],
            cwd=cwd,
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    def send(self, line: bytes | str | dict[str, Any]) -> None:
        assert self.process.stdin is not None
        text = json.dumps(line) if isinstance(line, dict) else line
        self.process.stdin.write((text.encode() if isinstance(text, str) else text) + b"\n")

    def receive(self) -> dict[str, Any]:
        """The next answer, which must come while our end of the input is still open."""
        assert self.process.stdout is not None
        ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE_S)
        assert ready, "no answer came"
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answer

    def ask(self, line: bytes | str | dict[str, Any]) -> dict[str, Any]:
        self.send(line)
        return self.receive()

    def end(self) -> tuple[int, str]:
        """Close the input; the exit code, and what stood on standard error."""
        _, said = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode, said.decode()
