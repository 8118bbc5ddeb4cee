"""When exit code 1 is an answer and not a failure: "no match", "they differ", "it is not so"."""

import os
import re
from collections.abc import Iterator

from ankrcode.permissions.shell.grammar import parse
from ankrcode.permissions.shell.syntax import (
    Branches,
    Case,
    Condition,
    Coprocess,
    CountedFor,
    For,
    Function,
    Group,
    Loop,
    Node,
    Pipeline,
    Script,
    Simple,
    Subshell,
    Text,
    Word,
)

_SEARCHES = frozenset(
    ("grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "pgrep", "diff", "cmp", "test", "[")
)
_GIT_SEARCHES = frozenset(("grep", "diff"))
_GIT_VALUED = ("-C", "-c")  # git's own options before its command
_WRAPPERS = frozenset(("command", "env", "nice", "nohup", "stdbuf", "time", "timeout"))
_WRAPPERS_VALUED = {"nice": ("-n",), "timeout": ("-k", "-s"), "stdbuf": ("-i", "-o", "-e")}
# Steps that only fail with a message of the shell's own, or not at all.
_QUIET = frozenset(
    (":", "cd", "declare", "echo", "export", "local", "popd", "printf", "pushd", "true", "unset")
)
# What changes the meaning of the code, or of the names.
_UNSETTLING = frozenset(("alias", "enable", "eval", "set", "shopt", "source", "trap", "."))
# Patterns are text here: each is compiled by its first use, not by every start.
_NEGATED = r"(?:^|[;&|({\n]|\b(?:then|else|elif|do|if|while|until|time))\s*!\s"
_SHELL_COMPLAINS = r"(?m)^(?:\S*/)?bash: (?:line \d+: )?"
_ASSIGNMENT = r"[A-Za-z_][A-Za-z0-9_]*="


def is_answer(command: str, exit_code: int, printed: str = "") -> bool:
    """Is the code that of a program that searches, compares or tests? In doubt it is not."""
    if exit_code != 1 or re.search(_NEGATED, command) or re.search(_SHELL_COMPLAINS, printed):
        return False
    parsed = parse(command)
    if parsed.fault or any(map(_is_unsettling, _all_nodes(parsed.script))):
        return False
    failing = list(_failing(parsed.script))
    return bool(failing) and all(map(_searches, failing))


def _failing(node: Node) -> Iterator[Node]:
    """The commands of which one gave the code, if it is not 0."""
    match node:
        case Script(items):
            yield from _failing_of_list(items)
        case Pipeline(commands):
            yield from _failing(commands[-1])
        case Simple(words) if words and _text(words[0]) in _QUIET:
            return
        case Simple() | Condition():
            yield node
        case Function() | Coprocess():
            return
        case _ if bodies := _bodies(node):
            for body in bodies:
                yield from _failing(body)
        case _:
            yield node


def _failing_of_list(items: tuple[tuple[str, Node], ...]) -> Iterator[Node]:
    failing: list[Node] = []
    for operator, node in items:
        if operator != "&&":  # what stands before `||` or `;` has no say any more
            failing.clear()
        failing += _failing(node)
    yield from failing


def _bodies(node: Node) -> tuple[Script, ...]:
    """The scripts of a compound command whose code may become its own."""
    match node:
        case Subshell(body) | Group(body) | Loop(_, body):
            return (body,)
        case For(_, _, body) | CountedFor(_, body):
            return (body,)
        case Branches(branches):
            return tuple(body for _, body in branches)
        case Case(_, _, bodies):
            return bodies
    return ()


def _all_nodes(node: Node) -> Iterator[Node]:
    yield node
    match node:
        case Script(items):
            inner: tuple[Node, ...] = tuple(item for _, item in items)
        case Pipeline(commands):
            inner = commands
        case Function(_, body) | Coprocess(body):
            inner = (body,)
        case _:
            inner = _bodies(node)
    for one in inner:
        yield from _all_nodes(one)


def _is_unsettling(node: Node) -> bool:
    if isinstance(node, Function):
        return node.name in _SEARCHES | _WRAPPERS | {"git"}
    return isinstance(node, Simple) and bool(node.words) and _text(node.words[0]) in _UNSETTLING


def _searches(node: Node) -> bool:
    if isinstance(node, Condition):
        return True
    words = [_text(word) for word in node.words] if isinstance(node, Simple) else []
    while words and os.path.basename(words[0]) in _WRAPPERS:  # noqa: PTH119
        words = _wrapped(os.path.basename(words[0]), words[1:])  # noqa: PTH119
    if not words:
        return False
    program = os.path.basename(words[0])  # noqa: PTH119
    if program == "git":
        return next(iter(_without_options(words[1:], _GIT_VALUED)), "") in _GIT_SEARCHES
    return program in _SEARCHES


def _wrapped(wrapper: str, words: list[str]) -> list[str]:
    """The command that another one runs."""
    words = _without_options(words, _WRAPPERS_VALUED.get(wrapper, ()))
    if wrapper == "timeout":
        words = words[1:]
    while wrapper == "env" and words and re.match(_ASSIGNMENT, words[0]):
        words = words[1:]
    return words


def _without_options(words: list[str], valued: tuple[str, ...]) -> list[str]:
    while words and words[0].startswith("-"):
        words = words[2 if words[0] in valued else 1 :]
    return words


def _text(word: Word) -> str:
    """The word if it is plain; else something that is no program's name."""
    parts = [part.text if isinstance(part, Text) else "$" for part in word.parts]
    return "".join(parts)
