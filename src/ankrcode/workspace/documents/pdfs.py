"""Pages of a PDF: text, and pictures of pages. Parsed by pdfium, in a process of its own.

A PDF may be made to hang, to crash or to fill the memory. The child has limits and sends each page
as it is done; whatever happens to it, the pages before are there and the person is told the rest.
"""

import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import msgspec
from msgspec import Struct

from ankrcode.errors import ErrorCode, ToolError
from ankrcode.workspace.processes.descendants import SPAWNING

DEFAULT_PAGES = 10
MAX_PAGES = 20
TIMEOUT_S = 4.5
MAX_ANSWER_BYTES = 80 * 1024 * 1024

Range = tuple[int, int | None]
_RANGE = re.compile(r"\s*(\d{1,9})\s*(?:(-)\s*(\d{1,9})?\s*)?")


class Page(Struct, frozen=True, kw_only=True):
    number: int
    text: str = ""
    picture: bytes = b""
    mime: str = ""
    fault: str = ""  # why there is no text or no picture


class Opened(Struct, frozen=True, kw_only=True):
    """The child's first message."""

    total: int = 0
    fault: str = ""


class Pages(Struct, frozen=True, kw_only=True):
    total: int
    pages: list[Page]
    missing: list[int]  # asked for, but the parser did not get to them
    why: str = ""  # nothing came of them


def parse_ranges(text: str) -> list[Range]:
    """ "1-5,8,12-" as pairs; a `ValueError` says what does not fit."""
    ranges: list[Range] = []
    for piece in text.split(","):
        found = _RANGE.fullmatch(piece)
        if not found:
            raise ValueError(f"'{piece.strip()[:40]}' is not a page or a range such as 1-5")
        first = int(found[1])
        last = first if not found[2] else int(found[3]) if found[3] else None
        if first < 1 or (last is not None and last < first):
            raise ValueError(f"'{piece.strip()[:40]}' is not a range of pages counted from 1")
        ranges.append((first, last))
    least = len({first for first, _ in ranges})
    most = max((last - first + 1 for first, last in ranges if last is not None), default=0)
    if max(least, most) > MAX_PAGES:
        raise ValueError(f"at most {MAX_PAGES} pages are read in one call")
    return ranges


def chosen_pages(ranges: list[Range], total: int) -> list[int]:
    """The numbers of the pages, each once; a `ValueError` where they do not fit the document."""
    if not ranges:
        return list(range(1, min(total, DEFAULT_PAGES) + 1))
    numbers: dict[int, None] = {}
    for first, last in ranges:
        if first > total or (last or 0) > total:
            raise ValueError(f"there is no page {last if first <= total else first}")
        for number in range(first, min(last or total, first + MAX_PAGES) + 1):
            numbers[number] = None
    if len(numbers) > MAX_PAGES:
        raise ValueError(f"at most {MAX_PAGES} pages are read in one call")
    return list(numbers)


def read_pages(
    handle: int, path: str, ranges: list[Range], *, draw_all: bool, check: Callable[[], None]
) -> Pages:
    """Read from an open file; `draw_all` draws pages that have text, too."""
    if find_spec("pypdfium2") is None:
        raise ToolError.of("pdf_needs_extra", path=path).coded(ErrorCode.NOT_TEXT, path=path)
    os.lseek(handle, 0, os.SEEK_SET)
    wish = msgspec.json.encode({"ranges": ranges, "draw_all": draw_all}).decode()
    answer, was_stopped = _asked(handle, wish, check)
    messages = answer.split(b"\n")[:-1]  # what stands behind the last line end is not whole
    why = "it took too long" if was_stopped else "the parser gave up"
    opened = _opened(messages, path, why)
    try:
        numbers = chosen_pages(ranges, opened.total)
    except ValueError as problem:
        error = ToolError.of("pdf_pages", path=path, total=opened.total, why=str(problem))
        raise error.coded(ErrorCode.INVALID_INPUT, path=path, total=opened.total) from None
    pages = {page.number: page for page in _pages(messages[1:], path)}  # drawn ones come twice
    if not any(page.text or page.picture for page in pages.values()):
        faults = [page.fault for page in pages.values() if page.fault]
        raise _broken(path, faults[0] if faults and not was_stopped else why)
    missing = [number for number in numbers if number not in pages]
    return Pages(total=opened.total, pages=list(pages.values()), missing=missing, why=why)


def _pages(messages: list[bytes], path: str) -> list[Page]:
    try:
        return [msgspec.json.decode(message, type=Page) for message in messages]
    except msgspec.DecodeError:
        raise _broken(path, "the parser spoke nonsense") from None


def _opened(messages: list[bytes], path: str, why: str) -> Opened:
    try:
        opened = msgspec.json.decode(messages[0], type=Opened)
    except (IndexError, msgspec.DecodeError):
        raise _broken(path, why) from None
    if opened.fault == "encrypted":
        raise ToolError.of("pdf_encrypted", path=path).coded(ErrorCode.NOT_TEXT, path=path)
    if opened.fault or not opened.total:
        raise _broken(path, opened.fault or "it has no pages")
    return opened


def _broken(path: str, why: str) -> ToolError:
    error = ToolError.of("pdf_broken", path=path, why=why.rstrip("."))
    return error.coded(ErrorCode.NOT_TEXT, path=path)


def _asked(handle: int, wish: str, check: Callable[[], None]) -> tuple[bytes, bool]:
    """What the child wrote until it ended, and whether it had to be stopped."""
    with SPAWNING:
        child = subprocess.Popen(  # noqa: S603 - our own interpreter, our own code
            [sys.executable, "-I", "-c", _child_code(), wish],
            stdin=handle,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    assert child.stdout is not None
    deadline = time.monotonic() + TIMEOUT_S
    answer = bytearray()
    waiting = select.poll()
    waiting.register(child.stdout)
    try:
        while len(answer) <= MAX_ANSWER_BYTES and time.monotonic() < deadline:
            check()
            if not waiting.poll(100):
                continue
            block = os.read(child.stdout.fileno(), 1024 * 1024)
            if not block:
                return bytes(answer), False
            answer += block
        return bytes(answer), True
    finally:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        child.stdout.close()


def _child_code() -> str:
    """Isolated, yet with this package and pdfium, wherever those lie."""
    places = [str(Path(__file__).parents[3])]
    for package in ("pypdfium2", "PIL", "msgspec"):
        spec = find_spec(package)
        if spec and spec.origin:
            places.append(str(Path(spec.origin).parents[1]))
    paths = list(dict.fromkeys(places))
    run = "from ankrcode.workspace.documents.pdf_child import main; main()"
    return f"import sys; sys.path += {paths!r}; {run}"
