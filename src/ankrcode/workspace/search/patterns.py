"""Glob patterns: which paths they mean, where looking for them begins, what is wrong with them.

A pattern is split at its slashes: `**` stands for any number of folders, everything else for one
name. Braces are written out first, so the rest never sees one.
"""

import os
import re
from collections.abc import Iterator

from msgspec import Struct

MAX_ALTERNATIVES = 1_000
_MAGIC = re.compile(r"[*?\[\\]")
_ANY_FOLDERS = "**"


class PatternError(ValueError):
    """A pattern that means nothing: why, and at which character (counted from 0)."""

    def __init__(self, why: str, at: int = 0) -> None:
        super().__init__(why)
        self.why = why
        self.at = at


class GlobPlan(Struct, frozen=True, kw_only=True):
    """Where to look, how deep, and which of the paths found there are meant."""

    folder: str  # real and absolute; nothing above it can match
    regex: re.Pattern[str]  # for whole paths relative to the folder
    named: tuple[str, ...]  # the folders that the pattern itself names on the way to `folder`
    endings: tuple[bytes, ...]  # every fitting path ends with one of these; () where unknown
    max_depth: int | None
    names_hidden: bool  # it spells out a name that begins with a dot
    is_plain: bool  # the endings alone decide, at any depth, about names that are not hidden


def plan_glob(pattern: str, folder: str, *, include_hidden: bool) -> GlobPlan:
    """What a pattern means in a real folder. Absolute patterns begin elsewhere."""
    routes = [_route(one, folder) for one in expand_braces(pattern)]
    base = os.path.commonpath([start for start, _ in routes])
    wholes = [[*map(_quoted, _between(base, start)), *rest] for start, rest in routes]
    depths = [None if _ANY_FOLDERS in parts else len(parts) for parts in wholes]
    return GlobPlan(
        folder=base,
        regex=re.compile(
            "|".join(parts_regex(parts, include_hidden=include_hidden) for parts in wholes)
        ),
        named=tuple(_between(folder, base)),
        endings=_endings([parts[-1] for parts in wholes]),
        max_depth=None if None in depths else max(depth or 0 for depth in depths),
        names_hidden=any(_is_hidden(part) for parts in wholes for part in parts),
        is_plain=all(_is_plain(parts) for parts in wholes),
    )


def _between(folder: str, below: str) -> list[str]:
    """The names that lead from a folder to one below it; none where it is not below."""
    inside = below.startswith(folder.rstrip("/") + "/")
    return os.path.relpath(below, folder).split("/") if inside else []


def _endings(names: list[str]) -> tuple[bytes, ...]:
    """The plain text at the end of each name: a cheap first look at very many paths."""
    endings = [re.split(r"[*?\[\]\\]", name)[-1] for name in names]
    return tuple({os.fsencode(one) for one in endings}) if all(endings) else ()


def _is_plain(parts: list[str]) -> bool:
    *folders, name = parts
    at_any_depth = folders == [_ANY_FOLDERS] and name[0] == "*" and not _MAGIC.search(name[1:])
    return at_any_depth or parts == [_ANY_FOLDERS]


def _is_hidden(part: str) -> bool:
    return part.removeprefix("\\").startswith(".")


def _route(text: str, folder: str) -> tuple[str, list[str]]:
    """The real folder that the literal beginning leads to, and the parts that are left."""
    if text.endswith("/"):
        raise PatternError("it names folders, and only files are listed", len(text) - 1)
    start = "/" if text.startswith("/") else folder
    if text == "~" or text.startswith("~/"):
        start, text = os.path.expanduser("~"), text[1:]  # noqa: PTH111
    parts = [part for part in text.split("/") if part not in ("", ".")]
    if not parts:
        raise PatternError("it names no file")
    literal = 0
    while literal < len(parts) - 1 and not _MAGIC.search(parts[literal]):
        literal += 1
    if ".." in parts[literal:]:
        raise PatternError("'..' may stand only before the first wildcard", text.rindex(".."))
    rest = _collapsed(parts[literal:])
    return os.path.realpath(os.path.join(start, *parts[:literal])), rest  # noqa: PTH118


def _collapsed(parts: list[str]) -> list[str]:
    """Two `**` in a row mean no more than one."""
    return [
        part
        for index, part in enumerate(parts)
        if part != _ANY_FOLDERS or index == 0 or parts[index - 1] != _ANY_FOLDERS
    ]


def _quoted(name: str) -> str:
    return re.sub(r"([*?\[\\])", r"\\\1", name)


# ── braces ────────────────────────────────────────────────────────────────────────────────────
def expand_braces(pattern: str) -> list[str]:
    """`a.{b,c{d,e}}` → a.b, a.cd, a.ce. Escaped braces and those in classes stay as they are."""
    found: list[str] = []
    for one in _expanded(pattern):
        found.append(one)
        if len(found) > MAX_ALTERNATIVES:
            raise PatternError(f"its braces stand for more than {MAX_ALTERNATIVES} patterns")
    return found


def _expanded(pattern: str) -> Iterator[str]:
    opened = _next_special(pattern, 0, "{}")
    if opened is None:
        yield pattern
        return
    if pattern[opened] == "}":
        raise PatternError("'}' closes no brace", opened)
    options, after = _options(pattern, opened)
    for option in options:
        for rest in _expanded(option + pattern[after:]):
            yield pattern[:opened] + rest


def _options(pattern: str, opened: int) -> tuple[list[str], int]:
    """The alternatives of the brace at `opened`, and where the text after it begins."""
    options, depth, begin, at = [], 0, opened + 1, opened
    while (found := _next_special(pattern, at + 1, "{,}")) is not None:
        at = found
        char = pattern[at]
        if char == "{":
            depth += 1
        elif depth == 0:
            options.append(pattern[begin:at])
            begin = at + 1
            if char == "}":
                return options, at + 1
        elif char == "}":
            depth -= 1
    raise PatternError("'{' is never closed", opened)


def _next_special(pattern: str, at: int, wanted: str) -> int | None:
    while at < len(pattern):
        char = pattern[at]
        if char in wanted:
            return at
        if char == "\\":
            at += 1
        elif char == "[":
            at = _class_end(pattern, at) - 1
        at += 1
    return None


# ── one name, many names ──────────────────────────────────────────────────────────────────────
def parts_regex(parts: list[str], *, include_hidden: bool = True) -> str:
    """A regular expression for whole relative paths. It never backtracks out of hand.

    Up to the next `**` the earliest fit is as good as any other, so it is taken for good: what
    follows the next `**` may lie as deep as it likes. Only a hidden name breaks that argument, as
    `**` does not go through it.
    """
    folder = r"[^/]+/" if include_hidden else r"(?!\.)[^/]+/"
    text, stretch, is_settled = "", "", False
    for index, part in enumerate(parts):
        is_last = index == len(parts) - 1
        if part == _ANY_FOLDERS:
            text += f"(?>{stretch})" if is_settled else stretch
            stretch, is_settled = f"(?:{folder})*?", True
            if is_last:
                stretch += folder[:-1]
        else:
            is_settled = is_settled and (include_hidden or not _is_hidden(part))
            stretch += _name_regex(part, include_hidden=include_hidden) + ("" if is_last else "/")
    return text + stretch


def _name_regex(part: str, *, include_hidden: bool) -> str:
    """One name. Each star but the last takes the earliest fit, and keeps to it."""
    guard = "" if include_hidden or part[0] not in "*?[" else r"(?!\.)"
    pieces = [""]
    for sign in _signs(part):
        if sign == "*":
            if len(pieces) == 1 or pieces[-1]:
                pieces.append("")
        else:
            pieces[-1] += sign
    first, *stars = pieces
    if not any(pieces) and stars:
        return guard + "[^/]+"  # a star alone: an empty name does not exist
    settled = "".join(f"(?>[^/]*?{piece})" for piece in stars[:-1])
    return guard + first + settled + (f"[^/]*{stars[-1]}" if stars else "")


def _signs(part: str) -> Iterator[str]:
    at = 0
    while at < len(part):
        char = part[at]
        if char == "[":
            end = _class_end(part, at)
            yield _class_regex(part[at + 1 : end - 1])
            at = end
            continue
        if char == "\\":
            at += 1
            if at == len(part):
                raise PatternError("it ends with a backslash that escapes nothing", at - 1)
            yield re.escape(part[at])
        elif char == "?":
            yield "[^/]"
        else:
            yield "*" if char == "*" else re.escape(char)
        at += 1


def _class_end(pattern: str, opened: int) -> int:
    """Where the text after the class begins; a `]` that comes first belongs to the class."""
    at = opened + 1
    if pattern[at : at + 1] in ("!", "^"):
        at += 1
    closed = pattern.find("]", at + 1)
    if closed < 0:
        raise PatternError("'[' is never closed", opened)
    return closed + 1


def _class_regex(inside: str) -> str:
    negation = inside[:1] in ("!", "^")
    chars = inside[1:] if negation else inside
    text, at = "", 0
    while at < len(chars):
        if chars[at + 1 : at + 2] == "-" and at + 2 < len(chars):
            low, high = chars[at], chars[at + 2]
            if low > high:
                raise PatternError(f"the range {low}-{high} runs backwards")
            text += f"{re.escape(low)}-{re.escape(high)}"
            at += 3
        else:
            text += re.escape(chars[at])
            at += 1
    return f"[^/{text}]" if negation else f"[{text}]"
