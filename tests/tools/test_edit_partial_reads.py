"""What an agent has seen of a file decides what it may change in it: lines, versions, times."""

import asyncio
import os
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode import ToolCall, Toolkit
from ankrcode.errors import ErrorCode
from ankrcode.protocol.result import ToolResult
from ankrcode.workspace import reads
from ankrcode.workspace.reads import FileVersion, ReadRecord, ReadState
from torture import examples

LINES = "".join(f"line {number}\n" for number in range(1, 31))


class Desk:
    """One file of thirty lines, and an agent that reads and changes parts of it."""

    def __init__(self, folder: Path, text: str = LINES) -> None:
        self.file = folder / "f.txt"
        self.file.write_bytes(text.encode())
        self.kit = Toolkit(cwd=folder, mode="bypass")

    async def read(self, first: int = 0, last: int = 0) -> "Desk":
        window = {"offset": first, "limit": last - first + 1} if first else {}
        result = await self.kit.call("Read", file_path="f.txt", **window)
        assert result.ok, result.text
        return self

    async def edit(self, old: str, new: str, **more: Any) -> ToolResult:
        arguments = {"old_string": old, "new_string": new, **more}
        return await self.kit.call("Edit", file_path="f.txt", **arguments)

    async def patch(self, *lines: str) -> ToolResult:
        patch = ["*** Begin Patch", "*** Update File: f.txt", *lines, "*** End Patch"]
        return await self.kit.call("ApplyPatch", patch="\n".join(patch))

    async def write(self, content: str) -> ToolResult:
        return await self.kit.call("Write", file_path="f.txt", content=content)

    @property
    def text(self) -> str:
        return self.file.read_bytes().decode()

    @property
    def windows(self) -> list[tuple[int, int]]:
        record = self.kit.agent.reads.get(str(self.file))
        assert record is not None
        return sorted(record.windows)


def code_of(result: ToolResult) -> str:
    return "" if result.error is None else str(result.error.code)


# ── several reads add up ──────────────────────────────────────────────────────────────────────
async def test_two_parts_that_were_read_may_both_be_changed(tmp_path: Path) -> None:
    on = Desk(tmp_path)
    await on.read(3, 5)
    await on.read(20, 22)
    assert on.windows == [(3, 3), (20, 3)]
    assert (await on.edit("line 4\n", "four\n")).ok
    assert (await on.edit("line 21\n", "twenty-one\n")).ok
    assert code_of(await on.edit("line 10\n", "ten\n")) == "NOT_READ"


async def test_one_call_may_change_both_parts(tmp_path: Path) -> None:
    on = Desk(tmp_path)
    await on.read(3, 5)
    await on.read(20, 22)
    edits = [
        {"old_string": "line 21\n", "new_string": "21\nmore\n"},
        {"old_string": "line 4\n", "new_string": "4\nmore\nmore\n"},
    ]
    result = await on.kit.call("Edit", file_path="f.txt", edits=edits)
    assert result.ok, result.text
    assert on.windows == [(3, 5), (22, 4)]


async def test_a_patch_may_change_both_parts(tmp_path: Path) -> None:
    on = Desk(tmp_path)
    await on.read(3, 5)
    await on.read(20, 22)
    result = await on.patch("@@", "-line 4", "@@", " line 20", "+more", " line 21")
    assert result.ok, result.text
    assert on.windows == [(3, 2), (19, 4)]
    assert (await on.patch("@@", "-line 22", "+22")).ok
    assert code_of(await on.patch("@@", "-line 23", "+23")) == "NOT_READ"


@pytest.mark.parametrize(
    ("first", "second", "joined"),
    [
        ((3, 5), (6, 8), [(3, 6)]),
        ((6, 8), (3, 5), [(3, 6)]),
        ((3, 8), (5, 6), [(3, 6)]),
        ((5, 6), (3, 8), [(3, 6)]),
        ((3, 6), (5, 9), [(3, 7)]),
        ((3, 5), (7, 8), [(3, 3), (7, 2)]),
    ],
    ids=["after", "before", "inside", "around", "overlapping", "a-line-between"],
)
async def test_parts_that_touch_become_one(
    first: tuple[int, int], second: tuple[int, int], joined: list[tuple[int, int]], tmp_path: Path
) -> None:
    on = Desk(tmp_path)
    await on.read(*first)
    await on.read(*second)
    assert on.windows == joined


async def test_an_edit_across_two_parts_that_touch_is_allowed(tmp_path: Path) -> None:
    on = Desk(tmp_path)
    await on.read(3, 5)
    await on.read(6, 8)
    assert (await on.edit("line 5\nline 6\n", "5 and 6\n")).ok


async def test_an_edit_across_two_parts_with_a_line_between_is_not(tmp_path: Path) -> None:
    on = Desk(tmp_path)
    await on.read(3, 5)
    await on.read(7, 8)
    result = await on.edit("line 5\nline 6\nline 7\n", "x\n")
    assert code_of(result) == "NOT_READ"
    assert "lines 3 to 5, 7 to 8" in result.text
    assert on.text == LINES


async def test_a_look_at_a_part_does_not_make_one_forget_the_whole(tmp_path: Path) -> None:
    on = Desk(tmp_path)
    await on.read()
    await on.read(10, 12)
    assert (await on.edit("line 1\n", "one\n")).ok
    await on.read(10, 12)
    assert (await on.write("all new\n")).ok


async def test_a_whole_read_after_a_part_counts_as_whole(tmp_path: Path) -> None:
    on = Desk(tmp_path)
    await on.read(10, 12)
    await on.read()
    assert on.windows == []
    assert (await on.write("all new\n")).ok


async def test_parts_of_another_version_do_not_add_up(tmp_path: Path) -> None:
    on = Desk(tmp_path)
    await on.read(3, 5)
    on.file.write_text(LINES.replace("line 25", "LINE 25"), encoding="utf-8")
    await on.read(20, 22)
    assert on.windows == [(20, 3)]
    assert code_of(await on.edit("line 4\n", "four\n")) == "NOT_READ"


async def test_a_whole_read_of_another_version_does_not_help(tmp_path: Path) -> None:
    on = Desk(tmp_path)
    await on.read()
    on.file.write_text(LINES.replace("line 25", "LINE 25"), encoding="utf-8")
    await on.read(20, 22)
    assert code_of(await on.edit("line 4\n", "four\n")) == "NOT_READ"
    assert code_of(await on.write("x")) == "NOT_READ"


async def test_all_parts_together_are_no_whole_read_for_who_overwrites(tmp_path: Path) -> None:
    on = Desk(tmp_path)
    await on.read(1, 15)
    await on.read(16, 30)
    assert on.windows == [(1, 30)]
    assert (await on.edit("line 15\nline 16\n", "x\n")).ok
    assert code_of(await on.write("x")) == "NOT_READ"


async def test_two_agents_do_not_share_what_they_read(tmp_path: Path) -> None:
    on = await Desk(tmp_path).read()
    child = on.kit.for_agent("child")
    arguments = {"file_path": "f.txt", "old_string": "line 1\n", "new_string": "one\n"}
    assert code_of(await child.call("Edit", arguments)) == "NOT_READ"
    assert (await on.edit("line 1\n", "one\n")).ok


# ── the window moves with the text ────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("old", "new", "windows"),
    [
        ("line 11\n", "", [(10, 2)]),
        ("line 10\nline 11\nline 12\n", "", [(10, 0)]),
        ("line 11\n", "a\nb\nc\n", [(10, 5)]),
        ("line 11", "a\nb", [(10, 4)]),
        ("line 10\n", "zero\nline 10\n", [(10, 4)]),
        ("line 12\n", "line 12\nlast\n", [(10, 4)]),
        ("\nline 10\n", "\nnew\nline 10\n", [(10, 4)]),
    ],
    ids=["less", "nothing-left", "more", "inside", "at-the-start", "at-the-end", "line-end-before"],
)
async def test_the_window_grows_and_shrinks_with_an_edit(
    old: str, new: str, windows: list[tuple[int, int]], tmp_path: Path
) -> None:
    on = Desk(tmp_path)
    await on.read(10, 12)
    result = await on.edit(old, new)
    assert result.ok, result.text
    assert on.text == LINES.replace(old, new)
    assert on.windows == windows


async def test_a_later_part_moves_when_an_earlier_one_grows(tmp_path: Path) -> None:
    on = Desk(tmp_path)
    await on.read(3, 5)
    await on.read(20, 22)
    for number in range(5):
        assert (await on.edit(f"line {3 + number % 3}\n", f"new\nline {3 + number % 3}\n")).ok
    assert on.windows == [(3, 8), (25, 3)]
    assert (await on.edit("line 20\n", "twenty\n")).ok
    assert code_of(await on.edit("line 19\n", "nineteen\n")) == "NOT_READ"
    assert code_of(await on.edit("line 23\n", "twenty-three\n")) == "NOT_READ"


async def test_where_nothing_is_left_of_the_window_nothing_more_may_be_changed(
    tmp_path: Path,
) -> None:
    on = Desk(tmp_path)
    await on.read(10, 12)
    assert (await on.edit("line 10\nline 11\nline 12\n", "")).ok
    assert code_of(await on.edit("line 13\n", "")) == "NOT_READ"
    assert code_of(await on.edit("line 9\n", "")) == "NOT_READ"


@pytest.mark.parametrize(("first", "last"), [(1, 3), (28, 30), (1, 30), (30, 30), (1, 1)])
async def test_the_edges_of_the_file_belong_to_whoever_saw_them(
    first: int, last: int, tmp_path: Path
) -> None:
    on = Desk(tmp_path)
    await on.read(first, last)
    assert (await on.edit(f"line {first}\n", f"LINE {first}\n")).ok
    if last > first:
        assert (await on.edit(f"line {last}\n", f"LINE {last}\nand more\n")).ok
    inside = set(range(first, last + 1))
    for number in {1, 2, 15, 29, 30} - inside:
        result = await on.edit(f"line {number}\n", "x\n")
        assert code_of(result) == "NOT_READ", number


async def test_a_replace_all_that_reaches_beyond_is_refused_as_a_whole(tmp_path: Path) -> None:
    on = Desk(tmp_path)
    await on.read(1, 9)
    assert code_of(await on.edit("line 1", "LINE 1", replace_all=True)) == "NOT_READ"
    assert on.text == LINES
    assert (await on.edit("line 1\n", "LINE 1\n", replace_all=True)).ok


async def test_lines_that_read_cut_off_at_the_end_are_not_known(tmp_path: Path) -> None:
    on = Desk(tmp_path, "".join(f"row {number}\n" for number in range(1, 3_001)))
    await on.read()  # shows two thousand lines, and says so
    assert on.windows == [(1, 2_000)]
    assert (await on.edit("row 2000\n", "x\n")).ok
    assert code_of(await on.edit("row 2001\n", "x\n")) == "NOT_READ"


@pytest.mark.torture
@examples(in_ci=40, in_torture=400)
@given(data=st.data())
async def test_a_line_may_be_changed_if_and_only_if_it_was_shown(
    data: st.DataObject, tmp_path: Path
) -> None:
    """A model of the rule: a set of line texts that were seen, kept by whoever edits."""
    on = Desk(tmp_path)
    lines = [f"line {number}" for number in range(1, 31)]
    seen: set[str] = set()
    made = 0
    for _ in range(data.draw(st.integers(1, 8))):
        if data.draw(st.booleans()):
            first = data.draw(st.integers(1, len(lines)))
            last = data.draw(st.integers(first, min(first + 5, len(lines))))
            await on.read(first, last)
            seen |= set(lines[first - 1 : last])
            continue
        at = data.draw(st.integers(0, len(lines) - 1))
        new = [f"new {made}.{n}" for n in range(data.draw(st.integers(0, 3)))]
        result = await on.edit(f"{lines[at]}\n", "".join(f"{one}\n" for one in new))
        made += 1
        if lines[at] in seen:
            assert result.ok, result.text
            lines[at : at + 1] = new
            seen |= set(new)
            if not lines:
                return
        else:
            assert code_of(result) == "NOT_READ"
        assert on.text == "".join(f"{line}\n" for line in lines)


# ── versions ──────────────────────────────────────────────────────────────────────────────────
OUTSIDE = {
    "content": lambda file: file.write_text("other\n", encoding="utf-8"),
    "appended": lambda file: file.write_text(LINES + "more\n", encoding="utf-8"),
    "same-size": lambda file: file.write_text(LINES.replace("line 9\n", "LINE 9\n"), "utf-8"),
    "emptied": lambda file: file.write_bytes(b""),
    "replaced-by-rename": lambda file: _replaced(file, b"other\n"),
    "line-endings": lambda file: file.write_bytes(LINES.replace("\n", "\r\n").encode()),
    "byte-order-mark": lambda file: file.write_bytes(b"\xef\xbb\xbf" + LINES.encode()),
}


def _replaced(file: Path, content: bytes) -> None:
    other = file.with_suffix(".new")
    other.write_bytes(content)
    other.replace(file)


@pytest.mark.parametrize("outside", OUTSIDE.values(), ids=OUTSIDE)
@pytest.mark.parametrize("act", ["edit", "patch", "write"])
async def test_what_someone_else_wrote_is_never_overwritten(
    act: str, outside: Any, tmp_path: Path
) -> None:
    on = await Desk(tmp_path).read()
    times = on.file.stat()
    outside(on.file)
    if on.file.stat().st_size == times.st_size:
        os.utime(on.file, ns=(times.st_atime_ns, times.st_mtime_ns))
    now = on.file.read_bytes()
    acts = {
        "edit": on.edit("line 2\n", "two\n"),
        "patch": on.patch("@@", "-line 2", "+two"),
        "write": on.write("mine\n"),
    }
    for name, unused in acts.items():
        if name != act:
            unused.close()
    assert code_of(await acts[act]) == "CHANGED_SINCE_READ"
    assert on.file.read_bytes() == now
    await on.read()
    assert (await on.write("mine\n")).ok, "after another look it may"


async def test_content_that_came_back_to_what_was_read_is_known_again(tmp_path: Path) -> None:
    on = await Desk(tmp_path).read()
    on.file.write_text("other\n", encoding="utf-8")
    assert code_of(await on.edit("line 2\n", "two\n")) == "CHANGED_SINCE_READ"
    on.file.write_text(LINES, encoding="utf-8")
    assert (await on.edit("line 2\n", "two\n")).ok


async def test_a_failed_edit_neither_counts_as_a_read_nor_spoils_one(tmp_path: Path) -> None:
    on = Desk(tmp_path)
    assert code_of(await on.edit("line 2\n", "two\n")) == "NOT_READ"
    assert on.kit.agent.reads.get(str(on.file)) is None
    await on.read()
    before = on.kit.agent.reads.get(str(on.file))
    assert code_of(await on.edit("nowhere", "two\n")) == "TEXT_NOT_FOUND"
    assert on.kit.agent.reads.get(str(on.file)) == before


@pytest.mark.parametrize("name", ["missing.txt", ".", "picture.bin"])
async def test_a_failed_read_does_not_count(name: str, tmp_path: Path) -> None:
    on = Desk(tmp_path)
    (tmp_path / "picture.bin").write_bytes(bytes(range(256)) * 8)
    result = await on.kit.call("Read", file_path=name)
    assert not result.ok
    assert on.kit.agent.reads.get(str(tmp_path / name)) is None


async def test_a_cancelled_read_does_not_count(tmp_path: Path) -> None:
    on = Desk(tmp_path)
    async with on.kit.turn() as turn:
        task = turn.feed(ToolCall(name="Read", arguments={"file_path": "f.txt"}, id="r"))
        turn.cancel("r")
        (result,) = await turn.results()
    assert task.done()
    assert result.error is not None
    assert result.error.code is ErrorCode.CANCELLED
    assert on.kit.agent.reads.get(str(on.file)) is None
    assert code_of(await on.edit("line 2\n", "two\n")) == "NOT_READ"


async def test_a_read_that_a_person_refused_does_not_count(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "outside.txt").write_text(LINES, encoding="utf-8")
    kit = Toolkit(cwd=tmp_path / "work", mode="dontAsk")
    path = str(tmp_path / "outside.txt")
    assert code_of(await kit.call("Read", file_path=path)) == "PERMISSION_DENIED"
    assert kit.agent.reads.get(path) is None


async def test_edits_of_one_answer_follow_one_another(tmp_path: Path) -> None:
    """Fed at once, as a model sends them: each sees what the one before it wrote."""
    on = Desk(tmp_path)
    calls = [ToolCall(name="Read", arguments={"file_path": "f.txt"}, id="0")]
    for number in range(1, 9):
        arguments = {
            "file_path": "f.txt",
            "old_string": f"line {number}\n",
            "new_string": f"l{number}\n",
        }
        calls.append(ToolCall(name="Edit", arguments=arguments, id=str(number)))
    results = await on.kit.call_all(calls)
    assert [result.ok for result in results] == [True] * 9
    assert on.text.startswith("".join(f"l{number}\n" for number in range(1, 9)))


async def test_two_agents_that_edit_at_once_lose_nothing(tmp_path: Path) -> None:
    on = await Desk(tmp_path).read()
    other = on.kit.for_agent("other")
    assert (await other.call("Read", file_path="f.txt")).ok
    arguments = {"file_path": "f.txt", "old_string": "line 9\n", "new_string": "nine\n"}
    mine, theirs = await asyncio.gather(on.edit("line 2\n", "two\n"), other.call("Edit", arguments))
    outcomes = sorted([code_of(mine), code_of(theirs)])
    assert outcomes == ["", "CHANGED_SINCE_READ"], "who comes second is told, not overwritten"
    assert ("two\n" in on.text) != ("nine\n" in on.text)


# ── the record of reads, alone ────────────────────────────────────────────────────────────────
def record(offset: int | None, limit: int | None, digest: str = "d") -> ReadRecord:
    version = FileVersion(size=1, mtime_ns=1, digest=digest)
    return ReadRecord(version=version, offset=offset, limit=limit)


@pytest.mark.torture
@examples(in_ci=200, in_torture=5_000)
@given(windows=st.lists(st.tuples(st.integers(1, 40), st.integers(1, 8)), min_size=1, max_size=12))
def test_the_windows_together_are_the_lines_that_were_shown(
    windows: list[tuple[int, int]],
) -> None:
    state = ReadState()
    shown: set[int] = set()
    for first, count in windows:
        state.record("/f", record(first, count))
        shown |= set(range(first, first + count))
    kept = state.get("/f")
    assert kept is not None
    known = [line for first, count in kept.windows for line in range(first, first + count)]
    assert sorted(known) == sorted(shown), "each line once"
    last_first = windows[-1][0]
    assert kept.offset is not None
    assert kept.limit is not None
    assert kept.offset <= last_first < kept.offset + kept.limit


def test_so_many_single_parts_are_remembered_and_no_more() -> None:
    state = ReadState()
    for number in Random(1).sample(range(1, 1_000), 400):
        state.record("/f", record(number * 2, 1))
    kept = state.get("/f")
    assert kept is not None
    assert len(kept.windows) <= reads.MAX_WINDOWS + 1


def test_a_record_of_another_version_stands_alone() -> None:
    state = ReadState()
    state.record("/f", record(None, None, "one"))
    state.record("/f", record(5, 2, "two"))
    kept = state.get("/f")
    assert kept is not None
    assert kept.windows == ((5, 2),)
