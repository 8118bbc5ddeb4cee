"""An agent with a tool and a hook of your own, and an answer as data."""

from ankrcode import Agent, Permission, hook, tool
from ankrcode.testing import ScriptedCall, ScriptedModel, Turn

STOCK = {"mango": 3, "guava": 0}


@tool(permission=Permission.READ)
def stock(fruit: str) -> int:
    """How many of a fruit there are."""
    return STOCK[fruit]


looked_up: list[str] = []


@hook("PreToolUse", matcher="stock")
def note(payload: dict[str, object]) -> None:
    looked_up.append(str(payload["tool_input"]))


SCRIPT: list[Turn | str] = [
    Turn(
        calls=tuple(ScriptedCall(name="stock", arguments={"fruit": fruit}) for fruit in STOCK),
    ),
    '{"sold_out": ["guava"]}',
]
SCHEMA = {
    "type": "object",
    "properties": {"sold_out": {"type": "array", "items": {"type": "string"}}},
    "required": ["sold_out"],
}

agent = Agent(
    ScriptedModel(SCRIPT), tools=[stock], hooks=[note], toolset=["stock"], allowed_tools=["stock"]
)
answer = agent.run_sync("What is sold out?", schema=SCHEMA)
print("looked up", *sorted(looked_up))
print(answer.structured)
