"""Understands Bedrock's Converse: blocks that start, grow and stop, in frames or whole."""

from typing import Any

from ankrcode.protocol.message import Usage
from ankrcode.protocol.stream import StopReason
from ankrcode.providers.wire import Target
from ankrcode.providers.wires.answer import Answer
from ankrcode.providers.wires.loose import (
    Malformed,
    count,
    decoded,
    encoded_text,
    items,
    key,
    mapping,
    text,
)
from ankrcode.providers.wires.opaque import hidden_content

_STOPS = {
    "end_turn": StopReason.END,
    "tool_use": StopReason.TOOL_USE,
    "max_tokens": StopReason.LENGTH,
    "model_context_window_exceeded": StopReason.LENGTH,
    "stop_sequence": StopReason.STOP_SEQUENCE,
    "guardrail_intervened": StopReason.REFUSAL,
    "content_filtered": StopReason.REFUSAL,
}
_BLOCK_EVENTS = ("contentBlockStart", "contentBlockDelta", "contentBlockStop")
_EVENTS = ("messageStart", *_BLOCK_EVENTS, "messageStop", "metadata")


class BedrockReader:
    """One answer. Usage comes after the stop, so the end is where the metadata is."""

    def __init__(self, target: Target) -> None:
        self.answer = Answer(target)
        self.answer.calls.are_shut_by_wire = True
        self._thoughts: dict[object, tuple[str, str]] = {}  # signature and hidden content, by block

    def take(self, name: str, event: Any) -> None:
        event = mapping(event)
        if name == "error" or name.endswith("Exception"):
            self._fail(event)
            return
        if name not in _EVENTS:  # some put the name around the payload
            name = next((known for known in (*_EVENTS, *event) if known in event), name)
            if name.endswith("Exception"):
                self._fail({"__type": name, "said": event[name]})
                return
            event = mapping(event.get(name)) if name in _EVENTS else event
        index = key(event.get("contentBlockIndex"))
        match name:
            case "contentBlockDelta":
                self._grow(index, mapping(event.get("delta")))
            case "contentBlockStart":
                self._start(index, mapping(mapping(event.get("start")).get("toolUse")))
            case "contentBlockStop":
                self._close(index)
            case "messageStop":
                self._stop(event.get("stopReason"))
            case "metadata":
                self._use(mapping(event.get("usage")))
                if self.answer.has_stop:
                    self.answer.finish()

    def take_whole(self, body: Any) -> None:
        body = mapping(body)
        message = mapping(mapping(body.get("output")).get("message"))
        if not message and not body.get("stopReason"):
            self.answer.fail_said(body)
            return
        for index, block in enumerate(items(message.get("content"))):
            self._block(index, mapping(block))
        self._use(mapping(body.get("usage")))
        self._stop(body.get("stopReason"))

    def _fail(self, event: dict[str, Any]) -> None:
        said = event.get("said", event)
        if isinstance(said, str):
            try:
                said = decoded(said)
            except Malformed:
                said = {"message": said}
        name = text(event.get("__type"))
        self.answer.fail_said(said, name)

    def _block(self, index: int, block: dict[str, Any]) -> None:
        if "text" in block:
            self.answer.text(text(block["text"]))
        for part in items(mapping(block.get("citationsContent")).get("content")):
            self.answer.text(text(mapping(part).get("text")))
        use, thought = block.get("toolUse"), mapping(block.get("reasoningContent"))
        if thought:
            said = mapping(thought.get("reasoningText"))
            self._grow(index, {"reasoningContent": {**thought, **said}})
        if isinstance(use, dict):
            self._start(index, use)
            if use.get("input"):
                self.answer.calls.grow(index, encoded_text(use["input"]))
        self._close(index)

    def _start(self, index: object, use: dict[str, Any]) -> None:
        self.answer.calls.settle()
        if use and use.get("type") != "server_tool_use":  # which runs at the vendor
            self.answer.open_call(index, text(use.get("toolUseId")), text(use.get("name")))

    def _grow(self, index: object, delta: dict[str, Any]) -> None:
        if "text" in delta:
            self.answer.text(text(delta["text"]))
        if "toolUse" in delta:
            piece = mapping(delta["toolUse"]).get("input")
            self.answer.calls.grow(index, text(piece))
        if "reasoningContent" in delta:
            thought = mapping(delta["reasoningContent"])
            self.answer.think(text(thought.get("text")))
            signature, hidden = self._thoughts.get(index, ("", ""))
            signature += text(thought.get("signature"))
            hidden += text(thought.get("redactedContent"))
            self._thoughts[index] = (signature, hidden)

    def _close(self, index: object) -> None:
        if index in self._thoughts:
            signature, hidden = self._thoughts.pop(index)
            self.answer.close_thought(signature, hidden_content(hidden) if hidden else "")
        self.answer.calls.shut(index)

    def _stop(self, raw: object) -> None:
        if isinstance(raw, str) and raw:
            self.answer.stop(_STOPS.get(raw, StopReason.OTHER), raw)

    def _use(self, said: dict[str, Any]) -> None:
        cached, written = (
            count(said.get("cacheReadInputTokens")),
            count(said.get("cacheWriteInputTokens")),
        )
        self.answer.use(
            Usage(
                input_tokens=count(said.get("inputTokens")) + cached + written,
                output_tokens=count(said.get("outputTokens")),
                cached_tokens=cached,
                written_tokens=written,
            )
        )
