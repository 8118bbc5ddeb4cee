"""Say something to the person."""

from typing import Annotated

from msgspec import Meta, Struct

from ankrcode.protocol.acts import NOTHING, Acts
from ankrcode.protocol.permission import Permission
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.context import ToolContext
from ankrcode.tooling.schema import ToolInput
from ankrcode.tooling.tool import Tool

_TITLE_CHARS = 60


class SayInput(ToolInput):
    text: Annotated[str, Meta(description="What to say")]


class SayOutput(Struct, frozen=True, kw_only=True):
    text: str


class Say(Tool[SayInput]):
    name = "Say"
    summary = "Show words to the person, exactly as they are given."
    permission = Permission.READ
    category = "other"
    output = SayOutput
    quiet = True
    shares_repeats = False

    def acts(self, args: SayInput, ctx: ToolContext) -> Acts:
        return NOTHING

    async def run(self, args: SayInput, ctx: ToolContext) -> ToolResult:
        return ToolResult(
            title=args.text[:_TITLE_CHARS] or self.name,
            value=SayOutput(text=args.text),
            text=args.text or "\n",  # also nothing is said as it is
            metadata={"characters": len(args.text)},
        )
