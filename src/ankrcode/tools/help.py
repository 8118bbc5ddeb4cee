"""What can be done here, with examples in the person's language."""

from typing import Annotated

from msgspec import Meta, Struct

from ankrcode import tools
from ankrcode.errors import ErrorCode, ToolError
from ankrcode.protocol.acts import NOTHING, Acts
from ankrcode.protocol.permission import Permission
from ankrcode.protocol.result import ToolResult
from ankrcode.tooling.context import ToolContext
from ankrcode.tooling.schema import ToolInput
from ankrcode.tooling.tool import Tool
from ankrcode.words import say

_LINES = (
    *("help_intro", "help_read", "help_find", "help_change", "help_files", "help_run"),
    *("help_git", "help_undo", "help_script"),
)


class HelpInput(ToolInput):
    topic: Annotated[str, Meta(description="A tool to be told about; by default an overview")] = ""
    language: Annotated[
        str, Meta(description="The language of the examples, such as hi, ta or hi-Latn")
    ] = ""


class HelpOutput(Struct, frozen=True, kw_only=True):
    text: str


class Help(Tool[HelpInput]):
    name = "Help"
    summary = "Show what can be done here, with examples in six languages."
    permission = Permission.READ
    category = "other"
    output = HelpOutput
    quiet = True

    def acts(self, args: HelpInput, ctx: ToolContext) -> Acts:
        return NOTHING

    async def run(self, args: HelpInput, ctx: ToolContext) -> ToolResult:
        language = args.language or ctx.settings.language
        text = about(args.topic) if args.topic else overview(language, ctx.options.tools)
        return ToolResult(
            title=f"{self.name} {args.topic}".strip(),
            value=HelpOutput(text=text),
            text=text,
            metadata={"language": language},
        )


def overview(language: str, names: tuple[str, ...]) -> str:
    lines = [say(key, language=language) for key in _LINES]
    return "\n".join([*lines, say("help_tools", language=language, names=", ".join(names))])


def about(topic: str) -> str:
    """One tool: what it is for, and what a model is told about it."""
    for one in tools.definitions().values():
        if one.name.lower() == topic.lower():
            return f"{one.name}: {one.summary}\n\n{one.description}".rstrip()
    names = ", ".join(sorted(one.name for one in tools.definitions().values()))
    error = ToolError.of("unknown_tool", name=topic, names=names)
    raise error.coded(ErrorCode.INVALID_INPUT, topic=topic)
