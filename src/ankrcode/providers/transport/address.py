"""Where a request goes: a URL taken apart, and a base URL joined with a wire's path.

By hand: `urllib.parse` costs 2 ms to import, and little of it is needed here.
"""

from msgspec import Struct

from ankrcode.errors import ProviderError

LOOPBACK_NAMES = ("localhost", "ip6-localhost", "ip6-loopback")
_PORTS = {"http": 80, "https": 443}
_MAX_PORT = 65_535
_NUMBERS, _MAX_NUMBER = 4, 255  # of an IPv4 address


class Address(Struct, frozen=True, kw_only=True):
    scheme: str
    host: str  # without brackets
    port: int
    path: str = "/"  # with the query

    @property
    def is_tls(self) -> bool:
        return self.scheme == "https"

    @property
    def is_loopback(self) -> bool:
        return is_loopback(self.host)

    @property
    def authority(self) -> str:
        """As the Host header wants it: the port only where it is not the usual one."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def endpoint(self) -> str:
        """As CONNECT wants it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


def parse_address(url: str) -> Address:
    """Only http and https, only a real host, nothing that could break out of a header line."""
    scheme, _, rest = url.partition("://")
    scheme = scheme.lower()
    authority, path = _split_path(rest.partition("#")[0])
    host, port = _split_port(authority.rpartition("@")[2])
    if scheme not in _PORTS or not _is_host(host) or port is None or not _is_clean(url):
        raise ProviderError.of("base_url_wrong", url=without_login(url))
    return Address(scheme=scheme, host=host.lower(), port=port or _PORTS[scheme], path=path)


def is_loopback(host: str) -> bool:
    """By the name alone: nothing is looked up."""
    host = host.lower().rstrip(".")
    if host in LOOPBACK_NAMES or host == "::1":
        return True
    numbers = host.split(".")
    return len(numbers) == _NUMBERS and numbers[0] == "127" and all(map(_is_number, numbers))


def joined(base_url: str, path: str) -> str:
    """The URL of a wire's path below a base URL; a version that stands in both counts once."""
    base, _, base_query = base_url.partition("?")
    base = base.rstrip("/")
    first, slash, rest = path.lstrip("/").partition("/")
    if slash and _is_version(first) and base.rpartition("/")[2] == first:
        path = rest
    url = f"{base}/{path.lstrip('/')}"
    if base_query:
        url += ("&" if "?" in url else "?") + base_query
    return url


def with_version(base_url: str, usual: str) -> str:
    """A person's base URL with the version of the usual one, unless it names one itself."""
    version = usual.rstrip("/").rpartition("/")[2]
    path = _split_path(base_url.partition("://")[2])[1].partition("?")[0]
    if not _is_version(version) or any(map(_is_version, path.split("/"))):
        return base_url
    base, mark, query = base_url.partition("?")
    return f"{base.rstrip('/')}/{version}{mark}{query}"


def split_login(url: str) -> tuple[str, str]:
    """The URL without the user and password in it, and those: `user:password`, or nothing."""
    start = url.find("://") + 3 if "://" in url else 0
    authority = _split_path(url[start:])[0]
    login, _, host = authority.rpartition("@")
    return url[:start] + host + url[start + len(authority) :], login


def without_login(url: str) -> str:
    """The URL as it may be shown: no user, no password, no query."""
    before, mark, rest = url.partition("?")[0].partition("://")
    host, slash, path = rest.partition("/")
    return before.rpartition("@")[2] + mark + host.rpartition("@")[2] + slash + path


def _split_path(rest: str) -> tuple[str, str]:
    """What stands before the first slash or question mark, and the path with its query."""
    end = min(at for at in (rest.find("/"), rest.find("?"), len(rest)) if at >= 0)
    path = rest[end:]
    return rest[:end], path if path.startswith("/") else f"/{path}"


def _split_port(text: str) -> tuple[str, int | None]:
    """Host and port: 0 where none is named, None where it is no port."""
    if text.startswith("["):
        host, bracket, rest = text[1:].partition("]")
        port = rest.removeprefix(":") if bracket and rest[:1] in ("", ":") else "none"
    else:
        host, _, port = text.partition(":")
    if not port:
        return host, 0
    is_port = port.isascii() and port.isdigit() and len(port) <= len(str(_MAX_PORT))
    return host, int(port) if is_port and 0 < int(port) <= _MAX_PORT else None


def _is_host(host: str) -> bool:
    """A name or a number; names in other scripts are written in their xn-- form."""
    return bool(host) and all(char.isalnum() or char in "-._:" for char in host)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and int(text) <= _MAX_NUMBER


def _is_version(segment: str) -> bool:
    """`v1`, `v1beta`, `v4`."""
    return segment[:1] == "v" and segment[1:2].isdigit()


def _is_clean(url: str) -> bool:
    return url.isascii() and url.isprintable() and " " not in url
