"""A plain `sed -i` as an edit: shown as a diff, and applied exactly as it was shown."""

import os

from msgspec import Struct

from ankrcode.config.limits import SED_MAX_BYTES
from ankrcode.errors import ToolError
from ankrcode.protocol.modifier import FileRead
from ankrcode.tooling.context import ToolContext
from ankrcode.workspace.diffs import diff
from ankrcode.workspace.files import read_whole
from ankrcode.workspace.processes.sed import SedEdit, understood, worked_out
from ankrcode.workspace.reads import FileVersion, version_of_bytes

_SHOWN = "sed_edit.shown"
_MAX_SHOWN = 64


class SedPlan(Struct, frozen=True):
    """What the file will hold, worked out from one version of it."""

    path: str
    version: FileVersion
    before: bytes
    after: bytes

    @property
    def diff(self) -> str:
        before, after = (text.decode(errors="replace") for text in (self.before, self.after))
        return diff(before, after, self.path)


def previewed(command: str, cwd: str, ctx: ToolContext) -> SedPlan | None:
    """Work it out for a person to see, and keep it: what they allow is what will be done."""
    plan = planned(command, cwd, ctx)
    if plan is not None:
        shown = ctx.values.setdefault(_SHOWN, {})
        while len(shown) >= _MAX_SHOWN:
            del shown[next(iter(shown))]
        shown[ctx.call_id, command, cwd] = plan
    return plan


def planned(command: str, cwd: str, ctx: ToolContext) -> SedPlan | None:
    """The plan a person saw, or a new one; None where the command is no plain edit."""
    if (edit := understood(command)) is None:
        return None
    shown = ctx.values.get(_SHOWN, {}).pop((ctx.call_id, command, cwd), None)
    return shown or _worked_out(edit, cwd, ctx)


def _worked_out(edit: SedEdit, cwd: str, ctx: ToolContext) -> SedPlan | None:
    written = os.path.join(cwd, edit.path)  # noqa: PTH118
    try:
        path = ctx.workspace.resolve(written)
        if os.path.islink(os.path.join(ctx.cwd, written)) or not ctx.workspace.contains(path):  # noqa: PTH114, PTH118
            return None
        before, status = read_whole(path, SED_MAX_BYTES)
    except ToolError:
        return None  # sed itself will say what is wrong
    after = worked_out(edit, before, ctx.processes.environment())
    if after is None:
        return None
    return SedPlan(path, version_of_bytes(status, before), before, after)


def apply(plan: SedPlan, ctx: ToolContext) -> tuple[FileRead, ...]:
    """Write it, unless the file has changed meanwhile; whoever had read it all still has."""
    if plan.after == plan.before:
        return ()
    version = ctx.files.write(plan.path, plan.after, expected=plan.version)
    record = ctx.reads.get(plan.path)
    if record is None or not record.is_whole or record.version != plan.version:
        return ()
    ctx.reads.keep(version, plan.after)
    return (
        FileRead(
            path=plan.path, size=version.size, mtime_ns=version.mtime_ns, digest=version.digest
        ),
    )
