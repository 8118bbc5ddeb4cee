"""Glob: which files it lists, in which order, and what it says when there are none."""

import asyncio
import os
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ankrcode import tools
from ankrcode.config.settings import GlobSettings, Settings
from ankrcode.protocol.result import ToolResult
from ankrcode.testing import YES, Bench
from ankrcode.tooling.context import ToolContext
from ankrcode.tools.glob import Glob, GlobOutput


class GlobInPython(Glob):
    """The same tool on a machine without ripgrep."""

    def rg(self, ctx: ToolContext) -> str | None:
        return None


both_engines = pytest.mark.parametrize("glob", [Glob, GlobInPython], ids=["rg", "python"])


def value_of(result: ToolResult) -> GlobOutput:
    assert result.error is None, result.error
    return msgspec.convert(msgspec.to_builtins(result.value), GlobOutput)


async def found(glob: type[Glob], folder: Path, pattern: str, **arguments: Any) -> list[str]:
    """The paths relative to the folder, in order."""
    value = value_of(await Bench(glob, folder).run(pattern=pattern, **arguments))
    return [os.path.relpath(path, folder) for path in value.paths]


def fault_of(result: ToolResult) -> tuple[str, str, str]:
    assert result.error is not None, result.text
    return str(result.error.code), result.error.message, result.error.suggestion


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """The later in the list, the older."""
    names = [
        *("src/new.py", "a.py", "src/deep/b.py", "src/c.ts", "README.md"),
        *(".env", ".github/ci.yml", "build/out.py", "node_modules/x/index.js", "debug.log"),
    ]
    for age, name in enumerate(names):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        os.utime(path, (2_000_000_000 - age, 2_000_000_000 - age))
    (tmp_path / ".gitignore").write_text("build/\nnode_modules\n*.log\n", encoding="utf-8")
    (tmp_path / "empty").mkdir()
    (tmp_path / "link.py").symlink_to("a.py")
    (tmp_path / "broken.py").symlink_to("nowhere")
    return tmp_path


@both_engines
@pytest.mark.requirement("S0-029", "S0-030", "S1-073", "S3-057", "S4-183", "S4-184", "S4-185")
async def test_files_come_newest_first(glob: type[Glob], tree: Path) -> None:
    assert await found(glob, tree, "**/*.py") == ["src/new.py", "a.py", "src/deep/b.py"]
    assert await found(glob, tree, "*.py") == ["a.py"]
    assert await found(glob, tree, "*.py", path="src") == ["src/new.py"]
    os.utime(tree / "src" / "deep" / "b.py", (2_100_000_000, 2_100_000_000))
    assert (await found(glob, tree, "**/*.py"))[0] == "src/deep/b.py"


@both_engines
@pytest.mark.requirement("S0-031")
async def test_paths_are_absolute_one_per_line(glob: type[Glob], tree: Path) -> None:
    result = await Bench(glob, tree).run(pattern="src/**/*.{py,ts}")
    assert result.text.split("\n") == [
        str(tree / "src" / "new.py"),
        str(tree / "src" / "deep" / "b.py"),
        str(tree / "src" / "c.ts"),
    ]
    assert value_of(result).paths == result.text.split("\n")


@both_engines
async def test_files_of_the_same_time_come_by_name(glob: type[Glob], tmp_path: Path) -> None:
    for name in "cab":
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (1, 1))
    assert await found(glob, tmp_path, "*") == ["a", "b", "c"]


@both_engines
async def test_folders_and_links_are_not_listed(glob: type[Glob], tree: Path) -> None:
    everything = await found(glob, tree, "**/*")
    assert set(everything) == {"src/new.py", "a.py", "src/deep/b.py", "src/c.ts", "README.md"}
    assert await found(glob, tree, "**") == everything


@both_engines
async def test_hidden_names_need_a_dot_or_the_flag(glob: type[Glob], tree: Path) -> None:
    (tree / ".git").mkdir()
    (tree / ".git" / "HEAD").touch()
    assert await found(glob, tree, "*env") == []
    assert await found(glob, tree, ".env") == [".env"]
    assert await found(glob, tree, ".github/*.yml") == [".github/ci.yml"]
    assert await found(glob, tree, "**/.*") == [".env", ".gitignore"]
    shown = await found(glob, tree, "**/*", include_hidden=True)
    assert {".env", ".github/ci.yml", ".gitignore"} <= set(shown)
    assert not any(path.startswith(".git/") for path in shown)


@both_engines
async def test_ignored_files_need_the_flag(glob: type[Glob], tree: Path) -> None:
    assert await found(glob, tree, "*.log") == []
    assert await found(glob, tree, "*.log", include_ignored=True) == ["debug.log"]
    assert await found(glob, tree, "node_modules/**/*.js") == []
    inside = await found(glob, tree, "node_modules/**/*.js", include_ignored=True)
    assert inside == ["node_modules/x/index.js"]
    said = (await Bench(glob, tree).run(pattern="node_modules/x/*")).text
    assert f"{tree}/node_modules is left out by an ignore file" in said
    assert "include_ignored" in said


@both_engines
async def test_braces_nest_and_may_lead_to_different_folders(glob: type[Glob], tree: Path) -> None:
    pattern = "{README.md,src/{deep/b,new}.py,nowhere/*}"
    assert await found(glob, tree, pattern) == ["src/new.py", "src/deep/b.py", "README.md"]


@both_engines
async def test_a_pattern_may_be_absolute_or_climb(glob: type[Glob], tree: Path) -> None:
    assert await found(glob, tree, f"{tree}/src/*.py", path="src") == ["src/new.py"]
    assert await found(glob, tree, "../*.py", path="src") == ["a.py"]
    assert await found(glob, tree, "src/new.py") == ["src/new.py"]


async def test_a_place_outside_the_workspace_is_asked_for(tree: Path) -> None:
    outside = tree.with_name(f"beside{tree.name}")
    outside.mkdir()
    (outside / "x.txt").touch()
    (tree / "out").symlink_to(outside)
    for pattern in (f"{outside}/*.txt", f"../{outside.name}/*.txt", "out/*.txt"):
        bench = Bench(Glob, tree, answers=[YES])
        result = await bench.run(pattern=pattern)
        assert str(outside) in bench.asked[0].reason
        assert value_of(result).paths == [str(outside / "x.txt")]
        assert fault_of(await bench.run(pattern=pattern))[0] == "PERMISSION_DENIED"
    bench = Bench(Glob, tree)
    assert (await bench.run(pattern="**/*.txt")).ok  # a link on the way is not followed
    assert not bench.asked


# ── how many ──────────────────────────────────────────────────────────────────────────────────
@both_engines
async def test_a_hundred_are_listed_and_all_are_counted(glob: type[Glob], tmp_path: Path) -> None:
    for number in range(250):
        (tmp_path / f"{number:03}.txt").touch()
        os.utime(tmp_path / f"{number:03}.txt", (number, number))
    bench = Bench(glob, tmp_path)
    result = await bench.run(pattern="*.txt")
    value = value_of(result)
    assert (len(value.paths), value.total, value.truncated) == (100, 250, True)
    assert value.paths[0].endswith("249.txt")
    assert value.paths[-1].endswith("150.txt")
    assert result.text.split("\n")[-1] == "(100 of 250 shown, the newest first)"
    three = value_of(await bench.run(pattern="*.txt", limit=3))
    assert [Path(path).name for path in three.paths] == ["249.txt", "248.txt", "247.txt"]
    every = value_of(await bench.run(pattern="*.txt", limit=0))
    assert (len(every.paths), every.total, every.truncated) == (250, 250, False)


async def test_the_number_listed_is_a_setting(tmp_path: Path) -> None:
    for number in range(9):
        (tmp_path / f"{number}").touch()
    four = Settings(glob=GlobSettings(limit=4))
    value = value_of(await Bench(Glob, tmp_path, settings=four).run(pattern="*"))
    assert (len(value.paths), value.total) == (4, 9)


@pytest.mark.requirement("S4-064")
async def test_an_oversized_list_is_cut_at_the_end_and_saved_whole(tmp_path: Path) -> None:
    for number in range(600):
        (tmp_path / f"{number:03}{'x' * 100}").touch()
    result = await Bench(Glob, tmp_path).run(pattern="*", limit=0)
    assert Glob.max_result_chars == 30_000
    assert len(result.text) < 30_500
    assert result.text.startswith(f"{tmp_path}/")
    saved = Path(result.metadata["saved_to"]).read_text(encoding="utf-8")
    assert len(saved.split("\n")) == 600


@pytest.mark.requirement("S4-186")
async def test_a_folder_of_very_many_files_costs_little_memory(tmp_path: Path) -> None:
    for number in range(8_000):
        os.close(os.open(tmp_path / f"{number:05}", os.O_CREAT | os.O_WRONLY))
    start = time.monotonic()
    value = value_of(await Bench(Glob, tmp_path).run(pattern="**/*"))
    assert (len(value.paths), value.total) == (100, 8_000)
    assert time.monotonic() - start < 5


# ── nothing, and faults ───────────────────────────────────────────────────────────────────────
@both_engines
async def test_no_match_is_a_success_that_says_so(glob: type[Glob], tree: Path) -> None:
    bench = Bench(glob, tree)
    result = await bench.run(pattern="**/*.rs")
    assert result.text == f"No files match '**/*.rs' in {tree}."
    assert value_of(result) == GlobOutput(paths=[], total=0, truncated=False)
    flat = await bench.run(pattern="*.ts")
    assert "'**/*.ts' also looks below it" in flat.text
    assert (await bench.run(pattern="nowhere/*.py")).ok


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("[a", "never closed"),
        ("{a", "never closed"),
        ("src/", "only files"),
        ("*/../x", "wildcard"),
    ],
)
async def test_a_pattern_that_means_nothing_is_explained(
    pattern: str, why: str, tree: Path
) -> None:
    result = await Bench(Glob, tree).run(pattern=pattern)
    code, message, advice = fault_of(result)
    assert code == "INVALID_INPUT"
    assert why in message
    assert "{a,b}" in advice


@pytest.mark.parametrize(("path", "code"), [("a.py", "NOT_A_DIRECTORY"), ("srk", "FILE_NOT_FOUND")])
async def test_the_path_must_be_a_folder(path: str, code: str, tree: Path) -> None:
    assert fault_of(await Bench(Glob, tree).run(pattern="*", path=path))[0] == code


async def test_a_nul_byte_is_refused(tree: Path) -> None:
    assert fault_of(await Bench(Glob, tree).run(pattern="a\0b"))[0] == "INVALID_INPUT"


@both_engines
async def test_any_name_is_found_and_shown_on_one_line(glob: type[Glob], tmp_path: Path) -> None:
    names = [b"two\nlines", b" blank ", b"-dash", b"bad\xff", b"[x]", b"a*b", "नाम".encode()]
    for name in names:
        (tmp_path / os.fsdecode(name)).touch()
    result = await Bench(glob, tmp_path).run(pattern="*")
    assert sorted(Path(path).name for path in value_of(result).paths) == sorted(
        name.decode("utf-8", "backslashreplace") for name in names
    )
    assert len(result.text.split("\n")) == len(names)
    msgspec.json.encode(result)
    assert await found(glob, tmp_path, r"\[x\]") == ["[x]"]
    assert await found(glob, tmp_path, "bad?") == ["bad\\xff"]
    odd = tmp_path / "[odd]*"
    odd.mkdir()
    (odd / "x").touch()
    assert await found(glob, odd, "*") == ["x"]


async def test_a_cancelled_search_ends(tmp_path: Path) -> None:
    for number in range(2_000):
        (tmp_path / f"{number}").touch()
    call = asyncio.ensure_future(Bench(Glob, tmp_path).run(pattern="**/*"))
    await asyncio.sleep(0)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call


# ── what it is ────────────────────────────────────────────────────────────────────────────────
@pytest.mark.requirement("S4-188", "S4-183")
def test_it_is_read_only_and_safe_and_needs_a_pattern() -> None:
    assert Glob().is_read_only
    assert Glob().is_concurrency_safe(msgspec.convert({"pattern": "x"}, Glob.input))
    assert Glob().input_schema["required"] == ["pattern"]


@pytest.mark.requirement("S0-161", "S4-187")
def test_the_description_gives_the_advice_that_matters() -> None:
    text = tools.definitions()["glob"].description
    assert "instead of find or ls in a shell" in text
    assert "several rounds" in text
    assert "Several searches at once are welcome" in text
