"""Secrets under stable names: the same one gets the same placeholder as long as a session lasts.

A model that reads `[redacted:github-token:1]` may write it back; then the real text is put in
its place again, so that an edit of a file with a secret in it does no harm.
"""

import re
from collections.abc import Callable, Collection
from typing import Any

import msgspec
from msgspec.structs import fields, replace

from ankrcode.config.secrets import MIN_KNOWN_CHARS, redact, redact_known

PLACEHOLDER = r"\[redacted:[a-z0-9-]{1,40}:[0-9]{1,9}\]"
_MIN_CHARS = 6  # no secret is shorter
_MAX_REMEMBERED = 10_000
_MAX_DEPTH = 50


class Redactor:
    """One session's secrets. Knows them only after it has seen them."""

    def __init__(self, known: Collection[str] = ()) -> None:
        self._known = tuple(value for value in known if len(value) >= MIN_KNOWN_CHARS)
        self._names: dict[str, str] = {}
        self._secrets: dict[str, str] = {}

    @property
    def known(self) -> tuple[str, ...]:
        return self._known

    @property
    def longest_with_blanks(self) -> int:
        """The longest known value that a stream could break at a blank."""
        return max((len(value) for value in self._known if value.split() != [value]), default=0)

    def redact(self, text: str) -> str:
        return redact(text, self._known, self._name) if len(text) >= _MIN_CHARS else text

    def redact_known(self, text: str) -> str:
        """Only what was known from the start: it may hold blanks and stand anywhere."""
        return redact_known(text, self._known, self._name)

    def restore(self, value: Any) -> Any:
        """Data with every placeholder of this session replaced by what it stands for."""
        return _mapped(value, lambda text: re.sub(PLACEHOLDER, self._restored, text))

    def redact_data(self, value: Any) -> Any:
        """The same for data; the very same object where nothing had to be replaced.

        Names and values are judged together, as JSON; then whatever was found is replaced.
        """
        if value is None or isinstance(value, bool | int | float):
            return value
        if isinstance(value, str):
            return self.redact(value)
        try:
            encoded = msgspec.json.encode(value).decode()
        except (TypeError, ValueError, RecursionError, UnicodeError):
            encoded = ""  # not JSON: each text for itself
        found: dict[str, str] = {}
        if (
            encoded
            and redact(encoded, self._known, lambda *one: self._note(found, *one)) == encoded
        ):
            return value
        return _mapped(value, lambda text: self._without(text, found))

    def _without(self, text: str, found: dict[str, str]) -> str:
        text = self.redact(text)
        for secret, placeholder in found.items():
            text = text.replace(secret, placeholder)
        return text

    def _note(self, found: dict[str, str], kind: str, secret: str) -> str:
        found[secret] = self._name(kind, secret)
        return found[secret]

    def _name(self, kind: str, secret: str) -> str:
        placeholder = self._names.get(secret)
        if placeholder is None:
            if len(self._names) >= _MAX_REMEMBERED:
                return f"[redacted:{kind}]"
            placeholder = f"[redacted:{kind}:{len(self._names) + 1}]"
            self._names[secret], self._secrets[placeholder] = placeholder, secret
        return placeholder

    def _restored(self, found: re.Match[str]) -> str:
        return self._secrets.get(found[0], found[0])


class RedactedStream:
    """Text that arrives in pieces, where a secret may be split over two of them.

    Whole lines go on at once; of an unfinished line, what could still become part of a secret
    is held back.
    """

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._held = ""

    @property
    def held(self) -> str:
        """What came, but may still become part of a secret."""
        return self._held

    def feed(self, text: str) -> str:
        """What may be shown now."""
        held = self._redactor.redact_known(self._held + text)
        border = _border(held, len(held) - self._redactor.longest_with_blanks)
        self._held = held[border:]
        return self._redactor.redact(held[:border])

    def end(self) -> str:
        """The rest."""
        rest, self._held = self._held, ""
        return self._redactor.redact(rest)


_KEY_BEGINS, _KEY_ENDS = "-----BEGIN ", "PRIVATE KEY"
_MAX_HELD_CHARS = 16_384
_PARTS_END = (",", ";", "}")
_TELLING = r"(?i)pass|pwd|secret|token|credential|key|auth|cookie|bearer|login|://|sig=| -[pu]"


def _border(text: str, end: int) -> int:
    """The last place before `end` where nothing that follows changes how the text is judged."""
    border = _safe_border(text, max(0, end))
    if len(text) - border <= _MAX_HELD_CHARS:
        return border
    # A line without end: where one of its parts ends, if anywhere.
    return max(text.rfind(mark, border) for mark in _PARTS_END) + 1 or len(text)


def _safe_border(text: str, end: int) -> int:
    border = max(text.rfind("\n", 0, end), text.rfind("\r", 0, end)) + 1
    if not re.compile(_TELLING).search(text, border):
        border = max(border, text.rfind(" ", 0, end) + 1, text.rfind("\t", 0, end) + 1)
    begun = text.rfind(_KEY_BEGINS, 0, border)
    if begun >= 0 and not _is_closed_key(text[begun:border]):
        return begun
    return border


def _is_closed_key(text: str) -> bool:
    """Is what begins here no private key, or one that has ended?"""
    heading = text.partition("\n")[0]
    return _KEY_ENDS not in heading or "-----END " in text


def _mapped(value: Any, change: Callable[[str], str], depth: int = 0) -> Any:
    """The same data with every text changed; parts without a change stay the same objects."""
    if isinstance(value, str):
        changed_text = change(value)
        return value if changed_text == value else changed_text  # an enumeration stays one
    if depth > _MAX_DEPTH:
        return value
    if isinstance(value, dict):
        return {_mapped(k, change): _mapped(v, change, depth + 1) for k, v in value.items()}
    if isinstance(value, list | tuple):
        parts = [_mapped(item, change, depth + 1) for item in value]
        return parts if isinstance(value, list) else tuple(parts)
    if isinstance(value, msgspec.Struct):
        names = [field.name for field in fields(type(value))]
        changed = {name: _mapped(getattr(value, name), change, depth + 1) for name in names}
        return replace(value, **changed)
    return value
