"""RocketLang for programs: `parse`, `compile`, `run`, `explain`.

program = parse("files = src mein python files dhoondo\\nhar f $files mein:\\n  $f padho\\nend")
trace = run(program, lambda tool, args: ["a.py"] if tool == "Glob" else "")
"""

from collections.abc import Callable, Coroutine, Mapping
from typing import Any, TypeVar

from msgspec import Struct

from ankrcode.errors import AnkrCodeError, UsageError
from ankrcode.rocketlang.blocks import Macro, Script
from ankrcode.rocketlang.executor import Answer, Executor
from ankrcode.rocketlang.memory import Memory
from ankrcode.rocketlang.place import Place
from ankrcode.rocketlang.precheck import Checked, precheck
from ankrcode.rocketlang.reading import Planned, Reading
from ankrcode.rocketlang.runner import Runner, Trace
from ankrcode.rocketlang.script import ScriptFault, read_script
from ankrcode.rocketlang.stubs import Stub, Stubs
from ankrcode.rocketlang.variables import Value, typed

__all__ = ["Program", "ScriptFault", "compile", "explain", "parse", "play", "run"]

T = TypeVar("T")


class Program(Struct, frozen=True, kw_only=True):
    """A sentence or a script that was read and checked as a whole."""

    text: str
    script: Script
    checked: tuple[Checked, ...]
    memory: Memory
    place: Place | None = None

    @property
    def lang(self) -> str:
        """The language of its first command."""
        return self.checked[0].reading.lang if self.checked else self.script.language[:2]

    @property
    def confirm(self) -> bool:
        return any(one.reading.confirm for one in self.checked)

    @property
    def changes(self) -> bool:
        return any(one.reading.changes for one in self.checked)

    @property
    def is_full(self) -> bool:
        """Nothing in it was guessed."""
        return bool(self.checked) and all(one.reading.is_full for one in self.checked)

    @property
    def explain(self) -> str:
        """What it would do, in the speaker's words."""
        return "\n".join(one.reading.explain for one in self.checked)


def parse(
    text: str,
    *,
    place: Place | None = None,
    variables: Mapping[str, str | Value] | None = None,
    macros: Mapping[str, Macro] | None = None,
    memory: Memory | None = None,
) -> Program:
    """Read and check all of it; nothing runs. Raises `ScriptFault`.

    `memory`: that of a conversation, which the program goes on with when it is run.
    """
    memory = memory if memory is not None else Memory()
    for name, one in (variables or {}).items():
        memory.variables[name] = one if isinstance(one, Value) else typed(one)
    memory.macros |= dict(macros or {})
    script = read_script(text, frozenset(memory.macros))
    checked = tuple(precheck(script, place, memory))
    return Program(text=text, script=script, checked=checked, memory=memory, place=place)


def runner_of(program: Program, executor: Executor) -> Runner:
    return Runner(executor, place=program.place, memory=program.memory)


def play(program: Program, stubs: tuple[Stub, ...] = ()) -> list[Planned]:
    """Every call it would make if these were the answers; others succeed and bring nothing."""
    player = Stubs(stubs)
    runner = Runner(player, place=program.place, memory=program.memory.copy())
    finished(runner.run(program.script))
    return player.calls


def compile(program: Program) -> list[Planned]:  # noqa: A001 - that is what it is called
    """The calls, in order, as far as they are known beforehand."""
    return play(program)


def run(program: Program, call: Callable[[str, dict[str, Any]], Any]) -> Trace:
    """Run it through a function of your own: `call(tool, args)` returns the result, or raises."""
    return finished(runner_of(program, _Function(call)).run(program.script))


def explain(text: str, *, place: Place | None = None) -> str:
    """What it would do, in the speaker's words; the fault's message where it would do nothing."""
    try:
        return parse(text, place=place).explain
    except ScriptFault as problem:
        return problem.fault.message


def finished(work: Coroutine[Any, Any, T]) -> T:
    """The end of work that never waits: no event loop is needed for it."""
    try:
        work.send(None)
    except StopIteration as end:
        value: T = end.value
        return value
    work.close()
    raise UsageError.of("rl_waits")


class _Function:
    """A plain function as executor. An `AnkrCodeError` that it raises is a failed call."""

    def __init__(self, call: Callable[[str, dict[str, Any]], Any]) -> None:
        self._call = call

    async def call(self, planned: Planned, line: int) -> Answer:
        try:
            return Answer(ok=True, result=self._call(planned.tool, planned.args))
        except AnkrCodeError as problem:
            return Answer(ok=False, result=str(problem))

    async def exists(self, pattern: str, line: int) -> bool:
        answer = await self.call(Planned(tool="Glob", args={"pattern": pattern}), line)
        return answer.ok and bool(answer.result)

    async def confirm(self, reading: Reading, text: str, line: int) -> bool:
        return False
