"""How much a process may use: rlimits, set by a shell that then becomes the program.

Nothing else sets them before the program's first instruction without code of ours between fork
and exec. A command that bash runs anyway sets them itself, which costs no further process.
"""

import math
import os
from collections.abc import Sequence
from functools import cache

from msgspec import Struct

_BASHES = ("/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "/run/current-system/sw/bin/bash")
_KIB_PER_MIB = 1024


class Bounds(Struct, frozen=True, kw_only=True):
    """Per process, but `processes`; 0 means no bound."""

    data_mb: int = 0  # memory it may write to
    address_mb: int = 0  # the same and all else it maps: big runtimes map far more than they use
    cpu_s: float = 0
    processes: int = 0  # beside those that run already
    file_mb: int = 0


def limited(argv: Sequence[str], bounds: Bounds, *, mark: int = 0) -> tuple[str, ...]:
    """The same program under these bounds, bearing the mark by which its descendants are known."""
    bash = bash_path()
    settings = _settings(bounds, is_bash=bool(bash))
    if not settings:
        return tuple(argv)
    settings.append("-c 0")  # a dump of its memory helps nobody here
    if mark and bash:
        settings.append(f"-S -R {mark}")
    # Where a lower bound holds already, it stays, and that is no reason to complain.
    commands = " ".join(f"ulimit {one};" for one in settings)
    commands = f"{{ {commands} }} 2>/dev/null"
    if len(argv) > 2 and argv[1] == "-c" and os.path.basename(argv[0]) == "bash":  # noqa: PTH119, PLR2004
        return (argv[0], "-c", f"{commands}; {argv[2]}", *argv[3:])
    return (bash or "/bin/sh", "-c", f'{commands}; exec "$@"', "sandbox", *argv)


@cache
def bash_path() -> str:
    """A bash of the system's own: one on the PATH might be the workspace's."""
    return next((path for path in _BASHES if os.access(path, os.X_OK)), "")


def _settings(bounds: Bounds, *, is_bash: bool) -> list[str]:
    wanted = {
        "-d": bounds.data_mb * _KIB_PER_MIB,
        "-v": bounds.address_mb * _KIB_PER_MIB,
        "-t": math.ceil(bounds.cpu_s),
        # bash counts files in KiB and knows -u; a POSIX shell counts blocks of 512 and has -p.
        "-f": bounds.file_mb * _KIB_PER_MIB * (1 if is_bash else 2),
        "-u" if is_bash else "-p": bounds.processes and bounds.processes + running_tasks(),
    }
    return [f"{flag} {number}" for flag, number in wanted.items() if number]


def running_tasks() -> int:
    """How many threads run on this machine: the kernel counts a user's against their limit."""
    try:
        handle = os.open("/proc/loadavg", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return 0
    try:
        return int(os.read(handle, 100).split()[3].partition(b"/")[2])
    finally:
        os.close(handle)
