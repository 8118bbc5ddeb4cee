"""Programs whose arguments have a grammar of their own."""

import base64
import binascii
from collections.abc import Callable

from ankrcode.permissions.programs import Spec, knowledge, lookup
from ankrcode.permissions.programs.git import git
from ankrcode.permissions.programs.options import sort
from ankrcode.permissions.programs.wrappers import replaced
from ankrcode.permissions.shell.player import Call
from ankrcode.permissions.shell.scope import ANYTHING
from ankrcode.permissions.shell.values import Arg, Args, Hole, constant


def _spec(call: Call) -> Spec:
    spec = lookup(call.name)
    assert spec is not None, call.name
    return spec


def tar(call: Call) -> Args:
    """`tar tzf x` is `tar -t -z -f x`: the first word needs no dash."""
    spec = _spec(call)
    args = list(call.args)
    if args and args[0].text and not args[0].text.startswith("-"):
        args = _old_style(spec, args[0].text, args[1:])
    call.args = tuple(args)
    if knowledge.only_informs(call, spec):
        return ANYTHING
    given = sort(spec, call.args)
    to_output = given.has("-O", "--to-stdout") and not given.has("-c", "--create")
    extracts = [one for one in given.flags if one.flag.name in ("-x", "--extract", "--get")]
    if to_output and extracts and not given.faults:
        given.flags = [one for one in given.flags if one not in extracts]
        knowledge.check_flags(call, spec, given)
        return ANYTHING
    if given.has("--remove-files"):
        for arg in given.rest:
            call.shell.touching.destroy(arg, call.scope)
    if not given.has("-t", "--list", "-d", "--diff", "--compare", "--test-label"):
        call.ledger.ask("program_writes", "write", what="tar")
    return knowledge.apply(call, spec)


def _old_style(spec: Spec, letters: str, rest: list[Arg]) -> list[Arg]:
    found: list[Arg] = []
    for letter in letters:
        flag = spec.flags.get("-" + letter)
        found.append(constant("-" + letter))
        if flag is not None and flag.arity == "=" and rest:
            found.append(rest.pop(0))
    return [*found, *rest]


def database(call: Call) -> Args:
    """sqlite3 without a statement takes them from its input."""
    spec = _spec(call)
    if len(sort(spec, call.args).rest) < 2 and not knowledge.only_informs(call, spec):  # noqa: PLR2004
        call.ledger.ask("input_code", "execute", call.name)
    return knowledge.apply(call, spec)


def base64_(call: Call) -> Args:
    """What is decoded may be a script: known input is followed."""
    output = knowledge.apply(call, _spec(call))
    given = sort(_spec(call), call.args)
    texts = [one.text for one in call.scope.stdin]
    if given.rest or not given.has("-d", "--decode", "-D") or None in texts:
        return output
    try:
        return tuple(
            constant(base64.b64decode("".join((text or "").split())).decode()) for text in texts
        )
    except (binascii.Error, ValueError):
        return output


def tee(call: Call) -> Args:
    """It gives on what it is given, and writes it too."""
    knowledge.apply(call, _spec(call))
    for text in call.texts:
        call.shell.expander.pour(text, call.scope.stdin)
    return tuple(one.computed_by_expansion() for one in call.scope.stdin)


def reversed_(call: Call) -> Args:
    """rev and xxd -r: known input is followed, for it may be a script."""
    output = knowledge.apply(call, _spec(call))
    texts = [one.text for one in call.scope.stdin]
    if None in texts or any(text and not text.startswith("-") for text in call.texts):
        return output
    if call.name == "rev":
        return tuple(
            constant("\n".join(one[::-1] for one in (text or "").split("\n"))) for text in texts
        )
    if not {"-r", "-p"} <= set(call.texts) and "-rp" not in call.texts:
        return output
    try:
        return tuple(constant(bytes.fromhex(text or "").decode()) for text in texts)
    except ValueError:
        return output


def fd(call: Call) -> Args:
    """`fd PATTERN FOLDER -x COMMAND`: a command for each file that is found."""
    place = next((at for at, text in enumerate(call.texts) if text in _FD_RUNS), None)
    if place is None:
        return knowledge.apply(call, _spec(call))
    command = call.args[place + 1 :]
    call.args = call.args[:place]
    knowledge.apply(call, _spec(call))
    pattern, *folders = [arg for arg in call.args if not arg.may_be_flag] or [constant("")]
    is_all = pattern.text in ("", ".", ".*", "*") and not {"-e", "--extension"} & set(call.texts)
    for folder in folders or [constant(".")]:
        hole = Hole("path", folder.text or ".", whole=is_all and bool(folders))
        found = Arg((hole,), many=True, computed=True)
        args = tuple(replaced(one, "{}", found.item) for one in command)
        call.run(args if args != command else (*command, found))
    call.ledger.ask("flag", "execute", f"{call.name} -x")
    return ANYTHING


def printenv(call: Call) -> Args:
    output = knowledge.apply(call, _spec(call))
    if all((text or "").startswith("-") for text in call.texts) and "--help" not in call.texts:
        call.ledger.ask("environment", "secret", "printenv")
    return output


def kubectl(call: Call) -> Args:
    """`kubectl version --client` asks no server."""
    if call.texts[:1] == ["version"] and "--client" in call.texts:
        return ANYTHING
    return knowledge.apply(call, _spec(call))


def cat(call: Call) -> Args:
    """`cat` and `cat -` give on what they are given."""
    output = knowledge.apply(call, _spec(call))
    if all(text == "-" for text in call.texts):
        return call.scope.stdin
    return output


_FD_RUNS = ("-x", "--exec", "-X", "--exec-batch")
MORE: dict[str, Callable[[Call], Args]] = {
    "git": git,
    **dict.fromkeys(("tar", "bsdtar", "gtar"), tar),
    "sqlite3": database,
    "base64": base64_,
    "cat": cat,
    "tee": tee,
    **dict.fromkeys(("rev", "xxd"), reversed_),
    **dict.fromkeys(("fd", "fdfind"), fd),
    "kubectl": kubectl,
    "printenv": printenv,
}
