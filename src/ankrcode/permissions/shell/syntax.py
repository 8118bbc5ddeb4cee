"""What a command line says, as a tree: plain data, made by `grammar`, judged by `commands`."""

from typing import Literal

from msgspec import Struct


class Unparsed(Exception):
    """The text is not certain to mean what it seems to mean; `why` is for a person."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


# ── words ─────────────────────────────────────────────────────────────────────────────────────
class Text(Struct, frozen=True):
    """Literal characters; unquoted ones may still be globs, braces or a tilde."""

    text: str
    quoted: bool


class Param(Struct, frozen=True):
    """`$x`, `${x:-y}`, `${#x}`, `${!x}`, `${x[1]}` …"""

    name: str
    quoted: bool
    prefix: str = ""
    index: "tuple[Part, ...] | None" = None
    operator: str = ""
    operand: "tuple[Part, ...]" = ()


class Substitution(Struct, frozen=True):
    """`$(…)` or backticks: what the script prints."""

    script: "Script"
    quoted: bool


class ProcessFile(Struct, frozen=True):
    """`<(…)` or `>(…)`: a file name that stands for a running script."""

    script: "Script"
    direction: Literal["<", ">"]


class Arithmetic(Struct, frozen=True):
    """`$((…))`: a number."""

    parts: "tuple[Part, ...]"


Part = Text | Param | Substitution | ProcessFile | Arithmetic


class Word(Struct, frozen=True):
    parts: tuple[Part, ...]
    start: int  # where it stands in the text, so that a command line can be rewritten
    end: int

    @property
    def literal(self) -> str | None:
        """The word if every character of it is plain and unquoted: how keywords are written."""
        if len(self.parts) == 1 and isinstance(self.parts[0], Text) and not self.parts[0].quoted:
            return self.parts[0].text
        return None


class Assignment(Struct, frozen=True):
    name: str
    value: tuple[Part, ...]
    index: tuple[Part, ...] | None = None
    items: tuple[Word, ...] | None = None  # name=(…)
    appends: bool = False


class Redirect(Struct):
    operator: str
    target: tuple[Part, ...]  # for << the body, which is read later than the rest of its line
    descriptor: str = ""


# ── commands ──────────────────────────────────────────────────────────────────────────────────
class Simple(Struct, frozen=True):
    words: tuple[Word, ...] = ()
    assignments: tuple[Assignment, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    declared: tuple[Assignment, ...] = ()  # `declare x=(…)`: those of its words that are arrays


class Pipeline(Struct, frozen=True):
    commands: "tuple[Node, ...]"


class Script(Struct, frozen=True):
    """Commands in a row, each with what stands before it: `;`, `&&`, `||`, or `&` behind it."""

    items: "tuple[tuple[str, Node], ...]"


class Subshell(Struct, frozen=True):
    body: Script
    redirects: tuple[Redirect, ...] = ()


class Group(Struct, frozen=True):
    body: Script
    redirects: tuple[Redirect, ...] = ()


class Branches(Struct, frozen=True):
    """`if`: each test with its body; the last test is None for `else`."""

    branches: tuple[tuple[Script | None, Script], ...]


class Loop(Struct, frozen=True):
    """`while` and `until`."""

    test: Script
    body: Script


class For(Struct, frozen=True):
    """`for` and `select`; words is None where `in` is missing."""

    name: str
    words: tuple[Word, ...] | None
    body: Script


class CountedFor(Struct, frozen=True):
    parts: tuple[Part, ...]
    body: Script


class Case(Struct, frozen=True):
    word: Word
    patterns: tuple[Word, ...]
    bodies: tuple[Script, ...]


class Function(Struct, frozen=True):
    name: str
    body: "Node"


class Condition(Struct, frozen=True):
    """`[[ … ]]`: its words; `arithmetic` are the operands that bash calculates."""

    words: tuple[Word, ...]
    arithmetic: tuple[Word, ...]


class Calculation(Struct, frozen=True):
    """`(( … ))`"""

    parts: tuple[Part, ...]


class Coprocess(Struct, frozen=True):
    body: "Node"


Node = (
    Simple
    | Pipeline
    | Script
    | Subshell
    | Group
    | Branches
    | Loop
    | For
    | CountedFor
    | Case
    | Function
    | Condition
    | Calculation
    | Coprocess
)
