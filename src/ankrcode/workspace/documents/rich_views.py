"""What a reader is shown of a PDF and of a notebook."""

import base64
import binascii

from ankrcode.errors import ErrorCode, ToolError
from ankrcode.protocol.result import Attachment
from ankrcode.words import say
from ankrcode.workspace.documents.filetypes import shown_type
from ankrcode.workspace.documents.images import picture_of
from ankrcode.workspace.documents.notebooks import (
    MAX_BYTES,
    Cell,
    Code,
    Notebook,
    Shown,
    joined,
    kind_of,
    parse_notebook,
    shown_outputs,
)
from ankrcode.workspace.documents.opened import OpenedFile
from ankrcode.workspace.documents.pdfs import MAX_PAGES, Page, Pages, read_pages
from ankrcode.workspace.documents.tokens import estimate_tokens
from ankrcode.workspace.documents.views import (
    NOTES_CHARS,
    Room,
    View,
    Wish,
    attached,
    cut,
    fitting,
    text_view,
)
from ankrcode.workspace.text import decode

OUTPUT_CHARS = 4_000  # of one output of a cell


# ── PDF ───────────────────────────────────────────────────────────────────────────────────────
def pdf_view(file: OpenedFile, wish: Wish, room: Room) -> View:
    found = read_pages(
        file.handle, file.path, wish.ranges, draw_all=wish.draw_all, check=wish.check
    )
    pictures = [page for page in found.pages if page.picture][: max(0, room.pictures)]
    shown = {page.number for page in pictures}
    lines = [_head(file, found)]
    for page in found.pages:
        lines += _page_lines(page, is_attached=page.number in shown)
    text = "\n".join([*lines, *(f"[{note}]" for note in _page_remarks(found))])
    tokens = estimate_tokens(text)
    if tokens > room.tokens:
        limit = max(0, room.tokens)
        error = ToolError.of("read_too_much.pages", path=file.path, tokens=tokens, limit=limit)
        raise error.coded(ErrorCode.TOO_LARGE, path=file.path, tokens=tokens, limit=limit)
    rows = text.split("\n")
    count = fitting(rows, room.chars)
    return View(
        kind="pdf",
        text="\n".join(rows[:count]),
        content=text,
        encoding="pdf",
        is_cut=count < len(rows),
        tokens=tokens,
        attachments=tuple(
            attached(page.picture, page.mime, f"page {page.number}") for page in pictures
        ),
    )


def _head(file: OpenedFile, found: Pages) -> str:
    shown = ", ".join(str(page.number) for page in found.pages)
    return say("pdf_shown", path=file.path, total=found.total, shown=shown)


def _page_lines(page: Page, *, is_attached: bool) -> list[str]:
    lines = [f"--- page {page.number} ---"]
    if page.text.strip():
        lines.append(page.text.rstrip())
    if is_attached:
        lines.append("[picture attached]")
    if page.fault:
        lines.append(f"[{page.fault}]")
    return lines


def _page_remarks(found: Pages) -> list[str]:
    remarks = []
    if found.missing:
        pages = ", ".join(map(str, found.missing))
        remarks.append(say("pdf_missing", pages=pages, why=found.why))
    last = max(page.number for page in found.pages)
    if last < found.total and not found.missing:
        after = f"{last + 1}-{min(found.total, last + MAX_PAGES)}"
        remarks.append(say("pdf_more", after=after))
    return remarks


# ── notebook ──────────────────────────────────────────────────────────────────────────────────
def notebook_view(file: OpenedFile, wish: Wish, room: Room) -> View:
    content = file.whole(MAX_BYTES)
    if not content:
        return text_view(file, wish, room)
    text = decode(content, file.path)
    try:
        notebook = parse_notebook(text.content, file.path)
    except ToolError as problem:
        why = problem.values["why"]
        return text_view(file, wish, room, say("notebook_as_text", why=why))
    first = max(1, wish.offset) - 1
    last = first + wish.limit if wish.limit else len(notebook.cells)
    pictures: list[Attachment] = []
    blocks = [
        _cell_text(number, cell, wish, room, pictures)
        for number, cell in enumerate(notebook.cells[first:last], first)
    ]
    tokens = estimate_tokens("\n".join(blocks))
    if tokens > room.tokens:
        raise _too_many_cells(file, first, len(blocks), tokens, room)
    count = fitting(blocks, room.chars - NOTES_CHARS)
    shown = "\n".join([_title(file, notebook), *blocks[:count]])
    if count < len(notebook.cells) - first or first:
        total, end = len(notebook.cells), first + count
        more = say("notebook_more", first=first, last=end - 1, total=total, after=end + 1)
        shown += f"\n[{more}]"
    is_whole = not first and count == len(notebook.cells)
    return View(
        kind="notebook",
        text=shown,
        content=shown,
        encoding=text.encoding,
        first_line=first + 1,
        lines=count,
        total_lines=len(notebook.cells),
        is_cut=count < len(blocks),
        tokens=tokens,
        attachments=tuple(pictures),
        version=file.version(),
        shown=None if is_whole else (first + 1, count),
        kept=content,
    )


def _title(file: OpenedFile, notebook: Notebook) -> str:
    language = notebook.language or "no language named"
    total = len(notebook.cells)
    return say("notebook_shown", path=file.path, total=total, written_in=language)


def _too_many_cells(file: OpenedFile, first: int, count: int, tokens: int, room: Room) -> ToolError:
    limit, last = max(0, room.tokens), first + count - 1
    error = ToolError.of(
        "read_too_much.cells", path=file.path, first=first, last=last, tokens=tokens, limit=limit
    )
    return error.coded(ErrorCode.TOO_LARGE, path=file.path, tokens=tokens, limit=limit)


def _cell_text(number: int, cell: Cell, wish: Wish, room: Room, pictures: list[Attachment]) -> str:
    facts = [kind_of(cell)]
    if cell.id:
        facts.append(f"id {cell.id}")
    if isinstance(cell, Code) and cell.execution_count is not None:
        facts.append(f"run {cell.execution_count}")
    source = joined(cell.source).removesuffix("\n")
    lines = [f"--- cell {number} ({', '.join(facts)}) ---"]
    lines += [cut(line, wish.line_chars, wish.border) for line in source.split("\n")]
    for output in shown_outputs(cell):
        lines += _output_lines(number, output, wish, room, pictures)
    return "\n".join(lines)


def _output_lines(
    number: int, output: Shown, wish: Wish, room: Room, pictures: list[Attachment]
) -> list[str]:
    head = f"--- output of cell {number}: {output.label[:100]} ---"
    if not output.picture:
        return [head, cut(output.text.rstrip("\n"), OUTPUT_CHARS, wish.border)]
    picture = _picture(output, f"cell {number}") if len(pictures) < room.pictures else None
    if picture is None:
        return [head, f"[{say('image_unsendable', label=output.label)}]"]
    pictures.append(picture)
    return [head, "[picture attached]"]


def _picture(output: Shown, name: str) -> Attachment | None:
    """What the notebook holds as a picture, if it truly is one."""
    try:
        data = base64.b64decode(output.picture, validate=True)
        kind = shown_type(data)
        if kind is None or not kind.is_image:
            return None
        picture = picture_of(data, kind, name)
    except (binascii.Error, ToolError):
        return None
    return attached(picture.data, picture.mime, name)
