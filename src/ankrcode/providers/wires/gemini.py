"""Gemini's generateContent, at Google's own door and at Vertex: the request."""

from collections.abc import Mapping, Sequence
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
from ankrcode.providers.wires.body import body, encoded, listed
from ankrcode.providers.wires.conversation import by_role, in_turns, merged, without_system
from ankrcode.providers.wires.efforts import effort_of, thinking_budget
from ankrcode.providers.wires.gemini_reader import GeminiReader
from ankrcode.providers.wires.gemini_stream import GeminiStream
from ankrcode.providers.wires.kept import Kept
from ankrcode.providers.wires.media import image_type, in_words, is_image, is_pdf
from ankrcode.providers.wires.opaque import signature_of
from ankrcode.providers.wires.schemas import without_references
from ankrcode.providers.wires.stream_reader import StreamReader, read_whole
from ankrcode.providers.wires.told import Told

_UNSIGNED = "skip_thought_signature_validator"  # the vendor's own word for calls it did not make
_USER, _MODEL = b'{"role":"user","parts":[', b'{"role":"model","parts":['
_MODES = {"auto": "AUTO", "none": "NONE", "required": "ANY"}


class GeminiWire:
    """Contents of a user and a model, made of parts."""

    def __init__(self) -> None:
        self._messages: Told[bytes] = Told(self._message, _turns)
        self._tools: Kept[ToolSpec, bytes] = Kept(_tool)
        self._names: dict[str, str] = {}  # of tools, by the id of a call: results are named

    def encode(self, request: ModelRequest, target: Target) -> Encoded:
        system, messages = without_system(request.messages)
        parts = [encoded({"text": text}) for text in system]
        tools = self._tools.forms(request.tools, target)
        pieces = {
            "tools": b'[{"functionDeclarations":' + listed(tools) + b"}]" if tools else None,
            "systemInstruction": b'{"parts":' + listed(parts) + b"}" if parts else None,
        }
        contents = self._messages.pieces(messages, target)
        return Encoded(
            path=_path(target, request.options),
            body=body(_head(request, target), pieces, request.options.extra, "contents", contents),
            headers={"content-type": "application/json"},
        )

    def reader(self, target: Target) -> Reader:
        return StreamReader(GeminiStream(), GeminiReader(target))

    def read_whole(self, body: bytes, target: Target) -> list[AnyStreamEvent]:
        return read_whole(body, GeminiStream(), GeminiReader(target))

    def failure(
        self, status: int, headers: Mapping[str, str], body: bytes, target: Target
    ) -> Failure:
        from ankrcode.providers.wires.failures import failure_of

        return failure_of(status, headers, body, target)

    def _message(self, message: Message, target: Target) -> bytes:
        forms: list[bytes] = []
        must_sign = quirks.THINKING_LEVEL in target.quirks
        for part in sorted(message.parts, key=lambda part: not isinstance(part, ToolResultPart)):
            if isinstance(part, ToolUsePart):
                self._names[part.id] = part.name
                forms.append(encoded(_call(part, must_sign=must_sign)))
                must_sign = False  # only the first of a turn is signed
            else:
                forms += [encoded(one) for one in self._part(part, target)]
        return b",".join(forms)

    def _part(self, part: Part, target: Target) -> list[dict[str, Any]]:
        match part:
            case TextPart():
                return [{"text": part.text}] if part.text.strip() else []
            case ThinkingPart():
                return _thought(part)
            case AttachmentPart():
                return [_attached(part.attachment, target)]
            case ToolResultPart():
                return self._result(part, target)
            case _:
                return []

    def _result(self, part: ToolResultPart, target: Target) -> list[dict[str, Any]]:
        said = {"error" if part.is_error else "output": part.text}
        name = self._names.get(part.tool_use_id, "tool")
        result = {"functionResponse": {"name": name, "response": said}}
        return [result, *(_attached(one, target) for one in part.attachments)]


def _turns(
    messages: Sequence[Message], forms: Sequence[bytes], _target: Target, *, marks: bool
) -> list[bytes]:
    del marks  # its cache needs none
    return in_turns(merged(by_role(messages, forms)), _USER, _MODEL)


def _path(target: Target, options: Options) -> str:
    verb = "streamGenerateContent?alt=sse" if options.stream else "generateContent"
    model = target.model.removeprefix("models/")
    if quirks.VERTEX in target.quirks:
        return f"publishers/google/models/{model}:{verb}"
    return f"models/{model}:{verb}"


def _head(request: ModelRequest, target: Target) -> dict[str, Any]:
    config = _generation(request.options, target)
    return {
        "generationConfig": config or None,
        "toolConfig": _choice(request.options.tool_choice) if request.tools else None,
    }


def _generation(options: Options, target: Target) -> dict[str, Any]:
    config: dict[str, Any] = {
        "maxOutputTokens": options.max_output_tokens or target.max_output_tokens,
        "temperature": options.temperature,
        "topP": options.top_p,
        "stopSequences": list(options.stop) or None,
        "thinkingConfig": _thinking(options, target),
    }
    if options.schema is not None:
        config["responseMimeType"] = "application/json"
        whole = quirks.FULL_SCHEMA in target.quirks
        config["responseJsonSchema" if whole else "responseSchema"] = _schema(
            options.schema, is_whole=whole
        )
    return {name: value for name, value in config.items() if value is not None}


def _thinking(options: Options, target: Target) -> dict[str, Any] | None:
    budget = thinking_budget(options)
    if budget is None or quirks.NO_EFFORT in target.quirks:
        return None
    if quirks.THINKING_LEVEL in target.quirks:
        effort = effort_of(options)
        level = "high" if effort in ("medium", "high") else "low"
        return {"thinkingLevel": level if budget > 0 else "low", "includeThoughts": budget > 0}
    return {"thinkingBudget": budget, "includeThoughts": budget > 0}


def _choice(choice: str) -> dict[str, Any] | None:
    if choice == "auto":
        return None
    config: dict[str, Any] = {"mode": _MODES.get(choice, "ANY")}
    if choice not in _MODES:
        config["allowedFunctionNames"] = [choice]
    return {"functionCallingConfig": config}


def _tool(tool: ToolSpec, target: Target) -> bytes:
    declaration: dict[str, Any] = {"name": tool.name, "description": tool.description}
    whole = quirks.FULL_SCHEMA in target.quirks
    if tool.input_schema.get("properties"):  # an object without any is refused
        name = "parametersJsonSchema" if whole else "parameters"
        declaration[name] = _schema(tool.input_schema, is_whole=whole)
    return encoded(declaration)


def _schema(schema: JsonSchema, *, is_whole: bool) -> JsonSchema:
    from ankrcode.tooling.vendors import gemini_schema

    return schema if is_whole else gemini_schema(without_references(schema))


def _call(part: ToolUsePart, *, must_sign: bool) -> dict[str, Any]:
    call: dict[str, Any] = {"functionCall": {"name": part.name, "args": part.arguments}}
    signature = part.signature or (_UNSIGNED if must_sign else "")
    return {**call, "thoughtSignature": signature} if signature else call


def _thought(part: ThinkingPart) -> list[dict[str, Any]]:
    """Only a signature of its own is worth sending back; it stands on an empty text."""
    signature = signature_of(part.opaque)
    return [{"text": "", "thoughtSignature": signature}] if signature else []


def _attached(attachment: Attachment, target: Target) -> dict[str, Any]:
    if is_image(attachment) and quirks.NO_IMAGES not in target.quirks:
        return {"inlineData": {"mimeType": image_type(attachment), "data": attachment.data}}
    if is_pdf(attachment) and quirks.NO_FILES not in target.quirks:
        return {"inlineData": {"mimeType": "application/pdf", "data": attachment.data}}
    return {"text": in_words(attachment)}
