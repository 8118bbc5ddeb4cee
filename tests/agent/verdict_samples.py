"""Calls of every built-in tool, and a place where each of them can be made.

What they should come to is not said here: whoever tries them compares what is said with what
happens.
"""

import os
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ankrcode import Toolkit
from ankrcode.config.loaded import load_settings
from ankrcode.config.paths import project_file
from ankrcode.config.trust import TrustStore
from ankrcode.permissions.rules.layers import rules_of_layers
from ankrcode.workspace.roots import Workspace

NOTEBOOK = (
    '{"cells": [{"cell_type": "code", "execution_count": null, "id": "c1", "metadata": {},'
    ' "outputs": [], "source": "1"}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'
)
OPTIONS = [{"label": "a", "description": "x"}, {"label": "b", "description": "y"}]
QUESTION = {"question": "q?", "header": "h", "options": OPTIONS}
ORDER = {"description": "d", "prompt": "p", "subagent_type": "explore"}
CELL = {"notebook_path": "n.ipynb", "cell_id": "c1", "new_source": "2"}


def patch(*lines: str) -> dict[str, str]:
    return {"patch": "\n".join(["*** Begin Patch", *lines, "*** End Patch"])}


class Sample(NamedTuple):
    tool: str
    arguments: dict[str, Any]
    writes: bool = False  # where it runs, something is not as before

    @property
    def label(self) -> str:
        return f"{self.tool} {self.arguments}"[:80]


READS = [
    Sample("Read", {"file_path": "a.txt"}),
    Sample("Read", {"file_path": "../outside/o.txt"}),
    Sample("Read", {"file_path": "missing.txt"}),
    Sample("Glob", {"pattern": "*"}),
    Sample("Grep", {"pattern": "one"}),
    Sample("Grep", {"pattern": "one", "path": "../outside"}),
    Sample("List", {"path": "."}),
    Sample("List", {"path": "../outside"}),
    Sample("Bash", {"command": "ls -la"}),
    Sample("Bash", {"command": "cat a.txt | wc -l"}),
    Sample("Bash", {"command": "cat ../outside/o.txt"}),
    Sample("Bash", {"command": "cat .env"}),
]
WRITES = [
    Sample("Write", {"file_path": "new.txt", "content": "x"}, writes=True),
    Sample("Write", {"file_path": "a.txt", "content": "x"}, writes=True),
    Sample("Write", {"file_path": "../outside/new.txt", "content": "x"}, writes=True),
    Sample("Write", {"file_path": ".git/hooks/pre-commit", "content": "x"}, writes=True),
    Sample("Write", {"file_path": "link.txt", "content": "x"}, writes=True),
    Sample("Edit", {"file_path": "a.txt", "old_string": "one", "new_string": "1"}, writes=True),
    Sample("ApplyPatch", patch("*** Add File: p.txt", "+x"), writes=True),
    Sample("ApplyPatch", patch("*** Update File: a.txt", "@@", "-one", "+1"), writes=True),
    Sample("ApplyPatch", patch("*** Delete File: a.txt"), writes=True),
    Sample("ApplyPatch", patch("*** Add File: p", "+x", "*** Delete File: b.txt"), writes=True),
    Sample("NotebookEdit", CELL, writes=True),
    Sample("Move", {"source": "a.txt", "destination": "m.txt"}, writes=True),
    Sample("Move", {"source": "a.txt", "destination": "b.txt", "overwrite": True}, writes=True),
    Sample("Move", {"source": "a.txt", "destination": "../outside/m.txt"}, writes=True),
    Sample("Delete", {"path": "a.txt"}, writes=True),
    Sample("Delete", {"path": "sub", "recursive": True}, writes=True),
    Sample("Delete", {"path": "../outside/o.txt"}, writes=True),
    Sample("Undo", {}, writes=True),
    Sample("Undo", {"preview": True}),
    Sample("Redo", {}, writes=True),
    Sample("Redo", {"preview": True}),
]
RUNS = [
    Sample("Bash", {"command": "touch new.txt"}, writes=True),
    Sample("Bash", {"command": "echo x > new.txt"}, writes=True),
    Sample("Bash", {"command": "rm a.txt"}, writes=True),
    Sample("Bash", {"command": "sed -i s/one/two/ a.txt"}, writes=True),
    Sample("Bash", {"command": "ls", "dangerously_disable_sandbox": True}),
    Sample("Bash", {"command": "touch new.txt", "dangerously_disable_sandbox": True}, writes=True),
    Sample("Bash", {"command": "ankrcode trust add ."}),
    Sample("RunCode", {"language": "python", "code": "print(1)"}),
    Sample("TaskInput", {"task_id": "none", "text": "x"}),
    Sample("KillShell", {"shell_id": "none"}),
    Sample("TaskOutput", {"task_id": "none"}),
    Sample("Tasks", {}),
    Sample("Task", ORDER),
    Sample("Task", ORDER | {"subagent_type": "code"}),
    Sample("Task", ORDER | {"isolation": "worktree"}),
]
TALKS = [
    Sample("TodoRead", {}),
    Sample("TodoWrite", {"todos": [{"content": "c", "status": "pending"}]}),
    Sample("AskUserQuestion", {"questions": [QUESTION]}),
    Sample("EnterPlanMode", {}),
    Sample("ExitPlanMode", {}),
    Sample("Help", {}),
    Sample("Say", {"text": "x"}),
]
BROKEN = [
    Sample("Read", {}),
    Sample("Write", {"file_path": 5}),
    Sample("Bash", {"command": ""}),
    Sample("Read", {"file_path": "a\0b"}),
    Sample("Undo", {"id": "nothing"}),
    Sample("Frobnicate", {}),
]
SAMPLES = [*READS, *WRITES, *RUNS, *TALKS]

RANK = {"allow": 0, "ask": 1, "deny": 2}

# Each list of rules as a settings file has it.
RULES: dict[str, dict[str, list[str]]] = {
    "none": {},
    "allow": {
        "allow": [
            *("Bash", "Write", "Edit", "Delete", "Move", "ApplyPatch", "NotebookEdit", "Read"),
            *("RunCode", "Undo", "Redo", "Task", "TaskInput"),
        ]
    },
    "ask": {"ask": ["Bash(ls:*)", "Read(a.txt)", "Edit", "RunCode", "Task", "Undo", "Say"]},
    "deny": {"deny": ["Bash(touch:*)", "Read(/sub/**)", "Edit(a.txt)", "Task(code)", "Tasks"]},
    "mixed": {
        "allow": ["Bash(touch:*)", "Edit(/new.txt)", "Task(explore)", "Read(//**)"],
        "ask": ["Write(/new.txt)", "Glob"],
        "deny": ["Delete", "Bash(rm:*)", "KillShell"],
    },
}


class Place:
    """One workspace with something beside it, and an agent that works there as `-p` would."""

    def __init__(
        self,
        folder: Path,
        mode: str,
        rules: dict[str, list[str]] | None = None,
        *,
        trusted: bool = True,
    ) -> None:
        self.folder, self.mode = folder, mode
        self.work, self.outside = folder / "work", folder / "outside"
        for one in (self.work / "sub", self.work / ".git" / "hooks", self.outside):
            one.mkdir(parents=True)
        texts = {"work/a.txt": "one\n", "work/b.txt": "two\n", "work/sub/c.txt": "three\n"}
        texts |= {"outside/o.txt": "four\n", "work/n.ipynb": NOTEBOOK, "work/.env": "A=b\n"}
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
        (self.work / "link.txt").symlink_to("../outside/linked.txt")
        if rules is not None:
            file = project_file(self.work)
            file.parent.mkdir()
            file.write_bytes(msgspec.json.encode({"permissions": rules}))
        if trusted:
            TrustStore.of(os.environ).add(self.work)

    def toolkit(self, **more: Any) -> Toolkit:
        loaded = load_settings(self.work, environ=os.environ)
        rules, _ = rules_of_layers(loaded.rules, Workspace((self.work,)))
        settings = loaded.settings
        return Toolkit(cwd=self.work, mode=self.mode, settings=settings, rules=rules, **more)

    def snapshot(self) -> dict[str, bytes]:
        found = [*self.work.rglob("*"), *self.outside.rglob("*")]
        return {
            str(one): bytes(one.readlink()) if one.is_symlink() else one.read_bytes()
            for one in found
            if one.is_symlink() or one.is_file()
        }

    async def prepare(self, kit: Toolkit, tool: str) -> None:
        """What must have happened before such a call makes sense, done by somebody who may."""
        if tool not in ("Undo", "Redo", "Write", "Edit", "NotebookEdit", "ApplyPatch"):
            return
        free = Toolkit(cwd=self.work, mode="bypass")
        if tool in ("Undo", "Redo"):
            assert (await free.call("Write", file_path="u.txt", content="x")).ok
        if tool == "Redo":
            assert (await free.call("Undo")).ok
        for name in ("a.txt", "b.txt", "n.ipynb"):
            assert (await free.call("Read", file_path=name)).ok
        free.close()
        kit.agent.reads = free.agent.reads
