"""Move or rename a file, a link or a directory."""

import os
import stat
from typing import Annotated

from msgspec import Meta, Struct

from ankrcode.errors import ErrorCode, ToolError
from ankrcode.protocol.acts import Acts, file, state, tree
from ankrcode.protocol.approval import Preview
from ankrcode.protocol.modifier import FileMoved
from ankrcode.protocol.permission import Permission
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.context import ToolContext
from ankrcode.tooling.schema import ToolInput
from ankrcode.tooling.supervise import in_thread
from ankrcode.tooling.tool import Tool
from ankrcode.words import say
from ankrcode.workspace.files import file_error
from ankrcode.workspace.places import check_may_go, entry_path, status_of
from ankrcode.workspace.roots import Workspace, is_inside


class MoveInput(ToolInput):
    source: Annotated[str, Meta(description="The file or directory to move", min_length=1)]
    destination: Annotated[
        str, Meta(description="Its new path, or a directory to move it into", min_length=1)
    ]
    overwrite: Annotated[bool, Meta(description="Replace a file that is there already")] = False


class MoveOutput(Struct, frozen=True, kw_only=True):
    source: str
    destination: str
    overwritten: bool


class Move(Tool[MoveInput]):
    name = "Move"
    summary = "Move or rename a file, a link or a directory."
    permission = Permission.WRITE
    category = "files"
    output = MoveOutput

    def acts(self, args: MoveInput, ctx: ToolContext) -> Acts:
        source, destination = ends(args, ctx.workspace)
        # A folder takes along all that is in it, here and there.
        kind = tree if _is_folder(source) else file
        return Acts(reads=(state("cwd"),), writes=(kind(source), kind(destination)))

    def subject(self, args: MoveInput) -> str:
        return args.source

    def approval(self, args: MoveInput, ctx: ToolContext) -> str:
        _, destination = ends(args, ctx.workspace)
        if args.overwrite and os.path.lexists(destination):
            return say("why.overwrites", path=destination)
        return ""

    def preview(self, args: MoveInput, ctx: ToolContext) -> Preview:
        source, destination = ends(args, ctx.workspace)
        if ctx.workspace.contains(source) and ctx.workspace.contains(destination):
            check(args, ctx.workspace)  # beyond it, the model learns nothing unasked
        title = "Move and overwrite" if os.path.lexists(destination) else "Move"
        return Preview(title=title, body=f"{source}\n→ {destination}")

    async def validate(self, args: MoveInput, ctx: ToolContext) -> None:
        await in_thread(ctx, check, args, ctx.workspace)

    async def run(self, args: MoveInput, ctx: ToolContext) -> ToolResult:
        return await in_thread(ctx, moved, args, ctx)


def check(args: MoveInput, workspace: Workspace) -> None:
    source, destination = ends(args, workspace)
    check_may_go(workspace, source)
    is_folder = stat.S_ISDIR(status_of(source, done="moved").st_mode)
    # A link in place of what it leads to would lead to itself.
    if destination in (source, os.path.realpath(source)):
        raise _refused("move_same", source, destination)
    if is_folder and is_inside(destination, source):
        raise _refused("move_into_itself", source, destination)
    if not _is_taken(destination) or _is_same_name(source, destination):
        return
    if not args.overwrite:
        raise _refused("move_exists", source, destination)
    if _is_folder(destination) != is_folder:
        raise _refused("move_kinds", source, destination)
    if is_folder and os.listdir(destination):  # noqa: PTH208
        raise _refused("move_not_empty", source, destination)


def moved(args: MoveInput, ctx: ToolContext) -> ToolResult:
    source, destination = ends(args, ctx.workspace)
    overwrites = args.overwrite and os.path.lexists(destination)
    ctx.files.move(source, destination, overwrites=overwrites)
    return ToolResult(
        title=f"Move {source}",
        value=MoveOutput(source=source, destination=destination, overwritten=overwrites),
        text=say("moved.over" if overwrites else "moved", source=source, path=destination),
        metadata={"source": source, "destination": destination},
        modifiers=(FileMoved(source=source, destination=destination),),
    )


def ends(args: MoveInput, workspace: Workspace) -> tuple[str, str]:
    """Both places; a directory as destination means: into it."""
    source = entry_path(workspace, args.source)
    folder = workspace.resolve(args.destination)
    destination = entry_path(workspace, args.destination)
    if os.path.isdir(folder) and not _is_same_name(source, destination):  # noqa: PTH112
        return source, os.path.join(folder, os.path.basename(source))  # noqa: PTH118, PTH119
    return source, destination


def _is_same_name(source: str, destination: str) -> bool:
    """Is this a folder renamed to its own name in other letters, where the system ignores that?"""
    return (
        source != destination
        and source.casefold() == destination.casefold()
        and os.path.lexists(source)
        and os.path.lexists(destination)
        and os.path.samestat(os.lstat(source), os.lstat(destination))
    )


def _is_taken(path: str) -> bool:
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as problem:
        raise file_error(path, problem, done="moved") from None
    return True


def _is_folder(path: str) -> bool:
    return os.path.isdir(path) and not os.path.islink(path)  # noqa: PTH112, PTH114


def _refused(key: str, source: str, destination: str) -> ToolError:
    error = ToolError.of(key, source=source, path=destination)
    return error.coded(ErrorCode.INVALID_PATH, source=source, path=destination)
