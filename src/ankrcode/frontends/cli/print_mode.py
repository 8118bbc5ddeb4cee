"""How the outcome of a task is printed: text for people, JSON for programs, and an exit code."""

import sys
from contextlib import suppress
from typing import Any, Protocol

from ankrcode.agent.answer import Answer, Subtype
from ankrcode.errors import AnkrCodeError, ProviderError
from ankrcode.frontends.cli.lines import as_json, harmless, output, write_line
from ankrcode.protocol.event import Event, Noticed
from ankrcode.protocol.message import Usage
from ankrcode.words import advice, say

DONE, FAILED, NO_MODEL, DENIED, OVER_BUDGET, INTERRUPTED = 0, 1, 3, 4, 5, 130
_CODES = {
    "success": DONE,
    "error_provider": NO_MODEL,
    "error_denied": DENIED,
    "error_max_turns": OVER_BUDGET,
    "error_budget": OVER_BUDGET,
    "error_cancelled": INTERRUPTED,
}


def exit_code(answer: Answer) -> int:
    return _CODES.get(answer.subtype, FAILED)


class Printer(Protocol):
    """Hears what happens, if it wants to, and says what came of it."""

    wants_events: bool

    def show(self, event: Event) -> None: ...

    def end(self, answer: Answer) -> None: ...


class TextPrinter:
    """The answer, and nothing else, on standard output. `is_data`: it was asked for by a schema."""

    wants_events = False

    def __init__(self, *, is_data: bool = False) -> None:
        self._is_data = is_data

    def show(self, event: Event) -> None:
        pass

    def end(self, answer: Answer) -> None:
        text = answer.text
        if _has_data(answer, is_data=self._is_data):
            text = as_json(answer.structured).decode()
        if text:
            print(harmless(text, output()), file=output(), flush=True)
        if answer.error:
            tell(answer.error)


class JsonPrinter:
    """One object at the end."""

    wants_events = False

    def __init__(self, *, is_data: bool = False) -> None:
        self._is_data = is_data

    def show(self, event: Event) -> None:
        pass

    def end(self, answer: Answer) -> None:
        write_line(result_of(answer, is_data=self._is_data))


def _has_data(answer: Answer, *, is_data: bool) -> bool:
    """Null is data too, where a schema allows it."""
    return answer.structured is not None or (is_data and answer.ok)


def result_of(answer: Answer, *, is_data: bool = False) -> dict[str, Any]:
    """The object that scripts rely on."""
    result: dict[str, Any] = {
        "type": "result",
        "subtype": answer.subtype,
        "is_error": answer.is_error,
        "result": answer.text,
        "session_id": answer.session_id,
        "num_turns": answer.turns,
        "usage": usage_of(answer.usage),
        "total_cost_usd": round(answer.cost_usd, 6),
        "duration_ms": round(answer.duration_ms),
        "duration_api_ms": round(answer.duration_api_ms),
        "permission_denials": [
            {
                "tool_name": one.tool,
                "tool_use_id": one.call_id,
                "tool_input": one.arguments,
                "reason": one.reason,
            }
            for one in answer.denials
        ],
    }
    if _has_data(answer, is_data=is_data):
        result["structured_output"] = answer.structured
    if answer.error:
        result["error"] = answer.error
    return result


def failed(problem: AnkrCodeError) -> dict[str, Any]:
    """The same where nothing could be begun, or nothing noted any more."""
    is_provider = isinstance(problem, ProviderError)
    subtype: Subtype = "error_provider" if is_provider else "error_blocked"
    result = result_of(Answer(subtype=subtype))
    if not is_provider:
        result["subtype"] = "error_during_execution"
    return {**result, "error": str(problem)}


def usage_of(usage: Usage) -> dict[str, int]:
    """Whoever reads this adds the three kinds of input: each token is in one of them."""
    of_cache = usage.cached_tokens + usage.written_tokens
    return {
        "input_tokens": max(0, usage.input_tokens - of_cache),
        "output_tokens": usage.output_tokens,
        "cache_read_input_tokens": usage.cached_tokens,
        "cache_creation_input_tokens": usage.written_tokens,
    }


def tell(message: str) -> None:
    """For the person beside the program: never on standard output. Work does not end because
    nobody is there to hear it."""
    with suppress(OSError):
        print(f"ankrcode: {harmless(message, sys.stderr)}", file=sys.stderr, flush=True)


def notice(event: Event) -> None:
    if isinstance(event, Noticed):
        tell(noticed(event))


def noticed(event: Noticed) -> str:
    """What happened, and what to do about it."""
    return f"{say(event.key, **event.values)} {advice(event.key, **event.values)}".rstrip()
