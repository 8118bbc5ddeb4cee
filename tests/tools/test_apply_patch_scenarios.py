"""Scenarios by the grammar of the envelope: a tree, a patch, and the tree afterwards or a refusal.

Every file is read before, as a careful agent does, unless its name begins with `unread`.
"""

# ruff: noqa: E501 - tables are easier to read in one piece

from pathlib import Path
from typing import NamedTuple

import pytest

from ankrcode import Toolkit
from ankrcode.protocol.result import ToolResult
from ankrcode.testing import NO, FakePerson

Tree = dict[str, str]


class Case(NamedTuple):
    tree: Tree
    patch: str
    after: Tree


def patch(body: str) -> str:
    return f"*** Begin Patch\n{body}*** End Patch\n"


CODE = """\
import os


class Reader:
    def __init__(self, path):
        self.path = path

    def read(self):
        return open(self.path).read()

    def close(self):
        pass


class Writer:
    def __init__(self, path):
        self.path = path

    def write(self, text):
        open(self.path, "w").write(text)

    def close(self):
        pass


def main():
    reader = Reader("in")
    writer = Writer("out")
    writer.write(reader.read())
"""


def code(old: str, new: str, nth: int = 1) -> str:
    """The code above with the nth occurrence of `old` replaced."""
    parts = CODE.split(old)
    return old.join(parts[:nth]) + new + old.join(parts[nth:])


SECOND_CLOSE = code("        pass\n", "        self.done = True\n", 2)

DONE: dict[str, Case] = {
    # ── files as a whole ──────────────────────────────────────────────────────────────────────
    "add": Case({}, patch("*** Add File: bar.md\n+This is a new file\n"), {"bar.md": "This is a new file\n"}),
    "add-in-new-folders": Case({}, patch("*** Add File: a/b/c.txt\n+x\n"), {"a/b/c.txt": "x\n"}),
    "add-nothing": Case({}, patch("*** Add File: empty.txt\n"), {"empty.txt": ""}),
    "add-one-blank-line": Case({}, patch("*** Add File: n\n+\n"), {"n": "\n"}),
    "add-lines-like-marks": Case({}, patch("*** Add File: n\n+*** End Patch\n++plus\n+-minus\n+@@ at\n"), {"n": "*** End Patch\n+plus\n-minus\n@@ at\n"}),
    "add-keeps-blanks": Case({}, patch("*** Add File: n\n+  two  \n+\ttab\t\n"), {"n": "  two  \n\ttab\t\n"}),
    "add-two": Case({}, patch("*** Add File: n\n+1\n*** Add File: m\n+2\n"), {"n": "1\n", "m": "2\n"}),
    "add-over-what-was-read": Case({"f": "old\n"}, patch("*** Add File: f\n+new content\n"), {"f": "new content\n"}),
    "add-over-crlf": Case({"f": "old\r\nold\r\n"}, patch("*** Add File: f\n+new\n+new\n"), {"f": "new\r\nnew\r\n"}),
    "delete": Case({"f": "x\n", "g": "y\n"}, patch("*** Delete File: f\n"), {"g": "y\n"}),
    "delete-and-add": Case({"f": "x\n"}, patch("*** Delete File: f\n*** Add File: f\n+y\n"), {"f": "y\n"}),
    "delete-what-was-not-read": Case({"unread": "x\n"}, patch("*** Delete File: unread\n"), {}),
    "move": Case({"f": "x\n"}, patch("*** Update File: f\n*** Move to: d/g\n"), {"d/g": "x\n"}),
    "move-and-change": Case({"old/name.txt": "old content\n"}, patch("*** Update File: old/name.txt\n*** Move to: renamed/dir/name.txt\n@@\n-old content\n+new content\n"), {"renamed/dir/name.txt": "new content\n"}),
    "move-over-what-was-read": Case({"f": "from\n", "g": "existing\n"}, patch("*** Update File: f\n*** Move to: g\n@@\n-from\n+new\n"), {"g": "new\n"}),
    "move-onto-itself": Case({"f": "a\n"}, patch("*** Update File: f\n*** Move to: f\n@@\n-a\n+b\n"), {"f": "b\n"}),
    "add-then-update-it": Case({}, patch("*** Add File: n\n+a\n+b\n*** Update File: n\n@@\n a\n-b\n+c\n"), {"n": "a\nc\n"}),
    "move-then-update-at-its-new-place": Case({"f": "a\n"}, patch("*** Update File: f\n*** Move to: g\n*** Update File: g\n@@\n-a\n+b\n"), {"g": "b\n"}),
    "move-then-append-at-its-new-place": Case({"f": "a\n"}, patch("*** Update File: f\n*** Move to: g\n*** Update File: g\n@@\n+b\n"), {"g": "a\nb\n"}),
    "change-then-move-then-change": Case({"f": "a\nb\n"}, patch("*** Update File: f\n@@\n-a\n+A\n*** Update File: f\n*** Move to: g\n*** Update File: g\n@@\n-b\n+B\n"), {"g": "A\nB\n"}),
    "several-operations": Case({"modify.txt": "line1\nline2\n", "delete.txt": "obsolete\n"}, patch("*** Add File: nested/new.txt\n+created\n*** Delete File: delete.txt\n*** Update File: modify.txt\n@@\n-line2\n+changed\n"), {"modify.txt": "line1\nchanged\n", "nested/new.txt": "created\n"}),
    # ── hunks ─────────────────────────────────────────────────────────────────────────────────
    "several-hunks": Case({"f": "line1\nline2\nline3\nline4\n"}, patch("*** Update File: f\n@@\n-line2\n+changed2\n@@\n-line4\n+changed4\n"), {"f": "line1\nchanged2\nline3\nchanged4\n"}),
    "lines-added-without-any-to-find": Case({"f": "line1\nline2\n"}, patch("*** Update File: f\n@@\n+added 1\n+added 2\n"), {"f": "line1\nline2\nadded 1\nadded 2\n"}),
    "only-lines-taken-away": Case({"f": "line1\nline2\nline3\n"}, patch("*** Update File: f\n@@\n line1\n-line2\n line3\n"), {"f": "line1\nline3\n"}),
    "everything-taken-away": Case({"f": "a\n"}, patch("*** Update File: f\n@@\n-a\n"), {"f": ""}),
    "a-new-first-line": Case({"f": "a\nb\n"}, patch("*** Update File: f\n@@\n+zero\n a\n"), {"f": "zero\na\nb\n"}),
    "end-of-file": Case({"f": "first\nsecond\n"}, patch("*** Update File: f\n@@\n first\n-second\n+second updated\n*** End of File\n"), {"f": "first\nsecond updated\n"}),
    "end-of-file-picks-the-last": Case({"f": "x\ny\nx\ny\n"}, patch("*** Update File: f\n@@\n x\n-y\n+z\n*** End of File\n"), {"f": "x\ny\nx\nz\n"}),
    "end-of-file-of-an-addition": Case({"f": "a\n"}, patch("*** Update File: f\n@@\n+b\n*** End of File\n"), {"f": "a\nb\n"}),
    "blank-line-before-end-of-file": Case({"f": "x\ny\nx\n"}, patch("*** Update File: f\n@@\n-x\n+z\n\n*** End of File\n"), {"f": "x\ny\nz\n"}),
    "first-of-two-alike": Case({"f": "x\ny\nx\ny\n"}, patch("*** Update File: f\n@@\n x\n-y\n+z\n"), {"f": "x\nz\nx\ny\n"}),
    "a-last-line-without-end-gets-one": Case({"f": "no newline at end"}, patch("*** Update File: f\n@@\n-no newline at end\n+first line\n+second line\n"), {"f": "first line\nsecond line\n"}),
    "context-between-changes": Case({"f": "a\nb\nc\nd\ne\n"}, patch("*** Update File: f\n@@\n a\n-b\n+B\n c\n-d\n+D\n e\n"), {"f": "a\nB\nc\nD\ne\n"}),
    "added-before-taken": Case({"f": "a\nb\nc\n"}, patch("*** Update File: f\n@@\n a\n+B\n-b\n c\n"), {"f": "a\nB\nc\n"}),
    "hunk-touches-the-next": Case({"f": "a\nb\nc\nd\n"}, patch("*** Update File: f\n@@\n-a\n+A\n b\n@@\n-c\n+C\n d\n"), {"f": "A\nb\nC\nd\n"}),
    "hunks-share-context": Case({"f": "a\nb\nc\n"}, patch("*** Update File: f\n@@\n-a\n+A\n b\n@@\n b\n-c\n+C\n"), {"f": "A\nb\nC\n"}),
    "hunks-share-three-lines": Case({"f": "a\nb\nc\nd\ne\n"}, patch("*** Update File: f\n@@\n-a\n+A\n b\n c\n d\n@@\n b\n c\n d\n-e\n+E\n"), {"f": "A\nb\nc\nd\nE\n"}),
    "the-later-place-before-shared-context": Case({"f": "a\nb\nb\nc\n"}, patch("*** Update File: f\n@@\n-a\n+A\n b\n@@\n-b\n+B\n"), {"f": "A\nb\nB\nc\n"}),
    "lines-that-look-like-marks": Case({"f": "--- a\n+++ b\n@@ -1 +1 @@\n"}, patch("*** Update File: f\n@@\n---- a\n+--- c\n +++ b\n"), {"f": "--- c\n+++ b\n@@ -1 +1 @@\n"}),
    # ── headers ───────────────────────────────────────────────────────────────────────────────
    "header": Case({"f.py": CODE}, patch('*** Update File: f.py\n@@ def main():\n-    reader = Reader("in")\n+    reader = Reader("stdin")\n'), {"f.py": code('Reader("in")', 'Reader("stdin")')}),
    "header-of-a-class": Case({"f.py": CODE}, patch("*** Update File: f.py\n@@ class Writer:\n     def close(self):\n-        pass\n+        self.done = True\n"), {"f.py": SECOND_CLOSE}),
    "two-levels": Case({"f.py": CODE}, patch("*** Update File: f.py\n@@ class Writer:\n@@     def close(self):\n-        pass\n+        self.done = True\n"), {"f.py": SECOND_CLOSE}),
    "two-levels-unindented": Case({"f.py": CODE}, patch("*** Update File: f.py\n@@ class Writer:\n@@ def close(self):\n-        pass\n+        self.done = True\n"), {"f.py": SECOND_CLOSE}),
    "three-levels": Case({"f.py": CODE}, patch("*** Update File: f.py\n@@ class Reader:\n@@ class Writer:\n@@ def close(self):\n-        pass\n+        self.done = True\n"), {"f.py": SECOND_CLOSE}),
    "header-then-addition-only": Case({"f.py": CODE}, patch("*** Update File: f.py\n@@ def main():\n+    print(1)\n"), {"f.py": code("def main():\n", "def main():\n    print(1)\n")}),
    "header-before-each-hunk": Case({"f.py": CODE}, patch("*** Update File: f.py\n@@ class Reader:\n     def close(self):\n-        pass\n+        1\n@@ class Writer:\n     def close(self):\n-        pass\n+        2\n"), {"f.py": code("        pass\n", "        1\n").replace("        pass\n", "        2\n")}),
    "header-is-also-the-first-context": Case({"f.py": CODE}, patch('*** Update File: f.py\n@@ def main():\n def main():\n-    reader = Reader("in")\n+    reader = Reader("x")\n'), {"f.py": code('Reader("in")', 'Reader("x")')}),
    "header-with-trailing-blanks": Case({"f.py": CODE}, patch('*** Update File: f.py\n@@ def main():   \n-    reader = Reader("in")\n+    reader = Reader("x")\n'), {"f.py": code('Reader("in")', 'Reader("x")')}),
    "header-that-is-a-beginning": Case({"f.py": CODE}, patch('*** Update File: f.py\n@@ def main\n-    reader = Reader("in")\n+    reader = Reader("x")\n'), {"f.py": code('Reader("in")', 'Reader("x")')}),
    "no-header-at-all": Case({"f": "a\nb\n"}, patch("*** Update File: f\n a\n-b\n+c\n"), {"f": "a\nc\n"}),
    "header-with-line-numbers": Case({"f": "x\nx\nx\n"}, patch("*** Update File: f\n@@ -2,1 +2,1 @@\n-x\n+y\n"), {"f": "x\ny\nx\n"}),
    "header-with-numbers-and-a-name": Case({"f.py": CODE}, patch("*** Update File: f.py\n@@ -23,2 +23,2 @@ class Writer:\n     def close(self):\n-        pass\n+        self.done = True\n"), {"f.py": SECOND_CLOSE}),
    # ── what models get slightly wrong ────────────────────────────────────────────────────────
    "padded-markers": Case({"f": "a\n"}, " *** Begin Patch \n *** Update File: f \n@@\n-a\n+b\n *** End Patch ", {"f": "b\n"}),
    "padded-path": Case({"f": "a\n"}, patch("*** Update File:    f   \n@@\n-a\n+b\n"), {"f": "b\n"}),
    "tight-path": Case({"f": "a\n"}, patch("*** Update File:f\n@@\n-a\n+b\n"), {"f": "b\n"}),
    "heredoc": Case({"f": "a\n"}, "apply_patch <<'PATCH'\n" + patch("*** Update File: f\n@@\n-a\n+b\n") + "PATCH\n", {"f": "b\n"}),
    "heredoc-in-a-shell-call": Case({"f": "a\n"}, "cd . && apply_patch <<EOF\n" + patch("*** Update File: f\n@@\n-a\n+b\n") + "EOF", {"f": "b\n"}),
    "blank-context-lost-its-blank": Case({"f": "a\n\nb\n\nc\n"}, patch("*** Update File: f\n@@\n a\n\n-b\n+B\n\n c\n"), {"f": "a\n\nB\n\nc\n"}),
    "blank-line-before-the-end": Case({"f": "a\nb\n"}, patch("*** Update File: f\n@@\n-a\n+A\n\n"), {"f": "A\nb\n"}),
    "blank-lines-between-files": Case({"f": "a\n", "g": "b\n"}, patch("\n*** Update File: f\n\n@@\n-a\n+A\n\n\n*** Update File: g\n@@\n-b\n+B\n\n"), {"f": "A\n", "g": "B\n"}),
    "trailing-blanks-lost": Case({"f": "a  \nb\t\nc\n"}, patch("*** Update File: f\n@@\n a\n b\n-c\n+d\n"), {"f": "a  \nb\t\nd\n"}),
    "trailing-blanks-too-many": Case({"f": "a\nb\n"}, patch("*** Update File: f\n@@\n a  \n-b  \n+c\n"), {"f": "a\nc\n"}),
    "indentation-lost": Case({"f": "if x:\n    a\n    b\n"}, patch("*** Update File: f\n@@\n a\n-b\n+    c\n"), {"f": "if x:\n    a\n    c\n"}),
    "dashes-and-quotes": Case({"f": "import asyncio  # local – “import”\nx\n"}, patch('*** Update File: f\n@@\n-import asyncio  # local - "import"\n+import asyncio\n'), {"f": "import asyncio\nx\n"}),
    "no-break-space": Case({"f": "a\u00a0b\nc\n"}, patch("*** Update File: f\n@@\n a b\n-c\n+d\n"), {"f": "a\u00a0b\nd\n"}),
    "crlf-file": Case({"f": "a\r\nb\r\nc\r\n"}, patch("*** Update File: f\n@@\n a\n-b\n+B\n+B2\n c\n"), {"f": "a\r\nB\r\nB2\r\nc\r\n"}),
    "crlf-patch": Case({"f": "a\nb\n"}, patch("*** Update File: f\n@@\n a\n-b\n+c\n").replace("\n", "\r\n"), {"f": "a\nc\n"}),
    "crlf-both": Case({"f": "a\r\nb\r\n"}, patch("*** Update File: f\n@@\n a\n-b\n+c\n").replace("\n", "\r\n"), {"f": "a\r\nc\r\n"}),
    "unicode": Case({"f": "line1\nनमस्ते ✅\n"}, patch("*** Update File: f\n@@\n line1\n-नमस्ते ✅\n+नमस्ते 🚀\n"), {"f": "line1\nनमस्ते 🚀\n"}),
    "prose-around": Case({"f": "a\n"}, "I will now change f.\n\n" + patch("*** Update File: f\n@@\n-a\n+b\n") + "\nIs that fine?", {"f": "b\n"}),
    "unified-lines-in-an-envelope": Case({"f": "a\nb\nc\n"}, patch("*** Update File: f\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"), {"f": "a\nB\nc\n"}),
    "two-envelopes": Case({"f": "a\n", "g": "b\n"}, patch("*** Update File: f\n@@\n-a\n+A\n") + patch("*** Update File: g\n@@\n-b\n+B\n"), {"f": "A\n", "g": "B\n"}),
    "absolute-path-inside": Case({"f": "a\n"}, patch("*** Update File: {root}/f\n@@\n-a\n+b\n"), {"f": "b\n"}),
    "path-with-dots": Case({"d/f": "a\n"}, patch("*** Update File: ./d/../d/f\n@@\n-a\n+b\n"), {"d/f": "b\n"}),
    "path-with-blanks": Case({"my file.txt": "a\n"}, patch("*** Update File: my file.txt\n@@\n-a\n+b\n"), {"my file.txt": "b\n"}),
    "same-file-in-two-sections": Case({"f": "a\nb\n"}, patch("*** Update File: f\n@@\n-b\n+B\n*** Update File: f\n@@\n-a\n+A\n"), {"f": "A\nB\n"}),
}  # fmt: skip


class Refusal(NamedTuple):
    tree: Tree
    patch: str
    code: str
    said: str


REFUSED: dict[str, Refusal] = {
    "empty": Refusal({}, patch(""), "INVALID_INPUT", "names no file"),
    "no-end": Refusal({"f": "a\n"}, "*** Begin Patch\n*** Update File: f\n@@\n-a\n+b\n", "INVALID_INPUT", "no '*** End Patch'"),
    "no-begin": Refusal({"f": "a\n"}, "*** Update File: f\n@@\n-a\n+b\n*** End Patch\n", "INVALID_INPUT", "neither an envelope"),
    "unknown-header": Refusal({"f": "a\n"}, patch("*** Frobnicate File: f\n"), "INVALID_INPUT", "is no header"),
    "lines-before-a-header": Refusal({"f": "a\n"}, patch("+a\n*** Update File: f\n-a\n"), "INVALID_INPUT", "is no header"),
    "no-path": Refusal({}, patch("*** Add File:\n+x\n"), "INVALID_INPUT", "names no path"),
    "no-target": Refusal({"f": "a\n"}, patch("*** Update File: f\n*** Move to:\n"), "INVALID_INPUT", "names no path"),
    "empty-update": Refusal({"f": "a\n"}, patch("*** Update File: f\n"), "INVALID_INPUT", "has no lines"),
    "empty-hunk": Refusal({"f": "a\n"}, patch("*** Update File: f\n@@ a\n"), "INVALID_INPUT", "a hunk has no lines"),
    "unmarked-line": Refusal({"f": "a\n"}, patch("*** Update File: f\n@@\n-a\nb\n"), "INVALID_INPUT", "begins with none of"),
    "add-without-plus": Refusal({}, patch("*** Add File: n\nhello\n"), "INVALID_INPUT", "must begin with '+'"),
    "missing-context": Refusal({"f": "line1\nline2\n"}, patch("*** Update File: f\n@@\n-missing\n+changed\n"), "TEXT_NOT_FOUND", "hunk 1 does not fit"),
    "second-hunk-missing": Refusal({"f": "a\nb\n"}, patch("*** Update File: f\n@@\n-a\n+A\n@@\n-zzz\n+Z\n"), "TEXT_NOT_FOUND", "hunk 2 does not fit"),
    "hunks-in-the-wrong-order": Refusal({"f": "a\nb\nc\n"}, patch("*** Update File: f\n@@\n-c\n+C\n@@\n-a\n+A\n"), "TEXT_NOT_FOUND", "before an earlier hunk"),
    "what-was-changed-is-no-context": Refusal({"f": "a\nb\nc\n"}, patch("*** Update File: f\n@@\n a\n-b\n+B\n@@\n b\n-c\n+C\n"), "TEXT_NOT_FOUND", "hunk 2 does not fit"),
    "missing-header": Refusal({"f.py": CODE}, patch("*** Update File: f.py\n@@ class Nobody:\n-        pass\n+        1\n"), "TEXT_NOT_FOUND", "there is no line 'class Nobody:'"),
    "found-only-before-its-header": Refusal({"f.py": CODE}, patch("*** Update File: f.py\n@@ def main():\n-import os\n+import sys\n"), "TEXT_NOT_FOUND", "hunk 1 does not fit"),
    "update-of-nothing": Refusal({}, patch("*** Update File: missing.txt\n@@\n-a\n+b\n"), "FILE_NOT_FOUND", "no file"),
    "delete-of-nothing": Refusal({}, patch("*** Delete File: missing.txt\n"), "FILE_NOT_FOUND", "no file"),
    "delete-of-a-folder": Refusal({"d/f": "a\n"}, patch("*** Delete File: d\n"), "IS_A_DIRECTORY", "is a directory"),
    "update-of-a-folder": Refusal({"d/f": "a\n"}, patch("*** Update File: d\n@@\n-a\n+b\n"), "IS_A_DIRECTORY", "is a directory"),
    "add-over-a-folder": Refusal({"d/f": "a\n"}, patch("*** Add File: d\n+x\n"), "INVALID_PATH", "exists already"),
    "add-below-a-file": Refusal({"f": "a\n"}, patch("*** Add File: f/g\n+x\n"), "NOT_A_DIRECTORY", "not a directory"),
    "add-over-the-unread": Refusal({"unread": "a\n"}, patch("*** Add File: unread\n+x\n"), "INVALID_PATH", "exists already"),
    "move-over-the-unread": Refusal({"f": "a\n", "unread": "b\n"}, patch("*** Update File: f\n*** Move to: unread\n"), "INVALID_PATH", "exists already"),
    "update-of-the-unread": Refusal({"unread": "a\n"}, patch("*** Update File: unread\n@@\n-a\n+b\n"), "NOT_READ", "Must read file"),
    "unread-moved-then-changed": Refusal({"unread": "a\n"}, patch("*** Update File: unread\n*** Move to: g\n*** Update File: g\n@@\n+b\n"), "NOT_READ", "Must read file"),
    "update-after-delete": Refusal({"f": "a\n"}, patch("*** Delete File: f\n*** Update File: f\n@@\n-a\n+b\n"), "FILE_NOT_FOUND", "no file"),
    "delete-twice": Refusal({"f": "a\n"}, patch("*** Delete File: f\n*** Delete File: f\n"), "FILE_NOT_FOUND", "no file"),
    "move-twice": Refusal({"f": "a\n"}, patch("*** Update File: f\n*** Move to: g\n*** Update File: f\n*** Move to: h\n"), "FILE_NOT_FOUND", "no file"),
    "two-moves-to-one-place": Refusal({"f": "a\n", "g": "b\n"}, patch("*** Update File: f\n*** Move to: h\n*** Update File: g\n*** Move to: h\n"), "INVALID_PATH", "exists already"),
    "outside": Refusal({}, patch("*** Add File: ../evil\n+x\n"), "INVALID_PATH", "outside the workspace"),
    "outside-absolute": Refusal({}, patch("*** Add File: /tmp/evil\n+x\n"), "INVALID_PATH", "outside the workspace"),
    "move-outside": Refusal({"f": "a\n"}, patch("*** Update File: f\n*** Move to: ../evil\n"), "INVALID_PATH", "outside the workspace"),
    "only-context": Refusal({"f": "a\nb\n"}, patch("*** Update File: f\n@@\n a\n b\n"), "EXECUTION_ERROR", "as it was"),
    "good-then-bad": Refusal({"f": "a\n"}, patch("*** Add File: created.txt\n+hello\n*** Update File: missing.txt\n@@\n-old\n+new\n"), "FILE_NOT_FOUND", "no file"),
    "empty-line-may-mean-two-things": Refusal({"f": "x\ny\nx\n\n"}, patch("*** Update File: f\n@@\n-x\n+z\n\n"), "TEXT_NOT_UNIQUE", "fits at several places: lines 1, 3"),
}  # fmt: skip


async def kit_with(folder: Path, tree: Tree, **more: object) -> Toolkit:
    kit = Toolkit(cwd=folder, **{"mode": "bypass", **more})  # type: ignore[arg-type]
    for name, text in tree.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        if not name.startswith("unread"):
            assert (await kit.call("Read", file_path=name, limit=0)).ok
    return kit


def tree_of(folder: Path) -> Tree:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes().decode() for path in files}


async def sent(kit: Toolkit, folder: Path, text: str) -> ToolResult:
    return await kit.call("ApplyPatch", patch=text.replace("{root}", str(folder)))


@pytest.mark.parametrize("case", DONE.values(), ids=DONE)
async def test_the_tree_is_what_the_patch_says(case: Case, tmp_path: Path) -> None:
    kit = await kit_with(tmp_path, case.tree)
    result = await sent(kit, tmp_path, case.patch)
    assert result.ok, result.text
    assert tree_of(tmp_path) == case.after


@pytest.mark.parametrize("case", DONE.values(), ids=DONE)
async def test_what_was_written_can_be_patched_again_without_another_read(
    case: Case, tmp_path: Path
) -> None:
    kit = await kit_with(tmp_path, case.tree)
    assert (await sent(kit, tmp_path, case.patch)).ok
    for name, text in case.after.items():
        if name in case.tree and case.tree[name] == text:
            continue
        again = patch(f"*** Update File: {name}\n@@\n+one more line\n*** End of File\n")
        result = await sent(kit, tmp_path, again)
        assert result.ok, result.text
        end = "\r\n" if "\r\n" in text else "\n"
        assert (tmp_path / name).read_bytes().decode() == f"{text}one more line{end}"


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
async def test_a_patch_that_cannot_be_is_refused_and_nothing_changes(
    case: Refusal, tmp_path: Path
) -> None:
    kit = await kit_with(tmp_path, case.tree)
    before = {path: path.lstat().st_mtime_ns for path in tmp_path.rglob("*")}
    result = await sent(kit, tmp_path, case.patch)
    assert result.error is not None, result.text
    assert (str(result.error.code), case.said in result.text) == (case.code, True), result.text
    assert tree_of(tmp_path) == case.tree
    assert {path: path.lstat().st_mtime_ns for path in tmp_path.rglob("*")} == before


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        (patch("*** Add File: f\n+x\n"), False),
        (patch("*** Update File: f\n*** Move to: new\n"), False),
        (patch("*** Update File: f\n*** Move to: g\n"), True),
        (patch("*** Update File: f\n*** Move to: g\n*** Update File: h\n-h\n+H\n"), True),
        (patch("*** Delete File: g\n"), True),
        (
            patch(
                "*** Update File: g\n*** Move to: t\n*** Update File: f\n*** Move to: g\n"
                "*** Update File: t\n*** Move to: f\n"
            ),
            False,
        ),
    ],
    ids=["add-over", "move", "move-over", "move-over-and-more", "delete", "change-places"],
)
async def test_a_person_is_asked_before_a_file_is_lost(
    text: str, asks: bool, tmp_path: Path
) -> None:
    person = FakePerson([NO])
    tree = {"f": "f\n", "g": "g\n", "h": "h\n"}
    kit = await kit_with(tmp_path, tree, mode="acceptEdits", approve=person)
    result = await sent(kit, tmp_path, text)
    assert result.ok != asks
    assert len(person.asked) == asks
    if asks:
        assert tree_of(tmp_path) == tree
        assert "it deletes" in person.asked[0].reason
