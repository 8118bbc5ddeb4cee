"""Which call a delta of Chat Completions belongs to: vendors differ in index, id and name."""

from collections.abc import Hashable
from typing import Any

from ankrcode.providers.wires.answer import Answer
from ankrcode.providers.wires.calls import Call
from ankrcode.providers.wires.loose import encoded_text, mapping, text


class ChatCalls:
    """By index where there is one, else by id, else the last one."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._calls = answer.calls
        self._ids: dict[Hashable, str] = {}  # of the last call under each key
        self._last: Hashable = None
        self.is_at_odds = False  # a call that was whole went on

    def take(self, delta: dict[str, Any]) -> None:
        if delta.get("type") == "custom":  # free text for a tool that we never offer
            return
        function = mapping(delta.get("function")) or delta
        call_id, name = text(delta.get("id")), text(function.get("name"))
        arguments = _as_text(function.get("arguments"))
        key = self._key(delta, call_id, name)
        if key != self._last:
            self._calls.settle()
        call = self._calls.get(key)
        if call is None and self._is_over(key, call_id, name):
            repeats = arguments == self._calls.over(key)
            self.is_at_odds = self.is_at_odds or (bool(arguments.strip()) and not repeats)
            return
        if call is None or _is_another(call, call_id, name, arguments):
            self._begin(key, call_id, name, delta)
        else:
            self._calls.name(key, call_id, name)
            if name and _repeats(call, arguments):
                return
        self._last = key
        self._calls.grow(key, arguments)

    def _is_over(self, key: Hashable, call_id: str, name: str) -> bool:
        """More of a call that was closed, not the next one under its index."""
        known = self._ids.get(key)
        return known is not None and (not name or (bool(call_id) and call_id == known))

    def _key(self, delta: dict[str, Any], call_id: str, name: str) -> Hashable:
        index = delta.get("index")
        if isinstance(index, int | str) and index != "":
            return str(index)
        if call_id:
            return f"id {call_id}"
        if name or self._last is None:
            return f"new {len(self._ids)}"
        return self._last

    def _begin(self, key: Hashable, call_id: str, name: str, delta: dict[str, Any]) -> None:
        self._calls.close(key)
        self._ids[key] = call_id
        google = mapping(mapping(delta.get("extra_content")).get("google"))
        self._answer.open_call(key, call_id, name, text(google.get("thought_signature")))


def _as_text(arguments: Any) -> str:
    """Some send the object itself."""
    if isinstance(arguments, str):
        return arguments
    return encoded_text(arguments) if isinstance(arguments, dict | list) else ""


def _is_another(call: Call, call_id: str, name: str, arguments: str) -> bool:
    """The same index again, and yet another call: a new id with a name, or a name after whole
    arguments. Some repeat id and name with every piece; that is no new call."""
    if not name or not call.name:
        return False
    if call_id and call_id != call.id:
        return True
    if call_id or call.is_empty:
        return False
    return bool(arguments.strip()) and call.arguments() is not None


def _repeats(call: Call, arguments: str) -> bool:
    """The whole call once more, as some send it with their reason to stop."""
    return not call.is_empty and arguments == call.text and call.arguments() is not None
