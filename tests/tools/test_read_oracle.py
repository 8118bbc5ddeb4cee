"""Read against the programs everybody trusts: `cat -n`, `sed -n`, `wc -l`, `stat` and `base64`."""

import asyncio
import os
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode import Toolkit
from ankrcode.protocol.result import ToolResult
from ankrcode.tools.read import ReadOutput
from people import ordinary_person
from torture import examples

CONTENTS = {
    "empty lines": b"\n\n\n",
    "no newline at the end": b"one\ntwo",
    "one line without newline": b"one",
    "blanks only": b"   \n\t\n \t \n",
    "windows": b"one\r\ntwo\r\nthree\r\n",
    "windows without end": b"one\r\ntwo",
    "old mac": b"one\rtwo\rthree\r",
    "mixed ends": b"one\ntwo\r\nthree\rfour\n\r\n",
    "form feeds": b"page one\n\x0cpage two\x0c\n",
    "vertical tabs": b"a\x0bb\nc\x0b\n",
    "next line": "a\u0085b\nc\n".encode(),
    "line separators": "a\u2028b\u2029c\nd\n".encode(),
    "file separators": b"a\x1cb\x1dc\x1ed\x1fe\n" + b"text\n" * 60,
    "tabs": b"\tone\n\t\ttwo\tthree\n",
    "looks like numbers": b"     1\tfake\n     2\tfake\n",
    "looks like a heading": b"=== /etc/passwd ===\n[Lines 1 to 5]\n",
    "hindi": "पहली पंक्ति\nदूसरी पंक्ति\n".encode(),
    "emoji": "👩‍👩‍👧 family\n🇮🇳 flag\n".encode(),
    "combining": "e\u0301 n\u0303\n".encode(),
    "right to left": "שלום עולם\nمرحبا\n".encode(),
    "zero width": "a\u200bb\u200dc\ufeffd\n".encode(),
    "colours": b"\x1b[31mred\x1b[0m\nplain\n",
    "many": b"".join(b"line %d\n" % n for n in range(1, 1_501)),
    "numbers of six places": b"x\n" * 1_200,
}


def said_by(*command: str, stdin: bytes | None = None) -> bytes:
    done = subprocess.run(command, input=stdin, capture_output=True, check=True)
    return done.stdout


def lines_of(path: Path, first: int = 1, last: int | None = None) -> list[str]:
    """What `cat -n` shows of these lines; a carriage return at the end of a line is not shown."""
    text = said_by("cat", "-n", str(path))
    if first > 1 or last is not None:
        text = said_by("sed", "-n", f"{first},{'$' if last is None else last}p", stdin=text)
    rows = text.decode().split("\n")
    return [row.removesuffix("\r") for row in (rows if rows[-1] else rows[:-1])]


async def read(path: Path, **arguments: Any) -> ToolResult:
    return await Toolkit(cwd=path.parent).call("Read", {"file_path": str(path), **arguments})


def value_of(result: ToolResult) -> ReadOutput:
    assert result.error is None, result.error
    return msgspec.convert(msgspec.to_builtins(result.value), ReadOutput)


@pytest.mark.parametrize("name", CONTENTS)
async def test_the_lines_are_those_of_cat(name: str, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(CONTENTS[name])
    result = await read(path)
    assert result.text.split("\n") == lines_of(path)
    assert value_of(result).content.encode() == CONTENTS[name]


@pytest.mark.parametrize("name", CONTENTS)
async def test_the_number_of_lines_is_that_of_wc(name: str, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(CONTENTS[name])
    ends = int(said_by("wc", "-l", str(path)).split()[0])
    value = value_of(await read(path))
    assert value.total_lines == value.lines == ends + (not CONTENTS[name].endswith(b"\n"))


@pytest.mark.parametrize("name", CONTENTS)
async def test_size_and_time_are_those_of_stat(name: str, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(CONTENTS[name])
    os.utime(path, (1_234_567_890, 1_234_567_890))
    value = value_of(await read(path))
    size, seconds = said_by("stat", "-c", "%s %Y", str(path)).split()
    when = said_by("date", "-u", "-d", f"@{int(seconds)}", "+%Y-%m-%dT%H:%M:%SZ").decode().strip()
    assert (value.size, value.modified) == (int(size), when)


@pytest.mark.parametrize("name", CONTENTS)
async def test_the_bytes_are_those_of_base64(name: str, tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(CONTENTS[name] + bytes(range(256)))
    result = await read(path, encoding="base64")
    assert result.text == said_by("base64", "-w", "0", str(path)).decode()


@pytest.mark.parametrize(
    ("offset", "limit"),
    [
        *((1, 1), (1, 2), (2, 1), (1, 10), (10, 1), (9, 2), (5, 5), (6, 5), (10, 2_000), (1, 0)),
        *((3, 0), (10, 0), (0, 3), (1, 9), (1, 11), (2, 9), (9, 1)),
    ],
)
@pytest.mark.parametrize("end", [b"\n", b""], ids=["closed", "open"])
async def test_every_border_of_a_window_is_that_of_sed(
    offset: int, limit: int, end: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"\n".join(b"line %d" % n for n in range(1, 11)) + end)
    first = max(1, offset)
    result = await read(path, offset=offset, limit=limit)
    assert result.text.split("\n") == lines_of(path, first, first + limit - 1 if limit else None)
    assert value_of(result).total_lines == 10
    assert value_of(result).first_line == first


@pytest.mark.parametrize("offset", [11, 12, 10_000, 2**31, 2**62])
@pytest.mark.parametrize("limit", [0, 1, 2_000])
async def test_beyond_the_end_the_length_is_told(offset: int, limit: int, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"line\n" * 10)
    result = await read(path, offset=offset, limit=limit)
    assert result.ok
    assert "10 lines" in result.text
    assert value_of(result).lines == 0


@pytest.mark.parametrize("wrong", [-1, -(2**40), 1.5, "x", None, [1], True])
@pytest.mark.parametrize("name", ["offset", "limit"])
async def test_what_is_no_number_of_lines_is_refused(
    name: str, wrong: object, tmp_path: Path
) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"line\n")
    result = await read(path, **{name: wrong})
    assert result.error is not None
    assert result.error.code == "INVALID_INPUT"
    assert name in result.text


# ── long lines and long files ─────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("length", [1_998, 1_999, 2_000, 2_001, 2_002, 5_000, 1_000_000])
async def test_a_line_is_cut_after_two_thousand_characters(length: int, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"x" * length + b"\nshort\n")
    first, second = (await read(path)).text.split("\n")[:2]
    assert first.startswith("     1\t" + "x" * min(length, 2_000))
    assert (f"[{length - 2_000} more characters]" in first) is (length > 2_000)
    assert second == "     2\tshort"


@pytest.mark.parametrize("letter", ["क्षि", "👩‍👩‍👧", "e\u0301", "🇮🇳", "각"])
async def test_a_cut_never_parts_what_belongs_together(letter: str, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("a" + letter * 2_000, encoding="utf-8")
    row = (await read(path)).text.split("\n")[0].removeprefix("     1\ta")
    shown, _, _ = row.partition("…")
    assert shown == letter * (len(shown) // len(letter))
    assert 1_900 < len(shown) <= 2_000


@pytest.mark.parametrize("width", [99, 1_000, 1_900])
async def test_a_hundred_thousand_characters_end_between_lines(width: int, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    row = ("-" * width + "\n").encode()
    path.write_bytes(row * (300_000 // len(row)))
    result = await read(path, limit=0)
    assert len(result.text) <= 100_000
    rows = result.text.split("\n")
    shown = [one for one in rows if not one.startswith("[")]
    assert shown == lines_of(path, 1, len(shown))
    assert f"offset {len(shown) + 1}" in result.text or f"offset={len(shown) + 1}" in result.text
    assert value_of(result).is_cut


async def test_the_next_window_begins_where_the_last_one_ended(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"".join(b"%d %s\n" % (n, b"-" * (n % 300)) for n in range(1, 3_001)))
    rows: list[str] = []
    while len(rows) < 3_000:
        result = await read(path, offset=len(rows) + 1, limit=500)
        rows += [row for row in result.text.split("\n") if not row.startswith("[")]
    assert rows == lines_of(path)


ANY_LINE = st.text(
    alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0\n\x1b")
    | st.sampled_from("\r\t\x0c\x0b\x1c\x85\u2028क्😀 "),
    max_size=30,
)


@pytest.mark.torture
@examples(in_ci=80, in_torture=4_000)
@given(
    lines=st.lists(ANY_LINE, min_size=1, max_size=25),
    is_closed=st.booleans(),
    offset=st.integers(0, 30),
    limit=st.integers(0, 30),
)
def test_any_window_of_any_text_is_what_cat_and_sed_show(
    tmp_path: Path, lines: list[str], is_closed: bool, offset: int, limit: int
) -> None:
    path = tmp_path / "a.txt"
    content = ("\n".join(lines) + "\n" * is_closed).encode()
    path.write_bytes(content)
    result = asyncio.run(read(path, offset=offset, limit=limit))
    if result.error is not None:  # too many control characters: then it is no text
        assert result.error.code == "NOT_TEXT"
        return
    value = value_of(result)
    if value.encoding != "utf-8" or content.startswith(b"\xef\xbb\xbf"):
        return
    first = max(1, offset)
    expected = lines_of(path, first, first + limit - 1 if limit else None)
    assert value.lines == len(expected)
    if expected:
        assert result.text.split("\n")[: len(expected)] == expected


# ── several at once ───────────────────────────────────────────────────────────────────────────
async def test_many_files_with_some_that_fail_are_each_told(tmp_path: Path) -> None:
    names = [f"f{n}.txt" for n in range(12)]
    for name in names[::2]:
        (tmp_path / name).write_bytes(name.encode() + b"\n")
    (tmp_path / names[1]).mkdir()
    os.mkfifo(tmp_path / names[3])
    (tmp_path / names[5]).symlink_to(names[5])
    (tmp_path / names[7]).write_bytes(b"\0\1\2" * 99)
    (tmp_path / names[9]).write_bytes(b"")
    result = await Toolkit(cwd=tmp_path).call("Read", file_paths=names)
    sections = result.text.split("=== ")[1:]
    assert len(sections) == 12
    for name, section in zip(names, sections, strict=True):
        assert name in section.split("\n")[0]
    assert value_of(result).files_read == 7
    told = {
        "f1": "List",
        "f3": "pipe",
        "f5": "loop",
        "f7": "binary",
        "f9": "empty",
        "f11": "no file",
    }
    for section in sections[1::2]:
        name = section.partition(".txt ===")[0].rpartition("/")[2]
        assert told[name] in section.partition("\n")[2], section


async def test_a_file_that_may_not_be_read_is_told_among_others(tmp_path: Path) -> None:
    (tmp_path / "open").write_bytes(b"open\n")
    (tmp_path / "shut").write_bytes(b"shut\n")
    (tmp_path / "shut").chmod(0)
    with ordinary_person(tmp_path):
        result = await Toolkit(cwd=tmp_path).call("Read", file_paths=["open", "shut"])
    assert "     1\topen" in result.text
    assert "Permission denied" in result.text
    assert "shut\n     1" not in result.text


async def test_the_same_file_twice_is_shown_twice(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"text\n")
    result = await Toolkit(cwd=tmp_path).call("Read", file_paths=["a", "./a", str(tmp_path / "a")])
    assert result.text.count("     1\ttext") == 3


# ── while others change it ────────────────────────────────────────────────────────────────────
async def test_a_file_that_vanished_before_is_missing_and_after_is_changed(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    kit = Toolkit(cwd=tmp_path, mode="acceptEdits")
    assert (await kit.call("Read", file_path="a.txt")).error is not None
    path.write_bytes(b"text\n")
    assert (await kit.call("Read", file_path="a.txt")).ok
    path.unlink()
    result = await kit.call("Read", file_path="a.txt")
    assert result.error is not None
    assert result.error.code == "FILE_NOT_FOUND"


async def test_a_name_that_becomes_something_else_is_read_as_what_it_is_now(tmp_path: Path) -> None:
    path = tmp_path / "a"
    kit = Toolkit(cwd=tmp_path)
    path.mkdir()
    assert "List" in (await kit.call("Read", file_path="a")).text
    path.rmdir()
    os.mkfifo(path)
    assert "named pipe" in (await kit.call("Read", file_path="a")).text
    path.unlink()
    path.symlink_to("a")
    assert not (await kit.call("Read", file_path="a")).ok
    path.unlink()
    path.write_bytes(b"at last\n")
    assert (await kit.call("Read", file_path="a")).text == "     1\tat last"


@pytest.mark.parametrize(
    "name", ["a b.txt", "नमूना.txt", "a'b\"c.txt", "-n", "a$b.txt", "100%.txt", "~x"]
)
async def test_names_that_shells_stumble_over_are_read(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"text\n")
    assert (await read(tmp_path / name)).text == "     1\ttext"
    result = await Toolkit(cwd=tmp_path).call("Read", file_path=f"./{name}")
    assert result.text == "     1\ttext"
