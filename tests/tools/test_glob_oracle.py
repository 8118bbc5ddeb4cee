"""Glob against bash, which knows the same signs: made-up patterns in a made-up tree."""

import os
import subprocess
from pathlib import Path
from random import Random

import pytest

from ankrcode.testing import Bench
from ankrcode.tooling.context import ToolContext
from ankrcode.tools.glob import Glob
from torture import IS_TORTURE

NAMES = (
    *("a", "b", "ab", "a.py", "b.py", "c.js", "ab.js", ".env", ".a.py", "x y", "[a]", "a*b", "-n"),
    *("नाम.py", "é.js", "{a}", "a,b", "README.md", "~", "back\\slash"),
)
FOLDERS = (
    "src",
    "src/deep",
    "src/deep/a",
    "lib",
    ".hidden",
    ".hidden/a",
    "a b",
    "src/.git-like",
    "[x]",
)
PARTS = (
    *(
        "*",
        "*",
        "**",
        "**",
        "*.py",
        "*.js",
        "a*",
        "*b",
        "?",
        "??",
        "[ab]",
        "[!a]*",
        "[^a]*",
        "[a-c].*",
    ),
    *(
        "{a,b}",
        "{a,b}.py",
        "*.{py,js}",
        "{src,lib}",
        "{a,{b,ab}.js}",
        ".*",
        ".env",
        ".hidden",
        "src",
    ),
    *(
        "deep",
        "a b",
        "\\[a\\]",
        "\\{a\\}",
        "[[]a]",
        "a\\*b",
        "*\\\\*",
        "[]a]*",
        "न*",
        "?.js",
        "-n",
        "\\~",
    ),
    *("x\\ y", "[!.]*", "*[!y]", "{*.md,src}", "a.{py,}", "{,a}b"),
)
# What a shell does with a pattern that is not quoted, but for names it may not touch.
SCRIPT = r"""
shopt -s globstar nullglob; [ -n "$2" ] && shopt -s dotglob
IFS=; eval "set -- $1"
for path; do [ -f "$path" ] && [ ! -L "$path" ] && printf '%s\0' "$path"; done; true
"""


class GlobInPython(Glob):
    """The same tool on a machine without ripgrep."""

    def rg(self, ctx: ToolContext) -> str | None:
        return None


both_engines = pytest.mark.parametrize("glob", [Glob, GlobInPython], ids=["rg", "python"])


def by_bash(folder: Path, pattern: str, *, dotglob: bool) -> set[str]:
    typed = pattern.replace(" ", "\\ ").replace("\\\\ ", "\\ ")
    done = subprocess.run(
        ["bash", "-c", SCRIPT, "bash", typed, "1" if dotglob else ""],
        cwd=folder,
        env={"LC_ALL": "C.UTF-8", "PATH": os.environ["PATH"]},
        capture_output=True,
        check=True,
    )
    return set(os.fsdecode(done.stdout).split("\0")[:-1])


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    random, top = Random(1), tmp_path_factory.mktemp("tree")
    for folder in (top, *(top / name for name in FOLDERS)):
        folder.mkdir(parents=True, exist_ok=True)
    for folder in (top, *(top / name for name in FOLDERS)):
        for name in random.sample(NAMES, 11):
            if not (folder / name).is_dir():
                (folder / name).touch()
    return top


def make_pattern(random: Random) -> str:
    return "/".join(random.choice(PARTS) for _ in range(random.choice((1, 1, 2, 2, 3))))


@pytest.mark.torture
@both_engines
@pytest.mark.parametrize("seed", range(50 if IS_TORTURE else 4))
@pytest.mark.requirement("S0-029", "S4-183")
async def test_a_pattern_finds_what_it_finds_in_bash(
    glob: type[Glob], seed: int, tree: Path
) -> None:
    random, bench, answers = Random(seed), Bench(glob, tree), 0
    for _ in range(50 if glob is Glob else 20):
        pattern, hidden = make_pattern(random), random.random() < 0.2
        result = await bench.run(
            pattern=pattern, limit=0, include_hidden=hidden, include_ignored=True
        )
        assert result.error is None, (pattern, result.error)
        found = {os.path.relpath(path, tree) for path in result.value.paths}
        assert found == by_bash(tree, pattern, dotglob=hidden), pattern
        assert result.value.total == len(found)
        answers += bool(found)
    assert answers >= 4


@both_engines
@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("src/**/a", ["src/a", "src/deep/a"]),
        ("**/deep/**", ["src/deep/a", "src/deep/b.py"]),
        ("./*.py", ["top.py"]),
        (".//src//*", ["src/a"]),
        ("src/deep/../a", ["src/a"]),
        ("**/*", ["src/a", "src/deep/a", "src/deep/b.py", "top.py"]),
        ("**/**/**/b.py", ["src/deep/b.py"]),
        ("**/src/**/*.py", ["src/deep/b.py"]),
        ("s*/d*/?", ["src/deep/a"]),
        ("{src,src/deep}/a", ["src/a", "src/deep/a"]),
        ("{top.py,top.py}", ["top.py"]),
        ("{{{top}}}.py", ["top.py"]),
        ("to[p].p[xy]", ["top.py"]),
        ("TOP.py", []),
        ("top.py/*", []),
        ("nowhere/**", []),
        ("***", ["top.py"]),
        ("**.py", ["top.py"]),
        ("a**", []),
    ],
)
async def test_what_patterns_mean(
    glob: type[Glob], pattern: str, expected: list[str], tmp_path: Path
) -> None:
    for name in ("top.py", "src/a", "src/deep/a", "src/deep/b.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    result = await Bench(glob, tmp_path).run(pattern=pattern)
    assert result.error is None, result.error
    assert sorted(os.path.relpath(path, tmp_path) for path in result.value.paths) == expected


@both_engines
@pytest.mark.parametrize("pattern", ["**", "**/*", "**/*.py", "*.py", "**/*.{py,js}", "**/?*.py"])
async def test_a_hidden_name_that_an_ignore_file_lets_in_is_still_hidden(
    glob: type[Glob], pattern: str, tmp_path: Path
) -> None:
    (tmp_path / ".gitignore").write_text("!.hidden.py\n!.folder\n", encoding="utf-8")
    for name in (".hidden.py", "seen.py", ".folder/in.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    result = await Bench(glob, tmp_path).run(pattern=pattern)
    assert [os.path.relpath(path, tmp_path) for path in result.value.paths] == ["seen.py"]
    hidden = await Bench(glob, tmp_path).run(pattern=pattern, include_hidden=True)
    assert str(tmp_path / ".hidden.py") in hidden.value.paths
