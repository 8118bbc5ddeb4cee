"""Search file contents."""

import os
import stat
from typing import Annotated, ClassVar

from msgspec import UNSET, Meta, Struct, UnsetType, field

from ankrcode.config.limits import (
    GREP_LINE_CHARS,
    GREP_MAX_BYTES,
    GREP_MAX_ENTRIES,
    GREP_MAX_OFFSET,
    GREP_TIMED_FILES,
    SEARCH_MAX_SECONDS,
)
from ankrcode.protocol.acts import Acts, file, state, tree
from ankrcode.protocol.permission import Permission
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.context import ToolContext
from ankrcode.tooling.graphemes import border_after, border_before
from ankrcode.tooling.schema import ToolInput
from ankrcode.tooling.supervise import in_thread
from ankrcode.tooling.tool import Tool
from ankrcode.words import say
from ankrcode.workspace.files import check_is_ordinary, file_error
from ankrcode.workspace.search.output import Bounds, Line
from ankrcode.workspace.search.ripgrep import find_rg
from ankrcode.workspace.search.search import (
    Found,
    GrepMode,
    GrepQuery,
    Search,
    absolute_path,
    modified_ns,
)
from ankrcode.workspace.search.walk import Filters

_NOTE_CHARS = 400  # what the last line may need


class GrepInput(ToolInput):
    pattern: Annotated[
        str,
        Meta(description="The regular expression to search for", min_length=1, max_length=10_000),
    ]
    path: Annotated[str, Meta(description="The file or directory to search in", min_length=1)] = "."
    output_mode: Annotated[
        GrepMode,
        Meta(description="Show matching lines, only the paths, or the number of lines per file"),
    ] = "files_with_matches"
    glob: Annotated[
        str, Meta(description="Only files that match, such as *.js or *.{ts,tsx}", max_length=4_096)
    ] = ""
    type: Annotated[
        str, Meta(description="Only files of this type, such as py, js, rust", max_length=100)
    ] = ""
    multiline: Annotated[
        bool, Meta(description="Let the pattern cross lines; . matches line breaks too")
    ] = False
    ignore_case: Annotated[bool, Meta(description="Ignore upper and lower case")] = field(
        default=False, name="-i"
    )
    line_numbers: Annotated[bool, Meta(description="Show line numbers (content mode)")] = field(
        default=True, name="-n"
    )
    after: (
        Annotated[
            int, Meta(description="Lines to show after each match (content mode)", ge=0, le=10_000)
        ]
        | UnsetType
    ) = field(default=UNSET, name="-A")
    before: (
        Annotated[
            int, Meta(description="Lines to show before each match (content mode)", ge=0, le=10_000)
        ]
        | UnsetType
    ) = field(default=UNSET, name="-B")
    context: Annotated[
        int, Meta(description="Lines to show around each match (content mode)", ge=0, le=10_000)
    ] = field(default=0, name="-C")
    head_limit: Annotated[
        int, Meta(description="Show only the first N entries; 0 means all", ge=0)
    ] = 0
    offset: Annotated[
        int, Meta(description="Skip the first N entries", ge=0, le=GREP_MAX_OFFSET)
    ] = 0
    include_hidden: Annotated[bool, Meta(description="Also search names that begin with a dot")] = (
        False
    )
    include_ignored: Annotated[
        bool, Meta(description="Also search what .gitignore and the like leave out")
    ] = False


class GrepLine(Struct, frozen=True, kw_only=True):
    path: str
    line: int
    text: str
    is_match: bool  # else it stands around one


class GrepCount(Struct, frozen=True, kw_only=True):
    path: str
    count: int


Entry = str | GrepCount | GrepLine


class GrepOutput(Struct, frozen=True, kw_only=True):
    mode: GrepMode
    files: list[str]
    matches: list[GrepLine]
    counts: list[GrepCount]
    total_files: int
    total_matches: int | None  # matching lines; unknown where files are left at the first one
    total_entries: int  # what head_limit and offset count
    truncated: bool
    is_file: bool  # one file was searched, not a folder
    binary_files: int
    unsearched: int  # files and folders
    timed_out: bool
    unsearched_example: str = ""


class Grep(Tool[GrepInput]):
    name = "Grep"
    summary = "Search the contents of files by regular expression, fast, built on ripgrep."
    permission = Permission.READ
    category = "search"
    max_result_chars: ClassVar[int] = 20_000
    output = GrepOutput

    def acts(self, args: GrepInput, ctx: ToolContext) -> Acts:
        path = ctx.workspace.resolve(args.path)
        kind = tree if os.path.isdir(path) else file  # noqa: PTH112
        return Acts(reads=(kind(path), state("cwd")))

    def subject(self, args: GrepInput) -> str:
        return args.path

    def rg(self, ctx: ToolContext) -> str | None:
        return find_rg(ctx.workspace.roots)

    async def run(self, args: GrepInput, ctx: ToolContext) -> ToolResult:
        path = ctx.workspace.resolve(args.path)
        search = Search(
            self.rg(ctx),
            time_limit_s=SEARCH_MAX_SECONDS,
            check=ctx.cancel.check,
            show=ctx.output,
        )
        value = await in_thread(ctx, searched, search, path, args)
        text, shown = rendered(value, args, path, self.max_result_chars)
        return ToolResult(
            title=f"Grep {args.pattern}",
            value=value,
            text=text,
            metadata={
                "total_files": value.total_files,
                "total_matches": value.total_matches,
                "shown": shown,
            },
        )


def searched(search: Search, path: str, args: GrepInput) -> GrepOutput:
    """The entries from `offset` on, and how many there are in all."""
    query = _query(path, args)
    wanted = min(args.head_limit or GREP_MAX_ENTRIES, GREP_MAX_ENTRIES)
    bounds = Bounds(
        entries=args.offset + wanted, content_bytes=GREP_MAX_BYTES, timed_files=GREP_TIMED_FILES
    )
    found = search.grep(query, bounds)
    part = slice(args.offset, args.offset + wanted)
    files = [absolute_path(query.folder, name) for name in _in_order(found, query.folder)[part]]
    counts = [
        GrepCount(path=absolute_path(query.folder, name), count=count)
        for name, count in found.counts[part]
    ]
    matches = _lines(search, query, found.lines[part])
    entries = len(files) + len(counts) + len(matches)
    return GrepOutput(
        mode=args.output_mode,
        files=files,
        counts=counts,
        matches=matches,
        total_files=found.total_files,
        total_matches=found.total_matches,
        total_entries=found.total_entries,
        truncated=args.offset + entries < found.total_entries,
        is_file=bool(query.file),
        binary_files=found.binary_files,
        unsearched=found.passed_over.count,
        unsearched_example=found.passed_over.example,
        timed_out=found.timed_out,
    )


def _query(path: str, args: GrepInput) -> GrepQuery:
    try:
        status = os.stat(path)  # noqa: PTH116
        folder, name = path, ""
        if not stat.S_ISDIR(status.st_mode):
            check_is_ordinary(path, status)
            folder, name = os.path.split(path)
        os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC))
    except OSError as problem:
        raise file_error(path, problem, done="searched") from None
    return GrepQuery(
        pattern=args.pattern,
        folder=folder,
        file=name,
        mode=args.output_mode,
        filters=Filters(
            glob=args.glob,
            include_hidden=args.include_hidden,
            include_ignored=args.include_ignored,
        ),
        type=args.type,
        ignore_case=args.ignore_case,
        multiline=args.multiline,
        before=args.context if isinstance(args.before, UnsetType) else args.before,
        after=args.context if isinstance(args.after, UnsetType) else args.after,
    )


def _in_order(found: Found, folder: str) -> list[bytes]:
    """Newest first, unless there are so many that asking for their times would cost too much."""
    if not found.is_newest_first:
        return found.files
    times = modified_ns(folder, found.files)
    newest = sorted(zip((-time for time in times), found.files, strict=True))
    return [name for _, name in newest]


def _lines(search: Search, query: GrepQuery, lines: list[tuple[bytes, Line]]) -> list[GrepLine]:
    """Decoded, and cut around the match where they are too long to show."""
    long = {at for at, (_, line) in enumerate(lines) if len(line.text) > GREP_LINE_CHARS}
    # A match that crosses lines is found again only where they stand together.
    near = range(len(lines)) if query.multiline and long else sorted(long)
    asked = [at for at in near if lines[at][1].is_match]
    columns = search.columns(query, [lines[at][1].text for at in asked]) if asked else []
    starts = dict(zip(asked, columns, strict=True))
    entries, last, path = [], b"", ""
    for at, (name, line) in enumerate(lines):
        if name != last or not path:
            last, path = name, absolute_path(query.folder, name)
        text = line.text.decode("utf-8", "replace")
        if at in long:
            before = line.text[: starts.get(at) or 0].decode("utf-8", "replace")
            text = trimmed(text, len(before))
        entries.append(GrepLine(path=path, line=line.number, text=text, is_match=line.is_match))
    return entries


def trimmed(line: str, at: int) -> str:
    """What stands around `at`, with a mark where something was cut off."""
    if len(line) <= GREP_LINE_CHARS:
        return line
    begin = max(0, min(at - GREP_LINE_CHARS // 4, len(line) - GREP_LINE_CHARS))
    begin = border_before(line, begin)
    end = border_after(line, begin + GREP_LINE_CHARS)
    before = f"[{begin} characters …] " if begin else ""
    after = f" [… {len(line) - end} characters]" if end < len(line) else ""
    return f"{before}{line[begin:end]}{after}"


# ── text ──────────────────────────────────────────────────────────────────────────────────────
def rendered(value: GrepOutput, args: GrepInput, path: str, limit: int) -> tuple[str, int]:
    """Whole entries within the limit and a last line about the rest; and how many are shown."""
    has_context = bool(args.before or args.after or args.context)
    lines, size, shown = [], 0, 0
    last: GrepLine | None = None
    entries: tuple[Entry, ...] = (*value.files, *value.counts, *value.matches)
    for entry in entries:
        line = _line(entry, args)
        if has_context and isinstance(entry, GrepLine):
            if last and (entry.path, entry.line) != (last.path, last.line + 1):
                line = f"--\n{line}"
            last = entry
        size += len(line) + 1
        if size > limit - _NOTE_CHARS and shown:
            break
        lines.append(line)
        shown += 1
    if not value.total_entries:
        key = "grep_binary" if value.binary_files and value.is_file else "grep_nothing"
        lines.append(say(key, pattern=args.pattern, path=path))
    notes = _notes(value, args, shown)
    if notes:
        lines.append(f"({'; '.join(notes)})")
    return "\n".join(lines), shown


def _line(entry: Entry, args: GrepInput) -> str:
    if isinstance(entry, str):
        return _printable(entry)
    if isinstance(entry, GrepCount):
        return f"{_printable(entry.path)}:{entry.count}"
    mark = ":" if entry.is_match else "-"
    number = f"{entry.line}{mark}" if args.line_numbers else ""
    return f"{_printable(entry.path)}{mark}{number}{entry.text}"


def _printable(path: str) -> str:
    return path if path.isprintable() else repr(path)


def _notes(value: GrepOutput, args: GrepInput, shown: int) -> list[str]:
    notes = []
    if value.total_entries and not shown:
        notes.append(say("search_past_end", total=value.total_entries, offset=args.offset))
    elif args.offset + shown < value.total_entries:
        total, following = value.total_entries, args.offset + shown
        notes.append(say("search_more", shown=shown, total=total, offset=following))
    if value.mode == "files_with_matches" and value.total_files > GREP_TIMED_FILES:
        notes.append(say("search_by_path"))
    if value.binary_files and not value.is_file:
        notes.append(say("search_binary", count=value.binary_files))
    if value.unsearched:
        example = value.unsearched_example
        notes.append(say("search_passed_over", count=value.unsearched, example=example))
    if value.timed_out:
        notes.append(say("search_timed_out", seconds=SEARCH_MAX_SECONDS))
    return notes
