"""The replacement for a loosely matched place: only what was meant to change changes.

Lines that `old` and `new` share stay as the file has them, with their own endings, blanks, quotes
and indentation; the others take the file's ways as far as the strategy can tell them.
"""

from collections.abc import Callable
from difflib import SequenceMatcher

from ankrcode.workspace.editing.loose_lines import folded, raw_column, split

_MAX_COMPARED = 2_000  # characters of a line that are worth a comparison one by one

# (line of new, its counterpart in old, its counterpart in the file) → what to write
Adapt = Callable[[str, str | None, str], str | None]


def merged(raw: str, old: str, new: str, newline: str, adapt: Adapt) -> str | None:
    """What to put in place of `raw`, which matched `old`; None where it cannot be told."""
    if not raw.endswith("\n") and old.endswith("\n"):
        # The file's last line has no end; the replacement does not give it one.
        old, new = old[:-1], _without_end(new)
    have, endings = _pieces(raw)
    mine, theirs = split(old), split(new)
    pieces: list[str] = []
    ends: list[str] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes():
        paired = i2 - i1 == j2 - j1
        for place in range(j2 - j1):
            index = i1 + place
            if tag == "equal":
                written: str | None = have[index]
            elif paired:
                written = adapt(theirs[j1 + place], mine[index], have[index])
            else:
                written = adapt(theirs[j1 + place], None, "")
            if written is None:
                return None
            pieces.append(written)
            ends.append(endings[index] if paired and index < len(endings) else newline)
    return "".join(piece + end for piece, end in zip(pieces, [*ends[:-1], ""], strict=True))


def _without_end(text: str) -> str:
    return text.removesuffix("\n").removesuffix("\r")


def _pieces(raw: str) -> tuple[list[str], list[str]]:
    *ended, last = raw.split("\n")
    endings = ["\r\n" if line.endswith("\r") else "\n" for line in ended]
    return [*(line.removesuffix("\r") for line in ended), last], endings


def as_written(line: str, old: str | None, have: str) -> str | None:
    """The line as someone wrote it."""
    return line


def keeping_look(line: str, old: str | None, have: str) -> str | None:
    """The line as written, but what did not change in it as the file has it."""
    if old is None or len(old) + len(line) > _MAX_COMPARED or folded(have) != folded(old):
        return line
    parts: list[str] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, line, autojunk=False).get_opcodes():
        if tag == "equal":
            start = _counterpart(have, old, i1, is_end=False)
            end = _counterpart(have, old, i2, is_end=True)
            if start is None or end is None or start > end:
                return line
            parts.append(have[start:end])
        else:
            parts.append(line[j1:j2])
    return "".join(parts)


def _counterpart(have: str, old: str, column: int, *, is_end: bool) -> int | None:
    """The column in the file's line that stands where `column` stands in the line as written."""
    look = folded(f"{old[:column]}|")[:-1]
    if not folded(f"{old}|").startswith(look):
        return None
    if have.isascii():
        return len(look)
    return raw_column(have, folded, len(look), is_end=is_end)
