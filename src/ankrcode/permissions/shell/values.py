"""What is known of a text before the command runs: all of it, some of it, or only its kind."""

import re
from collections.abc import Iterable
from typing import Literal

from msgspec import Struct

MAX_OPTIONS = 16  # ways that a word or an output is followed, before they become one unknown
MAX_PIECES, MAX_CHARS = 64, 200_000  # beyond that a text is no longer followed
MAX_ITEMS = 8  # items of a loop that are looked at one by one
_NUMBER = r"-?[0-9]+"

Kind = Literal["number", "word", "path", "glob", "any"]


class Hole(Struct, frozen=True):
    """A piece that only the running shell knows.

    number  digits                       word   no blank, no slash first, no dash first
    path    at or below `place`          glob   file names that fit `place`, the pattern
    any     anything
    """

    kind: Kind
    place: str = ""
    names: tuple[str, ...] = ()  # what the last component looks like, where that is known
    dashed: bool = False  # may begin with a dash
    whole: bool = False  # path: everything below, the place itself included
    listing: bool = False  # path: every name in that folder, as ls prints them
    variable: bool = False  # any: held by a variable that the line does not set, perhaps nothing


class Arg(Struct, frozen=True):
    """One argument; `many` if it may become none or several of its kind."""

    pieces: tuple[str | Hole, ...]
    many: bool = False
    computed: bool = False  # an expansion had a part in it

    @property
    def text(self) -> str | None:
        """The argument, if it is known to the last character."""
        if not self.pieces:
            return ""
        if len(self.pieces) == 1 and isinstance(self.pieces[0], str):
            return self.pieces[0]
        return None

    @property
    def hole(self) -> Hole | None:
        """The only piece, if it is a hole."""
        if len(self.pieces) == 1 and isinstance(self.pieces[0], Hole):
            return self.pieces[0]
        return None

    @property
    def prefix(self) -> str:
        return self.pieces[0] if self.pieces and isinstance(self.pieces[0], str) else ""

    @property
    def pattern(self) -> str | None:
        """The text with its globs as they were written; None if anything else is open."""
        found = ""
        for piece in self.pieces:
            if isinstance(piece, str):
                found += piece
            elif piece.kind == "glob":
                found += piece.place
            else:
                return None
        return found

    @property
    def shown(self) -> str:
        return "".join(
            piece if isinstance(piece, str) else piece.place if piece.kind == "glob" else "…"
            for piece in self.pieces
        )

    @property
    def may_be_flag(self) -> bool:
        """Could it begin with a dash?"""
        for piece in self.pieces:
            if isinstance(piece, str):
                return piece.startswith("-")
            if piece.dashed:
                return True
            if piece.kind != "any":
                return False
        return False

    def computed_by_expansion(self) -> "Arg":
        return self if self.computed else Arg(self.pieces, self.many, computed=True)

    @property
    def single(self) -> "Arg":
        """The same as one argument."""
        return Arg(self.pieces, computed=self.computed) if self.many else self

    @property
    def item(self) -> "Arg":
        """The same as one argument that an expansion made."""
        return Arg(self.pieces, computed=True)


OUTSIDE = Arg((Hole("any", dashed=True, variable=True),), computed=True)
ANY = Arg((Hole("any", dashed=True),), computed=True)
MANY = Arg((Hole("any", dashed=True),), many=True, computed=True)
NUMBER = Arg((Hole("number"),), computed=True)
WORD = Arg((Hole("word"),), computed=True)

Args = tuple[Arg, ...]
Options = tuple[Args, ...]  # what a word, or an array, may turn out to be


class Value(Struct, frozen=True):
    """What a variable may hold: each option is one text, or the items of an array."""

    options: Options
    is_array: bool = False
    is_map: bool = False  # certainly declared with -A: its keys are no arithmetic


UNKNOWN = Value(((ANY,),))


def constant(text: str) -> Arg:
    return Arg((text,) if text else ())


def scalar(*args: Arg) -> Value:
    return Value(tuple((arg,) for arg in args))


def path_below(place: str, names: tuple[str, ...] = (), *, dashed: bool = False) -> Arg:
    return Arg((Hole("path", place, names, dashed),), computed=True)


def joined(left: Arg, right: Arg) -> Arg:
    """Two pieces of one argument side by side."""
    pieces = list(left.pieces)
    for piece in right.pieces:
        if pieces and isinstance(piece, str) and isinstance(pieces[-1], str):
            pieces[-1] += piece
        else:
            pieces.append(piece)
    many, computed = left.many or right.many, left.computed or right.computed
    last = pieces[-1] if pieces else ""
    if len(pieces) > MAX_PIECES or (isinstance(last, str) and len(last) > MAX_CHARS):
        return Arg(ANY.pieces, many, computed=True)
    return Arg(tuple(pieces), many, computed)


def widened(args: Iterable[Arg]) -> Arg:
    """One argument that stands for each of these."""
    found = set(args)
    if len(found) == 1:
        return found.pop()
    holes = {arg.hole for arg in found}
    if len(holes) == 1 and None not in holes:
        return Arg(next(iter(found)).pieces, many=True, computed=True)
    if all(_is_number(arg) for arg in found):
        return NUMBER
    if all(_is_word(arg) for arg in found):
        return WORD
    return Arg(ANY.pieces, any(arg.many for arg in found), computed=True)


def _is_number(arg: Arg) -> bool:
    if arg.text is not None:
        return re.fullmatch(_NUMBER, arg.text) is not None
    return arg.hole is not None and arg.hole.kind == "number"


def _is_word(arg: Arg) -> bool:
    if arg.text is not None:
        return re.fullmatch(r"[A-Za-z0-9_][\w.:@+-]*", arg.text) is not None
    return arg.hole is not None and arg.hole.kind in ("number", "word")


def is_number(arg: Arg) -> bool:
    """Digits, whatever they are: nothing that arithmetic would run."""
    return _is_number(arg)


def merged(values: Iterable[Value]) -> Value:
    """What a variable may hold after one of several ways was taken."""
    options: list[Args] = []
    is_array, is_map = False, True
    for value in values:
        is_array |= value.is_array
        is_map &= value.is_map
        options += [one for one in value.options if one not in options]
    if len(options) <= MAX_OPTIONS:
        return Value(tuple(options), is_array, is_map)
    every = [arg for option in options for arg in option]
    return Value(((widened(every),),), is_array, is_map)
