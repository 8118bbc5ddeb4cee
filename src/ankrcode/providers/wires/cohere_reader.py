"""Understands Cohere's own Chat (version 2): contents and calls that start, grow and end."""

from typing import Any

from ankrcode.protocol.message import Usage
from ankrcode.protocol.stream import StopReason
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

_STOPS = {
    "COMPLETE": StopReason.END,
    "STOP_SEQUENCE": StopReason.STOP_SEQUENCE,
    "MAX_TOKENS": StopReason.LENGTH,
    "TOOL_CALL": StopReason.TOOL_USE,
    "ERROR_TOXIC": StopReason.REFUSAL,
}
_FAILED_STOPS = ("ERROR", "ERROR_LIMIT", "TIMEOUT", "USER_CANCEL")


class CohereReader:
    """One answer. The plan a model makes before its calls is told as thought."""

    def __init__(self, target: Target) -> None:
        self.answer = Answer(target)
        self.answer.calls.are_shut_by_wire = True

    def take(self, name: str, event: Any) -> None:
        event = event if isinstance(event, dict) else {"type": "error", "message": event}
        delta = mapping(event.get("delta"))
        message = mapping(delta.get("message"))
        index = key(event.get("index"))
        match event.get("type") or name:
            case "content-delta" | "content-start":
                self._content(mapping(message.get("content")))
            case "tool-plan-delta":
                self.answer.think(text(message.get("tool_plan")))
            case "tool-call-start":
                self._open(index, mapping(message.get("tool_calls")))
            case "tool-call-delta":
                self._grow(index, mapping(message.get("tool_calls")))
            case "tool-call-end":
                self.answer.calls.shut(index)
            case "message-start":
                self.answer.calls.seed = text(event.get("id"))
            case "message-end":
                self._end(delta)
            case _:
                is_ours = "type" in event and event.get("object") != "error"
                is_bare = not is_ours and is_bare_error(event)
                if name == "error" or is_bare or event.get("message") or event.get("error"):
                    self.answer.fail_said(event)

    def take_whole(self, body: Any) -> None:
        message = body.get("message")
        if not isinstance(message, dict):
            self.answer.fail_said(body)
            return
        self.answer.calls.seed = text(body.get("id"))
        self.answer.think(text(message.get("tool_plan")))
        for content in items(message.get("content")):
            self._content(mapping(content))
        for index, call in enumerate(map(mapping, items(message.get("tool_calls")))):
            self._open(index, call)
            self.answer.calls.shut(index)
        self._end(body)

    def _content(self, content: dict[str, Any]) -> None:
        self.answer.think(text(content.get("thinking")))
        self.answer.text(text(content.get("text")))

    def _open(self, index: int | str | None, call: dict[str, Any]) -> None:
        function = mapping(call.get("function"))
        self.answer.open_call(index, text(call.get("id")), text(function.get("name")))
        self._grow(index, call)

    def _grow(self, index: int | str | None, call: dict[str, Any]) -> None:
        arguments = mapping(call.get("function")).get("arguments")
        if isinstance(arguments, dict):
            arguments = encoded_text(arguments)
        self.answer.calls.grow(index, text(arguments))

    def _end(self, said: dict[str, Any]) -> None:
        self._use(mapping(said.get("usage")))
        raw = text(said.get("finish_reason"))
        if raw in _FAILED_STOPS or said.get("error"):
            told = said.get("error") or f"finish_reason: {raw}"
            self.answer.fail_said(told, "timeout" if raw == "TIMEOUT" else "server_error")
            return
        if raw:
            self.answer.stop(_STOPS.get(raw, StopReason.OTHER), raw)
        self.answer.finish()

    def _use(self, said: dict[str, Any]) -> None:
        tokens = mapping(said.get("tokens")) or mapping(said.get("billed_units"))
        self.answer.use(
            Usage(
                input_tokens=count(tokens.get("input_tokens")),
                output_tokens=count(tokens.get("output_tokens")),
                cached_tokens=count(said.get("cached_tokens")),
                thinking_tokens=count(tokens.get("reasoning_tokens")),
            )
        )
