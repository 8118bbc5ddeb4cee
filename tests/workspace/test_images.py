"""Pictures: judged by their first bytes, shrunk, turned upright, and never a bomb."""

import math
import random
import struct
import sys
import zlib
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.errors import ErrorCode, ToolError
from ankrcode.workspace.documents.filetypes import FileType, shown_type
from ankrcode.workspace.documents.images import (
    LONG_EDGE,
    SENT_BYTES,
    SENT_PIXELS,
    Picture,
    dimensions,
    picture_of,
)
from documents import opened, picture, png, png_claiming
from torture import examples

FORMS = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF")


def prepared(data: bytes) -> Picture:
    kind = shown_type(data)
    assert kind is not None
    return picture_of(data, kind, "/a")


def refused(data: bytes) -> ToolError:
    with pytest.raises(ToolError) as caught:
        prepared(data)
    return caught.value


def check_is_picture_or_error(data: bytes, kind: FileType) -> None:
    error = None
    try:
        opened(picture_of(data, kind, "/a").data).load()
    except ToolError as problem:
        error = problem
    assert error is None or (error.suggestion and error.code in ("NOT_TEXT", "TOO_LARGE"))


def without_pillow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)


# ── recognising ───────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("form", FORMS)
def test_each_format_is_known_by_its_first_bytes(form: str) -> None:
    data = picture(form, (30, 20))
    kind = shown_type(data)
    assert kind is not None
    assert kind.is_image
    assert form.lower() in kind.name.lower()
    assert kind.mime == f"image/{form.lower()}"


@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "WEBP", "BMP"])
@pytest.mark.parametrize("size", [(1, 1), (30, 20), (2_000, 3)])
def test_the_size_is_read_from_the_header(form: str, size: tuple[int, int]) -> None:
    assert dimensions(picture(form, size)) == size


@pytest.mark.parametrize("options", [{"lossless": True}, {"exif": b"Exif\0\0MM\0*\0\0\0\x08\0\0"}])
def test_the_size_is_read_from_every_kind_of_webp(options: dict[str, Any]) -> None:
    assert dimensions(picture("WEBP", (31, 17), **options)) == (31, 17)


def test_a_transparent_webp_has_its_size() -> None:
    assert dimensions(picture("WEBP", (31, 17), mode="RGBA")) == (31, 17)


def test_a_jpeg_with_much_before_its_frame_has_its_size() -> None:
    data = picture("JPEG", (40, 50), exif=b"Exif\0\0" + b"x" * 5_000, comment=b"\xff\xc0" * 900)
    assert dimensions(data) == (40, 50)


@pytest.mark.parametrize(
    "text", ["BMW makes cars\n" * 9, "GIF89a", "II*", "RIFFRAFF", "MM\n", "%", "\x89PNG"]
)
def test_text_that_begins_a_little_like_a_picture_is_text(text: str) -> None:
    assert shown_type(text.encode()) is None


@pytest.mark.torture
@given(st.binary(max_size=300), st.sampled_from(FORMS))
@examples(in_ci=200, in_torture=20_000)
def test_no_bytes_behind_a_signature_upset_the_reader_of_headers(tail: bytes, form: str) -> None:
    start = picture(form, (3, 2))[:12]
    found = dimensions(start + tail)
    assert found is None or (found[0] > 0 and found[1] > 0)


# ── what is sent ──────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "WEBP"])
def test_a_small_picture_is_sent_as_it_is(form: str) -> None:
    data = picture(form, (300, 200))
    sent = prepared(data)
    assert sent.data == data
    assert (sent.mime, sent.width, sent.height) == (f"image/{form.lower()}", 300, 200)


@pytest.mark.parametrize("form", ["BMP", "TIFF"])
def test_formats_that_models_do_not_take_become_png(form: str) -> None:
    sent = prepared(picture(form, (300, 200)))
    assert sent.mime == "image/png"
    assert opened(sent.data).size == (300, 200)
    assert opened(sent.data).format == "PNG"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("size", [(4_000, 3_000), (1_569, 10), (60, 6_000), (1_500, 1_500)])
def test_a_large_picture_is_shrunk_and_keeps_its_shape(form: str, size: tuple[int, int]) -> None:
    sent = prepared(picture(form, size))
    made = opened(sent.data)
    assert made.size == (sent.width, sent.height)
    assert max(made.size) <= LONG_EDGE
    assert math.prod(made.size) <= SENT_PIXELS * 1.01
    assert len(sent.data) <= SENT_BYTES
    assert sent.original == size
    scale = max(made.size) / max(size)
    for now, before in zip(made.size, size, strict=True):
        assert abs(now - before * scale) <= 1
    assert made.format.lower() == sent.mime.removeprefix("image/")
    left, right = (made.convert("RGB").getpixel((x, made.height // 2)) for x in (0, made.width - 1))
    assert left[0] > 150 > right[0]
    assert right[2] > 150 > left[2]


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_photo_is_turned_as_the_camera_was_held(orientation: int) -> None:
    exif = b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0" + bytes([orientation])
    sent = prepared(picture("JPEG", (400, 200), exif=exif + b"\0\0\0\0\0\0"))
    made = opened(sent.data)
    assert made.size == ((400, 200) if orientation < 5 else (200, 400))
    red = {1: (0, 0), 2: (1, 0), 3: (1, 0), 4: (0, 0), 5: (0, 0), 6: (0, 0), 7: (0, 1), 8: (0, 1)}
    corner = red[orientation]
    place = (corner[0] * (made.width - 1), corner[1] * (made.height - 1))
    assert made.convert("RGB").getpixel(place)[0] > 150


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA", "I;16"])
def test_every_kind_of_png_can_be_shrunk(mode: str) -> None:
    sent = prepared(picture("PNG", (3_000, 2_000), mode=mode))
    assert sent.width < 3_000
    assert opened(sent.data).format == "PNG"


@pytest.mark.parametrize("mode", ["CMYK", "L"])
def test_every_kind_of_jpeg_can_be_shrunk(mode: str) -> None:
    sent = prepared(picture("JPEG", (3_000, 2_000), mode=mode))
    assert opened(sent.data).format == "JPEG"


def test_a_picture_that_hardly_packs_becomes_a_jpeg_that_fits() -> None:
    from PIL import Image

    noise = Image.frombytes("RGBA", (1_000, 1_000), random.Random(1).randbytes(4_000_000))
    buffer = BytesIO()
    noise.save(buffer, "PNG")
    sent = prepared(buffer.getvalue())
    assert sent.mime == "image/jpeg"
    assert len(sent.data) <= SENT_BYTES


def test_only_the_first_picture_of_a_moving_one_is_sent() -> None:
    from PIL import Image

    frames = [Image.new("RGB", (40, 30), (0, 40 * n, 0)) for n in range(4)]
    data = picture("GIF", (40, 30), save_all=True, append_images=frames)
    sent = prepared(data)
    assert sent.mime == "image/png"
    assert getattr(opened(sent.data), "n_frames", 1) == 1


# ── hostile ───────────────────────────────────────────────────────────────────────────────────
def huge(form: str) -> bytes:
    """A header that claims 50,000 × 50,000 pixels."""
    if form == "PNG":
        return png_claiming(50_000, 50_000, zlib.compress(b"\0" * 1_000_000, 9))
    small = bytearray(picture(form, (16, 16)))
    if form == "GIF":
        small[6:10] = struct.pack("<HH", 50_000, 50_000)
    elif form == "BMP":
        small[18:26] = struct.pack("<ii", 50_000, -50_000)
    elif form == "JPEG":
        at = small.index(b"\xff\xc0")
        small[at + 5 : at + 9] = struct.pack(">HH", 50_000, 50_000)
    return bytes(small)


@pytest.mark.parametrize("form", ["PNG", "GIF", "BMP", "JPEG"])
def test_a_bomb_is_refused_by_its_header(form: str) -> None:
    error = refused(huge(form))
    assert error.code is ErrorCode.TOO_LARGE
    assert "50000 × 50000" in error.message
    assert error.suggestion


def test_a_tiff_bomb_is_refused() -> None:
    entries = [(256, 50_000), (257, 50_000), (258, 8), (262, 1), (273, 8), (277, 1), (279, 9)]
    body = b"".join(struct.pack("<HHIHH", tag, 3, 1, value, 0) for tag, value in entries)
    data = b"II*\0\x08\0\0\0" + struct.pack("<H", len(entries)) + body + b"\0\0\0\0"
    assert refused(data).code in (ErrorCode.TOO_LARGE, ErrorCode.NOT_TEXT)


def test_a_bomb_is_refused_without_pillow_too(monkeypatch: pytest.MonkeyPatch) -> None:
    without_pillow(monkeypatch)
    assert refused(huge("PNG")).code is ErrorCode.TOO_LARGE


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("share", [0.3, 0.6, 0.95])
def test_half_a_picture_is_an_error_or_a_picture_but_never_a_crash(form: str, share: float) -> None:
    data = picture(form, (400, 300))
    kind = shown_type(data)
    assert kind is not None
    check_is_picture_or_error(data[: int(len(data) * share)], kind)


@pytest.mark.torture
@given(
    form=st.sampled_from(FORMS),
    damage=st.lists(st.tuples(st.integers(0, 2_000), st.integers(0, 255)), min_size=1, max_size=8),
)
@examples(in_ci=150, in_torture=4_000)
def test_a_damaged_picture_gives_a_picture_or_a_typed_error(
    form: str, damage: list[tuple[int, int]]
) -> None:
    data = bytearray(picture(form, (60, 40)))
    for place, value in damage:
        if place < len(data):
            data[place] = value
    kind = shown_type(bytes(data)) or FileType("PNG image", "image/png")
    check_is_picture_or_error(bytes(data), kind)


# ── without Pillow ────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "WEBP"])
def test_without_pillow_a_small_picture_is_sent(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = picture(form, (300, 200))
    without_pillow(monkeypatch)
    assert prepared(data).data == data


@pytest.mark.parametrize(
    "data", [png(2_000, 10), picture("BMP", (9, 9)), picture("TIFF", (9, 9))], ids=["large", *"bt"]
)
def test_without_pillow_the_rest_says_what_to_install(
    data: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_pillow(monkeypatch)
    error = refused(data)
    assert "pip install 'ankrcode[images]'" in error.suggestion
