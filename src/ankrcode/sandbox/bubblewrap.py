"""bubblewrap: namespaces of its own for users, processes, network and mounts. The full wall."""

import os
import re
import select
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache, lru_cache, partial
from pathlib import Path

from msgspec.structs import replace

from ankrcode.sandbox import seccomp, stubs
from ankrcode.sandbox.limits import limited
from ankrcode.sandbox.profiles import View
from ankrcode.sandbox.wall import Site, find_program, releasing
from ankrcode.workspace.processes.confinement import Launch
from ankrcode.workspace.roots import is_inside

_APART = (
    *("--unshare-user-try", "--unshare-ipc", "--unshare-pid", "--unshare-uts"),
    *("--unshare-cgroup-try", "--die-with-parent", "--cap-drop", "ALL"),
)
# A person's Ctrl-C is for the program: bubblewrap would end at once, and take it along.
_DEAF, _HEARING = (("/usr/bin/env", f"--{what}-signal=INT,QUIT") for what in ("ignore", "default"))
_TEMPORARY = ("/tmp", "/var/tmp")  # noqa: S108 - they are replaced by a private folder
# /run is full of sockets; of the rest, programs and name resolution need these.
_KEPT_IN_RUN = (
    *("/run/current-system", "/run/wrappers", "/run/opengl-driver"),
    *("/run/systemd/resolve", "/run/NetworkManager", "/run/resolvconf", "/run/netconfig"),
)
_CLOSED_FOLDER = ["--perms", "0500", "--dir"]
_PROBE_S = 5.0
_END_S = 1.0

# Joins the control groups, each by its file, then becomes what follows.
_JOIN = 'while [ "$1" != -- ]; do echo 0 >"$1"; shift; done 2>/dev/null; shift; exec "$@"'


class Bubblewrap:
    name = "bubblewrap"

    def __init__(self, site: Site) -> None:
        self._site = site
        self._program = find_program("bwrap")

    def confined(self, launch: Launch, view: View) -> Launch:
        protected = view.protected
        held = stubs.hold(protected.missing, protected.missing_files)
        loose = set(protected.absent).difference(held)
        guard = self._site.guard(protected.watched, missing=loose)
        env = {**launch.env, "TMPDIR": _TEMPORARY[0]}
        # Who shares a terminal could type into it, if it was not for the filter.
        stays = launch.keeps_terminal and seccomp.is_known() and can_be_deaf()
        options = [*_APART, *([] if view.network else ["--unshare-net"])]
        options += [] if stays else ["--new-session"]
        options += [*mounts(view, self._site.scratch, held), *environment(env)]
        handles: list[int] = []
        if seccomp.is_known():
            # On a terminal the program is of our own process group: it must not end that.
            filter_ = seccomp.program("internet", out_of_range=0 if stays else None)
            handles.append(_in_memory("filter", filter_))
            options += ["--seccomp", str(handles[-1])]
        info = os.memfd_create("info")
        handles.append(info)
        options += ["--info-fd", str(info), "--chdir", launch.cwd]
        # By a file: what the environment holds would else stand in the list of processes.
        handles.append(_in_memory("options", os.fsencode("\0".join((*options, "")))))
        argv = (
            *(_DEAF if stays else ()),
            self._program,
            "--args",
            str(handles[-1]),
            "--",
            *(_HEARING if stays else ()),
            *limited(launch.argv, view.bounds, mark=launch.mark),
        )
        return replace(
            launch,
            argv=(*self._joining(), *argv),
            # bwrap itself stands outside: nothing the command brings may reach it.
            env={"PATH": "/usr/bin:/bin"},
            cwd="/",
            pass_fds=(*launch.pass_fds, *handles),
            release=releasing(
                partial(_wait_for_the_end, info),
                *(partial(os.close, handle) for handle in handles),
                partial(stubs.release, held),
                guard.restore,
                *([launch.release] if launch.release else []),
            ),
        )

    def covers(self) -> dict[str, str]:
        filter_ = "yes" if seccomp.is_known() else "no filter for this machine's calls"
        group = self._site.group
        return {
            "writes outside": "yes",
            "attributes outside": "yes",
            "protected names": "yes; links and the rarer names: undone after the run",
            "keys": "yes",
            "tcp": "yes",
            "udp": "yes",
            "unix sockets": filter_,
            "other processes": "yes",
            "left-over processes": "yes",
            "private temporary folder": "yes",
            "terminals": "one of its own",
            "system calls": filter_,
            "memory": "all together" if group and "memory" in group.bounds else "per process",
            "process count": "all together" if group and "pids" in group.bounds else _counted(),
            "file size": "yes; not how much all files take together",
        }

    def _joining(self) -> tuple[str, ...]:
        group = self._site.group
        return ("/bin/sh", "-c", _JOIN, "sandbox", *group.entrances, "--") if group else ()


def _counted() -> str:
    return "yes" if os.getuid() else "no: the kernel counts none of root's"


@cache
def why_not() -> str:
    """Why it cannot be used here; empty where it can. It is tried once."""
    program = find_program("bwrap")
    if not program:
        return "bwrap is not installed"
    line = [program, *_APART, "--unshare-net", "--ro-bind", "/", "/"]
    line += ["--dev", "/dev", "--proc", "/proc", "--", "/bin/sh", "-c", ":"]
    try:
        done = subprocess.run(  # noqa: S603 - a fixed line
            line, capture_output=True, timeout=_PROBE_S, check=False, stdin=subprocess.DEVNULL,
            env={}, cwd="/",
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError) as problem:
        return str(problem)
    said = done.stderr.decode("utf-8", "replace").strip()[:200]
    return (said or f"it fails ({done.returncode})") if done.returncode else ""


@cache
def can_be_deaf() -> bool:
    """Is there an `env` that sets what signals do? It has been so since 2019."""
    try:
        done = subprocess.run((*_DEAF, *_HEARING, "true"), env={}, check=False, capture_output=True)  # noqa: S603
    except OSError:
        return False
    return done.returncode == 0


def mounts(view: View, scratch: str, held: Iterable[str]) -> list[str]:
    """What the process sees, a folder before what lies in it; the last word on a path counts."""
    table = {path: [*_CLOSED_FOLDER, path] for path in _ways(view)}
    table |= {path: _hiding(path) for path in view.hidden}
    table |= _machine(scratch)
    table |= {path: ["--ro-bind", path, path] for path in (*view.tools, *view.roots)}
    table |= {path: ["--bind", path, path] for path in (*view.writable, scratch)}
    table |= {path: ["--bind", path, path] for path in view.protected.pinned}
    table |= {path: ["--ro-bind", path, path] for path in view.protected.fixed}
    table |= {path: _hiding(path) for path in held}
    return [word for path in sorted(table, key=_parts) for word in table[path]]


def _ways(view: View) -> Iterator[str]:
    """The folders between a hidden one and what is seen in it: else they would be made writable."""
    for hidden in view.hidden:
        for path in (*view.tools, *view.roots):
            if path.startswith(f"{hidden}/"):
                above = os.path.dirname(path)  # noqa: PTH120
                while above != hidden:
                    yield above
                    above = os.path.dirname(above)  # noqa: PTH120


@lru_cache(maxsize=16)
def _machine(scratch: str) -> dict[str, list[str]]:
    """What is the same for every command."""
    table: dict[str, list[str]] = {"/": ["--ro-bind", "/", "/"]}
    table["/dev"], table["/proc"] = ["--dev", "/dev"], ["--proc", "/proc"]
    table |= {path: ["--bind", scratch, path] for path in _TEMPORARY if _is_plain(path)}
    if _is_plain("/run"):
        table["/run"] = ["--tmpfs", "/run"]
        table |= {path: ["--ro-bind", path, path] for path in _KEPT_IN_RUN if _is_plain(path)}
    return table | {path: ["--ro-bind", path, path] for path in _own_python()}


def environment(env: dict[str, str]) -> Iterator[str]:
    yield "--clearenv"
    for name, value in env.items():
        yield from ("--setenv", name, value)


def _hiding(path: str) -> list[str]:
    """Nothing in its place. A folder that is not writable costs far less than one remounted so;
    who changes its mode writes to memory that nobody else sees."""
    if os.path.isdir(path):  # noqa: PTH112
        return ["--perms", "0500", "--tmpfs", path]
    return ["--ro-bind", "/dev/null", path]


def _own_python() -> Iterator[str]:
    """The Python that runs us, where it lies in a folder that is replaced."""
    for path in {sys.prefix, sys.base_prefix}:
        if any(is_inside(path, folder) for folder in _TEMPORARY):
            yield path


def _is_plain(path: str) -> bool:
    return os.path.isdir(path) and os.path.realpath(path) == path  # noqa: PTH112


def _parts(path: str) -> list[str]:
    return path.split("/") if path != "/" else []


def _wait_for_the_end(info: int) -> None:
    """bwrap ends a moment before the last process behind its wall: wait for that one.

    The first process in there is gone only after all others: nobody can use what is taken away.
    """
    found = re.search(rb'"child-pid": (\d+)', os.pread(info, 1_000, 0))
    if not found:
        return
    with suppress(OSError):
        first = os.pidfd_open(int(found[1]))
        try:
            if _is_first(int(found[1])):
                select.select([first], [], [], _END_S)
        finally:
            os.close(first)


def _is_first(pid: int) -> bool:
    """Is it the first of its namespace? Its number may be somebody else's by now."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8", errors="replace")
    numbers = status.partition("NSpid:")[2].partition("\n")[0].split()
    return len(numbers) > 1 and numbers[-1] == "1"


def _in_memory(name: str, content: bytes) -> int:
    handle = os.memfd_create(name)
    os.write(handle, content)
    os.lseek(handle, 0, os.SEEK_SET)
    return handle
