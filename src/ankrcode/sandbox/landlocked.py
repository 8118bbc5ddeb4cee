"""Landlock and a filter of system calls: the wall where bubblewrap is missing.

No process and no program more: a thread is restricted, and what it starts inherits that.
"""

import os
from collections.abc import Iterable
from functools import partial
from threading import get_native_id

from msgspec.structs import replace

from ankrcode.sandbox import landlock, seccomp
from ankrcode.sandbox.guard import identity
from ankrcode.sandbox.kept import Kept
from ankrcode.sandbox.landlock import DEVICES, MIN_ABI, SIGNALS_ABI, Ruleset
from ankrcode.sandbox.limits import limited
from ankrcode.sandbox.profiles import View
from ankrcode.sandbox.seccomp import Network
from ankrcode.sandbox.system import drop_capabilities, forbid_new_privileges, hide_memory
from ankrcode.sandbox.wall import Site, releasing
from ankrcode.workspace.processes.confinement import Launch
from ankrcode.workspace.roots import is_inside


class Landlocked:
    name = "landlock"

    def __init__(self, site: Site) -> None:
        self._site = site
        self._rulesets: Kept[Ruleset] = Kept()

    def confined(self, launch: Launch, view: View) -> Launch:
        ruleset = self._ruleset(view)
        protected = view.protected
        guard = self._site.guard(
            (*protected.fixed, *protected.watched),
            missing=protected.absent,
            pinned=protected.pinned,
        )
        network: Network = "internet" if view.network else "none"
        return replace(
            launch,
            argv=limited(launch.argv, view.bounds, mark=launch.mark),
            env={**launch.env, "TMPDIR": self._site.scratch},
            restrict=partial(self._restrict, ruleset, network),
            release=releasing(guard.restore, *([launch.release] if launch.release else [])),
        )

    def covers(self) -> dict[str, str]:
        abi = landlock.abi()
        filter_ = "yes" if seccomp.is_known() else "no: no filter for this machine's calls"
        group = self._site.group
        return {
            "writes outside": "yes",
            "attributes outside": "no: mode, time and flags of your own files can be changed",
            "protected names": "undone after the run",
            "keys": "their content; their names can be listed",
            "tcp": "yes" if seccomp.is_known() or abi >= landlock.TCP_ABI else filter_,
            "udp": filter_,
            "unix sockets": filter_,
            "other processes": (
                "yes; their command lines can be read, their priority changed"
                if abi >= SIGNALS_ABI
                else "reading them; not signals"
            ),
            "left-over processes": "killed, unless they drop the mark they bear",
            "private temporary folder": "by TMPDIR; /tmp can be read, but not by code",
            "terminals": "none can be opened but its own",
            "system calls": filter_,
            "memory": "all together" if group and "memory" in group.bounds else "per process",
            "process count": _counted(self._site),
            "file size": "yes; not how much all files take together",
        }

    def _restrict(self, ruleset: Ruleset, network: Network) -> None:
        """In the thread that then starts the program.

        For a moment both are behind the same wall, where they could reach each other: so the
        thread, and with it all of us, must be out of the program's sight and out of its range.
        """
        hide_memory()
        if self._site.group is not None:
            self._site.group.enter_thread()
        drop_capabilities()
        forbid_new_privileges()
        ruleset.enter()
        if seccomp.is_known():
            seccomp.install(network, out_of_range=get_native_id())

    def _ruleset(self, view: View) -> Ruleset:
        """The last one fits mostly: it is built anew when a folder on the way has changed."""
        granted = (*view.roots, *view.writable, self._site.scratch)
        # A folder that was replaced by another of its name is another folder.
        key = (view.network, view.hidden, bool(view.writable), granted, *map(identity, granted))
        return self._rulesets.get(
            key, lambda: (self._build(view), landlock.split_folders(view.hidden))
        )

    def _build(self, view: View) -> Ruleset:
        ruleset = Ruleset(network=view.network)
        ruleset.allow_listing("/")
        for top in ("/", *view.tools, *view.roots):
            for path in landlock.around(_unless_above(top, view.hidden), top):
                ruleset.allow_reading(path)
        for top in (*view.writable, self._site.scratch):
            for path in landlock.around(_unless_above(top, view.hidden), top):
                ruleset.allow_writing(path)
        for name in DEVICES:
            ruleset.allow_device(f"/dev/{name}")
        return ruleset


def _unless_above(top: str, hidden: Iterable[str]) -> tuple[str, ...]:
    """A root inside a hidden folder was chosen by the person: it is seen all the same."""
    return tuple(path for path in hidden if not is_inside(top, path))


def _counted(site: Site) -> str:
    if site.group and "pids" in site.group.bounds:
        return "all together"
    return "yes" if os.getuid() else "no: the kernel counts none of root's"


def why_not() -> str:
    """Why it cannot be used here; empty where it can."""
    abi = landlock.abi()
    if not abi:
        return "the kernel has no Landlock"
    return f"Landlock here has version {abi}; {MIN_ABI} is needed" if abi < MIN_ABI else ""
