"""Commands that bash itself runs and that change what the rest of the line means."""

from collections.abc import Callable

from ankrcode.permissions.shell import outputs, parameters, variables
from ankrcode.permissions.shell.expansion import split
from ankrcode.permissions.shell.player import Call
from ankrcode.permissions.shell.scope import ANYTHING, NOTHING
from ankrcode.permissions.shell.syntax import Text
from ankrcode.permissions.shell.values import (
    ANY,
    MAX_ITEMS,
    MAX_OPTIONS,
    NUMBER,
    WORD,
    Arg,
    Args,
    Value,
    constant,
    scalar,
)

Judge = Callable[[Call], Args]

_SET_LETTERS = set("euxvfnmbhBCEHTP")
_SET_NAMES = {
    *("pipefail", "errexit", "nounset", "xtrace", "verbose", "noglob", "noexec", "noclobber"),
    *("errtrace", "functrace", "monitor", "notify", "braceexpand", "physical", "hashall"),
}
_SHOPT_NAMES = {
    *("globstar", "nullglob", "failglob", "nocaseglob", "nocasematch", "dotglob"),
    *("inherit_errexit", "globasciiranges", "globskipdots", "checkwinsize"),
}


def cd(call: Call) -> Args:
    args = [arg for arg in call.args if arg.text not in ("-L", "-P", "-e", "--")]
    call.ledger.note("change", "cwd")
    scope, places = call.scope, call.shell.places
    if not args:
        scope.cwds = (places.env.home,) if call.name == "cd" else ()
        return NOTHING
    text = args[0].text
    if len(args) > 1 or text is None or text.startswith(("-", "+")):
        hole = args[0].hole
        is_below = hole is not None and hole.kind in ("path", "word") and len(args) == 1
        if not is_below or hole is None or not scope.cwds:
            scope.cwds = ()
        else:
            scope.cwds = tuple(places.plain(hole.place or ".", cwd) for cwd in scope.cwds)
        return NOTHING
    base = scope.cwds or (("/",) if text.startswith("/") else ())
    scope.cwds = tuple(dict.fromkeys(places.plain(text, cwd) for cwd in base))
    return NOTHING


def popd(call: Call) -> Args:
    call.ledger.note("change", "cwd")
    call.scope.cwds = ()
    return ANYTHING


def echo(call: Call) -> Args:
    args = list(call.args)
    newline = True
    while args and args[0].text in ("-n", "-e", "-E", "-ne", "-en", "-nE"):
        flags = args.pop(0).text or ""
        newline &= "n" not in flags
        if "e" in flags and any(arg.text is None for arg in args):
            return ANYTHING
        if "e" in flags:
            texts = [outputs.unescaped(arg.text or "", "echo") for arg in args]
            if None in texts:
                return ANYTHING
            args = [constant(text or "") for text in texts]
    return outputs.echo(tuple(args), newline=newline)


def printf(call: Call) -> Args:
    args = call.args
    if args and args[0].text == "-v":
        _assign_all(call, list(args[1:2]), [one.item for one in outputs.printf(args[2:])])
        return NOTHING
    if args and args[0].text == "--":
        args = args[1:]
    if args and args[0].may_be_flag and args[0].text is None:
        call.ledger.ask("unknown_flag", "unknown", "printf")
    return outputs.printf(args)


def pwd(call: Call) -> Args:
    if len(call.scope.cwds) == 1:
        return (constant(call.scope.cwds[0] + "\n"),)
    return ANYTHING


def read(call: Call) -> Args:
    """`read x` takes a line of the input; several names share it."""
    if call.name != "read" and any((text or "").startswith("-C") for text in call.texts):
        call.ledger.ask("trap", "execute", " ".join(arg.shown for arg in call.args))
    names, is_array, has_other_input = _read_arguments(call)
    lines = outputs.lines_of(call.scope)
    if has_other_input or not lines:
        lines = [ANY]
    values = [line.item for line in lines[:MAX_ITEMS]]
    if len(names) > 1 or is_array:
        values = [one for line in values for one in split(line)] or [ANY]
        values = [one.item for one in values][:MAX_OPTIONS]
    _assign_all(call, names or [constant("REPLY")], values, is_array=is_array)
    return NOTHING


_READ_VALUES, _MAP_VALUES = set("adinNptu"), set("dnOsuCc")


def _read_arguments(call: Call) -> tuple[list[Arg], bool, bool]:
    names: list[Arg] = []
    is_array = call.name != "read"
    other = False
    args = list(call.args)
    while args:
        arg = args.pop(0)
        text = arg.text or ""
        if not text.startswith("-") or names:
            names.append(arg)
            continue
        valued = _READ_VALUES if call.name == "read" else _MAP_VALUES
        letter = next((one for one in text[1:] if one in valued), "")
        other |= letter == "u"
        value = text.partition(letter)[2] if letter else ""
        if letter and not value and args:
            following = args.pop(0)
            if letter == "a":
                is_array = True
                names.append(following)
        elif letter == "a":
            is_array = True
            names.append(constant(value))
    return names, is_array, other


def _assign_all(call: Call, names: list[Arg], values: list[Arg], *, is_array: bool = False) -> None:
    for name in names:
        text = name.text
        if text is None or not text.replace("_", "a").isalnum():
            call.ledger.ask("variable", "change", name.shown)  # may hold an index that is run
            continue
        if variables.danger(text):
            call.ledger.ask("variable", "change", text)
        value = Value((tuple(values),), is_array=True) if is_array else scalar(*values)
        call.scope.variables[text] = value


def wait(call: Call) -> Args:
    """`wait -p NAME` sets a variable, whose index is calculated."""
    args = list(call.args)
    while args and args[0].may_be_flag:
        text = args.pop(0).text
        if text is None or set(text[1:]) - set("fnp-"):
            call.ledger.ask("unknown_flag", "unknown", f"wait {text or ''}")
        elif "p" in text:
            attached = text.partition("p")[2]
            _assign_all(call, [constant(attached)] if attached else args[:1], [NUMBER])
            args = args if attached else args[1:]
    return NOTHING


def getopts(call: Call) -> Args:
    _assign_all(call, list(call.args[1:2]), [WORD])
    _assign_all(call, [constant("OPTARG")], [ANY])
    return NOTHING


def declare(call: Call) -> Args:
    """declare, typeset, local, readonly, export."""
    flags = "".join(text[1:] for text in call.texts if text and text[0] in "-+")
    rest = [arg for arg in call.args if not (arg.text or "x").startswith(("-", "+"))]
    if not rest and "f" not in flags.lower() and not _declares_array(call):
        call.ledger.ask("environment", "secret", call.name)
        return ANYTHING
    if "n" in flags:  # another name of a variable
        for arg in rest:
            name, _, other = arg.prefix.partition("=")
            call.scope.variables[name] = parameters.value_of(
                other, call.scope, call.shell.places.env.home
            )
        call.ledger.ask("exports", "change", " ".join(arg.shown for arg in call.args))
        return NOTHING
    if call.name == "export" or "x" in flags or set(flags) & set("inulct"):
        call.ledger.ask("exports", "change", " ".join(arg.shown for arg in call.args))
    for arg in rest:
        _declare_one(call, arg)
    return ANYTHING if "p" in flags else NOTHING


def _declares_array(call: Call) -> bool:
    return call.node is not None and bool(call.node.declared)


def _declare_one(call: Call, arg: Arg) -> None:
    name, equals, value = arg.prefix.partition("=")
    name = name.removesuffix("+")
    if arg.text is None and not equals:
        call.ledger.ask("variable", "change", arg.shown)
        return
    if value == "~" or value.startswith("~/"):
        value = call.shell.places.env.home + value[1:]
    held = Arg(((value,) if value else ()) + arg.pieces[1:], computed=arg.computed)
    if variables.danger(name, held.text) or not name.replace("_", "a").isalnum():
        call.ledger.ask("variable", "change", name)
    elif equals:
        call.scope.variables[name] = scalar(held)
    elif "-A" in call.texts and call.scope.may_be_map(name):
        call.scope.variables[name] = Value(((),), is_array=True, is_map=True)
    elif call.name == "local" or call.scope.calls:  # in a function it is another one
        call.scope.variables[name] = scalar(Arg(()))


def unset(call: Call) -> Args:
    for arg in call.args:
        text = arg.text
        if text is None or "[" in text:
            call.ledger.ask("variable", "change", arg.shown)
        elif text.startswith("-"):
            continue
        elif variables.danger(text):
            call.ledger.ask("variable", "change", text)
        else:
            call.scope.variables[text] = scalar(Arg(()))
            call.scope.functions.pop(text, None)
    return NOTHING


def set_(call: Call) -> Args:
    """`set -e`, `set -o pipefail`, `set -- a b`; alone it prints every variable."""
    if not call.args:
        call.ledger.ask("environment", "secret", "set")
    args = list(call.args)
    while args:
        text = args[0].text
        if text == "--" or text is None or not text.startswith(("-", "+")):
            call.scope.positional = (tuple(args[1:] if text == "--" else args),)
            return NOTHING
        args.pop(0)
        letters = set(text[1:])
        if "o" in letters:
            letters.discard("o")
            name = args.pop(0).text if args else "pipefail"
            if name not in _SET_NAMES:
                call.ledger.ask("shell_option", "change", f"set -o {name or ''}")
        if letters - _SET_LETTERS:
            call.ledger.ask("shell_option", "change", f"set {text}")
    return NOTHING


def shopt(call: Call) -> Args:
    changes = any(text in ("-s", "-u", "-su", "-us") for text in call.texts)
    for text in call.texts:
        is_known = text in _SHOPT_NAMES or (text or "").startswith("-")
        if changes and not is_known:
            call.ledger.ask("shell_option", "change", f"shopt {text or ''}")
    if changes and any("o" in (text or "") for text in call.texts if (text or "").startswith("-")):
        call.ledger.ask("shell_option", "change", "shopt -o")
    return ANYTHING


def shift(call: Call) -> Args:
    count = call.texts[0] if call.texts else "1"
    is_open = any(arg.many for option in call.scope.positional for arg in option)
    if count is None or not count.isdigit() or is_open:
        call.scope.positional = (ANYTHING,)
    else:
        call.scope.positional = tuple(one[int(count) :] for one in call.scope.positional)
    return NOTHING


def source(call: Call) -> Args:
    """A file of commands: known only where it is the input or a <(…)."""
    for script in scripts_in(call, call.args[0]) if call.args else ():
        call.shell.run_text(script, call.scope)
    call.ledger.ask("program_runs", "execute", call.name)
    return ANYTHING


def scripts_in(call: Call, arg: Arg) -> list[str]:
    """The text of a script file, where the line itself says what stands in it."""
    if arg.text in ("/dev/stdin", "/dev/fd/0", "/proc/self/fd/0", "-"):
        given = call.scope.stdin
    else:
        given = call.shell.expander.files.get(arg.text or "", ())
    return [one.text for one in given if one.text is not None]


def let(call: Call) -> Args:
    for arg in call.args:
        if arg.text is None:
            call.ledger.ask("arithmetic", "execute", arg.shown)
        else:
            call.shell.expander.calculate((Text(arg.text, quoted=True),), call.scope)
    return NOTHING


def test(call: Call) -> Args:
    """Only `-v` looks into its operand, and may run what stands in its index."""
    for place, text in enumerate(call.texts[:-1]):
        following = call.texts[place + 1]
        if text in ("-v", "-R") and (following is None or "[" in following):
            call.ledger.ask("arithmetic", "execute", call.args[place + 1].shown)
    return NOTHING


def eval_(call: Call) -> Args:
    texts = call.texts
    if None in texts:
        call.ledger.ask("computed", "execute", " ".join(arg.shown for arg in call.args))
        return ANYTHING
    scope = call.scope
    scope.depth += 1
    try:
        return call.shell.run_text(" ".join(text or "" for text in texts), scope)
    finally:
        scope.depth -= 1


def exec_(call: Call) -> Args:
    args = list(call.args)
    while args and (args[0].text or "").startswith("-"):
        flag = args.pop(0).text or ""
        if flag == "-a" and args:
            args.pop(0)
    return call.run(tuple(args)) if args else NOTHING


def command(call: Call) -> Args:
    """`command x` and `builtin x` run x, never a function; `command -v x` says where x is."""
    args = list(call.args)
    while args and (args[0].text or "").startswith("-"):
        flag = args.pop(0).text or ""
        if set(flag) & set("vV"):
            return outputs.place_of(args)
        if set(flag) - set("-p"):
            call.ledger.ask("unknown_flag", "unknown", f"{call.name} {flag}")
    if not args:
        return NOTHING
    functions, call.scope.functions = call.scope.functions, {}
    call.scope.depth += 1
    try:
        return call.shell.run_argv(tuple(args), call.scope)
    finally:
        call.scope.functions = functions
        call.scope.depth -= 1


def trap(call: Call) -> Args:
    args = [arg for arg in call.args if arg.text != "--"]
    if not args or args[0].text in ("-l", "-p"):
        return ANYTHING
    if args[0].text in ("-", "") or len(args) == 1:
        return NOTHING
    if args[0].text is not None:
        call.run_text(args[0].text)
    call.ledger.ask("trap", "change", args[0].shown)
    return NOTHING


def kill(call: Call) -> Args:
    texts = [text or "" for text in call.texts]
    if texts and (texts[0] in ("-l", "-L", "--list", "--table") or texts[0] == "-0"):
        return ANYTHING
    targets = _kill_targets(texts)
    if "-1" in targets:
        call.ledger.block("kill_all", "execute", "kill -1")
    call.ledger.ask("change", "change", " ".join(["kill", *(arg.shown for arg in call.args)]))
    return NOTHING


def _kill_targets(texts: list[str]) -> list[str]:
    """The first dashed word is the signal; behind it a dash means a group, -1 everybody."""
    if texts and texts[0] in ("-s", "-n", "--signal", "-q"):
        texts = texts[2:]
    elif texts and texts[0].startswith("-") and texts[0] != "--":
        texts = texts[1:]
    return [text for text in texts if text != "--"]


BUILTINS: dict[str, Judge] = {
    **dict.fromkeys(("cd", "chdir", "pushd"), cd),
    "popd": popd,
    "echo": echo,
    "printf": printf,
    "pwd": pwd,
    **dict.fromkeys(("read", "mapfile", "readarray"), read),
    "getopts": getopts,
    **dict.fromkeys(("declare", "typeset", "local", "readonly", "export"), declare),
    "unset": unset,
    "set": set_,
    "shopt": shopt,
    "let": let,
    "shift": shift,
    "wait": wait,
    **dict.fromkeys(("source", "."), source),
    **dict.fromkeys(("test", "["), test),
    "eval": eval_,
    "exec": exec_,
    **dict.fromkeys(("command", "builtin"), command),
    "trap": trap,
    "kill": kill,
}
