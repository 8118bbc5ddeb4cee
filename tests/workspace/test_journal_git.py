"""What git has already is not copied – unless git cannot be taken at its word."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from ankrcode.workspace.journal.blobs import Blobs
from ankrcode.workspace.journal.gitindex import GitContents
from ankrcode.workspace.journal.journal import Who
from ankrcode.workspace.journal.manifest import names_of
from ankrcode.workspace.journal.states import Caps
from ankrcode.workspace.journal.tree import Tree
from workspace.desk import SHELL, Desk, commit_all, picture, seen, written

OLD = 1_600_000_000


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    yield made
    made.journal.close()


def git(folder: Path, *words: str) -> str:
    named = (
        "-c",
        "user.name=t",
        "-c",
        "user.email=t@example.com",
        "-c",
        "protocol.file.allow=always",
    )
    done = subprocess.run(
        ["git", *named, *words], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout


def aged(*paths: Path) -> None:
    """Older than the index, so that it is sure of them."""
    for path in paths:
        os.utime(path, (OLD, OLD))
    if paths:
        git(paths[0].parent, "update-index", "-q", "--refresh")


def has(root: Path, path: Path) -> bool:
    """Does git have this file as it is?"""
    contents = GitContents(str(root))
    contents.refresh()
    key = names_of(str(path.parent)).get(path.name)
    assert key is not None
    return contents.has(str(path), key)


def kept_beforehand(desk: Desk) -> int:
    """How many contents are copied before a command."""
    pending = desk.journal.before(SHELL, Who(tool="Bash"))
    assert pending is not None
    assert pending.partial == ""
    count = len(desk.journal.blobs.sizes())
    desk.journal.after(pending)
    return count


def undone(desk: Desk, command: str, folder: Path | None = None) -> None:
    """The command changes something, and undo brings exactly that back."""
    folder = folder or desk.work
    before = without_git(folder)
    entry = desk.shell(command)
    assert entry is not None
    assert without_git(folder) != before
    desk.undo()
    assert without_git(folder) == before


def without_git(folder: Path) -> dict[str, tuple[object, ...]]:
    return {name: facts for name, facts in picture(folder).items() if ".git/" not in name + "/"}


# ── where the index lies ──────────────────────────────────────────────────────────────────────
def test_a_further_work_tree_has_its_own_index(desk: Desk, tmp_path: Path) -> None:
    main = tmp_path / "main"
    written(main / "a.txt", b"tracked")
    commit_all(main)
    desk.work.rmdir()
    git(main, "worktree", "add", "-q", str(desk.work))
    aged(desk.work / "a.txt")
    assert kept_beforehand(desk) == 0
    undone(desk, "echo x > a.txt; touch new")
    assert (main / "a.txt").read_bytes() == b"tracked", "the other work tree is another place"


def test_a_submodule_is_undone_too(desk: Desk, tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    written(inner / "deep" / "a.txt", b"of the submodule")
    commit_all(inner)
    written(desk.work / "b.txt", b"of the whole")
    commit_all(desk.work)
    git(desk.work, "submodule", "add", "-q", str(inner), "sub")
    undone(desk, "rm b.txt; rm -r sub/deep")
    assert (desk.work / "sub" / "deep" / "a.txt").read_bytes() == b"of the submodule"


def test_a_root_inside_a_repository_uses_the_index_above(tmp_path: Path) -> None:
    top = tmp_path / "top"
    written(top / "in" / "a.txt", b"a")
    written(top / "b.txt", b"b")
    commit_all(top)
    assert has(top / "in", top / "in" / "a.txt")


def test_without_a_repository_git_has_nothing(tmp_path: Path) -> None:
    written(tmp_path / "a.txt", b"a")
    assert not has(tmp_path, tmp_path / "a.txt")


@pytest.mark.parametrize("content", ["nothing here", "gitdir: /no/such/place", "gitdir: ../..", ""])
def test_a_git_file_that_leads_nowhere_is_no_repository(content: str, desk: Desk) -> None:
    written(desk.work / ".git", content.encode())
    written(desk.work / "a.txt", b"a")
    undone(desk, "rm a.txt")


@pytest.mark.parametrize(
    "damage",
    [b"", b"DIRC", b"DIRC\0\0\0\x09\0\0\0\x01", b"DIRC\0\0\0\x02\0\0\xff\xff", b"\0" * 200],
    ids=["empty", "head only", "unknown version", "says too many", "zeros"],
)
def test_a_damaged_index_is_as_none(damage: bytes, desk: Desk) -> None:
    written(desk.work / "a.txt", b"a")
    commit_all(desk.work)
    (desk.work / ".git" / "index").write_bytes(damage)
    undone(desk, "rm a.txt")


# ── where an object is not what the file is ───────────────────────────────────────────────────
ROT13 = "tr a-z n-za-m"
ATTRIBUTES = {
    "by extension": "*.txt filter=rot",
    "by name": "a.txt filter=rot",
    "by path": "/in/a.txt filter=rot",
    "by folder": "in/** filter=rot",
    "by macro": "[attr]secret filter=rot\n*.txt secret",
    "keywords": "*.txt ident",
    "line ends": "*.txt text eol=crlf",
}


@pytest.mark.parametrize("lines", ATTRIBUTES.values(), ids=ATTRIBUTES.keys())
@pytest.mark.parametrize("place", [".gitattributes", ".git/info/attributes", "in/.gitattributes"])
def test_what_a_filter_may_have_changed_is_kept_by_ourselves(
    lines: str, place: str, desk: Desk
) -> None:
    if place.startswith("in/"):
        lines = lines.replace("in/", "")
    git(desk.work, "init", "-q")
    git(desk.work, "config", "filter.rot.clean", ROT13)
    git(desk.work, "config", "filter.rot.smudge", ROT13)
    path = desk.work / "in" / "a.txt"
    written(path, b"uryyb $Id$\n")
    written(desk.work / place, f"{lines}\n".encode())
    commit_all(desk.work)
    path.unlink()
    git(desk.work, "checkout", "-q", "--", "in/a.txt")
    aged(path)
    undone(desk, "rm in/a.txt")


def test_a_filter_for_some_files_leaves_the_others_to_git(desk: Desk) -> None:
    written(desk.work / ".gitattributes", b"*.bin filter=lfs\n")
    for name in ("a.py", "b.py", "c.bin"):
        written(desk.work / name, name.encode())
    commit_all(desk.work)
    found = {name: has(desk.work, desk.work / name) for name in ("a.py", "b.py", "c.bin")}
    assert found == {"a.py": True, "b.py": True, "c.bin": False}


def test_an_object_that_git_replaces_by_another_is_not_taken_for_it(desk: Desk) -> None:
    path = desk.work / "a.txt"
    written(path, b"right")
    commit_all(desk.work)
    other = desk.work / "other"
    written(other, b"wrong")
    right, wrong = (
        git(desk.work, "hash-object", "-w", name).strip() for name in ("a.txt", "other")
    )
    git(desk.work, "replace", right, wrong)
    undone(desk, "rm a.txt")


def test_a_repository_with_longer_hashes_is_read_by_nobody(desk: Desk) -> None:
    git(desk.work, "init", "-q", "--object-format=sha256")
    written(desk.work / "a.txt", b"a")
    commit_all(desk.work)
    assert not has(desk.work, desk.work / "a.txt")
    undone(desk, "rm a.txt")


def test_git_runs_nothing_that_the_repository_names(desk: Desk, tmp_path: Path) -> None:
    """A clone that lacks objects would have git start a program of the repository's choice."""
    canary = tmp_path / "canary"
    written(desk.work / "a.txt", b"a")
    written(desk.work / "b.txt", b"b")
    commit_all(desk.work)
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {canary}\nexit 1\n", encoding="utf-8")
    program.chmod(0o755)
    elsewhere = desk.work / ".git" / "hidden"
    lines = f"""[remote "origin"]
    url = {tmp_path}
    uploadpack = {program}
    promisor = true
[extensions]
    partialclone = origin
[core]
    fsmonitor = {program}
    sshCommand = {program}
    pager = {program}
[diff]
    external = {program}
"""
    elsewhere.write_text(lines, encoding="utf-8")
    config = desk.work / ".git" / "config"
    text = config.read_text(encoding="utf-8").replace("version = 0", "version = 1")
    config.write_text(f"{text}[include]\n    path = hidden\n", encoding="utf-8")
    for pack in (desk.work / ".git" / "objects").glob("??/*"):
        pack.unlink()
    undone(desk, "rm a.txt b.txt")
    assert not canary.exists()


# ── what the index says of a file ─────────────────────────────────────────────────────────────
def test_a_file_as_new_as_the_index_is_not_trusted(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    written(path, b"one")
    commit_all(tmp_path)
    index = tmp_path / ".git" / "index"
    os.utime(index, ns=(path.stat().st_mtime_ns, path.stat().st_mtime_ns))
    assert not has(tmp_path, path)


@pytest.mark.parametrize(
    ("words", "command"),
    [
        (("update-index", "--assume-unchanged", "a.txt"), "echo x > a.txt"),
        (("update-index", "--skip-worktree", "a.txt"), "echo x > a.txt"),
        (("add", "--intent-to-add", "new.txt"), "rm new.txt"),
        (("update-index", "--chmod=+x", "a.txt"), "rm a.txt"),
        (("update-index", "--split-index"), "rm a.txt"),
        (("sparse-checkout", "set", "in"), "rm in/b.txt"),
        (("config", "core.trustctime", "false"), "rm a.txt"),
        (("config", "core.checkStat", "minimal"), "rm a.txt"),
        (("update-index", "--index-version", "3"), "rm a.txt in/b.txt"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_every_mark_in_the_index_is_understood(
    words: tuple[str, ...], command: str, desk: Desk
) -> None:
    written(desk.work / "a.txt", b"a")
    written(desk.work / "in" / "b.txt", b"b")
    commit_all(desk.work)
    written(desk.work / "new.txt", b"new")
    git(desk.work, *words)
    if "split-index" in words[-1]:
        written(desk.work / "in" / "b.txt", b"changed")
        git(desk.work, "add", "-A")
    undone(desk, command)


def test_dirty_and_staged_versions_are_told_apart(desk: Desk) -> None:
    path = desk.work / "a.txt"
    written(path, b"committed")
    commit_all(desk.work)
    written(path, b"staged!!!")
    git(desk.work, "add", "a.txt")
    written(path, b"dirty!!!!")
    undone(desk, "git checkout -q HEAD -- a.txt")
    assert path.read_bytes() == b"dirty!!!!"


def test_a_change_of_the_same_size_within_the_same_tick_is_seen(desk: Desk) -> None:
    path = desk.work / "a.txt"
    for number in range(20):
        written(path, b"%05d" % number)
        git(desk.work, "init", "-q")
        git(desk.work, "add", "-A")
        written(path, b"%05d" % (number + 500))
        undone(desk, "rm a.txt")


# ── commands of git ───────────────────────────────────────────────────────────────────────────
GIT_COMMANDS = {
    "throws work away": "git checkout -q -- .",
    "resets": "git reset -q --hard",
    "cleans": "git clean -qfd",
    "stashes": "git stash -q -u",
    "removes": "git rm -qf a.txt",
    "moves": "git mv a.txt z.txt",
    "restores": "git restore .",
}


@pytest.mark.parametrize("command", GIT_COMMANDS.values(), ids=GIT_COMMANDS.keys())
def test_work_that_git_threw_away_comes_back(command: str, desk: Desk) -> None:
    for name in ("a.txt", "in/b.txt", "in/c.txt"):
        written(desk.work / name, name.encode())
    commit_all(desk.work)
    git(desk.work, "config", "user.name", "t")
    git(desk.work, "config", "user.email", "t@example.com")
    written(desk.work / "in" / "b.txt", b"work of the afternoon")
    written(desk.work / "new" / "untracked.txt", b"never added")
    undone(desk, command)


def test_where_the_objects_go_too_that_is_said(desk: Desk) -> None:
    written(desk.work / "a.txt", b"a")
    written(desk.work / "b.txt", b"b")
    commit_all(desk.work)
    written(desk.work / "b.txt", b"dirty")
    entry = desk.shell("rm -r .git a.txt b.txt")
    assert entry is not None
    assert "1 of the changed files cannot be brought back" in entry.partial
    desk.undo(force=True)
    assert seen(desk) == {"b.txt": ("file", 0o644, b"dirty")}


def test_several_roots_each_with_a_repository(tmp_path: Path) -> None:
    roots = [tmp_path / "one", tmp_path / "two", tmp_path / "one" / "nested"]
    for root in (roots[0], roots[1]):
        written(root / "a.txt", root.name.encode())
        commit_all(root)
    written(roots[2] / "b.txt", b"nested")
    desk = Desk(tmp_path)
    desk.journal.close()
    caps = Caps(wait_s=60.0)
    tree = Tree(tuple(map(str, roots)), "/nonexistent-home", Blobs(tmp_path / "state/blobs"), caps)
    desk.journal.tree = tree
    desk.journal.blobs = tree.blobs
    before = [without_git(root) for root in roots]
    entry = desk.shell("rm ../one/a.txt ../two/a.txt ../one/nested/b.txt")
    assert entry is not None
    assert len(entry.changes) == 3, "what lies in two roots is one change"
    desk.undo()
    assert [without_git(root) for root in roots] == before
    desk.journal.close()
