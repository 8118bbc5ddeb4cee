"""Read files: text, pictures, PDFs and notebooks."""

import os
import stat
from contextlib import suppress
from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from ankrcode.config.limits import (
    READ_DEFAULT_LINES,
    READ_MAX_CHARS,
    READ_MAX_FILES,
    READ_MAX_LINE_CHARS,
    READ_MAX_PICTURES,
)
from ankrcode.errors import ToolError
from ankrcode.protocol.acts import Acts, file, state
from ankrcode.protocol.modifier import FileRead
from ankrcode.protocol.permission import Permission
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.context import ToolContext
from ankrcode.tooling.graphemes import border_before
from ankrcode.tooling.schema import ToolInput
from ankrcode.tooling.supervise import in_thread
from ankrcode.tooling.tool import Tool
from ankrcode.words import say
from ankrcode.workspace.documents.filetypes import PDF, shown_type
from ankrcode.workspace.documents.opened import OpenedFile, opened
from ankrcode.workspace.documents.views import Room, View, Wish, base64_view, image_view, text_view

_Path = Annotated[str, Meta(min_length=1)]
_QUICK_BYTES = 32 * 1024
_TEXTS = (
    *(".py", ".js", ".ts", ".tsx", ".jsx", ".go", ".rs", ".java", ".kt", ".rb", ".php", ".cs"),
    *(".c", ".h", ".cc", ".cpp", ".hpp", ".swift", ".sh", ".sql", ".html", ".css", ".vue"),
    *(".md", ".rst", ".txt", ".toml", ".yaml", ".yml", ".json", ".cfg", ".ini", ".xml"),
)


class ReadInput(ToolInput):
    file_path: Annotated[str, Meta(description="The file to read", min_length=1)] | UnsetType = (
        UNSET
    )
    file_paths: (
        Annotated[
            list[_Path],
            Meta(
                description="More files, read in the same call",
                min_length=1,
                max_length=READ_MAX_FILES,
            ),
        ]
        | UnsetType
    ) = UNSET
    offset: Annotated[int, Meta(description="First line to show, counted from 1", ge=0)] = 1
    limit: Annotated[int, Meta(description="How many lines to show; 0 means all", ge=0)] = (
        READ_DEFAULT_LINES
    )
    pages: Annotated[
        str, Meta(description='Pages of a PDF, such as "1-5,8"; the first 10 if not given')
    ] = ""
    encoding: Annotated[
        Literal["utf-8", "base64"], Meta(description="How the content is returned")
    ] = "utf-8"
    visuals: Annotated[
        Literal["auto", "always"],
        Meta(description="Pictures of PDF pages: only of pages without text, or always"),
    ] = "auto"

    def __post_init__(self) -> None:
        if self.file_path is UNSET and self.file_paths is UNSET:
            raise ValueError(say("read_one_of"))
        if self.pages:
            from ankrcode.workspace.documents.pdfs import parse_ranges

            parse_ranges(self.pages)

    @property
    def paths(self) -> list[str]:
        first = [self.file_path] if isinstance(self.file_path, str) else []
        return first + (self.file_paths or [])


class FileOutput(Struct, frozen=True, kw_only=True):
    file_path: str
    kind: str = "text"
    content: str = ""
    encoding: str = ""
    size: int = 0
    modified: str = ""
    first_line: int = 1
    lines: int = 0
    total_lines: int | None = 0  # null: the end of a huge file was not reached
    is_cut: bool = False
    tokens: int = 0
    error: str = ""


class ReadOutput(FileOutput, frozen=True, kw_only=True):
    files_read: int = 1
    files: list[FileOutput] = []  # where several were asked for


class FileResult(Struct, frozen=True):
    """What came of one file."""

    value: FileOutput
    view: View
    read: FileRead | None


class Read(Tool[ReadInput]):
    name = "Read"
    summary = "Read files: numbered text, pictures, PDFs and notebooks, whole or in part."
    permission = Permission.READ
    category = "files"
    asked = ("file_path",)
    max_result_chars = READ_MAX_CHARS
    output = ReadOutput

    def acts(self, args: ReadInput, ctx: ToolContext) -> Acts:
        resources = [state("cwd")]
        for path in args.paths:
            # Of several, one that is no path is that file's own fault.
            with suppress(*([] if args.file_path else [ToolError])):
                resources.append(file(ctx.workspace.resolve(path)))
        return Acts(reads=tuple(resources))

    def subject(self, args: ReadInput) -> str:
        # In braces, so that a pattern for one path never covers a list.
        return args.file_path or f"{{{', '.join(args.paths)}}}"

    async def run(self, args: ReadInput, ctx: ToolContext) -> ToolResult:
        wish = wish_of(args, ctx)
        room = Room(
            tokens=ctx.settings.read.max_tokens, chars=READ_MAX_CHARS, pictures=READ_MAX_PICTURES
        )
        if args.file_path:
            if is_quick(args.file_path, ctx):
                one = read_one(args.file_path, args, wish, room, ctx)
            else:
                one = await in_thread(ctx, read_one, args.file_path, args, wish, room, ctx)
            remember(one, ctx)
            return result_of_one(one)
        results: list[FileResult | ToolError] = []
        for path in args.paths:
            try:
                results.append(await in_thread(ctx, read_one, path, args, wish, room, ctx))
            except ToolError as problem:
                results.append(problem)
        return result_of_several(args.paths, results, ctx)


def wish_of(args: ReadInput, ctx: ToolContext) -> Wish:
    ranges: list[tuple[int, int | None]] = []
    if args.pages:
        from ankrcode.workspace.documents.pdfs import parse_ranges

        ranges = parse_ranges(args.pages)
    return Wish(
        offset=args.offset,
        limit=args.limit,
        is_default=args.limit == READ_DEFAULT_LINES,
        line_chars=READ_MAX_LINE_CHARS,
        ranges=ranges,
        draw_all=args.visuals == "always",
        border=border_before,
        check=ctx.cancel.check,
    )


# ── one file ──────────────────────────────────────────────────────────────────────────────────
def is_quick(path: str, ctx: ToolContext) -> bool:
    """A small text is read at once: to wake a thread for it takes longer than to read it."""
    if not path.endswith(_TEXTS):
        return False
    try:
        status = os.stat(ctx.workspace.absolute(path))  # noqa: PTH116
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(status.st_mode) and status.st_size <= _QUICK_BYTES


def read_one(path: str, args: ReadInput, wish: Wish, room: Room, ctx: ToolContext) -> FileResult:
    path = ctx.workspace.resolve(path)
    with opened(path, ctx.cancel.check) as source:
        view = view_of(source, args, wish, room)
        room.take(view)
        value = FileOutput(
            file_path=path,
            kind=view.kind,
            content=view.content,
            encoding=view.encoding,
            size=source.size,
            modified=source.modified,
            first_line=view.first_line,
            lines=view.lines,
            total_lines=view.total_lines,
            is_cut=view.is_cut,
            tokens=view.tokens,
        )
    return FileResult(value, view, read_of(path, view))


def view_of(source: OpenedFile, args: ReadInput, wish: Wish, room: Room) -> View:
    """By what the file is, not by what its name says – but for notebooks, which are text."""
    if args.encoding == "base64":
        return base64_view(source, room)
    kind = shown_type(source.head)
    if kind is not None and kind.is_image:
        return image_view(source, kind, room)
    if kind is PDF:
        from ankrcode.workspace.documents.rich_views import pdf_view

        return pdf_view(source, wish, room)
    if source.path.lower().endswith(".ipynb"):
        from ankrcode.workspace.documents.rich_views import notebook_view

        return notebook_view(source, wish, room)
    return text_view(source, wish, room)


def read_of(path: str, view: View) -> FileRead | None:
    """What later edits may rely on."""
    version = view.version
    if version is None:
        return None
    offset, limit = view.shown or (None, None)
    return FileRead(
        path=path,
        size=version.size,
        mtime_ns=version.mtime_ns,
        digest=version.digest,
        offset=offset,
        limit=limit,
    )


def remember(one: FileResult, ctx: ToolContext) -> None:
    if one.view.kept and one.view.version is not None:
        ctx.reads.keep(one.view.version, one.view.kept)


# ── the result ────────────────────────────────────────────────────────────────────────────────
def result_of_one(one: FileResult) -> ToolResult:
    value = ReadOutput(**{name: getattr(one.value, name) for name in one.value.__struct_fields__})
    return ToolResult(
        title=f"Read {value.file_path}",
        value=value,
        text=one.view.text,
        metadata={"size": value.size, "modified": value.modified, "encoding": value.encoding},
        attachments=one.view.attachments,
        modifiers=(one.read,) if one.read else (),
    )


def result_of_several(
    paths: list[str], results: list[FileResult | ToolError], ctx: ToolContext
) -> ToolResult:
    done = [one for one in results if isinstance(one, FileResult)]
    if not done:
        raise _none_read(results)
    sections: list[str] = []
    files: list[FileOutput] = []
    for path, one in zip(paths, results, strict=True):
        if isinstance(one, FileResult):
            remember(one, ctx)
            files.append(one.value)
            sections.append(f"=== {_line(one.value.file_path)} ===\n{one.view.text}")
        else:
            files.append(FileOutput(file_path=path, error=str(one)))
            sections.append(f"=== {_line(path)} ===\n{one}")
    text = "\n\n".join(sections)
    return ToolResult(
        title=f"Read {len(done)} files",
        value=ReadOutput(
            file_path="", kind="several", content=text, files_read=len(done), files=files
        ),
        text=text,
        metadata={
            "files_read": len(done),
            "files": [
                {name: getattr(one.value, name) for name in ("file_path", "size", "modified")}
                for one in done
            ],
        },
        attachments=tuple(part for one in done for part in one.view.attachments),
        modifiers=tuple(one.read for one in done if one.read),
    )


def _none_read(results: list[FileResult | ToolError]) -> ToolError:
    problems = [one for one in results if isinstance(one, ToolError)]
    said = " ".join(str(one) for one in problems[:5])
    error = ToolError.of("read_none", count=len(problems), errors=said)
    return error.coded(problems[0].code, errors=[str(one) for one in problems[:20]])


def _line(path: str) -> str:
    """A path as one line, whatever its name holds."""
    return path if path.isprintable() else repr(path)[1:-1]
