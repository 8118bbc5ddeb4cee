"""HTTP/1.1 for models: one POST after another on connections that are kept, answers that stream.

Every wait has a bound of its own: reaching the server, its first byte, each pause after it.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping

from msgspec import Struct

from ankrcode.protocol.stream import FailureKind
from ankrcode.providers.transport.address import Address, parse_address
from ankrcode.providers.transport.connection import Connection, open_connection
from ankrcode.providers.transport.http1 import AnswerReader, Head
from ankrcode.providers.transport.proxies import Proxies, Proxy
from ankrcode.providers.transport.tls import Tls, TlsFiles, tls_context
from ankrcode.providers.transport.transport_fault import TransportFault
from ankrcode.version import __version__

MAX_BODY_BYTES = 64 * 1024 * 1024
_MAX_IDLE = 4  # connections kept for one server
_MAX_IDLE_S = 60.0
_FINISH_S = 0.02  # what is left after the last event has mostly arrived with it


class Timeouts(Struct, frozen=True, kw_only=True):
    """In seconds. A model may think for minutes before its first byte."""

    connect: float = 15.0
    first: float = 300.0
    idle: float = 180.0


_Place = tuple[str, str, int, str]


class HttpClient:
    """Connections to the servers of one model. Not for several event loops at once."""

    def __init__(
        self,
        *,
        timeouts: Timeouts | None = None,
        proxies: Proxies | None = None,
        tls: TlsFiles | None = None,
        offline: bool = False,
    ) -> None:
        self.timeouts = timeouts or Timeouts()
        self._proxies = proxies or Proxies({})
        self._tls_files = tls or TlsFiles()
        self._tls: Tls | None = None
        self._offline = offline
        self._idle: dict[_Place, list[Connection]] = {}

    async def request(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes = b""
    ) -> "HttpAnswer":
        """The answer, as soon as its head is there. Raises `TransportFault`."""
        address = parse_address(url)
        proxy = None if self._offline else self._proxies.for_address(address)
        place = (address.scheme, address.host, address.port, repr(proxy) if proxy else "")
        message = _message(method, address, proxy, headers, body)
        kept = self._kept(place)
        while True:
            connection = kept or await self._opened(address, proxy)
            answer = HttpAnswer(self, place, connection)
            try:
                await answer.begin(message)
            except TransportFault as fault:
                connection.close()
                is_stale = kept is not None and fault.kind is FailureKind.NETWORK
                if answer.has_begun or not is_stale:
                    raise
                kept = None  # it was closed while nobody looked: once more on a fresh one
            except BaseException:
                connection.close()
                raise
            else:
                return answer

    async def close(self) -> None:
        for connections in self._idle.values():
            for connection in connections:
                connection.close()
        self._idle.clear()

    def give_back(self, place: _Place, connection: Connection) -> None:
        kept = self._idle.setdefault(place, [])
        if len(kept) >= _MAX_IDLE:
            connection.close()
            return
        connection.idle_since = connection.loop.time()
        kept.append(connection)

    def _kept(self, place: _Place) -> Connection | None:
        connections = self._idle.get(place, [])
        while connections:
            connection = connections.pop()
            is_young = connection.is_open and (
                connection.loop.time() - connection.idle_since < _MAX_IDLE_S
            )
            if is_young:
                return connection
            connection.close()
        return None

    async def _opened(self, address: Address, proxy: Proxy | None) -> Connection:
        needs_tls = address.is_tls or (proxy is not None and proxy.address.is_tls)
        if needs_tls and self._tls is None:
            self._tls = tls_context(self._tls_files)
        try:
            async with asyncio.timeout(self.timeouts.connect):
                return await open_connection(
                    address,
                    proxy=proxy,
                    tls=self._tls if needs_tls else None,
                    offline=self._offline,
                )
        except TimeoutError:
            raise _timed_out("connect", self.timeouts.connect) from None


class HttpAnswer:
    """Status and headers at once, the body as it comes."""

    def __init__(self, client: HttpClient, place: _Place, connection: Connection) -> None:
        self._client = client
        self._place = place
        self._connection: Connection | None = connection
        self._reader = AnswerReader()
        self._early: list[bytes] = []

    @property
    def head(self) -> Head:
        assert self._reader.head is not None
        return self._reader.head

    @property
    def has_begun(self) -> bool:
        return self._reader.has_begun

    async def begin(self, message: bytes) -> None:
        """Send the request and read on until the head is there."""
        assert self._connection is not None
        limit = self._client.timeouts.first
        try:
            async with asyncio.timeout(limit):
                self._connection.send(message)
                while self._reader.head is None:
                    self._early += self._feed(await self._connection.receive())
        except TimeoutError:
            raise _timed_out("first", limit) from None
        self._settle()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """The body in pieces; raises `TransportFault` where it breaks off."""
        coding = self.head.headers.get("content-encoding", "identity")
        if coding.lower() in ("identity", ""):
            async for piece in self._received():
                yield piece
            return
        from ankrcode.providers.transport.unpacking import Unpacker

        unpacker = Unpacker(coding)
        async for packed in self._received():
            for piece in unpacker.feed(packed):
                yield piece

    async def _received(self) -> AsyncIterator[bytes]:
        while self._early:
            yield self._early.pop(0)
        limit = self._client.timeouts.idle
        while self._connection is not None:
            try:
                async with asyncio.timeout(limit):
                    pieces = self._feed(await self._connection.receive())
            except TimeoutError:
                self.close()
                raise _timed_out("idle", limit) from None
            except BaseException:  # cut off, or nobody waits for it any more
                self.close()
                raise
            self._settle()
            for piece in pieces:
                yield piece

    async def read(self, limit: int = MAX_BODY_BYTES) -> bytes:
        """All of it, or an error where it is longer than `limit`."""
        whole = bytearray()
        async for piece in self:
            whole += piece
            if len(whole) > limit:
                self.close()
                raise TransportFault.of(FailureKind.PROTOCOL, "answer_too_long", limit=limit)
        return bytes(whole)

    async def finish(self) -> None:
        """The last event was read: take in what ends the body, if it is there already, so that
        the connection can be used again."""
        try:
            async with asyncio.timeout(_FINISH_S):
                while self._connection is not None:
                    self._feed(await self._connection.receive())
                    self._settle()
        except (TimeoutError, TransportFault):
            self.close()

    def close(self) -> None:
        """Whatever is still on its way is not wanted."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _feed(self, data: bytes) -> list[bytes]:
        if data:
            return self._reader.feed(data)
        self._reader.end()
        return []

    def _settle(self) -> None:
        """A whole answer gives its connection back."""
        connection = self._connection
        if connection is None or not self._reader.is_done:
            return
        self._connection = None
        if self._reader.keeps_alive and connection.has_sent_all:
            self._client.give_back(self._place, connection)
        else:
            connection.close()


def _message(
    method: str, address: Address, proxy: Proxy | None, headers: Mapping[str, str], body: bytes
) -> bytes:
    target = address.path
    fields = {
        "Host": address.authority,
        "User-Agent": f"ankrcode/{__version__}",
        "Accept-Encoding": "identity",
        **({"Content-Length": str(len(body))} if body or method == "POST" else {}),
    }
    if proxy is not None and not address.is_tls:
        target = f"{address.scheme}://{address.authority}{address.path}"
        fields |= {"Proxy-Authorization": proxy.login} if proxy.login else {}
    own = {name.lower() for name in headers}
    fields = {name: value for name, value in fields.items() if name.lower() not in own}
    lines = [f"{method} {target} HTTP/1.1"]
    lines += [f"{name}: {value}" for name, value in (fields | dict(headers)).items()]
    if any(not line.isprintable() for line in lines):
        raise TransportFault.of(FailureKind.BAD_REQUEST, "header_wrong")
    return "\r\n".join([*lines, "", ""]).encode("latin-1", "replace") + body


def _timed_out(stage: str, seconds: float) -> TransportFault:
    key = {"connect": "timeout_connect", "first": "timeout_first"}.get(stage, "timeout_idle")
    return TransportFault.of(FailureKind.TIMEOUT, key, seconds=round(seconds, 1))
