"""Answers kept in a file, to be given again: `recorded/FILE` replays what a model once said.

A recording has a line for each request (only its digest, never its text) and one for each event,
with the time that had passed. A request is answered by the recording of the same request; where
none is, by the next one in order, unless the replay is strict.
"""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing
from pathlib import Path

import msgspec
from msgspec import Struct

from ankrcode.errors import ProviderError
from ankrcode.protocol.stream import AnyStreamEvent, Failed, Failure, FailureKind, Stopped
from ankrcode.providers.wire import Model, ModelRequest
from ankrcode.providers.wires.body import encoded


class Asked(Struct, frozen=True, kw_only=True, tag_field="line", tag="request", omit_defaults=True):
    """The head of an exchange."""

    digest: str
    model: str
    context_tokens: int = 128_000


class Told(Struct, frozen=True, kw_only=True, tag_field="line", tag="event"):
    """One event, so many seconds after the request."""

    at: float
    event: AnyStreamEvent


class Exchange(Struct):
    asked: Asked
    told: list[Told]

    @property
    def is_whole(self) -> bool:
        return bool(self.told) and isinstance(self.told[-1].event, Stopped | Failed)


def digest_of(request: ModelRequest) -> str:
    """The same for the same conversation, tools and options."""
    from hashlib import sha256

    plain = {"messages": list(request.messages), "tools": list(request.tools)}
    asked = msgspec.to_builtins([plain, request.options], order="sorted")
    return sha256(encoded(asked)).hexdigest()[:32]


class RecordingModel:
    """Lets a model answer and writes down what it says; only its owner can read the file."""

    def __init__(self, model: Model, path: Path | str) -> None:
        self._model = model
        self._path = Path(path)

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def context_tokens(self) -> int:
        return self._model.context_tokens

    async def close(self) -> None:
        await self._model.close()

    async def stream(self, request: ModelRequest) -> AsyncIterator[AnyStreamEvent]:
        began = time.monotonic()
        lines: list[Asked | Told] = [
            Asked(digest=digest_of(request), model=self.name, context_tokens=self.context_tokens)
        ]
        try:
            async with aclosing(self._model.stream(request)) as events:  # type: ignore[type-var]
                async for event in events:
                    lines.append(Told(at=round(time.monotonic() - began, 6), event=event))
                    yield event
        finally:
            self._write(lines)  # in one piece: exchanges that run beside each other stay apart

    def _write(self, lines: list[Asked | Told]) -> None:
        content = b"".join(msgspec.json.encode(line) + b"\n" for line in lines)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            with open(os.open(self._path, flags, 0o600), "ab") as file:  # noqa: PTH123
                file.write(content)
        except OSError as problem:
            raise ProviderError.of(
                "recording_unwritable", path=str(self._path), why=problem.strerror
            ) from None


class RecordedModel:
    """Answers from a recording. `speed` 1.0 takes the time that it took; 0 none at all."""

    def __init__(
        self,
        exchanges: list[Exchange],
        *,
        name: str = "recorded/recording",
        speed: float = 0.0,
        strict: bool = False,
    ) -> None:
        self.unused = list(exchanges)
        self.guessed = 0  # requests that no recording answers exactly
        self._name = name
        self._speed = speed
        self._strict = strict
        first = exchanges[0].asked if exchanges else Asked(digest="", model="")
        self._context_tokens = first.context_tokens

    @classmethod
    def from_file(
        cls, path: Path | str, *, speed: float = 0.0, strict: bool = False
    ) -> "RecordedModel":
        try:
            exchanges = _exchanges_of(Path(path).read_bytes())
        except (OSError, msgspec.DecodeError, UnicodeDecodeError, IndexError) as problem:
            raise ProviderError.of(
                "recording_unreadable", path=str(path), why=str(problem)
            ) from None
        return cls(exchanges, name=f"recorded/{path}", speed=speed, strict=strict)

    @property
    def name(self) -> str:
        return self._name

    @property
    def context_tokens(self) -> int:
        return self._context_tokens

    async def close(self) -> None:
        pass

    async def stream(self, request: ModelRequest) -> AsyncIterator[AnyStreamEvent]:
        exchange = self._find(digest_of(request))
        if exchange is None:
            yield _failed(FailureKind.PROTOCOL, "the recording has no answer to this request")
            return
        waited = 0.0
        for told in exchange.told:
            await asyncio.sleep((told.at - waited) * self._speed)
            waited = told.at
            yield told.event
        if not exchange.is_whole:
            yield _failed(FailureKind.CUT, "the recording breaks off here")

    def _find(self, digest: str) -> Exchange | None:
        for position, one in enumerate(self.unused):
            if one.asked.digest == digest:
                return self.unused.pop(position)
        if self._strict or not self.unused:
            return None
        self.guessed += 1
        return self.unused.pop(0)


def _failed(kind: FailureKind, message: str) -> Failed:
    return Failed(failure=Failure(kind=kind, message=message, provider="recorded"))


def _exchanges_of(content: bytes) -> list[Exchange]:
    decoder = msgspec.json.Decoder(Asked | Told)
    exchanges: list[Exchange] = []
    for text in content.splitlines():
        line = decoder.decode(text)
        if isinstance(line, Asked):
            exchanges.append(Exchange(line, []))
        else:
            exchanges[-1].told.append(line)
    return exchanges


def made(name: str, settings: object, environ: Mapping[str, str]) -> RecordedModel:
    """`recorded/FILE`."""
    return RecordedModel.from_file(Path(name).expanduser())
