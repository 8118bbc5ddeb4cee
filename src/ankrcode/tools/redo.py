"""Make again what was taken back."""

from typing import Annotated

from msgspec import Meta

from ankrcode.protocol.acts import Acts
from ankrcode.protocol.approval import Preview
from ankrcode.protocol.permission import Permission
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.context import ToolContext
from ankrcode.tooling.schema import ToolInput
from ankrcode.tooling.supervise import in_thread
from ankrcode.tooling.tool import Tool
from ankrcode.tools.undo import UndoOutput, acts_of, journal_of, outcome, preview_of
from ankrcode.workspace.journal.journal import Journal
from ankrcode.workspace.journal.undo import Plan, chosen, planned


class RedoInput(ToolInput):
    id: Annotated[str, Meta(description="A change or a call; by default what was undone last")] = ""
    preview: Annotated[bool, Meta(description="Only show what would be done")] = False


class Redo(Tool[RedoInput]):
    name = "Redo"
    summary = "Make again what was taken back last, all of it at once."
    permission = Permission.WRITE
    category = "files"
    output = UndoOutput
    shares_repeats = False
    is_journalled = False

    def acts(self, args: RedoInput, ctx: ToolContext) -> Acts:
        with journal_of(ctx) as journal:
            return acts_of(self._plan(args, journal), only_shown=args.preview)

    def subject(self, args: RedoInput) -> str:
        return args.id or "*"

    def preview(self, args: RedoInput, ctx: ToolContext) -> Preview:
        with journal_of(ctx) as journal:
            return preview_of(journal, self._plan(args, journal))

    async def run(self, args: RedoInput, ctx: ToolContext) -> ToolResult:
        return await in_thread(ctx, self._outcome, args, ctx)

    def _outcome(self, args: RedoInput, ctx: ToolContext) -> ToolResult:
        with journal_of(ctx) as journal:
            return outcome(journal, self._plan(args, journal), ctx, only_shown=args.preview)

    def _plan(self, args: RedoInput, journal: Journal) -> Plan:
        entries = chosen(journal.entries(), redone=True, which=args.id)
        return planned(journal, entries, redone=True)
