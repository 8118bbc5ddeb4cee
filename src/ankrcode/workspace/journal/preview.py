"""What a change would look like to a person: a diff where there is text, else a line."""

from ankrcode.errors import ToolError
from ankrcode.words import say
from ankrcode.workspace.diffs import diff
from ankrcode.workspace.journal.blobs import Blobs
from ankrcode.workspace.journal.entries import Change
from ankrcode.workspace.journal.states import State
from ankrcode.workspace.journal.undo import shown_path
from ankrcode.workspace.text import decode

MAX_LINES = 200


def diff_of(change: Change, blobs: Blobs) -> str:
    path = shown_path(change.path)
    before, after = _text(change.before, blobs), _text(change.after, blobs)
    lines = [f"{change.word} {path}"]
    if (
        change.before.kind == change.after.kind == "file"
        and change.before.mode != change.after.mode
    ):
        lines.append(f"mode {change.before.mode:o} → {change.after.mode:o}")
    for state, sign in ((change.before, "-"), (change.after, "+")):
        if state.kind == "link":
            lines.append(f"{sign}→ {shown_path(state.target)}")
    if before is None or after is None:
        lines.append(say("diff_not_text"))
    elif before != after:
        lines.append(diff(before, after, path, max_lines=MAX_LINES).rstrip("\n"))
    return "\n".join(lines)


def _text(state: State, blobs: Blobs) -> str | None:
    """The content as text; empty where there is no file, None where it is no text or not kept."""
    if state.kind != "file":
        return ""
    try:
        return decode(blobs.get(state.digest), "").content if state.digest else None
    except ToolError:
        return None
