"""What an awk program does besides printing: found by reading its tokens.

Printing is all it may do unasked. `>`, `|`, `system`, `getline` from a command, `@load` and
anything not understood are a doubt; `getline < "file"` is a read.
"""

import re

from msgspec import Struct

_TOKEN = re.compile(
    r"(?P<blank>[ \t\r]+|\\\n)|(?P<comment>\#[^\n]*)|(?P<string>\"(?:[^\"\\\n]|\\.)*\")"
    r"|(?P<number>0[xX][0-9a-fA-F]+|\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+)|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<op>\|\||&&|\|&|\|=|>>|>=|<=|==|!=|!~|\+\+|--|\*\*=|\*\*|[-+*/%^]=|[-+*/%^!<>|~?:=,;$@(){}\[\]\n&])",
    re.DOTALL,
)
_REGEX = re.compile(r"/(?:[^/\\\n\[]|\\.|\[(?:\^?\]?)(?:[^\]\\\n]|\\.)*\])*/")
_OPENS_REGEX = {
    *("", "(", ",", "{", "}", ";", "\n", "&&", "||", "!", "~", "!~", "=", "==", "!=", "<", "<="),
    *(">=", "?", ":", "+", "-", "*", "%", "^", "print", "printf", "return", "in", "case", ">"),
}
_QUIET_FILES = {'"/dev/stdout"', '"/dev/stderr"', '"/dev/null"', '"-"'}
_RUNS = {"system", "extension", "spawn", "fork", "exec", "chdir", "load"}


class Awk(Struct):
    reads: list[str]
    runs: list[str]  # texts that may be given to a shell
    doubt: str = ""


def read(program: str) -> Awk:
    found = Awk([], [])
    tokens = _tokens(program)
    if tokens is None:
        found.doubt = "it is not understood"
        return found
    for place in range(len(tokens)):
        found.doubt = found.doubt or _doubt(tokens, place)
        if tokens[place] == "getline":
            _getline(tokens, place, found)
    if found.doubt:
        found.runs += [token[1:-1] for token in tokens if token.startswith('"')]
    found.doubt = found.doubt or _redirected(tokens)
    return found


def _tokens(program: str) -> list[str] | None:
    found: list[str] = []
    at = 0
    while at < len(program):
        last = found[-1] if found else ""
        if program[at] == "/" and last in _OPENS_REGEX:
            regex = _REGEX.match(program, at)
            if not regex:
                return None
            found.append("/regex/")
            at = regex.end()
            continue
        token = _TOKEN.match(program, at)
        if not token:
            return None
        if token.lastgroup not in ("blank", "comment"):
            found.append(token[0])
        at = token.end()
    return found


def _doubt(tokens: list[str], place: int) -> str:
    word = tokens[place]
    if word in _RUNS:
        return f"{word}() runs commands"
    if word == "@":
        return "@ loads or calls what is not known here"
    if word in ("|", "|&"):
        return "| runs a command"
    if word == "ENVIRON" and not _is_plain_variable(tokens, place):
        return "ENVIRON shows the environment"
    if word in ("ARGV", "ARGC"):
        return f"{word} may name further files"
    if word == "PROCINFO":
        return "PROCINFO changes how input is read"
    return ""


def _is_plain_variable(tokens: list[str], place: int) -> bool:
    plain = {'"HOME"', '"USER"', '"PWD"', '"LANG"', '"PATH"', '"SHELL"', '"TERM"'}
    return tokens[place + 1 : place + 2] == ["["] and tokens[place + 2] in plain


def _getline(tokens: list[str], place: int, found: Awk) -> None:
    """`getline < "file"` reads a file; from a variable it reads anything."""
    at = place + 1
    while at < len(tokens) and tokens[at] not in ("<", ";", "\n", "}", ")", "&&", "||", ">"):
        at += 1
    if at >= len(tokens) or tokens[at] != "<":
        return
    source = tokens[at + 1] if at + 1 < len(tokens) else ""
    behind = tokens[at + 2] if at + 2 < len(tokens) else ""
    if not source.startswith('"') or behind.startswith(('"', "$")) or behind.isidentifier():
        found.doubt = found.doubt or "getline reads a computed file"
        return
    found.reads.append(source[1:-1])


def _redirected(tokens: list[str]) -> str:
    """In `print a > b` the sign is a redirection, unless parentheses are around it."""
    for place, token in enumerate(tokens):
        if token not in ("print", "printf"):
            continue
        level = 0
        for at in range(place + 1, len(tokens)):
            level += {"(": 1, ")": -1, "[": 1, "]": -1}.get(tokens[at], 0)
            if level < 0 or (level == 0 and tokens[at] in (";", "\n", "}")):
                break
            if level == 0 and tokens[at] in (">", ">>") and not _is_quiet(tokens, at):
                return "print > writes a file"
    return ""


def _is_quiet(tokens: list[str], at: int) -> bool:
    following = [*tokens[at + 1 : at + 3], ";", ";"]
    return following[0] in _QUIET_FILES and following[1] in (";", "\n", "}")
