"""Nothing outlives its owner, even if the owner is killed and can do nothing any more.

A small shell beside us holds the other end of a pipe. As long as we live it is told which marks
(see descendants.py) are ours; when the pipe ends without our taking them back, it ends whoever
bears one. It runs only while something long runs.
"""

import os
import subprocess
import threading
from _thread import start_new_thread
from contextlib import suppress

from ankrcode.workspace.processes.descendants import SPAWNING

_PROGRAMS = ("/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash")
_PATIENCE_S = 1.0

# Twice, for those that were about to start another process.
_SCRIPT = r"""
declare -A ours
while read -r sign mark; do
  if [[ $sign == + ]]; then ours[$mark]=1; else unset "ours[$mark]"; fi
done
for _ in 1 2; do
  [[ ${#ours[@]} == 0 ]] && exit
  for folder in /proc/[0-9]*; do
    while read -r one two three mark _; do
      if [[ "$one $two $three" == "Max realtime timeout" && ${ours[$mark]} ]]; then
        kill -KILL "${folder#/proc/}"
      fi
    done <"$folder/limits"
  done
done
"""


class Guardian:
    """One for the whole program."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._marks: set[int] = set()
        self._shell: subprocess.Popen[bytes] | None = None

    def watch(self, mark: int) -> None:
        """From now on, whoever bears this mark ends with us."""
        with self._lock, suppress(OSError):
            if self._shell is None:
                self._shell = _started()
            self._marks.add(mark)
            self._tell(f"+ {mark}\n")

    def release(self, mark: int) -> None:
        """Nobody bears it any more."""
        with self._lock, suppress(OSError):
            if mark not in self._marks:
                return
            self._marks.discard(mark)
            self._tell(f"- {mark}\n")
            if not self._marks:
                self._dismiss()

    def _tell(self, line: str) -> None:
        assert self._shell is not None
        assert self._shell.stdin is not None
        self._shell.stdin.write(line.encode())

    def _dismiss(self) -> None:
        """Whoever waits for the command does not wait for that."""
        shell, self._shell = self._shell, None
        assert shell is not None
        start_new_thread(_ended, (shell,))


def _ended(shell: "subprocess.Popen[bytes]") -> None:
    try:
        shell.communicate(timeout=_PATIENCE_S)
    except (subprocess.TimeoutExpired, OSError):
        shell.kill()
        shell.wait()


def _started() -> "subprocess.Popen[bytes]":
    program = next((path for path in _PROGRAMS if os.access(path, os.X_OK)), _PROGRAMS[0])
    with SPAWNING:
        return subprocess.Popen(  # noqa: S603 - a fixed script
            [program, "-c", _SCRIPT],
            env={"PATH": os.defpath},
            cwd="/",
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            start_new_session=True,  # a Ctrl-C at the terminal is not meant for it
        )


GUARDIAN = Guardian()
