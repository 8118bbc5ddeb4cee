"""List a directory."""

import heapq
import os
import stat
from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta, Struct

from ankrcode.config.limits import LIST_DEFAULT_ENTRIES
from ankrcode.errors import ErrorCode, ToolError
from ankrcode.protocol.acts import Acts, state, tree
from ankrcode.protocol.permission import Permission
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.context import ToolContext
from ankrcode.tooling.schema import ToolInput
from ankrcode.tooling.supervise import in_thread
from ankrcode.tooling.tool import Tool
from ankrcode.workspace.files import file_error, modified_time

EntryType = Literal["file", "directory", "symlink"]


class ListInput(ToolInput):
    path: Annotated[str, Meta(description="The directory to list", min_length=1)] = "."
    recursive: Annotated[bool, Meta(description="Go into subdirectories")] = False
    include_hidden: Annotated[bool, Meta(description="Show names that begin with a dot")] = False
    limit: Annotated[int, Meta(description="How many entries to show", ge=1, le=100_000)] = (
        LIST_DEFAULT_ENTRIES
    )


class ListEntry(Struct, frozen=True, kw_only=True):
    name: str
    type: EntryType
    size: int
    modified: str


class ListOutput(Struct, frozen=True, kw_only=True):
    path: str
    entries: list[ListEntry]
    total: int


class List(Tool[ListInput]):
    name = "List"
    summary = "List a directory with types, sizes and times, recursively if asked."
    permission = Permission.READ
    category = "files"
    output = ListOutput

    def acts(self, args: ListInput, ctx: ToolContext) -> Acts:
        return Acts(reads=(tree(ctx.workspace.resolve(args.path)), state("cwd")))

    def subject(self, args: ListInput) -> str:
        return args.path

    async def run(self, args: ListInput, ctx: ToolContext) -> ToolResult:
        path = ctx.workspace.resolve(args.path)
        entries, total = await in_thread(ctx, listed, path, args, ctx)
        return ToolResult(
            title=f"List {path}",
            value=ListOutput(path=path, entries=entries, total=total),
            text=shown(path, entries, total),
            metadata={"total": total},
        )


def listed(path: str, args: ListInput, ctx: ToolContext) -> tuple[list[ListEntry], int]:
    """The first entries by name, and how many there are; memory is bounded by the limit."""
    total = 0

    def counted() -> Iterator[os.DirEntry[str]]:
        nonlocal total
        for entry in _walk(path, args, ctx):
            total += 1
            yield entry

    first = heapq.nsmallest(args.limit, counted(), key=lambda entry: entry.path)
    return [_entry(entry, path) for entry in first], total


def _walk(path: str, args: ListInput, ctx: ToolContext) -> Iterator[os.DirEntry[str]]:
    pending = [path]
    while pending:
        folder = pending.pop()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    ctx.cancel.check()
                    if entry.name.startswith(".") and not args.include_hidden:
                        continue
                    yield entry
                    if args.recursive and entry.is_dir(follow_symlinks=False):
                        pending.append(entry.path)
        except NotADirectoryError:
            error = ToolError.of("not_a_directory", path=folder)
            raise error.coded(ErrorCode.NOT_A_DIRECTORY, path=folder) from None
        except OSError as problem:
            if folder == path:
                raise file_error(path, problem, done="listed") from None
            # A subdirectory that vanished or is closed to us is no reason to fail the rest.


def _entry(entry: os.DirEntry[str], top: str) -> ListEntry:
    name = os.path.relpath(entry.path, top)
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:  # vanished meanwhile
        return ListEntry(name=name, type="file", size=0, modified="")
    kind: EntryType = "file"
    if stat.S_ISLNK(status.st_mode):
        kind = "symlink"
    elif stat.S_ISDIR(status.st_mode):
        kind = "directory"
    return ListEntry(name=name, type=kind, size=status.st_size, modified=modified_time(status))


def shown(path: str, entries: list[ListEntry], total: int) -> str:
    if not entries:
        return f"{path} is empty."
    lines = [_line(entry) for entry in entries]
    if total > len(entries):
        lines.append(f"… {total - len(entries)} more; {total} in all")
    return "\n".join(lines)


def _line(entry: ListEntry) -> str:
    mark = {"directory": "/", "symlink": "@"}.get(entry.type, "")
    size = "-" if entry.type == "directory" else str(entry.size)
    # A name may hold anything but a slash: what would break the line is shown escaped.
    name = entry.name if entry.name.isprintable() else repr(entry.name)
    return f"{size:>10}  {entry.modified[:19]:<19}  {name}{mark}"
