"""Where ripgrep is found, and how it is asked."""

import sysconfig
from pathlib import Path

import pytest

from ankrcode.errors import ToolError
from ankrcode.workspace.search.output import Bounds
from ankrcode.workspace.search.ripgrep import filter_arguments, find_rg, type_names
from ankrcode.workspace.search.search import GrepQuery, Search
from ankrcode.workspace.search.walk import Filters
from workspace.trees import RG

FEW = Bounds(entries=100, content_bytes=10**6, timed_files=100)


def program(path: Path, script: str = "exit 1") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def test_the_one_beside_python_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(program(tmp_path / "bin" / "rg").parent))
    assert find_rg(()) == RG
    # It is ours even where the environment lies in the workspace.
    assert find_rg((sysconfig.get_path("scripts"),)) == RG


def test_else_the_one_on_the_path_unless_the_workspace_brought_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path / "nothing"))
    rg = program(tmp_path / "bin" / "rg")
    monkeypatch.setenv("PATH", str(rg.parent))
    assert find_rg(()) == str(rg)
    assert find_rg((str(tmp_path / "elsewhere"),)) == str(rg)
    assert find_rg((str(tmp_path),)) is None
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "rg").symlink_to(rg)
    monkeypatch.setenv("PATH", str(tmp_path / "outside"))
    assert find_rg((str(tmp_path / "bin"),)) is None, "a link into the workspace is inside"
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    assert find_rg(()) is None


def test_it_is_never_asked_to_sort_or_to_read_a_configuration(tmp_path: Path) -> None:
    said = tmp_path / "said"
    rg = program(tmp_path / "bin" / "rg", f'echo "$@" >> {said}; pwd >> {said}')
    search = Search(str(rg), time_limit_s=10)
    for mode in ("content", "files_with_matches", "count"):
        search.grep(GrepQuery(pattern="-x", folder=str(tmp_path), mode=mode), FEW)
    search.list_files(str(tmp_path), Filters(), lambda names: None)
    lines = said.read_text(encoding="utf-8").splitlines()
    calls, folders = lines[::2], lines[1::2]
    assert len(calls) == 4
    assert set(folders) == {str(tmp_path)}
    for call in calls:
        assert call.startswith("--no-config ")
        assert "--sort" not in call
        assert call.endswith(" -- ./")


def test_filters_become_arguments(tmp_path: Path) -> None:
    everything = Filters(glob="*.py", include_hidden=True, include_ignored=True, max_depth=3)
    arguments = filter_arguments(everything, str(tmp_path), "py")
    assert arguments[-6:] == [
        *("--glob=*.py", "--hidden", "--glob=!.git", "--no-ignore", "--max-depth=3", "--type=py"),
    ]
    assert "--no-require-git" in filter_arguments(Filters(), str(tmp_path))
    (tmp_path / ".git").mkdir()
    assert "--no-require-git" not in filter_arguments(Filters(), str(tmp_path))


def test_no_configuration_and_no_global_ignore_file_changes_the_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    (home / ".config" / "git").mkdir(parents=True)
    (home / ".config" / "git" / "ignore").write_text("*\n", encoding="utf-8")
    (home / "rc").write_text("--files-without-match\n", encoding="utf-8")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(home / "rc"))
    (tmp_path / "a.txt").write_text("x\n", encoding="utf-8")
    (tmp_path / "b.txt").write_text("y\n", encoding="utf-8")
    found = Search(RG, time_limit_s=10).grep(GrepQuery(pattern="x", folder=str(tmp_path)), FEW)
    assert found.files == [b"./a.txt"]


@pytest.mark.parametrize("pattern", ["a\0b", r"a\x00b"])
@pytest.mark.parametrize("rg", [RG, None], ids=["rg", "python"])
def test_a_pattern_with_a_nul_byte_is_explained(
    rg: str | None, pattern: str, tmp_path: Path
) -> None:
    query = GrepQuery(pattern=pattern, folder=str(tmp_path))
    with pytest.raises(ToolError) as caught:
        Search(rg, time_limit_s=10).grep(query, FEW)
    assert caught.value.code == "INVALID_INPUT"


def test_the_types_are_asked_for_once() -> None:
    names = type_names(RG)
    assert {"py", "js", "rust", "cpp"} <= set(names)
    assert type_names(RG) is names


def test_columns_are_found_only_where_asked(tmp_path: Path) -> None:
    query = GrepQuery(pattern="b+", folder=str(tmp_path))
    for rg in (RG, None):
        columns = Search(rg, time_limit_s=10).columns(query, [b"aab", b"none", b"b" * 3_000])
        assert columns == [2, None, 0]
    assert list(tmp_path.iterdir()) == []
