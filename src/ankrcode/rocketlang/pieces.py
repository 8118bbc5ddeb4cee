"""A line cut into words and signs; what stands in quotes stays one piece and is never looked at."""

import re
import unicodedata

from msgspec import Struct

# What opens a quotation, and all that may close it; the same as in `tokens`.
_CLOSERS = {
    '"': '"”“',
    "“": '”"“',
    "”": '”"“',
    "„": '“”"',
    "‘": "’'‘",
    "’": "’'",
    "'": "'’",
    "`": "`",
    "«": "»",
}
_APOSTROPHES = "'’"  # they open only where a word begins
_SIGNS = "|;:=।॥"
_LEFT_OUT = dict.fromkeys(map(ord, "\u200c\u200d\u093c"))  # joiners and nukta


class Piece(Struct, frozen=True):
    """A word, a quoted text with its quotes, or one of the signs; `plain` is how it is compared."""

    text: str
    start: int
    end: int
    is_quoted: bool = False

    @property
    def plain(self) -> str:
        return "" if self.is_quoted else plain(self.text)

    @property
    def is_sign(self) -> bool:
        return not self.is_quoted and self.text in _SIGNS


def plain(text: str) -> str:
    """How a word is compared: without case, joiners, nukta and the commas around it."""
    if text.isascii():
        return text.lower().strip(",")
    text = unicodedata.normalize("NFC", text.casefold()).translate(_LEFT_OUT)
    return text.replace("ँ", "ं").strip(",")


def pieces(line: str) -> list[Piece]:
    found: list[Piece] = []
    place = 0
    while place < len(line):
        if line[place].isspace():
            place += 1
            continue
        end = _end_of(line, place)
        is_quoted = _closing(line, place) == end
        found.append(Piece(line[place:end], place, end, is_quoted))
        place = end
    return found


def _end_of(line: str, start: int) -> int:
    """Where the piece that begins here ends."""
    if (closed := _closing(line, start)) > start:
        return closed
    if line[start] in _SIGNS:
        return start + 1
    place = start + 1
    while place < len(line) and not line[place].isspace():
        is_quote = line[place] in _CLOSERS and line[place] not in _APOSTROPHES
        if _is_cut(line, place) or (is_quote and _closing(line, place) > place):
            break
        place += 1
    return place


def _is_cut(line: str, place: int) -> bool:
    """Does a sign stand here, and not inside of an address, a time or a pattern?"""
    sign = line[place]
    if sign in ":=":
        return place + 1 == len(line) or line[place + 1].isspace()
    return sign in _SIGNS


def _closing(line: str, start: int) -> int:
    """Behind the closing quote of the text that opens here; `start` where none does."""
    closers = _CLOSERS.get(line[start], "")
    for end in range(start + 1, len(line) if closers else 0):
        if line[end] in closers and _closes(line, start, end):
            return end + 1
    return start


def _closes(line: str, start: int, end: int) -> bool:
    if line[end - 1] == "\\" and end - 1 > start and line[end] in line[end + 1 :]:
        return False
    following = line[end + 1 : end + 2]
    is_apostrophe = line[end] in _APOSTROPHES and following.isalnum() and following.isascii()
    return not is_apostrophe


def outside_quotes(line: str, pattern: str) -> list[re.Match[str]]:
    """Where a pattern is found in what is not quoted."""
    quoted = [(one.start, one.end) for one in pieces(line) if one.is_quoted]
    return [
        found
        for found in re.finditer(pattern, line)
        if not any(start <= found.start() < end for start, end in quoted)
    ]
