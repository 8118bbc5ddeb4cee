"""What a reader is shown of a file: numbered lines, bytes or a picture, within bounds."""

import base64
import codecs
from collections.abc import Callable, Iterator
from typing import Literal

from msgspec import Struct

from ankrcode.errors import ErrorCode, ToolError
from ankrcode.protocol.result import Attachment
from ankrcode.words import say
from ankrcode.workspace.documents.filetypes import FileType, binary_name
from ankrcode.workspace.documents.lines import Window, window
from ankrcode.workspace.documents.opened import OpenedFile
from ankrcode.workspace.documents.tokens import estimate_tokens, tokens_within
from ankrcode.workspace.reads import FileVersion
from ankrcode.workspace.text import Text, decode

WINDOW_BYTES = 2 * 1024 * 1024  # what is kept of a huge file
COUNTED_BYTES = 64 * 1024 * 1024  # smaller files are read to their end, counted and hashed
BASE64_BYTES = 1024 * 1024
BORDER_BYTES = 4_096
_UTF_32 = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
_FIRST_HALVES = range(0xD8, 0xDC)  # the upper byte of the first half of a pair in UTF-16
NOTES_CHARS = 1_000  # room that the lines leave for remarks below them

Kind = Literal["text", "base64", "image", "pdf", "notebook"]


class Wish(Struct, frozen=True, kw_only=True):
    """What the reader asked for."""

    offset: int
    limit: int  # 0: all
    is_default: bool  # nobody chose the limit, so what it leaves out is said
    line_chars: int
    ranges: list[tuple[int, int | None]]  # of pages
    draw_all: bool
    border: Callable[[str, int], int]  # where text may be cut: at or before an index
    check: Callable[[], None]


class Room(Struct, kw_only=True):
    """How much one call may still return; every file takes from it."""

    tokens: int
    chars: int
    pictures: int

    def take(self, view: "View") -> None:
        self.tokens -= view.tokens
        self.chars -= len(view.text)
        self.pictures -= len(view.attachments)


class View(Struct, frozen=True, kw_only=True):
    """`text` for the model, `content` as data."""

    kind: Kind
    text: str
    content: str
    encoding: str
    first_line: int = 1
    lines: int = 0
    total_lines: int | None = 0
    is_cut: bool = False
    tokens: int = 0
    attachments: tuple[Attachment, ...] = ()
    version: FileVersion | None = None  # None: what was shown is no reason to allow an edit
    shown: tuple[int, int] | None = None  # first and number of the lines shown; None: all of them
    kept: bytes = b""  # all bytes, if they are few


# ── text ──────────────────────────────────────────────────────────────────────────────────────
def text_view(file: OpenedFile, wish: Wish, room: Room, *notes: str) -> View:
    known = known_text(file)
    found, content, encoding = selected(file, wish, known)
    lines = content.removesuffix("\n").split("\n") if found.lines else []
    rows = numbered(lines, found, wish)
    if not rows:
        return _nothing(file, found, encoding)
    tokens = tokens_within("\n".join(rows), room.tokens)
    if tokens > room.tokens:
        raise _too_much(file, found, tokens, room)
    count = fitting(rows, room.chars - NOTES_CHARS)
    if not count:
        raise ToolError.of("read_no_room", path=file.path).coded(ErrorCode.TOO_LARGE)
    below = [*notes, *_remarks(found, count, wish)]
    if encoding != "utf-8":
        described = known.described if encoding == known.encoding else encoding
        below.append(say("file_encoding", encoding=described))
    is_whole = found.first_line == 1 and count == found.total_lines and not found.is_cut
    is_raw = not is_wide(known.encoding)  # else the bytes shown are not those of the file
    return View(
        kind="text",
        text="\n".join([*rows[:count], *(f"[{note}]" for note in below)]),
        content=content,
        encoding=encoding,
        first_line=found.first_line,
        lines=found.lines,
        total_lines=found.total_lines,
        is_cut=found.is_cut or count < len(rows),
        tokens=tokens,
        version=file.version(found.start, found.content) if is_raw else file.version(),
        shown=None if is_whole else (found.first_line, count),
        kept=file.head if file.is_short else b"",
    )


def known_text(file: OpenedFile) -> Text:
    """How the file is written, by its first block."""
    try:
        return decode(file.head if file.is_short else whole_characters(file.head), file.path)
    except ToolError:
        kind = binary_name(file.head)
        error = ToolError.of("file_is_binary", path=file.path, kind=kind, size=file.size)
        raise error.coded(ErrorCode.NOT_TEXT, path=file.path, kind=kind) from None


def whole_characters(head: bytes) -> bytes:
    """The beginning of a longer text, without the character that the block's end may have cut."""
    if b"\0" in head[:BORDER_BYTES]:  # two or four bytes each
        head = head[: len(head) // 4 * 4]
        is_half = not head.startswith(_UTF_32) and any(byte in _FIRST_HALVES for byte in head[-2:])
        return head[:-2] if is_half else head
    end = head.rfind(b"\n") + 1
    if end:
        return head[:end]
    while head[-1:] > b"\x7f" and head[-1:] < b"\xc0":  # the middle of a character in UTF-8
        head = head[:-1]
    return head[:-1]


def selected(file: OpenedFile, wish: Wish, known: Text) -> tuple[Window, str, str]:
    """The window asked for, its text, and in which encoding it was."""
    is_counted = file.status.st_size <= COUNTED_BYTES
    blocks = file.blocks(hashed=is_counted)
    if is_wide(known.encoding):
        blocks = as_utf8(blocks, known)
    found = window(
        blocks, max(1, wish.offset), wish.limit, max_bytes=WINDOW_BYTES, to_end=is_counted
    )
    if found.is_cut and found.lines > 1:  # the last line is not whole: leave it for another call
        end = found.content.rfind(b"\n") + 1
        found = Window(
            content=found.content[:end],
            start=found.start,
            first_line=found.first_line,
            lines=found.lines - 1,
            total_lines=found.total_lines,
        )
    content, encoding = _decoded(found, known, file.path)
    return found, content, encoding


def is_wide(encoding: str) -> bool:
    """Is a line end more than the one byte 10 there?"""
    return encoding.startswith(("utf-16", "utf-32"))


def as_utf8(blocks: Iterator[bytes], known: Text) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(known.encoding)("replace")
    skip = len(known.mark)
    for block in blocks:
        yield decoder.decode(block[skip:]).encode()
        skip = 0


def _decoded(found: Window, known: Text, path: str) -> tuple[str, str]:
    content, encoding = found.content, known.encoding
    if is_wide(encoding):
        return content.decode(), encoding
    if not found.start:
        content = content.removeprefix(known.mark)
    try:
        # Where the bound cut a line, it may have cut a character.
        decoder = codecs.getincrementaldecoder(encoding)()
        return decoder.decode(content, final=not found.is_cut), encoding
    except UnicodeDecodeError:  # the beginning of the file was another encoding
        text = decode(content, path)
        return text.content, text.encoding


def numbered(lines: list[str], found: Window, wish: Wish) -> list[str]:
    """As `cat -n` shows them; long lines are cut, with a mark."""
    rows = [
        f"{number:>6}\t{cut(line.removesuffix(chr(13)), wish.line_chars, wish.border)}"
        for number, line in enumerate(lines, found.first_line)
    ]
    if found.is_cut:
        rows[-1] = rows[-1].rpartition("… [")[0] + "… [more characters]"
    return rows


def cut(text: str, limit: int, border: Callable[[str, int], int]) -> str:
    """At most `limit` characters of it, never half of one, and how many are missing."""
    if len(text) <= limit:
        return text
    end = border(text, limit)
    return f"{text[:end]}… [{len(text) - end} more characters]"


def fitting(rows: list[str], chars: int) -> int:
    """How many rows fit, whole."""
    for count, row in enumerate(rows):
        chars -= len(row) + 1
        if chars < 0:
            return count
    return len(rows)


def _nothing(file: OpenedFile, found: Window, encoding: str) -> View:
    total, offset = found.total_lines or 0, found.first_line
    if total:
        text = say("past_end", path=file.path, lines=total, offset=offset)
    else:
        text = say("file_empty", path=file.path)
    return View(
        kind="text",
        text=text,
        content="",
        encoding=encoding,
        first_line=offset,
        total_lines=total,
        version=file.version(),
        shown=(offset, 0) if total else None,
        kept=file.head,
    )


def _too_much(file: OpenedFile, found: Window, tokens: int, room: Room) -> ToolError:
    fits = max(1, int(found.lines * room.tokens / tokens * 0.9))
    last = found.first_line + found.lines - 1
    error = ToolError.of(
        "read_too_much",
        path=file.path,
        first=found.first_line,
        last=last,
        tokens=tokens,
        limit=max(0, room.tokens),
        fits=fits,
    )
    return error.coded(ErrorCode.TOO_LARGE, path=file.path, tokens=tokens, limit=room.tokens)


def _remarks(found: Window, count: int, wish: Wish) -> Iterator[str]:
    """What is missing below, where nobody asked for it to be."""
    first, last, total = found.first_line, found.first_line + count - 1, found.total_lines
    if found.is_cut:
        yield say("lines_cut", last=last)
    elif (count < found.lines or wish.is_default) and last != total:
        if total is None:
            yield say("lines_more.unknown", first=first, last=last, after=last + 1)
        else:
            yield say("lines_more", first=first, last=last, total=total, after=last + 1)


# ── bytes and pictures ────────────────────────────────────────────────────────────────────────
def base64_view(file: OpenedFile, room: Room) -> View:
    data = file.whole(BASE64_BYTES)
    content = base64.b64encode(data).decode("ascii")
    tokens = estimate_tokens(content)
    text = content or say("file_empty", path=file.path)
    if tokens > room.tokens or len(content) > room.chars:
        text = say("base64_long", path=file.path, size=len(data), chars=len(content))
        tokens = estimate_tokens(text)
    return View(
        kind="base64",
        text=text,
        content=content,
        encoding="base64",
        tokens=tokens,
        version=file.version(),
        kept=data,
    )


def image_view(file: OpenedFile, kind: FileType, room: Room) -> View:
    from ankrcode.workspace.documents import images

    if room.pictures < 1:
        raise ToolError.of("read_no_room", path=file.path).coded(ErrorCode.TOO_LARGE)
    picture = images.picture_of(file.whole(images.MAX_FILE_BYTES), kind, file.path)
    text = say(
        "image_shown",
        path=file.path,
        kind=kind.name,
        width=picture.original[0],
        height=picture.original[1],
        size=file.size,
        mime=picture.mime,
        shown_width=picture.width,
        shown_height=picture.height,
    )
    return View(
        kind="image",
        text=text,
        content=text,
        encoding="binary",
        tokens=estimate_tokens(text),
        attachments=(attached(picture.data, picture.mime, file.path.rpartition("/")[2]),),
        version=file.version(),
    )


def attached(data: bytes, mime: str, name: str) -> Attachment:
    return Attachment(type="image", mime=mime, data=base64.b64encode(data).decode(), name=name)
