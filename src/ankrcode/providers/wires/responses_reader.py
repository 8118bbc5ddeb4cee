"""Understands OpenAI's Responses: items that are added, grow and are done."""

from typing import Any

from ankrcode.protocol.stream import FailureKind, StopReason
from ankrcode.providers.wire import Target
from ankrcode.providers.wires.answer import Answer
from ankrcode.providers.wires.calls import AT_ODDS, CUT_SHORT, whole_object
from ankrcode.providers.wires.chat_usage import chat_usage
from ankrcode.providers.wires.loose import encoded_text, is_bare_error, items, mapping, text
from ankrcode.providers.wires.opaque import reasoning_item

_NO_ITEM: dict[str, Any] = {}


class ResponsesReader:
    """One answer. Items of tools that run at the vendor are none of our business."""

    def __init__(self, target: Target) -> None:
        self.answer = Answer(target)
        self.answer.calls.are_shut_by_wire = True
        self._told: set[object] = set()  # items whose text came in pieces
        self._done: set[object] = set()
        self._opened: set[object] = set()  # calls
        self._indices: dict[str, int] = {}  # of items, by their names
        self._has_items = False
        self._is_refused = False

    def take(self, name: str, event: Any) -> None:
        kind = text(mapping(event).get("type")) or name
        if kind == "error" or not isinstance(event, dict):
            self.answer.fail_said(event)
            return
        handle = _HANDLERS.get(kind)
        if handle is not None:
            handle(self, event)
        elif not kind.startswith("response."):
            is_ours = kind and event.get("object") != "error"
            if event.get("error") or (not is_ours and is_bare_error(event)):
                self.answer.fail_said(event)

    def take_whole(self, body: Any) -> None:
        body = mapping(body)
        if body.get("error") or "output" not in body:
            self.answer.fail_said(body)
            return
        self._end({"response": body})

    def _key(self, event: dict[str, Any], item: dict[str, Any] = _NO_ITEM) -> object:
        """Items are counted; who does not always count them names them."""
        name = text(event.get("item_id")) or text(item.get("id")) or text(item.get("call_id"))
        index = event.get("output_index")
        if not isinstance(index, int):
            return self._indices.get(name, name)
        self._indices[name] = index
        return index

    # ── items ───────────────────────────────────────────────────────────────────────────────────
    def _added(self, event: dict[str, Any]) -> None:
        item = mapping(event.get("item"))
        self._has_items = True
        self.answer.calls.settle()
        if item.get("type") == "function_call":
            key = self._key(event, item)
            self._open(key, item)
            self.answer.calls.grow(key, _arguments(item))

    def _open(self, key: object, item: dict[str, Any]) -> None:
        self._opened.add(key)
        self.answer.open_call(key, _call_id(item), text(item.get("name")))

    def _item_done(self, event: dict[str, Any]) -> None:
        item = mapping(event.get("item"))
        key = self._key(event, item)
        if key in self._done:
            return
        self._done.add(key)
        self._has_items = True
        match item.get("type"):
            case "function_call":
                self._close_call(key, item)
            case "reasoning":
                self._close_thought(key, item)
            case "message":
                self._close_message(key, item)

    def _close_call(self, key: object, item: dict[str, Any]) -> None:
        calls = self.answer.calls
        if calls.get(key) is None and key in self._opened:
            self._compare(key, _arguments(item))
            return
        if calls.get(key) is None:
            self._open(key, item)
        self._complete(key, _arguments(item))
        calls.name(key, _call_id(item), text(item.get("name")))
        call, status = calls.get(key), item.get("status")
        is_waiting = status == "in_progress" and call is not None and not call.is_empty
        if status in ("incomplete", "in_progress", "failed") and not is_waiting:
            calls.break_off(key, CUT_SHORT)
        else:
            calls.shut(key)

    def _compare(self, key: object, whole: str) -> None:
        """It was whole when something else began, and closed then."""
        if whole and whole_object(whole) != whole_object(self.answer.calls.over(key)):
            self.answer.fail_with(FailureKind.PROTOCOL, "wire_at_odds")

    def _close_thought(self, key: object, item: dict[str, Any]) -> None:
        if key not in self._told:
            summaries = [text(mapping(one).get("text")) for one in items(item.get("summary"))]
            self.answer.think("\n\n".join(filter(None, summaries)), is_summary=True)
            for part in items(item.get("content")):
                self.answer.think(text(mapping(part).get("text")))
        self.answer.close_thought(opaque=reasoning_item(item))

    def _close_message(self, key: object, item: dict[str, Any]) -> None:
        for part in map(mapping, items(item.get("content"))):
            if part.get("type") == "refusal":
                self._is_refused = True
            if key not in self._told:
                self.answer.text(text(part.get("text")) or text(part.get("refusal")))

    # ── pieces ──────────────────────────────────────────────────────────────────────────────────
    def _text_grew(self, event: dict[str, Any]) -> None:
        self._told.add(self._key(event))
        self.answer.text(text(event.get("delta")))

    def _refusal_grew(self, event: dict[str, Any]) -> None:
        self._is_refused = True
        self._text_grew(event)

    def _thought_grew(self, event: dict[str, Any]) -> None:
        self._told.add(self._key(event))
        self.answer.think(text(event.get("delta")))

    def _summary_grew(self, event: dict[str, Any]) -> None:
        self._told.add(self._key(event))
        self.answer.think(text(event.get("delta")), is_summary=True)

    def _summary_part(self, event: dict[str, Any]) -> None:
        if event.get("summary_index"):
            self.answer.think("\n\n", is_summary=True)

    def _arguments_grew(self, event: dict[str, Any]) -> None:
        self.answer.calls.grow(self._key(event), text(event.get("delta")))

    def _arguments_done(self, event: dict[str, Any]) -> None:
        key = self._key(event)
        self._complete(key, _arguments(event))
        call = self.answer.calls.get(key)
        if call is not None and call.is_empty:
            self.answer.calls.shut(key)

    def _complete(self, key: object, whole: str) -> None:
        """The arguments come once more in one piece: all there is, or the same as before."""
        call = self.answer.calls.get(key)
        if call is None or not whole:
            return
        if call.is_empty:
            self.answer.calls.grow(key, whole)
        elif call.text != whole and whole_object(call.text) != whole_object(whole):
            self.answer.calls.break_off(key, AT_ODDS)
            self._done.add(key)

    # ── beginning and end ───────────────────────────────────────────────────────────────────────
    def _begun(self, event: dict[str, Any]) -> None:
        self.answer.calls.seed = text(mapping(event.get("response")).get("id"))

    def _end(self, event: dict[str, Any]) -> None:
        response = mapping(event.get("response"))
        has_come, has_called = self._has_items or bool(self._told), bool(self._opened)
        for index, item in enumerate(map(mapping, items(response.get("output")))):
            if not has_come:  # nothing of it
                self._item_done({"output_index": index, "item": item})
            elif not has_called and item.get("type") == "function_call":
                self._close_call(("end", index), item)
        usage = chat_usage(response)
        if usage is not None:
            self.answer.use(usage)
        status = text(response.get("status")) or "completed"
        if status in ("failed", "cancelled"):
            self._failed(event)
            return
        self.answer.stop(self._reason(status, response), status)
        self.answer.finish()

    def _reason(self, status: str, response: dict[str, Any]) -> StopReason:
        if status == "incomplete":
            why = mapping(response.get("incomplete_details")).get("reason")
            return StopReason.REFUSAL if why == "content_filter" else StopReason.LENGTH
        if self._is_refused:
            return StopReason.REFUSAL
        return StopReason.END if status in ("completed", "complete") else StopReason.OTHER

    def _failed(self, event: dict[str, Any]) -> None:
        response = mapping(event.get("response"))
        usage = chat_usage(response)
        if usage is not None:
            self.answer.use(usage)
        error = response.get("error") or event.get("error")
        if error:
            self.answer.fail_said(error)
        else:
            self.answer.fail_with(FailureKind.SERVER, "wire_failed")


def _call_id(item: dict[str, Any]) -> str:
    return text(item.get("call_id")) or text(item.get("id"))


def _arguments(item: dict[str, Any]) -> str:
    arguments = item.get("arguments")
    if isinstance(arguments, dict):
        return encoded_text(arguments)
    return text(arguments)


_HANDLERS = {
    "response.created": ResponsesReader._begun,
    "response.output_item.added": ResponsesReader._added,
    "response.output_item.done": ResponsesReader._item_done,
    "response.output_text.delta": ResponsesReader._text_grew,
    "response.refusal.delta": ResponsesReader._refusal_grew,
    "response.reasoning_text.delta": ResponsesReader._thought_grew,
    "response.reasoning_summary_text.delta": ResponsesReader._summary_grew,
    "response.reasoning_summary_part.added": ResponsesReader._summary_part,
    "response.function_call_arguments.delta": ResponsesReader._arguments_grew,
    "response.function_call_arguments.done": ResponsesReader._arguments_done,
    "response.completed": ResponsesReader._end,
    "response.done": ResponsesReader._end,
    "response.incomplete": ResponsesReader._end,
    "response.failed": ResponsesReader._failed,
    "response.cancelled": ResponsesReader._failed,
    "response.error": ResponsesReader._failed,
}
