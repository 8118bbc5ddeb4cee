"""Tokens as Chat Completions and those who imitate it count them."""

from typing import Any

from ankrcode.protocol.message import Usage
from ankrcode.providers.wires.loose import count, items, mapping

_CACHED = (
    *("prompt_cache_hit_tokens", "cached_tokens", "num_cached_tokens"),
    "cache_read_input_tokens",
)


def chat_usage(event: dict[str, Any]) -> Usage | None:
    """From wherever this vendor puts it; None where it says nothing."""
    said = event.get("usage") or mapping(event.get("x_groq")).get("usage")
    if not said:
        choices = items(event.get("choices"))
        said = mapping(choices[0]).get("usage") if choices else None
    if isinstance(said, dict) and said:
        return _read(said)
    timings = event.get("timings")
    return _timed(timings) if isinstance(timings, dict) else None


def _read(said: dict[str, Any]) -> Usage:
    inner = _details(said, "prompt_tokens", "input_tokens", "prompt_token")
    outer = _details(said, "completion_tokens", "output_tokens", "completion_token")
    return Usage(
        input_tokens=_first(said, "prompt_tokens", "input_tokens"),
        output_tokens=_first(said, "completion_tokens", "output_tokens"),
        cached_tokens=_first(inner, "cached_tokens") or _first(said, *_CACHED),
        written_tokens=_first(inner, "cache_write_tokens", "cache_creation_input_tokens")
        or _first(said, "cache_creation_input_tokens"),
        thinking_tokens=_first(outer, "reasoning_tokens") or _first(said, "reasoning_tokens"),
    )


def _timed(timings: dict[str, Any]) -> Usage:
    """llama.cpp's server, asked without `include_usage`."""
    cached = count(timings.get("cache_n"))
    return Usage(
        input_tokens=count(timings.get("prompt_n")) + cached,
        output_tokens=count(timings.get("predicted_n")),
        cached_tokens=cached,
    )


def _details(said: dict[str, Any], *names: str) -> dict[str, Any]:
    return next((mapping(found) for name in names if (found := said.get(f"{name}_details"))), {})


def _first(said: dict[str, Any], *names: str) -> int:
    return next((found for name in names if (found := count(said.get(name)))), 0)
