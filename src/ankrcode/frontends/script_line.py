"""Scripts among the lines of a conversation with a model: which are RocketLang's, which not.

A sentence for the model may begin like a block ("for each file in src explain it"). It is held
together as a block only if its first line is one beyond doubt, and run only if all of it is.
"""

from ankrcode.frontends.place import WorkspacePlace
from ankrcode.frontends.rocket import is_certain
from ankrcode.rocketlang.api import Program, parse
from ankrcode.rocketlang.blocks import Assign, Called, Macro, Pipeline, Script, Statement
from ankrcode.rocketlang.memory import Memory
from ankrcode.rocketlang.script import ScriptFault, read_script

_END = "\nend"


class ScriptLine:
    """Reads what was typed with what the conversation remembers; runs nothing."""

    def __init__(self, place: WorkspacePlace, memory: Memory) -> None:
        self._place = place
        self.memory = memory

    def program(self, text: str, *, is_plain: bool = False) -> Program | None:
        """What runs without a model: a block, an assignment, a macro, or a sentence that is known
        to be `plain`. None: it is the model's."""
        try:
            program = parse(text, place=self._place, memory=self.memory)
        except ScriptFault:
            return None
        is_sure = all(is_certain(one.reading) for one in program.checked)
        return program if is_sure and (is_plain or _is_script(program.script, text)) else None

    def is_open(self, text: str) -> bool:
        """Is this the beginning of a block whose end has not come yet?"""
        try:
            read_script(text, frozenset(self.memory.macros))
        except ScriptFault as problem:
            return problem.key == "rl_missing_end" and self._is_head(text.strip().splitlines()[0])
        return False

    def _is_head(self, line: str) -> bool:
        try:
            program = parse(line + _END, place=self._place, memory=self.memory)
        except ScriptFault as problem:  # a block all the same, only not one that can run now
            is_unset = problem.key == "rl_no_variable" and "$" in line
            return is_unset or problem.key == "rl_no_outcome"
        return all(is_certain(one.reading) for one in program.checked)


def _is_script(script: Script, text: str) -> bool:
    if len(text.strip().splitlines()) > 1:
        return any(not isinstance(one, Pipeline) for one in script.statements)
    return bool(script.statements) and all(map(_is_more, script.statements))


def _is_more(statement: Statement) -> bool:
    """More than a sentence, on one line. An *if* or a loop there may well be for the model."""
    if isinstance(statement, Pipeline):
        return any(isinstance(one, Called) for stage in statement.stages for one in stage)
    return isinstance(statement, Assign | Macro)
