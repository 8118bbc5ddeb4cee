"""An agent at work: here a script speaks for the model, so this runs without a key.

With a real one it is the same: `Agent("anthropic/claude-sonnet-4-5")`.
"""

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory

from ankrcode import Agent
from ankrcode.protocol.event import TextArrived, ToolCallEnded
from ankrcode.testing import ScriptedCall, ScriptedModel, Turn

SCRIPT: list[Turn | str] = [
    Turn(text="Let me look.", calls=(ScriptedCall(name="Read", arguments={"file_path": "a.py"}),)),
    Turn(
        text="A minus where a plus belongs.",
        calls=(
            ScriptedCall(
                name="Edit",
                arguments={"file_path": "a.py", "old_string": "a - b", "new_string": "a + b"},
            ),
        ),
    ),
    "`add` adds now. I did not run anything.",
]


async def main(folder: Path) -> None:
    (folder / "a.py").write_text("def add(a, b):\n    return a - b\n", encoding="utf-8")
    async with Agent(ScriptedModel(SCRIPT), cwd=folder, mode="acceptEdits") as agent:
        async for event in agent.stream("add() is wrong, mend it"):
            match event:
                case TextArrived(text=text):
                    print("it says –", text)
                case ToolCallEnded(tool=name, success=success):
                    print("it used –", name, success)
        answer = agent.answer
    assert answer is not None
    print(answer.subtype, answer.turns)
    print((folder / "a.py").read_text(encoding="utf-8").splitlines()[1].strip())


with TemporaryDirectory() as place:
    asyncio.run(main(Path(place)))
