"""Changes of one cell that leave every other byte of the notebook as it was.

The file is never written anew from its data: the text is cut exactly where the cell stands, and
what is put there follows the style of the file (indentation, line ends, escapes, separators).
"""

import json
import re
from typing import Any

from msgspec import Struct

_BLANKS = re.compile(r"[ \t\r\n]*")
_SCAN = json.JSONDecoder().raw_decode
_ESCAPED = re.compile(r"\\u(?!00[01])[0-9a-fA-F]{4}")


class Span(Struct, frozen=True):
    """Where a value stands in the text; `key` if it belongs to an object."""

    start: int
    end: int
    key: str = ""


class Style(Struct, frozen=True, kw_only=True):
    """How the file is written."""

    indent: str | None = None  # None: all on one line
    newline: str = "\n"
    comma: str = ","
    colon: str = ": "
    is_ascii: bool = False

    def written(self, value: Any, depth: int) -> str:
        """The JSON of a value that stands so deep in the notebook."""
        text = json.dumps(
            value,
            indent=self.indent,
            ensure_ascii=self.is_ascii,
            separators=("," if self.indent is not None else self.comma, self.colon),
        )
        return text.replace("\n", self.line(depth))  # in strings, line ends are escaped

    def line(self, depth: int) -> str:
        """What separates two values besides the comma."""
        return "" if self.indent is None else self.newline + self.indent * depth

    def between(self, depth: int) -> str:
        return self.comma if self.indent is None else "," + self.line(depth)


def style_of(text: str) -> Style:
    is_ascii = text.isascii() and bool(_ESCAPED.search(text))
    first = re.match(r'\s*\{(\r?\n)([ \t]*)"', text)
    colon = '": ' if re.search(r'"nbformat": ', text) else '":'
    if first:
        return Style(indent=first[2], newline=first[1], colon=colon[1:], is_ascii=is_ascii)
    comma = ", " if colon == '": ' else ","
    return Style(comma=comma, colon=colon[1:], is_ascii=is_ascii)


def cells_span(text: str) -> Span:
    """The array of cells. Of a key that stands there twice, the last counts, as for Jupyter."""
    return [span for span in _members(text, _skip(text, 0)) if span.key == "cells"][-1]


def cell_spans(text: str) -> list[Span]:
    at = _skip(text, cells_span(text).start + 1)
    spans: list[Span] = []
    while text[at] != "]":
        end = _SCAN(text, at)[1]
        spans.append(Span(at, end))
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return spans


def _members(text: str, at: int) -> list[Span]:
    """The members of the object that begins here."""
    members: list[Span] = []
    at = _skip(text, at + 1)
    while text[at] != "}":
        key, end = _SCAN(text, at)
        at = _skip(text, _skip(text, end) + 1)  # over the colon
        end = _SCAN(text, at)[1]
        members.append(Span(at, end, key))
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return members


def _skip(text: str, at: int) -> int:
    found = _BLANKS.match(text, at)
    assert found is not None
    return found.end()


# ── the changes ───────────────────────────────────────────────────────────────────────────────
def with_source(text: str, number: int, source: str, kind: str) -> str:
    """The cell with another source (and type); a code cell loses its outputs, they are stale."""
    span = cell_spans(text)[number]
    cell = _SCAN(text, span.start)[0]
    style = style_of(text)
    fields: dict[str, Any] = {"source": _like(cell["source"], source)}
    if kind == "code":
        fields |= {"outputs": [], "execution_count": None}
    if kind != cell["cell_type"]:
        kept = {key: value for key, value in cell.items() if key not in _OF_ONE_TYPE}
        whole = dict(sorted({**kept, **fields, "cell_type": kind}.items()))
        return text[: span.start] + style.written(whole, 2) + text[span.end :]
    for member in reversed(_members(text, span.start)):
        if member.key in fields:
            value = style.written(fields[member.key], 3)
            text = text[: member.start] + value + text[member.end :]
    return text


_OF_ONE_TYPE = ("outputs", "execution_count", "attachments")


def with_new_cell(text: str, after: int | None, source: str, kind: str, cell_id: str) -> str:
    """A new cell behind the one with this number; None: before all others."""
    spans, style = cell_spans(text), style_of(text)
    pattern = _SCAN(text, spans[0].start)[0]["source"] if spans else []
    cell: dict[str, Any] = {"cell_type": kind}
    if kind == "code":
        cell["execution_count"] = None
    if cell_id:
        cell["id"] = cell_id
    cell["metadata"] = {}
    if kind == "code":
        cell["outputs"] = []
    cell["source"] = _like(pattern, source)
    written = style.written(cell, 2)
    if not spans:
        array = cells_span(text)
        inner = f"[{style.line(2)}{written}{style.line(1)}]"
        return text[: array.start] + inner + text[array.end :]
    if after is None:
        at = spans[0].start
        return text[:at] + written + style.between(2) + text[at:]
    at = spans[after].end
    return text[:at] + style.between(2) + written + text[at:]


def without_cell(text: str, number: int) -> str:
    spans = cell_spans(text)
    if len(spans) == 1:
        array = cells_span(text)
        return text[: array.start] + "[]" + text[array.end :]
    if number + 1 < len(spans):
        return text[: spans[number].start] + text[spans[number + 1].start :]
    return text[: spans[number - 1].end] + text[spans[number].end :]


def _like(pattern: Any, source: str) -> str | list[str]:
    """One text or a list of lines, as the pattern is."""
    if isinstance(pattern, str):
        return source
    lines = source.split("\n")
    return [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
