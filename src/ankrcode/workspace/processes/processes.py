"""Processes: started in a session of their own, read while they run, ended with all they began.

    process = processes.start(["make"], cwd="/src", timeout_s=60)
    outcome = await process.finished()
    process.output.extract()

Each process has a thread, so it depends on no event loop. Nothing outlives its owner: `close`, the
end of the owner, and the end of this program stop everything that still runs.
"""

import os
import time
import weakref
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache

from ankrcode.errors import ErrorCode, ToolError
from ankrcode.workspace.processes.confinement import Confinement, Launch, NoConfinement
from ankrcode.workspace.processes.descendants import new_mark
from ankrcode.workspace.processes.environment import Environment
from ankrcode.workspace.processes.outcome import Outcome
from ankrcode.workspace.processes.process import Process
from ankrcode.workspace.processes.saved import Saved
from ankrcode.workspace.processes.spawn import Pipes
from ankrcode.workspace.programs import program_on

__all__ = ["Confinement", "Launch", "NoConfinement", "Outcome", "Process", "Processes"]

MAX_COMMAND_BYTES = 128 * 1024 - 1  # the system takes no longer argument
_CLOSE_WITHIN_S = 2.0
_UNASKED = "limits"  # how commands run that were proved to read only
_WITHOUT_WALL = ("open", _UNASKED)
_PROFILE_S = 10.0

# The current directory goes to a descriptor of its own, never through what the command prints,
# and every descendant inherits the mark (see descendants.py). The command is evaluated, not
# pasted in, so that its faults are reported with its own text and lines. Where it ended is told
# twice: the command may leave by `exit`, and it may have a trap of its own. Neither shows, though
# the command may have asked to see all that the shell does.
_SHELL = (
    "_ankrcode() {{ local code=$?; set +vxT; "
    "{{ builtin pwd -P; builtin printf '\\0'; }} >&{record}; return $code; }}; "
    'trap "{{ _ankrcode; }} >/dev/null 2>&1" EXIT; '
    "ulimit -S -R {mark} 2>/dev/null; _ankrcode=$1; shift; "
    'eval -- "$_ankrcode"; {{ _ankrcode; }} >/dev/null 2>&1'
)


class Processes:
    """What one owner has running."""

    def __init__(
        self,
        saved: Saved,
        *,
        confinement: Confinement | None = None,
        environment: Environment | None = None,
    ) -> None:
        self.saved = saved
        self.confinement = confinement or NoConfinement()
        self._environment = environment or Environment(os.environ)
        self._running: set[Process] = set()
        weakref.finalize(self, _stop_all, self._running)  # forgotten, or the program ends

    @property
    def running(self) -> tuple[Process, ...]:
        return tuple(self._running)

    def environment(self) -> dict[str, str]:
        """The variables that commands see."""
        return dict(self._environment())

    @property
    def wants_profile(self) -> bool:
        return self._environment.reads_profile

    def read_profile(self) -> bool:
        """Take over what the login shell sets up. It may take seconds: call it in a thread."""
        return self._environment.read_profile(self._printed)

    def _printed(self, argv: list[str]) -> str:
        """What a program printed: whole and in clear, but nowhere on a disk."""
        process = self.start(
            argv,
            cwd="/",
            env=self._environment.base,
            timeout_s=_PROFILE_S,
            splits=True,
            saved=Saved(""),
        )
        process.wait(2 * _PROFILE_S)
        printed = process.output.extract()
        return (printed.head + printed.tail).decode(errors="surrogateescape")

    def start(
        self,
        argv: Iterable[str],
        *,
        cwd: str,
        env: Mapping[str, str] | None = None,
        profile: str = "open",
        roots: tuple[str, ...] = (),
        timeout_s: float | None = None,
        splits: bool = False,
        takes_input: bool = False,
        given: bytes = b"",
        told: Callable[[str], None] | None = None,
        saved: Saved | None = None,
    ) -> Process:
        """Start a program. `splits`: stderr apart from stdout; `told`: hears output as it comes.

        `given`: all of its input; `saved`: its output is kept elsewhere than that of others.
        """
        mark = new_mark()
        launch = Launch(
            argv=tuple(argv),
            env=dict(env) if env is not None else self.environment(),
            cwd=cwd,
            mark=mark,
        )
        pipes = Pipes(splits=splits, takes_input=takes_input, given=given)
        process = Process(pipes, saved or self.saved, mark=mark, timeout_s=timeout_s, told=told)
        return self._begun(process, launch, profile, roots)

    def shell(
        self,
        command: str,
        *,
        cwd: str,
        profile: str = "open",
        roots: tuple[str, ...] = (),
        timeout_s: float | None = None,
        takes_input: bool = False,
        told: Callable[[str], None] | None = None,
        is_awaited: bool = False,
    ) -> Process:
        """Start a bash command; its outcome tells in which directory it ended.

        `is_awaited`: the running loop waits for its end now, and lasts as long.
        """
        env = self.environment()
        if profile == _UNASKED:  # nobody said yes: no program of the folder stands in for `ls`
            env = env | {"PATH": _outside(env.get("PATH", os.defpath), roots)}
        bash = _bash_on(env.get("PATH", os.defpath))
        pipes = Pipes(splits=False, takes_input=takes_input)
        mark = new_mark()
        script = _SHELL.format(record=pipes.recorder, mark=mark)
        launch = Launch(
            argv=(bash, "-c", script, "bash", command),
            env=env,
            cwd=cwd,
            pass_fds=(pipes.recorder,),
        )
        process = Process(pipes, self.saved, mark=mark, timeout_s=timeout_s, told=told)
        process.is_lasting = not is_awaited
        return self._begun(process, launch, profile, roots, is_awaited=is_awaited)

    def _begun(
        self,
        process: Process,
        launch: Launch,
        profile: str,
        roots: tuple[str, ...],
        *,
        is_awaited: bool = False,
    ) -> Process:
        running, wall = self._running, self.confinement
        running.add(process)
        process.on_end(lambda: running.discard(process))
        process.begin(
            lambda: wall.confine(launch, profile, roots),
            is_quick=profile in _WITHOUT_WALL or wall.is_quick(is_awaited=is_awaited),
            is_awaited=is_awaited,
        )
        return process

    def close(self) -> None:
        """Stop everything that still runs."""
        _stop_all(self._running)


@lru_cache(maxsize=16)
def _outside(path: str, roots: tuple[str, ...]) -> str:
    """The places of a PATH that do not lie in the workspace."""
    inside = tuple(os.path.realpath(root).rstrip("/") + "/" for root in roots)
    places = [p for p in path.split(":") if not f"{os.path.realpath(p)}/".startswith(inside)]
    return ":".join(places)  # where none is left, there is no bash either


@lru_cache(maxsize=16)
def _bash_on(path: str) -> str:
    if found := program_on("bash", path):
        return found
    raise ToolError.of("bash_missing").coded(ErrorCode.EXECUTION_ERROR)


def _stop_all(running: set[Process]) -> None:
    stopping = tuple(running)
    for process in stopping:
        process.stop(at_once=True)
    until = time.monotonic() + _CLOSE_WITHIN_S
    for process in stopping:
        process.wait(max(0.0, until - time.monotonic()))
