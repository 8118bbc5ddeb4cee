"""What an error body says, in whichever of the vendors' shapes: kind words and a sentence."""

from typing import Any

from msgspec import Struct

from ankrcode.providers.wires.loose import Malformed, decoded, items, mapping, text

_MESSAGES = (
    *("message", "Message", "msg", "error_msg", "error_message", "errorMessage", "detail"),
    *("details", "error_description", "reason", "title", "faultstring", "failed_reason"),
    "status_msg",
)
_KINDS = (
    "type",
    "code",
    "status",
    "__type",
    "Code",
    "error_code",
    "error_type",
    "errorCode",
    "error",
    "reason",
    "status_code",
)
_INNER = (
    *("error", "errors", "fault", "innererror", "inner_error", "response", "detail", "body"),
    *("Response", "Error", "base_resp"),
)
_MAX_DEPTH = 5
_MAX_TEXT = 4_000


class SaidError(Struct, frozen=True, kw_only=True):
    """The vendor's own words; `kinds` are its types and codes in lower case."""

    message: str = ""
    kinds: str = ""
    code: int | None = None  # a status named in the body
    retry: str = ""  # a span to wait, where the body says one
    details: str = ""  # names of limits and reasons, in lower case


def said_error(body: bytes | str | Any) -> SaidError:
    """From the bytes of a body, or from what was already decoded."""
    if isinstance(body, bytes | bytearray):
        body = _opened(bytes(body))
    if isinstance(body, str):
        return SaidError(message=_plain(body))
    found = _Found()
    found.look(body, 0)
    return SaidError(
        message=" ".join(found.message.split())[:_MAX_TEXT],
        kinds=" ".join(found.kinds).lower(),
        code=found.code,
        retry=found.retry,
        details=" ".join(found.details).lower(),
    )


class _Found:
    def __init__(self) -> None:
        self.message = ""
        self.kinds: list[str] = []
        self.code: int | None = None
        self.retry = ""
        self.details: list[str] = []

    def look(self, value: Any, depth: int) -> None:
        """The innermost sentence is the most telling one only where the outer has none."""
        if depth > _MAX_DEPTH:
            return
        if isinstance(value, list):
            for one in value[:10]:
                self.look(one, depth + 1)
            return
        if isinstance(value, str):
            self.message = self.message or value
            return
        error = mapping(value)
        self._kinds(error)
        for name in _INNER:
            if isinstance(error.get(name), dict | list):
                self.look(error[name], depth + 1)
        self._words(error)
        self._google(error)
        self._passed_on(error, depth)

    def _kinds(self, error: dict[str, Any]) -> None:
        for name in _KINDS:
            value = error.get(name)
            if isinstance(value, str) and len(value) < 100:  # noqa: PLR2004
                self.kinds.append(value)
                if value.isdigit() and len(value) == 3:  # noqa: PLR2004
                    self.code = self.code or int(value)
            elif isinstance(value, int) and 400 <= value < 600:  # noqa: PLR2004
                self.code = self.code or value

    def _words(self, error: dict[str, Any]) -> None:
        for name in (*_MESSAGES, "error"):
            if not self.message and isinstance(error.get(name), str):
                self.message = error[name]

    def _google(self, error: dict[str, Any]) -> None:
        """`details` of Google's errors: why, which limit, and when to come back."""
        for one in items(error.get("details")):
            detail = mapping(one)
            self.retry = self.retry or text(detail.get("retryDelay"))
            self.details.append(text(detail.get("reason")))
            for violation in items(detail.get("violations")):
                self.details.append(text(mapping(violation).get("quotaId")))

    def _passed_on(self, error: dict[str, Any], depth: int) -> None:
        """A router's note of what the provider behind it said."""
        raw = mapping(error.get("metadata")).get("raw")
        if isinstance(raw, str) and raw.strip():
            inner = said_error(raw.encode("utf-8", "replace"))
            self.kinds.append(inner.kinds)
            if inner.message and inner.message not in self.message:
                self.message = f"{self.message}: {inner.message}".removeprefix(": ")


def _opened(body: bytes) -> Any:
    """JSON, the first event of a stream, or plain words."""
    try:
        return decoded(body)
    except Malformed:
        pass
    for line in body[:_MAX_TEXT].splitlines():
        if line.startswith(b"data:"):
            try:
                return decoded(line[5:])
            except Malformed:
                continue
    return body[:_MAX_TEXT].decode("utf-8", "replace")


def _plain(text: str) -> str:
    """Words out of a page: its title, else what is left without tags."""
    import re

    if "<" in text:
        title = re.search(r"<title[^>]*>(.*?)</title>", text, re.IGNORECASE | re.DOTALL)
        text = title[1] if title else re.sub(r"<[^>]{0,500}>", " ", text)
    return " ".join(text.split())[:300]
