"""Delete: always asked for, never through a link, and nothing that everything stands on."""

import os
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ankrcode import (
    Approval,
    ApprovalAnswer,
    HookAnswer,
    Mode,
    ToolCall,
    ToolContext,
    Toolkit,
    dialects,
)
from ankrcode.config.limits import DELETE_LISTED, DELETE_SHOWN, PATHS_LISTED_CHARS
from ankrcode.protocol.acts import tree
from ankrcode.protocol.result import ToolResult
from ankrcode.testing import YES, Bench
from ankrcode.tools.delete import Delete, DeleteOutput
from people import ordinary_person
from swapper import Swapper


def value_of(result: ToolResult) -> DeleteOutput:
    assert result.error is None, result.text
    return msgspec.convert(msgspec.to_builtins(result.value), DeleteOutput)


def code_of(result: ToolResult) -> str:
    assert result.error is not None, result.text
    assert result.error.suggestion
    return str(result.error.code)


def names(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir())


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A workspace with a file, a full folder, an empty one, and something precious outside."""
    work = tmp_path / "work"
    (work / "full" / "deep").mkdir(parents=True)
    (work / "full" / "deep" / "x").write_bytes(b"x")
    (work / "full" / "y").write_bytes(b"y")
    (work / "empty").mkdir()
    (work / "file").write_bytes(b"f")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "precious").write_bytes(b"p")
    return work


async def delete(work: Path, **arguments: Any) -> ToolResult:
    return await Bench(Delete, work, answers=[YES]).run(**arguments)


# ── what it removes ───────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S2-014", "S2-015")
async def test_a_file_is_deleted_and_named(work: Path) -> None:
    result = await delete(work, path="file")
    path = str(work / "file")
    assert value_of(result) == DeleteOutput(path=path, deleted=[path], total=1)
    assert result.text == f"Deleted {path}"
    assert names(work) == ["empty", "full"]


@pytest.mark.requirement("S2-014", "S2-059")
async def test_an_empty_directory_needs_no_flag_a_full_one_does(work: Path) -> None:
    assert (await delete(work, path="empty")).ok
    refused = await delete(work, path="full")
    assert code_of(refused) == "IS_A_DIRECTORY"
    assert "recursive" in refused.text
    assert names(work / "full") == ["deep", "y"]


@pytest.mark.requirement("S2-015", "S2-059")
async def test_a_directory_is_deleted_with_all_that_is_in_it(work: Path) -> None:
    result = await delete(work, path="full", recursive=True)
    deleted = [work / "full" / one for one in ("", "deep", "deep/x", "y")]
    value = value_of(result)
    assert sorted(value.deleted) == sorted(map(str, deleted))
    assert value.total == 4
    assert result.text.startswith("Deleted 4 entries:\n")
    assert names(work) == ["empty", "file"]


async def test_a_link_is_deleted_and_what_it_leads_to_stays(work: Path) -> None:
    for name, target in (("a", "file"), ("b", "full"), ("c", "../outside"), ("d", "nowhere")):
        (work / name).symlink_to(target)
        result = await delete(work, path=name, recursive=True)
        assert value_of(result).deleted == [str(work / name)]
    assert names(work) == ["empty", "file", "full"]
    assert names(work / "full") == ["deep", "y"]
    assert names(work.parent / "outside") == ["precious"]


async def test_links_inside_a_directory_are_not_followed(work: Path) -> None:
    (work / "full" / "out").symlink_to(work.parent / "outside")
    (work / "full" / "loop").symlink_to(work / "full")
    assert (await delete(work, path="full", recursive=True)).ok
    assert names(work.parent / "outside") == ["precious"]


async def test_odd_things_are_deleted_without_being_opened(work: Path) -> None:
    os.mkfifo(work / "full" / "pipe")
    (work / "full" / "new\nline").write_bytes(b"")
    (work / "full" / "deep" / "x").chmod(0)
    result = await delete(work, path="full", recursive=True)
    assert "'new" not in result.text.replace("\\n", "")
    assert "\\n" in result.text, "a name with a newline stays on its line"
    assert names(work) == ["empty", "file"]


async def test_a_tree_deeper_than_any_stack_is_deleted(work: Path) -> None:
    levels, name = sys.getrecursionlimit() + 50, "deep"
    handle = os.open(work, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir(name, dir_fd=handle)
        inner = os.open(name, os.O_RDONLY, dir_fd=handle)
        os.close(handle)
        handle = inner
    os.close(handle)
    assert levels * len(f"{name}/") > os.pathconf(work, "PC_PATH_MAX"), "nor does the path fit"
    result = await delete(work, path=name, recursive=True)
    value = value_of(result)
    assert value.total == levels
    assert 0 < sum(map(len, value.deleted)) <= PATHS_LISTED_CHARS, "long paths are fewer paths"
    assert result.error is None
    assert not (work / name).exists()


async def test_what_is_listed_is_bounded_and_the_total_is_told(work: Path) -> None:
    (work / "many").mkdir()
    for number in range(1_500):
        (work / "many" / str(number)).touch()
    result = await delete(work, path="many", recursive=True)
    value = value_of(result)
    assert (len(value.deleted), value.total) == (DELETE_LISTED, 1_501)
    assert len(result.text.splitlines()) == DELETE_SHOWN + 2
    assert f"… {1_501 - DELETE_SHOWN:,} more" in result.text


async def test_what_was_read_of_it_is_forgotten(work: Path) -> None:
    kit = Toolkit(cwd=work, mode="bypass")
    for path in ("file", "full/y"):
        await kit.call("Read", file_path=path)
    await kit.call("Delete", path="file")
    await kit.call("Delete", path="full", recursive=True)
    assert kit.agent.reads.get(str(work / "file")) is None
    assert kit.agent.reads.get(str(work / "full" / "y")) is None


# ── what it refuses ───────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("path", [".", "..", "/", "~", "../work", "full/..", "link/..", "~/.."])
async def test_roots_home_and_what_holds_them_are_refused(
    path: str, work: Path, own_home: Path
) -> None:
    (work / "link").symlink_to("full/deep")
    (own_home / "letters").touch()
    result = await Bench(Delete, work, mode="bypass").run(path=path, recursive=True)
    if path == "link/..":  # what that is, the system says: the folder that holds deep
        assert names(work) == ["empty", "file", "link"]
        return
    assert code_of(result) == "BLOCKED"
    assert names(work) == ["empty", "file", "full", "link"]
    assert names(own_home) == ["letters"]


async def test_further_roots_and_the_current_directory_are_refused(work: Path) -> None:
    kit = Toolkit(cwd=work, mode="bypass", extra_directories=[work.parent / "outside"])
    assert code_of(await kit.call("Delete", path="../outside", recursive=True)) == "BLOCKED"
    kit.agent.workspace.cwd = str(work / "full" / "deep")
    refused = await kit.call("Delete", path=str(work / "full"), recursive=True)
    assert code_of(refused) == "BLOCKED"
    assert "current directory" in refused.text
    assert names(work.parent / "outside") == ["precious"]


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("missing", "FILE_NOT_FOUND"),
        ("file/x", "NOT_A_DIRECTORY"),
        ("a\0b", "INVALID_PATH"),
        ("n" * 300, "INVALID_PATH"),
    ],
)
async def test_what_is_not_there_is_said(path: str, code: str, work: Path) -> None:
    assert code_of(await delete(work, path=path)) == code


async def test_a_failure_on_the_way_says_what_is_gone_already(work: Path, tmp_path: Path) -> None:
    (work / "full" / "deep").chmod(0o555)
    with ordinary_person(tmp_path):
        result = await Bench(Delete, work, mode="bypass").run(path="full", recursive=True)
    assert code_of(result) == "PERMISSION_DENIED"
    assert result.error is not None
    assert result.error.details["total"] == len(result.error.details["deleted"])
    (work / "full" / "deep").chmod(0o755)
    assert names(work / "full" / "deep") == ["x"]


async def test_nothing_outside_is_deleted_while_someone_swaps_links(work: Path) -> None:
    outside = work.parent / "outside"

    async def person(approval: Approval) -> ApprovalAnswer:
        is_inside = all(path.startswith(f"{work}/") for path in approval.acts.writes_files)
        return ApprovalAnswer(approved=is_inside)

    kit = Toolkit(cwd=work, approve=person)
    (work / "in").mkdir()
    with Swapper(work / "in", outside) as swapper:
        for _ in range(300):
            await kit.call("Delete", path="in/precious")
    assert swapper.swaps
    assert names(outside) == ["precious"]


# ── asking ────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S2-016")
@pytest.mark.parametrize("mode", [Mode.DEFAULT, Mode.ACCEPT_EDITS])
async def test_the_person_is_always_asked(mode: Mode, work: Path) -> None:
    bench = Bench(Delete, work, mode=mode)
    result = await bench.run(path="full", recursive=True)
    assert result.error is not None
    assert result.error.code == "PERMISSION_DENIED"
    (asked,) = bench.asked
    assert asked.acts.writes == (tree(str(work / "full")),)
    assert asked.preview is not None
    assert asked.preview.body.splitlines() == [
        str(work / "full"),
        *(str(work / "full" / one) for one in ("deep", "deep/x", "y")),
    ]
    assert (work / "full").exists()


async def test_no_grant_silences_the_question(work: Path) -> None:
    always = ApprovalAnswer(approved=True, remember="session")
    bench = Bench(Delete, work, mode="acceptEdits", answers=[always, always])
    bench.kit.agent.policy.grant("Delete")
    assert (await bench.run(path="file")).ok
    (work / "file").write_bytes(b"again")
    assert (await bench.run(path="file")).ok
    assert len(bench.asked) == 2


class SaysYes:
    """A hook that allows everything."""

    async def before(self, call: ToolCall, ctx: ToolContext) -> HookAnswer:
        return HookAnswer(decision="allow")

    async def after(self, call: ToolCall, result: ToolResult, ctx: ToolContext) -> None: ...

    async def failed(self, call: ToolCall, result: ToolResult, ctx: ToolContext) -> None: ...


@pytest.mark.parametrize("mode", [Mode.DEFAULT, Mode.ACCEPT_EDITS])
async def test_no_hook_answers_in_the_persons_place(mode: Mode, work: Path) -> None:
    bench = Bench(Delete, work, mode=mode, hooks=[SaysYes()])
    assert not (await bench.run(path="file")).ok
    assert len(bench.asked) == 1


@pytest.mark.parametrize("mode", [Mode.PLAN, Mode.DONT_ASK])
async def test_where_nobody_may_be_asked_nothing_is_deleted(mode: Mode, work: Path) -> None:
    bench = Bench(Delete, work, mode=mode)
    bench.kit.agent.policy.grant("Delete")
    assert not (await bench.run(path="file")).ok
    assert bench.asked == []
    assert (work / "file").exists()


async def test_only_bypass_mode_does_not_ask(work: Path) -> None:
    bench = Bench(Delete, work, mode="bypass")
    assert (await bench.run(path="file")).ok
    assert bench.asked == []


# ── as spec 2 says it ─────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S2-014", "S2-015", "S2-059")
async def test_delete_file_lists_what_it_deleted(work: Path) -> None:
    (work / "link").symlink_to("full")
    kit, workspace = Toolkit(cwd=work, mode="bypass"), dialects.load("workspace")
    for path in ("link", "empty"):
        call = ToolCall(name="delete_file", arguments={"path": path, "recursive": True})
        reply = await kit.call_in(workspace, call)
        assert reply == {"ok": True, "value": {"deleted": [str(work / path)]}}
    outside = ToolCall(name="delete_file", arguments={"path": "../outside", "recursive": True})
    assert not (await kit.call_in(workspace, outside))["ok"]
    assert names(work) == ["file", "full"]
    assert names(work.parent / "outside") == ["precious"]
