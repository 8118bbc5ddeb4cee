"""Documents for tests, made byte by byte: pictures, PDFs and notebooks, whole and hostile."""

import json
import struct
import zlib
from io import BytesIO
from typing import Any


# ── pictures ──────────────────────────────────────────────────────────────────────────────────
def chunk(kind: bytes, data: bytes) -> bytes:
    checked = kind + data
    return struct.pack(">I", len(data)) + checked + struct.pack(">I", zlib.crc32(checked))


def png(width: int, height: int, colour: tuple[int, int, int] = (200, 30, 30)) -> bytes:
    """A true picture of one colour."""
    rows = (b"\0" + bytes(colour) * width) * height
    return png_claiming(width, height, zlib.compress(rows, 1))


def png_claiming(width: int, height: int, data: bytes = b"") -> bytes:
    """A PNG whose header claims a size, whatever the data is."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    signature = b"\x89PNG\r\n\x1a\n"
    return signature + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def picture(form: str, size: tuple[int, int], mode: str = "RGB", **options: Any) -> bytes:
    """By Pillow, in any of its formats; the left half is red, the right half blue."""
    from PIL import Image

    image = Image.new("RGB", size, (220, 0, 0))
    image.paste((0, 0, 220), (size[0] // 2, 0, size[0], size[1]))
    buffer = BytesIO()
    image.convert(mode).save(buffer, form, **options)
    return buffer.getvalue()


def opened(data: bytes) -> Any:
    from PIL import Image

    return Image.open(BytesIO(data))


# ── PDF ───────────────────────────────────────────────────────────────────────────────────────
class Pdf:
    """Collects objects and writes them with a table that is right."""

    def __init__(self) -> None:
        self._objects: list[bytes] = []

    def add(self, body: bytes | str) -> int:
        self._objects.append(body.encode("latin-1") if isinstance(body, str) else body)
        return len(self._objects)

    def put(self, number: int, body: str) -> None:
        self._objects[number - 1] = body.encode("latin-1")

    def stream(self, data: bytes, extra: str = "") -> int:
        head = f"<< /Length {len(data)} {extra} >>\nstream\n".encode()
        return self.add(head + data + b"\nendstream")

    def bytes(self, root: int, trailer: str = "") -> bytes:
        written = bytearray(b"%PDF-1.5\n%\xe2\xe3\xcf\xd3\n")
        places = []
        for number, body in enumerate(self._objects, 1):
            places.append(len(written))
            written += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
        start = len(written)
        written += f"xref\n0 {len(places) + 1}\n0000000000 65535 f \n".encode()
        written += b"".join(f"{place:010} 00000 n \n".encode() for place in places)
        size = len(places) + 1
        written += f"trailer << /Size {size} /Root {root} 0 R {trailer} >>\n".encode()
        written += f"startxref\n{start}\n%%EOF\n".encode()
        return bytes(written)


def pdf(*texts: str, size: tuple[float, float] = (612, 792), trailer: str = "") -> bytes:
    """One page for each text; an empty text gives a page with a drawing and no text."""
    made = Pdf()
    font = made.add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    tree = made.add("")
    pages = []
    for text in texts:
        content = made.stream(_drawing(text))
        pages.append(
            made.add(
                f"<< /Type /Page /Parent {tree} 0 R /MediaBox [0 0 {size[0]} {size[1]}] "
                f"/Contents {content} 0 R /Resources << /Font << /F1 {font} 0 R >> >> >>"
            )
        )
    kids = " ".join(f"{page} 0 R" for page in pages)
    made.put(tree, f"<< /Type /Pages /Count {len(pages)} /Kids [{kids}] >>")
    return made.bytes(made.add(f"<< /Type /Catalog /Pages {tree} 0 R >>"), trailer)


def _drawing(text: str) -> bytes:
    if not text:
        return b"1 0 0 rg 100 100 300 300 re f"
    lines = text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)").split("\n")
    shown = " T* ".join(f"({line}) Tj" for line in lines)
    return f"BT /F1 12 Tf 14 TL 72 700 Td {shown} ET".encode("latin-1", "replace")


def pdf_with_recursive_pages() -> bytes:
    """The tree of pages is its own child."""
    made = Pdf()
    tree = made.add("")
    made.put(tree, f"<< /Type /Pages /Count 3 /Kids [{tree} 0 R {tree} 0 R {tree} 0 R] >>")
    return made.bytes(made.add(f"<< /Type /Catalog /Pages {tree} 0 R >>"))


def pdf_with_recursive_drawing() -> bytes:
    """A form that draws itself, twice, without end."""
    made = Pdf()
    tree, form = made.add(""), 2
    own = "/Type /XObject /Subtype /Form /BBox [0 0 9 9] "
    own += f"/Resources << /XObject << /X {form} 0 R >> >>"
    made.stream(b"/X Do /X Do", own)
    content = made.stream(b"/X Do")
    page = made.add(
        f"<< /Type /Page /Parent {tree} 0 R /MediaBox [0 0 612 792] /Contents {content} 0 R "
        f"/Resources << /XObject << /X {form} 0 R >> >> >>"
    )
    made.put(tree, f"<< /Type /Pages /Count 1 /Kids [{page} 0 R] >>")
    return made.bytes(made.add(f"<< /Type /Catalog /Pages {tree} 0 R >>"))


def pdf_bomb(megabytes: int) -> bytes:
    """A page whose content unpacks to so much, twice packed."""
    made = Pdf()
    data = zlib.compress(zlib.compress(b"0 0 m " * (megabytes * 1024 * 1024 // 6), 9), 9)
    content = made.stream(data, "/Filter [/FlateDecode /FlateDecode]")
    tree = made.add("")
    page = made.add(
        f"<< /Type /Page /Parent {tree} 0 R /MediaBox [0 0 612 792] /Contents {content} 0 R >>"
    )
    made.put(tree, f"<< /Type /Pages /Count 1 /Kids [{page} 0 R] >>")
    return made.bytes(made.add(f"<< /Type /Catalog /Pages {tree} 0 R >>"))


def encrypted_pdf() -> bytes:
    """Locked by a password that nobody knows."""
    made = Pdf()
    tree = made.add("<< /Type /Pages /Count 0 /Kids [] >>")
    lock = made.add(f"<< /Filter /Standard /V 1 /R 2 /P -4 /O <{'ab' * 32}> /U <{'cd' * 32}> >>")
    root = made.add(f"<< /Type /Catalog /Pages {tree} 0 R >>")
    ids = f"[<{'01' * 16}> <{'01' * 16}>]"
    return made.bytes(root, f"/Encrypt {lock} 0 R /ID {ids}")


# ── notebooks ─────────────────────────────────────────────────────────────────────────────────
def code_cell(source: str, *outputs: Any, cell_id: str = "", run: int | None = None) -> Any:
    cell: dict[str, Any] = {"cell_type": "code", "execution_count": run, "metadata": {}}
    cell["outputs"] = list(outputs)
    cell["source"] = source.splitlines(keepends=True)
    return dict(sorted({**cell, **({"id": cell_id} if cell_id else {})}.items()))


def markdown_cell(source: str, cell_id: str = "") -> Any:
    cell: dict[str, Any] = {"cell_type": "markdown", "metadata": {}}
    cell["source"] = source.splitlines(keepends=True)
    return dict(sorted({**cell, **({"id": cell_id} if cell_id else {})}.items()))


def stream(text: str, name: str = "stdout") -> Any:
    return {"name": name, "output_type": "stream", "text": text.splitlines(keepends=True)}


def display(**data: Any) -> Any:
    """`display(text_plain="x")`: the mime type is the name, with its slash as an underscore."""
    made = {name.replace("_", "/", 1): value for name, value in data.items()}
    return {"data": made, "metadata": {}, "output_type": "display_data"}


def notebook(*cells: Any, minor: int = 5) -> dict[str, Any]:
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel}
    return {"cells": list(cells), "metadata": metadata, "nbformat": 4, "nbformat_minor": minor}


def written(made: Any) -> str:
    """As Jupyter writes it."""
    return json.dumps(made, indent=1, ensure_ascii=False) + "\n"
