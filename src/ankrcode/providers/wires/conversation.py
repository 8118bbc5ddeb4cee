"""A conversation as most wires want it: the system's words apart, turns that alternate."""

from collections.abc import Iterable, Sequence
from itertools import groupby

from ankrcode.protocol.message import Message, Part, TextPart, ThinkingPart
from ankrcode.providers.wires.kept import begins_with


def without_system(messages: Sequence[Message]) -> tuple[list[str], Sequence[Message]]:
    """The texts of the system messages in front, and the rest."""
    at = 0
    texts: list[str] = []
    while at < len(messages) and messages[at].role == "system":
        texts += [part.text for part in messages[at].parts if isinstance(part, TextPart)]
        at += 1
    return [text for text in texts if text.strip()], messages[at:]


def without_last_thought(parts: Sequence[Part]) -> Sequence[Part]:
    """Thought that nothing follows, as where an answer broke off, is refused by its vendor."""
    end = len(parts)
    while end and isinstance(parts[end - 1], ThinkingPart):
        end -= 1
    return parts[:end]


class Turns:
    """(is the model's, parts joined). A system message among the others is told by the user.

    What was joined for the request before is kept; its last turn may still grow.
    """

    def __init__(self) -> None:
        self._messages: Sequence[Message] = ()
        self._forms: Sequence[bytes] = ()
        self._settled: list[tuple[bool, bytes]] = []  # of those messages, all turns but the last
        self._at = 0  # the first message of the last turn

    def of(self, messages: Sequence[Message], forms: Sequence[bytes]) -> list[tuple[bool, bytes]]:
        is_same = begins_with(messages, self._messages) and begins_with(forms, self._forms)
        if not is_same:
            self._settled, self._at = [], 0
        fresh = range(self._at, len(messages))
        told = [(messages[at].role == "assistant", forms[at]) for at in fresh]
        turns = self._settled + merged(told)
        self._messages, self._forms = tuple(messages), tuple(forms)
        self._settled, self._at = turns[:-1], self._beginning(turns)
        return turns

    def _beginning(self, turns: list[tuple[bool, bytes]]) -> int:
        """Of the last turn; messages that say nothing belong to whoever surrounds them."""
        at = len(self._messages)
        while at > self._at and (
            not self._forms[at - 1] or (self._messages[at - 1].role == "assistant") == turns[-1][0]
        ):
            at -= 1
        return at


def merged(told: Iterable[tuple[bool, bytes]]) -> list[tuple[bool, bytes]]:
    """Neighbours of one role are one turn, empty ones none."""
    return [
        (is_model, b",".join(form for _, form in group))
        for is_model, group in groupby(filter(_says_something, told), key=_is_model)
    ]


def _says_something(one: tuple[bool, bytes]) -> bool:
    return bool(one[1])


def _is_model(one: tuple[bool, bytes]) -> bool:
    return one[0]


def in_turns(told: Sequence[tuple[bool, bytes]], user: bytes, model: bytes) -> list[bytes]:
    """Turns between what opens and what closes one, with commas; parts are not copied.

    `user` and `model` are what opens a turn, up to and with the bracket of its list.
    """
    pieces: list[bytes] = []
    for is_model, parts in told:
        pieces += (b",", model if is_model else user, parts, b"]}")
    return pieces[1:]
