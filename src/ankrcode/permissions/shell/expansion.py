"""From a word to the arguments it may become: braces, tilde, parameters, splitting, globs."""

import re
from collections.abc import Callable, Sequence

from ankrcode.permissions.effects import Ledger
from ankrcode.permissions.places import Places
from ankrcode.permissions.shell import parameters, variables
from ankrcode.permissions.shell.scope import ANYTHING, Scope
from ankrcode.permissions.shell.syntax import (
    Arithmetic,
    Param,
    Part,
    ProcessFile,
    Script,
    Substitution,
    Text,
    Unparsed,
    Word,
)
from ankrcode.permissions.shell.values import (
    ANY,
    MANY,
    MAX_OPTIONS,
    NUMBER,
    Arg,
    Args,
    Hole,
    Options,
    constant,
    is_number,
    joined,
    widened,
)

# Patterns are text here: each is compiled by its first use, not by every start.
_GLOB = r"\*+|\?|\[[^\]/]+\]"
_TILDE = r"~([A-Za-z_][\w.-]*|[+-])?(?=/|:|$)"
_LIKE_ASSIGNED = r"(?a)[A-Za-z_]\w*(?:\[[^\]]*\])?\+?="
_RISKY = "[$`]"
_NAMES = r"[A-Za-z_]\w*"

Substitute = Callable[[Script, Scope], Args]
Fields = list[Arg]
Growing = tuple[Fields, bool]  # the fields so far; is the last one still open?


class Expander:
    """Expands words in a scope; what is found on the way goes to the ledger."""

    def __init__(self, ledger: Ledger, places: Places, substitute: Substitute) -> None:
        self.ledger = ledger
        self.places = places
        self.substitute = substitute
        self.files: dict[str, Args] = {}  # what stands in the files of <(…)
        self._sinks: dict[str, tuple[Script, Scope]] = {}  # who reads the files of >(…)

    # ── whole words ───────────────────────────────────────────────────────────────────────────
    def words(self, words: Sequence[Word], scope: Scope) -> Options:
        """Every list of arguments that these words may become."""
        options: list[Args] = [()]
        for word in words:
            following = self.word(word.parts, scope)
            options = [(*before, *after) for before in options for after in following]
            if len(options) > MAX_OPTIONS:
                options = [_one_for_all(options)]
        return tuple(options)

    def word(self, parts: tuple[Part, ...], scope: Scope) -> Options:
        if len(parts) == 1 and isinstance(parts[0], Text):
            only = parts[0]
            if only.quoted or not (set(only.text) & set("{~*?[")):
                return ((constant(only.text),),)
        found: list[Args] = [()]
        before_braces = _like_assigned(parts)
        for one in _without_braces(parts):
            told = _with_tilde(one, scope, self.places.env.home, behind=before_braces)
            options = self._fields(told, scope)
            found = [(*before, *after) for before in found for after in options]
            if len(found) > MAX_OPTIONS:
                found = [_one_for_all(found)]
        return tuple(found)

    def text(self, parts: tuple[Part, ...], scope: Scope, *, tilde: bool = False) -> Args:
        """One argument without splitting: assignments, redirections, here-documents."""
        if tilde:
            parts = _with_tilde(parts, scope, self.places.env.home, after_colons=True)
        options: list[Arg] = [Arg(())]
        for part in parts:
            values = self._single(part, scope)
            options = [joined(left, right) for left in options for right in values]
            if len(options) > MAX_OPTIONS:
                options = [widened(options)]
        return tuple(one.single for one in options)

    def _single(self, part: Part, scope: Scope) -> Args:
        """A part as one piece of text, joined where it is several."""
        if isinstance(part, Text):
            return (constant(part.text),)
        return tuple(_together(fields) for fields in self._part(part, scope))

    # ── fields ────────────────────────────────────────────────────────────────────────────────
    def _fields(self, parts: Sequence[Part], scope: Scope) -> Options:
        options: list[Growing] = [([], False)]
        for part in parts:
            pieces = self._part(part, scope)
            is_quoted = not isinstance(part, Param | Substitution) or part.quoted
            options = [_appended(one, piece, is_quoted) for one in options for piece in pieces]
            if len(options) > MAX_OPTIONS:
                options = [(list(_one_for_all([tuple(fields) for fields, _ in options])), True)]
        return tuple(tuple(self._checked(arg, scope) for arg in fields) for fields, _ in options)

    def _checked(self, arg: Arg, scope: Scope) -> Arg:
        """A glob that may find a name that begins with a dash says so."""
        first = arg.pieces[0] if arg.pieces else ""
        if not isinstance(first, Hole) or first.kind != "glob" or first.dashed:
            return arg
        if not any(self.places.has_dashed_names(cwd) for cwd in scope.cwds):
            return arg
        hole = Hole("glob", first.place, dashed=True)
        return Arg((hole, *arg.pieces[1:]), arg.many, arg.computed)

    def _part(self, part: Part, scope: Scope) -> Options:
        """What one part may be: each option a list of texts (more than one only for $@)."""
        match part:
            case Text(text=text, quoted=True):
                return ((constant(text),),)
            case Text(text=text):
                return ((globbed(text),),)
            case Param():
                return self._param(part, scope)
            case Substitution(script=script):
                outputs = self.substitute(script, scope)
                return tuple((_without_newlines(one),) for one in outputs)
            case ProcessFile(script=script, direction=direction):
                inner = scope.copy()
                inner.stdin = ANYTHING if direction == ">" else scope.stdin
                inner.forks += 1
                name = f"/dev/fd/{63 + len(self.files)}"
                self.files[name] = self.substitute(script, inner)
                if direction == ">":
                    self._sinks[name] = script, inner
                return ((Arg((name,), computed=True),),)
            case Arithmetic(parts=parts):
                self.calculate(parts, scope)
                return ((NUMBER,),)

    def pour(self, name: str | None, output: Args) -> None:
        """What is written to a file of >(…) is read there."""
        if name in self._sinks and output != ANYTHING:
            script, scope = self._sinks[name]
            inner = scope.copy()
            inner.stdin = output
            self.substitute(script, inner)

    def _param(self, part: Param, scope: Scope) -> Options:
        if part.index is not None and part.index:
            self._index(part, scope)
        if variables.is_secret(part.name) and part.name not in scope.variables:
            self.ledger.ask("secret_variable", "secret", f"${part.name}")
        problem = parameters.doubtful(part)
        if problem:
            self.ledger.doubt(problem)
            return self._indirect(part, scope) if part.prefix == "!" else ((MANY,),)
        operands: Args = ()
        if part.operand:
            if part.operator == ":":
                self.calculate(part.operand, scope)
            operands = self.text(part.operand, scope, tilde=part.operator in parameters.DEFAULTS)
        return parameters.expanded(part, operands, scope, self.places.env.home)

    def _indirect(self, part: Param, scope: Scope) -> Options:
        """`${!x}`: what the variable holds that x names."""
        home = self.places.env.home
        names = [
            arg.text
            for option in parameters.value_of(part.name, scope, home).options
            for arg in option
        ]
        if None in names:
            return ((MANY,),)
        return tuple(
            one for name in names for one in parameters.value_of(name or "", scope, home).options
        )

    def _index(self, part: Param, scope: Scope) -> None:
        if part.index and parameters.index_of(part) not in ("@", "*"):
            self.index(part.name, part.index, scope)

    def index(self, name: str, parts: tuple[Part, ...], scope: Scope) -> None:
        """Of an array it is calculated, of a map it is text."""
        held = scope.variables.get(name)
        if held is not None and held.is_map:
            self.text(parts, scope)
        else:
            self.calculate(parts, scope)

    # ── arithmetic ────────────────────────────────────────────────────────────────────────────
    def calculate(self, parts: tuple[Part, ...], scope: Scope) -> None:
        """bash evaluates text in arithmetic again: only numbers and names may stand there."""
        for option in self.text(parts, scope):
            for piece in option.pieces:
                if isinstance(piece, Hole) and piece.kind != "number":
                    self.ledger.ask("arithmetic", "execute", option.shown)
                if isinstance(piece, str):
                    self._calculate_text(piece, scope)

    def _calculate_text(self, text: str, scope: Scope) -> None:
        if re.search(_RISKY, text):
            self.ledger.ask("arithmetic", "execute", text)
        for name in set(re.findall(_NAMES, text)):
            self._calculate_name(name, scope)
        for name in re.findall(r"([A-Za-z_]\w*)\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)", text):
            scope.variables[name] = parameters.NUMBER_VALUE
            if variables.danger(name):
                self.ledger.ask("variable", "change", name)

    def _calculate_name(self, name: str, scope: Scope, seen: frozenset[str] = frozenset()) -> None:
        """What a variable holds is calculated too, and the variables named in that."""
        value = scope.variables.get(name)
        for option in value.options if value and name not in seen else ():
            for arg in option:
                if not is_number(arg) and arg.text != "" and not _is_plain_sum(arg):
                    self.ledger.ask("arithmetic", "execute", name)
                for inner in re.findall(_NAMES, arg.text or ""):
                    self._calculate_name(inner, scope, seen | {name})


def _is_plain_sum(arg: Arg) -> bool:
    return arg.text is not None and re.fullmatch(r"[\w\s+*/%()<>=!&|^-]*", arg.text) is not None


def globbed(text: str, *, computed: bool = False) -> Arg:
    """Unquoted text: its globs become holes."""
    if not (set(text) & set("*?[")):
        return Arg((text,) if text else (), computed=computed)
    pieces: list[str | Hole] = []
    at = 0
    for found in re.finditer(_GLOB, text):
        if found.start() > at:
            pieces.append(text[at : found.start()])
        pieces.append(Hole("glob", found[0]))
        at = found.end()
    if at < len(text):
        pieces.append(text[at:])
    many = any(isinstance(piece, Hole) for piece in pieces)
    return Arg(tuple(pieces), many=many, computed=computed)


def _appended(before: Growing, pieces: Args, is_quoted: object) -> Growing:
    """The fields with one more part: joined to the open field, or split into new ones."""
    texts = list(pieces) if is_quoted else [one for piece in pieces for one in split(piece)]
    fields, is_open = list(before[0]), before[1]
    if not texts:
        return fields, is_open
    starts_apart = not is_quoted and bool(pieces) and _is_blank(pieces[0], 0)
    ends_apart = not is_quoted and bool(pieces) and _is_blank(pieces[-1], -1)
    if is_open and not starts_apart:
        fields[-1] = joined(fields[-1], texts[0])
        texts = texts[1:]
    fields += texts
    return fields, not ends_apart


def _is_blank(arg: Arg, place: int) -> bool:
    piece = arg.pieces[place] if arg.pieces else ""
    return isinstance(piece, str) and piece[place:][:1] in (" ", "\t", "\n")


def split(arg: Arg) -> list[Arg]:
    """An unquoted value at its blanks, as bash splits it; its globs come alive."""
    if arg.text is not None:
        return [globbed(text, computed=True) for text in arg.text.split()]
    hole = arg.hole
    if hole is not None and hole.kind in ("number", "word"):
        return [arg]
    return [Arg(arg.pieces, many=True, computed=True)]


def _together(fields: Args) -> Arg:
    found = Arg(())
    for place, field in enumerate(fields):
        found = joined(joined(found, constant(" ")) if place else found, field)
    return found


def _without_newlines(arg: Arg) -> Arg:
    """What a substitution leaves of an output."""
    if arg.text is not None:
        text = arg.text.replace("\0", "").rstrip("\n")
        return Arg((text,) if text else (), computed=True)
    return arg.computed_by_expansion()


def _one_for_all(options: Sequence[Args]) -> Args:
    """Too many ways to look at each: the first argument may still be one and the same."""
    first = {option[:1] for option in options}
    every = widened(arg for option in options for arg in option[1:])
    rest = Arg((every.pieces or ANY.pieces), many=True, computed=True)
    return (*first.pop(), rest) if len(first) == 1 else (rest,)


def _like_assigned(parts: Sequence[Part]) -> int:
    """How much of a word looks like `name=`: wherever `of=~/x` stands, bash expands its `~`."""
    first = parts[0]
    if not isinstance(first, Text) or first.quoted:
        return 0
    found = re.match(_LIKE_ASSIGNED, first.text)
    return found.end() if found else 0


def _with_tilde(
    parts: Sequence[Part], scope: Scope, home: str, *, after_colons: bool = False, behind: int = 0
) -> tuple[Part, ...]:
    first = parts[0] if parts else None
    if not isinstance(first, Text) or first.quoted or "~" not in first.text:
        return tuple(parts)
    if behind:
        rest = (Text(first.text[behind:], quoted=False), *parts[1:])
        told = _with_tilde(rest, scope, home, after_colons=True)
        return (Text(first.text[:behind], quoted=False), *told)
    is_whole = len(parts) == 1
    texts = first.text.split(":") if after_colons else [first.text]
    for place, text in enumerate(texts):
        found = re.match(_TILDE, text)
        odd = found and not (is_whole or after_colons) and text[found.end() :].startswith(":")
        if odd or (found is None and text.startswith("~")):
            raise Unparsed("what bash makes of this '~' depends on all that follows")
        ends_here = found and found.end() == len(text)
        if found and (not ends_here or is_whole or place < len(texts) - 1):
            texts[place] = _home_of(found[1], scope, home) + text[found.end() :]
    return (Text(":".join(texts), quoted=False), *parts[1:])


def _home_of(user: str | None, scope: Scope, home: str) -> str:
    if not user:
        return home
    if user in ("+", "-"):
        return scope.cwds[0] if user == "+" and scope.cwds else home
    return "/root" if user == "root" else f"/home/{user}"


def _without_braces(parts: tuple[Part, ...]) -> list[tuple[Part, ...]]:
    if not any(isinstance(part, Text) and not part.quoted and "{" in part.text for part in parts):
        return [parts]
    from ankrcode.permissions.shell import braces  # few lines have any

    return braces.expanded(parts)
