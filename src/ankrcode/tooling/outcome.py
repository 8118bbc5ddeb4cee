"""From what a tool returned or raised to the result that everyone sees."""

import os
from typing import Any

import msgspec
from msgspec.structs import replace

from ankrcode.config.limits import Limits
from ankrcode.config.redactor import Redactor
from ankrcode.errors import ErrorCode, ToolError
from ankrcode.protocol.result import ErrorInfo, ToolResult
from ankrcode.tooling.results import Cut, ResultStore, fit
from ankrcode.tooling.tool import Tool


def as_result(tool: str, value: Any) -> ToolResult:
    """Text stays text; anything else becomes JSON for the model and data for programs."""
    if isinstance(value, ToolResult):
        if value.value is None:
            return value
        data = _as_data(tool, value.value)
        text = value.text or _as_text(tool, data)
        # Few are changed: most are what JSON can say.
        return (
            value if data is value.value and value.text else replace(value, value=data, text=text)
        )
    if value is None:
        return ToolResult()
    data = _as_data(tool, value)
    return ToolResult(value=data, text=_as_text(tool, data))


def _as_text(tool: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    try:
        return msgspec.json.encode(value).decode()
    except (TypeError, ValueError, RecursionError, UnicodeError):
        raise _wrong_result(tool, value) from None


def _as_data(tool: str, value: Any) -> Any:
    """As it is, where JSON can say it; what only its author knows is asked for what it holds."""
    for hook in (None, _held):
        try:
            plain = msgspec.to_builtins(value, enc_hook=hook)
        except (TypeError, ValueError, RecursionError, NotImplementedError):
            continue
        return value if hook is None else plain
    raise _wrong_result(tool, value)


def _wrong_result(tool: str, value: Any) -> ToolError:
    return ToolError.of("wrong_result", tool=tool, got=type(value).__name__)


def _held(value: Any) -> Any:
    """By a pydantic model, or a path."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(type(value), "model_dump"):
        return value.model_dump(mode="json")
    raise NotImplementedError


def failure(problem: ToolError) -> ToolResult:
    info = ErrorInfo(
        code=problem.code,
        kind=problem.kind,
        message=problem.message,
        suggestion=problem.suggestion,
        details=problem.details,
        key=problem.key,
        values=problem.values,
    )
    return ToolResult(text=str(problem), error=info)


def fitted(
    tool: Tool[Any],
    result: ToolResult,
    limits: Limits,
    cut: Cut,
    store: ResultStore,
    *,
    redactor: Redactor,
) -> ToolResult:
    """Stage 5: without secrets, within the tool's limit; the whole is never lost."""
    result = without_secrets(result, redactor)
    rendered = tool.render(result)
    text = well_formed(rendered if rendered is result.text else redactor.redact(rendered))
    limit = tool.max_result_chars or limits.result_chars
    if len(text) <= limit:
        return result if text is result.text else replace(result, text=text)
    try:
        shown, path = fit(text, limit, tool.cut or cut, store)
    except OSError as problem:
        why = problem.strerror or str(problem)
        return failure(
            ToolError.of("result_not_saved", tool=tool.name, why=why).coded(ErrorCode.IO_ERROR)
        )
    metadata = {**result.metadata, "saved_to": path, "total_chars": len(text)}
    return replace(result, text=shown, metadata=metadata)


def without_secrets(result: ToolResult, redactor: Redactor) -> ToolResult:
    """Before model, event, log and saved file: a placeholder for whatever looks like a secret."""
    text, value = redactor.redact(result.text), result.value
    # Most values are the text or data that it was made from: then one look is enough.
    value = text if value is result.text else redactor.redact_data(value)
    title = redactor.redact(result.title)
    metadata = redactor.redact_data(result.metadata) if result.metadata else result.metadata
    error = _error_without_secrets(result.error, redactor) if result.error else None
    before = (result.text, result.title, result.error)
    if (text, title, error) == before and value is result.value and metadata is result.metadata:
        return result
    return replace(result, text=text, value=value, title=title, metadata=metadata, error=error)


def _error_without_secrets(error: ErrorInfo, redactor: Redactor) -> ErrorInfo:
    return replace(
        error,
        message=redactor.redact(error.message),
        suggestion=redactor.redact(error.suggestion),
        details=redactor.redact_data(error.details),
        values=redactor.redact_data(error.values),
    )


def well_formed(text: str) -> str:
    """Text that every wire can carry: lone surrogates become the replacement character."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
