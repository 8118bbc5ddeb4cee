"""One connection: opened straight or through a proxy, with TLS where the address asks for it."""

import asyncio
import atexit
import os
import threading
import warnings
from contextlib import suppress
from errno import ECONNRESET
from socket import EAI_AGAIN
from typing import Any
from weakref import WeakSet, finalize

from ankrcode.protocol.stream import FailureKind
from ankrcode.providers.transport.address import LOOPBACK_NAMES, Address
from ankrcode.providers.transport.http1 import AnswerReader
from ankrcode.providers.transport.proxies import Proxy
from ankrcode.providers.transport.tls import Tls
from ankrcode.providers.transport.transport_fault import TransportFault
from ankrcode.words import advice, say

_READ_BYTES = 64 * 1024
_LOOPBACK_LITERALS = ("127.0.0.1", "::1")
_NEXT_ADDRESS_S = 0.25  # where IPv6 leads nowhere, IPv4 is tried beside it
_OK = 200
_LOGIN_WANTED = 407
_AT_EXIT_S = 0.5  # for a loop that still works
_FORBIDDEN = (400, 401, 403, 404, 405, 451)  # by the proxy: it will say so again


class Connection:
    """Bytes out, bytes in. Whoever has it closes it, or gives it back to the pool."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self.loop = asyncio.get_running_loop()
        self.idle_since = 0.0
        # Not `__del__`: among things that refer to each other, the writer's might come first.
        finalize(self, _forgotten, writer, self.loop).atexit = False
        _made.add(self)

    @property
    def is_open(self) -> bool:
        """As far as we know: the other side may have closed it a moment ago."""
        is_ours = self.loop is asyncio.get_running_loop()
        return is_ours and not self._writer.is_closing() and not self._reader.at_eof()

    @property
    def has_sent_all(self) -> bool:
        return self._writer.transport.get_write_buffer_size() == 0

    def send(self, data: bytes) -> None:
        """Nobody waits for it to be gone: a server may answer and hang up before it has heard
        everything, and its answer says why."""
        self._writer.write(data)

    async def receive(self) -> bytes:
        """Some bytes; none when the other side has closed."""
        try:
            return await self._reader.read(_READ_BYTES)
        except OSError:  # reset, or an error of TLS
            return b""

    async def secure(self, context: Tls, host: str) -> None:
        await self._writer.start_tls(context, server_hostname=host)

    def close(self) -> None:
        """At once: nobody waits for what is on its way."""
        _close(self._writer, self.loop)

    def forgotten(self) -> None:
        _forgotten(self._writer, self.loop)


def _close(writer: asyncio.StreamWriter, loop: asyncio.AbstractEventLoop) -> None:
    if loop is asyncio._get_running_loop():
        _abort(writer)
    elif loop.is_closed():
        _let_go(writer)
    else:  # it works in another thread
        with suppress(RuntimeError):  # it ended just now
            loop.call_soon_threadsafe(_abort, writer)


def _abort(writer: asyncio.StreamWriter) -> None:
    """Of our own, so that the writer lives until then: forgotten, it would close the transport
    from whichever thread forgot it."""
    writer.transport.abort()


def _let_go(writer: asyncio.StreamWriter) -> None:
    """Its loop has ended and can close nothing more: what is left is the socket."""
    outer: Any = writer.transport
    with suppress(RuntimeError):  # it knows that it is closed, then misses its loop
        outer.abort()
    inner: Any = getattr(getattr(outer, "_ssl_protocol", None), "_transport", None)
    for one in (outer, inner):
        if (socket := getattr(one, "_sock", None)) is not None:
            socket.close()
            one._sock = None


# ── forgotten ─────────────────────────────────────────────────────────────────────────────────
_made: WeakSet[Connection] = WeakSet()


def _forgotten(writer: asyncio.StreamWriter, loop: asyncio.AbstractEventLoop) -> None:
    """Nobody closed it: that is made up for. Where its loop has ended before, it is said."""
    if writer.is_closing():
        return
    is_late = loop.is_closed()
    _close(writer, loop)
    if is_late:
        told = f"{say('agent_forgotten')} {advice('agent_forgotten')}"
        warnings.warn(told, ResourceWarning, stacklevel=2)


@atexit.register
def _forgotten_at_exit() -> None:
    """A script need not close its agent; the loop in which it worked still runs now."""
    left = tuple(_made)
    for one in left:
        one.forgotten()
    for loop in {one.loop for one in left}:
        for _ in range(2 if loop.is_running() else 0):  # what closing begins ends a step later
            is_done = threading.Event()
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(is_done.set)
                is_done.wait(_AT_EXIT_S)


os.register_at_fork(after_in_child=_made.clear)  # they are the parent's


async def open_connection(
    address: Address, *, proxy: Proxy | None, tls: Tls | None, offline: bool
) -> Connection:
    """`tls` is there if anything on the way is https."""
    first = proxy.address if proxy else address
    if offline and not (address.is_loopback and first.is_loopback):
        raise TransportFault.of(FailureKind.OFFLINE, "offline_host", host=address.host)
    connection = await _connect(first, tls if first.is_tls else None, is_proxy=proxy is not None)
    if proxy is None or not address.is_tls:
        return connection
    try:
        await _tunnel(connection, address, proxy)
        assert tls is not None
        await connection.secure(tls, address.host)
    except BaseException as problem:
        connection.close()
        if isinstance(problem, OSError):
            raise _unreachable(problem, address, is_proxy=False) from None
        raise
    return connection


async def _connect(address: Address, tls: Tls | None, *, is_proxy: bool) -> Connection:
    # By its number, so that no name is ever looked up for a loopback address.
    by_name = address.host.lower() in LOOPBACK_NAMES
    hosts = _LOOPBACK_LITERALS if by_name else (address.host,)
    # Several addresses are tried at once, a single one is not: if cancelled, none stays open.
    is_one = by_name or address.is_loopback or ":" in address.host
    for host in hosts:
        try:
            name = address.host if tls else None
            opened = await asyncio.open_connection(
                host,
                address.port,
                ssl=tls,
                server_hostname=name,
                limit=2 * _READ_BYTES,
                happy_eyeballs_delay=None if is_one else _NEXT_ADDRESS_S,
            )
            return Connection(*opened)
        except OSError as problem:
            if host == hosts[-1] or not isinstance(problem, ConnectionRefusedError):
                raise _unreachable(problem, address, is_proxy=is_proxy) from None
    raise AssertionError


async def _tunnel(connection: Connection, address: Address, proxy: Proxy) -> None:
    """Ask the proxy to connect us; what follows is between us and the server."""
    lines = [f"CONNECT {address.endpoint} HTTP/1.1", f"Host: {address.endpoint}"]
    if proxy.login:
        lines.append(f"Proxy-Authorization: {proxy.login}")
    connection.send("\r\n".join([*lines, "", ""]).encode())
    answer = AnswerReader()
    while answer.head is None:
        data = await connection.receive()
        if not data:
            raise _refused(proxy, 0)
        answer.feed(data)
    if answer.head.status != _OK:
        raise _refused(proxy, answer.head.status)


def _refused(proxy: Proxy, status: int) -> TransportFault:
    place = proxy.address.endpoint
    if status == _LOGIN_WANTED:
        return TransportFault.lasting(FailureKind.NETWORK, "proxy_login", proxy=place)
    make = TransportFault.lasting if status in _FORBIDDEN else TransportFault.of
    return make(FailureKind.NETWORK, "proxy_refused", proxy=place, status=status or "…")


def _unreachable(problem: OSError, address: Address, *, is_proxy: bool) -> TransportFault:
    name, place = type(problem).__name__, address.endpoint
    if name == "SSLCertVerificationError":
        why = getattr(problem, "verify_message", "") or "…"
        return TransportFault.lasting(FailureKind.PROTOCOL, "tls_untrusted", host=place, why=why)
    if name.startswith("SSL"):
        why = getattr(problem, "reason", "") or "…"
        return TransportFault.of(FailureKind.PROTOCOL, "tls_failed", host=place, why=why)
    if name == "gaierror":
        make = TransportFault.of if problem.errno == EAI_AGAIN else TransportFault.lasting
        return make(FailureKind.NETWORK, "host_unknown", host=place)
    why = os.strerror(problem.errno or ECONNRESET)
    key = "proxy_unreachable" if is_proxy else "host_unreachable"
    fault = TransportFault.of(FailureKind.NETWORK, key, host=place, why=why)
    if address.is_loopback:  # here nothing is lost on the way: nobody listens
        fault.is_lasting = True
        fault.silent_place = "" if is_proxy else place
    return fault
