"""A patch as data: the envelope that GPT models write, or an ordinary unified diff.

    *** Begin Patch                       --- a/path
    *** Update File: path                 +++ b/path
    *** Move to: new/path                 @@ -3,4 +3,5 @@ section
    @@ class A                             context
    @@ def f(self):                       -old
     context                              +new
    -old
    +new
    *** End of File
    *** Add File: path
    +line
    *** Delete File: path
    *** End Patch

Parsing is pure and never guesses what to write: it tolerates what surrounds a patch (prose, code
fences, here-documents, blanks around markers, CRLF) and refuses what is left open inside it.
"""

from ankrcode.workspace.patches.hunks import (
    END_OF_FILE,
    NO_NEWLINE,
    FilePatch,
    Hunk,
    Scanner,
    malformed,
    read_hunk,
)
from ankrcode.workspace.patches.unified import looks_unified, parse_unified

BEGIN, END = "*** Begin Patch", "*** End Patch"
ADD, DELETE, UPDATE = "*** Add File:", "*** Delete File:", "*** Update File:"
MOVE = "*** Move to:"
_STRUCTURE = ("***", "@@", "--- ", "+++ ", "diff --git ")


def parse(patch: str) -> list[FilePatch]:
    """Every file the patch speaks of, in its order; a `ToolError` says what is wrong, and where."""
    lines = _plain_lines(patch)
    begin = next((index for index, line in enumerate(lines) if line.strip() == BEGIN), None)
    if begin is not None:
        files = _envelopes(lines, begin)
    elif looks_unified(lines):
        files = parse_unified(Scanner(lines))
    else:
        raise malformed(1, f"it is neither an envelope ({BEGIN} … {END}) nor a unified diff")
    if not files:
        raise malformed(len(lines), "it names no file")
    return files


def _plain_lines(patch: str) -> list[str]:
    """Its lines; a patch that came with CRLF endings throughout is read without them."""
    lines = patch.removeprefix("\ufeff").split("\n")
    ended = lines[:-1]  # the last line may have no ending at all
    marks = [line for line in ended if line.lstrip().startswith(_STRUCTURE)]
    if marks and all(line.endswith("\r") for line in marks):
        return [line.removesuffix("\r") for line in lines]
    return lines


def _envelopes(lines: list[str], begin: int | None) -> list[FilePatch]:
    files: list[FilePatch] = []
    while begin is not None:
        end = _end_of(lines, begin)
        files += _Envelope(Scanner(lines, begin + 1, end)).files()
        begin = next(
            (index for index in range(end + 1, len(lines)) if lines[index].rstrip() == BEGIN), None
        )
    return files


def _end_of(lines: list[str], begin: int) -> int:
    """The line that closes an envelope; one with blanks before it counts if there is no other."""
    padded = None
    for index in range(begin + 1, len(lines)):
        if lines[index].rstrip() == END:
            return index
        if lines[index].strip() == END:
            padded = index
    if padded is None:
        raise malformed(len(lines), f"there is no '{END}'; it may have been cut off")
    return padded


class _Envelope:
    def __init__(self, scanner: Scanner) -> None:
        self._scanner = scanner

    def files(self) -> list[FilePatch]:
        found: list[FilePatch] = []
        while (line := self._scanner.peek()) is not None:
            head = line.strip()
            if not head:
                self._scanner.skip()
            elif head.startswith(ADD):
                found.append(self._added(head))
            elif head.startswith(DELETE):
                self._scanner.skip()
                found.append(FilePatch(kind="delete", path=self._path(head, DELETE)))
            elif head.startswith(UPDATE):
                found.append(self._updated(head))
            else:
                raise malformed(
                    self._scanner.number,
                    f"'{head[:80]}' is no header; expected {ADD} / {UPDATE} / {DELETE} path",
                )
        return found

    def _path(self, head: str, marker: str) -> str:
        path = head.removeprefix(marker).strip()
        if not path:
            raise malformed(self._scanner.number - 1, f"'{marker}' names no path")
        return path

    def _added(self, head: str) -> FilePatch:
        self._scanner.skip()
        path = self._path(head, ADD)
        lines: list[str] = []
        end = "\n"
        while (line := self._scanner.peek()) is not None and not line.startswith("*** "):
            if line.startswith("+"):
                lines.append(line[1:])
            elif line.startswith(NO_NEWLINE):
                end = ""
            elif line.strip():
                raise malformed(self._scanner.number, f"each line of {path} must begin with '+'")
            elif self._more_follows():
                lines.append("")
            self._scanner.skip()
        if self._scanner.peek() == END_OF_FILE:
            self._scanner.skip()
        return FilePatch(kind="add", path=path, content="\n".join(lines) + end if lines else "")

    def _more_follows(self) -> bool:
        """Is a blank line inside the added file, with more of it to come?"""
        following = self._scanner.next_text()
        return following is not None and following.startswith("+")

    def _updated(self, head: str) -> FilePatch:
        self._scanner.skip()
        path = self._path(head, UPDATE)
        move_to = None
        following = self._scanner.peek()
        if following is not None and following.strip().startswith(MOVE):
            self._scanner.skip()
            move_to = self._path(following.strip(), MOVE)
        hunks: list[Hunk] = []
        while (hunk := read_hunk(self._scanner, number=len(hunks) + 1)) is not None:
            hunks.append(hunk)
        if not hunks and move_to is None:
            raise malformed(self._scanner.number, f"the update of {path} has no lines")
        return FilePatch(kind="update", path=path, move_to=move_to, hunks=hunks)
