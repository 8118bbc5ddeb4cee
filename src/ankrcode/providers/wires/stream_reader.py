"""Reads a streamed answer: payloads out of bytes, JSON out of payloads, events out of JSON."""

from contextlib import suppress
from typing import Any, Protocol

from ankrcode.protocol.stream import AnyStreamEvent, FailureKind
from ankrcode.providers.wires.answer import Answer
from ankrcode.providers.wires.loose import Malformed, decoded, mapping
from ankrcode.providers.wires.splitter import Splitter

DONE = b"[DONE]"
_KEPT_ALIVE = (b"", b"ping", b"PING", b"[PING]", b"keep-alive", b"heartbeat")


class Interpreter(Protocol):
    """What a wire knows of its vendor's events."""

    answer: Answer

    def take(self, name: str, event: Any) -> None:
        """One event, with its name where the wire gives it one."""

    def take_whole(self, body: Any) -> None:
        """The answer in one piece."""


class StreamReader:
    """A `Reader` for any wire: a way to split, and someone who understands."""

    def __init__(self, splitter: Splitter, interpreter: Interpreter) -> None:
        self._splitter = splitter
        self._interpreter = interpreter
        self._answer = interpreter.answer
        self._has_events = False
        self._is_over = False  # what comes now may have been cut

    @property
    def is_done(self) -> bool:
        return self._answer.is_done

    def feed(self, data: bytes) -> list[AnyStreamEvent]:
        if self._answer.is_done:
            return []
        self._read(data)
        return self._answer.drain()

    def end(self, *, cut: bool = False) -> list[AnyStreamEvent]:
        if self._answer.is_done:
            return []
        self._read_rest()
        if not self._answer.is_done:
            self._read_stray(self._splitter.stray, cut=cut)
        self._answer.end(cut=cut)
        return self._answer.drain()

    def _read(self, data: bytes) -> None:
        try:
            for name, payload in self._splitter.feed(data):
                self._take(name, payload)
                if self._answer.is_done:
                    return
        except Malformed:
            self._answer.fail_with(FailureKind.PROTOCOL, "wire_malformed")

    def _read_rest(self) -> None:
        """What lacks only its end mark; anything less was cut."""
        self._is_over = True
        with suppress(Malformed):
            for name, payload in self._splitter.end():
                self._take(name, payload)

    def _read_stray(self, stray: bytes, *, cut: bool) -> None:
        """A body in one piece, or an error that somebody wrote among the events."""
        if self._has_events:
            with suppress(Malformed):
                said = mapping(decoded(stray))
                if said.get("error"):
                    self._answer.fail_said(said)
        elif stray.strip() and not cut:
            read_body(stray, self._interpreter)

    def _take(self, name: str, payload: bytes) -> None:
        self._has_events = True
        if payload[:1] != b"{":
            payload = payload.strip().removeprefix(b"data:").lstrip()  # some write it twice
            if payload == DONE:
                self._answer.finish()
                return
            if payload in _KEPT_ALIVE:
                return
        try:
            event = decoded(payload)
        except Malformed:
            self._take_apart(name, payload)
            return
        for one in event if isinstance(event, list) else [event]:
            self._take_one(name, one)

    def _take_one(self, name: str, event: Any) -> None:
        if isinstance(event, dict) or (name == "error" and event):
            self._interpreter.take(name, event)
        elif event:
            raise Malformed("not an event")

    def _take_apart(self, name: str, payload: bytes) -> None:
        """An error in plain words, or events without the blank line between them."""
        if name == "error":
            self._interpreter.take(name, payload.decode("utf-8", "replace"))
        elif b"\n" in payload:
            for line in payload.split(b"\n"):
                if not self._answer.is_done:
                    self._take(name, line)
        elif payload[:1].isalpha() and b" " in payload and not self._is_over:
            self._answer.fail_said(payload.decode("utf-8", "replace"))
        else:
            raise Malformed("not JSON")


def read_body(body: bytes, interpreter: Interpreter) -> None:
    """An answer in one piece, understood or failed."""
    value = _one_object(body)
    if value is None:
        interpreter.answer.fail_with(FailureKind.PROTOCOL, "wire_malformed")
        return
    interpreter.take_whole(value)
    interpreter.answer.finish()


def read_whole(body: bytes, splitter: Splitter, interpreter: Interpreter) -> list[AnyStreamEvent]:
    """All events of an answer in one piece, even if the vendor streamed it unasked."""
    if _one_object(body) is not None:
        read_body(body, interpreter)
        return interpreter.answer.drain()
    reader = StreamReader(splitter, interpreter)
    return [*reader.feed(body), *reader.end()]


def _one_object(body: bytes) -> dict[str, Any] | None:
    """Google wraps errors in a list."""
    try:
        value = decoded(body)
    except Malformed:
        return None
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value if isinstance(value, dict) else None
