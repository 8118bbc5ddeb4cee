"""Understands Chat Completions, as OpenAI and the many who imitate it send them."""

from typing import Any

from ankrcode.protocol.stream import FailureKind, StopReason
from ankrcode.providers.wire import Target
from ankrcode.providers.wires.answer import Answer
from ankrcode.providers.wires.chat_calls import ChatCalls
from ankrcode.providers.wires.chat_usage import chat_usage
from ankrcode.providers.wires.loose import is_bare_error, items, mapping, text
from ankrcode.providers.wires.opaque import reasoning_details
from ankrcode.providers.wires.reasoning_details import Details
from ankrcode.providers.wires.tagged_text import TaggedText

_STOPS = {
    "stop": StopReason.END,
    "end_turn": StopReason.END,
    "eos": StopReason.END,
    "complete": StopReason.END,
    "tool_calls": StopReason.TOOL_USE,
    "tool_call": StopReason.TOOL_USE,
    "tool_use": StopReason.TOOL_USE,
    "function_call": StopReason.TOOL_USE,
    "length": StopReason.LENGTH,
    "max_tokens": StopReason.LENGTH,
    "model_length": StopReason.LENGTH,
    "max_output_tokens": StopReason.LENGTH,
    "model_context_window_exceeded": StopReason.LENGTH,
    "content_filter": StopReason.REFUSAL,
    "safety": StopReason.REFUSAL,
    "refusal": StopReason.REFUSAL,
    "sensitive": StopReason.REFUSAL,
    "recitation": StopReason.REFUSAL,
    "stop_sequence": StopReason.STOP_SEQUENCE,
}
_FAILED_STOPS = ("error", "network_error", "insufficient_system_resource", "abort", "cancelled")


class ChatReader:
    """One answer; of several choices only the first."""

    def __init__(self, target: Target) -> None:
        self.answer = Answer(target)
        self._calls = ChatCalls(self.answer)
        self._details = Details()
        self._is_refused = False
        self._is_in_pieces = self._is_whole = False
        self._text = TaggedText(self.answer)

    def take(self, name: str, event: Any) -> None:
        if name == "error" or self._is_error(event):
            self._count(mapping(event))
            self._fail(event)
            return
        if not self.answer.calls.seed:
            self.answer.calls.seed = text(event.get("id"))
        for choice in items(event.get("choices")):
            if isinstance(choice, dict) and not choice.get("index"):
                self._choice(choice)
        self._count(event)

    def take_whole(self, body: Any) -> None:
        self._is_whole = True
        self.take("", mapping(body))

    def _count(self, event: dict[str, Any]) -> None:
        usage = chat_usage(event)
        if usage is not None:
            self.answer.use(usage)

    def _is_error(self, event: dict[str, Any]) -> bool:
        if event.get("error") or mapping(event.get("x_groq")).get("error"):
            return True
        if event.get("choices") is not None:
            return False
        return event.get("type") == "error" or is_bare_error(event)

    def _fail(self, event: Any) -> None:
        groq = mapping(mapping(event).get("x_groq"))
        said = groq if groq.get("error") and not mapping(event).get("error") else event
        self.answer.fail_said(said)

    def _choice(self, choice: dict[str, Any]) -> None:
        delta = choice.get("delta")
        if not isinstance(delta, dict) or (self._is_whole and choice.get("message")):
            delta = self._undivided(choice)
        else:
            self._is_in_pieces = True
        if delta:
            self._delta(delta)
        stop = text(choice.get("finish_reason")) or ("error" if choice.get("error") else "")
        if stop:
            self._stop(stop, choice)

    def _undivided(self, choice: dict[str, Any]) -> dict[str, Any]:
        """A message in one piece; after pieces it only repeats them."""
        if self._is_in_pieces:
            return {}
        message = mapping(choice.get("message"))
        if not message and isinstance(choice.get("text"), str):
            return {"content": choice["text"]}
        return message

    def _delta(self, delta: dict[str, Any]) -> None:
        answer = self.answer
        thought = delta.get("reasoning_content") or delta.get("reasoning")
        if delta.get("reasoning_details"):
            told = self._details.take(items(delta["reasoning_details"]))
            thought = thought or told
        if thought:
            answer.think(text(thought) or text(mapping(thought).get("content")))
        content = delta.get("content")
        if isinstance(content, str):
            self._say(content)
        elif content:
            self._parts(items(content))
        if delta.get("refusal"):
            self._is_refused = True
            answer.text(text(delta["refusal"]))
        calls = delta.get("tool_calls")
        for call in [calls] if isinstance(calls, dict) else items(calls):
            self._text.flush()
            self._sign()
            self._calls.take(mapping(call))
        legacy = mapping(delta.get("function_call"))
        if legacy.get("name") or legacy.get("arguments"):  # some always send an empty one
            self._calls.take({"index": "function", "function": legacy})
        if self._calls.is_at_odds:
            answer.fail_with(FailureKind.PROTOCOL, "wire_at_odds")

    def _say(self, piece: str) -> None:
        if piece:
            self._sign()
            self._text.take(piece)

    def _parts(self, parts: list[Any]) -> None:
        """Content in parts; Mistral's thought is one of them."""
        for part in map(mapping, parts):
            if part.get("type") == "thinking":
                inner = part.get("thinking")
                told = inner if isinstance(inner, str) else ""
                for one in items(inner):
                    told += text(mapping(one).get("text"))
                self.answer.think(told)
            else:
                self._say(text(part.get("text")))

    def _sign(self) -> None:
        """Thought is over: what its vendor wants back goes with it."""
        if self._details.are_open:
            self.answer.close_thought(opaque=reasoning_details(self._details.close()))

    def _stop(self, raw: str, choice: dict[str, Any]) -> None:
        self._text.flush()
        self._sign()
        if raw in _FAILED_STOPS or choice.get("error"):
            said = choice.get("error") or {"message": f"finish_reason: {raw}"}
            self.answer.fail_said(said, "server_error")
            return
        reason = _STOPS.get(raw.lower(), StopReason.OTHER)
        if self._is_refused and reason is StopReason.END:
            reason = StopReason.REFUSAL
        self.answer.stop(reason, raw)
