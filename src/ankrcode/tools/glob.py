"""Find files by name."""

import os
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from ankrcode.config.limits import GLOB_MAX_ENTRIES, SEARCH_MAX_SECONDS, SEARCH_PROGRESS_S
from ankrcode.errors import ErrorCode, ToolError
from ankrcode.protocol.acts import Acts, state, tree
from ankrcode.protocol.permission import Permission
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.context import ToolContext
from ankrcode.tooling.results import Cut
from ankrcode.tooling.schema import ToolInput
from ankrcode.tooling.supervise import in_thread
from ankrcode.tooling.tool import Tool
from ankrcode.words import say
from ankrcode.workspace.files import file_error
from ankrcode.workspace.search.faults import glob_fault
from ankrcode.workspace.search.ignore import ignored_on_the_way
from ankrcode.workspace.search.output import Firsts
from ankrcode.workspace.search.patterns import GlobPlan, PatternError, plan_glob
from ankrcode.workspace.search.ripgrep import find_rg
from ankrcode.workspace.search.search import Found, Search, absolute_path, modified_ns
from ankrcode.workspace.search.walk import Filters


class GlobInput(ToolInput):
    pattern: Annotated[
        str,
        Meta(
            description="Glob pattern, such as **/*.py or src/**/*.{ts,tsx}",
            min_length=1,
            max_length=4_096,
        ),
    ]
    path: Annotated[str, Meta(description="The directory to search in", min_length=1)] = "."
    include_hidden: Annotated[
        bool, Meta(description="Let wildcards match names that begin with a dot")
    ] = False
    include_ignored: Annotated[
        bool, Meta(description="Also list what .gitignore and the like leave out")
    ] = False
    limit: (
        Annotated[
            int,
            Meta(description="How many files to list; 0 means all", ge=0, le=GLOB_MAX_ENTRIES),
        ]
        | UnsetType
    ) = UNSET


class GlobOutput(Struct, frozen=True, kw_only=True):
    paths: list[str]
    total: int
    truncated: bool
    timed_out: bool = False
    unsearched: int = 0  # folders that could not be looked into
    unsearched_example: str = ""


class Glob(Tool[GlobInput]):
    name = "Glob"
    summary = "Find files by name pattern, newest first, in a tree of any size."
    permission = Permission.READ
    category = "search"
    max_result_chars = 30_000
    cut = Cut.START
    output = GlobOutput

    def acts(self, args: GlobInput, ctx: ToolContext) -> Acts:
        return Acts(reads=(tree(_plan(args, ctx).folder), state("cwd")))

    def subject(self, args: GlobInput) -> str:
        return args.pattern

    def rg(self, ctx: ToolContext) -> str | None:
        return find_rg(ctx.workspace.roots)

    async def run(self, args: GlobInput, ctx: ToolContext) -> ToolResult:
        plan = _plan(args, ctx)
        limit = ctx.settings.glob.limit if isinstance(args.limit, UnsetType) else args.limit
        limit = limit or GLOB_MAX_ENTRIES
        newest = Newest(plan, limit, ctx, include_hidden=args.include_hidden)
        search = Search(self.rg(ctx), time_limit_s=SEARCH_MAX_SECONDS, check=ctx.cancel.check)
        left_out, looked = await in_thread(ctx, found, search, plan, args, ctx, newest)
        paths = [absolute_path(plan.folder, name) for name in newest.names()]
        value = GlobOutput(
            paths=paths,
            total=newest.total,
            truncated=newest.total > len(paths),
            timed_out=looked.timed_out,
            unsearched=looked.passed_over.count,
            unsearched_example=looked.passed_over.example,
        )
        return ToolResult(
            title=f"Glob {args.pattern}",
            value=value,
            text=shown(value, "" if paths else nothing(args, ctx, left_out)),
            metadata={"total": newest.total, "truncated": value.truncated},
        )


class Newest:
    """Takes in any number of paths and keeps the newest few: memory is bounded by the limit."""

    def __init__(
        self, plan: GlobPlan, limit: int, ctx: ToolContext, *, include_hidden: bool
    ) -> None:
        self._plan = plan
        self._found: Firsts[tuple[int, bytes]] = Firsts(limit)
        self._ctx = ctx
        self._fits = plan.regex.fullmatch
        self._include_hidden = include_hidden
        self._said = ctx.source.monotonic()
        self.total = 0

    def take(self, names: list[bytes]) -> None:
        if endings := self._plan.endings:
            names = [name for name in names if name.endswith(endings)]
        if not self._plan.is_plain:  # from the third character on: each begins with ./
            fits = self._fits
            names = [name for name in names if fits(name.decode("utf-8", "surrogateescape"), 2)]
        elif not self._include_hidden:  # an ignore file may have let some in
            names = [name for name in names if b"/." not in name]
        times = modified_ns(self._plan.folder, names)
        self.total += len(names)
        # Time counts backwards, so that the smallest are the newest and equals go by name.
        self._found.add([(-time, name) for time, name in zip(times, names, strict=True)])
        now = self._ctx.source.monotonic()
        if now - self._said >= SEARCH_PROGRESS_S:
            self._said = now
            self._ctx.progress(say("searching", count=self.total))

    def names(self) -> list[bytes]:
        return [name for _, name in self._found.first()]


def _plan(args: GlobInput, ctx: ToolContext) -> GlobPlan:
    folder = ctx.workspace.resolve(args.path)
    try:
        if "\0" in args.pattern:
            raise PatternError("it holds a NUL byte")
        return plan_glob(args.pattern, folder, include_hidden=args.include_hidden)
    except PatternError as problem:
        error = glob_fault(args.pattern, problem.why)
        raise error.coded(ErrorCode.INVALID_INPUT, parameter="pattern", at=problem.at + 1) from None


def found(
    search: Search, plan: GlobPlan, args: GlobInput, ctx: ToolContext, newest: Newest
) -> tuple[str | None, Found]:
    """Look, and say which folder on the way is left out (if any), and how it went."""
    folder = ctx.workspace.resolve(args.path)
    _check_is_folder(folder)
    if not os.path.isdir(plan.folder):  # noqa: PTH112 - a pattern may name what is not there
        return None, Found()
    if not args.include_ignored and plan.named:
        left_out = ignored_on_the_way(folder, plan.named)
        if left_out is not None:
            return left_out, Found()
    filters = Filters(
        include_hidden=args.include_hidden or plan.names_hidden,
        include_ignored=args.include_ignored,
        max_depth=plan.max_depth,
    )
    return None, search.list_files(plan.folder, filters, newest.take)


def _check_is_folder(folder: str) -> None:
    try:
        with os.scandir(folder):
            pass
    except NotADirectoryError:
        error = ToolError.of("not_a_directory", path=folder)
        raise error.coded(ErrorCode.NOT_A_DIRECTORY, path=folder) from None
    except OSError as problem:
        raise file_error(folder, problem, done="searched") from None


def shown(value: GlobOutput, nothing: str) -> str:
    # A name may hold anything but a slash: what would break the line is shown escaped.
    lines = [path if path.isprintable() else repr(path) for path in value.paths]
    if nothing:
        lines.append(nothing)
    if value.truncated:
        lines.append(f"({say('glob_more', shown=len(value.paths), total=value.total)})")
    if value.timed_out:
        lines.append(f"({say('search_timed_out', seconds=SEARCH_MAX_SECONDS)})")
    if value.unsearched:
        example = value.unsearched_example
        lines.append(f"({say('search_passed_over', count=value.unsearched, example=example)})")
    return "\n".join(lines)


def nothing(args: GlobInput, ctx: ToolContext, left_out: str | None) -> str:
    if left_out is not None:
        return say("glob_nothing.ignored", pattern=args.pattern, path=left_out)
    key = "glob_nothing" if "/" in args.pattern or "**" in args.pattern else "glob_nothing.flat"
    return say(key, pattern=args.pattern, path=ctx.workspace.resolve(args.path))
