"""The other side of `pdfs`: opens the PDF on its standard input and writes a line for each page.

Runs in a process of its own, under limits, because what it parses may be hostile.
"""

import resource
import sys
from collections.abc import Iterator
from typing import Any

import msgspec

from ankrcode.workspace.documents.images import encoded, scale_for
from ankrcode.workspace.documents.pdfs import Opened, Page, chosen_pages

MAX_MEMORY_BYTES = 220 * 1024 * 1024
MAX_CPU_S = 6
MAX_PAGE_CHARS = 60_000
MAX_FIELDS = 1_000
MOST_ENLARGED = 3.0  # a page as large as a stamp is not blown up further


def main() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (MAX_CPU_S, MAX_CPU_S))
    resource.setrlimit(resource.RLIMIT_DATA, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))
    wish = msgspec.json.decode(sys.argv[1])
    for message in answer(wish["ranges"], draw_all=wish["draw_all"]):
        sys.stdout.buffer.write(msgspec.json.encode(message) + b"\n")
        sys.stdout.buffer.flush()


def answer(ranges: list[tuple[int, int | None]], *, draw_all: bool) -> Iterator[Opened | Page]:
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(sys.stdin.buffer)
        document.init_forms()  # before anything else, or they would not be drawn
        total = len(document)
    except pypdfium2.PdfiumError as problem:
        is_locked = "password" in str(problem).lower()
        yield Opened(fault="encrypted" if is_locked else str(problem))
        return
    yield Opened(total=total)
    try:
        numbers = chosen_pages(ranges, total)
    except ValueError:
        return  # the parent sees the total, and says so
    for number in numbers:
        yield from page_of(document, number, draw=draw_all)


def page_of(document: Any, number: int, *, draw: bool) -> Iterator[Page]:
    """The page's text; and again with its picture, because drawing may be the end of us."""
    from pypdfium2 import PdfiumError

    try:
        page = document[number - 1]
        own = plain(page.get_textpage().get_text_range()[:MAX_PAGE_CHARS])
        text = "\n".join([own, *filled_fields(document, page)])
    except PdfiumError as problem:
        yield Page(number=number, fault=str(problem))
        return
    if own.strip() and not draw:
        yield Page(number=number, text=text)
        return
    yield Page(number=number, text=text, fault="no picture: the page could not be drawn")
    try:
        picture, mime = drawn(page)
    except ImportError:
        yield Page(number=number, text=text, fault="no picture: Pillow is not installed")
    except (PdfiumError, MemoryError, ValueError, ZeroDivisionError) as problem:
        yield Page(number=number, text=text, fault=f"no picture: {problem}")
    else:
        yield Page(number=number, text=text, picture=picture, mime=mime)


def filled_fields(document: Any, page: Any) -> Iterator[str]:
    """What someone wrote into the fields of a form: it is no part of the page's own text."""
    from pypdfium2 import raw

    count = raw.FPDFPage_GetAnnotCount(page) if document.formenv else 0
    for index in range(min(count, MAX_FIELDS)):
        field = raw.FPDFPage_GetAnnot(page, index)
        if raw.FPDFAnnot_GetSubtype(field) == raw.FPDF_ANNOT_WIDGET:
            name = _told(raw.FPDFAnnot_GetFormFieldName, document.formenv, field)
            value = _told(raw.FPDFAnnot_GetFormFieldValue, document.formenv, field)
            if value:
                yield f"[field {name}: {value}]"
        raw.FPDFPage_CloseAnnot(field)


def _told(ask: Any, form: Any, field: Any) -> str:
    """An answer of pdfium's: asked for its length first, then for the text."""
    import ctypes

    length = min(ask(form, field, None, 0), MAX_PAGE_CHARS)
    buffer = ctypes.create_string_buffer(length)
    ask(form, field, ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), length)
    return plain(buffer.raw[:length].decode("utf-16-le", "replace"))


def plain(text: str) -> str:
    """With our line ends, the hyphens that pdfium marks, and no halves of characters."""
    text = text.replace("\r\n", "\n").replace("\0", "").replace("\ufffe", "-")
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def drawn(page: Any) -> tuple[bytes, str]:
    import PIL  # noqa: F401 - better to know before the work

    width, height = page.get_size()
    scale = scale_for(width, height, most=MOST_ENLARGED)
    return encoded(page.render(scale=scale).to_pil(), as_jpeg=False)
