"""Write where experts look: odd owners and modes, stale reads, links, full disks, many at once."""

import asyncio
import os
import resource
import stat
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode import Toolkit
from ankrcode.protocol.result import ToolResult
from people import NOBODY, ordinary_person
from torture import examples


class Desk:
    """A toolkit in a folder, in the mode that asks for no edit inside it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.kit = Toolkit(cwd=folder, mode="acceptEdits")

    async def read(self, path: str = "f", **arguments: Any) -> ToolResult:
        return await self.kit.call("Read", {"file_path": path, **arguments})

    async def write(self, content: str = "new\n", path: str = "f", **arguments: Any) -> ToolResult:
        return await self.kit.call("Write", {"file_path": path, "content": content, **arguments})

    async def replaced(self, content: str = "new\n", path: str = "f") -> ToolResult:
        assert (await self.read(path)).ok
        return await self.write(content, path)


def code_of(result: ToolResult) -> str:
    assert result.error is not None, result.text
    assert result.error.suggestion
    return str(result.error.code)


def names(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir())


def modes(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


# ── what was read must be what is there ───────────────────────────────────────────────────────
def same_size_same_time(path: Path) -> None:
    status = path.stat()
    path.write_bytes(b"OLD\n")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def replaced_by_another(path: Path) -> None:
    (path.parent / "g").write_bytes(b"OLD\n")
    (path.parent / "g").replace(path)


def as_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def as_a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def as_a_link(path: Path) -> None:
    path.rename(path.parent / "g")
    (path.parent / "g").write_bytes(b"other\n")
    path.symlink_to("g")


def longer(path: Path) -> None:
    with path.open("ab") as stream:
        stream.write(b"more\n")


def emptied(path: Path) -> None:
    path.write_bytes(b"")


STALE: dict[str, tuple[Callable[[Path], None], str]] = {
    "same size and time": (same_size_same_time, "CHANGED_SINCE_READ"),
    "another file of that name": (replaced_by_another, "CHANGED_SINCE_READ"),
    "longer": (longer, "CHANGED_SINCE_READ"),
    "emptied": (emptied, "CHANGED_SINCE_READ"),
    "a folder by now": (as_a_folder, "IS_A_DIRECTORY"),
    "a pipe by now": (as_a_pipe, "INVALID_PATH"),
    "a link by now": (as_a_link, "NOT_READ"),
}


@pytest.mark.parametrize("name", STALE)
async def test_a_change_of_any_kind_since_the_read_is_noticed(name: str, tmp_path: Path) -> None:
    change, code = STALE[name]
    path = tmp_path / "f"
    path.write_bytes(b"old\n")
    desk = Desk(tmp_path)
    await desk.read()
    change(path)
    before = names(tmp_path)
    assert code_of(await desk.write()) == code
    assert names(tmp_path) == before
    assert path.is_dir() or path.is_fifo() or path.read_bytes() != b"new\n"


async def test_the_change_is_shown_and_after_reading_again_it_may_be_written(
    tmp_path: Path,
) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"one\ntwo\n")
    desk = Desk(tmp_path)
    await desk.read()
    path.write_bytes(b"one\nthree\n")
    result = await desk.write()
    assert "-two\n+three" in result.text
    assert (await desk.replaced()).ok
    assert path.read_bytes() == b"new\n"


@pytest.mark.parametrize(
    "window", [{"limit": 1}, {"offset": 2}, {"offset": 2, "limit": 1}, {"offset": 3, "limit": 9}]
)
async def test_a_window_is_not_the_whole(window: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"one\ntwo\nthree\n")
    desk = Desk(tmp_path)
    await desk.read(**window)
    assert code_of(await desk.write()) == "NOT_READ"
    assert (tmp_path / "f").read_bytes() == b"one\ntwo\nthree\n"


@pytest.mark.parametrize("window", [{}, {"limit": 3}, {"limit": 0}, {"offset": 1, "limit": 99}])
async def test_a_window_that_shows_all_is_the_whole(window: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"one\ntwo\nthree\n")
    desk = Desk(tmp_path)
    await desk.read(**window)
    assert (await desk.write()).ok


async def test_touching_a_file_without_changing_it_asks_for_another_read_or_none(
    tmp_path: Path,
) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"old\n")
    desk = Desk(tmp_path)
    await desk.read()
    os.utime(path, (1, 1))
    result = await desk.write()
    assert result.ok or code_of(result) == "CHANGED_SINCE_READ"
    assert (await desk.replaced("newer\n")).ok


async def test_a_failed_read_is_no_read(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"\0\1\2" * 50)
    desk = Desk(tmp_path)
    assert not (await desk.read()).ok
    assert code_of(await desk.write()) == "NOT_READ"
    assert (await desk.read(encoding="base64")).ok
    assert (await desk.write()).ok


async def test_what_one_toolkit_read_another_one_has_not(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"old\n")
    one, other = Desk(tmp_path), Desk(tmp_path)
    await one.read()
    assert code_of(await other.write()) == "NOT_READ"
    assert (await one.write()).ok
    assert code_of(await other.write()) == "NOT_READ"


# ── modes, owners, links ──────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644, 0o664, 0o700, 0o755, 0o777, 0o4755, 0o2755])
async def test_the_mode_of_what_is_replaced_is_kept(mode: int, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"old\n")
    (tmp_path / "f").chmod(mode)
    assert (await Desk(tmp_path).replaced()).ok
    assert modes(tmp_path / "f") == mode


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o027, 0o077])
async def test_a_new_file_and_its_folders_follow_the_mask(mask: int, tmp_path: Path) -> None:
    before = os.umask(mask)
    try:
        assert (await Desk(tmp_path).write(path="a/b/f")).ok
    finally:
        os.umask(before)
    assert modes(tmp_path / "a" / "b" / "f") == 0o666 & ~mask
    assert modes(tmp_path / "a") == modes(tmp_path / "a" / "b") == 0o777 & ~mask


async def test_a_folder_that_hands_on_its_group_hands_it_on(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    if os.geteuid() == 0:
        os.chown(folder, 0, NOBODY)
    folder.chmod(0o2775)
    desk = Desk(tmp_path)
    assert (await desk.write(path="shared/new/f")).ok
    assert (folder / "new" / "f").stat().st_gid == folder.stat().st_gid
    assert modes(folder / "new") & stat.S_ISGID
    assert (await desk.write("other\n", path="shared/new/f")).ok
    assert (folder / "new" / "f").stat().st_gid == folder.stat().st_gid


async def test_a_read_only_file_is_not_replaced_though_its_folder_would_allow_it(
    tmp_path: Path,
) -> None:
    (tmp_path / "f").write_bytes(b"old\n")
    (tmp_path / "f").chmod(0o444)
    with ordinary_person(tmp_path):
        result = await Desk(tmp_path).replaced()
    assert code_of(result) == "PERMISSION_DENIED"
    assert (tmp_path / "f").read_bytes() == b"old\n"
    assert names(tmp_path) == ["f"]


async def test_a_writable_file_in_a_closed_folder_is_written_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))  # where the safety copy goes
    folder = tmp_path / "shut"
    folder.mkdir()
    (tmp_path / "home").mkdir()
    (folder / "f").write_bytes(b"old and longer\n")
    inode = (folder / "f").stat().st_ino
    with ordinary_person(tmp_path):
        folder.chmod(0o555)
        try:
            result = await Desk(tmp_path).replaced(path="shut/f")
            refused = await Desk(tmp_path).write(path="shut/new")
        finally:
            folder.chmod(0o755)
    assert result.ok, result.text
    assert ((folder / "f").read_bytes(), (folder / "f").stat().st_ino) == (b"new\n", inode)
    assert code_of(refused) == "PERMISSION_DENIED"
    assert names(folder) == ["f"]


@pytest.mark.parametrize("count", [2, 3, 10])
async def test_all_names_of_a_file_see_the_new_content(count: int, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"old\n")
    for n in range(1, count):
        os.link(tmp_path / "f", tmp_path / f"name{n}")
    assert (await Desk(tmp_path).replaced()).ok
    assert {(one.read_bytes(), one.stat().st_ino) for one in tmp_path.iterdir()} == {
        (b"new\n", (tmp_path / "f").stat().st_ino)
    }
    assert (tmp_path / "f").stat().st_nlink == count


@pytest.mark.parametrize("target", ["real", "./real", "deep/../real", "chain1"])
async def test_a_link_is_written_through_and_stays_a_link(target: str, tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "real").write_bytes(b"old\n")
    (tmp_path / "chain2").symlink_to("real")
    (tmp_path / "chain1").symlink_to("chain2")
    (tmp_path / "f").symlink_to(target)
    result = await Desk(tmp_path).replaced()
    assert result.ok, result.text
    assert (tmp_path / "f").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new\n"
    assert str(tmp_path / "real") in result.text


@pytest.mark.parametrize("target", ["nowhere", "no/where", "f"])
async def test_a_link_to_nothing_makes_what_it_leads_to_or_is_refused(
    target: str, tmp_path: Path
) -> None:
    (tmp_path / "f").symlink_to(target)
    result = await Desk(tmp_path).write()
    assert (tmp_path / "f").is_symlink()
    if target == "f":
        assert code_of(result) == "INVALID_PATH"
    else:
        assert result.ok, result.text
        assert (tmp_path / target).read_bytes() == b"new\n"


async def test_a_link_out_of_the_workspace_is_not_followed_unasked(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "secret").write_bytes(b"secret\n")
    (tmp_path / "work" / "f").symlink_to("../secret")
    (tmp_path / "work" / "dir").symlink_to("..")
    desk = Desk(tmp_path / "work")
    for path in ("f", "dir/secret", "dir/new", "../new"):
        assert code_of(await desk.write(path=path)) == "PERMISSION_DENIED"
    assert (tmp_path / "secret").read_bytes() == b"secret\n"
    assert names(tmp_path) == ["secret", "work"]


# ── paths ─────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("", "INVALID_INPUT"),
        (".", "IS_A_DIRECTORY"),
        ("..", "PERMISSION_DENIED"),
        ("d", "IS_A_DIRECTORY"),
        ("d/", "IS_A_DIRECTORY"),
        ("file/x", "NOT_A_DIRECTORY"),
        ("file/x/y/z", "NOT_A_DIRECTORY"),
        ("a\0b", "INVALID_PATH"),
        ("x" * 256, "INVALID_PATH"),
        ("d/" * 3_000 + "f", "INVALID_PATH"),
        ("pipe", "INVALID_PATH"),
        ("loop", "INVALID_PATH"),
        ("loop/x", "INVALID_PATH"),
    ],
    ids=lambda value: str(value)[:20],
)
async def test_a_place_where_no_file_can_be_is_refused(
    path: str, code: str, tmp_path: Path
) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "file").write_bytes(b"")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    result = await Desk(tmp_path).write(path=path)
    assert code_of(result) == code
    assert len(result.text) < 2_000
    assert names(tmp_path) == ["d", "file", "loop", "pipe"]


@pytest.mark.parametrize(
    "name",
    [
        "a b",
        "नमूना.txt",
        "-rf",
        "a'b",
        'a"b',
        "*",
        "#x",
        "a;b",
        "é",
        "e\u0301",
        "x" * 255,
        ".x",
    ],
)
async def test_a_file_of_any_honest_name_is_written(name: str, tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    assert (await desk.write(path=name)).ok
    assert names(tmp_path) == [name]
    assert (await desk.write("again\n", path=name)).ok
    assert (tmp_path / name).read_bytes() == b"again\n"


@pytest.mark.parametrize("depth", [1, 5, 40])
async def test_folders_are_made_however_many_are_missing(depth: int, tmp_path: Path) -> None:
    path = "/".join(f"d{n}" for n in range(depth)) + "/f"
    assert code_of(await Desk(tmp_path).write(path=path, create_dirs=False)) == "FILE_NOT_FOUND"
    assert names(tmp_path) == []
    assert (await Desk(tmp_path).write(path=path)).ok
    assert (tmp_path / path).read_bytes() == b"new\n"


# ── content ───────────────────────────────────────────────────────────────────────────────────
@pytest.mark.torture
@examples(in_ci=60, in_torture=5_000)
@given(content=st.text(st.characters(exclude_categories=["Cs"]), max_size=200))
def test_a_new_file_holds_exactly_the_text_that_was_given(tmp_path: Path, content: str) -> None:
    (tmp_path / "f").unlink(missing_ok=True)
    assert asyncio.run(Desk(tmp_path).write(content)).ok
    assert (tmp_path / "f").read_bytes() == content.encode()


@pytest.mark.torture
@examples(in_ci=40, in_torture=5_000)
@given(old=st.binary(max_size=200), new=st.binary(max_size=200))
def test_any_bytes_replace_any_bytes(tmp_path: Path, old: bytes, new: bytes) -> None:
    import base64

    (tmp_path / "f").write_bytes(old)
    desk = Desk(tmp_path)

    async def work() -> ToolResult:
        await desk.read(encoding="base64")
        return await desk.write(base64.b64encode(new).decode(), encoding="base64")

    assert asyncio.run(work()).ok
    assert (tmp_path / "f").read_bytes() == new


@pytest.mark.parametrize("lone", ["\ud800", "a\udfffb"])
async def test_half_a_character_is_refused_and_nothing_is_made(lone: str, tmp_path: Path) -> None:
    result = await Desk(tmp_path).write(lone)
    assert not result.ok
    assert names(tmp_path) == []


# ── a disk that is full ───────────────────────────────────────────────────────────────────────
@contextmanager
def no_file_larger_than(size: int) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("kind", ["new", "new folders", "replaced", "hard link"])
async def test_a_full_disk_leaves_the_old_file_and_nothing_else(kind: str, tmp_path: Path) -> None:
    path = "a/b/f" if kind == "new folders" else "f"
    desk = Desk(tmp_path)
    if kind in ("replaced", "hard link"):
        (tmp_path / "f").write_bytes(b"old\n")
        await desk.read()
    if kind == "hard link":
        os.link(tmp_path / "f", tmp_path / "g")
    before = names(tmp_path)
    with no_file_larger_than(100_000):
        result = await desk.write("x" * 200_000, path=path)
    assert code_of(result) == "IO_ERROR"
    assert "no room" in result.text
    assert names(tmp_path) == before
    assert all(one.read_bytes() == b"old\n" for one in tmp_path.iterdir())
    assert (await desk.write("small\n", path=path)).ok


# ── many at once ──────────────────────────────────────────────────────────────────────────────
WORKER = """
import asyncio, sys
from ankrcode import Toolkit

async def main(folder, name):
    kit = Toolkit(cwd=folder, mode="acceptEdits")
    done = 0
    for n in range(40):
        path = f"f{n % 4}"
        await kit.call("Read", file_path=path)
        result = await kit.call("Write", file_path=path, content=f"{name} {n}\\n" * 200)
        done += result.ok
        assert result.ok or result.error.code in ("CHANGED_SINCE_READ", "NOT_READ"), result.text
    print(done)

asyncio.run(main(*sys.argv[1:]))
"""


def test_several_processes_never_mix_their_contents(tmp_path: Path) -> None:
    for n in range(4):
        (tmp_path / f"f{n}").write_bytes(b"start 0\n" * 200)
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(WORKER), str(tmp_path), name],
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in ("one", "two", "three")
    ]
    while any(worker.poll() is None for worker in workers):
        for path in tmp_path.glob("f?"):
            lines = path.read_bytes().splitlines()
            assert len(lines) == 200
            assert len(set(lines)) == 1
    counts = [int(worker.communicate()[0]) for worker in workers]
    assert [worker.returncode for worker in workers] == [0, 0, 0]
    assert sum(counts) > 20
    assert names(tmp_path) == ["f0", "f1", "f2", "f3"]


async def test_two_hundred_writes_at_once_in_one_process_are_all_there(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    results = await asyncio.gather(
        *(desk.write(f"{n}\n" * 50, path=f"d{n % 7}/f{n}") for n in range(200))
    )
    assert all(result.ok for result in results)
    for n in range(200):
        assert (tmp_path / f"d{n % 7}" / f"f{n}").read_bytes() == f"{n}\n".encode() * 50
    assert not [one for one in tmp_path.rglob("*") if one.name.endswith(".ankrcode")]


async def test_writes_of_one_file_at_once_happen_one_after_the_other(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    results = await asyncio.gather(*(desk.write(f"{n}\n" * 100) for n in range(20)))
    assert all(result.ok for result in results)
    assert (tmp_path / "f").read_bytes() == b"19\n" * 100
