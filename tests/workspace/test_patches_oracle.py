"""Unified diffs against texts that have moved on since, with `patch` itself as the judge."""

import difflib
import subprocess
from pathlib import Path
from random import Random

import pytest

from ankrcode.errors import ErrorCode, ToolError
from ankrcode.workspace.editing.drafts import Draft
from ankrcode.workspace.patches.apply import apply_hunks
from ankrcode.workspace.patches.parse import parse
from workspace.histories import KINDS, changed, lines_of


def diff_between(one: str, other: str, context: int) -> str:
    found = difflib.unified_diff(lines_of(one), lines_of(other), "a/f", "b/f", n=context)
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in found
    )


def ours(text: str, diff: str) -> str | ErrorCode:
    try:
        (file,) = parse(diff)
        draft = Draft(text)
        draft.apply(apply_hunks(text, file.hunks, "f", is_unified=True).changes)
    except ToolError as problem:
        return problem.code
    return draft.text


def theirs(folder: Path, text: str, diff: str, fuzz: int) -> str | None:
    """What patch makes of it; None where a hunk finds no place."""
    file = folder / "f"
    file.write_bytes(text.encode())
    options = ["-p1", "--binary", f"--fuzz={fuzz}", "-s", "-f", "-r", "-", "-o", "out"]
    done = subprocess.run(
        ["patch", *options],
        cwd=folder,
        input=diff.encode(),
        capture_output=True,
        check=False,
        timeout=60,
    )
    return (folder / "out").read_bytes().decode() if done.returncode == 0 else None


def cases(name: str, count: int) -> list[tuple[str, str]]:
    """Texts that someone changed meanwhile, and diffs made before that."""
    found: list[tuple[str, str]] = []
    for seed in range(count):
        random = Random(f"{name} {seed}")
        base = KINDS[name](random)
        diff = diff_between(base, changed(base, random), random.choice((1, 2, 3, 3, 3, 5)))
        if diff:
            found.append((changed(base, random), diff))
    return found


@pytest.mark.parametrize("name", ["m.py", "m.go", "d.json", "r.md"])
def test_where_patch_finds_a_place_without_fuzz_so_do_we_and_the_same(
    name: str, tmp_path: Path
) -> None:
    agreed = 0
    for text, diff in cases(name, 120):
        judged = theirs(tmp_path, text, diff, fuzz=0)
        if judged is None:
            continue
        mine = ours(text, diff)
        if mine is ErrorCode.TEXT_NOT_UNIQUE:
            continue  # two places fit equally; we ask, patch takes one
        assert mine == judged, diff
        agreed += 1
    assert agreed > 10


@pytest.mark.parametrize("name", ["m.py", "m.go", "d.json", "r.md"])
def test_where_patch_with_fuzz_finds_no_place_we_find_none_by_force(
    name: str, tmp_path: Path
) -> None:
    refused = 0
    for text, diff in cases(name, 120):
        if theirs(tmp_path, text, diff, fuzz=3) is not None:
            continue
        mine = ours(text, diff)
        if isinstance(mine, ErrorCode):
            refused += 1
            continue
        # We also look past blanks and look-alikes, which patch does not: every line that the
        # diff takes away must then have been there, but for those.
        (file,) = parse(diff)
        taken = [
            line.text.strip() for hunk in file.hunks for line in hunk.lines if line.mark == "-"
        ]
        have = [line.strip() for line in text.split("\n")]
        assert all(line in have for line in taken)
    assert refused > 2


def test_a_diff_that_was_applied_already_is_refused(tmp_path: Path) -> None:
    for name in KINDS:
        random = Random(name)
        base = KINDS[name](random)
        while True:
            after = changed(base, random)
            diff = diff_between(base, after, 3)
            removed = [line for line in diff.split("\n")[2:] if line.startswith("-")]
            if removed and theirs(tmp_path, after, diff, fuzz=0) is None:
                break
        assert isinstance(ours(after, diff), ErrorCode), (name, diff)


def test_a_diff_applied_backwards_by_patch_gives_back_what_we_began_with(tmp_path: Path) -> None:
    for name in KINDS:
        for seed in range(8):
            random = Random(f"{name} back {seed}")
            base = KINDS[name](random)
            after = changed(base, random)
            diff = diff_between(base, after, 3)
            mine = ours(base, diff)
            assert mine == after
            back = diff_between(after, base, 3)
            assert theirs(tmp_path, after, back, fuzz=0) == base


# ── counts, as models write them ──────────────────────────────────────────────────────────────
@pytest.mark.parametrize("wrong", [-2, -1, 1, 2, 7])
@pytest.mark.parametrize("name", ["m.py", "m.go", "d.json"])
def test_counts_that_are_wrong_do_no_harm(name: str, wrong: int) -> None:
    """The lines themselves tell where a hunk ends; the numbers are a hint."""
    tried = 0
    for seed in range(20):
        random = Random(f"{name} {seed}")
        base = KINDS[name](random)
        after = changed(base, random)
        diff = diff_between(base, after, 3)
        if not diff:
            continue
        lines = [
            miscounted(line, wrong) if line.startswith("@@") else line for line in diff.split("\n")
        ]
        mine = ours(base, "\n".join(lines))
        assert mine in (after, ErrorCode.TEXT_NOT_UNIQUE), diff
        tried += 1
    assert tried > 10


def miscounted(header: str, wrong: int) -> str:
    """`@@ -3,7 +3,9 @@` with other counts."""
    _, old, new, _ = header.split(" ")
    counted = []
    for side in (old, new):
        first, _, count = side.partition(",")
        counted.append(f"{first},{max(1, int(count or 1) + wrong)}")
    return f"@@ {counted[0]} {counted[1]} @@"


@pytest.mark.parametrize("shift", [-9, -3, 3, 9, 1_000])
def test_line_numbers_that_are_wrong_are_told_and_do_no_harm(shift: int) -> None:
    text = "".join(f"line {number}\n" for number in range(1, 41))
    after = text.replace("line 20\n", "twenty\n")
    diff = diff_between(text, after, 3).replace("@@ -17,7 +17,7 @@", f"@@ -{17 + shift},7 +1,7 @@")
    assert ours(text, diff) == after
    (file,) = parse(diff)
    (note,) = apply_hunks(text, file.hunks, "f", is_unified=True).notes
    assert note == f"f: hunk 1 was found at line 17 instead of {17 + shift}"
