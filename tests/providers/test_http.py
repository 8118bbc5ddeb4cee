"""The HTTP client against a real server on loopback: keeping, timing, cutting, letting go."""

import asyncio
import gc
import socket
import threading
import time
import weakref
from collections.abc import Coroutine
from typing import Any

import pytest

from ankrcode.errors import ProviderError
from ankrcode.protocol.stream import FailureKind
from ankrcode.providers.transport.address import parse_address
from ankrcode.providers.transport.connection import Connection, open_connection
from ankrcode.providers.transport.http import HttpClient, Timeouts
from ankrcode.providers.transport.transport_fault import TransportFault
from ankrcode.version import __version__
from providers.server import CLOSE, HANG, LAST, RESET, answer, chunk, head, serving

OK = [answer(b"{}")]
QUICK = Timeouts(connect=2.0, first=0.15, idle=0.15)


async def get(client: HttpClient, url: str) -> bytes:
    return await (await client.request("GET", url, {})).read()


async def test_a_request_says_what_it_must() -> None:
    async with serving(OK) as server:
        client = HttpClient()
        url = f"{server.url}/v1/x?a=b"
        answered = await client.request("POST", url, {"X-Own": "yes"}, b'{"a": 1}')
        assert await answered.read() == b"{}"
        await client.close()
    (heard,) = server.heard
    assert (heard.method, heard.target, heard.body) == ("POST", "/v1/x?a=b", b'{"a": 1}')
    assert heard.headers == {
        "host": f"127.0.0.1:{server.port}",
        "user-agent": f"ankrcode/{__version__}",
        "accept-encoding": "identity",
        "content-length": "8",
        "x-own": "yes",
    }


async def test_an_own_header_replaces_ours() -> None:
    async with serving(OK) as server:
        client = HttpClient()
        await (await client.request("POST", server.url, {"user-agent": "me"}, b"x")).read()
        await client.close()
    assert server.heard[0].headers["user-agent"] == "me"


async def test_a_connection_is_used_again() -> None:
    async with serving(OK) as server:
        client = HttpClient()
        for _ in range(5):
            assert await get(client, server.url) == b"{}"
        await client.close()
    assert len(server.heard) == 5
    assert server.connections == 1


async def test_answers_at_once_have_connections_of_their_own() -> None:
    async with serving([answer(b"{}"), 0.05]) as server:
        client = HttpClient()
        got = await asyncio.gather(*(get(client, server.url) for _ in range(3)))
        await client.close()
    assert got == [b"{}"] * 3
    assert server.connections == 3


async def test_only_a_few_idle_connections_are_kept() -> None:
    async with serving([answer(b"{}"), 0.05]) as server:
        client = HttpClient()
        for _ in range(2):
            await asyncio.gather(*(get(client, server.url) for _ in range(7)))
        await client.close()
    assert 7 < server.connections <= 7 + 7 - 4


async def test_a_kept_connection_that_was_closed_is_replaced_once() -> None:
    async with serving([answer(b"1")], [CLOSE], [answer(b"2")]) as server:
        client = HttpClient()
        assert await get(client, server.url) == b"1"
        assert await get(client, server.url) == b"2"
        await client.close()
    assert server.connections == 2
    assert len(server.heard) == 3


async def test_a_kept_connection_that_is_silent_is_not_waited_for_twice() -> None:
    async with serving([answer(b"1")], [HANG]) as server:
        client = HttpClient(timeouts=QUICK)
        assert await get(client, server.url) == b"1"
        with pytest.raises(TransportFault) as caught:
            await get(client, server.url)
        assert caught.value.kind is FailureKind.TIMEOUT
        assert len(server.heard) == 2


async def test_a_fresh_connection_that_is_closed_is_a_failure_at_once() -> None:
    async with serving([CLOSE]) as server:
        client = HttpClient()
        with pytest.raises(TransportFault) as caught:
            await get(client, server.url)
        assert caught.value.kind is FailureKind.NETWORK
        assert len(server.heard) == 1


async def test_an_answer_that_has_begun_is_never_asked_for_again() -> None:
    async with serving([answer(b"1")], [b"HTTP/1.1 200", CLOSE], [answer(b"2")]) as server:
        client = HttpClient()
        assert await get(client, server.url) == b"1"
        with pytest.raises(TransportFault) as caught:
            await get(client, server.url)
        assert caught.value.kind is FailureKind.CUT
        assert len(server.heard) == 2


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
async def test_a_client_outlives_its_event_loop() -> None:
    """Two runs with one client: connections of a loop that is gone are not used."""
    clients = [HttpClient()]

    async def once() -> bytes:
        async with serving(OK) as server:
            return await get(clients[0], server.url)

    for _ in range(2):
        got = await asyncio.to_thread(lambda: asyncio.run(once()))
        assert got == b"{}"
    clients.clear()
    gc.collect()  # nobody closed their connections: the warnings belong here


async def test_pieces_come_as_they_are_sent() -> None:
    async with serving([head(), chunk(b"one"), 0.05, chunk(b"two"), LAST]) as server:
        client = HttpClient()
        answered = await client.request("GET", server.url, {})
        pieces = [piece async for piece in answered]
        await client.close()
    assert pieces == [b"one", b"two"]


async def test_an_answer_that_is_let_go_closes_its_connection() -> None:
    async with serving([head(), chunk(b"one"), HANG]) as server:
        client = HttpClient()
        answered = await client.request("GET", server.url, {})
        answered.close()
        await asyncio.wait_for(server.gone.wait(), 20)
        await client.close()


async def test_cancelling_closes_the_connection() -> None:
    async with serving([HANG]) as server:
        client = HttpClient()
        task = asyncio.create_task(get(client, server.url))
        while not server.heard:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.wait_for(server.gone.wait(), 20)


@pytest.mark.parametrize(
    ("play", "says"),
    [
        ([HANG], "silent"),
        ([b"HTTP/1.1 200 OK\r\n", HANG], "silent"),
        ([head(), HANG], "stood still"),
        ([head(), chunk(b"one"), HANG], "stood still"),
    ],
    ids=["no byte", "half a head", "no body", "half a body"],
)
async def test_every_silence_has_an_end(play: list[bytes | str], says: str) -> None:
    async with serving(play) as server:
        client = HttpClient(timeouts=QUICK)
        began = time.monotonic()
        with pytest.raises(TransportFault) as caught:
            await get(client, server.url)
        assert time.monotonic() - began < 10  # a bound for a busy machine
    assert caught.value.kind is FailureKind.TIMEOUT
    assert says in caught.value.message


async def test_a_slow_answer_is_no_silence() -> None:
    """Longer in all than any limit, but never still."""
    pieces: list[bytes | float] = [head()]
    for _ in range(8):
        pieces += [chunk(b"x"), 0.04]
    async with serving([*pieces, LAST]) as server:
        client = HttpClient(timeouts=QUICK)
        assert await get(client, server.url) == b"x" * 8
        await client.close()


async def test_a_server_that_cannot_be_reached_is_named() -> None:
    async with serving(OK) as server:
        port = server.port
    with pytest.raises(TransportFault) as caught:
        await get(HttpClient(), f"http://127.0.0.1:{port}")
    assert caught.value.kind is FailureKind.NETWORK
    assert f"127.0.0.1:{port}" in caught.value.message


@pytest.mark.parametrize("end", [CLOSE, RESET])
@pytest.mark.parametrize(
    "play",
    [[head()], [head(), chunk(b"one")], [head(), b"5\r\nab"], [answer(b"whole")[:-2]]],
    ids=["after the head", "between chunks", "inside a chunk", "before the length"],
)
async def test_a_body_that_breaks_off_is_a_cut(play: list[bytes], end: str) -> None:
    async with serving([*play, 0.02, end]) as server:
        client = HttpClient()
        with pytest.raises(TransportFault) as caught:
            await get(client, server.url)
    assert caught.value.kind is FailureKind.CUT


async def test_a_body_that_is_too_long_is_given_up() -> None:
    async with serving([answer(b"x" * 1_000)]) as server:
        client = HttpClient()
        answered = await client.request("GET", server.url, {})
        with pytest.raises(TransportFault) as caught:
            await answered.read(limit=999)
        await client.close()
    assert caught.value.kind is FailureKind.PROTOCOL
    assert "999" in caught.value.message


async def test_an_early_refusal_of_a_large_body_is_heard() -> None:
    """The server answers and hangs up before it has read everything."""

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer(b"too large", status=413))
        await writer.drain()
        await reader.read(8_000_000)  # a little patience, as real servers have
        writer.close()

    from providers.server import running

    async with running(refuse) as port:
        url = f"http://127.0.0.1:{port}/"
        client = HttpClient()
        answered = await client.request("POST", url, {}, b"x" * 4_000_000)
        assert answered.head.status == 413
        assert await answered.read() == b"too large"
        await client.close()


@pytest.mark.parametrize("value", ["a\r\nX-Evil: 1", "a\nb", "a\0b"])
async def test_a_header_cannot_smuggle_another(value: str) -> None:
    async with serving(OK) as server:
        with pytest.raises(TransportFault) as caught:
            await HttpClient().request("POST", server.url, {"X-A": value})
        assert caught.value.kind is FailureKind.BAD_REQUEST
        assert server.heard == []


@pytest.mark.parametrize(
    "url",
    [
        "ftp://x/",
        "http://",
        "//x",
        "http://a b/",
        "http://x:99999/",
        "file:///etc/passwd",
        "http://x/\r\nHost: y",
        "http://[::1",
        "http://exa\u200bmple/",
    ],
)
async def test_a_url_that_is_none_is_refused_before_anything_is_opened(url: str) -> None:
    with pytest.raises(ProviderError):
        await HttpClient().request("GET", url, {})


# ── offline ─────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "url",
    [
        "http://example.com/",
        "https://api.anthropic.com/",
        "http://10.0.0.1/",
        "http://127.0.0.1.evil.example/",
        "http://169.254.169.254/",
        "http://0x7f000001/",
    ],
)
async def test_offline_nothing_else_than_loopback_is_tried(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = asyncio.get_running_loop()

    async def no_lookup(*_: object, **__: object) -> list[object]:
        raise AssertionError("a name was looked up")

    monkeypatch.setattr(loop, "getaddrinfo", no_lookup)
    monkeypatch.setattr(loop, "sock_connect", no_lookup)
    with pytest.raises(TransportFault) as caught:
        await HttpClient(offline=True).request("GET", url, {})
    assert caught.value.kind is FailureKind.OFFLINE


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST."])
async def test_offline_loopback_is_reached(host: str) -> None:
    async with serving(OK) as server:
        client = HttpClient(offline=True)
        assert await get(client, f"http://{host.rstrip('.')}:{server.port}/") == b"{}"
        await client.close()


def test_a_connection_closed_from_another_thread_is_let_go_of_in_its_own() -> None:
    """A writer that is forgotten closes its transport from the thread that forgot it."""
    loop, is_free, is_blocked = asyncio.new_event_loop(), threading.Event(), threading.Event()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    def in_loop(work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, loop).result(10)

    async def opened(port: int) -> Connection:
        address = parse_address(f"http://127.0.0.1:{port}")
        return await open_connection(address, proxy=None, tls=None, offline=True)

    def busy() -> None:
        is_blocked.set()
        is_free.wait(10)

    listener = socket.create_server(("127.0.0.1", 0))
    connection = in_loop(opened(listener.getsockname()[1]))
    loop.call_soon_threadsafe(busy)
    assert is_blocked.wait(10)
    writer = weakref.ref(connection._writer)
    connection.close()
    del connection
    gc.collect()
    assert writer() is not None, "it lives until its own loop has closed it"
    is_free.set()
    in_loop(asyncio.sleep(0))
    gc.collect()
    assert writer() is None
    listener.close()
    loop.call_soon_threadsafe(loop.stop)
    thread.join(10)
    loop.close()
