"""Who may do what: a person who is asked, and a hook that looks at every call first."""

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

from ankrcode import (
    Acts,
    Approval,
    ApprovalAnswer,
    HookAnswer,
    Permission,
    ToolCall,
    ToolContext,
    Toolkit,
    ToolResult,
    tool,
)

MAX_CHARS = 20


def writes_note(args: Any, ctx: ToolContext) -> Acts:
    """What a call touches: the person sees it, and nothing else is touched meanwhile."""
    return Acts(writes=(f"file:{ctx.cwd}/note.txt",))


@tool(permission=Permission.WRITE, acts=writes_note)
def save_note(text: Annotated[str, "What to write down"], ctx: ToolContext) -> str:
    """Save a note in the workspace."""
    Path(ctx.cwd, "note.txt").write_text(text, encoding="utf-8")
    return "saved"


async def ask_person(approval: Approval) -> ApprovalAnswer:
    """A real one would show a dialog; this one allows short notes only."""
    print(f"May {approval.tool} run? {approval.reason}")
    is_short = len(approval.arguments["text"]) < MAX_CHARS
    return ApprovalAnswer(approved=is_short, feedback="" if is_short else "Keep it short.")


class NoSecrets:
    """A hook: it may refuse a call, rewrite it, or ask for a person."""

    async def before(self, call: ToolCall, ctx: ToolContext) -> HookAnswer | None:
        if "password" in str(call.arguments):
            return HookAnswer(decision="deny", reason="no passwords in notes.")
        return None

    async def after(self, call: ToolCall, result: ToolResult, ctx: ToolContext) -> None:
        print(f"{call.name} went well")

    async def failed(self, call: ToolCall, result: ToolResult, ctx: ToolContext) -> None:
        print(f"{call.name} failed")


async def main(folder: str) -> None:
    kit = Toolkit([save_note], cwd=folder, approve=ask_person, hooks=[NoSecrets()])
    for text in ("buy mangoes", "my password is 1234", "a note that is far too long"):
        result = await kit.call("save_note", text=text)
        print("→", result.text)


with TemporaryDirectory() as folder:
    asyncio.run(main(folder))
