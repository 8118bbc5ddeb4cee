"""A small firm: a scripted parent, scripted children, and what became of them."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from ankrcode.agent.agent import Agent
from ankrcode.agent.answer import Answer
from ankrcode.protocol.message import Message, TextPart, ToolResultPart
from ankrcode.protocol.result import ToolResult
from ankrcode.providers.wire import ModelRequest
from ankrcode.testing import ScriptedCall, ScriptedModel, Turn

PATIENCE_S = 20  # a bound, never a wait


def call(name: str, /, **arguments: Any) -> ScriptedCall:
    return ScriptedCall(name=name, arguments=arguments)


def order(prompt: str = "look", kind: str = "explore", **more: Any) -> ScriptedCall:
    """A call of Task."""
    return call("Task", description="a piece", prompt=prompt, subagent_type=kind, **more)


def calls(*made: ScriptedCall, **more: Any) -> Turn:
    return Turn(calls=made, **more)


def text_of(message: Message) -> str:
    said = (part for part in message.parts if isinstance(part, TextPart | ToolResultPart))
    return "\n".join(part.text for part in said)


def system_of(request: ModelRequest) -> str:
    return "\n".join(text_of(one) for one in request.messages if one.role == "system")


class Firm:
    """`Firm(folder, turns)`; afterwards `results` are those of the first agent's calls."""

    def __init__(self, folder: Path, turns: Iterable[Any], **agent: Any) -> None:
        self.model = ScriptedModel(turns)
        self.results: list[ToolResult] = []
        self.agent = Agent(self.model, cwd=folder, **agent)
        self.kit = self.agent.kit
        self.kit.on("tool_call_end", self._ended)

    def _ended(self, event: Any) -> None:
        if event.agent_id == self.kit.agent.agent_id:
            self.results.append(event.result)

    async def run(self, task: str = "go") -> Answer:
        answer = await self.agent.run(task)
        self.kit.activity.flush()
        return answer

    @property
    def of_task(self) -> list[ToolResult]:
        """The results of Task alone."""
        return [one for one in self.results if "agent_id" in one.metadata or one.error]

    def request(self, holds: str) -> ModelRequest:
        """The first request whose first words are these."""
        for one in self.model.requests:
            first = next(message for message in one.messages if message.role == "user")
            if holds in text_of(first):
                return one
        raise AssertionError(f"nobody was asked to {holds!r}")

    def tools_told(self, holds: str) -> list[str]:
        return [one.name for one in self.request(holds).tools]


def answering(reply: Callable[[ModelRequest], Turn | str], number: int = 1) -> list[Any]:
    """So many turns that look at their request first."""
    return [reply] * number
