"""Diffs: small, true, bounded, and made from the places that were touched."""

import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.workspace.diffs import Change, change_between, diff, shortened, unified
from ankrcode.workspace.editing.drafts import Draft
from ankrcode.workspace.patches.apply import apply_hunks
from ankrcode.workspace.patches.parse import parse
from torture import examples

TEXTS = st.text(st.sampled_from("ab\n"), max_size=40)


def numbered(count: int) -> str:
    return "".join(f"line {number}\n" for number in range(1, count + 1))


# ── the form ──────────────────────────────────────────────────────────────────────────────────
def test_a_change_is_shown_with_three_lines_around_it() -> None:
    before = numbered(9)
    shown = diff(before, before.replace("line 5", "LINE 5"), "a.txt")
    assert shown == (
        "--- a.txt\n+++ a.txt\n@@ -2,7 +2,7 @@\n line 2\n line 3\n line 4\n"
        "-line 5\n+LINE 5\n line 6\n line 7\n line 8"
    )


def test_nothing_changed_shows_nothing() -> None:
    assert diff("a\n", "a\n", "a.txt") == ""
    assert unified("a\n", [], "a.txt") == ""


@pytest.mark.parametrize(
    ("before", "after", "body"),
    [
        ("", "a\n", "@@ -0,0 +1 @@\n+a"),
        ("a\n", "", "@@ -1 +0,0 @@\n-a"),
        ("", "a\nb", "@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file"),
        ("a\n", "a", "@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file"),
        ("a", "a\n", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a"),
        ("a\r\nb\r\n", "a\r\nc\r\n", "@@ -1,2 +1,2 @@\n a\n-b\n+c"),
        ("a\r\n", "a\n", "@@ -1 +1 @@\n-a␍\n+a"),
        ("a\nb\nc\n", "a\nc\n", "@@ -1,3 +1,2 @@\n a\n-b\n c"),
        ("a\nc\n", "a\nb\nc\n", "@@ -1,2 +1,3 @@\n a\n+b\n c"),
        ("a\nb\n", "x\ny\n", "@@ -1,2 +1,2 @@\n-a\n-b\n+x\n+y"),
    ],
)
def test_the_edges_of_a_file_are_told_as_git_tells_them(before: str, after: str, body: str) -> None:
    assert diff(before, after, "f") == f"--- f\n+++ f\n{body}"


def test_places_far_apart_have_hunks_of_their_own_with_right_numbers() -> None:
    before = numbered(100)
    after = before.replace("line 10\n", "line 10\nmore\n").replace("line 90\n", "")
    heads = [line for line in diff(before, after, "f").split("\n") if line.startswith("@@")]
    assert heads == ["@@ -8,6 +8,7 @@", "@@ -87,7 +88,6 @@"]


def test_places_close_together_share_a_hunk() -> None:
    before = numbered(20)
    after = before.replace("line 5\n", "x\n").replace("line 12\n", "y\n")
    assert diff(before, after, "f").count("@@ -") == 1


def test_several_changes_in_one_line_are_one_line_of_the_diff() -> None:
    shown = unified("a b c\n", [Change(0, 1, "x"), Change(4, 5, "y")], "f")
    assert shown == "--- f\n+++ f\n@@ -1 +1 @@\n-a b c\n+x b y"


# ── bounds ────────────────────────────────────────────────────────────────────────────────────
def test_a_long_diff_is_cut_and_says_what_is_missing() -> None:
    before = numbered(1_000)
    changes = change_between(before, before.replace("line", "LINE"))
    shown = unified(before, changes, "f", max_lines=20)
    assert len(shown.split("\n")) == 23
    assert shown.endswith("… 1981 more lines of this diff")


def test_places_that_are_not_shown_are_counted() -> None:
    before = numbered(1_000)
    changes = [
        Change(at, at + 4, "LINE") for at in (before.index(f"line {n}00\n") for n in range(1, 10))
    ]
    shown = unified(before, changes, "f", max_lines=12)
    assert shown.endswith("6 more lines of this diff, and 7 more changes")


def test_a_long_line_is_cut_around_the_change() -> None:
    line = "x" * 10_000
    after = line[:7_000] + "HERE" + line[7_000:]
    shown = diff(line + "\n", after + "\n", "f", max_chars=100)
    assert "HERE" in shown
    assert max(map(len, shown.split("\n"))) < 150
    assert "[10004 characters]" in shown


def test_a_short_line_is_never_cut() -> None:
    assert shortened("abc", 3) == "abc"
    assert shortened("abcd", 3) == "abc… [4 characters]"


def test_a_change_in_a_huge_file_costs_no_comparison_of_the_rest() -> None:
    before = "some line of text\n" * 1_000_000
    at = len(before) // 2
    started = time.process_time()
    shown = unified(before, [Change(at, at + 4, "SOME"), Change(at + 1_800, at + 1_804, "x")], "f")
    assert time.process_time() - started < 2
    assert shown.count("@@ -") == 2


def test_two_huge_texts_without_likeness_are_compared_in_bounded_time() -> None:
    one, other = (f"{word} line of text\n" * 50_000 for word in ("some", "other"))
    started = time.process_time()
    assert "more lines" in diff(one, other, "f")
    assert time.process_time() - started < 2


# ── truth ─────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.torture
@examples(in_ci=300, in_torture=10_000)
@given(TEXTS, TEXTS)
def test_a_diff_applied_to_the_first_text_gives_the_second(before: str, after: str) -> None:
    shown = diff(before, after, "f", max_lines=10_000)
    if before == after:
        assert shown == ""
        return
    (file,) = parse(shown)
    draft = Draft(before)
    draft.apply(apply_hunks(before, file.hunks, "f", is_unified=True).changes)
    assert draft.text == after


def test_git_accepts_the_diffs(tmp_path: Path) -> None:
    before = numbered(60)
    after = before.replace("line 7\n", "").replace("line 30\n", "x\ny\n") + "last"
    (tmp_path / "f").write_text(before, encoding="utf-8")
    patch = diff(before, after, "f").replace("--- f", "--- a/f").replace("+++ f", "+++ b/f")
    subprocess.run(
        ["git", "apply", "-"], cwd=tmp_path, input=f"{patch}\n".encode(), check=True, timeout=30
    )
    assert (tmp_path / "f").read_text(encoding="utf-8") == after


@pytest.mark.torture
@examples(in_ci=300, in_torture=10_000)
@given(TEXTS, st.lists(st.tuples(st.integers(0, 50), st.integers(0, 9), TEXTS), max_size=6))
def test_a_draft_knows_its_changes_as_places_of_the_original(
    before: str, edits: list[tuple[int, int, str]]
) -> None:
    draft, text = Draft(before), before
    for start, length, new in edits:
        at = min(start, len(text))
        end = min(at + length, len(text))
        draft.apply([Change(at, end, new)])
        text = text[:at] + new + text[end:]
        assert draft.text == text
    rebuilt, at = "", 0
    for change in draft.changes:
        assert at <= change.start <= change.end
        rebuilt += before[at : change.start] + change.text
        at = change.end
    assert rebuilt + before[at:] == text


@examples(in_ci=200, in_torture=5_000)
@given(TEXTS, TEXTS)
def test_the_one_place_of_all_differences_is_the_smallest(before: str, after: str) -> None:
    changes = change_between(before, after)
    if before == after:
        assert changes == []
        return
    (change,) = changes
    assert before[: change.start] + change.text + before[change.end :] == after
    old = before[change.start : change.end]
    assert not (old and change.text and old[0] == change.text[0])
    assert not (old and change.text and old[-1] == change.text[-1])
