"""PDFs for tests as many programs write them: every feature made by hand, byte by byte."""

import hashlib
import zlib
from collections.abc import Callable
from itertools import cycle

from documents import Pdf

FONT = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
BOX = "/MediaBox [0 0 400 600]"


def shown(text: str) -> bytes:
    return f"BT /F1 12 Tf 72 300 Td ({text}) Tj ET".encode("latin-1")


HELLO = shown("Hello page")


def around(
    made: Pdf, contents: str, font: int, page: str = BOX, root: str = "", trailer: str = ""
) -> bytes:
    """The tree, the page and the catalogue around what a page shows."""
    tree = made.add("")
    leaf = made.add(
        f"<< /Type /Page /Parent {tree} 0 R /Contents {contents} "
        f"/Resources << /Font << /F1 {font} 0 R >> >> {page} >>"
    )
    made.put(tree, f"<< /Type /Pages /Count 1 /Kids [{leaf} 0 R] >>")
    return made.bytes(made.add(f"<< /Type /Catalog /Pages {tree} 0 R {root} >>"), trailer)


def one_page(page: str = BOX, content: bytes = HELLO, filters: str = "", root: str = "") -> bytes:
    made = Pdf()
    font = made.add(FONT)
    return around(made, f"{made.stream(content, filters)} 0 R", font, page, root)


def inherited() -> bytes:
    """The box and the font stand in the tree, as many programs write it."""
    made = Pdf()
    font, drawn, tree = made.add(FONT), made.stream(HELLO), made.add("")
    leaf = made.add(f"<< /Type /Page /Parent {tree} 0 R /Contents {drawn} 0 R >>")
    shared = f"{BOX} /Rotate 90 /Resources << /Font << /F1 {font} 0 R >> >>"
    made.put(tree, f"<< /Type /Pages /Count 1 /Kids [{leaf} 0 R] {shared} >>")
    return made.bytes(made.add(f"<< /Type /Catalog /Pages {tree} 0 R >>"))


def in_pieces() -> bytes:
    """The content of the page is split over several streams."""
    made = Pdf()
    font = made.add(FONT)
    parts = [made.stream(part) for part in (b"BT /F1 12 Tf 72 300 Td", b"(Hello page)", b"Tj ET")]
    return around(made, f"[{' '.join(f'{part} 0 R' for part in parts)}]", font)


def packed(*names: str) -> bytes:
    """The content packed in each of these ways, the first one outermost."""
    ways: dict[str, Callable[[bytes], bytes]] = {
        "FlateDecode": zlib.compress,
        "ASCIIHexDecode": lambda data: data.hex().encode() + b">",
        "RunLengthDecode": lambda data: bytes((len(data) - 1,)) + data + b"\x80",
    }
    data = HELLO
    for name in reversed(names):
        data = ways[name](data)
    return one_page(content=data, filters=f"/Filter [{' '.join(f'/{name}' for name in names)}]")


def with_object_streams() -> bytes:
    """As PDF 1.5 packs it: objects inside a stream, and the table of places a stream too."""
    resources = "<< /Font << /F1 1 0 R >> >>"
    inner = [
        FONT,
        "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
        f"<< /Type /Page /Parent 2 0 R {BOX} /Contents 5 0 R /Resources {resources} >>",
        "<< /Type /Catalog /Pages 2 0 R >>",
    ]
    starts = [sum(len(text) + 1 for text in inner[:n]) for n in range(len(inner))]
    head = " ".join(f"{number} {start}" for number, start in enumerate(starts, 1)) + " "
    objects = zlib.compress((head + " ".join(inner)).encode())
    written = bytearray(b"%PDF-1.5\n%\xe2\xe3\xcf\xd3\n")

    def add(number: int, facts: str, data: bytes) -> int:
        at = len(written)
        written.extend(f"{number} 0 obj\n<< {facts} /Length {len(data)} >>\nstream\n".encode())
        written.extend(data + b"\nendstream\nendobj\n")
        return at

    drawn = add(5, "", HELLO)
    facts = f"/Type /ObjStm /N {len(inner)} /First {len(head)} /Filter /FlateDecode"
    packed_at = add(6, facts, objects)
    rows = [(0, 0, 255), *((2, 6, index) for index in range(len(inner)))]
    rows += [(1, drawn, 0), (1, packed_at, 0), (1, len(written), 0)]
    table = b"".join(bytes((kind, *at.to_bytes(4, "big"), more)) for kind, at, more in rows)
    facts = f"/Type /XRef /Size {len(rows)} /W [1 4 1] /Root 4 0 R /Filter /FlateDecode"
    start = add(7, facts, zlib.compress(table))
    return bytes(written) + f"startxref\n{start}\n%%EOF\n".encode()


def updated(text: str) -> bytes:
    """Saved again by a program that only appends: the second table counts."""
    first, stream = one_page(), shown(text)
    more = f"2 0 obj\n<< /Length {len(stream)} >>\nstream\n".encode()
    more += stream + b"\nendstream\nendobj\n"
    before = int(first.rpartition(b"startxref\n")[2].split()[0])
    table = len(first) + len(more)
    more += f"xref\n2 1\n{len(first):010} 00000 n \n".encode()
    more += f"trailer << /Size 6 /Root 5 0 R /Prev {before} >>\n".encode()
    return first + more + f"startxref\n{table}\n%%EOF\n".encode()


def in_codes_of_its_own(text: str) -> bytes:
    """Only a table in the file turns the codes into letters, as for every script but Latin."""
    letters = sorted(set(text))
    rows = [f"<{n:04x}> <{one.encode('utf-16-be').hex()}>" for n, one in enumerate(letters, 1)]
    table = (
        "/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <0000> <ffff> "
        f"endcodespacerange {len(rows)} beginbfchar\n{chr(10).join(rows)}\nendbfchar endcmap end"
    )
    made = Pdf()
    unicode = made.stream(table.encode())
    inner = made.add(
        "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Any /DW 600 /CIDSystemInfo "
        "<< /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>"
    )
    font = made.add(
        f"<< /Type /Font /Subtype /Type0 /BaseFont /Any /Encoding /Identity-H "
        f"/DescendantFonts [{inner} 0 R] /ToUnicode {unicode} 0 R >>"
    )
    codes = "".join(f"{letters.index(letter) + 1:04x}" for letter in text)
    drawn = made.stream(f"BT /F1 12 Tf 72 300 Td <{codes}> Tj ET".encode())
    return around(made, f"{drawn} 0 R", font)


def filled_form(**fields: str) -> bytes:
    """A page with a label and fields that someone has filled in."""
    made = Pdf()
    font, drawn = made.add(FONT), made.stream(shown("Please fill in"))
    widgets = []
    for number, (name, value) in enumerate(fields.items()):
        low = 100 + 30 * number
        filled = f"/FT /Tx /V <feff{value.encode('utf-16-be').hex()}>"
        if value in ("/Yes", "/Off"):
            filled = f"/FT /Btn /V {value} /AS {value}"
        widgets.append(
            made.add(
                f"<< /Type /Annot /Subtype /Widget /T ({name}) {filled} /DA (/F1 12 Tf 0 g) "
                f"/Rect [72 {low} 300 {low + 20}] >>"
            )
        )
    listed = " ".join(f"{widget} 0 R" for widget in widgets)
    dress = f"/DR << /Font << /F1 {font} 0 R >> >> /DA (/F1 12 Tf 0 g)"
    root = f"/AcroForm << /Fields [{listed}] {dress} >>"
    return around(made, f"{drawn} 0 R", font, f"{BOX} /Annots [{listed}]", root)


# ── locked ────────────────────────────────────────────────────────────────────────────────────
_PADDING = bytes.fromhex("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a")


def _md5(data: bytes) -> bytes:
    return hashlib.md5(data, usedforsecurity=False).digest()


def _rc4(key: bytes, data: bytes) -> bytes:
    state, j = list(range(256)), 0
    for i, byte in zip(range(256), cycle(key), strict=False):
        j = (j + state[i] + byte) & 255
        state[i], state[j] = state[j], state[i]
    out, i, j = bytearray(), 0, 0
    for byte in data:
        i = (i + 1) & 255
        j = (j + state[i]) & 255
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) & 255])
    return bytes(out)


def locked(password: str) -> bytes:
    """Locked with 40 bits, as of old. An empty password restricts only what may be done with it."""
    given = (password.encode("latin-1") + _PADDING)[:32]
    owner = _rc4(_md5(_PADDING)[:5], given)
    name = b"0123456789abcdef"
    key = _md5(given + owner + (-4 & 0xFFFFFFFF).to_bytes(4, "little") + name)[:5]
    made = Pdf()
    font = made.add(FONT)
    drawn = made.stream(_rc4(_md5(key + b"\x02\0\0\0\0")[:10], HELLO))
    lock = f"/O <{owner.hex()}> /U <{_rc4(key, _PADDING).hex()}> /Filter /Standard /V 1 /R 2 /P -4"
    trailer = f"/Encrypt << {lock} >> /ID [<{name.hex()}> <{name.hex()}>]"
    return around(made, f"{drawn} 0 R", font, trailer=trailer)
