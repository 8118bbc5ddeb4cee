"""Which proxy stands between us and a server, by the variables everybody sets."""

from collections.abc import Mapping

from msgspec import Struct

from ankrcode.errors import ProviderError
from ankrcode.providers.transport.address import (
    Address,
    is_loopback,
    parse_address,
    split_login,
    without_login,
)
from ankrcode.providers.transport.auth import basic


class Proxy(Struct, frozen=True):
    """Where it listens, and what it wants to hear from us."""

    address: Address
    login: str = ""  # the value of Proxy-Authorization

    def __repr__(self) -> str:  # a login is a secret
        return f"Proxy({self.address.scheme}://{self.address.endpoint})"


class Proxies:
    """`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, in small letters too.

    A loopback address is never asked of a proxy: there it would mean the proxy's own machine.
    """

    def __init__(self, environ: Mapping[str, str]) -> None:
        both = _value(environ, "ALL_PROXY")
        self._by_scheme = {
            "https": _value(environ, "HTTPS_PROXY") or both,
            # In a CGI program HTTP_PROXY is a header that anybody may send.
            "http": _value(environ, "HTTP_PROXY", is_risky="REQUEST_METHOD" in environ) or both,
        }
        self._except = [
            entry.strip().lower()
            for entry in _value(environ, "NO_PROXY").split(",")
            if entry.strip()
        ]

    def for_address(self, address: Address) -> Proxy | None:
        chosen = self._by_scheme[address.scheme]
        if not chosen or address.is_loopback or self._is_excepted(address):
            return None
        return parse_proxy(chosen)

    def _is_excepted(self, address: Address) -> bool:
        return any(_covers(entry, address) for entry in self._except)


def parse_proxy(text: str) -> Proxy:
    """`http://user:password@host:port`; a bare `host:port` is an HTTP proxy."""
    url = text if "://" in text else f"http://{text}"
    if not url.lower().startswith(("http://", "https://")):
        raise ProviderError.of("proxy_kind", proxy=without_login(url))
    try:
        address = parse_address(without_login(url))
    except ProviderError:
        raise ProviderError.of("proxy_wrong", proxy=without_login(url)) from None
    login = split_login(url)[1]
    return Proxy(address, f"Basic {basic(login)}" if login else "")


def _value(environ: Mapping[str, str], name: str, *, is_risky: bool = False) -> str:
    """The small name counts first, as it does for curl."""
    value = environ.get(name.lower(), "")
    return value or ("" if is_risky else environ.get(name, ""))


def _covers(entry: str, address: Address) -> bool:
    """`*`, `example.com` and everything below it, `.example.com`, `host:port`, `10.0.0.0/8`."""
    host = address.host.lower()
    if entry == "*":
        return True
    if "/" in entry:
        return _in_network(entry, host)
    name, colon, port = entry.rpartition(":")
    if colon and port.isdigit() and not name.endswith(":") and name.count(":") == 0:
        if port != str(address.port):
            return False
        entry = name
    entry = entry.strip("[]").removeprefix("*").lstrip(".")
    if is_loopback(entry):
        return is_loopback(host)
    return host == entry or host.endswith(f".{entry}")


def _in_network(entry: str, host: str) -> bool:
    from ipaddress import ip_address, ip_network  # only who names networks pays for it

    try:
        return ip_address(host) in ip_network(entry, strict=False)
    except ValueError:
        return False
