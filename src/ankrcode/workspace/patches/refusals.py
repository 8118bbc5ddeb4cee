"""Why a hunk has no place: what was looked for, what is closest, and what to do."""

from ankrcode.errors import ErrorCode, ToolError
from ankrcode.workspace.editing.loose_lines import Lines
from ankrcode.workspace.editing.report import explain
from ankrcode.workspace.patches.hunks import Hunk

_MAX_SHOWN = 12


def no_match(text: str, path: str, hunk: Hunk, start: int) -> ToolError:
    """Its lines are not there, from line `start` on."""
    old = [line.removesuffix("\r") for line in hunk.old]
    report = explain(Lines(text), "\n".join(old), "")
    shown = "\n".join(old[:_MAX_SHOWN] + (["…"] if len(old) > _MAX_SHOWN else []))
    cause = "".join(f"{one[0].upper()}{one[1:]}. " for one in report.causes)
    if report.has_block and report.first <= start:
        cause += "The closest place lies before an earlier hunk or its header. "
    error = ToolError.of(
        "patch_no_match",
        path=path,
        number=hunk.number,
        where=_where(start),
        cause=cause.replace("old_string", "the patch"),
    )
    error.suggestion += f"\n{shown}"
    if report.has_block:
        place = f"lines {report.first} to {report.last}"
        error.suggestion += f"\nThe closest place, {place}:\n{report.shown}"
    details = {"lines": old[:_MAX_SHOWN], "first": report.first, "last": report.last}
    return error.coded(ErrorCode.TEXT_NOT_FOUND, path=path, hunk=hunk.number, **details)


def no_header(path: str, hunk: Hunk, context: str, start: int) -> ToolError:
    """There is no line as the one after its `@@`."""
    error = ToolError.of(
        "patch_no_context", path=path, number=hunk.number, context=context, where=_where(start)
    )
    return error.coded(ErrorCode.TEXT_NOT_FOUND, path=path, hunk=hunk.number)


def ambiguous(path: str, hunk: Hunk, places: list[int]) -> ToolError:
    lines = ", ".join(str(place + 1) for place in places[:_MAX_SHOWN])
    error = ToolError.of("patch_ambiguous", path=path, number=hunk.number, lines=lines)
    return error.coded(ErrorCode.TEXT_NOT_UNIQUE, path=path, hunk=hunk.number)


def _where(start: int) -> str:
    return f" after line {start}" if start else ""
