"""Take back what calls changed."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Annotated

from msgspec import Meta, Struct

from ankrcode.config.limits import PATHS_LISTED_CHARS
from ankrcode.errors import ErrorCode, ToolError
from ankrcode.protocol.acts import EVERYTHING, Acts, file
from ankrcode.protocol.approval import Preview
from ankrcode.protocol.modifier import FileForgotten
from ankrcode.protocol.permission import Permission
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.context import ToolContext
from ankrcode.tooling.durable import open_journal
from ankrcode.tooling.schema import ToolInput
from ankrcode.tooling.supervise import in_thread
from ankrcode.tooling.tool import Tool
from ankrcode.words import say
from ankrcode.workspace.journal.journal import Journal
from ankrcode.workspace.journal.preview import diff_of
from ankrcode.workspace.journal.states import real
from ankrcode.workspace.journal.undo import Plan, carry_out, chosen, planned, shown_path

_SIGNS = {"created": "+", "deleted": "-", "changed": "~"}
_LISTED = 50


class UndoInput(ToolInput):
    id: Annotated[str, Meta(description="A change or a call; by default the newest change")] = ""
    to: Annotated[str, Meta(description="Take back all that was changed after this one")] = ""
    preview: Annotated[bool, Meta(description="Only show what would be done")] = False


class UndoOutput(Struct, frozen=True, kw_only=True):
    ids: list[str]
    paths: list[str]
    conflicts: list[str]


class Undo(Tool[UndoInput]):
    name = "Undo"
    summary = "Take back what the last call changed, or all that was changed since one."
    permission = Permission.WRITE
    category = "files"
    output = UndoOutput
    shares_repeats = False
    is_journalled = False

    def acts(self, args: UndoInput, ctx: ToolContext) -> Acts:
        with journal_of(ctx) as journal:
            return acts_of(self._plan(args, journal), only_shown=args.preview)

    def subject(self, args: UndoInput) -> str:
        return args.id or args.to or "*"

    def preview(self, args: UndoInput, ctx: ToolContext) -> Preview:
        with journal_of(ctx) as journal:
            return preview_of(journal, self._plan(args, journal))

    async def run(self, args: UndoInput, ctx: ToolContext) -> ToolResult:
        return await in_thread(ctx, self._outcome, args, ctx)

    def _outcome(self, args: UndoInput, ctx: ToolContext) -> ToolResult:
        with journal_of(ctx) as journal:
            return outcome(journal, self._plan(args, journal), ctx, only_shown=args.preview)

    def _plan(self, args: UndoInput, journal: Journal) -> Plan:
        return planned(journal, chosen(journal.entries(), which=args.id, to=args.to))


@contextmanager
def journal_of(ctx: ToolContext) -> Iterator[Journal]:
    """The same journal that notes what calls change: it is shared by all that work here."""
    journal = open_journal(ctx.workspace, ctx.settings.undo, ctx.source)
    try:
        yield journal
    finally:
        journal.close()


def acts_of(plan: Plan, *, only_shown: bool) -> Acts:
    """It waits for whatever may still change something, and writes what the plan names."""
    paths = () if only_shown else tuple(real(step.path) for step in plan.steps)
    return Acts(reads=(EVERYTHING,), writes=tuple(map(file, paths)))


def preview_of(journal: Journal, plan: Plan) -> Preview:
    key = "redo_title" if plan.redone else "undo_title"
    body = "\n".join(diff_of(step, journal.blobs) for step in plan.steps[:_LISTED])
    return Preview(title=say(key, count=len(plan.ids)), body=body, format="diff")


def outcome(journal: Journal, plan: Plan, ctx: ToolContext, *, only_shown: bool) -> ToolResult:
    """Do it as it was allowed, or show it."""
    if only_shown:
        shown = preview_of(journal, plan)
        conflicts = [f"! {one.why}" for one in plan.conflicts]
        text = "\n".join(filter(None, (shown.body, *conflicts))) or nothing_of(plan)
        return _result(plan, (), text)
    if not plan.ids:
        return _result(plan, (), nothing_of(plan))
    allowed = frozenset(ctx.acts.writes)
    if not all(file(real(step.path)) in allowed for step in plan.steps):
        raise ToolError.of("undo_moved").coded(ErrorCode.CHANGED_SINCE_READ)
    done = carry_out(journal, plan, ctx.now())
    lines = [f"{_SIGNS[step.word]} {shown_path(step.path)}" for step in plan.steps[:_LISTED]]
    if len(plan.steps) > _LISTED:
        lines.append(say("changes_more", count=len(plan.steps) - _LISTED))
    return _result(plan, tuple(done), "\n".join(lines) or say("undo_was_so"))


def nothing_of(plan: Plan) -> str:
    return say("redo_nothing") if plan.redone else say("undo_nothing")


def listed(paths: Iterable[str]) -> Iterator[str]:
    """As many as a reader can use; how many they are stands beside them."""
    room = PATHS_LISTED_CHARS
    for path in paths:
        room -= len(path)
        if room < 0:
            return
        yield path


def _result(plan: Plan, done: tuple[str, ...], text: str) -> ToolResult:
    value = UndoOutput(
        ids=list(plan.ids),
        paths=list(listed(map(shown_path, done))),
        conflicts=[one.why for one in plan.conflicts],
    )
    title = say("redo_title" if plan.redone else "undo_title", count=len(plan.ids))
    forgotten = tuple(FileForgotten(path=real(path)) for path in done)
    return ToolResult(
        title=title,
        value=value,
        text=text,
        metadata={"changes": len(plan.ids), "paths": len(done)},
        modifiers=forgotten,
    )
