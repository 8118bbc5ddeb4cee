"""Searching names and contents, with ripgrep where there is one, else in Python: same answers.

Both engines are processes that write the same bytes, so everything after the command line is
shared. Nothing here knows a setting: limits come in as values.
"""

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Literal

import msgspec
from msgspec import Struct

from ankrcode.workspace.search.faults import (
    fault_of_complaint,
    fault_of_regex,
    glob_fault,
    type_globs,
)
from ankrcode.workspace.search.output import (
    MATCH_SIGN,
    Bounds,
    Counts,
    Line,
    Lines,
    Names,
    Preview,
    lines_of,
)
from ankrcode.workspace.search.patterns import PatternError
from ankrcode.workspace.search.process import ABOUT_A_FILE, SearchProcess
from ankrcode.workspace.search.regex import RegexError, translate
from ankrcode.workspace.search.ripgrep import filter_arguments
from ankrcode.workspace.search.walk import Filters, check_glob
from ankrcode.workspace.search.worker import BINARY, Request

GrepMode = Literal["content", "files_with_matches", "count"]

_PREVIEW_BYTES = 64 * 1024
_PASSED_OVER = re.compile(rb"(?m)^" + re.escape(ABOUT_A_FILE) + rb"(.*?): (?!binary$)")
_IS_BINARY = f": {BINARY}".encode()
_FAILED = 2  # ripgrep's exit code for errors, whether or not something was found


class GrepQuery(Struct, frozen=True, kw_only=True):
    """What to search for, and where."""

    pattern: str
    folder: str  # real and absolute
    file: str = ""  # the name of one file in it; else everything below the folder
    mode: GrepMode = "files_with_matches"
    filters: Filters = Filters()
    type: str = ""
    ignore_case: bool = False
    multiline: bool = False
    before: int = 0
    after: int = 0


class PassedOver(Struct, frozen=True):
    """What could not be read, was too large or took too long: how many, and the first of them."""

    count: int = 0
    example: str = ""


class Found(Struct, kw_only=True):
    """All of it counted, the first part of it here. Paths are bytes, relative to the folder."""

    files: list[bytes] = []
    counts: list[tuple[bytes, int]] = []
    lines: list[tuple[bytes, Line]] = []
    total_files: int = 0
    total_matches: int | None = None  # not known where a file is left at its first match
    total_entries: int = 0
    is_newest_first: bool = False
    binary_files: int = 0
    passed_over: PassedOver = PassedOver()
    timed_out: bool = False


class Search:
    """One way to search: ripgrep at a path, or Python (`rg` is None)."""

    def __init__(
        self,
        rg: str | None,
        *,
        time_limit_s: float,
        check: Callable[[], None] = lambda: None,
        show: Callable[[str], None] = lambda text: None,
    ) -> None:
        self._rg = rg
        self._time_limit_s = time_limit_s
        self._check = check
        self._show = show

    # ── contents ──────────────────────────────────────────────────────────────────────────
    def grep(self, query: GrepQuery, bounds: Bounds) -> Found:
        """Raises `ToolError` for a pattern, glob or type that means nothing."""
        process = self._grep_process(query)
        found = collected(query, bounds, process.output(), self._show)
        if process.code == _FAILED and _needs_pcre(process.complaints):
            process = self._grep_process(query, "--pcre2")
            found = collected(query, bounds, process.output(), self._show)
        self._check_complaint(process, query)
        found.timed_out = process.timed_out
        binary = sum(line.endswith(_IS_BINARY) for line in process.complaints.splitlines())
        found.binary_files += binary
        found.passed_over = _passed_over(process, binary)
        return found

    def _grep_process(self, query: GrepQuery, *engine: str) -> SearchProcess:
        if self._rg is None:
            return self._worker(query.folder, worker_request(query), query.file)
        arguments = [*filter_arguments(query.filters, query.folder, query.type), *engine]
        arguments += _mode_arguments(query)
        if query.ignore_case:
            arguments.append("--ignore-case")
        if query.multiline:
            arguments += ["--multiline", "--multiline-dotall"]
        # A NUL cannot be part of an argument; escaped it means the same.
        pattern = query.pattern.replace("\0", r"\x00")
        arguments += [f"--regexp={pattern}", "--", f"./{query.file}"]
        return self._process([self._rg, *arguments], query.folder)

    def columns(self, query: GrepQuery, lines: list[bytes]) -> list[int | None]:
        """Where the first match begins in each of these lines, in bytes from 0.

        Asked only for the few lines that are too long to show: finding columns in the search
        itself makes a dense one several times slower.
        """
        from tempfile import TemporaryDirectory

        found: list[int | None] = [None] * len(lines)
        with TemporaryDirectory(prefix="ankrcode-") as folder:
            with open(f"{folder}/lines", "wb") as file:  # noqa: PTH123
                file.write(b"\n".join(lines) + b"\n")
            alone = msgspec.structs.replace(
                query,
                folder=folder,
                file="lines",
                mode="content",
                filters=Filters(),
                type="",
                before=0,
                after=0,
            )
            for number, column in self._columns(alone):
                found[number] = column
        return found

    def _columns(self, query: GrepQuery) -> Iterator[tuple[int, int]]:
        if self._rg is None:
            process = self._worker(
                query.folder,
                msgspec.structs.replace(worker_request(query), mode="columns"),
                query.file,
            )
        else:
            process = self._grep_process(query, "--column", "--max-columns=1", "--engine=auto")
        answer = b"".join(process.output())
        for line in answer.removeprefix(b"./lines\0").split(b"\n"):
            number, _, rest = line.partition(MATCH_SIGN)
            column = rest.partition(MATCH_SIGN)[0]
            if number.isdigit() and column.isdigit():
                yield int(number) - 1, int(column) - 1

    # ── names ─────────────────────────────────────────────────────────────────────────────
    def list_files(
        self, folder: str, filters: Filters, take: Callable[[list[bytes]], None]
    ) -> Found:
        """Hand over all paths below a folder, in batches; what is left to say comes back."""
        if self._rg is None:
            process = self._worker(folder, Request(mode="list", filters=filters))
        else:
            # With one thread a folder of a million files is passed on as it is read; with more, rg
            # first gathers it whole. It is no slower: asking for times takes longer than listing.
            arguments = [*filter_arguments(filters, folder), "--threads=1", "--files", "--", "./"]
            process = self._process([self._rg, *arguments], folder)
        rest = b""
        for data in process.output():
            *names, rest = (rest + data).split(b"\0")
            take(names)
        return Found(timed_out=process.timed_out, passed_over=_passed_over(process))

    # ── processes ─────────────────────────────────────────────────────────────────────────
    def _process(self, command: list[str], folder: str) -> SearchProcess:
        return SearchProcess(
            command, folder=folder, time_limit_s=self._time_limit_s, check=self._check
        )

    def _worker(self, folder: str, request: Request, file: str = "") -> SearchProcess:
        worker = [sys.executable, "-P", "-m", "ankrcode.workspace.search"]
        arguments = [msgspec.json.encode(request).decode(), *([file] if file else [])]
        return self._process([*worker, *arguments], folder)

    def _check_complaint(self, process: SearchProcess, query: GrepQuery) -> None:
        if self._rg is None or process.code != _FAILED:
            return
        said = process.complaints.decode("utf-8", "replace")
        if said.startswith(("rg: ./", "rg: /")):
            return  # about some files only; a pattern is refused before any file is looked at
        raise fault_of_complaint(said, query.pattern, query.filters.glob, query.type, self._rg)


def _needs_pcre(said: bytes) -> bool:
    """Look-around and back references need the other engine."""
    return b"--pcre2 flag" in said and b"multiline" not in said


def worker_request(query: GrepQuery) -> Request:
    """For the worker; whatever it could not do is refused here."""
    try:
        translate(query.pattern, ignore_case=query.ignore_case, multiline=query.multiline)
    except RegexError as problem:
        raise fault_of_regex(query.pattern, problem) from None
    filters = query.filters
    try:
        check_glob(filters.glob)
    except PatternError as problem:
        raise glob_fault(filters.glob, problem.why) from None
    if query.type:
        filters = msgspec.structs.replace(filters, type_globs=type_globs(query.type))
    return Request(
        mode=query.mode,
        filters=filters,
        pattern=query.pattern,
        ignore_case=query.ignore_case,
        multiline=query.multiline,
        before=query.before,
        after=query.after,
    )


def _mode_arguments(query: GrepQuery) -> list[str]:
    match query.mode:
        case "files_with_matches":
            return ["--files-with-matches"]
        case "count":
            return ["--count", "--with-filename"]
        case _:
            # One heading for each file: its path is written (and read) once, not in every line.
            shape = ["--heading", "--with-filename", "--line-number"]
            shape += [r"--field-match-separator=\x00", "--no-context-separator"]
            return [*shape, f"--before-context={query.before}", f"--after-context={query.after}"]


def collected(
    query: GrepQuery,
    bounds: Bounds,
    pieces: Iterable[bytes],
    show: Callable[[str], None] = lambda text: None,
) -> Found:
    """What a process says, understood by the mode it was asked in."""
    preview = Preview(show, _PREVIEW_BYTES)
    collector: Names | Counts | Lines
    match query.mode:
        case "files_with_matches":
            collector = Names(bounds, preview)
        case "count":
            collector = Counts(bounds, preview)
        case _:
            collector = Lines(bounds, preview, has_context=bool(query.before or query.after))
    for data in pieces:
        collector.feed(data)
    collector.finish()
    return _found(collector)


def _found(collector: Names | Counts | Lines) -> Found:
    match collector:
        case Names():
            return Found(
                files=collector.kept,
                total_files=collector.total,
                total_entries=collector.total,
                is_newest_first=collector.is_whole,
            )
        case Counts():
            return Found(
                counts=collector.kept,
                total_files=collector.total,
                total_matches=collector.matches,
                total_entries=collector.total,
            )
        case Lines():
            return Found(
                lines=[(block.path, line) for block in collector.kept for line in lines_of(block)],
                total_files=collector.files,
                total_matches=collector.matches,
                total_entries=collector.entries,
                binary_files=collector.binary,
            )


def _passed_over(process: SearchProcess, binary: int = 0) -> PassedOver:
    found = _PASSED_OVER.search(process.complaints)
    example = found[1].decode("utf-8", "backslashreplace") if found else ""
    return PassedOver(process.files_complained_of - binary, example)


def modified_ns(folder: str, names: list[bytes]) -> list[int]:
    """When each of these was last changed; 0 for what is gone meanwhile."""
    top = os.fsencode(folder.rstrip("/")) + b"/"
    times = []
    for name in names:
        try:
            times.append(os.stat(top + name).st_mtime_ns)  # noqa: PTH116
        except OSError:
            times.append(0)
    return times


def absolute_path(folder: str, name: bytes) -> str:
    """As people and models may see it: bytes that are no text are shown as \\xNN."""
    whole = os.fsencode(folder.rstrip("/")) + b"/" + name.removeprefix(b"./")
    return whole.decode("utf-8", "backslashreplace")
