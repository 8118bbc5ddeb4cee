"""Answers prepared beforehand: a script is played through, and nothing runs."""

import shlex
from contextlib import suppress
from typing import Any

from msgspec import Struct

from ankrcode.rocketlang.executor import Answer
from ankrcode.rocketlang.reading import Planned, Reading


class StubCall(Struct, frozen=True):
    tool: str
    args: dict[str, Any] = {}


class Stub(Struct, frozen=True):
    """`{"call": {"tool", "args"}, "ok": …, "result": …}`."""

    call: StubCall
    ok: bool = True
    result: Any = None


class Stubs:
    """Each stub answers the calls it fits; of several for one call the last stays.

    A stub may leave out arguments. A call without one goes well and brings nothing.
    """

    def __init__(self, stubs: tuple[Stub, ...] = ()) -> None:
        self._left = list(stubs)
        self.calls: list[Planned] = []

    async def call(self, planned: Planned, line: int) -> Answer:
        self.calls.append(planned)
        fitting = [one for one in self._left if _fits(one.call, planned)]
        exact = [one for one in fitting if len(one.call.args) == len(planned.args)] or fitting
        if not exact:
            return Answer(ok=True)
        if len(exact) > 1:
            self._left.remove(exact[0])
        return Answer(ok=exact[0].ok, result=exact[0].result)

    async def exists(self, pattern: str, line: int) -> bool:
        answer = await self.call(Planned(tool="Glob", args={"pattern": pattern}), line)
        return answer.ok and bool(answer.result)

    async def confirm(self, reading: Reading, text: str, line: int) -> bool:
        return True


def _fits(stub: StubCall, call: Planned) -> bool:
    return stub.tool == call.tool and all(
        name in call.args and _plain(value) == _plain(call.args[name])
        for name, value in stub.args.items()
    )


def _plain(value: Any) -> Any:
    """Commands are compared by their words."""
    if isinstance(value, str):
        with suppress(ValueError):  # not closed: by its letters
            return shlex.split(value) or value
    return value
