"""URLs taken apart and put together."""

from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ankrcode.errors import ProviderError
from ankrcode.providers.transport.address import (
    Address,
    is_loopback,
    joined,
    parse_address,
    split_login,
    with_version,
    without_login,
)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://h", Address(scheme="http", host="h", port=80, path="/")),
        ("https://h", Address(scheme="https", host="h", port=443, path="/")),
        ("https://H:8/a?b=c", Address(scheme="https", host="h", port=8, path="/a?b=c")),
        ("http://[::1]:9/x", Address(scheme="http", host="::1", port=9, path="/x")),
        ("http://user:pw@h/x", Address(scheme="http", host="h", port=80, path="/x")),
    ],
)
def test_a_url_is_taken_apart(url: str, expected: Address) -> None:
    assert parse_address(url) == expected


@pytest.mark.parametrize(
    ("url", "authority", "endpoint"),
    [
        ("http://h", "h", "h:80"),
        ("https://h", "h", "h:443"),
        ("http://h:443", "h:443", "h:443"),
        ("http://[::1]", "[::1]", "[::1]:80"),
        ("https://[::1]:1", "[::1]:1", "[::1]:1"),
    ],
)
def test_the_host_is_said_as_headers_want_it(url: str, authority: str, endpoint: str) -> None:
    address = parse_address(url)
    assert (address.authority, address.endpoint) == (authority, endpoint)


def test_an_error_shows_neither_login_nor_query() -> None:
    with pytest.raises(ProviderError) as caught:
        parse_address("ftp://me:hunter2@host/path?key=sk-secret")
    assert "hunter2" not in str(caught.value)
    assert "sk-secret" not in str(caught.value)
    assert "host/path" in str(caught.value)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.8.7", "::1", "localhost", "LocalHost."])
def test_loopback_is_known_by_name(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize(
    "host",
    [
        "",
        "127.0.0.1.evil.com",
        "127.1",
        "127.0.0.256",
        "0.0.0.0",
        "128.0.0.1",
        "localhost.evil",
        "1270.0.0.1",
        "127.0.0.x",
        "127.0.0.１",
        "::2",
        "::ffff:127.0.0.1",
        "2130706433",
    ],
)
def test_what_only_looks_like_loopback_is_not(host: str) -> None:
    assert not is_loopback(host)


@pytest.mark.parametrize(
    ("base", "path", "url"),
    [
        ("https://a", "v1/messages", "https://a/v1/messages"),
        ("https://a/", "v1/messages", "https://a/v1/messages"),
        ("https://a/v1", "v1/messages", "https://a/v1/messages"),
        ("https://a/v1/", "/v1/messages", "https://a/v1/messages"),
        ("https://a/v2", "v1/messages", "https://a/v2/v1/messages"),
        ("https://a/v1/acc/gw", "v1/messages", "https://a/v1/acc/gw/v1/messages"),
        ("https://a/openai/v1", "chat/completions", "https://a/openai/v1/chat/completions"),
        ("https://a/v1beta", "models/m:go?alt=sse", "https://a/v1beta/models/m:go?alt=sse"),
        ("https://a/o?api-version=1", "d/x", "https://a/o/d/x?api-version=1"),
        ("https://a/o?k=1", "d/x?alt=sse", "https://a/o/d/x?alt=sse&k=1"),
    ],
)
def test_a_version_in_both_counts_once(base: str, path: str, url: str) -> None:
    assert joined(base, path) == url


@pytest.mark.parametrize(
    ("base", "usual", "expected"),
    [
        ("http://h", "https://api.openai.com/v1", "http://h/v1"),
        ("http://h/", "https://api.openai.com/v1", "http://h/v1"),
        ("http://h/v1", "https://api.openai.com/v1", "http://h/v1"),
        ("http://h/v1/", "https://api.openai.com/v1", "http://h/v1/"),
        ("http://h/api/paas/v4", "https://api.openai.com/v1", "http://h/api/paas/v4"),
        ("http://gw/v1/acc/openai", "https://api.openai.com/v1", "http://gw/v1/acc/openai"),
        ("http://h/proxy", "https://api.groq.com/openai/v1", "http://h/proxy/v1"),
        ("http://h", "https://g.example/v1beta", "http://h/v1beta"),
        ("http://h", "https://api.z.ai/api/paas/v4", "http://h/v4"),
        ("http://h", "https://api.perplexity.ai", "http://h"),
        ("http://h?a=b", "https://api.openai.com/v1", "http://h/v1?a=b"),
        ("http://h/vault", "https://api.openai.com/v1", "http://h/vault/v1"),
    ],
)
def test_a_base_url_works_with_and_without_its_version(
    base: str, usual: str, expected: str
) -> None:
    assert with_version(base, usual) == expected


@given(st.sampled_from(["", "/", "/v1", "/v1/", "/x", "/x/v1"]), st.sampled_from(["", "/"]))
def test_joining_never_doubles_a_slash(path: str, slash: str) -> None:
    url = joined(f"http://h{path}", f"{slash}v1/messages")
    assert "//" not in url.removeprefix("http://")
    assert url.endswith("/v1/messages")
    assert "/v1/v1/" not in url


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://me:pw@h/x?key=1", "https://h/x"),
        ("https://h", "https://h"),
        ("h:80", "h:80"),
        ("https://h/a@b", "https://h/a@b"),
        ("me:pw@https://h", "https://h"),
        ("me:pw@h", "h"),
    ],
)
def test_a_url_is_shown_without_its_login(url: str, shown: str) -> None:
    assert without_login(url) == shown


@pytest.mark.parametrize(
    "url",
    [
        *("http://h:0", "http://h:65536", "http://h:99999999999999", "http://h:-1", "http://h:8x"),
        *(
            "http://[::1",
            "http://[::1]8",
            "http://[::1]:x",
            "http://a:1:2",
            "http://@",
            "http://:8",
        ),
        *("http:///x", "https://?x", "HTTPS//x", "http://h<x>/", "http://h\\x/", "http://a,b/"),
        *("ws://h", "h:80", "", "http://नमस्ते/", "http://h/\u00e9", "http://h\t/"),
    ],
)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(ProviderError):
        parse_address(url)


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("http://h?a=/b", "/?a=/b"),
        ("http://h/x#y", "/x"),
        ("http://h/x?a=b#c", "/x?a=b"),
    ],
)
def test_a_path_ends_where_it_ends(url: str, path: str) -> None:
    assert parse_address(url).path == path


names = st.from_regex(r"[a-z0-9]([a-z0-9.-]{0,20}[a-z0-9])?", fullmatch=True)


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["http", "https", "HTTPS"]),
    st.sampled_from(["", "user@", "user:password@"]),
    names,
    st.none() | st.integers(1, 65_535),
    st.from_regex(r"(/[a-z0-9._~%-]{0,8}){0,4}", fullmatch=True),
    st.from_regex(r"(\?[a-z0-9=&/]{0,12})?", fullmatch=True),
)
def test_a_url_is_taken_apart_as_the_standard_library_does(
    scheme: str, login: str, host: str, port: int | None, path: str, query: str
) -> None:
    url = f"{scheme}://{login}{host}{'' if port is None else f':{port}'}{path}{query}"
    theirs, ours = urlsplit(url), parse_address(url)
    assert ours.scheme == theirs.scheme
    assert ours.host == theirs.hostname
    assert ours.port == (theirs.port or {"http": 80, "https": 443}[theirs.scheme])
    mark = "?" if query else ""
    assert ours.path == (theirs.path or "/") + mark + theirs.query


@pytest.mark.parametrize(
    ("url", "plain", "login"),
    [
        ("http://h/v1", "http://h/v1", ""),
        ("http://me:pw@h:1/v1?q=a@b", "http://h:1/v1?q=a@b", "me:pw"),
        ("http://me@h", "http://h", "me"),
        ("https://me:p@ss@h/", "https://h/", "me:p@ss"),
        ("me:pw@h:11434", "h:11434", "me:pw"),
        ("http://h/path@x", "http://h/path@x", ""),
        ("h", "h", ""),
        ("", "", ""),
    ],
)
def test_a_login_is_told_apart_from_the_address(url: str, plain: str, login: str) -> None:
    assert split_login(url) == (plain, login)
