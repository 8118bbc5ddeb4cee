"""`ankrcode` with a model: each line is a task for the agent, or a command that needs no model."""

import argparse
import sys

from ankrcode.agent.agent import Agent
from ankrcode.agent.answer import Answer
from ankrcode.config.settings import Settings
from ankrcode.errors import AnkrCodeError
from ankrcode.frontends.cli.ask import agent_for, toolkit_for
from ankrcode.frontends.cli.lines import harmless
from ankrcode.frontends.cli.print_mode import DONE, FAILED, notice, tell
from ankrcode.frontends.cli.told import Told
from ankrcode.frontends.cli.working import Working
from ankrcode.frontends.rocket import Rocket, shortcut
from ankrcode.frontends.said import PersonSaid
from ankrcode.frontends.script_line import ScriptLine
from ankrcode.frontends.talk import macros_here, shown, terminal_here
from ankrcode.frontends.todo_list import todo_list
from ankrcode.protocol.event import Event, Noticed, TextArrived, ToolCallEnded
from ankrcode.protocol.result import ToolResult
from ankrcode.providers.wire import Model
from ankrcode.rocketlang.api import Program
from ankrcode.rocketlang.memory import Memory
from ankrcode.words import say

_MAX_WHY = 200


class AgentTalk:
    """One conversation: what RocketLang reads in full runs at once, all else is the agent's."""

    def __init__(self, options: argparse.Namespace, settings: Settings, model: Model) -> None:
        terminal = terminal_here()
        person = PersonSaid(terminal.approve if terminal else None)
        ask = terminal.answer if terminal else None
        self.kit = toolkit_for(settings, options, approve=person, ask=ask)
        self.agent: Agent = agent_for(model, self.kit, options)
        self._rocket = Rocket(self.kit, person, show=shown, tell=tell)
        self._speaks = settings.rocketlang.mode != "off"
        memory = Memory(macros=macros_here(self.kit) if self._speaks else {})
        self._script = ScriptLine(self._rocket.place, memory)
        self._working = Working(self.agent, LinePrinter(self.kit.agent.agent_id))

    async def answer(self, text: str) -> int:
        """Do it and show it; the exit code it would have by itself."""
        try:
            program = self._program(text)
            if program is not None:
                await self._rocket.run(program)
                return self._rocket.code
            if text.startswith("/"):
                return await self._command(text)
            return await self._working.one(Told(text=text))
        except AnkrCodeError as problem:  # the conversation goes on
            tell(str(problem))
            return FAILED

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
                print(say("line_commands"))
        return DONE

    async def close(self) -> None:
        await self.agent.close()
        self.kit.activity.flush()


class LinePrinter:
    """The answer as it comes on standard output; what is done for it on standard error."""

    wants_events = True

    def __init__(self, agent_id: str) -> None:
        self._agent_id = agent_id
        self._is_mid_line = False

    def show(self, event: Event) -> None:
        match event:
            case TextArrived() if event.agent_id == self._agent_id:
                print(harmless(event.text, sys.stdout), end="", flush=True)
                self._is_mid_line = not event.text.endswith("\n")
            case ToolCallEnded():
                self._end_line()
                for line in (_ended(event.result), *todo_list(event)):
                    print(harmless(line, sys.stderr), file=sys.stderr, flush=True)
            case Noticed():
                self._end_line()
                notice(event)

    def end(self, answer: Answer) -> None:
        self._end_line()
        for one in answer.notes:
            print(harmless(one, sys.stdout), flush=True)
        if answer.error:
            tell(answer.error)

    def _end_line(self) -> None:
        if self._is_mid_line:
            print(flush=True)
            self._is_mid_line = False


def _ended(result: ToolResult) -> str:
    """What was done, or what went wrong with it: its first sentence is for the person, too."""
    if result.error is None:
        return say("line_did", title=result.title)
    why = result.error.message.partition("\n")[0][:_MAX_WHY]
    return say("line_failed", title=result.title, why=why)
