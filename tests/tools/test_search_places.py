"""Where Glob and Grep look: closed folders, links, odd names, and paths that look like flags."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ankrcode.protocol.result import ToolResult
from ankrcode.testing import Bench
from ankrcode.tooling.context import ToolContext
from ankrcode.tools.glob import Glob
from ankrcode.tools.grep import Grep
from people import powerless_root
from workspace.trees import rg


class GlobInPython(Glob):
    """On a machine without ripgrep."""

    def rg(self, ctx: ToolContext) -> str | None:
        return None


class GrepInPython(Grep):
    """On a machine without ripgrep."""

    def rg(self, ctx: ToolContext) -> str | None:
        return None


ENGINES: dict[str, tuple[type[Glob], type[Grep]]] = {
    "rg": (Glob, Grep),
    "python": (GlobInPython, GrepInPython),
}
both_engines = pytest.mark.parametrize("engine", ENGINES)


async def globbed(engine: str, folder: Path, pattern: str = "**/*", **arguments: Any) -> ToolResult:
    return await Bench(ENGINES[engine][0], folder).run(pattern=pattern, **arguments)


async def grepped(
    engine: str, folder: Path, pattern: str = "needle", **arguments: Any
) -> ToolResult:
    return await Bench(ENGINES[engine][1], folder).run(pattern=pattern, **arguments)


def names(result: ToolResult, folder: Path) -> list[str]:
    assert result.error is None, result.error
    paths = result.value.paths if hasattr(result.value, "paths") else result.value.files
    return sorted(os.path.relpath(path, folder) for path in paths)


def code(result: ToolResult) -> str:
    assert result.error is not None, result.text
    return str(result.error.code)


def put(folder: Path, *paths: str) -> None:
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("needle\n", encoding="utf-8")


@contextmanager
def closed(path: Path, mode: int) -> Iterator[None]:
    """The path has this mode, and it counts for root too; afterwards it can be removed."""
    path.chmod(mode)
    try:
        with powerless_root():
            yield
    finally:
        path.chmod(0o755)


# ── what is closed ────────────────────────────────────────────────────────────────────────────
@both_engines
async def test_a_closed_folder_is_reported_and_the_rest_is_found(
    engine: str, tmp_path: Path
) -> None:
    put(tmp_path, "open/a.txt", "closed/b.txt", "z.txt")
    with closed(tmp_path / "closed", 0):
        for result in (await globbed(engine, tmp_path), await grepped(engine, tmp_path)):
            assert names(result, tmp_path) == ["open/a.txt", "z.txt"]
            assert (result.value.unsearched, result.value.unsearched_example) == (1, "closed")
            assert "1 could not be searched: closed" in result.text


@both_engines
async def test_where_nothing_is_found_closed_folders_are_still_reported(
    engine: str, tmp_path: Path
) -> None:
    put(tmp_path, "closed/b.txt", "closed too/c.txt")
    (tmp_path / "closed too").chmod(0)
    with closed(tmp_path / "closed", 0):
        for result in (await globbed(engine, tmp_path), await grepped(engine, tmp_path)):
            assert names(result, tmp_path) == []
            assert result.value.unsearched == 2
            assert result.text.startswith("No ")
            assert "2 could not be searched: closed" in result.text
    (tmp_path / "closed too").chmod(0o755)


@both_engines
@pytest.mark.parametrize("mode", [0o000, 0o444, 0o111], ids=["nothing", "no entry", "no list"])
async def test_a_closed_place_to_begin_is_an_error(engine: str, mode: int, tmp_path: Path) -> None:
    put(tmp_path, "closed/b.txt")
    with closed(tmp_path / "closed", mode):
        assert code(await globbed(engine, tmp_path, path="closed")) == "PERMISSION_DENIED"
        assert code(await grepped(engine, tmp_path, path="closed")) == "PERMISSION_DENIED"


@both_engines
async def test_a_closed_file_is_an_error_when_it_is_named(engine: str, tmp_path: Path) -> None:
    put(tmp_path, "closed.txt")
    with closed(tmp_path / "closed.txt", 0):
        assert code(await grepped(engine, tmp_path, path="closed.txt")) == "PERMISSION_DENIED"
        assert names(await globbed(engine, tmp_path), tmp_path) == ["closed.txt"]


@both_engines
async def test_a_closed_ignore_file_leaves_nothing_out(engine: str, tmp_path: Path) -> None:
    put(tmp_path, "a.log")
    (tmp_path / ".gitignore").write_text("*.log\n", encoding="utf-8")
    with closed(tmp_path / ".gitignore", 0):
        assert names(await grepped(engine, tmp_path), tmp_path) == ["a.log"]


@both_engines
@pytest.mark.parametrize("where", [".gitignore", "sub/.gitignore", "../.gitignore"])
async def test_a_line_that_cannot_be_read_is_no_trouble(
    engine: str, where: str, tmp_path: Path
) -> None:
    """ripgrep complains about it; nobody who searches can do anything with that."""
    work = tmp_path / "work"
    put(work, "a.txt", "sub/b.txt", "c.log")
    (tmp_path / ".git").mkdir()
    (work / where).write_text("a[\n{x\n*.log\n", encoding="utf-8")
    for result in (await globbed(engine, work), await grepped(engine, work)):
        left_out = where != "sub/.gitignore"
        assert names(result, work) == ["a.txt", *(() if left_out else ("c.log",)), "sub/b.txt"]
        assert result.value.unsearched == 0


# ── links ─────────────────────────────────────────────────────────────────────────────────────
@both_engines
async def test_links_are_neither_followed_nor_listed(engine: str, tmp_path: Path) -> None:
    put(tmp_path, "real/a.txt")
    (tmp_path / "file-link.txt").symlink_to("real/a.txt")
    (tmp_path / "folder-link").symlink_to("real")
    (tmp_path / "real" / "up").symlink_to("..")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "broken").symlink_to("nowhere")
    for result in (await globbed(engine, tmp_path), await grepped(engine, tmp_path)):
        assert names(result, tmp_path) == ["real/a.txt"]
        assert result.value.unsearched == 0


@both_engines
async def test_a_link_may_be_the_place_to_begin(engine: str, tmp_path: Path) -> None:
    put(tmp_path, "real/a.txt")
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "link.txt").symlink_to("real/a.txt")
    for result in (
        await globbed(engine, tmp_path, path="link"),
        await grepped(engine, tmp_path, path="link"),
        await grepped(engine, tmp_path, path="link.txt"),
        await globbed(engine, tmp_path, "link/*.txt"),
    ):
        assert names(result, tmp_path) == ["real/a.txt"]


@both_engines
@pytest.mark.parametrize(("link", "target"), [("loop", "loop"), ("broken", "nowhere")])
async def test_a_link_that_leads_nowhere_is_a_typed_error(
    engine: str, link: str, target: str, tmp_path: Path
) -> None:
    (tmp_path / link).symlink_to(target)
    for result in (
        await globbed(engine, tmp_path, path=link),
        await grepped(engine, tmp_path, path=link),
    ):
        assert code(result) in ("FILE_NOT_FOUND", "INVALID_PATH")
        assert result.error is not None
        assert result.error.suggestion


# ── names ─────────────────────────────────────────────────────────────────────────────────────
ODD_NAMES = (
    *("-x", "--files", "--", "-", "--pre=cat", "[a]", "*", "?", "{a,b}", "a b", " lead", "!x"),
    *("quote'\"", "$HOME", "`id`", "a;b", "नाम", "e\u0301", "%s", "#c", "a:1:b", ".hidden", "~x"),
)
REFUSED_NAMES = ("two\nlines", "tab\there", "trail ", "back\\slash", "\u202egnp", "\x7f")


@both_engines
@pytest.mark.parametrize("name", ODD_NAMES)
async def test_a_folder_of_any_name_can_be_searched(engine: str, name: str, tmp_path: Path) -> None:
    put(tmp_path, f"{name}/in.txt")
    place = str(tmp_path / name)
    assert names(await globbed(engine, tmp_path, "*", path=place), tmp_path) == [f"{name}/in.txt"]
    assert names(await grepped(engine, tmp_path, path=place), tmp_path) == [f"{name}/in.txt"]


@both_engines
@pytest.mark.parametrize("name", ODD_NAMES)
async def test_a_file_of_any_name_can_be_searched(engine: str, name: str, tmp_path: Path) -> None:
    put(tmp_path, name)
    for mode in ("files_with_matches", "count", "content"):
        result = await grepped(engine, tmp_path, path=str(tmp_path / name), output_mode=mode)
        assert result.value.total_files == 1
        assert result.value.is_file
    assert names(await globbed(engine, tmp_path, include_hidden=True), tmp_path) == [name]


@both_engines
@pytest.mark.parametrize("name", REFUSED_NAMES)
async def test_a_name_that_may_not_be_asked_for_is_found_all_the_same(
    engine: str, name: str, tmp_path: Path
) -> None:
    put(tmp_path, f"{name}/in.txt")
    for result in (await globbed(engine, tmp_path), await grepped(engine, tmp_path)):
        assert names(result, tmp_path) == [f"{name}/in.txt"]
        assert len(result.text.split("\n")) == 1, "one line for each path"
    refused = await grepped(engine, tmp_path, path=str(tmp_path / name))
    assert code(refused) == "INVALID_PATH"
    assert refused.error is not None
    assert refused.error.suggestion


@both_engines
@pytest.mark.parametrize(
    "pattern",
    [
        *(
            "-e",
            "-",
            "--",
            "--files",
            "--pre=/bin/false",
            "-f/etc/passwd",
            "--help",
            "-V",
            "-0",
            "-v",
        ),
        *(
            "--hidden",
            "--no-ignore",
            "@file",
            "$(id)",
            "`id`",
            "%n",
            "'; id; '",
            '"',
            " -l ",
            "\\-x",
        ),
    ],
)
async def test_a_pattern_that_looks_like_a_flag_is_a_pattern(
    engine: str, pattern: str, tmp_path: Path
) -> None:
    literal = pattern.removeprefix("\\")
    (tmp_path / "a.txt").write_text(f"one {literal} two\n", encoding="utf-8")
    (tmp_path / "b.txt").write_text("nothing of the sort\n", encoding="utf-8")
    escaped = pattern.replace("$", r"\$").replace("(", r"\(").replace(")", r"\)")
    assert names(await grepped(engine, tmp_path, escaped), tmp_path) == ["a.txt"]


@both_engines
@pytest.mark.parametrize("glob", ["--files", "-x", "--pre=cat", "-g*", "!-x", "--"])
async def test_a_glob_that_looks_like_a_flag_is_a_glob(
    engine: str, glob: str, tmp_path: Path
) -> None:
    put(tmp_path, "--files", "-x", "other.txt")
    expected = sorted(rg(tmp_path, "-l", f"--glob={glob}", "needle", "./").decode().split())
    found = names(await grepped(engine, tmp_path, glob=glob), tmp_path)
    assert [f"./{name}" for name in found] == expected


@both_engines
@pytest.mark.parametrize(
    "name", ["--files", "-x", "py --files", "", "PY", "py,js", "all", "nothing"]
)
async def test_a_type_is_a_name_and_nothing_else(engine: str, name: str, tmp_path: Path) -> None:
    put(tmp_path, "a.py")
    result = await grepped(engine, tmp_path, type=name)
    if name in ("", "all"):
        assert result.ok or engine == "python"
    else:
        assert code(result) == "INVALID_INPUT"


# ── where it begins ───────────────────────────────────────────────────────────────────────────
@both_engines
@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("node_modules", "node_modules"),
        ("node_modules/", "node_modules"),
        ("/node_modules", "node_modules/x"),
        ("node_modules/**", "node_modules"),
        ("*.js", "node_modules/x"),
        ("x", "node_modules"),
        ("!index.js", "node_modules"),
        ("node_modules/x", "node_modules"),
    ],
)
async def test_inside_a_folder_that_is_left_out_as_ripgrep_does(
    engine: str, line: str, place: str, tmp_path: Path
) -> None:
    put(tmp_path, "node_modules/x/index.js", "node_modules/y.txt", "node_modules/x/z/deep.txt")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text(f"{line}\n", encoding="utf-8")
    expected = sorted(rg(tmp_path, "-l", "needle", f"{place}/").decode().split())
    assert names(await grepped(engine, tmp_path, path=place), tmp_path) == expected
    assert names(await globbed(engine, tmp_path, path=place), tmp_path) == expected


@both_engines
async def test_a_hidden_folder_can_be_the_place_to_begin(engine: str, tmp_path: Path) -> None:
    put(tmp_path, ".github/ci.yml", ".github/.secret", "a.txt")
    for result in (
        await globbed(engine, tmp_path, path=".github"),
        await grepped(engine, tmp_path, path=".github"),
    ):
        assert names(result, tmp_path) == [".github/ci.yml"]


@both_engines
async def test_an_empty_place_is_a_success(engine: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty.txt").touch()
    assert names(await globbed(engine, tmp_path, path="empty"), tmp_path) == []
    assert names(await grepped(engine, tmp_path, path="empty"), tmp_path) == []
    assert names(await grepped(engine, tmp_path, "^", path="empty.txt"), tmp_path) == []


@both_engines
@pytest.mark.parametrize("path", ["nowhere", "a.txt/b", "", "a\0b", "x" * 5_000])
async def test_a_place_that_cannot_be_is_a_typed_error(
    engine: str, path: str, tmp_path: Path
) -> None:
    put(tmp_path, "a.txt")
    expected = {"FILE_NOT_FOUND", "INVALID_INPUT", "INVALID_PATH", "NOT_A_DIRECTORY"}
    assert code(await globbed(engine, tmp_path, path=path)) in expected
    assert code(await grepped(engine, tmp_path, path=path)) in expected


@pytest.mark.parametrize(
    "wrong",
    [
        *({"head_limit": -1}, {"offset": -1}, {"-A": -1}, {"-C": 10**9}, {"offset": 10**9}),
        *({"output_mode": "lines"}, {"multiline": "perhaps"}, {"-A": 1.5}, {"pattern": ""}),
        *({"pattern": ["a"]}, {"glob": 7}, {"unknown": 1}, {"pattern": "x" * 10_001}),
    ],
    ids=str,
)
async def test_wrong_arguments_are_named(wrong: dict[str, Any], tmp_path: Path) -> None:
    result = await Bench(Grep, tmp_path).run_raw({"pattern": "x", **wrong})
    assert code(result) == "INVALID_INPUT"
    assert next(iter(wrong)) in result.text


@both_engines
async def test_the_longest_pattern_can_be_asked_for(engine: str, tmp_path: Path) -> None:
    pattern = "न" * 9_990
    (tmp_path / "a.txt").write_text(f"{pattern}\n", encoding="utf-8")
    assert names(await grepped(engine, tmp_path, pattern), tmp_path) == ["a.txt"]
