"""One answer while it is read: its events, and that it ends exactly once."""

from ankrcode.protocol.message import Usage
from ankrcode.protocol.stream import (
    AnyStreamEvent,
    Failed,
    Failure,
    FailureKind,
    Stopped,
    StopReason,
    TextGrew,
    ThinkingClosed,
    ThinkingGrew,
    Used,
)
from ankrcode.providers.wire import Target
from ankrcode.providers.wires.calls import Calls
from ankrcode.providers.wires.halves import Halves
from ankrcode.words import say

_NOTHING = Usage()
_CUTTING = (StopReason.LENGTH, StopReason.REFUSAL)  # what was open then is not whole


class Answer:
    """What a wire understood, said in our own words."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.is_done = False
        self.has_text = False
        self._has_said = False
        self._events: list[AnyStreamEvent] = []
        self.calls = Calls(self._events)
        self._stop: Stopped | None = None
        self._usage: Usage | None = None
        self._is_thinking = False
        self._text_halves, self._thought_halves = Halves(), Halves()

    def drain(self) -> list[AnyStreamEvent]:
        """What was said since the last time."""
        events = self._events.copy()
        self._events.clear()
        return events

    @property
    def has_begun(self) -> bool:
        return self._has_said

    @property
    def has_stop(self) -> bool:
        return self._stop is not None

    def text(self, piece: str) -> None:
        if not piece or self.is_done:
            return
        self._turn_to_text()
        piece = self._text_halves.join(piece)
        if piece:
            self._events.append(TextGrew(text=piece))

    def think(self, piece: str, *, is_summary: bool = False) -> None:
        if not piece or self.is_done:
            return
        if self.calls.are_open:
            self.calls.settle()
        self._is_thinking = self._has_said = True
        piece = self._thought_halves.join(piece)
        if piece:
            self._events.append(ThinkingGrew(text=piece, is_summary=is_summary))

    def close_thought(self, signature: str = "", opaque: str = "") -> None:
        """A thought ends; one that was never told may still have something to give back."""
        if (self._is_thinking or signature or opaque) and not self.is_done:
            self._is_thinking, self._has_said = False, True
            self._events.append(ThinkingClosed(signature=signature, opaque=opaque))

    def open_call(self, key: object, call_id: str, name: str, signature: str = "") -> None:
        if self.is_done:
            return
        if self._is_thinking:
            self.close_thought()
        self._has_said = True
        self.calls.open(key, call_id, name, signature)

    def use(self, usage: Usage) -> None:
        if usage not in (self._usage, _NOTHING) and not self.is_done:
            self._usage = usage
            self._events.append(Used(usage=usage))

    def stop(self, reason: StopReason, raw: str) -> None:
        """The vendor said why it ends; `finish` ends it."""
        if self.is_done:
            return
        if self._is_thinking:
            self.close_thought()
        self._end_calls(reason, is_over=False)
        self._stop = Stopped(reason=reason, raw=raw)

    def finish(self) -> None:
        """The vendor marked the end."""
        if self.is_done:
            return
        if self._stop is None:
            if not self._has_said:
                self.fail_with(FailureKind.PROTOCOL, "wire_empty")
                return
            self.stop(StopReason.END, "")
        assert self._stop is not None
        reason, raw = self._stop.reason, self._stop.raw
        self._end_calls(reason, is_over=True)  # some go on after their reason to stop
        if reason is StopReason.END and self.calls.closed:
            reason = StopReason.TOOL_USE
        self.is_done = True
        self._events.append(Stopped(reason=reason, raw=raw))

    def end(self, *, cut: bool) -> None:
        """Nothing more will come."""
        if self.is_done:
            return
        if self._stop is not None and not cut:
            self.finish()
        else:
            self.fail_with(FailureKind.CUT, "wire_cut")

    def fail(self, failure: Failure) -> None:
        if self.is_done:
            return
        self.calls.break_all()
        if self._is_thinking:
            self.close_thought()
        self.is_done = True
        self._events.append(Failed(failure=failure))

    def fail_said(self, error: object, kind_word: str = "") -> None:
        """With what the vendor said of it, in a name the wire gave it or in its own words."""
        from ankrcode.providers.wires.failures import failure_said

        self.fail(failure_said(error, self.target, kind_word))

    def fail_with(self, kind: FailureKind, key: str) -> None:
        """With a sentence of our own."""
        target = self.target
        message = say(key, provider=target.provider, model=target.model)
        self.fail(Failure(kind=kind, message=message, provider=target.provider, model=target.model))

    def _end_calls(self, reason: StopReason, *, is_over: bool) -> None:
        if reason in _CUTTING:
            self.calls.break_all()
        else:
            self.calls.finish(is_over=is_over)

    def _turn_to_text(self) -> None:
        self.has_text = self._has_said = True
        if self._is_thinking:
            self.close_thought()
        if self.calls.are_open:
            self.calls.settle()
