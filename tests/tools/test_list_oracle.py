"""List against `find`: the same names, types, sizes and times, whatever lies in a folder."""

import asyncio
import os
import shutil
import socket
import subprocess
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode import Toolkit
from ankrcode.protocol.result import ToolResult
from ankrcode.tools.list import ListOutput
from people import ordinary_person
from torture import examples

TYPES = {"f": "file", "d": "directory", "l": "symlink", "p": "file", "s": "file"}


class Found(NamedTuple):
    name: str
    type: str
    size: int
    seconds: int


def found_by_find(folder: Path, *, recursive: bool, hidden: bool) -> list[Found]:
    depth = [] if recursive else ["-maxdepth", "1"]
    command = ["find", str(folder), "-mindepth", "1", *depth]
    if not hidden:
        command += ["-name", ".*", "-prune", "-o"]
    done = subprocess.run(
        [*command, "-printf", "%P\\0%y\\0%s\\0%T@\\0"], capture_output=True, check=True
    )
    parts = os.fsdecode(done.stdout).split("\0")[:-1]
    rows = zip(parts[::4], parts[1::4], parts[2::4], parts[3::4], strict=True)
    return sorted(
        Found(name, TYPES[kind], int(size), int(float(when))) for name, kind, size, when in rows
    )


async def listed(folder: Path, **arguments: Any) -> ToolResult:
    return await Toolkit(cwd=folder).call("List", arguments)


def value_of(result: ToolResult) -> ListOutput:
    assert result.error is None, result.text
    return msgspec.convert(msgspec.to_builtins(result.value), ListOutput)


def as_found(value: ListOutput) -> list[Found]:
    return sorted(
        Found(one.name, one.type, one.size, int(datetime.fromisoformat(one.modified).timestamp()))
        for one in value.entries
    )


def made_tree(folder: Path) -> None:
    """Something of every kind."""
    (folder / "src" / "deep" / "deeper").mkdir(parents=True)
    (folder / "src" / "deep" / "deeper" / "leaf.py").write_bytes(b"x" * 1_000)
    (folder / "src" / "a.py").write_bytes(b"")
    (folder / ".hidden" / "inside").mkdir(parents=True)
    (folder / ".hidden" / "inside" / "b.txt").write_bytes(b"b")
    (folder / "src" / ".dot").write_bytes(b"dot")
    (folder / "empty").mkdir()
    (folder / "link").symlink_to("src")
    (folder / "broken").symlink_to("nowhere")
    (folder / "loop").symlink_to("loop")
    (folder / "up").symlink_to("..")
    (folder / "हिन्दी.txt").write_bytes("नमस्ते".encode())
    (folder / "with blank").write_bytes(b"1")
    (folder / "-n").write_bytes(b"2")
    os.mkfifo(folder / "pipe")
    os.utime(folder / "src" / "a.py", (86_400, 86_400))
    os.utime(folder / "with blank", (4_000_000_000, 4_000_000_000))


@pytest.mark.parametrize("recursive", [False, True])
@pytest.mark.parametrize("hidden", [False, True])
async def test_everything_is_listed_as_find_lists_it(
    recursive: bool, hidden: bool, tmp_path: Path
) -> None:
    made_tree(tmp_path)
    value = value_of(await listed(tmp_path, recursive=recursive, include_hidden=hidden))
    expected = found_by_find(tmp_path, recursive=recursive, hidden=hidden)
    assert as_found(value) == expected
    assert value.total == len(expected)


@pytest.mark.parametrize("limit", [1, 2, 5, 10, 11, 12, 1_000])
async def test_the_limit_shows_the_first_by_name_and_counts_the_rest(
    limit: int, tmp_path: Path
) -> None:
    made_tree(tmp_path)
    everything = value_of(await listed(tmp_path, recursive=True))
    result = await listed(tmp_path, recursive=True, limit=limit)
    value = value_of(result)
    assert value.entries == everything.entries[:limit]
    assert value.total == everything.total
    rest = everything.total - limit
    assert (f"{rest} more" in result.text) is (rest > 0)


async def test_times_before_and_far_after_our_days_are_listed(tmp_path: Path) -> None:
    for seconds in (-86_400, 0, 1, 2**31, 2**32 + 5, 10**10):
        (tmp_path / str(seconds)).write_bytes(b"")
        os.utime(tmp_path / str(seconds), (seconds, seconds))
    for entry in value_of(await listed(tmp_path)).entries:
        when = datetime.fromisoformat(entry.modified)
        assert when == datetime.fromtimestamp(int(entry.name), UTC)
        assert entry.modified.endswith("Z")


async def test_sizes_are_those_of_the_content_not_of_the_disk(tmp_path: Path) -> None:
    with (tmp_path / "sparse").open("wb") as stream:
        stream.truncate(10_000_000_000)
    (tmp_path / "small").write_bytes(b"123")
    sizes = {entry.name: entry.size for entry in value_of(await listed(tmp_path)).entries}
    assert sizes == {"sparse": 10_000_000_000, "small": 3}


async def test_a_socket_is_listed_and_not_touched(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "s"))
        (entry,) = value_of(await listed(tmp_path)).entries
    assert (entry.name, entry.type) == ("s", "file")


async def test_a_folder_that_is_closed_is_listed_but_not_entered(tmp_path: Path) -> None:
    (tmp_path / "shut" / "inside").mkdir(parents=True)
    (tmp_path / "open").mkdir()
    (tmp_path / "open" / "file").write_bytes(b"")
    (tmp_path / "shut").chmod(0)
    with ordinary_person(tmp_path):
        (tmp_path / "shut").chmod(0)
        value = value_of(await listed(tmp_path, recursive=True))
    (tmp_path / "shut").chmod(0o700)
    assert [entry.name for entry in value.entries] == ["open", "open/file", "shut"]


async def test_a_folder_that_may_be_read_but_not_entered_lists_its_names(tmp_path: Path) -> None:
    (tmp_path / "half").mkdir()
    (tmp_path / "half" / "file").write_bytes(b"12")
    with ordinary_person(tmp_path):
        (tmp_path / "half").chmod(0o400)
        result = await listed(tmp_path, path="half")
        (tmp_path / "half").chmod(0o700)
    assert [entry.name for entry in value_of(result).entries] == ["file"]


NAMES = [
    *("a\nb", "a\tb", "a\rb", "\x1b[31mred", "a\u202eb", " lead", "trail ", "'q'", '"qq"', "a\\b"),
    *(
        "*",
        "?",
        "[x]",
        "$HOME",
        "`id`",
        "~",
        "क्ष",
        "é",
        "e\u0301",
        "\u00a0",
        "a" * 255,
        "日本" * 40,
    ),
    *("…", "100%", "-rf", "#", "con", "a:b", "a|b", "\u200b", "\ufeffa", "&amp;", "<b>", "\x7f"),
]


@pytest.mark.parametrize("name", NAMES)
async def test_any_name_is_given_as_it_is_and_shown_on_one_harmless_line(
    name: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(b"")
    result = await listed(tmp_path)
    assert [entry.name for entry in value_of(result).entries] == [name]
    assert "\n" not in result.text
    assert not {"\r", "\x1b", "\u202e", "\x7f"} & set(result.text)


PIECE = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="/\0"), min_size=1
).filter(lambda name: name not in (".", "..") and len(name.encode()) <= 60)
PLACE = st.tuples(
    st.lists(PIECE | st.sampled_from(["a", "b", ".git", "c"]), min_size=1, max_size=4),
    st.sampled_from(["file", "folder", "link"]),
)


@pytest.mark.torture
@examples(in_ci=40, in_torture=2_000)
@given(
    places=st.lists(PLACE, max_size=12),
    recursive=st.booleans(),
    hidden=st.booleans(),
    limit=st.integers(1, 15),
)
def test_any_tree_is_listed_as_find_lists_it(
    tmp_path: Path,
    places: list[tuple[list[str], str]],
    recursive: bool,
    hidden: bool,
    limit: int,
) -> None:
    root = tmp_path / "tree"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()
    for parts, kind in places:
        path = root.joinpath(*parts)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if kind == "file":
                path.write_bytes(b"x" * len(parts))
            elif kind == "folder":
                path.mkdir(exist_ok=True)
            else:
                path.symlink_to("a")
        except OSError:
            continue  # something else stands there already
    expected = found_by_find(root, recursive=recursive, hidden=hidden)
    value = value_of(
        asyncio.run(listed(root, recursive=recursive, include_hidden=hidden, limit=limit))
    )
    assert value.total == len(expected)
    assert len(value.entries) == min(limit, len(expected))
    assert set(as_found(value)) <= set(expected)
    paths = [f"{root}/{entry.name}" for entry in value.entries]
    assert paths == sorted(f"{root}/{one.name}" for one in expected)[:limit]


# ── while others change it ────────────────────────────────────────────────────────────────────
async def test_a_tree_that_vanishes_while_it_is_listed_is_no_error(tmp_path: Path) -> None:
    for n in range(200):
        (tmp_path / "tree" / f"d{n}" / "x").mkdir(parents=True)
    remover = threading.Thread(target=shutil.rmtree, args=[tmp_path / "tree"])
    remover.start()
    while remover.is_alive():
        result = await listed(tmp_path, recursive=True)
        assert result.ok, result.text
    assert value_of(await listed(tmp_path, recursive=True)).total == 0


async def test_twenty_thousand_names_cost_little_and_show_few(tmp_path: Path) -> None:
    for n in range(20_000):
        os.close(os.open(tmp_path / f"f{n:05}", os.O_CREAT | os.O_WRONLY))
    result = await listed(tmp_path, limit=3)
    assert [entry.name for entry in value_of(result).entries] == ["f00000", "f00001", "f00002"]
    assert "… 19997 more; 20000 in all" in result.text
    assert len(result.text) < 400


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"path": "file"}, "NOT_A_DIRECTORY"),
        ({"path": "file/below"}, "NOT_A_DIRECTORY"),
        ({"path": "nothing"}, "FILE_NOT_FOUND"),
        ({"path": "loop"}, "INVALID_PATH"),
        ({"path": ""}, "INVALID_INPUT"),
        ({"path": "a\0b"}, "INVALID_PATH"),
        ({"path": "x" * 5_000}, "INVALID_PATH"),
        ({"path": 7}, "INVALID_INPUT"),
        ({"limit": 0}, "INVALID_INPUT"),
        ({"limit": -1}, "INVALID_INPUT"),
        ({"limit": 10**9}, "INVALID_INPUT"),
        ({"recursive": "maybe"}, "INVALID_INPUT"),
        ({"unknown": 1}, "INVALID_INPUT"),
    ],
    ids=str,
)
async def test_bad_input_gets_one_code_and_advice(
    arguments: dict[str, Any], code: str, tmp_path: Path
) -> None:
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "loop").symlink_to("loop")
    result = await listed(tmp_path, **arguments)
    assert result.error is not None, result.text
    assert result.error.code == code
    assert result.error.suggestion
    assert len(result.text) < 1_000
