"""Patches as text: what can be read, where hunks go, and what comes out."""

# ruff: noqa: E501 - tables are easier to read in one piece

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.errors import ErrorCode, ToolError
from ankrcode.workspace.editing.drafts import Draft
from ankrcode.workspace.patches.apply import apply_hunks
from ankrcode.workspace.patches.hunks import FilePatch
from ankrcode.workspace.patches.parse import parse
from torture import examples


def envelope(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch", ""])


def update(*lines: str) -> str:
    return envelope("*** Update File: f", *lines)


def applied(text: str, patch: str) -> str:
    (file,) = parse(patch)
    draft = Draft(text)
    draft.apply(apply_hunks(text, file.hunks, "f", is_unified=file.is_unified).changes)
    return draft.text


def notes(text: str, patch: str) -> list[str]:
    (file,) = parse(patch)
    return apply_hunks(text, file.hunks, "f", is_unified=file.is_unified).notes


def refused(text: str, patch: str) -> ToolError:
    with pytest.raises(ToolError) as problem:
        applied(text, patch)
    return problem.value


def malformed(patch: str) -> ToolError:
    with pytest.raises(ToolError) as problem:
        parse(patch)
    assert problem.value.code is ErrorCode.INVALID_INPUT
    return problem.value


# ── envelopes: one table of scenarios ─────────────────────────────────────────────────────────
SCENARIOS = {
    "replace": ("a\nb\nc\n", ["@@", " a", "-b", "+x", " c"], "a\nx\nc\n"),
    "no-header": ("a\nb\nc\n", [" a", "-b", "+x"], "a\nx\nc\n"),
    "delete-only": ("a\nb\nc\n", ["@@", " a", "-b", " c"], "a\nc\n"),
    "insert-between": ("a\nc\n", ["@@", " a", "+b", " c"], "a\nb\nc\n"),
    "insert-first": ("b\n", ["@@", "+a", " b"], "a\nb\n"),
    "insert-last": ("a\n", ["@@", " a", "+b"], "a\nb\n"),
    "append-without-context": ("a\n", ["@@", "+b", "+c"], "a\nb\nc\n"),
    "fill-an-empty-file": ("", ["@@", "+a"], "a\n"),
    "empty-a-file": ("a\nb\n", ["@@", "-a", "-b"], ""),
    "replace-all-lines": ("a\nb\n", ["@@", "-a", "-b", "+x"], "x\n"),
    "two-hunks": ("a\nb\nc\nd\ne\n", ["@@", "-a", "+A", "@@", "-d", "+D"], "A\nb\nc\nD\ne\n"),
    "hunks-in-order": ("x\ny\nx\n", ["@@", " y", "@@", "-x", "+z"], "x\ny\nz\n"),
    "same-line-twice": ("x\nx\n", ["@@", "-x", "+1", "@@", "-x", "+2"], "1\n2\n"),
    "header": (
        "def f():\n  1\ndef g():\n  1\n",
        ["@@ def g():", "-  1", "+  2"],
        "def f():\n  1\ndef g():\n  2\n",
    ),
    "stacked-headers": (
        "class A:\n  def f():\n    1\nclass B:\n  def f():\n    1\n",
        ["@@ class B:", "@@   def f():", "-    1", "+    2"],
        "class A:\n  def f():\n    1\nclass B:\n  def f():\n    2\n",
    ),
    "header-is-a-prefix": (
        "class A(Base):\n  x\nclass B(Base):\n  x\n",
        ["@@ class B", "-  x", "+  y"],
        "class A(Base):\n  x\nclass B(Base):\n  y\n",
    ),
    "header-trimmed": (
        "  def f():\n    1\n",
        ["@@ def f():", "-    1", "+    2"],
        "  def f():\n    2\n",
    ),
    "header-repeated-as-context": (
        "def f():\n  1\n",
        ["@@ def f():", " def f():", "-  1", "+  2"],
        "def f():\n  2\n",
    ),
    "header-closed": ("def f():\n  1\n", ["@@ def f(): @@", "-  1", "+  2"], "def f():\n  2\n"),
    "header-of-dots": ("a\nb\n", ["@@ ... @@", "-b", "+c"], "a\nc\n"),
    "header-with-numbers": ("a\nb\nb\n", ["@@ -3,1 +3,1 @@", "-b", "+c"], "a\nb\nc\n"),
    "insert-after-header": (
        "def f():\n  1\ndef g():\n  2\n",
        ["@@ def f():", "+  0"],
        "def f():\n  0\n  1\ndef g():\n  2\n",
    ),
    "end-of-file": ("x\ny\nx\n", ["@@", "-x", "+z", "*** End of File"], "x\ny\nz\n"),
    "end-of-file-elsewhere": ("x\ny\n", ["@@", "-x", "+z", "*** End of File"], "z\ny\n"),
    "end-of-file-then-more": (
        "a\nb\n",
        ["@@", "-a", "+A", "*** End of File", "@@", "-b", "+B"],
        "A\nB\n",
    ),
    "end-of-file-append": ("a\nb\n", ["@@", " b", "+c", "*** End of File"], "a\nb\nc\n"),
    "no-final-newline-replaced": ("a\nb", ["@@", "-b", "+c"], "a\nc\n"),
    "no-final-newline-kept": ("a\nb", ["@@", "-a", "+c"], "c\nb"),
    "no-final-newline-context": ("a\nb", ["@@", "-a", "+c", " b"], "c\nb"),
    "no-final-newline-append": ("a\nb", ["@@", " b", "+c"], "a\nb\nc\n"),
    "no-final-newline-wanted": ("a\n", ["@@", "-a", "+b", "\\ No newline at end of file"], "b"),
    "crlf": ("a\r\nb\r\n", ["@@", " a", "-b", "+c", "+d"], "a\r\nc\r\nd\r\n"),
    "crlf-append": ("a\r\n", ["@@", "+b"], "a\r\nb\r\n"),
    "mixed-endings": ("a\r\nb\nc\r\n", ["@@", " b", "+x", " c"], "a\r\nb\nx\nc\r\n"),
    "trailing-blanks-in-the-file": ("a  \nb\n", ["@@", " a", "-b", "+c"], "a  \nc\n"),
    "trailing-blanks-in-the-patch": ("a\nb\n", ["@@", " a   ", "-b ", "+c"], "a\nc\n"),
    "indented-otherwise": ("    a\n    b\n", ["@@", " a", "-b", "+    c"], "    a\n    c\n"),
    "curly-quotes": ("say “hi”\nx\n", ["@@", ' say "hi"', "-x", "+y"], "say “hi”\ny\n"),
    "dashes": ("a – b\n", ["@@", "-a - b", "+a + b"], "a + b\n"),
    "nbsp": ("a\u00a0b\nc\n", ["@@", " a b", "-c", "+d"], "a\u00a0b\nd\n"),
    "exact-wins-over-loose": ("a \na\n", ["@@", "-a", "+b"], "a \nb\n"),
    "blank-context": ("a\n\nb\n", ["@@", " a", " ", "-b", "+c"], "a\n\nc\n"),
    "blank-context-without-its-blank": ("a\n\nb\n", ["@@", " a", "", "-b", "+c"], "a\n\nc\n"),
    "blank-lines-between-hunks": (
        "a\nb\n",
        ["", "@@", "-a", "+A", "", "@@", "-b", "+B", "", ""],
        "A\nB\n",
    ),
    "blank-line-added": ("a\nb\n", ["@@", " a", "+", " b"], "a\n\nb\n"),
    "blank-line-removed": ("a\n\nb\n", ["@@", " a", "-", " b"], "a\nb\n"),
    "blank-context-that-is-not-there": ("a\nb\n", ["@@", "-b", "+c", " "], "a\nc\n"),
    "tabs": ("\ta\n\tb\n", ["@@", " \ta", "-\tb", "+\tc"], "\ta\n\tc\n"),
    "marks-as-text": ("+a\n-b\n c\n", ["@@", " +a", "--b", "++b", "  c"], "+a\n+b\n c\n"),
    "at-signs-as-text": ("@@ x\n", ["@@", "-@@ x", "+@@ y"], "@@ y\n"),
    "markers-as-text": (
        "*** End Patch\na\n",
        ["@@", " *** End Patch", "-a", "+b"],
        "*** End Patch\nb\n",
    ),
    "devanagari": ("नमस्ते\nदुनिया\n", ["@@", " नमस्ते", "-दुनिया", "+संसार"], "नमस्ते\nसंसार\n"),
    "context-only-moves-on": ("a\nx\nb\nx\n", ["@@", " b", "@@", "-x", "+y"], "a\nx\nb\ny\n"),
    "interleaved": ("a\nb\nc\nd\n", ["@@", "-a", "+1", " b", "-c", "+3", " d"], "1\nb\n3\nd\n"),
}


@pytest.mark.parametrize(("text", "lines", "after"), SCENARIOS.values(), ids=SCENARIOS)
def test_an_update_does_what_it_says(text: str, lines: list[str], after: str) -> None:
    assert applied(text, update(*lines)) == after


@pytest.mark.parametrize(("text", "lines", "after"), SCENARIOS.values(), ids=SCENARIOS)
def test_the_same_patch_with_crlf_endings_does_the_same(
    text: str, lines: list[str], after: str
) -> None:
    assert applied(text, update(*lines).replace("\n", "\r\n")) == after


WRAPPED = {
    "as-is": "{}",
    "without-last-newline": "{}\b",
    "prose": "I will change this now:\n\n{}\nThat is all.",
    "fence": "```diff\n{}```\n",
    "heredoc": "apply_patch <<'EOF'\n{}EOF\n",
    "heredoc-plain": "<<EOF\n{}EOF",
    "heredoc-quoted": '<<"PATCH"\n{}PATCH\n',
    "byte-order-mark": "\ufeff{}",
    "blank-lines": "\n\n{}\n\n",
}


@pytest.mark.parametrize("wrap", WRAPPED.values(), ids=WRAPPED)
def test_what_surrounds_a_patch_does_not_matter(wrap: str) -> None:
    patch = wrap.format(update("@@", "-a", "+b")).replace("\n\b", "")
    assert applied("a\n", patch) == "b\n"


@pytest.mark.parametrize("wrap", WRAPPED.values(), ids=WRAPPED)
def test_what_surrounds_a_diff_does_not_matter(wrap: str) -> None:
    patch = wrap.format("--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n").replace("\n\b", "")
    assert applied("a\n", patch) == "b\n"


def test_blanks_around_markers_do_not_matter() -> None:
    patch = "  *** Begin Patch \n  *** Update File:   f  \n@@\n-a\n+b\n  *** End Patch  \n"
    (file,) = parse(patch)
    assert file.path == "f"
    assert applied("a\n", patch) == "b\n"


def test_each_kind_of_section_is_read() -> None:
    files = parse(
        envelope(
            "*** Add File: new dir/a.txt", "+one", "+", "+  two", "",
            "*** Delete File: b.txt",
            "*** Update File: c.txt", "*** Move to: d.txt", "@@", "-x", "+y",
            "*** Update File: e.txt", "*** Move to: f.txt",
            "*** Add File: empty",
        )
    )  # fmt: skip
    assert [(file.kind, file.path, file.move_to, len(file.hunks)) for file in files] == [
        ("add", "new dir/a.txt", None, 0),
        ("delete", "b.txt", None, 0),
        ("update", "c.txt", "d.txt", 1),
        ("update", "e.txt", "f.txt", 0),
        ("add", "empty", None, 0),
    ]
    assert files[0].content == "one\n\n  two\n"
    assert files[-1].content == ""


def test_a_blank_line_of_an_added_file_may_lack_its_plus() -> None:
    (file,) = parse(envelope("*** Add File: f", "+a", "", "+b", ""))
    assert file.content == "a\n\nb\n"


def test_an_added_file_may_end_without_a_newline() -> None:
    (file,) = parse(envelope("*** Add File: f", "+a", "\\ No newline at end of file"))
    assert file.content == "a"


def test_several_envelopes_are_one_patch() -> None:
    patch = envelope("*** Delete File: a") + "and then\n" + envelope("*** Delete File: b")
    assert [file.path for file in parse(patch)] == ["a", "b"]


MALFORMED = {
    "nothing": ("", "neither an envelope"),
    "prose": ("please change a to b", "neither an envelope"),
    "empty-envelope": (envelope(), "names no file"),
    "cut-off": ("*** Begin Patch\n*** Update File: f\n@@\n-a\n+b", "no '*** End Patch'"),
    "no-path": (envelope("*** Add File: ", "+a"), "names no path"),
    "no-path-to-move": (envelope("*** Update File: f", "*** Move to:", "@@", "-a"), "names no path"),
    "empty-update": (envelope("*** Update File: f"), "has no lines"),
    "empty-update-before-another": (envelope("*** Update File: f", "*** Delete File: g"), "has no lines"),
    "header-without-lines": (update("@@ def f():"), "a hunk has no lines"),
    "unknown-header": (envelope("*** Rename File: f"), "is no header"),
    "text-outside-a-section": (envelope("hello", "*** Delete File: f"), "is no header"),
    "add-without-plus": (envelope("*** Add File: f", "hello"), "must begin with '+'"),
    "unmarked-line": (update("@@", "-a", "b"), "begins with none of"),
    "unmarked-first-line": (update("hello"), "begins with none of"),
    "binary": ("diff --git a/f b/f\nGIT binary patch\nliteral 1\n", "binary file"),
    "binary-differs": ("diff --git a/f b/f\nBinary files a/f and b/f differ\n", "binary file"),
    "copy": ("diff --git a/f b/g\ncopy from f\ncopy to g\n", "copies a file"),
    "hunk-without-file": ("diff --git a/f b/f\n--- a/f\n+++ b/f\n", "no hunk"),
    "hunk-first": ("@@ -1 +1 @@\n-a\n+b\n--- a/f\n+++ b/f\n", "comes before any"),
    "mode-only": ("diff --git a/f b/f\nold mode 100644\nnew mode 100755\n", "names no file"),
}  # fmt: skip


@pytest.mark.parametrize(("patch", "said"), MALFORMED.values(), ids=MALFORMED)
def test_what_cannot_be_read_is_refused_with_the_line(patch: str, said: str) -> None:
    error = malformed(patch)
    assert said in error.message
    assert error.details["line"] >= 1
    assert error.suggestion


# ── hunks that do not fit ─────────────────────────────────────────────────────────────────────
def test_lines_that_are_not_there_are_shown_with_the_closest_place() -> None:
    text = "def area(w, h):\n    return w * h\n\nend\n"
    error = refused(text, update("@@", " def area(w, h):", "-    return w + h", "+    return 0"))
    assert error.code is ErrorCode.TEXT_NOT_FOUND
    assert error.message == "f: hunk 1 does not fit; these lines are not in the file."
    assert "Looked for:\ndef area(w, h):\n    return w + h\n" in error.suggestion
    assert "The closest place, lines 1 to 2:\n     1\tdef area(w, h):" in error.suggestion
    assert "Line 2, column 14: the file has '*', the patch has '+'" in error.suggestion
    assert error.details["hunk"] == 1


def test_the_hunk_that_fails_is_counted() -> None:
    error = refused("a\nb\n", update("@@", "-a", "+A", "@@", "-nope", "+B"))
    assert "hunk 2 does not fit" in error.message


def test_hunks_out_of_order_are_refused_and_say_so() -> None:
    error = refused("first\nsecond\n", update("@@", "-second", "+2", "@@", "-first", "+1"))
    assert "not in the file after line 2" in error.message
    assert "lies before an earlier hunk" in error.suggestion


def test_a_header_that_is_not_there_is_named() -> None:
    error = refused("a\nb\n", update("@@ def missing():", "-b", "+c"))
    assert "there is no line 'def missing():'" in error.message


@pytest.mark.parametrize(
    "lines",
    [["@@", "-x", "+y"], ["@@", " a", "-c", "+y"], ["@@", "-a", "-b", "-c", "-d", "+y"],
     ["@@ b", "-a", "+y"], ["@@", "-b", "-a", "+y"]],
    ids=["absent", "gap", "too-long", "before-header", "order"],
)  # fmt: skip
def test_what_does_not_match_is_never_forced(lines: list[str]) -> None:
    assert refused("a\nb\nc\n", update(*lines)).code is ErrorCode.TEXT_NOT_FOUND


def test_a_loose_match_is_noted() -> None:
    assert notes("a  \nb\n", update("@@", " a", "-b", "+c")) == [
        "f: hunk 1 matched without regard to trailing blanks"
    ]
    assert notes("a\nb\n", update("@@", " a", "-b", "+c")) == []


# ── unified diffs ─────────────────────────────────────────────────────────────────────────────
HEAD = "--- a/f\n+++ b/f\n"
UNIFIED = {
    "replace": ("a\nb\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n", "a\nx\nc\n"),
    "two-hunks": (
        "1\n2\n3\n4\n5\n6\n",
        "@@ -1 +1 @@\n-1\n+a\n@@ -6 +6 @@\n-6\n+z\n",
        "a\n2\n3\n4\n5\nz\n",
    ),
    "no-context-insert": ("1\n2\n3\n", "@@ -2,0 +3 @@\n+x\n", "1\n2\nx\n3\n"),
    "no-context-delete": ("1\n2\n3\n", "@@ -2 +1,0 @@\n-2\n", "1\n3\n"),
    "insert-at-start": ("1\n", "@@ -0,0 +1 @@\n+0\n", "0\n1\n"),
    "fill-empty": ("", "@@ -0,0 +1,2 @@\n+a\n+b\n", "a\nb\n"),
    "nearest-of-many": (
        "x\ny\nx\ny\nx\ny\n",
        "@@ -5,2 +5,2 @@\n-x\n+z\n y\n",
        "x\ny\nx\ny\nz\ny\n",
    ),
    "offset": ("new\nnew\na\nb\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n", "new\nnew\na\nx\nc\n"),
    "offset-carries-on": (
        "n\n1\n2\n3\n4\n5\n6\n4\n",
        "@@ -1,2 +1,2 @@\n 1\n-2\n+b\n@@ -4 +4 @@\n-4\n+d\n",
        "n\n1\nb\n3\nd\n5\n6\n4\n",
    ),
    "fuzz-above": (
        "other\na\nb\nc\n",
        "@@ -1,4 +1,4 @@\n gone\n a\n-b\n+x\n c\n",
        "other\na\nx\nc\n",
    ),
    "fuzz-below": (
        "a\nb\nc\nother\n",
        "@@ -1,4 +1,4 @@\n a\n-b\n+x\n c\n gone\n",
        "a\nx\nc\nother\n",
    ),
    "fuzz-two": (
        "o\na\nb\nc\no\n",
        "@@ -1,5 +1,5 @@\n gone\n a\n-b\n+x\n c\n gone\n",
        "o\na\nx\nc\no\n",
    ),
    "wrong-counts": ("a\nb\nc\n", "@@ -1,9 +1,9 @@\n a\n-b\n+x\n c\n", "a\nx\nc\n"),
    "counts-too-low": ("a\nb\nc\n", "@@ -1,1 +1,1 @@\n a\n-b\n+x\n c\n", "a\nx\nc\n"),
    "no-numbers": ("a\nb\nc\n", "@@ @@\n a\n-b\n+x\n", "a\nx\nc\n"),
    "section": (
        "def f():\n  a\n",
        "@@ -1,2 +1,2 @@ class Whatever:\n def f():\n-  a\n+  b\n",
        "def f():\n  b\n",
    ),
    "no-newline-both": (
        "a",
        "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n",
        "b",
    ),
    "newline-gained": ("a", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n", "a\n"),
    "newline-lost": ("a\n", "@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n", "a"),
    "no-newline-context": (
        "a\nb",
        "@@ -1,2 +1,2 @@\n-a\n+x\n b\n\\ No newline at end of file\n",
        "x\nb",
    ),
    "dashes-as-text": ("-- a\nb\n", "@@ -1,2 +1,2 @@\n--- a\n+++ c\n b\n", "++ c\nb\n"),
    "crlf-file": ("a\r\nb\r\n", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n", "a\r\nc\r\n"),
    "crlf-file-and-lines": ("a\r\nb\r\n", "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n", "a\r\nc\r\n"),
    "endings-changed": ("a\r\nb\r\n", "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+b\n", "a\r\nb\n"),
    "blank-context-stripped": ("a\n\nb\n", "@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n", "a\n\nc\n"),
    "signature": ("a\nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n-- \n2.39.2\n\n", "a\nc\n"),
    "trailing-blanks": ("a \nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n", "a \nc\n"),
}


@pytest.mark.parametrize(("text", "body", "after"), UNIFIED.values(), ids=UNIFIED)
def test_a_unified_diff_does_what_it_says(text: str, body: str, after: str) -> None:
    assert applied(text, HEAD + body) == after


def test_offset_and_fuzz_are_noted() -> None:
    text, body, _ = UNIFIED["offset"]
    assert notes(text, HEAD + body) == ["f: hunk 1 was found at line 3 instead of 1"]
    text, body, _ = UNIFIED["fuzz-above"]
    assert notes(text, HEAD + body) == ["f: hunk 1 matched without 1 outer line(s) of its context"]


@pytest.mark.parametrize(
    ("text", "body", "code"),
    [
        ("a\nb\nc\n", "@@ -1,3 +1,3 @@\n a\n-x\n+y\n c\n", ErrorCode.TEXT_NOT_FOUND),
        ("a\nx\nb\nx\n", "@@ ... @@\n-x\n+y\n", ErrorCode.TEXT_NOT_UNIQUE),
        ("o\nx\no\nx\n", "@@ -9,3 +9,3 @@\n gone\n-x\n+y\n gone\n", ErrorCode.TEXT_NOT_UNIQUE),
        ("o\no\no\na\n", "@@ -1,4 +1,5 @@\n g\n h\n+new\n i\n j\n", ErrorCode.TEXT_NOT_FOUND),
    ],
    ids=["removed-line-differs", "no-numbers-two-places", "fuzzy-two-places", "nothing-left"],
)
def test_a_diff_that_does_not_fit_is_refused(text: str, body: str, code: ErrorCode) -> None:
    assert refused(text, HEAD + body).code is code


def git(*lines: str) -> list[FilePatch]:
    return parse("\n".join(lines) + "\n")


@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        ("a/x/y.py", "b/x/y.py", "x/y.py"),
        ("x/y.py", "x/y.py", "x/y.py"),
        ("a/x.py", "a/x.py", "a/x.py"),
        ("i/x.py", "w/x.py", "x.py"),
        ("a/x.py\t2024-01-01 10:00:00 +0100", "b/x.py\t2024-01-01 10:00:01 +0100", "x.py"),
        ('"a/\\303\\244 \\"q\\".txt"', '"b/\\303\\244 \\"q\\".txt"', 'ä "q".txt'),
        ("a/with blank.txt", "b/with blank.txt", "with blank.txt"),
        ("x.py", "x.py.orig", "x.py"),
        ("x.py.orig", "x.py", "x.py"),
        ("/abs/x.py", "/abs/x.py", "/abs/x.py"),
    ],
)
def test_the_name_of_a_file_is_found_in_its_header(old: str, new: str, path: str) -> None:
    (file,) = git(f"--- {old}", f"+++ {new}", "@@ -1 +1 @@", "-a", "+b")
    assert (file.kind, file.path) == ("update", path)


def test_git_can_add_delete_move_and_change_files_in_one_diff() -> None:
    files = git(
        "From 1234 Mon Sep 17 00:00:00 2001", "Subject: [PATCH] things", "---", " f | 2 +-", "",
        "diff --git a/new.txt b/new.txt", "new file mode 100644", "index 0000000..e69de29",
        "--- /dev/null", "+++ b/new.txt", "@@ -0,0 +1,2 @@", "+one", "+two",
        "diff --git a/old.txt b/old.txt", "deleted file mode 100644", "index e69de29..0000000",
        "--- a/old.txt", "+++ /dev/null", "@@ -1 +0,0 @@", "-bye",
        "diff --git a/from.txt b/to.txt", "similarity index 90%", "rename from from.txt",
        "rename to to.txt", "index 1..2 100644", "--- a/from.txt", "+++ b/to.txt",
        "@@ -1 +1 @@", "-a", "+b",
        "diff --git a/x y.txt b/z/x y.txt", "similarity index 100%", "rename from x y.txt",
        "rename to z/x y.txt",
        "diff --git a/empty b/empty", "new file mode 100755", "index 0000000..e69de29",
        "diff --git a/gone b/gone", "deleted file mode 100644",
        "diff --git a/f b/f", "old mode 100644", "new mode 100755", "--- a/f", "+++ b/f",
        "@@ -1 +1 @@", "-a", "+b", "-- ", "2.39.2",
    )  # fmt: skip
    assert [(file.kind, file.path, file.move_to) for file in files] == [
        ("add", "new.txt", None),
        ("delete", "old.txt", None),
        ("update", "from.txt", "to.txt"),
        ("update", "x y.txt", "z/x y.txt"),
        ("add", "empty", None),
        ("delete", "gone", None),
        ("update", "f", None),
    ]
    assert files[0].content == "one\ntwo\n"
    assert files[4].content == ""
    noted = "the file mode in the patch was ignored"
    assert [file.notes for file in files] == [[], [], [], [], [noted], [], [noted]]


def test_an_added_file_of_a_diff_may_end_without_a_newline() -> None:
    (file,) = git("--- /dev/null", "+++ b/f", "@@ -0,0 +1 @@", "+a", "\\ No newline at end of file")
    assert (file.kind, file.content) == ("add", "a")


# ── from any text to any text ─────────────────────────────────────────────────────────────────
WORDS = ["a", "b", "", "  a", "\tt", "-- q", "++ z", "@@ w", "*** p", "क", "“q”", "x y"]
endings = st.sampled_from([["\n"], ["\r\n"], ["\n", "\r\n"]])


@st.composite
def two_texts(draw: st.DrawFn) -> tuple[str, str]:
    """Texts of the same few lines, so that many places look alike."""
    ends = draw(endings)
    line = st.tuples(st.sampled_from(WORDS), st.sampled_from(ends)).map("".join)
    text = st.lists(line, max_size=12).map("".join)
    last = st.sampled_from(["", "", "a", "end"])
    return draw(text) + draw(last), draw(text) + draw(last)


def lines_of(text: str) -> list[str]:
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def marked(mark: str, line: str) -> str:
    return (
        f"{mark}{line}" if line.endswith("\n") else f"{mark}{line}\n\\ No newline at end of file\n"
    )


def unified_between(one: str, other: str, context: int) -> str:
    head, *rest = difflib.unified_diff(lines_of(one), lines_of(other), "a/f", "b/f", n=context)
    return head + "".join(marked(line[0], line[1:]) for line in rest)


def envelope_between(one: str, other: str) -> str:
    """With all lines as context, which leaves no doubt about the place."""
    old, new = lines_of(one), lines_of(other)
    body: list[str] = []
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(
        None, old, new, autojunk=False
    ).get_opcodes():
        if tag == "equal":
            body += [marked(" ", line) for line in old[i1:i2]]
        else:
            body += [marked("-", line) for line in old[i1:i2]]
            body += [marked("+", line) for line in new[j1:j2]]
    return "*** Begin Patch\n*** Update File: f\n@@\n" + "".join(body) + "*** End Patch"


@pytest.mark.torture
@examples(in_ci=400, in_torture=6_000)
@given(two_texts(), st.integers(1, 4))
def test_a_unified_diff_of_any_two_texts_gives_the_second(
    texts: tuple[str, str], context: int
) -> None:
    one, other = texts
    if one != other:
        assert applied(one, unified_between(one, other, context)) == other


@pytest.mark.torture
@examples(in_ci=400, in_torture=6_000)
@given(two_texts())
def test_an_envelope_of_any_two_texts_gives_the_second(texts: tuple[str, str]) -> None:
    one, other = texts
    if one != other:
        assert applied(one, envelope_between(one, other)) == other


@pytest.mark.torture
@examples(in_ci=200, in_torture=4_000)
@given(two_texts(), st.integers(0, 6))
def test_a_diff_still_fits_when_lines_were_added_above(texts: tuple[str, str], more: int) -> None:
    one, other = (f"begin\n{text}" for text in texts)
    if one != other:
        above = "".join(f"line {number} above\n" for number in range(more))
        patch = unified_between(one, other, 100)
        assert applied(above + one, patch) == above + other


PIECES = [
    "*** Begin Patch\n", "*** End Patch\n", "*** Update File: f\n", "*** Add File: g\n",
    "*** Delete File: h\n", "*** Move to: i\n", "*** End of File\n", "@@\n", "@@ a\n",
    "@@ -1,2 +1,2 @@\n", "@@ -9999999999999999999,1 +0 @@\n", " a\n", "-a\n", "+b\n", "\n", "a\n",
    "--- a/f\n", "+++ b/f\n", "--- /dev/null\n", "+++ /dev/null\n", "diff --git a/f b/f\n",
    'diff --git "a/\\777" b\n', "rename from f\n", "rename to g\n", "new file mode 1\n", "\r\n",
    "\\ No newline at end of file\n", "```\n", "\0", "***", "@@", "diff --git ", "--- \"",
]  # fmt: skip


@pytest.mark.torture
@examples(in_ci=600, in_torture=10_000)
@given(st.one_of(st.lists(st.sampled_from(PIECES), max_size=14).map("".join), st.text(max_size=80)))
def test_whatever_is_sent_as_a_patch_gives_files_or_one_clear_error(patch: str) -> None:
    problems: list[ToolError] = []
    for text in ("", "a\n", "a\nb\r\na"):
        try:
            for file in parse(patch):
                apply_hunks(text, file.hunks, "f", is_unified=file.is_unified)
        except ToolError as problem:
            problems.append(problem)
    assert all(problem.message and problem.suggestion for problem in problems)


@examples(in_ci=100, in_torture=2_000)
@given(st.binary(max_size=200))
def test_random_bytes_are_refused_in_words(data: bytes) -> None:
    with pytest.raises(ToolError):
        parse(data.decode("latin-1"))
