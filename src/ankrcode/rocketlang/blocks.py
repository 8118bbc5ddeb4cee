"""What a script is made of, once it is read."""

from typing import Literal

from msgspec import Struct


class Sentence(Struct, frozen=True, kw_only=True):
    """One command, as it was written."""

    text: str
    line: int


class Shell(Struct, frozen=True, kw_only=True):
    """`$ command`: for bash, as it was written."""

    text: str
    line: int


class Called(Struct, frozen=True, kw_only=True):
    """A macro by its name."""

    name: str
    line: int


class Pipeline(Struct, frozen=True, kw_only=True):
    """Stages: what each leaves is what the next one works on. A stage is commands in a row."""

    stages: tuple[tuple[Sentence | Shell | Called, ...], ...]
    line: int


class Written(Struct, frozen=True, kw_only=True):
    """A value that was written down."""

    text: str
    is_quoted: bool = False


class Assign(Struct, frozen=True, kw_only=True):
    name: str
    value: Written | Pipeline
    line: int


class Condition(Struct, frozen=True, kw_only=True):
    """`holds`: is `text` in the variable? `exists`: is there a file of this name or pattern?"""

    kind: Literal["passed", "failed", "empty", "holds", "exists"]
    name: str = ""
    text: str = ""
    is_not: bool = False


class If(Struct, frozen=True, kw_only=True):
    condition: Condition
    then: "tuple[Statement, ...]"
    otherwise: "tuple[Statement, ...]" = ()
    line: int

    @property
    def tests_outcome(self) -> bool:
        """Does it ask how the call before it went?"""
        return self.condition.kind in ("passed", "failed")


class ForEach(Struct, frozen=True, kw_only=True):
    name: str
    source: str | Pipeline  # a variable's name, or what finds the things
    body: "tuple[Statement, ...]"
    line: int


class Repeat(Struct, frozen=True, kw_only=True):
    count: int | str  # or the name of a variable
    body: "tuple[Statement, ...]"
    line: int


class Macro(Struct, frozen=True, kw_only=True):
    name: str
    body: "tuple[Statement, ...]"
    line: int


Statement = Pipeline | Assign | If | ForEach | Repeat | Macro


class Script(Struct, frozen=True, kw_only=True):
    statements: tuple[Statement, ...]
    language: str = "en"
