"""What commands print, as far as their arguments tell: so that it may be used further."""

import re
from collections.abc import Callable
from typing import Literal

from ankrcode.permissions.programs import Spec
from ankrcode.permissions.programs.options import Sorted
from ankrcode.permissions.shell.player import Call
from ankrcode.permissions.shell.scope import ANYTHING, Scope
from ankrcode.permissions.shell.values import (
    MANY,
    NUMBER,
    WORD,
    Arg,
    Args,
    Hole,
    constant,
    joined,
    path_below,
)

SYSTEM: Args = (path_below("/usr/bin"),)
_CUTTING = ("-c", "--count", "-o", "--only-matching", "-z", "-b", "-n", "-A", "-B", "-C")
_FORMAT = re.compile(r"(?:[^%]|%[sb])*")
_CONVERSION = re.compile(r"%([sb])")


def of(call: Call, spec: Spec, given: Sorted) -> Args:
    """What the program prints, by the word that its table has for it."""
    kind, *flags = (spec.program.output or "any").split()
    known = _KNOWN.get(kind)
    return ANYTHING if known is None else known(call, given, flags)


def _number(call: Call, given: Sorted, flags: list[str]) -> Args:
    """Numbers, unless a flag makes them something else."""
    return ANYTHING if given.has("-f", "--format", "-s", "-l", "-a", "-S") else (NUMBER,)


def _word(call: Call, given: Sorted, flags: list[str]) -> Args:
    return (WORD,)


def _system(call: Call, given: Sorted, flags: list[str]) -> Args:
    """The place of a program."""
    return place_of(given.rest)


def place_of(names: list[Arg]) -> Args:
    text = names[0].text if len(names) == 1 else None
    return (constant(f"/usr/bin/{text}\n"),) if text and "/" not in text else SYSTEM


def _counted(call: Call, given: Sorted, flags: list[str]) -> Args:
    """A number, if it reads its input and no file."""
    return ANYTHING if given.rest or given.has("--files0-from") else (NUMBER,)


def _all_paths(call: Call, given: Sorted, flags: list[str]) -> Args:
    return _paths(call, given.rest)


def _tracked(call: Call, given: Sorted, flags: list[str]) -> Args:
    """Files of the repository, where one of the flags asks for names only."""
    if flags and not given.has(*flags):
        return ANYTHING
    return (path_below(".", dashed=_dashed(call)),)


def _base(call: Call, given: Sorted, flags: list[str]) -> Args:
    """The last component of a path: may begin with a dash if nobody knows it."""
    if len(given.rest) == 1 and not given.flags and given.rest[0].text is not None:
        return (constant(given.rest[0].text.rstrip("/").rpartition("/")[2]),)
    return (Arg((Hole("word", dashed=True),), computed=True),)


def _first(call: Call, given: Sorted, flags: list[str]) -> Args:
    """A path made from the first argument."""
    return (_above(given.rest[0]),) if given.rest else ANYTHING


def _lines(call: Call, given: Sorted, flags: list[str]) -> Args:
    """A filter: grep's pattern is no file (`lines 1`). Flags that cut lines make them unknown."""
    plain = 1 if "1" in flags and not given.has("-e", "--regexp", "-f", "--file") else 0
    if given.has("-l", "--files-with-matches", "-L", "--files-without-match"):
        return _paths(call, given.rest[plain:])
    if given.has("-c", "--count") and plain and _is_about_one(given, plain):
        return (NUMBER,)
    is_plain = call.name in ("head", "tail", "sort") or not given.has(*_CUTTING)
    is_deep = bool(plain) and given.has("-r", "-R", "--recursive")
    if is_deep or len(given.rest) > plain or not is_plain or given.has("-c", "--bytes"):
        return ANYTHING
    if call.name == "sort":
        return tuple(one.computed_by_expansion() for one in call.scope.stdin)
    return tuple(_filtered(one) for one in call.scope.stdin)


def _is_about_one(given: Sorted, plain: int) -> bool:
    """grep -c of one file, or of its input: a number and no name before it."""
    files = given.rest[plain:]
    is_named = given.has("-r", "-R", "--recursive", "-H", "--with-filename")
    return not is_named and len(files) <= 1 and not any(arg.many for arg in files)


def _filtered(arg: Arg) -> Arg:
    """Known text loses lines, which may change what the rest means: only one line stays known."""
    if arg.text is not None and arg.text.rstrip("\n").count("\n"):
        return MANY
    hole = arg.hole
    if hole is not None and (hole.whole or hole.listing):  # some of them, no longer all
        hole = Hole(hole.kind, hole.place, hole.names, hole.dashed)
        return Arg((hole,), arg.many, computed=True)
    return Arg(arg.pieces, arg.many, computed=True)


def _paths(call: Call, args: list[Arg]) -> Args:
    """File names below what was given; below here if nothing was."""
    texts = [arg.text for arg in args if arg.text is not None]
    if len(texts) != len(args):
        return (path_below(".", dashed=_dashed(call)),) if _are_here(args) else ANYTHING
    if not texts:
        return (path_below(".", dashed=_dashed(call)),)
    return tuple(path_below(text) for text in texts[:8])


def _are_here(args: list[Arg]) -> bool:
    """Globs and holes that stay below the folder."""
    return all(
        (arg.pattern is not None and not arg.pattern.startswith("/") and ".." not in arg.pattern)
        for arg in args
    )


def _real(call: Call, given: Sorted, flags: list[str]) -> Args:
    """Where a path leads: one known path, if nothing makes it relative or only reads a link."""
    texts = [arg.text for arg in given.rest]
    is_link = call.name == "readlink" and not given.has("-f", "-e", "-m", "--canonicalize")
    if len(texts) != 1 or texts[0] is None or is_link or given.has("--relative-to"):
        return _paths(call, given.rest)
    places, text = call.shell.places, texts[0]
    return tuple(constant(places.both(text, cwd)[-1] + "\n") for cwd in call.scope.cwds) or ANYTHING


def _names(call: Call, given: Sorted, flags: list[str]) -> Args:
    """`ls` prints names without their folder; with -l it prints more than names."""
    if given.has("-l", "-g", "-o", "-n", "-s", "-i", "-Z", "-R", "--recursive", "--format"):
        return ANYTHING
    texts = [arg.text for arg in given.rest]
    if texts and given.has("-d", "--directory"):
        return tuple(arg.computed_by_expansion() for arg in given.rest[:8])
    if any(arg.text is None for arg in given.rest):
        return _paths(call, given.rest)
    hole = Hole("path", ".", dashed=_dashed(call), listing=not texts)
    return (Arg((hole,), computed=True),)


def _revision(call: Call, given: Sorted, flags: list[str]) -> Args:
    if given.has("--show-toplevel") and len(call.scope.cwds) == 1:
        places = call.shell.places
        roots = [root for root in places.roots if places.is_inside(call.scope.cwds[0])]
        return (constant(roots[0] + "\n"),) if roots else ANYTHING
    return (NUMBER,) if given.has("--count") else (WORD,)


def _searched(call: Call, given: Sorted, flags: list[str]) -> Args:
    if given.has("--files"):
        return _paths(call, given.rest)
    if given.has("-l", "--files-with-matches", "--files-without-match"):
        return _paths(call, given.rest[0 if given.has("-e", "--regexp", "-f", "--file") else 1 :])
    return ANYTHING


def _dashed(call: Call) -> bool:
    return any(call.shell.places.has_dashed_names(cwd) for cwd in call.scope.cwds)


def _above(arg: Arg) -> Arg:
    if arg.text is not None:
        folder, slash, _ = arg.text.rstrip("/").rpartition("/")
        return Arg(
            (folder.rstrip("/") or ("/" if slash or arg.text[:1] == "/" else "."),), computed=True
        )
    hole = arg.hole
    if hole is not None and hole.kind == "path":
        return Arg((Hole("path", hole.place),), arg.many, computed=True)
    return Arg(arg.pieces, arg.many, computed=True)


# ── commands that print what they are given ───────────────────────────────────────────────────
def echo(args: Args, *, newline: bool = True) -> Args:
    found = Arg(())
    for place, arg in enumerate(args):
        found = joined(joined(found, constant(" ")) if place else found, arg)
    hole = found.hole
    if hole is not None:
        return (found,)
    return (joined(found, constant("\n")) if newline else found,)


def printf(args: Args) -> Args:
    """Plain formats only: text, escapes, %s and %b."""
    if not args or args[0].text is None or not _FORMAT.fullmatch(args[0].text):
        return ANYTHING
    pieces = _CONVERSION.split(args[0].text)  # text, letter, text, letter, text
    letters, texts = pieces[1::2], [unescaped(one, "format") for one in pieces[::2]]
    rest = args[1:] or (Arg(()),)
    if not letters:
        return ANYTHING if texts[0] is None else (constant(texts[0]),)
    found = Arg(())
    for start in range(0, len(rest), len(letters)):
        for place, piece in enumerate(texts):
            given = _converted(letters, rest, place, start + place)
            if piece is None or given is None:
                return ANYTHING
            found = joined(joined(found, constant(piece)), given)
    return (found,)


def _converted(letters: list[str], rest: Args, place: int, at: int) -> Arg | None:
    """What %s or %b at this place becomes; None where nobody knows."""
    if place >= len(letters) or at >= len(rest):
        return Arg(())
    if letters[place] == "s":
        return rest[at]
    text = rest[at].text
    known = unescaped(text, "%b") if text is not None else None
    return None if known is None else constant(known)


_COMMON = r"x[0-9A-Fa-f]{1,2}|u[0-9A-Fa-f]{1,4}|U[0-9A-Fa-f]{1,8}|[abefnrtv\\]"
_ESCAPES = {  # text: compiled by its first use, not by every start
    "format": rf"(?s)\\(?:({_COMMON}|[0-7]{{1,3}}|['\"?])|(.?))",
    "%b": rf"(?s)\\(?:({_COMMON}|0?[0-7]{{1,3}}|['\"?])|(.?))",
    "echo": rf"(?s)\\(?:({_COMMON}|0[0-7]{{0,3}})|(.?))",
}
_PLAIN_ESCAPES = dict(zip("abefnrtv", "\a\b\x1b\f\n\r\t\v", strict=True))


def unescaped(text: str, where: Literal["format", "%b", "echo"]) -> str | None:
    """As printf and `echo -e` read backslashes, each by its own rules; None for other escapes."""
    if "\\" not in text:
        return text
    pattern = re.compile(_ESCAPES[where])
    if any(found[1] is None for found in pattern.finditer(text)):
        return None
    try:
        return pattern.sub(_character, text)
    except ValueError:  # beyond the last character
        return None


def _character(found: re.Match[str]) -> str:
    code = found[1]
    if code[0] in "xuU":
        return chr(int(code[1:], 16))
    return chr(int(code, 8) & 0xFF) if code[0].isdigit() else _PLAIN_ESCAPES.get(code, code)


def lines_of(scope: Scope) -> list[Arg]:
    """Each line of the input, one argument that stands for all where it is not known."""
    found: list[Arg] = []
    for one in scope.stdin:
        if one.text is not None:
            found += [constant(line) for line in one.text.splitlines() if line]
        else:
            found.append(one)
    return found


_KNOWN: dict[str, Callable[[Call, Sorted, list[str]], Args]] = {
    "number": _number,
    "numbers": _counted,
    "word": _word,
    "system": _system,
    "lines": _lines,
    "paths": _all_paths,
    "real": _real,
    "names": _names,
    "tracked": _tracked,
    "first": _first,
    "base": _base,
    "rev-parse": _revision,
    "rev-list": _revision,
    "rg": _searched,
}
