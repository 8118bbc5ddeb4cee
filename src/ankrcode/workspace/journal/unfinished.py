"""Calls of a process that died: what they changed is found by looking at what is there now."""

import os
from pathlib import Path

from ankrcode.words import say
from ankrcode.workspace.journal.entries import Begun, Change, Listed
from ankrcode.workspace.journal.snapshot import is_owned, read_back
from ankrcode.workspace.journal.states import Caps, Capture, real
from ankrcode.workspace.journal.tree import Tree
from ankrcode.workspace.journal.way import Way


class Unfinished:
    def __init__(self, folder: Path, tree: Tree, caps: Caps) -> None:
        self._folder = folder
        self._tree = tree
        self._caps = caps

    def ended(self, begun: Begun, of_others: set[str]) -> Listed | Begun:
        """What came of it; the call itself while its process lives.

        `of_others`: paths that somebody else has changed since, and noted.
        """
        if self._is_under_way(begun):
            return begun
        changes = self._named(begun)
        partial = say("undo_interrupted") if changes else ""
        if begun.is_shell:
            found, partial = self._found(begun)
            known = of_others | {change.path for change in changes}
            changes += [change for change in found if change.path not in known]
        return Listed(entry=begun.entry(changes, partial), is_found=True)

    def _is_under_way(self, begun: Begun) -> bool:
        """A number may belong to another process by now; a lock cannot."""
        if begun.snapshot:
            return is_owned(self._folder, begun.snapshot)
        return _is_alive(begun.process)

    def _named(self, begun: Begun) -> list[Change]:
        """Of what it said that it would change, all that differs now."""
        capture = Capture(self._tree.blobs, self._caps)
        with Way() as way:
            now = {name: capture.at(real(name), way) for name in begun.before}
        return [
            Change(path=name, before=before, after=now[name])
            for name, before in begun.before.items()
            if now[name] != before
        ]

    def _found(self, begun: Begun) -> tuple[list[Change], str]:
        """Of a command: all that differs from what stood there before it."""
        before = read_back(self._folder, begun.snapshot, begun.snapshot_end)
        if not before:
            return [], say("undo_interrupted.command")
        changes, partial = self._tree.since(before, Capture(self._tree.blobs, self._caps))
        if not changes and not partial:
            return [], ""
        return changes, " ".join(filter(None, (say("undo_interrupted.found"), partial)))


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it is somebody else's
        return True
    return process > 0
