"""What a sed script does besides editing its stream: found by reading its commands.

`w`, `W` and the flag w write; `e` and the flag e run; `r` and `R` read. What is not understood is
a doubt.
"""

import re
from collections.abc import Callable

from msgspec import Struct

_ADDRESS = re.compile(r"\s*(?:\d+(?:~\d+)?|\$|0(?=,))")
_RANGE = re.compile(r"\s*,\s*(?:[+~]\d+)?")
_PLAIN = set("=dDgGhHnNpPxzF")
_NUMBERED = set("lqQL")
_LABELS = set("btT:")
_FLAGS = re.compile(r"[gpiImM0-9]*")


class Sed(Struct):
    reads: list[str]
    writes: list[str]
    runs: list[str]
    doubt: str = ""


class _Unknown(Exception):
    pass


def read(script: str) -> Sed:
    reading = _Reading(script)
    try:
        reading.run()
    except _Unknown as problem:
        reading.found.doubt = str(problem) or "it is not understood"
    return reading.found


class _Reading:
    def __init__(self, script: str) -> None:
        self.text = script
        self.at = 0
        self.found = Sed([], [], [])
        self._forms: dict[str, Callable[[], None]] = {
            **dict.fromkeys("aic", self._added_text),
            "s": self._substitution,
            "y": self._transliteration,
            **dict.fromkeys("rR", self._included),
            **dict.fromkeys("wW", self._written),
            "e": self._executed,
        }

    def run(self) -> None:
        while True:
            self._skip(" \t\n;{}")
            if self.at >= len(self.text):
                return
            if self.text[self.at] == "#":
                self._line()
                continue
            self._addresses()
            self._skip(" \t!")
            self._command()

    def _skip(self, chars: str) -> None:
        while self.at < len(self.text) and self.text[self.at] in chars:
            self.at += 1

    def _line(self) -> str:
        """The rest of the line."""
        end = self.text.find("\n", self.at)
        end = len(self.text) if end < 0 else end
        line, self.at = self.text[self.at : end], end
        return line

    def _addresses(self) -> None:
        if not self._address():
            return
        comma = _RANGE.match(self.text, self.at)
        if comma:
            self.at = comma.end()
            if not comma[0].strip(", \t") and not self._address():
                raise _Unknown

    def _address(self) -> bool:
        self._skip(" \t")
        plain = _ADDRESS.match(self.text, self.at)
        if plain:
            self.at = plain.end()
            return True
        if self.text.startswith("/", self.at):
            self._delimited("/")
        elif self.text.startswith("\\", self.at) and self.at + 1 < len(self.text):
            self.at += 1
            self._delimited(self.text[self.at])
        else:
            return False
        self._skip("IM")
        return True

    def _delimited(self, mark: str) -> None:
        """Up to the second `mark`; the first one is where we stand."""
        if mark in ("\n", "\\"):
            raise _Unknown
        self.at += 1
        in_class = False
        while self.at < len(self.text):
            char = self.text[self.at]
            if char == "\\":
                self.at += 1
            elif char == "[" and not in_class:
                in_class = self._enters_class()
            elif char == "]" and in_class:
                in_class = False
            elif char == mark:
                if not in_class:
                    self.at += 1
                    return
                # GNU sed goes on inside [...], others stop here: both ways must be harmless.
                if re.match(rf"{re.escape(mark)}[gpiImM0-9]*[ew]", self.text[self.at :]):
                    raise _Unknown
            self.at += 1
        raise _Unknown

    def _enters_class(self) -> bool:
        """`[` opens a class only if one is closed later."""
        start = self.at + 1
        if self.text.startswith("^", start):
            start += 1
        if self.text.startswith("]", start):
            self.at = start
        return "]" in self.text[start + 1 :]

    def _command(self) -> None:
        if self.at >= len(self.text):
            raise _Unknown
        char = self.text[self.at]
        self.at += 1
        if char in _PLAIN or char in _NUMBERED:
            self._skip(" \t0123456789" if char in _NUMBERED else "")
            self._ends()
        elif char in _LABELS:
            self._label()
        elif char in self._forms:
            self._forms[char]()
        elif char not in "{}":
            raise _Unknown

    def _transliteration(self) -> None:
        self._delimited(self.text[self.at : self.at + 1] or "\n")
        self.at -= 1
        self._delimited(self.text[self.at])
        self._ends()

    def _label(self) -> None:
        line = re.compile(r"[^\n;}]*").match(self.text, self.at)
        self.at = line.end() if line else self.at

    def _added_text(self) -> None:
        """Text up to a line that does not end in a backslash."""
        while self._line().endswith("\\") and self.at < len(self.text):
            self.at += 1

    def _substitution(self) -> None:
        mark = self.text[self.at : self.at + 1] or "\n"
        self._delimited(mark)
        self.at -= 1
        self._replacement(mark)
        flags = _FLAGS.match(self.text, self.at)
        self.at = flags.end() if flags else self.at
        following = self.text[self.at : self.at + 1]
        if following == "w":
            self.at += 1
            self._written()
        elif following == "e":
            raise _Unknown("the flag e runs commands")
        else:
            self._ends()

    def _replacement(self, mark: str) -> None:
        self.at += 1
        while self.at < len(self.text) and self.text[self.at] != mark:
            self.at += 2 if self.text[self.at] == "\\" else 1
        if self.at >= len(self.text):
            raise _Unknown
        self.at += 1

    def _included(self) -> None:
        self.found.reads.append(self._line().strip())

    def _executed(self) -> None:
        self.found.runs.append(self._line().strip())
        self.found.doubt = "e runs commands"

    def _written(self) -> None:
        path = self._line().strip()
        if path not in ("/dev/stdout", "/dev/stderr"):
            self.found.writes.append(path)

    def _ends(self) -> None:
        self._skip(" \t")
        if self.at < len(self.text) and self.text[self.at] not in "\n;}#":
            raise _Unknown
