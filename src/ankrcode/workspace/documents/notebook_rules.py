"""What the notebook format asks beyond the shape that a reader needs, as its reference checks it.

Reading is generous: whatever has cells is shown. Who changes a notebook must leave a valid one, so
an edit begins with nothing less.
"""

import json
import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from ankrcode.workspace.documents.notebooks import IDS_SINCE_MINOR, Lines, invalid_notebook

_TEXT_CELL = frozenset(("attachments", "cell_type", "metadata", "source"))
_FIELDS = {
    "notebook": frozenset(("cells", "metadata", "nbformat", "nbformat_minor")),
    "code": frozenset(("cell_type", "execution_count", "metadata", "outputs", "source")),
    "markdown": _TEXT_CELL,
    "raw": _TEXT_CELL,
    "stream": frozenset(("name", "output_type", "text")),
    "display_data": frozenset(("data", "metadata", "output_type")),
    "execute_result": frozenset(("data", "execution_count", "metadata", "output_type")),
    "error": frozenset(("ename", "evalue", "output_type", "traceback")),
}
_HOLDS_JSON = re.compile(r"application/(.*\+)?json")

Object = dict[str, Any]


class Kernel(Struct):
    name: str
    display_name: str


class Language(Struct):
    name: str
    codemirror_mode: str | Object = ""
    file_extension: str = ""
    mimetype: str = ""
    pygments_lexer: str = ""


class NotebookFacts(Struct):
    kernelspec: Kernel | UnsetType = UNSET
    language_info: Language | UnsetType = UNSET
    orig_nbformat: Annotated[int, Meta(ge=1)] = 4


class LaterFacts(NotebookFacts):  # than format 4.0
    title: str = ""
    authors: list[Any] = []


class CellFacts(Struct):
    name: Annotated[str, Meta(pattern=".")] | UnsetType = UNSET
    tags: list[Annotated[str, Meta(pattern=r"^[^,]+$")]] = []
    jupyter: Object = {}


class CodeFacts(CellFacts):
    collapsed: bool = False
    scrolled: bool | Literal["auto"] = False
    execution: dict[str, str] = {}


class RawFacts(CellFacts):
    format: str = ""


def check_rules(text: str, path: str) -> None:
    """A `ToolError` where the reference would find a fault; the shape is known to be right."""
    try:
        fault = next(_faults(json.loads(text)), "")
    except msgspec.ValidationError as problem:
        fault = str(problem)
    if fault:
        raise invalid_notebook(path, fault)


def _faults(notebook: Object) -> Iterator[str]:
    minor = notebook["nbformat_minor"]
    if minor > IDS_SINCE_MINOR:
        return  # a format of the future may have fields that nobody knows yet
    yield from _unknown(notebook, _FIELDS["notebook"], "the notebook")
    msgspec.convert(notebook["metadata"], LaterFacts if minor else NotebookFacts)
    for number, cell in enumerate(notebook["cells"]):
        known = _FIELDS[cell["cell_type"]] | ({"id"} if minor == IDS_SINCE_MINOR else set())
        yield from _unknown(cell, known, f"cell {number} in format 4.{minor}")
        yield from _cell_faults(cell, number)


def _unknown(found: Object, known: frozenset[str], where: str) -> Iterator[str]:
    for name in found.keys() - known:
        yield f"{where} has a field '{name[:80]}' that the format does not know"


def _cell_faults(cell: Object, number: int) -> Iterator[str]:
    kinds: dict[str, type[CellFacts]] = {"code": CodeFacts, "raw": RawFacts}
    facts = msgspec.convert(cell["metadata"], kinds.get(cell["cell_type"], CellFacts))
    if len(set(facts.tags)) < len(facts.tags):
        yield f"cell {number} has one tag twice"
    for bundle in msgspec.convert(cell.get("attachments", {}), dict[str, Object]).values():
        _check_bundle(bundle)
    for output in cell.get("outputs", ()):
        yield from _unknown(output, _FIELDS[output["output_type"]], f"an output of cell {number}")
        _check_bundle(output.get("data", {}))


def _check_bundle(bundle: Object) -> None:
    """Of what an output or an attachment holds, only JSON may be anything but text."""
    for mime, value in bundle.items():
        if not _HOLDS_JSON.fullmatch(mime):
            msgspec.convert(value, Lines)
