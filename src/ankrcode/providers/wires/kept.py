"""What was encoded once is kept as bytes: request n costs what is new in it.

Messages and tools are told apart by identity, which is safe while they are held here. What a
conversation has dropped is let go of.
"""

from collections.abc import Callable, Sequence
from operator import is_
from typing import Generic, TypeVar

from ankrcode.providers.wire import Target

Thing = TypeVar("Thing")
Form = TypeVar("Form")

_SPARE = 64


def begins_with(things: Sequence[object], earlier: Sequence[object]) -> bool:
    """Are these the very same, with more behind them? Without a step of Python for each."""
    return len(things) >= len(earlier) and all(map(is_, things, earlier))


class Kept(Generic[Thing, Form]):
    """Things and their encoded form, for one target."""

    def __init__(self, encode: Callable[[Thing, Target], Form]) -> None:
        self._encode = encode
        self._kept: dict[int, tuple[Thing, Form]] = {}
        self._target: Target | None = None
        self._things: Sequence[Thing] = ()  # those of the last request, and their forms
        self._forms: list[Form] = []

    def forms(self, things: Sequence[Thing], target: Target) -> list[Form]:
        """One for each, in order; encoded only where it is new."""
        if target is not self._target:
            if target != self._target:
                self._kept.clear()
                self._things, self._forms = (), []
            self._target = target
        kept, encode = self._kept, self._encode
        forms: list[Form] = self._forms.copy() if begins_with(things, self._things) else []
        for thing in things[len(forms) :]:
            known = kept.get(id(thing))
            if known is None:
                known = kept[id(thing)] = (thing, encode(thing, target))
            forms.append(known[1])
        if len(kept) > 2 * len(things) + _SPARE:
            self._let_go(things)
        self._things, self._forms = tuple(things), forms.copy()
        return forms

    def _let_go(self, things: Sequence[Thing]) -> None:
        wanted = {id(thing) for thing in things}
        self._kept = {key: value for key, value in self._kept.items() if key in wanted}
