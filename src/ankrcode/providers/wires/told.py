"""A conversation as one wire tells it: what is settled is neither encoded nor arranged again."""

from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

from ankrcode.protocol.message import Message, TextPart, ToolResultPart, ToolUsePart
from ankrcode.providers.wire import Target
from ankrcode.providers.wires.body import separated
from ankrcode.providers.wires.kept import Kept, begins_with

Form = TypeVar("Form")

Form_contra = TypeVar("Form_contra", contravariant=True)


class Arrange(Protocol[Form_contra]):
    """Messages and their forms, in the wire's order."""

    def __call__(
        self,
        messages: Sequence[Message],
        forms: Sequence[Form_contra],
        target: Target,
        /,
        *,
        marks: bool,
    ) -> list[bytes]:
        """The last turns marked for the vendor's cache, if asked."""
        ...


_OPEN_TURNS = 3  # of the model: enough that marks and late words touch nothing that is settled


class Told(Generic[Form]):
    """Request n costs what is new in it."""

    def __init__(self, encode: Callable[[Message, Target], Form], arrange: Arrange[Form]) -> None:
        self._kept: Kept[Message, Form] = Kept(encode)
        self._arrange = arrange
        self._settled: list[bytes] = []
        self._at = 0  # the first message that is not settled: with it a turn of the model begins
        self._messages: Sequence[Message] = ()  # of the last request, and their forms
        self._forms: Sequence[Form] = ()

    def pieces(
        self, messages: Sequence[Message], target: Target, *, marks: bool = False
    ) -> list[bytes]:
        """All of them with commas between; joined, the inside of a list."""
        forms = self._kept.forms(messages, target)
        if not (begins_with(messages, self._messages) and begins_with(forms, self._forms)):
            self._settled, self._at = [], 0
        at, until = self._at, _settled_until(messages, self._at)
        if until > at:
            told = self._arrange(messages[at:until], forms[at:until], target, marks=False)
            self._settled.append(b",".join(told))
        self._at, self._messages, self._forms = until, tuple(messages), forms
        rest = self._arrange(messages[until:], forms[until:], target, marks=marks)
        return separated([*self._settled, *rest])


def in_their_order(
    _messages: Sequence[Message], forms: Sequence[bytes], _target: Target, *, marks: bool
) -> list[bytes]:
    """For wires that want no other and know no marks; a message may say nothing there."""
    del marks
    return [form for form in forms if form]


def _settled_until(messages: Sequence[Message], at: int) -> int:
    """Where one of the last turns of the model begins: nothing before it can change any more."""
    begun = 0
    for index in range(len(messages) - 1, at, -1):
        if _begins_turn(messages[index], messages[index - 1]):
            begun += 1
            if begun == _OPEN_TURNS:
                return index
    return at


def _begins_turn(message: Message, before: Message) -> bool:
    if message.role != "assistant" or before.role == "assistant":
        return False
    return _speaks(message) and _speaks(before)


def _speaks(message: Message) -> bool:
    """In every wire; thought alone or a blank may be left out."""
    return any(
        isinstance(part, ToolUsePart | ToolResultPart)
        or (isinstance(part, TextPart) and bool(part.text.strip()))
        for part in message.parts
    )
