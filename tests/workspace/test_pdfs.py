"""Pages of PDFs: chosen, read, drawn – and whatever a hostile one does, bounded."""

import asyncio
import sys
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.errors import ErrorCode, ToolError
from ankrcode.workspace.documents import pdfs
from ankrcode.workspace.documents.images import LONG_EDGE, SENT_PIXELS
from ankrcode.workspace.documents.pdfs import (
    MAX_PAGES,
    Pages,
    Range,
    chosen_pages,
    parse_ranges,
    read_pages,
)
from documents import (
    Pdf,
    encrypted_pdf,
    opened,
    pdf,
    pdf_bomb,
    pdf_with_recursive_drawing,
    pdf_with_recursive_pages,
)
from torture import examples


def never() -> None:
    """Nobody cancels."""


def pages_of(
    data: bytes,
    folder: Path,
    ranges: list[Range] | None = None,
    *,
    draw_all: bool = False,
    check: Callable[[], None] = never,
) -> Pages:
    file = folder / "a.pdf"
    file.write_bytes(data)
    with file.open("rb") as stream:
        return read_pages(stream.fileno(), "/a.pdf", ranges or [], draw_all=draw_all, check=check)


def refused(data: bytes, folder: Path, *, draw_all: bool = False) -> ToolError:
    with pytest.raises(ToolError) as caught:
        pages_of(data, folder, draw_all=draw_all)
    return caught.value


# ── which pages ───────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1", [1]),
        ("1-3", [1, 2, 3]),
        (" 2 - 4 , 9 ", [2, 3, 4, 9]),
        ("8,1-2,2,8", [8, 1, 2]),
        ("28-", [28, 29, 30]),
        ("1-20", list(range(1, 21))),
        ("30", [30]),
        ("३-५", [3, 4, 5]),
    ],
)
def test_pages_are_chosen_by_numbers_and_ranges(text: str, numbers: list[int]) -> None:
    assert chosen_pages(parse_ranges(text), 30) == numbers


@pytest.mark.parametrize(
    "text",
    [
        "0",
        "-1",
        "a",
        "1-",
        "5-1",
        "1,,2",
        "1;2",
        "1-21",
        "1--2",
        "1.5",
        ",",
        "9" * 30,
        "1-9" * 9,
    ],
)
def test_what_is_no_choice_of_pages_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"page|range"):
        chosen_pages(parse_ranges(text), 30)


@pytest.mark.parametrize("text", ["31", "29-31", "1,99"])
def test_pages_that_are_not_there_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="there is no page"):
        chosen_pages(parse_ranges(text), 30)


@pytest.mark.parametrize(("total", "last"), [(0, 0), (3, 3), (10, 10), (10_000, 10)])
def test_the_first_ten_pages_are_the_default(total: int, last: int) -> None:
    assert chosen_pages([], total) == list(range(1, last + 1))


@pytest.mark.torture
@given(st.text(alphabet="0123456789-, ", max_size=30), st.integers(0, 10**9))
@examples(in_ci=300, in_torture=20_000)
def test_a_choice_is_either_refused_or_small_and_inside(text: str, total: int) -> None:
    try:
        numbers = chosen_pages(parse_ranges(text), total)
    except ValueError:
        return
    assert 0 < len(numbers) <= MAX_PAGES
    assert len(set(numbers)) == len(numbers)
    assert all(1 <= number <= total for number in numbers)


# ── reading ───────────────────────────────────────────────────────────────────────────────────
def test_the_text_of_each_page_is_read(tmp_path: Path) -> None:
    found = pages_of(pdf("first page\nsecond line", "second (page) \\ here"), tmp_path)
    assert found.total == 2
    assert [page.number for page in found.pages] == [1, 2]
    assert found.pages[0].text.strip() == "first page\nsecond line"
    assert found.pages[1].text.strip() == "second (page) \\ here"
    assert not any(page.picture for page in found.pages)


def test_a_page_without_text_is_drawn(tmp_path: Path) -> None:
    found = pages_of(pdf("words", ""), tmp_path)
    words, drawing = found.pages
    assert not words.picture
    image = opened(drawing.picture)
    assert (image.format, drawing.mime) == ("PNG", "image/png")
    assert max(image.size) <= LONG_EDGE
    assert image.width * image.height <= SENT_PIXELS * 1.01
    assert abs(image.width / image.height - 612 / 792) < 0.01
    assert image.convert("RGB").getpixel((image.width * 200 // 612, image.height // 2))[0] > 200


def test_every_page_is_drawn_if_asked(tmp_path: Path) -> None:
    found = pages_of(pdf("words", "more"), tmp_path, draw_all=True)
    assert all(page.text and page.picture for page in found.pages)


@pytest.mark.parametrize("size", [(14_400, 14_400), (3, 3), (10_000, 2), (0, 0)])
def test_a_page_of_any_size_is_drawn_within_bounds(
    size: tuple[float, float], tmp_path: Path
) -> None:
    found = pages_of(pdf("", size=size), tmp_path)
    image = opened(found.pages[0].picture)
    assert max(image.size) <= LONG_EDGE + 1
    assert image.width * image.height <= SENT_PIXELS * 1.02


def test_the_file_is_read_through_its_handle_whatever_its_name_is_by_now(tmp_path: Path) -> None:
    file = tmp_path / "a.pdf"
    file.write_bytes(pdf("still here"))
    with file.open("rb") as stream:
        file.unlink()
        file.write_bytes(pdf("another"))
        found = read_pages(stream.fileno(), "/a.pdf", [], draw_all=False, check=never)
    assert found.pages[0].text.strip() == "still here"


# ── hostile ───────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "data",
    [
        b"%PDF-1.7",
        b"%PDF-1.4\n" + b"\xff" * 5_000,
        pdf("cut off")[:250],
        pdf_with_recursive_pages(),
        pdf(),
    ],
    ids=["header", "noise", "half", "recursive", "no-pages"],
)
def test_a_broken_pdf_is_a_typed_error(data: bytes, tmp_path: Path) -> None:
    started = time.monotonic()
    error = refused(data, tmp_path)
    assert error.code is ErrorCode.NOT_TEXT
    assert error.key == "pdf_broken"
    assert error.suggestion
    assert time.monotonic() - started < 10


def test_an_encrypted_pdf_says_so(tmp_path: Path) -> None:
    assert refused(encrypted_pdf(), tmp_path).key == "pdf_encrypted"


@pytest.mark.parametrize("draw_all", [False, True])
def test_a_drawing_that_draws_itself_ends(draw_all: bool, tmp_path: Path) -> None:
    started = time.monotonic()
    try:
        pages_of(pdf_with_recursive_drawing(), tmp_path, draw_all=draw_all)
    except ToolError as problem:
        key = problem.key
    else:
        key = "pdf_broken"
    assert key == "pdf_broken"
    assert time.monotonic() - started < pdfs.TIMEOUT_S + 5  # a bound for a busy machine


def test_a_page_that_unpacks_to_more_than_the_memory_is_given_up(tmp_path: Path) -> None:
    bomb = pdf_bomb(300)
    started = time.monotonic()
    error = refused(bomb, tmp_path)
    assert error.key == "pdf_broken"
    assert time.monotonic() - started < pdfs.TIMEOUT_S + 5  # a bound for a busy machine


def test_pages_before_the_one_that_breaks_the_parser_are_kept(tmp_path: Path) -> None:
    made = Pdf()
    font = made.add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    good = made.stream(b"BT /F1 12 Tf 72 700 Td (safe) Tj ET")
    packed = zlib.compress(zlib.compress(b"0 0 m " * 50_000_000, 9), 9)
    bad = made.stream(packed, "/Filter [/FlateDecode /FlateDecode]")
    tree = made.add("")
    pages = [
        made.add(
            f"<< /Type /Page /Parent {tree} 0 R /MediaBox [0 0 9 9] /Contents {content} 0 R "
            f"/Resources << /Font << /F1 {font} 0 R >> >> >>"
        )
        for content in (good, bad, good)
    ]
    kids = " ".join(f"{page} 0 R" for page in pages)
    made.put(tree, f"<< /Type /Pages /Count 3 /Kids [{kids}] >>")
    found = pages_of(made.bytes(made.add(f"<< /Type /Catalog /Pages {tree} 0 R >>")), tmp_path)
    assert found.total == 3
    assert found.pages[0].text.strip() == "safe"
    assert found.missing == [2, 3] or found.pages[1].fault


def test_ten_thousand_pages_are_no_burden(tmp_path: Path) -> None:
    started = time.monotonic()
    found = pages_of(pdf(*["page"] * 10_000), tmp_path, [(9_999, 10_000)])
    assert found.total == 10_000
    assert [page.number for page in found.pages] == [9_999, 10_000]
    assert time.monotonic() - started < 10


def test_a_parser_that_hangs_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdfs, "TIMEOUT_S", 0.5)
    monkeypatch.setattr(pdfs, "_child_code", lambda: "import time; time.sleep(60)")
    started = time.monotonic()
    error = refused(pdf("x"), tmp_path)
    assert "it took too long" in error.message
    assert time.monotonic() - started < 10


def test_a_parser_that_floods_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdfs, "MAX_ANSWER_BYTES", 1_000_000)
    monkeypatch.setattr(pdfs, "_child_code", lambda: "while True: print('x' * 100_000)")
    assert refused(pdf("x"), tmp_path).key == "pdf_broken"


def test_cancelling_ends_the_parser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdfs, "_child_code", lambda: "import time; time.sleep(60)")

    def cancelled() -> None:
        raise asyncio.CancelledError

    started = time.monotonic()
    with pytest.raises(asyncio.CancelledError):
        pages_of(pdf("x"), tmp_path, check=cancelled)
    assert time.monotonic() - started < 10


@pytest.mark.torture
@given(damage=st.lists(st.tuples(st.integers(0, 900), st.integers(0, 255)), min_size=1, max_size=9))
@examples(in_ci=15, in_torture=2_000)
def test_a_damaged_pdf_gives_pages_or_a_typed_error(
    damage: list[tuple[int, int]], tmp_path: Path
) -> None:
    data = bytearray(pdf("one", ""))
    for place, value in damage:
        if place < len(data):
            data[place] = value
    try:
        found = pages_of(bytes(data), tmp_path)
    except ToolError as problem:
        found, said = None, problem.suggestion
    assert said if found is None else found.pages


# ── without pdfium ────────────────────────────────────────────────────────────────────────────
def test_without_pdfium_the_error_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pdfs, "find_spec", lambda name: None)
    error = refused(pdf("x"), tmp_path)
    assert "pip install 'ankrcode[pdf]'" in error.suggestion


def test_the_parser_is_not_loaded_into_this_process(tmp_path: Path) -> None:
    pages_of(pdf("x"), tmp_path)
    assert "pypdfium2" not in sys.modules
