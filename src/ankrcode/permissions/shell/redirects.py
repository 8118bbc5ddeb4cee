"""Redirections: which files they read and write, and what a command is given to read."""

from msgspec import Struct

from ankrcode.permissions.shell import variables
from ankrcode.permissions.shell.player import Player
from ankrcode.permissions.shell.scope import ANYTHING, Scope
from ankrcode.permissions.shell.syntax import Redirect
from ankrcode.permissions.shell.values import Arg, Args, constant, joined


class Redirected(Struct, frozen=True):
    stdin: Args | None  # what the command is given to read, where a redirection says so
    takes_output: bool  # what it prints goes elsewhere
    targets: tuple[str | None, ...] = ()  # the files it is written to


_INTO = (">", ">>", ">|", "&>", "&>>", ">&", "<>")


def redirect(shell: Player, redirects: tuple[Redirect, ...], scope: Scope) -> Redirected:
    stdin: Args | None = None
    takes_output = False
    targets: list[str | None] = []
    for one in redirects:
        if one.descriptor.startswith("{") and variables.danger(one.descriptor[1:-1]):
            shell.ledger.ask("variable", "change", one.descriptor[1:-1])
        if one.operator in ("<<", "<<<"):
            texts = shell.expander.text(one.target, scope)
            stdin = texts if one.operator == "<<" else _with_newline(texts)
            continue
        options = shell.expander.word(one.target, scope)
        for option in options:
            if len(option) != 1:
                shell.ledger.doubt("a redirection has no single target")
                continue
            if one.operator == "<":
                shell.touching.read(option[0], scope)
                stdin = shell.expander.files.get(option[0].text or "", ANYTHING)
            elif one.operator in _INTO and not _is_descriptor(one, option[0]):
                shell.touching.write(option[0], scope, appends=one.operator in (">>", "&>>"))
                targets.append(option[0].text)
                takes_output |= one.descriptor in ("", "1")
            elif one.operator == ">&":
                takes_output |= one.descriptor in ("", "1")
    return Redirected(stdin, takes_output, tuple(targets))


def _with_newline(texts: Args) -> Args:
    return tuple(joined(text, constant("\n")) for text in texts)


def _is_descriptor(one: Redirect, target: Arg) -> bool:
    """`2>&1`, `>&-`, `<&3-`: a number or a dash, never a file."""
    if one.operator not in (">&", "<&"):
        return False
    text = target.text
    hole = target.hole
    if hole is not None and hole.kind == "number":
        return True
    return text is not None and text.rstrip("-").isdigit() | (text == "-")
