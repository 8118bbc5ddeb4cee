"""Runs a script: statement by statement, every call through whoever makes it."""

import re
from collections.abc import Sequence

from msgspec import Struct

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
from ankrcode.rocketlang.executor import Executor
from ankrcode.rocketlang.faults import FaultCode
from ankrcode.rocketlang.memory import Memory
from ankrcode.rocketlang.pipes import has_pronoun
from ankrcode.rocketlang.place import Place
from ankrcode.rocketlang.reading import Planned, Reading
from ankrcode.rocketlang.script import ScriptFault, fault
from ankrcode.rocketlang.speech import language_of
from ankrcode.rocketlang.valued import read_with
from ankrcode.rocketlang.variables import (
    DOLLAR,
    Value,
    Veil,
    in_command,
    interpolated,
    typed,
    value_of,
)

MAX_CALLS = 10_000  # of one run
MAX_REPEATS = 1_000
MAX_MACRO_DEPTH = 20

NOTHING = Value(items=())
_FINDERS = frozenset(("Glob", "Grep", "List"))


class Done(Struct, frozen=True, kw_only=True):
    call: Planned
    ok: bool
    line: int


class Trace(Struct, frozen=True, kw_only=True):
    """What was called, in order. `ok`: the script came to its end."""

    calls: tuple[Done, ...]
    ok: bool
    confirm: bool = False


class _Stopped(Exception):
    """A call failed; what it brought nevertheless."""

    def __init__(self, value: Value) -> None:
        super().__init__()
        self.value = value


class Runner:
    def __init__(
        self, executor: Executor, *, place: Place | None = None, memory: Memory | None = None
    ) -> None:
        self._executor = executor
        self._place = place
        self.memory = memory if memory is not None else Memory()
        self.variables = self.memory.variables
        self.calls: list[Done] = []
        self._language = "en"
        self._has_confirmed = False
        self._depth = 0

    async def run(self, script: Script) -> Trace:
        """Raises `ScriptFault` where a value makes a sentence out of which nothing can be read."""
        self._language = script.language
        try:
            await self._block(script.statements)
            ok = True
        except _Stopped:
            ok = False
        return Trace(calls=tuple(self.calls), ok=ok, confirm=self._has_confirmed)

    # ── statements ────────────────────────────────────────────────────────────────────────────
    async def _block(self, statements: tuple[Statement, ...]) -> None:
        """A call that failed ends the block, unless the next statement asks how it went."""
        for index, statement in enumerate(statements):
            try:
                await self._statement(statement)
            except _Stopped:
                if not _asks(statements[index + 1 : index + 2]):
                    raise

    async def _statement(self, statement: Statement) -> None:
        match statement:
            case Pipeline():
                await self._pipeline(statement)
            case Assign():
                await self._assign(statement)
            case If(condition=condition, line=line):
                holds = await self._holds(condition, line)
                await self._block(statement.then if holds else statement.otherwise)
            case ForEach():
                await self._for_each(statement)
            case Repeat():
                await self._loop(statement.body, [None] * self._count(statement))
            case Macro():
                self.memory.macros[statement.name] = statement

    async def _assign(self, statement: Assign) -> None:
        if not isinstance(statement.value, Pipeline):
            self.variables[statement.name] = self.written(statement.value)
            return
        try:
            self.variables[statement.name] = await self._pipeline(statement.value)
        except _Stopped as stopped:
            self.variables[statement.name] = stopped.value
            raise

    def written(self, value: Written) -> Value:
        named = re.fullmatch(DOLLAR, value.text)
        if named and not value.is_quoted and named[1] in self.variables:
            return self.variables[named[1]]
        return typed(interpolated(value.text, self.variables), is_quoted=value.is_quoted)

    async def _for_each(self, statement: ForEach) -> None:
        if isinstance(statement.source, Pipeline):
            source = await self._pipeline(statement.source)
        else:
            source = self.variables.get(statement.source, NOTHING)
        lines = source.items if source.is_list else source.text.splitlines()
        each = [
            (statement.name, Value(items=(item,), is_typed=source.is_typed))
            for item in lines
            if item.strip()
        ]
        await self._loop(statement.body, each)

    async def _loop(
        self, body: tuple[Statement, ...], rounds: Sequence[tuple[str, Value] | None]
    ) -> None:
        for index, one in enumerate(rounds):
            if one is not None:
                self.variables[one[0]] = one[1]
            try:
                await self._block(body)
            except _Stopped:
                if index + 1 == len(rounds) or not _asks(body[:1]):
                    raise

    def _count(self, statement: Repeat) -> int:
        count = statement.count
        if isinstance(count, str):
            text = self.variables.get(count, NOTHING).text.strip()
            count = int(text) if text.isdecimal() else -1
        if not 0 <= count <= MAX_REPEATS:
            raise self._fault("rl_repeats", "unknown_object", statement.line, limit=MAX_REPEATS)
        return count

    async def _holds(self, condition: Condition, line: int) -> bool:
        match condition.kind:
            case "passed":
                found = self.memory.ok is not False
            case "failed":
                found = self.memory.ok is False
            case "empty":
                found = self.variables.get(condition.name, NOTHING).is_empty
            case "holds":
                text = interpolated(condition.text, self.variables)
                found = text in self.variables.get(condition.name, NOTHING).text
            case "exists":
                found = await self._exists(condition, line)
        return found != condition.is_not

    async def _exists(self, condition: Condition, line: int) -> bool:
        value = self.variables.get(condition.name, NOTHING)
        if condition.name and value.is_list:
            return not value.is_empty
        pattern = value.text if condition.name else interpolated(condition.text, self.variables)
        return await self._executor.exists(pattern, line)

    # ── lines ─────────────────────────────────────────────────────────────────────────────────
    async def _pipeline(self, pipeline: Pipeline) -> Value:
        """What its last stage brought."""
        result: Value | None = None
        for stage in pipeline.stages:
            piped = result
            for command in stage:
                result = await self._command(command, piped)
        return result or NOTHING

    async def _command(self, command: Sentence | Shell | Called, piped: Value | None) -> Value:
        if piped is not None:
            self.variables["it"] = piped
        if isinstance(command, Called):
            return await self._macro(command)
        if isinstance(command, Shell):
            line = in_command(command.text, self.variables, raw=True)
            call = Planned(tool="Bash", args={"command": line})
            self.memory.it = result = await self._call(call, command.line)
            return result
        it = piped
        if it is None and self.memory.it is not None and self._needs_it(command.text):
            it = self.memory.it
        if it is not None and it.is_list:
            return await self._mapped(command, it)
        return await self._sentence(command, it)

    def _needs_it(self, text: str) -> bool:
        """Is there a pronoun that nothing in the sentence itself explains?"""
        if not has_pronoun(text):
            return False
        return read_with(text, self.variables, None, self._place).reading.fault is not None

    async def _macro(self, command: Called) -> Value:
        macro = self.memory.macros.get(command.name)
        if macro is None or self._depth >= MAX_MACRO_DEPTH:
            raise self._fault("rl_no_macro", "unknown_command", command.line, name=command.name)
        self._depth += 1
        try:
            await self._block(macro.body)
        finally:
            self._depth -= 1
        return self.memory.it or NOTHING

    async def _mapped(self, command: Sentence, several: Value) -> Value:
        """The same for each of what was found; once, if the sentence has its own object."""
        first = Value(items=several.items[:1] or ("found.py",))
        valued = read_with(command.text, self.variables, first, self._place)
        if valued.reading.fault is None and not valued.takes_it:
            return await self._sentence(command, None)
        found: list[str] = []
        for item in several.items:
            found += (await self._sentence(command, Value(items=(item,)))).items
        self.memory.it = result = Value(items=tuple(found), is_list=True)
        return result

    async def _sentence(self, command: Sentence, it: Value | None) -> Value:
        valued = read_with(command.text, self.variables, it, self._place)
        reading, veil = valued.reading, valued.veil
        if reading.fault is not None:
            language = language_of(reading)
            raise ScriptFault(reading.fault, command.line, language=language)
        if reading.confirm:
            self._has_confirmed = True
            if not await self._executor.confirm(reading, command.text, command.line):
                self.memory.ok = False
                raise _Stopped(NOTHING)
        results: list[Value] = []
        for planned in reading.calls:
            args = veil.lifted(planned.tool, planned.args)
            call = Planned(tool=planned.tool, args=args)
            results.append(await self._call(call, command.line))
        result = results[0] if len(results) == 1 else _joined(results)
        self.memory.it = _about(reading, veil, result)
        return result

    async def _call(self, call: Planned, line: int) -> Value:
        """What it brought; raises where it failed, and whoever asks about that goes on."""
        if len(self.calls) >= MAX_CALLS:
            raise self._fault("rl_too_many", "unknown_object", line, limit=MAX_CALLS)
        answer = await self._executor.call(call, line)
        self.calls.append(Done(call=call, ok=answer.ok, line=line))
        self.memory.ok = answer.ok
        value = value_of(answer.result, finds=call.tool in _FINDERS)
        if not answer.ok:
            raise _Stopped(value)
        return value

    def _fault(self, key: str, code: FaultCode, line: int, **values: object) -> ScriptFault:
        return fault(key, code, self._language, line, **values)


def _asks(following: tuple[Statement, ...]) -> bool:
    """Does the first of these ask how the last call went?"""
    return any(isinstance(one, If) and one.tests_outcome for one in following)


def _joined(results: list[Value]) -> Value:
    items = tuple(item for one in results for item in one.items)
    return Value(items=items, is_list=True)


def _about(reading: Reading, veil: Veil, result: Value) -> Value | None:
    """What a pronoun in the next command names: what was found, else the one thing that was
    worked on; of several nobody knows which is meant."""
    last = reading.calls[-1] if reading.calls else None
    if last is None or last.tool in _FINDERS:
        return result
    if reading.mentioned is None:
        return None
    return Value(items=(veil.told(reading.mentioned),))
