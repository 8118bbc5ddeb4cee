"""A conversation as most wires want it: the system's words apart, turns that alternate."""

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby

from ankrcode.protocol.message import Message, Part, TextPart, ThinkingPart


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


def by_role(messages: Sequence[Message], forms: Sequence[bytes]) -> Iterable[tuple[bool, bytes]]:
    """(is the model's, its parts). A system message among the others is told by the user."""
    return ((one.role == "assistant", form) for one, form in zip(messages, forms, strict=True))


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


def in_turns(told: Iterable[tuple[bool, bytes]], user: bytes, model: bytes) -> list[bytes]:
    """`user` and `model` are what opens a turn, up to and with the bracket of its list."""
    return [(model if is_model else user) + parts + b"]}" for is_model, parts in told]


def mark_last(told: list[tuple[bool, bytes]], count: int, mark: Callable[[bytes], bytes]) -> None:
    """So many turns of the user, from the end."""
    users = [at for at, (is_model, _) in enumerate(told) if not is_model]
    for at in users[-count:]:
        told[at] = (False, mark(told[at][1]))
