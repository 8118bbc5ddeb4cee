"""Run many calls at once, in the order they came, and watch what happens."""

import asyncio
from typing import Annotated

from ankrcode import Event, Permission, ToolCall, ToolContext, Toolkit, tool


@tool(permission=Permission.READ)
async def ripen(fruit: Annotated[str, "Which fruit"], ctx: ToolContext) -> str:
    """Wait a moment, and say so while waiting."""
    ctx.progress(f"{fruit} is ripening", fraction=0.5)
    await asyncio.sleep(0.1)
    return f"{fruit} is ripe"


def show(event: Event) -> None:
    print("event:", event.type)


async def main() -> None:
    kit = Toolkit([ripen])
    unsubscribe = kit.on("tool_progress", show)
    calls = [ToolCall(name="ripen", arguments={"fruit": f}) for f in ("mango", "guava", "lychee")]
    for result in await kit.call_all(calls):  # all three ripen at once
        print(result.text)
    unsubscribe()


asyncio.run(main())
