"""Read: how much text, in which encoding, and cut where."""

import os
import unicodedata
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.config.settings import ReadSettings, Settings
from ankrcode.protocol.result import ToolResult
from ankrcode.testing import Bench
from ankrcode.tools.read import Read, ReadOutput
from ankrcode.workspace.documents.views import whole_characters
from torture import examples


def value_of(result: ToolResult) -> ReadOutput:
    assert result.error is None, result.error
    return msgspec.convert(msgspec.to_builtins(result.value), ReadOutput)


async def read(folder: Path, content: bytes, name: str = "a.txt", **arguments: Any) -> ToolResult:
    (folder / name).write_bytes(content)
    return await Bench(Read, folder).run(file_path=name, **arguments)


# ── tokens ────────────────────────────────────────────────────────────────────────────────────
LINE = "    result = await bench.run(file_path='a.txt', offset=10, limit=20)\n"


@pytest.mark.requirement("S1-034")
async def test_more_than_the_tokens_of_a_call_are_refused_with_advice(tmp_path: Path) -> None:
    result = await read(tmp_path, (LINE * 2_000).encode())
    assert result.error is not None
    assert result.error.code == "TOO_LARGE"
    assert result.error.details["tokens"] > 25_000
    assert "25,000 are left" in result.text
    assert "offset and limit" in result.text
    assert "Grep" in result.text


async def test_as_many_lines_as_the_advice_names_do_fit(tmp_path: Path) -> None:
    result = await read(tmp_path, (LINE * 2_000).encode())
    assert result.error is not None
    fits = result.error.values["fits"]
    assert (await read(tmp_path, (LINE * 2_000).encode(), limit=fits)).ok
    assert not (await read(tmp_path, (LINE * 2_000).encode(), limit=fits * 2)).ok


async def test_the_setting_decides_how_many_tokens_are_allowed(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(LINE * 200, encoding="utf-8")
    small = Bench(Read, tmp_path, settings=Settings(read=ReadSettings(max_tokens=1_000)))
    assert not (await small.run(file_path="a.txt")).ok
    large = Bench(Read, tmp_path, settings=Settings(read=ReadSettings(max_tokens=10_000)))
    assert (await large.run(file_path="a.txt")).ok


async def test_a_refused_read_allows_no_edit(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(LINE * 2_000, encoding="utf-8")
    bench = Bench(Read, tmp_path)
    assert not (await bench.run(file_path="a.txt")).ok
    assert bench.kit.agent.reads.get(str(tmp_path / "a.txt")) is None


async def test_one_line_of_a_megabyte_is_shown_in_part_not_refused(tmp_path: Path) -> None:
    result = await read(tmp_path, b"x" * 1_000_000)
    assert result.text == "     1\t" + "x" * 2_000 + "… [998000 more characters]"
    assert len(value_of(result).content) == 1_000_000


# ── cutting ───────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "cluster", ["क्षि", "👩‍👩‍👧‍👦", "é", "🇮🇳", "한", "ก็"], ids=lambda text: unicodedata.name(text[0])
)
@pytest.mark.parametrize("shift", range(4))
async def test_a_long_line_is_never_cut_inside_a_character(
    cluster: str, shift: int, tmp_path: Path
) -> None:
    line = "x" * shift + cluster * 3_000
    result = await read(tmp_path, line.encode())
    shown = result.text.removeprefix("     1\t").partition("… [")[0][shift:]
    assert shown == cluster * (len(shown) // len(cluster))
    assert 1_900 < len(shown) <= 2_000


@pytest.mark.torture
@given(
    content=st.text(alphabet="a\n\r\tक्é😀", max_size=300),
    offset=st.integers(0, 12),
    limit=st.integers(0, 12),
)
@examples(in_ci=60, in_torture=5_000)
async def test_windows_put_together_are_the_whole_file(
    content: str, offset: int, limit: int, tmp_path: Path
) -> None:
    whole = value_of(await read(tmp_path, content.encode(), limit=0))
    assert whole.content == content
    window = value_of(await read(tmp_path, content.encode(), offset=offset, limit=limit))
    first = max(1, offset) - 1
    ended = [line + "\n" for line in content.split("\n")]
    ended[-1] = ended[-1][:-1]
    assert window.content == "".join(ended[first : first + limit if limit else None])
    assert window.total_lines == whole.total_lines == content.count("\n") + (ended[-1] != "")


# ── encodings ─────────────────────────────────────────────────────────────────────────────────
HINDI = "यह एक परीक्षण है।\nदूसरी पंक्ति ਵੀ ਹੈ\n"
JAPANESE = "これは日本語の文章です。漢字とかなが混ざっています。\n二行目もあります。\n" * 5


@pytest.mark.parametrize(
    ("content", "encoding", "text"),
    [
        (HINDI.encode(), "utf-8", HINDI),
        (b"\xef\xbb\xbf" + HINDI.encode(), "utf-8", HINDI),
        (b"\xff\xfe" + HINDI.encode("utf-16-le"), "utf-16-le", HINDI),
        (b"\xfe\xff" + HINDI.encode("utf-16-be"), "utf-16-be", HINDI),
        (b"\xff\xfe\0\0" + HINDI.encode("utf-32-le"), "utf-32-le", HINDI),
        ("naïve café à la crème\n".encode("latin-1"), "", "naïve café à la crème\n"),
    ],
    ids=["utf-8", "utf-8-mark", "utf-16-le", "utf-16-be", "utf-32", "latin"],
)
async def test_text_is_read_in_the_encoding_it_has(
    content: bytes, encoding: str, text: str, tmp_path: Path
) -> None:
    result = await read(tmp_path, content)
    value = value_of(result)
    assert value.content == text
    assert value.encoding == result.metadata["encoding"]
    assert value.encoding == encoding or not encoding
    assert value.lines == value.total_lines == text.count("\n")
    rows = [f"{number:>6}\t{line}" for number, line in enumerate(text.splitlines(), 1)]
    assert result.text.split("\n")[: len(rows)] == rows
    assert ("[The file is" in result.text) == (value.encoding != "utf-8")


async def test_shift_jis_is_recognised_and_said(tmp_path: Path) -> None:
    result = await read(tmp_path, JAPANESE.encode("cp932"))
    assert value_of(result).content == JAPANESE
    assert value_of(result).encoding.lower().replace("-", "_") in ("cp932", "shift_jis")
    assert "edits keep that" in result.text


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-be"])
async def test_a_window_of_wide_text_counts_its_own_line_ends(
    encoding: str, tmp_path: Path
) -> None:
    mark = "\ufeff".encode(encoding)
    text = "".join(f"पंक्ति {number} \u0a0a\u0a00 \u000a" for number in range(1, 3_001))
    result = await read(tmp_path, mark + text.encode(encoding), offset=2_500, limit=2)
    assert value_of(result).content == "पंक्ति 2500 \u0a0a\u0a00 \nपंक्ति 2501 \u0a0a\u0a00 \n"
    assert value_of(result).total_lines == 3_000


@pytest.mark.torture
@given(
    text=st.text(alphabet="aØ\nक्😀中", min_size=1, max_size=9),
    encoding=st.sampled_from(["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"]),
    end=st.integers(8, 99),
)
@examples(in_ci=300, in_torture=20_000)
def test_the_beginning_of_a_text_ends_between_characters(
    text: str, encoding: str, end: int
) -> None:
    mark = "\ufeff" if encoding != "utf-8" else ""
    content = (mark + "a" + text * 50).encode(encoding)
    assert content.decode(encoding).startswith(whole_characters(content[:end]).decode(encoding))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be", "utf-32-le"])
@pytest.mark.parametrize("newline", ["\n", " "], ids=["lines", "one-line"])
@pytest.mark.parametrize("shift", range(4))
async def test_the_end_of_the_first_block_may_cut_any_character(
    encoding: str, newline: str, shift: int, tmp_path: Path
) -> None:
    mark = "\ufeff".encode(encoding) if encoding != "utf-8" else b""
    text = "x" * shift + f"नमस्ते 😀{newline}" * 60_000
    result = await read(tmp_path, mark + text.encode(encoding), limit=1)
    value = value_of(result)
    assert value.encoding == encoding
    assert value.content == (text if newline == " " else text.split("\n")[0] + "\n")
    assert value.total_lines == (60_000 if newline == "\n" else 1)


async def test_a_file_that_changes_its_encoding_deep_inside_is_shown(tmp_path: Path) -> None:
    content = b"plain\n" * 300_000 + "caf\xe9 au lait\n".encode("latin-1") + b"plain\n"
    result = await read(tmp_path, content, offset=300_001, limit=1)
    assert value_of(result).content == "café au lait\n"
    assert "[The file is" in result.text


# ── what is not text ──────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b"PK\x03\x04\x14\0\0\0", "ZIP archive"),
        (b"\x7fELF\x02\x01\x01\0\0", "ELF program"),
        (b"\x1f\x8b\x08\0\0\0\0\0", "gzip file"),
        (b"SQLite format 3\0\x10\0", "SQLite database"),
        (b"\0\0\0\x20ftypisom\0\0", "MP4 or QuickTime video"),
        (b"\0" * 257 + b"ustar\0", "tar archive"),
        (b"\0asm\x01\0\0\0", "WebAssembly module"),
        (b"\x01\0\x02\0\x03", "binary file"),
    ],
)
@pytest.mark.requirement("S1-035")
async def test_a_binary_file_is_called_what_it_is(
    content: bytes, name: str, tmp_path: Path
) -> None:
    result = await read(tmp_path, content)
    assert result.error is not None
    assert result.error.code == "NOT_TEXT"
    assert name in result.error.message
    assert 'encoding "base64"' in result.error.suggestion


@pytest.mark.parametrize("name", ["drawing.svg", "page.html", "odd.png", "odd.pdf", "odd.zip"])
async def test_text_is_text_whatever_its_name_says(name: str, tmp_path: Path) -> None:
    result = await read(tmp_path, b"<svg/>\n", name=name)
    assert result.text == "     1\t<svg/>"
    assert not result.attachments


# ── what is remembered ────────────────────────────────────────────────────────────────────────
async def test_a_change_while_it_was_read_is_seen_later(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("one\n", encoding="utf-8")
    bench = Bench(Read, tmp_path)
    await bench.run(file_path="a.txt")
    status = file.stat()
    file.write_text("two\n", encoding="utf-8")
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))  # same size, same time
    with pytest.raises(Exception, match="has changed since it was read"):
        bench.kit.agent.reads.check_current(str(file))


async def test_what_changed_since_the_read_can_be_shown(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("one\ntwo\n", encoding="utf-8")
    bench = Bench(Read, tmp_path)
    await bench.run(file_path="a.txt", limit=1)
    file.write_text("one\n2\n", encoding="utf-8")
    with pytest.raises(Exception, match=r"(?s)-two\n\+2"):
        bench.kit.agent.reads.check_current(str(file))
