"""From what came over the wire to one JSON object of bounded size, or one clear error."""

from math import isfinite
from typing import Any

import msgspec

from ankrcode.config.limits import MAX_ARGUMENT_BYTES, MAX_ARGUMENT_DEPTH
from ankrcode.config.redactor import Redactor
from ankrcode.errors import InvalidInput

_PLACEHOLDER_BEGINS = b"[redacted:"
_encoder = msgspec.json.Encoder(order="deterministic")
_JSON_WORDS: dict[type, str] = {
    type(None): "null",
    bool: "true or false",
    int: "a number",
    float: "a number",
    str: "text",
    list: "a list",
}


class Arguments(msgspec.Struct, frozen=True):
    """A call's arguments, parsed, and as canonical bytes: equal calls have equal bytes."""

    values: dict[str, Any]
    canonical: bytes


def parse_arguments(tool: str, arguments: object) -> Arguments:
    """Never raises anything but `InvalidInput`, whatever a model or a fuzzer sends."""
    values = _decoded(tool, arguments) if isinstance(arguments, str | bytes) else arguments
    if not isinstance(values, dict):
        got = _JSON_WORDS.get(type(values), type(values).__name__)
        raise InvalidInput.of("arguments_not_object", name=tool, got=got)
    if not values:
        return _NO_ARGUMENTS
    canonical = _encoded(tool, values)
    # Read back: plain JSON values only, and nobody else holds a reference to them.
    return Arguments(msgspec.json.decode(canonical), canonical)


def restored(tool: str, arguments: Arguments, redactor: Redactor) -> Arguments:
    """With the real text for every placeholder that the model was shown and sends back."""
    if _PLACEHOLDER_BEGINS not in arguments.canonical:
        return arguments
    return parse_arguments(tool, redactor.restore(arguments.values))


def _decoded(tool: str, text: str | bytes) -> object:
    if len(text) > MAX_ARGUMENT_BYTES:
        raise _too_large(tool, len(text))
    if not text.strip():
        return {}  # some models send nothing for a tool without parameters
    try:
        return msgspec.json.decode(text)
    except RecursionError:
        raise InvalidInput.of("arguments_too_deep", name=tool, limit=MAX_ARGUMENT_DEPTH) from None
    except (msgspec.DecodeError, UnicodeError) as problem:
        raise InvalidInput.of("arguments_not_json", name=tool, why=json_fault(problem)) from None


def json_fault(problem: Exception) -> str:
    """Why something is no JSON, without the words of whoever reads it for us."""
    if isinstance(problem, RecursionError):
        return "it is nested too deeply"
    if isinstance(problem, UnicodeError):
        return "it is not UTF-8"
    why = str(problem).partition(" - at ")[0].removeprefix("JSON is malformed: ")
    why = "a number is out of range" if why == "Number out of range" else why
    return why.replace("`", "")[:200]


def _encoded(tool: str, values: dict[str, Any]) -> bytes:
    """Encoding checks all at once: size, depth, Unicode and that it is JSON at all."""
    try:
        canonical = _encoder.encode(values)
    except RecursionError:
        raise InvalidInput.of("arguments_too_deep", name=tool, limit=MAX_ARGUMENT_DEPTH) from None
    except (TypeError, ValueError, UnicodeError, OverflowError, msgspec.EncodeError):
        raise InvalidInput.of("arguments_not_text", name=tool) from None
    if len(canonical) > MAX_ARGUMENT_BYTES:
        raise _too_large(tool, len(canonical))
    if _is_too_deep(canonical):
        raise InvalidInput.of("arguments_too_deep", name=tool, limit=MAX_ARGUMENT_DEPTH)
    if b"null" in canonical and _has_no_number(values):
        raise InvalidInput.of("arguments_not_text", name=tool)
    return canonical


def _has_no_number(values: Any) -> bool:
    """NaN and infinity, which only Python can send: JSON would quietly say null."""
    stack = [values]
    while stack:
        node = stack.pop()
        if isinstance(node, float) and not isfinite(node):
            return True
        if isinstance(node, dict):
            stack.extend(node.values())
        elif isinstance(node, list | tuple | set | frozenset):
            stack.extend(node)
    return False


def _is_too_deep(canonical: bytes) -> bool:
    """Cheap for ordinary input: a deep one must open many brackets."""
    if canonical.count(b"[") + canonical.count(b"{") <= MAX_ARGUMENT_DEPTH:
        return False
    depth = 0
    for value in _levels(msgspec.json.decode(canonical)):
        depth = max(depth, value)
        if depth > MAX_ARGUMENT_DEPTH:
            return True
    return False


def _levels(value: Any) -> Any:
    """The depth of every container inside, without recursion."""
    stack = [(value, 1)]
    while stack:
        node, depth = stack.pop()
        yield depth
        inner = node.values() if isinstance(node, dict) else node
        stack.extend((item, depth + 1) for item in inner if isinstance(item, dict | list))


def _too_large(tool: str, size: int) -> InvalidInput:
    return InvalidInput.of("arguments_too_large", name=tool, size=size, limit=MAX_ARGUMENT_BYTES)


_NO_ARGUMENTS = Arguments({}, b"{}")
