"""What a command would need from outside the sandbox: why auto mode asks about it after all.

The wall itself holds everything in; this is only about asking at once where the command could
not do its work inside, or where what it shows could not be taken back.
"""

import os
from functools import cache
from pathlib import Path

from ankrcode.permissions.places import Places
from ankrcode.permissions.rules.command_rules import CommandView
from ankrcode.words import say
from ankrcode.workspace.roots import Workspace

_OFFLINE = frozenset(("--offline", "--no-index"))
_LONGEST = 3


@cache
def _table() -> dict[tuple[str, ...], str]:
    """Beginnings of commands, and what they need: network or system."""
    table: dict[tuple[str, ...], str] = {}
    need = ""
    text = Path(__file__).with_name("leaving.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.startswith("["):
            need = line.strip("[]")
        elif not line.startswith("#"):
            table |= {tuple(entry.split()): need for entry in line.split(";") if entry.strip()}
    return table


def why_it_leaves(line: CommandView, workspace: Workspace) -> str:
    """Why it cannot stay inside; empty where it can."""
    if not line.is_certain:
        return line.verdict.reason or say("why.unknown")
    return _by_effects(line, workspace) or _by_program(line)


def _by_effects(line: CommandView, workspace: Workspace) -> str:
    places = Places(line.env)
    for effect in line.effects:
        if effect.kind == "connect":
            return say("why.leaves_network", what=effect.target)
        if effect.kind == "secret":
            return say("cmd.secret", what=effect.target)
    for place in line.written_places():
        if place and not workspace.contains(place):
            return say("why.leaves_workspace", what=place)
    for place in (one.target for one in line.effects if one.kind == "read"):
        if place.startswith("/") and not places.may_read(places.real(place)):
            return say("why.read_outside", paths=place)
    return ""


def _by_program(line: CommandView) -> str:
    for part in line.parts:
        if part.verdict == "read_only" or not part.argv:
            continue
        words = _words(part.argv)
        needs = {_table().get(words[:length]) for length in range(1, _LONGEST + 1)}
        if "system" in needs:
            return say("why.leaves_system", what=words[0])
        if "network" in needs and not _OFFLINE & set(part.argv):
            return say("why.leaves_network", what=" ".join(words[:2]))
    return ""


def _words(argv: tuple[str, ...]) -> tuple[str, ...]:
    """The program and its sub-commands; of the options only `-m`, which names a program."""
    name = os.path.basename(argv[0])  # noqa: PTH119
    return (name, *(word for word in argv[1:] if not word.startswith("-") or word == "-m"))
