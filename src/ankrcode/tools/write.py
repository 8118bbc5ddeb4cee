"""Write a whole file."""

import base64
import binascii
import os
from typing import Annotated, Literal

from msgspec import Meta, Struct

from ankrcode.config.limits import PREVIEW_MAX_BYTES, READ_MAX_BYTES
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
from ankrcode.workspace.files import check_is_ordinary, file_error, read_whole
from ankrcode.workspace.reads import FileVersion, version_of_bytes
from ankrcode.workspace.text import NEW_FILE, Text, decode, newline_of


class WriteInput(ToolInput):
    file_path: Annotated[str, Meta(description="The file to write", min_length=1)]
    content: Annotated[str, Meta(description="The whole content of the file")]
    encoding: Annotated[
        Literal["utf-8", "base64"], Meta(description="How the content is given: text, or bytes")
    ] = "utf-8"
    create_dirs: Annotated[bool, Meta(description="Make parent directories that are missing")] = (
        True
    )


class WriteOutput(Struct, frozen=True, kw_only=True):
    file_path: str
    size: int
    created: bool


class Write(Tool[WriteInput]):
    name = "Write"
    summary = "Write a whole file, new or instead of one that was read."
    permission = Permission.WRITE
    category = "files"
    output = WriteOutput

    def acts(self, args: WriteInput, ctx: ToolContext) -> Acts:
        path = ctx.workspace.resolve(args.file_path)
        return Acts(reads=(state("cwd"),), writes=(file(path),))

    def subject(self, args: WriteInput) -> str:
        return args.file_path

    def preview(self, args: WriteInput, ctx: ToolContext) -> Preview:
        path = ctx.workspace.resolve(args.file_path)
        if ctx.workspace.contains(path):  # beyond it, the model learns nothing unasked
            check(args, path, ctx)
        title = f"Write {path}"
        old = _content_for_preview(path)
        before = NEW_FILE if old is None else replaced_text(old, path)
        new = encoded(args, before, path)
        if old is None or args.encoding == "base64" or len(new) > PREVIEW_MAX_BYTES:
            return Preview(title=title, body=say("write_preview", path=path, size=len(new)))
        after = new[len(before.mark) :].decode(before.encoding)
        return Preview(title=title, body=diff(before.content, after, path), format="diff")

    async def validate(self, args: WriteInput, ctx: ToolContext) -> None:
        await in_thread(ctx, check, args, ctx.workspace.resolve(args.file_path), ctx)

    async def run(self, args: WriteInput, ctx: ToolContext) -> ToolResult:
        path = ctx.workspace.resolve(args.file_path)
        return await in_thread(ctx, written, args, path, ctx)


def check(args: WriteInput, path: str, ctx: ToolContext) -> None:
    """Nothing is overwritten that was not seen whole and as it is now."""
    try:
        status = os.stat(path)  # noqa: PTH116
    except (FileNotFoundError, NotADirectoryError):
        _check_parent(path, create_dirs=args.create_dirs)
        return
    except OSError as problem:
        raise file_error(path, problem, done="written") from None
    check_is_ordinary(path, status)
    ctx.reads.check_whole(path)


def written(args: WriteInput, path: str, ctx: ToolContext) -> ToolResult:
    record = ctx.reads.get(path)
    is_new = not os.path.lexists(path)
    if is_new or record is None:
        old, expected, before = b"", None, NEW_FILE
    else:
        old, status = read_whole(path, READ_MAX_BYTES)
        expected, before = version_of_bytes(status, old), replaced_text(old, path)
    new = encoded(args, before, path)
    ctx.cancel.check()
    if not is_new and new == old and expected is not None:
        version, done = expected, "unchanged"
    else:
        wanted = record.version if record is not None and not is_new else None
        version = ctx.files.write(path, new, expected=wanted, makes_folders=args.create_dirs)
        done = "created" if is_new else "overwritten"
    ctx.reads.keep(version, new)
    return told(args, path, done, (old, new), version)


def told(
    args: WriteInput, path: str, done: str, contents: tuple[bytes, bytes], version: FileVersion
) -> ToolResult:
    """What the model and the person learn of it; our own write counts as a read."""
    before, after = (count_lines(content) for content in contents)
    size = len(contents[1])
    counts = {"lines": counted(after, "line"), "before": counted(before, "line")}
    text = say(f"write_{done}", path=path, size=counted(size, "byte"), **counts)
    read = FileRead(path=path, size=version.size, mtime_ns=version.mtime_ns, digest=version.digest)
    return ToolResult(
        title=f"Write {path}",
        value=WriteOutput(file_path=path, size=size, created=done == "created"),
        text=text,
        metadata={"size": size, "lines": after, "done": done},
        modifiers=(read,),
    )


def encoded(args: WriteInput, before: Text, path: str) -> bytes:
    """The bytes to write: as given, in the encoding and with the line endings of what was there."""
    if args.encoding == "base64":
        return from_base64(args.content, path)
    content = args.content
    if before.mark:
        content = content.removeprefix("\ufeff")  # it is kept aside already
    newline = newline_of(before.content)
    if newline != "\n" and "\r" not in content:
        content = content.replace("\n", newline)
    return before.encode(content, path)


def from_base64(content: str, path: str) -> bytes:
    try:
        return base64.b64decode("".join(content.split()), validate=True)
    except (binascii.Error, ValueError) as problem:
        error = ToolError.of("not_base64", path=path, why=str(problem))
        raise error.coded(ErrorCode.INVALID_INPUT, path=path) from None


def replaced_text(content: bytes, path: str) -> Text:
    """How the file to be replaced is written; bytes that are no text give no example."""
    try:
        return decode(content, path)
    except ToolError:
        return NEW_FILE


def counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def count_lines(content: bytes) -> int:
    return content.count(b"\n") + (not content.endswith(b"\n") and bool(content))


def _content_for_preview(path: str) -> bytes | None:
    """What is there now; None if it is too much to show a difference."""
    try:
        return read_whole(path, PREVIEW_MAX_BYTES)[0]
    except ToolError as problem:
        return None if problem.code is ErrorCode.TOO_LARGE else b""


def _check_parent(path: str, *, create_dirs: bool) -> None:
    """A new file needs a directory, or leave to make one."""
    folder = os.path.dirname(path)  # noqa: PTH120
    while not os.path.lexists(folder):
        if not create_dirs:
            error = ToolError.of("no_parent", path=path, folder=folder)
            raise error.coded(ErrorCode.FILE_NOT_FOUND, path=path, folder=folder)
        folder = os.path.dirname(folder)  # noqa: PTH120
    if not os.path.isdir(folder):  # noqa: PTH112
        error = ToolError.of("not_a_directory", path=folder)
        raise error.coded(ErrorCode.NOT_A_DIRECTORY, path=folder)
