"""The newest messages, which a conversation that goes on shorter keeps: where they begin, and how
they are made to fit. No call is parted from its result."""

from collections.abc import Callable, Sequence
from typing import Any

from msgspec.structs import replace

from ankrcode.agent.estimate import Estimate, of_text
from ankrcode.agent.notes import is_note
from ankrcode.agent.pinned import kept_words, shortened
from ankrcode.protocol.message import (
    AttachmentPart,
    Message,
    Part,
    TextPart,
    ThinkingPart,
    ToolResultPart,
    ToolUsePart,
)

_LONG_CHARS = 300
_WORDS_TOO = 2  # times the room: then also what the person said before goes
_NO_PICTURE = "[Left out, for the window is too small for several: look at it alone.]"
_NO_PICTURES = 0.2  # where so little room is left, pictures go


def tail_start(said: Sequence[Message], estimate: Estimate, room: float) -> int:
    """The first message of the newest that fit; no call is parted from its result."""
    start, size = len(said), 0.0
    for at in range(len(said) - 1, -1, -1):
        size += estimate.of([said[at]])
        if size > room and start < len(said):
            break
        if not any(isinstance(part, ToolResultPart) for part in said[at].parts):
            start = at
    return start


def fitted(tail: Sequence[Message], estimate: Estimate, room: float) -> list[Message]:
    """The last exchange stays in any case; what is too long in it is shortened: first results, then
    the model's own words and what it wrote into calls. What the person said last is never cut."""
    kept = list(tail) if estimate.of(tail) <= room else _without_thoughts(tail, estimate, room)
    for thinner in (_shorter_result, _shorter_call):
        size = estimate.of(kept)
        if size <= room:
            break
        kept = [_thinner(message, room / size, thinner) for message in kept]
    size = estimate.of(kept)
    if size > room * _WORDS_TOO:
        kept = [_with_less_before(message, room * _WORDS_TOO / size) for message in kept]
    return kept


def with_fewer_pictures(tail: list[Message], estimate: Estimate, room: float) -> list[Message]:
    """Several that came at once may be more than a window holds: the first of them go, and the
    model is told so. One that fits can still be looked at."""
    kept = list(tail)
    for at, message in enumerate(tail):
        for place, part in enumerate(message.parts):
            if not isinstance(part, ToolResultPart) or not part.attachments:
                continue
            if estimate.of(kept) <= room:
                return kept
            bare = replace(part, text=f"{part.text}\n{_NO_PICTURE}".lstrip(), attachments=())
            parts = kept[at].parts
            kept[at] = replace(message, parts=(*parts[:place], bare, *parts[place + 1 :]))
    return kept


def _with_less_before(message: Message, share: float) -> Message:
    """A message that was too long for the window stays in front of what the person says next, in
    the same message: that must not keep the conversation from going on for ever."""
    said = [at for at, part in enumerate(message.parts) if _is_said(part)]
    if message.role != "user" or len(said) < 2:  # noqa: PLR2004 - nothing came after it
        return message
    before = [_less_said(part, share) for part in message.parts[: said[-1]]]
    return replace(message, parts=(*filter(None, before), *message.parts[said[-1] :]))


def _is_said(part: Part) -> bool:
    return isinstance(part, TextPart) and not is_note(part)


def _less_said(part: Part, share: float) -> Part | None:
    if isinstance(part, AttachmentPart):
        return None
    if isinstance(part, TextPart) and _is_said(part):
        kept = kept_words([part.text], of_text(part.text) * share)
        return replace(part, text="\n".join(kept)) if kept else None
    return part


def _without_thoughts(tail: Sequence[Message], estimate: Estimate, room: float) -> list[Message]:
    """Thoughts are signed, so they stay whole or go. Vendors want the newest back, no others."""
    newest = max((at for at, one in enumerate(tail) if one.role == "assistant"), default=0)
    return [
        message
        if at == newest and _thought_tokens(message, estimate) <= room / 2
        else _bare(message)
        for at, message in enumerate(tail)
    ]


def _thought_tokens(message: Message, estimate: Estimate) -> int:
    parts = tuple(part for part in message.parts if isinstance(part, ThinkingPart))
    return estimate.of([replace(message, parts=parts)])


def _bare(message: Message) -> Message:
    parts = tuple(part for part in message.parts if not isinstance(part, ThinkingPart))
    if not parts or len(parts) == len(message.parts):
        return message
    return replace(message, parts=parts)


def _thinner(message: Message, share: float, thinner: Callable[[Part, float], Part]) -> Message:
    if message.role == "user" and thinner is _shorter_call:
        return message
    return replace(message, parts=tuple(thinner(part, share) for part in message.parts))


def _shorter_result(part: Part, share: float) -> Part:
    if isinstance(part, ToolResultPart):
        text = shortened(part.text, of_text(part.text) * share)
        return replace(
            part, text=text, attachments=() if share < _NO_PICTURES else part.attachments
        )
    return part


def _shorter_call(part: Part, share: float) -> Part:
    if isinstance(part, TextPart):
        return replace(part, text=shortened(part.text, of_text(part.text) * share))
    if isinstance(part, ToolUsePart):
        cut = {name: _shorter_value(value, share) for name, value in part.arguments.items()}
        return replace(part, arguments=cut)
    return part


def _shorter_value(value: Any, share: float) -> Any:
    """Long texts, such as the content of a file; what a call is about stays."""
    if isinstance(value, str) and len(value) > _LONG_CHARS:
        return shortened(value, max(of_text(value) * share, of_text(value[:_LONG_CHARS])))
    return value
