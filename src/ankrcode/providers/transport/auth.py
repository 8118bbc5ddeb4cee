"""How a request says who asks: a key in one of several headers, or a signature."""

from collections.abc import Callable, Mapping

from ankrcode.providers.transport.secret import Secret

_HEADERS = {
    "bearer": ("Authorization", "Bearer "),
    "x-api-key": ("x-api-key", ""),
    "api-key": ("api-key", ""),
    "x-goog-api-key": ("x-goog-api-key", ""),
    "subscription": ("api-subscription-key", ""),
}

Sign = Callable[[str, Mapping[str, str], bytes], Mapping[str, str]]


class Login:
    """Puts a key or a signature on a request; without either, the request stays as it is."""

    def __init__(
        self, style: str, key: Secret | None, sign: Sign | None = None, *, variable: str = ""
    ) -> None:
        self._style = style
        self._key = key
        self._sign = sign
        self.variable = variable  # where a person sets it

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
