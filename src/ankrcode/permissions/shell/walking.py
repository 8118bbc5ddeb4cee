"""Every simple command of a tree, wherever it is hidden."""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from ankrcode.permissions.shell.syntax import (
    Arithmetic,
    Assignment,
    Case,
    For,
    Param,
    ProcessFile,
    Redirect,
    Script,
    Simple,
    Substitution,
    Text,
    Word,
)


def simple_commands(node: Any) -> Iterator[Simple]:
    """In the order they are written, substitutions included."""
    if isinstance(node, Simple):
        yield node
    if isinstance(node, Struct):
        for field in node.__struct_fields__:
            yield from simple_commands(getattr(node, field))
    elif isinstance(node, tuple):
        for one in node:
            yield from simple_commands(one)


def substitutions(node: Any) -> Iterator[Script]:
    """The scripts in the words of this very node, not those of the commands inside it."""
    if isinstance(node, Substitution | ProcessFile):
        yield node.script
    elif isinstance(node, Simple | Text | Word | Param | Arithmetic | Assignment | Redirect):
        for field in node.__struct_fields__:
            yield from substitutions(getattr(node, field))
    elif isinstance(node, For | Case):
        yield from substitutions(node.words if isinstance(node, For) else node.word)
    elif isinstance(node, tuple):
        for one in node:
            yield from substitutions(one)
