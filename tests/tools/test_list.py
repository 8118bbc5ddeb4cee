"""List: names with type, size and time; recursion, links, hidden names, and a bound."""

import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import pytest

from ankrcode import Toolkit
from ankrcode.protocol.result import ToolResult
from ankrcode.testing import YES, Bench
from ankrcode.tools.list import List, ListOutput
from tools.privileges import without_privileges


def value_of(result: ToolResult) -> ListOutput:
    assert result.error is None, result.error
    return msgspec.convert(msgspec.to_builtins(result.value), ListOutput)


async def names_in(folder: Path, **arguments: Any) -> list[str]:
    value = value_of(await Bench(List, folder).run(**arguments))
    assert value.total == len(value.entries)
    return [entry.name for entry in value.entries]


def code_of(result: ToolResult) -> str:
    assert result.error is not None, result.text
    return str(result.error.code)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Two files, a folder with a file, a link, and hidden ones of each kind."""
    (tmp_path / "src" / "deep").mkdir(parents=True)
    (tmp_path / "src" / "deep" / "x.py").write_text("pass\n", encoding="utf-8")
    (tmp_path / "b.txt").write_text("bb", encoding="utf-8")
    (tmp_path / "a.txt").write_text("a", encoding="utf-8")
    (tmp_path / "link").symlink_to("src")
    (tmp_path / ".env").touch()
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").touch()
    return tmp_path


@pytest.mark.requirement("S2-002", "S2-003", "S2-004")
async def test_each_entry_has_name_type_size_and_time(tree: Path) -> None:
    for name in ("a.txt", "src"):
        os.utime(tree / name, (1_700_000_000, 1_700_000_000))
    entries = {one.name: one for one in value_of(await Bench(List, tree).run()).entries}
    assert {name: one.type for name, one in entries.items()} == {
        "a.txt": "file",
        "b.txt": "file",
        "link": "symlink",
        "src": "directory",
    }
    assert (entries["a.txt"].size, entries["b.txt"].size) == (1, 2)
    assert entries["a.txt"].modified == entries["src"].modified == "2023-11-14T22:13:20Z"


async def test_the_text_has_a_line_for_each_entry_in_order_of_names(tree: Path) -> None:
    for name in ("a.txt", "b.txt", "src"):
        os.utime(tree / name, (1_700_000_000, 1_700_000_000))
    result = await Bench(List, tree).run(path=str(tree))
    lines = result.text.split("\n")
    assert lines[0] == "         1  2023-11-14T22:13:20  a.txt"
    assert lines[1] == "         2  2023-11-14T22:13:20  b.txt"
    assert lines[2].endswith("  link@")
    assert lines[3] == "         -  2023-11-14T22:13:20  src/"
    assert result.title == f"List {tree}"
    assert result.metadata == {"total": 4}


@pytest.mark.requirement("S2-001")
async def test_hidden_entries_are_shown_only_when_asked_for(tree: Path) -> None:
    assert await names_in(tree) == ["a.txt", "b.txt", "link", "src"]
    shown = await names_in(tree, include_hidden=True)
    assert shown == [".env", ".git", "a.txt", "b.txt", "link", "src"]


@pytest.mark.requirement("S2-001")
async def test_recursion_goes_into_folders_but_not_through_links(tree: Path) -> None:
    shown = await names_in(tree, recursive=True)
    assert shown == ["a.txt", "b.txt", "link", "src", "src/deep", "src/deep/x.py"]
    with_hidden = await names_in(tree, recursive=True, include_hidden=True)
    assert ".git/config" in with_hidden


async def test_a_loop_of_links_ends(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "up").symlink_to("..")
    (tmp_path / "self").symlink_to("self")
    assert await names_in(tmp_path, recursive=True) == ["self", "sub", "sub/up"]


async def test_an_empty_folder_says_so(tmp_path: Path) -> None:
    result = await Bench(List, tmp_path).run()
    assert result.text == f"{tmp_path} is empty."
    assert value_of(result).entries == []


async def test_a_folder_is_found_relative_to_the_current_directory(tree: Path) -> None:
    assert await names_in(tree, path="src/deep") == ["x.py"]
    assert await names_in(tree / "src", path="../src") == ["deep"]


async def test_a_link_to_a_folder_lists_that_folder(tree: Path) -> None:
    assert await names_in(tree, path="link") == ["deep"]


@pytest.mark.parametrize("name", ["two\nlines", "\x1b[31mred", "नमस्ते", "with space"])
async def test_a_strange_name_takes_one_harmless_line(name: str, tmp_path: Path) -> None:
    (tmp_path / name).touch()
    result = await Bench(List, tmp_path).run()
    assert value_of(result).entries[0].name == name
    assert "\n" not in result.text
    assert "\x1b" not in result.text
    assert result.text.endswith(name if name.isprintable() else repr(name))


async def test_a_name_that_is_not_utf8_is_shown_escaped(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9")).touch()
    result = await Bench(List, tmp_path).run()
    assert result.ok
    assert result.text.endswith(r"'caf\udce9'")


async def test_pipes_and_other_special_files_are_listed_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert await names_in(tmp_path, recursive=True) == ["pipe"]


# ── the bound ─────────────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S3-034")
async def test_the_limit_cuts_the_entries_and_the_total_is_told(tree: Path) -> None:
    result = await Bench(List, tree).run(recursive=True, limit=2)
    value = value_of(result)
    assert [entry.name for entry in value.entries] == ["a.txt", "b.txt"]
    assert value.total == 6
    assert result.text.endswith("\n… 4 more; 6 in all")


@pytest.mark.parametrize("limit", [0, -1, 100_001])
async def test_a_limit_out_of_bounds_is_refused(limit: int, tmp_path: Path) -> None:
    assert code_of(await Bench(List, tmp_path).run(limit=limit)) == "INVALID_INPUT"


@pytest.mark.requirement("S3-034")
async def test_twenty_thousand_entries_are_bounded_and_quick() -> None:
    with TemporaryDirectory() as name:  # removed at once: pytest would keep it for later runs
        for number in range(20_000):
            Path(name, f"{number:05}").touch()
        result = await Bench(List, name).run()
    value = value_of(result)
    assert (len(value.entries), value.total) == (1_000, 20_000)
    assert value.entries[-1].name == "00999"
    assert len(result.text) < 100_000
    assert result.duration_ms < 5_000


# ── what cannot be listed ─────────────────────────────────────────────────────────────────────
async def test_a_file_is_refused_and_points_to_read(tree: Path) -> None:
    result = await Bench(List, tree).run(path="a.txt")
    assert code_of(result) == "NOT_A_DIRECTORY"
    assert "Use Read" in result.text


async def test_a_missing_folder_is_answered_with_the_nearest_name(tree: Path) -> None:
    result = await Bench(List, tree).run(path="scr")
    assert code_of(result) == "FILE_NOT_FOUND"
    assert result.text.endswith("Use List to see what is there.")
    assert (await Bench(List, tree).run(path="src/dep")).text.endswith(f"{tree}/src/deep?")


@pytest.mark.parametrize("path", ["   ", "a\0b", "x" * 5_000])
async def test_a_malformed_path_is_refused(path: str, tmp_path: Path) -> None:
    assert code_of(await Bench(List, tmp_path).run(path=path)) == "INVALID_PATH"


async def test_a_closed_folder_fails_at_the_top_and_is_passed_over_below() -> None:
    with TemporaryDirectory() as name:  # pytest's own folders are closed to everyone else
        Path(name).chmod(0o755)
        (Path(name) / "closed").mkdir(mode=0o000)
        bench = Bench(List, name)
        with without_privileges():
            at_top = await bench.run(path="closed")
            below = await bench.run(recursive=True)
    assert code_of(at_top) == "PERMISSION_DENIED"
    assert f"{name}/closed may not be listed: Permission denied" in at_top.text
    assert [entry.name for entry in value_of(below).entries] == ["closed"]


@pytest.mark.requirement("S2-005")
async def test_the_workspace_is_listed_without_a_question_and_the_outside_with_one(
    tree: Path,
) -> None:
    bench = Bench(List, tree / "src", answers=[YES])
    assert (await bench.run()).ok
    assert not bench.asked
    assert (await bench.run(path="..")).ok
    assert len(bench.asked) == 1
    nobody = await Toolkit(cwd=tree / "src").call("List", path="..")
    assert code_of(nobody) == "PERMISSION_DENIED"
