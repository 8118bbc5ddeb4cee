"""How many tokens the next request will have: counted by rule of thumb, corrected by what the
provider reports. Each message is looked at once, when it is added."""

from collections.abc import Iterable

import msgspec

from ankrcode.protocol.message import (
    AttachmentPart,
    Message,
    Part,
    TextPart,
    ThinkingPart,
    ToolResultPart,
)
from ankrcode.providers.wire import ToolSpec

_CHARS_PER_TOKEN = 3.6
_OTHERS_PER_TOKEN = 2.2
_PER_PART = 6  # its frame: role, type, id
_PICTURE = 1_500
_SAMPLED = 20_000
_LOWEST, _HIGHEST = 0.4, 3.0  # no report moves the factor further


class Estimate:
    """Of everything that goes into a request: messages, and the tools beside them."""

    def __init__(self) -> None:
        self.factor = 1.0  # what a provider counts for one of our tokens
        self.fixed = 0.0  # tools and frame
        self._said = 0.0

    @property
    def tokens(self) -> int:
        return round((self._said + self.fixed) * self.factor)

    def begin(self, messages: Iterable[Message]) -> None:
        self._said = sum(map(raw_tokens, messages))

    def add(self, message: Message) -> None:
        self._said += raw_tokens(message)

    def of(self, messages: Iterable[Message]) -> int:
        """Of these messages alone."""
        return round(sum(map(raw_tokens, messages)) * self.factor)

    def before_answer(self) -> float:
        """What is about to be sent, uncorrected: `calibrate` compares it with the report."""
        return self._said + self.fixed

    def calibrate(self, sent: float, reported: int) -> None:
        """Half of the way towards what was reported: one odd report must not mislead."""
        if reported > 0 and sent > 0:
            seen = min(_HIGHEST, max(_LOWEST, reported / sent))
            self.factor += (seen - self.factor) / 2


def raw_tokens(message: Message) -> float:
    return _PER_PART + sum(map(of_part, message.parts))


def of_part(part: Part) -> float:
    match part:
        case TextPart(text=text) | ThinkingPart(text=text):
            return _PER_PART + of_text(text)
        case ToolResultPart():
            return _PER_PART + of_text(part.text) + _PICTURE * len(part.attachments)
        case AttachmentPart():
            return _PER_PART + _PICTURE
        case _:
            return _PER_PART + of_text(part.name) + of_value(part.arguments)


def of_text(text: str) -> float:
    """By characters; those of other scripts cost more, and are told by their bytes."""
    if text.isascii():
        return len(text) / _CHARS_PER_TOKEN
    sample = text[:_SAMPLED]
    others = (len(sample.encode("utf-8", "replace")) - len(sample)) / 2
    tokens = (len(sample) - others) / _CHARS_PER_TOKEN + others / _OTHERS_PER_TOKEN
    return tokens * len(text) / len(sample)


def of_value(value: object) -> float:
    """Of arguments, without writing them down."""
    if isinstance(value, str):
        return of_text(value)
    if isinstance(value, dict):
        return sum(of_value(key) + of_value(one) + 1 for key, one in value.items())
    if isinstance(value, list):
        return sum(map(of_value, value)) + 1
    return 1.0


def of_tools(tools: Iterable[ToolSpec]) -> float:
    """What the tools beside the messages come to."""
    return sum(_PER_PART + len(msgspec.json.encode(one)) / _CHARS_PER_TOKEN for one in tools)
