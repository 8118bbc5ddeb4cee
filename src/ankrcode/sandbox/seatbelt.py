"""macOS: `sandbox-exec` with a profile in its own language. The last matching rule counts."""

import os
import platform
import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from msgspec.structs import replace

from ankrcode.sandbox.limits import limited
from ankrcode.sandbox.profiles import View
from ankrcode.sandbox.protected import IN_GIT, IN_GIT_RARELY, NAMES
from ankrcode.sandbox.wall import Site, releasing
from ankrcode.workspace.processes.confinement import Launch

PROGRAM = "/usr/bin/sandbox-exec"
_HEAD = """\
(version 1)
(deny default)
(allow process-exec process-fork)
(allow signal (target same-sandbox))
(allow process-info* (target same-sandbox))
(allow sysctl-read)
(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))
(allow ipc-posix-sem)
(allow pseudo-tty)
(allow file-read*)
(allow file-write-data file-ioctl (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty"))
(allow file-read* file-write* file-ioctl (literal "/dev/ptmx") (regex #"^/dev/ttys[0-9]+$"))
"""
_NETWORK = """\
(allow network*)
(allow system-socket)
(allow mach-lookup (global-name "com.apple.mDNSResponder"))
"""


class Seatbelt:
    name = "seatbelt"

    def __init__(self, site: Site) -> None:
        self._site = site

    def confined(self, launch: Launch, view: View) -> Launch:
        text = profile_text(view, self._site.scratch)
        guard = self._site.guard(view.protected.watched, missing=view.protected.unheld)
        return replace(
            launch,
            argv=(PROGRAM, "-p", text, *limited(launch.argv, view.bounds, mark=launch.mark)),
            env={**launch.env, "TMPDIR": self._site.scratch},
            release=releasing(guard.restore, *([launch.release] if launch.release else [])),
        )

    def covers(self) -> dict[str, str]:
        return {
            "writes outside": "yes",
            "attributes outside": "yes",
            "protected names": "yes",
            "keys": "yes",
            "tcp": "yes",
            "udp": "yes",
            "unix sockets": "yes",
            "other processes": "yes",
            "left-over processes": "killed as a group",
            "private temporary folder": "by TMPDIR",
            "terminals": "not covered: those of the same person can be opened",
            "system calls": "by class",
            "memory": "per process",
            "process count": "yes",
            "file size": "yes; not how much all files take together",
        }


def why_not() -> str:
    if platform.system() != "Darwin":
        return "this is not macOS"
    return "" if os.access(PROGRAM, os.X_OK) else "sandbox-exec is missing"


def profile_text(view: View, scratch: str) -> str:
    """The profile: what is allowed, then what of it is not."""
    rules = [_HEAD, _NETWORK if view.network else "", *_sight(view, scratch)]
    rules += [f'(deny file-write* (regex #"{path}"))\n' for path in protected_patterns(view)]
    rules += [f"(deny file-write* {_below(path)})\n" for path in view.protected.fixed]
    # Renaming what holds a protected name would move it out of the way.
    rules += [f"(deny file-write-unlink {_itself(path)})\n" for path in view.protected.pinned]
    return "".join(rules)


def _sight(view: View, scratch: str) -> Iterator[str]:
    """A folder before what lies in it: what is hidden may hold what is seen, and the reverse."""
    writable = {*view.writable, scratch}
    seen = {*view.tools, *view.roots, *writable}
    for path in sorted({*seen, *view.hidden}, key=lambda path: path.split("/")):
        if path not in seen:
            yield f"(deny file-read* file-write* {_below(path)})\n"
            continue
        for above in map(str, reversed(PurePosixPath(path).parents)):
            yield f"(allow file-read-metadata {_itself(above)})\n"  # the way to it
        yield f"(allow file-read* {_below(path)})\n"
        if path in writable:
            yield f"(allow file-write* {_below(path)})\n"


def protected_patterns(view: View) -> Iterator[str]:
    """By name and whatever its case: most Macs do not tell `.GIT` from `.git`."""
    for root in view.writable:
        for name in NAMES:
            yield f"^{_any_case(root)}/{_any_case(name)}($|/)"
        for name in (*IN_GIT, *IN_GIT_RARELY):
            yield f"^{_any_case(root)}/{_any_case('.git')}/{_any_case(name)}($|/)"


def _any_case(text: str) -> str:
    return "".join(
        f"[{char.lower()}{char.upper()}]" if char.lower() != char.upper() else _escaped(char)
        for char in text
    )


def _escaped(char: str) -> str:
    return '\\"' if char == '"' else re.escape(char)


def _below(path: str) -> str:
    return f"(subpath {_quoted(path)})"


def _itself(path: str) -> str:
    return f"(literal {_quoted(path)})"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
