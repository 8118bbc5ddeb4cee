"""Understands Gemini's generateContent, streamed or not: candidates made of parts."""

from typing import Any

from ankrcode.protocol.message import Usage
from ankrcode.protocol.stream import StopReason
from ankrcode.providers.wire import Target
from ankrcode.providers.wires.answer import Answer
from ankrcode.providers.wires.calls import CUT_SHORT, NOT_WHOLE
from ankrcode.providers.wires.gemini_pieces import Pieces
from ankrcode.providers.wires.loose import count, encoded_text, is_bare_error, items, mapping, text
from ankrcode.providers.wires.opaque import thought_signature

_STOPS = {
    "STOP": StopReason.END,
    "MAX_TOKENS": StopReason.LENGTH,
    "SAFETY": StopReason.REFUSAL,
    "RECITATION": StopReason.REFUSAL,
    "LANGUAGE": StopReason.REFUSAL,
    "BLOCKLIST": StopReason.REFUSAL,
    "PROHIBITED_CONTENT": StopReason.REFUSAL,
    "SPII": StopReason.REFUSAL,
    "IMAGE_SAFETY": StopReason.REFUSAL,
    "IMAGE_PROHIBITED_CONTENT": StopReason.REFUSAL,
    "IMAGE_RECITATION": StopReason.REFUSAL,
    "MODEL_ARMOR": StopReason.REFUSAL,
}
_BY_NUMBER = (
    *("FINISH_REASON_UNSPECIFIED", "STOP", "MAX_TOKENS", "SAFETY", "RECITATION", "OTHER"),
    *("BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MALFORMED_FUNCTION_CALL"),
)


_WORDS = ("candidates", "promptFeedback", "usageMetadata")  # one is in every event


class GeminiReader:
    """One answer; of several candidates only the first."""

    def __init__(self, target: Target) -> None:
        self.answer = Answer(target)
        self._count = 0
        self._pieces: Pieces | None = None  # a call whose arguments come in pieces

    def take(self, name: str, event: Any) -> None:
        event = mapping(event)
        event = mapping(event.get("response")) or event  # Code Assist wraps it
        is_ours = any(word in event for word in _WORDS)
        if (
            name == "error"
            or not event
            or event.get("error")
            or (not is_ours and is_bare_error(event))
        ):
            self.answer.fail_said(event)
            return
        if not self.answer.calls.seed:
            self.answer.calls.seed = text(event.get("responseId"))
        for candidate in items(event.get("candidates")):
            if isinstance(candidate, dict) and not candidate.get("index"):
                self._candidate(candidate)
        self._use(mapping(event.get("usageMetadata")))
        blocked = mapping(event.get("promptFeedback")).get("blockReason")
        if blocked and not self.answer.has_text:
            said = {"type": "content_filter", "message": self._blocked(event, text(blocked))}
            self.answer.fail_said(said)

    def take_whole(self, body: Any) -> None:
        body = mapping(body)
        if not any(word in body for word in ("response", "error", *_WORDS)):
            self.answer.fail_said(body)
            return
        self.take("", body)

    def _blocked(self, event: dict[str, Any], reason: str) -> str:
        said = text(mapping(event.get("promptFeedback")).get("blockReasonMessage"))
        return said or f"The prompt was blocked: {reason}"

    def _candidate(self, candidate: dict[str, Any]) -> None:
        raw = _reason(candidate.get("finishReason"))
        reason = _STOPS.get(raw, StopReason.OTHER)
        if raw == "FINISH_REASON_UNSPECIFIED":
            raw = ""
        parts = items(mapping(candidate.get("content")).get("parts"))
        for at, part in enumerate(parts):
            is_last = at == len(parts) - 1
            is_cut = bool(raw) and is_last and reason in (StopReason.LENGTH, StopReason.REFUSAL)
            self._part(mapping(part), is_cut=is_cut)
        if raw:
            if self._pieces is not None:
                self.answer.calls.break_off(self._pieces.key, CUT_SHORT)
                self._pieces = None
            self.answer.stop(reason, raw)

    def _part(self, part: dict[str, Any], *, is_cut: bool) -> None:
        answer = self.answer
        signature = text(part.get("thoughtSignature") or part.get("thought_signature"))
        call = part.get("functionCall", part.get("function_call"))
        if isinstance(call, dict):
            self._call(call, signature, is_cut=is_cut)
            return
        if part.get("thought"):
            answer.think(text(part.get("text")))
        else:
            answer.text(text(part.get("text")))
        if signature:
            answer.close_thought(opaque=thought_signature(signature))

    def _call(self, call: dict[str, Any], signature: str, *, is_cut: bool) -> None:
        if "partialArgs" in call or call.get("willContinue") or self._pieces is not None:
            self._piece(call, signature)
            return
        key = self._begin(call, signature)
        arguments = call.get("args")
        if isinstance(arguments, dict) and arguments:
            self.answer.calls.grow(key, encoded_text(arguments))
        elif arguments and not isinstance(arguments, dict):
            self.answer.calls.grow(key, text(arguments) or encoded_text(arguments))
        if not is_cut:
            self.answer.calls.close(key)

    def _begin(self, call: dict[str, Any], signature: str) -> int:
        key = self._count
        self._count += 1
        self.answer.open_call(key, text(call.get("id")), text(call.get("name")), signature)
        return key

    def _piece(self, call: dict[str, Any], signature: str) -> None:
        """Arguments by path, a piece at a time: whole only when nothing is to follow."""
        if self._pieces is None:
            self._pieces = Pieces(self._begin(call, signature))
        pieces = self._pieces
        pieces.take(items(call.get("partialArgs")))
        if not call.get("willContinue"):
            self._pieces = None
            if not pieces.is_whole:
                self.answer.calls.break_off(pieces.key, NOT_WHOLE)
                return
            self.answer.calls.grow(pieces.key, encoded_text(pieces.arguments))
            self.answer.calls.close(pieces.key)

    def _use(self, said: dict[str, Any]) -> None:
        if not said:
            return
        thoughts = count(said.get("thoughtsTokenCount"))
        self.answer.use(
            Usage(
                input_tokens=count(said.get("promptTokenCount")),
                output_tokens=count(said.get("candidatesTokenCount")) + thoughts,
                cached_tokens=count(said.get("cachedContentTokenCount")),
                thinking_tokens=thoughts,
            )
        )


def _reason(value: Any) -> str:
    """Vertex may send its reasons as numbers."""
    if isinstance(value, int) and not isinstance(value, bool):
        return _BY_NUMBER[value] if 0 <= value < len(_BY_NUMBER) else str(value)
    return text(value)
