"""Messages of Chat Completions: one of ours may be several of theirs.

Results of tools must follow their calls without anything between. Images that a result cannot
hold, and words beside it, wait until the last result of the run is told.
"""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ankrcode.protocol.message import (
    AttachmentPart,
    Message,
    Part,
    TextPart,
    ThinkingPart,
    ToolResultPart,
    ToolUsePart,
)
from ankrcode.protocol.result import Attachment
from ankrcode.providers.wire import Options, Target
from ankrcode.providers.wires import quirks
from ankrcode.providers.wires.body import encoded, marked
from ankrcode.providers.wires.call_ids import nine_letter_id, plain_id
from ankrcode.providers.wires.loose import encoded_text
from ankrcode.providers.wires.media import data_url, file_name, in_words, is_image, is_pdf
from ankrcode.providers.wires.opaque import details_of
from ankrcode.providers.wires.told import Told

_CACHED = b'"cache_control":{"type":"ephemeral"}'
_CACHED_TURNS = 2
_LIST_END = b"}]}"
_CLAUDE = "claude"  # whose results, too, must be marked; others may know only text there
_BETWEEN = b'{"role":"assistant","content":"OK."}'
_Content = str | list[dict[str, Any]]


class _Forms(Struct, frozen=True):
    results: bytes = b""  # joined; what must stand right behind the calls
    said: bytes = b""  # one message, or nothing
    is_user: bool = True


class ChatMessages:
    """Keeps what was encoded, and puts it together anew for each request."""

    def __init__(self) -> None:
        self._told: Told[_Forms] = Told(self._forms, _in_order)
        self._names: dict[str, str] = {}  # of tools, by the id of a call
        self._began: tuple[list[str], Message | None, Message] | None = None

    def told(
        self, system: list[str], messages: Sequence[Message], options: Options, target: Target
    ) -> list[bytes]:
        if system and quirks.NO_SYSTEM in target.quirks:
            messages = self._with_system(system, messages)
            system = []
        marks = quirks.CACHE_CONTROL in target.quirks and options.cache
        told = self._told.pieces(messages, target, marks=marks)
        if not system:
            return told
        return [_system(system, target, marks=marks), *([b","] if told else []), *told]

    def _with_system(self, system: list[str], messages: Sequence[Message]) -> list[Message]:
        """In front of what the user said first; made once, as messages are known by identity."""
        asks = bool(messages) and messages[0].role == "user"
        first = messages[0] if asks else None
        if self._began is None or self._began[0] != system or self._began[1] is not first:
            self._began = (system, first, _in_front(system, first))
        return [self._began[2], *messages[asks:]]

    def _forms(self, message: Message, target: Target) -> _Forms:
        if message.role == "assistant":
            for part in message.parts:
                if isinstance(part, ToolUsePart):
                    self._names[part.id] = part.name
            told = _assistant(message, target)
            return _Forms(said=encoded(told) if told else b"", is_user=False)
        results = [part for part in message.parts if isinstance(part, ToolResultPart)]
        rest: list[Part] = [part for part in message.parts if not isinstance(part, ToolResultPart)]
        if quirks.RESULT_IMAGES not in target.quirks:
            rest = [*(AttachmentPart(attachment=a) for r in results for a in r.attachments), *rest]
        role = message.role if message.role == "user" else _system_role(target)
        content = _content(rest, target)
        return _Forms(
            results=b",".join(encoded(self._result(part, target)) for part in results),
            said=encoded({"role": role, "content": content}) if content else b"",
        )

    def _result(self, part: ToolResultPart, target: Target) -> dict[str, Any]:
        content: _Content = part.text
        shows = bool(part.attachments) and quirks.RESULT_IMAGES in target.quirks
        if shows or (quirks.CACHE_CONTROL in target.quirks and _CLAUDE in target.model.lower()):
            shown = [AttachmentPart(attachment=one) for one in part.attachments if shows]
            content = _content([TextPart(text=part.text), *shown], target) or ""
        if not content and (part.is_error or quirks.NEEDS_CONTENT in target.quirks):
            content = "failed" if part.is_error else "(no output)"
        result = {"role": "tool", "tool_call_id": _id(part.tool_use_id, target)}
        if quirks.NAMED_RESULTS in target.quirks:
            result["name"] = self._names.get(part.tool_use_id, "tool")
        return {**result, "content": content}


class _Said(Struct):
    """A message in its place; only what the model is told may be marked."""

    form: bytes
    is_ours: bool = True


class _Order:
    """Messages put so that nothing stands between the results of one run."""

    def __init__(self, target: Target) -> None:
        self.told: list[_Said] = []
        self._waiting: list[bytes] = []
        self._follows_result = False
        self._needs_between = quirks.NO_USER_AFTER_TOOL in target.quirks

    def take(self, one: _Forms) -> None:
        if one.results:
            self.told.append(_Said(form=one.results))
            self._follows_result = True
        else:
            self.tell_waiting()
        if one.said and one.is_user:
            self._waiting.append(one.said)
        elif one.said:
            self.told.append(_Said(form=one.said, is_ours=False))
            self._follows_result = False

    def tell_waiting(self) -> None:
        for form in self._waiting:
            if self._follows_result and self._needs_between:
                self.told.append(_Said(form=_BETWEEN, is_ours=False))
            self.told.append(_Said(form=form))
            self._follows_result = False
        self._waiting.clear()


def _in_order(
    _messages: Sequence[Message], forms: Sequence[_Forms], target: Target, *, marks: bool
) -> list[bytes]:
    order = _Order(target)
    for one in forms:
        order.take(one)
    order.tell_waiting()
    if marks:
        _mark(order.told)
    return [said.form for said in order.told]


def _mark(told: list[_Said]) -> None:
    """The last of what stands before an answer, twice; only a content that is a list can be."""
    runs = [list(run) for is_ours, run in groupby(told, key=lambda said: said.is_ours) if is_ours]
    for *_, said in runs[-_CACHED_TURNS:]:
        if said.form.endswith(_LIST_END):
            said.form = marked(said.form[:-2], _CACHED) + said.form[-2:]


def _in_front(system: list[str], first: Message | None) -> Message:
    text = TextPart(text="\n\n".join(system))
    if first is None:
        return Message(role="user", parts=(text,))
    return replace(first, parts=(text, *first.parts))


def _system_role(target: Target) -> str:
    if quirks.NO_SYSTEM in target.quirks:
        return "user"
    return "developer" if quirks.DEVELOPER in target.quirks else "system"


def _system(texts: list[str], target: Target, *, marks: bool) -> bytes:
    role, text = _system_role(target), "\n\n".join(texts)
    if not marks:
        return encoded({"role": role, "content": text})
    part = {"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}
    return encoded({"role": role, "content": [part]})


def _assistant(message: Message, target: Target) -> dict[str, Any] | None:
    """None where there is neither text nor a call: such a message is refused."""
    its = target.quirks
    text = "\n\n".join(part.text for part in message.parts if isinstance(part, TextPart))
    calls = [_call(part, target) for part in message.parts if isinstance(part, ToolUsePart)]
    if not text.strip() and not calls:
        return None
    needs_more = not text.strip() and quirks.NEEDS_CONTENT in its
    told: dict[str, Any] = {"role": "assistant", "content": " " if needs_more else text}
    if calls:
        told["tool_calls"] = calls
    thoughts = [part for part in message.parts if isinstance(part, ThinkingPart)]
    thought = "".join(part.text for part in thoughts)
    if thought and quirks.REASONING_BACK in its:
        told["reasoning_content"] = thought
    if thought and quirks.REASONING_FIELD_BACK in its:
        told["reasoning"] = thought
    if quirks.REASONING_DETAILS in its:
        details = [one for part in thoughts for one in details_of(part.opaque)]
        if details:
            told["reasoning_details"] = details
    return told


def _call(part: ToolUsePart, target: Target) -> dict[str, Any]:
    call: dict[str, Any] = {
        "id": _id(part.id, target),
        "type": "function",
        "function": {"name": part.name, "arguments": encoded_text(part.arguments)},
    }
    if part.signature and quirks.CALL_SIGNATURES in target.quirks:
        call["extra_content"] = {"google": {"thought_signature": part.signature}}
    return call


def _id(call_id: str, target: Target) -> str:
    is_nine = quirks.NINE_LETTER_IDS in target.quirks
    return nine_letter_id(call_id) if is_nine else plain_id(call_id)


def _content(parts: Sequence[Part], target: Target) -> _Content:
    """One text where there is only text, else a list of parts."""
    told: list[dict[str, Any]] = []
    for part in parts:
        if isinstance(part, TextPart):
            told.append({"type": "text", "text": part.text})
        elif isinstance(part, AttachmentPart):
            told.append(_attached(part.attachment, target))
    told = [one for one in told if one["type"] != "text" or one["text"].strip()]
    is_text = all(one["type"] == "text" for one in told)
    if quirks.CACHE_CONTROL in target.quirks:
        return told
    if is_text or quirks.PLAIN_CONTENT in target.quirks:
        return "\n\n".join(one["text"] for one in told if one["type"] == "text")
    return told


def _attached(attachment: Attachment, target: Target) -> dict[str, Any]:
    its = target.quirks
    if quirks.PLAIN_CONTENT not in its:
        if is_image(attachment) and quirks.NO_IMAGES not in its:
            return {"type": "image_url", "image_url": {"url": data_url(attachment)}}
        if is_pdf(attachment) and quirks.DOCUMENT_URL in its:
            return {"type": "document_url", "document_url": data_url(attachment)}
        if is_pdf(attachment) and quirks.NO_FILES not in its:
            file = {"filename": file_name(attachment), "file_data": data_url(attachment)}
            return {"type": "file", "file": file}
    return {"type": "text", "text": in_words(attachment)}
