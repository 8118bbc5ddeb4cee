"""`$x` and `${x…}`: what a parameter may be, computed as bash does wherever it is known."""

import re
from fnmatch import translate

from ankrcode.permissions.shell import variables
from ankrcode.permissions.shell.scope import Scope
from ankrcode.permissions.shell.syntax import Param, Text
from ankrcode.permissions.shell.values import (
    ANY,
    MANY,
    NUMBER,
    OUTSIDE,
    WORD,
    Arg,
    Args,
    Options,
    Value,
    path_below,
    scalar,
)

DEFAULTS = (":-", "-", ":=", "=", ":+", "+", ":?", "?")
NUMBER_VALUE = scalar(NUMBER)
_NUMBERS = {"?", "#", "$", "!", "RANDOM", "SECONDS", "LINENO", "UID", "EUID", "PPID", "BASHPID"}
_NUMBERS |= {"COLUMNS", "LINES", "SHLVL", "EPOCHSECONDS", "SRANDOM", "OPTIND", "BASH_SUBSHELL"}
_WORDS = {"-", "USER", "LOGNAME", "HOSTNAME", "HOSTTYPE", "OSTYPE", "MACHTYPE", "BASH_VERSION"}


def is_list(part: Param) -> bool:
    """`"$@"` and `"${a[@]}"` stay several arguments between quotes."""
    return part.name == "@" or index_of(part) == "@"


def index_of(part: Param) -> str:
    if part.index and len(part.index) == 1 and isinstance(part.index[0], Text):
        return part.index[0].text
    return ""


def doubtful(part: Param) -> str:
    """What cannot be followed, or runs code: indirection, prompts."""
    if part.prefix == "!":
        return "" if index_of(part) in ("@", "*") else "${!…} reads a variable by a computed name"
    if part.operator == "@":
        kind = part.operand[0].text if part.operand and isinstance(part.operand[0], Text) else ""
        return "${…@P} runs what the value says" if kind not in tuple("QULuEAaKk") else ""
    return ""


def expanded(part: Param, operands: Args, scope: Scope, home: str) -> Options:
    if part.prefix == "#":
        return ((NUMBER,),)
    if part.prefix == "!":
        return ((MANY,),)
    held = _held(part, scope, home)
    if part.operator in DEFAULTS:
        return _with_default(part, held, operands, scope)
    if not part.operator:
        return held
    if part.operator == ":" and (is_list(part) or part.name in ("@", "*")):
        return _sliced(part, held, operands)
    return tuple(
        tuple(_changed(arg, part.operator, operand) for arg in option)
        for option in held
        for operand in (operands or (Arg(()),))
    )


def _held(part: Param, scope: Scope, home: str) -> Options:
    """What the parameter holds; the empty text where it is certainly unset."""
    if part.name in ("@", "*"):
        return scope.positional
    if part.name.isdigit() and part.name != "0":
        place = int(part.name) - 1
        return tuple((_item(option, place),) for option in scope.positional)
    value = scope.variables.get(part.name)
    if value is None:
        return ((_from_environment(part.name, scope, home),),)
    return _items(value, part)


def value_of(name: str, scope: Scope, home: str) -> Value:
    """What a variable holds, by its name."""
    found = scope.variables.get(name)
    return scalar(_from_environment(name, scope, home)) if found is None else found


def _items(value: Value, part: Param) -> Options:
    index = index_of(part)
    if not value.is_array:
        return value.options
    if index in ("@", "*"):
        return value.options
    if index.isdigit() or part.index is None:
        place = int(index or 0)
        return tuple((_item(option, place),) for option in value.options)
    every = tuple((arg,) for option in value.options for arg in option)
    return every or ((Arg(()),),)


def _item(option: Args, place: int) -> Arg:
    """The item at a place; anything, where one before it may be several."""
    if any(arg.many for arg in option[: place + 1]):
        return ANY
    return option[place] if place < len(option) else Arg(())


def _from_environment(name: str, scope: Scope, home: str) -> Arg:
    if name == "HOME":
        return Arg((home,), computed=True)
    if name in ("BASH", "SHELL"):
        return Arg(("/bin/bash",), computed=True)
    if name == "PWD" and scope.cwds:
        return Arg((scope.cwds[0],), computed=True)
    if name in _NUMBERS:
        return NUMBER
    if name in _WORDS:
        return WORD
    if name in ("TMPDIR", "TEMP", "TMP"):
        return path_below("/tmp")
    return OUTSIDE


def _sliced(part: Param, held: Options, operands: Args) -> Options:
    """`${a[@]:1:2}`: some of the items; `$@` counts from one."""
    text = operands[0].text if len(operands) == 1 else None
    found = re.fullmatch(r"\s*(\d+)\s*(?::\s*(\d+)\s*)?", text or "")
    if not found:
        return ((MANY,),)
    start = int(found[1]) - (1 if part.name in ("@", "*") else 0)
    end = None if found[2] is None else max(start, 0) + int(found[2])
    if any(arg.many for option in held for arg in option):
        return ((MANY,),)
    return tuple(option[max(start, 0) : end] for option in held)


def _with_default(part: Param, held: Options, operands: Args, scope: Scope) -> Options:
    is_known = part.name in scope.variables or part.name in ("HOME", "PWD")
    default = tuple((operand.computed_by_expansion(),) for operand in operands) or ((Arg(()),),)
    is_set = is_known and all(option and option[0].prefix for option in held)
    is_empty = is_known and all(option and option[0].text == "" for option in held)
    if part.operator in (":+", "+"):
        return default if is_set else ((Arg(()),),) if is_empty else (((Arg(()),)), *default)
    if part.operator in (":?", "?"):  # or it ends there
        return tuple(tuple(ANY if arg == OUTSIDE else arg for arg in one) for one in held)
    if part.operator in (":=", "="):
        _assign(part, held, default, scope)
    if is_set:
        return held
    if is_empty and part.operator.startswith(":"):
        return default
    return (*held, *default)


def _assign(part: Param, held: Options, default: Options, scope: Scope) -> None:
    if not variables.danger(part.name):
        scope.variables[part.name] = Value((*held, *default))


# ── operators on text ─────────────────────────────────────────────────────────────────────────
def _changed(arg: Arg, operator: str, operand: Arg) -> Arg:
    if arg.text is not None and operand.text is not None:
        changed = _computed(arg.text, operator, operand.text)
        if changed is not None:
            return Arg((changed,) if changed else (), computed=True)
    hole = arg.hole
    if hole is not None and hole.kind == "number" and operator in ("#", "##", "%", "%%", ":"):
        return arg
    if hole is not None and hole.kind in ("path", "word", "glob"):
        return _changed_hole(arg, operator, operand.text)
    if operator == "##" and operand.text == "*/":
        return WORD
    return Arg(ANY.pieces, arg.many, computed=True)


def _changed_hole(arg: Arg, operator: str, operand: str | None) -> Arg:
    if operator == "##" and operand == "*/":
        return Arg(WORD.pieces, arg.many, computed=True)
    if operator in ("%", "%%") and operand is not None and "/" not in operand:
        return arg
    if operator in ("^", "^^", ",", ",,"):
        return arg
    return Arg(ANY.pieces, arg.many, computed=True)


def _computed(text: str, operator: str, operand: str) -> str | None:
    if operator in ("#", "##", "%", "%%"):
        return _trimmed(text, operator, operand)
    if operator in ("^", "^^", ",", ",,") and not operand:
        change = str.upper if operator[0] == "^" else str.lower
        return change(text) if operator in ("^^", ",,") else change(text[:1]) + text[1:]
    if operator == ":":
        return _slice(text, operand)
    if operator in ("/", "//", "/#", "/%"):
        return _replaced(text, operator, operand)
    return None


def _trimmed(text: str, operator: str, pattern: str) -> str:
    fits = re.compile(translate(pattern)).fullmatch
    lengths = range(len(text) + 1)
    if operator[0] == "#":
        order = lengths if operator == "#" else reversed(lengths)
        return next((text[end:] for end in order if fits(text[:end])), text)
    order = reversed(lengths) if operator == "%" else lengths
    return next((text[:start] for start in order if fits(text[start:])), text)


def _slice(text: str, operand: str) -> str | None:
    found = re.fullmatch(r"\s*(\d+|\s-\d+|\(-\d+\))\s*(?::\s*(-?\d+)\s*)?", operand)
    if not found:
        return None
    offset = int(found[1].strip("() "))
    start = offset if offset >= 0 else max(len(text) + offset, 0)
    if found[2] is None:
        return text[start:]
    length = int(found[2])
    return text[start : start + length] if length >= 0 else text[start:length]


def _replaced(text: str, operator: str, operand: str) -> str | None:
    pattern, _, replacement = operand.partition("/")
    if not pattern or "\\" in operand or "&" in replacement:
        return None
    inner = translate(pattern).removeprefix("(?s:").removesuffix(r")\Z")
    count = 0 if operator == "//" else 1
    anchored = {"/#": rf"\A(?s:{inner})", "/%": rf"(?s:{inner})\Z"}
    if "*" in pattern and not pattern.strip("*?"):
        return replacement if operator != "//" else None
    return re.sub(anchored.get(operator, f"(?s:{inner})"), lambda _: replacement, text, count=count)
