"""Delete a file, a link or a directory."""

import stat
from itertools import islice
from typing import Annotated

from msgspec import Meta, Struct

from ankrcode.config.limits import DELETE_LISTED, DELETE_SHOWN, PATHS_LISTED_CHARS
from ankrcode.errors import ErrorCode, ToolError
from ankrcode.protocol.acts import Acts, state, tree
from ankrcode.protocol.approval import Preview
from ankrcode.protocol.modifier import FileForgotten
from ankrcode.protocol.permission import Permission
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.context import ToolContext
from ankrcode.tooling.schema import ToolInput
from ankrcode.tooling.supervise import in_thread
from ankrcode.tooling.tool import Tool
from ankrcode.words import say
from ankrcode.workspace.places import below, check_may_go, entry_path, status_of


class DeleteInput(ToolInput):
    path: Annotated[str, Meta(description="The file or directory to delete", min_length=1)]
    recursive: Annotated[
        bool, Meta(description="Also delete a directory with all that is in it")
    ] = False


class DeleteOutput(Struct, frozen=True, kw_only=True):
    path: str
    deleted: list[str]
    total: int


class Delete(Tool[DeleteInput]):
    name = "Delete"
    summary = "Delete a file, a link or a directory, after the person agreed."
    permission = Permission.WRITE
    category = "files"
    output = DeleteOutput
    always_asks = True

    def acts(self, args: DeleteInput, ctx: ToolContext) -> Acts:
        path = entry_path(ctx.workspace, args.path)
        return Acts(reads=(state("cwd"),), writes=(tree(path),))

    def subject(self, args: DeleteInput) -> str:
        return args.path

    def approval(self, args: DeleteInput, ctx: ToolContext) -> str:
        return say("why.deletes", path=entry_path(ctx.workspace, args.path))

    def preview(self, args: DeleteInput, ctx: ToolContext) -> Preview:
        path = entry_path(ctx.workspace, args.path)
        if ctx.workspace.contains(path):  # beyond it, the model learns nothing unasked
            check(args, path, ctx)
        found = list(islice(below(path), DELETE_SHOWN + 1)) if args.recursive else []
        lines = [path, *sorted(found)[:DELETE_SHOWN]]
        if len(found) > DELETE_SHOWN:
            lines.append("… and more")
        return Preview(title=f"Delete {path}", body="\n".join(map(shown, lines)))

    async def validate(self, args: DeleteInput, ctx: ToolContext) -> None:
        check(args, entry_path(ctx.workspace, args.path), ctx)

    async def run(self, args: DeleteInput, ctx: ToolContext) -> ToolResult:
        path = entry_path(ctx.workspace, args.path)
        removed = Removed(ctx)
        try:
            await in_thread(ctx, ctx.files.remove, path, removed, recursive=args.recursive)
        except ToolError as problem:
            problem.details.update(deleted=removed.first, total=removed.total)
            if removed.total:
                problem.suggestion += say("deleted_so_far", total=removed.total)
            raise
        return ToolResult(
            title=f"Delete {path}",
            value=DeleteOutput(path=path, deleted=removed.first, total=removed.total),
            text=removed.told(),
            metadata={"total": removed.total},
            modifiers=(FileForgotten(path=path),),
        )


def check(args: DeleteInput, path: str, ctx: ToolContext) -> None:
    check_may_go(ctx.workspace, path)
    is_folder = stat.S_ISDIR(status_of(path, done="deleted").st_mode)
    if is_folder and not args.recursive and next(below(path), None) is not None:
        error = ToolError.of("not_empty", path=path)
        raise error.coded(ErrorCode.IS_A_DIRECTORY, path=path)


class Removed:
    """Hears what is gone; remembers the first ones and counts the rest."""

    def __init__(self, ctx: ToolContext) -> None:
        self._cancel = ctx.cancel
        self._room = PATHS_LISTED_CHARS
        self.first: list[str] = []
        self.total = 0

    def __call__(self, path: str) -> None:
        self.total += 1
        self._room -= len(path)
        if len(self.first) < DELETE_LISTED and self._room >= 0:
            self.first.append(path)
        self._cancel.check()

    def told(self) -> str:
        if self.total == 1:
            return f"Deleted {shown(self.first[0])}"
        first = self.first[:DELETE_SHOWN]
        lines = [f"Deleted {self.total:,} entries:", *map(shown, first)]
        if self.total > len(first):
            lines.append(f"… {self.total - len(first):,} more")
        return "\n".join(lines)


def shown(path: str) -> str:
    """A name may hold anything but a slash: what would break the line is shown escaped."""
    return path if path.isprintable() else repr(path)
