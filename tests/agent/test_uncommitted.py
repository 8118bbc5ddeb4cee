"""A worktree begins with what its parent sees: also what nobody committed yet."""

import asyncio
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent.crew import text_of
from agent.test_worktree import git, made, repository, template
from ankrcode import Toolkit
from ankrcode.agent import uncommitted
from ankrcode.agent.worktree import Worktree
from ankrcode.errors import ToolError

__all__ = ["repository", "template"]

LOOK = "status", "--porcelain", "--untracked-files=all", "--ignored"


def seen(folder: Path) -> dict[str, Any]:
    """Every file of a folder but git's own: its content, whether it can be run, or its target."""
    found: dict[str, Any] = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if name == ".git" or name.startswith(".git/"):
            continue
        if path.is_symlink():
            found[name] = str(path.readlink())
        elif path.is_file():
            found[name] = (path.read_bytes(), bool(path.stat().st_mode & 0o100))
    return found


def first_words(request: Any) -> str:
    return text_of(next(one for one in request.messages if one.role == "user"))


def index_of(folder: Path) -> bytes:
    return (folder / ".git" / "index").read_bytes()


async def check(repository: Path, *, ignored: tuple[str, ...] = ()) -> Worktree:
    """The same files and the same status there, and here nothing is touched."""
    before, index = seen(repository), index_of(repository)
    worktree = await made(repository)
    place = Path(worktree.path)
    expected = {name: one for name, one in before.items() if name not in ignored}
    assert seen(place) == expected
    assert git(place, *LOOK[:-1]) == git(repository, "--no-optional-locks", *LOOK[:-1])
    assert (seen(repository), index_of(repository)) == (before, index)
    assert worktree.left_out == ()
    assert await worktree.is_unchanged()
    return worktree


# ── each kind of change ───────────────────────────────────────────────────────────────────────
async def test_an_edit_comes_along_staged_or_not(repository: Path) -> None:
    (repository / "a.txt").write_text("staged\n", encoding="utf-8")
    git(repository, "add", "a.txt")
    (repository / "a.txt").write_text("staged, then changed again\n", encoding="utf-8")
    (repository / "inner" / "b.txt").write_text("not staged\n", encoding="utf-8")
    worktree = await check(repository)
    place = Path(worktree.path)
    assert git(place, "show", ":a.txt") == "staged"
    assert git(place, "diff", "--cached", "--name-only") == "a.txt"


async def test_what_was_staged_and_then_taken_back_comes_along_as_it_is(repository: Path) -> None:
    (repository / "a.txt").write_text("staged\n", encoding="utf-8")
    git(repository, "add", "a.txt")
    (repository / "a.txt").write_text("committed\n", encoding="utf-8")
    worktree = await check(repository)
    assert git(Path(worktree.path), "status", "--porcelain") == "MM a.txt"


async def test_a_new_file_comes_along_staged_or_not(repository: Path) -> None:
    (repository / "staged.txt").write_text("1", encoding="utf-8")
    git(repository, "add", "staged.txt")
    (repository / "deep" / "er").mkdir(parents=True)
    (repository / "deep" / "er" / "new.txt").write_text("2", encoding="utf-8")
    (repository / "शब्द \n name.txt").write_text("3", encoding="utf-8")
    (repository / os.fsdecode(b"\xff\xfe.bin")).write_bytes(b"\0\xff\r\n" * 99)
    await check(repository)


async def test_a_deleted_file_is_deleted_there_too(repository: Path) -> None:
    (repository / "inner" / "b.txt").unlink()
    git(repository, "rm", "--quiet", "a.txt")
    worktree = await check(repository)
    assert not (Path(worktree.path) / "inner").exists()


async def test_what_git_shall_forget_but_is_still_there_comes_along(repository: Path) -> None:
    git(repository, "rm", "--quiet", "--cached", "a.txt")
    await check(repository)


async def test_a_renamed_file_is_renamed_there_too(repository: Path) -> None:
    git(repository, "mv", "a.txt", "renamed.txt")
    (repository / "inner" / "b.txt").rename(repository / "b.txt")
    await check(repository)


async def test_bytes_stay_bytes_whatever_git_would_make_of_them(repository: Path) -> None:
    git(repository, "config", "core.autocrlf", "true")
    (repository / ".gitattributes").write_text("*.txt text eol=lf\n", encoding="utf-8")
    (repository / "a.txt").write_bytes(b"one\r\ntwo\nthree\r\n")
    (repository / "new.bin").write_bytes(bytes(range(256)) * 40)
    worktree = await made(repository)
    place = Path(worktree.path)
    assert (place / "a.txt").read_bytes() == b"one\r\ntwo\nthree\r\n"
    assert (place / "new.bin").read_bytes() == bytes(range(256)) * 40
    assert await worktree.tidy()


async def test_links_stay_links_wherever_they_lead(repository: Path, tmp_path: Path) -> None:
    (repository / "to_file").symlink_to("a.txt")
    (repository / "to_nowhere").symlink_to("/does/not/exist")
    (repository / "to_folder").symlink_to(tmp_path)
    git(repository, "add", "to_file")
    await check(repository)


async def test_a_file_that_can_be_run_still_can(repository: Path) -> None:
    (repository / "a.txt").chmod(0o755)
    (repository / "run.sh").write_text("#!/bin/sh\n", encoding="utf-8")
    (repository / "run.sh").chmod(0o755)
    await check(repository)


async def test_a_file_became_a_folder_and_a_folder_a_file(repository: Path) -> None:
    (repository / "a.txt").unlink()
    (repository / "a.txt").mkdir()
    (repository / "a.txt" / "inside.txt").write_text("x", encoding="utf-8")
    (repository / "inner" / "b.txt").unlink()
    (repository / "inner").rmdir()
    (repository / "inner").write_text("a file now", encoding="utf-8")
    await check(repository)


@pytest.mark.parametrize("is_staged", [True, False])
async def test_a_folder_became_a_link_and_a_link_a_folder(
    is_staged: bool, repository: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "b.txt").write_text("outside", encoding="utf-8")
    (repository / "link").symlink_to(outside)
    git(repository, "add", "link")
    git(repository, "commit", "--quiet", "-m", "link")
    (repository / "link").unlink()
    (repository / "link").mkdir()
    (repository / "link" / "b.txt").write_text("inside", encoding="utf-8")
    (repository / "inner" / "b.txt").unlink()
    (repository / "inner").rmdir()
    (repository / "inner").symlink_to(outside)
    if is_staged:
        git(repository, "add", "--all")
    await check(repository)
    assert (outside / "b.txt").read_text(encoding="utf-8") == "outside"


async def test_what_is_ignored_stays_behind(repository: Path) -> None:
    (repository / ".gitignore").write_text("*.log\nbuild/\n", encoding="utf-8")
    (repository / "x.log").write_text("x", encoding="utf-8")
    (repository / "build").mkdir()
    (repository / "build" / "out").write_text("x", encoding="utf-8")
    await check(repository, ignored=("x.log", "build/out"))


async def test_a_conflict_comes_along_as_it_stands_in_the_file(repository: Path) -> None:
    git(repository, "checkout", "--quiet", "-b", "other")
    (repository / "a.txt").write_text("theirs\n", encoding="utf-8")
    git(repository, "commit", "--quiet", "-am", "theirs")
    git(repository, "checkout", "--quiet", "main")
    (repository / "a.txt").write_text("ours\n", encoding="utf-8")
    git(repository, "commit", "--quiet", "-am", "ours")
    with pytest.raises(subprocess.CalledProcessError):
        git(repository, "merge", "other")
    index = index_of(repository)
    worktree = await made(repository)
    assert "<<<<<<<" in (Path(worktree.path) / "a.txt").read_text(encoding="utf-8")
    assert index_of(repository) == index
    assert await worktree.tidy()


async def test_a_stat_that_is_stale_makes_no_difference(repository: Path) -> None:
    os.utime(repository / "a.txt", (1, 1))
    await check(repository)


async def test_from_an_inner_folder_everything_comes_along(repository: Path) -> None:
    (repository / "above.txt").write_text("above", encoding="utf-8")
    (repository / "inner" / "new.txt").write_text("new", encoding="utf-8")
    worktree = await made(repository / "inner")
    assert (Path(worktree.path) / "new.txt").read_text(encoding="utf-8") == "new"
    assert (Path(worktree.path).parent / "above.txt").read_text(encoding="utf-8") == "above"


# ── no commit yet, and repositories inside ────────────────────────────────────────────────────
async def test_without_a_commit_it_holds_what_there_is(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    (tmp_path / "staged.txt").write_text("1", encoding="utf-8")
    git(tmp_path, "add", "staged.txt")
    (tmp_path / "new.txt").write_text("2", encoding="utf-8")
    worktree = await check(tmp_path)
    place = Path(worktree.path)
    assert git(place, "symbolic-ref", "HEAD") == "refs/heads/ankrcode/agent_1"
    assert await worktree.tidy()
    assert not place.exists()
    assert git(tmp_path, "branch", "--all") == ""


async def test_without_a_commit_a_first_one_can_be_made_there(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    (tmp_path / "new.txt").write_text("2", encoding="utf-8")
    worktree = await made(tmp_path)
    git(Path(worktree.path), "add", ".")
    git(Path(worktree.path), "commit", "--quiet", "-m", "first")
    assert not await worktree.tidy()
    assert git(tmp_path, "log", "--format=%s", "ankrcode/agent_1") == "first"


async def test_an_empty_repository_gives_an_empty_place(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    worktree = await made(tmp_path)
    assert seen(Path(worktree.path)) == {}
    assert await worktree.tidy()


@pytest.fixture
def with_submodule(repository: Path, tmp_path: Path) -> Path:
    module = tmp_path / "module"
    module.mkdir()
    git(module, "init", "--quiet")
    (module / "m.txt").write_text("m", encoding="utf-8")
    git(module, "add", ".")
    git(module, "commit", "--quiet", "-m", "m")
    add = ("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(module), "sub")
    git(repository, *add)
    git(repository, "commit", "--quiet", "-m", "sub")
    return repository


async def test_a_submodule_is_an_empty_folder_as_git_makes_it(with_submodule: Path) -> None:
    (with_submodule / "sub" / "m.txt").write_text("changed", encoding="utf-8")
    (with_submodule / "a.txt").write_text("changed", encoding="utf-8")
    worktree = await made(with_submodule)
    place = Path(worktree.path)
    assert (place / "a.txt").read_text(encoding="utf-8") == "changed"
    assert list((place / "sub").iterdir()) == []
    assert await worktree.tidy()
    assert (with_submodule / "sub" / "m.txt").read_text(encoding="utf-8") == "changed"


async def test_what_is_written_into_a_submodules_folder_is_kept(with_submodule: Path) -> None:
    worktree = await made(with_submodule)
    (Path(worktree.path) / "sub" / "new.txt").write_text("x", encoding="utf-8")
    assert not await worktree.tidy()


async def test_a_repository_inside_stays_behind_and_is_named(repository: Path) -> None:
    nested = repository / "nested"
    nested.mkdir()
    git(nested, "init", "--quiet")
    (nested / "n.txt").write_text("n", encoding="utf-8")
    worktree = await made(repository)
    assert worktree.left_out == ("nested/",)
    assert not (Path(worktree.path) / "nested").exists()
    assert await worktree.tidy()


# ── what is unchanged, and what is not ────────────────────────────────────────────────────────
CHANGES: dict[str, Callable[[Path], object]] = {
    "edit": lambda at: (at / "new.txt").write_text("other", encoding="utf-8"),
    "same length": lambda at: (at / "new.txt").write_text("niu", encoding="utf-8"),
    "restore": lambda at: (at / "a.txt").write_text("committed\n", encoding="utf-8"),
    "delete": lambda at: (at / "new.txt").unlink(),
    "add": lambda at: (at / "more.txt").write_text("more", encoding="utf-8"),
    "stage": lambda at: git(at, "add", "new.txt"),
    "unstage": lambda at: git(at, "reset", "--quiet"),
    "mode": lambda at: (at / "new.txt").chmod(0o755),
    "link": lambda at: relinked(at / "ln"),
    "commit": lambda at: git(at, "commit", "--quiet", "-am", "x"),
    "stash": lambda at: git(at, "stash", "--quiet"),
}


def relinked(link: Path) -> None:
    link.unlink()
    link.symlink_to("new.txt")


def dirty(repository: Path) -> None:
    (repository / "a.txt").write_text("changed\n", encoding="utf-8")
    (repository / "new.txt").write_text("new", encoding="utf-8")
    (repository / "ln").symlink_to("a.txt")
    (repository / "inner" / "b.txt").write_text("staged\n", encoding="utf-8")
    git(repository, "add", "inner/b.txt")


@pytest.mark.parametrize("change", CHANGES)
async def test_any_change_to_what_came_along_keeps_it(change: str, repository: Path) -> None:
    dirty(repository)
    worktree = await made(repository)
    assert await worktree.is_unchanged()
    CHANGES[change](Path(worktree.path))
    assert not await worktree.tidy()
    assert Path(worktree.path).is_dir()


async def test_changed_and_changed_back_is_unchanged(repository: Path) -> None:
    dirty(repository)
    worktree = await made(repository)
    place = Path(worktree.path)
    (place / "new.txt").write_text("other", encoding="utf-8")
    (place / "new.txt").write_text("new", encoding="utf-8")
    os.utime(place / "inner" / "b.txt", (1, 1))
    (place / "x.txt").write_text("x", encoding="utf-8")
    (place / "x.txt").unlink()
    before = seen(repository)
    assert await worktree.tidy()
    assert not place.exists()
    assert seen(repository) == before
    assert git(repository, "branch") == "* main"


# ── bounds, and what goes wrong ───────────────────────────────────────────────────────────────
async def test_what_is_too_much_stays_behind_and_is_named(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uncommitted, "CARRIED_BYTES", 1_000)
    (repository / "big.bin").write_bytes(b"x" * 1_001)
    (repository / "small.txt").write_text("small", encoding="utf-8")
    worktree = await made(repository)
    assert worktree.left_out == ("big.bin",)
    assert (Path(worktree.path) / "small.txt").exists()
    assert await worktree.tidy()


async def test_no_more_files_than_the_limit_come_along(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uncommitted, "CARRIED_FILES", 3)
    for number in range(5):
        (repository / f"{number}.txt").write_text("x", encoding="utf-8")
    worktree = await made(repository)
    assert len(worktree.left_out) == 2


async def test_a_pipe_or_a_socket_is_no_file(repository: Path) -> None:
    os.mkfifo(repository / "pipe")
    worktree = await made(repository)
    assert not (Path(worktree.path) / "pipe").exists()
    assert await worktree.tidy()


async def test_what_fails_half_way_leaves_nothing(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> bool:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(uncommitted, "_copy", full)
    (repository / "new.txt").write_text("x", encoding="utf-8")
    with pytest.raises(ToolError, match="could not be made: No space left on device"):
        await made(repository)
    assert git(repository, "worktree", "list").count("\n") == 0
    assert git(repository, "branch") == "* main"


async def test_cancelled_while_it_is_made_it_leaves_nothing(repository: Path) -> None:
    kit = Toolkit(cwd=repository)
    for rounds in (1, 4, 16, 64, 256):
        making = asyncio.ensure_future(
            Worktree.make(str(repository), f"agent_{rounds}", kit.agent.processes)
        )
        for _ in range(rounds):
            await asyncio.sleep(0.0005)
        making.cancel()
        ended = (await asyncio.gather(making, return_exceptions=True))[0]
        if isinstance(ended, Worktree):
            assert await ended.tidy()
    assert git(repository, "worktree", "list").count("\n") == 0
    assert git(repository, "branch") == "* main"


NAMES = st.sampled_from(["a.txt", "inner/b.txt", "inner/c", "d/e/f", "g", "ln"])
ACTIONS = st.sampled_from(["write", "delete", "stage", "unstage", "link", "run"])


def act(folder: Path, action: str, name: str, number: int) -> None:
    path = folder / name
    if action == "stage":
        git(folder, "add", "--all")
    elif action == "unstage":
        git(folder, "reset", "--quiet")
    elif path.is_symlink() or path.exists() or action in ("write", "link"):
        if action != "run":
            path.unlink(missing_ok=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        if action == "write":
            path.write_text(f"{number}\n", encoding="utf-8")
        elif action == "link":
            path.symlink_to(f"to/{number}")
        elif action == "run" and not path.is_symlink():
            path.chmod(0o755)


@settings(
    max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.tuples(ACTIONS, NAMES), max_size=12))
async def test_whatever_was_done_before_both_see_the_same(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str]]
) -> None:
    folder = tmp_path_factory.mktemp("any")
    git(folder, "init", "--quiet")
    (folder / "a.txt").write_text("committed\n", encoding="utf-8")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "first")
    for number, (action, name) in enumerate(steps):
        act(folder, action, name, number)
    kit = Toolkit(cwd=folder)
    name = f"any_{os.urandom(6).hex()}"
    worktree = await Worktree.make(str(folder), name, kit.agent.processes)
    assert seen(Path(worktree.path)) == seen(folder)
    assert git(Path(worktree.path), *LOOK) == git(folder, *LOOK)
    assert await worktree.tidy()
    kit.close()
