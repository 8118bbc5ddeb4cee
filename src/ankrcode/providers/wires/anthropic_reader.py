"""Understands the events of Anthropic's Messages: blocks that start, grow and stop."""

from typing import Any

from ankrcode.protocol.message import Usage
from ankrcode.protocol.stream import FailureKind, StopReason
from ankrcode.providers.wire import Target
from ankrcode.providers.wires.answer import Answer
from ankrcode.providers.wires.loose import (
    count,
    encoded_text,
    is_bare_error,
    items,
    key,
    mapping,
    text,
)
from ankrcode.providers.wires.opaque import redacted_block

_STOPS = {
    "end_turn": StopReason.END,
    "tool_use": StopReason.TOOL_USE,
    "max_tokens": StopReason.LENGTH,
    "model_context_window_exceeded": StopReason.LENGTH,
    "stop_sequence": StopReason.STOP_SEQUENCE,
    "refusal": StopReason.REFUSAL,
    "pause_turn": StopReason.PAUSE,
}


class AnthropicReader:
    """One answer. Blocks of tools that run at the vendor are none of our business."""

    def __init__(self, target: Target) -> None:
        self.answer = Answer(target)
        self.answer.calls.are_shut_by_wire = True
        self._signatures: dict[object, str] = {}  # of blocks of thought that are open
        self._inputs: dict[object, dict[str, Any]] = {}  # whole arguments at the start of a block
        self._counted: dict[str, Any] = {}
        self._id = ""

    def take(self, name: str, event: Any) -> None:
        event = event if isinstance(event, dict) else {"type": "error", "error": event}
        index = key(event.get("index"))
        match event.get("type") or name:
            case "content_block_delta":
                self._grow(index, mapping(event.get("delta")))
            case "content_block_start":
                self._start(index, mapping(event.get("content_block")))
            case "content_block_stop":
                self._close(index)
            case "message_start":
                self._begin(mapping(event.get("message")))
            case "message_delta":
                self._count(event.get("usage"))
                self._stop(mapping(event.get("delta")).get("stop_reason"))
            case "message_stop":
                self.answer.finish()
            case "error":
                self.answer.fail_said(event)
            case _:
                is_ours = "type" in event and event.get("object") != "error"
                if event.get("error") or (not is_ours and is_bare_error(event)):
                    self.answer.fail_said(event)

    def take_whole(self, body: Any) -> None:
        body = mapping(body)
        if body.get("type") == "error" or "content" not in body:
            self.answer.fail_said(body)
            return
        self.answer.calls.seed = text(body.get("id"))
        for index, block in enumerate(items(body["content"])):
            self._start(index, mapping(block))
            self._close(index)
        self._count(body.get("usage"))
        self._stop(body.get("stop_reason"))

    def _begin(self, message: dict[str, Any]) -> None:
        """A message that begins within another is somebody's second attempt: neither is whole."""
        message_id = text(message.get("id"))
        if self.answer.has_begun and message_id != self._id:
            self.answer.fail_with(FailureKind.PROTOCOL, "wire_spliced")
            return
        self._id = self.answer.calls.seed = message_id
        self._count(message.get("usage"))

    def _start(self, index: object, block: dict[str, Any]) -> None:
        answer = self.answer
        answer.calls.settle()
        match block.get("type"):
            case "text":
                answer.text(text(block.get("text")))
            case "thinking":
                self._signatures[index] = text(block.get("signature"))
                answer.think(text(block.get("thinking")))
            case "redacted_thinking":
                answer.close_thought(opaque=redacted_block(text(block.get("data"))))
            case "tool_use":
                answer.open_call(index, text(block.get("id")), text(block.get("name")))
                self._inputs[index] = mapping(block.get("input"))

    def _grow(self, index: object, delta: dict[str, Any]) -> None:
        match delta.get("type"):
            case "text_delta":
                self.answer.text(text(delta.get("text")))
            case "input_json_delta":
                self.answer.calls.grow(index, text(delta.get("partial_json")))
            case "thinking_delta":
                self._signatures.setdefault(index, "")
                self.answer.think(text(delta.get("thinking")))
            case "signature_delta":
                signature = self._signatures.get(index, "")
                self._signatures[index] = signature + text(delta.get("signature"))

    def _close(self, index: object) -> None:
        if index in self._signatures:
            self.answer.close_thought(self._signatures.pop(index))
        call = self.answer.calls.get(index)
        if call is not None:
            given = self._inputs.pop(index, {})
            if given and call.is_empty:
                self.answer.calls.grow(index, encoded_text(given))
            self.answer.calls.shut(index)

    def _stop(self, raw: object) -> None:
        if isinstance(raw, str) and raw:
            self.answer.stop(_STOPS.get(raw, StopReason.OTHER), raw)

    def _count(self, usage: object) -> None:
        """Later numbers are totals and replace earlier ones; what they leave out stays."""
        self._counted.update({k: v for k, v in mapping(usage).items() if v is not None})
        said = self._counted
        cached, written = (
            count(said.get("cache_read_input_tokens")),
            count(said.get("cache_creation_input_tokens")),
        )
        self.answer.use(
            Usage(
                input_tokens=count(said.get("input_tokens")) + cached + written,
                output_tokens=count(said.get("output_tokens")),
                cached_tokens=cached,
                written_tokens=written,
                thinking_tokens=count(
                    mapping(said.get("output_tokens_details")).get("thinking_tokens")
                ),
            )
        )
