"""From an edit as it was asked for to a changed draft, or to an error that helps."""

from typing import NamedTuple

from ankrcode.errors import ErrorCode, ToolError
from ankrcode.words import say
from ankrcode.workspace.diffs import Change
from ankrcode.workspace.editing.drafts import Draft
from ankrcode.workspace.editing.loose_lines import Lines
from ankrcode.workspace.editing.matching import EXACT, Found, Lost, find
from ankrcode.workspace.editing.report import explain


class Step(NamedTuple):
    """One replacement; `what` is the parameter's name, for errors."""

    what: str
    old: str
    new: str
    every: bool

    def check(self) -> None:
        if self.old == self.new:
            error = ToolError.of("edit_same", what=self.what)
            raise error.coded(ErrorCode.INVALID_INPUT, parameter=self.what)


def applied(draft: Draft, step: Step, path: str, *, ranked: bool) -> Found:
    """Make one replacement in the draft; a `ToolError` leaves the draft as it was."""
    lines = Lines(draft.text)
    if not step.old:
        if draft.text:
            raise ToolError.of("edit_empty", what=step.what, path=path).coded(
                ErrorCode.INVALID_INPUT, parameter=step.what
            )
        found: Found | Lost = Found([Change(0, 0, step.new)], EXACT)
    else:
        found = find(lines, step.old, step.new, every=step.every, ranked=ranked)
    if isinstance(found, Lost):
        raise _ambiguous(found, step, path) if found.count else _absent(lines, draft, step, path)
    draft.apply(found.changes)
    return found


def _ambiguous(lost: Lost, step: Step, path: str) -> ToolError:
    lines = ", ".join(map(str, lost.lines)) + (", …" if lost.count > len(lost.lines) else "")
    key = "edit_ambiguous" if lost.strategy == EXACT else "edit_ambiguous.loose"
    error = ToolError.of(
        key, what=step.what, path=path, count=lost.count, lines=lines, strategy=lost.strategy
    )
    return error.coded(
        ErrorCode.TEXT_NOT_UNIQUE,
        path=path,
        count=lost.count,
        lines=lost.lines,
        strategy=lost.strategy,
    )


def _absent(lines: Lines, draft: Draft, step: Step, path: str) -> ToolError:
    report = explain(lines, step.old, step.new)
    cause = "".join(f"{one[0].upper()}{one[1:]}. " for one in report.causes)
    if lines.text is not draft.before and step.old in draft.before:
        cause = say("edit_was_there.edits") + cause
    if not report.has_block:
        error = ToolError.of("edit_not_found", what=step.what, path=path, cause=cause)
    else:
        error = ToolError.of(
            "edit_not_found.near",
            what=step.what,
            path=path,
            first=report.first,
            last=report.last,
            cause=cause,
        )
        error.suggestion += f"\n{report.shown}"
    return error.coded(
        ErrorCode.TEXT_NOT_FOUND,
        path=path,
        causes=report.causes,
        first=report.first,
        last=report.last,
        score=round(report.score, 3),
    )
