"""JSON as small models write it: read where what they meant is certain, refused where it is not.

Mended: a comma before a closing bracket, single quotes, Python's True / False / None, line breaks
and unknown escapes inside a string. Never mended: anything missing. A bracket, quote or comma that
is not there may mean that the rest is not there either.
"""

import re
from typing import Any, NoReturn

import msgspec

_DEPTH = 64
_WORDS = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "/": "/", "\\": "\\"}
_SPACE = re.compile(r"\s*")
_NUMBER = re.compile(r"-?(0|[1-9]\d{0,300})(\.\d{1,300})?([eE][+-]?\d{1,4})?", re.ASCII)
_WORD = re.compile(r"[A-Za-z]+")
_HEX = re.compile(r"[0-9a-fA-F]{4}")
_OUTSIDE = re.compile(r"[\"'{}\[\]]")
_IN_STRING = {quote: re.compile(rf"[{quote}\\]") for quote in "\"'"}
_PLAIN = {quote: re.compile(rf"[^{quote}\\]+") for quote in "\"'"}


def read_json(text: str) -> Any:
    """The value that is the whole text; raises ValueError for what is not certain."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return _Lenient(text).whole()


class Balance:
    """How far a JSON value reaches, fed in pieces: brackets are counted, strings left alone."""

    def __init__(self) -> None:
        self._depth = 0
        self._quote = ""
        self._escaped = False

    def feed(self, text: str) -> int:
        """Where the value ends in this piece, if it does; else -1."""
        at = 1 if self._escaped and text else 0
        self._escaped = self._escaped and not text
        while at < len(text):
            stops = _IN_STRING[self._quote] if self._quote else _OUTSIDE
            found = stops.search(text, at)
            if found is None:
                return -1
            at = found.end()
            if self._quote:
                at += self._in_string(found[0], is_last=at == len(text))
            elif self._outside(found[0]):
                return at
        return -1

    def _in_string(self, letter: str, *, is_last: bool) -> int:
        """How many letters behind this one are to be passed over."""
        if letter != "\\":
            self._quote = ""
            return 0
        self._escaped = is_last
        return 1

    def _outside(self, letter: str) -> bool:
        """Was that the last bracket?"""
        if letter in "\"'":
            self._quote = letter
        elif letter in "{[":
            self._depth += 1
        else:
            self._depth -= 1
            return self._depth <= 0
        return False


class _Lenient:
    """One pass over the text, from left to right, without a guess."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def whole(self) -> Any:
        value = self._value(0)
        self._skip()
        if self._at < len(self._text):
            self._fail("more text after the value")
        return value

    def _value(self, depth: int) -> Any:
        self._skip()
        letter = self._peek()
        if depth > _DEPTH:
            self._fail("nested too deeply")
        if letter == "{":
            return self._object(depth)
        if letter == "[":
            return self._array(depth)
        if letter in ("'", '"'):
            return self._string()
        return self._number_or_word()

    def _object(self, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        self._at += 1
        while not self._ends("}"):
            if self._peek() not in ("'", '"'):
                self._fail("a name in quotes is needed")
            name = self._string()
            self._skip()
            self._expect(":")
            found[name] = self._value(depth + 1)
            self._comma_or("}")
        return found

    def _array(self, depth: int) -> list[Any]:
        found: list[Any] = []
        self._at += 1
        while not self._ends("]"):
            found.append(self._value(depth + 1))
            self._comma_or("]")
        return found

    def _ends(self, bracket: str) -> bool:
        self._skip()
        if self._peek() != bracket:
            return False
        self._at += 1
        return True

    def _comma_or(self, bracket: str) -> None:
        self._skip()
        if self._peek() != bracket:
            self._expect(",")

    def _string(self) -> str:
        quote, pieces = self._text[self._at], []
        self._at += 1
        while (letter := self._peek()) != quote:
            if letter == "\\":
                pieces.append(self._escape())
            elif plain := _PLAIN[quote].match(self._text, self._at):
                pieces.append(plain[0])
                self._at = plain.end()
            else:
                self._fail("a string without an end")
        self._at += 1
        text = "".join(pieces)
        return text.encode("utf-16", "surrogatepass").decode("utf-16")  # raises for half a pair

    def _escape(self) -> str:
        letter = self._text[self._at + 1 : self._at + 2]
        if letter == "u" and (code := _HEX.match(self._text, self._at + 2)):
            self._at = code.end()
            return chr(int(code[0], 16))
        self._at += 2
        if letter in ("'", '"'):
            return letter
        return _ESCAPES.get(letter, "\\" + letter)  # as in "\d+": it was meant as it stands

    def _number_or_word(self) -> Any:
        if number := _NUMBER.match(self._text, self._at):
            self._at = number.end()
            return msgspec.json.decode(number[0])
        word = _WORD.match(self._text, self._at)
        if word is None or word[0] not in _WORDS:
            self._fail("no value")
        self._at = word.end()
        return _WORDS[word[0]]

    def _skip(self) -> None:
        found = _SPACE.match(self._text, self._at)
        self._at = found.end() if found else self._at

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _expect(self, letter: str) -> None:
        if self._peek() != letter:
            self._fail(f"{letter} is needed")
        self._at += 1

    def _fail(self, why: str) -> NoReturn:
        raise ValueError(f"{why} (at character {self._at + 1})")
