"""A model that says what a script tells it to: for tests, demonstrations and work without a net.

A script is a list of turns, in Python or in a file (`--model scripted/turns.json`). A turn may
think, speak, call, dawdle, break off or fail, in pieces of any size.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from ankrcode.errors import ProviderError
from ankrcode.protocol.message import Message, TextPart, ToolResultPart, Usage
from ankrcode.protocol.stream import (
    AnyStreamEvent,
    CallBroken,
    CallClosed,
    CallGrew,
    CallOpened,
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
from ankrcode.providers.wire import ModelRequest


class ScriptedCall(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A call to make. Arguments given as text are sent as they are, and the call stays broken."""

    name: str
    arguments: dict[str, Any] | str = {}
    id: str = ""


class Turn(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One answer: thoughts, text, calls, then its end."""

    text: str = ""
    thinking: str = ""
    signature: str = ""
    calls: tuple[ScriptedCall, ...] = ()
    events: tuple[AnyStreamEvent, ...] = ()  # said as they are, after the rest and before the end
    usage: Usage | None = None
    stop: StopReason | None = None  # None: tool_use if it calls, else end
    when: str = ""  # answers only a request whose last message has this in it
    chunk: int = 0  # characters in a piece; 0: all in one
    delay_s: float = 0.0  # before the first event
    pause_s: float = 0.0  # before each of the others
    cut_after: int | None = None  # so many events, then the connection is gone
    fail: FailureKind | Failure | None = None  # instead of a stop


TurnLike = Turn | str | Callable[[ModelRequest], Turn | str]


class ScriptedModel:
    """Answers request after request with the turns of its script, and keeps the requests.

    A turn given as a function is asked with the request, and may check it.
    """

    def __init__(
        self,
        turns: Iterable[TurnLike],
        *,
        name: str = "scripted/script",
        context_tokens: int = 128_000,
    ) -> None:
        self.requests: list[ModelRequest] = []
        self.turns: list[TurnLike] = list(turns)  # those that were not said yet
        self._name = name
        self._context_tokens = context_tokens
        self._calls = 0

    @classmethod
    def from_file(cls, path: Path | str) -> "ScriptedModel":
        """A JSON array of turns, or one turn to a line; a turn may be just its text."""
        try:
            content = Path(path).read_bytes()
            turns = _turns_of(content)
        except (OSError, msgspec.DecodeError, UnicodeDecodeError) as problem:
            raise ProviderError.of("script_unreadable", path=str(path), why=str(problem)) from None
        return cls(turns, name=f"scripted/{path}")

    @property
    def name(self) -> str:
        return self._name

    @property
    def context_tokens(self) -> int:
        return self._context_tokens

    async def stream(self, request: ModelRequest) -> AsyncIterator[AnyStreamEvent]:
        request = msgspec.structs.replace(request, messages=tuple(request.messages))
        self.requests.append(request)
        turn = self._next_turn(request)
        await asyncio.sleep(turn.delay_s)
        for position, event in enumerate(self._played(turn)):
            if position and turn.pause_s:
                await asyncio.sleep(turn.pause_s)
            yield event

    async def close(self) -> None:
        pass

    def _next_turn(self, request: ModelRequest) -> Turn:
        said = _last_text(request.messages)
        for position, turn in enumerate(self.turns):
            if not isinstance(turn, Turn) or turn.when in said:
                del self.turns[position]
                return _as_turn(turn(request) if callable(turn) else turn)
        message = f"the script has no turn for request {len(self.requests)}"
        return Turn(fail=Failure(kind=FailureKind.PROTOCOL, message=message, model=self.name))

    def _played(self, turn: Turn) -> list[AnyStreamEvent]:
        events = [*self._said(turn), self._end(turn)]
        if turn.cut_after is None or turn.cut_after >= len(events):
            return events
        events = events[: turn.cut_after]
        return [*events, *_broken(events), Failed(failure=self._failure(FailureKind.CUT))]

    def _said(self, turn: Turn) -> Iterator[AnyStreamEvent]:
        for piece in _pieces(turn.thinking, turn.chunk):
            yield ThinkingGrew(text=piece)
        if turn.thinking or turn.signature:
            yield ThinkingClosed(signature=turn.signature)
        for piece in _pieces(turn.text, turn.chunk):
            yield TextGrew(text=piece)
        for index, call in enumerate(turn.calls):
            yield from self._call(index, call, turn.chunk)
        yield from turn.events
        if turn.usage is not None:
            yield Used(usage=turn.usage)

    def _call(self, index: int, call: ScriptedCall, chunk: int) -> Iterator[AnyStreamEvent]:
        self._calls += 1
        call_id, name, arguments = call.id or f"call_{self._calls}", call.name, call.arguments
        text = arguments if isinstance(arguments, str) else msgspec.json.encode(arguments).decode()
        yield CallOpened(index=index, id=call_id, name=name)
        for piece in _pieces(text, chunk):
            yield CallGrew(index=index, text=piece)
        if isinstance(arguments, str):
            why = "its arguments are not one whole object"
            yield CallBroken(index=index, id=call_id, name=name, text=text, why=why)
        else:
            yield CallClosed(index=index, id=call_id, name=name, arguments=arguments)

    def _end(self, turn: Turn) -> AnyStreamEvent:
        if turn.fail is not None:
            return Failed(failure=self._failure(turn.fail))
        reason = turn.stop or (StopReason.TOOL_USE if turn.calls else StopReason.END)
        return Stopped(reason=reason, raw=reason.value)

    def _failure(self, fail: FailureKind | Failure) -> Failure:
        if isinstance(fail, Failure):
            return fail
        message = f"the script says: {fail.value}"
        return Failure(kind=fail, message=message, provider="scripted", model=self.name)


def _as_turn(turn: Turn | str) -> Turn:
    return Turn(text=turn) if isinstance(turn, str) else turn


def _pieces(text: str, size: int) -> Iterator[str]:
    step = size or max(1, len(text))
    return (text[start : start + step] for start in range(0, len(text), step))


def _broken(events: Iterable[AnyStreamEvent]) -> Iterator[CallBroken]:
    """What was open when the connection went away."""
    opened: dict[int, CallOpened] = {}
    for event in events:
        if isinstance(event, CallOpened):
            opened[event.index] = event
        elif isinstance(event, (CallClosed, CallBroken)):
            opened.pop(event.index, None)
    for one in opened.values():
        yield CallBroken(index=one.index, id=one.id, name=one.name, why="the answer broke off")


def _last_text(messages: Sequence[Message]) -> str:
    said = messages[-1].parts if messages else ()
    return "\n".join(part.text for part in said if isinstance(part, TextPart | ToolResultPart))


def _turns_of(content: bytes) -> list[Turn | str]:
    if content.lstrip().startswith(b"["):
        return msgspec.json.decode(content, type=list[Turn | str])
    lines = [line for line in content.splitlines() if line.strip()]
    return [msgspec.json.decode(line, type=Turn | str) for line in lines]


def made(name: str, settings: object, environ: Mapping[str, str]) -> ScriptedModel:
    """`scripted/FILE`: what every model without a server offers to whoever resolves names."""
    return ScriptedModel.from_file(Path(name).expanduser())
