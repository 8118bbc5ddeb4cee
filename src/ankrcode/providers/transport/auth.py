"""How a request says who asks: a key in one of several headers, or a signature."""

from collections.abc import Callable, Mapping

from ankrcode.providers.transport.secret import Secret

_HEADERS = {
    "bearer": ("Authorization", "Bearer "),
    "x-api-key": ("x-api-key", ""),
    "api-key": ("api-key", ""),
    "x-goog-api-key": ("x-goog-api-key", ""),
    "subscription": ("api-subscription-key", ""),
    "basic": ("Authorization", "Basic "),
}

Sign = Callable[[str, Mapping[str, str], bytes], Mapping[str, str]]


def basic(login: str) -> str:
    """`user:password` as a header says it, behind the word Basic."""
    from binascii import b2a_base64
    from urllib.parse import unquote  # only who has a login pays for it

    user, _, password = login.partition(":")
    plain = f"{unquote(user)}:{unquote(password)}".encode()
    return b2a_base64(plain, newline=False).decode()


class Login:
    """Puts a key or a signature on a request; without either, the request stays as it is."""

    def __init__(
        self,
        style: str,
        key: Secret | None,
        sign: Sign | None = None,
        *,
        variable: str = "",
        renew: "Callable[[], Login | None] | None" = None,
        is_pending: bool = False,
    ) -> None:
        self._style = style
        self._key = key
        self._sign = sign
        self.variable = variable  # where a person sets it
        self.renew = renew  # where it may run out: the same with what is valid now; may take long
        self.is_pending = is_pending  # nobody has asked for it yet

    def put_on(self, url: str, headers: dict[str, str], body: bytes) -> tuple[str, dict[str, str]]:
        """The URL and the headers as they are sent. A header that a person set wins."""
        if self._sign is not None:
            return url, dict(self._sign(url, headers, body))
        if self._key is None:
            return url, headers
        if self._style == "query":
            mark = "&" if "?" in url else "?"
            return f"{url}{mark}key={self._key.reveal()}", headers
        name, before = _HEADERS[self._style]
        if name.lower() in {own.lower() for own in headers}:
            return url, headers
        return url, {**headers, name: before + self._key.reveal()}

    def hidden(self, text: str) -> str:
        """The text without the key."""
        return self._key.removed_from(text) if self._key else text
