"""ApplyPatch: many files in one go, all or nothing, and never over what nobody read."""

# ruff: noqa: E501 - tables are easier to read in one piece

import difflib
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode import Toolkit, tools
from ankrcode.config.limits import PATCH_MAX_FILES
from ankrcode.errors import ErrorCode, ToolError
from ankrcode.protocol.permission import Mode
from ankrcode.protocol.result import ToolResult
from ankrcode.testing import YES, FakePerson
from ankrcode.tools.apply_patch import ApplyPatch, ApplyPatchInput, ApplyPatchOutput
from ankrcode.workspace.reads import FileVersion
from ankrcode.workspace.writing.writes import FileWriter
from people import ordinary_person
from torture import examples

Tree = dict[str, str]


class Desk:
    """A folder with some files, all of them read, and an agent that may change them."""

    def __init__(self, folder: Path, tree: Tree, **kit: Any) -> None:
        self.folder = folder
        for name, content in tree.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content.encode())
        self.kit = Toolkit(cwd=folder, **{"mode": "bypass", **kit})

    async def read(self, *names: str) -> "Desk":
        for name in names:
            assert (await self.kit.call("Read", file_path=name)).ok
        return self

    async def patch(self, *lines: str) -> ToolResult:
        patch = "\n".join(["*** Begin Patch", *lines, "*** End Patch"])
        return await self.kit.call("ApplyPatch", patch=patch)

    async def diff(self, *lines: str) -> ToolResult:
        return await self.kit.call("ApplyPatch", patch="\n".join(lines) + "\n")

    @property
    def tree(self) -> Tree:
        found = (path for path in sorted(self.folder.rglob("*")) if path.is_file())
        return {str(path.relative_to(self.folder)): path.read_bytes().decode() for path in found}


async def desk(folder: Path, tree: Tree, **kit: Any) -> Desk:
    return await Desk(folder, tree, **kit).read(*(name for name, text in tree.items() if text))


def value_of(result: ToolResult) -> ApplyPatchOutput:
    assert result.error is None, result.text
    return msgspec.convert(msgspec.to_builtins(result.value), ApplyPatchOutput)


def code_of(result: ToolResult) -> str:
    assert result.error is not None, result.text
    return str(result.error.code)


# ── what it does ──────────────────────────────────────────────────────────────────────────────
async def test_files_are_added_updated_moved_and_deleted_in_one_call(tmp_path: Path) -> None:
    on = await desk(tmp_path, {"a.py": "x = 1\ny = 2\n", "b.txt": "bye\n", "c.txt": "1\n2\n"})
    result = await on.patch(
        "*** Update File: a.py", "@@", " x = 1", "-y = 2", "+y = 3",
        "*** Add File: new/d.txt", "+hello",
        "*** Update File: c.txt", "*** Move to: moved/c.txt", "@@", " 1", "-2", "+two",
        "*** Delete File: b.txt",
    )  # fmt: skip
    assert on.tree == {"a.py": "x = 1\ny = 3\n", "moved/c.txt": "1\ntwo\n", "new/d.txt": "hello\n"}
    value = value_of(result)
    assert value.added == [f"{tmp_path}/new/d.txt"]
    assert value.updated == [f"{tmp_path}/a.py"]
    (moved,) = value.moved
    assert (moved.source, moved.destination) == (f"{tmp_path}/c.txt", f"{tmp_path}/moved/c.txt")
    assert value.deleted == [f"{tmp_path}/b.txt"]
    assert result.text.split("\n")[:5] == [
        "Applied the patch:",
        f"A {tmp_path}/new/d.txt",
        f"M {tmp_path}/a.py",
        f"R {tmp_path}/c.txt -> {tmp_path}/moved/c.txt",
        f"D {tmp_path}/b.txt",
    ]
    assert "-y = 2\n+y = 3" in result.text
    assert result.metadata["files"] == 4


async def test_a_git_diff_of_many_files_is_applied(tmp_path: Path) -> None:
    on = await desk(tmp_path, {"f": "a\nb\n", "old": "bye\n", "from": "1\n"})
    result = await on.diff(
        "diff --git a/f b/f", "old mode 100644", "new mode 100755", "--- a/f", "+++ b/f",
        "@@ -1,2 +1,2 @@", " a", "-b", "+c",
        "diff --git a/old b/old", "deleted file mode 100644", "--- a/old", "+++ /dev/null",
        "@@ -1 +0,0 @@", "-bye",
        "diff --git a/new b/new", "new file mode 100644", "--- /dev/null", "+++ b/new",
        "@@ -0,0 +1 @@", "+n",
        "diff --git a/from b/to", "similarity index 100%", "rename from from", "rename to to",
    )  # fmt: skip
    assert on.tree == {"f": "a\nc\n", "new": "n\n", "to": "1\n"}
    assert "f: the file mode in the patch was ignored" in result.text
    assert not os.access(tmp_path / "f", os.X_OK) or os.geteuid() == 0


async def test_one_file_may_have_several_sections(tmp_path: Path) -> None:
    on = await desk(tmp_path, {"f": "a\nb\n"})
    result = await on.patch(
        "*** Update File: f", "@@", "-b", "+B",
        "*** Update File: f", "@@", "-a", "+A", " B",
        "*** Add File: g", "+1",
        "*** Update File: g", "@@", "-1", "+2",
        "*** Update File: g", "*** Move to: h",
    )  # fmt: skip
    assert on.tree == {"f": "A\nB\n", "h": "2\n"}
    assert value_of(result).added == [f"{tmp_path}/h"]


async def test_a_file_that_is_deleted_and_added_is_rewritten(tmp_path: Path) -> None:
    on = await desk(tmp_path, {"f": "old\n"})
    (tmp_path / "f").chmod(0o640)
    result = await on.patch("*** Delete File: f", "*** Add File: f", "+new")
    assert on.tree == {"f": "new\n"}
    assert (tmp_path / "f").stat().st_mode & 0o777 == 0o640
    assert value_of(result).updated == [f"{tmp_path}/f"]


async def test_files_may_change_places(tmp_path: Path) -> None:
    on = await desk(tmp_path, {"a": "A\n", "b": "B\n"})
    result = await on.patch(
        "*** Update File: a", "*** Move to: t",
        "*** Update File: b", "*** Move to: a",
        "*** Update File: t", "*** Move to: b",
    )  # fmt: skip
    assert result.ok, result.text
    assert on.tree == {"a": "B\n", "b": "A\n"}


async def test_a_file_may_move_to_where_the_patch_deleted_one(tmp_path: Path) -> None:
    on = await desk(tmp_path, {"a": "A\n", "b": "B\n"})
    result = await on.patch("*** Delete File: b", "*** Update File: a", "*** Move to: b")
    assert result.ok, result.text
    assert on.tree == {"b": "A\n"}
    assert (await on.patch("*** Update File: b", "-A", "+AA")).ok, "it is still known"


async def test_bytes_that_are_no_text_can_be_moved_and_deleted(tmp_path: Path) -> None:
    on = Desk(tmp_path, {})
    (tmp_path / "p.png").write_bytes(b"\x89PNG\0\xff")
    (tmp_path / "q.png").write_bytes(b"\0")
    result = await on.patch(
        "*** Update File: p.png", "*** Move to: r.png", "*** Delete File: q.png"
    )
    assert result.ok, result.text
    assert (tmp_path / "r.png").read_bytes() == b"\x89PNG\0\xff"
    assert not (tmp_path / "q.png").exists()


async def test_mode_encoding_and_line_endings_survive_also_a_move(tmp_path: Path) -> None:
    on = Desk(tmp_path, {})
    file = tmp_path / "run.sh"
    file.write_bytes(b"\xff\xfe" + "a\r\nb\r\n".encode("utf-16-le"))
    file.chmod(0o755)
    await on.read("run.sh")
    await on.patch("*** Update File: run.sh", "*** Move to: go.sh", "@@", " a", "-b", "+c")
    moved = tmp_path / "go.sh"
    assert moved.read_bytes() == b"\xff\xfe" + "a\r\nc\r\n".encode("utf-16-le")
    assert moved.stat().st_mode & 0o777 == 0o755


async def test_a_loose_match_is_told(tmp_path: Path) -> None:
    on = await desk(tmp_path, {"f": "a  \nb\n"})
    result = await on.patch("*** Update File: f", "@@", " a", "-b", "+c")
    assert f"{tmp_path}/f: hunk 1 matched without regard to trailing blanks" in result.text
    assert len(result.metadata["notes"]) == 1


async def test_a_file_that_no_longer_parses_is_written_with_a_warning(tmp_path: Path) -> None:
    on = await desk(tmp_path, {"a.py": "x = (1)\n", "b.txt": "b\n"})
    result = await on.patch("*** Update File: a.py", "-x = (1)", "+x = (1")
    assert "Warning:" in result.text
    assert "no longer can" in result.metadata["warnings"][0]


async def test_our_own_patch_counts_as_a_read(tmp_path: Path) -> None:
    on = await desk(tmp_path, {"f": "1\n"})
    assert (await on.patch("*** Update File: f", "-1", "+2", "*** Add File: g", "+1")).ok
    assert (await on.patch("*** Update File: f", "-2", "+3", "*** Update File: g", "-1", "+2")).ok
    assert (await on.kit.call("Edit", file_path="f", old_string="3", new_string="4")).ok
    assert on.tree == {"f": "4\n", "g": "2\n"}


# ── all or nothing ────────────────────────────────────────────────────────────────────────────
BROKEN: dict[str, tuple[list[str], str, str]] = {
    "hunk": (["*** Update File: f", "-nope", "+x"], "TEXT_NOT_FOUND", "hunk 1 does not fit"),
    "missing-update": (["*** Update File: gone", "-a", "+b"], "FILE_NOT_FOUND", "no file at"),
    "missing-delete": (["*** Delete File: gone"], "FILE_NOT_FOUND", "no file at"),
    "missing-move": (["*** Update File: gone", "*** Move to: x"], "FILE_NOT_FOUND", "no file at"),
    "deleted-before": (["*** Delete File: f", "*** Update File: f", "-a", "+b"], "FILE_NOT_FOUND", "no file"),
    "moved-before": (["*** Update File: f", "*** Move to: n", "*** Update File: f", "-a", "+b"], "FILE_NOT_FOUND", "no file"),
    "add-unread": (["*** Add File: unread", "+x"], "INVALID_PATH", "exists already"),
    "add-twice": (["*** Add File: n", "+x", "*** Add File: n", "+y"], "INVALID_PATH", "exists already"),
    "move-over-unread": (["*** Update File: f", "*** Move to: unread"], "INVALID_PATH", "exists already"),
    "delete-folder": (["*** Delete File: d"], "IS_A_DIRECTORY", "is a directory"),
    "update-folder": (["*** Update File: d", "-a", "+b"], "IS_A_DIRECTORY", "is a directory"),
    "delete-link": (["*** Delete File: l"], "INVALID_PATH", "is a link"),
    "outside": (["*** Add File: ../out.txt", "+x"], "INVALID_PATH", "outside the workspace"),
    "outside-absolute": (["*** Delete File: /etc/hosts"], "INVALID_PATH", "outside the workspace"),
    "outside-move": (["*** Update File: f", "*** Move to: /tmp/x"], "INVALID_PATH", "outside the workspace"),
    "below-a-file": (["*** Add File: f/x", "+x"], "NOT_A_DIRECTORY", "not a directory"),
    "malformed": (["*** Update File: f", "@@", "hello"], "INVALID_INPUT", "cannot be read"),
    "no-change": (["*** Update File: g", " g"], "EXECUTION_ERROR", "as it was"),
}  # fmt: skip


@pytest.mark.parametrize(("lines", "code", "said"), BROKEN.values(), ids=BROKEN)
async def test_if_one_part_cannot_be_done_nothing_is(
    lines: list[str], code: str, said: str, tmp_path: Path
) -> None:
    on = await desk(tmp_path, {"f": "a\nb\n", "g": "g\n", "d/x": "x\n"})
    (tmp_path / "l").symlink_to("f")
    (tmp_path / "unread").write_text("unread\n", encoding="utf-8")
    before = on.tree
    first = [] if "no-change" in said or said == "as it was" else ["*** Add File: first", "+1"]
    result = await on.patch(*first, *lines)
    assert code_of(result) == code
    assert said in result.text
    assert on.tree == before


async def test_more_files_than_the_limit_are_refused(tmp_path: Path) -> None:
    on = Desk(tmp_path, {})
    result = await on.patch(*(f"*** Add File: {n}" for n in range(PATCH_MAX_FILES + 1)))
    assert code_of(result) == "INVALID_INPUT"
    assert on.tree == {}


class FullDisk(FileWriter):
    """Fails at the n-th change, as a disk may; the real writer does the rest."""

    def __init__(self, works: int) -> None:
        super().__init__()
        self._left = [works]  # shared by the copies that each call gets

    def _count(self, path: str) -> None:
        self._left[0] -= 1
        if self._left[0] == -1:
            raise ToolError("The disk is full.").coded(ErrorCode.IO_ERROR, path=path)

    def write(
        self,
        path: str,
        content: bytes,
        *,
        expected: FileVersion | None,
        makes_folders: bool = False,
    ) -> FileVersion:
        self._count(path)
        return super().write(path, content, expected=expected, makes_folders=makes_folders)

    def move(self, source: str, destination: str, *, overwrites: bool) -> None:
        self._count(source)
        super().move(source, destination, overwrites=overwrites)

    def remove(self, path: str, told: Callable[[str], None], *, recursive: bool = False) -> None:
        self._count(path)
        super().remove(path, told, recursive=recursive)


@pytest.mark.parametrize("works", range(7))
async def test_if_a_write_fails_those_before_it_are_taken_back(works: int, tmp_path: Path) -> None:
    tree = {"a": "1\n", "b": "1\n", "c": "1\n", "gone": "bye\n", "too": "bye\n"}
    on = await desk(tmp_path, tree)
    (tmp_path / "gone").chmod(0o640)
    on.kit.agent.files = FullDisk(works)
    patch = (
        "*** Update File: a", "-1", "+2", "*** Add File: deep/er/new", "+n",
        "*** Update File: b", "*** Move to: other/b", "-1", "+2",
        "*** Delete File: gone", "*** Delete File: too",
    )  # fmt: skip
    result = await on.patch(*patch)
    if works == 6:
        assert result.ok
        return
    assert code_of(result) == "IO_ERROR"
    assert on.tree == tree
    assert (tmp_path / "gone").stat().st_mode & 0o777 == 0o640
    assert not (tmp_path / "deep").exists()
    assert ("was taken back" in result.text) == (works > 0)
    on.kit.agent.files = FileWriter()
    assert (await on.patch(*patch)).ok, "and the same patch fits again"


@pytest.mark.parametrize("works", range(4))
async def test_a_file_that_was_changed_and_then_deleted_comes_back_with_its_mode(
    works: int, tmp_path: Path
) -> None:
    on = await desk(tmp_path, {"a": "1\n", "b": "1\n", "over": "old\n", "from": "new\n"})
    before = on.tree
    for name, mode in (("a", 0o640), ("over", 0o600)):
        (tmp_path / name).chmod(mode)
    on.kit.agent.files = FullDisk(works)
    result = await on.patch(
        "*** Update File: a", "-1", "+2", "*** Delete File: a",
        "*** Update File: from", "*** Move to: over",
        "*** Update File: b", "-1", "+2", "*** Delete File: b",
    )  # fmt: skip
    if works == 3:
        assert result.ok, result.text
        assert on.tree == {"over": "new\n"}
        return
    assert code_of(result) == "IO_ERROR"
    assert on.tree == before
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "over").stat().st_mode & 0o777 == 0o600


async def test_a_file_that_may_not_be_written_stops_the_whole_patch(tmp_path: Path) -> None:
    on = Desk(tmp_path, {"a": "1\n", "b": "1\n"})
    (tmp_path / "b").chmod(0o444)
    with ordinary_person(tmp_path):
        await on.read("a", "b")
        result = await on.patch("*** Update File: a", "-1", "+2", "*** Update File: b", "-1", "+2")
        assert code_of(result) == "PERMISSION_DENIED"
    assert on.tree == {"a": "1\n", "b": "1\n"}


# ── read before edit ──────────────────────────────────────────────────────────────────────────
async def test_an_update_needs_a_read_even_if_its_context_fits(tmp_path: Path) -> None:
    on = Desk(tmp_path, {"f": "a\nb\n"})
    result = await on.patch("*** Update File: f", " a", "-b", "+c")
    assert code_of(result) == "NOT_READ"
    assert "Must read file before editing" in result.text
    assert on.tree == {"f": "a\nb\n"}


async def test_a_file_changed_outside_is_refused(tmp_path: Path) -> None:
    on = await desk(tmp_path, {"f": "a\nb\n", "g": "g\n"})
    (tmp_path / "f").write_text("a\nb\nc\n", encoding="utf-8")
    result = await on.patch("*** Update File: g", "-g", "+h", "*** Update File: f", "-b", "+c")
    assert code_of(result) == "CHANGED_SINCE_READ"
    assert on.tree["g"] == "g\n"


async def test_a_partial_read_covers_only_the_lines_it_showed(tmp_path: Path) -> None:
    on = Desk(tmp_path, {"f": "".join(f"line {number}\n" for number in range(1, 21))})
    assert (await on.kit.call("Read", file_path="f", offset=5, limit=4)).ok
    assert (await on.patch("*** Update File: f", " line 5", "-line 6", "+six", "+more")).ok
    assert (await on.patch("*** Update File: f", "-line 8", "+eight")).ok
    result = await on.patch("*** Update File: f", "-line 9", "+nine")
    assert code_of(result) == "NOT_READ"
    assert "lines 10 to 10" in result.text


async def test_adding_moving_and_deleting_need_no_read(tmp_path: Path) -> None:
    on = Desk(tmp_path, {"a": "1\n", "b": "2\n"})
    patch = ("*** Add File: n", "*** Update File: a", "*** Move to: c", "*** Delete File: b")
    assert (await on.patch(*patch)).ok
    assert on.tree == {"c": "1\n", "n": ""}


async def test_a_diff_deletes_only_what_it_knows(tmp_path: Path) -> None:
    on = await desk(tmp_path, {"f": "a\nb\n"})
    head = ("--- a/f", "+++ /dev/null")
    result = await on.diff(*head, "@@ -1 +0,0 @@", "-a")
    assert code_of(result) == "TEXT_NOT_FOUND"
    assert "lines that the patch does not know" in result.text
    assert (await on.diff(*head, "@@ -1,2 +0,0 @@", "-a", "-b")).ok
    assert on.tree == {}


# ── permission ────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("mode", "lines", "asks"),
    [
        ("acceptEdits", ["*** Update File: f", "-a", "+b"], False),
        ("acceptEdits", ["*** Add File: n", "+b"], False),
        ("acceptEdits", ["*** Delete File: f"], True),
        ("default", ["*** Update File: f", "-a", "+b"], True),
        ("bypass", ["*** Delete File: f"], False),
    ],
)
async def test_a_person_is_asked_where_the_mode_or_a_deletion_wants_it(
    mode: Mode, lines: list[str], asks: bool, tmp_path: Path
) -> None:
    person = FakePerson([YES])
    on = await desk(tmp_path, {"f": "a\n"}, mode=mode, approve=person)
    assert (await on.patch(*lines)).ok
    assert len(person.asked) == asks


async def test_a_grant_for_patches_does_not_cover_deletions(tmp_path: Path) -> None:
    person = FakePerson()
    on = await desk(tmp_path, {"f": "a\n", "g": "g\n"}, mode="default", approve=person)
    on.kit.agent.policy.grant("ApplyPatch", "*")
    assert (await on.patch("*** Update File: f", "-a", "+b")).ok
    assert not person.asked
    assert code_of(await on.patch("*** Delete File: g")) == "PERMISSION_DENIED"
    (approval,) = person.asked
    assert approval.reason == f"it deletes {tmp_path}/g"


async def test_a_person_sees_every_file_and_the_whole_diff(tmp_path: Path) -> None:
    person = FakePerson([YES])
    on = await desk(tmp_path, {"f": "a\n", "g": "g\n"}, mode="default", approve=person)
    await on.patch(
        "*** Update File: f", "-a", "+b", "*** Add File: n", "+new", "*** Delete File: g"
    )
    (approval,) = person.asked
    assert approval.preview is not None
    body = approval.preview.body
    assert f"A {tmp_path}/n\nM {tmp_path}/f\nD {tmp_path}/g" in body
    assert "-a\n+b" in body
    assert "+new" in body
    written = {f"{tmp_path}/{name}" for name in ("f", "g", "n")}
    assert set(approval.acts.writes_files) == written


async def test_nobody_is_asked_about_a_patch_that_does_not_fit(tmp_path: Path) -> None:
    person = FakePerson([YES])
    on = await desk(tmp_path, {"f": "a\n"}, mode="default", approve=person)
    assert code_of(await on.patch("*** Update File: f", "-x", "+b")) == "TEXT_NOT_FOUND"
    assert not person.asked


def test_it_writes_and_is_neither_read_only_nor_safe() -> None:
    tool = ApplyPatch()
    assert tool.permission == "write"
    assert not tool.is_read_only
    assert not tool.is_concurrency_safe(ApplyPatchInput(patch="x"))


def test_the_description_teaches_the_whole_envelope() -> None:
    text = tools.definitions()["apply_patch"].description
    for marker in ("Begin Patch", "End Patch", "Add File", "Delete File", "Update File", "Move to"):
        assert f"*** {marker}" in text
    assert "*** End of File" in text
    assert len(text.split()) <= 250


# ── from any text to any text ─────────────────────────────────────────────────────────────────
LINE = st.sampled_from(["a", "b", "  a", "\tb", "", "क", "-- x", "*** y"])
MARKS = {"none": b"", "bom": b"\xef\xbb\xbf", "utf-16": b"\xff\xfe"}


@st.composite
def texts(draw: st.DrawFn) -> str:
    ends = draw(st.sampled_from([["\n"], ["\r\n"], ["\n", "\r\n"]]))
    lines = st.lists(st.tuples(LINE, st.sampled_from(ends)).map("".join), max_size=10).map("".join)
    return draw(lines) + draw(st.sampled_from(["", "", "end"]))


def lines_of(text: str) -> list[str]:
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def unified_between(one: str, other: str) -> str:
    found = difflib.unified_diff(lines_of(one), lines_of(other), "a/f", "b/f")
    marked = (
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in found
    )
    return "".join(marked)


@pytest.mark.torture
@examples(in_ci=60, in_torture=600)
@given(one=texts(), other=texts(), mark=st.sampled_from(sorted(MARKS)))
async def test_a_diff_of_any_two_files_makes_the_second_from_the_first(
    one: str, other: str, mark: str, tmp_path: Path
) -> None:
    def encoded(text: str) -> bytes:
        return MARKS[mark] + text.encode("utf-16-le" if mark == "utf-16" else "utf-8")

    if one == other:
        return
    on = Desk(tmp_path, {})
    (tmp_path / "f").write_bytes(encoded(one))
    await on.read("f")
    result = await on.kit.call("ApplyPatch", patch=unified_between(one, other))
    assert result.ok, (one, other, result.text)
    assert (tmp_path / "f").read_bytes() == encoded(other)


@pytest.mark.torture
@examples(in_ci=60, in_torture=600)
@given(patch=st.one_of(st.text(min_size=1, max_size=60), st.binary(min_size=1).map(bytes.hex)))
async def test_whatever_is_sent_changes_nothing_and_gets_one_clear_answer(
    patch: str, tmp_path: Path
) -> None:
    on = Desk(tmp_path, {"f": "a\n"})
    result = await on.kit.call("ApplyPatch", patch=patch)
    assert code_of(result) == "INVALID_INPUT"
    assert on.tree == {"f": "a\n"}


async def test_a_commit_made_by_git_is_replayed_exactly(tmp_path: Path) -> None:
    """git as an oracle: whatever it writes for a commit gives the tree of that commit."""
    repository = tmp_path / "repository"
    repository.mkdir()

    def git(*arguments: str) -> str:
        identity = ("-c", "user.name=t", "-c", "user.email=t@example.com")
        done = subprocess.run(
            ["git", *identity, *arguments],
            cwd=repository,
            capture_output=True,
            check=True,
            timeout=60,
        )
        return done.stdout.decode()

    before = {
        f"src/m{n}.py": "".join(f"value_{n}_{i} = {i}\n" for i in range(40)) for n in range(4)
    }
    before |= {"old name.txt": "one\ntwo\nthree\nfour\n", "ä.txt": "umlaut\n", "gone.txt": "bye\n"}
    git("init", "-q")
    Desk(repository, before)
    git("add", "-A")
    git("commit", "-qm", "first")
    (repository / "src/m0.py").write_text(before["src/m0.py"].replace("= 7\n", "= 70\n"), "utf-8")
    (repository / "src/m1.py").write_text(before["src/m1.py"] + "last = 1", "utf-8")
    (repository / "src/m2.py").write_text("first = 0\n" + before["src/m2.py"], "utf-8")
    (repository / "old name.txt").rename(repository / "new name.txt")
    (repository / "new name.txt").write_text("one\n2\nthree\nfour\n", "utf-8")
    (repository / "ä.txt").write_text("Umlaut\n", "utf-8")
    (repository / "gone.txt").unlink()
    (repository / "empty.txt").touch()
    (repository / "new.txt").write_text("no end", "utf-8")
    git("add", "-A")
    git("commit", "-qm", "second")
    patch = git("format-patch", "-1", "--stdout", "-M")

    work = tmp_path / "work"
    work.mkdir()
    on = await desk(work, before)
    result = await on.kit.call("ApplyPatch", patch=patch)
    assert result.ok, result.text
    after = {
        str(path.relative_to(repository)): path.read_text("utf-8")
        for path in repository.rglob("*")
        if path.is_file() and ".git" not in path.parts
    }
    assert on.tree == after
