"""Why an edit found no place: the closest block, and the cause down to the character."""

import unicodedata
from collections.abc import Iterator

from msgspec import Struct

from ankrcode.workspace.diffs import shortened
from ankrcode.workspace.editing.loose_lines import (
    BLANKS,
    MAX_SEARCHED_CHARS,
    Lines,
    folded,
    indent_of,
    split,
)
from ankrcode.workspace.editing.near import closest

_LIKE = 0.6
_MAX_LINES = 12
_MAX_CAUSES = 3
_MAX_CHARS = 200


class Report(Struct, frozen=True):
    """The closest block as lines `first` to `last`, how like it is, and what differs."""

    first: int = 0
    last: int = 0
    score: float = 0.0
    causes: list[str] = []
    shown: str = ""

    @property
    def has_block(self) -> bool:
        return bool(self.first)


def explain(lines: Lines, old: str, new: str) -> Report:
    """What stands in a text instead of `old`."""
    text = lines.text
    if len(text) > MAX_SEARCHED_CHARS:
        return Report(causes=["the file is too large to look for a place that is like it"])
    wanted = old.split("\n")
    causes = list(_of_the_whole(lines, old, new))
    near = closest(lines, split(old))
    if not near or near[0].score < _LIKE:
        return Report(causes=causes)
    lead = next(index for index, line in enumerate(wanted) if line.strip())
    first, count = near[0].first, near[0].count
    have = text.split("\n")[first : first + count]
    for cause in _of_lines(wanted[lead : lead + count], have, first + 1):
        if len(causes) < _MAX_CAUSES:
            causes.append(cause)
    shown = [
        f"{number:>6}\t{shortened(_visible(line.removesuffix(chr(13))), _MAX_CHARS)}"
        for number, line in enumerate(have[:_MAX_LINES], first + 1)
    ]
    if count > _MAX_LINES:
        shown.append(f"     … {count - _MAX_LINES} more lines")
    return Report(first + 1, first + count, near[0].score, causes, "\n".join(shown))


def _of_the_whole(lines: Lines, old: str, new: str) -> Iterator[str]:
    plain = new.strip()
    if len(plain) > 1 and plain in lines.text and old.strip() not in plain:
        number = lines.number_at(lines.text.index(plain))
        yield f"the new_string is already there, at line {number}: it may have been made before"
    unescaped = old.replace("\\n", "\n").replace("\\t", "\t").replace('\\"', '"')
    if unescaped != old and unescaped in lines.text:
        yield "the old_string holds backslash escapes where the file has the characters themselves"


def _of_lines(wanted: list[str], have: list[str], number: int) -> Iterator[str]:
    """What differs, line by line, the endings first if they are all that does."""
    pairs = list(zip(wanted, have, strict=False))
    ended = pairs[:-1]
    if ended and all(a.endswith("\r") != b.endswith("\r") for a, b in ended):
        theirs, mine = ("CRLF", "LF") if have[0].endswith("\r") else ("LF", "CRLF")
        yield f"the file has {theirs} line endings, old_string has {mine}"
    last = len(pairs) - 1
    for offset, (mine, theirs) in enumerate(pairs):
        one, other = mine.removesuffix("\r"), theirs.removesuffix("\r")
        base = 0
        if not offset and not one[:1].isspace():  # it may begin inside the line
            base = len(other) - len(other.lstrip(BLANKS))
        if not _fits(one, other, is_first=not offset, is_last=offset == last):
            for said in _differences(one, other[base:], base):
                yield f"line {number + offset}, {said}"


def _fits(one: str, other: str, *, is_first: bool, is_last: bool) -> bool:
    """Only the first line may begin, and only the last may end, inside a line of the file."""
    if is_first and is_last:
        return one in other
    if is_first:
        return other.endswith(one)
    return other.startswith(one) if is_last else one == other


def _differences(old: str, have: str, base: int) -> Iterator[str]:
    """Where a line differs; where its indent does, also where its text does."""
    yield _difference(old, have, base)
    if indent_of(old) != indent_of(have) and old.strip() and have.strip() != old.strip():
        indent = len(indent_of(have))
        yield _difference(old.lstrip(BLANKS), have.lstrip(BLANKS), base + indent)


def _difference(old: str, have: str, base: int) -> str:
    pairs = zip(old, have, strict=False)
    at = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(old), len(have)))
    mine, theirs = old[at:], have[at:]
    where = f"column {base + at + 1}: "
    if not mine.strip(BLANKS) and not theirs.strip(BLANKS):
        return where + _trailing(mine, theirs)
    kind = _kind(old, have, at)
    said = f"the file has {_named(theirs[:1])}, old_string has {_named(mine[:1])}"
    return f"{where}{said}{kind}"


def _trailing(mine: str, theirs: str) -> str:
    if theirs and mine:
        return f"the file ends the line with {theirs!r}, old_string with {mine!r} (trailing blanks)"
    if theirs:
        return f"the file has {len(theirs)} trailing blanks that old_string has not"
    return f"old_string has {len(mine)} trailing blanks that the file has not"


def _kind(old: str, have: str, at: int) -> str:
    """The family of a difference, where it has one."""
    pair = {old[at : at + 1], have[at : at + 1]}
    if pair == {" ", "\t"}:
        return " (tabs against spaces)"
    if old.strip() == have.strip():
        return " (indentation)"
    one, other = unicodedata.normalize("NFC", old), unicodedata.normalize("NFC", have)
    if one == other:
        return " (the same letters, composed differently)"
    if folded(old[at:]) == folded(have[at:]) or folded(old[at : at + 1]) == folded(
        have[at : at + 1]
    ):
        return " (they look alike)"
    if old[at : at + 1].lower() == have[at : at + 1].lower():
        return " (upper and lower case)"
    return ""


_NAMES = {"": "the end of the line", " ": "a space", "\t": "a tab", "\r": "a carriage return"}


def _named(char: str) -> str:
    if char in _NAMES:
        return _NAMES[char]
    if char.isascii() and char.isprintable():
        return f"'{char}'"
    name = unicodedata.name(char, "unnamed")
    hidden = " (invisible)" if unicodedata.category(char) == "Cf" else f" {char}"
    return f"U+{ord(char):04X} {name}{hidden if char.isprintable() or hidden[1] == '(' else ''}"


def _visible(line: str) -> str:
    """Control characters are shown, never sent to a terminal; tabs stay, they are the text."""
    if line.isprintable():
        return line
    return "".join(c if c.isprintable() or c == "\t" else repr(c)[1:-1] for c in line)
