"""What the project asks of whoever works in it: the files written for that, nearest last.

A folder may be a hostile checkout: nothing of this is read before the person trusts it. All of it
is bounded, each file is taken once, and what it imports must lie in the workspace.
"""

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from ankrcode.workspace.roots import Workspace, is_inside

NAMES = ("AGENTS.md", "CLAUDE.md", "ANKRCODE.md", ".ankrcode/context.md")
MAX_FILE_CHARS = 20_000
MAX_ALL_CHARS = 40_000
_SHARE = 0.9  # characters for each token of the window: about a quarter of it
MAX_IMPORT_DEPTH = 4
MAX_FILES = 50
_IMPORT = re.compile(
    r"(?:^|(?<=\s))@((?:\./|\.\./|/)?[\w][\w./ -]*?\.(?:md|mdc|txt|rst))(?=[\s.,;:)]|$)"
)
_FENCE = re.compile(r"^\s*(```|~~~)")
_CODE = re.compile(r"`[^`\n]*`")


class ProjectContext:
    """The instructions of one workspace; those of inner folders come when work gets there."""

    def __init__(
        self, workspace: Workspace, trusted: Callable[[], bool] = lambda: True, window: int = 0
    ) -> None:
        """`window`: the model's, in tokens, if that is known."""
        self._workspace = workspace
        self._is_trusted = trusted  # asked only when there is something to read
        self._taken: set[str] = set()  # real places
        self._texts: set[str] = set()
        self._looked_at: set[str] = set()
        room = round(window * _SHARE) if window > 0 else MAX_ALL_CHARS
        self._left = min(MAX_ALL_CHARS, room)
        self.later: list[str] = []  # what was told when work got there, after the beginning

    def found(self) -> bool:
        """Is there anything to read? Looks at names only."""
        return any(any(_present(folder)) for folder in self._folders())

    def text(self) -> str:
        """From the root down to where the agent is."""
        return "\n\n".join(self._of(self._folders()))

    def nearer(self, paths: Iterable[str]) -> str:
        """For files that were touched: what their own folders ask, if that was not told yet."""
        fresh = [folder for path in paths for folder in self._between(os.path.dirname(path))]  # noqa: PTH120
        folders = [folder for folder in fresh if any(_present(folder))]
        if not folders or not self._is_trusted():
            return ""
        told = list(self._of(folders))
        self.later += told
        return "\n\n".join(told)

    def _folders(self) -> list[str]:
        return self._between(self._workspace.cwd, again=True)

    def _between(self, folder: str, *, again: bool = False) -> list[str]:
        """From the root that holds it down to the folder itself; each is looked at once."""
        root = next((one for one in self._workspace.roots if is_inside(folder, one)), None)
        if root is None or (folder in self._looked_at and not again):
            return []
        steps = [folder]
        while steps[-1] != root:
            steps.append(os.path.dirname(steps[-1]))  # noqa: PTH120
        fresh = [one for one in reversed(steps) if again or one not in self._looked_at]
        self._looked_at.update(fresh)
        return fresh

    def _of(self, folders: Iterable[str]) -> Iterator[str]:
        for folder in folders:
            for file in _present(folder):
                yield from self._with_imports(file, 0)

    def _with_imports(self, file: str, depth: int) -> Iterator[str]:
        """A file under its name, then what it imports."""
        real = os.path.realpath(file)
        is_ours = any(is_inside(real, root) for root in self._workspace.roots)
        if not is_ours or real in self._taken or len(self._taken) >= MAX_FILES or self._left <= 0:
            return
        self._taken.add(real)
        text = _read(real).strip()
        if text and text not in self._texts:
            self._texts.add(text)
            yield f"## {self._name(file)}\n{self._fitted(text)}"
        if depth < MAX_IMPORT_DEPTH:
            for path in _imports(text):
                inner = os.path.join(os.path.dirname(file), path)  # noqa: PTH118, PTH120
                yield from self._with_imports(inner, depth + 1)

    def _name(self, file: str) -> str:
        return os.path.relpath(file, self._workspace.root)

    def _fitted(self, text: str) -> str:
        allowed = min(MAX_FILE_CHARS, self._left)
        self._left -= min(len(text), allowed)
        if len(text) <= allowed:
            return text
        return f"{text[:allowed]}\n[The rest is left out: it is longer than {allowed} characters.]"


def _present(folder: str) -> Iterator[str]:
    for name in NAMES:
        file = os.path.join(folder, name)  # noqa: PTH118
        if os.path.isfile(file):  # noqa: PTH113
            yield file


def _read(file: str) -> str:
    """Only a plain file: a pipe of that name would never end."""
    try:
        handle = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return ""
    with open(handle, "rb") as opened:  # noqa: PTH123
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return ""
        data = opened.read(4 * MAX_FILE_CHARS + 4)
    return "" if b"\0" in data else data.decode("utf-8-sig", "replace")  # no text, no instructions


def _imports(text: str) -> Iterator[str]:
    """`@docs/style.md` in a sentence, not in code."""
    in_code = False
    for line in text.splitlines():
        if _FENCE.match(line):
            in_code = not in_code
        elif not in_code and "@" in line:
            for found in _IMPORT.finditer(_CODE.sub("", line)):
                yield found[1]


def is_trusted(root: str | Path) -> bool:
    from ankrcode.config.trust import TrustStore  # only where there is something to read

    return TrustStore.of(os.environ).judge(root).is_trusted
