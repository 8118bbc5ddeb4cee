"""AWS Bedrock's Converse: the request. Who signs it is somebody else."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

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
from ankrcode.providers.wires.bedrock_reader import BedrockReader
from ankrcode.providers.wires.body import body, encoded, listed
from ankrcode.providers.wires.call_ids import plain_id
from ankrcode.providers.wires.conversation import (
    in_turns,
    mark_last,
    merged,
    without_last_thought,
    without_system,
)
from ankrcode.providers.wires.efforts import MIN_BUDGET, thinking_budget
from ankrcode.providers.wires.frames import Frames
from ankrcode.providers.wires.kept import Kept
from ankrcode.providers.wires.media import file_name, image_type, in_words, is_image, is_pdf
from ankrcode.providers.wires.opaque import content_of
from ankrcode.providers.wires.paths import segment
from ankrcode.providers.wires.schemas import told_schema
from ankrcode.providers.wires.stream_reader import StreamReader, read_whole
from ankrcode.providers.wires.told import Told

_CACHED = b'{"cachePoint":{"type":"default"}}'
_CACHED_TURNS = 2
_USER, _MODEL = b'{"role":"user","content":[', b'{"role":"assistant","content":['
_Forms = tuple[bytes, bytes]  # of a message: its results, and what else it says
_DOCUMENT = b'{"document":'
_BETWEEN = b'{"text":"."}'
_RESULTS_ALONE = ("meta.", "mistral.")
_CLAUDE = "anthropic."
_CACHING = (_CLAUDE, "amazon.nova")  # models that take breakpoints; others refuse them


class BedrockWire:
    """Every model of the house in one form."""

    def __init__(self) -> None:
        self._messages: Told[_Forms] = Told(_message, _turns)
        self._tools: Kept[ToolSpec, bytes] = Kept(_tool)

    def encode(self, request: ModelRequest, target: Target) -> Encoded:
        options = request.options
        system, messages = without_system(request.messages)
        if options.schema is not None:
            system = [*system, told_schema(options.schema)]
        mark = [_CACHED] if _caches(options, target) else []
        texts = [encoded({"text": text}) for text in system]
        pieces = {
            "toolConfig": self._tool_config(request, target, mark) if request.tools else None,
            "system": listed([*texts, *mark]) if texts else None,
        }
        told = self._messages.pieces(messages, target, marks=bool(mark))
        verb = "converse-stream" if options.stream else "converse"
        return Encoded(
            path=f"model/{segment(target.model)}/{verb}",
            body=body(_head(options, target), pieces, options.extra, "messages", told),
            headers={"content-type": "application/json"},
        )

    def reader(self, target: Target) -> Reader:
        return StreamReader(Frames(), BedrockReader(target))

    def read_whole(self, body: bytes, target: Target) -> list[AnyStreamEvent]:
        return read_whole(body, Frames(), BedrockReader(target))

    def failure(
        self, status: int, headers: Mapping[str, str], body: bytes, target: Target
    ) -> Failure:
        from ankrcode.providers.wires.failures import failure_of

        failure_name = headers.get("x-amzn-errortype", "").partition(":")[0]
        return failure_of(status, headers, body, target, failure_name)

    def _tool_config(self, request: ModelRequest, target: Target, mark: list[bytes]) -> bytes:
        marks = mark if _CLAUDE in target.model else []  # Nova takes none among its tools
        tools = listed([*self._tools.forms(request.tools, target), *marks])
        choice = _choice(request.options.tool_choice)
        end = b',"toolChoice":' + encoded(choice) if choice else b""
        return b'{"tools":' + tools + end + b"}"


def _caches(options: Options, target: Target) -> bool:
    if not options.cache or quirks.NO_CACHE_CONTROL in target.quirks:
        return False
    return any(name in target.model for name in _CACHING)


def _head(options: Options, target: Target) -> dict[str, Any]:
    most = options.max_output_tokens or target.max_output_tokens
    thinking = _thinking(options, target, most)
    varies = thinking is None and quirks.NO_TEMPERATURE not in target.quirks
    config = {
        "maxTokens": most,
        "temperature": options.temperature if varies else None,
        "topP": options.top_p if varies else None,
        "stopSequences": list(options.stop) or None,
    }
    config = {name: value for name, value in config.items() if value is not None}
    return {"inferenceConfig": config or None, "additionalModelRequestFields": thinking}


def _thinking(options: Options, target: Target, most: int | None) -> dict[str, Any] | None:
    """Only Claude takes a budget here."""
    budget = thinking_budget(options)
    if not budget or _CLAUDE not in target.model or quirks.NO_EFFORT in target.quirks:
        return None
    budget = max(budget, MIN_BUDGET)
    if most is not None:
        budget = min(budget, most - MIN_BUDGET)
    if budget < MIN_BUDGET:
        return None
    return {"thinking": {"type": "enabled", "budget_tokens": budget}}


def _choice(choice: str) -> dict[str, Any] | None:
    if choice in ("auto", "none"):  # there is no word for none
        return None
    return {"any": {}} if choice == "required" else {"tool": {"name": choice}}


def _tool(tool: ToolSpec, _target: Target) -> bytes:
    schema = {"json": tool.input_schema}
    described = tool.description or tool.name  # may not be empty
    spec = {"name": tool.name, "description": described, "inputSchema": schema}
    return encoded({"toolSpec": spec})


# ── messages ────────────────────────────────────────────────────────────────────────────────────
def _message(message: Message, target: Target) -> _Forms:
    parts = without_last_thought(message.parts)
    results = [part for part in parts if isinstance(part, ToolResultPart)]
    said = [part for part in parts if not isinstance(part, ToolResultPart)]
    return _joined(results, target), _joined(said, target)


def _joined(parts: Sequence[Part], target: Target) -> bytes:
    return b",".join(encoded(form) for part in parts if (form := _part(part, target)) is not None)


def _turns(
    messages: Sequence[Message], forms: Sequence[_Forms], target: Target, *, marks: bool
) -> list[bytes]:
    told = merged(_in_order(messages, forms, target))
    if marks:
        mark_last(told, _CACHED_TURNS, _marked)
    return in_turns(told, _USER, _MODEL)


def _marked(parts: bytes) -> bytes:
    """Behind documents breakpoints are refused."""
    return parts if _DOCUMENT in parts else parts + b"," + _CACHED


def _in_order(
    messages: Sequence[Message], forms: Sequence[_Forms], target: Target
) -> Iterator[tuple[bool, bytes]]:
    """Some models want results alone in their turn: then a word of the model stands behind them."""
    parted = quirks.NO_USER_AFTER_TOOL in target.quirks
    parted = parted or any(name in target.model for name in _RESULTS_ALONE)
    follows_result = False
    for message, (results, said) in zip(messages, forms, strict=True):
        is_model = message.role == "assistant"
        yield False, results
        follows_result = follows_result or bool(results)
        if said:
            if parted and follows_result and not is_model:
                yield True, _BETWEEN
            yield is_model, said
            follows_result = False


def _part(part: Part, target: Target) -> dict[str, Any] | None:
    match part:
        case TextPart():
            return {"text": part.text} if part.text.strip() else None  # blanks are refused
        case ThinkingPart():
            return _thought(part)
        case AttachmentPart():
            return _attached(part.attachment, target)
        case ToolUsePart():
            use = {"toolUseId": plain_id(part.id), "name": part.name, "input": part.arguments}
            return {"toolUse": use}
        case ToolResultPart():
            return _result(part, target)


def _thought(part: ThinkingPart) -> dict[str, Any] | None:
    hidden = content_of(part.opaque)
    if hidden:
        return {"reasoningContent": {"redactedContent": hidden}}
    if part.opaque or not part.signature:
        return None
    said = {"text": part.text, "signature": part.signature}
    return {"reasoningContent": {"reasoningText": said}}


def _result(part: ToolResultPart, target: Target) -> dict[str, Any]:
    content = [{"text": part.text}] if part.text.strip() else []
    shown = _in_words if part.is_error else _attached  # failures are told in text alone
    content += [shown(one, target) for one in part.attachments]
    result = {
        "toolUseId": plain_id(part.tool_use_id),
        "content": content or [{"text": "(no output)"}],
        "status": "error" if part.is_error else "success",
    }
    return {"toolResult": result}


def _attached(attachment: Attachment, target: Target) -> dict[str, Any]:
    source = {"bytes": attachment.data}
    if is_image(attachment) and quirks.NO_IMAGES not in target.quirks:
        kind = image_type(attachment).removeprefix("image/")
        return {"image": {"format": kind, "source": source}}
    if is_pdf(attachment) and quirks.NO_FILES not in target.quirks:
        name = _document_name(file_name(attachment))
        return {"document": {"format": "pdf", "name": name, "source": source}}
    return _in_words(attachment, target)


def _in_words(attachment: Attachment, _target: Target) -> dict[str, Any]:
    return {"text": in_words(attachment)}


def _document_name(name: str) -> str:
    """Letters, digits, single blanks, hyphens and brackets: anything else is refused."""
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "-()[]") else " " for c in name)
    return " ".join(plain.split())[:200] or "document"
