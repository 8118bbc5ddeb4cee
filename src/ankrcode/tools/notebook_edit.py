"""Change one cell of a Jupyter notebook."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from ankrcode.errors import ErrorCode, ToolError
from ankrcode.protocol.acts import Acts, file, state
from ankrcode.protocol.approval import Preview
from ankrcode.protocol.modifier import FileRead
from ankrcode.protocol.permission import Permission
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.context import ToolContext
from ankrcode.tooling.schema import ToolInput
from ankrcode.tooling.supervise import in_thread
from ankrcode.tooling.tool import Tool
from ankrcode.words import say
from ankrcode.workspace.diffs import diff
from ankrcode.workspace.documents.notebook_edits import with_new_cell, with_source, without_cell
from ankrcode.workspace.documents.notebook_rules import check_rules
from ankrcode.workspace.documents.notebooks import (
    MAX_BYTES,
    Code,
    Notebook,
    joined,
    kind_of,
    parse_notebook,
)
from ankrcode.workspace.files import read_whole
from ankrcode.workspace.reads import FileVersion, version_of_bytes
from ankrcode.workspace.text import Text, decode


class NotebookEditInput(ToolInput):
    notebook_path: Annotated[str, Meta(description="The notebook to change", min_length=1)]
    cell_id: (
        Annotated[str, Meta(description="The cell, by the id that Read shows", min_length=1)]
        | UnsetType
    ) = UNSET
    cell_number: (
        Annotated[int, Meta(description="The cell, by its number, counted from 0", ge=0)]
        | UnsetType
    ) = UNSET
    new_source: Annotated[str, Meta(description="The whole new source of the cell")] = ""
    cell_type: (
        Annotated[
            Literal["code", "markdown"],
            Meta(description="The type of the cell; needed only to insert or to change it"),
        ]
        | UnsetType
    ) = UNSET
    edit_mode: Annotated[
        Literal["replace", "insert", "delete"],
        Meta(description="Replace the source, insert a new cell after this one, or delete it"),
    ] = "replace"

    def __post_init__(self) -> None:
        given = (self.cell_id is not UNSET) + (self.cell_number is not UNSET)
        if given > 1:
            raise ValueError(say("cell_one_of"))
        if not given and self.edit_mode != "insert":
            raise ValueError(say("cell_needed"))


class NotebookEditOutput(Struct, frozen=True, kw_only=True):
    notebook_path: str
    edit_mode: str
    cell_number: int
    cell_id: str
    cells: int
    diff: str


class Plan(Struct, frozen=True, kw_only=True):
    """The notebook before and after, worked out before anything is touched."""

    path: str
    text: Text
    version: FileVersion
    number: int  # of the cell that is changed, new or gone
    before: Notebook
    after: Notebook
    content: str

    @property
    def diff(self) -> str:
        """Of the sources alone: that is what a person can judge."""
        old, new = self._source(self.before), self._source(self.after)
        if len(self.before.cells) < len(self.after.cells):
            old = ""
        elif len(self.before.cells) > len(self.after.cells):
            new = ""
        return diff(old, new, f"{self.path}, cell {self.number}")

    def _source(self, notebook: Notebook) -> str:
        cells = notebook.cells
        return joined(cells[self.number].source) if self.number < len(cells) else ""

    @property
    def id(self) -> str:
        notebook = self.before if len(self.before.cells) > len(self.after.cells) else self.after
        return notebook.cells[self.number].id


class NotebookEdit(Tool[NotebookEditInput]):
    name = "NotebookEdit"
    summary = "Replace, insert or delete one cell of a Jupyter notebook that was read."
    permission = Permission.WRITE
    category = "files"
    output = NotebookEditOutput

    def acts(self, args: NotebookEditInput, ctx: ToolContext) -> Acts:
        path = file(ctx.workspace.resolve(args.notebook_path))
        return Acts(reads=(path, state("cwd")), writes=(path,))

    def subject(self, args: NotebookEditInput) -> str:
        return args.notebook_path

    def preview(self, args: NotebookEditInput, ctx: ToolContext) -> Preview:
        """The diff. An edit that cannot be made is refused here, before anyone is asked."""
        path = ctx.workspace.resolve(args.notebook_path)
        try:
            body = planned(args, ctx).diff
        except ToolError as problem:
            if ctx.workspace.contains(path):
                raise
            body = str(problem)  # for the person: the model must not learn about it unasked
        return Preview(title=f"NotebookEdit {path}", body=body, format="diff")

    async def validate(self, args: NotebookEditInput, ctx: ToolContext) -> None:
        await in_thread(ctx, planned, args, ctx)

    async def run(self, args: NotebookEditInput, ctx: ToolContext) -> ToolResult:
        plan, content, version = await in_thread(ctx, done, args, ctx)
        ctx.reads.keep(version, content)
        return result_of(plan, args.edit_mode, version, ctx)


def planned(args: NotebookEditInput, ctx: ToolContext) -> Plan:
    path = ctx.workspace.resolve(args.notebook_path)
    record = ctx.reads.check_current(path)
    content, status = read_whole(path, MAX_BYTES)
    text = decode(content, path)
    before = parse_notebook(text.content, path)
    check_rules(text.content, path)
    number = number_of(args, before, path)
    if number is not None and not record.is_whole:
        _check_shown(number, record.offset or 1, record.limit or 0, path)
    changed, place = applied(args, text.content, before, number, ctx)
    return Plan(
        path=path,
        text=text,
        version=version_of_bytes(status, content),
        number=place,
        before=before,
        after=parse_notebook(changed, path),
        content=changed,
    )


def number_of(args: NotebookEditInput, notebook: Notebook, path: str) -> int | None:
    """The number of the cell that is named; None if none is."""
    if isinstance(args.cell_id, str):
        found = [number for number, cell in enumerate(notebook.cells) if cell.id == args.cell_id]
        if len(found) != 1:
            key = "cell_id_twice" if found else "cell_id_unknown"
            error = ToolError.of(key, path=path, id=args.cell_id[:100])
            raise error.coded(ErrorCode.INVALID_INPUT, path=path, cell_id=args.cell_id[:100])
        return found[0]
    if isinstance(args.cell_number, int):
        total = len(notebook.cells)
        if args.cell_number >= total:
            error = ToolError.of(
                "cell_number_unknown", path=path, total=total, number=args.cell_number
            )
            raise error.coded(ErrorCode.INVALID_INPUT, path=path, cells=total)
        return args.cell_number
    return None


def _check_shown(number: int, offset: int, limit: int, path: str) -> None:
    """Read counts cells from 1, as it counts lines; the cells themselves count from 0."""
    first = offset - 1
    if not first <= number < first + limit:
        error = ToolError.of(
            "cell_unseen",
            path=path,
            number=number,
            first=first,
            last=first + limit - 1,
            offset=number + 1,
        )
        raise error.coded(ErrorCode.NOT_READ, path=path, cell_number=number)


def applied(
    args: NotebookEditInput, text: str, before: Notebook, number: int | None, ctx: ToolContext
) -> tuple[str, int]:
    """The changed text, and the number of the cell that is changed, new or gone."""
    if args.edit_mode == "insert":
        cell_id = new_id(before, ctx) if before.has_ids else ""
        place = 0 if number is None else number + 1
        return with_new_cell(
            text, number, args.new_source, args.cell_type or "code", cell_id
        ), place
    assert number is not None
    if args.edit_mode == "delete":
        return without_cell(text, number), number
    cell = before.cells[number]
    kind = args.cell_type or kind_of(cell)
    if kind == kind_of(cell) and joined(cell.source) == args.new_source:
        return text, number
    return with_source(text, number, args.new_source, kind), number


def new_id(notebook: Notebook, ctx: ToolContext) -> str:
    taken = {cell.id for cell in notebook.cells}
    while True:
        made = ctx.new_id("cell")[:64]
        if made not in taken:
            return made


def done(args: NotebookEditInput, ctx: ToolContext) -> tuple[Plan, bytes, FileVersion]:
    plan = planned(args, ctx)
    content = plan.text.encode(plan.content, plan.path)
    ctx.cancel.check()
    if plan.content == plan.text.content:
        return plan, content, plan.version
    return plan, content, ctx.files.write(plan.path, content, expected=plan.version)


def result_of(plan: Plan, mode: str, version: FileVersion, ctx: ToolContext) -> ToolResult:
    value = NotebookEditOutput(
        notebook_path=plan.path,
        edit_mode=mode,
        cell_number=plan.number,
        cell_id=plan.id,
        cells=len(plan.after.cells),
        diff=plan.diff,
    )
    text = say(said(plan, mode), number=plan.number, path=plan.path)
    offset, limit = shown_after(plan, ctx)
    read = FileRead(
        path=plan.path,
        size=version.size,
        mtime_ns=version.mtime_ns,
        digest=version.digest,
        offset=offset,
        limit=limit,
    )
    return ToolResult(
        title=f"NotebookEdit {plan.path}",
        value=value,
        text=f"{text}\n{value.diff}".rstrip(),
        metadata={"cell_number": value.cell_number, "cells": value.cells},
        modifiers=(read,),
    )


def said(plan: Plan, mode: str) -> str:
    if plan.content == plan.text.content:
        return "cell_unchanged"
    if mode != "replace":
        return "cell_inserted" if mode == "insert" else "cell_deleted"
    cell = plan.before.cells[plan.number]
    return "cell_edited.cleared" if isinstance(cell, Code) and cell.outputs else "cell_edited"


def shown_after(plan: Plan, ctx: ToolContext) -> tuple[int | None, int | None]:
    """Which cells the reader knows now: those known before, one more or one fewer."""
    record = ctx.reads.get(plan.path)
    if record is None or record.offset is None:
        return None, None
    grown = len(plan.after.cells) - len(plan.before.cells)
    if plan.number < record.offset - 1:
        return record.offset + grown, record.limit
    return record.offset, (record.limit or 0) + grown
