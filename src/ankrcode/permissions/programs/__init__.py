"""What programs do, as data: one entry per program in the JSON files beside this one.

    "sort": {
      "source": "sort(1), GNU coreutils 9.1",
      "flags": {"read": "-b -k= --key= --color? …", "write": "-o=:write …"},
      "args": ["path*"]
    }

A flag is `NAME`, `NAME=` (takes a value), `NAME==` (takes two) or `NAME?` (takes one only if
attached), then `:KIND` of that value. Flags stand under what they make the program do: read,
write, execute, connect.
`args` are the kinds of the other arguments: `KIND`, `KIND*` (any number), `KIND unless -x -y`,
`KIND if -x`. See docs/permissions.md.
"""

from functools import cache
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct, field

Class = Literal["read", "write", "execute", "connect"]
Arity = Literal["", "=", "==", "?"]
Style = Literal["gnu", "posix", "exact", "long"]

# The files, those that are asked for most often first: a plain `ls` loads only the first.
THEMES = ("coreutils", "text", "git", "languages", "system", "network", "clouds")


class Program(Struct, forbid_unknown_fields=True):
    source: str = ""  # the manual that was consulted
    acts: Class = "read"  # what it does with no more said
    style: Style = "gnu"
    flags: dict[Class, str] = field(default_factory=dict)
    args: list[str] = field(default_factory=list)
    commands: dict[str, "Program"] = field(default_factory=dict)
    bare: Class | None = None  # what it does without any sub-command
    shares: bool = False  # its own flags may stand behind the sub-command too
    info: str = "--help --version"  # one of these alone: it only says something about itself
    policy: dict[str, str] = field(default_factory=dict)  # flags → the safety policy they touch
    judge: str = ""  # a function of its own looks at it
    output: str = ""  # what it prints: see `outputs`
    same: str = ""  # it is another name of that program, or of a sub-command of one
    needs: dict[Class, str] = field(default_factory=dict)  # without one of these flags it does that
    filters: bool = False  # without arguments it only passes its input on
    named: bool = False  # it writes what its arguments name, and nothing else
    helps: str = ""  # sub-commands that only explain themselves before a last --help
    obeys: str = ""  # files that change even what it says of itself: yarn runs what .yarnrc names


class Flag(Struct, frozen=True):
    name: str
    acts: Class
    arity: Arity
    kind: str


class Positional(Struct, frozen=True):
    kind: str
    repeats: bool
    unless: frozenset[str]
    only_if: frozenset[str]


class Spec:
    """A program ready for use."""

    def __init__(self, name: str, program: Program, parent: "Spec | None" = None) -> None:
        self.name = name
        self.program = program
        self.acts = program.acts
        self.style: Style = program.style
        if parent is not None and program.style == "gnu":
            self.style = parent.style
        self.shares: bool = program.shares or (parent is not None and parent.shares)
        self.flags: dict[str, Flag] = dict(parent.flags) if parent and parent.shares else {}
        for acts, text in program.flags.items():
            for one in text.split():
                flag = _flag(one, acts)
                self.flags[flag.name] = flag
        self.positionals = [_positional(text) for text in program.args]
        self.info = frozenset(program.info.split())
        self.helps = frozenset(program.helps.split())
        self.needs = {acts: tuple(text.split()) for acts, text in program.needs.items()}
        self.takes_numbers = "-#" in self.flags
        # what only reads one more file is none, should a file name turn out to be a flag
        dangers = (flag for flag in self.flags.values() if flag.acts != "read")
        self.has_danger = any(flag.kind != "path" for flag in dangers)
        self.policy = {
            flag: policy for flags, policy in program.policy.items() for flag in flags.split()
        }
        self._commands: dict[str, Spec | None] = {}

    @property
    def has_commands(self) -> bool:
        return bool(self.program.commands)

    def command(self, name: str) -> "Spec | None":
        if name not in self._commands:
            found = self.program.commands.get(name)
            while found is not None and found.same:
                found = self.program.commands.get(found.same)
            path = f"{self.name} {name}"
            self._commands[name] = None if found is None else Spec(path, found, self)
        return self._commands[name]

    def long_flag(self, name: str) -> Flag | None:
        """By its name or, where the program's own parser does that, by an unambiguous start."""
        found = self.flags.get(name)
        if found is not None or self.style != "gnu":
            return found
        starts = [flag for flag in self.flags if flag.startswith(name) and flag.startswith("--")]
        found_flags = [self.flags[one] for one in starts]
        same = {(flag.acts, flag.arity, flag.kind) for flag in found_flags}
        return found_flags[0] if len(same) == 1 else None


def _flag(text: str, acts: Class) -> Flag:
    name, _, kind = text.partition(":")
    arities: tuple[Arity, ...] = ("==", "=", "?")
    for arity in arities:
        if name.endswith(arity) and name.lstrip("-") != arity:
            return Flag(name.removesuffix(arity), acts, arity, kind or "text")
    return Flag(name, acts, "", kind or "text")


def _positional(text: str) -> Positional:
    head, _, unless = text.partition(" unless ")
    head, _, only_if = head.partition(" if ")
    kind = head.rstrip("*")
    return Positional(kind, head != kind, frozenset(unless.split()), frozenset(only_if.split()))


@cache
def _written(theme: str) -> dict[str, msgspec.Raw]:
    """The programs of one file, by their names, as they are written: few are ever asked about."""
    file = Path(__file__).with_name(f"{theme}.json")  # importlib.resources is slow to load
    return msgspec.json.decode(file.read_bytes(), type=dict[str, msgspec.Raw])


@cache
def program(name: str) -> Program | None:
    for theme in THEMES:  # no name stands in two of them
        if (written := _written(theme).get(name)) is not None:
            return msgspec.json.decode(written, type=Program)
    return None


def table() -> dict[str, Program]:
    """All of them."""
    names = [name for theme in THEMES for name in _written(theme)]
    return {name: one for name in names if (one := program(name)) is not None}


@cache
def lookup(name: str) -> Spec | None:
    found = program(name)
    while found is not None and found.same:
        first, *rest = found.same.split()
        found = program(first)
        for inner in rest:
            found = found.commands.get(inner) if found is not None else None
    return None if found is None else Spec(name, found)
