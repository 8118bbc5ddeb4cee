"""Pictures for vision models: small enough to be of use, safe to open, truly what they claim.

A hostile picture says its size in its first bytes, so the size is judged before anything is
unpacked. Pillow (the extra `images`) does the rest; without it small pictures pass as they are.
"""

import math
import re
import struct
import warnings
from io import BytesIO
from typing import Any

from msgspec import Struct

from ankrcode.errors import ErrorCode, ToolError
from ankrcode.workspace.documents.filetypes import FileType

MAX_FILE_BYTES = 32 * 1024 * 1024
MAX_PIXELS = 40_000_000  # unpacked, 160 MB
MAX_JPEG_PIXELS = 85_000_000  # a JPEG is unpacked at an eighth to a half of its size
LONG_EDGE = 1568  # what is larger, vision models shrink themselves
SENT_PIXELS = 1_150_000
SENT_BYTES = 2_800_000  # 3.75 MB as base64

_AS_THEY_ARE = ("image/png", "image/jpeg", "image/gif", "image/webp")
_FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF")
_ORIENTATION = 0x0112
# What Pillow raises over broken files, which is more than its documentation says.
_FAULTS = (
    *(ArithmeticError, AttributeError, EOFError, LookupError, MemoryError, OSError),
    *(RuntimeError, SyntaxError, TypeError, ValueError, struct.error),
)


class Picture(Struct, frozen=True, kw_only=True):
    """What is sent, and how large the original is."""

    data: bytes
    mime: str
    width: int
    height: int
    original: tuple[int, int]


def picture_of(content: bytes, kind: FileType, path: str) -> Picture:
    """The picture in a form that models take; a `ToolError` where there is none."""
    size = dimensions(content)
    if size:
        _check_pixels(size, kind, path)
    try:
        from PIL import Image
    except ImportError:
        return _as_it_is(content, kind, size, path)
    # Broken metadata is no news for the person in front of the screen.
    warnings.filterwarnings("ignore", module="PIL")
    try:
        with Image.open(BytesIO(content), formats=_FORMATS) as image:
            _check_pixels(image.size, kind, path)
            return _fitted(image, content, kind)
    except Image.DecompressionBombError:
        raise _too_many_pixels(size or (0, 0), path) from None
    except _FAULTS as problem:
        error = ToolError.of("image_broken", path=path, kind=kind.name, why=str(problem)[:200])
        raise error.coded(ErrorCode.NOT_TEXT, path=path) from None


def _as_it_is(content: bytes, kind: FileType, size: tuple[int, int] | None, path: str) -> Picture:
    """Without Pillow: nothing can be changed, so only what needs no change is passed on."""
    fits = size and scale_for(*size) >= 1 and len(content) <= SENT_BYTES
    if not (size and fits and kind.mime in _AS_THEY_ARE):
        error = ToolError.of("image_needs_extra", path=path, kind=kind.name)
        raise error.coded(ErrorCode.NOT_TEXT, path=path)
    return Picture(data=content, mime=kind.mime, width=size[0], height=size[1], original=size)


def _fitted(image: Any, content: bytes, kind: FileType) -> Picture:
    original = image.size
    scale = scale_for(*original)
    is_still = not getattr(image, "is_animated", False)  # to count them all may take for ever
    if kind.mime == "image/jpeg":
        image.draft("RGB", (math.ceil(original[0] * scale), math.ceil(original[1] * scale)))
    image.load()  # a picture that cannot be unpacked must not reach a model
    if kind.mime == "image/tiff":
        original = image.size  # it has turned itself upright
    orientation = image.getexif().get(_ORIENTATION, 1)
    is_fit = scale >= 1 and orientation == 1 and is_still and len(content) <= SENT_BYTES
    if is_fit and kind.mime in _AS_THEY_ARE:
        width, height = original
        return Picture(data=content, mime=kind.mime, width=width, height=height, original=original)
    shrunk = _upright(_shrunk(image, original, scale), orientation)
    data, mime = encoded(shrunk, as_jpeg=kind.mime == "image/jpeg")
    return Picture(
        data=data, mime=mime, width=shrunk.width, height=shrunk.height, original=original
    )


def scale_for(width: float, height: float, most: float = 1.0) -> float:
    """By what a picture is multiplied to fit, and `most` at most."""
    return min(most, LONG_EDGE / max(width, height), math.sqrt(SENT_PIXELS / (width * height)))


def _shrunk(image: Any, original: tuple[int, int], scale: float) -> Any:
    if image.mode.startswith(("I", "F")):  # 16 bits and more a pixel: the 8 that can be seen
        low, high = image.getextrema()
        image = image.point(lambda value: (value - low) * 255 / ((high - low) or 1)).convert("L")
    elif image.mode not in ("L", "RGB", "RGBA"):
        has_alpha = image.mode in ("LA", "PA", "La", "RGBa") or "transparency" in image.info
        image = image.convert("RGBA" if has_alpha else "RGB")
    target = (max(1, round(original[0] * scale)), max(1, round(original[1] * scale)))
    factor = min(image.width // target[0], image.height // target[1]) // 2
    if factor > 1:
        image = image.reduce(factor)  # cheap and without a copy of the whole; the rest is fine work
    return image if image.size == target else image.resize(target)


def _upright(image: Any, orientation: int) -> Any:
    """As the camera was held."""
    from PIL.Image import Transpose

    turns = {
        2: Transpose.FLIP_LEFT_RIGHT,
        3: Transpose.ROTATE_180,
        4: Transpose.FLIP_TOP_BOTTOM,
        5: Transpose.TRANSPOSE,
        6: Transpose.ROTATE_270,
        7: Transpose.TRANSVERSE,
        8: Transpose.ROTATE_90,
    }
    return image.transpose(turns[orientation]) if orientation in turns else image


def encoded(image: Any, *, as_jpeg: bool) -> tuple[bytes, str]:
    """PNG where that is small enough, for it loses nothing; else JPEG."""
    if not as_jpeg:
        data = _saved(image, "PNG")
        if len(data) <= SENT_BYTES:
            return data, "image/png"
    if image.mode == "RGBA":  # JPEG knows no transparency: what shines through is white
        from PIL import Image

        white = Image.new("RGBA", image.size, "white")
        image = Image.alpha_composite(white, image)
    return _saved(image.convert("RGB"), "JPEG", quality=85), "image/jpeg"


def _saved(image: Any, form: str, **options: Any) -> bytes:
    buffer = BytesIO()
    image.save(buffer, form, **options)
    return buffer.getvalue()


def _check_pixels(size: tuple[int, int], kind: FileType, path: str) -> None:
    most = MAX_JPEG_PIXELS if kind.mime == "image/jpeg" else MAX_PIXELS
    if size[0] * size[1] > most:
        raise _too_many_pixels(size, path)


def _too_many_pixels(size: tuple[int, int], path: str) -> ToolError:
    error = ToolError.of("image_too_large", path=path, width=size[0], height=size[1])
    return error.coded(ErrorCode.TOO_LARGE, path=path, width=size[0], height=size[1])


# ── size, from the first bytes ────────────────────────────────────────────────────────────────
_HEADERS = (
    (re.compile(rb"\x89PNG\r\n\x1a\n.{4}IHDR(.{8})", re.DOTALL), ">II"),
    (re.compile(rb"GIF8[79]a(.{4})", re.DOTALL), "<HH"),
    (re.compile(rb"BM.{12}\x0c\0\0\0(.{4})", re.DOTALL), "<HH"),
    (re.compile(rb"BM.{16}(.{8})", re.DOTALL), "<ii"),
)
_WEBP_LOSSY = re.compile(rb"RIFF.{4}WEBPVP8 .{10}(.{4})", re.DOTALL)
_WEBP_LOSSLESS = re.compile(rb"RIFF.{4}WEBPVP8L.{4}/(.{4})", re.DOTALL)
_WEBP_EXTENDED = re.compile(rb"RIFF.{4}WEBPVP8X.{8}(.{3})(.{3})", re.DOTALL)
_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_JPEG_ALONE = frozenset((0x01, *range(0xD0, 0xD9)))  # markers without a length


def dimensions(content: bytes) -> tuple[int, int] | None:
    """Width and height as the header says; None where it says nothing we understand."""
    if content.startswith(b"\xff\xd8"):
        return _jpeg_dimensions(content)
    for pattern, form in _HEADERS:
        found = pattern.match(content)
        if found:
            return _real(*struct.unpack(form, found[1]))
    if found := _WEBP_LOSSY.match(content):
        width, height = struct.unpack("<HH", found[1])
        return _real(width & 0x3FFF, height & 0x3FFF)  # the upper bits are a hint for players
    if found := _WEBP_LOSSLESS.match(content):
        bits = int.from_bytes(found[1], "little")
        return _real((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
    if found := _WEBP_EXTENDED.match(content):
        width, height = (int.from_bytes(part, "little") + 1 for part in found.groups())
        return _real(width, height)
    return None


def _real(width: int, height: int) -> tuple[int, int] | None:
    return (abs(width), abs(height)) if width and height else None


def _jpeg_dimensions(content: bytes) -> tuple[int, int] | None:
    """From the first frame header, found by walking from segment to segment."""
    at = 2
    while at + 9 <= len(content) and content[at] == 0xFF:  # noqa: PLR2004
        marker = content[at + 1]
        if marker in _JPEG_FRAMES:
            height, width = struct.unpack_from(">HH", content, at + 5)
            return _real(width, height)
        if marker == 0xFF:  # noqa: PLR2004 - a fill byte
            at += 1
        elif marker in _JPEG_ALONE:
            at += 2
        else:
            at += 2 + struct.unpack_from(">H", content, at + 2)[0]
    return None
