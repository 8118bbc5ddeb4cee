"""Ordinary unified diffs: of git, of diff -u, and of models that write them by heart."""

import re

from msgspec import Struct
from msgspec.structs import replace

from ankrcode.workspace.patches.hunks import FilePatch, Hunk, Scanner, malformed, read_hunk

_NOTHING = "/dev/null"
_GIT = re.compile(r'diff --git (?P<old>"(?:[^"\\]|\\.)*"|.+?) (?P<new>"(?:[^"\\]|\\.)*"|\S.*)$')
_PREFIXED = re.compile(r"[abciow]/.")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\", "a": "\a", "b": "\b"}
_ESCAPES |= {"f": "\f", "v": "\v"}
_MODES = ("old mode ", "new mode ", "new file mode ", "deleted file mode ")
_EXECUTABLE = "100755"


def looks_unified(lines: list[str]) -> bool:
    """Is there a file header, or at least one of git's?"""
    return any(
        _is_header(lines[i : i + 2]) or lines[i].startswith("diff --git ")
        for i in range(len(lines))
    )


def _is_header(pair: list[str]) -> bool:
    return len(pair) > 1 and pair[0].startswith("--- ") and pair[1].startswith("+++ ")


class _Head(Struct):
    """What is known about a file before its hunks."""

    old: str = ""
    new: str = ""
    is_new: bool = False
    is_deleted: bool = False
    moved_from: str = ""
    moved_to: str = ""
    notes: list[str] = []


def parse_unified(scanner: Scanner) -> list[FilePatch]:
    files: list[FilePatch] = []
    head: _Head | None = None
    while (line := scanner.peek()) is not None:
        if line.startswith("diff --git "):
            files += _finished(head, [])
            head = _from_git(line)
            scanner.skip()
        elif _is_header([line, scanner.peek(1) or ""]):
            head = _named(head or _Head(), line, scanner.peek(1) or "")
            scanner.skip()
            scanner.skip()
            files += _finished(head, _hunks(scanner, head))
            head = None
        elif line.startswith(("GIT binary patch", "Binary files ")):
            raise malformed(scanner.number, "it changes a binary file")
        elif line.startswith("@@ ") and head is None:
            raise malformed(scanner.number, "a hunk comes before any '--- path' and '+++ path'")
        else:
            if head is not None:
                _note(head, line, scanner.number)
            scanner.skip()
    return files + _finished(head, [])


def _hunks(scanner: Scanner, head: _Head) -> list[Hunk]:
    hunks: list[Hunk] = []
    while (scanner.next_text() or "").startswith("@@"):
        hunk = read_hunk(scanner, number=len(hunks) + 1)
        if hunk is not None:
            hunks.append(hunk)
    if not hunks and not head.is_new and not head.is_deleted:
        raise malformed(scanner.number, f"there is no hunk ('@@ … @@') for {head.new}")
    return hunks


# ── names ─────────────────────────────────────────────────────────────────────────────────────
def _from_git(line: str) -> _Head:
    """Both names of `diff --git a/x b/x`; names with blanks are told by being the same."""
    rest = line.removeprefix("diff --git ").rstrip("\r")
    if not rest.startswith('"') and len(rest) % 2 and rest[len(rest) // 2] == " ":
        one, other = rest[: len(rest) // 2], rest[len(rest) // 2 + 1 :]
        if one[2:] == other[2:]:
            return _Head(*_without_prefixes(one, other))
    match = _GIT.match(line)
    if match is None:
        return _Head()
    return _Head(*_without_prefixes(_unquoted(match["old"]), _unquoted(match["new"])))


def _named(head: _Head, old_line: str, new_line: str) -> _Head:
    old, new = _name(old_line), _name(new_line)
    head.is_new = head.is_new or old == _NOTHING
    head.is_deleted = head.is_deleted or new == _NOTHING
    head.old, head.new = _without_prefixes(old, new)
    return head


def _name(line: str) -> str:
    """What follows `--- `, without a time stamp."""
    name = line[4:].rstrip("\r")
    if name.startswith('"'):
        return _unquoted(name[: name.rfind('"') + 1])
    name, tab, _ = name.partition("\t")  # git puts one behind a name that holds blanks
    return name if tab else name.strip()


def _without_prefixes(old: str, new: str) -> tuple[str, str]:
    """git puts one letter and a slash before each name: a/ and b/, or i/, w/, c/, o/."""
    sides = [name for name in (old, new) if name != _NOTHING]
    if not all(_PREFIXED.match(name) for name in sides):
        return old, new
    if old[:2] == new[:2]:
        return old, new  # the same letter on both sides is a folder
    return _without_letter(old), _without_letter(new)


def _without_letter(name: str) -> str:
    return name if name == _NOTHING else name[2:]


def _unquoted(name: str) -> str:
    """git writes odd names in quotes, byte by byte."""
    if len(name) < 2 or not name.startswith('"'):  # noqa: PLR2004
        return name
    raw = bytearray()
    for part in re.finditer(r"\\([0-7]{3})|\\(.)|([^\\]+)", name[1:-1]):
        octal, escaped, plain = part.groups()
        if octal:
            raw.append(int(octal, 8) & 0xFF)
        else:
            raw += (plain or _ESCAPES.get(escaped, escaped)).encode("utf-8", "surrogatepass")
    return raw.decode("utf-8", "replace")


def _note(head: _Head, line: str, number: int) -> None:
    """git's further lines about a file."""
    kind, _, rest = line.rstrip("\r").partition(" ")
    if kind in ("rename", "copy"):
        direction, _, name = rest.partition(" ")
        if kind == "copy":
            raise malformed(number, "it copies a file, which a patch here cannot do")
        if direction == "from":
            head.moved_from = _unquoted(name)
        else:
            head.moved_to = _unquoted(name)
    elif line.startswith(_MODES):
        head.is_new = head.is_new or line.startswith("new file")
        head.is_deleted = head.is_deleted or line.startswith("deleted file")
        sets_mode = line.startswith(("old mode", "new mode")) or _EXECUTABLE in line
        if sets_mode and not head.is_deleted and not head.notes:
            head.notes = ["the file mode in the patch was ignored"]


# ── a file is complete ────────────────────────────────────────────────────────────────────────
def _finished(head: _Head | None, hunks: list[Hunk]) -> list[FilePatch]:
    if head is None:
        return []
    common = FilePatch(kind="update", path="", is_unified=True, notes=head.notes, hunks=hunks)
    if head.is_new:
        added = [line.text for hunk in hunks for line in hunk.lines if line.mark == "+"]
        end = "" if not added or hunks[-1].new_without_end else "\n"
        content = "\n".join(added) + end
        return [replace(common, kind="add", path=head.new, content=content, hunks=[])]
    if head.is_deleted:
        return [replace(common, kind="delete", path=head.old)]
    if head.moved_from and head.moved_to:
        return [replace(common, path=head.moved_from, move_to=head.moved_to)]
    if not hunks:
        return []  # a change of mode only
    return [replace(common, path=_one_name(head))]


def _one_name(head: _Head) -> str:
    """diff -u names two files; a backup copy is not the one that is meant."""
    if re.search(r"(\.orig|\.old|\.bak|~)$", head.new) and head.old:
        return head.old
    return head.new or head.old
