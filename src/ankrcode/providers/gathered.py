"""An answer put together from its events: the message to remember, the calls to run, the price.

Fed one by one it can be asked at any time, so that a cut answer still says how far it came.
"""

from msgspec import Struct

from ankrcode.protocol.message import Message, Part, TextPart, ThinkingPart, ToolUsePart, Usage
from ankrcode.protocol.stream import (
    AnyStreamEvent,
    CallBroken,
    CallClosed,
    CallOpened,
    Failed,
    Failure,
    Stopped,
    StopReason,
    Switched,
    TextGrew,
    ThinkingClosed,
    ThinkingGrew,
    Used,
    Waited,
)


class _Block(Struct):
    """A part while it grows; a call keeps its place from where it was opened."""

    kind: str
    pieces: list[str]
    is_open: bool = True
    signature: str = ""
    opaque: str = ""
    call: ToolUsePart | None = None

    def part(self) -> Part | None:
        """None for what has nothing to say, or is a call that never became whole."""
        if self.kind == "call":
            return self.call
        text = "".join(self.pieces)
        if self.kind == "text":
            return TextPart(text=text) if text else None
        if not (text or self.signature or self.opaque):
            return None
        return ThinkingPart(text=text, signature=self.signature, opaque=self.opaque)


class Gathered:
    """What an answer comes to so far; `feed` it every event."""

    def __init__(self) -> None:
        self.usage: Usage | None = None  # None: the provider said nothing of it
        self.stop: StopReason | None = None
        self.raw_stop = ""
        self.failure: Failure | None = None
        self.broken: list[CallBroken] = []
        self.thinking_chars = 0  # without summaries, which are the vendor's words about it
        self._blocks: list[_Block] = []
        self._calls: dict[int, _Block] = {}

    def feed(self, event: AnyStreamEvent) -> None:
        match event:
            case TextGrew():
                self._growing("text").pieces.append(event.text)
            case ThinkingGrew() | ThinkingClosed():
                self._think(event)
            case CallOpened() | CallClosed() | CallBroken():
                self._call(event)
            case Used():
                self.usage = event.usage
            case Waited() | Switched():
                self._begin_again()
            case Stopped():
                self.stop, self.raw_stop = event.reason, event.raw
            case Failed():
                self.failure = event.failure
            case _:
                pass  # arguments that grow are for whoever watches

    @property
    def is_done(self) -> bool:
        return self.stop is not None or self.failure is not None

    @property
    def parts(self) -> tuple[Part, ...]:
        """In the order in which they began."""
        return tuple(part for block in self._blocks if (part := block.part()) is not None)

    @property
    def message(self) -> Message:
        """To remember and to send back. Only whole calls are in it, so each can have a result."""
        return Message(role="assistant", parts=self.parts)

    @property
    def text(self) -> str:
        return self._said("text")

    @property
    def thinking(self) -> str:
        return self._said("thinking")

    @property
    def calls(self) -> tuple[ToolUsePart, ...]:
        return tuple(part for part in self.parts if isinstance(part, ToolUsePart))

    def _said(self, kind: str) -> str:
        return "".join(piece for one in self._blocks if one.kind == kind for piece in one.pieces)

    def _growing(self, kind: str) -> _Block:
        """The last block, if it is of this kind and open; else a new one."""
        last = self._blocks[-1] if self._blocks else None
        if last is not None and last.kind == kind and last.is_open:
            return last
        block = _Block(kind=kind, pieces=[])
        self._blocks.append(block)
        return block

    def _think(self, event: ThinkingGrew | ThinkingClosed) -> None:
        if isinstance(event, ThinkingGrew):
            self._growing("thinking").pieces.append(event.text)
            self.thinking_chars += 0 if event.is_summary else len(event.text)
            return
        # Some wires sign a thought only after the text that follows it has begun.
        unsigned = (one for one in reversed(self._blocks) if one.kind == "thinking" and one.is_open)
        block = next(unsigned, None) or self._growing("thinking")
        block.signature, block.opaque, block.is_open = event.signature, event.opaque, False

    def _call(self, event: CallOpened | CallClosed | CallBroken) -> None:
        if event.index not in self._calls:
            self._calls[event.index] = _Block(kind="call", pieces=[])
            self._blocks.append(self._calls[event.index])
        if isinstance(event, CallBroken):
            self.broken.append(event)
        elif isinstance(event, CallClosed):
            self._calls[event.index].call = ToolUsePart(
                id=event.id,
                name=event.name,
                arguments=event.arguments,
                signature=event.signature,
            )

    def _begin_again(self) -> None:
        """Another attempt says everything anew; only calls that were whole may have run."""
        self._blocks = [block for block in self._blocks if block.call is not None]
        self._calls = {}
        self.thinking_chars = 0
        self.usage = None
