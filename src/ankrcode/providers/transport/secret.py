"""A key that nobody sees by accident: it has no text form, and is taken out of what servers say."""

_MIN_ECHO = 6  # shorter pieces of a key occur in ordinary text


class Secret:
    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def __repr__(self) -> str:
        return "Secret(…)"

    __str__ = __repr__

    def __bool__(self) -> bool:
        return bool(self._value)

    def __reduce__(self) -> str:  # neither copied to disk nor to another process
        raise TypeError("a secret is not pickled")

    def reveal(self) -> str:
        """Only where it is put on the wire."""
        return self._value

    def removed_from(self, text: str) -> str:
        """Servers like to repeat a wrong key, sometimes with its middle starred out."""
        if len(self._value) < _MIN_ECHO:  # `x` for a server that wants none: no key, but any text
            return text
        text = text.replace(self._value, "…")
        starred = (self._value[:_MIN_ECHO], self._value[-4:])
        if len(self._value) <= 2 * _MIN_ECHO or "*" not in text:
            return text
        words = text.split(" ")
        return " ".join(
            "…" if "*" in word and any(s in word for s in starred) else word for word in words
        )
