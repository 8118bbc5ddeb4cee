"""Grep as a model calls it, against `rg` as a person types it: 200 queries, line by line."""

import os
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from ankrcode.protocol.result import ToolResult
from ankrcode.testing import Bench
from ankrcode.tooling.context import ToolContext
from ankrcode.tools.grep import Grep, GrepOutput
from torture import IS_TORTURE
from workspace.trees import TYPE_NAMES, WORDS, make_tree, rg

TREES = 40 if IS_TORTURE else 4
GLOBS = (
    "*.py",
    "*.{js,ts,tsx}",
    "**/*.md",
    "!*.py",
    "src/**",
    "[a-d].*",
    "/*.txt",
    "lib/",
    "*.log",
)
PEOPLES_WORDS = (
    *(r"def \w+\(", r"return|TODO", r"\bx\d\b", r"^\s+\S", r"[A-Z]{2,}", r"\d+ \d+", r"(a|b)\.\w"),
    *(
        r"snake_case|camelCase",
        r"^-- ",
        r"\{.*\}",
        r"end.*;$",
        r"[^\x00-\x7f]",
        r"café|crème",
        "दुनिया",
    ),
)


class GrepInPython(Grep):
    """The same tool on a machine without ripgrep."""

    def rg(self, ctx: ToolContext) -> str | None:
        return None


def make_arguments(random: Random) -> dict[str, Any]:
    """What a model might send."""
    made: dict[str, Any] = {"pattern": random.choice((*WORDS, *PEOPLES_WORDS))}
    if random.random() < 0.8:
        made["output_mode"] = random.choice(("content", "content", "count", "files_with_matches"))
    optional: dict[str, Any] = {
        "glob": random.choice(GLOBS),
        "type": random.choice([name for name in TYPE_NAMES if name]),
        "-i": random.random() < 0.7,
        "-n": random.random() < 0.5,
        "-A": random.randrange(3),
        "-B": random.randrange(3),
        "-C": random.randrange(3),
        "multiline": random.random() < 0.5,
        "include_hidden": random.random() < 0.5,
        "include_ignored": random.random() < 0.5,
    }
    for name in random.sample(sorted(optional), random.choice((0, 0, 1, 2, 3))):
        made[name] = optional[name]
    if made.get("output_mode") == "count":
        made.pop("multiline", None)  # there ripgrep counts matches, empty ones by bytes
    return made


def as_typed(arguments: dict[str, Any], place: Path) -> list[str]:
    """The same question in ripgrep's own words."""
    mode = arguments.get("output_mode", "files_with_matches")
    said = {"content": ["--no-heading", "-H"], "count": ["-c", "-H"], "files_with_matches": ["-l"]}
    typed = [*said[mode], "--null"]
    if mode == "content":
        typed.append("-n" if arguments.get("-n", True) else "-N")
        typed += [f"{flag}{arguments[flag]}" for flag in ("-C", "-A", "-B") if flag in arguments]
    typed += ["-i"] if arguments.get("-i") else []
    typed += ["-U", "--multiline-dotall"] if arguments.get("multiline") else []
    typed += ["-g", arguments["glob"]] if "glob" in arguments else []
    typed += ["-t", arguments["type"]] if "type" in arguments else []
    typed += ["--hidden", "-g", "!.git"] if arguments.get("include_hidden") else []
    typed += ["--no-ignore"] if arguments.get("include_ignored") else []
    return [*typed, "-e", arguments["pattern"], "--", str(place)]


def entries_of(said: bytes, mode: str) -> list[str]:
    """One string for each entry, as Grep shows it; the path ends with a NUL in ripgrep's answer."""
    if mode == "files_with_matches":
        return sorted(shown_path(path) for path in said.split(b"\0")[:-1])
    entries = []
    for line in said.split(b"\n")[:-1]:
        path, found, rest = line.partition(b"\0")
        if not found:
            continue  # the mark between groups
        text = rest.decode("utf-8", "replace").removesuffix("\r")
        entries.append(f"{shown_path(path)}|{text}")
    return sorted(entries)


def shown_path(path: bytes) -> str:
    text = path.decode("utf-8", "backslashreplace")
    return text if text.isprintable() else repr(text)


def entries_of_result(result: ToolResult, arguments: dict[str, Any]) -> list[str]:
    """The same from our typed value, so that nothing depends on how lines are cut to fit."""
    assert result.error is None, result.error
    value = msgspec.convert(msgspec.to_builtins(result.value), GrepOutput)
    entries = [name if name.isprintable() else repr(name) for name in value.files]
    entries += [f"{shown(one.path)}|{one.count}" for one in value.counts]
    for one in value.matches:
        mark = ":" if one.is_match else "-"
        number = f"{one.line}{mark}" if arguments.get("-n", True) else ""
        entries.append(f"{shown(one.path)}|{number}{one.text}")
    assert len(entries) == value.total_entries
    return sorted(entries)


def shown(path: str) -> str:
    return path if path.isprintable() else repr(path)


def without_odd_names(tree: Path) -> None:
    """ripgrep's plain answer cannot be read where a name holds a line break; long lines are cut."""
    for path in sorted(tree.rglob("*")):
        is_long = path.is_file() and any(len(line) > 450 for line in path.read_bytes().split(b"\n"))
        if "\n" in path.name or (is_long and not path.is_symlink()):
            path.unlink()


@pytest.mark.torture
@pytest.mark.requirement("S0-032", "S0-033", "S0-034", "S4-065", "S4-193")
@pytest.mark.parametrize("grep", [Grep, GrepInPython], ids=["rg", "python"])
@pytest.mark.parametrize("seed", range(TREES))
async def test_every_answer_is_the_one_ripgrep_gives(
    grep: type[Grep], seed: int, tmp_path: Path
) -> None:
    random = Random(seed)
    make_tree(tmp_path, random)
    without_odd_names(tmp_path)
    bench, answers = Bench(grep, tmp_path), 0
    places = [
        tmp_path,
        tmp_path,
        tmp_path,
        *sorted(tmp_path.glob("[!b]*.py")),
        *tmp_path.glob("src"),
    ]
    for _ in range(50 if grep is Grep else 15):
        arguments = make_arguments(random)
        place = random.choice([one for one in places if not one.is_symlink()])
        mode = arguments.get("output_mode", "files_with_matches")
        is_binary = place.is_file() and b"\0" in place.read_bytes()
        if is_binary or (place != tmp_path and "glob" in arguments):
            place = tmp_path  # a glob is relative to where `rg` is typed
        typed = rg(place if place.is_dir() else tmp_path, *as_typed(arguments, place))
        expected = entries_of(b"\n".join(without_warnings(typed)), mode)
        result = await bench.run(**arguments, path=os.path.relpath(place, tmp_path))
        assert entries_of_result(result, arguments) == expected, (arguments, place)
        answers += bool(expected)
    assert answers >= 4


def without_warnings(said: bytes) -> list[bytes]:
    return [line for line in said.split(b"\n") if b": binary file matches" not in line]


@pytest.mark.parametrize("grep", [Grep, GrepInPython], ids=["rg", "python"])
@pytest.mark.parametrize(
    ("flags", "shown"),
    [
        ({"-C": 1}, ["2-b", "3:hit", "4-d"]),
        ({"-C": 1, "-A": 0}, ["2-b", "3:hit"]),
        ({"-C": 1, "-B": 0}, ["3:hit", "4-d"]),
        ({"-C": 2, "-A": 1}, ["1-a", "2-b", "3:hit", "4-d"]),
        ({"-A": 2, "-B": 1}, ["2-b", "3:hit", "4-d", "5-e"]),
        ({"-A": 99}, ["3:hit", "4-d", "5-e"]),
        ({"-B": 99}, ["1-a", "2-b", "3:hit"]),
        ({"-C": 0}, ["3:hit"]),
    ],
)
async def test_lines_around_a_match_as_ripgrep_counts_them(
    grep: type[Grep], flags: dict[str, int], shown: list[str], tmp_path: Path
) -> None:
    (tmp_path / "f").write_text("a\nb\nhit\nd\ne\n", encoding="utf-8")
    result = await Bench(grep, tmp_path).run(pattern="hit", output_mode="content", **flags)
    lines = [line.removeprefix(f"{tmp_path}/f")[1:] for line in result.text.split("\n")]
    assert lines == shown
    typed = rg(tmp_path, "-n", *(f"{flag}{flags[flag]}" for flag in flags), "hit", "f")
    assert lines == typed.decode().splitlines()


@pytest.mark.parametrize("grep", [Grep, GrepInPython], ids=["rg", "python"])
@pytest.mark.parametrize("mode", ["content", "count", "files_with_matches"])
async def test_parts_put_together_are_the_whole(
    grep: type[Grep], mode: str, tmp_path: Path
) -> None:
    for number in range(7):
        (tmp_path / f"{number}.txt").write_text("hit\n" * (number + 1), encoding="utf-8")
        os.utime(tmp_path / f"{number}.txt", (1, 1_000 - number))
    bench = Bench(grep, tmp_path)
    asked = {"pattern": "hit", "output_mode": mode}
    whole = (await bench.run(**asked)).text.split("\n")
    for size in (1, 3, 5, 100):
        parts: list[str] = []
        while len(parts) < len(whole):
            part = await bench.run(**asked, head_limit=size, offset=len(parts))
            lines = [line for line in part.text.split("\n") if not line.startswith("(")]
            assert 0 < len(lines) <= size
            assert part.value.total_entries == len(whole)
            assert part.value.truncated == (len(parts) + len(lines) < len(whole))
            parts += lines
        assert parts == whole
