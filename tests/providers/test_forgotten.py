"""Connections that nobody closes in time, and those that are closed after their loop has ended."""

import asyncio
import gc
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

import pytest

from ankrcode.providers.transport.http import HttpClient
from providers.server import answer, serving
from providers.test_tls import LOOPBACK, TRUSTING, of_server

OK = [answer(b"fine")]
PATIENCE_S = 20


@contextmanager
def server(*, is_tls: bool) -> Iterator[str]:
    """In a loop of its own, which outlives the clients'."""
    is_up, over = threading.Event(), threading.Event()
    urls: list[str] = []

    async def serve() -> None:
        async with serving(*[OK] * 9, tls=of_server(LOOPBACK) if is_tls else None) as one:
            urls.append(one.url)
            is_up.set()
            while not over.is_set():
                await asyncio.sleep(0.01)

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    assert is_up.wait(PATIENCE_S)
    try:
        yield urls[0]
    finally:
        over.set()
        thread.join()


def until(is_so: Callable[[], bool]) -> None:
    deadline = monotonic() + PATIENCE_S
    while not is_so():
        assert monotonic() < deadline


async def asked(client: HttpClient, url: str) -> bytes:
    return await (await client.request("GET", url, {})).read()


@contextmanager
def heard() -> Iterator[list[str]]:
    """What Python says of things that were left open."""
    gc.collect()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found: list[str] = []
        yield found
        gc.collect()
        found += [str(one.message) for one in told]


@pytest.mark.parametrize("is_tls", [False, True], ids=["plain", "tls"])
def test_closing_after_the_loop_has_ended_closes_the_socket(is_tls: bool) -> None:
    with server(is_tls=is_tls) as url, heard() as told:
        client = HttpClient(tls=TRUSTING)
        assert asyncio.run(asked(client, url)) == b"fine"
        asyncio.run(client.close())
        del client
    assert told == []


@pytest.mark.parametrize("is_tls", [False, True], ids=["plain", "tls"])
def test_another_loop_gets_a_connection_of_its_own_and_the_old_one_is_closed(is_tls: bool) -> None:
    with server(is_tls=is_tls) as url, heard() as told:
        client = HttpClient(tls=TRUSTING)
        for _ in range(3):
            assert asyncio.run(asked(client, url)) == b"fine"
        asyncio.run(client.close())
        del client
    assert told == []


@pytest.mark.parametrize("is_tls", [False, True], ids=["plain", "tls"])
def test_one_that_outlives_its_loop_is_told_in_our_words_and_closed(is_tls: bool) -> None:
    with server(is_tls=is_tls) as url, heard() as told:
        client = HttpClient(tls=TRUSTING)
        asyncio.run(asked(client, url))
        del client
    assert [one.split(".")[0] for one in told] == [
        "An agent was left open when its event loop ended"
    ]


@pytest.mark.parametrize("is_tls", [False, True], ids=["plain", "tls"])
def test_one_that_is_forgotten_while_its_loop_works_is_closed_there(is_tls: bool) -> None:
    async def main(url: str) -> None:
        client = HttpClient(tls=TRUSTING)
        await asked(client, url)
        connection = next(iter(client._idle.values()))[0]
        transport = connection._writer.transport
        del client, connection
        gc.collect()
        assert transport.is_closing()
        await asyncio.sleep(0.01)

    with server(is_tls=is_tls) as url, heard() as told:
        asyncio.run(main(url))
    assert told == []


def test_one_that_is_forgotten_in_another_thread_is_closed_in_its_own() -> None:
    async def wait(is_over: threading.Event, client: HttpClient, url: str) -> None:
        await asked(client, url)
        clients.append(client)
        del client
        while not is_over.is_set():
            await asyncio.sleep(0.005)

    clients: list[HttpClient] = []
    with server(is_tls=False) as url, heard() as told:
        is_over = threading.Event()
        made = [HttpClient()]
        thread = threading.Thread(
            target=lambda: asyncio.run(wait(is_over, made.pop(), url), debug=True), daemon=True
        )
        thread.start()
        until(lambda: bool(clients))
        connection = next(iter(clients[0]._idle.values()))[0]
        transport = connection._writer.transport
        del connection
        clients.clear()
        gc.collect()
        until(transport.is_closing)
        is_over.set()
        thread.join()
    assert told == []
