"""git in one folder, deaf to what the repository's own settings would make it run."""

import asyncio
import os
import shlex

from ankrcode.errors import ErrorCode, ToolError
from ankrcode.tooling.repository import deaf_command
from ankrcode.workspace.processes.processes import Processes
from ankrcode.workspace.processes.saved import Saved

_LIMIT_S = 120.0
_MAX_SAID = 400
# What `git rev-parse --local-env-vars` lists.
_OF_A_REPOSITORY = frozenset(
    [
        *("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY"),
        *("GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_PREFIX", "GIT_GRAFT_FILE", "GIT_SHALLOW_FILE"),
        *("GIT_IMPLICIT_WORK_TREE", "GIT_NO_REPLACE_OBJECTS", "GIT_REPLACE_REF_BASE"),
        *("GIT_CONFIG", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT", "GIT_NAMESPACE"),
    ]
)
_MAX_LISTED_BYTES = 64 * 1024 * 1024


class Git:
    def __init__(self, folder: str, processes: Processes) -> None:
        self.folder = folder
        self._processes = processes

    def at(self, folder: str) -> "Git":
        return Git(folder, self._processes)

    async def answer(self, *words: str) -> str:
        """What it says; nothing where it fails."""
        code, said, _ = await self._run(words)
        return os.fsdecode(said).removesuffix("\n") if code == 0 else ""

    async def do(self, *words: str, given: bytes = b"") -> str:
        """The same, but a failure is one. `given` is its input."""
        code, said, complaint = await self._run(words, given)
        if code != 0:
            raise _failed(complaint or f"exit code {code}")
        return os.fsdecode(said).removesuffix("\n")

    async def listed(self, *words: str) -> list[bytes]:
        """What it lists with `-z`, as bytes: a name may be any."""
        code, said, complaint = await self._run(words)
        if code != 0:
            raise _failed(complaint or f"exit code {code}")
        return said.split(b"\0")[:-1]

    async def home(self) -> str:
        """Git's own folder of the repository, the same from each of its worktrees."""
        told = await self.do("rev-parse", "--git-common-dir")
        return _real(self.folder, told)

    async def tip(self, branch: str) -> str:
        """Its last commit; empty where there is none."""
        return await self.answer("rev-parse", "--verify", "--quiet", f"refs/heads/{branch}")

    def _environment(self) -> dict[str, str]:
        """Which repository it is, the folder says: a hook of git may have set it otherwise."""
        given = self._processes.environment()
        return {name: value for name, value in given.items() if name not in _OF_A_REPOSITORY}

    async def _run(self, words: tuple[str, ...], given: bytes = b"") -> tuple[int, bytes, str]:
        line = shlex.join(("git", *words))
        line = await asyncio.to_thread(deaf_command, line, [self.folder], self._processes)
        # Names are no output that anybody reads: they are kept apart, and nothing is taken out.
        saved = Saved(self._processes.saved.folder, max_bytes=_MAX_LISTED_BYTES)
        try:
            process = self._processes.start(
                shlex.split(line),
                cwd=self.folder,
                env=self._environment(),
                timeout_s=_LIMIT_S,
                splits=True,
                given=given,
                saved=saved,
            )
            outcome = await process.finished()
        except (OSError, ValueError) as problem:
            return 127, b"", str(problem)
        whole = process.output.extract(most=max(1, process.output.total))
        complaint = process.errors.extract().head.decode(errors="replace").strip()
        for output in (process.output, process.errors):
            output.discard()
        if whole.skipped:
            return 127, b"", "it lists more than can be looked at"
        return outcome.exit_code, whole.head, complaint[:_MAX_SAID]


def _real(folder: str, path: str) -> str:
    return os.path.realpath(os.path.join(folder, path))  # noqa: PTH118


def _failed(why: str) -> ToolError:
    return ToolError.of("worktree_failed", why=why).coded(ErrorCode.EXECUTION_ERROR)
