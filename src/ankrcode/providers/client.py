"""A vendor's model over HTTP: what a wire encodes is sent, what comes back is read by it."""

import asyncio
from collections.abc import AsyncIterator, Callable

from msgspec.structs import replace

from ankrcode.errors import ProviderError
from ankrcode.protocol.stream import (
    AnyStreamEvent,
    Failed,
    Failure,
    FailureKind,
    Stopped,
)
from ankrcode.providers.advised import advised, not_running
from ankrcode.providers.transport.address import joined, without_login
from ankrcode.providers.transport.auth import Login
from ankrcode.providers.transport.http import MAX_BODY_BYTES, HttpAnswer, HttpClient
from ankrcode.providers.transport.secret import Secret
from ankrcode.providers.transport.transport_fault import TransportFault
from ankrcode.providers.wire import ModelRequest, Reader, Target, Wire
from ankrcode.words import say

_MAX_ERROR_BYTES = 256 * 1024
_MAX_MESSAGE_CHARS = 1_000
_OK = range(200, 300)
_REFUSED = (401, 403)
_PROXY_LOGIN = 407
_REDIRECTS = (301, 302, 303, 307, 308)
_STREAMS = ("event-stream", "eventstream", "ndjson", "jsonl", "stream+json", "json-seq")
_END = (Stopped, Failed)


class WireModel:
    """One model of one provider. Never raises for what the provider does; closing the iterator
    closes the connection."""

    def __init__(
        self,
        *,
        wire: Wire,
        target: Target,
        http: HttpClient,
        login: Login,
        headers: dict[str, str] | None = None,
        secrets: tuple[Secret, ...] = (),
        wire_name: str = "",
    ) -> None:
        self.wire_name = wire_name
        self._wire = wire
        self._target = target
        self._http = http
        self._login = login
        self._headers = headers or {}
        self._secrets = secrets  # beside the key: not to be shown either

    @property
    def name(self) -> str:
        return f"{self._target.provider}/{self._target.model}"

    @property
    def context_tokens(self) -> int:
        return self._target.context_tokens

    @property
    def target(self) -> Target:
        return self._target

    async def close(self) -> None:
        await self._http.close()

    async def stream(self, request: ModelRequest) -> AsyncIterator[AnyStreamEvent]:
        """The events of one answer; the last is `Stopped` or `Failed`."""
        answer: HttpAnswer | None = None
        reader: Reader | None = None
        try:
            answer = await self._ask(request)
            if answer.head.status not in _OK:
                yield Failed(failure=await self._refusal(answer))
                return
            pieces = aiter(answer)
            data = await _first_piece(pieces)
            reader = self._reader_for(answer, data)
            while True:
                for event in reader.feed(data) if data else reader.end():
                    if isinstance(event, _END):
                        await answer.finish()
                    yield self._shown(event)
                if reader.is_done or not data:
                    break
                data = await anext(pieces, b"")
        except TransportFault as fault:
            for event in self._broken_off(fault, reader):
                yield event
        except ProviderError as problem:  # a proxy, a certificate or a name that cannot be
            is_key = problem.key.startswith("key_")
            kind = FailureKind.NO_KEY if is_key else FailureKind.BAD_REQUEST
            yield Failed(failure=self._failure(kind, str(problem)))
        finally:
            if answer is not None:
                answer.close()

    async def _ask(self, request: ModelRequest) -> HttpAnswer:
        """Once more with another key where the one that a program printed has run out."""
        if self._login.is_pending:
            await self._renew_login()
        answer = await self._sent(request)
        if answer.head.status not in _REFUSED or self._login.renew is None:
            return answer
        answer.close()
        await self._renew_login()
        return await self._sent(request)

    async def _renew_login(self) -> None:
        if self._login.renew is not None:
            fresh = await asyncio.to_thread(self._login.renew)
            self._login = self._login if fresh is None else fresh

    async def _sent(self, request: ModelRequest) -> HttpAnswer:
        encoded = self._wire.encode(request, self._target)
        url = joined(self._target.base_url, encoded.path)
        headers = {"content-type": "application/json"}
        for name, value in (*encoded.headers.items(), *self._headers.items()):
            headers[name.lower()] = value
        url, headers = self._login.put_on(url, headers, encoded.body)
        return await self._http.request("POST", url, headers, encoded.body)

    def _reader_for(self, answer: HttpAnswer, first: bytes) -> Reader:
        if _is_stream(answer.head.headers.get("content-type", ""), first):
            return self._wire.reader(self._target)
        return _WholeReader(self._read_whole)

    def _read_whole(self, body: bytes) -> list[AnyStreamEvent]:
        """An answer in one piece, although a stream was asked for or because it was not."""
        if body.lstrip()[:1] == b"<":
            message = say("answer_is_page", provider=self._target.provider)
            return [Failed(failure=self._failure(FailureKind.PROTOCOL, message))]
        return self._wire.read_whole(body, self._target)

    async def _refusal(self, answer: HttpAnswer) -> Failure:
        """What an error status means, in one sentence and without our key."""
        status, headers = answer.head.status, answer.head.headers
        if status in _REDIRECTS:
            place = without_login(headers.get("location", "…"))
            message = say("provider_redirects", provider=self._target.provider, url=place)
            return self._failure(FailureKind.BAD_REQUEST, message, status)
        if status == _PROXY_LOGIN:
            return self._failure(FailureKind.NETWORK, say("proxy_login.plain"), status, lasts=True)
        body = await _beginning(answer)
        failure = self._wire.failure(status, headers, body, self._target)
        return self._named(failure, status)

    def _broken_off(self, fault: TransportFault, reader: Reader | None) -> list[AnyStreamEvent]:
        """What was open is told as broken; the end is the fault, unless the answer was whole."""
        events = reader.end(cut=True) if reader and not reader.is_done else []
        if events and isinstance(events[-1], Stopped):
            return events
        events = [event for event in events if not isinstance(event, Failed)]
        place = fault.silent_place
        message = not_running(place, self._target.provider) if place else fault.message
        return [*events, Failed(failure=self._failure(fault.kind, message, lasts=fault.is_lasting))]

    def _shown(self, event: AnyStreamEvent) -> AnyStreamEvent:
        if isinstance(event, Failed):
            return Failed(failure=self._named(event.failure, event.failure.status))
        return event

    def _failure(
        self, kind: FailureKind, message: str, status: int | None = None, *, lasts: bool = False
    ) -> Failure:
        return self._named(Failure(kind=kind, message=message, is_lasting=lasts), status)

    def _named(self, failure: Failure, status: int | None) -> Failure:
        said = _one_line(self._login.hidden(failure.message))
        for secret in self._secrets:
            said = secret.removed_from(said)
        return replace(
            failure,
            message=advised(failure.kind, said, self._target, self._login.variable),
            provider=self._target.provider,
            model=self._target.model,
            status=failure.status if failure.status is not None else status,
        )


class _WholeReader:
    """Waits for the end and reads everything then."""

    def __init__(self, read: Callable[[bytes], list[AnyStreamEvent]]) -> None:
        self._read = read
        self._body = bytearray()
        self.is_done = False

    def feed(self, data: bytes) -> list[AnyStreamEvent]:
        self._body += data
        if len(self._body) > MAX_BODY_BYTES:
            raise _too_long()
        return []

    def end(self, cut: bool = False) -> list[AnyStreamEvent]:  # noqa: FBT001, FBT002
        self.is_done = True
        return [] if cut else self._read(bytes(self._body))


async def _first_piece(pieces: AsyncIterator[bytes]) -> bytes:
    """The first bytes that say anything: blank ones keep a connection awake."""
    blanks = 0
    async for piece in pieces:
        if piece.strip():
            return piece
        blanks += len(piece)
        if blanks > MAX_BODY_BYTES:
            raise _too_long()
    return b""


def _is_stream(content_type: str, first: bytes) -> bool:
    """By what the server says; where it says nothing useful, by how the body begins."""
    kind = content_type.lower()
    if any(word in kind for word in _STREAMS):
        return True
    begin = first.lstrip()[:6]
    return begin.startswith((b"data:", b"event:", b"id:", b":", b"retry:"))


async def _beginning(answer: HttpAnswer) -> bytes:
    """Enough of an error's body; one that breaks off still says something."""
    body = bytearray()
    try:
        async for piece in answer:
            body += piece
            if len(body) > _MAX_ERROR_BYTES:
                break
    except TransportFault:
        pass
    return bytes(body[:_MAX_ERROR_BYTES])


def _too_long() -> TransportFault:
    return TransportFault.of(FailureKind.PROTOCOL, "answer_too_long", limit=MAX_BODY_BYTES)


def _one_line(message: str) -> str:
    line = " ".join(message.split())
    return line if len(line) <= _MAX_MESSAGE_CHARS else line[: _MAX_MESSAGE_CHARS - 1] + "…"
