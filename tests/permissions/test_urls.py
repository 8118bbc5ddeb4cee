"""Which URLs may be fetched: by label, by address, through every redirect."""

import random
import time
from ipaddress import IPv4Address, IPv6Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.permissions.checks import check
from ankrcode.permissions.hosts import BadHost, is_public, normal_host
from ankrcode.permissions.urls import UrlPolicy, parse_entry, parse_url
from permissions.corpora import Case, cases, wrong
from permissions.test_paths import mutated
from torture import IS_TORTURE, examples


def answer(case: Case) -> str:
    found = check("url", case["input"], case["env"])
    assert found["verdict"] == "allow" or found["reason"]
    return str(found["verdict"])


def test_the_corpus_of_urls_is_answered_as_labelled() -> None:
    assert len(cases("urls")) >= 120
    assert wrong("urls", answer) == []


# ── hosts ─────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("EXAMPLE.com.", "example.com"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("straße.de", "xn--strae-oqa.de"),
        ("हिन्दी.भारत", "xn--j2bd4cyah0f.xn--h2brj9c"),
        ("[2606:4700:0:0::1]", "2606:4700::1"),
        ("8.8.8.8", "8.8.8.8"),
    ],
)
def test_a_host_has_one_spelling(written: str, normal: str) -> None:
    assert normal_host(written) == normal


@pytest.mark.parametrize(
    "host",
    [
        "",
        ".",
        "a..b",
        "-a",
        "a-",
        "a b",
        "127.1",
        "0x7f.1",
        "1.2.3",
        "xn--a",
        "ab--c",
        "ａ",
        "[::1",
    ],
)
def test_a_host_with_two_readings_has_none(host: str) -> None:
    with pytest.raises(BadHost):
        normal_host(host)


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("8.8.8.8", True),
        ("1.1.1.1", True),
        ("100.63.255.255", True),
        ("100.128.0.0", True),
        ("172.15.255.255", True),
        ("172.32.0.0", True),
        ("223.255.255.255", True),
        ("100.64.0.0", False),
        ("172.16.0.0", False),
        ("224.0.0.0", False),
        ("168.63.129.16", False),
        ("2606:4700::1", True),
        ("2001:4860:4860::8888", True),
        ("2001:200::1", True),
        ("2001:1ff::1", False),
        ("64:ff9b::808:808", False),
        ("::ffff:8.8.8.8", True),
        ("::ffff:10.0.0.1", False),
        ("fe80::1%eth0", False),
    ],
)
def test_an_address_is_public_or_not_up_to_the_very_edge(address: str, public: bool) -> None:
    ip = IPv6Address(address) if ":" in address else IPv4Address(address)
    assert is_public(ip) is public


@given(st.ip_addresses())
def test_what_we_call_public_python_calls_global_too(
    address: IPv4Address | IPv6Address,
) -> None:
    if is_public(address):
        mapped = getattr(address, "ipv4_mapped", None) or address
        assert mapped.is_global
        assert not mapped.is_multicast
        assert not mapped.is_reserved


# ── entries ───────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("entry", "urls"),
    [
        ("example.com", {"https://example.com": True, "https://a.example.com": False}),
        ("*.example.com", {"https://example.com": False, "https://a.b.example.com": True}),
        ("*", {"https://x.org": True, "https://x.org:8443": False, "ftp://x.org": False}),
        ("x.org:8443", {"https://x.org:8443": True, "https://x.org": False}),
        ("x.org:*", {"https://x.org:1": True, "https://x.org": True}),
        ("https://x.org", {"https://x.org": True, "http://x.org": False}),
    ],
)
def test_an_entry_means_exactly_what_it_says(entry: str, urls: dict[str, bool]) -> None:
    for url, allowed in urls.items():
        assert UrlPolicy([entry]).check(url).is_allowed is allowed, url


def test_a_list_of_nothing_allows_nothing() -> None:
    assert not UrlPolicy([]).check("https://example.com").is_allowed
    assert parse_entry("https://example.com/path") is None


def test_the_reason_names_the_hop_that_failed() -> None:
    verdict = UrlPolicy(["a.org"]).check("https://a.org/", redirects=["/x", "https://b.org/"])
    assert verdict.reason == (
        "it redirects to https://b.org/: b.org:443 is not on the list of allowed hosts"
    )


# ── whatever the URL ──────────────────────────────────────────────────────────────────────────
PIECES = st.sampled_from(
    [
        *("http", "https", "://", ":", "/", "//", "@", "#", "?", "\\", "%", "%2e", ".", "..", "*"),
        *("example.com", "evil.com", "python.org", "127.0.0.1", "[::1]", "[", "]", "0x7f", "1"),
        *("xn--", "é", "\u200d", "。", "\0", " ", "\n", ":80", ":443", ":8080", "a" * 70, "٣"),
    ]
)
URLS = st.one_of(
    st.lists(PIECES, max_size=10).map("".join),
    st.lists(PIECES, max_size=8).map(lambda parts: "https://" + "".join(parts)),
    st.text(max_size=80),
)


@pytest.mark.torture
@examples(in_ci=2_000, in_torture=200_000)
@given(URLS, st.lists(URLS, max_size=3))
def test_what_is_allowed_really_leads_to_a_listed_host(url: str, redirects: list[str]) -> None:
    from urllib.parse import urlsplit

    env = {"allow": ["example.com", "*.python.org"]}
    if check("url", {"url": url, "redirects": redirects}, env)["verdict"] == "allow":
        host = (urlsplit(url).hostname or "").removesuffix(".")
        assert host == "example.com" or host.endswith(".python.org")
        assert parse_url(url).port in (80, 443)


@pytest.mark.torture
def test_mutated_urls_raise_nothing_and_take_no_time() -> None:
    chooser = random.Random(7)
    lines = [case for case in cases("urls") if isinstance(case["input"], dict)]
    for _ in range(300_000 if IS_TORTURE else 6_000):
        case = chooser.choice(lines)
        given = {**case["input"], "url": mutated(str(case["input"]["url"]), chooser)}
        env = {**case["env"], "allow": [mutated("*.example.com", chooser), "*"]}
        started = time.thread_time()
        assert check("url", given, env)["verdict"] in ("allow", "deny")
        assert time.thread_time() - started < 1
