"""How a process ended."""

from typing import Literal

from msgspec import Struct

EndedBy = Literal["exit", "timeout", "stop"]


class Outcome(Struct, frozen=True, kw_only=True):
    exit_code: int  # as a shell says it: 128 + number for a signal
    signal: int = 0
    ended_by: EndedBy = "exit"
    duration_s: float = 0.0
    cwd: str = ""  # where a shell was in the end; "" where it did not say
    left_behind: tuple[str, ...] = ()  # what it had started and left running; it was stopped
    violations: tuple[str, ...] = ()  # what it did that its wall had to undo
