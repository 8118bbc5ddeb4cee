"""A call as the decision sees it: which tool, with what, and which places it names."""

import os
import re
from typing import Any

from msgspec import Struct

from ankrcode.permissions.paths import walk_to
from ankrcode.permissions.rules.rules import READERS, WRITERS
from ankrcode.protocol import acts as resources
from ankrcode.protocol.acts import Acts
from ankrcode.workspace.path_text import fault_of
from ankrcode.workspace.roots import Workspace

# Which arguments of a tool are paths; what is not listed here is looked for under usual names.
_PATH_FIELDS = {
    "Move": ("source", "destination"),
    "NotebookEdit": ("notebook_path",),
    "NotebookRead": ("notebook_path",),
}
_USUAL_PATH_FIELDS = ("file_path", "path", "notebook_path")
_PATCHED = r"(?m)^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$"
# They change nothing but what the agent itself keeps in mind.
STATE_ONLY = frozenset(
    [
        *("TodoWrite", "TodoRead", "TaskOutput", "BashOutput", "Tasks", "TaskList", "TaskGet"),
        *("AskUserQuestion", "ToolSearch", "EnterPlanMode", "ExitPlanMode", "KillShell"),
        *("Help", "Say"),
    ]
)
# To begin one is nothing, but each call of theirs is judged: from outside, they may do anything.
AGENTS = frozenset(("Task", "Agent"))
# To take away what is there is asked about, whatever the rules allow.
ALWAYS_ASKED = frozenset(("Delete",))
_NETWORK = frozenset(("WebFetch", "WebSearch"))


class CallFacts(Struct, frozen=True, kw_only=True):
    """What `decide` needs to know about a call."""

    tool: str
    arguments: dict[str, Any]
    acts: Acts
    subject: str = "*"  # what a grant of this session is matched with
    exact: str = ""  # the same for calls that would do the very same

    @property
    def command(self) -> str | None:
        command = self.arguments.get("command") if self.tool == "Bash" else None
        return command if isinstance(command, str) else None

    @property
    def is_reader(self) -> bool:
        return self.tool in READERS

    @property
    def is_writer(self) -> bool:
        return self.tool in WRITERS

    def named_paths(self) -> list[str]:
        """The paths of the arguments, as written."""
        if self.tool == "ApplyPatch":
            patch = str(self.arguments.get("patch", ""))
            return [path.strip() for path in re.findall(_PATCHED, patch)]
        fields = _PATH_FIELDS.get(self.tool, _USUAL_PATH_FIELDS)
        named = [self.arguments[field] for field in fields if self.arguments.get(field)]
        pattern = self.arguments.get("pattern")
        if self.tool == "Glob" and isinstance(pattern, str) and _leads_away(pattern):
            named.append(re.split(r"/?[^/]*[*?\[{]", pattern, maxsplit=1)[0] or "/")
        found = [path for path in named if isinstance(path, str)]
        return found or (["."] if self.is_reader else [])

    def places(self, workspace: Workspace) -> list[str]:
        """Where those paths are: as named, and where they really lead."""
        places: dict[str, None] = {}
        for path in self.named_paths():
            if fault_of(path) is None:
                absolute = workspace.absolute(path)
                places[os.path.normpath(absolute)] = None
                places[walk_to(absolute).real_path] = None
        for path in (*self.acts.reads_files, *self.acts.writes_files):
            places[path] = None
        return list(places)


def facts_of(tool: str, arguments: dict[str, Any], workspace: Workspace) -> CallFacts:
    """The same for a call that no tool has seen: what it touches is told by its name."""
    call = CallFacts(tool=tool, arguments=arguments, acts=resources.UNKNOWN)
    if tool in STATE_ONLY:
        return CallFacts(tool=tool, arguments=arguments, acts=resources.NOTHING)
    if tool in _NETWORK:
        acts = Acts(reads=(resources.EVERYTHING,), connects=("*",))
        return CallFacts(tool=tool, arguments=arguments, acts=acts)
    if call.command is not None:
        return CallFacts(
            tool=tool, arguments=arguments, acts=resources.UNKNOWN, subject=call.command
        )
    named = call.named_paths()
    if not (call.is_reader or call.is_writer) or not named or any(map(fault_of, named)):
        return call
    real = tuple(resources.tree(walk_to(workspace.absolute(path)).real_path) for path in named)
    acts = Acts(reads=real) if call.is_reader else Acts(writes=real)
    return CallFacts(tool=tool, arguments=arguments, acts=acts)


def _leads_away(pattern: str) -> bool:
    return pattern.startswith(("/", "~")) or ".." in pattern.split("/")
