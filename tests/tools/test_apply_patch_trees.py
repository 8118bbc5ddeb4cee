"""Whole trees: what git writes about two of them makes the second from the first, or is refused."""

# ruff: noqa: E501 - tables are easier to read in one piece

import shutil
import stat
import subprocess
from pathlib import Path
from random import Random

import pytest

from ankrcode import Toolkit
from ankrcode.protocol.result import ToolResult
from workspace.histories import KINDS, changed, environment, git

Tree = dict[str, bytes]

PLAIN: Tree = {name: make(Random(name)).encode() for name, make in KINDS.items()}
BASE: Tree = {
    **PLAIN,
    "deep/er/a.txt": b"one\ntwo\nthree\nfour\nfive\nsix\n",
    "with blank.txt": b"one\ntwo\nthree\n",
    "quote\"d.txt": b"one\ntwo\nthree\n",
    "größe.txt": "Maß\nStraße\nFuß\n".encode(),
    "नाम.txt": "नमस्ते\nदुनिया\nसंसार\n".encode(),
    "a/b/a/b.txt": b"one\ntwo\nthree\n",
    "x b/y z.txt": b"one\ntwo\nthree\n",
    "a b/a b.txt": b"".join(b"col %d\n" % number for number in range(30)),
    "'single' & $dollar.txt": b"one\ntwo\nthree\n",
    "emoji 🎈.txt": b"one\ntwo\nthree\n",
    "b/x.txt": b"one\ntwo\nthree\n",
    "-dash.txt": b"one\ntwo\nthree\n",
    "crlf.txt": b"one\r\ntwo\r\nthree\r\nfour\r\nfive\r\n",
    "mixed.txt": b"one\r\ntwo\nthree\r\nfour\nfive\r\n",
    "open.txt": b"one\ntwo\nthree",
    "bom.txt": b"\xef\xbb\xbfone\ntwo\nthree\n",
    "empty.txt": b"",
    "gone.txt": b"bye\nbye\n",
    "gone-open.txt": b"bye",
    "from.txt": b"".join(b"line %d\n" % number for number in range(30)),
    "from2.txt": b"".join(b"row %d\n" % number for number in range(30)),
    "run.sh": b"#!/bin/sh\necho hi\n",
}  # fmt: skip

# name → what becomes of the file; None deletes it
Steps = dict[str, bytes | None]
CHANGES: dict[str, Steps] = {
    "one-line": {"deep/er/a.txt": b"one\n2\nthree\nfour\nfive\nsix\n"},
    "both-ends": {"deep/er/a.txt": b"1\ntwo\nthree\nfour\nfive\n6\n"},
    "blank-in-name": {"with blank.txt": b"one\n2\nthree\n"},
    "quote-in-name": {"quote\"d.txt": b"one\n2\nthree\n"},
    "umlaut-in-name": {"größe.txt": "Maß\nStrasse\nFuß\n".encode()},
    "devanagari": {"नाम.txt": "नमस्ते\nदुनिया!\nसंसार\n".encode()},
    "folders-named-a-and-b": {"a/b/a/b.txt": b"one\n2\nthree\n", "b/x.txt": b"1\ntwo\nthree\n"},
    "b-and-blanks-in-the-name": {"x b/y z.txt": b"one\n2\nthree\n"},
    "renamed-among-blanks-and-b": {"a b/a b.txt": None, "b a/b b/a.txt": BASE["a b/a b.txt"]},
    "renamed-and-changed-among-them": {"a b/a b.txt": None, "b a/b b.txt": BASE["a b/a b.txt"] + b"more\n"},
    "emptied-among-blanks": {"x b/y z.txt": b""},
    "deleted-among-blanks": {"x b/y z.txt": None},
    "new-among-blanks": {"n b/n b.txt": b"new\n"},
    "new-empty-among-blanks": {"n b/n b.txt": b""},
    "shell-signs-in-the-name": {"'single' & $dollar.txt": b"one\n2\nthree\n"},
    "emoji-in-the-name": {"emoji 🎈.txt": b"one\n2\nthree\n"},
    "name-begins-with-a-dash": {"-dash.txt": b"one\n2\nthree\n"},
    "crlf": {"crlf.txt": b"one\r\n2\r\nmore\r\nthree\r\nfour\r\nfive\r\n"},
    "crlf-to-lf": {"crlf.txt": b"one\ntwo\nthree\nfour\nfive\n"},
    "lf-to-crlf": {"deep/er/a.txt": b"one\r\ntwo\r\nthree\r\nfour\r\nfive\r\nsix\r\n"},
    "one-ending": {"mixed.txt": b"one\r\ntwo\r\nthree\r\nfour\nfive\r\n"},
    "mixed": {"mixed.txt": b"one\r\ntwo\nTHREE\r\nfour\nfive\r\n"},
    "end-taken": {"deep/er/a.txt": b"one\ntwo\nthree\nfour\nfive\nsix"},
    "end-given": {"open.txt": b"one\ntwo\nthree\n"},
    "last-line-open": {"open.txt": b"one\ntwo\n3"},
    "line-after-open-end": {"open.txt": b"one\ntwo\nthree\nfour"},
    "first-of-open": {"open.txt": b"1\ntwo\nthree"},
    "byte-order-mark-kept": {"bom.txt": b"\xef\xbb\xbfone\n2\nthree\n"},
    "empty-filled": {"empty.txt": b"now\nthere\n"},
    "emptied": {"with blank.txt": b""},
    "new": {"new/er/file.txt": b"hello\nworld\n"},
    "new-empty": {"new.txt": b""},
    "new-open": {"new.txt": b"no end"},
    "new-crlf": {"new.txt": b"one\r\ntwo\r\n"},
    "new-odd-name": {"new ü.txt": b"x\n"},
    "deleted": {"gone.txt": None},
    "deleted-open": {"gone-open.txt": None},
    "deleted-empty": {"empty.txt": None},
    "renamed": {"from.txt": None, "to/here.txt": BASE["from.txt"]},
    "renamed-odd-names": {"from.txt": None, "zu größe.txt": BASE["from.txt"]},
    "renamed-and-changed": {"from.txt": None, "to.txt": BASE["from.txt"].replace(b"line 7\n", b"seven\n")},
    "two-renames": {"from.txt": None, "to.txt": BASE["from.txt"], "from2.txt": None, "to2.txt": BASE["from2.txt"]},
    "rename-over-a-deleted-one": {"from.txt": None, "gone.txt": BASE["from.txt"]},
    "changed-beyond-a-rename": {"from.txt": b"all\nnew\n"},
    "like-marks": {"odd.txt": changed(PLAIN["odd.txt"].decode(), Random(5)).encode()},
    "like-a-diff": {"r.md": PLAIN["r.md"].replace(b"-x\n+y\n", b"-x\n+z\n", 1)},
    "sql-comments": {"gone.txt": b"-- bye\n-- bye\n++ more\n"},
    **{
        f"everything-{seed}": {
            name: changed(text.decode(), Random(f"{name}{seed}")).encode() or b"x\n"
            for name, text in PLAIN.items()
        }
        for seed in range(4)
    },
}  # fmt: skip

FORMS = {
    "plain": ["diff", "--cached", "--no-renames"],
    "U0": ["diff", "--cached", "-U0", "-M"],
    "U10": ["diff", "--cached", "-U10", "-M"],
    "raw-names": ["-c", "core.quotePath=false", "diff", "--cached", "-M"],
    "mnemonic": ["-c", "diff.mnemonicPrefix=true", "diff", "--cached", "-M"],
    "with-stat": ["diff", "--cached", "--patch-with-stat", "--summary", "-M"],
    "break-rewrites": ["diff", "--cached", "-B", "-M"],
}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("repository")
    git(folder, "init", "-q")
    lay_out(folder, BASE)
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "base")
    return folder


def lay_out(folder: Path, steps: Steps | Tree) -> None:
    for name, content in steps.items():
        path = folder / name
        if content is None:
            path.unlink()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


def tree_of(folder: Path) -> Tree:
    files = (path for path in folder.rglob("*") if path.is_file() and ".git" not in path.parts)
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(files)}


def diffs_of(repository: Path, steps: Steps) -> dict[str, bytes]:
    """What git says about these steps, in every form; the repository is as before afterwards."""
    lay_out(repository, steps)
    git(repository, "add", "-A")
    written = {name: git(repository, *form) for name, form in FORMS.items()}
    git(repository, "reset", "-q", "--hard")
    git(repository, "clean", "-qfd")
    return written


async def kit_that_read(folder: Path) -> Toolkit:
    kit = Toolkit(cwd=folder, mode="bypass")
    paths = [str(path) for path in folder.rglob("*") if path.is_file() and path.stat().st_size]
    for path in paths:
        result = await kit.call("Read", file_path=path, limit=0)
        assert result.ok, result.text
    return kit


@pytest.mark.parametrize("steps", CHANGES.values(), ids=CHANGES)
async def test_every_form_of_a_git_diff_gives_the_second_tree(
    steps: Steps, repository: Path, tmp_path: Path
) -> None:
    second = {**BASE, **steps}
    wanted = {name: content for name, content in second.items() if content is not None}
    touched = {name: BASE[name] for name in steps if name in BASE}
    for form, diff in diffs_of(repository, steps).items():
        work = tmp_path / form
        work.mkdir()
        lay_out(work, touched)
        kit = await kit_that_read(work)
        result = await kit.call("ApplyPatch", patch=diff.decode())
        assert result.ok, (form, result.text, diff.decode())
        expected = {name: content for name, content in wanted.items() if name in steps}
        assert tree_of(work) == expected, (form, diff.decode())


async def test_a_patch_and_its_reverse_give_the_tree_back(repository: Path, tmp_path: Path) -> None:
    for number, steps in enumerate(CHANGES.values()):
        lay_out(repository, steps)
        git(repository, "add", "-A")
        there = git(repository, "diff", "--cached", "-M").decode()
        back = git(repository, "diff", "--cached", "-M", "-R").decode()
        git(repository, "reset", "-q", "--hard")
        git(repository, "clean", "-qfd")
        work = tmp_path / str(number)
        work.mkdir()
        first = {name: BASE[name] for name in steps if name in BASE}
        lay_out(work, first)
        kit = await kit_that_read(work)
        for patch in (there, back):
            result = await kit.call("ApplyPatch", patch=patch)
            assert result.ok, (result.text, patch)
        assert tree_of(work) == first, there


async def test_a_series_of_mails_is_applied_in_its_order(tmp_path: Path) -> None:
    repository, work = tmp_path / "repository", tmp_path / "work"
    repository.mkdir()
    git(repository, "init", "-q")
    lay_out(repository, PLAIN)
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "base")
    texts = {name: text.decode() for name, text in PLAIN.items()}
    for number in range(5):
        texts = {name: changed(text, Random(f"{name}{number}")) for name, text in texts.items()}
        lay_out(repository, {name: text.encode() or b"x\n" for name, text in texts.items()})
        git(repository, "add", "-A")
        git(repository, "commit", "-qm", f"change {number}\n\n+++ all of it\n--- is prose")
    patch = git(repository, "format-patch", "-5", "--stdout", "--text").decode()
    work.mkdir()
    lay_out(work, PLAIN)
    kit = await kit_that_read(work)
    result = await kit.call("ApplyPatch", patch=patch)
    assert result.ok, result.text
    assert tree_of(work) == tree_of(repository)


async def test_a_commit_as_git_show_prints_it_is_applied(repository: Path, tmp_path: Path) -> None:
    steps = CHANGES["everything-1"]
    lay_out(repository, steps)
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "subject\n\n    diff --git is only a word here\n")
    shown = git(repository, "show", "--stat", "-p", "--text").decode()
    git(repository, "reset", "-q", "--hard", "HEAD~")
    lay_out(tmp_path, {name: BASE[name] for name in steps})
    kit = await kit_that_read(tmp_path)
    result = await kit.call("ApplyPatch", patch=shown)
    assert result.ok, result.text
    assert tree_of(tmp_path) == steps


# ── what cannot be done is refused, and nothing is changed ────────────────────────────────────
async def refused(kit: Toolkit, folder: Path, patch: str) -> ToolResult:
    before = tree_of(folder)
    result = await kit.call("ApplyPatch", patch=patch)
    assert not result.ok, result.text
    assert tree_of(folder) == before
    return result


@pytest.mark.parametrize("form", [[], ["--binary"]], ids=["notice", "data"])
async def test_a_binary_change_is_named(form: list[str], tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    repository.mkdir()
    git(repository, "init", "-q")
    lay_out(repository, {"p.png": b"\x89PNG\0\1", "t.txt": b"one\n"})
    git(repository, "add", "-A")
    lay_out(repository, {"p.png": b"\x89PNG\0\2", "t.txt": b"two\n"})
    patch = git(repository, "diff", *form).decode()
    git(repository, "checkout", "-q", ".")
    kit = Toolkit(cwd=repository, mode="bypass")
    assert (await kit.call("Read", file_path="t.txt")).ok
    result = await refused(kit, repository, patch)
    assert "binary" in result.text


async def test_modes_are_left_alone_with_a_note(tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    repository.mkdir()
    git(repository, "init", "-q")
    lay_out(repository, {"run.sh": b"echo\n", "both.sh": b"echo\n"})
    git(repository, "add", "-A")
    (repository / "run.sh").chmod(0o755)
    (repository / "both.sh").chmod(0o755)
    (repository / "both.sh").write_bytes(b"echo hi\n")
    patch = git(repository, "diff").decode()
    assert patch.count("new mode 100755") == 2
    work = tmp_path / "work"
    work.mkdir()
    lay_out(work, {"run.sh": b"echo\n", "both.sh": b"echo\n"})
    kit = await kit_that_read(work)
    result = await kit.call("ApplyPatch", patch=patch)
    assert result.ok, result.text
    assert tree_of(work) == {"run.sh": b"echo\n", "both.sh": b"echo hi\n"}
    assert "both.sh: the file mode in the patch was ignored" in result.text
    assert not stat.S_IMODE((work / "both.sh").stat().st_mode) & stat.S_IXUSR


async def test_a_copy_is_refused_in_words(tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    repository.mkdir()
    git(repository, "init", "-q")
    lay_out(repository, {"one.txt": BASE["from.txt"]})
    git(repository, "add", "-A")
    lay_out(repository, {"two.txt": BASE["from.txt"], "one.txt": BASE["from.txt"] + b"more\n"})
    git(repository, "add", "-N", "two.txt")
    patch = git(repository, "diff", "-C", "-C").decode()
    assert "copy from" in patch
    work = tmp_path / "work"
    work.mkdir()
    lay_out(work, {"one.txt": BASE["from.txt"]})
    result = await refused(await kit_that_read(work), work, patch)
    assert "copies a file" in result.text


@pytest.mark.parametrize(
    "name", ["tab\there.txt", "back\\slash.txt", "bell\a.txt", "new\nline", "blank at its end "]
)
async def test_a_name_that_deceives_is_refused_also_when_git_quotes_it(
    name: str, tmp_path: Path
) -> None:
    repository = tmp_path / "repository"
    repository.mkdir()
    git(repository, "init", "-q")
    lay_out(repository, {name: b"one\n"})
    git(repository, "add", "-A")
    patch = git(repository, "diff", "--cached").decode()
    assert ('"b/' in patch) == (name != "blank at its end ")
    work = tmp_path / "work"
    work.mkdir()
    result = await refused(Toolkit(cwd=work, mode="bypass"), work, patch)
    assert "is not a usable path" in result.text


async def test_a_link_in_a_diff_does_not_become_a_file_outside(tmp_path: Path) -> None:
    patch = (
        "diff --git a/l b/l\nnew file mode 120000\nindex 0000000..1de5659\n--- /dev/null\n"
        "+++ b/l\n@@ -0,0 +1 @@\n+/etc/passwd\n\\ No newline at end of file\n"
    )
    work = tmp_path / "work"
    work.mkdir()
    kit = Toolkit(cwd=work, mode="bypass")
    await kit.call("ApplyPatch", patch=patch)
    assert not (work / "l").is_symlink()


def git_applies(folder: Path, diff: str) -> bool:
    judge = subprocess.run(
        ["git", "apply", "-"],
        cwd=folder,
        input=diff.encode(),
        capture_output=True,
        check=False,
        timeout=60,
        env=environment(folder),
    )
    return judge.returncode == 0


async def test_what_git_refuses_because_the_file_moved_on_is_refused_here(
    repository: Path, tmp_path: Path
) -> None:
    """git apply as the judge, on a file that someone has changed at the very place."""
    steps = CHANGES["one-line"]
    diff = diffs_of(repository, steps)["plain"].decode()
    for content in (b"one\nTWO\nthree\nfour\nfive\nsix\n", b"", b"six\nfive\nfour\n"):
        work = tmp_path / f"{len(content)}"
        (work / "deep/er").mkdir(parents=True)
        (work / "deep/er/a.txt").write_bytes(content)
        assert not git_applies(work, diff)
        await refused(await kit_that_read(work), work, diff)
        shutil.rmtree(work)
