"""A scripted model in front of the real loop, the real tools and real files."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from ankrcode.agent.agent import Agent
from ankrcode.protocol.message import Message, TextPart, ToolResultPart, ToolUsePart
from ankrcode.providers.scripted import ScriptedCall, ScriptedModel, Turn
from ankrcode.providers.wire import ModelRequest


def call(name: str, /, **arguments: Any) -> ScriptedCall:
    return ScriptedCall(name=name, arguments=arguments)


def calls(*some: ScriptedCall, text: str = "", **more: Any) -> Turn:
    return Turn(text=text, calls=some, **more)


def agent_in(
    folder: Path, turns: Iterable[Any], *, context_tokens: int = 128_000, **more: Any
) -> tuple[Agent, ScriptedModel]:
    model = ScriptedModel(turns, context_tokens=context_tokens)
    return Agent(model, cwd=folder, **more), model


def texts(message: Message) -> str:
    return "\n".join(part.text for part in message.parts if isinstance(part, TextPart))


def results(message: Message) -> list[str]:
    return [part.text for part in message.parts if isinstance(part, ToolResultPart)]


def said(request: ModelRequest) -> list[Message]:
    return [one for one in request.messages if one.role != "system"]


def check_accepted(messages: Sequence[Message]) -> None:
    """A provider takes it: roles take turns, and each call has one result, right after it."""
    asked: list[str] = []
    role = "assistant"
    for message in (one for one in messages if one.role != "system"):
        assert message.role != role, "two messages of one side in a row"
        role = message.role
        assert message.parts
        told = [part.tool_use_id for part in message.parts if isinstance(part, ToolResultPart)]
        assert told == asked, "results do not fit the calls before them"
        asked = [part.id for part in message.parts if isinstance(part, ToolUsePart)]
        assert len(set(asked)) == len(asked)
        assert not asked or role == "assistant"
    assert not asked, "calls without results"


def check_prefixes(requests: Sequence[ModelRequest]) -> None:
    """Request n is the beginning of request n + 1, to the letter."""
    for one, following in pairwise(requests):
        count = len(one.messages)
        assert tuple(following.messages[:count]) == tuple(one.messages)
        assert following.tools == one.tools
