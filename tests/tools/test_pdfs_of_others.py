"""PDFs as other programs write them, and as nobody should: text, pictures or a word of why."""

import base64
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode import Toolkit
from ankrcode.protocol.result import ToolResult
from documents import opened, pdf, pdf_bomb
from pdf_samples import (
    BOX,
    filled_form,
    in_codes_of_its_own,
    in_pieces,
    inherited,
    locked,
    one_page,
    packed,
    shown,
    updated,
    with_object_streams,
)
from torture import examples

NO_TEXT = b"1 0 0 rg 50 50 100 100 re f"


async def read(folder: Path, content: bytes, name: str = "a.pdf", **arguments: Any) -> ToolResult:
    (folder / name).write_bytes(content)
    return await Toolkit(cwd=folder).call("Read", {"file_path": name, **arguments})


def pictures(result: ToolResult) -> list[Any]:
    return [opened(base64.b64decode(one.data or "")) for one in result.attachments]


# ── every way to write the same page ──────────────────────────────────────────────────────────
SAME: dict[str, Callable[[], bytes]] = {
    "plain": one_page,
    "inherited": inherited,
    "content in pieces": in_pieces,
    "flate": lambda: packed("FlateDecode"),
    "hex of flate": lambda: packed("ASCIIHexDecode", "FlateDecode"),
    "flate of flate": lambda: packed("FlateDecode", "FlateDecode"),
    "run length": lambda: packed("RunLengthDecode"),
    "object streams": with_object_streams,
    "updated": lambda: updated("Hello page"),
    "restricted without a password": lambda: locked(""),
    "rotated": lambda: one_page(f"{BOX} /Rotate 90"),
    "rotated backwards": lambda: one_page(f"{BOX} /Rotate -90"),
    "rotated by nonsense": lambda: one_page(f"{BOX} /Rotate 37"),
    "no box": lambda: one_page(""),
    "an empty box": lambda: one_page("/MediaBox [0 0 0 0]"),
    "a box upside down": lambda: one_page("/MediaBox [400 600 0 0]"),
    "a box of nonsense": lambda: one_page("/MediaBox [a b]"),
    "the largest box": lambda: one_page("/MediaBox [0 0 14400 14400]"),
    "cropped": lambda: one_page(f"{BOX} /CropBox [50 250 300 400]"),
    "large units": lambda: one_page(f"{BOX} /UserUnit 3"),
    "a script that opens": lambda: one_page(
        root="/OpenAction << /S /JavaScript /JS (app.alert(1)) >>"
    ),
    "a program that opens": lambda: one_page(root="/OpenAction << /S /Launch /F (calc.exe) >>"),
    "an unknown font": lambda: one_page(content=shown("Hello page").replace(b"/F1", b"/F9")),
    "states that do not match": lambda: one_page(content=b"Q Q q q " + shown("Hello page") + b" Q"),
    "unknown operators": lambda: one_page(content=b"1 2 xyz " + shown("Hello page") + b" abc"),
    "a mark in front": lambda: b"\xef\xbb\xbf" + one_page(),
    "blank lines in front": lambda: b"\n\n\r\n" + one_page(),
    "rubbish behind": lambda: one_page() + b"\0" * 2_000,
    "windows line ends in the head": lambda: one_page().replace(b"%PDF-1.5\n", b"%PDF-1.5\r", 1),
    "another version": lambda: one_page().replace(b"%PDF-1.5", b"%PDF-9.9"),
    "a table with wrong places": lambda: one_page().replace(b"0000000015", b"0000000999"),
    "no end mark": lambda: one_page().removesuffix(b"%%EOF\n"),
    "wrong length of a stream": lambda: one_page().replace(b"/Length ", b"/Length 9", 1),
    "a root that is named twice": lambda: one_page(root="/Type /Catalog"),
}


@pytest.mark.parametrize("name", SAME)
async def test_the_words_of_a_page_are_found_however_it_is_written(
    name: str, tmp_path: Path
) -> None:
    result = await read(tmp_path, SAME[name]())
    assert result.ok, result.text
    assert "--- page 1 ---\nHello page" in result.text
    assert not result.attachments


DRAWN = [
    name for name in SAME if any(part in name for part in ("box", "rot", "crop", "unit", "font"))
]


@pytest.mark.parametrize("name", DRAWN)
async def test_the_page_is_drawn_within_bounds_however_it_is_written(
    name: str, tmp_path: Path
) -> None:
    result = await read(tmp_path, SAME[name](), visuals="always")
    assert result.ok, result.text
    for picture in pictures(result):
        assert 0 < max(picture.size) <= 1568
    assert pictures(result) or "no picture" in result.text


@pytest.mark.parametrize(("turn", "is_wide"), [(0, False), (90, True), (180, False), (270, True)])
async def test_a_turned_page_is_drawn_as_a_person_sees_it(
    turn: int, is_wide: bool, tmp_path: Path
) -> None:
    result = await read(tmp_path, one_page(f"{BOX} /Rotate {turn}", NO_TEXT))
    (picture,) = pictures(result)
    assert (picture.width > picture.height) is is_wide
    # The red square stands at the lower left of the page as it was drawn.
    corner = {0: (0.2, 0.85), 90: (0.15, 0.2), 180: (0.8, 0.15), 270: (0.85, 0.8)}[turn]
    place = (int(picture.width * corner[0]), int(picture.height * corner[1]))
    assert picture.convert("RGB").getpixel(place) == (255, 0, 0)


@pytest.mark.parametrize(
    "text", ["नमस्ते दुनिया", "Привет, мир", "日本語の文章", "வணக்கம்", "ﬁne – “x”"]
)
async def test_letters_of_every_script_are_found_by_the_table_of_the_file(
    text: str, tmp_path: Path
) -> None:
    result = await read(tmp_path, in_codes_of_its_own(text))
    assert text in result.text or text.replace("ﬁ", "fi") in result.text


# ── forms ─────────────────────────────────────────────────────────────────────────────────────
async def test_what_someone_filled_in_is_read_with_the_page(tmp_path: Path) -> None:
    result = await read(tmp_path, filled_form(name="Asha", city="मुंबई", agree="/Yes", other="/Off"))
    for part in ("Please fill in", "[field name: Asha]", "[field city: मुंबई]", "[field agree: Yes]"):
        assert part in result.text


async def test_empty_fields_are_not_listed(tmp_path: Path) -> None:
    result = await read(tmp_path, filled_form(name="", city=""))
    assert "Please fill in" in result.text
    assert "[field" not in result.text


async def test_a_form_of_a_thousand_fields_is_read(tmp_path: Path) -> None:
    result = await read(tmp_path, filled_form(**{f"f{n}": f"value {n}" for n in range(1_000)}))
    assert "[field f999: value 999]" in result.text


# ── which pages ───────────────────────────────────────────────────────────────────────────────
TWELVE = pdf(*(f"words of page {n}" for n in range(1, 13)))


def numbers(result: ToolResult) -> list[int]:
    return [n for n in range(1, 600) if f"--- page {n} ---" in result.text]


@pytest.mark.parametrize(
    ("pages", "expected"),
    [
        ("1-3", [1, 2, 3]),
        ("2", [2]),
        ("5-", list(range(5, 13))),
        ("12", [12]),
        ("12-", [12]),
        ("1-12", list(range(1, 13))),
        ("1,3,5", [1, 3, 5]),
        (" 1 - 2 , 4 ", [1, 2, 4]),
        ("3,3,3", [3]),
        ("2-4,3-5", [2, 3, 4, 5]),
        ("7-7", [7]),
        ("007", [7]),
        ("१-२", [1, 2]),
        ("", list(range(1, 11))),
    ],
)
async def test_pages_are_chosen_by_ranges(pages: str, expected: list[int], tmp_path: Path) -> None:
    result = await read(tmp_path, TWELVE, pages=pages)
    assert numbers(result) == expected
    for number in expected:
        assert f"words of page {number}" in result.text


@pytest.mark.parametrize(
    "pages",
    [
        *("0", "0-3", "-3", "3-1", "a", "1-b", "1-3-5", "1,,2", ",", "1;2", "1..3", "all", "1 2"),
        *("13", "1-13", "13-", "99999999999", "1.5", "+1", "1-21", "①", "1\n2", "-", "--"),
    ],
)
async def test_a_bad_range_is_refused_with_what_a_good_one_looks_like(
    pages: str, tmp_path: Path
) -> None:
    result = await read(tmp_path, TWELVE, pages=pages)
    assert result.error is not None, result.text
    assert result.error.code == "INVALID_INPUT"
    assert len(result.text) < 500


async def test_five_hundred_pages_are_read_twenty_at_a_time(tmp_path: Path) -> None:
    data = pdf(*(f"page number {n}" for n in range(1, 501)))
    first = await read(tmp_path, data)
    assert numbers(first) == list(range(1, 11))
    assert "500" in first.text
    last = await read(tmp_path, data, pages="481-500")
    assert numbers(last) == list(range(481, 501))
    for pages in ("1-500", "1-", "480-500"):
        result = await read(tmp_path, data, pages=pages)
        assert result.error is not None
        assert "20" in result.text


async def test_pages_of_what_is_no_pdf_are_no_matter(tmp_path: Path) -> None:
    result = await read(tmp_path, b"plain text\n", "a.txt", pages="1-3")
    assert result.text == "     1\tplain text"


# ── names that lie ────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("name", ["a.txt", "a", "a.png", "a.PDF", "a.ipynb", "रिपोर्ट.pdf"])
async def test_a_pdf_is_one_whatever_it_is_called(name: str, tmp_path: Path) -> None:
    assert "Hello page" in (await read(tmp_path, one_page(), name)).text


@pytest.mark.parametrize(
    "content",
    [b"not a pdf\n", b"#!/bin/sh\necho %PDF-1.5\n", b'header = b"%PDF-1.7"\n', b"PDF-1.5\n"],
)
async def test_text_about_pdfs_is_text(content: bytes, tmp_path: Path) -> None:
    result = await read(tmp_path, content)
    assert result.text.startswith("     1\t" + content.decode().split("\n", 1)[0])


# ── broken and hostile ────────────────────────────────────────────────────────────────────────
BROKEN: dict[str, Callable[[], bytes]] = {
    "head alone": lambda: b"%PDF-1.5\n",
    "head and end": lambda: b"%PDF-1.5\n%%EOF\n",
    "no pages": pdf,
    "half": lambda: one_page()[: len(one_page()) // 2],
    "no trailer": lambda: one_page().partition(b"xref\n")[0],
    "noise": lambda: b"%PDF-1.5\n" + bytes(range(256)) * 50,
    "brackets without end": lambda: b"%PDF-1.5\n1 0 obj\n" + b"[" * 100_000,
    "names without end": lambda: b"%PDF-1.5\n1 0 obj\n<<" + b"/A " * 100_000,
    "a table that is its own table": lambda: (
        b"%PDF-1.5\nxref\n0 0\ntrailer << /Prev 9 >>\nstartxref\n9\n"
    ),
    "a root that is no catalogue": lambda: one_page().replace(b"/Type /Catalog", b"/Type /Nothing"),
    "locked": lambda: locked("secret"),
    "html": lambda: b"%PDF-\n<html><body>404 Not Found</body></html>",
}


@pytest.mark.parametrize("name", BROKEN)
async def test_what_cannot_be_read_says_so_soon_and_with_advice(name: str, tmp_path: Path) -> None:
    started = time.monotonic()
    result = await read(tmp_path, BROKEN[name]())
    assert time.monotonic() - started < 10
    if name != "a root that is no catalogue":  # some parsers take it
        assert result.error is not None, result.text
        assert result.error.code == "NOT_TEXT"
        assert result.error.suggestion
    assert ("password" in result.text) is (name == "locked")


@pytest.mark.parametrize("share", [0.05, 0.5, 0.9, 0.99])
@pytest.mark.parametrize("make", [with_object_streams, one_page, lambda: TWELVE])
async def test_a_truncated_pdf_gives_pages_or_a_typed_error(
    make: Callable[[], bytes], share: float, tmp_path: Path
) -> None:
    whole = make()
    result = await read(tmp_path, whole[: int(len(whole) * share)])
    if result.error is not None:
        assert result.error.code == "NOT_TEXT"
        assert result.error.suggestion


@pytest.mark.torture
@examples(in_ci=12, in_torture=1_000)
@given(
    at=st.integers(0, 10_000),
    rubbish=st.binary(min_size=1, max_size=20),
    which=st.sampled_from(sorted(SAME)),
)
async def test_rubbish_anywhere_gives_pages_or_a_typed_error(
    tmp_path: Path, at: int, rubbish: bytes, which: str
) -> None:
    data = SAME[which]()
    at %= len(data)
    result = await read(tmp_path, data[:at] + rubbish + data[at + len(rubbish) :])
    assert result.error is None or result.error.code == "NOT_TEXT"


async def test_a_bomb_is_given_up_in_time(tmp_path: Path) -> None:
    bomb = pdf_bomb(300)
    started = time.monotonic()
    result = await read(tmp_path, bomb, visuals="always")
    assert time.monotonic() - started < 10
    assert result.error is None or result.error.suggestion


async def test_a_page_of_a_megabyte_of_words_is_cut_or_refused(tmp_path: Path) -> None:
    words = " ".join(f"word{n}" for n in range(20_000))
    content = b"BT /F1 1 Tf 10 500 Td (" + words.encode() + b") Tj ET"
    result = await read(tmp_path, one_page(content=content))
    assert len(result.text) <= 100_000
    assert result.error is None or result.error.code == "TOO_LARGE"


async def test_pages_with_and_without_words_are_told_apart(tmp_path: Path) -> None:
    result = await read(tmp_path, pdf("first words", "", "last words"))
    assert [one.name for one in result.attachments] == ["page 2"]
    assert "--- page 2 ---\n[picture attached]\n--- page 3 ---\nlast words" in result.text
