"""TLS: whom we trust, who we are, and that a wrong certificate is never accepted."""

import ssl
from pathlib import Path

import pytest

from ankrcode.errors import ProviderError
from ankrcode.protocol.stream import FailureKind
from ankrcode.providers.transport.http import HttpClient, Timeouts
from ankrcode.providers.transport.proxies import Proxies
from ankrcode.providers.transport.tls import TlsFiles, tls_context, tls_files
from ankrcode.providers.transport.transport_fault import TransportFault
from providers.server import answer, running, serving
from providers.test_proxies import Middleman

HERE = Path(__file__).parent / "certificates"
CA, LOOPBACK, ELSEWHERE, PERSON = (
    str(HERE / f"{name}.pem") for name in ("ca", "loopback", "elsewhere", "person")
)
OK = [answer(b"{}")]
TRUSTING = TlsFiles(ca_file=CA)
QUICK = Timeouts(connect=3.0)


def of_server(certificate: str, *, asks_client: bool = False) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    if asks_client:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(CA)
    return context


async def test_a_trusted_server_is_reached_and_kept() -> None:
    async with serving(OK, tls=of_server(LOOPBACK)) as server:
        client = HttpClient(tls=TRUSTING, timeouts=QUICK)
        for _ in range(2):
            assert await (await client.request("GET", server.url, {})).read() == b"{}"
        await client.close()
    assert server.connections == 1


async def test_a_server_that_nobody_vouches_for_is_refused() -> None:
    async with serving(OK, tls=of_server(LOOPBACK)) as server:
        with pytest.raises(TransportFault) as caught:
            await HttpClient(timeouts=QUICK).request("GET", server.url, {"x-api-key": "s3cret"})
    assert caught.value.kind is FailureKind.PROTOCOL
    assert "not trusted" in caught.value.message
    assert "SSL_CERT_FILE" in caught.value.message
    assert caught.value.is_lasting
    assert "s3cret" not in caught.value.message
    assert server.heard == []


async def test_a_certificate_for_another_name_is_refused() -> None:
    async with serving(OK, tls=of_server(ELSEWHERE)) as server:
        with pytest.raises(TransportFault) as caught:
            await HttpClient(tls=TRUSTING, timeouts=QUICK).request("GET", server.url, {})
    assert "not trusted" in caught.value.message
    assert server.heard == []


async def test_a_server_without_tls_is_no_secure_connection() -> None:
    async with serving([b"HTTP/1.1 400 Bad\r\n\r\n"]) as server:
        url = server.url.replace("http:", "https:")
        with pytest.raises(TransportFault) as caught:
            await HttpClient(tls=TRUSTING, timeouts=Timeouts(connect=0.3)).request("GET", url, {})
    assert caught.value.kind in (FailureKind.PROTOCOL, FailureKind.NETWORK, FailureKind.TIMEOUT)
    assert server.heard == []


async def test_a_client_certificate_says_who_we_are() -> None:
    files = TlsFiles(ca_file=CA, client_cert=PERSON)
    async with serving(OK, tls=of_server(LOOPBACK, asks_client=True)) as server:
        client = HttpClient(tls=files, timeouts=QUICK)
        assert await (await client.request("GET", server.url, {})).read() == b"{}"
        await client.close()


async def test_without_the_client_certificate_nothing_is_answered() -> None:
    async with serving(OK, tls=of_server(LOOPBACK, asks_client=True)) as server:
        client = HttpClient(tls=TRUSTING, timeouts=QUICK)
        with pytest.raises(TransportFault) as caught:
            await client.request("GET", server.url, {})
        await client.close()
    assert caught.value.kind in (FailureKind.NETWORK, FailureKind.PROTOCOL)
    assert server.heard == []


async def test_through_a_proxy_the_server_itself_is_checked() -> None:
    async with serving(OK, tls=of_server(LOOPBACK)) as server:
        middle = Middleman(server)
        async with running(middle.serve) as port:
            environ = {"HTTPS_PROXY": f"http://me:pw@127.0.0.1:{port}"}
            client = HttpClient(tls=TRUSTING, proxies=Proxies(environ), timeouts=QUICK)
            for _ in range(2):
                url = f"https://models.test:{server.port}/v1"
                answered = await client.request("GET", url, {})
                assert await answered.read() == b"{}"
            await client.close()
    assert middle.asked == [f"CONNECT models.test:{server.port} HTTP/1.1"]
    assert len(middle.logins) == 1
    assert "proxy-authorization" not in server.heard[0].headers


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_a_proxy_may_speak_tls_itself(scheme: str) -> None:
    """TLS to the proxy, and for an https server TLS to it inside of that."""
    tls = of_server(LOOPBACK)
    async with serving(OK, tls=tls if scheme == "https" else None) as server:
        middle = Middleman(server)
        async with running(middle.serve, tls=tls) as port:
            proxy = f"https://127.0.0.1:{port}"
            proxies = Proxies({"HTTPS_PROXY": proxy, "HTTP_PROXY": proxy})
            client = HttpClient(tls=TRUSTING, proxies=proxies, timeouts=QUICK)
            answered = await client.request("GET", f"{scheme}://models.test:{server.port}/v1", {})
            assert await answered.read() == b"{}"
            await client.close()
    assert len(middle.asked) == 1


async def test_a_proxy_cannot_put_itself_in_the_servers_place() -> None:
    async with serving(OK, tls=of_server(ELSEWHERE)) as server:
        middle = Middleman(server)
        async with running(middle.serve) as port:
            environ = {"HTTPS_PROXY": f"http://127.0.0.1:{port}"}
            client = HttpClient(tls=TRUSTING, proxies=Proxies(environ), timeouts=QUICK)
            with pytest.raises(TransportFault) as caught:
                await client.request("GET", "https://models.test/", {})
    assert "not trusted" in caught.value.message
    assert server.heard == []


@pytest.mark.parametrize(
    ("environ", "own", "expected"),
    [
        ({}, "", ""),
        ({"SSL_CERT_FILE": "/a"}, "", "/a"),
        ({"REQUESTS_CA_BUNDLE": "/b"}, "", "/b"),
        ({"SSL_CERT_FILE": "/a", "CURL_CA_BUNDLE": "/c"}, "", "/a"),
        ({"NODE_EXTRA_CA_CERTS": "/d"}, "", "/d"),
        ({"SSL_CERT_FILE": "/a"}, "/own", "/own"),
    ],
)
def test_the_usual_variables_name_certificates(
    environ: dict[str, str], own: str, expected: str
) -> None:
    assert tls_files(environ, TlsFiles(ca_file=own)).ca_file == expected


def test_a_folder_of_certificates_will_do(tmp_path: Path) -> None:
    assert tls_context(TlsFiles(ca_file=str(tmp_path))).verify_mode is ssl.CERT_REQUIRED


@pytest.mark.parametrize("content", [None, b"", b"no certificate"])
def test_certificates_that_cannot_be_read_are_named(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "bundle.pem"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ProviderError) as caught:
        tls_context(TlsFiles(ca_file=str(path)))
    assert str(path) in str(caught.value)


def test_a_client_certificate_without_its_key_is_named(tmp_path: Path) -> None:
    with pytest.raises(ProviderError) as caught:
        tls_context(TlsFiles(client_cert=CA))
    assert CA in str(caught.value)


def test_checks_cannot_be_switched_off_and_old_versions_are_refused() -> None:
    context = tls_context(TlsFiles())
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.check_hostname
    assert context.minimum_version >= ssl.TLSVersion.TLSv1_2
