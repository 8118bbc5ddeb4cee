"""`ankrcode` with a model: each line is a task for the agent, or a command that needs no model."""

import argparse
import asyncio
import sys
from typing import Any

from ankrcode.agent.agent import Agent
from ankrcode.agent.answer import Answer
from ankrcode.app import Toolkit
from ankrcode.config.settings import Settings
from ankrcode.errors import AnkrCodeError
from ankrcode.frontends.cli.ask import agent_for, toolkit_for
from ankrcode.frontends.cli.asked import bounded
from ankrcode.frontends.cli.lines import harmless
from ankrcode.frontends.cli.print_mode import DONE, FAILED, notice, tell
from ankrcode.frontends.cli.told import Told
from ankrcode.frontends.cli.working import Working
from ankrcode.frontends.rocket import Rocket, shortcut
from ankrcode.frontends.said import PersonSaid
from ankrcode.frontends.script_line import ScriptLine
from ankrcode.frontends.talk import macros_here, shown, terminal_here
from ankrcode.frontends.todo_list import todo_list
from ankrcode.protocol.approval import Approval, ApprovalAnswer
from ankrcode.protocol.event import (
    Event,
    Noticed,
    TextArrived,
    ToolCallEnded,
    ToolCallStarted,
    ToolProgressed,
)
from ankrcode.protocol.question import Question, QuestionAnswer
from ankrcode.providers.wire import Model
from ankrcode.rocketlang.api import Program
from ankrcode.rocketlang.memory import Memory
from ankrcode.words import say

_MAX_WHY = 200
_TELLING = ("file_path", "path", "pattern", "description")
_STEPS_TO_SHOW = 3  # of the loop, until what was told before has been shown


class AgentTalk:
    """One conversation: what RocketLang reads in full runs at once, all else is the agent's."""

    def __init__(self, options: argparse.Namespace, settings: Settings, model: Model) -> None:
        self._terminal = terminal_here()
        person = PersonSaid(self._approved if self._terminal else None)
        ask = self._asked if self._terminal else None
        self.kit = toolkit_for(settings, options, approve=person, ask=ask)
        self.agent: Agent = agent_for(model, self.kit, options)
        self._rocket = Rocket(self.kit, person, show=shown, tell=tell)
        self._speaks = settings.rocketlang.mode != "off"
        memory = Memory(macros=macros_here(self.kit) if self._speaks else {})
        self._script = ScriptLine(self._rocket.place, memory)
        self._printer = LinePrinter(self.kit, is_attended=self._terminal is not None)
        self._working = Working(self.agent, self._printer, on_stop=self._printer.interrupted)

    async def answer(self, text: str) -> int:
        """Do it and show it; the exit code it would have by itself."""
        try:
            program = self._program(text)
            if program is not None:
                await self._rocket.run(program)
                return self._rocket.code
            if text.startswith("/"):
                return await self._command(text)
            return await self._working.one(Told(text=bounded(text)))
        except AnkrCodeError as problem:  # the conversation goes on
            tell(str(problem))
            return FAILED

    async def _approved(self, approval: Approval) -> ApprovalAnswer:
        assert self._terminal is not None
        await self._printer.caught_up()
        return await self._terminal.approve(approval)

    async def _asked(self, question: Question) -> QuestionAnswer:
        assert self._terminal is not None
        await self._printer.caught_up()
        return await self._terminal.answer(question)

    def is_open(self, text: str) -> bool:
        """Is this the beginning of a block whose end has not come yet?"""
        return self._speaks and self._script.is_open(text)

    def _program(self, text: str) -> Program | None:
        """What needs no model, read; None for everything else."""
        if not self._speaks:
            return None
        reading = shortcut(text, self.kit.settings, self.kit.agent.workspace)
        return self._script.program(text, is_plain=reading is not None)

    async def _command(self, text: str) -> int:
        name, _, rest = text[1:].partition(" ")
        match name:
            case "compact":
                is_done = await self.agent.compact(rest.strip())
                print(say("line_compacted" if is_done else "line_not_compacted"))
            case "clear":
                self.agent.clear()
                print(say("line_cleared"))
            case "context":
                report = await self.agent.context()
                share = f"{report.share:.0%}"
                print(say("line_context", tokens=report.tokens, window=report.window, share=share))
            case _:
                for line in _commands():
                    print(line)
        return DONE

    async def close(self) -> None:
        await self.agent.close()
        self.kit.activity.flush()


class LinePrinter:
    """The answer as it comes on standard output; what is done for it on standard error."""

    wants_events = True

    def __init__(self, kit: Toolkit, *, is_attended: bool) -> None:
        self._agent_id = kit.agent.agent_id
        self._workspace = kit.agent.workspace
        self._is_attended = is_attended
        self._is_mid_line = False
        self._begun: dict[str, dict[str, Any]] = {}  # calls at work, and what they were given
        self._slow: set[str] = set()  # those of them that take their time: said once

    async def caught_up(self) -> None:
        """Before a question: what was said until then stands above it."""
        for _ in range(_STEPS_TO_SHOW):
            await asyncio.sleep(0)
        self._end_line()

    def interrupted(self) -> None:
        """A terminal shows `^C` where the cursor is; what comes next gets a line of its own."""
        self._is_mid_line = self._is_mid_line or sys.stdout.isatty()

    def show(self, event: Event) -> None:
        match event:
            case TextArrived() if event.agent_id == self._agent_id:
                print(harmless(event.text, sys.stdout), end="", flush=True)
                self._is_mid_line = not event.text.endswith("\n")
            case ToolCallStarted():
                self._begun[event.call_id] = event.arguments
                if event.quiet:
                    self._slow.add(event.call_id)  # nothing more is said of it
            case ToolProgressed() if event.call_id not in self._slow:
                self._slow.add(event.call_id)
                given = self._begun.get(event.call_id, {})
                self._print(say("line_doing", what=given.get("description") or event.tool))
            case ToolCallEnded():
                self._slow.discard(event.call_id)
                self._print(self._ended(event), *todo_list(event))
            case Noticed():
                self._end_line()
                notice(event)

    def end(self, answer: Answer) -> None:
        self._end_line()
        for one in answer.notes:
            print(harmless(one, sys.stdout), flush=True)
        is_known = answer.subtype == "error_denied" and self._is_attended  # they said no themselves
        if answer.error and not is_known:
            tell(answer.error)

    def _end_line(self) -> None:
        if self._is_mid_line:
            print(flush=True)
            self._is_mid_line = False

    def _print(self, *lines: str) -> None:
        self._end_line()
        for line in lines:
            print(harmless(line, sys.stderr), file=sys.stderr, flush=True)

    def _ended(self, event: ToolCallEnded) -> str:
        """What was done, or what went wrong with it: its first sentence is for the person, too."""
        given, result = self._begun.pop(event.call_id, {}), event.result
        title = _title(event.tool, given, result.title)
        if result.error is None:
            return self._nearby(say("line_did", title=title))
        why = result.error.message.partition("\n")[0][:_MAX_WHY]
        return self._nearby(say("line_failed", title=title, why=why))

    def _nearby(self, line: str) -> str:
        """Files below the current folder by the names one would call them; commands as they are."""
        is_command = "$ " in line[:4]
        return line if is_command else line.replace(f" {self._workspace.cwd}/", " ")


def _title(tool: str, given: dict[str, Any], title: str) -> str:
    """What did not run has no title of its own, only all it was given; one thing tells enough."""
    if not title.startswith(f"{tool}("):
        return title
    about = next((str(given[name]) for name in _TELLING if given.get(name)), "")
    return f"{tool} {about}" if about and "\n" not in about else title


def _commands() -> tuple[str, ...]:
    return (
        say("line_commands.context"),
        say("line_commands.compact"),
        say("line_commands.clear"),
        say("line_commands.exit"),
        say("line_commands.stop"),
    )
