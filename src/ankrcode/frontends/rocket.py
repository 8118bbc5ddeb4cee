"""RocketLang at work: sentences become calls of a toolkit, through the pipeline of all calls."""

import os
from collections.abc import Callable
from typing import Any

import msgspec

from ankrcode.app import Toolkit
from ankrcode.config.limits import BASH_MAX_TIMEOUT_MS
from ankrcode.config.settings import Settings
from ankrcode.errors import ErrorCode
from ankrcode.frontends.place import WorkspacePlace
from ankrcode.frontends.said import PersonSaid, Stated
from ankrcode.protocol.call import ToolCall
from ankrcode.protocol.result import ToolResult
from ankrcode.rocketlang.api import Program, runner_of
from ankrcode.rocketlang.executor import Answer
from ankrcode.rocketlang.reading import Planned, Reading
from ankrcode.rocketlang.runner import Trace
from ankrcode.rocketlang.sentence import read_sentence
from ankrcode.rocketlang.speech import language_of
from ankrcode.words import say
from ankrcode.workspace.roots import Workspace

DONE, FAILED, USAGE, NO_MODEL, DENIED = 0, 1, 2, 3, 4
_FIRST_WORDS = 5
_NEEDS_MODEL = frozenset(("Task",))
NO_COMMAND = "not_a_command"  # the fault of what only a model could do

Show = Callable[[Planned, ToolResult], None]
Tell = Callable[[str], None]
Confirm = Callable[[Reading, str], bool]


def shortcut(text: str, settings: Settings, workspace: Workspace) -> Reading | None:
    """What a sentence comes to if no model needs to see it; None if it is the model's.

    `auto`: only a reading in full, with nothing guessed. `only`: every sentence. `off`: none.
    """
    mode = settings.rocketlang.mode
    if mode == "off":
        return None
    reading = read_sentence(text, WorkspacePlace(workspace))
    return reading if mode == "only" or is_certain(reading) else None


def is_certain(reading: Reading) -> bool:
    """Nothing in it is guessed, nothing asked, and no model is needed for it."""
    is_read = reading.is_full and not reading.confirm and reading.fault is None
    return is_read and not needs_model(reading)


def needs_model(reading: Reading) -> bool:
    """It is a command that an agent does."""
    return any(one.tool in _NEEDS_MODEL for one in reading.calls)


class Rocket:
    """Runs programs with a toolkit; remembers how it went, as an exit code."""

    def __init__(self, kit: Toolkit, person: PersonSaid, *, show: Show, tell: Tell) -> None:
        self.kit = kit
        self.person = person
        person.kit = kit
        self.place = WorkspacePlace(kit.agent.workspace)
        self.confirms: Confirm | None = None  # None: nobody is there to ask
        self.language = "en"  # of what is being run, as its speaker writes it
        self.code = DONE
        self._show = show
        self._tell = tell
        self._shell_lines: set[int] = set()
        self._unsure_lines: set[int] = set()  # guessed, and not confirmed

    async def run(self, program: Program) -> Trace:
        """Run what was read and checked; `code` says how it went."""
        self.code = DONE
        if program.checked:
            self.language = language_of(program.checked[0].reading)
        self._shell_lines = {one.line for one in program.checked if one.text.startswith("$ ")}
        self._unsure_lines = {one.line for one in program.checked if not one.reading.is_full}
        trace = await runner_of(program, self).run(program.script)
        if trace.ok:
            self.code = DONE
        return trace

    # ── as the executor of a script ───────────────────────────────────────────────────────────
    async def call(self, planned: Planned, line: int) -> Answer:
        is_thinking = planned.tool in _NEEDS_MODEL and not self.kit.agent.options.model
        if is_thinking or planned.tool not in self.kit.registry.names:
            return self._missing(planned.tool)
        await self._look_first(planned)
        arguments = self._arguments(planned)
        call = ToolCall(name=planned.tool, arguments=arguments)
        if line not in self._unsure_lines:
            is_command = planned.tool == "Bash" and line in self._shell_lines
            self.person.stated = Stated(call=call, is_command=is_command)
        try:
            result = await self.kit.call_raw(call)
        finally:
            self.person.stated = None
        self._show(planned, result)
        if result.error is not None:
            is_denied = result.error.code is ErrorCode.PERMISSION_DENIED
            self.code = DENIED if is_denied else FAILED
        return Answer(ok=result.ok, result=self._found(planned.tool, result))

    async def exists(self, pattern: str, line: int) -> bool:
        every = {"include_hidden": True, "include_ignored": True, "limit": 1}
        result = await self.kit.call("Glob", pattern=pattern, **every)
        is_there = result.ok and bool(self._found("Glob", result))
        return is_there or self.place.is_folder(pattern)

    async def confirm(self, reading: Reading, text: str, line: int) -> bool:
        if self.person.says_yes:
            return True
        if self.confirms is not None and self.confirms(reading, text):
            self._unsure_lines.discard(line)  # they have said it now
            return True
        self.code = DENIED
        return False

    def _found(self, tool: str, result: ToolResult) -> Any:
        return found_in(tool, result, self.kit.agent.workspace.cwd)

    # ── on the way to a call ──────────────────────────────────────────────────────────────────
    def _missing(self, tool: str) -> Answer:
        key = "rl_needs_model" if tool in _NEEDS_MODEL else "rl_not_here"
        self._tell(say(key, language=self.language, tool=tool))
        self.code = NO_MODEL if tool in _NEEDS_MODEL else FAILED
        return Answer(ok=False)

    async def _look_first(self, planned: Planned) -> None:
        """Nothing is changed unseen: what the person names was read by nobody yet."""
        path = planned.args.get("file_path")
        if planned.tool in ("Edit", "Write") and isinstance(path, str) and self.place.is_file(path):
            await self.kit.call("Read", file_path=path)

    def _arguments(self, planned: Planned) -> dict[str, Any]:
        match planned.tool:
            case "Bash":  # a person may wait longer than a model
                return {**planned.args, "timeout": BASH_MAX_TIMEOUT_MS}
            case "Help":
                return {"language": self.language, **planned.args}
            case "Task":
                words = " ".join(str(planned.args.get("prompt", "")).split()[:_FIRST_WORDS])
                return {"description": words or planned.tool, **planned.args}
            case "TodoWrite":  # what is added comes behind what is there
                known = msgspec.to_builtins(list(self.kit.agent.todos))
                return {**planned.args, "todos": [*known, *planned.args.get("todos", ())]}
        return dict(planned.args)


def found_in(tool: str, result: ToolResult, cwd: str) -> Any:
    """What the next command can work with: paths where things were found, else plain text."""
    value = result.value
    match tool:
        case "Glob" if value is not None:
            return [_short(path, cwd) for path in value.paths]
        case "Grep" if value is not None and value.mode != "count":
            return [_short(path, cwd) for path in value.files]
        case "List" if value is not None:
            folder = _short(value.path, cwd)
            return [os.path.normpath(os.path.join(folder, one.name)) for one in value.entries]  # noqa: PTH118
        case "Read" if value is not None:
            return value.content
        case "Bash" if value is not None:
            return value.output.rstrip("\n")
    return result.text


def _short(path: str, cwd: str) -> str:
    """From here on, where it is below; no name looks like an option."""
    short = os.path.relpath(path, cwd) if path.startswith(cwd.rstrip("/") + "/") else path
    return f"./{short}" if short.startswith("-") else short
