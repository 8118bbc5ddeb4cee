"""What a further agent says and does, line by line, for whoever looks at it while it works."""

from collections.abc import Iterator

import msgspec

from ankrcode.app import Toolkit
from ankrcode.protocol.event import Event, MessageAdded
from ankrcode.protocol.message import Message, TextPart, ToolResultPart, ToolUsePart
from ankrcode.workspace.processes.output import Output

_LINE_CHARS = 300


class Transcript:
    """Writes the messages of one agent to an output; `keep` goes on until `end`."""

    def __init__(self, kit: Toolkit, output: Output) -> None:
        self._agent_id = kit.agent.agent_id
        self._output = output
        self._events = kit.activity.reader("message")

    async def keep(self) -> None:
        async for event in self._events:
            self._take(event)

    def end(self) -> None:
        """What has arrived is still written."""
        self._events.close()

    def _take(self, event: Event) -> None:
        if isinstance(event, MessageAdded) and event.agent_id == self._agent_id:
            for line in lines(event.message):
                self.write(f"{line}\n")

    def write(self, text: str) -> None:
        self._output.write(memoryview(text.encode(errors="replace")))


def lines(message: Message) -> Iterator[str]:
    for part in message.parts:
        match part:
            case TextPart() if message.role == "assistant":
                yield part.text
            case TextPart():
                yield _short(f"> {part.text}")
            case ToolUsePart():
                yield _short(f"● {part.name} {msgspec.json.encode(part.arguments).decode()}")
            case ToolResultPart():
                yield _short(f"  {'✗' if part.is_error else '→'} {part.text}")


def _short(text: str) -> str:
    line = " ".join(text.split()) if "\n" in text else text
    indent = text[: len(text) - len(text.lstrip())] if "\n" in text else ""
    line = indent + line
    return line if len(line) <= _LINE_CHARS else f"{line[:_LINE_CHARS]}…"
