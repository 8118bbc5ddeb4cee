"""What a sentence may ask about the workspace: names, patterns, and how tests are run."""

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from ankrcode.errors import ToolError
from ankrcode.workspace.programs import program_on
from ankrcode.workspace.roots import Workspace

_LOOKED_AT = 5_000  # names in a workspace, before a bare name is no longer looked for
_FOUND = 5
_MATCHED = 1_000
_SKIPPED = frozenset(("node_modules", "__pycache__", "target", "dist", "build", "venv"))
_PYTHON_SIGNS = ("pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", "tox.ini", "conftest.py")
_OWN_PYTHON = ".venv/bin/python"
_RUNNERS = {
    "package.json": "npm test",
    "Cargo.toml": "cargo test",
    "go.mod": "go test ./...",
    "pom.xml": "mvn -q test",
    "build.gradle": "gradle test",
}


class WorkspacePlace:
    """Looks only into the workspace, and only so far; never at what lies outside."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def is_file(self, path: str) -> bool:
        place = self._at(path)
        return place is not None and os.path.isfile(place)  # noqa: PTH113

    def is_folder(self, path: str) -> bool:
        place = self._at(path)
        return place is not None and os.path.isdir(place)  # noqa: PTH112

    def named(self, name: str) -> tuple[str, ...]:
        wanted = name.casefold()
        fitting = (
            path
            for path in islice(self._walk(), _LOOKED_AT)
            if wanted in (os.path.basename(path).casefold(), Path(path).stem.casefold())  # noqa: PTH119
        )
        return tuple(islice(fitting, _FOUND))

    def matching(self, glob: str) -> tuple[str, ...]:
        if os.path.isabs(glob) or ".." in glob.split("/"):  # noqa: PTH117
            return ()
        try:
            found = islice(Path(self._workspace.cwd).glob(glob), _MATCHED + 1)
            paths = sorted(os.path.relpath(one, self._workspace.cwd) for one in found)
        except (ValueError, OSError, NotImplementedError):
            return ()
        return tuple(paths) if len(paths) <= _MATCHED else ()

    def test_command(self) -> str:
        """By the files that projects have; empty for pytest as everybody runs it."""
        if self._is_python():
            python = self._python()
            if python == _OWN_PYTHON and not self._has_pytest() and self._has_make_target("test"):
                return "make test"  # it knows how to get what is missing
            return "" if python == "python" else f"{python} -m pytest -q"
        for sign, command in _RUNNERS.items():
            if self.is_file(sign):
                return command
        return "make test" if self._has_make_target("test") else ""

    def _is_python(self) -> bool:
        return any(map(self.is_file, _PYTHON_SIGNS)) or bool(self.matching("tests/*.py"))

    def _python(self) -> str:
        """The project's own where it has one; else what the machine calls it."""
        if os.access(self._workspace.absolute(_OWN_PYTHON), os.X_OK):
            return _OWN_PYTHON
        return "python" if program_on("python") or not program_on("python3") else "python3"

    def _has_pytest(self) -> bool:
        """In the project's own environment."""
        return bool(self.matching(".venv/lib/python*/site-packages/pytest"))

    def _has_make_target(self, target: str) -> bool:
        makefile = self._at("Makefile")
        if makefile is None or not self.is_file("Makefile"):
            return False
        try:
            text = Path(makefile).read_text(encoding="utf-8", errors="replace")[:200_000]
        except OSError:
            return False
        return any(line.startswith(f"{target}:") for line in text.splitlines())

    def _at(self, path: str) -> str | None:
        """The place inside the workspace; None for one beyond it."""
        try:
            place = self._workspace.resolve(path)
        except ToolError:  # no path at all
            return None
        return place if self._workspace.contains(place) else None

    def _walk(self) -> Iterator[str]:
        cwd = self._workspace.cwd
        for folder, names, files in os.walk(cwd):
            names[:] = sorted(n for n in names if not n.startswith(".") and n not in _SKIPPED)
            for file in sorted(files):
                yield os.path.relpath(os.path.join(folder, file), cwd)  # noqa: PTH118
