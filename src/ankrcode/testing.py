"""Test doubles for authors of tools: the real pipeline around one tool, a fake person before it."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ankrcode.app import AnyTool, Toolkit
from ankrcode.protocol.approval import Approval, ApprovalAnswer
from ankrcode.protocol.call import ToolCall
from ankrcode.protocol.event import Event, ToolOutputChunk, ToolProgressed
from ankrcode.protocol.permission import Mode
from ankrcode.protocol.result import ToolResult
from ankrcode.providers.scripted import ScriptedCall, ScriptedModel, Turn
from ankrcode.tooling.identity import SystemSource
from ankrcode.tooling.registry import Registry

__all__ = [
    "NO",
    "YES",
    "Bench",
    "FakePerson",
    "FixedSource",
    "ScriptedCall",
    "ScriptedModel",
    "Turn",
]

YES = ApprovalAnswer(approved=True)
NO = ApprovalAnswer(approved=False)


class FakePerson:
    """Answers approvals from a list and remembers what was asked; without an answer, no."""

    def __init__(self, answers: Iterable[ApprovalAnswer] = ()) -> None:
        self.answers = list(answers)
        self.asked: list[Approval] = []

    async def __call__(self, approval: Approval) -> ApprovalAnswer:
        self.asked.append(approval)
        return self.answers.pop(0) if self.answers else NO


class FixedSource(SystemSource):
    """Time that never passes by itself, and ids that count up: each run is the same."""

    def __init__(self, now: float = 1_000_000.0) -> None:
        self.time = now
        self._count = 0

    def now(self) -> float:
        return self.time

    def monotonic(self) -> float:
        return self.time

    def new_id(self, prefix: str) -> str:
        self._count += 1
        return f"{prefix}_{self._count}"


class Bench:
    """One tool on the bench: `result = await Bench(MyTool, tmp_path).run(name="x")`."""

    def __init__(
        self,
        tool: AnyTool,
        folder: Path | str = ".",
        *,
        mode: Mode | str = Mode.DEFAULT,
        answers: Iterable[ApprovalAnswer] = (),
        **toolkit: Any,
    ) -> None:
        self.person = FakePerson(answers)
        registry = Registry([tool])
        self.name = registry.names[0]
        self.kit = Toolkit(cwd=folder, mode=mode, approve=self.person, registry=registry, **toolkit)
        self._events: list[Event] = []
        self.kit.on("*", self._events.append)

    async def run(self, /, **arguments: Any) -> ToolResult:
        return await self.kit.call(self.name, arguments)

    async def run_raw(self, arguments: Any) -> ToolResult:
        """Whatever a model might send, also what is not an object."""
        return await self.kit.call_raw(ToolCall(name=self.name, arguments=arguments))

    @property
    def events(self) -> list[Event]:
        """Everything that was published so far."""
        self.kit.activity.flush()
        return list(self._events)

    @property
    def event_types(self) -> list[str]:
        return [event.type for event in self.events]

    @property
    def output(self) -> str:
        """What the tool streamed."""
        return "".join(event.text for event in self.events if isinstance(event, ToolOutputChunk))

    @property
    def progress(self) -> list[str]:
        return [event.text for event in self.events if isinstance(event, ToolProgressed)]

    @property
    def asked(self) -> list[Approval]:
        """What the person was asked."""
        return self.person.asked
