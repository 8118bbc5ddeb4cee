"""Commands that run commands: the inner one is found and judged as if it stood alone."""

import re
import shlex
from collections.abc import Callable

from ankrcode.permissions.programs import Spec, lookup
from ankrcode.permissions.programs.catastrophe import DESTROYERS
from ankrcode.permissions.programs.knowledge import apply, check_flags, only_informs
from ankrcode.permissions.programs.options import Sorted, sort
from ankrcode.permissions.shell import variables
from ankrcode.permissions.shell.builtins import scripts_in
from ankrcode.permissions.shell.expansion import split
from ankrcode.permissions.shell.outputs import lines_of
from ankrcode.permissions.shell.player import Call
from ankrcode.permissions.shell.scope import ANYTHING
from ankrcode.permissions.shell.values import (
    MANY,
    MAX_ITEMS,
    UNKNOWN,
    Arg,
    Args,
    Hole,
    constant,
    merged,
    scalar,
)

# Patterns are text here: each is compiled by its first use, not by every start.
_PLAIN_ZSH = r"(?!.*(?:^|\s)=)[\w\s./,:+@%'\"|;&=-]*"
_SPLIT = r"[\w\s./,:+@%=-]*"
_VALUED = {"-o", "+o", "-O", "+O", "--rcfile", "--init-file"}
_REPLACES = ("-I", "--replace", "-i")
_POSIX = {"sh", "dash", "ash", "ksh", "mksh", "zsh"}


def spec_of(call: Call) -> Spec:
    spec = lookup(call.name)
    assert spec is not None, call.name
    return spec


# ── env, sudo ─────────────────────────────────────────────────────────────────────────────────
def env(call: Call) -> Args:
    """Its flags, then assignments, then a command; without a command it prints everything."""
    spec = spec_of(call)
    if only_informs(call, spec):
        return ANYTHING
    call.scope = call.scope.copy()
    given = sort(spec, call.args)
    check_flags(call, spec, given)
    rest = [arg for place, arg in enumerate(given.rest) if place or arg.text != "-"]
    whole = given.value("-S", "--split-string")
    if whole is not None:
        rest = [*_split_string(call, whole), *rest]
    rest = _without_assignments(call, rest)
    if rest:
        return call.run(tuple(rest))
    if call.name == "env":
        call.ledger.ask("environment", "secret", "env")
    return ANYTHING


def _split_string(call: Call, whole: Arg) -> list[Arg]:
    if whole.text is None or not re.fullmatch(_SPLIT, whole.text):
        call.ledger.doubt("env -S takes its text apart by rules of its own")
        return _split_by_its_rules(call, whole.text or "")
    return [constant(word) for word in whole.text.split()]


def _split_by_its_rules(call: Call, text: str) -> list[Arg]:
    """Blanks, quotes, backslashes and ${NAME}, nearly as a shell has them."""
    home = call.shell.places.env.home
    text = text.replace("\\_", " ").replace("${HOME}", home)
    try:
        return [constant(word) for word in shlex.split(text)]
    except ValueError:  # a quote is open
        return [constant(word) for word in text.split()]


def _without_assignments(call: Call, rest: list[Arg]) -> list[Arg]:
    while rest and "=" in rest[0].prefix and not rest[0].prefix.startswith("-"):
        name, _, value = rest[0].prefix.partition("=")
        if variables.danger(name, value if rest[0].text is not None else None):
            call.ledger.ask("variable", "change", name)
        held = Arg(((value,) if value else ()) + rest[0].pieces[1:], computed=True)
        call.scope.variables[name] = scalar(held)
        rest = rest[1:]
    return rest


def sudo(call: Call) -> Args:
    """Other rights for a command: always asked, and the command is judged too."""
    spec = spec_of(call)
    if only_informs(call, spec):
        return ANYTHING
    given = sort(spec, call.args)
    call.ledger.ask("other_rights", "execute", call.name)
    call.scope = call.scope.copy()
    for one in given.flags:
        if one.flag.kind == "script" and one.value is not None and one.value.text:
            call.run_text(one.value.text)
    rest = _without_assignments(call, list(given.rest))
    if call.name == "su" or (call.name == "runuser" and not given.has("-u", "--user")):
        return ANYTHING
    return call.run(tuple(rest)) if rest else ANYTHING


# ── xargs ─────────────────────────────────────────────────────────────────────────────────────
def xargs(call: Call) -> Args:
    """Its command gets what stands in the input as further arguments."""
    spec = spec_of(call)
    if only_informs(call, spec):
        return ANYTHING
    given = sort(spec, call.args)
    check_flags(call, spec, given)
    command = tuple(given.rest) or (constant("echo"),)
    marker = _marker(given)
    items = _items(call, given, is_by_line=bool(marker))
    if marker:
        return _each(call, command, items, marker)
    return call.run((*command, *items))


def _items(call: Call, given: Sorted, *, is_by_line: bool) -> list[Arg]:
    """What it reads, taken apart: at blanks, by line for -I, at zero bytes for -0."""
    file = given.value("-a", "--arg-file")
    scope = call.scope
    if file is not None:
        scope = scope.copy()
        scope.stdin = call.shell.expander.files.get(file.text or "", (MANY,))
    delimiter = given.value("-d", "--delimiter")
    if delimiter is not None and delimiter.text not in ("\\n", "\n"):
        return [MANY]
    is_by_line |= delimiter is not None
    is_by_zero = given.has("-0", "--null")
    apart = r"\0" if is_by_zero else r"\0|$" if is_by_line else r"[ \t\0]+"
    found: list[Arg] = []
    for line in lines_of(scope):
        if line.text is not None and not is_by_zero and set(line.text) & set("'\"\\"):
            found.append(MANY)
        if line.text is not None:
            found += [constant(word.strip()) for word in re.split(apart, line.text) if word]
        else:
            found += [Arg(one.pieces, many=True, computed=True) for one in split(_bare(line))]
    return [Arg(one.pieces, one.many, computed=True) for one in found[:64]]


def _bare(line: Arg) -> Arg:
    """File names by a pattern, without what separates each from the next."""
    *start, last = line.pieces
    if not isinstance(last, str) or not line.many:
        return line
    name = last.rstrip("\0\n")
    pieces = (*start, name) if name else tuple(start)
    is_one = not any(isinstance(one, str) and set(one) & set(" \t\n\0") for one in pieces)
    return Arg(pieces, many=True, computed=True) if is_one else line


def _marker(given: Sorted) -> str:
    if not given.has(*_REPLACES):
        return ""
    value = given.value(*_REPLACES)
    return (value.text if value is not None else None) or "{}"


def _each(call: Call, command: Args, items: list[Arg], marker: str) -> Args:
    for item in items[:MAX_ITEMS]:
        call.run(tuple(replaced(arg, marker, item.item) for arg in command))
    if len(items) > MAX_ITEMS:
        call.ledger.doubt("xargs is given too much to look at")
    return ANYTHING


def replaced(arg: Arg, marker: str, item: Arg) -> Arg:
    """The argument with every marker in it replaced."""
    pieces: list[str | Hole] = []
    for piece in arg.pieces:
        if not isinstance(piece, str) or marker not in piece:
            pieces.append(piece)
            continue
        for place, text in enumerate(piece.split(marker)):
            pieces += [*(item.pieces if place else ()), *([text] if text else [])]
    merged: list[str | Hole] = []
    for piece in pieces:
        if merged and isinstance(piece, str) and isinstance(merged[-1], str):
            merged[-1] += piece
        else:
            merged.append(piece)
    return Arg(tuple(merged), arg.many, arg.computed or tuple(merged) != arg.pieces)


# ── shells ────────────────────────────────────────────────────────────────────────────────────
def shell(call: Call) -> Args:
    """`bash -c TEXT`, `bash FILE`, `bash` with a script in its input."""
    letters, rest, startup = _shell_flags(call)
    if startup:
        call.ledger.ask("startup", "execute", f"{call.name} {startup}")
    if rest and rest[0].text in ("--version", "--help"):
        return ANYTHING
    if "c" in letters:
        return _shell_text(call, rest)
    if rest and "s" not in letters:
        if "n" in letters:  # only checks the syntax
            call.shell.touching.read(rest[0], call.scope)
        else:
            for script in scripts_in(call, rest[0]):
                call.run_text(script)
            call.ledger.ask("code", "execute", rest[0].shown)
        return ANYTHING
    return _shell_input(call, rest)


def foreign_shell(call: Call) -> Args:
    """fish, csh …: their language is another one; what is plain in it is looked at all the same."""
    place = next((at for at, text in enumerate(call.texts) if text in ("-c", "--command")), None)
    for text in call.texts[place + 1 : place + 2] if place is not None else ():
        call.run_text(text or "")
    call.ledger.ask("program_runs", "execute", call.name)
    return ANYTHING


def launch(call: Call) -> Args:
    """screen, tmux, npx …: somewhere behind their own words stands a command, or a script."""
    for text in call.texts:
        if text is not None and " " in text:
            call.run_text(text)
    _run_what_is_named(call)
    return apply(call, spec_of(call))


def unknown(call: Call) -> Args:
    """Nobody knows what it does, but if it is given a command that destroys, it may run that."""
    call.ledger.ask("unknown_program", "execute", call.name)
    _run_what_is_named(call)
    return ANYTHING


def _run_what_is_named(call: Call) -> None:
    for place, text in enumerate(call.texts):
        if text in DESTROYERS or text in WRAPPERS:
            call.run(call.args[place:])
            return


def _shell_flags(call: Call) -> tuple[str, list[Arg], str]:
    letters, startup = "", ""
    args = list(call.args)
    while args:
        text = args[0].text
        if text is None or not text.startswith(("-", "+")) or text in ("--version", "--help"):
            break
        args.pop(0)
        if text in ("-", "--"):
            break
        if text in _VALUED or text.endswith("o"):
            value = args.pop(0) if args else None
            startup = startup or (text if text.startswith("--") else "")
            if text.endswith("O") and value is not None:
                startup = startup or text
        if text.startswith("--"):
            is_quiet = text in ("--norc", "--noprofile", "--posix", "--restricted", "--verbose")
            startup = startup or ("" if is_quiet or text in _VALUED else text)
        else:
            letters += text[1:]
            startup = startup or (text if set(text[1:]) & set("li") else "")
    return letters, args, startup


def _shell_text(call: Call, rest: list[Arg]) -> Args:
    if not rest or rest[0].text is None:
        call.ledger.ask("computed", "execute", call.name)
        return ANYTHING
    text = rest[0].text
    if call.name in ("zsh", "fish", "csh", "tcsh") and not re.fullmatch(_PLAIN_ZSH, text):
        call.ledger.doubt(f"{call.name} may read this otherwise than bash")
    scope = call.deeper()
    scope.is_posix = call.name in _POSIX
    scope.functions = {}
    held = call.scope.variables  # a process of its own: who knows what was exported
    scope.variables = {name: merged([held[name], UNKNOWN]) for name in held}
    scope.positional = (tuple(rest[2:]),)
    if len(rest) > 1:
        scope.variables["0"] = scalar(rest[1].item)
    return call.shell.run_text(text, scope)


def _shell_input(call: Call, args: list[Arg]) -> Args:
    """`bash` and `bash -s ARGUMENTS`: the script stands in the input."""
    call.scope = call.scope.copy()
    call.scope.positional = (tuple(args),)
    outputs: list[Args] = []
    for given in call.scope.stdin:
        if given.text is None:
            call.ledger.ask("input_code", "execute", call.name)
            return ANYTHING
        outputs.append(call.run_text(given.text, is_posix=call.name in _POSIX))
    return outputs[0] if len(outputs) == 1 else ANYTHING


WRAPPERS: dict[str, Callable[[Call], Args]] = {
    "env": env,
    **dict.fromkeys(("sudo", "doas", "su", "runuser", "pkexec"), sudo),
    "xargs": xargs,
    **dict.fromkeys(("bash", "sh", "dash", "ash", "ksh", "mksh", "zsh", "rbash"), shell),
    **dict.fromkeys(("fish", "csh", "tcsh"), foreign_shell),
    **dict.fromkeys(("screen", "tmux", "npx", "bunx", "pnpx", "entr"), launch),
}
