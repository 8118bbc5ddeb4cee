"""The few lines before a text that say what it is, as people write them in Markdown files.

A small part of YAML, read by hand: `key: value`, lists in brackets, with commas or one to a line,
quotes, and text over several lines. What is not understood is an error, never a guess.
"""

import re

from msgspec import Struct

_FENCE = "---"
_KEY = re.compile(r"([A-Za-z_][\w-]*):(?:[ \t]+(.*))?\Z")
_BLOCK = ("|", ">", "|-", ">-", "|+", ">+")


class FrontMatter(Struct, frozen=True):
    values: dict[str, str | tuple[str, ...]]

    def text(self, key: str) -> str:
        value = self.values.get(key, "")
        return value if isinstance(value, str) else ", ".join(value)

    def items(self, key: str) -> tuple[str, ...]:
        """A list, however it was written."""
        value = self.values.get(key, ())
        if not isinstance(value, str):
            return value
        return tuple(filter(None, (_unquoted(one) for one in _parts(value))))


def split(text: str) -> tuple[FrontMatter, str]:
    """What stands before the text, and the text. Raises `ValueError` with what is wrong."""
    lines = text.removeprefix("\ufeff").splitlines()
    if not lines or lines[0].rstrip() != _FENCE:
        raise ValueError(f"its first line is not {_FENCE}")
    end = next((at for at, line in enumerate(lines[1:], 1) if line.rstrip() == _FENCE), None)
    if end is None:
        raise ValueError(f"a second line {_FENCE} is missing")
    return FrontMatter(_values(lines[1:end])), "\n".join(lines[end + 1 :]).strip()


def _values(lines: list[str]) -> dict[str, str | tuple[str, ...]]:
    values: dict[str, str | tuple[str, ...]] = {}
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        found = _KEY.match(line.rstrip())
        if found is None:
            raise ValueError(f"'{line.strip()[:60]}' is not 'key: value'")
        below = _below(lines, at)
        at += len(below)
        values[found[1]] = _value((found[2] or "").strip(), below)
    return values


def _below(lines: list[str], at: int) -> list[str]:
    """The lines that belong to a key: those that are indented, items or the end of a list."""
    below: list[str] = []
    for line in lines[at:]:
        if line.strip() and not line.startswith((" ", "\t", "- ", "]")):
            break
        below.append(line)
    return below


def _value(given: str, below: list[str]) -> str | tuple[str, ...]:
    said = [line.strip() for line in below]
    if given in _BLOCK:
        return ("\n" if given[0] == "|" else " ").join(said).strip()
    items = [line[2:] for line in said if line.startswith("- ")]
    if not given and items:
        return tuple(_unquoted(_uncommented(item)) for item in items)
    if given.startswith("["):
        whole = " ".join([given, *said])
        if not whole.endswith("]"):
            raise ValueError(f"'{given[:60]}' has no closing bracket")
        return tuple(filter(None, (_unquoted(one) for one in _parts(whole[1:-1]))))
    return _unquoted(" ".join(filter(None, [_uncommented(given), *said])))


def _uncommented(text: str) -> str:
    if text.startswith(("'", '"')):
        return text
    return re.split(r"\s#", text, maxsplit=1)[0].rstrip()


def _parts(text: str) -> list[str]:
    """At commas, but not at those in brackets: `Bash(git add, git commit)` is one."""
    parts, depth = [""], 0
    for character in text:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def _unquoted(text: str) -> str:
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        quote, inside = text[0], text[1:-1]
        return inside.replace("''", "'") if quote == "'" else inside.replace('\\"', '"')
    return text
