"""Anthropic Messages: the request; the answer is `anthropic_reader`'s."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from ankrcode.protocol.definition import JsonSchema
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
from ankrcode.protocol.stream import AnyStreamEvent, Failure
from ankrcode.providers.wire import Encoded, ModelRequest, Options, Reader, Target, ToolSpec
from ankrcode.providers.wires import quirks
from ankrcode.providers.wires.anthropic_reader import AnthropicReader
from ankrcode.providers.wires.body import body, encoded, listed, marked
from ankrcode.providers.wires.call_ids import plain_id
from ankrcode.providers.wires.conversation import (
    by_role,
    in_turns,
    mark_last,
    merged,
    without_last_thought,
    without_system,
)
from ankrcode.providers.wires.efforts import MIN_BUDGET, effort_of, thinking_budget
from ankrcode.providers.wires.kept import Kept
from ankrcode.providers.wires.media import file_name, image_type, in_words, is_image, is_pdf
from ankrcode.providers.wires.opaque import is_redacted_block
from ankrcode.providers.wires.paths import segment
from ankrcode.providers.wires.schemas import told_schema
from ankrcode.providers.wires.splitter import Splitter
from ankrcode.providers.wires.sse import Sse
from ankrcode.providers.wires.stream_reader import StreamReader, read_whole
from ankrcode.providers.wires.told import Told

VERSION = "2023-06-01"
_VERTEX_VERSION, _BEDROCK_VERSION = "vertex-2023-10-16", "bedrock-2023-05-31"
_USUAL_MAX_TOKENS = 8_192
_CACHED = b'"cache_control":{"type":"ephemeral"}'
_USER, _MODEL = b'{"role":"user","content":[', b'{"role":"assistant","content":['
_CACHED_TURNS = 2  # with system and tools that makes the four the vendor allows


class AnthropicWire:
    """Also for those who imitate it, and for the same on Vertex and on Bedrock's invoke paths."""

    def __init__(self) -> None:
        self._messages: Told[bytes] = Told(_message, _turns)
        self._tools: Kept[ToolSpec, bytes] = Kept(_tool)

    def encode(self, request: ModelRequest, target: Target) -> Encoded:
        system, messages = without_system(request.messages)
        options = request.options
        head = _head(request, messages, target)
        pieces = {
            "tools": self._tools_of(request, target) if request.tools else None,
            "system": _system(system, request, target),
        }
        told = self._messages.pieces(messages, target, marks=_caches(options, target))
        headers = {"content-type": "application/json", "anthropic-version": VERSION}
        return Encoded(
            path=_path(target, options),
            body=body(head, pieces, options.extra, "messages", told),
            headers=headers if "model" in head else {"content-type": "application/json"},
        )

    def reader(self, target: Target) -> Reader:
        return StreamReader(_splitter(target), AnthropicReader(target))

    def read_whole(self, body: bytes, target: Target) -> list[AnyStreamEvent]:
        return read_whole(body, _splitter(target), AnthropicReader(target))

    def failure(
        self, status: int, headers: Mapping[str, str], body: bytes, target: Target
    ) -> Failure:
        from ankrcode.providers.wires.failures import failure_of

        return failure_of(status, headers, body, target)

    def _tools_of(self, request: ModelRequest, target: Target) -> bytes:
        forms = self._tools.forms(request.tools, target)
        if _caches(request.options, target):
            forms[-1] = marked(forms[-1], _CACHED)
        return listed(forms)


def _splitter(target: Target) -> Splitter:
    if quirks.BEDROCK_INVOKE in target.quirks:
        from ankrcode.providers.wires.invoke_frames import InvokeFrames

        return InvokeFrames()
    return Sse()


def _path(target: Target, options: Options) -> str:
    if quirks.VERTEX in target.quirks:
        verb = "streamRawPredict" if options.stream else "rawPredict"
        return f"publishers/anthropic/models/{target.model}:{verb}"
    if quirks.BEDROCK_INVOKE in target.quirks:
        verb = "invoke-with-response-stream" if options.stream else "invoke"
        return f"model/{segment(target.model)}/{verb}"
    return "v1/messages"


def _caches(options: Options, target: Target) -> bool:
    return options.cache and quirks.NO_CACHE_CONTROL not in target.quirks


# ── what is said once per request ───────────────────────────────────────────────────────────────
def _head(request: ModelRequest, messages: Sequence[Message], target: Target) -> dict[str, Any]:
    options = request.options
    most = options.max_output_tokens or target.max_output_tokens or _USUAL_MAX_TOKENS
    thinking = _thinking(options, messages, target, most)
    is_thinking = thinking is not None and thinking["type"] != "disabled"
    may_vary = not is_thinking and quirks.NO_TEMPERATURE not in target.quirks
    return {
        **_addressed(target, options),
        "max_tokens": most,
        "temperature": options.temperature if may_vary else None,
        "top_p": options.top_p if may_vary else None,
        "stop_sequences": list(options.stop) or None,
        "thinking": thinking,
        "output_config": _output(options, target),
        "tool_choice": _choice(request, is_thinking=is_thinking) if request.tools else None,
    }


def _addressed(target: Target, options: Options) -> dict[str, Any]:
    if quirks.BEDROCK_INVOKE in target.quirks:
        return {"anthropic_version": _BEDROCK_VERSION}
    if quirks.VERTEX in target.quirks:
        return {"anthropic_version": _VERTEX_VERSION, "stream": options.stream or None}
    return {"model": target.model, "stream": options.stream or None}


def _thinking(
    options: Options, messages: Sequence[Message], target: Target, most: int
) -> dict[str, Any] | None:
    budget = thinking_budget(options)
    if budget is None:
        return None
    if budget <= 0 or not _may_think(messages):
        return {"type": "disabled"}
    if quirks.ADAPTIVE_THINKING in target.quirks:
        return {"type": "adaptive"}
    budget = min(max(budget, MIN_BUDGET), most - MIN_BUDGET)
    return {"type": "enabled", "budget_tokens": budget} if budget >= MIN_BUDGET else None


def _may_think(messages: Sequence[Message]) -> bool:
    """A turn that has begun without thought, such as another vendor's, cannot go on with it."""
    last = next((one for one in reversed(messages) if one.role == "assistant"), None)
    if last is None or not any(isinstance(part, ToolUsePart) for part in last.parts):
        return True
    return any(_thought(part) is not None for part in last.parts if isinstance(part, ThinkingPart))


def _output(options: Options, target: Target) -> dict[str, Any] | None:
    output: dict[str, Any] = {}
    effort = effort_of(options)
    knows_effort = target.quirks & {quirks.ADAPTIVE_THINKING, quirks.OUTPUT_EFFORT}
    if effort is not None and knows_effort and options.max_thinking_tokens != 0:
        output["effort"] = "low" if effort == "minimal" else effort
    if (schema := _bound_to(options, target)) is not None:
        output["format"] = {"type": "json_schema", "schema": schema}
    return output or None


def _bound_to(options: Options, target: Target) -> JsonSchema | None:
    """The form of the answer, where the vendor can hold the model to it."""
    if options.schema is None or quirks.OUTPUT_FORMAT not in target.quirks:
        return None
    from ankrcode.providers.wires.closed_schema import closed_schema  # only a schema pays for it

    return closed_schema(options.schema)


def _choice(request: ModelRequest, *, is_thinking: bool) -> dict[str, Any] | None:
    match request.options.tool_choice:
        case "auto":
            return None
        case "none":
            return {"type": "none"}
        case _ if is_thinking:
            return None  # thought and a forced call exclude each other
        case "required":
            return {"type": "any"}
        case name:
            return {"type": "tool", "name": name}


def _system(texts: list[str], request: ModelRequest, target: Target) -> bytes | None:
    schema = request.options.schema
    if schema is not None and _bound_to(request.options, target) is None:
        texts = [*texts, told_schema(schema)]
    if not texts:
        return None
    forms = [encoded({"type": "text", "text": text}) for text in texts]
    if _caches(request.options, target):
        forms[-1] = marked(forms[-1], _CACHED)
    return listed(forms)


def _tool(tool: ToolSpec, _target: Target) -> bytes:
    return encoded(
        {"name": tool.name, "description": tool.description, "input_schema": tool.input_schema}
    )


# ── messages ────────────────────────────────────────────────────────────────────────────────────
def _turns(
    messages: Sequence[Message], forms: Sequence[bytes], _target: Target, *, marks: bool
) -> list[bytes]:
    told = merged(by_role(messages, forms))
    if marks:
        mark_last(told, _CACHED_TURNS, partial(marked, mark=_CACHED))
    return in_turns(told, _USER, _MODEL)


def _message(message: Message, target: Target) -> bytes:
    """Its blocks, joined: results first, as the vendor demands."""
    said = without_last_thought(message.parts)
    parts = sorted(said, key=lambda part: not isinstance(part, ToolResultPart))
    return b",".join(form for part in parts if (form := _part(part, target)) is not None)


def _part(part: Part, target: Target) -> bytes | None:
    match part:
        case TextPart():
            return encoded({"type": "text", "text": part.text}) if part.text.strip() else None
        case ThinkingPart():
            return _thought(part)
        case AttachmentPart():
            return encoded(_attached(part.attachment, target))
        case ToolUsePart():
            use = {"type": "tool_use", "id": plain_id(part.id), "name": part.name}
            return encoded({**use, "input": part.arguments})
        case ToolResultPart():
            return encoded(_result(part, target))


def _thought(part: ThinkingPart) -> bytes | None:
    """Only what this vendor signed; thought of others says nothing to it."""
    if part.opaque:
        return part.opaque.encode() if is_redacted_block(part.opaque) else None
    if not part.signature:
        return None
    return encoded({"type": "thinking", "thinking": part.text, "signature": part.signature})


def _attached(attachment: Attachment, target: Target) -> dict[str, Any]:
    if is_image(attachment) and quirks.NO_IMAGES not in target.quirks:
        source = {"type": "base64", "media_type": image_type(attachment), "data": attachment.data}
        return {"type": "image", "source": source}
    if is_pdf(attachment) and quirks.NO_FILES not in target.quirks:
        source = {"type": "base64", "media_type": "application/pdf", "data": attachment.data}
        return {"type": "document", "source": source, "title": file_name(attachment)}
    return _in_words(attachment, target)


def _in_words(attachment: Attachment, _target: Target) -> dict[str, Any]:
    return {"type": "text", "text": in_words(attachment)}


def _result(part: ToolResultPart, target: Target) -> dict[str, Any]:
    result: dict[str, Any] = {"type": "tool_result", "tool_use_id": plain_id(part.tool_use_id)}
    if part.is_error:
        result["is_error"] = True
    content: str | list[dict[str, Any]] = part.text
    if part.attachments:
        said = [{"type": "text", "text": part.text}] if part.text.strip() else []
        shown = _in_words if part.is_error else _attached  # failures are told in text alone
        content = [*said, *(shown(one, target) for one in part.attachments)]
    if content or part.is_error:
        result["content"] = content or "failed"
    return result
