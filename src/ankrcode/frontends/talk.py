"""What the doors of RocketLang share: a toolkit that can be told what to do, and its answers."""

import argparse
import os
import sys
from pathlib import Path
from typing import TextIO

from msgspec.structs import replace

from ankrcode.app import Toolkit
from ankrcode.config.paths import config_file
from ankrcode.config.trust import TrustStore
from ankrcode.errors import SettingsError
from ankrcode.frontends.cli.settings import load_and_warn, load_rules, log_events
from ankrcode.frontends.rocket import DENIED, NO_COMMAND, NO_MODEL, USAGE, Rocket
from ankrcode.frontends.said import Asks, PersonSaid
from ankrcode.protocol.result import ToolResult
from ankrcode.rocketlang.api import Program, parse
from ankrcode.rocketlang.blocks import Macro
from ankrcode.rocketlang.macros import load_macros
from ankrcode.rocketlang.memory import Memory
from ankrcode.rocketlang.reading import Planned, Reading
from ankrcode.rocketlang.script import ScriptFault, read_script
from ankrcode.rocketlang.speech import fault_text, language_of, unsure_text
from ankrcode.rocketlang.variables import Value
from ankrcode.words import say


class Talk:
    """One conversation in RocketLang: each line or script is read, checked and run."""

    def __init__(self, options: argparse.Namespace) -> None:
        settings = load_and_warn(options)
        self.terminal = terminal = terminal_here()
        says_yes = bool(getattr(options, "yes", False))
        person = PersonSaid(terminal.approve if terminal else None, says_yes=says_yes)
        self.kit = Toolkit(
            cwd=options.cwd,
            mode=getattr(options, "permission_mode", None) or settings.permissions.mode,
            settings=replace(settings, edit=replace(settings.edit, match="exact")),
            rules=load_rules(options),
            approve=person,
            plugins=settings.plugins,
        )
        log_events(self.kit.activity, settings, debug=options.debug)
        self.rocket = Rocket(self.kit, person, show=shown, tell=told)
        if terminal is not None:
            self.rocket.confirms = self._confirmed
        self.memory = Memory(macros=macros_here(self.kit))

    async def answer(self, text: str, variables: dict[str, Value] | None = None) -> int:
        """Read it, check all of it, run it. The exit code that it would have by itself."""
        if text.strip() == "/help":  # as with a model
            text = "help"
        try:
            program = self.read(text, variables)
            self._speak_as(program)
            if (code := self._refused(program)) is not None:
                return code
            await self.rocket.run(program)
        except ScriptFault as problem:
            if self.kit.settings.rocketlang.mode == "only" and problem.fault.code == NO_COMMAND:
                told(say("task_needs_model.only"))
                return NO_MODEL
            is_long = len(text.strip().splitlines()) > 1
            line = problem.line if is_long else 0
            told(fault_text(problem.fault, line=line, language=problem.language))
            return USAGE
        return self.rocket.code

    def read(self, text: str, variables: dict[str, Value] | None = None) -> Program:
        return parse(text, place=self.rocket.place, variables=variables, memory=self.memory)

    def _speak_as(self, program: Program) -> None:
        """Questions are asked in the language in which was spoken."""
        if self.terminal is not None and program.checked:
            spoken = language_of(program.checked[0].reading)
            self.terminal.language = self.kit.settings.language if spoken == "en" else spoken

    def close(self) -> None:
        self.kit.close()
        self.kit.activity.flush()

    def _refused(self, program: Program) -> int | None:
        """With nobody to ask, what was only nearly understood keeps all of it from running."""
        if self.terminal is not None or self.rocket.person.says_yes:
            return None
        for one in program.checked:
            if one.reading.confirm:
                told(unsure_text(one.text, one.reading, self.rocket.place))
                return DENIED
        return None

    def _confirmed(self, reading: Reading, text: str) -> bool:
        assert self.terminal is not None
        language = language_of(reading)
        print(say("rl_confirm", language=language, explain=reading.explain))
        if self.terminal.agrees(say("rl_confirm_question", language=language)):
            return True
        print(say("rl_not_confirmed", language=language))
        return False


def terminal_here() -> Asks | None:
    """Is a person there to be asked?"""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return None
    from ankrcode.frontends.asking import Terminal  # only a terminal pays for it

    return Terminal()


def macros_here(kit: Toolkit) -> dict[str, Macro]:
    """The person's own commands, and those of the project if its folder is trusted."""
    found: dict[str, Macro] = {}
    root = Path(kit.agent.workspace.root)
    own = config_file(os.environ).with_name("macros.rl")
    project = root / ".ankrcode" / "macros.rl"
    for file in (own, project):
        if not file.is_file():
            continue
        if file == project and not TrustStore.of(os.environ).judge(root).is_trusted:
            told(say("rl_macros_untrusted", path=file))
            continue
        try:
            found |= load_macros(file)
        except SettingsError as problem:
            told(f"warning: {problem}")
    return found


def shown(planned: Planned, result: ToolResult) -> None:
    """Results on standard output, failures on standard error."""
    if result.error is None:
        print(_harmless(result.text, sys.stdout), flush=True)
    else:
        told(_harmless(result.text, sys.stderr))


def _harmless(text: str, stream: TextIO) -> str:
    """A pipe gets what there is; on a terminal nothing of it is obeyed."""
    if not stream.isatty() and text.isascii():
        return text
    from ankrcode.frontends.cli.lines import harmless  # only who needs it pays for it

    return harmless(text, stream)


def told(message: str) -> None:
    sys.stdout.flush()
    print(f"ankrcode: {message}", file=sys.stderr, flush=True)


def is_open(text: str) -> bool:
    """Is this the beginning of a block whose end has not come yet?"""
    try:
        read_script(text)
    except ScriptFault as problem:
        return problem.key == "rl_missing_end"
    return False
