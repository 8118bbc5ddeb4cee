"""Pictures as other programs save them: each reaches the model upright, small and true, or not."""

import base64
import struct
import time
import zlib
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from ankrcode import Toolkit
from ankrcode.protocol.result import ToolResult
from documents import chunk, opened, picture, png, png_claiming

SENT = ("image/png", "image/jpeg", "image/gif", "image/webp")
FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF")
RED, BLUE = (220, 0, 0), (0, 0, 220)


async def read(folder: Path, content: bytes, name: str = "a.png", **arguments: Any) -> ToolResult:
    (folder / name).write_bytes(content)
    return await Toolkit(cwd=folder).call("Read", {"file_path": name, **arguments})


def sent(result: ToolResult) -> Any:
    """The picture that a model gets."""
    assert result.error is None, result.text
    (attachment,) = result.attachments
    assert attachment.mime in SENT
    image = opened(base64.b64decode(attachment.data or ""))
    assert image.get_format_mimetype() == attachment.mime
    return image


def is_near(found: Any, colour: tuple[int, int, int]) -> bool:
    return all(abs(one - other) < 40 for one, other in zip(found[:3], colour, strict=True))


def saved(image: Any, form: str, **options: Any) -> bytes:
    buffer = BytesIO()
    image.save(buffer, form, **options)
    return buffer.getvalue()


def halves(size: tuple[int, int]) -> Any:
    image = Image.new("RGB", size, RED)
    image.paste(BLUE, (size[0] // 2, 0, *size))
    return image


def frames(count: int, form: str, **options: Any) -> bytes:
    """A moving picture: red first, then darker and darker."""
    made = [Image.new("RGB", (40, 20), (220 - n % 200, n % 200, n % 7)) for n in range(count)]
    return saved(made[0], form, save_all=True, append_images=made[1:], duration=10, **options)


# ── every kind of picture ─────────────────────────────────────────────────────────────────────
KINDS: dict[str, bytes] = {
    **{f"{form} of one pixel": picture(form, (1, 1)) for form in FORMATS},
    **{f"{form} of one row": picture(form, (500, 1)) for form in FORMATS},
    **{f"{form} of one column": picture(form, (1, 500)) for form in FORMATS},
    "grey png": picture("PNG", (60, 40), "L"),
    "black and white png": picture("PNG", (60, 40), "1"),
    "palette png": picture("PNG", (60, 40), "P"),
    "palette png with alpha": saved(
        halves((60, 40)).convert("P", palette=Image.Palette.ADAPTIVE), "PNG", transparency=0
    ),
    "grey png with alpha": picture("PNG", (60, 40), "LA"),
    "colour png with alpha": picture("PNG", (60, 40), "RGBA"),
    "16 bit png": saved(Image.new("I;16", (60, 40), 40_000), "PNG"),
    "interlaced png": saved(halves((60, 40)), "PNG", interlace=1),
    "png with a resolution": saved(halves((60, 40)), "PNG", dpi=(300, 300)),
    "grey jpeg": picture("JPEG", (60, 40), "L"),
    "jpeg of a printer": picture("JPEG", (60, 40), "CMYK"),
    "progressive jpeg": picture("JPEG", (60, 40), progressive=True),
    "jpeg of low quality": picture("JPEG", (60, 40), quality=1),
    "jpeg with a comment": saved(halves((60, 40)), "JPEG", comment=b"x" * 60_000),
    "old gif": picture("GIF", (60, 40)).replace(b"GIF89a", b"GIF87a"),
    "moving gif": frames(5, "GIF"),
    "moving png": frames(5, "PNG"),
    "moving webp": frames(5, "WEBP"),
    "lossless webp": picture("WEBP", (60, 40), lossless=True),
    "webp with alpha": picture("WEBP", (60, 40), "RGBA"),
    "grey bmp": picture("BMP", (60, 40), "L"),
    "black and white bmp": picture("BMP", (60, 40), "1"),
    "bmp with alpha": picture("BMP", (60, 40), "RGBA"),
    "tiff of many pages": frames(4, "TIFF"),
    "packed tiff": saved(halves((60, 40)), "TIFF", compression="tiff_lzw"),
    "tiff of a fax": picture("TIFF", (60, 40), "1"),
    "tiff of a printer": picture("TIFF", (60, 40), "CMYK"),
    "tiff of numbers": saved(Image.new("F", (60, 40), 0.5), "TIFF"),
    "tiff of large numbers": saved(Image.new("I", (60, 40), 70_000), "TIFF"),
}


@pytest.mark.parametrize("name", KINDS)
async def test_every_kind_reaches_the_model_as_one_it_takes(name: str, tmp_path: Path) -> None:
    before = opened(KINDS[name])
    result = await read(tmp_path, KINDS[name])
    image = sent(result)
    assert image.size == before.size
    assert f"{before.width} × {before.height}" in result.text.replace("x", "×")
    image.load()
    assert getattr(image, "n_frames", 1) == 1


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("called", ["a.txt", "a", "a.pdf", "a.ipynb", "चित्र"])
async def test_its_name_does_not_matter(form: str, called: str, tmp_path: Path) -> None:
    assert sent(await read(tmp_path, picture(form, (9, 7)), called)).size == (9, 7)


@pytest.mark.parametrize("name", [name for name in KINDS if "of one" not in name])
async def test_a_kind_that_is_too_large_is_shrunk_and_keeps_its_colours(
    name: str, tmp_path: Path
) -> None:
    small = opened(KINDS[name])
    form = small.format
    if "numbers" in name or "16 bit" in name:
        small = small.convert("L")
    large = small.resize((1800, 1200))
    options = {"interlace": 1} if "interlaced" in name else {}
    image = sent(await read(tmp_path, saved(large, form, **options)))
    assert max(image.size) <= 1568
    assert image.width * image.height <= 1_160_000
    assert abs(image.width / image.height - 1.5) < 0.01


@pytest.mark.parametrize("size", [(1568, 10), (1569, 10), (10, 5_000), (1_100, 1_100), (9_000, 3)])
@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP"])
async def test_the_shape_of_a_large_picture_is_kept(
    form: str, size: tuple[int, int], tmp_path: Path
) -> None:
    image = sent(await read(tmp_path, picture(form, size)))
    scale = min(1.0, 1568 / max(size), (1_150_000 / (size[0] * size[1])) ** 0.5)
    assert abs(image.width - size[0] * scale) <= 1
    assert abs(image.height - max(1, size[1] * scale)) <= 1
    if size[0] > 100:
        left, right = (
            image.convert("RGB").getpixel((3, 0)),
            image.convert("RGB").getpixel((image.width - 3, 0)),
        )
        assert is_near(left, RED)
        assert is_near(right, BLUE)


async def test_what_shines_through_stays_or_becomes_white(tmp_path: Path) -> None:
    clear = Image.new("RGBA", (3_000, 2_000), (0, 0, 0, 0))
    image = sent(await read(tmp_path, saved(clear, "PNG")))
    assert image.convert("RGBA").getpixel((5, 5)) in ((0, 0, 0, 0), (255, 255, 255, 255))


# ── turned by the camera ──────────────────────────────────────────────────────────────────────
TURNED = {  # the orientation, the size after it, where red is then
    1: ((60, 40), "left"),
    2: ((60, 40), "right"),
    3: ((60, 40), "right"),
    4: ((60, 40), "left"),
    5: ((40, 60), "top"),
    6: ((40, 60), "top"),
    7: ((40, 60), "bottom"),
    8: ((40, 60), "bottom"),
    0: ((60, 40), "left"),
    9: ((60, 40), "left"),
    99: ((60, 40), "left"),
}


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP", "TIFF"])
@pytest.mark.parametrize("orientation", TURNED)
async def test_a_photo_stands_upright(orientation: int, form: str, tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    image = sent(await read(tmp_path, saved(halves((60, 40)), form, exif=exif))).convert("RGB")
    size, side = TURNED[orientation]
    assert image.size == size
    places = {
        "left": (5, size[1] // 2),
        "right": (size[0] - 5, size[1] // 2),
        "top": (size[0] // 2, 5),
        "bottom": (size[0] // 2, size[1] - 5),
    }
    assert is_near(image.getpixel(places[side]), RED)


# ── moving pictures ───────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("form", ["GIF", "PNG", "WEBP", "TIFF"])
async def test_of_a_moving_picture_the_first_is_sent(form: str, tmp_path: Path) -> None:
    image = sent(await read(tmp_path, frames(30, form))).convert("RGB")
    assert is_near(image.getpixel((20, 10)), (220, 0, 0))


async def test_a_gif_of_a_million_pictures_takes_no_longer(tmp_path: Path) -> None:
    frame = b"\x2c\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0"
    head = b"GIF89a\x01\0\x01\0\x80\0\0\xff\0\0\0\0\xff"
    started = time.process_time()
    assert sent(await read(tmp_path, head + frame * 1_000_000 + b";")).size == (1, 1)
    assert time.process_time() - started < 3


# ── broken and hostile ────────────────────────────────────────────────────────────────────────
def png_with(*extra: bytes) -> bytes:
    whole = png(4, 4)
    return whole[:33] + b"".join(extra) + whole[33:]


BOMB = zlib.compress(bytes(100 * 1024 * 1024), 1)
HARMLESS = {
    "a text that unpacks to 100 MB": png_with(chunk(b"zTXt", b"a\0\0" + BOMB)),
    "a profile that unpacks to 100 MB": png_with(chunk(b"iCCP", b"a\0\0" + BOMB)),
    "an unknown part": png_with(chunk(b"ruBb", b"x" * 1_000)),
    "a thousand texts": png_with(*(chunk(b"tEXt", b"a\0b") for _ in range(1_000))),
    "rubbish behind": png(4, 4) + b"\0" * 100_000,
    "a program behind": png(4, 4) + b"#!/bin/sh\nrm -rf /\n",
}


@pytest.mark.parametrize("name", HARMLESS)
async def test_what_a_picture_carries_besides_harms_nobody(name: str, tmp_path: Path) -> None:
    started = time.process_time()
    result = await read(tmp_path, HARMLESS[name])
    assert time.process_time() - started < 5
    if result.error is None:
        assert sent(result).size == (4, 4)
    else:
        assert result.error.code in ("NOT_TEXT", "TOO_LARGE")


LARGE = {
    "png": png_claiming(100_000, 100_000, b"x"),
    "png of one long row": png_claiming(2**31 - 1, 1, b"x"),
    "gif": b"GIF89a" + struct.pack("<HH", 65_535, 65_535) + b"\0\0\0;",
    "bmp": b"BM"
    + bytes(8)
    + b"\x36\0\0\0\x28\0\0\0"
    + struct.pack("<iiHHI", 60_000, 60_000, 1, 24, 0)
    + bytes(20),
    "jpeg": b"\xff\xd8\xff\xc0\0\x11\x08"
    + struct.pack(">HH", 65_000, 65_000)
    + b"\3\1\x11\0\2\x11\0\3\x11\0\xff\xd9",
    "lossless webp": b"RIFF\x20\0\0\0WEBPVP8L\x10\0\0\0/"
    + ((16_382 << 14) | 16_382).to_bytes(4, "little")
    + bytes(20),
}


@pytest.mark.parametrize("name", LARGE)
async def test_a_picture_that_claims_too_much_is_refused_by_its_head(
    name: str, tmp_path: Path
) -> None:
    started = time.process_time()
    result = await read(tmp_path, LARGE[name])
    assert time.process_time() - started < 2
    assert result.error is not None
    assert result.error.code == "TOO_LARGE"
    assert result.error.suggestion
    assert not result.attachments


@pytest.mark.parametrize("form", FORMATS)
async def test_half_a_file_never_sends_half_a_picture_silently(form: str, tmp_path: Path) -> None:
    whole = saved(Image.effect_noise((300, 200), 90).convert("RGB"), form)
    for share in (0.1, 0.5, 0.9):
        result = await read(tmp_path, whole[: int(len(whole) * share)])
        if result.error is None:
            assert sent(result).size == (300, 200)
        else:
            assert result.error.code == "NOT_TEXT"
            assert result.error.suggestion


@pytest.mark.parametrize(
    "content",
    [b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF89a\x01\0\x01\0\0\0\0", b"II*\0\x08\0\0\0"],
    ids=["png", "jpeg", "gif", "tiff"],
)
async def test_a_head_alone_is_no_picture(content: bytes, tmp_path: Path) -> None:
    result = await read(tmp_path, content)
    assert result.error is not None
    assert result.error.code in ("NOT_TEXT", "TOO_LARGE")


@pytest.mark.parametrize(
    "text", ["GIF89a is a format\n", "BMW makes cars\n", "II* or MM\n", "RIFF and WEBP\n", "PNG\n"]
)
async def test_text_that_begins_like_a_picture_is_text(text: str, tmp_path: Path) -> None:
    assert (await read(tmp_path, text.encode())).text == f"     1\t{text.rstrip()}"


async def test_svg_is_shown_as_the_text_it_is(tmp_path: Path) -> None:
    result = await read(tmp_path, b'<svg xmlns="http://www.w3.org/2000/svg"/>\n', "a.svg")
    assert "<svg" in result.text
    assert not result.attachments
