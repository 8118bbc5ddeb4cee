"""What a frame answers: calls, or what it lacks."""

import shlex
from typing import Any

from msgspec import Struct

from ankrcode.rocketlang.basket import Basket, Item
from ankrcode.rocketlang.faults import FaultCode
from ankrcode.rocketlang.reading import Planned


class Lack(Struct, frozen=True):
    """Why no call can be made: a code of a fault, the slot, and the words in doubt."""

    code: FaultCode
    slot: str
    text: str = ""


WHOLE = ("", ".", "..", "~", "*", "./*")  # everything at once is never deleted or moved by a word
Plan = list[Planned] | Lack


def call(tool: str, **args: Any) -> Planned:
    return Planned(tool=tool, args=args)


def shell(*words: str) -> Planned:
    """A command of these words, quoted where a shell would take them apart."""
    return call("Bash", command=" ".join(quoted(word) for word in words))


def quoted(word: str) -> str:
    """As the shell should read it; variables of a script are put in later, so they stay bare."""
    is_variable = word.startswith(("$", "{")) and word.strip("${}").isidentifier()
    return word if is_variable else shlex.quote(word)


def missing(slot: str) -> Lack:
    return Lack("missing_argument", slot)


def unknown(item: Item) -> Lack:
    return Lack("unknown_object", "object", item.text)


def paths_or_it(basket: Basket, *, words: bool = False) -> list[str]:
    """All paths of the clause; without any, what went before, if it may be taken."""
    found = [basket.path(item) for item in basket.paths(words=words)]
    if not found and basket.it is not None and basket.is_piped:
        found = [basket.it]
    return found


def first_with(items: list[Item], *roles: str) -> Item | None:
    """The item with the first of these roles that any has."""
    return next((item for role in roles for item in items if item.role == role), None)
