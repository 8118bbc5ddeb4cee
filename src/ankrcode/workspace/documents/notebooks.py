"""Jupyter notebooks, format 4: what is valid, and what a reader is shown of the cells."""

import json
import re
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Raw, Struct

from ankrcode.errors import ErrorCode, ToolError
from ankrcode.workspace.processes.text import plain

MAX_BYTES = 20 * 1024 * 1024
IDS_SINCE_MINOR = 5
_LENIENT_BYTES = 4 * 1024 * 1024  # what Python's own JSON takes apart without filling the memory
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")
_TEXTS = ("text/plain", "text/markdown", "text/latex", "image/svg+xml", "text/html")

Lines = str | list[str]
Object = dict[str, Raw]
Count = Annotated[int, Meta(ge=0)]


class Stream(Struct, tag_field="output_type", tag="stream"):
    name: str
    text: Lines


class Display(Struct, tag_field="output_type", tag="display_data"):
    data: Object
    metadata: Object


class Executed(Struct, tag_field="output_type", tag="execute_result"):
    data: Object
    metadata: Object
    execution_count: Count | None


class Failed(Struct, tag_field="output_type", tag="error"):
    ename: str
    evalue: str
    traceback: list[str]


class Code(Struct, tag_field="cell_type", tag="code"):
    metadata: Object
    source: Lines
    outputs: list[Stream | Display | Executed | Failed]
    execution_count: Count | None
    id: str = ""


class Markdown(Struct, tag_field="cell_type", tag="markdown"):
    metadata: Object
    source: Lines
    id: str = ""


class Plain(Struct, tag_field="cell_type", tag="raw"):
    metadata: Object
    source: Lines
    id: str = ""


Cell = Code | Markdown | Plain


class Notebook(Struct):
    """What every valid notebook has; what else is in it stays in the file, unread."""

    nbformat: Literal[4]
    nbformat_minor: Count
    metadata: Object
    cells: list[Cell]

    @property
    def has_ids(self) -> bool:
        return self.nbformat_minor >= IDS_SINCE_MINOR

    @property
    def language(self) -> str:
        for place, key in (("language_info", "name"), ("kernelspec", "language")):
            try:
                known = msgspec.json.decode(self.metadata.get(place, b"{}"), type=dict[str, Any])
            except msgspec.DecodeError:
                continue
            if isinstance(known.get(key), str):
                return str(known[key])
        return ""


def parse_notebook(text: str, path: str) -> Notebook:
    """The notebook, or a `ToolError` that says what is wrong with it."""
    try:
        notebook = _decoded(text)
    except (ValueError, RecursionError) as problem:  # msgspec's and json's errors are ValueErrors
        raise invalid_notebook(path, str(problem)[:300]) from None
    bad = [cell.id for cell in notebook.cells if cell.id and not _ID.fullmatch(cell.id)]
    if notebook.has_ids and bad:
        raise invalid_notebook(path, f"'{bad[0][:80]}' is not a cell id")
    return notebook


def invalid_notebook(path: str, why: str) -> ToolError:
    return ToolError.of("notebook_invalid", path=path, why=why).coded(ErrorCode.NOT_TEXT, path=path)


def _decoded(text: str) -> Notebook:
    try:
        return msgspec.json.decode(text, type=Notebook)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        if len(text) > _LENIENT_BYTES:
            raise
    # Not strict JSON; plots are saved with NaN in them, and Jupyter takes that.
    plain = msgspec.json.encode(json.loads(text))
    return msgspec.json.decode(plain, type=Notebook)


def joined(lines: Lines) -> str:
    return lines if isinstance(lines, str) else "".join(lines)


def kind_of(cell: Cell) -> str:
    return {Code: "code", Markdown: "markdown"}.get(type(cell), "raw")


# ── what is shown ─────────────────────────────────────────────────────────────────────────────
class Shown(Struct, frozen=True, kw_only=True):
    """One output: text, or a picture as the notebook holds it (base64)."""

    label: str
    text: str = ""
    picture: str = ""


def shown_outputs(cell: Cell) -> list[Shown]:
    return [_shown(output) for output in cell.outputs] if isinstance(cell, Code) else []


def _shown(output: Stream | Display | Executed | Failed) -> Shown:
    match output:
        case Stream():
            return Shown(label=output.name, text=plain(joined(output.text)))
        case Failed():
            trace = plain("\n".join(output.traceback))
            last = f"{output.ename}: {output.evalue}"
            return Shown(label="error", text=trace if output.ename in trace else f"{trace}\n{last}")
        case Display() | Executed():
            return _richest(output.data)


def _richest(data: Object) -> Shown:
    """A picture if there is one, else the plainest text."""
    for mime in _PICTURES:
        if mime in data:
            return Shown(label=mime, picture="".join(_text_of(data[mime]).split()))
    for mime in (*_TEXTS, *sorted(data)):
        if mime in data:
            text = _text_of(data[mime])
            return Shown(label=mime, text=plain(text))
    return Shown(label="nothing")


def _text_of(value: Raw) -> str:
    """Text in one piece or in lines; anything else as the JSON it is."""
    try:
        return joined(msgspec.json.decode(value, type=Lines))
    except msgspec.DecodeError:
        return bytes(value).decode("utf-8", "replace")
