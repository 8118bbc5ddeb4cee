"""One simple command: its assignments, its words, and whoever knows what it does."""

import os.path

from ankrcode.permissions.programs import knowledge, lookup
from ankrcode.permissions.shell import variables
from ankrcode.permissions.shell.builtins import BUILTINS, Judge
from ankrcode.permissions.shell.player import Call, Player
from ankrcode.permissions.shell.redirects import redirect
from ankrcode.permissions.shell.scope import ANYTHING, NOTHING, Scope
from ankrcode.permissions.shell.simple_reading import index_in
from ankrcode.permissions.shell.syntax import Assignment, Simple
from ankrcode.permissions.shell.values import MAX_OPTIONS, Arg, Args, Options, Value, joined

PROGRAM_FOLDERS = {
    *("/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin"),
    *("/opt/homebrew/bin", "/snap/bin"),
}
_DECLARERS = {"declare", "typeset", "local", "export", "readonly"}
_SPLITTERS = {"read", "mapfile", "readarray"}  # IFS= before these is how lines are read


def judge(shell: Player, node: Simple, scope: Scope) -> Args:
    shell.ledger.step()
    options = shell.expander.words(node.words, scope)
    values = [(one, _value(shell, one, scope)) for one in node.assignments]
    _declare_maps(node, scope)
    declared = [(one, _value(shell, one, scope)) for one in node.declared]
    found = redirect(shell, node.redirects, scope)
    inner = scope
    if found.stdin is not None:
        inner = scope.copy()
        inner.stdin = found.stdin
    is_declared = bool(node.words) and node.words[0].literal in _DECLARERS
    for one, value in declared if is_declared else values if not node.words else ():
        assign(shell, one, value, scope)
    if not node.words:
        return NOTHING
    _check_prefix(shell, node, values)
    if values and inner is scope:
        inner = scope.copy()
    for one, value in values:
        inner.variables[one.name] = value
    output = _run_options(shell, options, inner, node)
    if inner is not scope:
        for one, _ in values:
            _put_back(one.name, scope, inner)
        _keep(inner, scope)
    for target in found.targets:
        shell.expander.pour(target, output)
    return NOTHING if found.takes_output else output


def _declare_maps(node: Simple, scope: Scope) -> None:
    """`declare -A m=(…)`: from here on its keys are text."""
    if not node.declared or node.words[0].literal in scope.functions:
        return
    if any(word.literal == "-A" for word in node.words[1:]):
        for one in filter(lambda one: scope.may_be_map(one.name), node.declared):
            scope.variables[one.name] = Value(((),), is_array=True, is_map=True)


def _put_back(name: str, scope: Scope, inner: Scope) -> None:
    if name in scope.variables:
        inner.variables[name] = scope.variables[name]
    else:
        inner.variables.pop(name, None)


def _keep(inner: Scope, scope: Scope) -> None:
    """A redirection gives another input, nothing else: what changed stays changed."""
    scope.variables, scope.functions = inner.variables, inner.functions
    scope.cwds, scope.moved_from = inner.cwds, inner.moved_from


def _run_options(shell: Player, options: Options, scope: Scope, node: Simple) -> Args:
    if len(options) == 1:
        return run(shell, options[0], scope, node)
    outputs: list[Arg] = []
    ends: list[Scope] = []
    for option in options:
        inner = scope.copy()
        outputs += run(shell, option, inner, node)
        ends.append(inner)
    scope.become(ends)
    return tuple(dict.fromkeys(outputs)) if len(outputs) <= MAX_OPTIONS else ANYTHING


# ── assignments ───────────────────────────────────────────────────────────────────────────────
def _value(shell: Player, one: Assignment, scope: Scope) -> Value:
    if one.index is not None:
        shell.expander.index(one.name, one.index, scope)
    if one.items is not None:
        for item in one.items:
            shell.expander.index(one.name, index_in(item) or (), scope)
        options = shell.expander.words(one.items, scope)
        return Value(options, is_array=True)
    texts = shell.expander.text(one.value, scope, tilde=True)
    return Value(tuple((text.single,) for text in texts))


def assign(shell: Player, one: Assignment, value: Value, scope: Scope) -> None:
    """`x=…` for the rest of the line."""
    check_name(shell, one.name, value)
    held = scope.variables.get(one.name)
    if one.index is not None:
        every = (*(held.options if held else ()), *value.options)
        flat = tuple(arg for option in every for arg in option)
        value = Value(tuple((arg,) for arg in flat), is_array=True)
    elif one.appends and held is not None:
        value = _longer(held, value)
    if held is not None and held.is_map:
        value = Value(value.options, is_array=True, is_map=True)
    scope.variables[one.name] = value


def _longer(held: Value, value: Value) -> Value:
    pairs = [(old, new) for old in held.options for new in value.options][:MAX_OPTIONS]
    if held.is_array:
        return Value(tuple((*old, *new) for old, new in pairs), is_array=True)
    return Value(tuple((joined(*(one[0] if one else Arg(()) for one in pair)),) for pair in pairs))


def check_name(shell: Player, name: str, value: Value) -> None:
    texts = {arg.text for option in value.options for arg in option}
    known = next(iter(texts)) if len(texts) == 1 else None
    if variables.danger(name, known):
        shell.ledger.ask("variable", "change", name)


def _check_prefix(shell: Player, node: Simple, values: list[tuple[Assignment, Value]]) -> None:
    is_reading = node.words[0].literal in _SPLITTERS
    for one, value in values:
        if not (one.name == "IFS" and is_reading):
            check_name(shell, one.name, value)


# ── the command itself ────────────────────────────────────────────────────────────────────────
def run(shell: Player, args: Args, scope: Scope, node: Simple | None = None) -> Args:
    if not args:
        return NOTHING
    shell.ledger.step()
    shell.ledger.begin(tuple(arg.shown for arg in args), scope.cwds)
    try:
        return _run(shell, args, scope, node)
    finally:
        shell.ledger.end()


def _run(shell: Player, args: Args, scope: Scope, node: Simple | None) -> Args:
    head = args[0]
    if head.text is None or head.many:
        shell.ledger.ask("computed", "unknown", head.shown)
        # What is not known may be nothing: then the rest of the word runs, or the next one.
        known = "".join(piece for piece in head.pieces if isinstance(piece, str))
        rest = (Arg((known,), computed=True), *args[1:]) if known else args[1:]
        run(shell, rest, scope, node)
        return ANYTHING
    if head.computed:
        shell.ledger.ask("computed", "execute", head.text)
    name = head.text
    if name in scope.functions:
        for function in scope.functions[name]:
            output = shell.call(function, args[1:], scope) if function is not None else ANYTHING
        if None not in scope.functions[name]:
            return output
    if "/" in name:
        name = _program_by_path(shell, name)
    call = Call(shell, name, args[1:], scope, node=node)
    judge_by_name = _judge_of(name.lower() if name.lower() in _LOWERED else name)
    if judge_by_name is not None:
        return judge_by_name(call)
    spec = lookup(name)
    if spec is not None:
        return knowledge.apply(call, spec)
    from ankrcode.permissions.programs.wrappers import unknown  # loaded by `_judge_of`

    return unknown(call)


def _judge_of(name: str) -> Judge | None:
    """Who looks at it by more than its table."""
    if name in BUILTINS or name in BY_TABLE:
        return BUILTINS.get(name)
    from ankrcode.permissions.programs.judges import JUDGES  # slow to load, for a first command

    return JUDGES.get(name)


# Programs that people run all the time and that nobody but the table judges.
BY_TABLE = frozenset(
    (
        *("basename", "cmp", "comm", "cut", "date", "df", "diff", "dirname", "du", "expr", "file"),
        *("grep", "head", "hostname", "id", "jq", "ls", "md5sum", "mkdir", "nl", "nproc"),
        *("paste", "pytest", "readlink", "realpath", "rg", "seq", "sha256sum", "sleep", "sort"),
        *("stat", "tac", "tail", "touch", "tr", "tree", "uname", "uniq", "wc", "whoami"),
    )
)

_LOWERED = {
    "rm",
    "dd",
    "mkfs",
    "find",
    "mv",
    "chmod",
}  # where file names ignore case, these still destroy


def _program_by_path(shell: Player, path: str) -> str:
    folder, _, name = path.rpartition("/")
    if os.path.normpath(folder or "/") not in PROGRAM_FOLDERS or not path.startswith("/"):
        shell.ledger.ask("program_place", "execute", path)
    return name
