"""What a file is, by its first bytes: names lie, beginnings seldom do."""

import re

from msgspec import Struct

HEAD_BYTES = 8_192  # enough for every signature below


class FileType(Struct, frozen=True):
    """`name` is what a person would call it; `mime` is set where Read can show more than text."""

    name: str
    mime: str = ""

    @property
    def is_image(self) -> bool:
        return self.mime.startswith("image/")


PDF = FileType("PDF document", "application/pdf")
_BMP_HEADERS = rb"[\x0c\x28\x34\x38\x40\x6c\x7c]\0\0\0"  # the sizes a BMP's second header may have

# What is shown as more than text. The signatures are long enough that no text begins like that.
_SHOWN = (
    (re.compile(rb"\x89PNG\r\n\x1a\n"), FileType("PNG image", "image/png")),
    (re.compile(rb"\xff\xd8\xff"), FileType("JPEG image", "image/jpeg")),
    (re.compile(rb"GIF8[79]a(?![ -~\s]{7}).{7}", re.DOTALL), FileType("GIF image", "image/gif")),
    (re.compile(rb"RIFF.{4}WEBP", re.DOTALL), FileType("WebP image", "image/webp")),
    (
        re.compile(rb"BM.{4}\0\0\0\0.{4}" + _BMP_HEADERS, re.DOTALL),
        FileType("BMP image", "image/bmp"),
    ),
    (re.compile(rb"II[*+]\0|MM\0[*+]"), FileType("TIFF image", "image/tiff")),
    (re.compile(rb"(?:\xef\xbb\xbf)?\s{0,64}%PDF-"), PDF),
)

# Only names: for the message that says why a file cannot be shown.
_NAMED = (
    (rb"PK\x03\x04|PK\x05\x06", "ZIP archive (or a document made as one)"),
    (rb"\x1f\x8b", "gzip file"),
    (rb"BZh[1-9]", "bzip2 file"),
    (rb"\xfd7zXZ\0", "xz file"),
    (rb"\x28\xb5\x2f\xfd", "zstd file"),
    (rb"\x04\x22\x4d\x18", "LZ4 file"),
    (rb"7z\xbc\xaf\x27\x1c", "7-Zip archive"),
    (rb"Rar!\x1a\x07", "RAR archive"),
    (rb"!<arch>\n", "static library or Debian package"),
    (rb".{257}ustar", "tar archive"),
    (rb"\x7fELF", "ELF program or library"),
    (rb"MZ", "Windows program or library"),
    (rb"\xcf\xfa\xed\xfe|\xce\xfa\xed\xfe|\xfe\xed\xfa[\xce\xcf]", "macOS program or library"),
    (rb"\xca\xfe\xba\xbe", "Java class or macOS program"),
    (rb"\0asm", "WebAssembly module"),
    (rb"SQLite format 3\0", "SQLite database"),
    (rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "old Office document"),
    (rb".{4}ftyp(?:heic|heix|hevc|mif1|avif)", "HEIC or AVIF image"),
    (rb".{4}ftyp", "MP4 or QuickTime video"),
    (rb"\x1a\x45\xdf\xa3", "Matroska or WebM video"),
    (rb"RIFF.{4}WAVE", "WAV sound"),
    (rb"RIFF.{4}AVI ", "AVI video"),
    (rb"ID3|\xff[\xfb\xf3\xf2]", "MP3 sound"),
    (rb"OggS", "Ogg sound or video"),
    (rb"fLaC", "FLAC sound"),
    (rb"\x00\x00\x01\x00", "icon"),
    (rb"wOF[F2]|\x00\x01\x00\x00\x00|OTTO|ttcf", "font"),
    (rb"\x89HDF\r\n\x1a\n", "HDF5 data"),
    (rb"PAR1", "Parquet data"),
    (rb"\x93NUMPY", "NumPy array"),
    (rb"\x80[\x02-\x05][\x80-\xff}\])(cKX\x8c]", "Python pickle"),
    (rb".{2}\r\n.{0,12}[\xe3c]", "compiled Python file"),
)


def shown_type(head: bytes) -> FileType | None:
    """The image or document that begins like this; None for all else, text included."""
    return next((kind for pattern, kind in _SHOWN if pattern.match(head)), None)


def binary_name(head: bytes) -> str:
    """What a file that is not text is called; a plain word where nobody knows."""
    shown = shown_type(head)
    if shown:
        return shown.name
    named = (name for pattern, name in _NAMED if re.match(pattern, head, re.DOTALL))
    return next(named, "binary file")
