"""Apply a patch to several files, all or nothing."""

import os
from typing import Annotated

from msgspec import Meta, Struct

from ankrcode.config.limits import EDIT_DIFF_LINES, PATCH_MAX_FILES
from ankrcode.errors import ErrorCode, ToolError
from ankrcode.protocol.acts import Acts, file, state
from ankrcode.protocol.approval import Preview
from ankrcode.protocol.modifier import ContextModifier, FileForgotten, FileMoved
from ankrcode.protocol.permission import Permission
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.context import ToolContext
from ankrcode.tooling.schema import ToolInput
from ankrcode.tooling.supervise import in_thread
from ankrcode.tooling.tool import Tool
from ankrcode.words import say
from ankrcode.workspace.diffs import unified
from ankrcode.workspace.patches.carry_out import carried_out
from ankrcode.workspace.patches.hunks import FilePatch
from ankrcode.workspace.patches.parse import parse
from ankrcode.workspace.patches.plan import Plan, entry_place, place_of
from ankrcode.workspace.reads import FileVersion
from ankrcode.workspace.roots import Workspace
from ankrcode.workspace.syntax import broken_by, is_checked


class ApplyPatchInput(ToolInput):
    patch: Annotated[str, Meta(description="The patch: an envelope or a diff", min_length=1)]


class MovedFile(Struct, frozen=True, kw_only=True):
    source: str
    destination: str


class ApplyPatchOutput(Struct, frozen=True, kw_only=True):
    added: list[str]
    updated: list[str]
    moved: list[MovedFile]
    deleted: list[str]


class ApplyPatch(Tool[ApplyPatchInput]):
    name = "ApplyPatch"
    summary = (
        "Add, update, move and delete several files by one patch, either an envelope of sections "
        "with context lines or a unified diff; all changes are made, or none."
    )
    permission = Permission.WRITE
    category = "files"
    output = ApplyPatchOutput
    always_asks = True  # where it deletes, like Delete

    def acts(self, args: ApplyPatchInput, ctx: ToolContext) -> Acts:
        places = touched(sections(args), ctx.workspace)
        written = tuple(file(place) for place in places)
        return Acts(reads=(*written, state("cwd")), writes=written)

    def subject(self, args: ApplyPatchInput) -> str:
        return ", ".join(dict.fromkeys(one.path for one in sections(args)))

    def approval(self, args: ApplyPatchInput, ctx: ToolContext) -> str:
        gone = lost(sections(args), ctx.workspace)
        return say("why.deletes", path=", ".join(gone)) if gone else ""

    def preview(self, args: ApplyPatchInput, ctx: ToolContext) -> Preview:
        """The whole diff. A patch that does not fit is refused here, before anyone is asked."""
        plan = planned(args, ctx)
        body = "\n".join([*headlines(plan), *diffs(plan, with_added=True)])
        return Preview(title=f"Patch {self.subject(args)}", body=body, format="diff")

    async def validate(self, args: ApplyPatchInput, ctx: ToolContext) -> None:
        """A file that was not read, is missing or is in the way is told before anything runs."""
        await in_thread(ctx, planned, args, ctx)

    async def run(self, args: ApplyPatchInput, ctx: ToolContext) -> ToolResult:
        plan, versions = await in_thread(ctx, done, args, ctx)
        for one in plan.files:
            if one.path in versions:
                ctx.reads.keep(versions[one.path], one.after)
        return result_of(plan, versions)


def sections(args: ApplyPatchInput) -> list[FilePatch]:
    found = parse(args.patch)
    if len(found) > PATCH_MAX_FILES:
        error = ToolError.of("patch_too_many", count=len(found), limit=PATCH_MAX_FILES)
        raise error.coded(ErrorCode.INVALID_INPUT)
    return found


def touched(patches: list[FilePatch], workspace: Workspace) -> list[str]:
    """Every place the patch may write to, by its real path."""
    places: list[str] = []
    for one in patches:
        is_entry = one.kind == "delete" or one.move_to is not None
        places.append((entry_place if is_entry else place_of)(one.path, workspace))
        if one.move_to is not None:
            places.append(place_of(one.move_to, workspace))
    return list(dict.fromkeys(places))


def lost(patches: list[FilePatch], workspace: Workspace) -> list[str]:
    """What will be gone: files that are deleted, or that another one is moved over."""
    deleted = [entry_place(one.path, workspace) for one in patches if one.kind == "delete"]
    moves = [(one.path, one.move_to) for one in patches if one.move_to is not None]
    sources = {entry_place(source, workspace) for source, _ in moves}
    aims = [place_of(aim, workspace) for _, aim in moves]
    over = [aim for aim in aims if aim not in sources and os.path.lexists(aim)]
    return list(dict.fromkeys(deleted + over))


def planned(args: ApplyPatchInput, ctx: ToolContext) -> Plan:
    plan = Plan(ctx.workspace, ctx.reads)
    for one in sections(args):
        ctx.cancel.check()
        plan.add(one)
    plan.check()
    return plan


def done(args: ApplyPatchInput, ctx: ToolContext) -> tuple[Plan, dict[str, FileVersion]]:
    plan = planned(args, ctx)
    return plan, carried_out(plan, ctx.files, ctx.cancel.check)


# ── telling ───────────────────────────────────────────────────────────────────────────────────
def value_of(plan: Plan) -> ApplyPatchOutput:
    kept = [one for one in plan.files if one.exists]
    return ApplyPatchOutput(
        added=[one.path for one in kept if one.origin is None],
        updated=[one.path for one in kept if one.origin == one.path and one.is_changed],
        moved=[
            MovedFile(source=one.origin, destination=one.path)
            for one in kept
            if one.origin is not None and one.origin != one.path
        ],
        deleted=[one.origin for one in plan.files if not one.exists and one.origin is not None],
    )


def result_of(plan: Plan, versions: dict[str, FileVersion]) -> ToolResult:
    value, warnings = value_of(plan), warnings_of(plan)
    text = ["Applied the patch:", *headlines(plan), *plan.notes, *warnings, *diffs(plan)]
    return ToolResult(
        title=f"ApplyPatch {len(plan.files)} file(s)",
        value=value,
        text="\n".join(text),
        metadata={
            "files": len(plan.files),
            "notes": plan.notes,
            **({"warnings": warnings} if warnings else {}),
        },
        modifiers=tuple(modifiers_of(plan, versions)),
    )


def headlines(plan: Plan) -> list[str]:
    """One line per file, as git tells it: A added, M updated, R moved, D deleted."""
    value = value_of(plan)
    return [
        *(f"A {path}" for path in value.added),
        *(f"M {path}" for path in value.updated),
        *(f"R {one.source} -> {one.destination}" for one in value.moved),
        *(f"D {path}" for path in value.deleted),
    ]


def diffs(plan: Plan, *, with_added: bool = False) -> list[str]:
    """What changed in each file, within one bound for all of them."""
    shown: list[str] = []
    room = EDIT_DIFF_LINES * (2 if with_added else 1)
    for one in plan.files:
        if not one.exists or (one.origin is None and not with_added):
            continue
        if room <= 0:
            shown.append("… more files")
            break
        part = unified(one.draft.before, one.draft.changes, one.path, max_lines=room)
        room -= part.count("\n") + 1
        shown += [part] if part else []
    return shown


def warnings_of(plan: Plan) -> list[str]:
    found: list[str] = []
    for one in plan.files:
        if one.exists and one.origin and is_checked(one.path, one.draft.before):
            why = broken_by(one.path, one.draft.before, one.draft.text)
            found += [say("no_longer_parses", path=one.path, why=why)] if why else []
    return found


def modifiers_of(plan: Plan, versions: dict[str, FileVersion]) -> list[ContextModifier]:
    """Our own writes refresh what is known of the files; what is gone is forgotten."""
    found: list[ContextModifier] = [
        FileMoved(source=move.source, destination=move.destination) for move in plan.moves
    ]
    for one in plan.files:
        if not one.exists:
            found.append(FileForgotten(path=one.path))
        elif one.path in versions:
            version = versions[one.path]
            found.append(one.original.read_after(one.draft.changes, version, one.path))
    return found
