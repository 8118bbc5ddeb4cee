"""Move: one step, nothing overwritten by accident, links as links, what was read moves along."""

import errno
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ankrcode import Mode, ToolCall, Toolkit, dialects
from ankrcode.protocol.acts import file, tree
from ankrcode.protocol.result import ToolResult
from ankrcode.testing import YES, Bench
from ankrcode.tools.move import Move, MoveOutput
from ankrcode.workspace.writing import renames
from ankrcode.workspace.writing.folders import Place
from people import ordinary_person


def value_of(result: ToolResult) -> MoveOutput:
    assert result.error is None, result.text
    return msgspec.convert(msgspec.to_builtins(result.value), MoveOutput)


def code_of(result: ToolResult) -> str:
    assert result.error is not None, result.text
    assert result.error.suggestion
    return str(result.error.code)


def listing(folder: Path) -> dict[str, bytes | None]:
    """Every path below, with the content of files."""
    return {
        str(one.relative_to(folder)): one.read_bytes() if one.is_file() else None
        for one in sorted(folder.rglob("*"))
    }


@pytest.fixture
def work(tmp_path: Path) -> Path:
    (tmp_path / "dir" / "deep").mkdir(parents=True)
    (tmp_path / "dir" / "deep" / "x").write_bytes(b"x")
    (tmp_path / "other").mkdir()
    (tmp_path / "a").write_bytes(b"a")
    (tmp_path / "b").write_bytes(b"b")
    return tmp_path


async def move(work: Path, source: str, destination: str, **more: Any) -> ToolResult:
    bench = Bench(Move, work, mode="acceptEdits", answers=[YES])
    return await bench.run(source=source, destination=destination, **more)


# ── where it goes ─────────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S2-017", "S2-018", "S2-019")
async def test_a_file_is_renamed_without_a_question_where_edits_are_accepted(work: Path) -> None:
    bench = Bench(Move, work, mode="acceptEdits")
    result = await bench.run(source="a", destination="c")
    source, destination = str(work / "a"), str(work / "c")
    assert value_of(result) == MoveOutput(source=source, destination=destination, overwritten=False)
    assert result.text == f"Moved {source} to {destination}."
    assert (work / "c").read_bytes() == b"a"
    assert not (work / "a").exists()
    assert bench.asked == []


async def test_missing_parents_are_made(work: Path) -> None:
    assert (await move(work, "a", "new/deep/a")).ok
    assert (work / "new" / "deep" / "a").read_bytes() == b"a"


@pytest.mark.parametrize("destination", ["other", "other/", "link"])
async def test_an_existing_directory_takes_it_in(destination: str, work: Path) -> None:
    (work / "link").symlink_to("other")
    result = await move(work, "a", destination)
    assert value_of(result).destination == str(work / "other" / "a")
    assert (work / "other" / "a").read_bytes() == b"a"


async def test_a_directory_moves_with_all_that_is_in_it(work: Path) -> None:
    assert (await move(work, "dir", "moved")).ok
    assert (work / "moved" / "deep" / "x").read_bytes() == b"x"
    assert (await move(work, "moved", "other")).ok
    assert (work / "other" / "moved" / "deep" / "x").exists()


async def test_a_link_moves_as_a_link(work: Path) -> None:
    (work / "link").symlink_to("a")
    (work / "broken").symlink_to("nowhere")
    assert (await move(work, "link", "other")).ok
    assert (await move(work, "broken", "still broken")).ok
    assert (work / "other" / "link").readlink() == Path("a")
    assert (work / "still broken").readlink() == Path("nowhere")
    assert (work / "a").read_bytes() == b"a"


async def test_only_the_case_of_a_name_may_change(work: Path) -> None:
    for source, destination in (("a", "A"), ("dir", "DIR")):
        assert (await move(work, source, destination)).ok
    assert {"A", "DIR"} <= {one.name for one in work.iterdir()}


def test_where_the_system_ignores_case_the_name_changes_all_the_same(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.link(work / "a", work / "A")  # as such a system answers: both names lead to one file …
    handle = os.open(work, os.O_RDONLY)
    monkeypatch.setattr(os, "listdir", lambda _: ["a"])  # … and only one is listed
    renamed: list[str] = []
    monkeypatch.setattr(renames, "rename_over", lambda old, new: renamed.append(new.name))
    renames.rename_entry(Place(handle, "a"), Place(handle, "A"), overwrites=False)
    os.close(handle)
    assert renamed == ["A"]


# ── what stands there already ─────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S2-060")
@pytest.mark.parametrize("destination", ["b", "broken"])
async def test_nothing_is_overwritten_unless_told(destination: str, work: Path) -> None:
    (work / "broken").symlink_to("nowhere")
    before = listing(work)
    result = await move(work, "a", destination)
    assert code_of(result) == "INVALID_PATH"
    assert "overwrite" in result.text
    assert listing(work) == before


@pytest.mark.requirement("S2-017", "S2-019")
async def test_overwriting_is_asked_for(work: Path) -> None:
    bench = Bench(Move, work, mode="acceptEdits", answers=[YES])
    result = await bench.run(source="a", destination="b", overwrite=True)
    assert value_of(result).overwritten
    assert (work / "b").read_bytes() == b"a"
    (asked,) = bench.asked
    assert f"it overwrites {work / 'b'}" in asked.reason
    assert asked.preview is not None
    assert asked.preview.title == "Move and overwrite"


async def test_leave_to_overwrite_costs_no_question_where_nothing_is(work: Path) -> None:
    bench = Bench(Move, work, mode="acceptEdits")
    assert (await bench.run(source="a", destination="c", overwrite=True)).ok
    assert bench.asked == []


async def test_one_name_of_a_file_can_be_moved_over_another(work: Path) -> None:
    os.link(work / "a", work / "again")
    assert code_of(await move(work, "a", "again")) == "INVALID_PATH"
    assert (await move(work, "a", "again", overwrite=True)).ok
    assert not (work / "a").exists()
    assert (work / "again").read_bytes() == b"a"


@pytest.mark.parametrize(
    ("source", "destination"), [("a", "other"), ("dir", "other"), ("dir", "b")]
)
async def test_files_and_directories_never_replace_each_other(
    source: str, destination: str, work: Path
) -> None:
    if destination == "other":  # into it, where a directory (or a file) of that name stands
        (work / "other" / "a").mkdir()
        (work / "other" / "dir").write_bytes(b"")
    before = listing(work)
    result = await move(work, source, destination, overwrite=True)
    assert code_of(result) == "INVALID_PATH"
    assert listing(work) == before


async def test_a_full_directory_is_never_replaced_an_empty_one_may_be(work: Path) -> None:
    (work / "other" / "dir").mkdir()
    (work / "other" / "dir" / "kept").write_bytes(b"kept")
    assert code_of(await move(work, "dir", "other", overwrite=True)) == "INVALID_PATH"
    (work / "other" / "dir" / "kept").unlink()
    assert (await move(work, "dir", "other", overwrite=True)).ok
    assert (work / "other" / "dir" / "deep" / "x").exists()


async def test_what_appears_in_the_last_moment_is_not_overwritten(work: Path) -> None:
    class Late(Move):
        async def validate(self, args: Any, ctx: Any) -> None:
            await super().validate(args, ctx)
            (work / "c").write_bytes(b"theirs")

    result = await Bench(Late, work, mode="bypass").run(source="a", destination="c")
    assert code_of(result) == "CHANGED_SINCE_READ"
    assert (work / "c").read_bytes() == b"theirs"
    assert (work / "a").read_bytes() == b"a"


# ── what it refuses ───────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("source", "destination", "code"),
    [
        ("missing", "c", "FILE_NOT_FOUND"),
        ("a", "a", "INVALID_PATH"),
        ("a", ".", "INVALID_PATH"),
        ("dir", "dir", "INVALID_PATH"),
        ("dir", "dir/deep", "INVALID_PATH"),
        ("dir", "dir/new/place", "INVALID_PATH"),
        ("a", "b/c", "NOT_A_DIRECTORY"),
        (".", "other", "BLOCKED"),
        ("..", "other", "BLOCKED"),
        ("~", "other", "BLOCKED"),
        ("a", "n" * 300, "INVALID_PATH"),
        ("a\0", "c", "INVALID_PATH"),
    ],
)
async def test_what_makes_no_sense_is_refused_and_nothing_changes(
    source: str, destination: str, code: str, work: Path
) -> None:
    before = listing(work)
    result = await Bench(Move, work, mode="bypass").run(source=source, destination=destination)
    assert code_of(result) == code
    assert listing(work) == before


async def test_a_closed_directory_is_an_error_and_made_parents_are_taken_back(work: Path) -> None:
    (work / "dir").chmod(0o555)
    with ordinary_person(work):
        result = await Bench(Move, work, mode="bypass").run(
            source="dir/deep", destination="new/place"
        )
    (work / "dir").chmod(0o755)
    assert code_of(result) == "PERMISSION_DENIED"
    assert "moved to" in result.text
    assert not (work / "new").exists()


@pytest.mark.parametrize("mode", [Mode.PLAN, Mode.DONT_ASK])
async def test_modes_that_write_nothing_move_nothing(mode: Mode, work: Path) -> None:
    assert not (await Bench(Move, work, mode=mode).run(source="a", destination="c")).ok
    assert (work / "a").exists()


# ── what it says and leaves behind ────────────────────────────────────────────────────────────
async def test_both_ends_are_declared(work: Path) -> None:
    bench = Bench(Move, work)
    await bench.run(source="a", destination="other")
    await bench.run(source="dir", destination="new")
    assert [asked.acts.writes for asked in bench.asked] == [
        (file(str(work / "a")), file(str(work / "other" / "a"))),
        (tree(str(work / "dir")), tree(str(work / "new"))),
    ]


async def test_what_was_read_moves_along(work: Path) -> None:
    kit = Toolkit(cwd=work, mode="bypass")
    for path in ("a", "b", "dir/deep/x"):
        await kit.call("Read", file_path=path)
    await kit.call("Move", source="dir", destination="moved")
    assert (await kit.call("Write", file_path="moved/deep/x", content="new")).ok
    await kit.call("Move", source="a", destination="b", overwrite=True)
    assert (await kit.call("Write", file_path="b", content="new")).ok
    assert (work / "b").read_bytes() == b"new"


# ── to another file system ────────────────────────────────────────────────────────────────────
@pytest.fixture
def two_disks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Renames from one folder to another fail as they do between file systems."""
    real_over, real_new = renames.rename_over, renames.rename_new

    def across(old: Place, new: Place) -> None:
        if not os.path.samestat(os.fstat(old.folder), os.fstat(new.folder)):
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))

    def over(old: Place, new: Place) -> None:
        across(old, new)
        real_over(old, new)

    def fresh(old: Place, new: Place) -> None:
        across(old, new)
        real_new(old, new)

    monkeypatch.setattr(renames, "rename_over", over)
    monkeypatch.setattr(renames, "rename_new", fresh)


@pytest.mark.usefixtures("two_disks")
async def test_a_tree_moves_to_another_file_system_with_everything_that_belongs_to_it(
    work: Path,
) -> None:
    inside = work / "dir" / "deep" / "x"
    inside.chmod(0o750)
    os.setxattr(inside, "user.origin", b"here")
    os.utime(inside, ns=(1_000, 2_000_000_000))
    (work / "dir" / "link").symlink_to("deep/x")
    (work / "dir" / "deep").chmod(0o700)
    assert (await move(work, "dir", "other/moved")).ok
    moved = work / "other" / "moved"
    assert listing(moved) == {"deep": None, "deep/x": b"x", "link": b"x"}
    status = (moved / "deep" / "x").stat()
    assert (status.st_mode & 0o777, status.st_mtime_ns) == (0o750, 2_000_000_000)
    assert os.getxattr(moved / "deep" / "x", "user.origin") == b"here"
    assert (moved / "link").is_symlink()
    assert (moved / "deep").stat().st_mode & 0o777 == 0o700
    assert not (work / "dir").exists()
    assert listing(work / "other").keys() == {"moved", *(f"moved/{n}" for n in listing(moved))}


@pytest.mark.usefixtures("two_disks")
async def test_what_cannot_be_copied_stays_whole_where_it_is(work: Path) -> None:
    os.mkfifo(work / "dir" / "deep" / "pipe")
    before = listing(work)
    result = await move(work, "dir", "new/place")
    assert code_of(result) == "INVALID_PATH"
    assert "pipe" in result.text
    assert listing(work) == before


@pytest.mark.usefixtures("two_disks")
async def test_a_file_is_overwritten_on_another_file_system_only_if_told(work: Path) -> None:
    (work / "other" / "b").write_bytes(b"old")
    assert code_of(await move(work, "b", "other")) == "INVALID_PATH"
    assert (await move(work, "b", "other", overwrite=True)).ok
    assert listing(work / "other") == {"b": b"b"}


# ── as spec 2 says it ─────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S2-017", "S2-018", "S2-060")
async def test_move_file_says_from_and_to(work: Path) -> None:
    kit, workspace = Toolkit(cwd=work, mode="acceptEdits"), dialects.load("workspace")
    arguments = {"from": "a", "to": "c"}
    reply = await kit.call_in(workspace, ToolCall(name="move_file", arguments=arguments))
    assert reply == {"ok": True, "value": {"from": str(work / "a"), "to": str(work / "c")}}
    arguments = {"from": "c", "to": "b"}
    refused = await kit.call_in(workspace, ToolCall(name="move_file", arguments=arguments))
    assert not refused["ok"]
    assert (work / "b").read_bytes() == b"b"
