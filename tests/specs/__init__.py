"""What the five specifications ask, as plain data: a module for each, an entry per behaviour.

An entry begins with its status, so that a behaviour that got built is flipped by one word:
`planned("S0-013", …)` becomes `done("S0-013", …)`. Ids are stable; a new one continues the count.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, TypeAlias

Dialect: TypeAlias = Literal["", "claude", "ally", "workspace", "plain"]


class Status(StrEnum):
    """How far a behaviour has come."""

    DONE = "done"
    PLANNED = "planned"
    DEVIATES = "deviates"


@dataclass(frozen=True, slots=True)
class Requirement:
    """One behaviour that a specification asks for, in our own words."""

    id: str
    lines: str  # where the specification's file asks for it: "99-101,140"
    statement: str
    status: Status
    reason: str = ""  # why we deviate
    dialect: Dialect = ""  # the dialect that restores the specification's letter
    part: str = ""  # the key under which it stands in `Parts`

    @property
    def spec(self) -> int:
        """Which of the five specifications asks for it."""
        return int(self.id[1])


@dataclass(frozen=True, slots=True)
class NotRequirement:
    """Lines of a specification that ask for nothing of their own, and why."""

    lines: str
    why: str


Parts: TypeAlias = dict[str, tuple[Requirement, ...]]


def planned(key: str, lines: str, statement: str) -> Requirement:
    """A behaviour still to be built, or built but not yet shown by a test."""
    return Requirement(key, lines, statement, Status.PLANNED)


def done(key: str, lines: str, statement: str) -> Requirement:
    """A behaviour that at least one passing test shows."""
    return Requirement(key, lines, statement, Status.DONE)


def deviates(
    key: str, lines: str, statement: str, *, reason: str, dialect: Dialect = ""
) -> Requirement:
    """A behaviour that we change on purpose; a test may show what we do instead."""
    return Requirement(key, lines, statement, Status.DEVIATES, reason, dialect)
