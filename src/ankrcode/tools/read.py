"""Read a text file."""

import base64
from typing import Annotated, Literal

from msgspec import Meta, Struct

from ankrcode.config.limits import READ_DEFAULT_LINES, READ_MAX_BYTES, READ_MAX_LINE_CHARS
from ankrcode.errors import ErrorCode, ToolError
from ankrcode.protocol.acts import Acts, file, state
from ankrcode.protocol.modifier import FileRead
from ankrcode.protocol.permission import Permission
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.context import ToolContext
from ankrcode.tooling.schema import ToolInput
from ankrcode.tooling.supervise import in_thread
from ankrcode.tooling.tool import Tool
from ankrcode.words import say
from ankrcode.workspace.files import modified_time, read_whole
from ankrcode.workspace.reads import version_of_bytes


class ReadInput(ToolInput):
    file_path: Annotated[str, Meta(description="The file to read", min_length=1)]
    offset: Annotated[int, Meta(description="First line to show, counted from 1", ge=0)] = 1
    limit: Annotated[int, Meta(description="How many lines to show; 0 means all", ge=0)] = (
        READ_DEFAULT_LINES
    )
    encoding: Annotated[
        Literal["utf-8", "base64"], Meta(description="How the content is returned")
    ] = "utf-8"


class ReadOutput(Struct, frozen=True, kw_only=True):
    file_path: str
    content: str
    encoding: str
    size: int
    modified: str
    first_line: int
    lines: int
    total_lines: int


class Read(Tool[ReadInput]):
    name = "Read"
    summary = "Read a text file with numbered lines, whole or from a line on."
    permission = Permission.READ
    category = "files"
    max_result_chars = 100_000
    output = ReadOutput

    def acts(self, args: ReadInput, ctx: ToolContext) -> Acts:
        return Acts(reads=(file(ctx.workspace.resolve(args.file_path)), state("cwd")))

    def subject(self, args: ReadInput) -> str:
        return args.file_path

    async def run(self, args: ReadInput, ctx: ToolContext) -> ToolResult:
        path = ctx.workspace.resolve(args.file_path)
        content, status = await in_thread(ctx, read_whole, path, READ_MAX_BYTES)
        size, modified = len(content), modified_time(status)
        version = version_of_bytes(status, content)
        read = FileRead(
            path=path, size=version.size, mtime_ns=version.mtime_ns, digest=version.digest
        )
        if args.encoding == "base64":
            text = base64.b64encode(content).decode("ascii")
            shown, part = text, Part(text, 1, 0, 0)
        else:
            part = select(decoded(path, content), max(1, args.offset), args.limit)
            shown = numbered(part, path)
            if part.lines < part.total_lines:
                read = FileRead(
                    path=path,
                    size=version.size,
                    mtime_ns=version.mtime_ns,
                    digest=version.digest,
                    offset=part.first_line,
                    limit=part.lines,
                )
        value = ReadOutput(
            file_path=path,
            content=part.content,
            encoding=args.encoding,
            size=size,
            modified=modified,
            first_line=part.first_line,
            lines=part.lines,
            total_lines=part.total_lines,
        )
        return ToolResult(
            title=f"Read {path}",
            value=value,
            text=shown,
            metadata={"size": size, "modified": modified},
            modifiers=(read,),
        )


class Part(Struct, frozen=True):
    """The lines that were asked for."""

    content: str
    first_line: int
    lines: int
    total_lines: int


def decoded(path: str, content: bytes) -> str:
    """UTF-8 text, without its byte order mark; what is not text is named as such."""
    if b"\0" in content[:8192]:
        raise ToolError.of("not_text", path=path, encoding="utf-8").coded(
            ErrorCode.NOT_TEXT, path=path
        )
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        error = ToolError.of("bad_encoding", path=path, encoding="utf-8", offset=problem.start)
        raise error.coded(ErrorCode.NOT_TEXT, path=path, offset=problem.start) from None


def select(text: str, offset: int, limit: int) -> Part:
    """Lines end at \\n (or \\r\\n) only: other Unicode line marks are part of a line."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    chosen = lines[offset - 1 : offset - 1 + limit if limit else None]
    content = "\n".join(chosen)
    if chosen and offset - 1 + len(chosen) == len(lines) and text.endswith("\n"):
        content += "\n"
    return Part(content, offset, len(chosen), len(lines))


def numbered(part: Part, path: str) -> str:
    """As `cat -n` shows it; an empty answer says why it is empty."""
    if not part.total_lines:
        return say("file_empty", path=path)
    if not part.lines:
        return say("past_end", path=path, lines=part.total_lines, offset=part.first_line)
    lines = part.content.removesuffix("\n").split("\n")
    return "\n".join(
        f"{number:>6}\t{_cut(line.removesuffix(chr(13)))}"
        for number, line in enumerate(lines, part.first_line)
    )


def _cut(line: str) -> str:
    if len(line) <= READ_MAX_LINE_CHARS:
        return line
    return f"{line[:READ_MAX_LINE_CHARS]}… [{len(line) - READ_MAX_LINE_CHARS} more characters]"
