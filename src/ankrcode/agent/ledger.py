"""What really ran, as far as it bears on what an answer may claim: runs of programs, and writes."""

import re
from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ankrcode.agent.notes import SUMMARISED, is_note
from ankrcode.protocol.message import Message, TextPart, ToolResultPart, ToolUsePart
from ankrcode.protocol.result import ToolResult

MAX_KEPT = 500
TEXT_CHARS = 1_500  # of a run's output: its end, where runners sum up

_ENDED = re.compile(r"^Background task (\S+) \(.*\) has ended: (\w+)", re.DOTALL | re.MULTILINE)

WRITERS = frozenset(
    ("Write", "Edit", "ApplyPatch", "NotebookEdit", "Move", "Delete", "Undo", "Redo")
)
RUNNERS = frozenset(("Bash", "RunCode", "TaskOutput", "Task"))
# Ours that run nothing; a tool of somebody's own may.
_QUIET = frozenset(
    (
        *("AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "Glob", "Grep", "Help", "KillShell"),
        *("List", "Read", "Say", "TaskInput", "Tasks", "TodoRead", "TodoWrite"),
    )
)
# Text here: seldom needed, and compiled by the first use.
_TESTS = r"(?i)test|check|verif|workflow|pipeline"
_SPEAKS_OF_TESTS = r"(?i)\btests?\b|pytest|\bspecs?\b|\d (?:passed|failed)\b"
_WENT_WRONG = r"(?i)fail|error|broken"


class Ran(Struct, frozen=True, kw_only=True):
    """One call that ran to its end."""

    tool: str
    arguments: dict[str, Any]
    ok: bool = True
    exit_code: int | None = None
    text: str = ""
    task_id: str = ""  # of a run in the background: its end comes later, under this name


class Ledger:
    """The newest of them, in the order in which their results were told."""

    def __init__(self) -> None:
        self._kept: deque[Ran] = deque(maxlen=MAX_KEPT)

    @property
    def ran(self) -> Sequence[Ran]:
        return list(self._kept)

    def note(self, calls: Iterable[ToolUsePart], results: Iterable[ToolResult]) -> None:
        for call, result in zip(calls, results, strict=True):
            if is_kept(call):
                self._kept.append(ran(call, result))
            self.hear_ends(result.metadata.get("notes", ()))
            for text in result.metadata.get("hook_context", ()):
                self._hear_hook(text)

    def hear_ends(self, notes: Iterable[str]) -> None:
        """Of what ran in the background."""
        for text in notes:
            self._end_task(text)

    def take_up(self, said: Iterable[Message]) -> None:
        """From a conversation that is gone on with; what was summarised away is not known."""
        calls: dict[str, ToolUsePart] = {}
        for part in (part for message in said for part in message.parts):
            if isinstance(part, ToolUsePart):
                calls[part.id] = part
            elif isinstance(part, ToolResultPart) and part.tool_use_id in calls:
                self._take(calls.pop(part.tool_use_id), part)
            elif isinstance(part, TextPart) and SUMMARISED in part.text:
                self._kept.append(Ran(tool="Earlier", arguments={}))
            elif isinstance(part, TextPart) and is_note(part):
                self._end_task(part.text)

    def _end_task(self, text: str) -> None:
        """What ran in the background has ended, and the model was told so."""
        if found := _ENDED.search(text):
            code = int(found[2] != "completed")
            arguments = {"task_id": found[1]}
            self._kept.append(Ran(tool="TaskOutput", arguments=arguments, exit_code=code))

    def _hear_hook(self, text: str) -> None:
        """It may run the tests after each edit, and tell how they went."""
        if re.search(_SPEAKS_OF_TESTS, text):
            is_ok = re.search(_WENT_WRONG, text) is None
            self._kept.append(Ran(tool="Hook", arguments={}, ok=is_ok))

    def _take(self, call: ToolUsePart, part: ToolResultPart) -> None:
        if is_kept(call):
            code = int(part.is_error)
            result = ToolResult(text=part.text, metadata={"exit_code": code})
            self._kept.append(replace(ran(call, result), ok=not part.is_error))


def is_kept(call: ToolUsePart) -> bool:
    """A tool of somebody's own may run tests, too; its name says so, or what it is given."""
    if call.name in WRITERS or call.name in RUNNERS:
        return True
    if call.name in _QUIET:
        return False
    given = str(call.arguments)[:2_000]
    return bool(re.search(_TESTS, call.name) or re.search(_SPEAKS_OF_TESTS, given))


def ran(call: ToolUsePart, result: ToolResult) -> Ran:
    facts, error = result.metadata, result.error
    code = facts.get("exit_code")
    if code is None and error is not None:
        code = error.details.get("exit_code")
    keeps_text = call.name in RUNNERS
    return Ran(
        tool=call.name,
        arguments=call.arguments if keeps_text else _paths(call, result.value),
        ok=error is None,
        exit_code=code if isinstance(code, int) else None,
        text=result.text[-TEXT_CHARS:] if keeps_text else "",
        task_id=str(facts.get("task_id") or ""),
    )


def _paths(call: ToolUsePart, value: Any) -> dict[str, Any]:
    """What was written is large; where it was written is enough. A patch says that inside, and
    what is taken back says it afterwards. What another tool does with a path, nobody knows."""
    if call.name not in WRITERS:
        return {}
    arguments = call.arguments
    kept = {name: value for name, value in arguments.items() if "path" in name or name in _PLACES}
    patch = arguments.get("patch") or arguments.get("input")
    if isinstance(patch, str):
        kept["patch"] = "\n".join(
            line for line in patch.splitlines() if line.startswith(("***", "+++"))
        )
    for number, path in enumerate(getattr(value, "paths", ())):
        kept[f"path{number}"] = path
    return kept


_PLACES = ("source", "destination")
