"""JSON lines while a task goes on, in the shape that clients of Claude-Code-style agents read.

`system`/`init` first, then `assistant` and `user` (tool results) messages, `stream_event` pieces of
answers if they are wanted, `system`/`notice`, and the `result` last.
"""

from collections.abc import Iterable
from typing import Any
from uuid import uuid4

from ankrcode.agent.answer import Answer
from ankrcode.app import Toolkit
from ankrcode.frontends.cli.lines import write_line
from ankrcode.frontends.cli.pieces import Kind, Pieces
from ankrcode.frontends.cli.print_mode import noticed, result_of, tell, usage_of
from ankrcode.protocol.event import (
    Event,
    MessageAdded,
    Noticed,
    TextArrived,
    ThinkingArrived,
    ToolMetadataChanged,
)
from ankrcode.protocol.message import Message, ToolResultPart, Usage
from ankrcode.sessions.transcript import block
from ankrcode.version import __version__

Line = dict[str, Any]
_NONE = Usage()
_VOID = ("model_waits", "model_switched")  # what came of an answer so far counts no more


def first_line(
    session_id: str, *, cwd: str, model: str, mode: str, tools: Iterable[str] = ()
) -> Line:
    """Also where nothing could be begun: whoever reads relies on it."""
    return {
        "type": "system",
        "subtype": "init",
        "session_id": session_id,
        "cwd": cwd,
        "model": model,
        "permissionMode": str(mode),
        "tools": list(tools),
        "mcp_servers": [],
        "slash_commands": [],
        "apiKeySource": "none",  # clients want it; whose key it is, is not told
        "version": __version__,
        "uuid": str(uuid4()),
    }


def last_line(result: Line) -> Line:
    """The same result as `json` has; here each line has an id of its own."""
    return {**result, "uuid": str(uuid4())}


class StreamPrinter:
    """Writes each line as soon as it is known."""

    wants_events = True

    def __init__(
        self,
        kit: Toolkit,
        model: str,
        tools: Iterable[str],
        *,
        is_partial: bool = False,
        is_data: bool = False,
    ) -> None:
        self._kit = kit
        self._is_data = is_data
        self._model = model
        self._is_partial = is_partial
        self._pieces: dict[str, Pieces] = {}  # of answers that are still coming, by agent
        self._parents: dict[str, str] = {}  # further agents, and the calls that began them
        agent = kit.agent
        where = agent.workspace.cwd
        write_line(first_line(agent.session_id, cwd=where, model=model, mode=kit.mode, tools=tools))

    def show(self, event: Event) -> None:
        match event:
            case MessageAdded():
                if event.message.role == "assistant":
                    self._end_pieces(event, event.message, event.usage)
                self._message(event)
            case ToolMetadataChanged() if "agent_id" in event.metadata:
                self._parents[event.metadata["agent_id"]] = event.call_id
            case Noticed():
                if event.key in _VOID:
                    self._end_pieces(event)
                line = {"type": "system", "subtype": "notice", "message": noticed(event)}
                self._line(line)
            case TextArrived() if self._is_partial:
                self._grew(event, "text", event.text)
            case ThinkingArrived() if self._is_partial:
                self._grew(event, "thinking", event.text)

    def end(self, answer: Answer) -> None:
        self._pieces.clear()
        write_line(last_line(result_of(answer, is_data=self._is_data)))
        if answer.error:
            tell(answer.error)

    def _message(self, event: MessageAdded) -> None:
        message = event.message
        content = [block(part) for part in message.parts]
        if message.role == "assistant":
            said: Line = {
                "id": message.id,
                "type": "message",
                "role": "assistant",
                "model": self._model,
            }
            said |= {"content": content, "stop_reason": None, "usage": usage_of(event.usage)}
            self._line({"type": "assistant", "message": said}, event)
        elif any(isinstance(part, ToolResultPart) for part in message.parts):
            self._line({"type": "user", "message": {"role": "user", "content": content}}, event)

    def _grew(self, event: Event, kind: Kind, text: str) -> None:
        answer = self._pieces.setdefault(event.agent_id, Pieces(self._model))
        for piece in answer.grew(kind, text):
            self._line({"type": "stream_event", "event": piece}, event)

    def _end_pieces(
        self, event: Event, message: Message | None = None, usage: Usage = _NONE
    ) -> None:
        if not self._is_partial:
            return
        answer = self._pieces.pop(event.agent_id, None) or Pieces(self._model)
        for piece in answer.ended(message, usage):
            self._line({"type": "stream_event", "event": piece}, event)

    def _line(self, line: Line, event: Event | None = None) -> None:
        line["parent_tool_use_id"] = self._parents.get(event.agent_id) if event else None
        line["session_id"] = self._kit.agent.session_id
        line["uuid"] = str(uuid4())
        write_line(line)
