"""Proxies: which one, whom not, and through one to a server behind it."""

import asyncio
from base64 import b64encode
from collections.abc import Mapping
from contextlib import suppress

import pytest

from ankrcode.errors import ProviderError
from ankrcode.protocol.stream import FailureKind
from ankrcode.providers.transport.address import parse_address
from ankrcode.providers.transport.http import HttpClient, Timeouts
from ankrcode.providers.transport.proxies import Proxies, parse_proxy
from ankrcode.providers.transport.transport_fault import TransportFault
from providers.server import Server, answer, running, serving


def chosen(environ: Mapping[str, str], url: str) -> str:
    proxy = Proxies(environ).for_address(parse_address(url))
    return proxy.address.endpoint if proxy else ""


@pytest.mark.parametrize(
    ("environ", "url", "expected"),
    [
        ({}, "https://a.com", ""),
        ({"HTTPS_PROXY": "http://p:1"}, "https://a.com", "p:1"),
        ({"https_proxy": "http://p:1"}, "https://a.com", "p:1"),
        ({"https_proxy": "http://small:1", "HTTPS_PROXY": "http://p:2"}, "https://a", "small:1"),
        ({"HTTPS_PROXY": "http://p:1"}, "http://a.com", ""),
        ({"HTTP_PROXY": "http://p:1"}, "http://a.com", "p:1"),
        ({"HTTP_PROXY": "http://p:1", "REQUEST_METHOD": "GET"}, "http://a.com", ""),
        ({"ALL_PROXY": "http://p:1"}, "https://a.com", "p:1"),
        ({"ALL_PROXY": "http://p:1"}, "http://a.com", "p:1"),
        ({"ALL_PROXY": "http://p:1", "HTTPS_PROXY": "http://q:2"}, "https://a.com", "q:2"),
        ({"HTTPS_PROXY": "p:3128"}, "https://a.com", "p:3128"),
        ({"HTTPS_PROXY": "http://p"}, "https://a.com", "p:80"),
    ],
)
def test_the_usual_variables_are_honoured(environ: dict[str, str], url: str, expected: str) -> None:
    assert chosen(environ, url) == expected


@pytest.mark.parametrize(
    ("entries", "url", "is_direct"),
    [
        ("*", "https://a.com", True),
        ("a.com", "https://a.com", True),
        ("A.COM", "https://a.com", True),
        ("a.com", "https://b.a.com", True),
        ("a.com", "https://ba.com", False),
        (".a.com", "https://b.a.com", True),
        ("*.a.com", "https://b.a.com", True),
        ("x.com, a.com", "https://a.com", True),
        ("a.com:443", "https://a.com", True),
        ("a.com:8443", "https://a.com", False),
        ("10.0.0.0/8", "https://10.1.2.3", True),
        ("10.0.0.0/8", "https://11.1.2.3", False),
        ("10.0.0.0/8", "https://a.com", False),
        ("nonsense/8", "https://a.com", False),
        ("", "https://a.com", False),
    ],
)
def test_some_hosts_are_reached_directly(entries: str, url: str, is_direct: bool) -> None:
    environ = {"HTTPS_PROXY": "http://p:1", "NO_PROXY": entries}
    assert chosen(environ, url) == ("" if is_direct else "p:1")


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "http://localhost", "http://[::1]:5"])
def test_loopback_is_never_asked_of_a_proxy(url: str) -> None:
    assert chosen({"ALL_PROXY": "http://p:1"}, url) == ""


def test_a_login_is_decoded_and_hidden() -> None:
    proxy = parse_proxy("http://me:p%40ss@p:8080")
    assert proxy.login == "Basic " + b64encode(b"me:p@ss").decode()
    assert proxy.address.endpoint == "p:8080"
    assert "p@ss" not in repr(proxy)
    assert proxy.login not in repr(proxy)


@pytest.mark.parametrize("proxy", ["socks5://me:hunter2@p:1", "ftp://me:hunter2@p"])
def test_another_kind_of_proxy_is_refused_in_one_sentence(proxy: str) -> None:
    with pytest.raises(ProviderError) as caught:
        parse_proxy(proxy)
    assert "not supported" in str(caught.value)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("proxy", ["http://", "http://me:hunter2@p:x", "http://a b"])
def test_a_proxy_that_is_no_address_is_refused(proxy: str) -> None:
    with pytest.raises(ProviderError) as caught:
        parse_proxy(proxy)
    assert "hunter2" not in str(caught.value)


# ── through a real one ──────────────────────────────────────────────────────────────────────────
class Middleman:
    """A proxy on loopback that connects every name to one server."""

    def __init__(self, server: Server, *, refusal: bytes = b"") -> None:
        self._server = server
        self._refusal = refusal
        self.asked: list[str] = []
        self.logins: list[str] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first = await reader.readuntil(b"\r\n\r\n")
        lines = first.decode().split("\r\n")
        self.asked.append(lines[0])
        self.logins += [line for line in lines if line.lower().startswith("proxy-auth")]
        if self._refusal:
            writer.write(self._refusal)
            await writer.drain()
            writer.close()
            return
        inner, outer = await asyncio.open_connection("127.0.0.1", self._server.port)
        if lines[0].startswith("CONNECT"):
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        else:
            outer.write(first)
        await asyncio.gather(_pour(reader, outer), _pour(inner, writer))


async def _pour(source: asyncio.StreamReader, into: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while data := await source.read(65_536):
            into.write(data)
            await into.drain()
    into.close()


def client_through(port: int, login: str = "", **others: str) -> HttpClient:
    environ = {"HTTP_PROXY": f"http://{login}127.0.0.1:{port}", **others}
    environ["HTTPS_PROXY"] = environ["HTTP_PROXY"]
    return HttpClient(proxies=Proxies(environ), timeouts=Timeouts(connect=1.0, first=1.0))


async def test_plain_http_asks_the_proxy_for_the_whole_url() -> None:
    async with serving([answer(b"{}")]) as server:
        middle = Middleman(server)
        async with running(middle.serve) as port:
            client = client_through(port, "me:pw@")
            answered = await client.request("GET", "http://models.test/x?y=z", {})
            assert await answered.read() == b"{}"
            await client.close()
    assert middle.asked == ["GET http://models.test/x?y=z HTTP/1.1"]
    assert server.heard[0].headers["host"] == "models.test"
    assert server.heard[0].headers["proxy-authorization"].startswith("Basic ")


async def test_a_proxy_is_passed_by_for_those_who_are_excepted() -> None:
    async with serving([answer(b"{}")]) as server:
        middle = Middleman(server)
        async with running(middle.serve) as port:
            client = client_through(port)
            answered = await client.request("GET", f"{server.url}/", {})
            assert await answered.read() == b"{}"
            await client.close()
    assert middle.asked == []


@pytest.mark.parametrize(
    ("refusal", "says"),
    [
        (b"HTTP/1.1 407 Login\r\nContent-Length: 0\r\n\r\n", "user or password"),
        (b"HTTP/1.1 403 No\r\nContent-Length: 2\r\n\r\nno", "403"),
        (b"HTTP/1.1 502 Bad\r\n\r\n", "502"),
        (b"HTTP/1.0 504 Slow\r\n\r\n", "504"),
        (b"garbage in place of an answer\r\n\r\n", "HTTP/1.1"),
    ],
)
async def test_a_refusal_of_the_proxy_is_one_sentence(refusal: bytes, says: str) -> None:
    async with serving([answer(b"{}")]) as server:
        middle = Middleman(server, refusal=refusal)
        async with running(middle.serve) as port:
            client = client_through(port, "me:hunter2@")
            with pytest.raises(TransportFault) as caught:
                await client.request("GET", "https://models.test/", {})
            assert f"127.0.0.1:{port}" in caught.value.message or "HTTP" in says
    assert says in caught.value.message
    assert "hunter2" not in caught.value.message
    assert middle.asked == ["CONNECT models.test:443 HTTP/1.1"]
    assert len(middle.logins) == 1
    assert server.heard == []


async def test_a_proxy_that_is_not_there_is_named_as_such() -> None:
    async with serving([answer(b"{}")]) as server:
        port = server.port
    with pytest.raises(TransportFault) as caught:
        await client_through(port).request("GET", "https://models.test/", {})
    assert caught.value.kind is FailureKind.NETWORK
    assert "proxy" in caught.value.message.lower()


async def test_a_proxy_that_says_nothing_is_given_up() -> None:
    async def mute(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    async with running(mute) as port:
        environ = {"HTTPS_PROXY": f"http://127.0.0.1:{port}"}
        client = HttpClient(proxies=Proxies(environ), timeouts=Timeouts(connect=0.1))
        with pytest.raises(TransportFault) as caught:
            await client.request("GET", "https://models.test/", {})
    assert caught.value.kind is FailureKind.TIMEOUT


async def test_a_proxy_that_hangs_up_is_a_refusal() -> None:
    async def rude(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.close()

    async with running(rude) as port:
        with pytest.raises(TransportFault) as caught:
            await client_through(port).request("GET", "https://models.test/", {})
    assert "did not connect us" in caught.value.message


async def test_offline_a_proxy_is_not_even_asked() -> None:
    async with serving([answer(b"{}")]) as server:
        middle = Middleman(server)
        async with running(middle.serve) as port:
            environ = {"ALL_PROXY": f"http://127.0.0.1:{port}"}
            client = HttpClient(proxies=Proxies(environ), offline=True)
            with pytest.raises(TransportFault) as caught:
                await client.request("GET", "http://models.test/", {})
    assert caught.value.kind is FailureKind.OFFLINE
    assert middle.asked == []
