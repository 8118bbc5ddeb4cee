"""Grep at its limits: long lines, many matches, large files, other encodings – shown whole or cut,
but always counted."""

import asyncio
import os
import resource
import sys
from pathlib import Path
from typing import Any

import pytest

from ankrcode.config.limits import GREP_LINE_CHARS, GREP_MAX_ENTRIES
from ankrcode.protocol.result import ToolResult
from ankrcode.testing import Bench
from ankrcode.tooling.context import ToolContext
from ankrcode.tools.glob import Glob
from ankrcode.tools.grep import Grep, GrepLine, trimmed
from workspace.trees import rg


class GrepInPython(Grep):
    """The same tool on a machine without ripgrep."""

    def rg(self, ctx: ToolContext) -> str | None:
        return None


both_engines = pytest.mark.parametrize("grep", [Grep, GrepInPython], ids=["rg", "python"])


async def content(grep: type[Grep], folder: Path, pattern: str, **arguments: Any) -> ToolResult:
    result = await Bench(grep, folder).run(pattern=pattern, output_mode="content", **arguments)
    assert result.error is None, result.error
    return result


async def lines(grep: type[Grep], folder: Path, pattern: str, **arguments: Any) -> list[GrepLine]:
    matches: list[GrepLine] = (await content(grep, folder, pattern, **arguments)).value.matches
    return matches


# ── long lines ────────────────────────────────────────────────────────────────────────────────
@both_engines
@pytest.mark.parametrize("size", [501, 2_000, 70_000, 3_000_000])
@pytest.mark.parametrize("at", [0.0, 0.01, 0.5, 0.99, 1.0])
async def test_a_long_line_shows_its_match_wherever_it_stands(
    grep: type[Grep], at: float, size: int, tmp_path: Path
) -> None:
    before = int((size - 6) * at)
    line = "x" * before + "needle" + "y" * (size - 6 - before)
    (tmp_path / "a.js").write_text(f"{line}\n", encoding="utf-8")
    [found] = await lines(grep, tmp_path, "needle")
    assert "needle" in found.text
    assert len(found.text) <= GREP_LINE_CHARS + 60
    shown = next(part for part in found.text.split(" ") if "needle" in part)
    hidden = sum(int(word) for word in found.text.replace("[", " ").split() if word.isdigit())
    assert hidden + len(shown) == size, "what is cut off is counted"


@both_engines
@pytest.mark.parametrize(
    ("pattern", "flags"),
    [
        ("needle", {}),
        ("NEEDLE", {"-i": True}),
        (r"n\w+e\b", {}),
        ("(?<=é)needle", {}),
        (r"n(e)\1dle", {}),
        ("needle", {"multiline": True}),
        (r"needle\nz", {"multiline": True}),
        ("needle", {"-C": 1}),
        ("needle|nothing", {"-n": False}),
        ("^.*?needle", {}),
    ],
    ids=str,
)
async def test_any_kind_of_match_is_shown_in_a_long_line(
    grep: type[Grep], pattern: str, flags: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text(f"{'न ' * 900}éneedle\nz\n", encoding="utf-8")
    found = [one for one in await lines(grep, tmp_path, pattern, **flags) if one.is_match]
    if pattern.startswith("^"):  # this match begins with the line
        assert found[0].text.startswith("न न")
    else:
        assert "needle" in found[0].text


@both_engines
async def test_the_first_match_of_a_line_decides_and_each_line_has_its_own(
    grep: type[Grep], tmp_path: Path
) -> None:
    text = "".join(
        f"{'x' * 1_000 * number}needle{number}{'y' * 3_000}needle9\n" for number in (3, 1, 2)
    )
    (tmp_path / "a.txt").write_text(f"short needle0\n{text}", encoding="utf-8")
    found = await lines(grep, tmp_path, r"needle\d")
    assert [one.text.count("needle") for one in found] == [1, 1, 1, 1]
    for one, number in zip(found, (0, 3, 1, 2), strict=True):
        assert f"needle{number}" in one.text


@both_engines
async def test_long_lines_around_a_match_are_cut_from_their_beginning(
    grep: type[Grep], tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text(f"{'b' * 900}\nneedle\n{'c' * 900}\n", encoding="utf-8")
    before, match, after = await lines(grep, tmp_path, "needle", **{"-C": 1})
    assert before.text == f"{'b' * 500} [… 400 characters]"
    assert (match.text, match.is_match) == ("needle", True)
    assert after.text == f"{'c' * 500} [… 400 characters]"


@pytest.mark.parametrize(
    ("line", "at", "expected"),
    [
        ("a" * 500, 0, "a" * 500),
        ("a" * 501, 0, f"{'a' * 500} [… 1 characters]"),
        ("a" * 501, 500, f"[1 characters …] {'a' * 500}"),
        ("a" * 1_000, 0, f"{'a' * 500} [… 500 characters]"),
        ("a" * 1_000, 100, f"{'a' * 500} [… 500 characters]"),
        ("a" * 1_000, 999, f"[500 characters …] {'a' * 500}"),
        ("a" * 1_000, 525, f"[400 characters …] {'a' * 500} [… 100 characters]"),
        ("", 0, ""),
    ],
)
def test_where_a_line_is_cut(line: str, at: int, expected: str) -> None:
    assert trimmed(line, at) == expected


# ── how much is shown ─────────────────────────────────────────────────────────────────────────
@both_engines
@pytest.mark.parametrize("width", [1, 60, 499, 5_000])
@pytest.mark.requirement("S4-068")
async def test_the_text_never_passes_its_limit_and_says_how_to_go_on(
    grep: type[Grep], width: int, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text(f"hit{'w' * width}\n" * 900, encoding="utf-8")
    result = await content(grep, tmp_path, "hit")
    assert len(result.text) <= 20_000
    assert result.value.total_matches == 900
    shown = result.metadata["shown"]
    note = result.text.rpartition("\n")[2]
    assert note == f"({shown} of 900 shown; go on with offset={shown})"
    following = await content(grep, tmp_path, "hit", offset=shown, head_limit=1)
    assert following.value.matches[0].line == shown + 1


@both_engines
async def test_entries_beyond_what_is_kept_can_still_be_reached(
    grep: type[Grep], tmp_path: Path
) -> None:
    total = GREP_MAX_ENTRIES + 2_000
    (tmp_path / "a.txt").write_text("hit\n" * total, encoding="utf-8")
    first = await content(grep, tmp_path, "hit")
    assert (len(first.value.matches), first.value.total_entries) == (GREP_MAX_ENTRIES, total)
    assert first.value.truncated
    last = await content(grep, tmp_path, "hit", offset=total - 3)
    assert [one.line for one in last.value.matches] == [total - 2, total - 1, total]
    assert not last.value.truncated
    past = await content(grep, tmp_path, "hit", offset=total)
    assert past.value.matches == []
    assert f"There are only {total:,}" in past.text


@both_engines
@pytest.mark.parametrize("head_limit", [0, 10, 10**9])
async def test_zero_and_very_many_mean_all(
    grep: type[Grep], head_limit: int, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("hit\n" * 10, encoding="utf-8")
    result = await content(grep, tmp_path, "hit", head_limit=head_limit)
    assert len(result.value.matches) == 10
    assert not result.value.truncated
    assert "shown" not in result.text


@both_engines
async def test_lines_around_matches_are_entries_too(grep: type[Grep], tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x\nhit\ny\n" * 4, encoding="utf-8")
    result = await content(grep, tmp_path, "hit", head_limit=5, **{"-C": 1})
    assert [one.line for one in result.value.matches] == [1, 2, 3, 4, 5]
    assert (result.value.total_entries, result.value.total_matches) == (12, 4)
    rest = await content(grep, tmp_path, "hit", offset=5, **{"-C": 1})
    assert [one.line for one in rest.value.matches] == list(range(6, 13))


@both_engines
@pytest.mark.parametrize("mode", ["files_with_matches", "count"])
async def test_lines_around_matches_mean_nothing_in_other_modes(
    grep: type[Grep], mode: str, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("x\nhit\ny\nhit\n", encoding="utf-8")
    flags = {"-A": 1, "-B": 1, "-C": 5, "-n": True}
    plain = await Bench(grep, tmp_path).run(pattern="hit", output_mode=mode)
    assert (
        await Bench(grep, tmp_path).run(pattern="hit", output_mode=mode, **flags)
    ).text == plain.text


# ── large files ───────────────────────────────────────────────────────────────────────────────
async def test_a_large_file_full_of_matches_is_counted_in_little_memory(tmp_path: Path) -> None:
    with (tmp_path / "large.log").open("w", encoding="utf-8") as file:
        for _ in range(100):
            file.write("a line with a hit in it, and more\n" * 20_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    result = await content(Grep, tmp_path, "hit")
    assert result.value.total_matches == 2_000_000
    assert len(result.value.matches) == GREP_MAX_ENTRIES
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown * (1 if sys.platform == "darwin" else 1024) < 128_000_000


async def test_a_file_too_large_for_python_is_passed_over_and_named(tmp_path: Path) -> None:
    with (tmp_path / "large.log").open("wb") as file:
        file.truncate(33 * 1024 * 1024)
    (tmp_path / "small.log").write_text("hit\n", encoding="utf-8")
    result = await Bench(GrepInPython, tmp_path).run(pattern="hit")
    assert result.value.files == [str(tmp_path / "small.log")]
    assert "1 could not be searched: large.log" in result.text


# ── encodings and line ends ───────────────────────────────────────────────────────────────────
TEXT = "first\nsecond hit é न 日本\nthird\n"


@both_engines
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("alone", [False, True], ids=["in a folder", "alone"])
async def test_marked_unicode_is_text(
    grep: type[Grep], encoding: str, alone: bool, tmp_path: Path
) -> None:
    mark = "\ufeff" if encoding in ("utf-16-le", "utf-16-be") else ""
    (tmp_path / "a.txt").write_bytes((mark + TEXT).encode(encoding))
    place = {"path": "a.txt"} if alone else {}
    found = await lines(grep, tmp_path, "hit é", **place, **{"-C": 1})
    assert [one.text for one in found] == ["first", "second hit é न 日本", "third"]
    counted = await Bench(grep, tmp_path).run(pattern="^first$|日本$", output_mode="count", **place)
    assert counted.value.total_matches == 2


@both_engines
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-32", "utf-32-be"])
async def test_unmarked_wide_text_counts_as_binary(
    grep: type[Grep], encoding: str, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_bytes(TEXT.encode(encoding))
    assert (await lines(grep, tmp_path, "hit")) == []


@both_engines
@pytest.mark.parametrize(
    ("raw", "pattern", "numbers"),
    [
        (b"a\nb", "b", [2]),
        (b"a\nb\n", "^", [1, 2]),
        (b"a\n\n", "^$", [2]),
        (b"\n", "^", [1]),
        (b"", "^", []),
        (b"a\r\nb\r\n", "b", [2]),
        (b"a\r\nb\r\n", "a$", []),
        (b"a\r\nb\r\n", r"a\r?$", [1]),
        (b"a\rb\rc", "b", [1]),
        (b"a\rb\rc", "^b", []),
        (b"a\x0bb\x0cc\xc2\x85d\xe2\x80\xa8e\n", "e", [1]),
        (b"\xff\xff a\nb\n", "b", [2]),
        (b"caf\xe9\n", r"caf.", []),
        (b"caf\xe9\n", r"caf", [1]),
        (b"caf\xe9\n", r"(?-u:\xe9)", None),
        (b"\xef\xbb\xbfa\n", "^a", [1]),
        (b"a\n\xef\xbb\xbfb\n", "^b", []),
    ],
)
async def test_lines_end_where_they_end_for_ripgrep(
    grep: type[Grep], raw: bytes, pattern: str, numbers: list[int] | None, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_bytes(raw)
    typed = rg(tmp_path, "-n", "--no-filename", "-e", pattern, ".").split(b"\n")[:-1]
    by_ripgrep = [int(line.partition(b":")[0]) for line in typed]
    if numbers is None:  # bytes instead of characters: only ripgrep has them
        numbers, grep = by_ripgrep, Grep
    assert numbers == by_ripgrep
    assert [one.line for one in await lines(grep, tmp_path, pattern)] == numbers


@both_engines
@pytest.mark.parametrize(
    ("pattern", "text", "numbers"),
    [
        (r"a\nb", "a\nb\n", [1, 2]),
        (r"a.b", "a\nb\n", [1, 2]),
        (r"(?s)a.b", "x\na\nb\ny\n", [2, 3]),
        (r"a\s+b", "a\n\n\n  b\n", [1, 2, 3, 4]),
        (r"a[\s\S]*?z", "a\nm\nz\nz\n", [1, 2, 3]),
        (r"a[\s\S]*z", "a\nm\nz\nz\n", [1, 2, 3, 4]),
        (r"^b$", "a\nb\nc\n", [2]),
        (r"a$\n^b", "a\nb\n", [1, 2]),
        (r"\n\n", "a\n\nb\n", [1, 2]),
        (r"struct \{[\s\S]*?field", "struct {\n  int a;\n  int field;\n}\n", [1, 2, 3]),
        (r"a\nb|c", "a\nb\nc\n", [1, 2, 3]),
        (r"(?-s)a.*", "a1\na2\n", [1, 2]),
        (r"[^x]+", "a\nxb\n", [1, 2]),
        (r"one.*?two", "one\ntwo one\ntwo\n", [1, 2, 3]),
    ],
)
async def test_multiline_searches_cross_lines_as_in_ripgrep(
    grep: type[Grep], pattern: str, text: str, numbers: list[int], tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    typed = rg(tmp_path, "-n", "-U", "--multiline-dotall", "-I", "-e", pattern, ".")
    assert [int(line.partition(b":")[0]) for line in typed.splitlines()] == numbers
    found = await lines(grep, tmp_path, pattern, multiline=True)
    assert [one.line for one in found] == numbers


# ── an end in any case ────────────────────────────────────────────────────────────────────────
def children() -> set[int]:
    found: set[int] = set()
    for file in Path("/proc/self/task").glob("*/children"):
        found.update(int(pid) for pid in file.read_text(encoding="utf-8").split())
    return found


@pytest.fixture(scope="module")
def many_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("many")
    for number in range(3_000):
        os.close(os.open(folder / f"{number}.txt", os.O_CREAT | os.O_WRONLY))
    return folder


@pytest.mark.parametrize(("tool", "pattern"), [(Glob, "**/*"), (Grep, "x|^$")])
@pytest.mark.parametrize("after_s", [0.0, 0.005, 0.02, 0.05])
async def test_whenever_it_is_cancelled_no_process_stays_behind(
    tool: Any, pattern: str, after_s: float, many_files: Path
) -> None:
    before = children()
    call = asyncio.ensure_future(Bench(tool, many_files).run(pattern=pattern))
    await asyncio.wait([call], timeout=after_s)
    call.cancel()
    await asyncio.wait([call], timeout=20)
    assert call.done()
    assert children() <= before
