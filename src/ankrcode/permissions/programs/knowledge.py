"""A program by its table: every flag, every value, every argument looked at by its kind."""

from ankrcode.permissions.programs import Class, Positional, Spec
from ankrcode.permissions.programs.options import Sorted, sort
from ankrcode.permissions.shell import outputs
from ankrcode.permissions.shell.player import Call
from ankrcode.permissions.shell.scope import ANYTHING
from ankrcode.permissions.shell.values import Arg, Args

# Kinds of arguments that do nothing by themselves, and those from which on all is one command.
DATA = frozenset(("text", "pattern", "number", "name", "exists", "label"))
RESTS = frozenset(("command", "words"))
_LOUDER = ("--verbose", "-v", "--json", "--short", "--no-color", "--build-options")
_HELP = ("--help", "-h", "-help", "help")
_WHY = {"write": "program_writes", "execute": "program_runs", "connect": "program_connects"}


def apply(call: Call, spec: Spec) -> Args:
    """Judge the call by the table; what it prints, as far as that is known."""
    if spec.program.obeys and _is_misled(call, spec.program.obeys.split()):
        call.ledger.ask("program_runs", "execute", spec.name)
        return ANYTHING
    if only_informs(call, spec):
        return ANYTHING
    if spec.has_commands:
        return _command(call, spec)
    given = sort(spec, call.args)
    call.spec, call.given = spec, given
    for acts, flags in spec.needs.items():
        if not given.has(*flags) and (given.rest or not spec.program.filters):
            note_class(call, acts, spec.name)
    if spec.acts != "read":
        note_class(call, spec.acts, spec.name, is_named=spec.program.named and bool(given.rest))
        given.faults.clear()  # asked in any case, and for a better reason
    check_flags(call, spec, given)
    if spec.acts != "read" and not spec.positionals:
        return ANYTHING
    before = len(call.ledger.effects)
    output = check_rest(call, spec, given)
    if len(call.ledger.effects) == before:  # no file named: it may look around where it is
        call.ledger.looked_in |= dict.fromkeys(call.scope.cwds)
    if output is not None:
        return output
    return outputs.of(call, spec, given)


def only_informs(call: Call, spec: Spec) -> bool:
    """`x --version`, `x --version --verbose`, `x build --help`: it speaks about itself."""
    texts = call.texts
    if not texts:
        return False
    if texts[0] in spec.info:
        return all(text in spec.info or text in _LOUDER for text in texts)
    return len(texts) == 2 and texts[0] in spec.helps and texts[1] in _HELP  # noqa: PLR2004


def _is_misled(call: Call, names: list[str]) -> bool:
    """Does a file here, or in a folder above, say what the program does?"""
    cwds = call.scope.cwds
    return not cwds or any(call.shell.places.is_above(name, cwd) for name in names for cwd in cwds)


def _command(call: Call, spec: Spec) -> Args:
    """A program with sub-commands: its own flags first, then whoever knows the sub-command."""
    given = sort(spec, call.args, stops=True)
    if spec.name != "git":
        call.scope = call.scope.copy()
    check_flags(call, spec, given)
    if not given.rest:
        note_class(call, spec.program.bare or "execute", spec.name)
        return ANYTHING
    name = given.rest[0].text
    inner = spec.command(name) if name is not None else None
    if inner is None:
        call.ledger.ask("unknown_command", "execute", f"{spec.name} {given.rest[0].shown}")
        return ANYTHING
    follow = Call(call.shell, inner.name, tuple(given.rest[1:]), call.scope)
    return apply(follow, inner)


def note_class(call: Call, acts: Class, what: str, *, is_named: bool = False) -> None:
    if is_named:  # each file is noted where it is named
        call.ledger.ask_for(_WHY[acts], what)
    elif acts != "read":
        call.ledger.ask(_WHY[acts], acts, "" if acts == "write" else what, what=what)


def check_flags(call: Call, spec: Spec, given: Sorted) -> None:
    for fault in given.faults:
        call.ledger.ask("unknown_flag", "unknown", f"{spec.name} {fault}")
    for one in given.flags:
        flag = one.flag
        policy = spec.policy.get(flag.name, "")
        if flag.acts != "read" or policy:
            acts = "write" if flag.acts == "read" else flag.acts
            name = f"{spec.name} {flag.name}"
            kind = "change" if policy else acts
            if kind == "write" and flag.kind == "write":  # its value says what is written
                call.ledger.ask_for("flag", name)
            else:
                call.ledger.ask("flag", kind, "" if kind == "write" else name, policy, what=name)
        if one.value is not None:
            _look_at(call, flag.kind, one.value)


def check_rest(call: Call, spec: Spec, given: Sorted) -> Args | None:
    """Each plain argument by its kind; the output where an argument is itself a command."""
    kinds = _kinds(spec.positionals, given)
    if any(arg.many for arg in given.rest) and len(set(kinds)) > 1:
        return _check_loosely(call, spec, given, kinds)
    for place, arg in enumerate(given.rest):
        kind = _kind_at(kinds, place, len(given.rest))
        if kind is None:
            call.ledger.ask("unknown_argument", "unknown", f"{spec.name} {arg.shown}")
        elif kind in RESTS:
            return _run_rest(call, kind, given.rest[place:])
        else:
            _look_at(call, kind, arg)
    return None


def _look_at(call: Call, kind: str, arg: Arg) -> None:
    if kind in DATA:
        return
    from ankrcode.permissions.programs.kinds import KINDS  # slow to load, for a first command

    KINDS[kind](call, arg)


def _run_rest(call: Call, kind: str, args: list[Arg]) -> Args:
    from ankrcode.permissions.programs.kinds import REST

    return REST[kind](call, tuple(args))


def _kinds(positionals: list[Positional], given: Sorted) -> list[str]:
    """The kinds that count here, the repeated one marked by a star."""
    found: list[str] = []
    for one in positionals:
        if one.unless and given.has(*one.unless):
            continue
        if one.only_if and not given.has(*one.only_if):
            continue
        found.append(one.kind + ("*" if one.repeats else ""))
    return found


def _kind_at(kinds: list[str], place: int, count: int) -> str | None:
    star = next((at for at, kind in enumerate(kinds) if kind.endswith("*")), None)
    if star is None:
        return kinds[place] if place < len(kinds) else None
    behind = len(kinds) - star - 1
    if place < star:
        return kinds[place]
    if place >= count - behind and count > star:
        return kinds[len(kinds) - (count - place)]
    return kinds[star].rstrip("*")


def _check_loosely(call: Call, spec: Spec, given: Sorted, kinds: list[str]) -> Args | None:
    """An argument that may be several: from there on, any kind may stand anywhere."""
    names = [kind.rstrip("*") for kind in kinds]
    first = next(place for place, arg in enumerate(given.rest) if arg.many)
    for place, arg in enumerate(given.rest):
        if place < first and place < len(names):
            if names[place] in RESTS:
                return _run_rest(call, names[place], given.rest[place:])
            _look_at(call, names[place], arg)
            continue
        for name in dict.fromkeys(names[min(first, len(names) - 1) :]):
            if name in RESTS:
                return _run_rest(call, name, given.rest[place:])
            _look_at(call, name, arg)
    return None
