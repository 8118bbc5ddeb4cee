"""An answer in pieces while it comes, in the events that clients put a message together from:
begun, block by block, ended."""

from collections.abc import Iterator
from typing import Any, Literal
from uuid import uuid4

from ankrcode.frontends.cli.lines import as_json
from ankrcode.frontends.cli.print_mode import usage_of
from ankrcode.protocol.message import Message, ToolUsePart, Usage

Piece = dict[str, Any]
Kind = Literal["text", "thinking"]
_NONE = Usage()


class Pieces:
    """Those of one answer. Nothing is told of an answer that never came."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._index = -1  # of the block that grows; before the first there is no message
        self._kind = ""  # empty where none is open
        self._has_begun = False

    def grew(self, kind: Kind, text: str) -> Iterator[Piece]:
        if kind != self._kind:
            yield from self._open({"type": kind, kind: ""})
            self._kind = kind
        yield self._delta({"type": f"{kind}_delta", kind: text})

    def ended(self, message: Message | None = None, usage: Usage = _NONE) -> Iterator[Piece]:
        """With its calls, which come whole; without a message nothing is kept of it."""
        calls = [part for part in message.parts if isinstance(part, ToolUsePart)] if message else []
        for call in calls:
            yield from self._open(
                {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}
            )
            given = as_json(call.arguments).decode()
            yield self._delta({"type": "input_json_delta", "partial_json": given})
            self._kind = "tool_use"
        if not self._has_begun:
            return
        yield from self._close()
        reason = ("tool_use" if calls else "end_turn") if message else None
        delta = {"stop_reason": reason, "stop_sequence": None}
        yield {"type": "message_delta", "delta": delta, "usage": usage_of(usage)}
        yield {"type": "message_stop"}

    def _open(self, block: Piece) -> Iterator[Piece]:
        if not self._has_begun:
            self._has_begun = True
            yield self._first()
        yield from self._close()
        self._index += 1
        yield {"type": "content_block_start", "index": self._index, "content_block": block}

    def _close(self) -> Iterator[Piece]:
        if self._kind:
            self._kind = ""
            yield {"type": "content_block_stop", "index": self._index}

    def _delta(self, delta: Piece) -> Piece:
        return {"type": "content_block_delta", "index": self._index, "delta": delta}

    def _first(self) -> Piece:
        message: Piece = {
            "id": f"message_{uuid4().hex[:16]}",
            "type": "message",
            "role": "assistant",
            "model": self._model,
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": usage_of(_NONE),
        }
        return {"type": "message_start", "message": message}
