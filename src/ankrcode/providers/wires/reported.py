"""Usage in the vendor's own numbers: some count what is cached, or thought, apart."""

from ankrcode.protocol.message import Usage

_CACHED_APART = ("anthropic", "bedrock")  # their input is what was neither read from nor written
_THOUGHT_APART = ("gemini",)


def reported(usage: Usage, wire: str) -> tuple[int, int, int]:
    """Input, output and cached tokens as the vendor's software would print them."""
    told, said = usage.input_tokens, usage.output_tokens
    if wire in _CACHED_APART:
        told -= usage.cached_tokens + usage.written_tokens
    if wire in _THOUGHT_APART:
        said -= usage.thinking_tokens
    return told, said, usage.cached_tokens
