"""Whoever makes the calls of a script: a toolkit, a function, or answers prepared beforehand."""

from typing import Any, Protocol

from msgspec import Struct

from ankrcode.rocketlang.reading import Planned, Reading


class Answer(Struct, frozen=True, kw_only=True):
    """What came of one call."""

    ok: bool
    result: Any = None


class Executor(Protocol):
    """Whoever makes the calls: a toolkit, or answers prepared beforehand."""

    async def call(self, planned: Planned, line: int) -> Answer: ...

    async def exists(self, pattern: str, line: int) -> bool: ...

    async def confirm(self, reading: Reading, text: str, line: int) -> bool:
        """May it run, though it was only nearly understood?"""
        ...
