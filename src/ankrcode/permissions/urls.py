"""May this URL be fetched? By a list of hosts, and never anywhere that is not public.

The names are compared label by label in one spelling. Every address that a name resolves to and
every redirect is judged like the first URL. The resolver's answers are handed in: nothing here
touches the network, and whoever connects must connect to an address that was judged.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from ipaddress import ip_address
from urllib.parse import urljoin

from msgspec import Struct

from ankrcode.config.limits import MAX_FETCH_BYTES, MAX_REDIRECTS, MAX_URL_CHARS
from ankrcode.permissions.hosts import (
    METADATA_HOSTS,
    BadHost,
    as_address,
    is_localhost,
    is_loopback,
    is_mixed,
    is_public,
    may_be_local,
    normal_host,
)
from ankrcode.words import say
from ankrcode.workspace.path_text import is_hidden

METHODS = ("GET", "HEAD", "OPTIONS", "POST")
_USUAL_PORTS = (80, 443)
_MAX_PORT = 65_535
IPV6 = 6
_SHAPE = re.compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<authority>[^/?#]*)(?P<rest>[/?#].*)?\Z"
)
_PORT = re.compile(r"[1-9][0-9]{0,4}\Z")
_UNUSUAL = re.compile(r"[\x00-\x20\x7f\\\"<>]|\A[^/?#]*//[^/?#]*[?#]@")
_ENTRY = re.compile(
    r"(?:(?P<scheme>https?)://)?(?P<host>\*|(?:\*\.)?[^*/:@?#\[\]]+|\[[0-9A-Fa-f:.]+\])"
    r"(?::(?P<port>[0-9]{1,5}|\*))?/?\Z"
)

Answers = Sequence[Sequence[str]]


class UrlVerdict(Struct, frozen=True, kw_only=True):
    is_allowed: bool
    reason: str = ""


class Url(Struct, frozen=True, kw_only=True):
    """The parts of a URL that matter here, the host in its one spelling."""

    scheme: str
    host: str
    port: int


class Entry(Struct, frozen=True, kw_only=True):
    """One line of the allow-list: `example.com`, `*.python.org`, `http://localhost:8000`."""

    host: str  # `*` for any
    scheme: str = ""  # empty: both
    port: int | None = None  # None: 80 and 443; 0: any
    is_wild: bool = False  # names below the host, not the host itself

    def covers(self, url: Url) -> bool:
        if self.scheme and self.scheme != url.scheme:
            return False
        if url.port not in _USUAL_PORTS if self.port is None else self.port not in (0, url.port):
            return False
        if self.is_exact:
            return url.host == self.host
        if is_mixed(url.host):
            return False  # a look-alike must be named outright
        return self.host == "*" or url.host.endswith("." + self.host)

    @property
    def is_exact(self) -> bool:
        return not self.is_wild and self.host != "*"


class UrlPolicy:
    """A list of hosts, and whether this very machine may be spoken to."""

    def __init__(self, allow: Iterable[str], *, allow_loopback: bool = False) -> None:
        self.entries = [entry for text in allow if (entry := parse_entry(text)) is not None]
        self.allow_loopback = allow_loopback

    def check(
        self,
        url: str,
        *,
        method: str = "GET",
        dns: Mapping[str, Answers] | None = None,
        redirects: Sequence[str] = (),
        body_size: int = 0,
    ) -> UrlVerdict:
        """`dns` holds the successive answers for each host that was asked for."""
        reason = self._reason(url, dns or {}, redirects)
        if not reason and method.upper() not in METHODS:
            reason = say("url.method", method=method[:20], methods=", ".join(METHODS))
        if not reason and body_size > MAX_FETCH_BYTES:
            reason = say("url.too_large", size=body_size, limit=MAX_FETCH_BYTES)
        return UrlVerdict(is_allowed=not reason, reason=reason)

    def _reason(self, first: str, dns: Mapping[str, Answers], redirects: Sequence[str]) -> str:
        """Why not; empty where nothing speaks against it."""
        if len(redirects) > MAX_REDIRECTS:
            return say("url.redirects", count=len(redirects), limit=MAX_REDIRECTS)
        known = {_spelled(host): answers for host, answers in dns.items()}
        text, before, seen = first, None, set[str]()
        for target in (None, *redirects):
            if target is not None:
                text = _joined(text, target)
            if text in seen:
                return say("url.loop", to=text)
            seen.add(text)
            try:
                url = parse_url(text)
            except BadHost as problem:
                return say("url.malformed", why=problem)
            reason = self._reason_against(url, known)
            if reason:
                return reason if target is None else say("url.redirect", to=text, why=reason)
            if before == "https" and url.scheme == "http":
                return say("url.downgrade", to=text)
            before = url.scheme
        return ""

    def _reason_against(self, url: Url, dns: Mapping[str, Answers]) -> str:
        if url.host in METADATA_HOSTS:
            return say("url.closed", address=url.host)
        if not any(entry.covers(url) for entry in self.entries):
            return say("url.not_listed", host=f"{url.host}:{url.port}")
        literal = as_address(url.host)
        if is_localhost(url.host) and not self.allow_loopback:
            return say("url.closed", address=url.host)
        answers = [[url.host]] if literal is not None else dns.get(url.host)
        if answers is None:
            return ""  # not asked for yet: whoever connects asks, and judges the answer
        found = [address for answer in answers for address in answer]
        if not found or not all(answers):
            return say("url.unresolved", host=url.host)
        is_own = literal is not None or may_be_local(url.host)
        closed = [one for one in found if not self._may_connect(one, is_own=is_own)]
        return say("url.closed", address=f"{url.host} ({closed[0]})") if closed else ""

    def _may_connect(self, text: str, *, is_own: bool) -> bool:
        try:
            address = ip_address(text)
        except ValueError:
            return False
        if is_own and self.allow_loopback and is_loopback(address):
            return True
        return is_public(address)


def parse_url(text: str) -> Url:
    """Scheme, host and port, or `BadHost`: what has two readings has none."""
    if len(text) > MAX_URL_CHARS:
        raise BadHost("it is too long")
    if _UNUSUAL.search(text) or (not text.isascii() and any(map(is_hidden, text))):
        raise BadHost("it holds blanks, backslashes or characters that must be encoded")
    shape = _SHAPE.match(text)
    scheme = shape["scheme"].lower() if shape else ""
    if shape is None or scheme not in ("http", "https"):
        raise BadHost("it does not begin with http:// or https://")
    authority = shape["authority"]
    if "@" in authority or "%" in authority:
        raise BadHost("it holds a login or an encoded host")
    host, port = _host_and_port(authority)
    if not host:
        raise BadHost("it has no host")
    usual = 443 if scheme == "https" else 80
    return Url(scheme=scheme, host=normal_host(host), port=_port(port) if port else usual)


def parse_entry(text: object) -> Entry | None:
    """None for what is not an entry: it then allows nothing."""
    shape = _ENTRY.match(_bracketed(text.strip())) if isinstance(text, str) else None
    if shape is None:
        return None
    host, port = shape["host"], shape["port"]
    is_wild = host.startswith("*.")
    try:
        spelled = host if host == "*" else normal_host(host.removeprefix("*."))
    except BadHost:
        return None
    number = None if port is None else 0 if port == "*" else int(port)
    scheme = shape["scheme"] or ""
    return Entry(host=spelled, scheme=scheme, port=number, is_wild=is_wild)


def _bracketed(text: str) -> str:
    """An IPv6 address may stand on the list without brackets."""
    address = as_address(text)
    return f"[{text}]" if address is not None and address.version == IPV6 else text


def _host_and_port(authority: str) -> tuple[str, str]:
    if authority.startswith("["):
        host, bracket, rest = authority.partition("]")
        if not bracket or (rest and not rest.startswith(":")):
            raise BadHost("the address in brackets is malformed")
        return host + bracket, rest[1:]
    host, _, port = authority.partition(":")
    return host, port


def _port(text: str) -> int:
    if not _PORT.match(text) or int(text) > _MAX_PORT:
        raise BadHost("the port is malformed")
    return int(text)


def _spelled(host: str) -> str:
    try:
        return normal_host(host)
    except BadHost:
        return host


def _joined(base: str, target: str) -> str:
    """A redirect may be relative; one that cannot be joined is judged as it stands.

    Three slashes are a path to some and a host to others.
    """
    if target.startswith("///"):
        return target
    try:
        return urljoin(base, target)
    except ValueError:
        return target
