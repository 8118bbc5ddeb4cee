"""The first lines of blocks: how each is told from a sentence, and what it says."""

import re

from msgspec import Struct

from ankrcode.rocketlang import control
from ankrcode.rocketlang.blocks import Written
from ankrcode.rocketlang.numbers_said import number_of
from ankrcode.rocketlang.pieces import Piece, outside_quotes, pieces
from ankrcode.rocketlang.pipes import shell_text
from ankrcode.rocketlang.sentence import read_sentence
from ankrcode.rocketlang.variables import BRACES, DOLLAR, NAME

_COMMENT = r"\s#\s"
_WORD = rf"{NAME}(?:-{NAME}|-\d+)*"
_NUMBER = r"-?\d+(?:\.\d+)?"
_GLOB = r"[^\s\"']*[*?][^\s\"']*"
_PATH = r"[^\s|;\"'=]*[./*][^\s|;\"'=]*"


class Line:
    """One line with something in it."""

    def __init__(self, text: str, number: int) -> None:
        self.number = number
        self.text = text if shell_text(text) else _without_comment(text)
        self.pieces = pieces(self.text)

    def after(self, index: int) -> str:
        """The text behind the first pieces, without a colon or comma between."""
        if index >= len(self.pieces):
            return ""
        return self.text[self.pieces[index].start :].lstrip(":, \t").strip()

    def is_over_at(self, index: int) -> bool:
        """Does nothing stand there but a colon?"""
        rest = self.pieces[index:]
        return not rest or (len(rest) == 1 and rest[0].text == ":")


def _without_comment(text: str) -> str:
    found = outside_quotes(text, _COMMENT) if "#" in text else []
    return text[: found[0].start()].rstrip() if found else text


def is_end(line: Line) -> bool:
    """`end`, alone or with what it ends: `end if`."""
    found = control.at(line.pieces, 0, "END")
    if found is None:
        return False
    rest = [one for one in line.pieces[found.length :] if not one.is_sign]
    ended = ("IF", "FOR", "TIMES", "DEF", "AGAIN", "RUN")
    return not rest or any(control.whole(rest, role) for role in ended)


def macro_name(line: Line) -> str:
    """Of `macro deploy`, with or without a colon; empty where this is no such line."""
    found = control.at(line.pieces, 0, "DEF")
    if found is None or found.length >= len(line.pieces):
        return ""
    reading = read_sentence(line.text)
    if found.language != "en" and reading.is_full and not reading.changes:
        return ""  # `kaam dikhao`: a look at the work
    name = line.pieces[found.length].text.rstrip(":")
    return name if re.fullmatch(_WORD, name) and line.is_over_at(found.length + 1) else ""


class Loop(Struct, frozen=True):
    """The head of *for each*: its name, where its things come from, where the head ends."""

    name: str
    source: str
    is_variable: bool
    end: int
    language: str


def read_loop(line: Line) -> Loop | None:
    """`for each f in $files:` · `har f $files mein:` · `$files mein har f:`."""
    found = line.pieces
    colon = next((i for i, one in enumerate(found) if one.is_sign and one.text == ":"), len(found))
    head = found[:colon]
    if word := control.at(head, 0, "FOR"):
        return _for_first(line, head, word)
    if head and head[0].text.startswith("$"):
        return _for_last(head)
    return None


def _for_first(line: Line, head: list[Piece], word: control.Found) -> Loop | None:
    place = word.length
    name = head[place].text if place < len(head) else ""
    if name.startswith("$") and len(head) > place + 1:
        name = name[1:]  # `for each $f in $files`
    if not re.fullmatch(NAME, name):
        return None
    place += 1
    while place < len(head) and (control.at(head, place, "IN") or head[place].plain == "ke"):
        place += 1  # `f in`, `f ke liye`
        if place < len(head) and head[place].plain == "liye":
            place += 1
    if place >= len(head):
        return None
    if found := re.match(DOLLAR, head[place].text):
        return Loop(name, found[1], is_variable=True, end=len(head), language=word.language)
    last = len(head)
    if last - place > 1 and control.at(head, last - 1, "IN"):
        last -= 1
    text = line.text[head[place].start : head[last - 1].end]
    is_name = re.fullmatch(NAME, text) is not None
    if re.fullmatch(_GLOB, text):
        text = f"find {text}"
    return Loop(name, text, is_variable=is_name, end=len(head), language=word.language)


def _for_last(head: list[Piece]) -> Loop | None:
    """The variable may have its case ending at once behind it: `$filesలో prati f`."""
    for place in range(1, len(head) - 1):
        word = control.at(head, place, "FOR")
        if word is None:
            continue
        found = re.match(DOLLAR, head[0].text)
        name = head[place + word.length].text if place + word.length < len(head) else ""
        if found and re.fullmatch(NAME, name):
            return Loop(name, found[1], is_variable=True, end=len(head), language=word.language)
    return None


class Times(Struct, frozen=True):
    count: int | str
    end: int
    language: str


def read_times(line: Line) -> Times | None:
    """`3 baar:` · `teen baar karo:` · `repeat 3 times:` · `$n times:`."""
    found = line.pieces
    again = control.at(found, 0, "AGAIN")
    for start in (0, again.length if again else 0):
        times = control.at(found, start + 1, "TIMES")
        count = _count(found[start]) if start + 1 < len(found) else None
        if times is None or count is None:
            continue
        end = start + 1 + times.length
        if more := control.at(found, end, "AGAIN"):
            end += more.length
        has_colon = end < len(found) and found[end].text == ":"
        if has_colon or end == len(found):
            return Times(count, end, times.language)
    return None


def _count(piece: Piece) -> int | str | None:
    if piece.is_quoted:
        return None
    named = re.fullmatch(DOLLAR, piece.text) or re.fullmatch(BRACES, piece.text)
    return named[1] if named else number_of(piece.text)


def written(text: str) -> Written | None:
    """A value that stands there itself: quoted text, a number, one path or pattern or word."""
    found = pieces(text)
    if len(found) != 1:
        return None
    if found[0].is_quoted:
        return Written(text=text[1:-1], is_quoted=True)
    if re.fullmatch(_NUMBER, text) or re.fullmatch(_PATH, text) or text.startswith("$"):
        return Written(text=text)
    return Written(text=text) if re.fullmatch(_WORD, text) else None


def without_let(text: str) -> str:
    """Where the verb stands last, *let* may too: `x = "a" vai`."""
    found = pieces(text)
    for start in range(max(1, len(found) - 2), len(found)):
        if control.whole(found[start:], "LET"):
            return text[: found[start].start].strip()
    return text
