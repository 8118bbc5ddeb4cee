"""The whole script before its first call: every sentence is read, every name and macro known."""

import re

from msgspec import Struct
from msgspec.structs import replace

from ankrcode.rocketlang.blocks import (
    Assign,
    Called,
    Condition,
    ForEach,
    If,
    Macro,
    Pipeline,
    Repeat,
    Script,
    Sentence,
    Shell,
    Statement,
    Written,
)
from ankrcode.rocketlang.memory import Memory
from ankrcode.rocketlang.pieces import outside_quotes
from ankrcode.rocketlang.pipes import has_pronoun
from ankrcode.rocketlang.place import Place
from ankrcode.rocketlang.reading import Planned, Reading
from ankrcode.rocketlang.runner import MAX_MACRO_DEPTH, MAX_REPEATS
from ankrcode.rocketlang.script import ScriptFault, fault
from ankrcode.rocketlang.sentence import read_sentence
from ankrcode.rocketlang.speech import language_of
from ankrcode.rocketlang.valued import read_with
from ankrcode.rocketlang.variables import DOLLAR, Value, typed

# What a value that is not known yet might be: the name of a file, or some text.
_SAMPLES = (Value(items=("___.py",)), Value(items=("…",), is_quoted=True))


class Checked(Struct, frozen=True, kw_only=True):
    """One command, and what it would come to."""

    text: str
    line: int
    reading: Reading


def precheck(
    script: Script, place: Place | None = None, memory: Memory | None = None
) -> list[Checked]:
    """Raises `ScriptFault` for the first thing that could not run."""
    checker = _Checker(script, place, memory if memory is not None else Memory())
    checker.block(script.statements)
    return checker.checked


class _Checker:
    def __init__(self, script: Script, place: Place | None, memory: Memory) -> None:
        self.language = script.language
        self.place = place
        self.known: dict[str, Value | None] = {**memory.variables, "it": None}  # None: not yet
        self.macros = dict(memory.macros)
        self.open: list[str] = []  # the macros that are being looked into
        self.has_called = memory.ok is not None
        self.checked: list[Checked] = []
        # `$name` alone, with nothing that could set it, is a name like any other.
        self.is_alone = len(script.statements) == 1 and isinstance(script.statements[0], Pipeline)

    def block(self, statements: tuple[Statement, ...]) -> None:
        for one in statements:
            if isinstance(one, Macro):  # a macro may be called before the line that defines it
                self.macros[one.name] = one
        for one in statements:
            self._statement(one)

    def _statement(self, statement: Statement) -> None:
        match statement:
            case Pipeline():
                self._pipeline(statement)
            case Assign(name=name, value=value):
                self.known[name] = self._assigned(value, statement.line)
            case If():
                self._condition(statement.condition, statement.line)
                self.block(statement.then)
                self.block(statement.otherwise)
            case ForEach(name=name, source=source):
                if isinstance(source, Pipeline):
                    self._pipeline(source)
                else:
                    self._name(source, statement.line)
                self.known[name] = None
                self.block(statement.body)
            case Repeat(count=count):
                self._count(count, statement.line)
                self.block(statement.body)
            case Macro(name=name, body=body):
                self._macro(name, body, statement.line)

    def _assigned(self, value: Written | Pipeline, line: int) -> Value | None:
        if isinstance(value, Pipeline):
            self._pipeline(value)
            return None
        if not value.is_quoted and (named := re.fullmatch(DOLLAR, value.text)):
            self._name(named[1], line)
            return self.known[named[1]]
        return None if "{" in value.text else typed(value.text, is_quoted=value.is_quoted)

    def _condition(self, condition: Condition, line: int) -> None:
        if condition.name:
            self._name(condition.name, line)
        if condition.kind in ("passed", "failed") and not self.has_called and not self.open:
            raise fault("rl_no_outcome", "bad_condition", self.language, line)

    def _count(self, count: int | str, line: int) -> None:
        if isinstance(count, str):
            self._name(count, line)
        elif count > MAX_REPEATS:
            raise fault("rl_repeats", "unknown_object", self.language, line, limit=MAX_REPEATS)

    def _name(self, name: str, line: int, language: str = "") -> None:
        if name not in self.known:
            language = language or self.language
            raise fault("rl_no_variable", "unknown_object", language, line, name=name)

    def _macro(self, name: str, body: tuple[Statement, ...], line: int) -> None:
        if name in self.open or len(self.open) >= MAX_MACRO_DEPTH:
            raise fault("rl_macro_in_itself", "unknown_command", self.language, line, name=name)
        self.open.append(name)
        self.block(body)
        self.open.pop()

    # ── commands ──────────────────────────────────────────────────────────────────────────────
    def _pipeline(self, pipeline: Pipeline) -> None:
        for number, stage in enumerate(pipeline.stages):
            for command in stage:
                self._command(command, is_piped=number > 0)

    def _command(self, command: Sentence | Shell | Called, *, is_piped: bool) -> None:
        match command:
            case Called(name=name, line=line):
                macro = self.macros.get(name)
                if macro is None:
                    raise fault("rl_no_macro", "unknown_command", self.language, line, name=name)
                self._macro(name, macro.body, line)
            case Shell(text=text, line=line):
                call = Planned(tool="Bash", args={"command": text})
                reading = Reading(calls=(call,), explain=f"$ {text}", changes=True, is_full=True)
                self.checked.append(Checked(text=f"$ {text}", line=line, reading=reading))
                self.has_called = True
            case Sentence():
                self._sentence(command, is_piped=is_piped)

    def _sentence(self, command: Sentence, *, is_piped: bool) -> None:
        for found in outside_quotes(command.text, DOLLAR) if "$" in command.text else ():
            if found[1] not in self.known and not self.is_alone:
                language = language_of(read_sentence(command.text))
                self._name(found[1], command.line, language)
        takes_it = is_piped or (self.has_called and self._needs_it(command.text))
        self.has_called = True
        first = reading = self._read(command.text, _SAMPLES[0], takes_it=takes_it)
        if reading.fault is not None:
            reading = self._read(command.text, _SAMPLES[1], takes_it=takes_it)
        if reading.fault is not None and first.fault is not None:
            raise ScriptFault(first.fault, command.line, language=language_of(first))
        explain = reading.explain.replace(_SAMPLES[0].text, _SAMPLES[1].text)
        reading = replace(reading, explain=explain)
        self.checked.append(Checked(text=command.text, line=command.line, reading=reading))

    def _needs_it(self, text: str) -> bool:
        if not has_pronoun(text):
            return False
        return all(self._read(text, one, takes_it=False).fault for one in _SAMPLES)

    def _read(self, text: str, sample: Value, *, takes_it: bool) -> Reading:
        """As it would be read if all that is not known yet were like this sample."""
        known = {name: value or sample for name, value in self.known.items()}
        return read_with(text, known, sample if takes_it else None, self.place).reading
