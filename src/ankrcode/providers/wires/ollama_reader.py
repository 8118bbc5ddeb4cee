"""Understands Ollama's own form: one object per line, calls always whole."""

from typing import Any

from ankrcode.protocol.message import Usage
from ankrcode.protocol.stream import StopReason
from ankrcode.providers.wire import Target
from ankrcode.providers.wires.answer import Answer
from ankrcode.providers.wires.loose import count, encoded_text, items, mapping, text
from ankrcode.providers.wires.tagged_text import TaggedText

_STOPS = {"stop": StopReason.END, "length": StopReason.LENGTH}


class OllamaReader:
    """One answer."""

    def __init__(self, target: Target) -> None:
        self.answer = Answer(target)
        self._count = 0
        self._text = TaggedText(self.answer)

    def take(self, name: str, event: Any) -> None:
        event = mapping(event)
        is_ours = isinstance(event.get("message"), dict) or "done" in event
        if name == "error" or event.get("error") or not is_ours:
            self.answer.fail_said(event)
            return
        if not self.answer.calls.seed:
            self.answer.calls.seed = text(event.get("created_at"))
        message = mapping(event.get("message"))
        self.answer.think(text(message.get("thinking")))
        self._text.take(text(message.get("content")))
        is_cut = event.get("done_reason") == "length"
        calls = items(message.get("tool_calls"))
        for at, call in enumerate(calls):
            self._call(mapping(call), is_cut=is_cut and at == len(calls) - 1)
        if event.get("done") is True:
            self._end(event)

    def take_whole(self, body: Any) -> None:
        self.take("", {"done": True, **body} if isinstance(body.get("message"), dict) else body)

    def _call(self, call: dict[str, Any], *, is_cut: bool) -> None:
        function = mapping(call.get("function")) or call
        key, self._count = self._count, self._count + 1
        call_id = text(call.get("id")) or text(function.get("id"))
        self.answer.open_call(key, call_id, text(function.get("name")))
        arguments = function.get("arguments")
        if isinstance(arguments, str):
            self.answer.calls.grow(key, arguments)
        elif arguments:
            self.answer.calls.grow(key, encoded_text(arguments))
        if not is_cut:
            self.answer.calls.close(key)

    def _end(self, event: dict[str, Any]) -> None:
        self._text.flush()
        self.answer.use(
            Usage(
                input_tokens=count(event.get("prompt_eval_count")),
                output_tokens=count(event.get("eval_count")),
            )
        )
        raw = text(event.get("done_reason")) or "stop"
        self.answer.stop(_STOPS.get(raw, StopReason.OTHER), raw)
        self.answer.finish()
