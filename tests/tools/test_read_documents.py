"""Read: pictures, PDFs and notebooks as a model gets them."""

import base64
import json
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ankrcode.config.settings import ReadSettings, Settings
from ankrcode.protocol.result import ToolResult
from ankrcode.testing import Bench
from ankrcode.tools.read import Read, ReadOutput
from documents import (
    code_cell,
    display,
    encrypted_pdf,
    markdown_cell,
    notebook,
    opened,
    pdf,
    picture,
    png,
    stream,
    written,
)


def value_of(result: ToolResult) -> ReadOutput:
    assert result.error is None, result.error
    return msgspec.convert(msgspec.to_builtins(result.value), ReadOutput)


async def read(folder: Path, name: str, content: bytes | str, **arguments: Any) -> ToolResult:
    data = content.encode() if isinstance(content, str) else content
    (folder / name).write_bytes(data)
    return await Bench(Read, folder).run(file_path=name, **arguments)


def picture_in(result: ToolResult, number: int = 0) -> Any:
    data = result.attachments[number].data
    assert data is not None
    return opened(base64.b64decode(data))


# ── pictures ──────────────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S0-016", "S4-052", "S4-169")
async def test_a_picture_is_attached_as_base64(tmp_path: Path) -> None:
    content = png(30, 20)
    result = await read(tmp_path, "screenshot.png", content)
    (attachment,) = result.attachments
    assert (attachment.type, attachment.mime) == ("image", "image/png")
    assert base64.b64decode(attachment.data or "") == content
    assert result.text == (
        f"{tmp_path}/screenshot.png: PNG image, 30 × 20 pixels, {len(content)} bytes; "
        "attached as image/png, 30 × 20."
    )
    value = value_of(result)
    assert (value.kind, value.size) == ("image", len(content))


async def test_a_large_photo_is_shrunk_for_the_model(tmp_path: Path) -> None:
    result = await read(tmp_path, "photo", picture("JPEG", (4_000, 3_000)))
    image = picture_in(result)
    assert image.format == "JPEG"
    assert max(image.size) <= 1568
    assert "4000 × 3000 pixels" in result.text
    assert f"{image.width} × {image.height}." in result.text


@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF"])
async def test_a_picture_is_known_by_its_bytes_not_by_its_name(form: str, tmp_path: Path) -> None:
    result = await read(tmp_path, "data.txt", picture(form, (30, 20)))
    assert picture_in(result).size == (30, 20)
    assert result.attachments[0].mime == f"image/{picture_in(result).format.lower()}"


async def test_the_bytes_of_a_picture_can_be_had_instead(tmp_path: Path) -> None:
    content = png(30, 20)
    result = await read(tmp_path, "a.png", content, encoding="base64")
    assert not result.attachments
    assert base64.b64decode(value_of(result).content) == content


async def test_a_broken_picture_is_an_error_that_says_so(tmp_path: Path) -> None:
    result = await read(tmp_path, "a.png", png(300, 200)[:60])
    assert result.error is not None
    assert result.error.code == "NOT_TEXT"
    assert "begins like a PNG image" in result.text


async def test_a_picture_that_was_seen_counts_as_read(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(png(3, 2))
    bench = Bench(Read, tmp_path)
    await bench.run(file_path="a.png")
    assert bench.kit.agent.reads.check_current(str(tmp_path / "a.png")).is_whole


async def test_without_pillow_a_large_picture_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    result = await read(tmp_path, "a.png", png(3_000, 20))
    assert "pip install 'ankrcode[images]'" in result.text


async def test_no_more_pictures_than_a_model_takes_are_attached(tmp_path: Path) -> None:
    for number in range(25):
        (tmp_path / f"{number}.png").write_bytes(png(3, 2))
    result = await Bench(Read, tmp_path).run(file_paths=[f"{number}.png" for number in range(25)])
    assert len(result.attachments) == value_of(result).files_read == 20
    assert "in another call" in result.text


# ── PDF ───────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S0-017", "S4-053")
async def test_a_pdf_gives_text_and_pictures_page_by_page(tmp_path: Path) -> None:
    result = await read(tmp_path, "a.pdf", pdf("first page", "", "third page"))
    assert result.text == (
        f"{tmp_path}/a.pdf: PDF, 3 pages; shown: 1, 2, 3.\n"
        "--- page 1 ---\nfirst page\n"
        "--- page 2 ---\n[picture attached]\n"
        "--- page 3 ---\nthird page"
    )
    (attachment,) = result.attachments
    assert (attachment.mime, attachment.name) == ("image/png", "page 2")
    assert picture_in(result).width > 500
    assert value_of(result).kind == "pdf"


async def test_every_page_is_drawn_if_visuals_are_always_wanted(tmp_path: Path) -> None:
    result = await read(tmp_path, "a.pdf", pdf("one", "two"), visuals="always")
    assert [one.name for one in result.attachments] == ["page 1", "page 2"]
    assert "--- page 2 ---\ntwo\n[picture attached]" in result.text


async def test_pages_are_chosen(tmp_path: Path) -> None:
    document = pdf(*(f"this is {number}" for number in range(1, 31)))
    result = await read(tmp_path, "a.pdf", document, pages="2-3, 30")
    assert "shown: 2, 3, 30." in result.text
    assert "this is 30" in result.text
    assert "this is 4" not in result.text


async def test_the_first_ten_pages_are_shown_and_the_rest_is_named(tmp_path: Path) -> None:
    document = pdf(*(f"this is {number}" for number in range(1, 31)))
    result = await read(tmp_path, "a.pdf", document)
    assert "PDF, 30 pages; shown: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10." in result.text
    assert result.text.endswith('[Read on with pages="11-30".]')


@pytest.mark.parametrize(
    ("pages", "said"),
    [
        ("0", "counted from 1"),
        ("x", "not a page"),
        ("1-21", "at most 20"),
        ("9", "there is no page 9"),
        ("2-9", "there is no page 9"),
        ("3-1", "not a range"),
    ],
)
async def test_pages_that_do_not_fit_are_refused(pages: str, said: str, tmp_path: Path) -> None:
    result = await read(tmp_path, "a.pdf", pdf("one", "two", "three"), pages=pages)
    assert result.error is not None
    assert result.error.code == "INVALID_INPUT"
    assert said in result.text


async def test_an_encrypted_pdf_is_refused(tmp_path: Path) -> None:
    result = await read(tmp_path, "a.pdf", encrypted_pdf())
    assert result.error is not None
    assert "needs a password" in result.text


async def test_pages_beyond_the_tokens_of_a_call_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(pdf(*["many words on one page " * 40] * 10))
    bench = Bench(Read, tmp_path, settings=Settings(read=ReadSettings(max_tokens=1_000)))
    result = await bench.run(file_path="a.pdf")
    assert result.error is not None
    assert result.error.code == "TOO_LARGE"
    assert "fewer pages" in result.text


async def test_a_pdf_does_not_count_as_read_text(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(pdf("one"))
    bench = Bench(Read, tmp_path)
    await bench.run(file_path="a.pdf")
    assert bench.kit.agent.reads.get(str(tmp_path / "a.pdf")) is None


# ── notebooks ─────────────────────────────────────────────────────────────────────────────────
PLOT = base64.b64encode(png(40, 30)).decode()


@pytest.mark.requirement("S0-018", "S4-054")
async def test_a_notebook_gives_its_cells_with_their_outputs(tmp_path: Path) -> None:
    made = notebook(
        markdown_cell("# शीर्षक", "intro"),
        code_cell("x = 1\nprint(x)", stream("1\n"), cell_id="first", run=3),
        code_cell("plot()", display(image_png=PLOT, text_plain="<Figure>"), cell_id="plot"),
    )
    result = await read(tmp_path, "a.ipynb", written(made))
    assert result.text == (
        f"{tmp_path}/a.ipynb: notebook, 3 cells, python; cell numbers count from 0.\n"
        "--- cell 0 (markdown, id intro) ---\n# शीर्षक\n"
        "--- cell 1 (code, id first, run 3) ---\nx = 1\nprint(x)\n"
        "--- output of cell 1: stdout ---\n1\n"
        "--- cell 2 (code, id plot) ---\nplot()\n"
        "--- output of cell 2: image/png ---\n[picture attached]"
    )
    assert picture_in(result).size == (40, 30)
    value = value_of(result)
    assert (value.kind, value.lines, value.total_lines) == ("notebook", 3, 3)


async def test_offset_and_limit_count_cells(tmp_path: Path) -> None:
    cells = [markdown_cell(f"text {number}", f"c{number}") for number in range(10)]
    (tmp_path / "a.ipynb").write_text(written(notebook(*cells)), encoding="utf-8")
    bench = Bench(Read, tmp_path)
    result = await bench.run(file_path="a.ipynb", offset=3, limit=2)
    assert "text 2" in result.text
    assert "text 3" in result.text
    assert "text 1\n" not in result.text
    assert result.text.endswith("[Cells 2 to 3 of 10. Read on with offset=5.]")
    record = bench.kit.agent.reads.check_current(str(tmp_path / "a.ipynb"))
    assert (record.offset, record.limit) == (3, 2)
    whole = await bench.run(file_path="a.ipynb")
    assert "Read on" not in whole.text
    assert bench.kit.agent.reads.check_current(str(tmp_path / "a.ipynb")).is_whole


async def test_a_long_output_is_cut(tmp_path: Path) -> None:
    made = notebook(code_cell("x", stream("क्षि" * 3_000), cell_id="a"))
    result = await read(tmp_path, "a.ipynb", written(made))
    assert "… [8000 more characters]" in result.text
    assert len(result.text) < 5_000


@pytest.mark.parametrize("data", ["not base64!", "aGVsbG8=", PLOT[:40], ""])
async def test_a_picture_that_is_none_is_not_sent(data: str, tmp_path: Path) -> None:
    made = notebook(code_cell("x", display(image_png=data), cell_id="a"))
    result = await read(tmp_path, "a.ipynb", written(made))
    assert result.ok
    assert not result.attachments


async def test_an_invalid_notebook_is_shown_as_the_text_it_is(tmp_path: Path) -> None:
    text = json.dumps({"cells": [{"cell_type": "code"}], "nbformat": 4}, indent=1)
    result = await read(tmp_path, "a.ipynb", text)
    assert result.text.startswith('     1\t{\n     2\t "cells": [')
    assert "[Not a valid notebook (" in result.text
    assert value_of(result).kind == "text"
    assert value_of(result).content == text


@pytest.mark.parametrize(
    "content", ["", "\n", "{", "[" * 50_000], ids=["", "blank", "open", "deep"]
)
async def test_what_is_hardly_a_notebook_is_still_read(content: str, tmp_path: Path) -> None:
    result = await read(tmp_path, "a.ipynb", content)
    assert result.ok
    assert ("exists but is empty" in result.text) == (content == "")


async def test_a_notebook_beyond_the_tokens_of_a_call_names_cells(tmp_path: Path) -> None:
    made = notebook(*(code_cell("value = compute(value)\n" * 40) for _ in range(150)), minor=4)
    result = await read(tmp_path, "a.ipynb", written(made))
    assert result.error is not None
    assert "fewer cells" in result.text
    assert (await read(tmp_path, "a.ipynb", written(made), limit=20)).ok


async def test_a_notebook_of_an_old_version_is_shown_as_text(tmp_path: Path) -> None:
    old = {"metadata": {}, "nbformat": 3, "nbformat_minor": 0, "worksheets": [{"cells": []}]}
    result = await read(tmp_path, "a.ipynb", written(old))
    assert "worksheets" in result.text
    assert "[Not a valid notebook (" in result.text
